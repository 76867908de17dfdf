"""What text rules said wrongly of public rows, beside what they are for; a case and its opposite each."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from tests.helpers.lint_rows import found_in_row


def tool(name: str, description: str = "Does what its name says.", /, **parameters: dict[str, Any]) -> dict[str, Any]:
    """A tool that requires all of its parameters."""
    schema = {"type": "object", "properties": parameters, "required": [*parameters]}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


def talk(tools: list[dict[str, Any]], request: str, *turns: str | tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    """A row: a request, then answers, and calls with their arguments and responses."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": request}]
    for at, turn in enumerate(turns):
        if isinstance(turn, str):
            messages.append({"role": "assistant", "content": turn})
            continue
        name, arguments, response = turn
        function = {"name": name, "arguments": json.dumps(arguments)}
        messages.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{at}", "type": "function", "function": function}],
            }
        )
        messages.append({"role": "tool", "tool_call_id": f"c{at}", "content": response})
    return {"tools": tools, "messages": messages}


TEXT: dict[str, Any] = {"type": "string"}
SEND = tool("send_email", to=TEXT)
WEATHER = tool("get_weather", "The weather of a city today.", city=TEXT)
SENT = ("send_email", {"to": "ann@example.com"}, '{"status": "sent"}')
RAIN = ("get_weather", {"city": "Oslo"}, '{"sky": "rain"}')


@each(
    "tools, turn, answer, count",
    [
        ([tool("TimedSwitch", time=TEXT)], ("TimedSwitch", {"time": "19:00"}, "success"), "I've scheduled the light.", 0),
        ([WEATHER], RAIN, "I've scheduled the light.", 1),
        ([tool("modify_items"), tool("change_order_address")], ("modify_items", {}, "ok"), "A camera has been added to your order.", 0),
        ([WEATHER, tool("add_camera")], RAIN, "A camera has been added to your order.", 1),
        ([tool("generate_image"), tool("generate_avatar")], ("generate_image", {}, "ok"), "I have generated an avatar for you.", 0),
        ([WEATHER, tool("generate_avatar")], RAIN, "I have generated an avatar for you.", 1),
    ],
)  # fmt: skip
def test_an_act_that_no_call_did(
    tools: list[dict[str, Any]], turn: tuple[str, dict[str, Any], str], answer: str, count: int
) -> None:
    assert len(found_in_row("TC713", talk(tools, "Do it, please.", turn, answer))) == count


ORDER = tool("get_order_details", "The details of an order.", order_id=TEXT)


@each(
    "request, count",
    [
        ("Show me my order, please.", 1),
        ("Can we split my order between two cards?", 0),
        ("I need to undo the cancellation of my order.", 0),
    ],
)
def test_a_refusal_of_what_a_tool_can_do(request: str, count: int) -> None:
    assert len(found_in_row("TC705", talk([ORDER], request, "I'm sorry, I can't help with that."))) == count


@each(
    "part, value, count",
    [
        ({"description": "Airline IATA code"}, "DL", 0),
        ({"description": "Airline IATA code"}, "Delta", 1),
        ({"description": "Airport IATA code"}, "LAX", 0),
        ({"description": "Airport IATA code"}, "LA", 1),
        ({"description": "The user name to convert to a UUID."}, "Ninja", 0),
        ({"description": "The UUID of the user."}, "Ninja", 1),
        ({"description": "频率，可选：单次、每天、每周一到每周日"}, "每周二", 0),
        ({"description": "频率，可选：单次、每天、每月"}, "每周二", 1),
    ],
)
def test_a_form_that_a_description_asks_for(part: dict[str, Any], value: str, count: int) -> None:
    tools = [tool("look_up", x=TEXT | part)]
    assert len(found_in_row("TC128", talk(tools, "Look it up.", ("look_up", {"x": value}, "ok"), "Done."))) == count


@each(
    "key, value, request, count",
    [
        ("address2", "", "I live at 101 Highway, New York.", 0),
        ("city", "", "I live at 101 Highway, New York.", 1),
        ("market", "NSE_INDIA", "What does it cost at NSE India?", 0),
        ("name", "<account>", "Open my account.", 0),
        ("name", "(Ada Byron)", "Open it for Ada Byron.", 1),
    ],
)
def test_a_value_in_an_odd_form(key: str, value: str, request: str, count: int) -> None:
    tools = [tool("act", "Acts on a market: 'US', 'NSE_INDIA'.", **{key: TEXT})]
    assert len(found_in_row("TC125", talk(tools, request, ("act", {key: value}, "ok"), "Done."))) == count


@each(
    "answer, count",
    [
        ("The account ending in 5678 has 40.", 0),
        ("The account ending in 5679 has 40.", 1),
        ("I need: 1. your name (e.g. 'Ann'), 2. your city.", 0),
    ],
)
def test_a_number_from_nowhere(answer: str, count: int) -> None:
    tools = [tool("get_balance", account=TEXT)]
    call = ("get_balance", {"account": "6228480012345678"}, '{"balance": 40}')
    assert len(found_in_row("TC702", talk(tools, "My balance of 6228480012345678?", call, answer))) == count


@each("listed, count", [("[male, female]", 0), ("male, female", 0), ("[small, large]", 1)])
def test_choices_in_brackets(listed: str, count: int) -> None:
    part = {"type": "string", "enum": ["male", "female"], "description": f"One of: {listed}. Who it is."}
    assert len(found_in_row("TC419", talk([tool("find", x=part)], "Find one.", "Done."))) == count


@each(
    "key, value, request, count",
    [
        ("buyer_name", "Zhou Zhen", "Book it for Zhou Jun.", 0),
        ("booking_id", "KX-882145", "Where is booking KX-882154?", 0),  # which TC127 reports
        ("station", "LOWS", "Show the weather at LOWI.", 1),
        ("payment_amount", 0, "Please use the one with the $500 amount.", 0),
        ("room", "Berlin 101", "Cancel Berlin Room 101.", 0),
        ("frequency", "Every Monday", "I need my 7:00 AM Monday alarm.", 0),
        ("trainNumber", "<Train number>", "My ID number is 12.", 0),
    ],
)
def test_what_a_call_says_in_place_of_the_request(key: str, value: str, request: str, count: int) -> None:
    assert (
        len(found_in_row("TC130", talk([tool("act", **{key: TEXT})], request, ("act", {key: value}, "ok"), "Done.")))
        == count
    )
