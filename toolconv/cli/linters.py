"""The linters that the options of commands and the configuration ask for, and their settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.detect import Detector
    from toolconv.lint.engine.linter import Linter
    from toolconv.lint.model.finding import Safety
    from toolconv.lint.run import LintWatcher

TRAINER_RULES = ("TC601", "TC602", "TC603", "TC604")
RULE_FLAGS = {
    "eval_files": ("eval", ("TC510",)),
    "max_chars": ("max-chars", ("TC514",)),
    "max_tokens": ("max-tokens", ("TC514",)),
    "tokenizer": ("tokenizer", ("TC514",)),
    "target": ("target", ("TC207", "TC311", "TC410", "TC514")),
    "trainer": ("trainer", TRAINER_RULES),
}
"""Options of the command that set an option of some rules and turn these rules on."""


def settings_text(given: Mapping[str, Any]) -> str:
    """The settings that apply: the file they come from, the rules, their levels, options and ignores."""
    datasets = datasets_of(given, given["files"] or ["-"])
    return "\n".join(_settings_of({**given, "config": config}) for config, _ in datasets)


def datasets_of(given: Mapping[str, Any], names: Sequence[str]) -> list[tuple[str | None, list[str]]]:
    """The inputs of each dataset, with its configuration: files with one are one dataset, or each is one."""
    from toolconv.lint.engine.config import nearest

    found: list[tuple[str | None, list[str]]] = []
    for name in names:
        config = given["config"] if given["config"] or given["isolated"] else nearest(name)
        known = () if given["each"] else (files for other, files in found if other == config)
        if (files := next(iter(known), None)) is not None:
            files.append(name)
        else:
            found.append((config, [name]))
    return found


def _settings_of(given: Mapping[str, Any]) -> str:
    """The settings of one dataset."""
    linter = make_linter(given)
    config = linter.config
    lines = [f"file: {config.path or 'none'}"]
    if linter.baseline is not None:
        lines.append(f"baseline: {given.get('baseline') or config.baseline}")
    for pattern, codes in config.per_file_ignores:
        lines.append(f"ignored in {pattern}: {', '.join(sorted(codes))}")
    for name, codes in config.per_row_ignores.items():
        lines.append(f"ignored in the row {name}: {', '.join(sorted(codes))}")
    if linter.unfixable:
        lines.append(f"not fixed: {', '.join(sorted(linter.unfixable))}")
    if linter.removable:
        lines.append(f"may remove rows: {', '.join(sorted(linter.removable))}")
    lines.append(f"rules: {len(linter.rules)}")
    for rule in linter.rules:
        level = config.severity.get(rule.code, rule.level)
        options = ", ".join(f"{name} = {rule.option(name)!r}" for name in rule.options)
        lines.append(f"  {rule.code} {rule.name}: {level}{f' ({options})' if options else ''}")
    return "\n".join(lines) + "\n"


def format_of(report: str) -> str:
    """The format of a report, by its suffix."""
    from toolconv.lint.reporters import BY_SUFFIX

    suffix = Path(report).suffix.lower()
    found = BY_SUFFIX.get(suffix) if suffix else "full"
    if found is None:
        raise click.UsageError(f"--report {report}: the suffix names no format; known are {', '.join(BY_SUFFIX)}")
    return found


def make_linter(given: Mapping[str, Any]) -> Linter:
    """The linter that the options and the configuration ask for; runs in worker processes, too.

    Raises:
        ConfigError, BaselineError, UnknownRule: the configuration, the baseline or an option is wrong.
        FileError: a file that an option names can't be read.
    """
    from toolconv.cli.reading import dialect_files
    from toolconv.convert.declared_tools import tools_of
    from toolconv.core.errors import FileError
    from toolconv.derive.files import register_file
    from toolconv.lint.engine.baseline import Baseline
    from toolconv.lint.engine.config import Config, codes_of, load, rule_options, unfixable
    from toolconv.lint.engine.linter import Linter
    from toolconv.lint.engine.selection import Selection, named

    for path in dialect_files(given.get("source")):
        register_file(path)
    config = Config() if given.get("isolated") else load(given.get("config"))
    options: dict[str, dict[str, Any]] = {}
    for flag, (option, codes) in RULE_FLAGS.items():
        for code in codes if given.get(flag) else ():
            options.setdefault(code, {}).update(rule_options(code, {option: given[flag]}, "options")[code])
    for code in TRAINER_RULES[1:] if given.get("trainer") and given.get("target") else ():
        options[code].update(rule_options(code, {"target": given["target"]}, "options")[code])
    for text in given.get("settings", ()):
        for code, found in _setting(text).items():
            options.setdefault(code, {}).update(found)
    if given.get("per_file_ignores"):
        patterns = tuple(map(_file_ignore, given["per_file_ignores"]))
        config = replace(config, per_file_ignores=(*config.per_file_ignores, *patterns))
    select, extend_select, ignore = (rule_words(given.get(name, ())) for name in ("select", "extend_select", "ignore"))
    flagged = [code for flag, (_, codes) in RULE_FLAGS.items() if given.get(flag) for code in codes]
    marking = rule_words(given.get("mark", ()))
    by_name = [word for word in marking if named([word])]
    selection = Selection(select or None, (*extend_select, *flagged, *by_name), ignore)
    not_fixed = unfixable(
        rule_words(given.get("fixable", ())) or config.fixable,
        (*config.unfixable, *rule_words(given.get("unfixable", ()))),
    )
    known = None if given.get("write_baseline") else given.get("baseline") or config.baseline
    kinds: dict[Safety, Any] = {
        "safe": given.get("fix") or (given.get("diff") and not marking),
        "unsafe": given.get("unsafe_fixes"),
    }
    baseline = Baseline.read(Path(known)) if known else None
    try:
        fix = frozenset(kind for kind, on in kinds.items() if on)
        given_tools = tools_of(given.get("declared", ""))
        summarise = "html" in (given.get("output_format"), *map(format_of, given.get("reports", ())))
        removable = named((*rule_words(given.get("fixable", ())), *config.fixable))
        return Linter(
            config, [selection], options, baseline, fix, given_tools, not_fixed, summarise, removable,
            codes_of(marking), given.get("purpose"), bool(given.get("add_ignores")), bool(given.get("preview")),
        )  # fmt: skip
    except OSError as error:  # a file that a rule's option names
        raise FileError(f"{error.filename}: {error.strerror}") from None


def _setting(text: str) -> dict[str, dict[str, Any]]:
    """The options that ``RULE.OPTION=VALUE`` sets, by code; the value is JSON, or else text."""
    from toolconv.core import jsontext
    from toolconv.lint.engine.config import rule_options

    name, equals, value = text.partition("=")
    rule, dot, option = name.partition(".")
    if not equals or not dot:
        raise click.UsageError(f"--set {text}: write RULE.OPTION=VALUE, such as TC501.min-no-call-ratio=0.1")
    try:
        read = jsontext.loads(value.encode())
    except ValueError:
        read = value
    return rule_options(rule, {option: read}, "--set")


def _file_ignore(text: str) -> tuple[str, frozenset[str]]:
    """The pattern and codes of ``PATTERN:RULES``."""
    from toolconv.lint.engine.config import codes_of

    pattern, colon, words = text.rpartition(":")
    if not colon or not pattern:
        raise click.UsageError(f"--per-file-ignores {text}: write PATTERN:RULES, such as 'old/*.jsonl:TC4'")
    return pattern, codes_of(rule_words([words]))


def rule_words(given: Iterable[str]) -> tuple[str, ...]:
    """The codes, prefixes and names of rules in an option's values, which commas or spaces separate."""
    return tuple(word for item in given for word in item.replace(" ", ",").split(",") if word)


