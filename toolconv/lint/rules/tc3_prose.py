"""TC3xx: faults of what is written in the turns: damaged characters, secrets, placeholders, loops, stock phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from toolconv.convert.secrets import KEY_STARTS, key_starts_in
from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import AnyWord, Words, any_word
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import argument, listed, shown
from toolconv.lint.rule import AssistantRule, RowRule, rule
from toolconv.lint.texts.scripts import MIXED, script_of

_MOJIBAKE = lazy_re(
    "\u00e2\u20ac[\u2122\u0153\u009d\u201c\u201d\u02dc\u00a6\u00a2]"  # quotes, dashes and dots
    "|\u00c3[\u00a0-\u00bf]"  # letters with accents
    "|\u00c2[\u00a0\u00a3\u00a7\u00a9\u00ab\u00ae\u00b0\u00b1\u00b7\u00bb\u00bf]"  # signs
)


MIN_LOOP = 150
"""A shorter answer has no room for a loop."""

LOOP_SAMPLE = 16
LOOPS = 5
"""How often a passage follows itself in a loop; its samples have so many characters."""

WORD_LOOPS = 12
"""How often a word is repeated in a loop."""

MIN_LOOP_CHARACTERS = 60
"""The length of a loop without spaces."""

MAX_LOOP_WORDS = 1000

_PLACEHOLDER = lazy_re(r"\[(?:INSERT|Insert|insert|YOUR|Your|your|ENTER|Enter)[ _][A-Za-z][A-Za-z0-9 _'/-]{0,40}\]")
_WRITING = lazy_re(
    r"letter|mail|template|draft|form\b|write|compose|cover|resume|contract|message|post|speech|example"
    r"|邮件|写信|模板|草稿|メール|返信|手紙|文面",
    re.IGNORECASE,
)
_STOCK = lazy_re(
    r"\b[Aa]s (?:an (?:AI|artificial intelligence)|a (?:large )?language model)\b[^.,\n]{0,30}"
    r"|I(?:'m| am) (?:just |only )?(?:an AI\b(?: language model)?|a (?:large )?language model|ChatGPT)\b"
    r"|[Mm]y (?:knowledge cut-?off|last (?:knowledge )?update)|last knowledge update"
    r"|作为(?:一个|一名)?(?:AI|人工智能)?语言模型"
)
_IDENTITY = lazy_re(
    r"\b(?:are|who|what) (?:are )?you\b|human|robot|\bAI\b|chat ?gpt|language model|feel|你是", re.IGNORECASE
)
_LINE_OF_THOUGHT = lazy_re(r"\s*Thought:(?=\s)")
_THOUGHT = lazy_re(
    r"\s*(?:(?:Okay|OK|Ok|Alright|Hmm|So|First|Now|Well)[,.]? (?:so |let's see[.,:] |let me see[.,:] )?)?"
    r"[Tt]he user(?:'s|’s)? (?:is (?:asking|requesting|looking|trying)|wants|asked|asks|needs"
    r"|has (?:asked|requested|provided)|request|question|said|just|provided|mentioned|would like)"
)
_TRANSLATING = lazy_re(
    r"translat|language|\b(?:english|chinese|spanish|french|german|italian|portuguese|japanese|korean|russian|arabic|hindi)"
    r"\b|翻译|语言|英文|英语|中文|翻訳",
    re.IGNORECASE,
)

_UPPER_HALF = lazy_re(r"[\u0080-\u00ff\u0152-\u0192\u02c6\u02dc\u2013-\u203a\u20ac\u2122]{4,}")


_KINDS = bytes(
    ord("1") if 0xC2 <= byte <= 0xF4 else ord("2") if 0x80 <= byte <= 0xBF or byte == ord("?") else 0
    for byte in range(256)
)
"""What each character of Latin-1 may be in damaged UTF-8: a first byte or a later one. ``?`` stands for all others."""


def _damaged(text: str) -> re.Match[str] | None:
    """UTF-8 that was read as Windows-1252 or Latin-1: the usual signs, or two letters of a script that is not Latin."""
    if text.encode("latin-1", "replace").translate(_KINDS).find(b"12") < 0:
        return None
    found = _MOJIBAKE.search(text)
    return found or next((match for match in _UPPER_HALF.finditer(text) if _is_other_script(match[0])), None)


def _is_other_script(text: str) -> bool:
    """Whether a text is such letters in UTF-8; what Windows-1252 lacks is taken from Latin-1."""
    data = bytearray()
    for char in text:
        try:
            data += char.encode("cp1252")
        except UnicodeEncodeError:
            if ord(char) > 0xFF:
                return False
            data.append(ord(char))
    letters = data.decode("utf-8", "replace")
    lost = letters.rstrip("\ufffd").count("\ufffd")  # a byte that was taken out of the text
    letters = letters.replace("\ufffd", "")
    return len(letters) > 1 + lost and all(char.isalpha() and char >= "\u0370" for char in letters)


_ESCAPED = lazy_re(r"\\u(?:00[c-eC-E]|[fF]{3}[dD])")
"""The beginning of damage in arguments that are JSON text with escapes."""


def _may_hold_damage(overview: Overview) -> bool:
    """Whether a text of a row holds damaged characters: not words, since é and ö begin them."""
    if overview.is_ascii:
        return False
    text = "\n".join([*overview.assistant, *overview.input, *overview.arguments])
    if "\\" in text and _ESCAPED.search(text):
        return True
    return not text.isascii() and ("\ufffd" in text or _damaged(text) is not None)


@rule("TC314", "damaged-characters", "warning", guards=(_may_hold_damage,))
class DamagedCharacters(RowRule):
    """Characters that were read in the wrong encoding, or could not be read at all.

    Anti-pattern: UTF-8 read as Latin-1 or Windows-1252 and stored; bytes replaced by U+FFFD when they were decoded.

    Why it hurts: the model learns to write the damage, and arguments taken from such text don't match.

    Best practice: read with the right encoding; drop rows whose characters are lost.

    Bad: ``{"role": "assistant", "content": "CafÃ©"}``

    Good: ``{"role": "assistant", "content": "Café"}``

    Turns and arguments are looked at, tool responses aren't: tools return such text.

    Source: Unicode, 3.9 (U+FFFD); common in crawled text.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            text = turn.raw_text
            if turn.role == "tool":
                continue
            match = _damaged(text)
            if "\ufffd" in text:
                message = f"{text.count(chr(0xFFFD))} characters in a turn of {turn.role} are U+FFFD: they are lost"
            elif match is not None:
                part = text[max(0, match.start() - 10) : match.end() + 10]
                message = f"{shown(part)} in a turn of {turn.role}: UTF-8 that was read in another encoding"
            else:
                continue
            yield self.finding(row, row.text_pointer(turn.message), message)
        for call in row.calls:
            for pointer, value in walk(call.members) if not call.in_text else ():
                if not isinstance(value, str):
                    continue
                how = "has U+FFFD in place of characters" if "\ufffd" in value else "was read in another encoding"
                if "\ufffd" in value or _damaged(value) is not None:
                    message = f"{argument(pointer, call.name)} is {shown(value)}: it {how}"
                    yield self.finding(row, call.place_of(pointer), message)


