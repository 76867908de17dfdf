"""Rules of several families that depend on what the dataset is for: ``--target``."""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.core.tool_call import ToolCall
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.names import shown
from toolconv.lint.rule import RowRule, ToolRule, rule
from toolconv.lint.rules.tc4_schemas import place
from toolconv.lint.schema.schemas import subschemas
from toolconv.lint.target import PROVIDERS, TargetRule, written


@rule("TC207", "call-id-format", "warning", fix="safe")
class CallIdFormat(TargetRule, RowRule):
    """A call id that the target can't write unchanged.

    Anti-pattern: OpenAI's ids in rows for a model with its own id format.

    Why it hurts: Mistral's templates reject ids that are not nine letters and digits; Kimi's models learn the
    tool's name from the id. Ids changed during rendering no longer match the rest of the pipeline.

    Best practice: use ids in the target's format (option ``target``, ``--target``; the rule does nothing without it).

    Bad: ``call_Zk3hV0``, for Mistral

    Good: ``kZk3hV0ab``; for Kimi K2 ``functions.get_weather:0``

    Fix: gives the call and its responses the id, if all ids of the row stay apart.

    Source: mistral-common's id check; Kimi K2's tool-call guide.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if self.template is None or not self.template.dialect.carries_ids:
            return
        dialect = self.template.dialect
        calls = [call for turn in row.turns for call in turn.calls if isinstance(call.id, str)]
        wanted = []
        for index, call in enumerate(calls):
            wanted.append(dialect.call_id(ToolCall(str(call.name), call.members, call.id), index) or call.id)
        one_each = len(set(wanted)) == len(calls) == len({call.id for call in calls})
        for call, better in zip(calls, wanted, strict=True):
            if better != call.id:
                message = f"the id {shown(call.id)}, expected {shown(better)} for {self.target}"
                yield self.finding(row, call.pointer, message, *(_renamed(row, call, better) if one_each else ()))


def _renamed(row: LintRow, call: LintCall, better: str) -> list[Edit]:
    """The edits that give a call and its responses another id; none if not all of them have the old one."""
    answers = [answer for each in row.pairing.rounds for answer in each.answers if answer.call is call]
    places = [f"{call.pointer}/id"]
    places += [f"{answer.response.pointer}/tool_call_id" for answer in answers if answer.response.id is not None]
    if any(row.at(pointer) != call.id for pointer in places):
        return []
    return [row.edit(pointer, better) for pointer in places]


@rule("TC311", "dropped-by-target", "warning")
class DroppedByTarget(TargetRule, RowRule):
    """Something in a row that the target's template omits.

    Anti-pattern: prose before calls, reasoning or parallel calls in rows for a template that can't express them.

    Why it hurts: the training text silently lacks part of the data. Where toolconv writes more than a family's original
    template does, the rule answers for the original, which trainers and servers use.

    Best practice: choose rows that the template can express, or another template (option ``target``, ``--target``; the
    rule does nothing without it).

    Bad: ``reasoning_content``, for Qwen2.5

    Good: the same for Qwen3

    Source: the models' chat templates; ``toolconv templates`` lists them.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        found = written(row, self.template) if self.template is not None else None
        if found is None:
            return
        if found.refusal:
            yield self.finding(row, "", f"{self.target} can't write the row: {found.refusal}")
        for effect in found.originals:
            yield self.finding(row, "", f"{self.target}: the original template {effect}")
        for kind, count in sorted(found.losses.items()):
            times = "" if count == 1 else f", {count:,} times"
            yield self.finding(row, "", f"{self.target} leaves out {kind.replace('_', ' ')}{times}")


@rule("TC410", "unsupported-keyword", "warning")
class UnsupportedKeyword(TargetRule, ToolRule):
    """A JSON Schema keyword that the provider's strict mode rejects.

    Anti-pattern: declarations copied from validation schemas.

    Why it hurts: the provider rejects the request, or the keyword is dropped, so that the tools differ from those in
    training.

    Best practice: state the constraint in the description (option ``target``: ``openai`` or ``anthropic``; the rule
    does nothing without it).

    Bad: ``{"type": "integer", "minimum": 1}``, for Anthropic

    Good: ``{"type": "integer", "description": "Days, at least 1."}``

    Source: OpenAI, Structured model outputs, supported schemas; Claude docs, JSON Schema limitations.
    """

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        refused = PROVIDERS.get(self.target, frozenset())
        for path, schema in subschemas(tool.known.value) if refused else ():
            for keyword in schema:
                if keyword in refused:
                    message = f"{shown(tool.name)}: {self.target}'s strict mode refuses {keyword!r}"
                    yield self.finding(row, place(tool, (*path, keyword)), message)
