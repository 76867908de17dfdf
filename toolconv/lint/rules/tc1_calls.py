"""TC1xx: calls, checked against the declared tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.lint.guards import Guard, Words
from toolconv.lint.model.arguments import Problem, ProblemKind
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding, Level, Safety
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pointers import MISSING, walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import NAME, argument, bare_name, did_you_mean, listed, shown
from toolconv.lint.rule import AssistantRule, CallRule, ComparingRule, RowRule, Rule
from toolconv.lint.schemas import pointer as json_pointer

PSEUDO = frozenset({"think", "finish", "final_answer", "finalanswer", "respond", "answer", "no_function", "no_call"})
NO_CALL_REPAIRS = frozenset({"leaked_token", "unclosed_reasoning", "unopened_reasoning"})
"""Repairs of a turn that don't concern its calls."""

MAX_WORDS = 4
"""Texts with more words than this are the model's own prose; they need no source in the conversation."""

_PLACEHOLDER = re.compile(
    r"<\s*(?P<inner>[A-Za-z][A-Za-z0-9 _-]*)\s*>|\{\{\s*[A-Za-z_][\w. ]*\s*\}\}|\$undefined(\.\w+)*|\.\.\.|…"
    r"|\[?(?:YOUR|INSERT|ENTER)[_ -](?!INTO\b)[A-Z][A-Z0-9_ -]*(?:[_ -]HERE)?\]?"
    r"|\[(?:your|insert|enter) [a-z][a-z _-]*\]"
    r"|(?:\$?\{|\[)\s*(?P<named>[A-Za-z][A-Za-z0-9 _-]*)\s*[}\]]"
    r"|your[_-][a-z0-9]+(?:[_-][a-z0-9]+)*|[a-z]+(?:_[a-z]+)*_here|TODO|TBD|X{3,}|placeholder"
)
_PLACEHOLDER_WORDS = (
    "<", "{{", '"{', '"${', '"[', "your_", "your-", "_here", "TODO", "TBD", "XXX", "placeholder", "$undefined",
    "...", "…", "YOUR", "INSERT", "ENTER", "[your ", "[insert ", "[enter ",
    "\\u2026", "\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007",  # as an escape in JSON text
)  # fmt: skip
_WORDS = re.compile(r"(?:your|insert|enter|some|placeholder)\b|[_ ]", re.IGNORECASE)


class _ArgumentRule(Rule):
    """A rule that reports some kinds of argument problems."""

    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    kinds: ClassVar[tuple[ProblemKind, ...]]

    def find(self, row: LintRow) -> Iterator[Finding]:
        for call, problem in row.argument_problems:
            if problem.kind in self.kinds:
                level: Level = "error" if problem.kind == "forbidden" else self.level_in(row)
                where = call.arguments_pointer + (json_pointer(problem.path) if call.placed else "")
                edits = self.edits(row, where, problem) if call.placed else ()
                steps = [step for step in problem.path if isinstance(step, str)]
                cause = f"{problem.kind} {call.name}{json_pointer(tuple(steps))}"
                if problem.kind == "missing":
                    cause = problem.message.partition(";")[0]
                yield self.finding(row, where, problem.message, *edits, level=level, cause=cause)

    def level_in(self, row: LintRow) -> Level:
        """The level of the findings in a row."""
        return self.level

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        """The edits that fix a problem at a pointer of the row; none if the rule has no fix."""
        return ()


class UndeclaredTool(CallRule):
    """A call to a tool that the row does not declare.

    Anti-pattern: names changed in the call or the declaration only (cut, translated, given a namespace); declarations
    left out to save tokens.

    Why it hurts: the model learns that names need not be declared, and invents tools.

    Best practice: declare every tool that the row calls, under exactly the same name.

    Bad: declared ``get_weather``, called ``get_wether``

    Good: declared ``get_weather``, called ``get_weather``

    Source: ToolACE rows whose names were cut to their last word; Salesforce APIGen's format checker.
    """

    code: ClassVar[str] = "TC101"
    name: ClassVar[str] = "undeclared-tool"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not row.index:
            return
        if not isinstance(call.name, str) or not call.name or call.name in row.index or row.is_known(call):
            return
        if (bare := bare_name(call.name, row.index)) is not None and bare in row.index:
            return  # reported by TC118
        hint = did_you_mean(call.name, row.index.functions) or f"; declared: {listed(row.index.functions)}"
        yield self.finding(row, call.pointer, f"{shown(call.name)} is not declared{hint}", cause=call.name)


