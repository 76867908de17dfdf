"""Rows for plans: plain ones of several shapes, and those in every way like them but for one value, key or byte."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, Final

from tests.helpers.mutations import MUTATIONS, Row

WEATHER: Final = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather for a city, in <b>any</b> unit: 'C' & \"F\".",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "The city, e.g. Köln"},
                "days": {"type": "integer"},
            },
            "required": ["city"],
        },
    },
}
ORDER: Final = {
    "type": "function",
    "function": {
        "name": "place_order",
        "description": "Order something",
        "parameters": {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "string"}}}},
    },
}


def call(number: int | str, name: str, arguments: Any) -> Row:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    made = number if isinstance(number, str) else f"call_{number}"
    return {"id": made, "type": "function", "function": {"name": name, "arguments": text}}


def result(number: int | str, content: str, **more: str) -> Row:
    made = number if isinstance(number, str) else f"call_{number}"
    return {"role": "tool", "tool_call_id": made, **more, "content": content}


USER: Final = {"role": "user", "content": "Will it rain in Köln tomorrow, or on 3 May?"}
ANSWER: Final = {"role": "assistant", "content": "No: it stays dry, 21 degrees."}
SYSTEM: Final = {"role": "system", "content": "Be brief, please."}
ARGUMENTS: Final = {"city": "Köln", "days": 3, "share": 0.5, "tags": ["a", "b"], "more": {"deep": True}}
SKY: Final = json.dumps({"sky": "clear", "high": 21, "wind": {"from": "W"}})


def asked(*calls: Row, content: str | None = None) -> Row:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


PLAIN: Final[dict[str, Row]] = {
    "no call": {"id": "row-1", "tools": [WEATHER], "messages": [USER, ANSWER]},
    "call": {
        "id": "row-1",
        "tools": [WEATHER, ORDER],
        "messages": [SYSTEM, USER, asked(call(0, "get_weather", ARGUMENTS)), result(0, SKY), ANSWER],
    },
    "calls": {
        "split": "train",
        "tools": [WEATHER, ORDER],
        "messages": [
            USER,
            asked(call(0, "get_weather", ARGUMENTS), call(1, "place_order", {"items": ["x"]}), content="One moment."),
            result(0, '{"sky":"clear"}', name="get_weather"),
            result(1, "It rains all day", name="place_order"),
            ANSWER,
            USER,
            {"role": "assistant", "content": "", "tool_calls": [call(2, "get_weather", {})]},
            result(2, "Nothing"),
            ANSWER,
        ],
        "id": 17,
    },
    "own ids": {
        "messages": [
            USER,
            asked(call("call_aB3dE5fG7hJ9kL1m", "get_weather", {"city": "Paris"})),
            result("call_aB3dE5fG7hJ9kL1m", SKY),
            ANSWER,
        ],
        "tools": [WEATHER],
    },
}
"""Rows that take a plan."""

TEXTS: Final = (
    '{"a": 1e-7}', '{"a":1e16}', '{"a": 1e16}', '{"a": 1e+16}', '{"a": 1E5}', '{"a": 5e-324}', '{"a": 0.00001}', '{"a": 123456789012345680}', '{"a": 1.5e300}', '{"a": 9007199254740993}', '{"a": 1e22}', '{"a": 100000000000000000000}', '{"a": "1e16"}', '{"a": 0.1}', '{"a": 1.0}', '{"a": [1.0,2e-9]}', '{"a": -1e-9}', '{"a": 18446744073709551615}', '{"a": 18446744073709551616}', '{"a": "\\ud83d\\ude00"}', '{"a": "\\u007f"}', '{"a": ""}', '{"a": "\\u00a0"}', '{"a": "b\\tc"}', '{"a": "\\\\"}', '{"a": "\\u0000"}',

    "", " ", "x ", " x", "x\n", "\nx", "a\nb", "\t", "<tool_call>", "</think>", "<think>x</think>y", "<|im_end|>", "a < b",
    "[TOOL_CALLS]", "x [INST] y", "{}", '{"name": "get_weather", "arguments": {}}', "get_weather(city=1)", "get_weather",
    "f(x=1)", "Action: f", "Observation: x", "Final Answer: x", "Thought: I", "Human: x", "FUNCTION RESPONSE: x",
    "tool result: x", "Call: f", "true", "null", "42", "1.50", "NaN", "a\u200bb", "\ufeffa", "a\u00a0b", "a\u2028b", "\x7f",
    "a\x00b", "a\x1bb", "`code`", "```\nf()\n```", "&lt;tool_call&gt;", "a｜b", "✿FUNCTION✿: f", "a\\nb", '"quoted"', "x: {",
    "# Tools", "You have access to the following tools: x", "functions.get_weather:0", "x to=functions.get_weather y",
    "assistant", "user", "tool", "role", "Xq1zX", "70000001", "Environment: ipython", "/think", "x /no_think", "Be thorough /think",
    "detailed thinking off", "Reasoning: high", "2024-01-01", "١٢٣", "ﬀ", "İ", "Köln. 東京!", "call_0", "a=b", "x | y", "(x)",
    "a (b) c", "50%s", "$x ${y}", "{{ x }}", "{% x %}", "a\\", "/", "a/b", "don't", "“x”…", "👍 yes", "👨‍👩‍👧 family", "日本語。", "助手：x",
    "-7071067811", "x" * 40_000, "e\u0301", "ok.", "0", "none", "None", "OK, 1. first 2. second", "* item", "# Title", "a_b*c_d*",
    "https://x.org/a?b=c&d", "x; y, z", "Here are my reasoning steps: x", "tool_calls", "messages", "tools", "A" * 300,
    "[1, 2]", '["a"]', '{"a": 1}', '{"a":1}', '{"a": 1, "a": 2}', '{"a": 1.50}', '{"a": 1e5}', '{"a": -0}', '{"a": -0.0}',
    '{"a": 12345678901234567890123}', '{"a": 0.1000000000000000055511151231257827}', '{"a": null}', '{"a": "\\u00e4"}',
    '{"a": "\\/"}', '{"a": "x\\ny"}', '{"a": "<tool_call>"}', '{"a": "[TOOL_CALLS]"}', '{"a": "x [/INST]"}', '{ "a": 1 }',
    '{"a": [1,2]}', '{"a": [1, 2]}', '{"a":[1,2],"b":"c, d"}', '{"a": "x,y", "b": "a, "}', '{"a": "b: c", "d":"e"}', "[]",
    '{"b": 1, "a": 2}', '{"properties": {"a": {}}}', '{"role": "user", "content": "x"}', '{"content": "x"}', '{"": ""}',
    '{"tool_calls": []}', '{"name": "f", "parameters": {"a": "b"}}', '{"a": "' + "b" * 3000 + '"}', '{"a": {"b": {"c": {}}}}',
    '{"a": "think"}', '{"a": "x\\u200by"}', '{"a": ""}', '{"a": " "}', '{"a": " b "}', '{"a": "true"}', '{"a": "12"}',
    '{"type": "object"}', '{"city": "Köln", "city ": 1}', '{"a": "{", "b": "}"}', '{"a": "["}', '{"a": "x{y}z"}',
    '{"tool_uses": [{"recipient_name": "functions.f", "parameters": {}}]}', '{"a": "functions.f"}', '{"a": 1} ', '{"a": True}',
)  # fmt: skip
"""Texts, for any place; some are JSON."""

NAMES: Final = (
    "get-weather", "functions.get_weather", "get weather", "weather:now", "python", "browser", "browser.search", "brave_search",
    "code_interpreter", "multi_tool_use.parallel", "final_answer", "none", "null", "true", "f", "F", "_f", "f1", "1f", "x" * 64,
    "x" * 65, "été", "get_weather\n", "tool_call", "function", "name", "call_0", "Xq1zX", "no_function_call", "a__b",
    "functions", "think", "",
)  # fmt: skip

IDS: Final = (
    "call_1", "call_01", "call_", "call_x", "abcdefghi", "functions.get_weather:0", "toolu_01AbCdEfGhIjKlMnOp", "chatcmpl-tool-1a2b3c4d",
    "", " ", "call_0 ", "1", "x" * 12, "x" * 11, "call_\u0663", "call_1234567890123456", "get_weather:0", "<id>", "Xq1zXaaaaaaa",
)  # fmt: skip

SCHEMAS: Final = (
    None, "x", {}, {"type": "object"}, {"type": "object", "properties": {}}, {"type": "OBJECT", "properties": {"a": {}}},
    {"properties": {"a": {}}, "type": "object"}, {"type": "object", "properties": {"a": {"default": None}}},
    {"type": "object", "properties": {"a": {"default": 1.0, "minimum": 10000000000000000000000}}},
    {"type": "object", "properties": {"a": {"enum": ["<tools>", "</tools>", "[/AVAILABLE_TOOLS]", "<|im_end|>", "\n", "\u2028"]}}},
    {"type": "object", "properties": {"a": {"type": "function", "function": {"name": "x"}}}, "required": None},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "function", "function": {}}]}}},
    {"type": "object", "properties": {"tools": [], "messages": {"type": "string"}, "x": {"items": [1, 2, [3]]}}},
    {"$schema": "x", "title": "T", "type": "object", "properties": {"b": {"$ref": "#/x"}}, "additionalProperties": True},
    {"type": "object", "properties": {"é": {"description": "ä \\ / \" ' & < > \x7f \u200b 👍"}}, "strict": True},
    {"type": "object", "properties": {f"p{n}": {"type": "string", "description": "d" * 50} for n in range(40)}},
)  # fmt: skip


Change = Callable[[], Row]
"""Gives a changed row."""


def changed(row: Row, *path: Any, value: Any) -> Row:
    """A copy of a row with another value at a path; the value itself without one."""
    if not path:
        return value  # type: ignore[no-any-return]
    copied = copy.deepcopy(row)
    place: Any = copied
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return copied


def renamed(row: Row, old: str, new: str) -> Row:
    """A copy of a row in which a text is another wherever it is all of a value."""
    return json.loads(json.dumps(row).replace(json.dumps(old), json.dumps(new)))  # type: ignore[no-any-return]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values below a value but those of schemas."""
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(member, dict | list) and key != "parameters":
            yield from places(member, (*path, key))


