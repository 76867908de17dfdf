"""Live text: however a turn is cut into chunks, its events add up to what is read in the whole of it."""

from __future__ import annotations

import doctest
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import exhaustive, nightly
from toolconv import ToolCall, dialects, parse
from toolconv.core import lenient_json
from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects import stream_reader
from toolconv.dialects.lexing.trie import beginning_of
from toolconv.dialects.live.markup import LiveMarkup
from toolconv.dialects.live.turn import STEP, LiveTurn, StreamEvent, is_live
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.stream_reader import StreamClosed, StreamReader
from toolconv.dialects.turn_reader import TurnReader

FIXTURES = Path(__file__).parents[2] / "fixtures"
TOOLS = json.loads((FIXTURES / "conformance" / "tools.json").read_text("utf-8"))
BREAKERS = (
    '"',
    "{",
    "}",
    "\n",
    "`",
    "```",
    " ",
    "<",
    "[",
    "]",
    "\\",
    "</think>\n",
    "</think>",
    "<think>",
    "<|im_end|>",
)
ENDINGS = ("\n", "\n```", "`x`", " so `that` was it.", "\n</think>\nDone.", "</tool_call>", "\nHi.\n", "<|im_end|>")
LEADS = ("", "Let me (a) look at `this` [1].\n", "<think>\nI a {b}\n</think>\n\n", "2 < 3. ")
CALL = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'


def texts() -> list[tuple[str, str]]:
    """The dialects and texts of the cases of all dialects."""
    found = []
    for path in sorted([*(FIXTURES / "conformance").glob("*.jsonl"), *(FIXTURES / "dialects").glob("*.jsonl")]):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        found += [(path.stem, row["text"]) for row in rows if isinstance(row.get("text"), str)]
    return found


TEXTS = texts()


def damaged(text: str, rng: random.Random) -> str:
    """A text with one thing wrong with it, or another text before or after it."""
    start = rng.randrange(len(text) + 1)
    other = rng.choice(TEXTS)[1]
    return rng.choice(
        [
            text[:start],
            text[:start] + text[start + rng.randrange(1, 6) :],
            text[:start] + rng.choice(BREAKERS) + text[start:],
            text + rng.choice(["", "\n", "\n\nDone.\n", " and so on. "]) + other,
            other + rng.choice(["", "\n", " "]) + text,
            text + rng.choice(ENDINGS),
        ]
    )


def cut(text: str, rng: random.Random) -> Iterator[str]:
    """A text in chunks, some of them empty."""
    size = rng.choice([1, 3, 9, 40, 1000])
    at = 0
    while at < len(text):
        length = rng.randrange(size + 1)
        yield text[at : at + length]
        at += length


def added_up(events: list[StreamEvent]) -> Parsed:
    """What events add up to."""
    texts = {kind: "".join(event.text for event in events if event.kind == kind) for kind in ("prose", "reasoning")}
    return Parsed(
        texts["prose"],
        texts["reasoning"] or None,
        [event.call for event in events if event.call is not None],
        [event.text for event in events if event.kind == "repair"],
        [Dropped(event.reason, event.text) for event in events if event.kind == "dropped"],
        displaced=tuple(event.text for event in events if event.kind == "displaced"),
    )


def check(text: str, chunks: Iterator[str] | list[str], dialect: str, tools: Any, in_reasoning: bool | None) -> None:
    """Read a text in chunks and hold it against the whole; check the order of the events of each call."""
    reader = StreamReader(dialect, tools, in_reasoning=in_reasoning)
    events = [event for chunk in chunks for event in reader.feed(chunk)]
    early = len(events)
    events += reader.close()
    whole = parse(text, dialect, tools, in_reasoning=in_reasoning)
    whole.dialect = None
    whole.assumed = False
    found = added_up(events)
    if whole.repairs:
        found.content = without_given_out(found.content, whole.content, text)
        found.reasoning = without_given_out(found.reasoning or "", whole.reasoning or "", text) or None
    assert found == whole, (dialect, in_reasoning, text)
    assert all(event.kind not in ("repair", "displaced", "dropped") for event in events[:early])
    check_calls(events)


def without_given_out(given: str, read: str, text: str) -> str:
    """The words that a stream gave out, without those that are markup in the reading of the whole ``text``."""
    start = len(beginning_of((given, read)))
    markup = given[start:].removesuffix(read[start:])
    assert markup.removeprefix("\n\n") in text  # after what joins it to the prose before a call
    return given[:start] + given[start + len(markup) :]