class MissingArgument(_ArgumentRule):
    """A call without an argument that its tool requires; a warning if no declaration of the row says what is required.

    Anti-pattern: arguments left out because the user did not give them, or lost in a conversion.

    Why it hurts: the model learns to call too early instead of asking for what is missing; in production the call
    fails.

    Best practice: have the assistant ask the user, or make the parameter optional in the schema.

    Bad: ``{"name": "get_weather", "arguments": {}}`` where ``city`` is required

    Good: ``{"name": "get_weather", "arguments": {"city": "Rome"}}``

    Source: glaive-function-calling-v2; APIGen's format checker.
    """

    code: ClassVar[str] = "TC102"
    name: ClassVar[str] = "missing-required-argument"
    level: ClassVar[Level] = "error"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("missing",)

    def level_in(self, row: LintRow) -> Level:
        flat = [tool.known for tool in row.declared if tool.known.flat]
        return "warning" if flat and not any(known.marks_optional for known in flat) else self.level


class UnknownArgument(_ArgumentRule):
    """An argument that the tool's schema does not declare; an error if ``additionalProperties`` is false.

    Anti-pattern: misnamed arguments, or arguments from another version of the tool.

    Why it hurts: the model learns to make up arguments; strict back ends reject the call, others ignore the value.

    Best practice: declare the parameter, or use a declared one.

    Bad: ``{"town": "Rome"}`` where the schema has ``city``

    Good: ``{"city": "Rome"}``

    Source: JSON Schema, ``properties`` and ``additionalProperties``.
    """

    code: ClassVar[str] = "TC103"
    name: ClassVar[str] = "unknown-argument"
    level: ClassVar[Level] = "warning"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("unknown", "forbidden")


class SchemaMismatch(_ArgumentRule):
    """An argument that violates its schema in a way that no more specific rule reports.

    Anti-pattern: a list instead of a value, a value instead of a list, a number out of range.

    Why it hurts: the model learns types that the tool does not accept; a decoder constrained by the schema can never
    write what the model was trained on.

    Best practice: validate each call against its schema when the data is generated.

    Bad: ``{"days": [3]}`` where ``days`` is an integer

    Good: ``{"days": 3}``

    Source: glaive-function-calling-v2 (lists for integers); APIGen's format checker.
    """

    code: ClassVar[str] = "TC104"
    name: ClassVar[str] = "argument-schema-mismatch"
    level: ClassVar[Level] = "error"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("mismatch",)


class EnumViolation(_ArgumentRule):
    """A value that is not in the enum of the schema.

    Anti-pattern: enum values translated with the rest of the text, or written in another case.

    Why it hurts: the model learns that the enum is only a hint; the tool rejects the value.

    Best practice: leave enum values unchanged when data is translated or rewritten.

    Bad: ``{"category": "运动"}`` where the enum has ``sports``

    Good: ``{"category": "sports"}``

    Source: the Chinese translation of glaive-function-calling-v2.
    """

    code: ClassVar[str] = "TC105"
    name: ClassVar[str] = "enum-violation"
    level: ClassVar[Level] = "error"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("enum",)


class StringTypedValue(_ArgumentRule):
    """A number, boolean, list or object written as text.

    Anti-pattern: arguments read from text (XML parameters, spreadsheets) and never converted to their types.

    Why it hurts: the model learns to quote numbers; tools with strict types reject them.

    Best practice: convert values to the type in the schema.

    Bad: ``{"days": "42"}``

    Good: ``{"days": 42}``

    Source: rows made from parameter dialects; BFCL's type errors.
    """

    code: ClassVar[str] = "TC106"
    name: ClassVar[str] = "string-typed-value"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "unsafe"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("string",)

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        return (row.edit(where, problem.better),)