def with_other_texts(row: Row) -> Iterator[Change]:
    for path in places(row):
        last = path[-1]
        if last == "name" and "tools" in path:
            for name in NAMES:
                yield partial(changed, row, *path, value=name)
                yield partial(renamed, row, value_at(row, path), name)
        elif last in ("id", "tool_call_id") and len(path) > 1:
            for made in IDS:
                yield partial(changed, row, *path, value=made)
                yield partial(renamed, row, value_at(row, path), made)
        elif last == "parameters":
            for schema in SCHEMAS:
                yield partial(changed, row, *path, value=schema)
        elif isinstance(value_at(row, path), str):
            for text in TEXTS:
                yield partial(changed, row, *path, value=text)
                if last in ("content", "description"):
                    yield partial(changed, row, *path, value=f"{value_at(row, path)} {text} so.")
                if last == "arguments" and not text.startswith("{"):
                    for arguments in ({"city": text}, {text: "x"}, {"a": [text, {"b": text}]}):
                        yield partial(changed, row, *path, value=json.dumps(arguments, ensure_ascii=False))
                        yield partial(changed, row, *path, value=json.dumps(arguments))
                        yield partial(
                            changed, row, *path, value=json.dumps(arguments, separators=(",", ":"), ensure_ascii=False)
                        )


