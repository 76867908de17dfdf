"""TC4xx: where tools are declared: as text, in the system text, twice, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from typing import Any

from toolconv.core import jsontext
from toolconv.core.messages import SYSTEM_ROLES, Tool
from toolconv.core.plural import plural
from toolconv.dialects.prompts.lifting import own_text
from toolconv.dialects.prompts.tool_prompt import without_prompt
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed
from toolconv.lint.rule import ComparingRule, RowRule, rule


@rule("TC411", "tools-as-string", "warning", default=False, fix="safe")
class ToolsAsString(ComparingRule):
    """``tools`` as JSON text in some rows of a file, as a list in others.

    Anti-pattern: concatenated rows from different writers.

    Why it hurts: a loader that expects one fails on the other, or passes text to the template.

    Best practice: use one form per file.

    Bad: ``"tools": "[]"`` in one row, ``"tools": []`` in the next

    Good: the same form in all rows

    Fix: writes ``tools`` in the form of the file's first row.

    Source: LLaMA-Factory and Parquet uploads use text, TRL requires a list.
    """

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[0] is later[0])

    def find(self, row: LintRow) -> Iterator[Finding]:
        value = row.row.get("tools") if row.row else None
        if not isinstance(value, str | list):
            return
        as_text = isinstance(value, str)
        first, line = self.firsts.setdefault(row.file, (as_text, row.line))
        if first is as_text:
            return
        words = ("a list", "JSON text")
        edits: tuple[Edit, ...] = ()
        if isinstance(value, list):
            edits = (Edit("/tools", jsontext.spaced(value)),)
        else:
            with suppress(ValueError):
                edits = (Edit("/tools", jsontext.loads(value)),)
        message = f"tools are {words[as_text]}, {words[first]} in line {line}: one form in a file"
        yield self.finding(row, "/tools", message, *edits)


@rule("TC412", "tools-only-in-system-text", "warning", guards=("states_tools",), fix="unsafe")
class ToolsInSystemText(RowRule):
    """Tools declared only in the system text, in a row with structured calls.

    Anti-pattern: a prompt with declarations that was kept when the calls were converted to structure.

    Why it hurts: the target's template declares tools in its own format; the model never sees this one in use.

    Best practice: declare the tools in ``tools`` and remove them from the text.

    Bad: ``{"messages": [{"role": "system", "content": "You can call: [{\\"name\\": …}]"}, …]}``

    Good: ``{"tools": [{"type": "function", "function": {"name": …}}], "messages": […]}``

    Fix: moves the declarations to ``tools`` and takes what a known prompt says of them out of the text. Unsafe,
    because the student then sees another text.

    Source: ToolACE's and Hermes' system prompts.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.calls_in_text or row.declared or not row.stated or row.read_as is None or row.read_as.in_one_text:
            return
        where = "system text" if row.stated[0].stated == "system" else "first question"
        names = listed(tool.name for tool in row.stated)
        many = plural(len(row.stated), "tool is", "tools are")
        message = f"{many} declared in the {where} only ({names}), expected in tools"
        pointer = row.stated[0].pointer
        items: list[Tool] = [{"type": "function", "function": tool.function} for tool in row.stated]
        edits = _without_prompt(row, pointer, items)
        if edits:
            value = jsontext.spaced(items) if isinstance((row.row or {}).get("tools"), str) else items
            edits = (*edits, Edit("/tools", value))
        yield self.finding(row, pointer, message, *edits)


def _without_prompt(row: LintRow, pointer: str, tools: list[Tool]) -> tuple[Edit, ...]:
    """Take what a system text says about tools out; nothing if it may declare others than ``tools``."""
    text = row.at(pointer)
    prompt = without_prompt(text) if isinstance(text, str) else None
    own = None if prompt is None or prompt.declares else own_text(text, prompt, tools)
    if own is None:
        return ()
    message = pointer.rpartition("/")[0]
    if not own and message.rpartition("/")[2].isdecimal():
        return (Edit(message, remove=True),)
    return (Edit(pointer, own),)


