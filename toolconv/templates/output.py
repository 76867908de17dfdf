"""Rows for ``--template``: the conversation as one text, with spans, or split into prompt and completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final

from toolconv import templates
from toolconv.core.answers import on_each_answer
from toolconv.core.conversation import Answers, Conversation
from toolconv.core.facts import FactsByValue
from toolconv.core.marks import LOSS, has_marks, weights_of
from toolconv.core.messages import Row
from toolconv.core.rows import put_in_place
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.dialects.turns import RenderError, paired_in_text
from toolconv.templates.base import ChatView, Template
from toolconv.templates.writer import SpanWriter, TextWriter

if TYPE_CHECKING:
    from toolconv.templates.jinja.source import Version

UNTRAINED: Final = "nothing_trained"
"""The loss of a text of which no span is trained on."""
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
        version: of the file, found here: a file that was edited since is read again.
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
    version: Version | None = None

    def __post_init__(self) -> None:
        if self.file is not None and self.version is None:
            from toolconv.templates.jinja.source import version

            vars(self)["version"] = version(self.file)

    def current(self) -> TextOptions:
        """The same options, with the file as it is now."""
        return self if self.file is None else replace(self, version=None)

    def load(self) -> Template:
        """Load the template.

        Raises:
            UnknownTemplate: no built-in template has that name.
            FileError: the file can't be read, or has no template; or spans, or a completion, would lack a special token
                that nobody gave.
        """
        if self.file is None:
            return templates.get(self.template or "")
        from toolconv.templates.jinja import load

        template = load(self.file, name=self.template, variables=self.variables, spans=self.spans)
        if self.spans or self.cut:
            template.check_tokens()
        return template

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

    def views(self, conversations: Sequence[Conversation]) -> list[ChatView | Exception | None]:
        """Prepare to write the rows of some conversations.

        Returns:
            What :meth:`row` takes with each: its view, or why there is none; ``None`` where nothing was prepared.
        """
        if self.template.is_known or self.options.cut:
            return [None] * len(conversations)
        views: list[ChatView | Exception | None] = []
        for conversation in conversations:
            try:
                is_plain = conversation.answers is None and conversation.text_key is None
                views.append(self._view(conversation) if is_plain else None)
            except Exception as error:  # it is raised when the row is written
                views.append(error)
        self.template.expect([view for view in views if isinstance(view, ChatView)])
        return views

    def row(self, conversation: Conversation, view: ChatView | Exception | None = None) -> Row:
        """The row with text in place of its messages and tools.

        All other keys stay in place. What the template can't express is added to the conversation's losses.

        Raises:
            RenderError: the template can't express the conversation.
        """
        if conversation.answers is not None:
            return self._row_of_answers(conversation, conversation.answers)
        return self._row(conversation, None, view)

    def _row(self, conversation: Conversation, asked: int | None, view: ChatView | Exception | None = None) -> Row:
        """The row of a conversation with one answer; ``asked`` messages are its prompt, ``None`` for all but the last.

        Raises:
            RenderError: the template can't express the conversation.
        """
        if isinstance(view, Exception):
            raise view
        chat = view if view is not None else self._view(conversation)
        text = self._text(chat, asked)
        row: Row = {}
        for key, value in conversation.row.items():
            if key == "messages":
                row.update(text)
            elif key != "tools" and key not in text:
                row[key] = value
        return row

    def _view(self, conversation: Conversation) -> ChatView:
        """The template's view of a conversation, which is changed to what is written.

        Raises:
            RenderError: the template can't express the conversation.
        """
        options = self.options
        lift_prompts(conversation, keep=options.keep_prompt)
        if options.cut:
            _end_with_completion(conversation)
        paired = paired_in_text(conversation.messages, self.template.dialect, conversation.notes)
        if paired is not conversation.messages:
            conversation.row = {**conversation.row, "messages": paired}
        return ChatView(conversation, self.template.dialect, generate=options.generate, variables=options.variables)

    def _row_of_answers(self, conversation: Conversation, answers: Answers) -> Row:
        """The row with the text of the prompt, and the text of each answer after it.

        Raises:
            RenderError: the template can't express the conversation with one of the answers, or writes the prompt in
                another way before each.
        """
        on_each_answer(conversation, lambda each: lift_prompts(each, keep=self.options.keep_prompt))
        asked = answers.shared
        rows, _ = on_each_answer(conversation, lambda each: self._row(each, asked))
        prompts = [row["prompt"] for row in rows]
        if prompts.count(prompts[0]) < len(prompts):
            raise RenderError(f"template {self.template.name} writes the prompt otherwise before each answer")
        keys = ("chosen", "rejected") if answers.ranked and len(rows) == 2 else ("completions",)
        parts: Row = {"prompt": prompts[0]}
        for name in ("completion", "spans") if self.options.spans else ("completion",):
            values = [row[name] for row in rows]
            if len(keys) == 1:
                parts[keys[0] if name == "completion" else name] = values
            else:
                parts |= zip((key if name == "completion" else f"{key}_{name}" for key in keys), values, strict=True)
        conversation.notes.losses += ["answer_keys"] * answers.extra_keys
        row = {key: value for key, value in rows[0].items() if key not in ("completion", "spans")}
        return put_in_place(row, "prompt", parts)

    def _text(self, chat: ChatView, asked: int | None = None) -> Row:
        """The keys that replace the messages of a row."""
        cut = self.options.cut or asked is not None
        out = self.template.written(chat, spans=self.options.spans or cut)
        self._trim(chat, out)
        text = out.text
        losses = chat.notes.losses
        weights = weights_of(chat.messages, losses) if has_marks(chat.messages) else {}
        if not isinstance(out, SpanWriter) or not (cut or self.options.spans):
            losses += [LOSS] * len(weights)
            return {"text": text}
        spans = out.weighed_spans(weights) if self.options.spans else []
        if self.options.spans and not any(span["train"] for span in spans):
            losses.append(UNTRAINED)
        if self.options.spans and asked is None:
            return {"text": text, "spans": spans}
        end = self.template.prompt_end(chat, out, asked)
        row = {"prompt": text[:end], "completion": text[end:]}
        if self.options.spans:
            return {**row, "spans": spans}
        first = len(chat.messages) - 1 if asked is None else asked
        losses += [LOSS for index, weight in weights.items() if weight or index >= first]  # of a prompt, all is 0
        return row

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


def texts_of_answers(row: Row) -> list[str]:
    """The texts of the answers in a row that :class:`TemplateOutput` wrote of a conversation with several."""
    texts: list[str] = [row["chosen"], row["rejected"]] if "chosen" in row else row["completions"]
    return texts


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
