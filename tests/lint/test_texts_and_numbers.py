"""What the linter makes of texts and numbers: claims, failures, refusals, promises; units, currencies and check digits."""

from __future__ import annotations

import math

from tests.conftest import each, words
from tests.helpers.lint_rows import found_in_call, found_in_texts
from toolconv.lint.texts.claims import claims, claims_in, own_acts
from toolconv.lint.texts.outcomes import (
    asks,
    computes,
    fault_of,
    may_be_faults,
    promises,
    refusal_in,
    refuses,
    says_nothing,
)
from toolconv.lint.texts.tool_words import (
    asked_code,
    asks_about_code,
    needed_tool,
    topics,
)
from toolconv.lint.values.amounts import amounts_in, names, unit_of
from toolconv.lint.values.check_digits import is_container, is_vin, wrong_number

# ── what tools are about ──


@each("ending", ["", "s", "es", "ed", "ing", "ion", "ions", "e", "y", "ies"])
def test_words_are_compared_without_their_endings(ending: str) -> None:
    assert topics(f"reserv{ending}") == {"reserv"}


@each(
    "description", ["The id.", "A code", "Number of it", "symbol", "Kundennummer", "Numéro", "número", "代码", "订单号"]
)
def test_a_tool_that_takes_a_code(description: str) -> None:
    def tool(described: str) -> dict[str, object]:
        return {"parameters": {"properties": {"x": {"type": "string", "description": described}}}}

    assert asked_code("Where is A4711?", tool(description)) == "A4711"
    assert asked_code("Where is A4711?", tool("A name.")) is None


@each("end", "?？؟吗呢")
def test_a_short_question_with_a_code(end: str) -> None:
    assert asks_about_code(f"Where is A4711{' ' if end in '吗呢' else ''}{end}")
    assert not asks_about_code("Where is A4711.")
    assert not asks_about_code(f"Where is it{end}")
    limit = 200
    padded = f"{'a ' * 90}A4711"
    assert asks_about_code(padded + " " * (limit - len(padded) - 1) + end)
    assert not asks_about_code(padded + " " * (limit - len(padded)) + end)


def test_one_word_is_enough_for_a_short_answer() -> None:
    tools = {"get_harbours": {"description": "D."}}
    assert needed_tool(tools, "Which harbourside is it?", "a" * 200) == "get_harbours"
    assert needed_tool(tools, "Which harbourside is it?", "a" * 201) is None
    assert needed_tool(tools, "Which habit is it?", "a") is None


# ── what an assistant says that it did ──


@each(
    "before",
    ["I ", "I've ", "I’ve ", "I have ", "It has been ", "They have been ", "It has now been ", "I have just ",
     "I also ", "I have successfully ", "I've gone ahead and ", "I already "],
)  # fmt: skip
def test_a_claim_in_english(before: str) -> None:
    assert [each.verb for each in claims_in(f"{before}booked it.")] == ["booked"]


@each("before", ["", "成功", "为您", "帮您", "替您", "给您", "成功为您", "为您成功"])
def test_a_claim_in_chinese(before: str) -> None:
    for subject in ("已", "已经", "我", "我已", "我已经"):
        assert [each.verb for each in claims_in(f"{subject}{before}预订了。")] == ["预订"], subject


# An act in other languages, its tool, and a tool that does not do it.
OTHER_ACTS = [
    ("Ich habe die Lampe eingeschaltet.", "lampe_einschalten", "lampe_loeschen"),
    ("Die Lampe wurde eingeschaltet.", "lampe_einschalten", "lampe_loeschen"),
    ("Das Fenster ist geöffnet.", "fenster_oeffnen", "fenster_putzen"),
    ("Die Tür wird nun geprüft. Die Tür ist abgeschlossen.", "tuer_abschlossen", "tuer_oeffnen"),
    ("He cancelado la cita.", "cancelar_cita", "pagar_cita"),
    ("Tenho cancelado a conta.", "cancelar_conta", "pagar_conta"),
    ("J'ai annulé la commande.", "annuler_commande", "payer_commande"),
    ("J’ai annulé la commande.", "annuler_commande", "payer_commande"),
    ("Ho prenotato il tavolo.", "prenotare_tavolo", "pagare_tavolo"),
    ("Reservé una mesa para dos.", "reservar_mesa", "pagar_mesa"),
    ("Paguei a conta da loja.", "pagar_conta", "reservar_conta"),
    ("Já paguei a conta da loja.", "pagar_conta", "reservar_conta"),
    ("Eu toquei a música de ontem.", "tocar_musica", "parar_musica"),
]


