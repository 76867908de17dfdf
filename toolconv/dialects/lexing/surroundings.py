"""What stands on both sides of a call, and whether the text then makes the call or only shows it.

Three facts decide: what announces the call (a marker, nothing but its form, or a name with damaged arguments after it),
and what is on its line before it and after it.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.markers import openers
from toolconv.dialects.lexing.mentions import TAG, Brackets, kind_of
from toolconv.dialects.lexing.other_turns import begins_other_turn
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

MAX_LINE: Final = 2000
"""How much of a line is looked at on each side, in characters."""
MAX_HEADERS: Final = 4
"""How many turn tokens and headers may be right before a marker."""


class Form(StrEnum):
    """What announces a call."""

    MARKED = "the marker of a dialect"
    JSON = "an object, or a list of calls"
    PYTHON = "a name and arguments in Python, outside of a list"
    DAMAGED = "a name, and what may be left of its arguments"


class Side(StrEnum):
    """What is next to a call on its line."""

    END = "nothing: the text ends"
    LINE = "nothing: the line begins or ends, or there is only the punctuation of lists"
    MARKUP = "a marker, or another call"
    RESPONSE = "the tag that begins a tool's response"
    WORDS = "a sentence that goes on"
    ANNOUNCED = "a sentence that goes on, after a colon"
    SENTENCE = "another sentence"
    OTHER = "other text, such as a sentence that ends there"
    QUOTE = "a quotation mark, with words outside of the quotation"
    CODE = "a program, the prompt of a session"
    LOG = "the head of a log line, or the name of a record's field"
    COMMENT = "the sign of a comment, or of an item of a list"
    SPEAKER = "who says it, in a conversation"
    PROGRAM = "nothing, but the line above is a statement of a program"
    INDENTED = "nothing, but the line above is not as far indented"


_ANY: Final = frozenset(Side)
"""Whatever follows, it is shown."""
_OPEN: Final = frozenset({Side.END, Side.LINE, Side.MARKUP})
"""What a call without a marker may be followed by: nothing, or another call."""
_SHOWN: Final[dict[Form, dict[Side, frozenset[Side]]]] = {
    Form.MARKED: {
        **dict.fromkeys((Side.WORDS, Side.ANNOUNCED, Side.CODE), frozenset({Side.WORDS, Side.SENTENCE})),
        Side.QUOTE: frozenset({Side.QUOTE}),
        Side.LOG: _ANY,
        Side.SPEAKER: _ANY - {Side.END},
    },
    Form.JSON: {
        **dict.fromkeys(Side, _ANY - _OPEN),
        Side.MARKUP: frozenset(),
        **dict.fromkeys((Side.ANNOUNCED, Side.OTHER, Side.COMMENT), _ANY - {Side.END, Side.MARKUP}),
        Side.WORDS: _ANY - {Side.MARKUP},
        Side.RESPONSE: _ANY,
        Side.QUOTE: _ANY,
        Side.CODE: _ANY,
        Side.LOG: _ANY,
        Side.PROGRAM: _ANY,
    },
    Form.PYTHON: {
        **dict.fromkeys(Side, _ANY),
        Side.MARKUP: frozenset(),
        Side.LINE: _ANY - _OPEN,
        **dict.fromkeys((Side.WORDS, Side.ANNOUNCED, Side.OTHER), _ANY - {Side.MARKUP}),
        Side.SPEAKER: _ANY - {Side.END},
    },
    Form.DAMAGED: {
        Side.QUOTE: frozenset({Side.QUOTE}),
        Side.CODE: _ANY,
        Side.LOG: _ANY,
        Side.COMMENT: _ANY,
    },
}
"""The text shows a call of some form that has these sides before it and after it. It makes all others."""

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
_OPENING: Final = " \t[({`"
_CLOSING: Final = " \t\r\n[](){},;`\"'*_"
"""What holds the calls of a list together, or stands around a call that is all of its line."""
_TAGS: Final = ("<", ">", "|", "｜", "✿", "\\n", "[/", "&lt;", "&gt;")
"""What the markup around a call ends and begins with; line breaks of a text that was escaped twice are none."""
_CUT_TAG: Final = lazy_re(r"<[^<>\s]{2,60}[ \t]*\Z")
"""The beginning of a tag, just before a call."""
_LAST_TAG: Final = lazy_re(r"<[^<>\n]{2,80}>\Z")
LONGEST_TAG: Final = 82
_LEAD: Final = lazy_re(r"(?:\A|[>\]|}✿](?=[\s,.;:)]))(?P<words>(?:[^<>\[\]{}|｜✿\"]|\"(?! ?:))*)\Z")
"""The words before a call, and the tag before them that they mention."""
_LEADS_ON: Final = lazy_re(r"(?:[\w,(，、（:：][ \t]?|\w ?[\"'“„«‘「(])\Z")
"""What ends words that go on after a call."""
_TWO_LETTERS: Final = lazy_re(r"[^\W\d_]{2}")
_GOES_ON: Final = lazy_re(
    r"(?:[ \t]?|[\"'”»’」)]?[ \t]?(?:[,;:)，；：、）.?!。？！]|[–—-] )[ \t]?|[ \t]\(|[\"'”»’」][ \t])"
    r"(?P<letter>[^\W\d_])"
)
"""What goes on after it: a word, or punctuation and a word. A word in capitals begins a sentence of its own."""
_SEVERAL: Final = lazy_re(r"\w[ \t]+[^\W\d_]|[\u0900-\ud7ff][\u0900-\ud7ff]|\w[.!?]\s*\Z")
"""More than a single word."""
_REST: Final = lazy_re(r"\S")
"""Something in the lines after it."""
_NEXT_CALL: Final = lazy_re(
    r"[ \t\])}]*(?:[,;][ \t\])}]*)?\{|[,;][ \t]?[^\W\d][\w.]{0,127}\([^()\n]{0,200}\)[ \t]?[\]<]"
)
"""Another call, perhaps after a bracket too many; one in Python that a list, or a tag, ends after."""
_PROMPT: Final = lazy_re(r"[ \t]*(?:>>>|\.\.\.|[<>$]|\d{1,6} ?\||\[?\d{1,2}:\d\d(?::\d\d)?\]?)[ \t]")
"""The prompt of a shell, a quotation mark of Markdown, the number of a line, the time of a message."""
_COMMENT: Final = lazy_re(r"[ \t]*(?:(?:[%#]|\(\w\)|//|--)[ \t]|[^\w\s\x21-\x7e｜✿“”„«»‘’＂【「『\ue000-\uf8ff])")
"""What begins a comment, or an item of a list."""
_SESSION: Final = lazy_re(r"[ \t]*[A-Za-z]{2,12}>[ \t]")
"""The prompt of a program that reads code: before an object, it may be the rest of a tag."""
_FENCE: Final = lazy_re(r"[ \t]*```\w*[ \t]*")
"""The fence of a block that begins on its line."""
_ASKS: Final = lazy_re(r"^[*<\[]{0,2}(?:User|Human|Question|Q)\b[^\n:]{0,20}:", re.MULTILINE)
_ANSWERS: Final = lazy_re(r"[*<\[]{0,2}(?:Assistant|AI|Answer|Bot|Model)[*>\]]{0,2}:[*]{0,2} ")
"""A line that a user's words begin, and what precedes the answer in a written conversation."""
_LOG: Final = lazy_re(r"\d:\d\d:\d\d|^[ \t]*\w[\w.\-/]{0,40}\[\d{1,8}\]: ")
"""The time, or the process, of a log line."""
_FIELD: Final = lazy_re(r"\w[\w ]{0,20}:[ \t]")
"""The name of a field, as a line of a record begins."""
_CODE_HEAD: Final = lazy_re(  # the source or level of a log line, and numbers before it
    r"[ \t]*\[(?!\d{1,3}\])[^\[\]{}()]{0,60}[\d:.\-][^\[\]{}()]{0,60}\]|[A-Z]{4,8}(?::[\w.]+)*:\s*\Z"
)
_CODE_TAIL: Final = lazy_re(
    r"\w:\d+: \Z|\[[a-z]+\] \Z"
    # an assignment, an open bracket or a keyword of a program
    r"|[\w\])] [!=]?= ?[\"'`]?\Z|\w\([^()\n]{0,200}\Z|\w \([\"'][^()\n]{0,200}\Z|\\[a-z]+\{\Z"
    r"|(?<![\w.])(?:in|return|yield|await|lambda|not|assert|else)[ \t]+\Z"
)
"""How a line begins, and how it ends, that precedes a call in a program, a session or a log."""
MAX_TAIL: Final = 256
"""How much of a line the end of it is, in characters."""
_STATEMENT: Final = lazy_re(
    r"\s*(?:[\w.]+ = \S|(?:const|let|var) \w+ ?=|from [\w.]+ import |import [\w.]+\Z|return \w+\Z"
    r"|for \w+ in |with \w+\(|if \w+(?: [=<>!]=|\()|try:\s*\Z"
    r"|(?:async )?def \w+\(|class \w+[(:])"
)
"""A line of a program that does more than call."""
_CODE_LINE: Final = lazy_re(r"\s*[^\s<].*[^\s\[(,]\s*\Z")
"""A line that opens neither a list nor a tag."""
_USED: Final = lazy_re(r"[ \t]*\{|\[[\w\"']|\.[^\W\d]\w*[^\w\s]")
"""What a program does with a call in Python: it defines what is called so, or takes a part of what it returns."""
_LAST: Final = lazy_re(r"[>\])}✿|｜](?=[^>\[\](){}✿|｜]*\Z)")
"""The last character of the markup on a line."""
_WORD: Final = lazy_re(r"\w")
_BRACKET: Final = lazy_re(r"[({]")


