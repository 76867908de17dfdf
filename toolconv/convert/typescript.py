"""Declarations of tools in TypeScript, as people write them: a namespace, or the functions alone.

    /** Weather of a city. */
    declare function get_weather(city: string, unit: "celsius" | "fahrenheit" = "celsius"): Promise<string>;

    // Sends a message.
    type send = (_: { to: string[]; priority?: Priority }) => any;

    enum Priority { low = 1, high = 2 }

A function with one parameter of an object type has its members as arguments; any other has its parameters. Comments
before a declaration, or after a member on its line, are descriptions; ``@param`` and ``default:`` in them count, too.
``number`` stays a number; what JSON Schema can't express of a type is left open. What a model family writes itself is
read by its dialect (:mod:`toolconv.dialects.declarations`).

Source: the TypeScript handbook, object types and functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool

Schema = dict[str, Any]

_TOKEN: Final = lazy_re(
    r"(?P<space>\s+)|(?P<comment>//[^\n]*|/\*.*?\*/)"
    r"|(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`)"
    r"|(?P<number>-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d][\w$]*(?:[.-]\w+)*)|(?P<sign>=>|\.\.\.|\S)",
    re.DOTALL,
)
_DECLARES: Final = lazy_re(r"\btype\s+[\w$.-]+\s*=\s*(?:async\s+)?\(|\bfunction\s+[\w$.-]+\s*[(<]")
_BEGINS: Final = lazy_re(
    r"^[ \t]*(?://|/\*|(?:(?:export|declare)\s{1,80}+){0,2}(?:namespace|module|type|interface|enum|function)\b)", re.M
)
_TYPES: Final[dict[str, Schema]] = {
    **{name: {"type": name} for name in ("string", "number", "boolean", "null", "object", "integer")},
    **{name: {} for name in ("any", "unknown", "undefined", "void", "never")},
    "bigint": {"type": "integer"},
    "Date": {"type": "string", "format": "date-time"},
    "true": {"const": True},
    "false": {"const": False},
}
_LISTS: Final = ("Array", "ReadonlyArray", "Set")
_WRAPPERS: Final = ("Promise", "Readonly", "Required", "NonNullable")
_TAG: Final = lazy_re(r"^@(?P<tag>\w+)[ \t]*(?P<text>.*)", re.MULTILINE)
_DEFAULT: Final = lazy_re(r"(?:^|[\s,(])[Dd]efault(?:s to|[:=])\s*(?P<value>\"[^\"]*\"|'[^']*'|[^\s,;)]+)")


class NotTypeScript(ValueError):
    """A text can't be read as declarations; the message tells the line and what is there."""


class Token(NamedTuple):
    """A word, text, number or sign, with its line and the comments before it, each with its line."""

    kind: str
    text: str
    line: int
    comments: tuple[tuple[int, str], ...]


class Member(NamedTuple):
    """A member of an object, or a parameter."""

    name: str
    schema: Schema
    required: bool


def tools_in(text: str) -> list[Tool] | None:
    """The tools that TypeScript declares; ``None`` for a text that declares no function.

    Raises:
        NotTypeScript: it declares functions, but can't be read.
    """
    start = _BEGINS.search(text)
    if start is None or _DECLARES.search(text) is None:
        return None
    try:
        return _TypeScript(text, start.start()).tools()
    except RecursionError:
        raise NotTypeScript("types too deep inside each other") from None


