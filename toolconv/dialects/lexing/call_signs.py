"""What looks like a call in a text: the markers of all dialects, tags like them, and the names of declared tools.

Calls that a person shows in inline code or in a code block are not calls, so code is left out of the search.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core import jsontext, lenient_json
from toolconv.core.call_keys import NAME_KEYS, RARE_ARGUMENT_KEYS, RARE_NAME_KEYS
from toolconv.core.conversation import ToolCall
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.core.work import spend
from toolconv.dialects.lexing.damaged_markup import calls_by_arguments, calls_by_lines, python_calls
from toolconv.dialects.lexing.markers import SIGNS, openers, parts
from toolconv.dialects.lexing.mentions import TAG, is_mention, kind_of, spaces, without_code, without_shown
from toolconv.dialects.lexing.slips import TAG_PUNCTUATION, damaged_tags
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.lexing.unmarked_calls import unmarked_calls

_SPACE: Final = r"[ \t\r\n]"
_NAMED: Final = lazy_re(
    rf'["\'](?:{"|".join((*NAME_KEYS, *RARE_NAME_KEYS))})["\']'
    rf"{_SPACE}{{0,20}}:{_SPACE}{{0,20}}"
    r'["\']([^"\'\n]{1,128})["\']'
)
"""A member of an object that names a tool."""
_UNTAGGED: Final = lazy_re(
    rf"(?<![\w.\-])([\w.\-]{{2,128}}+)(:\d{{1,6}}+)?{_SPACE}{{0,4}}+(\[ARGS\]|<[^<>\n]{{1,40}}+>)?{_SPACE}{{0,4}}+\{{"
)
"""A name with an object after it. It begins where a word does, so a long word is looked at once."""
_OWN_KEYS: Final = "|".join(key for key in RARE_ARGUMENT_KEYS if "_" in key)
_ARGUMENTS: Final = lazy_re(
    rf'{_SPACE}{{0,20}}[^\s"\'{{}}\w]?,?[^"\'{{}}]{{0,20}}["\'](?:arguments|parameters|{_OWN_KEYS})[^"\']{{0,14}}["\']'
    rf"{_SPACE}{{0,20}}:"
)
"""The member of a call object that usually follows its name; a turn token may precede it or be in it."""
_DECLARES: Final = lazy_re(
    rf'{_SPACE}{{0,20}},{_SPACE}{{0,20}}["\'](?:description["\']|parameters["\']{_SPACE}{{0,20}}:{_SPACE}{{0,20}}\{{'
    rf'{_SPACE}{{0,20}}["\'](?:type|properties)["\'])'
)
"""What follows the name in a declaration."""
_PYTHON: Final = lazy_re(r"^[ \t]*(?:\[(?:[^\n]{0,2000}?[ ,])??)?([\w.]{2,128})\(", re.MULTILINE)
"""A line that begins with a call, or with a list that holds one."""
_PYTHON_LIST: Final = lazy_re(r"^[ \t]{0,8}\[[ \t]{0,8}[^\W\d][\w.]{0,127}\((?:[^\W\d]\w{0,63}=|\))", re.MULTILINE)
"""A line that begins with a list of calls whose arguments have names."""
_EMPTY_PAIR: Final = lazy_re(r"&lt;[^<>&\s]{1,60}&gt;\s{0,8}&lt;/[^<>&\s]{1,60}&gt;")
"""Escaped tags around a call that was read."""


_TURN_TOKEN: Final = lazy_re("|".join(map(re.escape, TURN_TOKENS)))
_TOKEN_STARTS: Final = tuple({token[0] for token in TURN_TOKENS})

LONGEST_TAG: Final = 80
SHORTEST_CUT: Final = 6
"""How much of a tag that begins a call is enough to know it at the end of a cut text, in characters."""


class CallSign(NamedTuple):
    """A place in a text that looks like a call: ``text[start:end]`` is its marker, or what names its tool."""

    start: int
    end: int


def unread_calls(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that look like calls, one for each call; a turn token inside of a marker doesn't hide it."""
    spend(len(text))
    found = _signs(text, tools)
    if found or not _holds_turn_token(text):
        return found
    bare, at = "", 0
    places: list[int] = []
    for token in _TURN_TOKEN.finditer(text):
        bare += text[at : token.start()]
        places += range(at, token.start())
        at = token.end()
    bare, places = bare + text[at:], [*places, *range(at, len(text))]
    return [CallSign(places[sign.start], places[sign.end - 1] + 1) for sign in _signs(bare, tools)]


