"""Each place of ``toolconv/dialects/`` that counts a loss or drops a call is reached by a case of this table.

See ``tests/layouts/test_loss_places.py``. Here lists of losses are handed around, so the lines that run are looked at.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.conftest import each
from tests.helpers.reached import reached
from toolconv import Options, Receipt, convert_rows, dialects

FOLDER: Final = Path(dialects.__file__).parent
KEPT: Final = ("losses", "dropped", "lost")
Row = dict[str, Any]

HOST: Final = {"type": "object", "properties": {"host": {"type": "string"}}, "required": ["host"]}
FUNCTION: Final = {"name": "ping", "description": "Pings a host.", "parameters": HOST}
TOOL: Final = {"type": "function", "function": FUNCTION}
CALL: Final = {"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": {"host": "h"}}}
WRITTEN: Final = '<tool_call>\n{"name": "ping", "arguments": {"host": "h"}}\n</tool_call>'
ASKED: Final = {"role": "user", "content": "Is it up?"}
IMAGE: Final = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
WORDS: Final = {"type": "text", "text": "I look."}
ANSWERED: Final = "<tool_response>\npong\n</tool_response>"
WITH_PATTERN: Final = {**HOST, "properties": {"host": {"type": "string", "pattern": "^h"}}}
DECLARED: Final = f"You have these tools:\n<tools>\n{json.dumps(TOOL)}\n</tools>"
ASKS: Final = "Return each tool call as JSON in <tool_call> tags."
SHOWN: Final = "Call a function like this: <function=name><parameter=p>1</parameter></function>"
OTHER: Final = "<function=ping>\n<parameter=host>h</parameter>\n</function>"


def turn(content: Any = "", *calls: Row, **more: Any) -> Row:
    """A turn of the assistant."""
    return {"role": "assistant", "content": content, **({"tool_calls": list(calls)} if calls else {}), **more}


def result(content: Any = "pong", **more: Any) -> Row:
    return {"role": "tool", "tool_call_id": "call_0", "content": content, **more}


def to(target: str, *messages: Row, tool: Row = TOOL) -> tuple[Row, Options]:
    return {"tools": [tool], "messages": [*messages]}, Options(source=None, target=target, from_layout="openai")


def parsed(*messages: Row, **options: Any) -> tuple[Row, Options]:
    chosen = {"source": "hermes", "from_layout": "openai", "to_layout": "openai", **options}
    return {"tools": [TOOL], "messages": [*messages]}, Options(**chosen)


OTHER_ID: Final = {**CALL, "id": "abc"}
TWO: Final = (CALL, {**CALL, "id": "call_1"})
BOTH: Final = (result(), result(tool_call_id="call_1"))
CUT: Final = WRITTEN[:-25]

CASES: Final = {
    "nothing": (*to("hermes", ASKED, turn("", CALL), result()), [], 0),
    "an id": (*to("hermes", ASKED, turn("", OTHER_ID)), ["call_id"], 0),
    "an id that is written": (*to("openai", ASKED, turn("", OTHER_ID)), [], 0),
    "an empty system text": (*to("hermes", {"role": "system", "content": ""}, ASKED, turn("Yes.")), ["empty_system"], 0),
    "keys of a call": (
        *to("hermes", ASKED, turn("", {**CALL, "function": {**CALL["function"], "strict": True}})), ["call_keys"], 0,  # type: ignore[dict-item]
    ),
    "an image": (*to("hermes", ASKED, turn([WORDS, IMAGE], CALL)), ["content_parts"], 0),
    "citations": (*to("hermes", ASKED, turn([{**WORDS, "citations": [{"cited_text": "Up."}]}], CALL)), ["content_parts"], 0),
    "no citations": (*to("hermes", ASKED, turn([{**WORDS, "citations": None}], CALL)), [], 0),
    "a mark of a cache at a call": (
        *parsed(ASKED, turn([{"type": "text", "text": WRITTEN, "cache_control": {"type": "ephemeral"}}])), ["content_parts"], 0,
    ),
    "a mark of a cache at a result": (
        *parsed(
            ASKED,
            turn(WRITTEN),
            {**ASKED, "content": [{"type": "text", "text": ANSWERED, "cache_control": {"type": "ephemeral"}}]},
        ),
        ["content_parts"], 0,
    ),
    "a result in a part": (*parsed(ASKED, turn(WRITTEN), {**ASKED, "content": [{"type": "text", "text": ANSWERED}]}), [], 0),
    "words in a part": (*to("hermes", ASKED, turn([WORDS], CALL)), [], 0),
    "keys of a result": (*to("hermes", ASKED, turn("", CALL), result(is_error=True)), ["response_keys"], 0),
    "an image in a result": (*to("hermes", ASKED, turn("", CALL), result([WORDS, IMAGE])), ["content_parts"], 0),
    "words in a part of a result": (*to("hermes", ASKED, turn("", CALL), result([WORDS])), [], 0),
    "a result in parts, where a result is JSON": (*to("llama3_json", ASKED, turn("", CALL), result([WORDS])), ["content_parts"], 0),
    "two parts": (*to("hermes", ASKED, turn([WORDS, WORDS], CALL)), ["content_parts"], 0),
    "two parts of a result": (*to("hermes", ASKED, turn("", CALL), result([WORDS, WORDS])), ["content_parts"], 0),
    "results in another order": (*to("hermes", ASKED, turn("", *TWO), *BOTH[::-1]), ["response_order"], 0),
    "a result without its call": (*to("hermes", ASKED, result()), ["response_keys"], 0),
    "results as a user's turn": (*to("use_mcp_tool", ASKED, turn("", CALL), result()), ["response_role"], 0),
    "two results": (*to("nemotron", ASKED, turn("", *TWO), *BOTH), ["response_borders"], 0),
    "one result": (*to("nemotron", ASKED, turn("", CALL), result()), [], 0),
    "a pattern in TypeScript": (
        *to("harmony", ASKED, turn("", CALL), tool={**TOOL, "function": {**FUNCTION, "parameters": WITH_PATTERN}}), ["tool_schema"], 0,
    ),
    "TypeScript": (*to("harmony", ASKED, turn("", CALL)), [], 0),
    "prose that is a call": (*to("hermes", ASKED, turn(f"As in {WRITTEN}")), ["call", "prose"], 0),
    "reasoning that ends early": (
        *to("hermes", ASKED, turn("Up.", CALL, reasoning_content="One</think>two")), ["prose", "reasoning"], 0,
    ),
    "declarations that stay": (
        *parsed({"role": "system", "content": DECLARED}, ASKED, turn(WRITTEN), keep_prompt=True), ["tools_declared_twice"], 0,
    ),
    "declarations and a form of calls that stay": (
        *parsed({"role": "system", "content": f"{DECLARED}\n{ASKS}"}, ASKED, turn(WRITTEN), keep_prompt=True),
        ["call_format", "tools_declared_twice"], 0,
    ),
    "declarations and a form of calls": (
        *parsed({"role": "system", "content": f"{DECLARED}\n{ASKS}"}, ASKED, turn(WRITTEN)), [], 0,
    ),
    "a form of calls that stays": (
        {"messages": [{"role": "system", "content": SHOWN}, ASKED, turn(OTHER)]},
        Options(source="qwen3_xml", from_layout="openai", to_layout="openai"), ["call_format"], 0,
    ),
    "declarations in a question": (
        *parsed({**ASKED, "content": f"Is it up? {json.dumps([TOOL])}"}, turn(WRITTEN)), ["tools_declared_twice"], 0,
    ),
    "a call": (*parsed(ASKED, turn(WRITTEN)), [], 0),
    "a call that is cut off": (*parsed(ASKED, turn(CUT)), [], 1),
    "a call with a repair": (*parsed(ASKED, turn(WRITTEN.replace("}}", ",}}"))), [], 0),
    "a repair that is not wanted": (*parsed(ASKED, turn(WRITTEN.replace("}}", ",}}")), strict=True), [], 1),
    "a call beside structure that is cut off": (
        *parsed(ASKED, turn("", CALL), result(), turn([{"type": "text", "text": f"{WRITTEN}\n{CUT}"}])), [], 2,
    ),
    "a call in the text of a turn that makes another": (
        *parsed(ASKED, turn(WRITTEN.replace('"arguments": {', '"arguments": {"once": true, '), CALL), result()), [], 1,
    ),
    "a call in the text of the turn that makes it": (*parsed(ASKED, turn(WRITTEN, CALL), result()), [], 0),
    "a call of another dialect": (*parsed(ASKED, turn(WRITTEN), source="openai"), [], 1),
    "markup that is no call": (*parsed(ASKED, turn("<tool_call>ping host h</tool_call>")), [], 1),
    "markup in a name": (*parsed(ASKED, turn(WRITTEN.replace('"ping"', '"pi}ng"'))), [], 1),
    "markup beside a call": (*parsed(ASKED, turn(f"{WRITTEN}\n<|tool_call>")), [], 1),
}  # fmt: skip
"""Rows, how they are converted, the losses, and how many calls are dropped."""


@each("name", CASES)
def test_what_is_lost_is_counted(name: str) -> None:
    row, options, losses, dropped = CASES[name]
    receipt = converted(row, options)
    assert (sorted(receipt.losses.elements()), receipt.dropped_calls) == (losses, dropped)


def converted(row: Row, options: Options) -> Receipt:
    receipt = Receipt()
    list(convert_rows([copy.deepcopy(row)], options, receipt=receipt))
    return receipt


def counting_places() -> Iterator[tuple[str, int]]:
    """The file and the line of each statement that makes a list of losses or of dropped calls longer."""
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Expr(ast.Call(ast.Attribute(grown, "append" | "extend"))) | ast.AugAssign(grown, ast.Add()):
                    if ast.unparse(grown).rpartition(".")[2] in KEPT:
                        yield str(path), node.lineno


def test_each_place_that_counts_a_loss_is_reached_by_a_case() -> None:
    places = set(counting_places())
    files = {file for file, _ in places}
    with reached(files) as lines:
        for row, options, _, _ in CASES.values():
            converted(row, options)
    left = sorted(f"{Path(file).relative_to(FOLDER)}:{number}" for file, number in places - lines)
    assert len(places) > 10 and not left, f"reached by no case: {', '.join(left)}"
