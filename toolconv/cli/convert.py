"""``convert``, ``parse`` and ``render``: the same way of a row, with its ends chosen differently."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from toolconv.checkpoint import Keeper
    from toolconv.files import Output
    from toolconv.pipeline import Options, Shard
    from toolconv.receipt import Receipt
    from toolconv.templates.output import TextOptions

F = TypeVar("F", bound=Callable[..., Any])

SHOWN = 20
"""How many single rejects and dropped calls are told on stderr; the receipt lists more."""

RECEIPT_OPTIONS = (
    "source", "target", "from_layout", "to_layout", "template", "chat_template", "template_kwargs", "model", "text_key",
    "strict", "on_error",
)  # fmt: skip
TEXT_OPTIONS = ("template_kwargs", "add_generation_prompt", "spans", "prompt_completion")


def _options(*decorators: Callable[[F], F]) -> Callable[[F], F]:
    def apply(function: F) -> F:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return apply


_files: Callable[[F], F] = click.argument("files", nargs=-1, metavar="[FILES]...")
_from: Callable[[F], F] = _options(
    click.option("--from", "source", default="auto", metavar="D", show_default=True,
                 help="Dialect of the texts; 'toolconv dialects' lists them."),
    click.option("--model", metavar="NAME", help="Pick the dialect by the model that wrote the texts."),
    click.option("--text-key", metavar="PATH", help="Dotted path of the text in a completion row."),
)  # fmt: skip
_to: Callable[[F], F] = click.option("--to", "target", metavar="D", help="Dialect to write; default: structured rows.")
_text: Callable[[F], F] = _options(
    click.option("--template", metavar="NAME",
                 help="Write whole conversations as that chat template does; 'toolconv templates' lists them."),
    click.option("--chat-template", metavar="FILE",
                 help="The same with a template of your own: chat_template.jinja or tokenizer_config.json."),
    click.option("--template-kwargs", metavar="JSON", help="Variables of the template, such as enable_thinking."),
    click.option("--add-generation-prompt", is_flag=True, help="End each text where the model's turn begins."),
    click.option("--spans", is_flag=True, help="Say with each text what its parts are, and which to train on."),
    click.option("--prompt-completion", is_flag=True, help="Cut each text before the last assistant turn."),
)  # fmt: skip
_shared: Callable[[F], F] = _options(
    click.option("--from-layout", metavar="L", help="Layout of the rows.  [default: detected]"),
    click.option("--dialect-file", "dialect_files", multiple=True, metavar="FILE",
                 help="A dialect of your own: a TOML file, or a response template (tokenizer_config.json)."),
    click.option("--to-layout", metavar="L", help="Layout to write.  [default: what fits the target]"),
    click.option("--arguments", type=click.Choice(["object", "string"]), help="Write arguments as that."),
    click.option("--tools", type=click.Choice(["list", "string"]), help="Write tool declarations as that."),
    click.option("--empty-content", type=click.Choice(["null", "empty", "omit"]),
                 help="Write that for no prose beside calls.  [default of these three: as the layout has it]"),
    click.option("--strict", is_flag=True, help="Any repair or loss is an error."),
    click.option("--on-error", type=click.Choice(["keep", "reject", "fail"]), default="keep", show_default=True,
                 help="A row with a call that can't be read: keep its text, leave the row out, or stop."),
    click.option("--rejects", metavar="FILE", help="Write rejected lines there, as they came."),
    click.option("--receipt", metavar="FILE", help="Write the account of the run there, as JSON."),
    click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to use."),
    click.option("-o", "--output", metavar="FILE",
                 help="Write to FILE; it appears when it is complete. If that is a directory: a file for each input."),
    click.option("--resume", is_flag=True, help="Go on with the interrupted run of the same command, if there is one."),
    click.option("--shard", metavar="I/N", help="Take the I-th of N parts of the input; all N in order are the whole."),
    click.option("--no-progress", is_flag=True, help="Show no progress bar."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors."),
)  # fmt: skip


@click.command()
@_files
@_from
@_to
@_text
@_shared
@click.option("--lint", is_flag=True, help="Check the rows as they come in; findings go to stderr.")
def convert(**given: Any) -> int:
    """Read calls in one dialect and write them in another.

    Reads standard input when no FILES are named. Without --to, rows are written in the canonical layout.
    """
    return _run(given)


@click.command()
@_files
@_from
@_shared
def parse(**given: Any) -> int:
    """Read calls out of texts, into canonical rows."""
    return _run({**given, "target": None})


@click.command()
@_files
@_to
@_text
@_shared
def render(**given: Any) -> int:
    """Write canonical rows, or any rows with structured calls, in a dialect."""
    if not any(given[name] for name in ("target", "to_layout", "template", "chat_template")):
        raise click.UsageError("nothing to render to: give --to DIALECT, --to-layout LAYOUT or --template NAME")
    return _run({**given, "source": None, "model": None, "text_key": None})


def _run(given: dict[str, Any]) -> int:
    """Do what the options say; the exit status."""
    from toolconv.cli.lint import watcher
    from toolconv.cli.progress import Progress
    from toolconv.cli.receipt import write_receipt
    from toolconv.dialects import DialectFileError, UnknownDialect
    from toolconv.files import FileError, Output
    from toolconv.layouts import UnknownLayout
    from toolconv.lint.rule import RuleFailed
    from toolconv.pipeline import Failed, UsageError, run
    from toolconv.receipt import Receipt
    from toolconv.templates import UnknownTemplate

    say = _silent if given["quiet"] else _say
    watch = watcher(given) if given.get("lint") else None
    outputs: list[Output] = []
    keeper: Keeper | None = None
    try:
        options, shard = _checked(given), _shard(given["shard"])
        targets = _targets(given)
        keeper = _keeper(given, targets, repr((options, shard)))
        start = keeper.load() if keeper is not None and given["resume"] else None
        marks = iter(start.marks if start is not None else ())
        outputs.extend(Output(target, next(marks, 0)) for _, target in targets)
        rejects = Output(given["rejects"], next(marks, 0)) if given["rejects"] else None
        written, outputs = outputs, outputs + ([rejects] if rejects is not None else [])
        if keeper is not None:
            keeper.outputs = outputs
        receipt = Receipt()
        digests: dict[str, str] = {}
        every = [name for names, _ in targets for name in names]
        with Progress(every, hidden=given["no_progress"] or given["quiet"]) as progress:
            for (names, _), output in zip(targets, written, strict=True):
                account, of_inputs = run(
                    names, options, output, rejects, jobs=given["jobs"], progress=progress, said=say, watch=watch,
                    keeper=keeper, start=start, shard=shard,
                )  # fmt: skip
                receipt.add(account)
                digests.update(of_inputs)
        if watch is not None:
            receipt.issues = watch.finish()
        if keeper is not None:
            keeper.forget()
        for finished in outputs:
            finished.finish()
        if given["receipt"]:
            digests.update((output.name or "<stdout>", output.sha256()) for output in written)
            write_receipt(given, RECEIPT_OPTIONS, receipt, digests)
    except (UnknownDialect, UnknownLayout, UnknownTemplate, UsageError, DialectFileError) as error:
        raise click.UsageError(str(error).strip("'\"")) from None
    except (FileError, RuleFailed) as error:
        raise click.ClickException(str(error) + _how_to_go_on(keeper)) from None
    except Failed as error:
        if keeper is not None:
            keeper.forget()
        _say(f"Error: {error}")
        return 1
    except KeyboardInterrupt:
        _say(f"Interrupted{_how_to_go_on(keeper)}")
        raise
    finally:
        for unfinished in outputs:
            unfinished.abandon(keep=keeper is not None and keeper.kept is not None)
    _report(receipt, say)
    return 0 if receipt.clean and not receipt.issues else 1


def _targets(given: dict[str, Any]) -> list[tuple[list[str], str | None]]:
    """Inputs and the output they go to: one for all, or a file of the same name in a directory for each."""
    names, target = list(given["files"]) or ["-"], given["output"]
    if target is None or not (target.endswith(os.sep) or Path(target).is_dir()):
        return [(names, target)]
    taken: dict[str, str] = {}
    for name in names:
        base = Path(name).name
        if name == "-" or base in taken:
            why = f"{taken[base]} has the same name" if base in taken else "standard input has no name"
            raise click.UsageError(f"-o {target}: {name}: {why}: give -o FILE")
        taken[base] = name
    Path(target).mkdir(parents=True, exist_ok=True)
    return [([name], str(Path(target) / base)) for base, name in taken.items()]


def _shard(text: str | None) -> Shard:
    from toolconv.pipeline import WHOLE, Shard

    if text is None:
        return WHOLE
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise click.UsageError(f"--shard {text}: I/N, from 1/N to N/N")
    return Shard(int(index), int(count))


def _keeper(given: dict[str, Any], targets: list[tuple[list[str], str | None]], options: str) -> Keeper | None:
    """What notes how far the run is; ``None`` where it can't be gone on with: not from files, or not into one."""
    from toolconv.checkpoint import Keeper

    ((names, target),) = targets if len(targets) == 1 else [([], None)]
    if target is not None and not target.endswith(".parquet") and not given.get("lint"):
        special = Path(target).exists() and not Path(target).is_file()
        if not special and all(Path(name).is_file() for name in names):
            return Keeper(target, names, options)
    if given["resume"]:
        raise click.UsageError("--resume goes from files to one file: -o FILE, which is no .parquet, and no --lint")
    return None


