"""Report differences as readable lines and as JSON."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.plural import plural
from toolconv.core.terminal import escape
from toolconv.core.type_names import type_of
from toolconv.inspect.diff.changes import ABSENT, Difference

SHOWN: Final = 60
"""The maximum number of characters to show of a value."""

BEFORE: Final = 20
"""The maximum number of these characters before the first difference."""

_PLAIN_KEY = lazy_re(r"[\w-]+")


class Report:
    """Formats and counts differences.

    Args:
        one, other: the names of the two inputs.
    """

    def __init__(self, one: str, other: str, *, colour: bool) -> None:
        self._names = one, other
        self._colour = colour
        self.rows = 0
        self.differing = 0
        self.kinds: Counter[str] = Counter()

    def line(self, a: Reading | None, b: Reading | None, difference: Difference) -> str:
        """A difference as a readable line."""
        reading = a or b
        place = f"{reading.file}:{reading.line}" if reading else ""
        if difference.change == "unreadable":
            return escape(f"{place}: unreadable: {reading.reason if reading else ''}")
        if difference.part == "row":
            return escape(f"{place}: not in {self._names[b is None]}")
        return f"{escape(place)} {escape(_where(difference))}{self._values(difference)}"

    def _values(self, difference: Difference) -> str:
        change, before, after = difference.change, difference.before, difference.after
        if change == "missing":
            return f" missing: {self._red(_cut(_json(before), 0))}"
        if change == "added":
            return f" added: {self._green(_cut(_json(after), 0))}"
        old, new = _around(_json(before), _json(after))
        note = f"{type_of(before)} became {type_of(after)}" if change == "type" else change
        return f": {self._red(old)} -> {self._green(new)}" + (f" ({note})" if change != "value" else "")

    def _red(self, text: str) -> str:
        return f"\x1b[31m{escape(text)}\x1b[0m" if self._colour else escape(text)

    def _green(self, text: str) -> str:
        return f"\x1b[32m{escape(text)}\x1b[0m" if self._colour else escape(text)

    def count(self, found: list[Difference]) -> None:
        """Count a pair of rows, or a row without a partner."""
        self.rows += 1
        self.differing += bool(found)
        self.kinds.update(kind(difference) for difference in found)

    def summary(self) -> str:
        """How many rows differ, and in which parts."""
        if not self.differing:
            return f"{plural(self.rows, 'row')} compared, no difference"
        counts = ", ".join(f"{name} {count:,}" for name, count in self.kinds.most_common())
        differ = "differs" if self.differing == 1 else "differ"
        return f"{plural(self.rows, 'row')} compared, {self.differing:,} {differ}: {counts}"


def kind(difference: Difference) -> str:
    """A short name for a difference, such as ``argument type``; a changed value is named by its part alone."""
    return difference.part if difference.change == "value" else f"{difference.part} {difference.change}"


def as_json(a: Reading | None, b: Reading | None, difference: Difference) -> dict[str, Any]:
    """A difference as JSON data; it has ``before`` and ``after`` only if that side has a value."""
    found: dict[str, Any] = {
        "part": difference.part,
        "change": difference.change,
        "a": a and {"file": a.file, "line": a.line},
        "b": b and {"file": b.file, "line": b.line},
        "message": difference.message,
        "call": difference.call,
        "path": list(difference.path),
    }
    if difference.before is not ABSENT:
        found["before"] = _writable(difference.before)
    if difference.after is not ABSENT:
        found["after"] = _writable(difference.after)
    if difference.change == "unreadable":
        found["reason"] = "".join(reading.reason for reading in (a, b) if reading is not None)
    return found


def _where(difference: Difference) -> str:
    """The location in a row: ``message 2 call 0 argument 'days'``."""
    words = []
    if difference.message is not None:
        words.append(f"message {difference.message}")
    if difference.call is not None:
        words.append(f"call {difference.call}")
    if difference.part not in ("message", "call"):
        words.append(difference.part.removeprefix("call "))
    if difference.path:
        words.append(f"'{_path(difference.path)}'")
    return " ".join(words)


def _path(path: tuple[str | int, ...]) -> str:
    """Keys and indices as ``filters[0].name``; keys that are not plain names are in brackets."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif not text:
            text = part
        else:
            text += f".{part}" if _PLAIN_KEY.fullmatch(part) else f"[{_json(part)}]"
    return text


def _json(value: Any) -> str:
    return jsontext.dumps(_writable(value)).decode()


def _writable(value: Any) -> Any:
    """A value as it is written in an object, or a text in its place if it is nested too deeply."""
    limit = jsontext.MAX_DEPTH - 1
    return f"(nested more than {limit} deep)" if jsontext.deeper_than(limit, value) else value


def _around(old: str, new: str) -> tuple[str, str]:
    """Two texts; long ones are cut to the part around the first difference."""
    start = 0
    if max(len(old), len(new)) > SHOWN:
        same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        start = max(same - BEFORE, 0)
    return _cut(old, start), _cut(new, start)


def _cut(text: str, start: int) -> str:
    part = text[start : start + SHOWN]
    return ("…" if start else "") + part + ("…" if start + SHOWN < len(text) else "")
