"""What a family writes for its tool calls, as one line of text with holes, and the writer that fills them.

.. code-block:: python

    CallTemplate('<tool_call>\\n{"name": {name|json}, "arguments": {args}}\\n</tool_call>', between="\\n")
    CallTemplate("<call>{name}\\n{params}</call>", param="<arg_key>{key}</arg_key>\\n<arg_value>{value}</arg_value>\\n")
    CallTemplate("{name}({params})", before="[", between=", ", after="]", param="{key}={value}", param_between=", ")

A hole is a word in braces; a brace that opens no hole is text. ``|`` leads to a spelling, several are applied from left
to right, as in a Jinja template:

=============  ========================================================================================================
``{name}``     the tool's name, as it is; ``{name|json}`` as a JSON string
``{id}``       the call's id, as it is or ``|json``; :attr:`CallTemplate.id` says what ids look like
``{index}``    the number of the call in its turn
``{args}``     the arguments as a JSON object; ``|compact`` without spaces, ``|pretty`` over several lines,
               ``|delimited`` with bare keys and strings between delimiters; ``|json`` after that for JSON text in JSON
``{params}``   the arguments one by one, each as :attr:`CallTemplate.param`; ``|sorted`` by key, ``|not_null``
               without those that are null
``{key}``      the name of an argument
``{value}``    its value: strings as they are, everything else as JSON; the other spellings are :data:`SPELLINGS`
``{type}``     the JSON type of the value
``{is_text}``  ``true`` if the value is a string, else ``false``
=============  ========================================================================================================

From the template come the writer here, the exact reader (:mod:`toolconv.dialects.reading.exact`), the marker that calls
are detected by, and the structural tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, field
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.values.by_schema import Looks, spell_json, spell_python, spell_python_all
from toolconv.dialects.values.python_values import (
    KEYWORD,
    spell_double,
    spell_double_json_objects,
    spell_single,
    spell_single_json_objects,
)

HOLE: Final = lazy_re(r"\{(name|id|index|args|params|key|value|type|is_text)((?:\|[a-z_]+)*)\}")
JSON_TYPES: Final = {str: "string", bool: "boolean", type(None): "null", dict: "object", list: "array"}
NEEDS_CDATA: Final = lazy_re(r"[<&\n]")
MARKUP_IN_KEYS: Final = lazy_re("<|```")

TAG_HEAD: Final = lazy_re(r"<(?=[^<>]{0,9}[^\W\d])[^<>\n]{3,}>?")
"""A tag, or what is before the hole in it."""

CLOSING_TAG: Final = lazy_re(r"</[^<>{}\n]{2,60}>")

ORDINARY_TAGS: Final = frozenset({"<name>", "</name>"})
"""Tags of calls that documents have as often."""
MIN_LITERAL: Final = 9
"""The length of a text that says by itself, despite damage, that a call is there."""


class TemplateError(ToolconvError, ValueError):
    """A call template that makes no sense; the message says why."""


class Hole(NamedTuple):
    """A place in a template that is filled: what it holds, and how that is written."""

    word: str
    spellings: tuple[str, ...]


Piece = str | Hole
Write = Callable[[ToolCall, int], str]


def pieces_of(text: str) -> tuple[Piece, ...]:
    """The literals and holes of a template line: a literal, then holes and literals in turn; literals may be empty."""
    found: list[Piece] = []
    at = 0
    for match in HOLE.finditer(text):
        found += [text[at : match.start()], Hole(match[1], tuple(match[2].split("|")[1:]))]
        at = match.end()
    return (*found, text[at:])


def escaped(text: str) -> str:
    """A text for an attribute in double quotes."""
    return text.replace("&", "&amp;").replace('"', "&quot;")


def python_or_cdata(value: Any) -> str:
    """A value as Python's ``str`` writes it; a text that XML can't hold in a CDATA section."""
    text = str(value)
    return f"<![CDATA[{text}]]>" if type(value) is str and NEEDS_CDATA.search(text) else text


def sorted_keys(value: Any) -> Any:
    """A value with the keys of all objects in it sorted without regard to case, as Jinja's ``dictsort`` does."""
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value, key=str.lower)}
    return [sorted_keys(item) for item in value] if isinstance(value, list) else value