class IntegralFloat(StringTypedValue):
    """A float without a fraction where the schema requires an integer.

    Anti-pattern: columns of numbers that went through pandas or Parquet and became floats.

    Why it hurts: JSON Schema accepts ``230.0`` as an integer, but typed languages and many tools do not, and the model
    learns to write meaningless tokens.

    Best practice: keep integers as integers.

    Bad: ``{"year": 2023.0}``

    Good: ``{"year": 2023}``

    Source: JSON Schema 2020-12, 6.1.1 (any number with zero fraction is an integer); pandas' float columns.
    """

    code: ClassVar[str] = "TC107"
    name: ClassVar[str] = "integral-float"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("integral",)


class FormatViolation(_ArgumentRule):
    """A value that breaks the ``format`` of its schema: date, time, date-time, email, hostname, ipv4, ipv6, uri, uuid.

    Anti-pattern: dates that don't exist, dates in the words of the user, times without a zone, half an address.

    Why it hurts: the model learns that a format is only a hint; the tool fails to parse the value, or guesses.

    Best practice: write the value in the form that the format names, or leave ``format`` out of the schema.

    Bad: ``{"day": "2025-02-30"}`` where ``day`` has the format ``date``

    Good: ``{"day": "2025-02-28"}``

    Source: JSON Schema 2020-12, Validation, 7.3; RFC 3339, 5321, 3986, 4122.
    """

    code: ClassVar[str] = "TC124"
    name: ClassVar[str] = "format-violation"
    level: ClassVar[Level] = "warning"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("format",)


class UncheckedArguments(_ArgumentRule):
    """Arguments that were not fully checked, because their schema is too expensive to apply.

    Anti-pattern: patterns with nested repeats, such as ``(a+)+``; references that are circular or multiply.

    Why it hurts: a validator or server that checks the call with a backtracking engine hangs.

    Best practice: patterns that can match in only one way; simple schemas.

    Bad: ``{"pattern": "^(a+)+$"}``

    Good: ``{"pattern": "^a+$"}``

    Source: CWE-1333 (inefficient regular expression complexity).
    """

    code: ClassVar[str] = "TC123"
    name: ClassVar[str] = "unchecked-arguments"
    level: ClassVar[Level] = "info"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("unchecked",)


class ArgumentsNotJson(CallRule):
    """Arguments as text that is not JSON.

    Anti-pattern: arguments written with Python's ``str(dict)``, cut at a token limit, or empty text for none.

    Why it hurts: ``json.loads`` fails in the chat template or trainer, or the model learns text that no client can
    read.

    Best practice: write arguments with ``json.dumps``, and no arguments as ``{}``.

    Bad: ``"arguments": "{'city': 'Rome'}"``

    Good: ``"arguments": "{\\"city\\": \\"Rome\\"}"``

    Source: glaive-function-calling-v2; OpenAI API reference: arguments are JSON text.
    """

    code: ClassVar[str] = "TC108"
    name: ClassVar[str] = "arguments-not-json"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.written, str):
            return
        try:
            jsontext.loads(call.written)
        except ValueError as error:
            message = getattr(error, "msg", str(error)).removesuffix(" starting at")
            edits: tuple[Edit, ...] = ()
            if isinstance(call.arguments, dict):
                edits = (row.edit(call.arguments_pointer, jsontext.spaced(call.arguments)),)
            text = f"the arguments {shown(call.written)} are no JSON ({message[:1].lower()}{message[1:]})"
            yield self.finding(row, call.arguments_pointer, f"{text}, expected the JSON text of an object", *edits)


