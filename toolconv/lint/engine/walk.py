"""The walk over a row's conversation: one pass that finds out what may be wrong with the row.

Most rows of a dataset are correct, and the walk shows that in a fraction of the time that the rules take. It goes over
the canonical conversation, so it is the same for all layouts. Rows of OpenAI's layouts are not even converted: they
differ from canonical ones only in how arguments and missing content are written, and the walk accepts both forms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from toolconv import layouts
from toolconv.convert.unread.carried import may_hold_unread, may_lack
from toolconv.core import jsontext
from toolconv.core.key_words import SYSTEMS
from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, Tool
from toolconv.core.notes import Notes
from toolconv.core.remembered import Remembered
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.prompts.stated_tools import may_state_tools
from toolconv.layouts.answers import ANSWER_KEYS
from toolconv.layouts.base import Layout
from toolconv.layouts.formats.openai import OpenAI
from toolconv.layouts.other_keys import MESSAGE_KEYS, key_of_text, with_other_calls
from toolconv.layouts.tool_places import OUTER_KEYS, item_tools, tool_values
from toolconv.lint.engine.recording import Unclear, record_calls, record_reasoning, record_response, record_text
from toolconv.lint.engine.toolsets import Toolsets
from toolconv.lint.model.overview import Overview, turn_counts
from toolconv.lint.model.row import BIG_NUMBER, PROMPT_KEYS, RESPONSE_TAG, SURROGATE_ESCAPE, LintRow
from toolconv.lint.model.toolset import Toolset
from toolconv.lint.model.turns import REASONING_KEYS, TOOL_ROLES, text_of
from toolconv.lint.rule import ToolRule
from toolconv.lint.schema.parameters import Parameters

MAX_KINDS: Final = 256
"""For how many kinds of rows, by their keys, it is remembered what they mean."""

_PROMPTS: Final = frozenset(PROMPT_KEYS)
_OTHER_TURNS: Final = frozenset({"conversations", "conversation"}) | ANSWER_KEYS
_REASONING: Final = frozenset(REASONING_KEYS)
_NOTED: Final = _REASONING | MARK_KEYS
_LISTS: Final = (list, type(None))
_DIGITS: Final = bytes(48 if chr(byte) in "0123456789." else byte for byte in range(256))

_NO_CALLS: Final = lazy_re(rb"\"tool_calls\"\s{0,20}:\s{0,20}\[\s{0,20}\]")
"""An empty list of calls, which a converted message does not show."""


class _Keys:
    """What the keys of a row say.

    Attributes:
        has_other_turns: there may be turns outside ``messages``.
        has_prompts: there may be a system text outside the messages.
        has_system: a reading may make it a message.
        has_outer_tools: there may be tools outside ``tools``.
        is_checked: a row with these keys was found to need no conversion.
        direct: the keys of messages with which such a row was found to need none, where some are not OpenAI's.
        tools: the keys of tools, with the type of their parameters, with which such a row was found to need none.
    """

    __slots__ = ("direct", "has_other_turns", "has_outer_tools", "has_prompts", "has_system", "is_checked", "tools")

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.has_other_turns = not _OTHER_TURNS.isdisjoint(keys)
        self.has_prompts = not _PROMPTS.isdisjoint(keys)
        self.has_system = not SYSTEMS.isdisjoint(keys)
        self.has_outer_tools = not OUTER_KEYS.isdisjoint(keys)
        self.is_checked = False
        self.direct: set[frozenset[str]] = set()
        self.tools: set[tuple[Any, ...]] = set()


class Walker:
    """Walks over rows, and caches the tools that they declare.

    Args:
        rules: the enabled rules for tools.
        tests: the tests of parameters that other enabled rules have as guards, each with the code of its rule.
    """

    def __init__(self, rules: Sequence[ToolRule], tests: Sequence[tuple[str, Callable[[Parameters], bool]]]) -> None:
        self._toolsets = Toolsets(rules, tests)
        self._kinds: Remembered[tuple[str, ...], _Keys] = Remembered(MAX_KINDS)
        self._text_without_tools = ""  # the last system text that declares no tools

    def walk(self, row: LintRow) -> Overview | None:
        """The overview of a row, which is also stored in the row; ``None`` if every rule has to check it."""
        try:
            row.overview = self._walk(row)
        except Exception:  # a rule that reads the same place fails there, too, and is reported
            for name in ("read_as", "parsed", "counts"):
                row.__dict__.pop(name, None)
        return row.overview

    def load(self, row: LintRow) -> None:
        """Read the JSON of a row, which is the first step of a walk, if it is plain."""
        try:
            row.json = jsontext.loads_plain(row.raw, safe=True)
        except ValueError:
            row.is_plain = False
        else:
            row.is_plain = True

    def _walk(self, row: LintRow) -> Overview:
        if row.is_plain is None:
            self.load(row)
        exact = row.is_plain is True
        value = row.json if exact else _exact(row)
        layout = row.layout
        keys = self._kinds.get(tuple(value)) or self._keys(tuple(value))
        has_more = keys.has_other_turns or keys.has_system  # which a reading makes messages of
        direct = layout is not None and not has_more and _is_direct(layout, value)
        if direct and layout is not None:
            messages, tools, answers = value["messages"], None, None
            carries = may_hold_unread(value, layout)
            others = [each for each in messages if not MESSAGE_KEYS.issuperset(each)] if carries else ()
            direct = not any(with_other_calls(each, Notes()) or key_of_text(each) for each in others)
            if direct and others and not row.fixed:
                direct = _are_read_directly(others, keys, value)
        if not direct:
            layout, conversation = row.reading
            if layout is None or conversation is None or conversation.notes.repairs or conversation.notes.dropped:
                raise Unclear
            messages, tools = conversation.messages, jsontext.dumps(conversation.tools)
            answers, others = conversation.answers, ()
            carries = may_lack(conversation, layout)
            exact = exact and not _may_hold_inexact_text(row.raw)
        if not messages or layout is None:
            raise Unclear
        toolset = self._toolset(row, layout, value, keys, tools, messages)
        row.read_as = layout
        overview = Overview(value, layout, row.dialect, toolset, not direct)
        overview.is_ascii = row.raw.isascii() and row.raw.find(b"\\u") < 0
        overview.is_plain = direct and not (others or keys.has_outer_tools)
        self._messages(row, overview, messages)
        if carries:
            overview.facts.add("carries")
        if not direct and _NO_CALLS.search(row.raw) is not None:
            overview.facts.add("unfit")
        if keys.has_prompts:
            for key in PROMPT_KEYS:
                self._record_system_text(overview, value.get(key))
        if not exact:
            overview.facts.add("inexact")
        if answers is not None:
            overview.facts.add("several_answers")
        return overview

    def _keys(self, keys: tuple[str, ...]) -> _Keys:
        """What the keys of a row say; remembered."""
        return self._kinds.add(keys, _Keys(keys), sum(map(len, keys)))

    # ── the conversation ──

    def _messages(self, row: LintRow, overview: Overview, messages: Sequence[Message]) -> None:
        """Walk over the messages of a row."""
        facts, dialect, converted = overview.facts, overview.dialect, overview.converted
        waiting = overview.waiting
        row.parsed, reads_texts = {}, row.reads_texts
        turns: list[str | int] = []
        role: Any = None
        for at, message in enumerate(messages):
            role = message["role"]
            content = message.get("content")
            if type(content) is str:
                text = content
            elif not content:
                text = ""
                if content is not None:
                    overview.is_plain = False
            else:
                overview.is_plain = False
                if not converted and not row.fixed:
                    _check_direct(overview.value)  # content blocks of another layout
                text = text_of(content)
            if role == "assistant":
                if waiting:
                    facts.add("unpaired")
                calls = message.get("tool_calls")
                count = 0
                if calls is not None:
                    count = record_calls(overview, calls)
                elif not converted and "function_call" in message:
                    raise Unclear
                if text:
                    overview.assistant.append(text)
                    if dialect is not None or (reads_texts and may_show_calls(text)):
                        is_parsed = not calls and type(content) is str
                        count += record_text(row, overview, at, text, is_parsed=is_parsed)
                        dialect = row.dialect
                    elif "<think>" in text:
                        overview.reasoning.append(text)
                if (len(message) > 2 or not text) and not _NOTED.isdisjoint(message):
                    if not _REASONING.isdisjoint(message):
                        record_reasoning(overview, message, text)
                    if not MARK_KEYS.isdisjoint(message):
                        facts.add("marked")
                if not count and (not text or text.isspace()):
                    facts.add("silent")
                turns.append(count)
                continue
            overview.input.append(text)
            if len(message) > 2 and not MARK_KEYS.isdisjoint(message):
                facts.add("marked")
            if (dialect is not None or RESPONSE_TAG in text[:40]) and (
                found := row.responses_in(message, role, content)
            ):
                role = "tool"
                for response in found:
                    record_response(overview, response)
            elif role in TOOL_ROLES:
                if role != "tool":
                    overview.is_plain, role = False, "tool"
                record_response(overview, message)
            else:
                if waiting:
                    facts.add("unpaired")
                if role != "user":
                    if role in SYSTEM_ROLES:
                        overview.system.append(text)
                        self._record_system_text(overview, text)
                    elif type(role) is not str or not converted:
                        raise Unclear
            turns.append(role)
        if waiting and role != "assistant":  # calls of the last turn need no response
            facts.add("unpaired")
        overview.counts = counts = turn_counts(tuple(turns))
        if not counts.orderly:
            facts.add("disorderly")
        if (overview.toolset.is_declared or not overview.layout.calls_in_text) and _question_with_tools(messages):
            facts.add("states_tools")

    def _record_system_text(self, overview: Overview, text: Any) -> None:
        """Record whether a system text may declare tools that the row doesn't declare as structure."""
        if self.may_state_tools(text, overview.dialect) and (
            overview.toolset.is_declared or not overview.layout.calls_in_text
        ):
            overview.facts.add("states_tools")

    # ── tools ──

    def _toolset(
        self, row: LintRow, layout: Layout, value: Row, keys: _Keys, tools: bytes | None, messages: Sequence[Message]
    ) -> Toolset:
        """The tools of a row: the same object for the same declarations.

        Args:
            row, layout, value, keys: the row.
            tools: its canonical tools; ``None`` for those under the key ``tools``.
            messages: the messages of the conversation.
        """
        declared: Any = value.get("tools")
        added = list(item_tools(value)) if layout.name == "responses" else []
        is_elsewhere = keys.has_outer_tools or bool(added) or "tools" in messages[0]
        if declared and type(declared) is list and not is_elsewhere:
            if tools is None:
                row.read_as = layout  # for the rules that look at new tools
            if tools is None or tools == jsontext.dumps(declared):
                check = None
                if tools is None and not row.fixed:
                    check = partial(_check_tool, value, keys)
                    if not keys.is_checked:
                        _check_direct(value)
                        keys.is_checked = True
                found = self._toolsets.listed(row, layout, declared, check)
                if found is not None:
                    return found
                row.__dict__.pop("read_as" if tools is None else "", None)
        if is_elsewhere:
            declared = [*tool_values(value), *added]
        key: tuple[Any, ...] = layout.name, declared if type(declared) is str else jsontext.dumps(declared), tools
        if declared == "[]":
            declared = None
        if not declared:
            key = *key, row.dialect, *self._system_texts(row.dialect, value, messages)
        known = self._toolsets.get(key)
        if known is not None:
            return known
        read_as = row.read_as
        if read_as is not layout and (read_as is None or not _is_direct(read_as, value)):
            raise Unclear
        if declared and not row.declared:
            raise Unclear
        return self._toolsets.read(key, row, layout)

    def _system_texts(self, dialect: Dialect | None, value: Row, messages: Sequence[Message]) -> list[str]:
        """The system texts of a row that may declare tools."""
        texts: list[Any] = [message.get("content") for message in messages if message.get("role") in SYSTEM_ROLES]
        if not _PROMPTS.isdisjoint(value):
            texts += [value.get(key) for key in PROMPT_KEYS]
        found = [text for text in texts if self.may_state_tools(text, dialect)]
        question = _question_with_tools(messages)
        return found if question is None else [*found, question]

    def may_state_tools(self, text: Any, dialect: Dialect | None) -> bool:
        """Whether a system text may declare tools; depends on the dialect."""
        if type(text) is not str or (text == self._text_without_tools and dialect is None):
            return False
        if dialect is not None or may_state_tools(text):
            return True
        self._text_without_tools = text
        return False


