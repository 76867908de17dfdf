"""What a text only mentions: code that it shows, and tags that are words of a sentence. Neither is a call.

What begins or ends a call is a matter of a tag's words, whether or not any dialect has that tag.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.tag_search import backwards

# What tags look like, and which words in them, in lower case, begin a call, end one, or do neither.
TAG: Final = lazy_re(r"<[^<>\n]{2,80}+>|<[\w:|｜.\-▁ ]{2,60}+=|\[/?[A-Za-z_]{4,30}+\d{0,3}+\]|✿\w{2,20}+✿")
DISTINCTIVE: Final = lazy_re(r"[<>\[\]|✿]")
"""What a marker has that is not just words."""
_CALL_WORDS: Final = lazy_re(r"tool.?call|tool.?use|tool.?request|use.{0,12}tool|function.?call|invoke|mcp.{0,4}tool")
_OPENS: Final = lazy_re(
    r"<[|｜]?tool.{0,24}(?:start|begin)|<function[ =]|\[tool[_ ](?!results?\])|✿function|<\|plugin|<\|action.?start"
)
_NO_CALL: Final = lazy_re(
    r"respon|result|output|arg|param|value|sep\b|example|format|declar|definition|list|count|choice|<tools>"
)
_EMPTY_CALL: Final = lazy_re(r"<[\w:.\-]+ name ?= ?[\"'][^\"']*[\"'] ?/>")
"""An element that may be a call without arguments; others that are empty are data."""
_CLOSES: Final = lazy_re(r"^<.?/|^\[/|end|close|stop|^<\w+\|>")
_STRUCTURE: Final = lazy_re(r"[{}=(\[<]")
_WORD: Final = lazy_re(r"\w")
_SAYS: Final = lazy_re(r"(?: {1,4}[^\s{}()=<>|]+){3,400}[.!?。！？][ \t]*")
"""What goes on as a sentence after a tag that begins it."""
_BRACKET: Final = lazy_re(r"[{(=]")
_ASSIGNED: Final = lazy_re(r"(?<!\w)\w{1,40}=(?=<)")
"""What a setting precedes its value with."""
_NESTING: Final = lazy_re(r"\\.|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+'|[(){}\[\]]")
MAX_PASSES: Final = 16
"""How often a text is gone through for the ends of its brackets."""
_ITEM: Final = lazy_re(r"[ \t]*(?:[-*+•|]|\d{1,3}[.)])[ \t]+")
_DEFINES: Final = lazy_re(r"[ \t]?[:|–—-][ \t]+\w")
"""What precedes and follows a tag that an item of a list, or a row of a table, explains."""
_NAME_LINE: Final = r"[\w.\-/]{1,128}+[ \t]*+\n\s{0,8}\{"
_NAMED_SIGN: Final = rf"<<<?[^<>\n]{{1,80}}+>>>(?![ \t]*+{_NAME_LINE})"
SESSION_PROMPT: Final = lazy_re(rf">>>(?=[ \t\n]|\Z)(?![ \t]*+{_NAME_LINE})|{_NAMED_SIGN}")
"""The prompt of a Python session, which many texts show, or the end of a sign as ``<<<answer>>>``. A name and an
object after it are a call of functionary's."""
_ENDS_SIGN: Final = lazy_re(_NAMED_SIGN)
_CALL_PROMPT: Final = lazy_re(r">>>(?:>>>|[^> \t\n])")
_LINE_PROMPT: Final = lazy_re(r"\{\s{0,8}\n[ \t]*+[\w.\-/]{1,128}+[ \t]++>>>")
"""What is no prompt of a session, where no ``<<<answer>>>`` is left; the second, with an object after it, backwards."""
TOKEN: Final = lazy_re(r"<[|｜][^<>\n]{1,40}[|｜]>|</s>")
_NO_BRACES: Final = bytes(byte for byte in range(256) if byte not in b"{}")
# Three backticks that are closed on their line open no block.
FENCE: Final = lazy_re(
    r"```[^\n`]{1,2000}```|```[^\n`]{0,40}\n[^\n]*+(?>(?:\n(?![ \t]{0,8}```)[^\n]*+)*)(?:\n[ \t]{0,8}```)?"
)
INLINE: Final = lazy_re(r"``[^\n]{1,2000}?``|`[^`\n]{1,2000}`")


@lru_cache(maxsize=1024)
def kind_of(tag: str) -> str:
    """``open`` for a tag that begins a call, ``close`` for one that ends it, otherwise an empty text."""
    word = tag.lower()
    if word.endswith("/>") and not _EMPTY_CALL.match(word):
        return ""
    if _NO_CALL.search(word) or not (_CALL_WORDS.search(word) or _OPENS.match(word)):
        return ""
    return "close" if _CLOSES.search(word) else "open"


