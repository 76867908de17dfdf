"""Give the tools of a row, and their parameters, other names: in declarations, calls, results and texts alike.

A name in a text is replaced where it can only mean the tool: a name that no English word looks like (``get_weather``,
``startDate``) wherever it is a whole word, any other name in quotation marks or backquotes, a function's before ``(``
and a parameter's before ``=``. Values of arguments never change: a row with a name among them keeps its names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row, Tool, calls_of
from toolconv.core.rows import AUGMENTED
from toolconv.core.tools import function_of

OWN_KEYS: Final = frozenset({"id", AUGMENTED})
"""The keys of a row that no change of names touches."""
LISTS: Final = ("messages", "prompt", "chosen", "rejected")
"""The keys of lists of messages in canonical rows; ``completions`` is a list of such lists."""

_IDENTIFIER: Final = lazy_re(r"\w+(?:\.\w+)+|\w[^\W_]*+_\w+|(?>(?:(?![a-z0-9][A-Z])\w)*)[a-z0-9][A-Z]\w*")
_FIXED: Final = frozenset({"role", "type"})
_CALLED: Final = frozenset({"name", "arguments"})
GOLD: Final = frozenset({"ground_truth", "possible_answer"})
"""Keys of rows whose objects have functions, and in them parameters, as keys."""
_NOT_PLAIN: Final = frozenset({
    "$ref", "anyOf", "oneOf", "allOf", "if", "not", "patternProperties", "dependentSchemas", "dependencies",
    "propertyNames", "examples", "example", "default", "const", "enum",
})  # fmt: skip
"""Keywords of a tool's schema that may name parameters in other ways than ``properties`` and ``required`` do."""
_VALUES: Final = ("enum", "const", "default", "examples", "example")


class Names(NamedTuple):
    """New names by old ones, or the other way round."""

    functions: Mapping[str, str]
    parameters: Mapping[str, str]

    def inverse(self) -> Names:
        """Old names by new ones."""
        return Names(*({new: old for old, new in names.items()} for names in self))


def parameters_of(tools: Iterable[Tool]) -> dict[str, list[str]] | None:
    """The parameters of each tool, by its name; ``None`` if a schema may name parameters in other ways, too."""
    found: dict[str, list[str]] = {}
    for tool in tools:
        function = function_of(tool)
        if function is None:
            continue
        schema = function.get("parameters")
        properties = schema.get("properties") or {} if isinstance(schema, dict) else {}
        if schema and (
            not isinstance(schema, dict)
            or not isinstance(properties, dict)
            or not _NOT_PLAIN.isdisjoint(schema)
            or b'"#/properties' in jsontext.dumps(schema)
        ):
            return None
        found.setdefault(function["name"], []).extend(properties)
    return found


def message_lists(row: Row) -> Iterator[list[Message]]:
    """The lists of messages in a canonical row."""
    for key in LISTS:
        if isinstance(row.get(key), list):
            yield row[key]
    yield from row.get("completions") or ()


def mentions(functions: Iterable[str], value: Any) -> bool:
    """Whether a text inside a JSON value mentions one of some functions."""
    return _is_in("\n".join(_texts(value)), Names(dict.fromkeys(functions, ""), {}))


def mentioned_in_values(row: Row, names: Names) -> bool:
    """Whether a name is, or is mentioned in, a value of an argument or of a schema, which would keep the old one."""
    texts = list(_values(row))
    if not names.functions.keys().isdisjoint(texts) or not names.parameters.keys().isdisjoint(texts):
        return True
    return _is_in("\n".join(texts), names)


def _is_in(text: str, names: Names) -> bool:
    """Whether a text mentions one of some names."""
    mentions = _Mentions(names).within(text)
    return mentions is not None and next(mentions.places(text), None) is not None


