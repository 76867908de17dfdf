"""A row as rules see it: the line, its JSON, its conversation, and its calls, responses and tools.

Everything is computed at most once, when it is first used. Places are deep pointers
(:mod:`toolconv.lint.model.pointers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from toolconv import dialects, layouts
from toolconv.convert.detect import reader_in
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, Tool
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.prompts.stated_tools import may_instruct
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.answers import ANSWER_KEYS
from toolconv.layouts.base import Layout, LayoutError, NoConversation
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.lint.model import pointers, tools
from toolconv.lint.model.calls import LintCall, may_hold_object_arguments, may_hold_text_arguments
from toolconv.lint.model.finding import Habit, KnownHabits
from toolconv.lint.model.markup import no_call_names
from toolconv.lint.model.overview import Overview, RowSignature, TurnCounts, turn_counts
from toolconv.lint.model.pairing import STRICT, Pairing, pair
from toolconv.lint.model.purposes import Absent, Purpose, absent_from
from toolconv.lint.model.tools import LintTool
from toolconv.lint.model.toolset import KnownTool
from toolconv.lint.model.turns import LintTurn, turn_of

PROMPT_KEYS: Final = ("system", "prompt", "system_prompt", "instruction")
"""Keys under which a row may have a system text in addition to its messages."""

RESPONSE_TAG: Final = "<tool_response>"
"""What tool responses in user turns begin with, in the templates of Hermes and Qwen."""

BIG_NUMBER: Final = lazy_re(rb"[0-9][0-9.]{15}")
SURROGATE_ESCAPE: Final = lazy_re(rb"\\u[dD][89a-fA-F]")


class LintRow:
    """One row.

    Args:
        file: name of the input.
        line: its line number, from 1.
        raw: the line without its newline.
        layout: the layout of the input's rows; ``None`` if it is not known yet.
        reader: reads the texts; ``None`` to leave them alone.
        cut: it is the last line and has no newline.
        fixed: the user names the layout, or its keys; otherwise a row of another one is read in its own.

    Attributes:
        overview: the results of the walk; ``None`` before it, and for rows that it can't interpret.
        is_plain: the line is JSON that all readers take alike, with no key twice; ``None`` if that is not known yet.
        given_tools: tools that the user declares for rows that declare none.
        purpose: what the user says that the rows are for; ``None`` if the row says it.
        habits: the habits of the files; ``None`` if they are not known.
        dialect: the dialect of the texts: that of the last call that was read, else the input's, if it has one.
        first: for a row with a later answer than the first, the row with the first; ``None`` for all others.
    """

    def __init__(
        self,
        file: str,
        line: int,
        raw: bytes,
        layout: Layout | None,
        reader: TurnReader | None,
        cut: bool = False,
        fixed: bool = False,
    ) -> None:
        self.file = file
        self.line = line
        self.raw = raw
        self.layout = layout
        self.reader = reader
        self.dialect = None if reader is None else reader.named or reader.default
        self.cut = cut
        self.fixed = fixed
        self.given_tools: Sequence[Tool] = ()
        self.purpose: Purpose | None = None
        self.habits: KnownHabits | None = None
        self.overview: Overview | None = None
        self.is_plain: bool | None = None
        self.first: LintRow | None = None

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Results about the row that rules share, mostly by what finds them: see :mod:`.memo`."""
        return {}

    # ── the line ──

    @cached_property
    def json(self) -> Any:
        """The JSON value of the line; the :class:`ValueError` if it is not JSON."""
        try:
            return jsontext.loads(self.raw)
        except ValueError as error:
            return error

    @property
    def row(self) -> Row | None:
        """The row; ``None`` if the line is not a JSON object."""
        value = self.json
        return value if isinstance(value, dict) else None

    @property
    def id(self) -> str | None:
        """The row's own id, as text."""
        value = self.row.get("id") if self.row else None
        return str(value) if isinstance(value, str | int) else None

    # ── places ──

    def at(self, pointer: str) -> Any:
        """The value at a deep pointer; ``None`` if there is none."""
        value = self.look(pointer)
        return None if value is pointers.MISSING else value

    def look(self, pointer: str) -> Any:
        """The value at a deep pointer; :data:`~toolconv.lint.model.pointers.MISSING` if there is none."""
        return pointers.look(self.row, pointer)

    def place(self, pointer: str) -> str:
        """The longest part of a deep pointer that exists in the row, for findings."""
        return pointers.standing(self.row, pointer)

    # ── the conversation ──

    @cached_property
    def conversation(self) -> Conversation | None:
        """The conversation, read in the row's own layout or else the input's; ``None`` if no layout fits."""
        return self.reading[1]

    @cached_property
    def read_as(self) -> Layout | None:
        """The layout of :attr:`conversation`; it differs from :attr:`layout` in inputs with mixed layouts."""
        return self.reading[0]

    @cached_property
    def reading(self) -> tuple[Layout | None, Conversation | None]:
        """:attr:`read_as` and :attr:`conversation`."""
        row = self.row
        if row is None:
            return None, None
        tried = [self.layout] if self.layout is not None else []
        is_direct = self.overview is not None and not self.overview.converted  # the walk found that its layout fits
        if not self.fixed and not is_direct and "messages" in row:
            own = layouts.detect(row)
            if own is not None and (self.layout is None or type(own).decode is not type(self.layout).decode):
                tried.insert(0, own)
        for layout in tried:
            try:
                return layout, layout.read(row)
            except LayoutError:
                continue
        own = layouts.detect(row)
        try:
            return (None, None) if own is None or own in tried else (own, own.read(row))
        except LayoutError:
            return None, None

    @property
    def why_unread(self) -> str:
        """Why a row of a known layout holds no conversation; else empty."""
        row = self.row or {}
        try:
            if (own := layouts.detect(row)) is not None:
                own.read(row)
        except LayoutError as error:
            return str(error) if isinstance(error, NoConversation) else ""
        return ""

    def with_text(self, raw: bytes) -> LintRow:
        """The row with another text."""
        other = LintRow(self.file, self.line, raw, self.layout, self.reader, self.cut, self.fixed)
        other.given_tools = self.given_tools
        other.purpose, other.habits = self.purpose, self.habits
        return other

    def other_answers(self) -> list[LintRow]:
        """The row with each answer but the first, for rows with several: what is checked is a conversation with one."""
        if self.overview is not None and "several_answers" not in self.overview.facts:
            return []
        keys = ANSWER_KEYS if self.layout is None else self.layout.answer_keys
        row = self.json
        if (
            not isinstance(row, dict)
            or keys.isdisjoint(row)
            or self.conversation is None
            or not self.conversation.answers
        ):
            return []
        others = []
        for conversation in self.conversation.answers.others:
            other = self.with_text(self.raw)
            other.json, other.is_plain, other.reading = self.json, self.is_plain, (self.read_as, conversation)
            other.first = self
            others.append(other)
        return others

    @property
    def own_messages(self) -> list[Message] | None:
        """The messages of the row itself, if a reading changes nothing in them but how arguments are written."""
        return self.overview.value["messages"] if self.overview is not None and self.overview.is_plain else None

    @cached_property
    def messages(self) -> list[Message]:
        """The messages; empty if the row can't be read."""
        return self.conversation.messages if self.conversation else []

    def lacks(self, part: Absent) -> bool:
        """Whether the row need not have a part of a conversation, by its layout or by what it is for."""
        return part in self._absent

    @cached_property
    def _absent(self) -> frozenset[Absent]:
        return absent_from(self.row, self.read_as, self.purpose)

    def does(self, habit: Habit) -> bool | None:
        """Whether the file has a habit, by its first row that shows; ``None`` if that is not known."""
        return self.habits.does(self.file, habit) if self.habits is not None else None

    @property
    def has_structured_calls(self) -> bool:
        """Whether some of the calls are structured, not read from texts."""
        overview = self.overview
        if overview is not None:
            return overview.text_arguments or overview.object_arguments
        return any(not call.in_text for call in self.calls)

    def is_known(self, call: LintCall) -> bool:
        """Whether a call needs no declaration: a tool of the provider, or a dialect's name for no call."""
        if not isinstance(call.name, str):
            return False
        return (
            call.name in self.built_in
            or (call.in_text and call.name in no_call_names())
            or (call.name in tools.CODE_TOOLS and self.holds_code(call))
        )

    def holds_code(self, call: LintCall) -> bool:
        """Whether a call's arguments are the code that a built-in tool runs; a declared tool takes JSON."""
        return (
            isinstance(call.name, str)
            and call.name in tools.CODE_TOOLS
            and call.name not in self.index
            and isinstance(call.written, str)
            and isinstance(call.arguments, str)
        )

    @cached_property
    def built_in(self) -> frozenset[str]:
        """The names of tools that the row's provider runs itself, which have no declaration."""
        return tools.built_in(self.row or {})

    @property
    def calls_in_text(self) -> bool:
        """Whether the row's layout has calls in texts, in the input's dialect."""
        return self.read_as is not None and self.read_as.calls_in_text

    def message_pointer(self, index: int) -> str:
        """The place of a message in the row."""
        pointers = self._pointers
        return pointers[index] if index < len(pointers) else ""

    def pieces_of(self, index: int) -> list[str]:
        """The places of all pieces of the row that make up a message, such as its prose and its calls."""
        for field in self.conversation.fields if self.conversation else ():
            if index < field.size:
                return field.pieces_of(index)
            index -= field.size
        return []

    @cached_property
    def _pointers(self) -> list[str]:
        if self.own_messages is not None:
            return [f"/messages/{at}" for at in range(len(self.own_messages))]
        if self.conversation is None or self.read_as is None:
            return []
        return self.read_as.pointers(self.conversation)

    def text_pointer(self, index: int, key: str = "content") -> str:
        """The place of a message's text."""
        pointer = self.message_pointer(index)
        if not pointer:
            return ""
        message = self.look(pointer)
        keys = (key, "value", "text") if key == "content" else (key,)
        return next((f"{pointer}/{name}" for name in keys if isinstance(message, dict) and name in message), pointer)

    # ── tools ──

    @cached_property
    def tools(self) -> list[Tool]:
        """The tools declared as structure."""
        found = self.conversation.tools if self.conversation else []
        more = tools.added(self.row or {}, ToolIndex(found).functions)
        if more:
            return [*found, *(tool.openai for tool in more)]
        return found or [tool.openai for tool in self.declared if isinstance(tool.name, str)]

    @cached_property
    def declared(self) -> list[LintTool]:
        """The declarations outside the texts, unchanged."""
        row = self.row or {}
        if self.overview is None or not self.overview.toolset.is_declared:
            return tools.structured(row)
        known = self.overview.toolset
        if known.converted is not None:
            return known.converted.tools
        found = [tools.canonical(tool, at) for at, tool in enumerate(row["tools"])]
        return [*found, *tools.added(row, known.names)]

    @cached_property
    def stated(self) -> list[LintTool]:
        """The declarations in the system text or the prompt of a completion row, else before the first question."""
        return tools.stated(self._system_texts(), self.dialect) or tools.asked(self._first_question())

    def _first_question(self) -> tuple[str, str] | None:
        """The text of the first user turn, with its pointer."""
        for at, message in enumerate(self.messages):
            if message.get("role") == "user":
                content = message.get("content")
                return (self.text_pointer(at), content) if isinstance(content, str) else None
        return None

    def _system_texts(self) -> Iterator[tuple[str, str]]:
        turns: list[str] = []
        for at, message in enumerate(self.messages):
            if message.get("role") in SYSTEM_ROLES and isinstance(message.get("content"), str):
                turns.append(self.text_pointer(at))
                yield turns[-1], message["content"]
        row = self.row or {}
        for key in PROMPT_KEYS:
            if isinstance(row.get(key), str) and f"/{key}" not in turns:
                yield f"/{key}", row[key]

    @cached_property
    def index(self) -> ToolIndex:
        """The declared tools by name: those declared as structure, else those of the system text, else given ones."""
        if self.overview is not None:
            return self.overview.index
        return ToolIndex(self.tools or [tool.openai for tool in self.stated] or self.given_tools)

    @cached_property
    def parsed(self) -> dict[int, Parsed]:
        """Assistant turns without structured calls, parsed, by index of the message."""
        return {
            at: self.parse(message["content"], self.index)
            for at, message in enumerate(self.messages)
            if message.get("role") == "assistant" and isinstance(message.get("content"), str) and message["content"]
            if not message.get("tool_calls") and self.is_parsed(message["content"])
        }

    def is_parsed(self, text: str) -> bool:
        """Whether a turn's text has to be parsed: the input has a dialect, or the text may show one."""
        return self.dialect is not None or (self.reads_texts and may_show_calls(text))

    @property
    def reads_texts(self) -> bool:
        """Whether texts are read at all in the row's layout."""
        return self.reader is not None and (self.read_as is None or reader_in(self.reader, self.read_as) is not None)

    def parse(self, text: str, tools: ToolIndex) -> Parsed:
        """Parse a turn's text. The row gets its dialect."""
        reader = self.reader if self.read_as is None else reader_in(self.reader, self.read_as)
        if reader is None:
            return Parsed(text)
        parsed = reader.read(text, tools)
        if parsed.dialect is not None and parsed.calls and reader.named is None:
            self.dialect = dialects.get(parsed.dialect)
        return parsed

    @property
    def checked_tools(self) -> list[LintTool]:
        """The declarations with a schema to check, from :attr:`declared` or else :attr:`stated`."""
        return [tool for tool in self.declared or self.stated if tool.has_schema]

    @property
    def known_tools(self) -> Sequence[KnownTool]:
        """What is known about :attr:`checked_tools`."""
        if self.overview is not None:
            return self.overview.toolset.checked
        return [KnownTool(tool) for tool in self.checked_tools]

    # ── turns ──

    @property
    def parsed_texts(self) -> list[tuple[str, Parsed]]:
        """The texts of :attr:`parsed`, each with its parsed form."""
        if self.overview is not None:
            return self.overview.parsed_texts
        return [(self.messages[at]["content"], parsed) for at, parsed in self.parsed.items()]

    @cached_property
    def counts(self) -> TurnCounts:
        """The numbers of turns, by their number of calls."""
        if self.overview is not None:
            return self.overview.counts
        return turn_counts(
            tuple(
                sum(not (call.in_text and call.name in no_call_names()) for call in turn.calls)
                if turn.role == "assistant"
                else turn.role
                for turn in self.turns
            )
        )

    @property
    def signature(self) -> RowSignature:
        """What the row has in common with many others."""
        overview = self.overview
        if overview is not None:
            return RowSignature(self.file, overview.layout, bool(overview.toolset.names), overview.counts)
        return RowSignature(self.file, self.read_as, bool(self.index), self.counts)

    def may_write(self, kind: type) -> bool:
        """Whether arguments of structured calls may be written as JSON text (``str``), or as objects (``dict``)."""
        overview = self.overview
        if overview is None:
            return True
        if not overview.converted or not (overview.text_arguments or overview.object_arguments):
            return overview.text_arguments if kind is str else overview.object_arguments
        if kind is str:
            return may_hold_text_arguments(self.raw)
        return may_hold_object_arguments(value for key, value in overview.value.items() if key not in TOOL_KEYS)

    @cached_property
    def calls(self) -> list[LintCall]:
        """The calls, in order: structured ones, and those read from texts."""
        return [call for turn in self.turns for call in turn.calls]

    @cached_property
    def turns(self) -> list[LintTurn]:
        """The messages with their calls and responses."""
        messages = self.messages if self.own_messages is None else self.own_messages
        return [turn_of(self, at, message, self.message_pointer(at)) for at, message in enumerate(messages)]

    def own_words(self, turn: LintTurn) -> str:
        """The text of a turn; of a system text, without what it says about tools and calls in a dialect's words."""
        if turn.role not in SYSTEM_ROLES or not may_instruct(turn.text):
            return turn.text
        from toolconv.dialects.prompts.tool_prompt import without_prompt  # whose patterns few runs need

        prompt = without_prompt(turn.text)
        return turn.text if prompt is None else prompt.own

    def responses_in(self, message: Mapping[str, Any], role: str, content: Any) -> list[Message] | None:
        """The tool responses in the text of a turn, in the row's dialect, or in Hermes' tags in any user turn.

        A response to a call that has an id is one as it is.
        """
        if not isinstance(content, str):
            return None
        if self.dialect is None:
            is_tagged = role == "user" and content.lstrip().startswith(RESPONSE_TAG)
            return dialects.get("hermes").chat.read_responses(role, content) if is_tagged else None
        in_text = self.calls_in_text or message.get("tool_call_id") is None
        if role != "user" and not (in_text and dialects.is_response_role(role)):
            return None
        return self.dialect.chat.read_responses(role, content)

    @cached_property
    def pairing(self) -> Pairing:
        """Which response answers which call."""
        return pair(self.turns, strict=self.read_as is not None and self.read_as.name in STRICT)