_KEYS_IN_TEXTS: Final = tuple(Words(kind, KEY_STARTS) for kind in ("assistant", "input", "arguments"))


@rule("TC315", "secret-in-text", "warning", guards=_KEYS_IN_TEXTS)
class Secret(RowRule):
    """A key or password of a real service in a turn, or in the arguments of a call.

    Anti-pattern: logs of real sessions published as training data.

    Why it hurts: models repeat what they were trained on, and whoever gets the dataset gets the key.

    Best practice: revoke the key, and replace it with a name for it.

    Bad: ``{"role": "user", "content": "My token is ghp_…"}``

    Good: ``{"role": "user", "content": "My token is in $TOKEN."}``

    Source: the documented forms of the keys of OpenAI, Anthropic, GitHub, AWS, Google, Slack, Stripe, Hugging Face and
    others: those that ``--redact`` replaces.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if kinds := _keys_in(turn.raw_text):
                message = f"a turn of {turn.role} holds a secret that begins with {listed(kinds)}"
                yield self.finding(row, row.text_pointer(turn.message), message)
            for call in turn.calls:
                if not call.in_text and (kinds := _keys_in(jsontext.dumps(call.arguments).decode())):
                    message = f"the arguments of {call.name} hold a secret that begins with {listed(kinds)}"
                    yield self.finding(row, call.arguments_pointer, message)


def _keys_in(text: str) -> list[str]:
    """How the keys in a text begin; most texts of a row with one have none of these words."""
    return key_starts_in(text) if _key_words().is_in(text) else []


@cache
def _key_words() -> AnyWord:
    return any_word(frozenset(KEY_STARTS))


_GAP = lazy_re(
    r"(?<![\w{$\\'\"`/#=(\[])(?:\{[a-z][a-z0-9_]{2,29}\}|\{\{ ?[a-z][a-z0-9_]{2,29} ?\}\})(?![\w}'\"`/(\])])"
    r"|\b(?:undefined|NaN)(?= ?(?:[€£$¥%°元度]|(?:euros?|dollars?|USD|EUR|km|degrees)\b))"
    r"|(?<=[€£$¥])(?:undefined|NaN)\b",
    re.ASCII,
)
"""A variable in braces between the words of a sentence, or JavaScript's word for no value in place of an amount."""