def _may_be_text(overview: Overview) -> bool:
    """Whether a block of a layout whose arguments are objects has text instead."""
    layout = overview.layout
    if not layout.object_arguments:
        return False
    turns = overview.value.get(getattr(layout, "turns_key", "messages"))
    for turn in turns if isinstance(turns, list) else ():
        blocks = turn.get(getattr(layout, "blocks_key", "content")) if isinstance(turn, dict) else None
        for block in blocks if isinstance(blocks, list) else ():
            for part in (block, *block.values()) if isinstance(block, dict) else ():
                if isinstance(part, dict) and (isinstance(part.get("input"), str) or isinstance(part.get("args"), str)):
                    return True
    return False


class ArgumentsNotObject(CallRule):
    """Arguments that are JSON but not an object; or JSON text where the layout has objects.

    Anti-pattern: a list of positional arguments, null for no arguments, a bare value for a single parameter.

    Why it hurts: templates write the value unchanged, and clients can't match it to parameters.

    Best practice: an object with one key per parameter; ``{}`` for no arguments.

    Bad: ``"arguments": ["Rome"]``

    Good: ``"arguments": {"city": "Rome"}``

    Source: OpenAI API reference.
    """

    code: ClassVar[str] = "TC109"
    name: ClassVar[str] = "arguments-not-object"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit", _may_be_text)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not call.placed:
            return
        value = row.look(call.arguments_pointer)
        if isinstance(value, str):
            try:
                value = jsontext.loads(value)
            except ValueError:
                return
            if isinstance(value, str) and isinstance(call.arguments, dict):
                return  # reported by TC110
            if isinstance(value, dict) and row.read_as is not None and row.read_as.object_arguments:
                message = (
                    f"the arguments of {call.name} are JSON text, expected an object as in all rows of this layout"
                )
                yield self.finding(row, call.arguments_pointer, message, row.edit(call.arguments_pointer, value))
        if value is not MISSING and not isinstance(value, dict):
            message = f"the arguments of {call.name} are {shown(value)}, expected an object"
            yield self.finding(row, call.arguments_pointer, message)


class DoubleEncoded(CallRule):
    """JSON text inside JSON text.

    Anti-pattern: ``json.dumps`` of arguments that were already text.

    Why it hurts: the model learns to write arguments full of backslashes; decoding them once gives text where an
    object is expected.

    Best practice: encode once.

    Bad: ``"arguments": "\\"{\\\\\\"city\\\\\\": \\\\\\"Rome\\\\\\"}\\""``

    Good: ``"arguments": "{\\"city\\": \\"Rome\\"}"``

    Source: rows converted twice, seen in many public re-uploads.
    """

    code: ClassVar[str] = "TC110"
    name: ClassVar[str] = "arguments-double-encoded"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.written, str) or not call.written.lstrip().startswith('"'):
            return
        inner: Any = call.written
        depth = 0
        while isinstance(inner, str):
            try:
                text, inner = inner, jsontext.loads(inner)
            except ValueError:
                break
            depth += 1
        if depth > 1 and isinstance(inner, dict):
            message = f"the arguments of {call.name} are JSON text encoded {depth} times, expected once"
            yield self.finding(row, call.arguments_pointer, message, row.edit(call.arguments_pointer, text))


class NullPadded(_ArgumentRule):
    """Null for an optional argument whose schema doesn't allow null.

    Anti-pattern: calls to different tools in one Arrow or pandas column: each gets all other arguments as nulls.

    Why it hurts: the model learns to write every argument it knows, with null; tools reject null.

    Best practice: leave optional arguments out; keep arguments as JSON text in columnar formats.

    Bad: ``{"city": "Rome", "days": null}``

    Good: ``{"city": "Rome"}``

    Source: Hugging Face ``datasets`` (struct union); glaive and Toucan re-uploads.
    """

    code: ClassVar[str] = "TC111"
    name: ClassVar[str] = "null-padded-arguments"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "unsafe"
    kinds: ClassVar[tuple[ProblemKind, ...]] = ("null",)

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        return (row.edit(where, remove=True),)


