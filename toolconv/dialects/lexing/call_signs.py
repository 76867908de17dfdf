"""What looks like a call in a text: the markers of all dialects, tags like them, and the names of declared tools.

Calls that a person shows in inline code or in a code block are not calls, so code is left out of the search.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.call_keys import ARGUMENT_KEYS, NAME_KEYS, RARE_NAME_KEYS, is_misspelt
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import QUOTES
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.core.work import spend
from toolconv.dialects.lexing.damaged_markup import calls_by_arguments, calls_by_lines, names_in, python_calls
from toolconv.dialects.lexing.lexer import TAG_PUNCTUATION
from toolconv.dialects.lexing.markers import (
    SIGNS,
    halves_of_openers,
    may_hold_markup,
    openers,
    parts,
    telling_openers,
    tokens_in,
)
from toolconv.dialects.lexing.mentions import (
    TAG,
    Brackets,
    is_mention,
    kind_of,
    spaced_out,
    without_code,
    without_shown,
)
from toolconv.dialects.lexing.surroundings import Form, end_of_markup, is_shown
from toolconv.dialects.lexing.tag_search import TagSearch, backwards, lowered
from toolconv.dialects.lexing.trie import WordSet
from toolconv.dialects.lexing.turn_tokens import TURN_TOKEN
from toolconv.dialects.lexing.unmarked_calls import LONG_KEYS, may_hold_arguments, says_call, unmarked_calls
from toolconv.dialects.vocabulary import Vocabulary, of_vocabulary

_SPACE: Final = r"[ \t\r\n\u00a0]"
_UNTAGGED: Final = lazy_re(
    _BACKWARDS := rf"\{{{_SPACE}{{0,4}}+(\]SGRA\[|>[^<>\n]{{1,40}}+<)?{_SPACE}{{0,4}}+(\d{{1,6}}+:)?"
    r"([\w.\-]{2,128}+)(?![\w.\-])"
)
"""A name with an object after it, backwards: so the search looks at braces, not at every word."""
_LINE: Final = lazy_re(rf"{_BACKWARDS}(?=[^\S\n]*+(?:\n|\Z))")
"""Such a name that begins a line."""
_ARGUMENT_KEYS: Final = ("arguments", "parameters", *LONG_KEYS)
_NAMED: Final = lazy_re(
    rf'["\'{QUOTES}](?:{"|".join((*NAME_KEYS, *RARE_NAME_KEYS))})["\'{QUOTES}]'
    rf"{_SPACE}{{0,20}}[:：]{_SPACE}{{0,20}}"
    rf'["\'{QUOTES}](?P<name>(?!Final Answer["\'{QUOTES}])[^"\'{QUOTES}\n]{{1,128}})["\'{QUOTES}]'
    rf'(?P<arguments>(?={_SPACE}{{0,20}}[^\s"\'{{}}\w]?,?[^"\'{{}}{QUOTES}]{{0,20}}["\'{QUOTES}]'
    rf'(?:{"|".join(_ARGUMENT_KEYS)})[^"\'{QUOTES}]{{0,14}}["\'{QUOTES}]{_SPACE}{{0,20}}[:：{{]))?'
)
"""A member of an object that names a tool, and whether the member follows that usually does in a call object.

