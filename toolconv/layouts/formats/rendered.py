"""Rendered text: a whole conversation as one text, with turn tokens, as a chat template writes it.

The text is under the key of a ``completion`` row (``text``, usually), or it is a ``prompt`` and a ``completion``, which
continues it or is the bare answer. Tools
that the text declares become ``tools``, and its turns ``messages`` with calls, reasoning and responses. A text of one
answer alone is a ``completion``. The text is read by the template that wrote it (see ``toolconv templates``), which its
turn tokens and the wording of its declarations show, or which ``--from-template`` names. If no template reads it, it is
split by its turn tokens, or by words that name the speakers, such as ``### Instruction:`` and ``USER:``, where user and
assistant take turns (repair ``worded_turns``). ``--template`` writes such texts.

Lost: what the template left out when it wrote the text.

Source: the templates that ``toolconv templates`` lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Message, Row
from toolconv.core.row_fields import RowField
from toolconv.core.rows import insert_before, replace_key, without
from toolconv.layouts import worded_turns
from toolconv.layouts.answers import TextPair
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.formats.completion import RECORDS, TEXT_SAMPLES, Completion, path_of, value_at
from toolconv.layouts.tool_schema import needs_reading, read_tools

TURN_OPENINGS = (
    "<|im_start|>", "<|begin_of_text|>", "<|start_header_id|>", "<|header_start|>", "<s>", "[INST]",
    "[SYSTEM_PROMPT]", "[AVAILABLE_TOOLS]", "<bos>", "<start_of_turn>", "<|turn>", "<|startoftext|>", "<BOS_TOKEN>",
    "<|START_OF_TURN_TOKEN|>", "[gMASK]<sop>", "<sop>", "<|system|>", "<|user|>", "<｜begin▁of▁sentence｜>",
    "<｜User｜>", "<｜hy_begin", "<｜hy_User", "<role>", "<seed:bos>", "<|start|>system", "<|start|>developer",
    "<|start|>user", "<|im_system|>", "<|im_user|>", "<|open|>message", "]~!b[", "]~b]", "<|start_of_role|>",
    "<|system_start|>", "<|im:start|>", "<|BOT|>", "<|tool_declare|>", "<SPECIAL_10>System", "<|begin|>",
    "<|begin_system|>", "[|system|]", "[|user|]", "〈|EOS|〉", "<system>", "developer system<|role_sep|>",
    "SYSTEM:", "[Round 0] USER:", "# Tools\nYou have access to the following tools",
)  # fmt: skip
"""How texts with turn tokens begin."""

OPENINGS = (*TURN_OPENINGS, *worded_turns.OPENINGS)
"""How rendered texts begin. Others are not read as such, unless the user names a template."""


class ReadText(Protocol):
    """Reads a rendered text, or a rendered prompt and its bare answer; ``None`` for any other text."""

    def __call__(self, text: str, answer: str | None = None, /) -> Conversation | None: ...


def _unread(_: str, __: str | None = None) -> Conversation | None:
    """Without templates, no text is a rendered one."""
    return None


class Rendered(Layout):
    """A conversation in one text.

    Args:
        reads: reads a text. Layouts know no templates, so :mod:`toolconv.convert.rendered` gives this function.
        named: the template that the user names; ``None`` to find it.
        text_key, prompt_key: dotted paths of the text and of the prompt; ``None`` for the usual keys.
    """

    name = "rendered"
    sample = (
        '{"text":"<|im_start|>user\\nPing it.<|im_end|>\\n<|im_start|>assistant\\n<tool_call>\\n'
        '{\\"name\\": \\"ping\\", \\"arguments\\": {}}\\n</tool_call><|im_end|>\\n"}'
    )
    only_structure = True
    in_one_text = True
    prompt_apart = True
    answers = (TextPair(whole="text"), TEXT_SAMPLES)
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = RECORDS

    def __init__(
        self,
        reads: ReadText = _unread,
        named: str | None = None,
        text_key: str | None = None,
        prompt_key: str | None = None,
    ) -> None:
        self.reads = reads
        self.named = named
        self._texts = Completion(text_key, prompt_key)
        self._last: dict[str, Conversation] = {}  # of one text; each is taken out once

    def matches(self, row: Row) -> bool:
        if not self.answer_keys.isdisjoint(row) and (apart := self.apart(row)) is not None:
            row = apart[1].rows[0]
        key = self._texts.key_of(row)
        text = "" if key is None else self._text(row, key)
        if key is None or (self.named is None and not text.startswith(OPENINGS)) or row.get("messages"):
            return False
        found = self._read(row, text)
        if found is not None:
            self._last = {text: found}
        return found is not None

    def decode(self, row: Row) -> Conversation:
        key = self._texts.key_of(row)
        if key is None:
            raise LayoutError("no text")
        text = self._text(row, key)
        found = self._last.pop(text, None) or self._read(row, text)
        if found is None:
            by = f"template {self.named}" if self.named else "any template"
            raise LayoutError(f"not a text of {by}: it begins with {text[:40]!r}")
        prompt = self._prompt(row, key)
        place = path_of(row, key)
        rest = without(row, ("messages",), *(() if prompt is None else (path_of(row, prompt[0]),)))
        rest = rest if place == (key,) else without(rest, place)
        canonical = replace_key(rest, key, "messages", found.messages)
        if found.tools and not row.get("tools"):
            canonical.pop("tools", None)
            canonical = insert_before(canonical, "messages", "tools", found.tools)
        elif needs_reading(tools := jsontext.opened(row.get("tools"))) and type(tools) is not str:
            canonical["tools"] = read_tools(tools, found.notes)
        asked = 0 if prompt is None else self._size_of(prompt[1], found.messages)
        fields = [RowField(pointer_to(place), len(found.messages) - asked)]
        if prompt is not None:  # which was read with the text, if nothing was asked
            fields.insert(0, RowField(pointer_to(path_of(row, prompt[0])), asked))
        return Conversation(canonical, found.notes, fields=fields)

    def decoded(self, row: Row) -> Conversation:
        return self.decode(row)  # whose tools may be words

    def _read(self, row: Row, text: str) -> Conversation | None:
        """The conversation in the whole text of a row; after a prompt, it has to end with an answer."""
        found = self.reads(text)
        key = self._texts.key_of(row)
        prompt = self._prompt(row, key) if key is not None else None
        asked = prompt is None and key is not None and self._texts.prompt_text(row, key) is not None
        if asked and found is not None and worded_turns.REPAIR in found.notes.repairs:
            return None  # the answer shows a dialogue
        if prompt is None or (found is not None and found.messages[-1]["role"] == "assistant"):
            return found
        return self.reads(prompt[1], text[len(prompt[1]) :])

    def _size_of(self, prompt: str, messages: list[Message]) -> int:
        """How many of the messages of a whole text are in its prompt."""
        asked = self.reads(prompt)
        if asked is None:
            return len(messages) - 1
        pairs = enumerate(zip(asked.messages, messages[:-1], strict=False))
        return next((at for at, (one, other) in pairs if one != other), min(len(asked.messages), len(messages) - 1))

    def _text(self, row: Row, key: str) -> str:
        """The whole text of a row: what is under its key, after the prompt if that begins it."""
        prompt = self._prompt(row, key)
        text: str = value_at(row, key)
        return text if prompt is None else prompt[1] + text

    def _prompt(self, row: Row, key: str) -> tuple[str, str] | None:
        """The key and the text of the prompt that the text under ``key`` continues; ``None`` if there is none."""
        found = self._texts.prompt_text(row, key)
        return found if found is not None and (self.named is not None or found[1].startswith(TURN_OPENINGS)) else None


LAYOUT = Rendered()