class MissingArguments(CallRule):
    """A call without the key for its arguments.

    Anti-pattern: calls to tools without parameters, written as a name only.

    Why it hurts: templates fail on the missing key or write nothing, so the model learns two forms of a call.

    Best practice: ``{}`` for no arguments.

    Bad: ``{"name": "ping"}``

    Good: ``{"name": "ping", "arguments": {}}``

    Source: chat templates that read ``tool_call.arguments``.
    """

    code: ClassVar[str] = "TC112"
    name: ClassVar[str] = "missing-arguments"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not call.placed or not isinstance(row.look(call.name_pointer), str):
            return
        if row.look(call.arguments_pointer) is MISSING:
            as_text = any(isinstance(other.written, str) for other in row.calls) or (
                row.read_as is not None and row.read_as.name == "openai" and not _has_objects(row)
            )
            edit = row.edit(call.arguments_pointer, "{}" if as_text else {})
            yield self.finding(row, call.pointer, f"the call of {call.name} has no arguments, expected {{}}", edit)


def _has_objects(row: LintRow) -> bool:
    return any(isinstance(call.written, dict) for call in row.calls)


class MissingName(CallRule):
    """A call without a name.

    Anti-pattern: the name was lost in a conversion or removed by a filter.

    Why it hurts: the call can't be executed, and the model learns to omit names.

    Best practice: drop the row, or restore the name from the source.

    Bad: ``{"name": "", "arguments": {"city": "Rome"}}``

    Good: ``{"name": "get_weather", "arguments": {"city": "Rome"}}``

    Source: the dataset card of hermes-function-calling-v1 contains such a call.
    """

    code: ClassVar[str] = "TC113"
    name: ClassVar[str] = "missing-name"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.name, str) or not call.name.strip():
            message = "no name" if call.name is None else f"the name {shown(call.name)}"
            yield self.finding(row, call.pointer, f"a call with {message}, expected a declared tool's name")


class EmptyCall(RowRule):
    """An empty list of calls, or a call block without a call.

    Anti-pattern: ``tool_calls: []`` on every turn; padding with null.

    Why it hurts: several templates write call markup whenever the key is present, and the model learns to write empty
    calls.

    Best practice: omit ``tool_calls`` on turns without calls.

    Bad: ``{"role": "assistant", "content": "Hello!", "tool_calls": []}``

    Good: ``{"role": "assistant", "content": "Hello!"}``

    Source: chat templates that test ``is defined``; OpenAI's API rejects an empty list.
    """

    code: ClassVar[str] = "TC114"
    name: ClassVar[str] = "empty-call"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role != "assistant":
                continue
            message = row.look(turn.pointer)
            items = message.get("tool_calls") if isinstance(message, dict) else None
            pointer = f"{turn.pointer}/tool_calls"
            if isinstance(items, list):
                empty = [index for index, item in enumerate(items) if not item]
                if len(empty) == len(items):
                    edit = row.edit(pointer, remove=True)
                    report = f"tool_calls is {shown(items)}, expected calls, or no such key"
                    yield self.finding(row, pointer, report, edit)
                elif empty:
                    edit = row.edit(pointer, [item for item in items if item])
                    yield self.finding(row, pointer, f"{len(empty)} of {len(items)} calls are empty", edit)
            elif row.dialect is not None and turn.text:
                for opening in getattr(row.dialect, "all_opens", ()):
                    for closing in getattr(row.dialect, "all_closes", ()):
                        block = re.search(f"{re.escape(opening)}\\s*{re.escape(closing)}", turn.text)
                        if block is not None:
                            place = row.text_pointer(turn.message)
                            yield self.finding(row, place, f"{shown(block[0])}: a call block without a call")
                            return