def is_shown(form: Form, text: str, start: int, end: int) -> bool:
    """Whether a text only shows the call ``text[start:end]``."""
    shown = _SHOWN[form].get(before(form, text, start, end), frozenset[Side]())
    return bool(shown) and after(text, start, end) in shown


def may_be_shown(form: Form, text: str, start: int, end: int) -> bool:
    """Whether what follows the call ``text[start:end]`` may make it one that the text only shows."""
    return text[:start].rstrip(" ")[-1:] in _QUOTES or before(form, text, start, end) in _SHOWN[form]


def before(form: Form, text: str, start: int, end: int) -> Side:
    """What is before the call ``text[start:end]`` on its line."""
    begin = max(text.rfind("\n", 0, start) + 1, start - MAX_LINE)
    line = text[begin:start]
    if form is Form.MARKED and line:
        line = _without_header(line)
    if _LOG.search(line) or (_FIELD.match(line) and _is_of_record(text, begin, end)):
        return Side.LOG
    if _PROMPT.match(line) or (text[end - 1] == ")" and _SESSION.match(line)):
        return Side.CODE
    lead = line.rstrip(_OPENING)
    if line.strip() and (line.rstrip().endswith(_words()) or lead.endswith(_words())):
        return Side.MARKUP
    if _FENCE.fullmatch(line):
        return Side.MARKUP
    code = _CODE_HEAD.match(line) or _CODE_TAIL.search(line[-MAX_TAIL:])
    if (code is not None and code[0].strip() not in openers()) or (line.endswith("=") and text[start] in "[{"):
        return Side.CODE
    if not line.strip():
        return _after_line(text, begin, start)
    if _COMMENT.match(line):
        return Side.COMMENT
    is_attribute = form is Form.DAMAGED and line[-2:-1] == "="
    if not is_attribute and _is_quoted(text, line, start, end):
        return Side.QUOTE
    if _ends_in_markup(lead, line):
        return _side_of_tag(lead)
    if not lead.strip(" \t\r\n*_"):
        return Side.LINE
    if _ANSWERS.fullmatch(line) and _ASKS.search(text, 0, begin):
        return Side.SPEAKER
    if line[-1].isalnum() and (form is Form.JSON or (form is Form.MARKED and line[-1].isascii())):
        return Side.OTHER  # a sentence has a space before what it mentions
    words = _LEAD.search(line)
    if words is not None and _LEADS_ON.search(line[-3:]) and _TWO_LETTERS.search(words["words"]):
        return Side.ANNOUNCED if line.rstrip().endswith((":", "：")) else Side.WORDS
    return Side.OTHER


