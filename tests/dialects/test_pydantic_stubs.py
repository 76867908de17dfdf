"""MiniCPM3's declaration of tools, against what the chat template of openbmb/MiniCPM3-4B writes."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from toolconv import dialects

CHAT = dialects.get("minicpm3").chat

PLACE = {
    "type": "object",
    "description": "A place",
    "properties": {"lat": {"type": "number"}, "kind": {"type": "string", "enum": ["town", "lake"]}},
    "required": ["lat"],
}
STOPS = {"type": "array", "items": {"type": "object", "properties": {"via": {"type": ["string", "null"]}}}}
WEATHER = {
    "name": "get_weather",
    "description": "Gets the weather.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": 'The "city", é.'},
            "days": {"type": "integer", "default": 2},
            "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
            "place": PLACE,
            "stops": STOPS,
            "tags": {"type": "array", "items": {"type": "string"}, "title": "Tags", "pattern": "a+"},
            "free": {"type": "object"},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
            "any": {},
        },
        "required": ["city", "place"],
    },
}
PING = {"name": "ping", "description": "Pings.", "parameters": {"type": "object", "properties": {}}}
PONG = {"name": "pong", "description": "Pongs."}

# Written by the template, which BFCL's minicpm_fc handler quotes, under the rules of ../shared/golden/README.md.
TEMPLATE_WROTE = '''\
Be brief.
# Functions
Here is a list of functions that you can invoke:
```python
from enum import Enum
from typing import List, Dict, Optional
from pydantic import BaseModel, Field



class Unit(Enum):
    enum_0 = "c"
    enum_1 = "f"


class Kind(Enum):
    enum_0 = "town"
    enum_1 = "lake"


class Place(BaseModel):
    lat: float
    kind: Optional[Kind] = None


class Stops(BaseModel):
    via: Optional[Union[str, None]] = None


def get_weather(city, days=2, unit="c", place, stops=None, tags=None, free=None, counts=None, any=None):
    """Gets the weather.

    Args:
        city: str = Field(..., description="The \\"city\\", é.")
        days: Optional[int] = 2
        unit: Optional[Unit] = "c"
        place: Place = Field(..., description="A place")
        stops: Optional[List[Stops]] = None
        tags: Optional[List[str]] = Field(None, regex="a+", title="Tags")
        free: Optional[Dict[str, Union[]]] = None
        counts: Optional[Dict[str, int]] = None
        any: Optional[Union[]] = None
    """


def ping():
    """Pings.

    Args:
    """


def pong():
    """Pongs.
    """

```

# Function Call Rule and Output Format
'''


def tools(*functions: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": function} for function in functions]


def test_the_system_turn_is_the_template_s() -> None:
    assert CHAT.declare("Be brief.", tools(WEATHER, PING, PONG)).startswith(TEMPLATE_WROTE)
    assert CHAT.declare("", tools(PING)).startswith("\n# Functions\nHere is a list of functions")


def test_tools_are_read_back() -> None:
    declared = tools(WEATHER, PING, PONG)
    assert CHAT.keeps(declared)
    assert CHAT.read_declaration(CHAT.declare("Be brief.", declared)) == ("Be brief.", declared)


def test_what_a_stub_does_not_hold_is_a_loss() -> None:
    bounded = {**PING, "parameters": {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}}}
    assert not CHAT.keeps(tools(bounded))
    assert not CHAT.keeps(tools({**PING, "strict": True}))


def test_other_text_is_no_declaration() -> None:
    text = CHAT.declare("Be brief.", tools(WEATHER))
    assert CHAT.read_declaration(text.replace("def get_weather", "fun get_weather")) is None
    assert CHAT.read_declaration(text.replace("Optional[Unit]", "Optional[Units]")) is None
    assert CHAT.read_declaration(text.replace("Field(...,", "Field(?,")) is None


names = st.sampled_from(["city", "days", "Place", "place-name", "a_b", "é"])
leaves = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "null", "object", "array", "odd", ["string", "null"], None]),
        "description": st.sampled_from(["x", 'a "b"\nc', ""]),
        "default": st.sampled_from([1, "a", True, None, ["a", 1]]),
        "enum": st.sampled_from([["a", "b"], [1, 2], ["a", None], []]),
    },
)


def objects(members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(
        lambda properties, required: {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name in required],
        },
        st.dictionaries(names, members, max_size=3),
        st.sets(names),
    )


schemas = objects(
    st.recursive(
        leaves, lambda inner: objects(inner) | st.builds(lambda items: {"type": "array", "items": items}, inner)
    )
)


@given(st.lists(schemas, min_size=1, max_size=2), st.sampled_from(["D.", "two\n\nlines", 'a """ b', ""]))
def test_a_declaration_is_read_as_it_was_or_not_at_all(parameters: list[dict[str, Any]], description: str) -> None:
    declared = tools(*({"name": "f", "description": description, "parameters": one} for one in parameters))
    text = CHAT.declare("Be brief.", declared)
    read = CHAT.read_declaration(text)
    if CHAT.keeps(declared):
        assert read == ("Be brief.", declared)
    elif read is not None:
        assert CHAT.declare(*read) == text
