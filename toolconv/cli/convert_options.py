"""What ``convert``, ``parse`` and ``render`` do with each row, as their options ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.options import Options
    from toolconv.convert.pipeline import Log
    from toolconv.convert.shards import Shard
    from toolconv.convert.windows import Window
    from toolconv.templates.output import TextOptions

TEXT_OPTIONS = (
    "template_kwargs", "add_generation_prompt", "spans", "prompt_completion", "no_bos", "end_at_eos",
)  # fmt: skip


def shard_of(text: str | None) -> Shard:
    """The part of the inputs that ``--shard`` names."""
    from toolconv.convert.shards import WHOLE, Shard

    if text is None:
        return WHOLE
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise click.UsageError(f"--shard {text}: must be I/N, with I from 1 to N")
    return Shard(int(index), int(count))


def row_options(given: dict[str, Any], log: Log) -> Options:
    """How to convert each row; every name is known."""
    from toolconv import dialects, layouts
    from toolconv.cli.reading import OFF, declared_in, dialect_files, layout_in, places_of, source_name
    from toolconv.convert.for_trainer import for_trainer
    from toolconv.convert.options import Options
    from toolconv.derive.files import register_file
    from toolconv.io.inputs import MAX_LINE_BYTES
    from toolconv.layouts.field_style import FieldStyle

    files = (*given["dialect_files"], *dialect_files(given["source"]))
    for path in given["dialect_files"]:
        register_file(path)
    source, target = given["source"], given["target"]
    if given["model"]:
        if source not in ("auto", None):
            raise click.UsageError("use either --model or --from, not both")
        source = dialects.for_model(given["model"]).name
        if source == "generic":
            log(f"{given['model']}: not a model whose dialect is known; its calls are read as the dialect generic")
    for name in (given["from_layout"], given["to_layout"]):
        if name is not None:
            layouts.get(name)
    text = _text_options(given)
    for line in text.notices() if text is not None else ():
        log(line)
    style = FieldStyle(given["arguments"], given["tools"], given["empty_content"])
    to_layout, trainer = given["to_layout"], given.get("trainer")
    if exact := bool(given.get("exact")):
        _check_exact(given, text)
    elif trainer is not None:
        _check_trainer(trainer, given, text)
    elif to_layout is not None and (written := layouts.get(to_layout)).trainer and written.object_arguments:
        _check_output(written.trainer, given)
    options = Options(
        source=None if source in (None, OFF) else source_name(source),
        target=target and dialects.get(target).name,
        from_layout=layout_in(given["from_layout"], given["from_template"]),
        from_template=given["from_template"],
        requests=given["requests"] or "",
        each_call=given["each_call"],
        to_layout=to_layout,
        text_key=given["text_key"],
        prompt_key=given["prompt_key"],
        **places_of(given),
        records=cli.records_of(given),
        system=given["system"],
        reasoning=given.get("reasoning_parser") or "",
        in_reasoning=given["in_reasoning"],
        untyped=given["untyped"],
        dialect_files=files,
        redact=given["redact"],
        declared=declared_in(given),
        text=text,
        style=style,
        keep_prompt=given["keep_prompt"],
        trainer=trainer,
        tools_for=given.get("tools_for"),
        exact=exact,
        tokenizer=given["tokenizer"],
        strict=given["strict"],
        on_error=given["on_error"],
        window=_window(given),
        account=bool(given["receipt"]),
        max_line=given["max_line"] or MAX_LINE_BYTES,
    )
    return for_trainer(options)


def _window(given: Mapping[str, Any]) -> Window | None:
    """How long a written row may be."""
    if given["window"] is None:
        if given["tokenizer"] and not given.get("exact"):
            raise click.UsageError("--tokenizer needs --window, or --exact and a --trainer that takes token ids")
        return None
    from toolconv.convert.windows import Window

    window = Window(given["window"], given["tokenizer"])
    _ = window.measure  # of a tokenizer that can't be read, say so before the first row
    return window


def _check_trainer(name: str, given: Mapping[str, Any], text: TextOptions | None) -> None:
    """Refuse options that don't go with what a trainer reads.

    Raises:
        click.UsageError: some don't.
    """
    from toolconv import trainers

    trainer = trainers.get(name)
    if given["target"] or given["to_layout"] not in (None, trainer.layout):
        raise click.UsageError(
            "--trainer chooses the layout and can't be used with --to or another --to-layout than its own, "
            f"{trainer.layout}"
        )
    if text is not None and trainer.reads_text and given["to_layout"] is None:
        return
    _check_output(trainer.name, given)
    flags = [f"--{key.replace('_', '-')}" for key in TEXT_OPTIONS if given.get(key)]
    if text is not None and flags:
        rows = f"--to-layout {trainer.layout}" if trainer.reads_text else f"--trainer {trainer.name}"
        raise click.UsageError(f"{rows} writes rows, not texts, so it can't be used with {flags[0]}")


def _check_exact(given: Mapping[str, Any], text: TextOptions | None) -> None:
    """Refuse options that don't go with exact rows.

    Raises:
        click.UsageError: an option is missing or too many, or the trainer takes no such rows.
    """
    from toolconv import trainers
    from toolconv.trainers.forms import TokenForm

    if text is None or not given["trainer"]:
        raise click.UsageError("--exact needs --trainer, and the student's --template or --chat-template")
    trainer = trainers.get(given["trainer"])
    if (form := trainer.exact) is None:
        others = ", ".join(each.name for each in trainers.all_trainers() if each.exact is not None)
        raise click.UsageError(f"{trainer.name} writes the texts itself: --exact works with {others}")
    for name in ("target", "to_layout", *TEXT_OPTIONS[1:4], "end_at_eos"):
        if given[name]:
            flag = "--to" if name == "target" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"--exact writes the whole text and its mask, and can't be used with {flag}")
    if isinstance(form, TokenForm) and not given["tokenizer"]:
        raise click.UsageError(f"{trainer.name} takes token ids: give the student's tokenizer.json with --tokenizer")
    if given["tokenizer"] and not isinstance(form, TokenForm) and given["window"] is None:
        raise click.UsageError(f"{trainer.name} takes texts and encodes them itself: leave out --tokenizer")


def _check_output(trainer: str, given: Mapping[str, Any]) -> None:
    """Refuse an output that can't hold messages as a trainer reads them.

    Raises:
        click.UsageError: it is Parquet.
    """
    if str(given["output"] or "").endswith(".parquet"):
        raise click.UsageError(
            f"{trainer} needs messages as values, and a .parquet file may hold them as JSON text: write .jsonl"
        )


def _text_options(given: dict[str, Any]) -> TextOptions | None:
    """How to write conversations as text; ``None`` to write rows."""
    flags = [f"--{name.replace('_', '-')}" for name in TEXT_OPTIONS if given.get(name)]
    if not (given.get("template") or given.get("chat_template")):
        if flags:
            raise click.UsageError(f"{flags[0]} needs --template or --chat-template")
        return None
    from toolconv.templates.output import TextOptions

    if not given.get("trainer") and (given["target"] or given["to_layout"]):
        raise click.UsageError("--template writes texts and can't be used with --to or --to-layout")
    for name in ("arguments", "tools", "empty_content") if not given.get("trainer") else ():
        if given[name]:
            raise click.UsageError(f"--template writes texts and can't be used with --{name.replace('_', '-')}")
    if given["prompt_completion"] and (given["spans"] or given["add_generation_prompt"]):
        other = "--spans" if given["spans"] else "--add-generation-prompt"
        raise click.UsageError(f"use either --prompt-completion or {other}, not both")
    if given["add_generation_prompt"] and given["end_at_eos"]:
        raise click.UsageError("use either --end-at-eos or --add-generation-prompt, not both")
    return TextOptions(
        template=given["template"],
        file=given["chat_template"],
        variables=_variables(given["template_kwargs"]),
        spans=given["spans"],
        cut=given["prompt_completion"],
        no_bos=given["no_bos"],
        end_at_eos=given["end_at_eos"],
        generate=given["add_generation_prompt"],
        keep_prompt=given["keep_prompt"],
    )


def _variables(text: str | None) -> dict[str, Any]:
    from toolconv.core import jsontext

    try:
        variables = jsontext.loads(text) if text else {}
    except ValueError as error:
        raise click.UsageError(f"--template-kwargs: not JSON ({error})") from None
    if not isinstance(variables, dict):
        raise click.UsageError("--template-kwargs: must be a JSON object, such as '{\"enable_thinking\": false}'")
    return variables