class _TypeScript:
    """Reads declarations, one token after another."""

    def __init__(self, text: str, start: int) -> None:
        self.tokens = list(_tokens(text, start))
        self.at = 0
        self.types: dict[str, Callable[[], Schema]] = {}

    # ── tokens ──

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def sees(self, *texts: str) -> bool:
        return self.next.text in texts and self.next.kind != "text"

    def take(self, text: str = "") -> bool:
        """Skip the next token if it is this one, or whatever it is."""
        found = not text or self.sees(text)
        self.at += found and self.next.kind != "end"
        return found

    def expect(self, text: str) -> None:
        if not self.take(text):
            raise self.error(f"{text!r}")

    def error(self, wanted: str) -> NotTypeScript:
        found = repr(self.next.text) if self.next.text else "the end of the file"
        return NotTypeScript(f"line {self.next.line}: {wanted} expected, not {found}")

    def word(self) -> str:
        if self.next.kind not in ("name", "text"):
            raise self.error("a name")
        text = _text(self.next.text) if self.next.kind == "text" else self.next.text
        self.at += 1
        return text

    # ── declarations ──

    def tools(self) -> list[Tool]:
        """All functions; types that are declared after them may be used in them."""
        found = list(self._declarations())
        return [
            {"type": "function", "function": {"name": name, **({"description": about} if about else {}),
                                              "parameters": _object(parameters())}}
            for name, about, parameters in found
        ]  # fmt: skip

    def _declarations(self) -> Iterator[tuple[str, str, Callable[[], list[Member]]]]:
        while self.next.kind != "end":
            about = _comment(self.next.comments, self._last_line())
            while self.sees("export", "declare", "default", "async", "const"):
                self.take()
            if self.sees("namespace", "module"):
                self.take()
                self.word()
                self.expect("{")
            elif self.take("function"):
                name = self.word()
                self._skip("<", ">")
                yield name, _prose(about), self._later(partial(self._parameters, about))
                if self.take(":"):
                    self._type()
            elif self.take("type"):
                name = self.word()
                self._skip("<", ">")
                self.expect("=")
                if self._is_function():
                    yield name, _prose(about), self._later(partial(self._parameters, about))
                    self.expect("=>")
                    self._type()
                else:
                    self.types[name] = self._later(self._type)
            elif self.take("interface"):
                name = self.word()
                while not self.sees("{") and self.next.kind != "end":
                    self.take()
                self.types[name] = self._later(self._type)
            elif self.take("enum"):
                name = self.word()
                self.types[name] = self._later(self._enum)
            elif not (self.take(";") or self.take("}")):
                raise self.error("a declaration")

    def _later(self, read: Callable[[], Any]) -> Callable[[], Any]:
        """What is at this place, read when it is asked for; read once now to find its end."""
        start = self.at
        read()
        end = self.at
        running: list[bool] = []

        def again() -> Any:
            if running:
                return {}  # a type that holds itself
            running.append(True)
            before, self.at = self.at, start
            value = read()
            self.at = before
            running.pop()
            return value

        self.at = end
        return again

    def _last_line(self) -> int:
        return self.tokens[self.at - 1].line if self.at else 0

    def _is_function(self) -> bool:
        """Whether a function type begins here: its closing parenthesis is before an arrow, or missing."""
        if not self.sees("("):
            return False
        depth = 0
        for at in range(self.at, len(self.tokens)):
            token = self.tokens[at]
            depth += (token.text in ("(", "{", "[")) - (token.text in (")", "}", "]")) if token.kind == "sign" else 0
            if not depth:
                return self.tokens[at + 1].text == "=>" if at + 1 < len(self.tokens) else False
        return True

    def _skip(self, opening: str, closing: str) -> None:
        """Skip what is between two signs, if the first one is next."""
        depth = 0
        while self.next.kind != "end" and (depth or self.sees(opening)):
            depth += self.sees(opening) - self.sees(closing)
            self.take()

    # ── members ──

    def _parameters(self, about: str) -> list[Member]:
        """The arguments of a function whose parameters begin here."""
        self.expect("(")
        start = self.at
        members = list(self._members(")", about))
        if len(members) == 1 and "properties" in members[0].schema and self.tokens[start].text != "...":
            inner, required = members[0].schema["properties"], members[0].schema.get("required", ())
            return [Member(name, schema, name in required) for name, schema in inner.items()]
        return members

    def _members(self, closing: str, about: str = "") -> Iterator[Member]:
        """Members up to a closing sign; ``about`` is the comment on the function whose parameters they are."""
        tagged = {
            text.partition(" ")[0]: text.partition(" ")[2].lstrip("- ")
            for tag, text in _TAG.findall(about)
            if tag == "param"
        }
        while not self.take(closing):
            before = _comment(self.next.comments, self._last_line())
            rest = False
            while self.sees("readonly", "...", "public"):
                rest = self.sees("...") or rest
                self.take()
            if self.sees("["):  # members of any name
                self._skip("[", "]")
                self.expect(":")
                yield Member("", self._type(), False)
                self.take(";") or self.take(",")
                continue
            name = self._pattern() if self.sees("{") else self.word()
            optional = self.take("?") or rest
            schema = dict(self._type()) if self.take(":") else {}
            is_preset = self.take("=")
            is_null = self.sees("null")
            default = self._value() if is_preset else None
            line = self._last_line()
            if not (self.take(";") or self.take(",")) and self.next.kind == "end":
                raise self.error(repr(closing))
            after = " ".join(_clean(text) for at, text in self.next.comments if at == line)
            text = before or after or tagged.get(name, "")
            if described := _prose(text):
                schema["description"] = described
            stated = _DEFAULT.search(after) or _DEFAULT.search(before)
            tag = next((each for kind, each in _TAG.findall(text) if kind == "default"), None)
            if default is not None or (is_preset and is_null):
                schema["default"] = default
            elif stated is not None or tag:
                schema["default"] = _value_in(stated["value"] if stated is not None else str(tag), schema)
            optional = schema.pop("undefined", False) or optional or is_preset
            yield Member(name, schema, not optional)

    def _pattern(self) -> str:
        """A parameter that is taken apart, ``{ city, days }``: it has no name."""
        self._skip("{", "}")
        return "_"

    def _enum(self) -> Schema:
        self.expect("{")
        values: list[Any] = []
        while not self.take("}"):
            name = self.word()
            previous = values[-1] if values else -1
            values.append(self._value() if self.take("=") else previous + 1 if isinstance(previous, int) else name)
            self.take(",")
        if not values:
            raise self.error("a member")
        return _alternatives([{"const": value} for value in values])

    def _value(self) -> Any:
        """A value in an expression; ``None`` for any other expression than a plain value."""
        token = self.next
        if token.kind in ("text", "number") or self.sees("true", "false", "null"):
            self.take()
            return _text(token.text) if token.kind == "text" else jsontext.loads(token.text.replace("_", ""))
        for opening, closing, empty in (("[", "]", []), ("{", "}", {})):
            if self.sees(opening):
                self._skip(opening, closing)
                return empty
        self.take()
        return None

    # ── types ──

    def _type(self) -> Schema:
        self.take("|")
        found = [self._both()]
        while self.take("|"):
            found.append(self._both())
        return found[0] if len(found) == 1 else _alternatives(found)

    def _both(self) -> Schema:
        found = [self._item()]
        while self.take("&"):
            found.append(self._item())
        if len(found) == 1:
            return found[0]
        merged: Schema = {"type": "object", "properties": {}}
        for each in found:
            if each.get("type") != "object":
                return {"allOf": found}
            merged["properties"] |= each.get("properties", {})
            merged["required"] = [*merged.get("required", ()), *each.get("required", ())]
        return {key: value for key, value in merged.items() if value or key == "properties"}

    def _item(self) -> Schema:
        while self.sees("readonly", "keyof", "typeof", "unique"):
            self.take()
        schema = self._plain()
        while self.sees("["):
            self.take()
            if not self.take("]"):  # one member of a type
                self._type()
                self.expect("]")
                schema = {}
            else:
                schema = _list_of(schema)
        return schema

    def _plain(self) -> Schema:
        token = self.next
        if token.kind in ("text", "number"):
            return {"const": self._value()}
        if self._is_function():
            list(self._members(")") if self.take("(") else ())
            self.expect("=>")
            self._type()
            return {}
        if self.take("("):
            schema = self._type()
            self.expect(")")
            return schema
        if self.take("{"):
            return _object(list(self._members("}")))
        if self.take("["):
            items = []
            while not self.take("]"):
                self.take("...")
                items.append(self._type())
                self.take(",")
            return _list_of(_alternatives(items) if items else {})
        if token.kind != "name":
            raise self.error("a type")
        return self._named(self.word())

    def _named(self, name: str) -> Schema:
        given: list[Schema] = []
        if self.take("<"):
            while not self.take(">"):
                given.append(self._type())
                self.take(",")
        if name in _LISTS:
            return _list_of(given[0] if given else {})
        if name in ("Record", "Map"):
            return {"type": "object", **({"additionalProperties": given[1]} if len(given) > 1 and given[1] else {})}
        if name == "Partial" and given:
            return {key: value for key, value in given[0].items() if key != "required"}
        if name in _WRAPPERS and given:
            return given[0]
        if name == "undefined":
            return {"undefined": True}
        if name in self.types:
            return dict(self.types[name]())
        return dict(_TYPES.get(name, {}))


