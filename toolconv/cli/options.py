"""Commands and options with more than click's attributes: sections, examples, exit statuses, kinds of values.

Help, manual pages and completions are all generated from these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeVar

import click

from toolconv.core.errors import ToolconvError, UnknownName

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

OTHER = "Options"
"""The heading of options without a section, such as ``--help``; it comes last."""

STATUSES = {0: "done", 2: "wrong usage or unreadable input"}
"""Exit statuses of every command."""


MAX_JOBS = 1024
"""More processes than any machine has use for; a hundred thousand would take all of its memory."""


class Kind(click.types.StringParamType):
    """A kind of value, so that completion knows what to offer.

    Args:
        name: of the value, in usage and help.
        offers: what completion offers: ``files``, ``rows`` (files of rows) or a list in ``toolconv.cli.program``.
    """

    def __init__(self, name: str, offers: str) -> None:
        self.name = name
        self.offers = offers

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "" and self.offers in ("files", "rows"):
            self.fail("the name of the file is empty", param, ctx)
        return super().convert(value, param, ctx)


DIALECT = Kind("dialect", "dialects")
SOURCE = Kind("dialect", "sources")
LAYOUT = Kind("layout", "layouts")
WRITABLE_LAYOUT = Kind("layout", "writable_layouts")
TEMPLATE = Kind("name", "templates")
TEMPLATE_OR_FILE = Kind("template", "templates")
TARGET = Kind("target", "targets")
TRAINER = Kind("name", "trainers")
NAME = Kind("name", "names")
"""Anything that 'toolconv help' explains."""
RULE = Kind("rule", "rules")
RULES = Kind("rules", "rule_words")
FILE = Kind("file", "files")
"""A file to read."""
OUTPUT = Kind("file", "files")
"""A file to write: it must be no other file of the command."""
ROW_FILE = Kind("file", "rows")
ROWS = Kind("files", "rows")


READ = (FILE, ROW_FILE, SOURCE, TEMPLATE_OR_FILE, TARGET)
"""The kinds of values that are names of files to read, or may be."""


class Option(click.Option):
    """An option that belongs to a section of the help."""

    def __init__(self, *args: Any, section: str = OTHER, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class Command(click.Command):
    """A command whose help has sections and examples, and whose errors are one line with exit status 2.

    Args:
        examples: what each does, and the command line; they run as typed in the repository.
        statuses: exit statuses that not every command has.
        environment: variables that no option names, and what they do.
        files: files that no option names, and what they are for.
        see: other manual pages, such as ``toolconv-layouts(7)``.

    The docstring is the help; the text after a form feed appears in the manual page only.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        statuses: Mapping[int, str] | None = None,
        environment: Mapping[str, str] | None = None,
        files: Mapping[str, str] | None = None,
        see: Sequence[str] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples = examples
        self.statuses = dict(sorted({**STATUSES, **(statuses or {})}.items()))
        self.environment = environment or {}
        self.files = files or {}
        self.see = see

    def invoke(self, ctx: click.Context) -> Any:
        try:
            self._check_files(ctx.params)
            self._copy_pipes(ctx)
            self._say_it_waits(ctx.params)
            return super().invoke(ctx)
        except UnknownName as error:
            from toolconv.cli.wrong_names import explained

            raise click.ClickException(explained(error)) from None
        except ToolconvError as error:
            raise click.ClickException(str(error)) from None

    def _copy_pipes(self, ctx: click.Context) -> None:
        """Replace the pipes that options name as files by copies, since a pipe can be read only once.

        Raises:
            FileError: one can't be read.
        """
        for param in self.params:
            value = ctx.params.get(param.name or "")
            if value and param.type in READ:
                from toolconv.cli.pipes import copy_of, is_pipe

                names = [copy_of(name, ctx) if is_pipe(name) else name for name in names_in(value)]
                ctx.params[param.name or ""] = tuple(names) if isinstance(value, tuple) else names[0]

    def _say_it_waits(self, given: Mapping[str, Any]) -> None:
        """Say that a command reads standard input, if that is a terminal, where nobody may know."""
        name = next((param.name or "" for param in self.params if param.type is ROWS), None)
        if name is None or given.get("quiet") or given.get("show_settings") or not sys.stdin.isatty():
            return
        if "-" in (given.get(name) or ["-"]):
            click.echo(
                "Reading standard input: type or paste rows, then Ctrl-D; Ctrl-C stops. --help shows how.", err=True
            )

    def _check_files(self, given: Mapping[str, Any]) -> None:
        """Check that rows are there, that no file has two roles, and that those written at the end can be written.

        Raises:
            FileError: they aren't, one has, or one can't.
        """
        if {OUTPUT, ROWS}.isdisjoint(param.type for param in self.params):
            return
        from toolconv.io.folders import check_there, files_in
        from toolconv.io.outputs import check_place, check_roles

        written: dict[str, str] = {}
        read: list[str] = []
        writes = any("-o" in param.opts for param in self.params)
        for param in self.params:
            names = names_in(given.get(param.name or ""))
            if param.type is OUTPUT:
                written.update((max(param.opts, key=len), name) for name in names)
            elif param.type in (FILE, ROW_FILE):
                read += names
            elif param.type is ROWS:
                several = param.nargs == -1  # a single one that isn't given is not standard input
                rows = [file.name for file in files_in(names or (["-"] if several else []))]
                check_there(rows, "; -o names the output" if several and writes else "")
                read += rows
        check_roles(written, read)
        for option, name in written.items():
            if option not in ("-o", "--output"):  # may be a folder, and is opened before a run
                check_place(name)

    def sections(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """The options by section, in order of the sections' first options."""
        found: dict[str, list[click.Option]] = {}
        for param in self.get_params(ctx):
            if isinstance(param, click.Option):
                found.setdefault(getattr(param, "section", OTHER), []).append(param)
        return {title: found[title] for title in sorted(found, key=lambda title: title == OTHER)}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        for title, options in self.sections(ctx).items():
            records = [record for option in options if (record := option.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, exit statuses and environment."""
        if self.examples:
            with formatter.section("Examples"):
                for what, line in self.examples:
                    formatter.write(f"  {what}:\n    {line}\n")
        with formatter.section("Exit status"):
            formatter.write_dl([(str(status), meaning) for status, meaning in self.statuses.items()])
        if self.environment:
            with formatter.section("Environment"):
                formatter.write_dl(list(self.environment.items()))


def names_in(value: Any) -> list[str]:
    """The names of files in the value of an option, which may be given several times."""
    return [value] if isinstance(value, str) else list(value) if isinstance(value, tuple) else []


command = partial(click.command, cls=Command)


def option(*names: str, **attributes: Any) -> Callable[..., Decorator[Any]]:
    """An option for :func:`section`; the arguments are those of ``click.option``."""
    return partial(click.option, *names, cls=Option, **attributes)


def section(title: str, *options: Callable[..., Decorator[Any]]) -> Decorator[Any]:
    """A section of options, in this order."""

    def apply(function: F) -> F:
        for each in reversed(options):
            function = each(section=title)(function)
        return function

    return apply


def sections(
    titled: Mapping[str, Sequence[Callable[..., Decorator[Any]]]],
    *,
    without: Collection[Callable[..., Decorator[Any]]] = (),
) -> Decorator[Any]:
    """Sections of options, in this order.

    Args:
        titled: the options by the titles of their sections.
        without: options that a command doesn't have.
    """

    def apply(function: F) -> F:
        for title, options in reversed([*titled.items()]):
            function = section(title, *(each for each in options if each not in without))(function)
        return function

    return apply


def _files(_: click.Context, __: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """The files named, with those of each folder in its place."""
    from toolconv.io.folders import files_in

    try:
        return tuple(file.name for file in files_in(names))
    except ToolconvError as error:
        raise click.ClickException(str(error)) from None


def _reasoning_parser(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Refuse a name that no reasoning parser has."""
    if name is not None:
        from toolconv.dialects.reasoning_parsers import UnknownReasoningParser, reasoning_of

        try:
            reasoning_of(name)
        except UnknownReasoningParser as error:
            raise click.BadParameter(str(error)) from None
    return name


# Arguments and options of several commands.
inputs: Decorator[Any] = click.argument("files", nargs=-1, metavar="[FILES]...", type=ROWS)
"""Files and folders, as they are named."""

files: Decorator[Any] = click.argument("files", nargs=-1, metavar="[FILES]...", type=ROWS, callback=_files)
source = option("--from", "--tool-call-parser", "source", default="auto", type=SOURCE, show_default=True,
                help="Dialect of the texts; 'toolconv dialects' lists them, 'off' leaves texts alone. Or a file: a "
                "dialect file, or the chat template of the model that wrote the texts.")  # fmt: skip
from_layout = option("--from-layout", type=LAYOUT, help="Layout of the rows.  [default: detected]")
from_template = option("--from-template", type=TEMPLATE_OR_FILE,
                       help="Chat template that wrote the texts: a name, or a file.  [default: detected]")  # fmt: skip
each_call = option("--each-call", is_flag=True,
                   help="Of traces, make every model call a row, not only the last one of each trace.")  # fmt: skip
declare = option("--declare", type=FILE,
                 help="Tools for rows that declare none: a file of OpenAI's, Anthropic's, MCP's or Gemini's "
                 "declarations, or TypeScript functions.")  # fmt: skip
text_key = option("--text-key", metavar="PATH",
                  help="Dotted path of the output in a row.  [default: completion, output, …]")  # fmt: skip
prompt_key = option("--prompt-key", metavar="PATH",
                    help="Dotted path of the prompt in a row.  [default: prompt, instruction, …]")  # fmt: skip
messages_key = option("--messages-key", metavar="PATH",
                      help="Dotted path of the messages in a row.  [default: messages, conversations, …]")  # fmt: skip
tools_key = option("--tools-key", metavar="PATH", help="Dotted path of the tools in a row.  [default: tools, …]")
roles = option("--roles", metavar="NAME=ROLE,...",
               help="Roles that names of speakers mean, such as Customer=user,Clippy=assistant.")  # fmt: skip
places: tuple[Callable[..., Decorator[Any]], ...] = (messages_key, tools_key, roles)
"""The options that say where a conversation is in a row, and who speaks."""
lines = option("--lines", is_flag=True, help="Each line of the input is one model output, as plain text.")
null = option("-0", "--null", is_flag=True, help="Like --lines, with null characters between the outputs.")
reasoning_parser = option("--reasoning-parser", metavar="NAME", callback=_reasoning_parser,
                          help="Split the reasoning off as the server's reasoning parser of this name does: any name "
                          "of vLLM's or SGLang's.")  # fmt: skip
in_reasoning = option("--in-reasoning", is_flag=True,
                      help="The outputs begin inside a reasoning block, which the prompt opened.")  # fmt: skip
outputs: tuple[Callable[..., Decorator[Any]], ...] = (text_key, prompt_key, lines, null)
"""The options that say where the model outputs of an input are."""


def records_of(given: Mapping[str, Any]) -> Literal["lines", "null"] | None:
    """What separates the model outputs of an input, by ``--lines`` and ``--null``; ``None`` for an input of rows.

    Raises:
        click.UsageError: both are given, or an option that needs rows.
    """
    if not (given.get("lines") or given.get("null")):
        return None
    name = "--lines" if given["lines"] else "--null"
    others = {
        "null": "--null", "from_layout": "--from-layout", "text_key": "--text-key", "prompt_key": "--prompt-key",
        "messages_key": "--messages-key", "tools_key": "--tools-key", "roles": "--roles",
    }  # fmt: skip
    for key, other in others.items():
        if given.get(key) and other != name:
            raise click.UsageError(f"{name} reads plain text and can't be used with {other}")
    return "lines" if given["lines"] else "null"


untyped = option(
    "--untyped",
    type=click.Choice(["infer", "text"]),
    default="infer",
    show_default=True,
    help="What a value in a text becomes whose type no schema settles: what it looks like, or a string.",
)
trainer = option(
    "--trainer", type=TRAINER, help="Trainer or upload that the rows are for; 'toolconv trainers' lists them."
)
jobs = option(
    "--jobs", type=click.IntRange(1, MAX_JOBS), default=1, metavar="N", show_default=True, envvar="TOOLCONV_JOBS",
    show_envvar=True, help="Number of processes; the output is the same for any.",
)  # fmt: skip
max_line = option("--max-line-bytes", "max_line", type=click.IntRange(min=1), metavar="N",
                  help="Longest line, or raw text, to read, in bytes.  [default: 134217728]")  # fmt: skip
receipt = option("--receipt", type=OUTPUT, help="Write the account of the run to FILE, as JSON.")
no_progress = option("--no-progress", is_flag=True, envvar="TOOLCONV_NO_PROGRESS", show_envvar=True,
                     help="Show no progress bar.")  # fmt: skip
quiet = option("-q", "--quiet", is_flag=True, help="Write only errors to stderr.")
