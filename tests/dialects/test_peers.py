"""What peers' own tests say: each difference is judged, with a reason, and none is ours."""

from __future__ import annotations

import json
import tomllib
from typing import Any, Final

from tests.conftest import exhaustive, shared
from tests.programs.peers import JUDGED, in_cpp, in_go, in_python, in_rust, key_of
from toolconv.core.tools import ToolIndex
from toolconv.dialects.turn_reader import TurnReader

TABLE: Final[list[dict[str, Any]]] = tomllib.loads(JUDGED.read_text("utf-8"))["judged"]


def differs(case: dict[str, Any]) -> bool:
    parsed = TurnReader().read(case["text"], ToolIndex(case["tools"] or []))
    return [{"name": call.name, "arguments": call.arguments} for call in parsed.calls] != case["calls"]


@exhaustive
def test_each_difference_is_judged() -> None:
    cases = map(json.loads, shared("peers", "peers.jsonl").read_text("utf-8").splitlines())
    judged = {case for each in TABLE for case in each.get("cases", ())}
    assert {case["id"] for case in cases if differs(case)} == judged


def test_no_difference_is_ours() -> None:
    assert {each["verdict"] for each in TABLE} == {"theirs", "arguable", "same"}
    keys = [key for each in TABLE for key in (*each.get("cases", ()), *each.get("texts", ()))]
    assert len(keys) == len(set(keys))
    assert all(each["reason"].endswith(".") for each in TABLE)


CALL: Final = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'


def test_texts_and_assertions_are_found_in_python() -> None:
    source = f"""
def test_a_call():
    text = {CALL!r}
    calls = parse(text)
    assert calls[0].name == "ping"
    assert json.loads(calls[0].arguments) == {{"host": "a"}}
"""
    (case,) = in_python(source, "test_x.py")
    assert (case.text, case.names, case.arguments) == (CALL, ["ping"], [{"host": "a"}])


def test_pieces_assertions_and_tools_are_found_in_unittest() -> None:
    source = f"""
class TestCall(unittest.TestCase):
    def setUp(self):
        self.tools = [Tool(function=Function(name="ping", parameters={{"properties": {{"host": {{"type": "string"}}}}}}))]

    def test_a_stream(self):
        chunks = [{CALL[:20]!r}, {CALL[20:]!r}]
        self.assertEqual(read(chunks)[0].name, "ping")
        self.assertEqual(arguments["name"], "a")
"""
    (case,) = in_python(source, "test_x.py")
    assert (case.text, case.names, case.arguments) == (CALL, ["ping"], [])
    assert [tool["function"]["name"] for tool in case.tools] == ["ping"]


def test_texts_and_names_are_found_in_go() -> None:
    source = f"""
func TestCall(t *testing.T) {{
\ttests := []struct{{}}{{
\t\t{{
\t\t\tname: "a call",
\t\t\ttext: `{CALL}`,
\t\t\twant: api.ToolCallFunction{{Name: "ping"}},
\t\t}},
\t}}
}}
"""
    assert [(case.text, case.names) for case in in_go(source, "x_test.go")] == [(CALL, ["ping"])]


def test_texts_and_names_are_found_in_rust() -> None:
    source = f"""
    #[test]
    fn reads_a_call() {{
        let output = parse(r#"{CALL}"#);
        assert_eq!(first_call(&output).name.as_deref(), Some("ping"));
    }}
"""
    assert [(case.text, case.names) for case in in_rust(source, "x.rs")] == [(CALL, ["ping"])]


def test_texts_calls_and_tools_are_found_in_cpp() -> None:
    source = r"""
static common_chat_tool ping_tool{
    /* .name = */ "ping",
    /* .description = */ "Ping a host",
    /* .parameters = */ R"({"type": "object", "properties": {"host": {"type": "string"}}})",
};
const common_chat_msg message_ping = simple_assist_msg("", "", "ping", "{\"host\": \"b\"}");
        tst.test(
               "Now.\n"
               "<tool_call>\n" R"({"name": "ping", "arguments": {"host": "a"}})" "\n</tool_call>")
            .tools({ ping_tool })
            .expect_tool_calls({
                { "ping", R"({"host": "a"})", {} },
            })
            .run();
        tst.test("<tool_call>{}").is_partial(true).expect(message_ping).run();
        tst.test("[ping]").expect(message_ping).run();
"""
    first, last = in_cpp(source, "test-chat.cpp")
    assert (first.text, first.names, first.arguments) == ("Now.\n" + CALL, ["ping"], [{"host": "a"}])
    assert [tool["function"]["name"] for tool in first.tools] == ["ping"]
    assert (last.text, last.names, last.arguments) == ("[ping]", ["ping"], [{"host": "b"}])


def test_keys_of_texts_are_short_digests() -> None:
    assert key_of("abc") == "ba7816bf"
