"""TC1xx: the names of called tools."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import NAME, bare_name, did_you_mean, listed, shown
from toolconv.lint.rule import CallRule, RowRule, rule
from toolconv.lint.values.confusables import letter_name

PSEUDO = frozenset({"think", "finish", "final_answer", "finalanswer", "respond", "answer", "no_function", "no_call"})


@rule("TC101", "undeclared-tool", "error", guards=("undeclared",))
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

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not row.index or (row.read_as is not None and "tools" in row.read_as.lacks and not row.at("/tools")):
            return  # a log declares only some of the tools
        if not isinstance(call.name, str) or not call.name or call.name in row.index or row.is_known(call):
            return
        if (bare := bare_name(call.name, row.index)) is not None and bare in row.index:
            return  # reported by TC118
        hint = did_you_mean(call.name, row.index.functions) or f"; declared: {listed(row.index.functions)}"
        yield self.finding(row, call.pointer, f"{shown(call.name)} is not declared{hint}", cause=call.name)


@rule("TC113", "missing-name", "error", guards=("undeclared",))
class MissingName(CallRule):
    """A call without a name.

    Anti-pattern: the name was lost in a conversion or removed by a filter.

    Why it hurts: the call can't be executed, and the model learns to omit names.

    Best practice: drop the row, or restore the name from the source.

    Bad: ``{"name": "", "arguments": {"city": "Rome"}}``

    Good: ``{"name": "get_weather", "arguments": {"city": "Rome"}}``

    Source: the dataset card of hermes-function-calling-v1 contains such a call.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if not isinstance(call.name, str) or not call.name.strip():
            message = "no name" if call.name is None else f"the name {shown(call.name)}"
            yield self.finding(row, call.pointer, f"a call with {message}, expected a declared tool's name")


@rule("TC118", "name-namespace-token", "error", guards=("undeclared",), fix="safe")
class NamespaceToken(CallRule):
    """A name with template markup around it: a namespace, a counter, a special token.

    Anti-pattern: ``functions.get_weather``, ``get_weather:0``, ``get_weather<|end|>``, copied from model output.

    Why it hurts: the target's template adds its own markup; the model learns a name that no tool has.

    Best practice: store bare names.

    Bad: ``{"name": "functions.get_weather:0"}``

    Good: ``{"name": "get_weather"}``

    Fix: writes the name without the markup, if the row declares a tool of that name or none at all.

    Source: Kimi K2 ids, harmony recipients (vLLM issues on leaked ``<|end|>`` and ``<|channel|>`` in names).
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        bare = bare_name(call.name, row.index)
        if bare is None:
            return
        declared = bare in row.index
        edits = (Edit(call.name_pointer, bare),) if call.placed and (declared or not row.index) else ()
        hint = "" if declared or not row.index else did_you_mean(bare, row.index.functions)
        yield self.finding(row, call.name_pointer, f"the name {shown(call.name)}, expected {bare!r}{hint}", *edits)


@rule("TC119", "invalid-name-charset", "warning", guards=("undeclared", "names_differ"))
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

    def check(self, row: LintRow) -> Iterator[Finding]:
        declarations = row.declared or row.stated
        names = [
            (tool.name, tool.pointer if tool.stated else f"{tool.pointer}/name")
            for tool in declarations
            if isinstance(tool.name, str)
        ]
        declared = {name for name, _ in names}
        for call in row.calls:
            if isinstance(call.name, str) and call.name not in declared and bare_name(call.name, row.index) is None:
                names.append((call.name, call.name_pointer))
        reported = set()
        for name, pointer in names:
            if name and name not in reported and not NAME.fullmatch(name):
                reported.add(name)
                wrong = sorted(set(re.sub(r"[a-zA-Z0-9_-]", "", name)))
                why = f"has {' '.join(map(letter_name, wrong))}" if wrong else f"has {len(name)} characters"
                message = f"the name {shown(name)} {why}, expected ^[a-zA-Z0-9_-]{{1,64}}$"
                yield self.finding(row, pointer, message)


@rule("TC120", "pseudo-tool", "info", default=False)
class PseudoTool(CallRule):
    """A call to a tool that does nothing: ``think``, ``Finish``, ``final_answer``.

    Anti-pattern: an agent's control flow stored as tool calls.

    Why it hurts: the model learns to answer through a tool that is missing from other tool sets.

    Best practice: put thoughts in the reasoning and answers in the content.

    Bad: ``{"name": "Finish", "arguments": {"final_answer": "12 degrees"}}``

    Good: ``{"role": "assistant", "content": "12 degrees"}``

    Source: ToolBench's ``Finish``, APIGen-MT's ``think``, BFCL's ``no_function``.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        if isinstance(call.name, str) and call.name.lower() in PSEUDO:
            message = f"{call.name} is no tool but a part of the loop, expected its text in the turn"
            yield self.finding(row, call.pointer, message)
