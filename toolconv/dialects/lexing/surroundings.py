"""What stands around a call on its lines: a sentence, a quotation or code that goes on there only shows it."""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.call_keys import ARGUMENT_KEYS, NAME_KEYS, RARE_ARGUMENT_KEYS, RARE_NAME_KEYS
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.markers import openers
from toolconv.dialects.lexing.mentions import TAG, end_of_bracket, kind_of

MAX_LINE: Final = 2000
"""How much of a line is looked at on each side, in characters."""
MAX_HEADERS: Final = 4
"""How many turn tokens and headers may be right before a marker."""
_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“",
    "«": "»",
    "»": "«",
    "‘": "’",
    "「": "」",
    "『": "』",
    "`": "`",
}
_LEADS_ON: Final = lazy_re(r"(?:[\w,(，、（:：][ \t]?|\w ?[\"'“„«‘「(])\Z")
"""What ends words that go on after a call."""
_GOES_ON: Final = lazy_re(
    r"(?P<word>[ \t]?[^\W\d_])|[\"'”»’」)]?[ \t]?(?:[,;)，；、）]|[–—-] )[ \t]?[^\W\d]|[\"'”»’」][ \t][^\W\d_]"
)
"""What goes on after it: a word, or punctuation and a word. A word in capitals begins a sentence of its own."""
_LEAD: Final = lazy_re(r"(?:\A|[>\]|}✿](?=[\s,.;:)]))(?P<words>(?:[^<>\[\]{}|｜✿\"]|\"(?! ?[:,]))*)\Z")
"""The words before a call, and the tag before them that they mention."""
_SEVERAL: Final = lazy_re(r"\w[ \t]+[^\W\d_]|[\u0900-\ud7ff][\u0900-\ud7ff]|\w[.!?]\s*\Z")
"""More than a single word."""
_TWO_LETTERS: Final = lazy_re(r"[^\W\d_]{2}")
_BRACKET: Final = lazy_re(r"[({]")
_SPEAKER: Final = lazy_re(r"[*<\[]{0,2}([A-Z][\w ]{1,20})[*>\]]{0,2}:[*]{0,2} ")
_SPEAKERS: Final = lazy_re(r"^[*<\[]{0,2}([A-Z][\w ]{1,20})[*>\]]{0,2}:[*]{0,2} ", re.MULTILINE)
_ASKS: Final = lazy_re(r"[*<\[]{0,2}(?:User|Human|Question|Q)\b")
"""Whose words the assistant's turn does not begin with."""
_LAST: Final = lazy_re(r"[>\])}✿|｜](?=[^>\[\](){}✿|｜]*\Z)")
"""The last character of the markup on a line."""
_WORD: Final = lazy_re(r"(?<![\w<>|｜=/\[\]{}\"'._▁\-\\])[^\W\d_]{2,}(?![\w<>|｜=/\[\]{}\"'_▁\-\\]|:[^\s])")
"""A word of a sentence or of code: nothing of markup touches it."""
_OF_MARKUP: Final = frozenset(
    {*NAME_KEYS, *RARE_NAME_KEYS, *ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS}
    | {"assistant", "call", "calling", "calls", "commentary", "functions", "id", "invoke", "json", "name", "recipient"}
    | {"thought", "to", "tools", "type", "analysis", "final", "Action", "Thought", "Input"}
)
"""Words that calls themselves are written with."""
_STRING: Final = lazy_re(r"\"[^\"\n]{0,400}\"|'[^'\n]{0,400}'")
_CODE: Final = lazy_re(
    r"^[ \t]*(?:(?:[$>%#]|>>>|\(\w\)|//|--) |[^\w\s\x21-\x7e｜✿“”„«»‘’＂\ue000-\uf8ff])|\d:\d\d|\w:\d+: \Z"
    r"|\w\([^()\n]{0,200}\Z|\w = [\"'`]?\Z|\[[a-z]+\] \Z|\\[a-z]+\{\Z|[\"'][\w.]*_\Z"
)
"""What is before a name on a line of code or of a session, or in an item of a list."""
_STATEMENT: Final = lazy_re(r"\s*(?:[\w.]+ = \S|(?:from|import|def|class|for|if|while|with|try|return|const|let|var) )")
"""A line of a program that does more than call."""
_RESPONDS: Final = lazy_re(r"\s*(?:Observation|Result|Response|Output)\b")
"""What a model makes up that another role would say."""
_IN_QUOTES: Final = lazy_re(r"(?<=\w \()'[^()\n]*\Z|(?<=[\w:] )'\{[^'\n]*\Z|(?<=[\w:(] )[“„«‘][^“”„«»‘’\n]*\Z")
_UNQUOTES: Final = lazy_re(r"['”“»’](?:[ ,.;]|\Z)")
_SETTING: Final = lazy_re(r"[ \t\-]*[\w.]+:(?:[ \t\r\n]|\Z)")
"""A line of a configuration file: a key, and its value or further lines."""
_PROSE: Final = lazy_re(r"\s*+(?:[*\-+>]|\d++[.)])?\s*+\w[^\s{}<>|=\"]*+(?: [^\s{}<>|=\"]++){2,}+\s*+\Z")
"""A line of words."""