@each("said, tool, other", OTHER_ACTS)
def test_an_act_in_another_language(said: str, tool: str, other: str) -> None:
    assert claims(said)
    (act,) = own_acts(said)
    assert act.is_done_by(tool, {})
    assert not act.is_done_by(other, {})


@each("article", words("a as o os à às el la las lo los um un una"))
def test_an_act_before_its_object(article: str) -> None:
    assert claims(f"Pagué {article} cuenta de ayer.")
    assert [act.verb for act in own_acts(f"Paguei {article} conta de ontem.")] == ["Paguei"]
    assert list(own_acts(f"Paguei, {article} conta de ontem.")) == []


# ── what responses and answers amount to ──

ERRORS = [
    "Error: no", "exception in f", "ValueError: x", "app.db.FooException", "404 not found", "503 service unavailable",
    "Too many requests", "rate limit reached", "Permission denied", "no such file", "No such user", "no such key",
    "no such command", "no such table", "no such host", "Traceback (most recent call last)", "panic: x", "fatal: x",
    "Segmentation fault", "core dumped", "Failed to do it", "failure", "HTTP 404", "http error 500", "timed out",
    "timeout", "time out", "Internal server error", "bad gateway", "Service unavailable", "access denied",
    "unauthorized", "Unauthorised", "forbidden", "The request has timed out", "connection failed",
    "the operation was refused", "Call refused", "The connection was reset", "connection has been lost",
    "connection closed", "请求失败", "调用错误", "查询异常", "操作出错", "系统超时", "服务不可用", "网络故障", "参数错误", "接口调用失败",
    "数据库异常", "失败", "错误", "未找到该用户", "找不到文件", "name 'x' is not defined",
    "local variable 'x' referenced before assignment", "f() missing 1 required positional argument: 'x'",
    "f() got an unexpected keyword argument 'x'", "f() takes 2 positional arguments but 3 were given",
    "'str' object has no attribute 'x'", "'int' object is not iterable", "'int' object does not support it",
    "'<=' not supported between instances of 'int' and 'str'", "'>=' not supported between instances",
    "'<' not supported between instances of 'int' and 'str'",
]  # fmt: skip


@each("text", ERRORS)
def test_the_text_of_an_error(text: str) -> None:
    assert fault_of(text) == "error"
    assert may_be_faults([text])
    assert fault_of(f"It works; before that: {text}") is None


@each("key", ["error", "errors", "error_message", "exception", "错误", "异常"])
def test_a_key_of_an_error(key: str) -> None:
    assert fault_of({key: "no", "id": 7}) == "error"
    assert may_be_faults([f'{{"{key}": "no", "id": 7}}'])
    for nothing in (None, "", "none", "None", "null", [], 0):
        assert fault_of({key: nothing, "id": 7}) is None, nothing


@each("key", ["success", "ok"])
def test_a_flag_of_a_call_that_failed(key: str) -> None:
    assert fault_of({key: False, "id": 7}) == "error"
    assert fault_of({key: True, "id": 7}) is None
    assert may_be_faults([f'{{"id": 7, "{key}": false}}'])


@each("key", ["status_code", "statusCode", "code", "status"])
def test_a_code_of_a_call_that_failed(key: str) -> None:
    for code, fault in ((399, None), (400, "error"), (599, "error"), (600, None)):
        assert fault_of({key: code, "id": 7}) == fault, code
    assert may_be_faults([f'{{"id": 7, "{key}": 404}}'])


@each(
    "text",
    ["", " ", "null", "None", "{}", "[]", '""', "''", "NaN", "undefined", '{"results": []}', '{"a": [], "count": 0}'],
)
def test_a_response_of_nothing(text: str) -> None:
    assert fault_of(text) == "empty"
    assert may_be_faults([text])


