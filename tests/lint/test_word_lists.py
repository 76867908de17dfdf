"""What rules know by words: placeholders, values of nothing, directions, headers, stock phrases, cards."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from tests.helpers.lint_rows import found_in_call, found_in_row, found_in_texts, row
from toolconv.lint.rules.tc7_foreign import _share
from toolconv.lint.texts.placeholders import placeholder_in

# ── placeholders ──

PLACEHOLDERS = [
    "<city>", "<<city>>", "<| city |>", "<your city>", "<some_value>", "<reason>", "{{city}}", "{{ user.name }}", "{city}",
    "${city}", "$city", "%city%", "__city__", "[city]", "[your city]", "[Insert City]", "[ENTER NAME]", "YOUR_API_KEY",
    "YOUR-CITY", "INSERT_CITY_HERE", "ENTER_CITY", "your_city", "your-key", "Your_city", "example_city", "sample_city",
    "dummy_city", "test_city", "example_value", "sample_string", "undefined", "dummy", "$undefined", "$undefined.city",
    "...", "…", "$items[0].id", "city_placeholder", "put_it_here", "PUT_IT_HERE", "<a.b>", "#E1", "#E12", "TODO", "TBD",
    "FIXME", "???", "????", "XXX", "XXX-XXX", "xxxx", "xxxx-xxxx", "placeholder", "PLACEHOLDER", "string", "replace_me",
    "changeme", "REPLACE-ME", "CHANGE_ME", "[object Object]", "<Foo.bar object at 0x7f3a>", "City", "city",
    "Dear [your name]", "<zip>",
]  # fmt: skip


@each("value", PLACEHOLDERS)
def test_a_placeholder_is_found_where_a_value_should_be(value: str) -> None:
    assert len(found_in_call("TC116", {"city": value})) == 1
    escaped = json.dumps(value).translate({ord(char): f"\\u{ord(char):04x}" for char in "<[{$"})
    assert len(found_in_row("TC116", row(arguments=f'{{"city": {escaped}}}'))) == 1
    assert found_in_call("TC116", {"city": value}, f"Write {value} there.") == []


# Values that look like placeholders, and are none for the argument ``city``.
VALUES = [
    "Rome", "ID", "$5", "#1", "#E", "#E123", "??", "XX", "xxx", "strings", "to do", "test_drive", "example.com", "{0}",
    "<br>", "<b>", "<xy>", "<|eot|>", "[1]", "[click](x)", "Undefined", "…and more", "A string", "X-ray",
    "INSERT INTO x", "Dear [your name], thank you for the long letter that you wrote",
]  # fmt: skip


@each("value", VALUES)
def test_a_value_is_no_placeholder(value: str) -> None:
    assert found_in_call("TC116", {"city": value}) == []


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


@each("name", ELEMENTS)
def test_an_element_or_a_token_is_no_placeholder(name: str) -> None:
    assert placeholder_in(f"<{name}>", "x") is None
    assert placeholder_in(f"<{name.upper()}>", "x") is None
    assert placeholder_in(f"<{name}ish>", "x") == f"<{name}ish>"


TAKES_TAGS = [("html", 0), ("source_code", 0), ("search_pattern", 0), ("closingTag", 0), ("city", 1), ("stage", 1)]


@each("argument, count", TAKES_TAGS)
def test_some_arguments_take_tags(argument: str, count: int) -> None:
    assert len(found_in_call("TC116", {argument: "<reason>"})) == count


# ── words for nothing ──

# A call, and whether a value is the text of an absent one: not where the user writes it, or asks about it.
NOTHING: list[tuple[str, dict[str, Any], bool]] = [
    ("Book a table for two, nothing special.", {"special_request": "None"}, True),
    ("Send it to Ann.", {"cc": "null"}, True),
    ("Weather in Rome?", {"unit": "undefined"}, True),
    ("How much was it?", {"amount": "NaN"}, True),
    ("Set the label to None.", {"label": "None"}, False),
    ("Why is a pointer null in C?", {"topic": "null"}, False),
    ("Book for Mr. Nonell.", {"guest": "Nonell"}, False),
    ("Book a table for two, nothing special.", {"special_request": "Nothing special"}, False),
]


@each("request, arguments, absent", NOTHING)
def test_a_word_for_nothing_is_no_text(request: str, arguments: dict[str, Any], absent: bool) -> None:
    assert ["the word for no value" in each for each in found_in_call("TC125", arguments, request)] == [True] * absent


# ── from and to, first and second ──

# Requests, and the arguments of the call that each asks for.
WAYS = [
    ("Book me a train from Rome to Oslo for Friday.", {"origin": "Rome", "destination": "Oslo"}),
    ("I'd like to fly from Lyon to Porto.", {"departure_city": "Lyon", "arrival_city": "Porto"}),
    ("From Ghent, please, to Turku.", {"fromCity": "Ghent", "toCity": "Turku"}),
    ("Convert 40 USD to EUR.", {"source_currency": "USD", "target_currency": "EUR"}),
    ("Wie komme ich von Bonn nach Trier?", {"start": "Bonn", "end": "Trier"}),
    ("Quiero viajar desde Lima hasta Quito.", {"origin": "Lima", "destination": "Quito"}),
    ("Map the ferry Calais – Dover.", {"start_port": "Calais", "end_port": "Dover"}),
    ("查一下从北京到上海的机票", {"from": "北京", "to": "上海"}),
]


@each("request, arguments", WAYS)
def test_from_and_to_are_exchanged(request: str, arguments: dict[str, Any]) -> None:
    (start, one), (end, other) = arguments.items()
    assert found_in_call("TC131", arguments, request) == []
    assert found_in_call("TC131", {start: other, end: one}, request) == [
        f"get_weather goes from {other!r} to {one!r}, where the request says the opposite"
    ]
    assert found_in_call("TC131", {start: other, end: one}, f"{request} Or the same from {other} to {one}?") == []
    assert found_in_call("TC131", {"title": other, "name": one}, request) == []


@each("request", ["Compare Rome and Oslo.", "Rome or Oslo?", "Is Rome warmer than Oslo?", "From Rome. I go to Oslo."])
def test_a_request_without_a_direction(request: str) -> None:
    assert found_in_call("TC131", {"origin": "Oslo", "destination": "Rome"}, request) == []


SPANS = [("start_date", "end_date"), ("check_in", "check_out"), ("minPrice", "maxPrice"), ("since", "until")]


@each("first, second", SPANS)
def test_what_begins_after_it_ends(first: str, second: str) -> None:
    for low, high in (("2026-05-01", "2026-05-02"), ("2026-05-01T10:00", "2026-05-01T11:00"), (3, 4), (3.5, 4.5)):
        assert found_in_call("TC131", {first: low, second: high}) == []
        assert found_in_call("TC131", {first: low, second: low}) == []
        assert len(found_in_call("TC131", {first: high, second: low})) == 1, (first, second, low)
        assert found_in_call("TC131", {f"{first}_day": high, f"{second}_night": low}) == []
    assert found_in_call("TC131", {first: 4, second: 3}, "Between 3 and 4.") == []
    assert found_in_call("TC131", {f"{first}_lat": 4, f"{second}_lat": 3}) == []


# Two calls of one turn with one value, and whether what the arguments are called says that it is about different things.
SIBLINGS = [
    ("city", "ticker", True), ("home_city", "tickerSymbol", True), ("author", "birthday", True), ("movie", "email", True),
    ("city", "destination", False), ("city", "note", False), ("city_currency", "ticker", False),
]  # fmt: skip


@each("one, other, mixed", SIBLINGS)
def test_one_value_in_two_calls_of_a_turn(one: str, other: str, mixed: bool) -> None:
    calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": json.dumps({key: "Nantes"})}}
        for name, key in (("first", one), ("second", other))
    ]
    messages = [{"role": "user", "content": "Nantes?"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    assert len(found_in_row("TC131", {"messages": messages})) == mixed


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

# Whole answers, and whether they have a role header. Sources: glaive-function-calling-v2 (USER, ASSISTANT, FUNCTION
# RESPONSE), the prompts of Alpaca (Instruction, Response) and of Vicuna's first version (Human, Assistant).
HEADED = [
    ("ASSISTANT: It is up.", True),
    ("FUNCTION RESPONSE: It is up.", True),
    ("### Response:\nIt is up.", True),
    ("### Assistant: It is up.", True),
    ("## Response\nIt is up.", True),
    ("## Response times\nAll are below 10 ms.", False),
    ("It is up.\nUSER: Thanks", True),
    ("It is up.\n\nUSER: And now?\n\nASSISTANT: Still.", True),
    ("It is up.\n\nFUNCTION RESPONSE: {}", True),
    ("It is up.\n\n### Instruction:\nCheck again.", True),
    ("It is up.\n### Human: Thanks", True),
    ("It is up, ASSISTANT: it said.", False),
    ("It is up. USER: Thanks", False),
    ("```\nASSISTANT: It is up.\nUSER: Thanks\n```", False),
    ("The log says:\nStatus: up\nUptime: 3 days", False),
    ("It is up.\nUser: me\nPlace: here", False),
    ("It is up.\nUser: me\nPlace: here\nAssistant: you", True),
]


@each("answer, headed", HEADED)
def test_a_role_header_in_an_answer(answer: str, headed: bool) -> None:
    assert len(found_in_texts("TC313", "Is it up?", answer)) == headed


def test_a_header_that_the_user_writes() -> None:
    assert found_in_texts("TC313", "What is an AI: a program?", "AI: a program that learns.") == []


# ── gaps and stock phrases in answers ──


@each("word", ["INSERT", "Insert", "insert", "YOUR", "Your", "your", "ENTER", "Enter"])
def test_a_gap_in_an_answer(word: str) -> None:
    for gap in (f"[{word} name]", f"[{word}_NAME]"):
        assert len(found_in_texts("TC316", "Is it up?", f"It is {gap} here.")) == 1, gap
        assert found_in_texts("TC316", "Write a letter.", f"It is {gap} here.") == []
    assert found_in_texts("TC316", "Is it up?", f"It is [{word}] here.") == []
    assert found_in_texts("TC316", "Is it up?", f"It is {word} name here.") == []


@each("word", ["email", "letter", "template", "邮件", "メール"])
def test_who_asks_for_something_to_fill_in_gets_gaps(word: str) -> None:
    assert found_in_texts("TC316", f"I need that {word} now", "Dear [Your Name], hello.") == []
    assert len(found_in_texts("TC316", f"I need that {word[:1]} now", "Dear [Your Name], hello.")) == 1


# What the filters of Vicuna, OpenHermes and WizardLM drop, as answers; and what has the words without being one.
STOCK = [
    ("As an AI language model, I don't have access to real-time data.", True),
    ("I'm sorry, but as an AI, I cannot browse the internet.", True),
    ("As a large language model, I can't book flights for you.", True),
    ("Please note that my knowledge cutoff is September 2021.", True),
    ("As of my last knowledge update in January 2022, a ticket was 40 euros.", True),
    ("我是一个助手。作为一个AI语言模型，我无法查询实时天气。", True),
    ("As an air carrier, we can't book trains for you.", False),
    ("The camera has an AI model for faces.", False),
    ("The cutoff date for entries is 1 May.", False),
    ("Your last update was in 2023.", False),
    ("A language model from the list costs 3 dollars.", False),
]


@each("answer, stock", STOCK)
def test_a_stock_phrase_of_a_chat_model(answer: str, stock: bool) -> None:
    assert len(found_in_texts("TC318", "Is it up?", answer)) == stock
    for asked in ("Are you a human or a bot?", "Who are you?", "Is this ChatGPT?", "你是谁？"):
        assert found_in_texts("TC318", asked, answer) == [], asked


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
    assert found_in_texts("TC322", f"My card is {number}.", "Thanks.") == []


@each("number", SAMPLE_ACCOUNTS)
def test_the_example_of_an_account_is_nobody_s(number: str) -> None:
    spaced = " ".join(number[at : at + 4] for at in range(0, len(number), 4))
    assert found_in_texts("TC322", f"My account is {number}.", "Thanks.") == []
    assert found_in_texts("TC322", f"My account is {spaced}.", "Thanks.") == []


@each("word", ["card", "visa", "Amex", "express", "credit", "debit", "payment", "cc", "卡"])
def test_a_card_s_number_is_near_a_word_for_cards(word: str) -> None:
    assert len(found_in_texts("TC322", f"My {word}: 4539 5787 6362 1486.", "Thanks.")) == 1
    assert found_in_texts("TC322", f"My {word}: 4539 5787 6362 1487.", "Thanks.") == []  # a wrong check digit
    assert found_in_texts("TC322", "My part: 4539 5787 6362 1486.", "Thanks.") == []
