"""TC3xx: reasoning: unbalanced, doubled, or with calls in it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Self

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import THINK
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.guards import Words
from toolconv.lint.model.markup import call_markers, read_call, reasoning_marks
from toolconv.lint.model.overview import MIN_REPEATED, Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import REASONING_KEYS, LintTurn, texts_in
from toolconv.lint.names import listed
from toolconv.lint.rule import AssistantRule, DatasetRule, rule

MIN_TURNS = 20
"""With fewer turns, nothing can be concluded about a dataset."""


_OTHER_TAG = lazy_re(r"\s*(<(?:thinking|thought|reasoning)>)(?!\s*</)")
"""A tag for reasoning that prompts ask for, where templates have another one."""

_THOUGHT = lazy_re(r"\s*<think>(.*?)</think>", re.DOTALL)


def _is_unbalanced(overview: Overview) -> bool:
    return any(_unbalanced(text, overview.dialect, overview.value) for text in overview.assistant)


@rule("TC303", "unbalanced-think", "warning", guards=(Words("assistant", reasoning_marks, _is_unbalanced),))
class UnbalancedThink(AssistantRule):
    """Unbalanced reasoning tags: closed without being opened, opened twice, never closed, or followed by other ones.

    Anti-pattern: output whose opening tag was in the prompt, or that was cut off inside its reasoning.

    Why it hurts: templates split at these tags; if unbalanced, the reasoning becomes the answer or both are lost.

    Best practice: put reasoning in ``reasoning_content``, or in one complete block at the start.

    Bad: ``"Let me see.</think>It is 12 degrees."``

    Good: ``"<think>Let me see.</think>It is 12 degrees."``

    A block of ``<thinking>`` after one of ``<think>`` counts, too: templates take it for the answer.

    Source: DeepSeek-R1's and Qwen3's templates (``content.split('</think>')``).
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        message = _unbalanced(turn.raw_text, row.dialect, row.row or {})
        if message:
            yield self.finding(row, row.text_pointer(turn.message), message)


def _unbalanced(text: str, dialect: Dialect | None, row: Row) -> str:
    """The problem with the reasoning tags of a text; tags in quotes or code don't count.

    One in the middle of a sentence opens nothing, but the next that closes may be its own.
    """
    mark = dialect.reasoning if dialect is not None else THINK
    if mark.open not in text and mark.close not in text:
        return ""
    prompt = row.get("prompt")
    inside = isinstance(prompt, str) and prompt.rstrip().endswith(mark.open)
    is_told = False  # in the middle of a sentence
    tags = re.compile(f"{re.escape(mark.open)}|{re.escape(mark.close)}")
    for match in tags.finditer(text):
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        if (before and before in "`'\"") or (after and after in "`'\"" and before != "\n"):
            continue
        if match[0] == mark.open:
            if inside:
                return f"{mark.open} inside {mark.open}"
            if match.start() and not text[: match.start()].isspace() and before not in ("\n", ">"):
                is_told = True
                continue
            inside = True
        elif not inside and not is_told:
            return f"{mark.close} without {mark.open} before it"
        elif (again := _OTHER_TAG.match(text, match.end())) is not None:
            return f"{again[1]} after {mark.close}, though both mark reasoning"
        else:
            inside = is_told = False
    return f"{mark.open} is never closed" if inside else ""


