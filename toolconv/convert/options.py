"""What to do with each row of a conversion: the options of a run, the same for all workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from toolconv.convert.detect import Detector, Records
from toolconv.core.errors import ToolconvError
from toolconv.core.facts import FactsByValue
from toolconv.io.inputs import MAX_LINE_BYTES
from toolconv.layouts.field_style import LAYOUT_STYLE, FieldStyle

if TYPE_CHECKING:
    from toolconv.convert.windows import Window
    from toolconv.core.conversation import Conversation
    from toolconv.core.messages import Tool
    from toolconv.templates.output import TextOptions


CHOICES: Final[Mapping[str, tuple[str | None, ...]]] = {
    "untyped": ("infer", "text"),
    "on_error": ("keep", "reject", "fail"),
    "records": (None, "lines", "null"),
    "tools_for": (None, "gemini", "openai-strict", "anthropic"),
}
"""The values of each option that has few."""


class Options(FactsByValue):
    """What to do with each row; the same for all workers.

    Attributes:
        source: dialect of the texts; ``auto`` to detect it for each text, ``None`` to leave texts alone.
        target: dialect to write; ``None`` for structured rows.
        from_layout: layout of the rows; ``None`` to detect it.
        from_template: the template of rendered texts, its name or file; ``None`` to detect it.
        requests: the request file of a batch, whose answers the rows are; empty for other rows.
        each_call: of traces, every model call is a row, not only the last one of each trace.
        to_layout: layout to write; ``None`` for the one that fits the target.
        text_key: dotted path of the text in a completion row.
        prompt_key: dotted path of the prompt in a completion row.
        messages_key, tools_key: dotted paths of the messages and of the tools in a row.
        roles: names of speakers, each with the role that it means.
        records: each line, or each text between null characters, is one model output.
        system: a system text for conversations without one.
        reasoning: the name of the server's reasoning parser, whose mark ends the reasoning of an output; may be empty.
        in_reasoning: outputs begin inside a reasoning block, which the prompt opened.
        untyped: what a value in a text becomes whose type nothing settles: what it looks like, or a text.
        dialect_files: files that describe further dialects, also chat templates.
        keep_prompt: what the texts before the first answer say about tools stays.
        declared: tools for rows that declare none, as :func:`toolconv.convert.declared_tools.read_declared` gives them.
        tools_of: gives the tools of a row that declares none, in the process that it is in.
        redact: replace secrets by placeholders; see :mod:`toolconv.convert.redaction`.
        strict: any repair or loss is an error.
        on_error: what to do with a row that has an unreadable call: keep its text, reject the row, or stop.
        text: how to write conversations as text; ``None`` for rows of a layout.
        style: how to write nested fields of the rows.
        trainer: what the rows are for: they are written as it reads them, and what it would lose is counted.
        student: the chat template of the trained model, by name or as a file, where rows are written for a trainer; the
            ``text``, if there is one.
        tools_for: the API for which the schemas of tools are rewritten; see :mod:`toolconv.trainers.tools_for`.
        exact: write the student's text and its mask, in the form in which the trainer takes them as they are.
        tokenizer: the student's ``tokenizer.json``, for trainers that take token ids.
        window: how long a written row may be; longer conversations are cut into several. ``None`` for any length.
        account: also count what only a receipt shows, such as the declared tools.
        only_read: write nothing, keep the conversations; see :func:`toolconv.convert.pipeline.conversations`.
        shared_tools: with ``only_read``, nobody changes the tools of a conversation: others may have the same objects.
        max_line: longest line, or text, to read, in bytes.
    """

    source: str | None = "auto"
    target: str | None = None
    from_layout: str | None = None
    from_template: str | None = None
    requests: str = ""
    each_call: bool = False
    to_layout: str | None = None
    text_key: str | None = None
    prompt_key: str | None = None
    messages_key: str | None = None
    tools_key: str | None = None
    roles: tuple[tuple[str, str], ...] = ()
    records: Records | None = None
    system: str | None = None
    reasoning: str = ""
    in_reasoning: bool = False
    untyped: Literal["infer", "text"] = "infer"
    dialect_files: tuple[str, ...] = ()
    keep_prompt: bool = False
    declared: str = ""
    tools_of: Callable[[Conversation], list[Tool]] | None = None
    redact: bool = False
    strict: bool = False
    on_error: Literal["keep", "reject", "fail"] = "keep"
    text: TextOptions | None = None
    style: FieldStyle = LAYOUT_STYLE
    trainer: str | None = None
    student: TextOptions | None = None
    tools_for: str | None = None
    exact: bool = False
    tokenizer: str | None = None
    window: Window | None = None
    account: bool = False
    only_read: bool = False
    shared_tools: bool = False
    max_line: int = MAX_LINE_BYTES

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise UsageError(f"{name} is {getattr(self, name)!r}: it is one of {', '.join(map(repr, choices))}")

    @property
    def detector(self) -> Detector:
        """Detects the format of the inputs."""
        infer = self.untyped == "infer"
        return Detector(
            self.from_layout,
            self.source,
            self.text_key,
            prompt_key=self.prompt_key,
            messages_key=self.messages_key,
            tools_key=self.tools_key,
            roles=self.roles,
            records=self.records,
            infer=infer,
            each_call=self.each_call,
            template=self.from_template,
        )


class UsageError(ToolconvError):
    """Options that don't go together, or a missing one; the message says what to give."""