class DuplicateCall(AssistantRule):
    """The same call twice in one turn.

    Anti-pattern: turns merged twice; generators that repeat themselves.

    Why it hurts: the model learns to repeat calls; the tool's work and its side effects happen twice.

    Best practice: keep one call and one response.

    Bad: ``get_weather(city="Rome")`` and ``get_weather(city="Rome")`` in one turn

    Good: one of them

    Source: xLAM and BFCL outputs; parallel calls are for different arguments.
    """

    code: ClassVar[str] = "TC115"
    name: ClassVar[str] = "duplicate-call"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("repeated",)

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        seen: dict[tuple[Any, bytes], int] = {}
        for call in turn.calls if len(turn.calls) > 1 else ():
            if not isinstance(call.name, str):
                continue
            key = call.name, jsontext.dumps(call.arguments)
            if key in seen:
                message = f"the same call of {call.name} as call {seen[key]} of this turn, arguments and all"
                yield self.finding(row, call.pointer, message)
            else:
                seen[key] = call.index


class PlaceholderArgument(CallRule):
    """A placeholder where a value should be.

    Anti-pattern: ``<city>``, ``{city}``, ``YOUR_API_KEY``, ``TODO``, ``$undefined.x``, ``...`` from a prompt example or
    a failed template.

    Why it hurts: the model learns to copy the example instead of the user's value.

    Best practice: drop the row, or have the assistant ask the user.

    Bad: ``{"city": "<city_name>"}``

    Good: ``{"city": "Rome"}``

    Source: API-Bank and ToolBench rows.
    """

    code: ClassVar[str] = "TC116"
    name: ClassVar[str] = "placeholder-argument"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (Words("arguments", _PLACEHOLDER_WORDS),)

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        for pointer, value in walk(call.arguments) if isinstance(call.arguments, dict) else ():
            key = pointer.rpartition("/")[2]
            if not isinstance(value, str) or value == key or not _is_placeholder(value, key):
                continue
            if any(value in turn.text for turn in row.turns[: call.message]):
                continue
            where = call.arguments_pointer + (pointer if call.placed else "")
            message = f"{argument(pointer, call.name)} is the placeholder {shown(value)}, expected a value"
            yield self.finding(row, where, message)


def _is_placeholder(value: str, key: str) -> bool:
    match = _PLACEHOLDER.fullmatch(value.strip())
    if match is None:
        return False
    if (named := match["named"]) is not None:  # the name of the argument itself
        return value[0] in "{$[" and _letters(named) == _letters(key)
    inner = match["inner"]
    return inner is None or bool(_WORDS.search(inner)) or inner.lower() == key.lower()