def closes(tag: str) -> bool:
    """Whether a tag closes what another opened."""
    return _CLOSES.search(tag.lower()) is not None


def holds_no_call(tag: str) -> bool:
    """Whether the words of a tag say that it holds something other than a call: a response, an example, an argument."""
    return _NO_CALL.search(tag.lower()) is not None


@lru_cache(maxsize=4)
def without_code(text: str) -> str:
    """A text with spaces in place of its inline code and code blocks, so that places stay the same.

    Cached per text: callers ask several times.
    """
    if "`" not in text:
        return text
    return spaced_out(INLINE, spaced_out(FENCE, text) if "```" in text else text)


def may_be_prompted(text: str) -> bool:
    """Whether a text has a sign that may begin a call of functionary's."""
    if not (">" in text and ">>>" in text):
        return False
    if "<" in text and "<<" in text:
        text = _ENDS_SIGN.sub(" ", text)
    return _CALL_PROMPT.search(text) is not None or _LINE_PROMPT.search(backwards(text)) is not None


def opens_code(text: str) -> bool:
    """Whether code begins in a text and doesn't end there."""
    return "`" in text and (text.count("```") % 2 == 1 or "`" in without_code(text))


def ends_in_object(text: str) -> bool:
    """Whether a text opens more braces than it closes, as one that is cut inside of a call does."""
    braces = text.encode(errors="surrogatepass").translate(None, _NO_BRACES)  # a third of the work of two counts
    return braces.count(b"{") > braces.count(b"}")


def without_shown(text: str) -> str:
    """A text like :func:`without_code`, with the code blocks of a text that ends in one: these may be calls."""
    if "`" not in text:
        return text
    if "```" in text and not explains_code(text):
        return spaced_out(INLINE, text)
    return without_code(text)


def spaced_out(pattern: re.Pattern[str], text: str) -> str:
    """A text with as many spaces in place of each match of a pattern as it has characters."""
    pieces: list[str] = []
    at = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        pieces += text[at:start], " " * (end - start)
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def explains_code(text: str) -> bool:
    """Whether prose follows the last code block of a text: then it may show an example, not a call."""
    return text.count("```") % 2 == 0 and _WORD.search(TOKEN.sub("", text[text.rfind("```") :])) is not None


def is_mention(text: str, start: int, end: int) -> bool:
    """Whether a sentence only mentions the tag ``text[start:end]``: words go on before and after it on its line."""
    low = max(0, start - 200)
    before = text[max(low, text.rfind("\n", low, start) + 1) : start]
    stop = text.find("\n", end, end + 400)
    after = text[end : stop if stop >= 0 else end + 400]
    if before[-1:] in "\"'“„‘«「『/#" and after[:1] in "\"'”“’»」』/#" and before and after:
        return True
    if _ITEM.fullmatch(before) and _DEFINES.match(after) and not _STRUCTURE.search(TAG.sub("", after)):
        return True
    if not after.strip() and (before.endswith("= ") or _ASSIGNED.search(f"{before}<")):
        return True
    if not before.strip():
        return begins_sentence(text, start, end)
    word = before.rstrip()[-1:]
    if (
        not (word.isalnum() or (word and word in ",;(，、；（") or _ASSIGNED.search(f"{before}<"))
        or not after
        or not (after[0].isspace() or after[0] in ".,;:)!?。，、；：）！？")
    ):
        return False
    rest = TAG.sub("", _ASSIGNED.sub("", after.partition(text[start:end])[0])).strip()
    return bool(rest) and not _STRUCTURE.search(rest)


def begins_sentence(text: str, start: int, end: int) -> bool:
    """Whether the tag ``text[start:end]`` begins a sentence, and nothing that follows may be arguments."""
    low = max(0, start - 9)
    if text[max(low, text.rfind("\n", low, start) + 1) : start].strip(" "):
        return False
    stop = text.find("\n", end, end + 400)
    says = _SAYS.fullmatch(TAG.sub("", text[end : stop if stop >= 0 else end + 400]))
    return says is not None and _BRACKET.search(text, end) is None


class Brackets:
    """Finds where the brackets of a text are closed.

    Many that nothing closes would take quadratic time, so it gives up after it went through the text
    :data:`MAX_PASSES` times.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._left = MAX_PASSES * len(text)

    def end(self, start: int) -> int | None:
        """Where the bracket at ``start`` is closed; ``None`` if nothing closes it."""
        if self._left <= 0:
            return None
        depth = 0
        for token in _NESTING.finditer(self.text, start):
            if token[0] in "([{":
                depth += 1
            elif token[0] in ")]}":
                depth -= 1
                if depth <= 0:
                    self._left -= token.end() - start
                    return token.end()
        self._left -= len(self.text) - start
        return None