@each("text", ["[]", "null", "None", '{"results": []}'])
def test_a_response_that_says_that_there_is_nothing(text: str) -> None:
    assert says_nothing(text)
    assert not says_nothing('{"results": [1]}') and not says_nothing('{"found": false, "results": []}')


STAND_INS = [
    "<foo.Bar object at 0x7f3a>", "<coroutine object f at 0x7f>", "<generator object f at 0x7f>", "[object Object]",
    "<response>", "[tool result]", "{output}", "(placeholder)", "<content>", "[here]", "[todo]", "[响应]", "[结果]",
    "<<result>>", "placeholder", "TODO", "todo: write it", "TBD", "FIXME x", "Lorem ipsum dolor", "mock response",
    "Dummy result.", "sample output",
]  # fmt: skip


@each("text", STAND_INS)
def test_a_response_that_stands_for_another(text: str) -> None:
    assert fault_of(text) == "placeholder"
    assert may_be_faults([text])
    assert fault_of(f"The form: {text} and more") is None


@each("tool, fault", [(None, "HTML page"), ("get_weather", "HTML page"), *[
    (f"{word}_it", None) for word in words("html page fetch crawl scrape browse url web http")]])  # fmt: skip
def test_a_page_is_no_response_but_of_a_tool_for_pages(tool: str | None, fault: str | None) -> None:
    for page in ("<!DOCTYPE html><p>x", "<html><p>x", '<html lang="en"><p>x'):
        assert fault_of(page, tool) == fault
        assert may_be_faults([page])


@each(
    "text, fault", [('{"a": [1, 2', "cut"), ('[{"a": 1}', "cut"), ('{"a": 1', "cut"), ("{'a': 1}", None), ("[a]", None)]
)
def test_a_cut_response(text: str, fault: str | None) -> None:
    assert fault_of(text) == fault
    assert may_be_faults([text]) or fault is None


REFUSING = [
    "I'm sorry, but that is it.", "I am afraid so.", "I’m currently unable to.", "I am not able to.", "I can't do it.",
    "I cannot.", "I can not.", "I don’t have it.", "I do not have it.", "My capabilities end there.",
    "My current functions end there.", "Unfortunately, that is it.", "None of the available tools does it.",
    "None of the given functions does it.", "none of the tools", "There is no suitable tool.", "no available function",
    "no relevant tool", "As an AI, I wait.", "There is no way to do it.", "That is not something I can do.", "抱歉。", "对不起",
    "不好意思", "很遗憾", "无法查询", "不能查询", "没办法", "做不到", "办不到", "不支持", "没有查询权限", "没有这个工具", "没有相关功能", "没有这种能力",
    "申し訳ありません",
]  # fmt: skip


@each("text", REFUSING)
def test_an_answer_that_refuses(text: str) -> None:
    assert refuses(text)
    assert refusal_in(f"It is up.\n{text}\nBye.") == text.strip()
    assert not refuses("It is up, and I have it.")
    assert refuses(" " * (400 - len(text)) + text) and not refuses(" " * 400 + text)


ASKING = [
    "Where to?", "请问去哪？", "Really?)", "Please provide it.", "Could you tell me.", "can you specify it",
    "would you let me know", "please give it", "please share it", "please confirm it", "I need the date.",
    "We'll need your name.", "I’ll need to know.", "I need more.", "请提供日期", "请您告诉我", "请告知", "请说明", "请确认", "请问日期", "알려 주세요",
    "말씀해주세요", "教えてください",
]  # fmt: skip


@each("text", ASKING)
def test_an_answer_that_asks(text: str) -> None:
    assert asks(text)
    assert not asks("See https://a.org/?b=1 for it; I need it.")


