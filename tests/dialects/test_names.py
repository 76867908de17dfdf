"""Names and keys that models decorate, and arguments that they wrap: what each call is, and the repairs that say so."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.turn_reader import TurnReader

WEATHER = {"get_weather": {"city": "string", "days": "integer"}}


def declared(tools: dict[str, dict[str, str]]) -> ToolIndex:
    """The declarations of tools, each with the types of its parameters."""
    return ToolIndex(
        [
            {
                "function": {
                    "name": name,
                    "parameters": {"properties": {key: {"type": kind} for key, kind in keys.items()}},
                }
            }
            for name, keys in tools.items()
        ]
    )


def json_call(call: str) -> tuple[str, str]:
    return "hermes", f"<tool_call>\n{call}\n</tool_call>"


def tagged(name: str, *parameters: tuple[str, str]) -> tuple[str, str]:
    """A call in tags, with keys and values as a model wrote them."""
    written = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters)
    return "qwen3_xml", f"<tool_call>\n<function={name}>\n{written}</function>\n</tool_call>"


CASES: list[tuple[tuple[str, str], dict[str, dict[str, str]], tuple[str, dict[str, Any]], list[str]]] = [
    # names
    (
        json_call('{"name": "“get weather”", "arguments": {}}'),
        {"get weather": {}},
        ("get weather", {}),
        ["decorated_name"],
    ),
    (json_call(r'{"name": "\u005b\u005d", "arguments": {}}'), {}, ("[]", {}), ["odd_name"]),
    # keys: a declared one is what it is, and no two become one
    (json_call('{"name": "f", "arguments": {"a<b": 7}}'), {}, ("f", {"a<b": 7}), []),
    (json_call('{"name": "f", "arguments": {"a<b": 7}}'), {"f": {"a": "integer"}}, ("f", {"a<b": 7}), ["odd_name"]),
    (tagged("list", ("“city”", "7")), {}, ("list", {"city": 7}), ["smart_quotes"]),
    (tagged("list", ("ids[]", "7")), {"list": {"ids[]": "integer"}}, ("list", {"ids[]": 7}), []),
    (
        tagged("list", ("“per-page”", "7")),
        {"list": {"per-page": "integer"}},
        ("list", {"per-page": 7}),
        ["smart_quotes"],
    ),
    (
        tagged("get_weather", ("city", "Oslo"), ("city:", "Rome")),
        WEATHER,
        ("get_weather", {"city": "Oslo", "city:": "Rome"}),
        [],
    ),
    (
        tagged("get_weather", ("city:", "Oslo"), (":city", "Rome")),
        WEATHER,
        ("get_weather", {"city": "Oslo", ":city": "Rome"}),
        ["marker_spelling"],
    ),
    (
        json_call('{"name": "f", "arguments": {"opts": {"a": 1, "\u200ba": 2}}}'),
        {},
        ("f", {"opts": {"a": 1, "\u200ba": 2}}),
        [],
    ),
    (
        json_call('{"name": "f", "arguments": {"opts": {"\u200ba": "\ufeffx\u200b"}}}'),
        {},
        ("f", {"opts": {"\u200ba": "\ufeffx\u200b"}}),
        [],
    ),
    # a call in the arguments of another, whose name is the call's id
    (
        json_call('{"name": "call_1", "arguments": {"name": "get_weather", "city": "Oslo"}}'),
        WEATHER,
        ("get_weather", {"city": "Oslo"}),
        ["wrapped_call"],
    ),
    (
        json_call('{"name": "call_1", "arguments": {"name": "get_weather", "town": "Oslo"}}'),
        WEATHER,
        ("call_1", {"name": "get_weather", "town": "Oslo"}),
        [],
    ),
    (
        json_call('{"name": "call_1", "arguments": {"name": "ping", "arguments": {"host": "a"}}}'),
        WEATHER,
        ("ping", {"host": "a"}),
        ["wrapped_call"],
    ),
    (
        json_call('{"name": "run", "arguments": {"name": "run", "arguments": {"x": 1}}}'),
        {"run": {"name": "string", "arguments": "object"}},
        ("run", {"name": "run", "arguments": {"x": 1}}),
        [],
    ),
    # all arguments in one
    (
        json_call('{"name": "get_weather", "arguments": {"args": {"city": "Oslo"}}}'),
        WEATHER,
        ("get_weather", {"city": "Oslo"}),
        ["wrapped_arguments"],
    ),
    (
        json_call('{"name": "get_weather", "arguments": {"args": {}}}'),
        WEATHER,
        ("get_weather", {}),
        ["wrapped_arguments"],
    ),
    (
        json_call('{"name": "get_weather", "arguments": {"args": "{}"}}'),
        WEATHER,
        ("get_weather", {}),
        ["wrapped_arguments"],
    ),
    (json_call('{"name": "get_weather", "arguments": {"args": [1]}}'), WEATHER, ("get_weather", {"args": [1]}), []),
    (
        json_call('{"name": "get_weather", "arguments": {"args": "Oslo"}}'),
        WEATHER,
        ("get_weather", {"args": "Oslo"}),
        [],
    ),
    (
        json_call('{"name": "get_weather", "arguments": {"args": {"town": "Oslo"}}}'),
        WEATHER,
        ("get_weather", {"args": {"town": "Oslo"}}),
        [],
    ),
    (
        json_call('{"name": "get_weather", "arguments": {"args": {"city": "Oslo"}}}'),
        {"get_weather": {"args": "object"}},
        ("get_weather", {"args": {"city": "Oslo"}}),
        [],
    ),
    # values that may hold what ends a turn, or a thought
    (
        json_call('{"name": "f", "arguments": {"a": "<think> begins it", "b": "</think> ends it"}}'),
        {},
        ("f", {"a": "<think> begins it", "b": "</think> ends it"}),
        [],
    ),
    *(
        (json_call(f'{{"name": "f", "arguments": {{"a": "{value}"}}}}'), {}, ("f", {"a": value}), repairs)
        for value, repairs in (
            ("Oslo</s>", ["markup_in_value"]),
            ("<s>Rome</s> Oslo", []),
            ("<think>Where?</think>Oslo", ["markup_in_value"]),
            ("Oslo<think>Where?</think>", ["markup_in_value"]),
            ("Oslo <think>or Rome?</think> Milan", []),
        )
    ),
]


@each("written, tools, call, repairs", CASES)
def test_what_a_call_is(
    written: tuple[str, str], tools: dict[str, dict[str, str]], call: tuple[str, dict[str, Any]], repairs: list[str]
) -> None:
    name, text = written
    parsed = TurnReader(dialects.get(name)).read(text, declared(tools) if tools else NO_TOOLS)
    assert [(each.name, each.arguments) for each in parsed.calls] == [call]
    assert (parsed.content, parsed.reasoning, parsed.repairs, parsed.dropped) == ("", None, repairs, [])


DECORATED = [
    *(f"{before}get_weather" for before in (
        "functions.", "function.", "functions:", "tools.", "tool/", "tools__", "default_api.", "default_api:", "assistant.",
        "namespace.", "mcp__", "mcp.", "functions", "call:", "call_", "call", "function_call", "tool_call", "tool_calls",
        "weather_server.", "weather-server/", "weather::", "weather__", "a.b.", "functions.weather.", "`", "*", "(", "<", "=",
    )),
    *(f"get_weather{after}" for after in (
        "_0", ":1", ".2", "-3", "4", "_123456", " json", ".json", "_json", ":json", "json", "()", "_tool_call", " tool_call",
        "tool_call", "`", "*", ")", ",", ";", ":", ">", "|", "=",
    )),
    "functions.get_weather:0", "`get_weather`", "**get_weather**", "functions.get_weather()", "mcp__weather__get_weather_1",
]  # fmt: skip


@each("name", DECORATED)
def test_a_decorated_name_is_the_declared_one(name: str) -> None:
    call = json_call(f'{{"name": "{name}", "arguments": {{"city": "Rome"}}}}')[1]
    parsed = TurnReader(dialects.get("hermes")).read(call, declared(WEATHER))
    assert [(each.name, each.arguments) for each in parsed.calls] == [("get_weather", {"city": "Rome"})]
    assert parsed.repairs == ["name_prefix" if name == "functions.get_weather" else "decorated_name"]
    both = declared({**WEATHER, name: {"city": "string"}})
    assert [each.name for each in TurnReader(dialects.get("hermes")).read(call, both).calls] == [name], "it is declared"


OTHER_NAMES = [
    "get_weathers", "my_get_weather", "get_weather_" + 30 * "1", "get_weather_now", "get", "weather", "get_weather.x", "get_weatherjsonx",
]  # fmt: skip


@each("name", OTHER_NAMES)
def test_another_name_stays(name: str) -> None:
    call = json_call(f'{{"name": "{name}", "arguments": {{"city": "Rome"}}}}')[1]
    parsed = TurnReader(dialects.get("hermes")).read(call, declared(WEATHER))
    assert [each.name for each in parsed.calls] == [name] and parsed.repairs == []


def test_a_name_that_may_be_two_declared_ones_stays() -> None:
    call = json_call('{"name": "a.ping_1", "arguments": {}}')[1]
    both = declared({"ping": {}, "ping_1": {}, "a.ping": {}})
    parsed = TurnReader(dialects.get("hermes")).read(call, both)
    assert [each.name for each in parsed.calls] == ["a.ping_1"]


@each("key", ["arguments", "args", "input", "kwargs", "parameters", "params", "properties"])
def test_what_wraps_all_arguments_is_taken_away(key: str) -> None:
    hermes = TurnReader(dialects.get("hermes"))
    for value in ('{"city": "Rome"}', '"{\\"city\\": \\"Rome\\"}"'):
        call = json_call(f'{{"name": "get_weather", "arguments": {{"{key}": {value}}}}}')[1]
        parsed = hermes.read(call, declared(WEATHER))
        assert (parsed.calls[0].arguments, parsed.repairs) == ({"city": "Rome"}, ["wrapped_arguments"])
    other = json_call(f'{{"name": "get_weather", "arguments": {{"{key}": {{"town": "Rome"}}}}}}')[1]
    assert hermes.read(other, declared(WEATHER)).calls[0].arguments == {key: {"town": "Rome"}}


def test_a_stray_word_before_a_call_is_no_id() -> None:
    text = '<tool_call>x{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
    (found,) = TurnReader().read(text, declared(WEATHER)).calls
    assert (found.name, found.arguments, found.id) == ("get_weather", {"city": "Rome"}, None)


@each("number", ["call_1", "chatcmpl-tool-a", "tool_1", "toolu_01", "functions.call_1", "function.call:1", "call-a"])
def test_a_call_in_the_arguments_of_its_id(number: str) -> None:
    call = json_call(
        f'{{"name": "{number}", "arguments": {{"name": "get_weather", "arguments": {{"city": "Rome"}}}}}}'
    )[1]
    (found,) = TurnReader(dialects.get("hermes")).read(call, declared(WEATHER)).calls
    assert (found.name, found.arguments, found.id) == ("get_weather", {"city": "Rome"}, number)