def _is_direct(layout: Layout, value: Any) -> bool:
    """Whether a row is canonical except for its arguments and missing content."""
    return (
        type(layout).decode is OpenAI.decode
        and type(value["messages"]) is list
        and type(value.get("tools")) in _LISTS
        and _OTHER_TURNS.isdisjoint(value)
    )


def _check_direct(value: Row) -> None:
    """Check that the layout that matches a row is one of those that need no conversion."""
    if not _is_read_directly(value):
        raise Unclear


def _check_tool(value: Row, keys: _Keys, tool: Tool) -> None:
    """Check that a row with a new tool needs no conversion; once for each kind of tool that layouts tell apart."""
    function = tool["function"]
    kind = *tool, *function, type(function.get("parameters"))
    if kind not in keys.tools:
        _check_direct(value)
        if len(keys.tools) < MAX_KINDS:
            keys.tools.add(kind)


def _are_read_directly(messages: Sequence[Message], keys: _Keys, value: Row) -> bool:
    """Whether messages with other keys than OpenAI's are in a row that needs no conversion; remembered."""
    found = frozenset[str]().union(*messages)
    if found in keys.direct:
        return True
    if not _is_read_directly(value):
        return False
    if len(keys.direct) < MAX_KINDS:
        keys.direct.add(found)
    return True


def _is_read_directly(value: Row) -> bool:
    """Whether the layout that matches a row is one of those that need no conversion."""
    own = layouts.detect(value)
    return own is not None and _is_direct(own, value)


def _exact(row: LintRow) -> Row:
    """The value of a line that needs exact parsing for its numbers or repeated keys, but has no lone surrogates."""
    value = row.row
    if value is None or SURROGATE_ESCAPE.search(row.raw):
        raise Unclear
    return value


def _may_hold_inexact_text(raw: bytes) -> bool:
    """Whether arguments written as text in a row may contain a large number or a lone surrogate."""
    if raw.find(b"\\\\ud") >= 0 or raw.find(b"\\\\uD") >= 0:
        return True
    return raw[::4].translate(_DIGITS).find(b"0000") >= 0 and BIG_NUMBER.search(raw) is not None


# ── parts of a conversation ──


def _question_with_tools(messages: Sequence[Message]) -> str | None:
    """The first question, if it may declare tools at its beginning."""
    for message in messages:
        if message["role"] == "user":
            text = message.get("content")
            return text if type(text) is str and "{" in text and may_state_tools(text) else None
    return None