PROMISES = [
    *[f"{who} {verb} it" for who in ("I'll", "I’ll", "I will", "i'll", "i will", "I am going to", "I'm going to",
      "I’m going to", "Let me", "let me", "LET ME", "I'll now", "Let me just", "Let me quickly") for verb in ("check",)],
    *[f"Let me {verb} it" for verb in words("call check look search find get fetch retrieve run use query calculate convert "
      "generate book send create")],
    *[f"{who}为您查天气" for who in ("我来", "我这就", "我现在", "我现在就", "我马上", "马上", "这就", "我将", "我会", "让我", "稍等", "稍等，我")],
    *[f"我来{verb}天气" for verb in words("查询 查一下 查找 搜索 获取 计算 预订 调用 生成 发送")],
    "我将帮你看天气", "我会给您看天气", "让我替您看天气",
]  # fmt: skip


@each("text", PROMISES)
def test_an_answer_that_promises(text: str) -> None:
    end = "." if text[-1].isascii() else "。"
    assert promises(f"Sure. {text}{end}")
    assert not promises(f"Sure. {text}. Is that it?")


@each("before", ["", "Sure, ", "Okay. ", "OK! ", "Of course, ", "certainly ", "Alright, "])
def test_an_answer_that_says_what_is_being_done(before: str) -> None:
    for end in (" now.", " for you.", "...", "…", " now..."):
        assert promises(f"{before}Opening the ticket{end}"), end
    assert not promises(f"{before}Opening the ticket.")


@each("text", ["Nothing.\n```\n1 + 1", r"\(x\)", r"\[x", "$x^2$", "$\\frac", "def f(x)"])
def test_an_answer_that_computes(text: str) -> None:
    assert computes(text)
    assert not computes("It costs $5 and $6, by definition.")


# ── amounts ──

# Sources: the International System of Units (SI Brochure, 9th edition), NIST Handbook 44, appendix C.
UNITS = {
    ("time", 1): "s sec secs second seconds 秒", ("time", 60): "min mins minute minutes 分钟",
    ("time", 3600): "h hr hrs hour hours 小时", ("time", 86400): "day days 天",
    ("months", 1): "month months 个月 月", ("months", 12): "year years yr yrs 年",
    ("length", 0.001): "mm millimeter millimeters millimetre millimetres 毫米",
    ("length", 0.01): "cm centimeter centimeters centimetre centimetres 厘米", ("length", 0.0254): "inch inches",
    ("length", 0.3048): "foot feet ft", ("length", 1609.344): "mile miles mi 英里",
    ("length", 1): "m meter meters metre metres 米", ("length", 1000): "km kilometer kilometers kilometre kilometres 公里 千米",
    ("mass", 0.001): "mg milligram milligrams 毫克", ("mass", 1): "g gram grams 克",
    ("mass", 28.349523125): "ounce ounces oz", ("mass", 453.59237): "pound pounds lb lbs 磅",
    ("mass", 1000): "kg kilogram kilograms kilo kilos 公斤 千克",
    ("volume", 0.001): "ml milliliter milliliters millilitre millilitres 毫升", ("volume", 1): "liter liters litre litres 升",
    ("volume", 1000): "cubic_meter cubic_meters cubic_metre cubic_metres m³ 立方米",
    ("share", 0.01): "% percent percentage 百分比", ("share", 1): "fraction ratio",
    ("money", 0.01): "cent cents", ("money", 1): "euro euros eur dollar dollars usd 元 块",
}  # fmt: skip


@each("dimension, factor, names", [(*unit, names) for unit, names in UNITS.items()])
def test_a_unit_has_a_dimension_and_a_size(dimension: str, factor: float, names: str) -> None:
    for word in (name.replace("_", " ") for name in names.split()):
        assert [amount[2:] for amount in amounts_in(f"About 1,250.5 {word}.")] == [(dimension, factor)], word
        assert amounts_in(f"About 1,250.5 {word}.")[0].number == 1250.5
        assert unit_of("x", f"How much, in {word}") == (dimension, factor), word
        assert unit_of("x", f"How much ({word})") == (dimension, factor), word


@each("description", ["Rate as a decimal", "Rate as a fraction", "Rate between 0 and 1", "利率，小数"])
def test_a_share_of_one(description: str) -> None:
    assert unit_of("rate", description) == ("share", 1)


@each("name", words("s m g h min mi ft foot feet"))
def test_a_name_that_is_a_unit_and_another_word(name: str) -> None:
    assert unit_of(name, "") is None
    assert unit_of(f"size_{name}", "") is not None


