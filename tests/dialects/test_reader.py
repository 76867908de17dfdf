"""Turns of unknown or mixed origin: each block is read by its own dialect, and no call is lost without being counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, exhaustive, nightly
from toolconv import dialects
from toolconv.core.conversation import Conversation
from toolconv.core.notes import Notes
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.choice.remainder import _Spans
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns

FIXTURES = Path(__file__).parents[2] / "fixtures"
CASES = [json.loads(line) for line in (FIXTURES / "reading" / "turns.jsonl").read_text("utf-8").splitlines()]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        },
    },
}
TOOLS = ToolIndex([WEATHER])
WRITTEN = [each for each in dialects.all_dialects() if each.calls is not None and each.name != "generic"]


def reader(name: str | None) -> TurnReader:
    """The reader for ``--from NAME``, or for rows of a file whose first rows show nothing."""
    return TurnReader(dialects.get(name)) if name else TurnReader(default=dialects.get("hermes"))


def calls_of(parsed: Parsed) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in parsed.calls]


@each("case", CASES)
def test_reading(case: dict[str, Any]) -> None:
    parsed = reader(case.get("from")).read(case["text"], TOOLS if "tools" in case else NO_TOOLS)
    assert calls_of(parsed) == case["calls"]
    assert parsed.content == case["content"]
    assert parsed.reasoning == case.get("reasoning")
    assert len(parsed.dropped) == case.get("dropped", 0)
    assert parsed.repairs == case.get("repairs", [])
    assert list(parsed.displaced) == case.get("displaced", [])
    if "dialect" in case:
        assert parsed.dialect == case["dialect"]


@each(
    "dialect, text, content, repairs",
    [("hermes", "I think.</think>Yes.", "Yes.", []), ("hermes", "I think.", "", ["unclosed_reasoning"]),
     ("apertus", "I think.<|inner_suffix|>Yes.", "Yes.", []), ("apertus", "I think.", "", ["unclosed_reasoning"]),
     ("harmony", "I think.<|end|><|start|>assistant<|channel|>final<|message|>Yes.", "Yes.", []),
     ("harmony", "I think.<|end|>", "", []), ("harmony", "I think.", "", ["unclosed_reasoning"]),
     ("inkling", "I think.", "", ["unclosed_reasoning"])],
)  # fmt: skip
def test_a_text_that_begins_in_the_reasoning(dialect: str, text: str, content: str, repairs: list[str]) -> None:
    parsed = dialects.get(dialect).parse(text, NO_TOOLS, in_reasoning=True)
    assert (parsed.reasoning, parsed.content, parsed.repairs) == ("I think.", content, repairs)


@each(
    "language, known",
    [*((language, True) for language in ["", "javascript", "js", "json", "json5", "jsonc", "jsonl", "plaintext", "py",
                                         "python", "python3", "text", "txt", "tool_call", "tool_calls", "tool_code", "xml",
                                         "JSON"]),
     ("ruby", False), ("jso", False)],
)  # fmt: skip
def test_the_language_of_a_fence_around_a_call(language: str, known: bool) -> None:
    text = f'```{language}\n{{"name": "get_weather", "parameters": {{}}}}\n```'
    parsed = dialects.get("llama3_json").parse(text, TOOLS)
    assert calls_of(parsed) == [{"name": "get_weather", "arguments": {}}]
    assert ("fence_language" in parsed.repairs) != known


def test_what_else_an_object_around_calls_says_goes_with_its_first_call() -> None:
    items = [{"name": "get_weather", "arguments": {"city": city}} for city in ("Oslo", "Rome")]
    text = json.dumps({"step": 0, "note": "", "tool_calls": items})
    assert [call.extra for call in TurnReader().read(text, TOOLS).calls] == [{"step": 0}, None]


def conformance() -> list[tuple[str, dict[str, Any]]]:
    cases = []
    for path in sorted((FIXTURES / "conformance").glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        cases += [(path.stem, row) for row in rows if "malformed" not in row]
    return cases


@pytest.mark.parametrize("step", [pytest.param(3, marks=exhaustive), pytest.param(1, marks=nightly)])
def test_a_turn_reads_the_same_whether_its_dialect_is_named_or_not(step: int) -> None:
    """Nearly all: some texts are in several dialects, which differ in the white space around values and prose."""
    declared = ToolIndex(json.loads((FIXTURES / "conformance" / "tools.json").read_bytes()))
    other = []
    cases = conformance()[::step]
    for stem, case in cases:
        found = TurnReader().read(case["text"], declared)
        if calls_of(found) != [{"name": c["name"], "arguments": c["arguments"]} for c in case["calls"]]:
            other.append((stem, case["case"]))
    assert len(cases) * step > 4000
    assert len(other) <= 0.003 * len(cases), other


values = st.fixed_dictionaries({"city": st.sampled_from(["Oslo", "New York"]), "days": st.integers(0, 99)})


@given(st.sampled_from(WRITTEN), st.lists(values, min_size=1, max_size=3), st.sampled_from(["", "Let me look."]))
def test_a_written_turn_is_read_without_naming_its_dialect(dialect: Dialect, given: Any, prose: str) -> None:
    calls = [ToolCall("get_weather", arguments) for arguments in given]
    for place, call in enumerate(calls):
        call.id = dialect.call_id(call, place)
    parsed = TurnReader().read(dialect.render_turn(prose, None, calls), TOOLS)
    assert calls_of(parsed) == calls_of(Parsed("", calls=calls))
    assert not parsed.dropped


@given(st.sampled_from(WRITTEN), values, st.data())
def test_a_damaged_marker_never_hides_a_call(dialect: Dialect, arguments: Any, data: st.DataObject) -> None:
    """A call that loses a character of its markup is read or dropped, or a repair says what happened."""
    calls = [ToolCall("get_weather", arguments, "call_0")]
    calls[0].id = dialect.call_id(calls[0], 0)
    text = dialect.render_turn("", None, calls)
    tags = [place for place, char in enumerate(text) if char in "<>|_[]✿" and text.find("get_weather") > place]
    if not tags:
        return
    place = data.draw(st.sampled_from(tags))
    parsed = TurnReader().read(text[:place] + text[place + 1 :], TOOLS)
    assert parsed.calls or parsed.dropped or parsed.repairs, text


CALL = '<tool_call>\n{"name": "book", "arguments": {"city": "Rome"}}\n</tool_call>'
RESPONSE = '<tool_response>\n{"ok": true}\n</tool_response>'


def conversation_of(*texts: str) -> tuple[list[Any], Notes]:
    """A conversation whose messages alternate between the user and the assistant, parsed: roles, texts, calls."""
    roles = ("user", "assistant")
    row = {"messages": [{"role": roles[number % 2], "content": text} for number, text in enumerate(texts)]}
    conversation = Conversation(row)
    parse_turns(conversation, TurnReader())
    messages = conversation.messages
    return [(each["role"], each["content"], len(each.get("tool_calls", ()))) for each in messages], conversation.notes


def test_a_response_in_a_turn_becomes_its_message() -> None:
    messages, notes = conversation_of("Book Rome.", f"I book.\n{CALL}\n{RESPONSE}\nAgain:\n{CALL}\n{RESPONSE}\nDone.")
    assert messages == [
        ("user", "Book Rome.", 0),
        ("assistant", "I book.", 1),
        ("tool", '{"ok": true}', 0),
        ("assistant", "Again:", 1),
        ("tool", '{"ok": true}', 0),
        ("assistant", "Done.", 0),
    ]
    assert (notes.repairs, notes.losses) == (["response_in_turn"], [])


def test_a_turn_that_ends_in_a_response_has_no_empty_answer() -> None:
    messages, notes = conversation_of("Book Rome.", f"I book.\n{CALL}\n{RESPONSE}")
    assert messages == [("user", "Book Rome.", 0), ("assistant", "I book.", 1), ("tool", '{"ok": true}', 0)]
    assert (notes.repairs, notes.losses) == (["response_in_turn"], [])


def test_a_response_in_a_turn_is_cut_where_another_answers() -> None:
    messages, notes = conversation_of("Book Rome.", f"{CALL}\n{RESPONSE}", RESPONSE, "Done.")
    assert [role for role, *_ in messages] == ["user", "assistant", "tool", "assistant"]
    assert (notes.repairs, notes.losses) == ([], ["other_turn"])


def test_another_role_that_makes_no_response_is_cut() -> None:
    messages, notes = conversation_of("Book Rome.", f"{CALL}<|im_end|>\n<|im_start|>user\nThanks.")
    assert messages == [("user", "Book Rome.", 0), ("assistant", "", 1)]
    assert notes.losses == ["other_turn"]


LOOKS_SHOWN = (
    "cat a | grep b | wc -l",
    "a | b | c\nd | e | f",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    " id | name | args\n----+------+-----\n  1 | a    | b\n",
    "> quoted\n> more",
    "intro\n\n    indented\n    code\n\nend",
    'Traceback (most recent call last):\n  File "a.py", line 1\n    x\nValueError: y',
    "diff --git a/x b/x\nindex 1..2\n@@ -1 +1 @@\n-foo\n+bar",
    "\\begin{verbatim}\nx\n\\end{verbatim}",
    "say “<b>x</b>” now",
    "f('<b>x</b>')",
    'bash(command="x")',
    '{"name": "bash", "arguments": {}}',
    "<html>\n<body>\n<p>“hi”\t</p>\n</body>\n</html>",
    "{% if a %}\n{{ b | c }}\n{% endif %}",
    'def f():\n"""\nbash(command="x")\n"""',
    "~~~python\nf(x)\n~~~\nend",
    "<!-- bash -->",
    "x = bash(1)\nreturn bash(2)",
    "[worker-3] got 10:11:12 bash: x",
    "{{x}}",
)
"""Values that look like the listings, tables and quotations in which prose shows calls."""


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("named", [True, False], ids=["named", "auto"])
@pytest.mark.parametrize("name", dialects.names())
def test_a_value_that_looks_as_if_it_were_shown_hides_no_call(name: str, named: bool) -> None:
    dialect = dialects.get(name)
    reader = TurnReader(dialect if named else None)
    tools = ToolIndex([{"name": "bash", "parameters": {"properties": {"command": {"type": "string"}}}}])
    for value in LOOKS_SHOWN:
        for prose in ("", "I look now.", "1. Look\n2. Answer\n", 'I\'d call "bash" now:'):
            try:
                text = dialect.render_turn(prose, None, [ToolCall("bash", {"command": value}, "call_0")])
            except RenderError:
                continue
            found = [(call.name, call.arguments) for call in reader.read(text, tools).calls]
            assert found == [("bash", {"command": value})], text


def test_which_parts_of_a_text_share_a_character_with_another() -> None:
    assert not _Spans([]).overlap(0, 9)
    spans = _Spans([(5, 7), (2, 4), (2, 9)])
    asked = [(0, 2), (0, 3), (8, 9), (9, 12)]
    assert [spans.overlap(*place) for place in asked] == [False, True, True, False]
