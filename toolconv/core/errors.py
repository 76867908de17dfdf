"""The errors that toolconv raises deliberately. All derive from :class:`ToolconvError`:

.. code-block:: text

    ToolconvError
        BaselineError
        BeyondLimit
        ConfigError
        DialectFileError
        ExpressionError
        Failed
        FileError
            MissingExtra
            NotRows
            Unaccounted
            WorkerDied
        LayoutError
            NoConversation
        NoGrammar
        NoResponseTemplate
        NoStructuralTag
        NotACall
        NotAugmented
        NotDerived
        NotPaired
        NotShards
        Rejected
        RenderError
            Stopped
        RowError
        StreamClosed
        TemplateError
        TooMuchWork
        UnknownFigure
        UnknownName
            UnknownDialect
            UnknownLayout
            UnknownTarget
            UnknownTemplate
            UnknownTopic
            UnknownTrainer
        UnknownReasoningParser
        UnknownRule
        Unreadable
            Ambiguous
        UsageError

Callers of the library meet :class:`UnknownName`, :class:`FileError`, ``UsageError`` (options that can't be used
together) and ``RowError`` (a row that can't be read or written), which ``toolconv`` exports with the root.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final


class ToolconvError(Exception):
    """The root of all errors that toolconv raises; the message says what is wrong and what to do."""

    def __reduce__(self) -> tuple[Any, ...]:
        """How errors are pickled: subclasses take other arguments than the message."""
        return _restored, (type(self), *self.args), vars(self)


def _restored(kind: type[ToolconvError], *args: Any) -> ToolconvError:
    """An error that was pickled, without its attributes."""
    error = kind.__new__(kind)
    error.args = args
    return error


def near_name(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The known name that a wrong one is most like, if one is as near as ``cutoff``, from 0 to 1.

    A name that begins with another letter must be nearer: ``nope`` is as near to ``openai`` as ``glm`` to ``glm-4.6``.
    """
    from difflib import SequenceMatcher, get_close_matches

    for near in get_close_matches(name, list(known), n=3, cutoff=cutoff):
        if near[:1] == name[:1] or SequenceMatcher(None, near, name).ratio() >= cutoff + 0.1:
            return near
    return None


class UnknownName(ToolconvError, LookupError):
    """No dialect, layout, template or trainer has the given name. The message suggests the nearest name and lists all.

    Args:
        name: the name as given.
        near: the nearest known name, if one is near.
        known: all known names.
    """

    kind: ClassVar[str] = "name"

    def __init__(self, name: str, near: str | None, known: Sequence[str]) -> None:
        super().__init__(name, near, known)
        self.name, self.near, self.known = name, near, known

    def __str__(self) -> str:
        hint = f"; did you mean {self.near!r}?" if self.near else ""
        return f"unknown {self.kind} {self.name!r}{hint}\nknown {self.kind}s: {', '.join(self.known)}"


class FileError(ToolconvError):
    """A file can't be read or written; the message names it."""


class MissingExtra(FileError):
    """An optional package is not installed; the message names the extra that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional package: {how_to_install(extra)}")


PACKAGES: Final = {
    "zstd": "zstandard", "parquet": "pyarrow", "tokens": "tokenizers", "jinja": "jinja2",
    "ray": "'ray[data]'",
}  # fmt: skip
"""The package of each extra."""


def how_to_install(extra: str, prefix: str = sys.prefix) -> str:
    """The command that adds an extra to the environment in which toolconv runs: of pipx, of uv, or another one."""
    return how_to_add(PACKAGES[extra], prefix, f"'toolconv[{extra}]'")


def how_to_add(packages: str, prefix: str = sys.prefix, by_pip: str | None = None) -> str:
    """The command that adds packages to that environment; ``by_pip`` is the name that pip gets instead."""
    folders = Path(prefix).parts
    if "pipx" in folders:
        return f"pipx inject toolconv {packages}"
    if "uv" in folders and "tools" in folders:
        return f"uv pip install --python {prefix} {packages}"
    return f"pip install {by_pip or packages}"


def reason_of(error: OSError | ValueError) -> str:
    """Why a text file can't be read, in a few words."""
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 (byte {error.start})"
    return getattr(error, "strerror", None) or str(error)


LONGEST_MESSAGE: Final = 500
"""The longest message about a row, in characters: it may quote values of any length."""


def shortened(message: str) -> str:
    """A message of at most :data:`LONGEST_MESSAGE` characters: the end of a longer one is left out."""
    if len(message) <= LONGEST_MESSAGE:
        return message
    shown = LONGEST_MESSAGE - 50
    return f"{message[:shown]}… ({len(message) - shown:,} more characters)"


def too_long(what: str, limit: int) -> str:
    """The message for something longer than the line limit; ``limit`` is in bytes."""
    return f"{what} of more than {limit:,} bytes: --max-line-bytes allows more"