def _holds_turn_token(text: str) -> bool:
    for start in _TOKEN_STARTS:
        if start in text:
            return _TURN_TOKEN.search(text) is not None
    return False


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
        text = _EMPTY_PAIR.sub(spaces, text)
        text = text.replace("&lt;", "   <").replace("&gt;", ">   ").replace("&quot;", '     "')
    if "\\" in text and "\\n" in text and "\n" not in text:  # escaped twice
        text = text.replace("\\n", " \n").replace('\\"', '" ')
    unshown = text
    if "`" in text:
        unshown, text = without_shown(text), without_code(text)
        if unshown == text and "=" not in text and not any(sign in text for sign in SIGNS):
            return []
    hits, closers = [], []
    for match in TAG.finditer(text):
        kind = kind_of(match[0])
        if kind == "open" and not is_mention(text, *match.span()):
            hits.append(CallSign(*match.span()))
        elif kind == "close":
            closers.append(CallSign(*match.span()))
    if any(sign in text for sign in TAG_PUNCTUATION):
        known = {match.start() for match in TAG.finditer(text) if kind_of(match[0]) or match[0].lower() in parts()}
        hits += [CallSign(*span) for span in damaged_tags(text, openers()) if span[0] not in known]
        hits.sort()
    hits = _grouped(text, hits)
    start = text.rfind("<", max(0, len(text) - LONGEST_TAG))
    if start >= 0 and text.find(">", start) < 0 and text[start:] in _cut_openers(openers()):
        hits.append(CallSign(start, len(text)))
    named = _named(text, tools) if "{" in text or "(" in text else []
    named += [CallSign(*span) for span in unmarked_calls(text, unshown)]
    if tools:
        named += [CallSign(*span) for span in calls_by_arguments(unshown, tools)]
        named += [CallSign(*span) for span in calls_by_lines(unshown, tools)]
    if not hits and not named:
        closers += [CallSign(*match.span()) for match in TAG.finditer(text) if match[0].lower() in parts()]
        hits = [each for each in sorted(closers) if not is_mention(text, *each)][:1]
    return _with_named(hits, named) if named else hits


@lru_cache(maxsize=4)
def _cut_openers(tags: frozenset[str]) -> frozenset[str]:
    """The beginnings of the tags that begin calls."""
    calls = [tag for tag in tags if tag.startswith("<") and kind_of(tag) == "open"]
    return frozenset(tag[:end] for tag in calls for end in range(SHORTEST_CUT, len(tag)))


def _named(text: str, tools: ToolIndex) -> list[CallSign]:
    """The places of a text that name a tool to call: members of objects, names before objects, lines of Python."""
    found = []
    for match in _NAMED.finditer(text):
        if _DECLARES.match(text, match.end()):
            continue
        if match[1].removeprefix("functions.") in tools or _ARGUMENTS.match(text, match.end()):
            found.append(CallSign(*match.span()))
    for match in _UNTAGGED.finditer(text) if "{" in text else ():
        marked = _tells_call(match) or text.endswith("call:", 0, match.start())
        if _bare(match[1]) in tools or marked or _is_last_line(text, match):
            found.append(CallSign(*match.span(1)))
    if tools:
        found += [CallSign(*match.span(1)) for match in _PYTHON.finditer(text) if match[1] in tools]
    for match in _PYTHON_LIST.finditer(text) if "[" in text and "(" in text else ():
        end = text.find("\n", match.start())
        found += [CallSign(*span) for span in python_calls(text, match.start(), end if end >= 0 else len(text))]
    return found


def _tells_call(match: re.Match[str]) -> bool:
    """Whether a name with an object after it has what only calls have: ``functions.f:0{`` or ``f[ARGS]{``."""
    return match[3] == "[ARGS]" or (match[2] is not None and match[1].startswith("functions."))


def _is_last_line(text: str, match: re.Match[str]) -> bool:
    """Whether a name begins a line, and the JSON object after it is the rest of the text."""
    if not (match[1].isidentifier() and _begins_line(text, match.start(), 0) and text.rstrip().endswith("}")):
        return False
    try:
        value = jsontext.loads(text[match.end() - 1 :].encode())
    except ValueError:
        return False
    return isinstance(value, dict) and bool(value)


def _bare(name: str) -> str:
    return name.removeprefix("functions.").removeprefix("call:")


def _grouped(text: str, hits: list[CallSign]) -> list[CallSign]:
    """Hits with nothing but white space between them joined: they open the same call."""
    joined: list[CallSign] = []
    for hit in hits:
        if joined and not text[joined[-1].end : hit.start].strip():
            joined[-1] = CallSign(joined[-1].start, hit.end)
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
    for match in _UNTAGGED.finditer(text):
        name = _bare(match[1])
        known_name = name in tools or _tells_call(match)
        if match.start() < at or not known_name or not _begins_line(text, match.start(), at):
            continue
        if budget <= 0:
            break
        try:
            reading = lenient_json.read(text, match.end() - 1)
        except lenient_json.Unreadable as error:
            budget -= error.at - match.end() + 200
            continue
        known = (tools.parameters(name) or {}).get("properties")
        if reading.repairs or not isinstance(reading.value, dict) or (known and not reading.value.keys() <= set(known)):
            budget -= reading.end - match.end()
            continue
        has_id = match[2] is not None and match[1].startswith("functions.")
        calls.append(ToolCall(name, reading.value, f"{match[1]}{match[2]}" if has_id else None))
        rest, at = rest + text[at : match.start()], reading.end
    return (calls, (rest + text[at:]).strip()) if calls else None


def _begins_line(text: str, place: int, floor: int) -> bool:
    """Whether only whitespace precedes ``place`` on its line, or from ``floor`` on."""
    while place > floor and text[place - 1] != "\n":
        if not text[place - 1].isspace():
            return False
        place -= 1
    return True
