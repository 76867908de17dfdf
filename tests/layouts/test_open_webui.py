"""Calls in the markup of Open WebUI, whose elements are written here by hand after the functions that serialize them."""

from __future__ import annotations

from typing import Any

from toolconv import convert_rows
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt

ASKED = {"role": "user", "content": "Is the host up?"}
OLD = (
    '<details type="tool_calls" done="true" id="c1" name="ping" arguments="&quot;{\\&quot;host\\&quot;: \\&quot;a\\&quot;}&quot;" '
    'result="&quot;up &lt;b&gt;&quot;" files="">\n<summary>Tool Executed</summary>\n</details>\n'
)
NEW = (
    '<details type="tool_calls" done="true" id="c2" name="ping" arguments="{&quot;host&quot;: &quot;b&quot;}" files="[&quot;x&quot;]">\n'
    "<summary>Tool Executed</summary>\n{&quot;n&quot;: 1}\n</details>\n"
)
RUNNING = '<details type="tool_calls" done="false" id="c3" name="look" arguments="{}">\n<summary>Executing...</summary>\n</details>\n'


def read(text: str, **keys: Any) -> tuple[list[dict[str, Any]], Receipt]:
    receipt = Receipt()
    row = {"messages": [ASKED, {"role": "assistant", "content": text, **keys}]}
    (read,) = convert_rows([row], Options(to_layout="canonical"), receipt=receipt)
    return read["messages"][1:], receipt


def call(number: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_words_calls_and_results_are_messages_of_their_own() -> None:
    messages, receipt = read(f"I look.\n{OLD}{NEW}Both are up.\n{RUNNING}", model="m")
    assert messages == [
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [call("c1", "ping", {"host": "a"}), call("c2", "ping", {"host": "b"})],
            "model": "m",
        },
        {"role": "tool", "tool_call_id": "c1", "name": "ping", "content": "up <b>"},
        {"role": "tool", "tool_call_id": "c2", "name": "ping", "content": '{"n": 1}', "files": ["x"]},
        {"role": "assistant", "content": "Both are up.", "tool_calls": [call("c3", "look", {})]},
    ]
    assert not (receipt.unread or receipt.losses or receipt.dropped_calls)


def test_words_after_the_last_call_are_a_message() -> None:
    messages, _ = read(f"{OLD}It is up.")
    assert [(message["role"], message["content"]) for message in messages] == [
        ("assistant", ""),
        ("tool", "up <b>"),
        ("assistant", "It is up."),
    ]


def test_a_text_with_a_call_that_cannot_be_read_stays_and_its_calls_are_counted() -> None:
    for broken in (OLD.removesuffix("</details>\n"), RUNNING.replace("{}", ""), RUNNING.replace(' name="look"', "")):
        messages, receipt = read(f"I look.\n{NEW}{broken}")
        assert messages == [{"role": "assistant", "content": f"I look.\n{NEW}{broken}"}]
        assert receipt.dropped_calls == 2


def test_a_call_that_is_shown_or_that_the_user_writes_is_a_text() -> None:
    shown = f"It writes:\n```\n{OLD}```"
    messages, receipt = read(shown)
    assert messages == [{"role": "assistant", "content": shown}]
    assert not (receipt.unread or receipt.dropped_calls)
    (row,) = convert_rows([{"messages": [{"role": "user", "content": OLD}]}], Options(to_layout="canonical"))
    assert row["messages"] == [{"role": "user", "content": OLD}]


def test_a_call_without_a_result_is_read() -> None:
    messages, _ = read(f"I look.\n{RUNNING}")
    assert messages == [{"role": "assistant", "content": "I look.", "tool_calls": [call("c3", "look", {})]}]
