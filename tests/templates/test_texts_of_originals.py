"""Texts that only the families' own chat templates write, which toolconv writes otherwise or not at all."""

from __future__ import annotations

import pytest

from tests.templates.test_rendered import aspects
from toolconv.templates.reading.recognition import read_text


@pytest.mark.parametrize("name", ["deepseek-v2.5", "deepseek-r1-distill"])
def test_a_section_that_is_never_closed_ends_at_the_results(name: str) -> None:
    text = (
        "<｜begin▁of▁sentence｜><｜User｜>Is it up?<｜Assistant｜><｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>"
        "ping\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>pong<｜tool▁output▁end｜>"
        "<｜tool▁outputs▁end｜>It is.<｜end▁of▁sentence｜>"
    )
    for found in (read_text(text), read_text(text, name)):
        assert found is not None
        parts = aspects(found.row)
        assert (parts["users"], parts["calls"], parts["results"]) == (["Is it up?"], [[("ping", "{}")], []], ["pong"])
        assert parts["prose"] == ["", "It is."]


def test_falcon3_writes_calls_behind_the_question_where_they_stay_text() -> None:
    """The example in its prompt is no call, either."""
    call = (
        '<tool_call>\n[\n  {\n    "id": "call_0",\n    "type": "function",\n    "function": {\n      "name": "ping",\n'
        '      "arguments": {}\n    }\n  }\n]\n</tool_call>'
    )
    text = (
        "<|system|>\nYou are a Falcon assistant skilled in function calling.\n\n# Tools\n\n<tools>[\n  {\n"
        '    "type": "function",\n    "function": {\n      "name": "ping",\n      "parameters": {}\n    }\n  }\n]</tools>'
        "\n\n# Output Format\n\nYour response MUST follow this format when making function calls:\n<tool_call>\n[\n"
        '  {"name": "function_name", "arguments": {"arg1": "value1"}}\n]\n</tool_call>\n'
        f"<|user|>\nIs it up?\n\n{call}<|endoftext|>\n<|assistant|>\n<tool_response>\npong\n</tool_response>\n"
        "<|assistant|>\nIt is.<|endoftext|>\n"
    )
    found = read_text(text)
    assert found is not None
    parts = aspects(found.row)
    assert not any(parts["calls"])
    assert call in parts["users"][0] and parts["prose"][-1] == "It is."