def check_calls(events: list[StreamEvent]) -> None:
    """Each call begins, has arguments and is done, in this order; the joined arguments are those of the call."""
    state: Counter[int | None] = Counter()
    written: dict[int | None, str] = {}
    for event in events:
        if event.kind == "call_began":
            assert state[event.index] == 0
            state[event.index] = 1
        elif event.kind == "arguments":
            assert state[event.index] == 1
            written[event.index] = written.get(event.index, "") + event.text
        elif event.call is not None:
            assert state[event.index] == 1
            assert lenient_json.read(written[event.index]).value == event.call.arguments
            state[event.index] = 2


@pytest.mark.parametrize("step", [27, pytest.param(9, marks=exhaustive), pytest.param(1, marks=nightly)])
def test_all_cases_in_any_chunks(step: int) -> None:
    rng = random.Random(16)
    for dialect, text in TEXTS[::step]:
        mode = rng.choice([None, False, False, True])
        check(text, cut(text, rng), dialect, rng.choice([None, TOOLS]), mode)


@pytest.mark.exhaustive
def test_damaged_cases_in_any_chunks() -> None:
    rng = random.Random(17)
    for dialect, text in rng.sample(TEXTS, 300):
        text = rng.choice(LEADS) + damaged(text, rng)
        check(text, cut(text, rng), dialect, rng.choice([None, TOOLS]), rng.choice([None, False, False, True]))


@nightly
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("in_reasoning", [None, False, True])
def test_more_damaged_cases_in_any_chunks(seed: int, in_reasoning: bool | None) -> None:
    rng = random.Random(seed)
    for dialect, text in TEXTS[seed::24]:
        text = rng.choice(LEADS) + damaged(text, rng)
        if rng.random() < 0.3:
            text = damaged(text, rng)
        check(text, cut(text, rng), dialect, rng.choice([None, TOOLS]), in_reasoning)


@pytest.mark.parametrize("name", ["{run_code", "<run_code", "run_code}"])
def test_a_name_with_one_bracket_stands_for_nothing_else(name: str) -> None:
    calls = [{"name": "ping", "arguments": {}}, {"name": name, "arguments": {"code": "x"}}]
    text = "Hi. " + "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in calls)
    check(text, list(text), "hermes", None, False)
    assert [call.name for call in parse(text, "hermes", None, in_reasoning=False).calls] == ["ping", name]


PIECES = st.sampled_from(
    [
        *BREAKERS,
        *LEADS,
        CALL,
        "<tool_call>",
        "</tool_call>",
        '{"name": "ping"',
        "<function=ping>",
        "a",
        "é",
        "\ud83d",
        "\ude00",
    ]
)