def calls_in_sentences(text: str) -> list[tuple[int, int]]:
    """The places of calls with markers that a sentence goes on around, or that are in quotation marks."""
    found: list[tuple[int, int]] = []
    at = 0
    for tag in TAG.finditer(text):
        begin = max(text.rfind("\n", 0, tag.start()) + 1, tag.start() - MAX_LINE)
        if tag.start() < at or begin == tag.start():
            continue
        before = _without_header(text[begin : tag.start()])
        lead = _LEAD.search(before)
        if lead is None or not _LEADS_ON.search(before) or not _TWO_LETTERS.search(lead["words"]):
            continue
        if kind_of(tag[0]) != "open" and tag[0] not in openers():
            continue
        end = _end(text, tag.start(), tag.end(), tag[0])
        if _goes_on_below(text, tag.end(), end):
            continue
        stop = text.find("\n", end, end + MAX_LINE)
        after = text[end : stop if stop >= 0 else end + MAX_LINE]
        goes_on = bool(found) and found[-1][1] >= begin  # a sentence that shows one call shows them all
        if goes_on or _is_quoted(before, after) or _is_amid(before, after) or _is_said(text, before, tag.start()):
            found.append((tag.start(), end))
            at = end
    return found


def _without_header(before: str) -> str:
    """The text before a marker without the turn tokens and headers that precede it."""
    for _ in range(MAX_HEADERS):
        bare = before.removesuffix("assistant")
        at = bare.rfind("<")
        if not bare.endswith(">") or at < 0 or not 2 < len(bare) - at <= 42:
            break
        before = bare[:at]
    return before


def _goes_on_below(text: str, start: int, end: int) -> bool:
    """Whether the first bracket in ``text[start:end]`` is closed on a later line: the call is more than was found."""
    bracket = _BRACKET.search(text, start, end)
    close = None if bracket is None else end_of_bracket(text, bracket.start())
    return close is not None and "\n" in text[end:close]


def _end(text: str, start: int, at: int, tag: str) -> int:
    """Where the markup ends that begins with a tag: with its closing tag, else with the last markup of its line."""
    name = tag[1:].partition("=")[0].partition(" ")[0].rstrip(">")
    if tag.startswith("<") and name:
        close = text.find(f"</{name}>", at, at + MAX_LINE)
        if close >= 0:
            return close + len(name) + 3
    stop = text.find("\n", at, at + MAX_LINE)
    last = _LAST.search(text, at, stop if stop >= 0 else min(len(text), at + MAX_LINE))
    return at if last is None else last.end()


def _is_said(text: str, before: str, start: int) -> bool:
    """Whether a call is what somebody says in a conversation that a user's words begin."""
    speaker = _SPEAKER.fullmatch(before)
    if speaker is None:
        return False
    first = _SPEAKERS.search(text, 0, start)
    return first is not None and first[1] != speaker[1] and _ASKS.match(first[0]) is not None


def _is_quoted(before: str, after: str) -> bool:
    """Whether a call is in quotation marks, with words outside of them."""
    mark = before[-1:]
    return _QUOTES.get(mark) == after[:1] != "" and bool(before[:-1].strip() or after[1:].strip(" .。"))


def _is_amid(before: str, after: str) -> bool:
    """Whether the words on both sides are one sentence."""
    if before[-1:] in _QUOTES or after.rfind("<") > after.rfind(">"):
        return False
    following = _GOES_ON.match(after)
    if following is None:
        return False
    if not _SEVERAL.search(after):
        return False
    if following["word"] is None:
        return True
    letter = following["word"][-1]
    return not letter.isupper() and (letter.islower() or before.rstrip()[-1:] not in ":：")


def is_amid_words(text: str, start: int) -> bool:
    """Whether what has no marker at ``start`` is a part of a sentence, of code or of a list, and so is no damaged call.

    Words may lead to a call that ends the text.
    """
    begin = max(text.rfind("\n", 0, start) + 1, start - MAX_LINE)
    before = text[begin:start]
    stop = text.find("\n", start)
    if not before.strip():
        return follows_statement(text, begin) or (stop >= 0 and _is_between_words(text, begin, stop))
    if _CODE.search(before):
        return True
    line = text[start : stop if stop >= 0 else len(text)]
    if _IN_QUOTES.search(before) and _UNQUOTES.search(line):
        return True
    words = _STRING.sub(" ", TAG.sub(" ", before))
    if all(word[0] in _OF_MARKUP for word in _WORD.finditer(words)):
        return stop >= 0 and before.lstrip().startswith("{") and _is_between_words(text, begin, stop)
    if _SETTING.match(before) and stop >= 0 and _SETTING.match(text, stop + 1):
        return True
    last = _LAST.search(line)
    if last is not None:
        rest = line[last.end() :].lstrip("'\"”»」`, ")
        if _PROSE.match(rest) and not rest[0].isupper():
            return True
    return stop >= 0 and _has_words(text, stop)


def follows_statement(text: str, start: int) -> bool:
    """Whether the line above the one at ``start`` is one of a program."""
    return _STATEMENT.match(text[max(0, start - MAX_LINE) : start].rstrip().rpartition("\n")[2]) is not None


def _is_between_words(text: str, start: int, end: int) -> bool:
    """Whether lines of words precede and follow ``text[start:end]``, in which no bracket is closed."""
    bracket = _BRACKET.search(text, start, end)
    if bracket is None or end_of_bracket(text, bracket.start()) is not None:
        return False  # whole calls, and names before their arguments, are not judged here
    return _PROSE.match(text[max(0, start - MAX_LINE) : start].rstrip().rpartition("\n")[2]) is not None and _has_words(
        text, end
    )


def _has_words(text: str, start: int) -> bool:
    """Whether the last line of a text, from ``start`` on, is one of words."""
    last = text[max(start, len(text) - MAX_LINE) :].rstrip().rpartition("\n")[2]
    return _PROSE.match(last) is not None and _RESPONDS.match(last) is None