SPELLINGS: Final[dict[str, Callable[[Any], Any]]] = {
    "text": spell_json,  # strings as they are, everything else as JSON: the default of {value}
    "json": jsontext.spaced,
    "spaced": jsontext.spaced,
    "compact": jsontext.compact,
    "pretty": jsontext.pretty,
    "sorted": sorted_keys,
    "string": spell_python,  # Jinja's filter: True, False and None as Python, containers as JSON
    "str": spell_python_all,
    "cdata": python_or_cdata,
    "python": spell_single,
    "python_double": spell_double,
    "python_json_objects": spell_single_json_objects,
    "python_double_json_objects": spell_double_json_objects,
    "attribute": escaped,
}
"""The spellings that a hole may name."""

LOSSLESS: Final = frozenset(
    {
        "json",
        "spaced",
        "compact",
        "pretty",
        "python",
        "python_double",
        "python_json_objects",
        "python_double_json_objects",
    }
)
"""Spellings that are read back as the value that was written, whatever it is."""

PARAMS_SPELLINGS: Final[dict[str, Callable[[dict[str, Any]], list[str]]]] = {
    "sorted": sorted,
    "not_null": lambda arguments: [key for key, value in arguments.items() if value is not None],
}
"""The spellings of ``{params}``: the keys of the arguments that are written, in order."""

DEFAULTS: Final = {"args": ("spaced",), "value": ("text",)}