@given(st.lists(PIECES, max_size=8), st.data())
def test_any_pieces_in_any_chunks(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    dialect = data.draw(st.sampled_from(["hermes", "qwen3_xml", "mistral", "llama3_json", "kimi_k2", "auto"]))
    check(
        text,
        chunks,
        dialect,
        data.draw(st.sampled_from([None, TOOLS])),
        data.draw(st.sampled_from([None, False, True])),
    )


AROUND = [
    ("", " so that was it."),
    ("Use ", " so `that` was it."),
    ("Use ", ", (then) done."),
    ('Say "', '".'),
    ("Use ", "\nThen more."),
    ("Hi.\n", "\n<tool_response>\n1\n</tool_response>\nDone."),
    ("Hi.\n", "\n<start_of_turn>user\nHi"),
    ("Hi.\n", "\n[INST] more [/INST] so"),
]
"""What is before a call and after it: words that go on as a sentence, quotation marks, another role's turn."""


@pytest.mark.parametrize("name", ["hermes", "deepseek_v31", pytest.param("", marks=exhaustive)])
def test_calls_in_sentences_and_before_other_turns_in_any_chunks(name: str) -> None:
    rng = random.Random(20)
    for dialect in [dialects.get(name)] if name else [each for each in dialects.all_dialects() if is_live(each)]:
        for call in (
            ToolCall("ping", {}),
            ToolCall("run_code", {"code": "a`b"}),
            ToolCall("run_code", {"code": "a b"}),
        ):
            for before, after in AROUND:
                text = before + dialect.render([call]) + after
                check(text, cut(text, rng), dialect.name, rng.choice([None, TOOLS]), False)


def test_what_is_settled_does_not_depend_on_the_chunks() -> None:
    rng = random.Random(18)
    for name, text in rng.sample(TEXTS, 400):
        dialect = dialects.get(name)
        text = rng.choice(LEADS) + damaged(text, rng)
        turns = []
        for chunks in (list(text), [text], list(cut(text, rng))):
            turn = LiveTurn(TurnReader(dialect), NO_TOOLS, False)
            for chunk in chunks:
                turn.feed(chunk)
            turns.append(("".join(turn.words["prose"]), "".join(turn.words["reasoning"]), turn.calls))
        assert turns[0] == turns[1] == turns[2], (name, text)


# ── when events come ────────────────────────────────────────────────────────────────────────────


def live(chunks: list[str], dialect: str = "hermes", **options: Any) -> list[list[tuple[str, str]]]:
    """Kind and text of the events of each chunk, and of the end."""
    reader = StreamReader(dialect, TOOLS, **{"in_reasoning": False, **options})
    found = [*(reader.feed(chunk) for chunk in chunks), reader.close()]
    return [[(event.kind, event.text) for event in events] for events in found]


def test_prose_comes_at_once_and_what_may_be_a_marker_waits() -> None:
    assert live(["Look ", "(2 > 1", ") <to", "day> a <tool_", "x> b"]) == [
        [("prose", "Look")],
        [("prose", " (2 > 1")],
        [("prose", ")")],
        [("prose", " <today> a")],
        [("prose", " <tool_x> b")],
        [],
    ]


@pytest.mark.parametrize(
    ("dialect", "text", "words"),
    [
        ("mistral", 'ping[ARGS]{"host": "a"}', "ping"),
        ("mistral", 'TOOL_CALLS]ping[ARGS]{"host": "a"}', "TOOL_CALLS]ping"),
        ("granite4", f"ping\n```python\ntool_call(host='a')\n```\n{CALL}", "ping"),
        ("firefunction", ' fun\nctools[{"name": "ping", "arguments": {"host": "a"}}]', " fun\nctools"),
        ("command_r", 'Ac<|im_end|>tion: ```json\n[{"tool_name": "ping", "parameters": {"host": "a"}}]\n```', "Ac"),
        (
            "longcat",
            '<longcat_tool_call>{"name": "ping", "arguments": {"host": "a"}}</longcat_tool_call></tool_call>',
            "",
        ),
    ],
)
def test_words_that_turn_out_to_be_a_call_are_given_out_and_the_call_is_read(
    dialect: str, text: str, words: str
) -> None:
    check(text, list(text), dialect, None, False)
    parsed = parse(text, dialect, None, in_reasoning=False)
    assert (parsed.content, set(map(str, parsed.calls)), parsed.dropped) == (
        "",
        {str(ToolCall("ping", {"host": "a"}))},
        [],
    )
    reader = StreamReader(dialect, in_reasoning=False)
    events = [event for char in text for event in reader.feed(char)] + reader.close()
    assert added_up(events).content == words


def test_a_call_is_done_when_its_block_is_closed() -> None:
    assert live(
        ["Hi.\n", '<tool_call>\n{"name": "pi', 'ng", "arguments": {"host": "a', '"}}\n</tool_', "call>", "\nBye."]
    ) == [
        [("prose", "Hi.")],
        [],
        [("call_began", "ping"), ("arguments", '{"host": "a')],
        [("arguments", '"}')],
        [("call_done", "")],
        [("prose", "\nBye.")],
        [("displaced", "prose_after_call")],
    ]


def test_calls_in_one_block_are_done_when_it_is_closed() -> None:
    begin, end = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
    first, second = (
        f'<|tool_call_begin|>functions.ping:{number}<|tool_call_argument_begin|>{{"host": "{host}"}}<|tool_call_end|>'
        for number, host in enumerate("ab")
    )
    assert live([begin + first, second, end], "kimi_k2") == [
        [("call_began", "ping"), ("arguments", '{"host": "a"}')],
        [("call_began", "ping"), ("arguments", '{"host": "b"}')],
        [("call_done", ""), ("call_done", "")],
        [],
    ]


def test_reasoning_comes_at_once() -> None:
    for options, opening in (({}, "<think>\n"), ({"in_reasoning": None}, "<think>\n"), ({"in_reasoning": True}, "")):
        assert live([opening, "I see [1].", "\n</th", "ink>\n\nHi", " all."], **options) == [
            [],
            [("reasoning", "I see [1].")],
            [],
            [("prose", "Hi")],
            [("prose", " all.")],
            [],
        ]


def test_prose_waits_where_it_may_be_reasoning() -> None:
    assert live(["I think.\n", "</think>\nHi"], in_reasoning=None) == [
        [],
        [],
        [("reasoning", "I think."), ("prose", "Hi"), ("repair", "unopened_reasoning")],
    ]
    assert live([CALL], in_reasoning=None)[0][-1] == ("call_done", "")


def test_a_value_that_may_go_on_waits_for_the_next_call() -> None:
    call = "<tool_call>\n<function=ping>\n<parameter=host>\na\n</parameter>\n</function>\n</tool_call>"
    done = ("call_done", "")
    assert [event for events in live([call, f"\n{call}"], "qwen3_xml") for event in events].count(done) == 2
    assert [done in events for events in live([call, "\n", call], "qwen3_xml")] == [False, False, True, True]
    assert [done in events for events in live([call, call], "qwen3_xml")] == [False, True, True]


def test_arguments_are_whole_whatever_their_strings_hold() -> None:
    call = '<tool_call>\n{"name": "ping", "arguments": {"host": "a</tool_call>{\\"b"}}\n</tool_call>'
    arguments = ("arguments", '{"host": "a</tool_call>{\\"b"}')
    assert live([call]) == [[("call_began", "ping"), arguments, ("call_done", "")], []]


def test_what_a_model_wrote_in_a_call_that_is_dropped_belongs_to_no_other() -> None:
    bad = '<tool_call>\n{"name": "ping", "arguments": {"host": "x" y}}\n</tool_call>'
    reader = StreamReader("hermes", in_reasoning=False)
    events = [*reader.feed(f"{bad}\n{CALL}"), *reader.close()]
    assert [event.index for event in events if event.kind == "call_done"] == [1]
    check_calls(events)


@pytest.mark.parametrize(
    ("dialect", "begins", "ends"),
    [
        ("mistral_v11", "[TOOL_CALLS]ping[CALL_ID]123456789[ARGS]", ""),
        ("jamba", '<tool_calls>[{"name": "ping", "arguments": ', "}]</tool_calls>"),
    ],
)
def test_calls_begin_before_it_is_known_what_follows_them(dialect: str, begins: str, ends: str) -> None:
    events = live(["Hi.", begins + '{"host": ', '"a"}' + ends], dialect)
    assert events[1:3] == [[("call_began", "ping"), ("arguments", '{"host": ')], [("arguments", '"a"}')]]
    assert events[3][-1] == ("call_done", "")


def test_a_call_that_is_cut_off_began_and_is_dropped() -> None:
    events = live(['<tool_call>\n{"name": "ping", "arguments": {"host": "a'])
    assert [kind for kind, _ in events[0]] == ["call_began", "arguments"]
    assert [kind for kind, _ in events[1]] == ["prose", "dropped"]


def test_what_is_settled_stays_whatever_follows() -> None:
    text = f"Hi.\n{CALL}\n<tool_call>\n{{broken\n</tool_call>\n[TOOL_CALLS]a[ARGS]{{}}[TOOL_CALLS]b[ARGS]{{}}"
    calls = parse(text, "hermes", TOOLS, in_reasoning=False).calls
    assert calls[0] == ToolCall("ping", {"host": "a"})
    check(text, list(text), "hermes", TOOLS, False)


@pytest.mark.exhaustive
def test_arguments_are_the_text_of_the_call() -> None:
    rng = random.Random(19)
    seen = 0
    for name, text in TEXTS:
        if not dialects.get(name).last_marker or not is_live(dialects.get(name)):
            continue
        reader = StreamReader(name, TOOLS, in_reasoning=False)
        pieces: dict[int | None, str] = {}
        for chunk in cut(text, rng):
            for event in reader.feed(chunk):
                if event.kind == "arguments":
                    pieces[event.index] = pieces.get(event.index, "") + event.text
                elif event.call is not None:
                    assert json.loads(pieces[event.index]) == event.call.arguments, text
                    seen += 1
    assert seen > 300


# ── cost ────────────────────────────────────────────────────────────────────────────────────────

LONG = {
    "prose": "word, word. ",
    "blanks": " ",
    "calls": CALL + "\n",
    "signs": "<",
    "braces": "{ ",
    "code": "`a` ",
    "backslashes": "\\",
    "thought": "<think> a <b> ",
    "argument": '<tool_call>{"name": "ping", "arguments": {"host": "' + "x" * 2000,
}


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_each_character_is_looked_at_a_bounded_number_of_times(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counted(markup: LiveMarkup, text: str) -> int:
        nonlocal looked_at
        looked_at += len(text)
        return first_place(markup, text)

    first_place = LiveMarkup.first_place
    monkeypatch.setattr(LiveMarkup, "first_place", counted)
    costs = []
    for length in (2000, 8000):
        text = (piece * (length // len(piece) + 1))[:length]
        for chunks in (list(text), [text]):
            looked_at = 0
            reader = StreamReader("hermes", in_reasoning=False)
            for chunk in chunks:
                reader.feed(chunk)
            costs.append(looked_at)
    assert costs[2] <= 4.5 * costs[0] + STEP
    assert costs[3] <= 4.5 * costs[1] + STEP


# ── the face ────────────────────────────────────────────────────────────────────────────────────


def test_closed_and_empty() -> None:
    reader = StreamReader("hermes")
    assert reader.feed("") == []
    assert reader.close() == []
    assert reader.close() == []
    with pytest.raises(StreamClosed, match="closed"):
        reader.feed("x")
    with pytest.raises(dialects.UnknownDialect):
        StreamReader("hermse")


def test_example() -> None:
    result = doctest.testmod(stream_reader)
    assert (result.failed, result.attempted) == (0, 4)