# ISO 4217, and what people write.
CURRENCIES = {
    "celsius": "°C ℃ centigrade 摄氏", "fahrenheit": "°F ℉ 华氏", "kelvin": "°K 开尔文", "usd": "dollar dollars 美元 美金",
    "eur": "euro euros € 欧元", "gbp": "pound pounds £ 英镑", "jpy": "yen 日元", "cny": "yuan RMB 人民币",
    "chf": "franc francs 瑞士法郎", "inr": "rupee rupees ₹ 卢比", "krw": "won ₩ 韩元",
}  # fmt: skip


@each("choice, written", CURRENCIES.items())
def test_what_people_write_for_a_choice(choice: str, written: str) -> None:
    for word in (choice, *written.split()):
        assert names(f"Make it 20 {word}, please.", choice), word
    assert not names("Make it 20 pesos, please.", choice)


# ── numbers with check digits ──

# The examples of the register of IBANs (ISO 13616, SWIFT), one of each country.
ACCOUNTS = [
    "AT611904300234573201", "BE68539007547034", "BG80BNBG96611020345678", "CH9300762011623852957",
    "CY17002001280000001200527600", "CZ6508000000192000145399", "DE89370400440532013000", "DK5000400440116243",
    "EE382200221020145685", "ES9121000418450200051332", "FI2112345600000785", "FR1420041010050500013M02606",
    "GB29NWBK60161331926819", "GR1601101250000000012300695", "HR1210010051863000160", "HU42117730161111101800000000",
    "IE29AIBK93115212345678", "IT60X0542811101000000123456", "LT121000011101001000", "LU280019400644750000",
    "LV80BANK0000435195001", "MT84MALT011000012345MTLCAST001S", "NL91ABNA0417164300", "NO9386011117947",
    "PL61109010140000071219812874", "PT50000201231234567890154", "RO49AAAA1B31007593840000", "SE4550000000058398257466",
    "SI56263300012039086", "SK3112000000198742637541", "TR330006100519786457841326",
]  # fmt: skip


def account(country: str, rest: str) -> str:
    """A number of an account with its check digits, by ISO 7064 (mod 97-10)."""
    digits = "".join(str(int(char, 36)) for char in f"{rest}{country}00")
    return f"{country}{98 - int(digits) % 97:02}{rest}"


@each("example", ACCOUNTS)
def test_an_account_has_the_length_of_its_country(example: str) -> None:
    country, rest = example[:2], example[4:]
    assert account(country, rest) == example
    other = rest[:-2] + ("37" if rest[-1].isdigit() else "3S")
    for text, count in ((other, 1), (other + "1", 0), (other[:-1], 0)):
        assert len(found_in_texts("TC322", f"Pay to {account(country, text)} now.", "Done.")) == count, text


# A kind of number, right, and what it is called where its check digits are wrong. Sources: ISO 13616, ISBN Users' Manual,
# test numbers of Stripe, GS1 General Specifications, ISO 6346 (BIC Code), 49 CFR 565, 3GPP TS 23.003.
CHECKED = [
    ("iban", "DE89 3704 0044 0532 0130 00", "DE88370400440532013000", "a bank account (IBAN)"),
    ("isbn", "0-306-40615-2", "0-306-40615-3", "a book (ISBN)"),
    ("isbn_10", "0-8044-2957-X", "0-8044-2958-X", "a book (ISBN)"),
    ("isbn13", "978-0-306-40615-7", "978-0-306-40615-8", "a book (ISBN)"),
    ("isbn13", "979-10-90636-07-1", "979-10-90636-07-2", "a book (ISBN)"),
    ("card_number", "4242 4242 4242 4242", "4242 4242 4242 4243", "a payment card"),
    ("card no", "5555555555554444", "5555555555554445", "a payment card"),
    ("card-number", "378282246310005", "378282246310006", "a payment card"),
    ("卡号", "6011111111111117", "6011111111111118", "a payment card"),
    ("cardnumber", "4222222222222", "4222222222223", "a payment card"),
    ("ean", "4006381333931", "4006381333932", "a product (EAN)"),
    ("gtin-8", "96385074", "96385075", "a product (EAN)"),
    ("EAN 13", "5901234123457", "5901234123458", "a product (EAN)"),
    ("gtin_14", "10614141000415", "10614141000416", "a product (EAN)"),
    ("container_number", "CSQU3054383", "CSQU3054384", "a container (ISO 6346)"),
    ("container id", "CSQU3054383", "CSQU3054373", "a container (ISO 6346)"),
    ("ISO 6346", "CSQU3054383", "CSQU3054382", "a container (ISO 6346)"),
    ("vin", "1M8GDM9AXKP042788", "1M8GDM9A1KP042788", "a vehicle (VIN)"),
    ("vehicle identification number", "1M8GDM9AXKP042788", "1M8GDM9AXKP042789", "a vehicle (VIN)"),
    ("imei", "490154203237518", "490154203237519", "a phone (IMEI)"),
]