class CallTemplate(Facts, kw_only=False):
    """How a family writes the calls of a turn.

    Attributes:
        call: one call.
        before, between, after: what is written before all calls of a turn, between two, and after all.
        param, param_between: one argument, and what is written between two; for ``{params}``.
        odd_param: an argument whose key is no Python keyword, such as ``**{{key|python}: {value|python}}``.
        without_id: a call that has no id, where it is written otherwise.
        id: what ids look like, such as ``functions.{name}:{index}``; an id of another kind is replaced by one that
            counts the calls of the conversation. Empty where ids are written as given.
        id_length: where ids are so many letters and digits: others are cut to their last, or filled with zeros.
        first_index: what ``{index}`` in ``call`` begins with.
        delimiter, null: what stands on both sides of a string, and for null, in the spelling ``delimited``.
        turn: prose and calls, such as ``Thought: {prose}\\n{calls}``, or ``{calls}{prose}`` where prose follows; empty
            where the dialect's separator is all that stands between them.
        turn_without_prose, turn_without_calls: like ``turn``, for turns that have only one of the two.
        spellings: spellings of the family, by name: functions from a value to its text.
        also_spelled: spellings of ``{value}`` that other templates of the family use.
    """

    call: str
    _: KW_ONLY
    before: str = ""
    between: str = ""
    after: str = ""
    param: str = ""
    param_between: str = ""
    odd_param: str = ""
    without_id: str = ""
    id: str = ""
    id_length: int = 0
    first_index: int = 0
    delimiter: str = ""
    null: str = "null"
    turn: str = ""
    turn_without_prose: str = "{calls}"
    turn_without_calls: str = "{prose}"
    spellings: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    also_spelled: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        words = [piece.word for piece in self.pieces if isinstance(piece, Hole)]
        if not {"name", "id"} & set(words):
            raise TemplateError(f"a call without {{name}}: {self.call!r}")
        if ("args" in words) == ("params" in words):
            raise TemplateError(f"a call holds either {{args}} or {{params}}: {self.call!r}")
        if "params" in words and not self.param:
            raise TemplateError("{params} needs 'param', the line of one argument")
        if "id" in words and "name" not in words and "{name}" not in self.id:
            raise TemplateError("a call without {name} needs it in 'id'")
        self._write, self._write_without_id, self._write_params  # unknown spellings raise here  # noqa: B018

    # ── what other modules ask ──

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The literals and holes of ``call``, in turns."""
        return pieces_of(self.call)

    @cached_property
    def param_pieces(self) -> tuple[Piece, ...]:
        """The literals and holes of ``param``, in turns."""
        return pieces_of(self.param)

    @cached_property
    def head(self) -> str:
        """The text before the first hole."""
        return self.before + str(self.pieces[0])

    @cached_property
    def tail(self) -> str:
        """What stands after the last hole."""
        return str(self.pieces[-1]) + self.after

    @cached_property
    def prose_opening(self) -> str:
        """The text before the prose of every turn, with and without calls; empty if these differ."""
        opening = self.turn.partition("{prose}")[0]
        return opening if opening == self.turn_without_calls.partition("{prose}")[0] else ""

    @cached_property
    def joint(self) -> str:
        """What stands between the last hole of a call and the first of the next."""
        return f"{self.pieces[-1]}{self.between}{self.pieces[0]}"

    @cached_property
    def marker(self) -> str:
        """The text that calls are recognized by: what precedes the first hole or JSON object, without whitespace.

        A bracket that directly follows a word belongs to it (``functools[``), any other opens the list.
        """
        before = re.split(r"\{", self.head)[0].strip()
        return before if re.search(r"\w\[\Z", before) else before.removesuffix("[").rstrip()

    @cached_property
    def literals(self) -> frozenset[str]:
        """What stands around the names and the arguments of calls, without outer white space; nothing short."""
        texts = (self.before, self.call, self.between, self.after)
        found = {piece.strip() for text in texts for piece in pieces_of(text) if isinstance(piece, str)}
        return frozenset(piece for piece in found if len(piece) >= MIN_LITERAL)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags of turns with calls and of their parts, each up to its first hole; no ordinary ones."""
        turns = (self.turn, self.turn_without_calls, self.turn_without_prose)
        texts = (self.before, self.call, self.param, self.between, self.after, *turns)
        literals = (piece for text in texts for piece in pieces_of(text) if isinstance(piece, str))
        found = {tag.strip() for literal in literals for tag in TAG_HEAD.findall(literal)}
        return tuple(sorted(found.difference(ORDINARY_TAGS)))

    @cached_property
    def closers(self) -> tuple[str, ...]:
        """The closing tags of an argument, of a call and of all calls, in this order."""
        return tuple(CLOSING_TAG.findall("".join((self.param, self.call, self.after))))

    @cached_property
    def closing(self) -> str:
        """The text after the last call, without the brackets and braces that close its JSON, and without whitespace."""
        return re.sub(r"\A[\s\]})'\"]*", "", self.tail).rstrip()

    def spelling(self, hole: Hole) -> Callable[[Any], str]:
        """The function that spells what a hole is filled with.

        Raises:
            TemplateError: it names no spelling.
        """
        names = hole.spellings or DEFAULTS.get(hole.word, ())
        if names[-1:] == ("sorted",) and hole.word == "args":
            names = (*names, "spaced")
        steps: list[Callable[[Any], Any]] = []
        for name in names:
            step = self.delimited if name == "delimited" else self.spellings.get(name) or SPELLINGS.get(name)
            if step is None:
                raise TemplateError(f"{name!r} is no spelling; there are delimited, {', '.join(SPELLINGS)}")
            is_text = hole.word in ("name", "id") or steps[-1:] in ([jsontext.spaced], [jsontext.compact])
            steps.append(encode_basestring if step is jsontext.spaced and is_text else step)
        if len(steps) == 1:
            return steps[0]
        if len(steps) == 2:
            first, second = steps
            return lambda value: str(second(first(value)))
        return lambda value: _applied(steps, value)

    def spells(self, word: str) -> tuple[str, ...]:
        """The names of the spellings of a hole, with the default filled in; empty where the template has none."""
        holes = (piece for piece in (*self.pieces, *self.param_pieces) if isinstance(piece, Hole))
        return next((hole.spellings or DEFAULTS.get(word, ()) for hole in holes if hole.word == word), ())

    @cached_property
    def attribute(self) -> str:
        """The hole in ``param`` that states the type of the value; empty where there is none."""
        return next((hole.word for hole in self.param_pieces[1::2] if hole.word in ATTRIBUTES), "")  # type: ignore[union-attr]

    @cached_property
    def looks(self) -> Looks:
        """Reads texts whose type nothing settles."""
        more = [self.spelling(Hole("value", (name,))) for name in self.also_spelled]
        return Looks(self.spelling(Hole("value", self.spells("value"))) if self.param else jsontext.spaced, more)

    # ── writing ──

    def write_each(self, calls: Sequence[ToolCall]) -> list[str]:
        """The calls of a turn, a text for each, which follow each other.

        What opens and closes them all belongs to the first and the last; what stands between two, to the second.
        """
        if len(calls) == 1:
            return [f"{self.before}{self.write_call(calls[0], 0)}{self.after}"]
        if not calls:
            return []
        texts = [self.write_call(call, index) for index, call in enumerate(calls)]
        if self.between:
            texts[1:] = [self.between + text for text in texts[1:]]
        texts[0] = self.before + texts[0]
        texts[-1] += self.after
        return texts

    def write_call(self, call: ToolCall, index: int) -> str:
        """One call, without what stands around all; ``index`` counts the calls of the turn from 0."""
        if call.id is None and self.without_id:
            return self._write_without_id(call, index)
        return self._write(call, index)

    def write_turn(self, prose: str, calls: Sequence[ToolCall], separator: str) -> str:
        """Prose and calls; ``separator`` comes between them if ``turn`` is empty."""
        if not calls:
            return prose if self.turn_without_calls == "{prose}" else self.turn_without_calls.replace("{prose}", prose)
        texts = self.write_each(calls)
        text = texts[0] if len(texts) == 1 else "".join(texts)
        if not prose:
            before, after = self.around_calls
            return before + text + after
        if self.prose_is_last:
            before, _, rest = self.turn.partition("{calls}")
            between, _, after = rest.partition("{prose}")
            return f"{before}{text}{between}{prose}{after}"
        before, between, after = self.around_prose(separator)
        return f"{before}{prose}{between}{text}{after}"

    @cached_property
    def prose_is_last(self) -> bool:
        """Whether prose follows the calls of its turn."""
        return -1 < self.turn.find("{calls}") < self.turn.find("{prose}")

    @cached_property
    def around_calls(self) -> tuple[str, str]:
        """The text before and after the calls of a turn without prose."""
        before, _, after = self.turn_without_prose.partition("{calls}")
        return before, after

    def around_prose(self, separator: str) -> tuple[str, str, str]:
        """The text before prose, between prose and calls, and after the calls, where prose precedes calls."""
        if not self.turn or self.prose_is_last:
            return "", separator, ""
        before, _, rest = self.turn.partition("{prose}")
        between, _, after = rest.partition("{calls}")
        return before, between, after

    def id_of(self, call: ToolCall, index: int) -> str | None:
        """The id of a call in this format; ``index`` counts the calls of the conversation from 0."""
        if self.id_length:
            return NOT_IN_SHORT_IDS.sub("", call.id or str(index))[-self.id_length :].rjust(self.id_length, "0")
        if not self.id:
            return call.id
        if call.id is not None and id_pattern(self.id, call.name).fullmatch(call.id):
            return call.id
        return self.id.replace("{name}", call.name).replace("{index}", str(index))

    @cached_property
    def _write(self) -> Write:
        return self._filled(self.pieces)

    @cached_property
    def _write_without_id(self) -> Write:
        return self._filled(pieces_of(self.without_id or self.call))

    def _filled(self, pieces: tuple[Piece, ...]) -> Write:
        """The function that fills the holes of ``pieces``."""
        start = str(pieces[0])
        steps = []
        before = start
        for hole, literal in zip(pieces[1::2], pieces[2::2], strict=True):
            steps.append((self._filling(hole, before), str(literal)))  # type: ignore[arg-type]
            before += str(literal)
        if len(steps) == 2:
            (first, middle), (second, end) = steps
            if self._names_then_json(pieces):
                spell = self.spelling(pieces[3])  # type: ignore[arg-type]
                return lambda call, _: f"{start}{encode_basestring(call.name)}{middle}{spell(call.arguments)}{end}"
            return lambda call, index: f"{start}{first(call, index)}{middle}{second(call, index)}{end}"

        def write(call: ToolCall, index: int) -> str:
            text = start
            for fill, literal in steps:
                text += fill(call, index) + literal
            return text

        return write

    @staticmethod
    def _names_then_json(pieces: tuple[Piece, ...]) -> bool:
        """Whether the holes are those of nearly all templates: the name as JSON, then the arguments on one line."""
        name, args = pieces[1], pieces[3]
        return name == Hole("name", ("json",)) and args[0] == "args" and args[1] != ("pretty",)

    def _filling(self, hole: Hole, before: str) -> Write:
        """What fills a hole; ``before`` is the text before it."""
        if hole.word == "name":
            if not hole.spellings:
                return lambda call, _: call.name
            spell = self.spelling(hole)
            return lambda call, _: spell(call.name)
        if hole.word == "id":
            spell = self.spelling(hole) if hole.spellings else str
            return lambda call, index: spell(self.id_of(call, index) or "")
        if hole.word == "index":
            first = self.first_index
            return lambda _, index: str(index + first)
        if hole.word == "params":
            write, between = self._write_params, self.param_between
            if hole.spellings:
                if len(hole.spellings) > 1 or hole.spellings[0] not in PARAMS_SPELLINGS:
                    raise TemplateError(f"{{params}} has the spellings {', '.join(PARAMS_SPELLINGS)}: {self.call!r}")
                keys = PARAMS_SPELLINGS[hole.spellings[0]]
                return lambda call, _: between.join([write(key, call.arguments[key]) for key in keys(call.arguments)])
            return lambda call, _: between.join([write(key, value) for key, value in call.arguments.items()])
        if hole.word != "args":
            raise TemplateError(f"{{{hole.word}}} does not belong in a call")
        spell = self.spelling(hole)
        if hole.spellings == ("pretty",):
            line = before.rpartition("\n")[2]
            margin = "\n" + " " * (len(line) - len(line.lstrip(" ")))
            return lambda call, _: spell(call.arguments).replace("\n", margin)
        return lambda call, _: spell(call.arguments)

    @cached_property
    def _write_params(self) -> Callable[[str, Any], str]:
        """The function that writes one argument."""
        if not self.param:
            return lambda key, value: ""
        write = self._param(self.param_pieces)
        if not self.odd_param:
            return write
        write_odd = self._param(pieces_of(self.odd_param))
        return lambda key, value: (write if is_keyword(key) else write_odd)(key, value)

    def _param(self, pieces: tuple[Piece, ...]) -> Callable[[str, Any], str]:
        start = str(pieces[0])
        steps: list[tuple[bool, Callable[[Any], str], str]] = []
        for hole, literal in zip(pieces[1::2], pieces[2::2], strict=True):
            assert isinstance(hole, Hole)
            if hole.word == "key":
                spell = self.spelling(hole) if hole.spellings else str
            elif hole.word == "value":
                spell = self.spelling(hole)
            elif hole.word in ATTRIBUTES:
                spell = ATTRIBUTES[hole.word]
            else:
                raise TemplateError(f"{{{hole.word}}} does not belong in an argument")
            steps.append((hole.word == "key", spell, str(literal)))
        if len(steps) == 2 and steps[0][1] is str and not steps[1][0]:
            (_, _, middle), (_, spell, end) = steps
            if spell in (spell_json, spell_python):  # they leave texts as they are
                return lambda key, value: f"{start}{key}{middle}{value if type(value) is str else spell(value)}{end}"
            return lambda key, value: f"{start}{key}{middle}{spell(value)}{end}"
        if len(steps) == 3 and steps[0][1] is steps[2][1] is str and not steps[1][0]:
            (_, _, middle), (_, spell, closing), (_, _, end) = steps
            return lambda key, value: f"{start}{key}{middle}{spell(value)}{closing}{key}{end}"

        def write(key: str, value: Any) -> str:
            text = start
            for of_key, spell, literal in steps:
                text += spell(key if of_key else value) + literal
            return text

        return write

    def delimited(self, value: Any) -> str:
        """A value with its strings between delimiters and its keys bare and sorted; a key as a string if it has to."""
        if isinstance(value, str):
            return f"{self.delimiter}{value}{self.delimiter}"
        if isinstance(value, dict):
            members = sorted(value.items(), key=lambda member: member[0].lower())
            return "{" + ",".join(f"{self._bare_key(key)}:{self.delimited(member)}" for key, member in members) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(self.delimited, value)) + "]"
        return self.null if value is None else jsontext.spaced(value)

    def _bare_key(self, key: str) -> str:
        is_bare = BARE_KEY.fullmatch(key) and key == key.strip()
        return key if is_bare else f"{self.delimiter}{key}{self.delimiter}"