@rule("TC304", "duplicated-reasoning", "warning", guards=("repeats_reasoning",), fix="safe")
class DuplicatedReasoning(AssistantRule):
    """The same reasoning in the content and in a separate field.

    Anti-pattern: servers that copy reasoning to a field and leave it in the content.

    Why it hurts: the template writes the reasoning twice, and the model learns to repeat it.

    Best practice: keep the field and remove the reasoning from the content.

    Bad: ``{"content": "<think>Rome.</think>12 degrees", "reasoning_content": "Rome."}``

    Good: ``{"content": "12 degrees", "reasoning_content": "Rome."}``

    Fix: takes the reasoning out of the content.

    Source: vLLM and OpenRouter return ``reasoning`` fields together with raw content.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        message = row.messages[turn.message]
        place, content = next(texts_in(message.get("content")), ("", ""))
        for key in REASONING_KEYS:
            reasoning = message.get(key)
            if not isinstance(reasoning, str) or len(reasoning.strip()) < MIN_REPEATED:
                continue
            block = re.match(rf"\s*+(?:<think>\s*+)?{re.escape(reasoning.strip())}\s*+(?:</think>\s*+)?", content)
            if block is not None and (block.end() < len(content) or "<think>" in block[0]):
                pointer = row.text_pointer(turn.message) + place
                edits = (Edit(pointer, content[block.end() :]),) if row.at(pointer) == content else ()
                where = f"the content and in {key!r}, expected it in one of them"
                yield self.finding(row, pointer, f"the reasoning stands in {where}", *edits)
                return


@rule("TC305", "call-inside-reasoning", "warning", guards=(Words("reasoning", call_markers),))
class CallInReasoning(AssistantRule):
    """A call inside the reasoning.

    Anti-pattern: unprocessed output of models that call before they close their reasoning.

    Why it hurts: servers don't look for calls in reasoning, so the model learns calls that are never executed.

    Best practice: close the reasoning before the call.

    Bad: ``<think>I need it. <tool_call>{"name": "ping", "arguments": {}}</tool_call></think>``

    Good: ``<think>I need it.</think><tool_call>{"name": "ping", "arguments": {}}</tool_call>``

    Source: vLLM issues on tool calls inside ``<think>``.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        at = turn.message
        message, parsed = row.messages[at], row.parsed.get(at)
        texts = [(key, message.get(key)) for key in REASONING_KEYS]
        if parsed is not None and parsed.reasoning:
            texts.append(("content", parsed.reasoning))
        elif isinstance(message.get("content"), str):
            block = _THOUGHT.match(message["content"])
            texts.append(("content", block[1] if block else None))
        for key, text in texts:
            if isinstance(text, str) and (found := read_call(text, row.index, whole=False)) is not None:
                names = listed(call.name for call in found[1].calls)
                report = f"the reasoning holds a call in {found[0].name} markup ({names}), expected it after"
                yield self.finding(row, row.text_pointer(at, key), report)
                return


class _CountingTurns(DatasetRule):
    """A rule that counts turns of each file: those without something, and those with it."""

    def start(self) -> None:
        self.files: defaultdict[str, Counter[bool]] = defaultdict(Counter)

    def merge(self, later: Self) -> None:
        for file, counts in later.files.items():
            self.files[file].update(counts)


@rule("TC309", "mixed-reasoning", "warning", default=False)
class MixedReasoning(_CountingTurns):
    """Reasoning in only some assistant turns.

    Anti-pattern: concatenated datasets of reasoning models and other models.

    Why it hurts: unless the prompt decides, whether the model reasons becomes random.

    Best practice: include reasoning in all turns, or a switch in the prompts of turns without it.

    Bad: half of the turns begin with ``<think>``

    Good: all or none of them do

    Source: Qwen3's ``/think`` and ``/no_think`` training.
    """

    def observe(self, row: LintRow) -> None:
        mark = row.dialect.reasoning if row.dialect is not None else THINK
        for turn in row.turns:
            if turn.role == "assistant":
                has_field = any(row.messages[turn.message].get(key) for key in REASONING_KEYS)
                self.files[row.file][has_field or turn.raw_text.lstrip().startswith(mark.open)] += 1

    def finish(self) -> Iterator[Finding]:
        for file, turns in self.files.items():
            without, with_it = turns[False], turns[True]
            if without and with_it:
                message = f"reasoning in {with_it:,} of {without + with_it:,} assistant turns, expected in all or none"
                yield self.finding_in(file, message)


@rule("TC310", "stripped-preface", "info", default=False)
class StrippedPreface(_CountingTurns):
    """No call has prose before it.

    Anti-pattern: converters that drop the content of a turn with calls.

    Why it hurts: models that announce what they are about to do unlearn it.

    Best practice: keep the content together with the calls.

    Bad: ``{"content": "", "tool_calls": […]}`` in every row

    Good: ``{"content": "Let me look that up.", "tool_calls": […]}`` where the model wrote it

    Source: chat templates that write either the content or the calls.
    """

    def observe(self, row: LintRow) -> None:
        for turn in row.turns:
            if turn.calls:
                self.files[row.file][bool(turn.text.strip())] += 1

    def finish(self) -> Iterator[Finding]:
        for file, turns in self.files.items():
            without, with_it = turns[False], turns[True]
            if not with_it and without >= MIN_TURNS:
                yield self.finding_in(file, f"no prose before any of {without:,} turns' calls")
