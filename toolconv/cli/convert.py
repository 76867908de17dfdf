"""``convert``, ``parse`` and ``render``: the same way of a row, with its ends chosen differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from toolconv.pipeline import Options
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
    click.option("-o", "--output", metavar="FILE", help="Write to FILE; it appears when it is complete."),
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
    from toolconv.templates import UnknownTemplate

    names = list(given["files"]) or ["-"]
    outputs: list[Output] = []
    say = _silent if given["quiet"] else _say
    watch = watcher(given) if given.get("lint") else None
    try:
        options = _checked(given)
        output = Output(given["output"])
        outputs.append(output)
        rejects = Output(given["rejects"]) if given["rejects"] else None
        if rejects is not None:
            outputs.append(rejects)
        with Progress(names, hidden=given["no_progress"] or given["quiet"]) as progress:
            receipt, digests = run(
                names, options, output, rejects, jobs=given["jobs"], progress=progress, said=say, watch=watch
            )
        if watch is not None:
            receipt.issues = watch.finish()
        for finished in outputs:
            finished.finish()
        if given["receipt"]:
            digests[given["output"] or "<stdout>"] = output.sha256()
            write_receipt(given, RECEIPT_OPTIONS, receipt, digests)
    except (UnknownDialect, UnknownLayout, UnknownTemplate, UsageError, DialectFileError) as error:
        raise click.UsageError(str(error).strip("'\"")) from None
    except (FileError, RuleFailed) as error:
        raise click.ClickException(str(error)) from None
    except Failed as error:
        _say(f"Error: {error}")
        return 1
    finally:
        for unfinished in outputs:
            unfinished.abandon()
    _report(receipt, say)
    return 0 if receipt.clean and not receipt.issues else 1


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
