"""TC1xx: arguments, checked against the schemas of their tools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from toolconv.core.json_pointer import pointer_to
from toolconv.lint.model.arguments import Problem, ProblemKind, argument_problems
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding, Level
from toolconv.lint.model.guards import Guard
from toolconv.lint.model.memo import once_per_row
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Rule, rule
from toolconv.lint.schema.parameters import Parameters, parameters_of


@once_per_row
def _problems(row: LintRow) -> list[tuple[LintCall, Problem]]:
    """The problems with the arguments of a row's calls, by the schemas of their tools."""
    found: list[tuple[LintCall, Problem]] = []
    schemas: dict[str, Parameters] = {}
    for call in row.calls:
        if not isinstance(call.arguments, dict) or not isinstance(call.name, str):
            continue
        if call.name not in schemas:
            parameters = row.index.parameters(call.name)
            if parameters is None:
                continue
            schemas[call.name] = parameters_of(parameters)
        found += [(call, each) for each in argument_problems(call.name, schemas[call.name], call.arguments)]
    return found


class _ArgumentRule(Rule):
    """A rule that reports some kinds of argument problems."""

    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)
    kinds: ClassVar[tuple[ProblemKind, ...]]

    def find(self, row: LintRow) -> Iterator[Finding]:
        for call, problem in _problems(row):
            if problem.kind in self.kinds:
                level: Level = "error" if problem.kind == "forbidden" else self.level_in(row)
                where = call.place_of(pointer_to(problem.path))
                edits = self.edits(row, where, problem) if call.placed else ()
                steps = [step for step in problem.path if isinstance(step, str)]
                cause = f"{problem.kind} {call.name}{pointer_to(tuple(steps))}"
                if problem.kind == "missing":
                    cause = problem.message.partition(";")[0]
                yield self.finding(row, where, problem.message, *edits, level=level, cause=cause)

    def level_in(self, row: LintRow) -> Level:
        """The level of the findings in a row."""
        return self.level

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        """The edits that fix a problem at a pointer of the row; none if the rule has no fix."""
        return ()


@rule("TC102", "missing-required-argument", "error")
class MissingArgument(_ArgumentRule):
    """A call without an argument that its tool requires; a warning if no declaration of the row says what is required.

    Anti-pattern: arguments left out because the user did not give them, or lost in a conversion.

    Why it hurts: the model learns to call too early instead of asking for what is missing; in production the call
    fails.

    Best practice: have the assistant ask the user, or make the parameter optional in the schema.

    Bad: ``{"name": "get_weather", "arguments": {}}`` where ``city`` is required

    Good: ``{"name": "get_weather", "arguments": {"city": "Rome"}}``

    Source: glaive-function-calling-v2; APIGen's format checker.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("missing",)

    def level_in(self, row: LintRow) -> Level:
        flat = [tool.known for tool in row.declared if tool.known.flat]
        return "warning" if flat and not any(known.marks_optional for known in flat) else self.level


@rule("TC103", "unknown-argument", "warning")
class UnknownArgument(_ArgumentRule):
    """An argument that the tool's schema does not declare; an error if ``additionalProperties`` is false.

    Anti-pattern: misnamed arguments, or arguments from another version of the tool.

    Why it hurts: the model learns to make up arguments; strict back ends reject the call, others ignore the value.

    Best practice: declare the parameter, or use a declared one.

    Bad: ``{"town": "Rome"}`` where the schema has ``city``

    Good: ``{"city": "Rome"}``

    Source: JSON Schema, ``properties`` and ``additionalProperties``.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("unknown", "forbidden")


@rule("TC104", "argument-schema-mismatch", "error", gaps=("TC123",))
class SchemaMismatch(_ArgumentRule):
    """An argument that violates its schema in a way that no more specific rule reports.

    Anti-pattern: a list instead of a value, a value instead of a list, a number out of range.

    Why it hurts: the model learns types that the tool does not accept; a decoder constrained by the schema can never
    write what the model was trained on.

    Best practice: validate each call against its schema when the data is generated.

    Bad: ``{"days": [3]}`` where ``days`` is an integer

    Good: ``{"days": 3}``

    Source: glaive-function-calling-v2 (lists for integers); APIGen's format checker.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("mismatch",)


@rule("TC105", "enum-violation", "error")
class EnumViolation(_ArgumentRule):
    """A value that is not in the enum of the schema.

    Anti-pattern: enum values translated with the rest of the text, or written in another case.

    Why it hurts: the model learns that the enum is only a hint; the tool rejects the value.

    Best practice: leave enum values unchanged when data is translated or rewritten.

    Bad: ``{"category": "运动"}`` where the enum has ``sports``

    Good: ``{"category": "sports"}``

    Source: the Chinese translation of glaive-function-calling-v2.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("enum",)


