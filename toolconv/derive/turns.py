"""The assistant turns that a chat template writes, cut out of whole texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from jinja2 import TemplateSyntaxError

from toolconv.core.errors import FileError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Tool
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.base import RenderError
from toolconv.templates.jinja import source
from toolconv.templates.jinja.adapter import Turns
from toolconv.templates.jinja.read_back import common_start, start_of_token
from toolconv.templates.jinja.sandbox import Program, Stopped
from toolconv.templates.jinja.template import Variant

USER, PROSE, REASONING = "qzuser", "qzprose", "qzthought"
"""Words that no template writes on its own."""

TOKENS: Final = {"bos_token": "<s>", "eos_token": "</s>"}
"""Special tokens for a template whose folder names none, where it fails without them."""

_ENDING = lazy_re("(?i)end|suffix|close")
_TOKEN = lazy_re(r"(?:<[|｜]?[^<>\s]{1,60}>|\[/?[A-Z_]{2,40}\])\s*\Z")


class NoCalls(Exception):
    """A template writes no calls that can be cut out of its texts; the message says why."""


def tool(name: str, types: Mapping[str, str]) -> Tool:
    """A declaration of a tool whose parameters have the given JSON types."""
    properties = {key: {"type": kind, "description": "A value."} for key, kind in types.items()}
    parameters = {"type": "object", "properties": properties, "required": []}
    return {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": parameters}}


class TemplateTurns:
    """Writes assistant turns with a chat template.

    Args:
        path: a ``chat_template.jinja``, a ``tokenizer_config.json``, or a folder that holds one of them.
        name: the name of one of several templates; by default the one for conversations with tools.

    Attributes:
        source: the Jinja source of the template that writes conversations with tools.

    Raises:
        FileError: there is no template, or it is not Jinja.
    """

    def __init__(self, path: str, name: str | None = None) -> None:
        templates, tokens, _ = source.read(template_file(path))
        usual = templates.get(source.TOOL_USE) or templates.get(source.DEFAULT) or next(iter(templates.values()))
        self.source = usual if name is None else templates.get(name, usual)
        try:
            program = Program(self.source)
            self._variant = Variant(program, tokens)
            if self._loses("calls") and not tokens:
                self._variant = Variant(program, TOKENS)
        except TemplateSyntaxError as error:
            raise FileError(f"{path}: not a chat template: line {error.lineno}: {error.message}") from None
        except Stopped as error:
            raise FileError(f"{path}: {error}") from None

    # ── what the template keeps ──

    @property
    def fault(self) -> str:
        """Why the template's calls can't be found, if it writes none that are whole; else empty."""
        if not self._loses("calls"):
            return ""
        try:
            text = self._text([ToolCall("qzname", {"qzkey": "qzvalue"}, "qzidaaaa0")], [tool("qzname", {})], "", "")
        except RenderError as error:
            return f"it stops at a conversation with a call: {error}"
        return "it writes the name of a call without the arguments" if "qzname" in text else "it writes no calls"

    @property
    def writes_parallel_calls(self) -> bool:
        """Whether it writes more than one call of a turn."""
        return not self._loses("parallel_calls")

    @cached_property
    def writes_prose_with_calls(self) -> bool:
        """Whether it writes both prose and calls of a turn, and prose in another way than reasoning."""
        if self._loses("content_with_call") or self._loses("calls_with_content"):
            return False
        name, key, word = "qzname", "qzkey", "qzword"
        tools, calls = [tool(name, {key: "string"})], [ToolCall(name, {key: "qzvalue"}, self.call_id(name, 0))]
        try:
            return self._text(calls, tools, word, "") != self._text(calls, tools, "", word)
        except RenderError:
            return True

    @property
    def writes_ids(self) -> bool:
        """Whether it writes the ids of calls."""
        return not self._loses("call_id")

    @property
    def ids_hold_names(self) -> bool:
        """Whether names stand only in ids, such as ``functions.search:0``."""
        return self._loses("call_name")

    @property
    def short_ids(self) -> bool:
        """Whether ids must have nine characters."""
        return self._variant.profile.convention.ids == "nine"

    def _loses(self, kind: str) -> bool:
        profile = self._variant.profile
        return kind in profile.drops or kind in profile.refuses

    def call_id(self, name: str, index: int) -> str:
        """An id in the form that the template expects."""
        return f"functions.{name}:{index}" if self.ids_hold_names else f"qzid{'abcdefgh'[index % 8] * 4}{index % 10}"

    # ── texts ──

    def text(self, messages: Sequence[Message], calls: Mapping[int, Sequence[ToolCall]], tools: Sequence[Tool]) -> str:
        """The whole text of a conversation.

        Raises:
            RenderError: the template raises an error.
        """
        return self._variant.adapter.render(Turns(messages, calls), tools)

    def turn(self, calls: Sequence[ToolCall], tools: Sequence[Tool], prose: str = "", reasoning: str = "") -> str:
        """An assistant turn without what opens and ends it, and without whitespace around it.

        Raises:
            RenderError: the template raises an error.
        """
        text = self._text(calls, tools, prose, reasoning)
        before, after = self._frame(tools)
        before, text = before.rpartition(USER)[2], text.rpartition(USER)[2]
        if self.reasoning is not None:  # the frame may hold an empty block, or its end
            places = [before.find(mark.strip()) for mark in self.reasoning]
            before = before[: min((place for place in places if place > 0), default=len(before))]
        start = common_start(before, text)
        if start < len(before):
            start = start_of_token(before, start)
        if reasoning and self.reasoning is not None:  # the first token of the frame may begin reasoning as well
            opening = text.find(self.reasoning[0].strip(), max(start - len(self.reasoning[0]), 0))
            start = opening if 0 <= opening < start else start
        turn = text[start:].rstrip()
        after = after.rstrip()
        if after and turn.endswith(after):
            turn = turn[: -len(after)].rstrip()
        elif calls:
            turn = turn.removesuffix(self.call_end).rstrip()
        turn = turn.lstrip()
        if not reasoning and self.reasoning is not None:
            turn = self._without_empty_reasoning(turn)
        return turn

    def _text(self, calls: Sequence[ToolCall], tools: Sequence[Tool], prose: str, reasoning: str) -> str:
        answer: Message = {"role": "assistant", "content": prose}
        if reasoning:
            answer["reasoning_content"] = reasoning
        return self.text([{"role": "user", "content": USER}, answer], {1: calls} if calls else {}, tools)

    def _frame(self, tools: Sequence[Tool]) -> tuple[str, str]:
        """The text before and after an assistant turn that is only prose."""
        before, found, after = self._text([], tools, PROSE, "").rpartition(PROSE)
        if not found:
            raise NoCalls("it leaves out the prose of the last turn")
        return before, after

    @cached_property
    def call_end(self) -> str:
        """What ends a turn with calls where turns of prose end otherwise; empty if nothing does.

        These are the tokens at its end that close nothing which the turn opened.
        """
        name, key, value = "qzname", "qzkey", "qzvalue"
        tools = [tool(name, {key: "string"})]
        text = self._text([ToolCall(name, {key: value}, self.call_id(name, 0))], tools, "", "").rstrip()
        tail = text[text.rfind(value) + len(value) :]
        after = self._frame(tools)[1].rstrip()
        if after and tail.endswith(after):
            return ""
        text = text.rpartition(USER)[2]
        header = common_start(self._frame(tools)[0].rpartition(USER)[2], text)
        opened = _letters(text[header : text.rfind(value)])
        start = len(tail)
        while (last := _TOKEN.search(tail, 0, start)) is not None and _letters(_ENDING.sub("", last[0])) not in opened:
            start = last.start()
        return tail[start:]

    @cached_property
    def opening(self) -> str:
        """What opens an assistant turn after a user turn."""
        before = self._frame([])[0].rpartition(USER)[2]
        if self.reasoning is not None:  # the frame may hold an empty block
            places = [before.find(mark.strip()) for mark in self.reasoning]
            before = before[: min((place for place in places if place > 0), default=len(before))]
        question = self.text([{"role": "user", "content": USER}], {}, []).rpartition(USER)[2]
        return before[common_start(before, question) :].strip() or before.strip()

    @cached_property
    def ends(self) -> tuple[str, ...]:
        """The tokens that end turns."""
        texts = [self._frame([])[1].strip(), self.call_end.strip()]
        found = [
            match[0] for text in texts for match in [re.match(r"<[^<>\s]{2,60}>|\[/?[A-Z_]{2,40}\]", text)] if match
        ]
        return tuple(dict.fromkeys(found))

    # ── reasoning ──

    @cached_property
    def reasoning(self) -> tuple[str, str] | None:
        """What the template writes before reasoning, and between reasoning and prose; ``None`` if it writes none."""
        try:
            before, found, after = self._text([], [], PROSE, REASONING).rpartition(REASONING)
            frame = self._frame([])[0]
        except (RenderError, NoCalls):
            return None
        between, prose, _ = after.partition(PROSE)
        frame, before = frame.rpartition(USER)[2], before.rpartition(USER)[2]
        start = common_start(frame, before)
        opening = before[start_of_token(before, start) :] if start < len(before) else ""
        if "<" in opening[1:] and opening.lstrip()[:1] != "<":  # both begin with a token
            opening = before[before.rfind("<", 0, start) :]
        if not found or not prose or not between.strip():
            return None
        if not opening.strip() and between.strip() in frame:  # the frame holds an empty block
            match = _TOKEN.search(before)
            opening = match[0] if match is not None else ""
        return (opening, between) if opening.strip() else None

    @cached_property
    def before_calls(self) -> str:
        """What precedes calls that directly follow reasoning, and does not precede prose: often a line break."""
        if self.reasoning is None:
            return ""
        name, key = "qzname", "qzkey"
        tools, calls = [tool(name, {key: "string"})], [ToolCall(name, {key: "qzvalue"}, self.call_id(name, 0))]
        alone = self.turn(calls, tools)
        after = self.turn(calls, tools, "", REASONING).rpartition(REASONING)[2]
        after = after.removesuffix(alone)
        return after.removeprefix(self.reasoning[1]) if after.startswith(self.reasoning[1]) else ""

    def _without_empty_reasoning(self, turn: str) -> str:
        """A turn without a block of reasoning that holds nothing."""
        assert self.reasoning is not None
        opening, closing = (text.strip() for text in self.reasoning)
        if turn.startswith(opening):
            rest = turn[len(opening) :].lstrip()
            if rest.startswith(closing):
                return rest[len(closing) :].lstrip()
        return turn.removeprefix(closing).lstrip() if turn.startswith(closing) else turn


def template_file(path: str) -> str:
    """The file with the template: the one that is named, or the one in a folder.

    Raises:
        FileError: the folder holds none.
    """
    folder = Path(path)
    if not folder.is_dir():
        return path
    for name in ("chat_template.jinja", "tokenizer_config.json"):
        if (folder / name).is_file():
            return str(folder / name)
    raise FileError(f"{path}: holds neither chat_template.jinja nor tokenizer_config.json")


def _letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(letter for letter in text.lower() if letter.isalnum())
