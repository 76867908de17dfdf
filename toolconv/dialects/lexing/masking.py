"""Hides the markup that a text only shows from the grammars, and brings it back in what they read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from operator import itemgetter
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.documents import markup_of_documents
from toolconv.dialects.lexing.markers import marked_dialects, openers
from toolconv.dialects.lexing.mentions import (
    FENCE,
    INLINE,
    TAG,
    TOKEN,
    begins_sentence,
    closes,
    explains_code,
    is_mention,
    kind_of,
    spaced_out,
)
from toolconv.dialects.lexing.sentences import calls_in_sentences, openings, shown_calls
from toolconv.dialects.lexing.strings import MAY_HOLD_MARKUP, markup_in_strings

_SIGN: Final = lazy_re(r"[<\[✿{(\t]")
"""Whatever a text shows of a call holds one of these."""
_BEGINNINGS: Final = ("<", "[", "✿", "{")
"""What a call in inline code begins with, other than one in Python."""
_MASK: Final = {code: 0xE000 + code for code in range(0x21, 0x7F)} | {ord("✿"): 0xE100, ord("｜"): 0xE101}
_UNMASK: Final = {mask: char for char, mask in _MASK.items()}
_MASKED: Final = lazy_re("[\ue000-\ue101]+")
_ESCAPE: Final = lazy_re(r"(\\++(?:u[0-9a-fA-F]{4}|.)?)")


_CODE_BLOCK: Final = lazy_re(
    r"^```(?:diff|patch|jinja2?|j2|html|sh|bash|zsh|console|shell|js|jsx|javascript|ts|tsx|typescript|go|rust|java"
    r"|kotlin|c|cpp|csharp|ruby|php|sql|yaml|yml|toml|ini|regex|mermaid|css|dockerfile|makefile|http|graphql|latex"
    r"|tex)[ \t]*\n.*?^```",
    re.MULTILINE | re.DOTALL,
)
_STRING: Final = lazy_re(
    r"(?:\(|= ?|\{\{ ?|[^\s:>] |, ?)[rbfuRBFU]{0,2}(?P<quote>[\"'])(?:\\n)?(?P<tag><[^<>\n]{2,60}>|\[[A-Z_]{4,30}\])"
    r"(?:\\.|(?!(?P=quote))[^\\\n]){0,4000}(?P=quote)"
)
_WORD: Final = lazy_re(r"[^\W\d_]+")
_TAG_NAME: Final = lazy_re(r"<(?P<closes>/?)(?P<name>\|[^<>\n]*|[^\s<>/=]+?(?=:?[\s<>/=]))")
"""What an opening tag and its closing one have in common."""
_PROGRAM: Final = lazy_re(
    r"^[ \t]*(?:from [\w.]+ import|import \w|\w+ = [rbfu]?[\"'`]|(?:async )?def \w+\(|class \w+[(:])", re.MULTILINE
)
"""Lines of programs, which are more than calls."""
_TEMPLATE: Final = lazy_re(r"\s*+\{(?:%|\{-? ?[^\s\"'{}][^\"{}\n]{0,200}\}\})")
"""The beginning of a template of prompts, whose markup surrounds what stands for calls."""
_NAME: Final = r"[A-Za-z_][\w.\- ]{0,40}"
_STANDS: Final = (
    rf"(?:<{_NAME}>|\$[A-Za-z_]{{1,40}}|\"(?:\${{0,2}}[<{{]{{1,2}}{_NAME}[>}}]{{1,2}}|\${{1,2}}{_NAME})\"|\{{{_NAME}\}}|\{{<{_NAME}>\}}"
    r"|\{\{[^{}\"\n]{1,60}\}\}|\"?\{? ?(?:\.{3}|…) ?\}?\"?)"
)
"""What stands for a name or for arguments in a text that explains calls."""
_FORM: Final = lazy_re(
    rf"(?:<[\w:.\-]{{2,40}}>\s{{0,4}})?\{{\s?\"name\": ?(?:{_STANDS}|[A-Z_]{{3,20}})"
    rf"(?:, ?\"(?:arguments|parameters)\": ?(?:{_STANDS}|\{{[^{{}}\n]{{0,200}}\}}))?\s?\}}"
    r"(?:\s{0,4}</[\w:.\-]{2,40}>)?"
)
"""A call without a name, and the tags around it."""
_HOLE: Final = lazy_re(
    r"<(?P<tag>[\w:.\-]{2,40})>\s{0,4}(?:"
    r"\{\{-? ?[A-Za-z_][\w.]{0,40} ?(?:\|[^\"'<>\n{}]{0,40})?-?\}\}"
    r"|\$?\{[A-Za-z_][\w.]{0,40}(?:\([\w., ]{0,40}\))?\}"
    r"|(?=[^<]{0,40}[.*\\])[(\\.\[][^\"':=<>\n\w]{0,20}(?:\\[a-zA-Z][^\"':=<>\n\w]{0,20}){0,4}"
    rf"|\{{\s?\"name\": ?{_STANDS}, ?\"(?:arguments|parameters)\": ?{_STANDS}\s?\}}"
    r"|\{{1,2} ?(?:\.{3}|…) ?\}{1,2}|…|%s)\s{0,4}<\\?/(?P=tag)>"
)
"""Tags around what stands for a call: the name of a value in a template, a regular expression, dots."""
_BETWEEN_RULES: Final = lazy_re(
    r"^(?P<rule>\"{3}|~~~|(?:-{3,40}|={3,40})(?= ?\w)|#\+|:::|\\(?=begin\{(?:ls|ve|mi))|<{7}(?= ))[^\n]*\n"
    r"(?>(?:(?!(?P=rule)|\\end|>{7})[^\n]*\n)*)(?:(?P=rule)|\\end|>{7})[^\n]*+(?:(?<!~~~)|(?=\s*\w))",
    re.MULTILINE,
)
"""Lines between two that begin alike with what is no word, and these: a block of code, a quoted file, a conflict.

