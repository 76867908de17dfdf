"""``convert``, ``parse`` and ``render``: one run, with different options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.pipeline import Log
    from toolconv.convert.run import ConvertRun

RECEIPT_OPTIONS = (
    "source", "target", "from_layout", "from_template", "to_layout", "trainer", "exact", "tokenizer", "tools_for",
    "template", "chat_template", "template_kwargs", "model", "text_key", "prompt_key", "messages_key", "tools_key",
    "roles", "lines", "null", "system", "reasoning_parser", "in_reasoning", "untyped", "requests", "each_call",
    "declare", "keep_prompt", "redact", "strict", "on_error", "shard", "window",
)  # fmt: skip
ANY_RUN = ("files", "output", "jobs", "resume", "lint", "no_progress", "quiet")
"""Options that may differ when a run is resumed, or that are compared in another way."""


_model = cli.option("--model", metavar="NAME", help="Use the dialect of the model that wrote the texts.")
_to = cli.option("--to", "target", type=cli.DIALECT, help="Dialect to write.  [default: structured rows]")
_template = (
    cli.option("--template", type=cli.TEMPLATE,
               help="Render conversations with this chat template; 'toolconv templates' lists them."),
    cli.option("--chat-template", type=cli.FILE,
               help="Like --template, with a file: chat_template.jinja or tokenizer_config.json."),
    cli.option("--spans", is_flag=True, help="With each text, write its spans and which of them to train on."),
)  # fmt: skip
_exact = cli.option("--exact", is_flag=True,
                    help="With --trainer and --template: write the student's own text and what to train of it, in a "
                    "form that the trainer takes unchanged.")  # fmt: skip
_text = (
    cli.option("--prompt-completion", is_flag=True, help="Split each text before the last assistant turn."),
    cli.option("--template-kwargs", metavar="JSON", help="Variables for the template, such as enable_thinking."),
)
_rare_text = (
    cli.option("--add-generation-prompt", is_flag=True, help="End each text with the start of the model's next turn."),
    cli.option("--no-bos", is_flag=True, help="Leave out the first token of a text, where the tokenizer adds it."),
    cli.option("--end-at-eos", is_flag=True, help="End each text at the model's end token, without what follows it."),
)
_tools_for = cli.option("--tools-for", type=click.Choice(["gemini", "openai-strict", "anthropic"]),
                        help="Rewrite the schemas of tools as this API takes them.")  # fmt: skip
_lint = cli.option("--lint", is_flag=True, help="Check the rows before converting them; findings go to stderr.")

READ = {cli.source, _model, *cli.outputs, cli.reasoning_parser, cli.in_reasoning, cli.untyped}
"""The options of the commands that read calls out of texts."""
NOT_READ = {
    "source": None, "model": None, "text_key": None, "prompt_key": None, "untyped": "infer", "lines": False,
    "null": False, "reasoning_parser": None, "in_reasoning": False,
}  # fmt: skip
"""The values of these for a command that does not have them."""
WRITE = {_to, *_template, cli.trainer, _exact, *_text, *_rare_text, _tools_for}
"""The options of the commands that write dialects and texts."""

SECTIONS = {
    "Main options": (
        cli.source,
        _to,
        cli.option("--to-layout", type=cli.WRITABLE_LAYOUT, help="Layout to write.  [default: what fits the target]"),
        *_template,
        cli.trainer,
        cli.declare,
        cli.option("-o", "--output", type=cli.OUTPUT,
                   help="Write to FILE, which appears when it is complete. If it is a directory: one file for each "
                   "input, with the same name."),
        cli.option("--strict", is_flag=True, help="Reject rows with a repair, a loss or an unread part."),
        cli.option("--on-error", type=click.Choice(["keep", "reject", "fail"]), default="keep", show_default=True,
                   help="What to do with a row that has an unreadable call: keep its text, reject the row, or stop."),
        cli.option("--rejects", type=cli.OUTPUT, help="Write rejected lines to FILE, unchanged, with their secrets."),
        cli.receipt,
        cli.jobs,
        cli.quiet,
    ),
    "Input": (
        _model,
        cli.from_layout,
        cli.from_template,
        *cli.places,
        cli.text_key,
        cli.prompt_key,
        cli.lines,
        cli.each_call,
        cli.reasoning_parser,
        cli.option("--system", metavar="TEXT", help="Give conversations without a system turn this one."),
        cli.option("--dialect-file", "dialect_files", multiple=True, type=cli.FILE,
                   help="Define a dialect: a TOML file, or a response template (tokenizer_config.json)."),
    ),
    "Output": (
        _exact,
        *_text,
        cli.option("--window", type=click.IntRange(min=1), metavar="N",
                   help="Cut conversations that are longer than N characters, as written, between turns."),
        cli.option("--tokenizer", type=cli.FILE,
                   help="The student's tokenizer.json: --window counts its tokens, and --exact writes their ids for "
                   "trainers that take them."),
        cli.option("--redact", is_flag=True,
                   help="Replace keys, tokens, e-mail addresses and home directories by placeholders of the same "
                   "shape."),
    ),
    "Run": (
        _lint,
        cli.option("--resume", is_flag=True,
                   help="Continue an interrupted run of the same command, if there is one."),
        cli.option("--shard", metavar="I/N",
                   help="Convert only part I of N; the N outputs in order are the whole output."),
    ),
    "Rarely needed": (
        cli.null,
        cli.in_reasoning,
        cli.untyped,
        cli.option("--requests", type=cli.FILE,
                   help="The request file of a batch: join the answers to their questions by custom_id."),
        cli.option("--arguments", type=click.Choice(["object", "string"]),
                   help="Write call arguments as a JSON object or as a JSON string."),
        cli.option("--tools", type=click.Choice(["list", "string"]),
                   help="Write tool declarations as a list or as a JSON string."),
        cli.option("--empty-content", type=click.Choice(["null", "empty", "omit"]),
                   help="How to write the content of a turn that only has tool calls.  [default: the layout's "
                   "convention]"),
        cli.option("--keep-prompt", is_flag=True,
                   help="Keep what system texts say about tools and calls, even if the target declares the tools, "
                   "too."),
        _tools_for,
        *_rare_text,
        cli.max_line,
        cli.no_progress,
    ),
}  # fmt: skip
"""The options of ``convert``, by the headings of its help: first those of most runs."""

PARSE_STATUSES = {1: "something was rejected, a call could not be read, or the trainer will not take a row"}
STATUSES = {1: f"{PARSE_STATUSES[1]}; with --lint, something was found"}
SOURCE_DATE_EPOCH = {
    "SOURCE_DATE_EPOCH": "The date that chat templates print, as seconds since 1970.  [default: today]"
}
FILES = {
    ".FILE.part": "The output FILE until it is complete.",
    ".FILE.resume": "How far an interrupted run with -o FILE got, for --resume.",
}


@cli.command(
    examples=(
        (
            "One model's output, rewritten for another",
            """printf '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>' | """
            "toolconv convert --from hermes --to kimi_k2",
        ),
        (
            "Rows of one dialect to rows of another",
            "toolconv convert fixtures/teacher.jsonl --from hermes --to qwen3_xml -o student.jsonl",
        ),
        (
            "Conversations to training texts, with the spans to train on",
            "toolconv convert fixtures/conversations.jsonl --template qwen3-coder --spans",
        ),
    ),
    statuses=STATUSES,
    environment=SOURCE_DATE_EPOCH,
    files=FILES,
    see=("toolconv-parse(1)", "toolconv-render(1)", "toolconv-dialects(7)", "toolconv-layouts(7)",
         "toolconv-templates(7)"),
)  # fmt: skip
@cli.inputs
@cli.sections(SECTIONS)
def convert(**given: Any) -> int:
    """Read calls in one dialect and write them in another.

    Reads standard input if no FILES are given. Without --to, rows are written in the canonical layout.

    \f
    Without ``--from``, ``--model`` and ``--from-layout``, each row is read in its own layout and each text in the
    dialect that it shows, by its markers and the declared tools that it names. A text that shows none is read in the
    dialect of the file's first rows. A file without rows is one model output, and is written as text. Everything in a
    row that is not part of the conversation stays where it is.

    What a target can't express, such as call ids in most dialects, is a loss: the receipt counts it by name, and
    ``--strict`` makes it an error. Malformed calls are read as far as that is safe, and each repair is counted.

    ``--declare`` gives tools to rows that declare none, as structure or in a text; a row that brings its own keeps
    them. ``--redact`` replaces what well-known patterns find in all texts of a row, keys included: the same secret has
    the same placeholder throughout a row, such as ``user1@example.com`` or ``ghp_XXX…1``, which depends on nothing
    but the row. Texts are searched as they are written and as their escapes are decoded; base64 is not decoded. The
    receipt is searched, too, with the names of files. Secrets without a known form stay, and so do those of the lines
    that ``--rejects`` writes.
    """
    return _run(given)


@cli.command(
    examples=(
        (
            "Traces to canonical rows, with rejected lines in one file and the account in another",
            "toolconv parse fixtures/teacher.jsonl fixtures/cut.jsonl --from hermes "
            "-o canonical.jsonl --rejects bad.jsonl --receipt receipt.json",
        ),
        (
            "One model output",
            """printf '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>' | toolconv parse""",
        ),
    ),
    statuses=PARSE_STATUSES,
    files=FILES,
    see=("toolconv-render(1)", "toolconv-convert(1)", "toolconv-dialects(7)", "toolconv-layouts(7)"),
)
@cli.inputs
@cli.sections(SECTIONS, without={*WRITE, _lint})
def parse(**given: Any) -> int:
    """Read calls out of texts, into canonical rows.

    Reads standard input if no FILES are given.

    \f
    Layouts and dialects are found as toolconv-convert(1) says. Malformed calls are read as far as that is safe, and
    each repair is counted. An unreadable call keeps its text and is counted; ``--on-error`` chooses what to do with its
    row.

    ``--declare`` and ``--redact`` do what toolconv-convert(1) says.
    """
    return _run({**given, "target": None})


@cli.command(
    examples=(
        (
            "Rows to train a model that writes Mistral's dialect",
            "toolconv render fixtures/conversations.jsonl --to mistral",
        ),
        (
            "Rows for trl",
            "toolconv render fixtures/conversations.jsonl --to-layout trl",
        ),
        (
            "Texts split before the model's last turn",
            "toolconv render fixtures/conversations.jsonl --template qwen3 --prompt-completion",
        ),
    ),
    statuses=PARSE_STATUSES,
    environment=SOURCE_DATE_EPOCH,
    files=FILES,
    see=("toolconv-parse(1)", "toolconv-convert(1)", "toolconv-dialects(7)", "toolconv-layouts(7)",
         "toolconv-templates(7)"),
)  # fmt: skip
@cli.inputs
@cli.sections(SECTIONS, without={*READ, _lint})
def render(**given: Any) -> int:
    """Write canonical rows, or any rows with structured calls, in a dialect.

    Reads standard input if no FILES are given. Needs one of --to, --to-layout, --trainer, --template and
    --chat-template.

    \f
    ``--to D`` writes rows of the layout ``chat``: tools, calls and responses are written in the texts of the messages,
    as the dialect's own chat template writes them. ``--to-layout`` writes structured rows. ``--template`` writes each
    conversation as one text, byte for byte as the model's chat template does, and with ``--spans`` also which parts of
    it to train on.

    ``--declare`` and ``--redact`` do what toolconv-convert(1) says.
    """
    if not any(
        given[name]
        for name in ("target", "to_layout", "trainer", "exact", "tokenizer", "tools_for", "template", "chat_template")
    ):
        raise click.UsageError(
            "nothing to render to: give --to DIALECT, --to-layout LAYOUT, --trainer NAME or --template NAME"
        )
    return _run({**given, **NOT_READ})


def _run(given: dict[str, Any]) -> int:
    """Run the command; the exit status."""
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.progress import Progress
    from toolconv.cli.receipt import write_receipt
    from toolconv.cli.summary import report, report_plain_tools, report_trainer
    from toolconv.convert.run import Failed

    run = _run_of(given, log_nothing if given["quiet"] else log)
    if given["redact"] and given["rejects"]:  # even with --quiet: who asks for no secrets must know
        log(f"Warning: {given['rejects']} gets rejected lines unchanged, with their secrets")
    inputs = [name for target in run.targets for name in target.inputs]
    try:
        with Progress(inputs, hidden=given["no_progress"] or given["quiet"]) as progress:
            receipt, digests = run.run(progress)
    except Failed as error:
        log(f"Error: {error}")
        return 1
    except KeyboardInterrupt:
        log(f"Interrupted{run.checkpoints.hint if run.checkpoints is not None else ''}")
        raise
    if given["receipt"]:
        write_receipt(given, RECEIPT_OPTIONS, receipt, digests)
    if not given["quiet"]:
        if receipt.declares_tools and given["target"]:
            report_plain_tools(given["target"])
        report(receipt, "" if given.get("exact") else given.get("trainer") or "")
        if given["to_layout"] and not given.get("trainer") and receipt.losses:
            report_trainer(given["to_layout"], receipt)
    return 0 if receipt.clean and not receipt.issues else 1


def _run_of(given: dict[str, Any], log: Log) -> ConvertRun:
    """The run that the options ask for."""
    from toolconv.cli.convert_options import row_options, shard_of
    from toolconv.convert.run import ConvertRun, checkpoints_of, targets_of
    from toolconv.io.folders import files_in

    if given.get("template") or given.get("chat_template"):
        from toolconv.convert.checkpoint import pin_date

        pin_date(given["output"] if given["resume"] else None)
    options, shard = row_options(given, log), shard_of(given["shard"])
    watcher = None
    if given.get("lint"):
        from toolconv.cli.linters import watcher_of

        watcher = watcher_of(given, options.declared, log)
    targets = targets_of(files_in(given["files"] or ["-"]), given["output"])
    checkpoints = None if watcher is not None else checkpoints_of(targets, given["output"], _identity(given))
    if given["resume"] and checkpoints is None:
        raise click.UsageError("--resume needs input files, -o FILE or -o DIRECTORY (not for .parquet) and no --lint")
    return ConvertRun(
        targets=targets,
        options=options,
        rejects=given["rejects"],
        shard=shard,
        jobs=given["jobs"],
        checkpoints=checkpoints,
        resume=given["resume"],
        log=log,
        watcher=watcher,
    )


def _identity(given: Mapping[str, Any]) -> dict[str, str]:
    """What makes a run this one: its options, each with what is in the files that it names."""
    values = {name: value for name, value in given.items() if name not in ANY_RUN}
    params = click.get_current_context().command.params
    for param in params:
        if param.type in cli.READ and (value := values.get(param.name or "")):
            values[param.name or ""] = list(map(_contents, cli.names_in(value)))
    flags = {str(param.name): min(param.opts, key=_is_short) for param in params}
    return {flags[name]: repr(value) for name, value in values.items() if name in flags}


def _is_short(option: str) -> bool:
    return not option.startswith("--")


def _contents(name: str) -> str | list[bytes]:
    """What is in a file, and in those that belong to a chat template in its folder; the name of anything else."""
    from toolconv.derive.files import is_file_name

    path = Path(name)
    if not (is_file_name(name) or path.is_file()):
        return name
    if path.suffix in (".toml", ".json"):
        return [path.read_bytes()]
    from toolconv.templates.jinja.source import FILES

    folder = path if path.is_dir() else path.parent
    return [file.read_bytes() for file in (path, *(folder / each for each in FILES)) if file.is_file()]