def _may_have_gaps(overview: Overview) -> bool:
    """Whether an answer after a response may have a variable in place of its value."""
    return bool(overview.responses) and any(map(_GAP.search, overview.assistant))


def _gap_in(row: LintRow, turn: LintTurn) -> re.Match[str] | None:
    """A variable in an answer after a tool response, without code, where no user wrote braces."""
    found = _GAP.search(turn.text) if not turn.calls else None
    if found is None or "`" in turn.text or turn.text.replace("{{", "{").count("{") > MAX_GAPS:
        return None
    before = row.turns[: turn.message]
    has_braces = any("{" in each.text for each in before if each.role == "user")
    return found if any(each.responses for each in before) and not has_braces else None


MAX_GAPS: Final = 3
"""More braces are code."""


_PLACEHOLDERS_IN_TEXTS: Final = (
    Words("assistant", ("[INSERT", "[Insert", "[insert", "[YOUR", "[Your", "[your", "[ENTER", "[Enter")),
    Words("assistant", ("{", "undefined", "NaN"), _may_have_gaps),
)


@rule("TC316", "placeholder-in-text", "warning", guards=_PLACEHOLDERS_IN_TEXTS)
class PlaceholderText(AssistantRule):
    """A placeholder in an answer: ``[INSERT TEMPERATURE]``, ``[Your Name]``.

    Anti-pattern: a template of the generator that was never filled in.

    Why it hurts: the model learns to answer with gaps.

    Best practice: drop the row, or fill in the value from the response.

    Bad: ``{"role": "assistant", "content": "It is [INSERT TEMPERATURE] in Rome."}``

    Good: ``{"role": "assistant", "content": "It is 12 degrees in Rome."}``

    Up to three variables in single or double braces between the words of an answer to a tool response count, too, and
    so does ``undefined`` or ``NaN`` for an amount. Not reported where the user asks for something to be filled in: a
    letter, a mail, a template, a form.

    Source: ToolBench and API-Bank rows.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        found = _PLACEHOLDER.search(turn.text) or _gap_in(row, turn)
        if found is None or turn.text[found.end() : found.end() + 1] == "(":  # a link
            return
        asked = " ".join(each.text for each in row.turns[: turn.message] if each.role == "user")
        if found[0] not in asked and not _WRITING.search(asked):
            message = f"{shown(found[0])} in an answer: a placeholder, expected its value"
            yield self.finding(row, row.text_pointer(turn.message), message)


def _may_loop(overview: Overview) -> bool:
    """Whether an answer may repeat itself, by its last characters, and those in its middle."""
    for text in overview.assistant:
        if len(text) > MIN_LOOP and (_recurs(text, len(text) - LOOP_SAMPLE) or _recurs(text, len(text) // 2)):
            return True
    return False


def _recurs(text: str, at: int) -> bool:
    """Whether a sample of a text occurs often, or overlaps with itself, as in the loop of a short word."""
    sample = text[at : at + LOOP_SAMPLE]
    return text.count(sample) >= LOOPS or text.find(sample, at - LOOP_SAMPLE, at + LOOP_SAMPLE - 1) >= 0


@rule("TC317", "degenerate-repetition", "warning", guards=(_may_loop,))
class Repetition(AssistantRule):
    """An answer that repeats the same words again and again.

    Anti-pattern: output of a model that ran in a loop until its token limit.

    Why it hurts: the model learns the loop, and loops learn fast.

    Best practice: drop the row.

    Bad: "It is sunny. It is sunny. It is sunny. It is sunny. …"

    Good: "It is sunny."

    Reported are a passage that occurs at least 5 times in a row and a word that occurs 12 times in a row. Repetitions
    without spaces between them must also add up to 60 characters.

    Source: Holtzman et al. 2020 (degenerate repetition); BFCL outputs of small models.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        text = turn.text
        if len(text) <= MIN_LOOP:
            return
        words = text.split()
        loop = _loop_in(words[-MAX_LOOP_WORDS:]) or _loop_in(words[:MAX_LOOP_WORDS]) or _loop_of_characters(text)
        if loop is not None:
            count, passage = loop
            message = f"{shown(passage)} {count} times in a row: output of a loop"
            yield self.finding(row, row.text_pointer(turn.message), message)


