"""Each word by which rules know placeholders, words for nothing, directions, kinds of values and places."""

from __future__ import annotations

import json
from functools import cache
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


@cache
def linter(code: str) -> Linter:
    return Linter(selections=[Selection(select=(code,))])


def checked(code: str, made: dict[str, Any]) -> list[str]:
    """What a rule finds in a row."""
    result = linter(code).check(LintRow("a", 1, json.dumps(made).encode(), layouts.get("openai"), None))
    return [finding.message for finding in result.findings]


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
    return checked(code, made)


def found_in(code: str, *texts: str) -> list[str]:
    """What a rule finds in a row of texts, of a user and an assistant in turn."""
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    return checked(code, {"messages": messages})


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
    escaped = json.dumps(value).translate({ord(char): f"\\u{ord(char):04x}" for char in "<[{$"})
    assert len(checked("TC116", row(arguments=f'{{"city": {escaped}}}'))) == 1
    assert found("TC116", {"city": value}, f"Write {value} there.") == []


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


@each("key, about", [("city", "a place"), ("ticker", "a symbol"), ("author", "a person"), ("birthday", "a day")])
def test_what_an_argument_is_about(key: str, about: str) -> None:
    for spelling in (key, f"my_{key}", f"{key}Name", key.upper()):
        assert _about(spelling) == about, spelling
    assert _about(f"{key}x") is None
    assert _about(f"{key}_currency") is None


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


# ── headers of turns in answers ──

LEADING = [
    "## Assistant", "## Assistant:", "### Assistant:", "### Response:", "## Response", "Assistant:", "ASSISTANT:",
    "FUNCTION RESPONSE:", "AI:", "Bot:", "BOT:", "Chatbot:", "**AI:**", "**Bot:**",
    *(f"## {word}:\n" for word in ("Respuesta", "Antwort", "Réponse", "Risposta", "Resposta", "回答", "回复", "响应")),
    *(f"### {word}：\n" for word in ("Respuesta", "Antwort", "回答", "响应")),
]  # fmt: skip
FOLLOWING = [
    "USER:", "ASSISTANT:", "Human:", "\nAssistant:", "FUNCTION RESPONSE:", "### Instruction:", "### Response:",
    "### Human:", "### Assistant:", "User:",
]  # fmt: skip


@each("header", LEADING)
def test_a_header_begins_an_answer(header: str) -> None:
    assert len(found_in("TC313", "Is it up?", f"{header} It is up.")) == 1
    assert found_in("TC313", "Is it up?", f"It is up, {header} it said.") == []
    assert found_in("TC313", "Is it up?", f"```\n{header} It is up.\n```") == []


@each("header", FOLLOWING)
def test_the_header_of_the_next_turn_ends_an_answer(header: str) -> None:
    assert len(found_in("TC313", "Is it up?", f"It is up.\n{header} Thanks")) == 1
    assert found_in("TC313", "Is it up?", f"It is up. {header.strip()} Thanks") == []


def test_headers_that_may_be_something_else() -> None:
    assert found_in("TC313", "What is an AI: a program?", "AI: a program that learns.") == []
    assert found_in("TC313", "Is it up?", "It is up.\nUser: me\nPlace: here") == []
    assert len(found_in("TC313", "Is it up?", "It is up.\nUser: me\nPlace: here\nAssistant: you")) == 1
    assert found_in("TC313", "Is it up?", "## Antwort: ja") == []  # a heading


# ── gaps and stock phrases in answers ──


@each("word", ["INSERT", "Insert", "insert", "YOUR", "Your", "your", "ENTER", "Enter"])
def test_a_gap_in_an_answer(word: str) -> None:
    for gap in (f"[{word} name]", f"[{word}_NAME]"):
        assert len(found_in("TC316", "Is it up?", f"It is {gap} here.")) == 1, gap
        assert found_in("TC316", "Write a letter.", f"It is {gap} here.") == []
    assert found_in("TC316", "Is it up?", f"It is [{word}] here.") == []
    assert found_in("TC316", "Is it up?", f"It is {word} name here.") == []


@each("word", ["email", "letter", "template", "邮件", "メール"])
def test_who_asks_for_something_to_fill_in_gets_gaps(word: str) -> None:
    assert found_in("TC316", f"I need that {word} now", "Dear [Your Name], hello.") == []
    assert len(found_in("TC316", f"I need that {word[:1]} now", "Dear [Your Name], hello.")) == 1


STOCK = [
    "As an AI", "as an AI model", "As an artificial intelligence", "As a language model", "as a large language model",
    "I'm an AI", "I am an AI", "I am just an AI language model", "I'm only a language model", "I am a large language model",
    "I'm ChatGPT", "My knowledge cutoff is", "my knowledge cut-off", "my last update in 2023",
    "My last knowledge update", "since the last knowledge update", "作为AI语言模型", "作为一个人工智能语言模型", "作为一名语言模型",
    "作为语言模型", "我的知识截止到2023年",
]  # fmt: skip


@each("phrase", STOCK)
def test_a_stock_phrase_of_a_chat_model(phrase: str) -> None:
    assert len(found_in("TC318", "Is it up?", f"{phrase}, I can't say.")) == 1
    assert found_in("TC318", "Is it up?", "I can't say.") == []
    for asked in ("Are you sure? Who are you?", "What are you?", "Do you feel?", "Is this a robot?", "Any human there?",
                  "Is it AI?", "Is this ChatGPT?", "Is it a language model?", "你是谁"):  # fmt: skip
        assert found_in("TC318", asked, f"{phrase}, I can't say.") == [], asked


# ── numbers of persons ──

# Published for tests by Stripe, PayPal and Adyen; the examples of the register of IBANs (ISO 13616).
TEST_CARDS = [
    "4111111111111111",
    "4242424242424242",
    "4012888888881881",
    "5555555555554444",
    "5105105105105100",
    "378282246310005",
    "371449635398431",
    "6011111111111117",
    "6011000990139424",
    "4000056655665556",
]
SAMPLE_ACCOUNTS = [
    "AT611904300234573201",
    "BE68539007547034",
    "CH9300762011623852957",
    "CZ6508000000192000145399",
    "DE89370400440532013000",
    "DK5000400440116243",
    "ES9121000418450200051332",
    "FI2112345600000785",
    "FR1420041010050500013M02606",
    "GB29NWBK60161331926819",
    "IE29AIBK93115212345678",
    "IT60X0542811101000000123456",
    "NL91ABNA0417164300",
    "NO9386011117947",
    "PL61109010140000071219812874",
    "PT50000201231234567890154",
    "SE4550000000058398257466",
    "TR330006100519786457841326",
]


@each("number", TEST_CARDS)
def test_a_card_for_tests_is_nobody_s(number: str) -> None:
    assert found_in("TC322", f"My card is {number}.", "Thanks.") == []


@each("number", SAMPLE_ACCOUNTS)
def test_the_example_of_an_account_is_nobody_s(number: str) -> None:
    spaced = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
    assert found_in("TC322", f"My account is {number}.", "Thanks.") == []
    assert found_in("TC322", f"My account is {spaced}.", "Thanks.") == []


@each("word", ["card", "visa", "Amex", "express", "credit", "debit", "payment", "cc", "卡"])
def test_a_card_s_number_is_near_a_word_for_cards(word: str) -> None:
    assert len(found_in("TC322", f"My {word}: 4539 5787 6362 1486.", "Thanks.")) == 1
    assert found_in("TC322", f"My {word}: 4539 5787 6362 1487.", "Thanks.") == []  # a wrong check digit
    assert found_in("TC322", "My part: 4539 5787 6362 1486.", "Thanks.") == []