@rule("TC106", "string-typed-value", "warning", fix="unsafe")
class StringTypedValue(_ArgumentRule):
    """A number, boolean, list or object written as text.

    Anti-pattern: arguments read from text (XML parameters, spreadsheets) and never converted to their types.

    Why it hurts: the model learns to quote numbers; tools with strict types reject them.

    Best practice: convert values to the type in the schema.

    Bad: ``{"days": "42"}``

    Good: ``{"days": 42}``

    Fix: writes the value in the type of the schema. Unsafe, because a user may have meant the text.

    Source: rows made from parameter dialects; BFCL's type errors.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("string",)

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        return (Edit(where, problem.better),)


@rule("TC107", "integral-float", "warning", default=False)
class IntegralFloat(StringTypedValue):
    """A float without a fraction where the schema requires an integer.

    Anti-pattern: columns of numbers that went through pandas or Parquet and became floats.

    Why it hurts: JSON Schema accepts ``230.0`` as an integer, but typed languages and many tools do not, and the model
    learns to write meaningless tokens.

    Best practice: keep integers as integers.

    Bad: ``{"year": 2023.0}``

    Good: ``{"year": 2023}``

    Fix: writes the integer. Unsafe, because the float may have been meant.

    Source: JSON Schema 2020-12, 6.1.1 (any number with zero fraction is an integer); pandas' float columns.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("integral",)


@rule("TC124", "format-violation", "warning")
class FormatViolation(_ArgumentRule):
    """A value that breaks the ``format`` of its schema: date, time, date-time, email, hostname, ipv4, ipv6, uri, uuid.

    Anti-pattern: dates that don't exist, dates in the words of the user, half an address.

    Why it hurts: the model learns that a format is only a hint; the tool fails to parse the value, or guesses.

    Best practice: write the value in the form that the format names, or leave ``format`` out of the schema.

    Bad: ``{"day": "2025-02-30"}`` where ``day`` has the format ``date``

    Good: ``{"day": "2025-02-28"}``

    A time without its zone or its seconds is no finding, though RFC 3339 asks for both: nearly all public rows have
    such times, and tools take them.

    Source: JSON Schema 2020-12, Validation, 7.3; RFC 3339, 5321, 3986, 4122.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("format",)


@rule("TC123", "unchecked-arguments", "info")
class UncheckedArguments(_ArgumentRule):
    """Arguments that were not fully checked, because their schema is too expensive to apply.

    Anti-pattern: patterns with nested repeats, such as ``(a+)+``; references that are circular or multiply.

    Why it hurts: a validator or server that checks the call with a backtracking engine hangs.

    Best practice: patterns that can match in only one way; simple schemas.

    Bad: ``{"pattern": "^(a+)+$"}``

    Good: ``{"pattern": "^a+$"}``

    Source: CWE-1333 (inefficient regular expression complexity).
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("unchecked",)


@rule("TC111", "null-padded-arguments", "warning", fix="unsafe")
class NullPadded(_ArgumentRule):
    """Null for an optional argument whose schema doesn't allow null.

    Anti-pattern: calls to different tools in one Arrow or pandas column: each gets all other arguments as nulls.

    Why it hurts: the model learns to write every argument it knows, with null; tools reject null.

    Best practice: leave optional arguments out; keep arguments as JSON text in columnar formats.

    Bad: ``{"city": "Rome", "days": null}``

    Good: ``{"city": "Rome"}``

    Fix: removes the argument. Unsafe, because null may have been meant.

    Source: Hugging Face ``datasets`` (struct union); glaive and Toucan re-uploads.
    """

    kinds: ClassVar[tuple[ProblemKind, ...]] = ("null",)

    def edits(self, row: LintRow, where: str, problem: Problem) -> tuple[Edit, ...]:
        return (Edit(where, remove=True),)
