"""TC3xx: call markup and turn tokens where they don't belong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, Self

from toolconv import dialects
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.core.pairing import number_calls
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.displaced import calls_told_of
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.guards import Words
from toolconv.lint.model.markup import (
    PADDING,
    begins_value,
    call_markers,
    cut_marker_in,
    empty_block_in,
    marker_in,
    parts_of_prose,
    read_call,
    special_tokens,
    turn_tokens,
)
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import listed
from toolconv.lint.rule import DatasetRule, RowRule, rule

_BRACKETS = frozenset("{[<")

MAX_LINES = 5
"""How many lines of each dialect are named."""


def _may_be_bare(overview: Overview) -> bool:
    """Whether an assistant turn may hold calls without markers: as JSON, in a code block, or as Python writes them."""
    for text in overview.expected_prose:
        if "(" in text or "{" in text or "[" in text:
            if "```" in text or begins_value(text):
                return True
            for name in overview.toolset.names:
                if name in text:
                    return True
    return False


_LEAKS: Final = (
    Words("expected_prose", call_markers),
    _may_be_bare,
)


@rule("TC301", "leaked-call-markup", "error", guards=_LEAKS, fix="unsafe")
class LeakedMarkup(RowRule):
    """Call markup in the content of a row with structured calls, or a call as Python or JSON of a declared tool.

    A code block or a line within an answer that is such a call is a warning; code in the middle of a sentence is not
    reported. Calls that are all in the content, from the first row of a file on, fit templates that write content as it
    is: that is reported once. A dialogue that is one text of a row (a question of ACEBench) has no other place for
    calls, and is left alone. Rows with calls in the content after a first row with structured ones are errors.

    Anti-pattern: model output stored as content because the server's parser missed the call.

    Why it hurts: the template writes the markup as prose, so the model learns a second call format that its server
    can't parse.

    Best practice: parse the markup into ``tool_calls``.

    Bad: ``{"role": "assistant", "content": "<tool_call>{\\"name\\": \\"ping\\", \\"arguments\\": {}}</tool_call>"}``

    Good: ``{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "ping", "arguments": "{}"}}]}``

    Fix: moves the calls from the content to ``tool_calls``, if nothing else of the turn changes. Unsafe, because
    the text may only show a call.

    Source: vLLM and SGLang issues on unparsed calls in ``content``.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.calls_in_text or not row.turns:
            return
        if not row.tools and not any(not call.in_text for call in row.calls):
            return
        for turn in row.turns:
            if not turn.pointer:
                continue
            text = turn.raw_text if turn.role == "assistant" else ""
            found = read_call(text, row.index, marked=not _was_read(row, turn)) if text else None
            if found is None:
                yield from self._in_prose(row, turn, text)
                structured = any(not call.in_text for call in turn.calls)
                marker = marker_in(text) if structured else cut_marker_in(text) if not turn.calls else None
                if marker is not None and (structured or empty_block_in(text) is None):
                    where = "beside the calls in tool_calls" if structured else "but no call of a declared tool"
                    message = f"the content holds {marker!r}, which begins a call, {where}"
                    yield self.finding(row, row.text_pointer(turn.message), message)
                continue
            dialect, parsed = found
            names = listed(call.name for call in parsed.calls)
            place = row.text_pointer(turn.message)
            if not row.has_structured_calls and row.does("calls as structure") is not True:
                message = f"the calls are in the content, in {dialect.name} markup, not in tool_calls"
                edits = _as_structure(row, turn, parsed)
                yield self.finding(row, place, message, *edits, level="info", once="calls as structure")
                continue
            message = f"the content holds calls in {dialect.name} markup ({names}), expected them in tool_calls"
            yield self.finding(row, place, message, *_as_structure(row, turn, parsed))

    def _in_prose(self, row: LintRow, turn: LintTurn, text: str) -> Iterator[Finding]:
        """A call in a code block or on a line of its own, between other text."""
        for part in parts_of_prose(text, row.index):
            found = read_call(part, row.index)
            if found is not None and not found[1].content:
                names = listed(call.name for call in found[1].calls)
                message = f"the answer holds a call between its words ({names}), expected it in tool_calls"
                yield self.finding(row, row.text_pointer(turn.message), message, level="warning")
                return


def _was_read(row: LintRow, turn: LintTurn) -> bool:
    """Whether the reader of all dialects went through a turn and found no call in it."""
    parsed = row.parsed.get(turn.message)
    return parsed is not None and not parsed.calls and row.reader is not None and row.reader.named is None