def _letters(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()


class UngroundedArgument(RowRule):
    """A text value that no earlier turn, default or enum explains.

    Anti-pattern: ids and names that only the generator of the scenario knew.

    Why it hurts: the model learns to hallucinate arguments.

    Best practice: have the user or an earlier tool response provide the value.

    Bad: user: "Cancel my order", call: ``{"order_id": "A-1042"}``

    Good: user: "Cancel my order A-1042", call: ``{"order_id": "A-1042"}``

    Source: BFCL's and tau-bench's hallucination checks.
    """

    code: ClassVar[str] = "TC117"
    name: ClassVar[str] = "ungrounded-argument"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def check(self, row: LintRow) -> Iterator[Finding]:
        earlier: dict[int, str] = {}
        before = ""
        for turn in row.turns:
            earlier[turn.message] = before
            results = " ".join(shown(r.content, 10**9) for r in turn.responses)
            arguments = " ".join(jsontext.compact(call.arguments) for call in turn.calls)
            before = (
                f"{before}\n{turn.text}\n{results}\n{arguments}".casefold() if turn.text or turn.responses else before
            )
        for call in row.calls:
            if not isinstance(call.arguments, dict) or not isinstance(call.name, str):
                continue
            declared = jsontext.compact(row.index.functions.get(call.name, {})).casefold()
            for pointer, value in walk(call.arguments):
                text = value.strip().casefold() if isinstance(value, str) else ""
                if len(text) < 3 or len(text.split()) > MAX_WORDS or pointer.rpartition("/")[2] == value:
                    continue
                if text in earlier[call.message] or text in declared:
                    continue
                words = [word for word in re.split(r"\W+", text) if len(word) > 3]
                if words and all(word in earlier[call.message] for word in words):
                    continue
                where = call.arguments_pointer + (pointer if call.placed else "")
                message = f"{argument(pointer, call.name)} is {shown(value)}, which nothing before it says"
                yield self.finding(row, where, message)


class NamespaceToken(CallRule):
    """A name with template markup around it: a namespace, a counter, a special token.

    Anti-pattern: ``functions.get_weather``, ``get_weather:0``, ``get_weather<|end|>``, copied from model output.

    Why it hurts: the target's template adds its own markup; the model learns a name that no tool has.

    Best practice: store bare names.

    Bad: ``{"name": "functions.get_weather:0"}``

    Good: ``{"name": "get_weather"}``

    Source: Kimi K2 ids, harmony recipients (vLLM issues on leaked ``<|end|>`` and ``<|channel|>`` in names).
    """

    code: ClassVar[str] = "TC118"
    name: ClassVar[str] = "name-namespace-token"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        bare = bare_name(call.name, row.index)
        if bare is None:
            return
        declared = bare in row.index
        edits = (row.edit(call.name_pointer, bare),) if call.placed and (declared or not row.index) else ()
        hint = "" if declared or not row.index else did_you_mean(bare, row.index.functions)
        yield self.finding(row, call.name_pointer, f"the name {shown(call.name)}, expected {bare!r}{hint}", *edits)


class NameCharset(RowRule):
    """A tool name with characters other than letters, digits, ``_`` and ``-``, or with more than 64 of them.

    Anti-pattern: API titles used as names: ``Quotes by Keywords``, ``math.factorial``.

    Why it hurts: OpenAI's, Anthropic's and Mistral's APIs reject the name, and dialects that write calls as code
    can't express it.

    Best practice: snake_case names.

    Bad: ``Get Weather (v2)``

    Good: ``get_weather_v2``

    Source: OpenAI API reference, function names; ToolACE, BFCL.
    """

    code: ClassVar[str] = "TC119"
    name: ClassVar[str] = "invalid-name-charset"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit", "names_differ")

    def check(self, row: LintRow) -> Iterator[Finding]:
        declarations = row.declared or row.stated
        names = [(tool.name, tool.pointer if tool.stated else f"{tool.pointer}/name") for tool in declarations]
        declared = {name for name, _ in names if isinstance(name, str)}
        for call in row.calls:
            if isinstance(call.name, str) and call.name not in declared and bare_name(call.name, row.index) is None:
                names.append((call.name, call.name_pointer))
        reported = set()
        for name, pointer in names:
            if isinstance(name, str) and name and name not in reported and not NAME.fullmatch(name):
                reported.add(name)
                wrong = sorted(set(re.sub(r"[a-zA-Z0-9_-]", "", name)))
                why = f"has {' '.join(map(repr, wrong))}" if wrong else f"has {len(name)} characters"
                message = f"the name {shown(name)} {why}, expected ^[a-zA-Z0-9_-]{{1,64}}$"
                yield self.finding(row, pointer, message)


class PseudoTool(CallRule):
    """A call to a tool that does nothing: ``think``, ``Finish``, ``final_answer``.

    Anti-pattern: an agent's control flow stored as tool calls.

    Why it hurts: the model learns to answer through a tool that is missing from other tool sets.

    Best practice: put thoughts in the reasoning and answers in the content.

    Bad: ``{"name": "Finish", "arguments": {"final_answer": "12 degrees"}}``

    Good: ``{"role": "assistant", "content": "12 degrees"}``

    Source: ToolBench's ``Finish``, APIGen-MT's ``think``, BFCL's ``no_function``.
    """

    code: ClassVar[str] = "TC120"
    name: ClassVar[str] = "pseudo-tool"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if isinstance(call.name, str) and call.name.lower() in PSEUDO:
            message = f"{call.name} is no tool but a part of the loop, expected its text in the turn"
            yield self.finding(row, call.pointer, message)


class MixedEncoding(ComparingRule):
    """Arguments as objects in some rows of a file, as JSON text in others.

    Anti-pattern: datasets concatenated without conversion.

    Why it hurts: an Arrow column can't hold both; templates that expect text write objects as Python literals, and
    templates that expect objects encode text twice.

    Best practice: one encoding per file: text for OpenAI's API, objects for chat templates.

    Bad: ``"arguments": {"city": "Rome"}`` in one row, ``"arguments": "{\\"city\\": \\"Rome\\"}"`` in the next

    Good: the same encoding in all rows

    Source: Nemotron Agentic-v1 (one split each); ``datasets`` raises ``ArrowInvalid``.
    """

    code: ClassVar[str] = "TC121"
    name: ClassVar[str] = "mixed-argument-encoding"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "safe"

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[0] is later[0])

    def find(self, row: LintRow) -> Iterable[Finding]:
        known = self.firsts.get(row.file)
        if known is None:
            differs = row.may_write(str) or row.may_write(dict)
        else:
            differs = row.may_write(dict if known[0] is str else str)
        return self._compare(row) if differs else ()

    def _compare(self, row: LintRow) -> Iterator[Finding]:
        edits: list[Edit] = []
        pointer, message = "", ""
        for call in row.calls:
            kind = type(call.written)
            if kind not in (str, dict) or not isinstance(call.arguments, dict):
                continue
            first, line = self.firsts.setdefault(row.file, (kind, row.line))
            if kind is first:
                continue
            if not edits:
                words = ("JSON text", "an object")
                message = f"arguments as {words[kind is dict]}, as {words[first is dict]} in line {line}"
                pointer = call.arguments_pointer
            value: Any = call.arguments
            edits.append(row.edit(call.arguments_pointer, jsontext.spaced(value) if first is str else value))
        if edits:
            yield self.finding(row, pointer, f"{message}: one encoding in a file", *edits)


