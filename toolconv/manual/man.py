"""The manual pages: one for the program, one for each command, the library, and the references in section 7."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import click

from toolconv import __version__
from toolconv.cli import program
from toolconv.cli.group import EXAMPLES, cli
from toolconv.cli.lazy import COMMANDS
from toolconv.manual import library
from toolconv.manual.reference import REFERENCES
from toolconv.manual.roff import ManPage, bold, inline, italic, literal

DATE: Final = "2026-11-22"
"""The date of this version; it is fixed so that pages are reproducible."""

STATUSES: Final = {
    "0": "Success; for **lint** and **diff**: nothing was found.",
    "1": "Finished, but something was rejected, unreadable or found; each command's page gives the details.",
    "2": "Wrong usage or unreadable input.",
    "130, 143, 129": "Interrupted (Ctrl-C, SIGTERM, SIGHUP). No output file appears; ``--resume`` uses partial ones.",
}
ENVIRONMENT: Final = {
    "TOOLCONV_JOBS": "The default of ``--jobs``.",
    "TOOLCONV_NO_PROGRESS": "Set to ``1`` to hide progress bars, like ``--no-progress``.",
    "NO_COLOR": "If set, output has no colours.",
    "SOURCE_DATE_EPOCH": "The date that chat templates print, as seconds since 1970; the default is today.",
}
EXTRAS: Final = """\
Some features need packages that are not installed by default. Extras install them, as in ``pip install
'toolconv[zstd,parquet]'``: ``zstd`` for ``.zst`` files, ``parquet`` for ``.parquet`` files, ``jinja`` for your own chat
templates, ``tokens`` for token counts.
"""


def pages() -> dict[str, str]:
    """The pages by file name."""
    found = {"toolconv.1": _program()}
    for name in program.commands():
        found[f"toolconv-{name}.1"] = _command(name)
    for reference in REFERENCES:
        page = _page(f"toolconv-{reference.name}", 7, reference.summary)
        reference.write(page)
        _see(page, [f"toolconv-{reference.name}(1)", *reference.see, "toolconv(1)"])
        found[f"toolconv-{reference.name}.7"] = str(page)
    page = _page("toolconv-library", 3, library.SUMMARY)
    library.write(page)
    _see(page, ["toolconv(1)", "toolconv-convert(1)", "toolconv-lint(1)", "toolconv-layouts(7)"])
    found["toolconv-library.3"] = str(page)
    return found


def _page(name: str, section: int, summary: str) -> ManPage:
    page = ManPage(name, section, DATE, f"toolconv {__version__}", "toolconv manual")
    page.heading("Name")
    page.raw(f"{literal(name)} \\- {inline(summary)}")
    return page


def _program() -> str:
    page = _page("toolconv", 1, "convert tool calls between model dialects and dataset layouts, and check them")
    page.heading("Synopsis")
    page.raw(
        rf"{bold('toolconv')} \fICOMMAND\fR [\fIOPTIONS\fR] [\fIARGS\fR]...",
        *(".br", bold("toolconv --help")),
        *(".br", bold("toolconv --version")),
    )
    page.heading("Description")
    page.prose(_description(cli))
    page.prose(EXTRAS)
    page.heading("Commands")
    for title, commands in COMMANDS.items():
        page.subheading(title)
        for name, summary in commands.items():
            page.item(_reference(f"toolconv-{name}(1)"), summary)
    page.heading("Options")
    _options(page, program.options(""), program.context())
    _terms(page, "Exit status", STATUSES)
    _terms(page, "Environment", ENVIRONMENT)
    _examples(page, EXAMPLES)
    pages = [f"toolconv-{name}(1)" for name in program.commands()]
    _see(page, [*pages, "toolconv-library(3)", *(f"toolconv-{reference.name}(7)" for reference in REFERENCES)])
    return str(page)


def _command(name: str) -> str:
    command, here = program.commands()[name], program.context(name)
    summary = program.summary(name)
    page = _page(f"toolconv-{name}", 1, summary[0].lower() + summary[1:])
    page.heading("Synopsis")
    page.raw(f"{bold(f'toolconv {name}')} {_usage(command.collect_usage_pieces(here))}")
    page.heading("Description")
    page.prose(_description(command))
    page.heading("Options")
    sections = command.sections(here)
    for title, options in sections.items():
        if len(sections) > 1:
            page.subheading("Help" if title == "Options" else title)
        _options(page, options, here)
    _terms(page, "Exit status", {str(status): _sentence(meaning) for status, meaning in command.statuses.items()})
    variables = {word: ENVIRONMENT[word] for option in program.options(name) if isinstance(word := option.envvar, str)}
    _terms(page, "Environment", {**variables, **command.environment})
    _terms(page, "Files", command.files)
    _examples(page, command.examples)
    _see(page, [*command.see, "toolconv(1)"])
    return str(page)


def _description(command: click.Command) -> str:
    """The docstring of a command: the help, and the part that only the manual shows."""
    return "\n\n".join(part.strip() for part in inspect.cleandoc(command.help or "").split("\f"))


def _usage(pieces: Iterable[str]) -> str:
    return re.sub(r"[A-Z]+", lambda word: italic(word[0]), " ".join(pieces))


def _options(page: ManPage, options: Iterable[click.Option], here: click.Context) -> None:
    for option in options:
        record = option.get_help_record(here)
        if record is not None:
            names, text = record
            page.item(_names(names), text)


def _names(names: str) -> str:
    """An option's names and choices in bold, the name of its value in italics."""
    value = bold if "[" in names else italic
    return re.sub(
        r"(?P<flag>--?[a-z][a-z-]*)|[\w/]+", lambda word: bold(word[0]) if word["flag"] else value(word[0]), names
    )


def _terms(page: ManPage, title: str, terms: Mapping[str, str]) -> None:
    if terms:
        page.heading(title)
        for term, meaning in terms.items():
            page.item(bold(term), meaning)


def _examples(page: ManPage, examples: Sequence[tuple[str, str]]) -> None:
    if examples:
        page.heading("Examples")
        for what, line in examples:
            page.prose(f"{what}:")
            page.example(line)


def _see(page: ManPage, names: Iterable[str]) -> None:
    page.heading("See also")
    page.raw(",\n".join(map(_reference, names)))


def _reference(name: str) -> str:
    """The name of a page with its section."""
    return f"{bold(name[:-3])}{name[-3:]}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].rstrip(".") + "."