A block between tildes at the end of a text may be its call.
"""
_LISTINGS: Final = (
    (('"""', "~~~", "---", "===", "#+", ":::", "\\begin", "<<<<<<<"), _BETWEEN_RULES),
    (("\n    ",), lazy_re(r"(?<=[^\s`]\n\n)(?>(?:    [^\n]*\n)+)\n(?=[^\s`])")),
    (("| ",), lazy_re(r"^\|[^\n]*\|[ \t]*$|^-++\+-[-+]*(?>(?:\n[^\n|]{1,200} \| [^\n]*)+)", re.MULTILINE)),
    (("$ ", ">>> "), lazy_re(r"^(\$|>>>) [^\n]*\n(?>(?:(?!\1 )[^\n]+\n)+)(?=\1 |\n\s*\w)", re.MULTILINE)),
    (("@@ ",), lazy_re(r"^@@ -\d[^\n]*(?>(?:\n(?:[+\- \\@][^\n]*+)?)+)", re.MULTILINE)),
    (("> ",), lazy_re(r"^> [^\n]*(?:\n> [^\n]*)*+", re.MULTILINE)),
    (("]\n",), lazy_re(r"^\[[\w.\- ]+\]\n(?>(?:[ \t]*[a-z][\w.\-]*+ ?= ?[^\n]*(?:\n|\Z))+)", re.MULTILINE)),
    (("\t",), lazy_re(r"^[^\t\n]++(?:\t[^\t\n]*+)++(?>(?:\n[^\t\n]++(?:\t[^\t\n]*+)++){2,})$", re.MULTILINE)),
    (
        ("Action Input:",),
        lazy_re(r"^Action:[^\n\[<{]*[\[<{][^\n]*\nAction Input:(?![^\n]*\{[ \t]{0,8}\")[^\n]*", re.MULTILINE),
    ),
    (
        ("/",),
        lazy_re(r"^(?:(?:POST|PUT|PATCH) /|HTTP/\d)[^\n]*\n(?>(?:[\w\-]+: [^\n]*\n)*)\n?[{\[][^\n]*", re.MULTILINE),
    ),
    (("<example",), lazy_re(r"<examples?>(?>(?:[^<]|<(?!/?examples?>))*)</examples?>")),
    (("<pre",), lazy_re(r"<pre\b[^<>\n]{0,80}>(?>(?:[^<]|<(?!/?pre\b))*)</pre>")),
    (("\\verb",), lazy_re(r"\\verb(?P<mark>[|!+#])(?:(?!(?P=mark))[^\n]){0,400}(?P=mark)")),
)
"""Listings of code, reports of errors, rows of tables, quoted lines: how they look, and what each holds one of."""
_UNQUOTED: Final = lazy_re(r"^(?!>)[^\n]*\S", re.MULTILINE)