def watcher_of(given: dict[str, Any], declared: str, log: Callable[[str], None]) -> LintWatcher:
    """The linter for another command, with its input options; writes findings to stderr.

    Args:
        given: the command's options.
        declared: the tools of ``--declare``, as text.
        log: takes the summary.
    """
    from toolconv.cli.reading import layout_in, source_name
    from toolconv.lint.engine.rewrite import Buffer
    from toolconv.lint.reporters.base import wants_colour
    from toolconv.lint.reporters.report import FindingsReport
    from toolconv.lint.run import LintWatcher

    linter = make_linter({"declared": declared})
    report = FindingsReport(Buffer(sys.stderr.buffer), linter.rules, colour=wants_colour(sys.stderr))
    layout = layout_in(given["from_layout"], given.get("from_template"))
    source = given["source"]
    detector = detector_of(given, source and source_name(source), layout)
    return LintWatcher(linter, detector, report, log, redact=given["redact"])


def detector_of(given: Mapping[str, Any], dialect: str | None, layout: str | None) -> Detector:
    """What detects the format of the inputs, as far as the options don't give it."""
    from toolconv.cli.reading import places_of
    from toolconv.convert.detect import Detector

    return Detector(
        layout,
        dialect,
        given["text_key"],
        prompt_key=given["prompt_key"],
        **places_of(given, isolated=bool(given.get("isolated"))),
        records=cli.records_of(given),
        infer=given.get("untyped", "infer") == "infer",
        each_call=bool(given.get("each_call")),
        template=given.get("from_template"),
    )
