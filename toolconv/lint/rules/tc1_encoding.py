"""TC1xx: how arguments are written: as objects, as JSON text, not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.lint.model.calls import LintCall, strictly
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.guards import InLayouts
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pointers import MISSING
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import shown
from toolconv.lint.rule import CallRule, ComparingRule, rule


@rule("TC108", "arguments-not-json", "error", guards=("unfit",), fix="unsafe")
class ArgumentsNotJson(CallRule):
    """Arguments as text that is not JSON.

    Anti-pattern: arguments written with Python's ``str(dict)``, cut at a token limit, or empty text for none.

    Why it hurts: ``json.loads`` fails in the chat template or trainer, or the model learns text that no client can
    read.

    Best practice: write arguments with ``json.dumps``, and no arguments as ``{}``.

    Bad: ``"arguments": "{'city': 'Rome'}"``

    Good: ``"arguments": "{\\"city\\": \\"Rome\\"}"``

    Fix: writes the arguments that a tolerant reader takes from the text as JSON; a text that it can't read stays.
    Unsafe, because the reading may be wrong.

    The code that a built-in tool runs, such as ``python`` or ``code_interpreter``, is not reported unless the row
    declares a tool of that name.

    Source: glaive-function-calling-v2; OpenAI API reference: arguments are JSON text.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.written, str) or row.holds_code(call):
            return
        error = call.strict
        if isinstance(error, ValueError):
            message = getattr(error, "msg", str(error)).removesuffix(" starting at")
            edits: tuple[Edit, ...] = ()
            if isinstance(call.arguments, dict):
                edits = (Edit(call.arguments_pointer, jsontext.spaced(call.arguments)),)
            text = f"the arguments {shown(call.written)} are no JSON ({message[:1].lower()}{message[1:]})"
            yield self.finding(row, call.arguments_pointer, f"{text}, expected the JSON text of an object", *edits)


def _may_be_text(overview: Overview) -> bool:
    """Whether a block of a layout whose arguments are objects has text instead; answers may stand anywhere."""
    if "several_answers" in overview.facts:
        return True
    layout = overview.layout
    turns = overview.value.get(getattr(layout, "turns_key", "messages"))
    for turn in turns if isinstance(turns, list) else ():
        blocks = turn.get(getattr(layout, "blocks_key", "content")) if isinstance(turn, dict) else None
        for block in blocks if isinstance(blocks, list) else ():
            for part in (block, *block.values()) if isinstance(block, dict) else ():
                if isinstance(part, dict) and (isinstance(part.get("input"), str) or isinstance(part.get("args"), str)):
                    return True
    return False


_MAY_BE_TEXTS: Final = ("unfit", InLayouts(lambda layout: layout.object_arguments, _may_be_text))


@rule("TC109", "arguments-not-object", "error", guards=_MAY_BE_TEXTS, fix="safe")
class ArgumentsNotObject(CallRule):
    """Arguments that are JSON but not an object; or JSON text where the layout has objects.

    Anti-pattern: a list of positional arguments, null for no arguments, a bare value for a single parameter.

    Why it hurts: templates write the value unchanged, and clients can't match it to parameters.

    Best practice: an object with one key per parameter; ``{}`` for no arguments.

    Bad: ``"arguments": ["Rome"]``

    Good: ``"arguments": {"city": "Rome"}``

    Fix: writes JSON text as the object that it holds, where the layout has objects; values of other types stay.

    Source: OpenAI API reference.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not call.placed:
            return
        value = row.look(call.arguments_pointer) if call.written is None else call.written
        if isinstance(value, str):
            value = call.strict if call.written is not None else strictly(value)
            if isinstance(value, ValueError):
                return
            if isinstance(value, str) and isinstance(call.arguments, dict):
                return  # reported by TC110
            if isinstance(value, dict) and row.read_as is not None and row.read_as.object_arguments:
                message = (
                    f"the arguments of {call.name} are JSON text, expected an object as in all rows of this layout"
                )
                yield self.finding(row, call.arguments_pointer, message, Edit(call.arguments_pointer, value))
        if value is not MISSING and not isinstance(value, dict):
            message = f"the arguments of {call.name} are {shown(value)}, expected an object"
            yield self.finding(row, call.arguments_pointer, message)


@rule("TC110", "arguments-double-encoded", "error", guards=("unfit",), fix="safe")
class DoubleEncoded(CallRule):
    """JSON text inside JSON text.

    Anti-pattern: ``json.dumps`` of arguments that were already text.

    Why it hurts: the model learns to write arguments full of backslashes; decoding them once gives text where an
    object is expected.

    Best practice: encode once.

    Bad: ``"arguments": "\\"{\\\\\\"city\\\\\\": \\\\\\"Rome\\\\\\"}\\""``

    Good: ``"arguments": "{\\"city\\": \\"Rome\\"}"``

    Fix: decodes the text until it holds an object, encoded once.

    Source: rows converted twice, seen in many public re-uploads.
    """

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
            yield self.finding(row, call.arguments_pointer, message, Edit(call.arguments_pointer, text))


@rule("TC112", "missing-arguments", "warning", guards=("unfit",), fix="safe")
class MissingArguments(CallRule):
    """A call without the key for its arguments.

    Anti-pattern: calls to tools without parameters, written as a name only.

    Why it hurts: templates fail on the missing key or write nothing, so the model learns two forms of a call.

    Best practice: ``{}`` for no arguments.

    Bad: ``{"name": "ping"}``

    Good: ``{"name": "ping", "arguments": {}}``

    Fix: writes ``{}``, as JSON text where the row's other calls have text.

    Source: chat templates that read ``tool_call.arguments``.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if call.written is not None or not call.placed or not isinstance(row.look(call.name_pointer), str):
            return
        if row.look(call.arguments_pointer) is MISSING:
            ways = {type(other.written) for other in row.calls}
            as_text = str in ways or (row.read_as is not None and row.read_as.name == "openai" and dict not in ways)
            edit = Edit(call.arguments_pointer, "{}" if as_text else {})
            yield self.finding(row, call.pointer, f"the call of {call.name} has no arguments, expected {{}}", edit)


@rule("TC121", "mixed-argument-encoding", "warning", fix="safe")
class MixedEncoding(ComparingRule):
    """Arguments as objects in some rows of a file, as JSON text in others.

    Anti-pattern: datasets concatenated without conversion.

    Why it hurts: an Arrow column can't hold both; templates that expect text write objects as Python literals, and
    templates that expect objects encode text twice.

    Best practice: one encoding per file: text for OpenAI's API, objects for chat templates.

    Bad: ``"arguments": {"city": "Rome"}`` in one row, ``"arguments": "{\\"city\\": \\"Rome\\"}"`` in the next

    Good: the same encoding in all rows

    Fix: writes the arguments in the form of the file's first call.

    Source: Nemotron Agentic-v1 (one split each); ``datasets`` raises ``ArrowInvalid``.
    """

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
            edits.append(Edit(call.arguments_pointer, jsontext.spaced(value) if first is str else value))
        if edits:
            yield self.finding(row, pointer, f"{message}: one encoding in a file", *edits)
