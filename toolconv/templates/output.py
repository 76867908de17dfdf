"""Rows for ``--template``: the conversation as one text, with spans, or split into prompt and completion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from toolconv import templates
from toolconv.core.conversation import Conversation, Row
from toolconv.core.facts import FactsByValue
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.writer import SpanWriter, TextWriter

BOS: Final = ("<|begin_of_text|>", "<s>", "<bos>", "<｜begin▁of▁sentence｜>", "<BOS_TOKEN>", "<|startoftext|>")
"""The tokens for the beginning of a text that the tokenizers of model families add."""


class TextOptions(FactsByValue):
    """How conversations become text.

    Attributes:
        template: the name of a built-in template; with ``file``, of a named template in it.
        file: the user's own chat template: ``chat_template.jinja`` or ``tokenizer_config.json``.
        variables: the template's variables by name.
        spans: add the spans of the text.
        cut: write prompt and completion, split before the last assistant turn.
        generate: end with the generation prompt.
        keep_prompt: what the source's texts say about tools stays.
        no_bos: leave out the token at the beginning that tokenizers add, one of :data:`BOS`.
        end_at_eos: leave out what follows the end token of a last turn of the assistant.
    """

    template: str | None = None
    file: str | None = None
    variables: Mapping[str, Any] = field(default_factory=dict, hash=False)
    spans: bool = False
    cut: bool = False
    generate: bool = False
    keep_prompt: bool = False
    no_bos: bool = False
    end_at_eos: bool = False

    def load(self) -> Template:
        """Load the template.

        Raises:
            UnknownTemplate: no built-in template has that name.
            FileError: the file can't be read, or has no template.
        """
        if self.file is None:
            return templates.get(self.template or "")
        from toolconv.templates.jinja import load

        return load(self.file, name=self.template, variables=self.variables, spans=self.spans)

    def notices(self) -> list[str]:
        """Messages for the user: what the template accepts and leaves out, and which variables it does not have.

        Raises:
            UnknownTemplate, FileError: see :meth:`load`.
        """
        template = self.load()
        known = f"it has {', '.join(template.accepted)}" if template.accepted else "it has none"
        unknown = (name for name in self.variables if name not in template.accepted)
        return [
            *template.notices,
            *(f"template {template.name} has no variable {name!r}: {known}" for name in unknown),
        ]


class TemplateOutput:
    """Writes the conversation of a row as text; ``template`` is that of the options."""

    def __init__(self, options: TextOptions, template: Template) -> None:
        self.options = options
        self.template = template

    def row(self, conversation: Conversation) -> Row:
        """The row with text in place of its messages and tools.

        All other keys stay in place. What the template can't express is added to the conversation's losses.

        Raises:
            RenderError: the template can't express the conversation.
        """
        options = self.options
        lift_prompts(conversation, keep=options.keep_prompt)
        if options.cut:
            _end_with_completion(conversation)
        chat = ChatView(conversation, self.template.dialect, generate=options.generate, variables=options.variables)
        text = self._text(chat)
        row: Row = {}
        for key, value in conversation.row.items():
            if key == "messages":
                row.update(text)
            elif key != "tools" and key not in text:
                row[key] = value
        return row

    def _text(self, chat: ChatView) -> Row:
        """The keys that replace the messages of a row."""
        out = self.template.written(chat, spans=self.options.spans or self.options.cut)
        self._trim(chat, out)
        text = out.text
        if not isinstance(out, SpanWriter):
            return {"text": text}
        if self.options.spans:
            return {"text": text, "spans": out.spans()}
        if not self.options.cut:
            return {"text": text}
        end = self.template.prompt_end(chat, out)
        return {"prompt": text[:end], "completion": text[end:]}

    def _trim(self, chat: ChatView, out: TextWriter) -> None:
        """Cut the ends that the options leave out."""
        options = self.options
        if options.no_bos and (found := [token for token in BOS if out.text.startswith(token)]):
            out.trim(len(found[0]), 0)
        if options.end_at_eos and not options.generate and chat.roles[-2:-1] == ["assistant"]:
            text = out.text
            after = len(text) - len(text.rstrip())
            if self.template.is_known:
                ending = self.template.stop + self.template.close
                after = len(self.template.close) if self.template.stop and text.endswith(ending) else 0
            elif not text.rstrip().endswith((">", "]")):
                after = 0
            out.trim(0, after)


def _end_with_completion(conversation: Conversation) -> None:
    """Drop the turns after the last assistant turn, and record the loss.

    Raises:
        RenderError: there is no assistant turn.
    """
    messages = conversation.messages
    end = len(messages)
    while end and messages[end - 1].get("role") != "assistant":
        end -= 1
    if not end:
        raise RenderError("no assistant turn to be the completion")
    if end < len(messages):
        conversation.notes.losses.append("turns_after_completion")
        conversation.row = {**conversation.row, "messages": messages[:end]}