@lru_cache(maxsize=1024)
def id_pattern(form: str, name: str) -> re.Pattern[str]:
    """Matches the ids of calls of ``name``, which have the form of :attr:`CallTemplate.id`."""
    return re.compile(re.escape(form).replace(r"\{name\}", re.escape(name)).replace(r"\{index\}", "[0-9]+"))


NOT_IN_SHORT_IDS: Final = lazy_re(r"[^A-Za-z0-9]")
BARE_KEY: Final = lazy_re(r"[^\s{}\[\]\"':,<>|][^{}\[\]\"':,<>|\n]{0,255}")
ATTRIBUTES: Final[dict[str, Callable[[Any], str]]] = {
    "type": lambda value: JSON_TYPES.get(type(value), "number"),
    "is_text": lambda value: "true" if isinstance(value, str) else "false",
}
"""What a tag may say of a value."""


def _applied(steps: Sequence[Callable[[Any], Any]], value: Any) -> str:
    for step in steps:
        value = step(value)
    return str(value)


def is_keyword(key: str) -> bool:
    """Whether a key is valid before ``=`` in a Python call, and holds nothing that looks like markup."""
    match = KEYWORD.fullmatch(f"{key}=")
    return match is not None and match[1] == key and MARKUP_IN_KEYS.search(key) is None


def with_first(first: str, others: Iterable[str]) -> tuple[str, ...]:
    """``others`` with ``first``, if it is not empty, before them; no text twice."""
    return tuple(dict.fromkeys(text for text in (first, *others) if text))
