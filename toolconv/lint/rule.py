"""Rules: the nodes of a row that they visit, their guards, and their findings.

A rule visits the row (:class:`RowRule`), each tool declaration (:class:`ToolRule`), each turn of the assistant
(:class:`AssistantRule`), each call (:class:`CallRule`), or all rows of a dataset (:class:`DatasetRule`). Most rows are
not visited at all, since the guards show that there is nothing to find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, Self, TypedDict, TypeVar, Unpack

from toolconv.core.errors import shortened
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding, Level, Once, Safety
from toolconv.lint.model.guards import Guard
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import shown

OWN_KEY: Final = "_toolconv"
"""The key of a row that may name rules to ignore: ``{"_toolconv": {"ignore": ["TC101"]}}``."""


def ignored_words(row: Mapping[str, Any] | None) -> list[Any]:
    """The words of a row's own list of rules to ignore; none if it is no list."""
    own = row.get(OWN_KEY) if row is not None else None
    words = own.get("ignore") if isinstance(own, dict) else None
    return words if isinstance(words, list) else []


class Rule:
    """A rule. The docstring of a rule's class is its page: anti-pattern, why it hurts, best practice, example.

    Class attributes, all set by :func:`rule`:
        code, name: ``TC101`` and ``undeclared-tool``; they never change.
        level: the level of its findings, unless configured otherwise.
        default: enabled by default.
        preview: enabled with ``--preview``: the page says how often its findings are right.
        guards: only rows with at least one true guard are checked; without guards, every row is checked, which is
            slow.
        fix: ``safe`` or ``unsafe`` if some findings can be fixed.
        drops_rows: the fix is to drop the row; it is made only for rules that are asked for by code or name.
        options: names and defaults of its options.
        needs: names of options; the rule visits nothing if none of them is set.
        gaps: codes of the rules that report what this one can't check; they are selected with it.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    level: ClassVar[Level]
    default: ClassVar[bool] = True
    preview: ClassVar[bool] = False
    guards: ClassVar[tuple[Guard, ...]] = ()
    fix: ClassVar[Safety | None] = None
    drops_rows: ClassVar[bool] = False
    options: ClassVar[Mapping[str, Any]] = {}
    needs: ClassVar[tuple[str, ...]] = ()
    gaps: ClassVar[tuple[str, ...]] = ()

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.settings = settings or {}

    def option(self, name: str) -> Any:
        """The configured value of an option, or its default."""
        return self.settings.get(name, self.options[name])

    @property
    def is_idle(self) -> bool:
        """Whether no option is set that the rule needs."""
        return bool(self.needs) and not any(map(self.option, self.needs))

    def notes(self) -> Iterable[str]:
        """What the rule could not compare or check, for the end of a run."""
        return ()

    def find(self, row: LintRow) -> Iterable[Finding]:
        """The findings of the rule in a row, regardless of guards."""
        raise NotImplementedError

    def finding(
        self,
        row: LintRow,
        pointer: str,
        message: str,
        *edits: Edit,
        safety: Safety | None = None,
        level: Level | None = None,
        drop_row: bool = False,
        cause: str | None = None,
        once: Once = "",
    ) -> Finding:
        """A finding of this rule in ``row``; with edits, it can be fixed (``safety`` defaults to the rule's).

        A row whose conversation is one text has no values to edit. ``cause`` is what findings in other rows have in
        common with it, if their messages differ. ``once`` is what the rows of the file do alike.

        ``pointer`` may be a deep pointer: the finding gets the longest part of it that exists in the row.
        """
        if edits and row.read_as is not None and row.read_as.in_one_text:
            edits = ()
        fixable = bool(edits) or drop_row
        place = row.place(pointer)
        return Finding(
            row.file,
            row.line,
            row.id,
            place,
            self.code,
            self.name,
            level or self.level,
            shortened(message),
            edits if edits else None,
            (safety or self.fix) if fixable else None,
            drop_row,
            cause=cause,
            deep="" if place == pointer else pointer,
            once=once,
        )


if TYPE_CHECKING:

    class RuleFacts(TypedDict, total=False):
        """The facts of a rule other than its code, name and level: class attributes of :class:`Rule`."""

        default: bool
        preview: bool
        guards: tuple[Guard, ...]
        fix: Safety
        drops_rows: bool
        options: Mapping[str, Any]
        needs: tuple[str, ...]
        gaps: tuple[str, ...]

    SomeRule = TypeVar("SomeRule", bound=Rule)


def rule(code: str, name: str, level: Level, **facts: Unpack[RuleFacts]) -> Callable[[type[SomeRule]], type[SomeRule]]:
    """Declare a rule: a class decorator that sets the class attributes of :class:`Rule`, in one line above the class.

    A preview is off by default; facts that are not given are those of the base class.
    """
    given: dict[str, Any] = {"default": False, **facts} if facts.get("preview") else {**facts}
    given |= {"code": code, "name": name, "level": level}

    def declare(declared: type[SomeRule]) -> type[SomeRule]:
        for fact, value in given.items():
            setattr(declared, fact, value)
        return declared

    return declare


class RowRule(Rule):
    """A rule that visits a row as a whole."""

    def check(self, row: LintRow) -> Iterator[Finding]:
        """The findings in a row."""
        raise NotImplementedError

    def find(self, row: LintRow) -> Iterator[Finding]:
        return self.check(row)


Visits = Literal["all", "is_odd", "has_examples", "has_limits", "may_say_more"]
"""The declarations that a :class:`ToolRule` visits: all, or those whose parameters have a property."""


class ToolRule(Rule):
    """A rule that visits the declarations of tools that have a schema to be checked.

    It needs no guard: declarations without findings are cached and not checked again.

    Class attributes:
        visits: ``all`` declarations, or those whose parameters have a property of
            :class:`toolconv.lint.schema.parameters.Parameters`.
    """

    visits: ClassVar[Visits] = "all"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        """The findings in a declaration; the same for equal declarations in rows of one layout."""
        raise NotImplementedError

    def find(self, row: LintRow) -> Iterator[Finding]:
        for tool in row.checked_tools:
            for finding in self.check(row, tool):
                yield replace(finding, cause=finding.message.replace(shown(tool.name), "…", 1), tool=str(tool.name))


class AssistantRule(Rule):
    """A rule that visits the assistant's turns."""

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        """The findings in a turn."""
        raise NotImplementedError

    def find(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role == "assistant":
                yield from self.check(row, turn)


class CallRule(Rule):
    """A rule that visits the calls, structured ones and those read from texts."""

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        """The findings in a call."""
        raise NotImplementedError

    def find(self, row: LintRow) -> Iterator[Finding]:
        for call in row.calls:
            yield from self.check(row, call)


class DatasetRule(Rule):
    """A rule that visits all rows of a dataset, in bounded memory: it keeps counters and hashes, never rows.

    Attributes:
        each_answer: it also observes a row that has several answers with each of these; otherwise, it counts rows.
    """

    each_answer: ClassVar[bool] = True

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        super().__init__(settings)
        self.start()

    def start(self) -> None:
        """Reset the counters."""

    def find(self, row: LintRow) -> Iterable[Finding]:
        """Observe a row; its findings, compared with earlier rows."""
        self.observe(row)
        return ()

    def observe(self, row: LintRow) -> None:
        """Count a row."""

    def finish(self) -> Iterator[Finding]:
        """The findings about the dataset, after all rows."""
        return iter(())

    def merge(self, later: Self) -> None:
        """Add the counts of the same rule for later rows."""
        raise NotImplementedError

    def finding_in(self, file: str, message: str, line: int = 0) -> Finding:
        """A finding of this rule about a file, or about the line where the problem starts."""
        return Finding(file, line, None, "", self.code, self.name, self.level, shortened(message))


class SignatureRule(DatasetRule):
    """A rule for the dataset that depends only on the rows' signatures.

    It sees the first row of a signature at once. The engine counts the later ones and passes their number.
    """

    def observe(self, row: LintRow) -> None:
        self.count_rows(row.signature, row.line, 1)

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        """Count rows with the same signature, of which the first is in ``line``."""
        raise NotImplementedError


class FirstOfKind(Protocol):
    """The first row of each kind, for comparison with later ones: a :class:`dict`, or a smaller store."""

    def setdefault(self, kind: Any, first: Any, /) -> Any: ...
    def get(self, kind: Any, /) -> Any: ...
    def items(self) -> Iterable[tuple[Any, Any]]: ...
    def __getitem__(self, kind: Any, /) -> Any: ...
    def __contains__(self, kind: Any, /) -> bool: ...
    def __iter__(self) -> Iterator[Any]: ...


Firsts = Mapping[str, FirstOfKind]
"""The first rows of each kind, by the code of the rule that compares with them."""


class ComparingRule(DatasetRule):
    """A rule that compares rows with the first of their kind; most report at the row.

    Attributes:
        firsts: by kind, the stored data of the first row; for :meth:`merge`, of all parts.
        files: the numbers of the files, for compact places.
    """

    each_answer: ClassVar[bool] = False

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self.firsts: FirstOfKind = self.store()
        self.files: dict[str, int] = {}
        super().__init__(settings)

    def store(self) -> FirstOfKind:
        """The store for the firsts of a whole dataset, which may be as many as its rows."""
        return {}

    def merge(self, later: Self) -> None:
        pass

    def is_alike(self, first: Any, later: Any) -> bool:
        """Whether a row that turns out not to be the first has no finding, given the stored data of both."""
        return False