def _values(row: Row) -> Iterator[str]:
    for messages in message_lists(row):
        for message in messages:
            for call in calls_of(message):
                yield from _texts(call["function"].get("arguments"))
    for tool in row.get("tools") or ():
        yield from _schema_values(tool)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _schema_values(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for each in schema:
            yield from _schema_values(each)
    elif isinstance(schema, dict):
        for key, value in schema.items():
            yield from _texts(value) if key in _VALUES else _schema_values(value)


def renamed(row: Row, names: Names, *, anywhere: bool = False) -> Row:
    """A row with other names.

    Args:
        row: a canonical row; it is not changed.
        anywhere: a name in a text is replaced wherever it is a whole word: for names that mean nothing else.
    """
    texts = "\n".join(_texts({key: value for key, value in row.items() if key not in OWN_KEYS}))
    return _Renamer(names, texts, anywhere=anywhere).row(row)


class _Mentions:
    """The places of names in texts.

    Args:
        names: the names, of which a few are looked for in a text: those that are in it.
        anywhere: each name is meant wherever it is a whole word.
    """

    def __init__(self, names: Names, *, anywhere: bool = False) -> None:
        self._functions, self._parameters = names
        every = {**names.parameters, **names.functions}
        self._clear = {name for name in every if anywhere or _IDENTIFIER.fullmatch(name)}
        self._new = {name: every[name] for name in sorted(filter(None, every), key=lambda name: (-len(name), name))}

    def within(self, text: str) -> _Mentions | None:
        """The same for the names that occur in a text, also inside words; ``None`` if none does."""
        found = {name: new for name, new in self._new.items() if name in text}
        if not found:
            return None
        less = copy(self)
        less._new = found
        return less

    def replaced(self, text: str) -> str:
        """A text with the new names."""
        places = sorted(self.places(text))
        if not places:
            return text
        parts: list[str] = []
        done = 0
        for start, end in places:
            parts += text[done:start], self._new[text[start:end]]
            done = end
        return "".join([*parts, text[done:]])

    def places(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the names are meant, the longest names first; no two places overlap."""
        taken: bytearray | None = None
        for name in self._new:
            start = text.find(name)
            while start >= 0:
                end = start + len(name)
                if self._is_meant(text, start, end, name) and not (taken and (taken[start] or taken[end - 1])):
                    if taken is None and len(self._new) > 1:
                        taken = bytearray(len(text))
                    if taken is not None:
                        taken[start:end] = b"\1" * len(name)
                    yield start, end
                start = text.find(name, end)

    def _is_meant(self, text: str, start: int, end: int, name: str) -> bool:
        before, after = text[start - 1 : start], text[end : end + 1]
        if before in _QUOTES and before == after:
            return True
        if _in_word(before):
            return False
        if name in self._clear:
            return not _in_word(after)
        if after == "=":
            return name in self._parameters and before not in ("?", "&")  # not in an address
        return after == "(" and name in self._functions


_QUOTES: Final = ('"', "'", "`")


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _in_id(text: str, names: Mapping[str, str]) -> str:
    """An id of a call with another name in it, such as ``functions.get_weather:0``; the longest name counts."""
    for name in sorted(filter(None, names), key=len, reverse=True):
        before, found, after = text.partition(name)
        if found and not before[-1:].isalnum() and not after[:1].isalnum():
            return before + names[name] + after
    return text


class _Renamer:
    """Replaces names."""

    def __init__(self, names: Names, texts: str, *, anywhere: bool) -> None:
        self.functions, self.parameters = names
        self._mentions = _Mentions(names, anywhere=anywhere).within(texts)
        self._in_ids = {name: new for name, new in self.functions.items() if name in texts}

    def text(self, text: str) -> str:
        """A text with the new names."""
        return text if self._mentions is None else self._mentions.replaced(text)

    def call_id(self, text: str) -> str:
        """The id of a call with the new name."""
        return _in_id(text, self._in_ids) if self._in_ids else text

    def row(self, row: Row) -> Row:
        found: Row = {}
        for key, value in row.items():
            if key in OWN_KEYS:
                found[key] = value
            elif key == "tools" and isinstance(value, list):
                found[key] = [self.tool(tool) for tool in value]
            elif key in LISTS and isinstance(value, list):
                found[key] = [self.message(message) for message in value]
            elif key == "completions":
                found[key] = [[self.message(message) for message in messages] for messages in value]
            else:
                found[key] = self.keys(value) if key in GOLD else self.texts(value)
        return found

    def texts(self, value: Any) -> Any:
        """A value with other names in its texts."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.texts(each) for each in value]
        if isinstance(value, dict):
            kept = _FIXED
            if value.get("name").__class__ is str and isinstance(value.get("arguments"), dict):
                value, kept = self.called(value), _FIXED | _CALLED
            return {key: each if key in kept else self.texts(each) for key, each in value.items()}
        return value

    def keys(self, value: Any, *, inside: bool = False) -> Any:
        """Calls by the names of functions."""
        if isinstance(value, list):
            return [self.keys(each) for each in value]
        if not isinstance(value, dict):
            return self.texts(value)
        names = self.parameters if inside else self.functions
        return {names.get(key, key): each if inside else self.keys(each, inside=True) for key, each in value.items()}

    def tool(self, tool: Any) -> Any:
        """A declaration."""
        if not isinstance(tool, dict) or function_of(tool) is None or not isinstance(tool.get("function"), dict):
            return tool
        function: Row = {}
        for key, value in tool["function"].items():
            if key == "name":
                value = self.functions.get(value, value)
            elif key == "description" and isinstance(value, str):
                value = self.text(value)
            elif key == "parameters" and isinstance(value, dict):
                value = self.schema(value)
            function[key] = value
        return {**tool, "function": function}

    def schema(self, schema: Row) -> Row:
        """The schema of a tool's arguments."""
        found: Row = {}
        names = self.parameters
        for key, value in schema.items():
            if key == "properties" and isinstance(value, dict):
                value = {names.get(name, name): self.described(each) for name, each in value.items()}
            elif key in ("required", "propertyOrdering") and isinstance(value, list):
                value = [names.get(name, name) if isinstance(name, str) else name for name in value]
            elif key == "dependentRequired" and isinstance(value, dict):
                value = {names.get(name, name): [names.get(each, each) for each in others]
                         for name, others in value.items()}  # fmt: skip
            else:
                value = self.described({key: value})[key]
            found[key] = value
        return found

    def described(self, schema: Any) -> Any:
        """A schema with other names in its descriptions."""
        if isinstance(schema, list):
            return [self.described(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        return {
            key: each
            if key in _VALUES
            else self.text(each)
            if key in ("description", "title") and isinstance(each, str)
            else self.described(each)
            for key, each in schema.items()
        }

    def message(self, message: Message) -> Message:
        """A message: calls, the name and the id of a result, and texts."""
        found: Message = {}
        for key, value in message.items():
            if key == "tool_calls" and isinstance(value, list):
                found[key] = [self.call(call) for call in value]
            elif key == "tool_call_id" and isinstance(value, str):
                found[key] = self.call_id(value)
            elif key == "name" and message.get("role") == "tool":
                found[key] = self.functions.get(value, value) if isinstance(value, str) else value
            else:
                found[key] = value if key in _FIXED or key == "name" else self.texts(value)
        return found

    def call(self, call: Any) -> Any:
        """A call."""
        if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
            return call
        found = {**call, "function": self.called(call["function"])}
        if isinstance(found.get("id"), str):
            found["id"] = self.call_id(found["id"])
        return found

    def called(self, function: Row) -> Row:
        """The name and the arguments of a call."""
        found = dict(function)
        if isinstance(found.get("name"), str):
            found["name"] = self.functions.get(found["name"], found["name"])
        if isinstance(found.get("arguments"), dict):
            names = self.parameters
            found["arguments"] = {names.get(key, key): value for key, value in found["arguments"].items()}
        return found