def _how_to_go_on(keeper: Keeper | None) -> str:
    kept = keeper.kept if keeper is not None else None
    return f"; the same command with --resume goes on behind {kept.receipt.rows_in:,} rows" if kept is not None else ""


def _checked(given: dict[str, Any]) -> Options:
    """The options, with every name known."""
    from toolconv import dialects, layouts
    from toolconv.pipeline import Options
    from toolconv.spelling import AS_THE_LAYOUT, Spelling

    for path in given["dialect_files"]:
        dialects.register_file(path)
    source, target = given["source"], given["target"]
    if given["model"]:
        if source not in ("auto", None):
            raise click.UsageError("--model and --from both name the dialect: give one")
        source = dialects.for_model(given["model"]).name
    for name in (given["from_layout"], given["to_layout"]):
        if name is not None:
            layouts.get(name)
    text = _text_options(given)
    if text is not None:
        text.load()
    spelled = {name: given[name] for name in ("arguments", "tools", "empty_content")}
    return Options(
        source=source if source in ("auto", None) else dialects.get(source).name,
        target=target and dialects.get(target).name,
        from_layout=given["from_layout"],
        to_layout=given["to_layout"],
        text_key=given["text_key"],
        dialect_files=given["dialect_files"],
        text=text,
        spelling=Spelling(**spelled) if any(spelled.values()) else AS_THE_LAYOUT,
        strict=given["strict"],
        on_error=given["on_error"],
        account=bool(given["receipt"]),
    )


