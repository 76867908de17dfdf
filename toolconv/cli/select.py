"""``select``: choose rows, and write their original lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolconv.cli import options as cli
from toolconv.cli.select_values import RANGE, CallCount, Numbers, Shares, Weights

if TYPE_CHECKING:
    from toolconv.io.outputs import Output
    from toolconv.lint.engine.linter import Linter
    from toolconv.select.expression import Condition, Operand
    from toolconv.select.groups import Limits
    from toolconv.select.run import SelectRun

RECEIPT_OPTIONS = (
    "source", "from_layout", "from_template", "text_key", "prompt_key", "messages_key", "tools_key", "roles", "where",
    "tool", "calls", "dedupe", "mix", "sort", "by", "quota", "cap", "balance", "sample", "limit", "split", "seed",
)  # fmt: skip


@cli.command(
    examples=(
        ("Keep the rows that call a tool", "toolconv select fixtures/teacher.jsonl --tool get_weather"),
        (
            "Keep rows without calls, or with several at once",
            "toolconv select fixtures/conversations.jsonl --where 'calls = 0 or parallel >= 2'",
        ),
        (
            "Keep at most two rows of each tool, the longest ones",
            "toolconv select fixtures/teacher.jsonl --cap 2 --sort -characters",
        ),
        (
            "Merge two datasets, drop duplicates and split the rest",
            "toolconv select fixtures/conversations.jsonl fixtures/kimi.jsonl --dedupe near "
            "--split train=0.9,eval=0.1 -o parts",
        ),
    ),
    statuses={1: "a row could not be read"},
    see=("toolconv-lint(1)", "toolconv-stats(1)", "toolconv-convert(1)"),
)
@cli.files
@cli.section("Input", cli.source, cli.from_layout, cli.from_template, cli.text_key, cli.prompt_key, *cli.places)
@cli.section(
    "Rows",
    cli.option("--where", multiple=True, metavar="CONDITION",
               help="Keep rows for which this holds, such as 'reward >= 1'; all of several conditions."),
    cli.option("--tool", multiple=True, metavar="NAME", help="Keep rows that call this tool, or one of several."),
    cli.option("--calls", type=CallCount(), metavar="N|N..M",
               help="Keep rows with so many calls: 0, 1.., 2..4."),
    cli.option("--dedupe", type=click.Choice(["exact", "near"]),
               help="Drop repeated rows: exactly, or also if ids, case, punctuation, whitespace or digits differ."),
    cli.option("--mix", type=Weights(), metavar="W,W,...",
               help="Mix the FILES in these proportions, with as many rows as there are."),
    cli.option("--sort", multiple=True, metavar="[-]NAME",
               help="Sort by a fact or a key; with -, from high to low. Of several, the first counts first."),
    cli.option("--quota", type=Numbers(), metavar="N|GROUP=N,...",
               help="Take so many rows of each group, or of these groups and of no others."),
    cli.option("--cap", type=Numbers(), metavar="N|GROUP=N,...",
               help="Take at most so many rows of each group, or of these groups."),
    cli.option("--by", metavar="NAME", default="calls", show_default=True,
               help="With --quota and --cap: the fact or key whose values are the groups."),
    cli.option("--balance", type=Shares(), metavar="no-call=SHARE",
               help="Drop rows at random until this share of the rows has no calls."),
    cli.option("--sample", type=click.IntRange(min=1), metavar="N", help="Draw N rows at random, in their order."),
    cli.option("--limit", type=click.IntRange(min=0), metavar="N", help="Stop after the first N rows."),
    cli.option("--tokenizer", type=cli.FILE, help="The tokenizer.json that counts the fact tokens."),
    cli.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True,
               help="Another seed draws other rows, and splits them in another way."),
)  # fmt: skip
@cli.section(
    "Output",
    cli.option("--split", type=Shares(), metavar="NAME=SHARE,...",
               help="Divide the rows into parts, such as train=0.9,eval=0.1; -o names a folder for NAME.jsonl."),
    cli.option("-o", "--output", type=cli.OUTPUT, help="Write to this file; with --split, to this folder."),
    cli.receipt,
)  # fmt: skip
@cli.section("Run", cli.max_line, cli.no_progress, cli.quiet)
def select(**given: Any) -> int:
    """Choose rows by their calls, tools, keys and findings, and write them unchanged.

    Rows of several inputs are merged, in order. The steps are: --where, --tool and --calls; --dedupe; --mix; --sort;
    --quota and --cap; --balance; --sample or --limit; --split. Reads standard input if no FILES are given.

    A condition compares a fact about the row, or one of its keys, with a value: 'reward >= 1 and calls = get_weather'.
    Operators are = != < <= > >= and ~ (contains); and, or, not and parentheses join comparisons. A list compared with
    a number is its length; compared with a text, any of its items. A name alone asks for a value that is not null,
    false, 0 or empty. meta.score is the key score in meta; .calls is a key named like a fact.

    Facts: calls (names of the tools called), parallel (most calls in one turn), tools (names of the declared ones),
    messages (their roles), user_turns, assistant_turns, reasoning (turns with it), characters or chars (of the line),
    tokens (of the line, with --tokenizer), repairs, drops (calls that can't be read), dialects, layout, findings (codes
    of rules), errors (those at level error), file, line.

    --quota and --cap count rows by group: by the tools that they call, or by what --by names. A row that calls several
    tools counts for each. Rows are drawn at random; with --sort, the first ones are taken. A quota takes a row if one
    of its groups needs more, and a cap leaves it out if one of them is full. Rows without a value are the group null.

    \f
    Lines are written byte for byte. Rows of an array, a table or a document, and rows made of several lines, are
    written as lines of JSON. A row that can't be read is left out, and reported. The receipt, and a line on stderr,
    tell how many rows each step left out; of several conditions that fail, the first one counts.

    A name in quotes is one key, whatever it holds: ``'my key' = 1``. Values with spaces, operators or parentheses need
    quotes. Numbers are compared with numbers, texts with texts, by their characters.

    Comparisons with a key that a row doesn't have, or with a value of another type, fail; except for ``!=``, which
    holds exactly if ``=`` doesn't. A condition that names a rule which is off by default turns it on. Rules are
    configured as for 'toolconv lint'.

    ``--split`` keeps rows with the same first prompt together, if it has at least 16 characters, and near-duplicates
    in any case; upper and lower case, punctuation, whitespace and digits make no difference. Which part a row goes to
    depends only on that prompt, the seed and the shares: it is the same in a later run over more rows. Therefore shares
    are approximate: of 1,000 prompts, 0.1 are 100, give or take 20.

    ``--mix 7,2,1`` takes 7 rows of the first of FILES for 2 of the second and 1 of the third, until one has no more;
    with ``--sample N``, N rows in all. Which rows of a file are taken, and where they stand among the others, is drawn
    at random; those of a file stay in their order.

    Sorted rows begin with numbers, then come texts, and rows without a value last; equal ones stay in their order. A
    list counts as its length.

    Memory does not grow with the input, with these exceptions: ``--dedupe`` takes about 25 bytes per row, ``--mix`` 30,
    ``--quota`` and ``--cap`` 65, ``--sort`` 220, more for long texts to sort by, and ``--sample`` holds the rows that
    it has drawn. ``--mix``, ``--sort``, ``--quota``, ``--cap`` and ``--balance`` keep rows in a temporary file, in
    ``TMPDIR``, until they have read all; the other steps write each row at once.
    """
    from toolconv.cli.messages import log
    from toolconv.cli.progress import Progress, flushing
    from toolconv.cli.receipt import options_of, write_account
    from toolconv.io.inputs import STDIN
    from toolconv.lint.engine.rewrite import Buffer

    names = list(given["files"]) or [STDIN]
    run = _run_of(given)
    with ExitStack() as unfinished:
        outputs = _outputs(given, unfinished)
        hidden = given["no_progress"] or given["quiet"] or (given["output"] is None and sys.stdout.isatty())
        with Progress(names, hidden=hidden) as progress:
            buffers = [Buffer(output) for output in outputs]
            run.run(names, lambda part, text: buffers[part].data(text), flushing(buffers, progress))
        for buffer in buffers:
            buffer.flush()
        for output in outputs:
            output.finish()
        if run.digests is not None:
            from toolconv import __version__

            parts = {output.name or "<stdout>": count for output, count in zip(outputs, run.written, strict=True)}
            digests = {output.name or "<stdout>": output.sha256() for output in outputs}
            document = {"toolconv": __version__, "options": options_of(given, RECEIPT_OPTIONS), "files": run.digests}
            write_account(given, document | {"selection": run.account(parts)}, digests)
    if not given["quiet"]:
        for place in run.places:
            log(f"{place.file}:{place.line}: rejected: {place.reason}")
        for notice in (*run.notices(), *(notice for output in outputs for notice in output.notices)):
            log(notice)
        log(_summary(run, [name for name, _ in given["split"] or ()]))
    return 1 if run.rejects else 0


def _run_of(given: Mapping[str, Any]) -> SelectRun:
    """The run that the options ask for."""
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.reading import read_options
    from toolconv.select.expression import parse_name
    from toolconv.select.facts import FACTS
    from toolconv.select.groups import GroupLimits
    from toolconv.select.run import SelectRun

    split, balance = given["split"], given["balance"]
    if split and abs(sum(share for _, share in split) - 1) > 1e-9:
        raise click.UsageError(f"the shares of --split add up to {sum(share for _, share in split):g}, not to 1")
    if split and len({name for name, _ in split}) < len(split):
        raise click.UsageError("two parts of --split have the same name")
    if split and given["output"] is None:
        raise click.UsageError("--split needs -o FOLDER, for one file for each part")
    if balance and [name for name, _ in balance] != ["no-call"]:
        raise click.UsageError("--balance takes no-call=SHARE, the share of rows without calls")
    drawn = given["mix"] or ((given["quota"] or given["cap"]) and not given["sort"])
    if given["limit"] is not None and (given["sample"] is not None or balance or drawn):
        raise click.UsageError("--limit takes the first rows: with a random choice, use --sample")
    if given["mix"] and len(given["mix"]) != len(set(given["files"])):
        files = len(given["files"])
        raise click.UsageError(
            f"--mix needs a weight for each file, and each file once: {len(given['mix'])} for {files}"
        )
    if given["mix"] and (balance or given["quota"] or given["cap"]):
        raise click.UsageError(
            "--mix decides how many rows there are of each file: use the other choices in another run"
        )
    conditions = _conditions(given)
    limits = given["quota"] or given["cap"]
    if not limits and click.get_current_context().get_parameter_source("by") is not ParameterSource.DEFAULT:
        raise click.UsageError("--by names the groups of --quota or --cap: give one of them")
    by = parse_name(given["by"], FACTS, "--by") if limits else None
    sort = [(parse_name(name.removeprefix("-"), FACTS, "--sort"), name.startswith("-")) for name in given["sort"]]
    names = [each.name for condition in conditions for each in condition.comparisons]
    names += [name for name, _ in sort] + ([by] if by else [])
    return SelectRun(
        options=read_options(given["source"], given["from_layout"], given),
        conditions=conditions,
        linter=_linter(conditions, names),
        weights=given["mix"],
        by=by,
        limits=GroupLimits(_limits(given["quota"]), _limits(given["cap"])) if limits else None,
        sort=sort,
        count_tokens=_token_counter(given, names),
        dedupe=given["dedupe"],
        no_call=balance[0][1] if balance else None,
        sample=given["sample"],
        limit=given["limit"],
        shares=[share for _, share in split] if split else (1.0,),
        seed=given["seed"],
        log=log_nothing if given["quiet"] else log,
        digests={} if given["receipt"] else None,
    )


def _conditions(given: Mapping[str, Any]) -> list[Condition]:
    """The conditions of ``--where``, ``--tool`` and ``--calls``."""
    from toolconv.core import jsontext
    from toolconv.select.expression import parse
    from toolconv.select.facts import FACTS

    found = [parse(text, FACTS) for text in given["where"]]
    if given["tool"]:
        text = " or ".join(f"calls = {jsontext.dumps(name).decode()}" for name in given["tool"])
        found.append(parse(text, FACTS, " ".join(f"--tool {name}" for name in given["tool"])))
    if given["calls"] and (match := RANGE.fullmatch(given["calls"])):
        first, dots, last = match.groups()
        text = f"calls >= {first}" + (f" and calls <= {last or first}" if last or not dots else "")
        found.append(parse(text, FACTS, f"--calls {given['calls']}"))
    return found


def _limits(numbers: tuple[tuple[str | None, int], ...] | None) -> Limits | None:
    """The numbers of ``--quota`` or ``--cap``."""
    from toolconv.select.groups import Limits

    if numbers is None:
        return None
    return Limits(dict(numbers).get(None), {name: number for name, number in numbers if name is not None})


def _token_counter(given: Mapping[str, Any], names: Sequence[Operand]) -> Callable[[str], int] | None:
    """What counts tokens, if a name asks for it."""
    from toolconv.select.facts import TOKENS

    if not any(name.fact == TOKENS for name in names):
        if given["tokenizer"]:
            raise click.UsageError("--tokenizer counts the fact tokens: use it in --where, --sort or --by")
        return None
    if not given["tokenizer"]:
        raise click.UsageError("tokens are counted by a tokenizer: name its tokenizer.json with --tokenizer")
    from toolconv.core.tokenizer import counter

    return counter(given["tokenizer"])


def _linter(conditions: Sequence[Condition], names: Sequence[Operand]) -> Linter | None:
    """The linter for facts about findings, with the rules that conditions name; ``None`` if no name asks for them."""
    from toolconv.select.facts import LINTED

    asked = [each for condition in conditions for each in condition.comparisons if each.name.fact in LINTED]
    if not any(name.fact in LINTED for name in names):
        return None
    from toolconv.cli.linters import make_linter
    from toolconv.lint.engine.selection import find

    words = [each.value for each in asked if isinstance(each.value, str)]
    for each in asked:
        if isinstance(each.value, str) and each.operator != "~":
            codes = find(each.value)
            if len(codes) == 1:
                each.value = codes[0]
    return make_linter({"extend_select": words})


def _outputs(given: Mapping[str, Any], unfinished: ExitStack) -> list[Output]:
    """The output, or one for each part; abandoned unless they are finished."""
    from toolconv.core.errors import FileError
    from toolconv.io.outputs import Output

    names: list[str | None] = [given["output"]]
    if given["split"]:
        folder = Path(given["output"])
        unfinished.callback(_remove_empty, [each for each in (folder, *folder.parents) if not each.exists()])
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{given['output']}: {error.strerror or error}") from None
        names = [str(folder / f"{name}.jsonl") for name, _ in given["split"]]
    outputs = []
    for name in names:
        outputs.append(Output(name, digest=bool(given["receipt"])))
        unfinished.callback(outputs[-1].abandon)
    return outputs


def _remove_empty(folders: Sequence[Path]) -> None:
    """Remove folders that a run made for its parts, if no part was finished."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def _summary(run: SelectRun, parts: Sequence[str]) -> str:
    """The account in one line."""
    from toolconv.core.plural import plural

    parts_of_line = [f"{plural(run.rows_in, 'row')} in, {run.rows_out:,} out"]
    if parts:
        parts_of_line[0] += (
            f" ({', '.join(f'{name} {count:,}' for name, count in zip(parts, run.written, strict=True))})"
        )
    if run.rejects:
        parts_of_line.append(f"{run.rejects:,} rejected")
    if left := sum(run.left_out.values()):
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in run.left_out.items() if count)
        parts_of_line.append(f"{left:,} left out ({reasons})")
    if run.losses:
        parts_of_line.append(f"losses: {', '.join(f'{name} {count:,}' for name, count in run.losses.items())}")
    if run.limit is not None and run.rows_out == run.limit:
        parts_of_line.append("stopped at the limit")
    return "; ".join(parts_of_line)
