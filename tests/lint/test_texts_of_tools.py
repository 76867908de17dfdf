"""What descriptions say against schemas, and which tools system texts tell of, each phrase on both sides."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from tests.helpers.lint_rows import found_in_row


def said(description: str, kind: str = "string", *, required: bool | None = None, **more: Any) -> list[str]:
    """What TC419 finds in a tool with one argument."""
    part = {"type": kind, "description": description, **more}
    parameters: dict[str, Any] = {"type": "object", "properties": {"x": part, "y": {"type": "string"}}}
    if required is not None:
        parameters["required"] = ["x"] if required else ["y"]
    tools = [{"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": parameters}}]
    return found_in_row(
        "TC419",
        {
            "tools": tools,
            "messages": [{"role": "user", "content": "Do it."}, {"role": "assistant", "content": "Done."}],
        },
    )


PHRASES = {
    "array": ["A list of cities", "an array of names", "The list of names", "list of optional names", "optional list of names", "城市列表",
              "名称数组"],
    "boolean": ["Whether to sort", "if true, sort", "True if sorted", "A boolean", "bool that sorts", "Flag indicating order",
                "A flag to sort", "是否排序"],
    "integer": ["An integer", "Integer from 1"],
    "object": ["A dictionary of names", "JSON object with names", "dict mapping names", "a dictionary containing names"],
}  # fmt: skip
CASES = [(kind, text) for kind, texts in PHRASES.items() for text in texts]


@each("kind, text", CASES)
def test_a_description_says_another_type(kind: str, text: str) -> None:
    other = "boolean" if kind != "boolean" else "integer"
    (found,) = said(text, other)
    assert f"and its description says {'an' if kind[0] in 'aio' else 'a'} {kind}" in found
    assert said(text, kind) == []
    if text.isascii():  # Chinese has no article, so that any words may come before a list
        assert said(f"It is {text}", other) == []
    assert said(text, other, enum=["a"]) == []
    if "json" not in text.lower() and "optional" not in text:
        assert len(said(text, "string")) == 1
        assert said(f"{text}, comma-separated", "string") == []


@each("word", ["comma", "separated", "delimited", "joined", "semicolon", "json", "string", "text", "format", "e.g.", "such as", "example",
               "encoded", "serialized", "or", "逗号", "分隔", "字符串", "格式", "例如", "或"])  # fmt: skip
def test_a_text_may_be_another_value_written_as_text(word: str) -> None:
    assert said(f"A list of names ({word})") == []
    assert len(said(f"A list of names ({word})", "integer")) == 1
    assert len(said("A list of names (x)")) == 1


@each("text, kind, count", [
    ("Number of days", "string", 0), ("Number of days", "boolean", 1), ("The amount of money", "array", 1), ("number of days", "integer", 0),
    ("How many days", "string", 1), ("how many days", "integer", 0), ("how many days", "number", 0), ("重复次数", "string", 1),
    ("A day (YYYY-MM-DD)", "integer", 1), ("A day (YYYY-MM-DD)", "string", 0), ("A time, HH:MM", "boolean", 1), ("A day (yyyy-mm-dd)", "integer", 0),
    ("A day (YYYY-MM-DD)", "array", 0), ("An integer", "number", 0), ("An integer or a text", "string", 0), ("boolean expression", "string", 0),
    ("A boolean query", "string", 0), ("It is whether to", "string", 0),
])  # fmt: skip
def test_numbers_counts_and_days(text: str, kind: str, count: int) -> None:
    assert len(said(text, kind)) == count


OPTIONAL = ["Optional. A city", "(optional) A city", "[Optional] A city", "optional: a city", "Optional, a city", "optional parameter", "Optional",
            "A city (optional)", "A city (may be omitted)", "A city (can be left out)", "A city (not required)", "可选。城市", "（可选）城市",
            "可选参数", "城市（可选）", "城市（可不填）", "城市(可省略)"]  # fmt: skip
REQUIRED = ["(required) A city", "[Mandatory] A city", "Required. A city", "Mandatory: a city", "（必填）城市", "【必需】城市", "(必须)城市", "必填：城市",
            "(obligatorio) x", "(erforderlich) x", "(obligatoire) x"]  # fmt: skip


@each("text", OPTIONAL)
def test_an_optional_argument_is_not_required(text: str) -> None:
    assert len(said(text, required=True)) == 1
    assert said(text, required=False) == [] and said(text) == []
    assert said(text, required=True, nullable=True) == []
    assert said(text, ["string", "null"], required=True) == []  # type: ignore[arg-type]
    assert said("A city", required=True, anyOf=[{"type": "null"}]) == []


@each("text", REQUIRED)
def test_a_required_argument_is_required(text: str) -> None:
    assert len(said(text, required=False)) == 1
    assert said(text, required=True) == [] and said(text) == []


@each("text", ["Optionally sorted", "Not optional", "It is required by law", "Requires a city", "Options"])
def test_other_words_say_nothing_of_it(text: str) -> None:
    assert said(text, required=True) == [] and said(text, required=False) == []


DEFAULTS = [
    "Defaults to 5",
    "default to 5.",
    "Default: 5",
    "default is 5",
    "Default value is 5",
    "default=5",
    "By default, 5",
    "默认值为5",
    "默认：5",
    "默认是5",
]


@each("text", DEFAULTS)
def test_a_default_is_the_one_that_the_description_says(text: str) -> None:
    assert len(said(text, "integer", default=6)) == 1
    assert said(text, "integer", default=5) == [] and said(text, "integer") == []
    assert said(text, "number", default=5.0) == []


@each("value", ["null", "None", "none", "any", "all", "auto", "default", "dontcare"])
def test_a_default_may_stand_for_no_value(value: str) -> None:
    text = "The order, one of 'up', 'down' or 'left'."
    assert said(text, default=value) == [] and said(text, default="up") == []
    assert len(said(text, default=f"{value}x")) == 1


@each("text", ["e.g. 'up'", "for example 'up'", "such as 'up'", "Example: 'up'", "例如：'up'", "比如“up”"])
def test_an_example_is_one_of_the_choices(text: str) -> None:
    assert len(said(f"The way, {text}", enum=["left", "right"])) == 1
    assert said(f"The way, {text}", enum=["left", "UP"]) == []


@each("low, high, text, count", [
    (1, 5, "from 1 to 5", 0), (1, 5, "between 1 and 10", 1), (0, 5, "from 1 to 5", 1), (1, None, "from 2 to 5", 0), (True, 5, "from 2 to 5", 0),
    (None, None, "from 2 to 5", 0),
])  # fmt: skip
def test_the_bounds_are_those_of_the_description(low: Any, high: Any, text: str, count: int) -> None:
    bounds = {key: value for key, value in (("minimum", low), ("maximum", high)) if value is not None}
    assert len(said(f"A size, {text}.", "integer", **bounds)) == count


def told(text: str, role: str = "system") -> list[str]:
    """What TC420 finds in a text of a row that declares ``get_weather``."""
    tools = [
        {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}
    ]
    messages = [
        {"role": role, "content": text},
        {"role": "user", "content": "Do it."},
        {"role": "assistant", "content": "Done."},
    ]
    return found_in_row("TC420", {"tools": tools, "messages": messages})


TELLING = ["Use the tool find_city.", "Call the function find_city.", "use tool `find_city`", "Invoke the tool 'find_city'", "using the find_city tool",
           "calling find_city function", "Call `find_city` to look it up", "Use `find_city` when asked", "Use `find_city` if asked", "call `find_city` for it",
           "调用工具find_city", "使用函数 `find_city`"]  # fmt: skip


@each("text", TELLING)
def test_a_system_text_tells_of_a_tool(text: str) -> None:
    assert told(text) == ["the system text tells of 'find_city', which is not declared"]
    assert told(text.replace("find_city", "get_weather")) == [] and told(text.replace("find_city", "city")) == []
    assert told(text, "developer") == told(text) and told(text, "user") == []
    for words in ("assistant: ", "User: ", "Thought：", "action: "):
        assert told(f"{words}x\\n{text}") == [], words
    for words in ("Their programs ", "They ", "The user may ", "A customer can "):
        assert told(f"{words}{text}") == [], words


@each(
    "text",
    [
        "find_city is a tool.",
        "The tool find_city.",
        "Use find_city.",
        "Use `find_city`.",
        "Use the tool findCity.",
        "reuse tool find_city",
    ],
)
def test_other_texts_tell_of_none(text: str) -> None:
    assert told(text) == []
