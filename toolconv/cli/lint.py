"""``lint``: check a dataset, fix it, or pass on only the rows without errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli
from toolconv.cli.linters import datasets_of, detector_of, format_of, make_linter, rule_words, settings_text

if TYPE_CHECKING:
    from toolconv.io.outputs import Output
    from toolconv.lint.engine.linter import Linter
    from toolconv.lint.engine.rewrite import Buffer
    from toolconv.lint.rule import Rule
    from toolconv.lint.run import LintRun


FORMATS = ("full", "concise", "grouped", "html", "json", "jsonl", "github", "gitlab", "sarif", "junit")
LEVELS = ("error", "warning", "info")
PURPOSES = ("sft", "rl", "eval", "trace")
RECEIPT_OPTIONS = (
    "source", "from_layout", "from_template", "each_call", "declare", "text_key", "prompt_key", "messages_key",
    "tools_key", "roles", "lines", "null", "untyped", "select", "extend_select", "preview", "ignore", "filtering",
    "fix", "unsafe_fixes", "fixable", "unfixable", "mark", "add_ignores", "each", "purpose", "target", "trainer",
)  # fmt: skip


SECTIONS = {
    "Main options": (
        cli.source,
        cli.option("--select", multiple=True, type=cli.RULES,
                   help="Check only these rules: codes, prefixes, names or ALL; with commas or in several options."),
        cli.option("--ignore", "--extend-ignore", "ignore", multiple=True, type=cli.RULES,
                   help="Don't check these rules, nor those that the configuration ignores."),
        cli.option("--preview", is_flag=True, help="Also check the rules of the preview tier."),
        cli.option("--for", "purpose", type=click.Choice(PURPOSES),
                   help="What the rows are for: prompts for rl and eval need no answer, and a trace needs no "
                   "declarations.  [default: what each row's layout and keys say]"),
        cli.option("--target", "--template", "--chat-template", "target", type=cli.TARGET,
                   help="Target of the dataset: the student's chat template, by name or as a file, or openai or "
                   "anthropic. Reports what it does not accept (TC207, TC311, TC410)."),
        cli.option("--trainer", type=cli.TRAINER,
                   help="Trainer or upload of the dataset. Reports what it does with the rows, in the student's "
                   "template if --target names it (TC6)."),
        cli.option("--output-format", type=click.Choice(FORMATS),
                   help="Format of the findings.  [default: full; on a terminal, grouped if there are more than 100]"),
        cli.option("--statistics", is_flag=True, help="Show counts by rule instead of findings."),
        cli.option("--report", "reports", multiple=True, type=cli.OUTPUT,
                   help="Write the findings to FILE, in the format of its suffix: .html, .json, .jsonl, .sarif, .xml, "
                   ".txt. With --output-format, they are also written to stdout."),
        cli.option("--fail-on", type=click.Choice(("error", "warning", "info")), default="info", show_default=True,
                   help="Return 1 only if there are findings of this level or a higher one."),
        cli.option("--fix", is_flag=True,
                   help="Apply safe fixes to the files; fixed standard input is written to stdout."),
        cli.option("--unsafe-fixes", is_flag=True,
                   help="With --fix or --diff: also apply fixes that may change the meaning."),
        cli.option("--diff", is_flag=True, help="Show what --fix or --mark would change, without changing anything."),
        cli.option("--filter", "filtering", is_flag=True, help="Write the rows without errors to stdout, unchanged."),
        cli.option("-o", "--output", type=cli.OUTPUT, help="With --filter: write the rows to FILE."),
        cli.option("-q", "--quiet", is_flag=True, help="Write no summary to stderr."),
    ),
    "Input": (
        cli.from_layout,
        cli.from_template,
        *cli.places,
        cli.text_key,
        cli.prompt_key,
        cli.lines,
        cli.declare,
        cli.each_call,
        cli.option("--each", is_flag=True, help="Check each file as a dataset of its own, instead of all as one."),
    ),
    "Rules": (
        cli.option("--extend-select", multiple=True, type=cli.RULES, help="Also check these rules."),
        cli.option("--set", "settings", multiple=True, metavar="RULE.OPTION=VALUE",
                   help="Set an option of a rule, such as TC501.min-no-call-ratio=0.1: see 'toolconv rules RULE'."),
        cli.option("--eval", "eval_files", multiple=True, type=cli.ROW_FILE,
                   help="An evaluation set; reports its prompts in the dataset (TC510)."),
        cli.option("--max-chars", type=click.IntRange(min=1), metavar="N", help="Longest row, in characters (TC514)."),
        cli.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Longest row, in tokens (TC514)."),
        cli.option("--tokenizer", type=cli.FILE, help="With --max-tokens: the tokenizer.json that counts the tokens."),
        cli.option("--config", type=cli.FILE, help="Read this configuration file instead of searching for one."),
        cli.option("--isolated", is_flag=True, help="Read no configuration file."),
    ),
    "Findings": (
        cli.option("--max-findings", type=click.IntRange(min=0), metavar="N",
                   help="Show only the first N, or the first N causes; all are counted."),
        cli.option("--baseline", type=cli.FILE, help="A file of known findings, which are not reported."),
        cli.option("--write-baseline", type=cli.OUTPUT,
                   help="Write the findings to FILE, for later use with --baseline."),
        cli.receipt,
    ),
    "Fixes": (
        cli.option("--show-fixes", is_flag=True, help="With --fix: list what was fixed, by rule and row."),
        cli.option("--fixable", multiple=True, type=cli.RULES,
                   help="Fix only findings of these rules. Rules that remove rows, such as TC508, do so only if "
                   "named."),
        cli.option("--unfixable", multiple=True, type=cli.RULES, help="Don't fix findings of these rules."),
        cli.option("--mark", multiple=True, type=cli.RULES,
                   help="Set the assistant's turns with findings of these rules to not trained on, in the files."),
        cli.option("--add-ignore", "add_ignores", is_flag=True,
                   help="Write the rules of the findings into their rows, as rules to ignore, in the files."),
    ),
    "Run": (cli.jobs,),
    "Rarely needed": (
        cli.null,
        cli.untyped,
        cli.option("--per-file-ignores", multiple=True, metavar="PATTERN:RULES",
                   help="Don't check these rules in files whose name or path matches the pattern."),
        cli.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True,
                   help="Whether findings are in colour."),
        cli.option("--exit-zero", is_flag=True, help="Return 0 even if there are findings."),
        cli.option("--show-settings", is_flag=True, help="Show the settings that apply, and check nothing."),
        cli.option("--stdin-filename", metavar="NAME",
                   help="Name of standard input in findings and for --per-file-ignores."),
        cli.max_line,
        cli.no_progress,
    ),
}  # fmt: skip
"""The options by the headings of the help: first those of most runs."""


@cli.command(
    examples=(
        ("Check a dataset", "toolconv lint fixtures/teacher.jsonl"),
        (
            "Check only the calls against the declared tools, with one finding per line",
            "toolconv lint fixtures/teacher.jsonl --select TC1 --output-format concise",
        ),
        (
            "Keep only the rows without errors, in a pipe",
            "toolconv parse -q fixtures/teacher.jsonl | toolconv lint --filter > clean.jsonl",
        ),
    ),
    statuses={0: "no findings of the level of --fail-on", 1: "findings"},
    environment={
        "NO_COLOR": "If set, show no colours.",
        "FORCE_COLOR": "If set, show colours even if the output is no terminal.",
    },
    files={
        "pyproject.toml, toolconv.toml": "Settings, from the nearest folder that has them: see toolconv-rules(7).",
    },
    see=("toolconv-rules(1)", "toolconv-rules(7)", "toolconv-convert(1)"),
)
@cli.files
@cli.sections(SECTIONS)
def lint(**given: Any) -> int:
    """Check function-calling datasets.

    Reads standard input if no FILES are given. 'toolconv rules' lists the rules.

    \f
    Rows may be in any layout that toolconv reads, and calls in their texts in any dialect. Without ``--select``, the
    rules enabled by default and by the configuration are checked.

    A file is replaced by its fixed version only after it was read completely. Findings to tolerate can be written to a
    baseline; later runs don't report them.
    """
    from toolconv.cli.messages import log
    from toolconv.cli.progress import Progress
    from toolconv.cli.reading import declared_in
    from toolconv.cli.receipt import write_receipt
    from toolconv.core.plural import plural
    from toolconv.io.outputs import write_file
    from toolconv.lint.engine.baseline import known_and_gone
    from toolconv.lint.run import check_datasets

    _check_usage(given)
    given["declared"] = declared_in(given)
    names = list(given["files"]) or ["-"]
    if given["show_settings"]:
        click.echo(settings_text(given), nl=False)
        return 0
    with ExitStack() as outputs:
        opened: list[Output] = []
        hashed: list[Output] = []
        datasets = datasets_of(given, names)
        first = {**given, "config": datasets[0][0]}
        run = _run_of(first, names, partial(_open, opened, outputs, hashed))
        runs = [(run, datasets[0][1])]
        for config, files in datasets[1:]:
            make = partial(make_linter, {**given, "config": config})
            runs.append((replace(run, linter=make(), make_linter=make), files))
        bar = Progress(names, hidden=given["no_progress"] or given["quiet"])
        for buffer in (run.report.buffer, run.rows):
            if buffer is not None:
                buffer.before = bar.clear
        with bar as progress:
            check_datasets(runs, progress)
        if run.baseline is not None:
            write_file(given["write_baseline"], run.baseline.as_bytes())
        for output in opened:
            output.finish()
        if run.receipt is not None:
            written = {output.name or "<stdout>": output.sha256() for output in hashed}
            write_receipt(given, RECEIPT_OPTIONS, run.receipt, run.digests, run.replaced | written)
    tally = run.report.tally
    if not given["quiet"]:
        for line in (*_target_warnings(run.linter), *(line for output in opened for line in output.notices)):
            log(line)
        for line in () if given["diff"] else run.report.removed:
            log(line)
        for line in (f"{rule.code}: {note}" for rule in run.linter.rules for note in rule.notes()):
            log(line)
        for line in run.report.fixes():
            log(f"fixed: {line}")
        for rule in _unchecked(given, run.linter):
            log(f"{rule.code} {rule.name} was not checked: it needs its option {' or '.join(rule.needs)}")
        for line in tally.marked.notes():
            log(line)
        if run.report.hidden:
            log(f"… and {run.report.hidden:,} more")
        log(tally.summary(would=given["diff"]))
        if (known := known_and_gone(run.linter.baseline for run, _ in runs)) is not None:
            are = "is" if known[1] == 1 else "are"
            log(f"Of {plural(known[0], 'finding')} in the baseline, {known[1]:,} {are} gone.")
        if given["write_baseline"]:
            log(f"Wrote the baseline {given['write_baseline']}.")
    if given["write_baseline"] or given["exit_zero"] or given["add_ignores"]:
        return 0
    if given["diff"]:
        return 1 if tally.fixed or tally.marked.turns else 0
    levels = LEVELS[: LEVELS.index(given["fail_on"]) + 1]
    return 1 if any(tally.levels[level] for level in levels) else 0


def _unchecked(given: Mapping[str, Any], linter: Linter) -> list[Rule]:
    """The rules that were asked for by name, and that need an option; --target turns some on that nobody asked for."""
    from toolconv.lint.engine.selection import named

    asked = named([*rule_words((*given["select"], *given["extend_select"])), *linter.config.selection.named_words])
    return [rule for rule in linter.unchecked if rule.code in asked]


def _target_warnings(linter: Linter) -> list[str]:
    """What the target's template lacks."""
    from toolconv.lint.target import TargetRule

    templates = [rule.template for rule in linter.rules if isinstance(rule, TargetRule)]
    return list(dict.fromkeys(line for each in templates if each is not None for line in each.warnings))


