"""Classes whose instances are facts: named values that never change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

from toolconv.core.errors import near_name

if TYPE_CHECKING:
    from inspect import Signature


class _Signature:
    """The signature of a class of facts, made when somebody asks for it, as a notebook does."""

    def __get__(self, _: object, kind: type[Facts]) -> Signature:
        from inspect import Parameter, Signature

        return Signature(
            [
                Parameter(
                    field.name,
                    Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD,
                    default=Parameter.empty if _is_required(field) else _default(field),
                    annotation=field.type,
                )
                for field in fields(kind)
            ]
        )


def _is_required(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _default(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


@dataclass_transform(kw_only_default=True, frozen_default=True, eq_default=False)
class Facts:
    """A base class. Its subclasses are frozen dataclasses with keyword arguments, compared by identity.

    ``kw_only=False`` in the class statement lets arguments go by place.

    No decorator is needed, and :func:`dataclasses.replace` and :func:`dataclasses.fields` work. A dataclass compiles
    methods of its own, which takes half a millisecond per class, and there are more than a hundred. These share theirs.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    __signature__ = _Signature()

    _field_names: ClassVar[frozenset[str]] = frozenset()
    _by_place: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}
    _field_factories: ClassVar[tuple[tuple[str, Callable[[], Any]], ...]] = ()

    def __init_subclass__(cls, *, kw_only: bool = True) -> None:
        dataclass(init=False, repr=False, eq=False, kw_only=kw_only, match_args=False)(cls)
        known = fields(cls)
        cls._field_names = frozenset(field.name for field in known)
        cls._by_place = tuple(field.name for field in known if not field.kw_only)
        cls._field_defaults = {field.name: field.default for field in known if field.default is not MISSING}
        cls._field_factories = tuple(
            (field.name, field.default_factory) for field in known if field.default_factory is not MISSING
        )

    def __init__(self, *placed: Any, **values: Any) -> None:
        """Take the values of the fields.

        Raises:
            TypeError: a field without default is missing, or there is no field for a value.
        """
        held = self.__dict__
        held.update(self._field_defaults)
        for name, make in self._field_factories:
            held[name] = make()
        if placed:
            if len(placed) > len(self._by_place):
                raise TypeError(f"{type(self).__name__} takes {len(self._by_place)} values without a name")
            held.update(zip(self._by_place, placed, strict=False))
        held.update(values)
        if held.keys() != self._field_names:
            raise TypeError(self._wrong_names(sorted(held.keys() - self._field_names)))
        self.__post_init__()

    def _wrong_names(self, odd: list[str]) -> str:
        """What is wrong with the names of the values, with the nearest known one."""
        kind = type(self).__name__
        if not odd:
            missing = sorted(self._field_names - self.__dict__.keys())
            return f"{kind} needs {' and '.join(map(repr, missing))}"
        near = near_name(odd[0], self._field_names)
        hint = f"; did you mean {near!r}?" if near else ""
        return f"{kind} has no {' and no '.join(map(repr, odd))}{hint}"

    def __post_init__(self) -> None:
        """Check the values, once all are set."""

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the values, and nothing that was made of them."""
        return {name: self.__dict__[name] for name in self._field_names}

    def __repr__(self) -> str:
        held = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self))
        return f"{type(self).__qualname__}({held})"


class FactsByValue(Facts):
    """Facts that are equal where all their values are."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field.name) for field in fields(self) if field.hash is not False)))
