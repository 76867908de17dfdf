"""Each word by which rules know placeholders, words for nothing, directions, kinds of values and places."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from tests.helpers.lint_rows import row
from toolconv import layouts
from toolconv.lint.engine.engine import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model.row import LintRow
from toolconv.lint.rules.tc1_mixups import _about
from toolconv.lint.rules.tc1_values import _placeholder_in
from toolconv.lint.rules.tc7_foreign import _share


def found(code: str, arguments: dict[str, Any], request: str = "Do it.") -> list[str]:
    """What a rule finds in a row with a request and a call with some arguments, which its tool declares."""
    made = row(arguments=arguments)
    made["messages"][0]["content"] = request
    kinds = {str: "string", int: "integer", float: "number"}
    properties = {key: {"type": kinds[type(value)]} for key, value in arguments.items()}
    made["tools"] = [
        {
            **made["tools"][0],
            "function": {"name": "get_weather", "parameters": {"type": "object", "properties": properties}},
        }
    ]
    line = json.dumps(made).encode()
    checked = Linter(selections=[Selection(select=(code,))]).check(LintRow("a", 1, line, layouts.get("openai"), None))
    return [finding.message for finding in checked.findings]


# ── placeholders ──

PLACEHOLDERS = [
    "<city>", "<<city>>", "<| city |>", "<your city>", "<some_value>", "<reason>", "{{city}}", "{{ user.name }}", "{city}",
    "${city}", "$city", "%city%", "__city__", "[city]", "[your city]", "[Insert City]", "[ENTER NAME]", "YOUR_API_KEY",
    "YOUR-CITY", "INSERT_CITY_HERE", "ENTER_CITY", "your_city", "your-key", "Your_city", "example_city", "sample_city",
    "dummy_city", "test_city", "example_value", "sample_string", "undefined", "dummy", "$undefined", "$undefined.city",
    "...", "…", "$items[0].id", "city_placeholder", "put_it_here", "PUT_IT_HERE", "<a.b>", "#E1", "#E12", "TODO", "TBD",
    "FIXME", "???", "????", "XXX", "XXX-XXX", "xxxx", "xxxx-xxxx", "placeholder", "PLACEHOLDER", "string", "replace_me",
    "changeme", "REPLACE-ME", "CHANGE_ME", "[object Object]", "<Foo.bar object at 0x7f3a>", "City", "city",
    "Dear [your name]",
]  # fmt: skip


@each("value", PLACEHOLDERS)
def test_a_placeholder_is_found_where_a_value_should_be(value: str) -> None:
    assert len(found("TC116", {"city": value})) == 1
    escaped = (
        json.dumps(value)
        .replace("<", "\\u003c")
        .replace("[", "\\u005b")
        .replace("{", "\\u007b")
        .replace("$", "\\u0024")
    )
    assert json.loads(escaped) == value and _escaped(escaped) == 1
    assert found("TC116", {"city": value}, f"Write {value} there.") == []


def _escaped(value: str) -> int:
    """How many placeholders there are in arguments whose text has a value in this spelling."""
    made = row(arguments=f'{{"city": {value}}}')
    line = json.dumps(made).encode()
    checked = Linter(selections=[Selection(select=("TC116",))]).check(
        LintRow("a", 1, line, layouts.get("openai"), None)
    )
    return len(checked.findings)


# Values that look like placeholders, and are none for the argument ``city``.
VALUES = [
    "Rome", "ID", "$5", "#1", "#E", "#E123", "??", "XX", "xxx", "strings", "to do", "test_drive", "example.com", "{0}",
    "<br>", "<b>", "<|eot|>", "[1]", "[click](x)", "Undefined", "…and more", "A string", "X-ray",
    "INSERT INTO x", "Dear [your name], thank you for the long letter that you wrote",
]  # fmt: skip


@each("value", VALUES)
def test_a_value_is_no_placeholder(value: str) -> None:
    assert found("TC116", {"city": value}) == []


# Source: HTML Living Standard, index of elements; font and frame are HTML 4's; the tokens are those of tokenizers.
ELEMENTS = [
    "abbr",
    "address",
    "article",
    "aside",
    "audio",
    "base",
    "bdi",
    "bdo",
    "blockquote",
    "body",
    "button",
    "canvas",
    "caption",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "del",
    "details",
    "dfn",
    "dialog",
    "div",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "head",
    "header",
    "hgroup",
    "html",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "label",
    "legend",
    "link",
    "main",
    "map",
    "mark",
    "menu",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "option",
    "output",
    "param",
    "picture",
    "pre",
    "progress",
    "ruby",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "template",
    "textarea",
    "tfoot",
    "thead",
    "time",
    "title",
    "track",
    "var",
    "video",
    "wbr",
    "xml",
    "bos",
    "cls",
    "end",
    "eos",
    "eot",
    "image",
    "mask",
    "pad",
    "sep",
    "think",
    "unk",
]
TAKING_TAGS = [
    "code",
    "delimiter",
    "element",
    "find",
    "html",
    "marker",
    "markup",
    "new",
    "old",
    "pattern",
    "regex",
    "replace",
    "replacement",
    "search",
    "selector",
    "separator",
    "stop",
    "symbol",
    "tag",
    "tags",
    "token",
    "tokens",
    "xml",
]


@each("name", ELEMENTS)
def test_an_element_or_a_token_is_no_placeholder(name: str) -> None:
    assert _placeholder_in(f"<{name}>", "x") is None
    assert _placeholder_in(f"<{name.upper()}>", "x") is None
    assert _placeholder_in(f"<{name}ish>", "x") == f"<{name}ish>"


@each("word", TAKING_TAGS)
def test_some_arguments_take_tags(word: str) -> None:
    assert _placeholder_in("<reason>", word) is None
    assert _placeholder_in("<reason>", f"my_{word}") is None
    assert _placeholder_in("<reason>", f"{word}ish") == "<reason>"


# ── words for nothing ──


@each("word", ["None", "none", "null", "NULL", "undefined", "nil", "NaN"])
def test_a_word_for_nothing_is_no_text(word: str) -> None:
    assert ["the word for no value" in each for each in found("TC125", {"city": word})] == [True]
    assert found("TC125", {"city": word}, f"Write {word} there.") == []
    assert found("TC125", {"city": f"{word}x"}) == []


OTHER_NONE = [
    "无",
    "なし",
    "없음",
    *["keine", "keiner", "keines", "ninguno", "ninguna", "nenhum", "nenhuma", "aucun", "aucune", "nessuno"],
]


@each("word", OTHER_NONE)
def test_a_word_for_nothing_in_another_language(word: str) -> None:
    assert ["the word for no value" in each for each in found("TC125", {"city": word})] == [True]
    assert found("TC125", {"city": word}, f"Write {word} there.") == []


# ── from and to, first and second ──

FROM = ["from", "origin", "source", "departure", "src", "start", "sender", "pickup", "leave", "head", "von"]
TO = [
    "to",
    "destination",
    "target",
    "arrival",
    "dest",
    "dst",
    "end",
    "recipient",
    "receiver",
    "dropoff",
    "base",
    "nach",
]


@each("start, end", [*((start, "to") for start in FROM), *(("from", end) for end in TO)])
def test_from_and_to_are_exchanged(start: str, end: str) -> None:
    request = "Book a seat from Rome to Oslo."
    for one, other in ((start, end), (f"{start}_city", f"{end}_city"), (f"{start}City", f"{end}City")):
        assert found("TC131", {one: "Oslo", other: "Rome"}, request) == [
            "get_weather goes from 'Oslo' to 'Rome', where the request says the opposite"
        ], (one, other)
        assert found("TC131", {one: "Rome", other: "Oslo"}, request) == []
    assert found("TC131", {f"{start}x": "Oslo", f"{end}x": "Rome"}, request) == []


WAYS = [
    "from {} to {}", "From {}, please, to {}", "von {} nach {}", "aus {} nach {}", "desde {} hasta {}", "from {} into {}",
    "{} to {}", "{} → {}", "{} -> {}", "{} – {}",
]  # fmt: skip
CHINESE = ["从{}到{}", "由{}飞往{}", "从{}去{}", "从{}至{}", "{}到{}", "{}至{}", "{}飞{}", "{}飞往{}", "{}去{}"]


@each("way, one, other", [*((way, "Rome", "Oslo") for way in WAYS), *((way, "罗马", "奥斯陆") for way in CHINESE)])
def test_how_a_request_says_from_where_to_where(way: str, one: str, other: str) -> None:
    way = way.format(one, other)
    assert len(found("TC131", {"from": other, "to": one}, f"A seat, {way}.")) == 1
    assert found("TC131", {"from": one, "to": other}, f"A seat, {way}.") == []
    assert found("TC131", {"from": other, "to": one}, f"A seat, {way}. Or {way}?") == []


FIRST = ["start", "begin", "check_in", "checkin", "departure", "from", "since", "min", "minimum", "low", "pickup"]
SECOND = ["end", "finish", "check_out", "checkout", "return", "to", "until", "max", "maximum", "high", "dropoff"]


@each("first, second", zip(FIRST, SECOND, strict=True))
def test_what_begins_after_it_ends(first: str, second: str) -> None:
    for low, high in (("2026-05-01", "2026-05-02"), ("2026-05-01T10:00", "2026-05-01T11:00"), (3, 4), (3.5, 4.5)):
        assert found("TC131", {first: low, second: high}) == []
        assert found("TC131", {first: low, second: low}) == []
        assert len(found("TC131", {first: high, second: low})) == 1, (first, second, low)
        assert len(found("TC131", {f"{first}_day": high, f"{second}_day": low})) == 1
        assert found("TC131", {f"{first}_day": high, f"{second}_night": low}) == []
    assert found("TC131", {first: 4, second: 3}, "Between 3 and 4.") == []
    assert found("TC131", {f"{first}_lat": 4, f"{second}_lat": 3}) == []


KINDS = {
    "a place": "city cities town place location country state region address station destination",
    "a symbol": "ticker symbol stock isin sku",
    "a currency": "currency currencies",
    "a person": "person author artist actor director player patient doctor",
    "a day": "date day birthday",
    "an address for mail": "email mail",
    "a phone": "phone telephone mobile",
    "a title": "title movie film book song album",
}


@each("about, word", [(about, word) for about, words in KINDS.items() for word in words.split()])
def test_what_an_argument_is_about(about: str, word: str) -> None:
    for key in (word, f"my_{word}", f"{word}Name", word.upper()):
        assert _about(key) == about, key
    assert _about(f"{word}x") is None
    assert _about(f"{word}_{'currency' if about != 'a currency' else 'city'}") is None


# ── names of one place ──

PLACES = [
    "wien vienna vienne viena", "köln cologne colonia", "firenze florence florenz florencia", "torino turin turín",
    "københavn copenhagen kopenhagen", "beograd belgrade belgrad", "kyiv kiev kiew", "beijing peking pekín",
    "mumbai bombay", "kolkata calcutta", "chennai madras", "deutschland germany allemagne alemania alemanha",
    "österreich austria autriche", "schweiz switzerland suisse", "magyarország hungary ungarn",
    "suomi finland finnland", "nippon japan", "hellas greece griechenland",
]  # fmt: skip


@each("names", PLACES)
def test_a_place_has_names_in_several_languages(names: str) -> None:
    own, *others = names.split()
    for other in others:
        assert _share(own, other) and _share(other, own), other
        assert not _share(other, "quito") and not _share("quito", other)
    assert not _share(own, "quito")