def _text_options(given: dict[str, Any]) -> TextOptions | None:
    """How conversations become text, if they do."""
    from toolconv.templates.output import TextOptions

    flags = [f"--{name.replace('_', '-')}" for name in TEXT_OPTIONS if given.get(name)]
    if not (given.get("template") or given.get("chat_template")):
        if flags:
            raise click.UsageError(f"{flags[0]} goes with --template or --chat-template")
        return None
    for name in ("target", "to_layout"):
        if given[name]:
            raise click.UsageError("--template writes texts: leave out --to and --to-layout")
    if given["prompt_completion"] and (given["spans"] or given["add_generation_prompt"]):
        raise click.UsageError(
            f"--prompt-completion and {flags[0] if given['add_generation_prompt'] else '--spans'}: give one"
        )
    return TextOptions(
        template=given["template"],
        file=given["chat_template"],
        variables=_variables(given["template_kwargs"]),
        spans=given["spans"],
        cut=given["prompt_completion"],
        generate=given["add_generation_prompt"],
    )


def _variables(text: str | None) -> dict[str, Any]:
    from toolconv import jsontext

    try:
        variables = jsontext.loads(text) if text else {}
    except ValueError as error:
        raise click.UsageError(f"--template-kwargs: not JSON ({error})") from None
    if not isinstance(variables, dict):
        raise click.UsageError("--template-kwargs: a JSON object, as in '{\"enable_thinking\": false}'")
    return variables


def _report(receipt: Receipt, say: Callable[[str], None]) -> None:
    """Tell people what did not go smoothly."""
    from toolconv.terminal import escape

    for kind, places, count in (
        ("rejected", receipt.reject_places, receipt.rejects),
        ("call dropped, its text kept", receipt.dropped_places, receipt.dropped_calls),
    ):
        for place in places[:SHOWN]:
            say(f"{place.file}:{place.line}: {kind}: {escape(place.reason)}")
        if count > SHOWN:
            say(f"… and {count - SHOWN:,} more {kind.split(',')[0]}; --receipt lists them")
    parts = [f"{_many(receipt.rows_in, 'row')} in, {receipt.rows_out:,} out"]
    if receipt.rejects:
        parts.append(f"{receipt.rejects:,} rejected")
    parts.append(_many(receipt.tool_calls.total(), "call"))
    if receipt.dropped_calls:
        parts.append(f"{_many(receipt.dropped_calls, 'call')} dropped")
    for one, many, counts in (("repair", "repairs", receipt.repairs), ("loss", "losses", receipt.losses)):
        if counts:
            parts.append(f"{_many(counts.total(), one, many)} ({_counts(counts)})")
    if not receipt.clean or receipt.repairs or receipt.losses:
        say("; ".join(parts))


def _many(count: int, one: str, many: str = "") -> str:
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())


def _say(line: str) -> None:
    click.echo(line, err=True)


def _silent(line: str) -> None:
    pass
