"""Which texts are just words: nothing in them could begin a call, reasoning or another turn, whatever the dialect.

For prose with code or JSON in it, these searches take a hundredth of the time that the grammars take.
They begin at signs, such as a brace, that are rare in a text, and look back from there; so some patterns are backwards.
"""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.call_keys import ARGUMENT_KEYS, NAME_KEYS, RARE_ARGUMENT_KEYS, RARE_NAME_KEYS
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.call_signs import lists_in, unread_calls
from toolconv.dialects.lexing.damaged_markup import names_in
from toolconv.dialects.lexing.markers import may_hold_markup, tokens
from toolconv.dialects.lexing.mentions import may_be_prompted
from toolconv.dialects.lexing.tag_search import TagSearch, backwards
from toolconv.dialects.lexing.trie import WordSet, pattern_of
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

_NAME_KEYS: Final = tuple(dict.fromkeys((*NAME_KEYS, *RARE_NAME_KEYS)))
_ARGUMENT_KEYS: Final = (*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS)


def _key(words: tuple[str, ...], quote: str = r"[\"'”’＂]?+") -> str:
    """The pattern, backwards, of a key that ends with one of some words, and its colon."""
    ends = "".join(sorted({word[-1] for word in words}))
    begins = rf"(?=[\s\"'”’＂\\{ends}])"  # fails faster than what follows
    return rf":{begins}\s{{0,20}}+{quote}\\?+{pattern_of(word[::-1] for word in words)}"


_NAME: Final = lazy_re(_key(_NAME_KEYS, r"(?P<quote>[\"'”’＂]?+)"))
_ARGUMENTS: Final = lazy_re(_key(_ARGUMENT_KEYS))
"""The two members that an object has which is a call."""
_MEMBER_BEGINS: Final = lazy_re(r"\w{0,64}+\s{0,200}+[{,｛，]")
"""What precedes the first member of an object, and each that follows, backwards."""
_NAMED: Final = (
    r":(?=\s{0,20}+[\"'][^\"'\n]{1,60}[\"']\s{0,20}+,\s{0,20}+[\"'][^\"'\n]{1,128}[\"']\s{0,20}+"
    rf"{_key(_NAME_KEYS)})()"
)
_IN_STRING: Final = r"[\"'“]\s{0,20}+:\s{0,20}+[\"'”’]()"
_TELLING_BRACE: Final = lazy_re(rf"\{{(?! [^\s:])(?:{_IN_STRING}|{_NAMED}|\s\s{{0,20}}+(?:(?<=\n)[\w>]|{_NAMED}))")
"""The brace of an object that follows a name, whatever its key, or is in a string: a group tells these. Or it follows
a line. All backwards."""
_OBJECT_BEGINS: Final = lazy_re(r"\{\s{0,20}\\?[\"'}]")
"""An object that follows a line which may be a name."""
_KEYED_BY_NAME: Final = lazy_re(r"\s{0,20}\[\s{0,20}\{\s{0,20}\"[^\"\n]{1,128}\"\s{0,20}:\s{0,20}\{")
_FUNCTION: Final = r"/?[^\W\d][^()\[\]{}\"'=,;:`<>|\n]{0,128}+\("
_BEGINS_WITH_CALL: Final = lazy_re(rf"\s*+(?:```\w*+\s*+)?[\[\s\"'`(]*+(?P<name>{_FUNCTION})")
_ENDS: Final = (")", "]", "`", "'", '"', ";", "(", ",")
"""What a list of calls ends with, whole or cut."""
_CUT_CALL: Final = lazy_re(r"\s*+\[\s*+[^\W\d][\w.\- ]*+\Z")
_LISTED_CALL: Final = lazy_re(rf"\[\s{{0,20}}[\"']?{_FUNCTION}")
"""Calls in Python: at the beginning, all of a text that is cut, or in a list that begins a line."""


def is_plain(text: str, tools: ToolIndex) -> bool:
    """Whether a text is only prose for every dialect. False negatives are allowed, false positives are not."""
    if text[:1] == "\n" or (text[-1:] in ("]", "}") and _is_answer(text.strip())):
        return False
    return not holds_tokens(text) and not may_hold_bare_call(text, tools)


def _is_answer(text: str) -> bool:
    """Whether a whole text may be an answer in JSON: a message, or a list of calls with none in it."""
    return (text[0] == "{" and '"content"' in text) or (text[0] == "[" and not text[1:-1].strip())


def holds_tokens(text: str) -> bool:
    """Whether a text holds markup that some dialect writes, of calls, reasoning or turns, in any case."""
    tags, words = _tokens()
    if may_hold_markup(text) and tags.are_in(text):
        return True
    return words.are_in(text) or may_be_prompted(text)


@of_vocabulary
def _tokens(vocabulary: Vocabulary) -> tuple[TagSearch, WordSet]:
    """What dialects write that is more than words: tags, and whole words."""
    tags, words = tokens()
    words -= {">>>"}  # see may_be_prompted
    return TagSearch(tags), WordSet(
        word for word in words if not any(other in word for other in words if other != word)
    )


def may_hold_bare_call(text: str, tools: ToolIndex) -> bool:
    """Whether a text without any dialect's marker may hold a call."""
    if may_hold_object(text, tools) or may_hold_python(text, tools):
        return True
    return bool(_CUT_CALL.match(text) or unread_calls(text, tools))


def may_hold_python(text: str, tools: ToolIndex) -> bool:
    """Whether a text may hold a call in Python, which no marker begins."""
    return "(" in text and (
        _begins_with_call(text)
        or any(_LISTED_CALL.match(text, start) for start in lists_in(text))
        or any(f"{name}(" in text for name in names_in(text, tools))
    )


def may_hold_object(text: str, tools: ToolIndex) -> bool:
    """Whether an object in a text may be a call, which no marker begins."""
    if "{" not in text:
        return False
    reverse = backwards(text)
    if _ARGUMENTS.search(reverse) is not None:
        if _named_member(reverse, len(text)) is not None:
            return True
    else:  # only a call that is cut, after the last object that ends
        end = reverse.find("}")
        name = _named_member(reverse, end if end >= 0 else len(text))
        if name is not None and _is_cut(text[len(text) - name.start() :], tools):
            return True
    for brace in _TELLING_BRACE.finditer(reverse):
        if brace.lastindex or _OBJECT_BEGINS.match(text, len(text) - brace.start() - 1):
            return True
    return _KEYED_BY_NAME.match(text) is not None


def _named_member(reverse: str, end: int) -> re.Match[str] | None:
    """The last key of a name in a text, which is backwards, up to ``end`` there, that may be a member of an object.

    One without quotes, as in YAML, is a member only after a brace or a comma.
    """
    for match in _NAME.finditer(reverse, 0, end):
        if match["quote"] or _MEMBER_BEGINS.match(reverse, match.end()):
            return match
    return None


def _is_cut(text: str, tools: ToolIndex) -> bool:
    """Whether what follows the last key of a name in a text may be a call that is cut: its object does not end."""
    name = text.lstrip(" \t\r\n\"'“").partition('"')[0].removeprefix("functions.")
    return not tools or any(each.startswith(name) for each in tools.functions)


def _begins_with_call(text: str) -> bool:
    """Whether a text begins with a call in Python. A sentence may begin alike, but does not end as calls do."""
    call = _BEGINS_WITH_CALL.match(text)
    return call is not None and (" " not in call["name"] or text.rstrip().endswith(_ENDS))
