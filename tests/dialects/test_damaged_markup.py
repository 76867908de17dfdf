"""What is left of a call whose markup is damaged: the name of a declared tool, and its arguments after it."""

from __future__ import annotations

from tests.conftest import each
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.damaged_markup import (
    calls_by_arguments,
    calls_by_lines,
    calls_by_object,
    names_in,
    python_calls,
)


def tool(name: str, *keys: str) -> dict[str, object]:
    properties = {key: {"type": "string"} for key in keys}
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


TOOLS = ToolIndex([tool("get_weather", "city", "days"), tool("ping", "host"), tool("stop")])


@each(
    "text, count",
    [
        ('<tool_call>get_weather{"city": "Rome"}', 1),
        ("get_weather(city=Rome", 1),
        ("get_weather<city>Rome", 1),
        ("get_weather</arg>city</arg_key>Rome", 1),
        ('getWeather{"city": "Rome"}', 1),
        ('get weather{"city": "Rome"}', 1),
        ('get_weathr{"city": "Rome"}', 1),  # damage in one place
        ('get_wexather{"city": "Rome"}', 1),
        ('gt_weather{"city": "Rome"}', 1),
        ('g_weath{"city": "Rome"}', 0),
        ('get_weather{"town": "Rome"}', 0),
        ('get_weather. It has "city": "Rome"', 0),
        ("get_weather, which takes city=Rome", 0),
        ('get_weather{"city": "string"}', 0),  # a declaration
        ('get_weather: {"description": "d", "city": "Rome"}', 0),
        ('x/get_weather{"city": "Rome"}', 0),  # a path
        ('</get_weather{"city": "Rome"}', 1),
        ("get_weather <city>\n", 0),  # a summary of arguments
        ("get_weather\n unit: x\n days: 3\n city: Rome", 0),  # a file of settings
        (f"get_weather{'<' * 150}city=Rome", 1),
        (f"get_weather{'<' * 250}city=Rome", 0),
        ('get_weather{"city": "Rome"} get_weather{"city": "Oslo"}', 2),
        ('get_weather{"city": "Rome", "days": 3}', 1),
        ('ping{"host": "a"} get_weather{"city": "Rome"}', 2),
        ('pong{"host": "a"}', 0),
        ("get_weathercity:Rome", 1),  # the markup between them is lost
        ("get_weather", 0),
        ("city=Rome", 0),
        ("Up?", 0),
        ('{"x": "get_weather", "city": "Rome"}', 1),
        ('{"x": "get_weather(city=1)"}', 0),  # data
    ],
)
def test_a_name_with_one_of_its_parameters_after_it(text: str, count: int) -> None:
    assert len(calls_by_arguments(text, TOOLS)) == count
    if count and "<" * 9 not in text:
        assert len(calls_by_arguments(f"It is up.\n{text}", TOOLS)) == count


def test_where_such_a_call_is() -> None:
    text = 'Hm.\n<tool_call>getWeather{"city": "Rome"}'
    ((start, end),) = calls_by_arguments(text, TOOLS)
    assert text[start:end] == "getWeather"


@each(
    "text, count",
    [
        ("get_weather\ncityRome\ndays3", 1),
        ("get_weather\ncityRome", 1),
        ("get_weather\ncitywide", 0),
        ("get_weather\ncity\nRome", 1),
        ("get_weather\ncity\ndays", 0),
        ("get_weather\ncity\n", 0),
        ("get_weather\ncity", 0),
        ('get_weather\ncity"Rome"', 1),
        ("get_weather\ncity[1]", 1),
        ("get_weather\ncity{1}", 1),
        ("get_weather\ncity-1", 1),
        ("get_weather\ncity, Rome", 0),
        ("get_weather\ntownRome", 0),
        ("my_get_weather\ncityRome", 0),
        ("stop\ncityRome", 0),
        ("get_weather cityRome", 0),
        ("get_weather\ncityRome\nget_weather\ncityOslo", 2),
        ("ping\nhostA\nget_weather\ncityOslo", 2),
        (f"get_weather\n{' ' * 210}\ncityRome", 0),
    ],
)
def test_lines_of_parameters_after_a_name(text: str, count: int) -> None:
    found = calls_by_lines(text, TOOLS)
    assert len(found) == count and found == sorted(found)
    assert all(text[start:end] in ("get_weather", "ping") for start, end in found)


@each(
    "text, count",
    [
        ('call_tool("get_weather", {"city": "Rome"})', 1),
        ('get_weather: {"city": "Rome", "days": "3"}', 1),
        ('get_weather {"city": "Rome"} get_weather {"city": "Oslo"}', 2),
        ('get_weather {"town": "Rome"}', 0),
        ('get_weather {"city": "Rome", "town": "x"}', 0),
        ("get_weather {}", 0),
        ('get_weather {"city": "Rome"', 0),
        ("get_weather {city: Rome}", 0),
        ("get_weather [1]", 0),
        ('my_get_weather {"city": "Rome"}', 0),
        ('get_weathers {"city": "Rome"}', 0),
        ('get_weather} {"city": "Rome"}', 0),
        ('get_weather {"city": {"type": "string"}}', 0),  # a declaration
        ('get_weather {"city": {"description": "d"}}', 0),
        ('get_weather {"city": {"x": "string"}}', 1),
        (f'get_weather{" " * 80}{{"city": "Rome"}}', 1),
        (f'get_weather{" " * 81}{{"city": "Rome"}}', 0),
        ("Up?", 0),
    ],
)
def test_an_object_of_arguments_after_a_name(text: str, count: int) -> None:
    found = calls_by_object(text, TOOLS)
    assert len(found) == count
    assert all(text[start:end] == "get_weather" for start, end in found)


@each(
    "text, names",
    [
        ("ping(host=1)", ["ping"]),
        ("ping()", ["ping"]),
        ("[ping(host=1), a.b(c=2)]", ["ping", "a.b"]),
        ("x\nping(host=1)", ["ping"]),
        (">ping(host=1)", ["ping"]),
        ("ping(host=1); pong(a=1)", ["ping", "pong"]),
        ("ping(1)", []),
        ("x ping(host=1)", []),
        ("ping (host=1)", []),
        ("1ping(host=1)", []),
    ],
)
def test_calls_in_python_begin_lines_or_items(text: str, names: list[str]) -> None:
    assert [text[start:end] for start, end in python_calls(text, 0, len(text))] == names


def test_the_declared_names_in_a_text() -> None:
    assert names_in("ping and get_weather", TOOLS) == ("get_weather", "ping")
    assert names_in("pin", TOOLS) == ()
