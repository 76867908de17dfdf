"""Placeholders in values of arguments: texts in the place of a value."""

from __future__ import annotations

import re

from toolconv.core.key_words import words_of
from toolconv.core.lazy_re import lazy_re

_PLACEHOLDER = lazy_re(
    r"\[object \w{3,20}\]|<[\w. ]{1,100} at 0x[\da-f]{1,16}>"
    r"|<{1,2}\|?\s*(?P<inner>[A-Za-z][A-Za-z0-9 _-]*)\s*\|?>{1,2}|\{\{\s*[A-Za-z_][\w. \[\]]*\s*\}\}"
    r"|\$undefined(\.\w+)*|\.\.\.|…|\$[A-Za-z_]\w*(?:\.\w+|\[\w+\])+\$?"
    r"|\$(?:[a-z][a-z0-9_]+|\{[a-z][\w.\[\]]*\})"
    r"|\[?(?:YOUR|INSERT|ENTER)[_ -](?!INTO\b)[A-Z][A-Z0-9_ -]*(?:[_ -]HERE)?\]?"
    r"|\[(?i:your|insert|enter)[ _-][A-Za-z][A-Za-z _-]*\]|(?P<said>\[[A-Z]{2,}(?:[_ ][A-Z]{2,})+\])"
    r"|(?:\$?\{|\[|\$|%|__)\s*(?P<named>[A-Za-z][A-Za-z0-9 _-]*?)\s*(?:[}\]%]|__)?"
    r"|(?i:your|example|sample|dummy|test)[_-]?(?P<own>[A-Za-z0-9_-]+)|undefined|dummy|[A-Za-z0-9/_-]+[_-](?i:placeholder)"
    r"|your[_-][a-z0-9]+(?:[_-][a-z0-9]+)*|(?:[a-z]+(?:_[a-z]+)*_here|[A-Z]+(?:_[A-Z]+)*_HERE)"
    r"|<[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+>|#E\d{1,2}|TODO|TBD|FIXME|\?{3,}|X{3,}(?:-X{3,})*|x{4,}(?:-x{4,})*|placeholder|PLACEHOLDER|string"
    r"|(?:replace|change)[_-]?me|(?:REPLACE|CHANGE)[_-]?ME"
)


LONGEST_PLACEHOLDER = 300
"""More characters are a value."""

_GAP = lazy_re(r"\[(?:your|insert|enter)[ _][a-z][a-z0-9 _'-]{0,40}\](?!\()", re.IGNORECASE)
"""A gap in a longer text, such as a letter."""

_WORDS = lazy_re(r"(?:your|insert|enter|some|placeholder|value|string)\b|[_ ]", re.IGNORECASE)


def placeholder_in(value: str, key: str) -> str | None:
    """The placeholder that a value is, or most of it; a longer text, such as a template, may well have gaps."""
    word = value.strip()
    match = _PLACEHOLDER.fullmatch(word) if len(word) <= LONGEST_PLACEHOLDER else None
    if match is None:
        gap = _GAP.search(value)
        return gap[0] if gap is not None and 2 * len(gap[0]) >= len(word) else None
    return value if _is_placeholder(match, value, key) else None


def _is_placeholder(match: re.Match[str], value: str, key: str) -> bool:
    if (named := match["named"]) is not None:  # the name of the argument itself, or most of it
        bare = _letters(named)
        return bare == _letters(key) or (value[0] == "{" and len(bare) > 3 and bare in _letters(key))
    if (own := match["own"]) is not None:  # "your_" and any name, or "example_" and the name of the argument
        return value.startswith(("your_", "your-")) or _letters(own) in (_letters(key), "value", "string")
    if match["said"] is not None:  # what somebody is to write there: "[NEW_ADDRESS_OF_USER]"
        return words_of(key).isdisjoint(_TAKING_TAGS)
    inner = match["inner"]
    return inner is None or bool(_WORDS.search(inner)) or inner.lower() == key.lower() or _stands_for(inner, value, key)


def _stands_for(inner: str, value: str, key: str) -> bool:
    """Whether a word in angle brackets stands for a value, whatever the argument: it is no element and no token."""
    return (
        "|" not in value
        and len(inner) > 2
        and inner.isalpha()
        and inner.lower() not in _ELEMENTS
        and words_of(key).isdisjoint(_TAKING_TAGS)
    )


_ELEMENTS = frozenset(
    {
        "abbr", "address", "article", "aside", "audio", "base", "bdi", "bdo", "blockquote", "body", "br", "button",
        "canvas", "caption", "cite", "code", "col", "colgroup", "data", "datalist", "del", "details", "dfn", "dialog",
        "div", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form", "frame", "head", "header",
        "hgroup", "html", "iframe", "img", "input", "ins", "kbd", "label", "legend", "link", "main", "map", "mark",
        "menu", "meta", "meter", "nav", "noscript", "object", "option", "output", "param", "picture", "pre",
        "progress", "ruby", "samp", "script", "search", "section", "select", "slot", "small", "source", "span",
        "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "template", "textarea", "tfoot", "thead",
        "time", "title", "track", "var", "video", "wbr", "xml",
    }
    | {"bos", "cls", "end", "eos", "eot", "image", "mask", "pad", "sep", "think", "unk"}
)  # fmt: skip
"""HTML's elements, and the special tokens of models."""

_TAKING_TAGS = frozenset(
    {"code", "delimiter", "element", "find", "html", "marker", "markup", "new", "old", "pattern", "regex", "replace"}
    | {"replacement", "search", "selector", "separator", "stop", "symbol", "tag", "tags", "token", "tokens", "xml"}
)
"""Words in the names of arguments whose values may be tags."""


def _letters(name: str) -> str:
    return re.sub(r"[ _-]", "", name).lower()