A turn token may precede that or be in it. ``Final Answer`` is what LangChain's agents call an answer."""
_NEXT_KEY: Final = lazy_re(
    rf'{_SPACE}{{0,20}},{_SPACE}{{0,20}}["\'](\w{{8,11}})["\']{_SPACE}{{0,20}}:{_SPACE}{{0,20}}["\']?\{{'
)
"""The member after the name, which holds an object; as long as the key of arguments, or nearly."""
_DECLARES: Final = lazy_re(
    rf'{_SPACE}{{0,20}},{_SPACE}{{0,20}}["\'](?:description["\']|input_?[sS]chema["\']|parameters["\']{_SPACE}{{0,20}}:{_SPACE}{{0,20}}\{{'
    rf'{_SPACE}{{0,20}}["\'](?:type|properties)["\'])'
)
"""What follows the name in a declaration."""
_PYTHON: Final = lazy_re(r"^[ \t]*(?:\[(?:[^\n]{0,2000}?[ ,])??)?([\w.]{2,128})\(", re.MULTILINE)
"""A line that begins with a call, or with a list that holds one."""
_FIRST_LIST: Final = lazy_re(r"[ \t]{0,8}+\[")
_LATER_LISTS: Final = lazy_re(r"\[[ \t\n](?:(?<=\n)|[ \t]{0,7}+\n)")
"""The brackets that begin other lines, backwards: a bracket is looked at, not each line."""
_PYTHON_LIST: Final = lazy_re(r"\[[ \t]{0,8}[^\W\d][\w.]{0,127}\((?:[^\W\d]\w{0,63}=|\))")
"""A list of calls whose arguments have names, at the beginning of a line."""
_VALUES: Final = lazy_re(
    r"\{(?:[^{}]{0,400}?[\"'“”‘’＂«»\d\[<]|[^{}]{0,400}?\{|\s*\}|[^{}]{0,400}\Z|[^{}]{0,40}:[^{};]{0,80}\})"
)
"""An object that may be arguments, even cut or damaged: it holds a value, or nothing."""
_STRUCTURE: Final = lazy_re(r"[{}(\[=\"'“:]")
"""What arguments have, however damaged."""
_EMPTY_PAIR: Final = lazy_re(r"&lt;[^<>&\s]{1,60}&gt;\s{0,8}&lt;/[^<>&\s]{1,60}&gt;")
"""Escaped tags around a call that was read."""


_TAG_PUNCTUATION: Final = WordSet(TAG_PUNCTUATION)
_CALL_FORMS: Final = WordSet(("functions.", "[ARGS]"))
"""What a name has before it, or after it, that is a call whatever its tool."""
_CALL_WORDS: Final = ("tool", "function", "invoke")
"""A tag that begins or ends a call has one of these words, or is markup of some dialect."""
LONGEST_TAG: Final = 80
SHORTEST_CUT: Final = 6
"""How much of a tag that begins a call is enough to know it at the end of a cut text, in characters."""


class CallSign(NamedTuple):
    """A place in a text that looks like a call: ``text[start:end]`` is its marker, or what names its tool."""

    start: int
    end: int


class _Untagged(NamedTuple):
    """A name at ``text[start:end]`` with an object after it, whose brace is at ``brace``.

    ``number`` is ``:0`` of ``functions.f:0``, ``tag`` what stands between name and brace, such as ``[ARGS]``.
    """

    start: int
    end: int
    brace: int
    name: str
    number: str
    tag: str

    @property
    def tells_call(self) -> bool:
        """Whether it has what only calls have: ``functions.f:0{`` or ``f[ARGS]{``."""
        return self.tag == "[ARGS]" or (self.number != "" and self.name.startswith("functions."))

    @property
    def bare_name(self) -> str:
        return self.name.removeprefix("functions.")


def unread_calls(text: str, tools: ToolIndex) -> tuple[CallSign, ...]:
    """The places of a text that look like calls, one for each call; a turn token inside of a marker doesn't hide it."""
    spend(len(text))
    return _unread_calls(text, tools)


@lru_cache(maxsize=4)
def _unread_calls(text: str, tools: ToolIndex) -> tuple[CallSign, ...]:
    """Cached per text: callers ask several times."""
    found = _signs(text, tools)
    if found or not _holds_turn_token(text):
        return tuple(found)
    bare, at = "", 0
    places: list[int] = []
    for token in TURN_TOKEN.finditer(text):
        bare += text[at : token.start()]
        places += range(at, token.start())
        at = token.end()
    bare, places = bare + text[at:], [*places, *range(at, len(text))]
    return tuple(CallSign(places[sign.start], places[sign.end - 1] + 1) for sign in _signs(bare, tools))


def _holds_turn_token(text: str) -> bool:
    return "<" in text and may_hold_markup(text) and TURN_TOKEN.search(text) is not None


