"""Run chat templates like Hugging Face transformers does: in a sandbox, with limits on time, memory and output size.

Source: transformers.utils.chat_template_utils (``_compile_jinja_template``), version 5.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any, Final

from jinja2 import Template, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from toolconv.core.errors import shortened
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.turns import RenderError
from toolconv.templates.jinja.child import Child, Killed, OutOfMemory, OutOfTime, Timed
from toolconv.templates.jinja.missing import MissingVariables, missing_variables

SECONDS: Final = 2.0
"""The processor time to load a template, and for each conversation that it writes."""

MEMORY: Final = 1 << 30
"""The memory for one text, in bytes."""

CHARACTERS: Final = 50_000_000
"""The limit on the length of a text."""


GENERATED: Final = ("\U00018800", "\U00018801")
"""What shows where ``{% generation %}`` begins and ends: parts of Tangut letters, which hardly any data contains."""

_GENERATION: Final = lazy_re(r"\{%[-+]?\s*generation\b")

STOPPED: Final = "the chat template is stopped: it"


class Stopped(RenderError):
    """The template exceeds a limit; the message names it."""


class Program:
    """A chat template, compiled and run in a child process with limits.

    Args:
        source: its Jinja source.
        given: the names of the variables that every text gets.

    Attributes:
        variables: the names that the template takes from its context.
        missing: those that it writes and that are not given.
        marks_generated: whether it has ``{% generation %}``.

    Raises:
        TemplateSyntaxError: the source is not valid Jinja.
        Stopped: compiling it exceeds a limit; Jinja evaluates constant expressions then.
    """

    def __init__(self, source: str, given: Collection[str] = ()) -> None:
        self._child = Child(_Compiled(source, frozenset(given)), SECONDS, MEMORY)
        self._is_alone = False
        kind, text, line = self._ask(None)
        if kind == "syntax":
            raise TemplateSyntaxError(text, line)
        variables, missing, needed = (frozenset(line.split()) for line in text.split("\n"))
        self.marks_generated = _GENERATION.search(source) is not None
        self.variables = variables
        self.missing = MissingVariables(missing, needed)

    def within_limit(self) -> AbstractContextManager[None]:
        """Let all that is rendered in this context share the processor time of one text."""
        return self._child.together()

    def render(self, variables: Mapping[str, Any], *, generated: bool = False) -> str:
        """Render the template; with ``generated``, show where ``{% generation %}`` begins and ends (:data:`GENERATED`).

        Raises:
            RenderError: the template raises an error.
            Stopped: the template exceeds a limit.
        """
        return self._text(self._ask((variables, generated)))

    def render_ahead(self, several: Sequence[Mapping[str, Any]]) -> list[Timed]:
        """Render the first of several texts in one exchange with the child, for :meth:`take`.

        Where one of them exceeds a limit, none is rendered, and nothing is rendered ahead any more.
        """
        if self._is_alone:
            return []
        answers = self._child.ask_ahead([(variables, False) for variables in several])
        self._is_alone = not answers
        return answers

    def take(self, rendered: Timed) -> str:
        """A text that was rendered ahead, as :meth:`render` gives it; its time is spent now."""
        self._child.spend(rendered.taken)
        return self._text(_parsed(rendered.text))

    @staticmethod
    def _text(answer: tuple[str, str, int]) -> str:
        kind, text, _ = answer
        if kind == "stopped":
            raise Stopped(text)
        if kind != "text":
            raise RenderError(text)
        return text

    def _ask(self, request: tuple[Mapping[str, Any], bool] | None) -> tuple[str, str, int]:
        try:
            answer = self._child.ask(request)
        except OutOfTime:
            raise Stopped(f"{STOPPED} takes more than {SECONDS:g} seconds of processor time") from None
        except OutOfMemory:
            raise Stopped(f"{STOPPED} needs more than {MEMORY >> 20:,} MB of memory") from None
        except Killed as error:
            raise Stopped(f"the chat template is stopped: {error}, and so was a second one") from None
        return _parsed(answer)


def _parsed(answer: str) -> tuple[str, str, int]:
    kind, line, text = answer.split(" ", 2)
    return kind, text, int(line)


class _Compiled:
    """Answers requests in the child process.

    ``None`` is to compile the template and to name its variables: on one line all of them, then the missing ones, then
    the needed ones. Variables, and whether to show what is generated, are to render it.

    An answer has three parts, separated by spaces: ``text``, ``error``, ``stopped`` or ``syntax``, the line of a syntax
    error, and the text or the message.
    """

    def __init__(self, source: str, given: frozenset[str]) -> None:
        self._source = source
        self._given = given
        self._template: Template | None = None

    def __call__(self, request: tuple[Mapping[str, Any], bool] | None) -> str:
        try:
            if self._template is None:
                self._environment = _Environment()
                self._template = self._environment.from_string(self._source)
        except TemplateSyntaxError as error:
            return f"syntax {error.lineno} {shortened(str(error.message))}"
        except (RecursionError, SyntaxError):  # by Python's compiler: too many brackets in each other
            return "syntax 1 an expression is nested too deeply"
        if request is None:
            tree = self._environment.parse(self._source)
            names = meta.find_undeclared_variables(tree)
            missing = missing_variables(tree, names - self._given)
            return "text 0 " + "\n".join(map(" ".join, (names, *missing)))
        variables, self._environment.shows_generated = request
        try:
            return f"text 0 {self._rendered(self._template, variables)}"
        except Stopped as error:
            return f"stopped 0 {error}"
        except MemoryError:
            raise
        except TemplateError as error:
            return "error 0 " + shortened(f"the chat template raises: {error}")
        except Exception as error:  # a template's operations on values can raise anything
            return "error 0 " + shortened(f"the chat template fails: {type(error).__name__}: {error}")

    @staticmethod
    def _rendered(template: Template, variables: Mapping[str, Any]) -> str:
        pieces: list[str] = []
        size = 0
        for piece in template.generate(variables):
            size += len(piece)
            if size > CHARACTERS:
                raise _too_long()
            pieces.append(piece)
        text = "".join(pieces)
        if (address := _address_in(text, variables)) is not None:
            raise TemplateError(f"an address in memory ({address.strip(' >')}) {_DIFFERS}")
        return text


def _too_long() -> Stopped:
    return Stopped(f"{STOPPED} makes a text of more than {CHARACTERS:,} characters")


class _GenerationTag(Extension):
    """``{% generation %}…{% endgeneration %}``, which marks generated text."""

    tags = {"generation"}  # noqa: RUF012 - as jinja2 declares it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        text = caller()
        return f"{GENERATED[0]}{text}{GENERATED[1]}" if getattr(self.environment, "shows_generated", False) else text


class _Environment(ImmutableSandboxedEnvironment):
    """transformers' environment, with limits on what an operator makes.

    Templates print the time at which the environment was created, so it is the same in all texts.
    """

    shows_generated = False
    intercepted_binops = frozenset({"*", "**"})

    def __init__(self) -> None:
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=[_GenerationTag, loopcontrols])
        self.filters["tojson"] = _tojson
        self.globals.update(
            raise_exception=_raise, strftime_now=_now().strftime, dict=_Dict(), namespace=_GuardedNamespace
        )
        self.filters["random"] = self.globals["lipsum"] = _refuse_random

    def getattr(self, obj: Any, attribute: str) -> Any:
        """``message.role``: of a dict, the value of that key, without an exception for each that is no attribute."""
        if type(obj) is dict and attribute not in _OF_DICTS:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        return super().getattr(obj, attribute)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "*":
            for items, times in ((left, right), (right, left)):
                if isinstance(items, (str, list, tuple)) and isinstance(times, int) and len(items) * times > CHARACTERS:
                    raise _too_long()
        elif isinstance(left, int) and isinstance(right, int) and left.bit_length() * right > 4096:
            raise Stopped(f"{STOPPED} makes a number of more than 4096 bits")
        return super().call_binop(context, operator, left, right)


_OF_DICTS: Final = frozenset(dir(dict))
"""The attributes that every dict has; Jinja looks for these before keys."""


class _Dict:
    """``dict`` as a callable, without the attributes of the type."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args)