def _open(
    opened: list[Output], outputs: ExitStack, hashed: list[Output], name: str | None, *, digest: bool = False
) -> Buffer:
    """Open an output; it is abandoned unless it is finished."""
    from toolconv.io.outputs import Output
    from toolconv.lint.engine.rewrite import Buffer

    output = Output(name, digest=digest)
    opened.append(output)
    if digest:
        hashed.append(output)
    outputs.callback(output.abandon)
    return Buffer(output)


def _run_of(given: dict[str, Any], names: list[str], open_output: Callable[..., Buffer]) -> LintRun:
    """The run that the options ask for."""
    from toolconv.cli.reading import layout_in, source_name
    from toolconv.convert.receipt import Receipt
    from toolconv.io.inputs import MAX_LINE_BYTES
    from toolconv.lint.engine.baseline import Baseline
    from toolconv.lint.engine.rewrite import Buffer
    from toolconv.lint.reporters.base import wants_colour
    from toolconv.lint.reporters.report import FindingsReport
    from toolconv.lint.run import LintRun

    dialect = source_name(given["source"])
    layout = layout_in(given["from_layout"], given["from_template"])
    linter = make_linter(given)
    changes = not given["diff"] and (given["fix"] or given["mark"] or given["add_ignores"])
    digest = bool(given["receipt"])
    rows = open_output(given["output"], digest=digest) if given["filtering"] or (changes and "-" in names) else None
    reports = given["reports"]
    copies = [
        FindingsReport(
            open_output(name), linter.rules, format_of(name), limit=given["max_findings"],
            silent=given["diff"] or bool(given["write_baseline"]),
        )
        for name in reports
    ]  # fmt: skip
    if rows is not None:
        buffer, colour = Buffer(sys.stderr.buffer), wants_colour(sys.stderr, given["color"])
    else:
        buffer, colour = open_output(None), wants_colour(sys.stdout, given["color"])
    on_terminal = rows is None and sys.stdout.isatty()
    report = FindingsReport(
        buffer,
        linter.rules,
        given["output_format"] or (None if on_terminal else "full"),
        colour=colour,
        limit=given["max_findings"],
        statistics=given["statistics"],
        silent=given["diff"] or bool(given["write_baseline"] or (reports and not given["output_format"])),
        copies=copies,
        list_fixes=given["show_fixes"],
    )
    return LintRun(
        linter=linter,
        make_linter=partial(make_linter, given),
        detector=detector_of(given, dialect, layout),
        report=report,
        mode="filter" if given["filtering"] else "fix" if changes else "diff" if given["diff"] else "check",
        rows=rows,
        receipt=Receipt(full=True) if given["receipt"] else None,
        baseline=Baseline() if given["write_baseline"] else None,
        jobs=given["jobs"],
        max_line=given["max_line"] or MAX_LINE_BYTES,
        stdin_filename=given["stdin_filename"],
    )