def value_at(row: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        row = row[key]
    return row


def with_other_values(row: Row) -> Iterator[Change]:
    """Other types of values, keys that are missing, twice, further or in another order, and other orders."""
    for path in places(row):
        holder, last = value_at(row, path[:-1]), path[-1]
        for value in (None, 0, 1.5, True, [], {}, ["x"], {"x": "y"}, [[]], "x"):
            yield partial(changed, row, *path, value=value)
        if isinstance(holder, dict):
            rest = {key: value for key, value in holder.items() if key != last}
            for other in (rest, {**rest, last: holder[last]}, {last: holder[last], **rest}):
                yield partial(changed, row, *path[:-1], value=other)
            for key in ("x", "name", "weight", "reasoning_content", "strict", "index", "tools", "prompt", "text", "é"):
                if key not in holder:
                    for value in ("word", 1, None, "get_weather", ["x"], holder[last]):
                        other = {**holder, key: value}
                        yield partial(changed, row, *path[:-1], value=other)
        else:
            for other in (holder[:last], holder[last:], holder[last + 1 :], [*holder, holder[last]], holder[::-1]):
                yield partial(changed, row, *path[:-1], value=other)


def with_other_forms(row: Row) -> Iterator[Change]:
    for mutation in MUTATIONS.values():
        for each in mutation(row):
            yield partial(changed, row, value=each)


def lines_of(row: Row) -> Iterator[bytes]:
    """The line of a row, spelled in several ways."""
    yield json.dumps(row).encode("utf-8", "surrogatepass")
    yield json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
    yield json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


BYTES: Final = (
    (b'"role": "user"', b'"role": "user", "role": "user"'), (b'"role": "user"', b'"content": "twice", "role": "user"'),
    (b'"type": "function"', b'"type": "function", "type": "function"'), (b'"required"', b'"default": 1.00, "required"'),
    (b'"role": "user"', b'"role" : "user", "role":"user"'), (b'"content": "', b'"content": "a: b", "content": "'),
    (b'"content": "', b'"content": "twice", "content": "A\\u003a '), (b'"name": "get', b'"name": "f", "name": "get'),
    (b'"required"', b'"default": 1e-400, "required"'),
    (b'"required"', b'"default": 1e-7, "required"'),
    (b'"required"', b'"default": 1e16, "required"'),
    (b'"required"', b'"default": 1E5, "required"'),
    (b'"required"', b'"default": 1.0, "required"'),
    (b'"required"', b'"default": -0.0, "required"'),
    (b'"required"', b'"d\\u0065fault": "\\ud83d\\ude00 \\/ \\u003c \\u0022", "required"'),
    (b'"required"', b'"default": [1,2], "x": [1, 2, [3,4]], "required"'),
    (b'"required"', b'"default": "a,b", "x,": "c, d", "required"'),
    (b'{\\"', b'{\\"n\\": 1e-7, \\"'),
    (b'{\\"', b'{\\"n\\": 1e16, \\"'), (b'"required"', b'"default": 123456789012345678901234, "required"'),
    (b'"content": "', b'"content": "\\ud800'), (b'"content": "', b'"content": "\\u0041'), (b'"content": "', b'"content": "\\u003c'),
    (b'"content": "', b'"content": "\\u200b'), (b'"content": "', b'"content": "\\/'), (b'"content": "', b'"content": "A\\n'),
    (b'"content": "', b'"cont\\u0065nt": "'), (b'"tools": ', b'"\\u0074ools": '), (b'"tools": ', b'"tools": [], "tools": '),
    (b'"tools": ', b'"tools" : '), (b'"tools": [', b'"tools": [ '), (b'"messages": ', b'"messages" : '), (b'}], "messages"', b'} ], "messages"'),
    (b'"messages": ', b'"x": {"tools": [], "messages": []}, "messages": '), (b'"messages": ', b'"x": "\\"tools\\": [", "messages": '),
    (b'{"id": ', b'{"a": -7071067811, "id": '), (b'"id": "row-1"', b'"id": 1.0'), (b'"id": "row-1"', b'"id": -0'), (b'"id": "row-1"', b'"id": "\\u0041"'),
    (b'"id": "row-1"', b'"id": 12345678901234567890123'), (b'"id": 17', b'"id": 1e5'), (b'": "', b'" : "'), (b', "', b',"'), (b', "', b',  "'),
    (b'}, {"type": "function"', b'} , {"type": "function"'), (b'}, {"type": "function"', b'}, {"type": "function", "type": "function"'),
    (b'{\\"', b'{\\"a\\": 1, \\"a\\": 2, \\"'), (b'{\\"', b'{ \\"'), (b'{\\"', b'{\\"n\\": 1.50, \\"'), (b'{\\"', b'{\\"n\\": null, \\"'),
    (b'{\\"', b'{\\"n\\": 9007199254740993, \\"'), (b'{\\"', b'{\\"n\\": 123456789012345678901, \\"'), (b'{\\"', b'{\\"n\\": 1e400, \\"'),
    (b'{\\"', b'{\\"\\\\u0041\\": 1, \\"'), (b'{\\"', b'{\\"n\\": \\"\\\\ud800\\", \\"'), (b'"}', b'"} '), (b"\xc3\xb6", b"\xff"), (b"{", b"\xef\xbb\xbf{"), (b"K\xc3\xb6ln", b"K\xc3\xb6ln\x00"),
)  # fmt: skip
"""What is changed in the bytes of a line: the first place, and all of them."""


def with_other_bytes(row: Row) -> Iterator[bytes]:
    for line in lines_of(row):
        for old, new in BYTES:
            if old in line:
                yield line.replace(old, new, 1)
                yield line.replace(old, new)
        yield line[:-1]
        yield line + b" "
        yield b" " + line
        yield line.replace(b"}", b"", 1)


def changed_lines(step: int = 1, start: int = 0) -> list[bytes]:
    """The lines of all changed rows, or one in so many of them."""
    found: list[bytes] = []
    at = start
    for row in PLAIN.values():
        for change in (with_other_texts, with_other_values, with_other_forms):
            for each in change(row):
                at += 1
                if at % step == 0:
                    spelled = list(lines_of(each()))
                    found.append(spelled[at // step % 3])
        found += list(with_other_bytes(row))[start % step :: step]
    return found


WORDS: Final = (
    "rain",
    "Köln",
    "東京",
    "naïve",
    "please",
    "the",
    "3",
    "21.5",
    "it's",
    "R/D",
    "a-b",
    "50%",
    "x_y",
    "“so”",
    "—",
    "é",
    "*",
    "#",
    "+",
    "@",
    "~",
    "^",
    "$",
)
ENDS: Final = (".", "?", "!", ":", ";", ",", "", "…", "。")


def random_row(random: Random) -> Row:
    """A row that is mostly plain, of values that no list names."""

    def text() -> str:
        return " ".join(random.choices(WORDS, k=random.randint(1, 12))) + random.choice(ENDS)

    def value(depth: int = 0) -> Any:
        kind = random.randrange(9 if depth < 2 else 6)
        if kind < 3:
            return text()
        if kind < 6:
            return random.choice((0, -3, 1.5, True, "", 1e20, 1e-7, 2**53, 2**63, "1", "true", -0.0, 1.0))
        if kind < 8:
            return {text(): value(depth + 1) for _ in range(random.randrange(3))}
        return [value(depth + 1) for _ in range(random.randrange(3))]

    def spelled(value: Any) -> str:
        return json.dumps(
            value, ensure_ascii=random.random() < 0.3, separators=random.choice(((", ", ": "), (",", ":")))
        )

    messages: list[Row] = [{"role": "system", "content": text()}] if random.random() < 0.3 else []
    tools = random.sample([WEATHER, ORDER], random.randint(1, 2))
    for tool in range(random.randrange(2)):
        schema = {"type": "object", "properties": {text(): {"description": text(), "enum": [value()]}}}
        tools.append(
            {"type": "function", "function": {"name": f"tool_{tool}", "description": text(), "parameters": schema}}
        )
    count = 0
    for _ in range(random.randint(1, 2)):
        messages.append({"role": "user", "content": text()})
        calls = []
        for _ in range(random.randrange(3)):
            name = random.choice(tools)["function"]["name"]  # type: ignore[index]
            calls.append(call(count, name, spelled({text(): value() for _ in range(random.randrange(3))})))
            count += 1
        if calls:
            messages.append(asked(*calls, content=random.choice((None, "", text()))))
            for each in random.sample(calls, len(calls)):
                content = spelled({"result": value()}) if random.random() < 0.7 else text()
                messages.append({"role": "tool", "tool_call_id": each["id"], "content": content})
        messages.append({"role": "assistant", "content": text()})
    return {"id": text(), "tools": tools, "messages": messages}


def conversations(random: Random) -> Iterator[Row]:
    """Plain rows of a dataset: their turns have few forms, in any order in which an assistant and a user may speak."""
    numbered, several, spoken, odd = (random.random() < share for share in (0.7, 0.6, 0.5, 0.15))
    named, system, is_last = (random.random() < share for share in (0.3, 0.5, 0.3))

    def text() -> str:
        return " ".join(random.choices(("rain", "Köln", "please", "the", "it's", "東京", "so"), k=random.randint(1, 9)))

    while True:
        tools = random.sample([WEATHER, ORDER], random.randint(1, 2))
        messages: list[Row] = [{"role": "system", "content": text()}] if system and random.random() < 0.8 else []
        count = 0
        for _ in range(random.randint(1, 5)):
            messages.append({"role": "user", "content": text()})
            for _ in range(random.choice((0, 1, 1, 2))):
                calls: list[Row] = []
                for _ in range(random.randint(1, 2) if several else 1):
                    arguments = {text(): random.choice((text(), 3, 1.5, True, [text()]))}
                    made = count if numbered else f"call_aB3dE5fG7h{count:03}"
                    calls.append(call(made, random.choice(tools)["function"]["name"], arguments))  # type: ignore[index]
                    count += 1
                messages.append(asked(*calls, content=text() if spoken and random.random() < 0.5 else None))
                for each in random.sample(calls, random.randint(0, len(calls))) if odd and count % 5 == 0 else calls:
                    more = {"name": each["function"]["name"]} if named else {}
                    content = json.dumps({"result": text()}, ensure_ascii=False)
                    messages.append(result(each["id"], content, **more))
            messages.append({"role": "assistant", "content": text()})
        row = {"id": text(), "tools": tools, "messages": messages}
        yield {"messages": messages, "tools": tools, "id": count} if is_last else row