def _as_structure(row: LintRow, turn: LintTurn, parsed: Parsed) -> tuple[Edit, ...]:
    """The edits that move calls from a text to ``tool_calls``, in layouts that have this key."""
    message = row.look(turn.pointer)
    if row.read_as is None or row.read_as.name not in ("openai", "canonical") or not isinstance(message, dict):
        return ()
    if message.get("tool_calls") or not isinstance(message.get("content"), str) or parsed.dropped or parsed.reasoning:
        return ()
    as_text = row.read_as.name == "openai"
    items = [call.to_openai() if as_text else call.to_canonical() for call in parsed.calls]
    number_calls([*row.messages[: turn.message], {"role": "assistant", "tool_calls": items}])
    items = [{"id": item.pop("id"), **item} for item in items]
    return (
        Edit(f"{turn.pointer}/content", parsed.content),
        Edit(f"{turn.pointer}/tool_calls", items),
    )


_TOKENS_IN_TEXTS: Final = (Words("input", turn_tokens), Words("assistant", turn_tokens))


@rule("TC302", "special-token-in-text", "warning", guards=_TOKENS_IN_TEXTS)
class SpecialToken(RowRule):
    """A turn token inside the text of a turn.

    Anti-pattern: text that was rendered with a template and then stored as content.

    Why it hurts: tokenizers read it as the actual token, so the turn ends early and the rest is read as another
    turn.

    In an answer it is also learnt: the model goes on as the user. Tokens that are part of the calls of the row's
    dialect are not reported, nor is one at the end of a completion.

    Best practice: store text without template tokens.

    Bad: ``{"role": "user", "content": "Hi<|im_end|>\\n<|im_start|>assistant"}``

    Good: ``{"role": "user", "content": "Hi"}``

    Source: Hugging Face tokenizers recognise special tokens anywhere in a text.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role in ("user", "tool", "assistant", *SYSTEM_ROLES) and (tokens := self._tokens(row, turn)):
                name = "an assistant" if turn.role == "assistant" else f"a {turn.role}"
                kind = "padding or an unknown token" if set(tokens) <= PADDING else "the end or start of a turn"
                message = f"{listed(tokens)} in {name} turn: a tokenizer reads it as {kind}"
                yield self.finding(row, row.text_pointer(turn.message), message)

    def _tokens(self, row: LintRow, turn: LintTurn) -> list[str]:
        """The tokens in a turn that don't belong there."""
        text = turn.raw_text
        found = special_tokens(text)
        if not found or turn.role != "assistant":  # users may write of a token that is plain text to most tokenizers
            return [token for token in found if token[0] != "[" or text.strip().startswith(token)]
        if row.conversation is not None and row.conversation.text_key is not None:
            end = text.rstrip()
            found = [token for token in found if not (end.endswith(token) and text.count(token) == 1)]
        return found


def _spelling(dialect: Dialect, text: str) -> str:
    """What a call in a text begins with: a marker of its dialect and a bracket after it, or else the dialect's grammar.

    Several dialects can read the same text, so their names don't show whether a file mixes formats.
    """
    at, marker = min(((text.find(each), each) for each in dialect.markers if each in text), default=(0, ""))
    after = text[at + len(marker) :].lstrip()[:1]
    return marker + (after if after in _BRACKETS else "") if marker else _grammar(dialect)


def _grammar(dialect: Dialect) -> str:
    """The grammar of a dialect, which relatives share; its own name if it has none."""
    grammars = (each.__name__ for each in type(dialect).__mro__ if each.__module__.startswith(GRAMMARS))
    return next(grammars, dialect.name)


GRAMMARS: Final = "toolconv.dialects.grammars."