class MalformedCall(RowRule):
    """A call in a text that strict parsers can't read.

    Anti-pattern: raw model output used as training data: extra commas, Python quotes, unclosed tags.

    Why it hurts: the model learns to write such calls, and a strict server finds no call in them.

    Best practice: repair the calls once (``toolconv convert``), or drop the row.

    Bad: ``<tool_call>{'name': 'ping', 'arguments': {}}</tool_call>``

    Good: ``<tool_call>{"name": "ping", "arguments": {}}</tool_call>``

    Source: hermes-function-calling-v1, glaive-function-calling-v2; vLLM's parsers.
    """

    code: ClassVar[str] = "TC122"
    name: ClassVar[str] = "malformed-call"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("malformed",)
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.read_as is not None and row.read_as.in_one_text:
            yield from self._in_one_text(row)
            return
        for at, parsed in row.parsed.items():
            pointer = row.text_pointer(at)
            for dropped in parsed.dropped:
                message = f"a call that can't be read ({dropped.reason}): {shown(dropped.text)}"
                yield self.finding(row, pointer, message)
            repairs = [name for name in dict.fromkeys(parsed.repairs) if name not in NO_CALL_REPAIRS]
            if repairs and parsed.calls and row.reader is not None:
                dialect = row.reader.dialect  # the input's: the text may be damaged until it looks like another's
                edits: tuple[Edit, ...] = ()
                if not parsed.dropped and row.at(pointer) == row.messages[at]["content"]:
                    text = dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls)
                    edits = (row.edit(pointer, text),)
                names = ", ".join(repairs)
                message = f"a call that no strict {dialect.name} reader takes; a tolerant one repairs: {names}"
                yield self.finding(row, pointer, message, *edits)

    def _in_one_text(self, row: LintRow) -> Iterator[Finding]:
        """Findings in a conversation that is one text, all of whose turns are read at once."""
        if row.conversation is None:
            return
        notes, pointer = row.conversation.notes, row.message_pointer(0)
        for dropped in notes.dropped:
            yield self.finding(row, pointer, f"a call that can't be read ({dropped.reason}): {shown(dropped.text)}")
        if repairs := [name for name in dict.fromkeys(notes.repairs) if name not in NO_CALL_REPAIRS]:
            message = f"calls that no strict reader takes; a tolerant one repairs: {', '.join(repairs)}"
            yield self.finding(row, pointer, message)