# ── schemas ──


def _object(members: list[Member]) -> Schema:
    schema: Schema = {"type": "object", "properties": {one.name: one.schema for one in members if one.name}}
    if required := [one.name for one in members if one.required and one.name]:
        schema["required"] = required
    others = next((one.schema for one in members if not one.name), None)
    if others is None:
        return schema
    return {**{key: value for key, value in schema.items() if value}, "additionalProperties": others or True}


def _list_of(items: Schema) -> Schema:
    items = {key: value for key, value in items.items() if key != "undefined"}
    return {"type": "array", "items": items} if items else {"type": "array"}


def _alternatives(found: list[Schema]) -> Schema:
    """One of several types: an enum of values, a list of plain types, or ``anyOf``."""
    undefined = {"undefined": True} if any("undefined" in each for each in found) else {}
    found = [each for each in found if "undefined" not in each]
    values = [value for each in found for value in ([each["const"]] if "const" in each else each.get("enum", ()))]
    if len(found) == 1:
        return {**found[0], **undefined}
    rest = [each for each in found if "const" not in each and "enum" not in each]
    if {True, False} <= {value for value in values if isinstance(value, bool)}:
        values, rest = [value for value in values if not isinstance(value, bool)], [{"type": "boolean"}, *rest]
    nulls = [each for each in rest if each == {"type": "null"}]
    if values and len(rest) == len(nulls):
        kinds = {str: "string", bool: "boolean", int: "number", float: "number"}
        types = list(dict.fromkeys(kinds[type(value)] for value in values))
        schema: Schema = {"type": [*types, "null"] if nulls else types[0] if len(types) == 1 else types}
        return {**schema, "enum": [*values, None] if nulls else values, **undefined}
    if not values and all(each.keys() == {"type"} and isinstance(each["type"], str) for each in rest):
        kind = list(dict.fromkeys(each["type"] for each in rest))
        return {"type": kind if len(kind) > 1 else kind[0], **undefined}
    if len(rest) - len(nulls) == 1 and not values and "type" in (first := next(e for e in rest if e not in nulls)):
        kind = first["type"]
        if "enum" not in first:
            return {**first, "type": [*(kind if isinstance(kind, list) else [kind]), "null"], **undefined}
    if not all(rest):
        return undefined  # any
    return {"anyOf": [*([_alternatives([{"const": value} for value in values])] if values else ()), *rest], **undefined}