_COMMAND = lazy_re(r"\\[a-z]+")
"""A sign in LaTeX, such as that between the factors of a power."""


def _has_words(passage: str) -> bool:
    """Whether a passage has letters, other than those of signs in LaTeX."""
    at = passage.find("\\")
    return any(map(str.isalpha, passage if at < 0 else _COMMAND.sub("", passage[at:] + passage[:at])))


def _loop_in(words: list[str]) -> tuple[int, str] | None:
    """A passage of up to 40 words that follows itself, and how often; ``None`` if there is none."""
    for size in range(1, 41):
        least = WORD_LOOPS - 1 if size == 1 else (LOOPS - 1) * size
        run = 0
        for at in range(size, len(words)):
            run = run + 1 if words[at] == words[at - size] else 0
            if run >= least:
                while at + 1 < len(words) and words[at + 1] == words[at + 1 - size]:
                    at, run = at + 1, run + 1
                passage = " ".join(words[at - size + 1 : at + 1])
                if size > 1 and len(set(words[at - size + 1 : at + 1])) == 1:
                    continue  # a word alone, which is repeated less often than in a loop
                if _has_words(passage):
                    return run // size + 1, passage
    return None


def _loop_of_characters(text: str) -> tuple[int, str] | None:
    """The same for a passage of up to 40 characters at the end of a text, near it, in its middle or first quarter."""
    for end in (len(text), len(text) - 40, len(text) // 2, len(text) // 4):
        for size in range(1, 41):
            length = max((LOOPS - 1) * size, MIN_LOOP_CHARACTERS - size)
            start = end - length
            if start < size or text[start:end] != text[start - size : end - size]:
                continue
            passage = text[end - size : end]
            if _has_words(passage):
                while start > size and text[start - 1] == text[start - 1 - size]:
                    start -= 1
                while end < len(text) and text[end] == text[end - size]:
                    end += 1
                return (end - start) // size + 1, passage
    return None


_STOCK_WORDS: Final = (
    "language model", "an AI", "artificial intelligence", "ChatGPT", "knowledge cut", "last knowledge update",
    "last update in", "语言模型",
)  # fmt: skip


@rule("TC318", "stock-phrase", "warning", guards=(Words("assistant", _STOCK_WORDS),))
class Boilerplate(AssistantRule):
    """A stock phrase of another assistant: "As an AI language model", "my knowledge cutoff".

    Anti-pattern: answers of a general chat model used as answers of an agent with tools.

    Why it hurts: the model learns that it can't do what its tools do, and takes on another model's identity.

    Best practice: drop the row, or rewrite the answer.

    Bad: "As an AI language model, I don't have access to the weather."

    Good: a call of ``get_weather``

    Not reported if the user asks what the assistant is.

    Source: filters of ShareGPT and WildChat subsets (Vicuna, OpenHermes).
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        found = _STOCK.search(turn.text)
        if found is None:
            return
        before = [each.text for each in row.turns[: turn.message] if each.role == "user"]
        if before and _IDENTITY.search(before[-1]) is None:
            message = f"{shown(found[0])} in an answer: a stock phrase of a chat model without tools"
            yield self.finding(row, row.text_pointer(turn.message), message)


@rule("TC319", "language-change", "info", default=False)
class LanguageChange(RowRule):
    """An answer in another script than the requests before it.

    Anti-pattern: rows translated in part; generators that fall back to English or Chinese.

    Why it hurts: the model learns to change the language at random.

    Best practice: translate the whole row, or drop it.

    Bad: "What is the weather in Rome?", "罗马现在12度。"

    Good: "What is the weather in Rome?", "It is 12 degrees in Rome."

    Requests that speak of a language or of translating are left alone, and so are texts of fewer than 16 Latin letters,
    or five signs of another script. Chinese and Japanese are taken for one script.

    Source: ToolACE's dialog checks (mixed languages).
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        asked: str | None = None
        scripts: set[str | None] = set()
        for turn in row.turns:
            if turn.role == "user":
                asked = script_of(turn.text)
                scripts.add(asked)
            mine = script_of(turn.text) if turn.role == "assistant" and asked is not None else None
            if mine is None or mine in scripts or {mine, asked} == MIXED:
                continue
            if not any(_TRANSLATING.search(each.text) for each in row.turns[: turn.message]):
                yield self.finding(row, row.text_pointer(turn.message), f"an answer in {mine} to a request in {asked}")


def _thinks_in_lines(overview: Overview) -> bool:
    """A guard: the last answer begins as ReAct's lines do."""
    last = overview.assistant[-1:]
    return last != [] and last[0].startswith("Thought:")


@rule(
    "TC320",
    "reasoning-as-answer",
    "warning",
    guards=(Words("assistant", ("he user ", "he user's ", "he user’s ")), _thinks_in_lines),
)
class ReasoningAsAnswer(AssistantRule):
    """Thoughts about the user in an answer: "Okay, the user wants to know …".

    Anti-pattern: output of a reasoning model whose tags were removed, but not the reasoning.

    Why it hurts: the model learns to think aloud to the user.

    Best practice: move the thoughts to ``reasoning_content``.

    Bad: "Okay, the user wants the weather in Rome. I should call get_weather."

    Good: ``{"reasoning_content": "The user wants the weather in Rome.", "content": "It is 12 degrees."}``

    In a row with structured calls, "Thought: …" and "Final Answer: …", the lines of ReAct, count, too.

    Source: distillations of DeepSeek-R1 and QwQ; agents of LangChain.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        found = _THOUGHT.match(turn.text)
        if found is None and row.has_structured_calls and "\nFinal Answer:" in turn.text:
            found = _LINE_OF_THOUGHT.match(turn.text)
        if found is not None:
            message = f"{shown(found[0].strip())} begins an answer: reasoning, not for the user"
            yield self.finding(row, row.text_pointer(turn.message), message)