class _GuardedNamespace(Namespace):
    """``namespace()`` without attributes that start with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:  # allows namespace(self=…) in a template
        self, *rest = args
        attributes = dict(*rest, **kwargs)
        for name in attributes:
            _refuse_private(name)
        Namespace.__init__(self, attributes)

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_private(name)
        super().__setitem__(name, value)


def _refuse_private(name: str) -> None:
    if name.startswith("_"):
        raise SecurityError(f"a namespace takes no attribute {name!r}")


def _raise(message: str) -> None:
    raise TemplateError(message)


def _refuse_random(*_: Any, **__: Any) -> None:
    raise TemplateError(f"random text {_DIFFERS}")


def _address_in(text: str, variables: Mapping[str, Any]) -> str | None:
    """The address of an object in memory that a template wrote, as in ``<function … at 0x7f…>``, and no row holds."""
    if " at 0x" not in text:
        return None
    found = set(_ADDRESS.findall(text))
    return next(iter(found.difference(_ADDRESS.findall(repr(variables)))), None)


_ADDRESS: Final = lazy_re(" at 0x[0-9a-f]{6,}>")
_DIFFERS: Final = "differs from run to run, so toolconv does not write it"


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Write JSON with ``json.dumps``; Jinja's own filter escapes HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _now() -> datetime:
    """The current time, or ``SOURCE_DATE_EPOCH`` for reproducible texts."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now()