def after(text: str, start: int, end: int) -> Side:
    """What is after the call ``text[start:end]`` on its line."""
    stop = text.find("\n", end, end + MAX_LINE)
    line = text[end : stop if stop >= 0 else end + MAX_LINE]
    if text[end - 1] == ")" and _USED.match(line):
        return Side.CODE
    if _is_quoted(text, text[max(0, start - MAX_LINE) : start].rpartition("\n")[2], start, end):
        return Side.QUOTE
    following = line.lstrip(_CLOSING)
    if not following:
        return Side.END if _REST.search(text, end + len(line)) is None else Side.LINE
    if following.startswith(_TAGS) or _NEXT_CALL.match(line):
        return Side.MARKUP
    tag = TAG.match(line, max(0, len(line) - len(following) - 1))  # whose bracket may look like that of a list
    if tag is not None and kind_of(tag[0]):
        return Side.MARKUP
    goes_on = _GOES_ON.match(line)
    if goes_on is None or not _SEVERAL.search(line):
        return Side.OTHER
    return Side.SENTENCE if goes_on["letter"].isupper() else Side.WORDS


def end_of_markup(brackets: Brackets, start: int, at: int) -> int:
    """Where the call ends whose marker, or name, is from ``start`` to ``at`` in the text of some brackets.

    It ends with its closing tag, else with the last markup of its line, or where a bracket is closed that opens before.
    """
    text = brackets.text
    tag = text[start:at]
    name = tag[1:].partition("=")[0].partition(" ")[0].rstrip(">")
    if tag.startswith("<") and name:
        close = text.find(f"</{name}>", at, at + MAX_LINE)
        if close >= 0:
            return close + len(name) + 3
    stop = text.find("\n", at, at + MAX_LINE)
    last = _LAST.search(text, at, stop if stop >= 0 else min(len(text), at + MAX_LINE))
    end = at if last is None else last.end()
    bracket = _BRACKET.search(text, at, end)
    return max(end, (brackets.end(bracket.start()) or 0) if bracket is not None else 0)