def _check_usage(given: dict[str, Any]) -> None:
    """Reject options that can't be combined."""
    modes = [name for name in ("filtering", "fix", "diff", "write_baseline", "add_ignores") if given[name]]
    words = {"filtering": "--filter", "write_baseline": "--write-baseline", "add_ignores": "--add-ignore"}
    if len(modes) > 1:
        raise click.UsageError(f"use only one of {' and '.join(words.get(name, f'--{name}') for name in modes)}")
    for name in ("filtering", "write_baseline"):
        if given["mark"] and given[name]:
            raise click.UsageError(f"use only one of --mark and {words[name]}")
    if given["mark"] and given["add_ignores"]:
        raise click.UsageError("use only one of --mark and --add-ignore")
    if given["show_fixes"] and not given["fix"]:
        raise click.UsageError("--show-fixes needs --fix")
    for name in given["reports"]:
        format_of(name)
    if given["unsafe_fixes"] and not (given["fix"] or given["diff"]):
        raise click.UsageError("--unsafe-fixes needs --fix or --diff")
    if bool(given["max_tokens"]) != bool(given["tokenizer"]):
        raise click.UsageError("--max-tokens and --tokenizer must be used together, with a tokenizer.json")
    if given["output"] and not given["filtering"]:
        raise click.UsageError("-o needs --filter, for its rows; --report FILE is for the findings")