def shown_places(text: str, tools: ToolIndex, *, plain_fences: bool = False) -> list[tuple[int, int]]:
    """Where a text only shows markup, in order and without overlaps.

    Markup is shown in inline code, where a sentence mentions a tag, and in code blocks that prose follows, unless they
    name a declared tool. Calls without a marker are shown where other text stands on their lines. What a string of a
    whole object holds is its value.

    Args:
        text: an assistant turn.
        tools: the tools declared to the model.
        plain_fences: code blocks without tags may hold calls, and so show them.
    """
    if _SIGN.search(text) is None or (not text.isascii() and _MASKED.search(text)):
        return []
    if _TEMPLATE.match(text):
        return [(0, len(text))]
    places = [*_mentions(text), *calls_in_sentences(text)]
    if "`" in text:
        spans = [match.span() for match in INLINE.finditer(spaced_out(FENCE, text))]
        places += [span for span in spans if _SIGN.search(text, *span) is not None and _is_shown(text, *span)]
        if "```" in text and explains_code(text):
            places += _shown_fences(text, tools, plain=plain_fences)
    places += shown_calls(text, tools)
    if MAY_HOLD_MARKUP.search(text) is not None:
        places += markup_in_strings(text, tools)
    places += _code(text, tools)
    if "<" in text:
        places += markup_of_documents(text, tools)
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(places, key=itemgetter(0)):  # stable: a call in a sentence, then a string that it begins
        if end > at and _SIGN.search(text, start, end) is not None:
            found.append((max(at, start), end))
            at = end
    return found


def _mentions(text: str) -> Iterator[tuple[int, int]]:
    """The tags that sentences mention; a line may begin with one that closes what an opening tag opened."""
    opened: set[str] = set()
    others: list[str] = []
    last = max(map(text.rfind, "({="))  # no tag before it begins a sentence
    for match in TAG.finditer(text):
        start, end = match.span()
        if not (
            is_mention(text, start, end) if kind_of(match[0]) else end > last and begins_sentence(text, start, end)
        ):
            others.append(match[0])
        elif closes(match[0]) and text[max(0, start - 1) : start] == "\n":
            opened.update(map(_first_word, others))
            others.clear()
            if _first_word(match[0]) not in opened:
                yield start, end
        else:
            yield start, end


def _first_word(tag: str) -> str:
    word = _WORD.search(tag)
    return word[0].lower() if word is not None else ""


def masked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """A text in which placeholders stand for the markup at some places; :func:`unmasked` undoes it."""
    pieces: list[str] = []
    at = 0
    for start, end in places:
        pieces += text[at:start], *_placeholders(text[start:end])
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def _placeholders(text: str) -> Iterator[str]:
    """A text in placeholders, except escapes: where the text is in a JSON string, they are read as what they mean."""
    for number, part in enumerate(_ESCAPE.split(text)):
        yield part if number % 2 else part.translate(_MASK)