# ── texts ──


def _tokens(text: str, start: int) -> Iterator[Token]:
    comments: list[tuple[int, str]] = []
    line, at = text.count("\n", 0, start) + 1, start
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise NotTypeScript(f"line {line}: {text[at : at + 10]!r} is not TypeScript")
        if match.lastgroup == "comment":
            comments.append((line, match[0]))
        elif match.lastgroup != "space":
            yield Token(match.lastgroup, match[0], line, tuple(comments))
            comments = []
        line += match[0].count("\n")
        at = match.end()
    yield Token("end", "", line, tuple(comments))


def _clean(comment: str) -> str:
    """The text of a comment."""
    if comment.startswith("//"):
        return comment.removeprefix("//").strip("/ \t\r")
    lines = [line.strip().removeprefix("*").strip() for line in comment[2:-2].strip("*").split("\n")]
    return "\n".join(lines).strip()


def _comment(comments: tuple[tuple[int, str], ...], last_line: int) -> str:
    """The comments before a token that are not on the line of the token before them."""
    return "\n".join(text for line, comment in comments if line != last_line and (text := _clean(comment)))


def _prose(text: str) -> str:
    """A comment without its tags and without its default, where it is nothing else."""
    lines = [line for line in text.split("\n") if not line.startswith("@")]
    prose = "\n".join(lines).strip()
    return "" if (found := _DEFAULT.match(prose)) is not None and found.end() >= len(prose.rstrip(".,;")) else prose


def _text(token: str) -> str:
    """The text of a literal."""
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), token[1:-1])


def _value_in(text: str, schema: Schema) -> Any:
    """A default in a comment."""
    text = text.strip().rstrip(".")
    if text[:1] in ("'", '"') and text[-1:] == text[:1]:
        return text[1:-1]
    if schema.get("type") == "string":
        return text
    try:
        return jsontext.loads(text)
    except ValueError:
        return text