@rule("TC413", "tools-declared-twice", "warning", guards=("states_tools",), fix="unsafe")
class DeclaredTwice(RowRule):
    """Tools declared both in the column and in the system text.

    Anti-pattern: a column added to rows whose prompt already contains the declarations.

    Why it hurts: the template declares the tools again: twice the tokens, and two formats in one prompt.

    Best practice: keep the column and remove the declarations from the text.

    Bad: ``tools`` has ``ping``, and the system text too

    Good: ``tools`` has ``ping``

    Fix: takes what a known prompt says of the declared tools out of the text. Unsafe, because the student then sees
    another text.

    Source: hermes-function-calling-v1.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if not row.declared or not row.stated:
            return
        names = {tool.name for tool in row.declared}
        both = [tool.name for tool in row.stated if tool.name in names]
        if both:
            message = f"{listed(both)} declared in the column and in the system text, expected one of them"
            pointer = row.stated[0].pointer
            tools: list[Tool] = [{"type": "function", "function": tool.function} for tool in row.declared]
            yield self.finding(row, pointer, message, *_without_prompt(row, pointer, tools))


@rule("TC414", "no-tools-declared", "error", guards=("undeclared",))
class NoTools(RowRule):
    """A row with calls that declares no tool anywhere.

    Anti-pattern: rows generated for one fixed set of tools that was left out.

    Why it hurts: the model memorises the tools and calls them when they are not available.

    Best practice: declare the tools in every row. Where the system text or the first question names the tools that are
    called, without their arguments, it is a warning. A system text that names the arguments, too, declares the tools in
    words of its own, which is no finding; so do a first question that has their names in quotation marks, and first
    requests before the one that is answered. Recorded runs
    (``--for trace``) are often stored without them, and rows whose keys are no known layout's have a form of their own:
    that is a warning, reported once a file, and ``--declare FILE`` gives the tools.

    Bad: ``{"messages": [user, assistant with a call]}``

    Good: ``{"tools": […], "messages": [user, assistant with a call]}``

    Source: Toolset-Training; the Berkeley leaderboard's irrelevance category.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.declared or row.stated or row.index or row.built_in:
            return
        calls = [call for call in row.calls if not row.is_known(call)]
        if not calls:
            return
        if row.read_as is not None and "tools" in row.read_as.lacks and row.purpose is None:
            return  # such rows can't declare any
        if row.conversation is not None and row.conversation.text_key is not None:
            return  # the prompt that declares them is not in the row
        names = listed({jsontext.compact(call.name): call.name for call in calls}.values())
        if row.read_as is not None and row.read_as.any_shape:
            message = "a form of its own, which declares no tools; --declare FILE gives them"
            yield self.finding(row, "", message, level="warning", cause="rows of a form of their own", once="its kind")
        elif row.lacks("tools"):
            message = f"the run calls {names} and declares no tool; --declare FILE gives the tools"
            cause = "runs without declarations"
            yield self.finding(row, "", message, level="warning", cause=cause, once="its kind")
        elif where := next((where for where, text in _prompts(row) if _has_words(text, [c.name for c in calls])), None):
            arguments = [key for call in calls if isinstance(call.arguments, dict) for key in call.arguments]
            keys = arguments if where == "system text" else [f'"{key}"' for key in arguments]
            if keys and _has_words(dict(_prompts(row))[where], keys):
                return  # which declares them in words of its own
            message = f"the {where} names {names}, and nothing says what arguments they take"
            yield self.finding(row, "", message, level="warning", cause=f"tools that are named in the {where}")
        else:
            yield self.finding(row, "", f"the row calls {names} and declares no tool")


def _prompts(row: LintRow) -> list[tuple[str, str]]:
    """The texts that may say which tools there are, each after where it stands: of several requests, the last asks."""
    first = list(takewhile(lambda turn: turn.role != "assistant", row.turns))
    asked = [turn.raw_text for turn in first if turn.role == "user"]
    system = "\n".join([turn.raw_text for turn in row.turns if turn.role in SYSTEM_ROLES] + asked[:-1])
    return [("system text", system), ("first question", "".join(asked[-1:]))]


def _has_words(text: str, names: list[Any]) -> bool:
    """Whether a text has all names, as words."""
    return all(
        isinstance(name, str) and name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.ASCII)
        for name in names
    )
