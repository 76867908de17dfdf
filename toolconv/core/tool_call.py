"""A tool call as dialects read and write it, and the forms that rows have of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolconv.core import jsontext
from toolconv.core.call_keys import unread_key


@dataclass(slots=True)
class ToolCall:
    """One tool call.

    Attributes:
        name: the tool's name as written.
        arguments: an object. In dialects without types, the tool's schema gives its values their types.
        id: the id in the text or row, or ``None``.
        extra: other keys of the call, kept for the row; no dialect writes them.
        untyped: how many of its values got their types by their looks.
        dialect: the dialect it was read in, where that is another than that of the turn.
    """

    name: str
    arguments: dict[str, Any]
    id: str | None = None
    extra: dict[str, Any] | None = None
    untyped: int = field(default=0, compare=False)
    dialect: str | None = field(default=None, compare=False, repr=False)

    def to_openai(self) -> dict[str, Any]:
        """The call as an OpenAI ``tool_calls`` item: ``arguments`` as JSON text, ``id`` if the call has one."""
        item: dict[str, Any] = {} if self.id is None else {"id": self.id}
        item["type"] = "function"
        item["function"] = {"name": self.name, "arguments": jsontext.spaced(self.arguments)}
        return item

    def to_canonical(self) -> dict[str, Any]:
        """The call as an item of a canonical row: like :meth:`to_openai`, with ``arguments`` as an object."""
        item = {"id": self.id, "type": "function", "function": {"name": self.name, "arguments": self.arguments}}
        return {**self.extra, **item} if self.extra else item

    @classmethod
    def from_openai(cls, call: Any) -> ToolCall:
        """Read an OpenAI or canonical call.

        Args:
            call: a mapping, an object with the same attributes (``call.function.name``), as the openai client and
                vLLM return, or a bare ``{"name", "arguments"}``. ``arguments`` may be JSON text or an object.

        Raises:
            ValueError: there is no name, the arguments are not a JSON object, or there is an object under another key.
        """
        if type(call) is dict and len(call) == 3 and type(function := call.get("function")) is dict:
            name, arguments, call_id = function.get("name"), function.get("arguments"), call.get("id")
            if type(arguments) is dict and type(name) is str and name and type(call_id) is str and "type" in call:
                return cls(name, arguments, call_id)  # a canonical call
        function = _get(call, "function")
        if function is None:
            function = call
        name = _get(function, "name")
        if not isinstance(name, str) or not name:
            raise ValueError("a call without a name")
        arguments = _get(function, "arguments")
        if arguments is None and isinstance(function, Mapping) and (unread := unread_key(function)) is not None:
            raise ValueError(f"no arguments of {name!r}, but {unread!r}")
        if arguments is None or arguments == "":
            arguments = {}
        elif isinstance(arguments, str):
            try:
                arguments = jsontext.loads(arguments)
            except ValueError as error:
                raise ValueError(f"arguments of {name!r} are not JSON ({error})") from None
        if not isinstance(arguments, Mapping):
            raise ValueError(f"arguments of {name!r} are not a JSON object")
        call_id = _get(call, "id")
        extra = None
        if isinstance(call, Mapping):
            known = {"type", "function"} if "function" in call else {"type", "name", "arguments"}
            if call_id is None or isinstance(call_id, str):
                known.add("id")
            extra = {key: value for key, value in call.items() if key not in known} or None
        return cls(name, dict(arguments), call_id if isinstance(call_id, str) else None, extra)


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)