def _shown_fences(text: str, tools: ToolIndex, *, plain: bool) -> list[tuple[int, int]]:
    """The code blocks that show calls, where prose follows the last one."""
    found = []
    if not marked_dialects(spaced_out(INLINE, spaced_out(FENCE, text))):  # else the blocks may be parts of calls
        for match in FENCE.finditer(text):
            tagged = any(kind_of(tag) for tag in TAG.findall(match[0]))
            line = text.rfind("\n", 0, max(0, match.start() - 1)) + 1  # it may name the tool
            named = any(text.find(name, line, match.end()) >= 0 for name in tools.functions)
            is_answer = '"tool_calls"' in match[0]  # of an API, which a document shows
            if is_answer or ((tagged or plain) and (not named or _PROGRAM.search(match[0]))):
                found.append(match.span())
    return found


def _code(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """Code blocks in languages that no model writes calls in, listings, and strings that begin with a tag."""
    found = [match.span() for match in _CODE_BLOCK.finditer(text)] if "```" in text else []
    if "'<" in text or '"<' in text or "'[" in text or '"[' in text:
        strings = [match for match in _STRING.finditer(text) if kind_of(match["tag"])]
        found += [(match.start("tag"), match.end() - 1) for match in strings]  # its quotes may be those of a call
    if "<!--" in text:
        found += [span for span in _comments(text) if _names_call(text[slice(*span)], tools)]
    if '"name": ' in text:
        found += [match.span() for match in _FORM.finditer(text)]
    if "</" in text or "<\\/" in text:
        found += [match.span() for match in _HOLE.finditer(text) if kind_of(f"<{match['tag']}>")]
    for signs, pattern in _LISTINGS:
        for sign in signs:
            if sign in text:
                break
        else:
            continue
        if (sign == "\n    " and "```" in text) or (sign == "> " and not _UNQUOTED.search(text)):
            continue  # a code block, or a turn that is quoted as a whole
        found += [
            span
            for match in pattern.finditer(text)
            if _SIGN.search(text, *(span := match.span())) is not None and _is_whole(text, *span)
        ]
    return found


def _comments(text: str) -> Iterator[tuple[int, int]]:
    """The places of the comments of HTML and XML."""
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start)) >= 0:
        yield start, end + 3
        start = text.find("<!--", end)


def _names_call(words: str, tools: ToolIndex) -> bool:
    """Whether words hold what begins a call, or the name of a declared tool."""
    return (
        any(map(kind_of, TAG.findall(words))) or bool(openings(words)) or any(name in words for name in tools.functions)
    )


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a listing closes no tag that it doesn't open, and none that it opens is closed after it.

    Else it is a part of a call, such as a value.
    """
    tags = TAG.findall(text[start:end])
    opened: Counter[str] = Counter()
    for match in filter(None, map(_TAG_NAME.match, tags)):
        opened[match["name"]] += -1 if match["closes"] else 1
        if opened[match["name"]] < 0:
            return False
    rest = text[end:]
    for name, count in opened.items():
        if (count and f"</{name}" in rest) or (count % 2 and f"<{name}>" in rest):  # as Gemma's <|"|>
            return False
    return bool(openings(text[start:end])) or not (any(map(kind_of, tags)) or TOKEN.search(text, start, end))


def _is_shown(text: str, start: int, end: int) -> bool:
    """Whether inline code shows a whole call, or none: a lone backtick before a call does neither."""
    inside = text[start:end].strip("` ")
    if not TOKEN.sub("", inside).strip("` "):
        return False
    return "{" not in inside or inside.startswith((*_BEGINNINGS, *openers()))


def unmasked(value: Any) -> Any:
    """A text, or JSON value, without the placeholders of :func:`masked`."""
    if isinstance(value, str):
        return value if value.isascii() else _MASKED.sub(lambda run: run[0].translate(_UNMASK), value)
    if isinstance(value, dict):
        return {unmasked(key): unmasked(item) for key, item in value.items()}
    return [unmasked(item) for item in value] if isinstance(value, list) else value
