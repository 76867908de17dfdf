"""What turns lose in a user's chat template: its texts are read back in the dialect that it writes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, few_examples
from tests.dialects.test_dialects import tools_for
from tests.dialects.test_whole_turns import IMAGE, PARTS, calling, turns
from tests.fuzz.laws import CALL_LOSSES, parts
from tests.helpers.command import toolconv
from toolconv import dialects
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message
from toolconv.core.rows import same
from toolconv.core.tool_call import ToolCall
from toolconv.derive.files import load_template
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns
from toolconv.templates.output import TemplateOutput, TextOptions

HERMES = FIXTURES / "derive" / "hermes.jinja"
ASK: Message = {"role": "user", "content": "Go."}


def output(path: Path) -> TemplateOutput:
    options = TextOptions(file=str(path))
    return TemplateOutput(options, load_template(options))


@few_examples
@given(data=st.data())
def test_a_turn_comes_back_but_for_what_is_counted(data: st.DataObject) -> None:
    hermes = dialects.get("hermes")
    turn = data.draw(turns(hermes))
    turn.pop("reasoning_content", None)  # which the template does not write
    content, _, calls = parts(turn)
    tools = tools_for([ToolCall(name, arguments) for name, arguments in calls]).tools if calls else []
    row: dict[str, Any] = {"messages": [ASK, copy.deepcopy(turn)], **({"tools": tools} if tools else {})}
    conversation = Conversation(row)
    text: str = output(HERMES).row(conversation)["text"]
    counted = set(conversation.notes.losses)
    written = text[text.rindex("<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n") :].partition("assistant\n")[
        2
    ]
    answer = {"role": "assistant", "content": written.removesuffix("<|im_end|>\n")}
    back = Conversation({"messages": [answer], **({"tools": tools} if tools else {})})
    parse_turns(back, TurnReader(named=hermes))
    content_back, reasoning_back, calls_back = parts(back.messages[0])
    assert not conversation.notes.not_read_back
    assert same(calls, calls_back) or counted & CALL_LOSSES
    assert content == content_back or counted & {"prose", "call"}
    assert not reasoning_back or "reasoning" in counted
    if same((content, calls), (content_back, calls_back)) and not reasoning_back:
        assert not counted - {"call_id"}


def run(tmp_path: Path, template: str, *messages: Message) -> tuple[str, str, dict[str, Any]]:
    """The text that ``--chat-template`` writes, the line that ends the run, and the receipt."""
    receipt = tmp_path / "receipt.json"
    (tmp_path / "mine.jinja").write_text(template)
    row = json.dumps({"messages": list(messages)})
    result = toolconv(
        "convert", "--chat-template", str(tmp_path / "mine.jinja"), "--receipt", str(receipt), stdin=row + "\n"
    )
    assert result.status == 0, result.err
    return (
        json.loads(result.out)["text"],
        result.err.splitlines()[-1],
        json.loads(receipt.read_text())["function_calling"],
    )


def test_a_call_that_prose_swallows_is_counted(tmp_path: Path) -> None:
    _, last, _ = run(tmp_path, HERMES.read_text(), ASK, calling("<tool_call>", given={"a": "</tool_call>"}))
    assert "call 1" in last or "prose 1" in last
    _, last, _ = run(tmp_path, HERMES.read_text(), ASK, calling("Fine.", given={"a": "</tool_call>"}))
    assert "loss" not in last


def test_turns_of_an_unknown_dialect_are_counted_as_not_read_back(tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}"
        "{% for c in m.tool_calls or [] %}!{{ c.function.name }} {% for k, v in c.function.arguments|items %}"
        "{{ k }}{{ v }}{% endfor %}{% endfor %}\n{% endfor %}"
    )
    _, last, receipt = run(tmp_path, template, ASK, calling("</x>", given={"a": "b"}))
    assert last.endswith("1 turn not read back")
    assert receipt["turns_not_read_back"] == 1
    template = HERMES.read_text()
    _, last, receipt = run(tmp_path, template, ASK, calling("</x>", given={"a": "b"}))
    assert "not read back" not in last and receipt["turns_not_read_back"] == 0


@pytest.mark.parametrize("key, lost", [("refusal", "message_keys 1"), ("weight", ""), ("name", "")])
def test_message_keys_that_the_template_does_not_write_are_counted(tmp_path: Path, key: str, lost: str) -> None:
    template = "{% for m in messages %}[{{ m.role }} {{ m.name }}]{{ m.content }}\n{% endfor %}"
    _, last, _ = run(tmp_path, template, {**ASK, key: "Ann"}, {"role": "assistant", "content": "Yes."})
    assert (lost in last) if lost else ("message_keys" not in last)


def test_text_parts_are_joined_and_other_parts_counted(tmp_path: Path) -> None:
    answer = {"role": "assistant", "content": "Yes."}
    template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}"
    text, last, _ = run(tmp_path, template, {"role": "user", "content": [*PARTS, IMAGE]}, answer)
    assert text == "[user]Be brief.\n[assistant]Yes.\n"
    assert "content_parts 1" in last
    template = (
        "{% for m in messages %}[{{ m.role }}]{% if m.content is string %}{{ m.content }}{% else %}"
        "{% for p in m.content %}{{ p.text if p.type == 'text' else '<image>' }}{% endfor %}{% endif %};{% endfor %}"
    )
    text, last, _ = run(tmp_path, template, {"role": "user", "content": [*PARTS, IMAGE]}, answer)
    assert text == "[user]Be brief.<image>;[assistant]Yes.;"
    assert "content_parts" not in last