def _without_header(line: str) -> str:
    """The text before a marker without the turn tokens and headers that precede it."""
    for _ in range(MAX_HEADERS):
        bare = line.removesuffix("assistant")
        at = bare.rfind("<")
        if not bare.endswith(">") or at < 0 or not 2 < len(bare) - at <= 42:
            break
        line = bare[:at]
    return line


def _is_of_record(text: str, begin: int, end: int) -> bool:
    """Whether the lines above and below begin with the name of a field, as the line does that begins at ``begin``."""
    above = text.rfind("\n", max(0, begin - MAX_LINE), max(0, begin - 1)) + 1
    below = text.find("\n", end, end + MAX_LINE) + 1
    return begin > 0 and below > 0 and all(_FIELD.match(text, place) for place in (above, below))


def _is_quoted(text: str, line: str, start: int, end: int) -> bool:
    """Whether the call ``text[start:end]``, which ``line`` precedes, is in quotation marks, with words outside."""
    line = line.rstrip(" ") if line.endswith("« ") else line
    mark = _QUOTES.get(line[-1:])
    if mark is None or not text.startswith((mark, f" {mark}"), end):
        return False
    if _LEAD.search(line[:-1]) is None:
        return False
    outside = text[max(0, start - MAX_LINE) : start], text[end + 1 : end + MAX_LINE]
    return any(map(_WORD.search, outside))


def _ends_in_markup(lead: str, line: str) -> bool:
    """Whether a marker ends the words that lead to a call, or a list of calls goes on that begins the line."""
    if lead.rstrip().endswith(_TAGS) or _CUT_TAG.search(lead):
        return True
    return line.lstrip().startswith("[") and line.count("[") > line.count("]")


def _side_of_tag(text: str) -> Side:
    """What a text is that ends in markup: a tool's response may hold what looks like a call."""
    tag = _LAST_TAG.search(text, max(0, len(text) - LONGEST_TAG))
    return Side.RESPONSE if tag is not None and begins_other_turn(tag[0]) else Side.MARKUP


@of_vocabulary
def _words(_: Vocabulary) -> tuple[str, ...]:
    """The markers of all dialects, which may end what precedes a call."""
    return tuple(marker for marker in openers() if marker not in ("{", "[", "("))


def _after_line(text: str, begin: int, start: int) -> Side:
    """What the line above is, for a call that begins its own line."""
    above = text[max(0, begin - MAX_LINE) : begin].rstrip()
    line = above.rpartition("\n")[2]
    if _STATEMENT.match(line):
        return Side.PROGRAM
    if start - begin >= 4 and text[begin - 1 : begin] == "\n" and _CODE_LINE.match(line):
        return Side.INDENTED
    bare = above.rstrip(_OPENING + "\r\n")
    if bare.endswith(_TAGS):
        return _side_of_tag(bare)
    return Side.MARKUP if bare.endswith(_words()) else Side.LINE
