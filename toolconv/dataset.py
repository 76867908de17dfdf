"""The library interface to rows: read, convert, render and check datasets, as the commands do.

Rows are a file or folder, by its name, or anything that yields mappings of JSON data: a list, a generator, a Hugging
Face ``Dataset``. All functions stream: they take a row when the next result is asked for.

The rows of a Hugging Face ``Dataset`` lose the nulls with which Arrow pads structs: see :mod:`toolconv.io.memory`. A
receipt counts them as ``null_padding``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from toolconv import dialects
from toolconv.convert.detect import ROWS, Detector, InputFormat
from toolconv.convert.for_trainer import for_trainer
from toolconv.convert.options import Options, UsageError
from toolconv.convert.pipeline import convert_lines, default_format, results
from toolconv.convert.receipt import Place, Receipt
from toolconv.convert.result import Reading, Result
from toolconv.convert.row_writer import STRUCTURED
from toolconv.convert.source import format_of
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import ToolconvError
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.derive.files import load_template
from toolconv.io.folders import files_in
from toolconv.io.inputs import Input
from toolconv.io.memory import MemoryRows
from toolconv.io.workers import Workers
from toolconv.lint.engine.linter import linter_of
from toolconv.lint.model.finding import Finding, reported_with_row
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.source import read_blocks, rows_of_values
from toolconv.templates.output import TemplateOutput, TextOptions

if TYPE_CHECKING:
    from toolconv.score.run import Scored, ScoreOptions

FILE = "<rows>"
"""The name of the file in places of rows that are in memory."""

Rows = str | os.PathLike[str] | Iterable[Mapping[str, Any] | Conversation]
"""The name of a file or folder, or rows in memory."""


class RowError(ToolconvError):
    """A row can't be read or written.

    Attributes:
        place: the file, the line and the reason.
    """

    def __init__(self, place: Place) -> None:
        super().__init__(f"{place.file}:{place.line}: {place.reason}")
        self.place = place


class RenderedText(NamedTuple):
    """A conversation as text.

    Attributes:
        text: what the template writes.
        spans: the parts of the text, in order, without gaps. Each has ``start`` and ``end`` in characters, ``kind``,
            ``message``, ``call``, and ``train``, which is true for what the model generates.
        losses: what the template can't express, by name, one for each occurrence.
    """

    text: str
    spans: list[dict[str, Any]]
    losses: list[str]


def read(rows: Rows, options: Options | None = None, *, receipt: Receipt | None = None) -> Iterator[Conversation]:
    """Read rows in any layout, with calls in any dialect, as conversations.

    >>> row = {"prompt": "Hi", "completion": "<tool_call>{'name': 'ping', 'arguments': {}}</tool_call>"}
    >>> for conversation in read([row]):
    ...     print(conversation.messages[-1]["tool_calls"][0]["function"], conversation.notes.repairs)
    {'name': 'ping', 'arguments': {}} ['single_quotes']

    Args:
        rows: a file or folder, or rows.
        options: how to read them: ``source``, ``from_layout`` and others.
        receipt: the account to fill in; rows that can't be read are counted there, and left out.

    Raises:
        RowError: a row can't be read, and there is no receipt.
        FileError: a file can't be read.
        UsageError: the options don't fit the rows.
    """
    for result in _results(rows, replace(options or Options(), only_read=True), receipt):
        for reading in result.readings:
            if reading.conversation is not None:
                yield reading.conversation
            elif receipt is None:
                raise RowError(Place(reading.file, reading.line, reading.reason))


def convert_rows(
    rows: Rows,
    options: Options | None = None,
    *,
    template: str | os.PathLike[str] | None = None,
    receipt: Receipt | None = None,
) -> Iterator[Row]:
    """Convert rows, as ``toolconv convert`` does.

    >>> row = {"text": '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'}
    >>> list(convert_rows([row], Options(target="mistral")))
    [{'text': '[TOOL_CALLS]ping[ARGS]{}'}]
    >>> chat = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}
    >>> list(convert_rows([chat], template="hermes"))
    [{'text': '<|begin_of_text|><|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nHello.<|im_end|>\\n'}]

    Args:
        rows: a file or folder, or rows.
        options: what to do with them; canonical rows, without any.
        template: write texts with this chat template: its name, or the path (not a text) of a file, as in
            :func:`render`. ``Options(text=TextOptions(...))`` has more options.
        receipt: the account to fill in; rejected rows are counted there, and left out.

    Raises:
        RowError: a row can't be read or written, and there is no receipt.
        FileError: a file can't be read.
        UsageError: the options don't fit the rows.
    """
    options = options or Options()
    if template is not None:
        if options.text is not None:
            raise UsageError("give a template either as template= or in Options(text=...)")
        options = replace(options, text=_text_options(template))
    options = for_trainer(options)
    if options.text is not None and options.target is not None:
        raise UsageError("a template writes texts, and a target rows in a dialect: give one of them")
    texts = options.to_layout == "raw" or (
        options.to_layout is None and options.target is not None and dialects.get(options.target).name not in STRUCTURED
    )
    for result in _results(rows, options, receipt):
        if receipt is None and result.receipt.rejects:
            raise RowError(result.receipt.reject_places[0])
        for output in result.output:
            if options.to_layout == "raw" or (texts and "raw" in result.receipt.layouts):
                yield {"text": output.decode("utf-8", "surrogatepass").removesuffix("\n")}
            else:
                yield from map(jsontext.loads, output.splitlines())


def render(
    conversation: Conversation | Mapping[str, Any],
    template: str | os.PathLike[str],
    *,
    variables: Mapping[str, Any] | None = None,
    generate: bool = False,
) -> RenderedText:
    """Write a conversation as the text of a chat template, byte for byte what the model's own template writes.

    >>> rendered = render({"messages": [{"role": "user", "content": "Hi"}]}, "qwen2.5", generate=True)
    >>> print(rendered.text)
    <|im_start|>system
    You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>
    <|im_start|>user
    Hi<|im_end|>
    <|im_start|>assistant
    <BLANKLINE>
    >>> [span["kind"] for span in rendered.spans if span["train"]]
    []

    Args:
        conversation: a conversation, which stays as it is, or a row in any layout. Of several answers, the first is
            written.
        template: the name of a built-in template, or the path (not a text) of a ``chat_template.jinja`` or
            ``tokenizer_config.json``.
        variables: the template's variables by name.
        generate: end with the generation prompt.

    Raises:
        RowError: the row can't be read.
        RenderError: the template can't express the conversation.
        UnknownTemplate, FileError: there is no such template.
    """
    options = replace(_text_options(template), variables=variables or {}, spans=True, generate=generate)
    if not isinstance(conversation, Conversation):
        conversation = next(read([conversation]))
    copy = replace(conversation, row=deepcopy(conversation.row), notes=Notes(), answers=None)
    row = _writer(options).row(copy)
    return RenderedText(row["text"], row["spans"], copy.notes.losses)


def lint_rows(
    rows: Rows,
    *,
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
    dialect: str | None = "auto",
    layout: str | None = None,
) -> Iterator[Finding]:
    """Check rows, as ``toolconv lint`` does; no configuration file is read.

    >>> row = {"messages": [{"role": "tool", "content": "rain"}, {"role": "assistant", "content": "It rains."}]}
    >>> for finding in lint_rows([row]):
    ...     print(finding.line, finding.pointer, finding.code, finding.name)
    1 /messages/0 TC201 orphan-tool-response

    Args:
        rows: a file or folder, or rows.
        select: rules to check, by code, prefix or name; ``None`` for the default ones.
        extend_select: additional rules.
        ignore: rules not to check.
        options: the rules' own options, by code or name.
        dialect: dialect of calls in texts; ``auto`` to detect it, ``None`` if texts have no calls.
        layout: layout of the rows; ``None`` to detect it.

    Returns:
        The findings in rows, in order, then those about the dataset.

    Raises:
        UnknownRule: a word that selects no rule.
        ConfigError: an option that a rule doesn't have.
        FileError: a file can't be read.
    """
    linter = linter_of(select, extend_select, ignore, options)

    def findings() -> Iterator[Finding]:
        for row in _rows_to_lint(rows, Detector(layout, dialect)):
            yield from reported_with_row(linter.check(row).findings)
        yield from linter.finish()

    return findings()


def score_rows(
    gold: Rows,
    outputs: Rows,
    options: ScoreOptions | None = None,
    *,
    gold_options: Options | None = None,
    output_options: Options | None = None,
) -> Iterator[Scored]:
    """Compare a model's calls with gold calls, as ``toolconv score`` does.

    >>> call = {"type": "function", "function": {"name": "ping", "arguments": {"host": "a"}}}
    >>> gold = {"id": 1, "messages": [{"role": "user", "content": "Up?"}, {"role": "assistant", "tool_calls": [call]}]}
    >>> output = {"id": 1, "output": '<tool_call>{"name": "ping", "arguments": {"host": "A"}}</tool_call>'}
    >>> for scored in score_rows([gold], [output]):
    ...     print(scored.judged.verdict, scored.judged.needed)
    right ('case',)

    Args:
        gold: what is right: a file or folder, or rows.
        outputs: what the model wrote.
        options: how to score.
        gold_options, output_options: how to read the rows: ``source``, ``from_layout`` and others.

    Returns:
        The verdicts, in the order of the outputs; then those on gold rows without output.
        :class:`toolconv.score.figures.Figures` adds them up.

    Raises:
        NotPaired: the rows can't be paired.
        FileError: a file can't be read.
    """
    from toolconv.score.run import Gold, Scores
    from toolconv.score.run import ScoreOptions as Given

    options = options or Given()
    known = Gold.read(_readings(gold, gold_options or Options()), options)
    tools_of = partial(known.tools_of, key=options.key)
    return Scores(known, options).score(_readings(outputs, replace(output_options or Options(), tools_of=tools_of)))


def detect(rows: Rows) -> InputFormat | None:
    """The layout and dialect of rows, from the first ones; ``None`` if they have no known layout.

    >>> found = detect([{"text": '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'}])
    >>> found.layout, found.dialect
    ('completion', 'hermes')

    Raises:
        FileError: the file can't be read.
        NotRows: the file is neither rows nor the output of a model.
    """
    if not isinstance(rows, str | os.PathLike):
        return Detector().of_rows(islice(MemoryRows(rows), ROWS))
    for file in files_in([os.fspath(rows)]):
        source = Input(file.name)
        try:
            if (found := format_of(source)) is not None:
                return found
        finally:
            source.close()
    return None


def _text_options(template: str | os.PathLike[str]) -> TextOptions:
    """The options that write texts with a template: a name, or a path."""
    return TextOptions(template=template) if isinstance(template, str) else TextOptions(file=os.fspath(template))


# ── rows ──


def _results(rows: Rows, options: Options, receipt: Receipt | None) -> Iterator[Result]:
    """Convert rows; the results, which are added to the receipt."""
    text, student = (each and each.current() for each in (options.text, options.student))
    options = replace(options, text=text, student=student)
    if not isinstance(rows, str | os.PathLike):
        made = MemoryRows(rows)
        lines = iter(made)
        first = list(islice(lines, ROWS))
        input_format = options.detector.of_rows(first) or default_format(options)
        for number, line in enumerate(chain(first, lines), 1):
            result = convert_lines(options, input_format, FILE, number, [line])
            yield _counted(result, receipt)
        if receipt is not None:
            receipt.add_changes(made.changes)
        return
    for file in files_in([os.fspath(rows)]):
        source = Input(file.name, max_line=options.max_line)
        try:
            for _, result in results(source, options, Workers()):
                yield _counted(result, receipt)
            if receipt is not None:
                receipt.add_changes(source.changes)
        finally:
            source.close()


def _readings(rows: Rows, options: Options) -> Iterator[Reading]:
    for result in _results(rows, replace(options, only_read=True), Receipt()):
        yield from result.readings


def _counted(result: Result, receipt: Receipt | None) -> Result:
    """A result, added to the receipt.

    Raises:
        RowError: a row stops the run, as ``on_error`` asks.
    """
    if receipt is not None:
        receipt.add(result.receipt)
        if result.failed:
            raise RowError(result.receipt.reject_places[-1])
    return result


def _rows_to_lint(rows: Rows, detector: Detector) -> Iterator[LintRow]:
    if not isinstance(rows, str | os.PathLike):
        yield from rows_of_values(rows, detector, FILE)
        return
    for file in files_in([os.fspath(rows)]):
        source = Input(file.name)
        try:
            for block in read_blocks(source, detector):
                yield from block.rows()
        finally:
            source.close()


@lru_cache(maxsize=16)
def _writer(options: TextOptions) -> TemplateOutput:
    """The writer of some options; a template in a file is read once."""
    return TemplateOutput(options, load_template(options))