@rule("TC308", "mixed-dialects", "warning")
class MixedDialects(DatasetRule):
    """Markup of more than one dialect in the texts of a file.

    Anti-pattern: outputs of different models concatenated without conversion.

    Why it hurts: the model learns several formats, and its server's parser reads only one.

    Best practice: convert all texts to the target's dialect first.

    Bad: ``<tool_call>{…}</tool_call>`` in some rows, ``[TOOL_CALLS][…]`` in others

    Good: one dialect in all rows

    Source: distillation datasets with several teachers.
    """

    def start(self) -> None:
        self.files: dict[str, dict[tuple[str, str], tuple[int, list[int]]]] = {}
        """By file, spelling and dialect: the number of turns with calls, and the lines of the first ones."""

    def observe(self, row: LintRow) -> None:
        if row.dialect is None or not row.calls_in_text:
            return
        for text, parsed in row.parsed_texts:
            if parsed.calls:
                dialect = row.dialect if parsed.dialect is None else dialects.get(parsed.dialect)
                self._add(row.file, (_spelling(dialect, text), dialect.name), 1, [row.line])

    def merge(self, later: Self) -> None:
        for file, found in later.files.items():
            for key, (count, lines) in found.items():
                self._add(file, key, count, lines)

    def _add(self, file: str, key: tuple[str, str], count: int, lines: list[int]) -> None:
        counts = self.files.setdefault(file, {})
        known, first = counts.get(key, (0, []))
        if len(first) <= MAX_LINES:
            first = sorted({*first, *lines})[: MAX_LINES + 1]
        counts[key] = known + count, first

    def finish(self) -> Iterator[Finding]:
        for file, found in self.files.items():
            often = sorted(found.items(), key=lambda item: item[1][0])
            names = {spelling: name for (spelling, name), _ in often}  # the most frequent one
            counts: Counter[str] = Counter()
            lines: dict[str, set[int]] = {}
            for (spelling, _), (count, first) in found.items():
                name = names[spelling]
                counts[name] += count
                lines.setdefault(name, set()).update(first)
            if len(counts) > 1:
                (most, turns), *others = counts.most_common()
                parts = [f"{most} ({turns:,} turn{'s' * (turns != 1)})"]
                parts += [
                    f"{name} ({count:,} turn{'s' * (count != 1)}, {_where(lines[name])})" for name, count in others
                ]
                message = f"calls in {len(counts)} dialects in one file: {', '.join(parts)}"
                yield self.finding_in(file, message, sorted(map(min, lines.values()))[1])


def _where(lines: set[int]) -> str:
    """The first of some lines, in words."""
    first = [f"{line}" for line in sorted(lines)]
    more = " …" if len(first) > MAX_LINES else ""
    return f"line{'s' if len(first) > 1 else ''} {', '.join(first[:MAX_LINES])}{more}"


_DISPLACED: Final = {
    "prose_after_call": "words after a call, which a row has before it",
    "other_turn": "what another role says after a call",
    "shown_call": "a call that is only shown, which nobody makes",
}
"""What a turn's text holds that a row has no place for; calls in reasoning have a rule of their own."""


def _is_displaced(overview: Overview) -> bool:
    return any(not _DISPLACED.keys().isdisjoint(parsed.displaced) for _, parsed in overview.parsed_texts)


@rule("TC321", "words-after-call", "warning", guards=(_is_displaced,))
class AfterCall(RowRule):
    """Words, or another role's turn, after a call in the same text; or a call that is only shown.

    Anti-pattern: output that was not stopped at the call: the model answers itself, makes up the response and goes on.

    Why it hurts: a converter moves the words in front of the call, and the model learns responses that no tool gave.

    Best practice: cut the text after the call, or make each response a message of its own (``toolconv convert`` does).

    Bad: ``<tool_call>{"name": "ping", "arguments": {}}</tool_call><tool_response>ok</tool_response>It works.``

    Good: the call, the response and the answer as three messages

    An answer may name a call that was made, in Python: "So cosine(1.0) is 0.54."

    Source: Qwen3's template, which writes prose before calls; Transformers' ``parse_response``, which has one content.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for at, parsed in row.parsed.items():
            found = [text for name, text in _DISPLACED.items() if name in parsed.displaced]
            if found and not (set(parsed.displaced) == {"shown_call"} and _tells_of_made(row, at, parsed)):
                yield self.finding(row, row.text_pointer(at), f"the turn holds {' and '.join(found)}")


def _tells_of_made(row: LintRow, at: int, parsed: Parsed) -> bool:
    """Whether a turn only names calls in Python of tools that were called before: "sin(4.0) is about -0.76"."""
    text, made = row.messages[at]["content"], {call.name for call in row.calls if call.message < at}
    mentioned = [part.text for part in parsed.parts or () if part.kind == "shown"]
    mentioned += [text[start:end] for start, end in calls_told_of(text, row.index)]
    return all("(" in words and words.partition("(")[0].rstrip().rpartition(".")[2] in made for words in mentioned)