@each("label, right, wrong, name", CHECKED)
def test_a_number_with_a_wrong_check_digit(label: str, right: str, wrong: str, name: str) -> None:
    for labels in ((label,), ("x", f"The {label} of it.")):
        assert wrong_number(right, *labels) is None
        assert wrong_number(wrong, *labels) == name
    assert wrong_number(wrong, "x", "A value.") is None


def test_each_letter_and_place_of_a_vehicle_s_number_counts() -> None:
    # 49 CFR 565.15, table III and IV: values of letters and weights of places.
    values = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    for at, weight in enumerate(weights):
        for letter, value in values.items():
            if at == 8:
                continue
            number = ["1"] * 17
            number[at] = letter
            total = sum(weights) - weight + weight * value
            number[8] = "0123456789X"[total % 11]
            assert is_vin("".join(number)), (at, letter)
            number[8] = "0123456789X"[(total + 1) % 11]
            assert not is_vin("".join(number)), (at, letter)


def test_each_letter_and_place_of_a_container_s_number_counts() -> None:
    # ISO 6346, annex A: A is 10, and multiples of 11 are left out; the weight of each place is a power of two.
    values = [value for value in range(10, 40) if value % 11]
    for letter, value in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", values, strict=False):
        for at in range(10):
            number = ["1"] * 10
            number[at] = letter
            total = sum(2**place for place in range(10)) + 2**at * (value - 1)
            assert is_container("".join(number) + str(total % 11 % 10)), (at, letter)
            assert not is_container("".join(number) + str((total % 11 + 1) % 10)), (at, letter)


# ── ends and kinds of arguments ──


@each("word", words("lat lon lng long latitude longitude x y z"))
def test_coordinates_have_no_order(word: str) -> None:
    assert found_in_call("TC131", {f"start_{word}": 4.5, f"end_{word}": 3.5}) == []


# The names of languages, as requests have them: ISO 639-1.
LANGUAGES = {
    "en": "English inglés anglais 英语", "zh": "Chinese chinesisch 中文 汉语", "es": "Spanish español 西班牙语",
    "fr": "French francés Französisch 法语 法文", "de": "German Deutsch alemán 德语", "it": "Italian italiano 意大利语",
    "pt": "Portuguese português 葡萄牙语", "ja": "Japanese 日语 日文", "ko": "Korean 韩语", "ru": "Russian russisch 俄语",
    "pl": "Polish 波兰语", "ar": "Arabic arabe 阿拉伯语",
}  # fmt: skip


@each("code, names", LANGUAGES.items())
def test_a_language_by_its_name(code: str, names: str) -> None:
    for name in names.split():
        request = f"Translate from {name} to sv." if name[0] < "\u2e80" else f"从{name}翻译到 sv"
        assert len(found_in_call("TC131", {"source": "sv", "target": code}, request)) == 1, name
        assert found_in_call("TC131", {"source": code, "target": "sv"}, request) == [], name
    assert len(found_in_call("TC131", {"source": code, "target": code}, "Do it.")) == 1


def test_amounts_beyond_floats() -> None:
    assert amounts_in(f"{'9' * 400} km")[0].number == math.inf