def _signs(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that look like calls as they are."""
    for sign in SIGNS:
        if sign in text:
            break
    else:
        if not ("&" in text and "&lt;" in text) and not (
            "}" in text or ")]" in text or "```" in text or ("=" in text and tools)
        ):
            return [CallSign(*span) for span in calls_by_lines(text, tools)] if "\n" in text and tools else []
    if "&" in text and "&lt;" in text:
        text = unescaped(spaced_out(_EMPTY_PAIR, text))
    if "\\" in text and "\\n" in text and "\n" not in text:  # escaped twice, or a text in an object
        twice = text.replace("\\n", " \n").replace('\\"', '" ')
        if found := _signs_but_code(twice, tools):
            return found
    return _signs_but_code(text, tools)


def _signs_but_code(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that look like calls and are not shown as code."""
    if "`" not in text:
        return _signs_outside_code(text, text, tools)
    if not _signs_outside_code(text, text, tools):
        return []
    return _signs_outside_code(without_code(text), without_shown(text), tools)


@lru_cache(maxsize=4)
def unescaped(text: str) -> str:
    """A text with the entities of markup as what they stand for, and spaces: it is as long. Cached: two ask."""
    return text.replace("&lt;", "   <").replace("&gt;", ">   ").replace("&quot;", '     "')


def _signs_outside_code(text: str, unshown: str, tools: ToolIndex) -> list[CallSign]:
    """The places that look like calls in a text without its code; ``unshown`` has the code block that it ends in."""
    seen = TAG.findall(text) if _may_hold_call_tag(text) else ()
    kinds = {tag: kind for tag in set(seen) if (kind := kind_of(tag) or _part(tag))}
    tags = [CallSign(*match.span()) for match in TAG.finditer(text) if match[0] in kinds] if kinds else []
    opening = [tag for tag in tags if kinds[text[tag.start : tag.end]] == "open"]
    hits = [tag for tag in opening if not is_mention(text, *tag)]
    if _TAG_PUNCTUATION.are_in(text) and (may_hold_markup(text) or _last_halves().are_in(text)):
        known = {tag.start for tag in tags}
        hits = sorted({*hits, *(sign for sign in _damaged_openers(text) if sign.start not in known)})
    start = text.rfind("<", max(0, len(text) - LONGEST_TAG))
    if start >= 0 and text.find(">", start) < 0 and text[start:] in _cut_openers():
        hits.append(CallSign(start, len(text)))
    hits = _grouped(text, hits)
    named = _named(text, tools) if "{" in text or "(" in text else []
    named += [CallSign(*span) for span in unmarked_calls(text, unshown)]
    if tools:
        named += [CallSign(*span) for span in calls_by_arguments(unshown, tools)]
    brackets = Brackets(unshown)
    named = [sign for sign in named if not is_shown(Form.DAMAGED, unshown, sign.start, end_of_markup(brackets, *sign))]
    if tools:
        named += [CallSign(*span) for span in calls_by_lines(unshown, tools)]
    if not hits and not named:
        others = (tag for tag in tags if tag not in opening or _part(text[tag.start : tag.end]))
        hits = [tag for tag in others if not is_mention(text, *tag) and _may_end_call(text, tag)][:1]
    return _with_named(hits, named) if named else hits


def _may_hold_call_tag(text: str) -> bool:
    """Whether a text may hold a tag that begins or ends a call, or is a part of one."""
    if not ("<" in text or "[" in text or "✿" in text):
        return False
    lower = lowered(text)
    for word in _CALL_WORDS:
        place = lower.find(word)
        while place >= 0:
            before = lower[max(0, place - LONGEST_TAG) : place]
            bracket = max(before.rfind("<"), before.rfind("["), before.rfind("✿"))
            if bracket >= 0 and before.find(">", bracket) < 0 and before.find("\n", bracket) < 0:
                return True
            place = lower.find(word, place + len(word))
    return "✿" in text or may_hold_markup(text)


def _may_end_call(text: str, tag: CallSign) -> bool:
    """Whether what precedes a tag may be a call that lost its beginning: not only words, and a blank."""
    return text[max(0, tag.start - 1) : tag.start] != " " or _STRUCTURE.search(text, 0, tag.start) is not None


def _damaged_openers(text: str) -> list[CallSign]:
    """The damaged tags of a text that begin calls, except those that ordinary markup could be."""
    telling = telling_openers()
    ends: dict[int, int] = {}
    for token in tokens_in(text).odd:
        if token.damage and token.tag in telling:
            ends[token.start] = max(token.end, ends.get(token.start, 0))
    return [CallSign(start, end) for start, end in ends.items()]


@of_vocabulary
def _last_halves(_: Vocabulary) -> TagSearch:
    """The last halves of the tags that begin calls."""
    return TagSearch((), (half for half, first, _ in halves_of_openers() if not first))


def _part(tag: str) -> str:
    """``part`` for a tag of calls that nothing else in a turn has, otherwise an empty text."""
    return "part" if tag.lower() in parts() else ""


@of_vocabulary
def _cut_openers(_: Vocabulary) -> frozenset[str]:
    """The beginnings of the tags that begin calls."""
    calls = [tag for tag in openers() if tag.startswith("<") and kind_of(tag) == "open"]
    return frozenset(tag[:end] for tag in calls for end in range(SHORTEST_CUT, len(tag)))


def _named(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that name a tool to call: members of objects, names before objects, lines of Python."""
    found = []
    names = names_in(text, tools)
    may_be_object = "{" in text and (names or may_hold_arguments(text))
    for match in _NAMED.finditer(text) if may_be_object else ():
        is_call = match["arguments"] is not None or match["name"].removeprefix("functions.") in tools
        if not is_call and (key := _NEXT_KEY.match(text, match.end())) is not None:
            is_call = is_misspelt(key[1])
        if is_call and not _DECLARES.match(text, match.end()) and not _is_choice(text, *match.span()):
            found.append(CallSign(*match.span()))
    last = _last_line(text, tools)
    if last is not None:
        found.append(CallSign(last.start, last.end))
    for each in _untagged(text, None if ":" in text and says_call(text) and "call:" in text else tools):
        marked = each.tells_call or text.endswith("call:", 0, each.start)
        known = each.bare_name in tools and _VALUES.match(text, each.brace) is not None
        if known or marked:
            found.append(CallSign(each.start, each.end))
    if "(" in text and any(f"{name}(" in text for name in names):
        found += [CallSign(*match.span(1)) for match in _PYTHON.finditer(text) if match[1] in tools]
    for start in lists_in(text) if "(" in text else ():
        if _PYTHON_LIST.match(text, start):
            end = text.find("\n", start)
            found += [CallSign(*span) for span in python_calls(text, start, end if end >= 0 else len(text))]
    return found


def call_objects(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The places in ``text[start:end]`` where objects name a tool and give it arguments, shown or not."""
    return [match.span() for match in _NAMED.finditer(text, start, end) if match["arguments"] is not None]


@lru_cache(maxsize=4)
def lists_in(text: str) -> tuple[int, ...]:
    """The places of the brackets that begin a line, after a little white space at most. Cached: two ask."""
    if "[" not in text:
        return ()
    first = _FIRST_LIST.match(text)
    starts = [len(text) - 1 - match.start() for match in _LATER_LISTS.finditer(backwards(text))]
    return tuple(([] if first is None else [first.end() - 1]) + starts[::-1])


def _is_choice(text: str, start: int, end: int) -> bool:
    """Whether a name is all that an object of a request says of a tool: that it is there, or is to be called."""
    return text.startswith("}}", end) and text.endswith(('"function": {', '"function":{'), 0, start)


def _untagged(text: str, tools: ToolIndex | None) -> list[_Untagged]:
    """The names with an object after them, in order.

    Args:
        text: a turn, or a part of one.
        tools: those whose names alone are enough; ``None`` if any name is.
    """
    if "{" not in text:
        return []
    if tools is not None and not names_in(text, tools) and not _CALL_FORMS.are_in(text):
        return []
    found = _each_untagged(text, _UNTAGGED)
    return [each for each in found if tools is None or each.tag or each.number or each.bare_name in tools][::-1]


def _each_untagged(text: str, pattern: re.Pattern[str]) -> Iterator[_Untagged]:
    """The names with an object after them that a pattern finds, from the last to the first."""
    length = len(text)
    for match in pattern.finditer(backwards(text)):
        tag, number, name = match.groups("")
        start, end = length - match.end(), length - match.start()
        is_bare = not (tag or number)
        if is_bare and (name[::-1] in ARGUMENT_KEYS or text.startswith("/", max(0, start - 1))):
            continue  # the key of an object, or the end of a path
        yield _Untagged(start, start + len(name), end - 1, name[::-1], number[::-1], tag[::-1])


def _last_line(text: str, tools: ToolIndex) -> _Untagged | None:
    """The name that begins a line and whose JSON object is the rest of the text.

    It is the last that begins a line: no line inside of a JSON object begins with a name and an object. So only one
    object is read, however many a program has.
    """
    if "{" not in text or not text.rstrip().endswith("}"):
        return None
    for each in _each_untagged(text, _LINE):
        if each.name.isidentifier():
            try:
                value = jsontext.loads(text[each.brace :].encode())
            except ValueError:
                return None
            return each if isinstance(value, dict) and value else None
    return None


def _grouped(text: str, hits: list[CallSign]) -> list[CallSign]:
    """Hits with nothing but white space between them joined: they open the same call."""
    joined: list[CallSign] = []
    for hit in hits:
        if joined and not text[joined[-1].end : hit.start].strip():
            joined[-1] = CallSign(joined[-1].start, max(joined[-1].end, hit.end))
        else:
            joined.append(hit)
    return joined


def _with_named(hits: list[CallSign], named: list[CallSign]) -> list[CallSign]:
    """All hits in order; the first name after an opening tag belongs to the tag's call."""
    marked = set(hits)
    result: list[CallSign] = []
    taken = True
    end = 0  # of the last name: two ways to find a name may find the same one
    for hit in sorted({*hits, *named}):
        if hit not in marked:
            if hit.start < end:
                continue
            end = hit.end
        if hit in marked:
            result.append(hit)
            taken = False
        elif result and (not taken or hit.start < result[-1].end):
            taken = True
        else:
            result.append(hit)
    return result


def untagged_calls(text: str, tools: ToolIndex) -> tuple[list[ToolCall], str] | None:
    """The calls in a text whose markers were stripped, and the rest of the text.

    Servers that skip special tokens leave ``get_weather{"city": "Paris"}`` or ``functions.get_weather:0{…}``. The name
    must begin a line and be that of a declared tool, except in forms that only calls have; the object must have
    parameters of the tool only.

    Returns:
        ``None`` if there are none.
    """
    calls: list[ToolCall] = []
    rest, at = "", 0
    budget = 4 * len(text) + 100_000  # characters of objects that can't be read; what is left then counts as unread
    for each in _untagged(text, tools):
        name = each.bare_name
        known_name = name in tools or each.tells_call
        if each.start < at or not known_name or not _begins_line(text, each.start, at):
            continue
        if budget <= 0:
            break
        try:
            reading = lenient_json.read(text, each.brace)
        except lenient_json.Unreadable as error:
            budget -= error.at - each.brace + 200
            continue
        value, known = reading.value, tools.properties(name)
        if reading.repairs or not isinstance(value, dict) or (known and not value.keys() <= known.keys()):
            budget -= reading.end - each.brace
            continue
        has_id = each.number != "" and each.name.startswith("functions.")
        calls.append(ToolCall(name, value, f"{each.name}{each.number}" if has_id else None))
        rest, at = rest + text[at : each.start], reading.end
    return (calls, (rest + text[at:]).strip()) if calls else None


def _begins_line(text: str, place: int, floor: int) -> bool:
    """Whether only whitespace precedes ``place`` on its line, or from ``floor`` on."""
    while place > floor and text[place - 1] != "\n":
        if not text[place - 1].isspace():
            return False
        place -= 1
    return True
