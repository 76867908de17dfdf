"""Every dialect: its own fixtures, the conformance cases, real model outputs, and the laws."""

from __future__ import annotations

import dataclasses
import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import (
    FIXTURES,
    any_text,
    cases,
    each,
    each_table,
    exhaustive,
    few_examples,
    nightly,
    rows,
    shared,
    tables,
    toolconv,
)
from toolconv import dialects
from toolconv.core import jsontext, lenient_json
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.losses import LOSSES, lost_of
from toolconv.dialects.reading.turn_parser import Parsed

ALL = dialects.all_dialects()
NAMES = [dialect.name for dialect in ALL]
each_dialect = pytest.mark.parametrize("dialect", ALL, ids=NAMES)


def calls_of(parsed: Parsed) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in parsed.calls]


def exactly(one: Any, other: Any) -> bool:
    """Equal with types and order: 1 is not 1.0 and not true."""
    return json.dumps(one) == json.dumps(other)


# ── cases of fixtures/dialects/NAME.jsonl ──


@each_table(cases("dialects"))
def test_fixture(name: str, case: dict[str, Any]) -> None:
    dialect = dialects.get(name)
    parsed = dialect.parse(case["text"], ToolIndex(case.get("tools", [])))
    assert exactly(calls_of(parsed), case["calls"])
    assert parsed.content == case["content"]
    assert parsed.reasoning == case.get("reasoning")
    assert sorted(parsed.repairs) == sorted(case.get("repairs", []))
    assert len(parsed.dropped) == case.get("dropped", 0)
    if case.get("renders"):
        assert dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls) == case["text"]


@pytest.mark.whole
@each_dialect
def test_has_facts_and_fixtures(dialect: Dialect) -> None:
    assert dialect.models
    assert dialect.sample
    parsed = dialect.parse(dialect.sample)
    assert parsed.calls
    assert not parsed.repairs
    assert not parsed.dropped
    path = FIXTURES / "dialects" / f"{dialect.name}.jsonl"
    assert path.exists(), f"add cases to {path}, as .github/CONTRIBUTING.md shows"


# ── conformance: cases of fixtures/conformance/NAME.jsonl, in the form that fixtures/README.md describes ──

CONFORMANCE = tables("conformance")
CONFORMANCE_TOOLS = json.loads((FIXTURES / "conformance" / "tools.json").read_bytes())


def conforms(dialect: Dialect, case: dict[str, Any]) -> bool:
    """Whether a dialect reads what the case expects; of a malformed text, only the calls are compared."""
    parsed = dialect.parse(case["text"], ToolIndex(case.get("tools", CONFORMANCE_TOOLS)))
    found, expected = calls_of(parsed), case["calls"]
    if "argument_order" in dialect.losses:
        found, expected = json.loads(json.dumps([found, expected], sort_keys=True))
    return exactly(found, expected) and ("malformed" in case or parsed.content == case["content"])


@pytest.mark.parametrize("name", CONFORMANCE)
def test_conformance(name: str) -> None:
    dialect = dialects.get(name)
    passed = {case["case"]: conforms(dialect, case) for case in CONFORMANCE[name]}
    failures = [case["case"] for case in CONFORMANCE[name] if not passed[case["case"]] and "xfail" not in case]
    assert not failures, f"fixtures/conformance/{name}.jsonl"
    fixed = [case["case"] for case in CONFORMANCE[name] if passed[case["case"]] and "xfail" in case]
    assert not fixed, f"these pass now: delete their xfail in fixtures/conformance/{name}.jsonl"


# ── real model outputs ──

REAL = {
    "bfcl-hermes": "hermes",
    "bfcl-granite-20b-fc": "granite-20b-fc",
    "bfcl-xlam": "xlam",
    "bfcl-glm4": "glm4_chat",
    "bfcl-raven": "raven",
    "bfcl-gorilla-openfunctions": "gorilla",
    "bfcl-llama3-prompted": "pythonic",
    "bfcl-mistral-prompted": "pythonic",
    "bfcl-pythonic-prompted": "pythonic",
    "bfcl-api-structured": "bfcl_fc",
}


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=exhaustive)])
@pytest.mark.parametrize("name", REAL)
def test_real_outputs(name: str, step: int) -> None:
    dialect = dialects.get(REAL[name])
    known = right = 0
    invented = []
    for row in rows(shared("real", "raw", f"{name}.jsonl"))[::step]:
        parsed = dialect.parse(row["text"], ToolIndex(row["tools"]))
        if row["expected"] is not None:
            known += 1
            right += calls_of(parsed) == row["expected"]
        if not row["expected"]:
            said = row["text"] + json.dumps(row["tools"])  # a positional argument takes its name from the declaration
            invented += [leaf for call in parsed.calls for leaf in leaves(call.arguments) if not stands_in(leaf, said)]
    assert not invented
    assert right >= 0.97 * known - (step > 1)  # a part may hold one more of those that are read otherwise


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for key, member in value.items() for leaf in [key, *leaves(member)]]
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [value]


def stands_in(leaf: Any, text: str) -> bool:
    """Whether a value is in the text, in any spelling; escapes and numbers in other notation aside."""
    if isinstance(leaf, str):
        words = [word for word in leaf.replace("\\", " ").replace('"', " ").split() if word.isalnum()]
        return all(word in text for word in words)
    if leaf is None or isinstance(leaf, bool):
        return True
    digits = "".join(char for char in repr(leaf).partition("e")[0] if char.isdigit()).strip("0")[:6]
    return digits in "".join(char for char in text if char.isdigit())


# ── laws ──

names = st.from_regex(r"[a-z][a-z0-9_]{0,12}", fullmatch=True)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(2**70), max_value=2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | any_text(max_size=20)
    | st.sampled_from(
        ["</tool_call>", "<tool_call>", "[TOOL_CALLS]", "it's", 'say "hi"', "\\", "a\nb", "true", "1", "{"]
    )
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(names, values, max_size=4)
calls = st.lists(st.builds(ToolCall, names, arguments), min_size=1, max_size=3)


def schema_for(value: Any) -> dict[str, Any]:
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    return {"type": kinds.get(type(value), "null")}


def tools_for(some: list[ToolCall]) -> ToolIndex:
    """Declarations that fit the calls exactly; for dialects that take types from there."""
    properties: dict[str, dict[str, list[Any]]] = {}
    for call in some:
        for key, value in call.arguments.items():
            kinds = properties.setdefault(call.name, {}).setdefault(key, [])
            if schema_for(value) not in kinds:
                kinds.append(schema_for(value))
        properties.setdefault(call.name, {})
    return ToolIndex(
        [
            {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {
                key: {"anyOf": kinds} if len(kinds) > 1 else kinds[0] for key, kinds in parameters.items()}}}}
            for name, parameters in properties.items()
        ]
    )  # fmt: skip


def markup_of(dialect: Dialect) -> list[str]:
    """Pieces of a format's own markup."""
    lists = ("closes", "section_closes", "ends", "markers", "turn_tokens")
    pairs = ("wrappers", "functions", "parameters")
    half = len(dialect.sample) // 2
    return [
        *(
            dialect.sample,
            dialect.sample[:half],
            dialect.sample[half:],
            dialect.reasoning.open,
            dialect.reasoning.close,
        ),
        *(marker for name in lists for marker in getattr(dialect, name, ())),
        *(tag for name in pairs for pair in getattr(dialect, name, ()) for tag in pair),
    ]


COMMON_MARKUP = ["'", '"', "\\", "\n", "  ", ",", ":", "=", ")", "#", "```", "true", "None", "1", "-2.50", "{", "{}", "[1]",
                 '{"name": "f", "arguments": {}}', "<tool_call>", "</tool_call>", "é", "\x00", "\u2028"]  # fmt: skip
LONG_NUMBERS = [
    jsontext.loads(digits) for digits in ("0.1000000000000000055511151231257827", "-3.14159265358979323846")
]
ODD_NAMES = ["get weather", "a:b", "a/b", "1f", "é", "functions.f"]
PROSE = ["", "Let me look.", "Two steps:\n1. Search.\n2. Answer.", "Is it 5 > 3? Then g = 1."]


@cache
def hostile_calls(dialect: Dialect) -> st.SearchStrategy[list[ToolCall]]:
    """Calls with any JSON value, whose texts and keys hold the format's own markup."""
    texts = st.lists(st.sampled_from(markup_of(dialect) + COMMON_MARKUP) | any_text(max_size=5), max_size=3).map(
        "".join
    )
    plain = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,8}", fullmatch=True)
    keys = plain | any_text(max_size=5) | texts
    values = st.recursive(
        scalars | texts | st.sampled_from(LONG_NUMBERS),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
        max_leaves=6,
    )
    calls = st.builds(
        ToolCall, st.one_of(plain, plain, st.sampled_from(ODD_NAMES)), st.dictionaries(keys, values, max_size=3)
    )
    return st.lists(calls, min_size=1, max_size=4)


def lost(dialect: Dialect, some: list[ToolCall], tools: ToolIndex, prose: str = "") -> list[str]:
    """What reading the calls back really loses."""
    parsed = dialect.parse(dialect.render_turn(prose, None, some) if prose else dialect.render(some), tools)
    return lost_of(some, parsed.calls, null="argument_null" if "argument_null" in dialect.losses else "argument_key")


@pytest.mark.sweep(every=32)
@each_dialect
@few_examples
@given(data=st.data())
def test_what_is_rendered_is_read_back_but_for_the_losses(dialect: Dialect, data: st.DataObject) -> None:
    some = data.draw(hostile_calls(dialect))
    tools = tools_for(some) if data.draw(st.booleans()) else NO_TOOLS
    said = lost(dialect, some, tools)
    assert set(said) <= set(dialect.losses)
    assert not said or not dialect.certainly_round_trips("", None, some, tools)
    assert set(lost(dialect, some, tools, data.draw(st.sampled_from(PROSE)))) <= set(said)


@pytest.mark.sweep(every=16)
@each_dialect
@few_examples
@given(data=st.data())
def test_calls_that_are_certain_by_their_types_are_read_back(dialect: Dialect, data: st.DataObject) -> None:
    calls = data.draw(hostile_calls(dialect))
    tools = tools_for(calls) if data.draw(st.booleans()) else NO_TOOLS
    for call in calls:
        if "<" not in jsontext.spaced(call.arguments) and dialect.certainly_round_trips_types(call, tools):
            assert dialect.certainly_round_trips_call(call, tools)


def one_call(**arguments: Any) -> list[ToolCall]:
    return [ToolCall("f", arguments)]


@pytest.mark.sweep(every=16)
@each_dialect
def test_every_declared_loss_happens(dialect: Dialect) -> None:
    assert set(dialect.losses) <= LOSSES.keys()
    text = dialect.render(one_call(k="v<", j="w"))
    cuts = [0, *(edge.start() for edge in re.finditer(r"(?<![<\[|])[<\[|]", text)), len(text)]
    pieces = [text[start:end] for start, end in combinations(cuts, 2)] + [text + text, text[1:]]
    plain = [
        *(one_call(**before, **{key: "v"}) for key in ("a<b", "a\nb", " a ") for before in ({}, {"z": None})),
        *(one_call(a=value) for value in ("1", "null", None, [None], {"b": 1, "a": 2}, ["1"], [])),
        *([ToolCall(name, {})] for name in ODD_NAMES),
        one_call(b=1, a=2),
    ]
    shut = text[text.rindex("w") + 1 :]
    hostile = [*(one_call(k=piece, a="x") for piece in pieces), one_call(k=[shut + shut[2:]])]
    joint = text[min(text.rindex("w"), text.rindex("v<")) : max(text.rindex("w"), text.rindex("v<"))]
    hostile += [one_call(k=joint), one_call(a=joint.replace("k", "m").replace("j", "m"))]
    wrong_type = ToolIndex([{"function": {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}}])
    happens = {name for some in plain + hostile for name in lost(dialect, some, tools_for(some))}
    happens |= {name for some in plain for name in lost(dialect, some, NO_TOOLS)}
    happens |= {name for some in plain if some[0].name == "f" for name in lost(dialect, some, wrong_type)}
    assert happens == set(dialect.losses)


def test_a_loss_is_counted_and_is_an_error_when_strict() -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": {"a": "1"}}}
    row = json.dumps({"messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}) + "\n"
    run = toolconv("render", "--to", "qwen3_xml", stdin=row)
    assert run.status == 0 and "1 loss (argument_type 1)" in run.err
    strict = toolconv("render", "--to", "qwen3_xml", "--strict", stdin=row)
    assert strict.status == 1 and not strict.out and "would be lost: argument_type" in strict.err
    assert "argument_type" in toolconv("dialects", "qwen3_xml").out


@pytest.mark.parametrize("name", ["qwen3_xml", "step3p5", "mimo"])
def test_values_spelled_as_python_does_are_read_back_without_a_schema(name: str) -> None:
    values_ = {"t": True, "f": False, "n": None, "x": 1e-7, "s": "None of it", "l": [True, None], "o": {"k": False}}
    text = dialects.get(name).render([ToolCall("f", values_)])
    assert "True" in text
    assert "[true, null]" in text
    assert exactly(calls_of(dialects.get(name).parse(text)), [{"name": "f", "arguments": values_}])


@cache
def the_tolerant_reader_alone(dialect: Dialect) -> Dialect:
    """The dialect without its exact reader."""
    kind = type(dialect)
    slow = type(kind.__name__, (kind,), {"parse_exact": lambda self, text, tools: None})
    given = {field.name: getattr(dialect, field.name) for field in dataclasses.fields(dialect) if field.init}
    return slow(**given)  # type: ignore[no-any-return]


@pytest.mark.sweep(every=16)
@each_dialect
@few_examples
@given(data=st.data())
def test_the_exact_reader_reads_as_the_tolerant_one(dialect: Dialect, data: st.DataObject) -> None:
    some = data.draw(hostile_calls(dialect) | calls | st.just([]))
    tools = tools_for(some) if data.draw(st.booleans()) else NO_TOOLS
    pieces = st.sampled_from(["", " ", "\n", *PROSE, *markup_of(dialect), *COMMON_MARKUP]) | any_text(max_size=4)
    prose = "".join(data.draw(st.lists(pieces, max_size=3)))
    reasoning = data.draw(st.sampled_from([None, None, "Hm.", "\nHm. "]))
    try:
        text = dialect.render_turn(prose, reasoning, some)
    except RenderError:
        return
    for _ in range(data.draw(st.integers(0, 2))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, start + 6))
        text = text[:start] + data.draw(pieces | st.just(text[start:end] * 2)) + text[end:]
    glue = st.sampled_from(["", "", "x", " ", "\n", " \n\n", "word "])
    text = data.draw(glue) + text + data.draw(glue)
    assert repr(dialect.parse(text, tools)) == repr(the_tolerant_reader_alone(dialect).parse(text, tools))


TWO_CALLS = [ToolCall("get_weather", {"city": "Paris", "days": 3}), ToolCall("ping", {})]
LONGEST_SLIP = 40
SLIPS = ["", " ", "\n", "x", "1", ".", ",", '"', "{", "]"]


def with_a_slip(text: str) -> Iterator[str]:
    """The text with a character changed, dropped, doubled or put in, or with words dropped or doubled: all such."""
    for at, char in enumerate(text):
        yield from (text[:at] + slip + text[at + 1 :] for slip in [*SLIPS, char * 2])
        yield from (text[:at] + slip + text[at:] for slip in SLIPS)
    yield from (text + slip for slip in SLIPS)
    edges = [match.start() for match in re.finditer(r"\b", text)]
    for start, end in combinations(edges, 2):
        if end - start <= LONGEST_SLIP:
            yield text[:start] + text[end:]
            yield text[:end] + text[start:]


@pytest.mark.sweep(every=16)
@each_dialect
@pytest.mark.parametrize("step", [pytest.param(6, id="some"), pytest.param(1, id="all", marks=nightly)])
def test_a_slip_is_read_exactly_only_as_the_tolerant_reader_reads_it(dialect: Dialect, step: int) -> None:
    for prose, tools in (("", tools_for(TWO_CALLS)), ("Go.", NO_TOOLS)):
        texts = dict.fromkeys(with_a_slip(dialect.render_turn(prose, None, TWO_CALLS)))
        for text in [*texts][ALL.index(dialect) % step :: step]:  # dialects begin with different ones
            read = dialect.parse_exact(text, tools)
            if read is not None:
                assert repr(read) == repr(dialect.parse_own(text, tools)), text


@exhaustive
@pytest.mark.sweep
@each_dialect
def test_deep_values_are_read_exactly_as_the_tolerant_reader_reads_them(dialect: Dialect) -> None:
    for depth in range(lenient_json.MAX_TEXT_DEPTH - 3, lenient_json.MAX_TEXT_DEPTH + 4):
        for opening, closing in (("[", "]"), ('{"k": ', "}")):
            deep = json.loads(opening * depth + "1" + closing * depth)
            try:
                text = dialect.render_turn("", None, one_call(a=deep))
            except RenderError:
                return
            assert repr(dialect.parse(text)) == repr(the_tolerant_reader_alone(dialect).parse(text))


def test_what_templates_write_is_read_exactly() -> None:
    tools = tools_for(TWO_CALLS)
    tolerantly = set()
    for dialect in ALL:
        try:
            texts = [dialect.render_turn(prose, None, TWO_CALLS) for prose in ("", "Let me look.")]
        except RenderError:
            continue
        if None in [dialect.parse_exact(text, tools) for text in texts]:
            tolerantly.add(dialect.name)
    assert tolerantly == {"bfcl_fc", "generic"}  # the one has prose inside its list, the other goes the way of others


@each_dialect
@few_examples
@given(text=any_text(max_size=80))
def test_parsing_is_total(dialect: Dialect, text: str) -> None:
    dialect.parse(text)


@pytest.mark.sweep
@each_dialect
@few_examples
@given(data=st.data())
def test_parsing_spliced_markup_is_total(dialect: Dialect, data: st.DataObject) -> None:
    pieces = [
        *dialect.markers,
        dialect.sample,
        dialect.sample[: len(dialect.sample) // 2],
        "{",
        "}",
        '"',
        "'",
        "[",
        "\n",
    ]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces) | any_text(max_size=4), max_size=8)))
    parsed = dialect.parse(text)
    for dropped in parsed.dropped:
        assert dropped.text in text


ALL_OR_NONE = {"beam", "bfcl_fc", "toolace"}
"""Dialects whose calls of a turn are one list, which is read whole or not at all."""


@pytest.mark.sweep(every=16)
@each_dialect
def test_cut_texts_keep_earlier_calls(dialect: Dialect) -> None:
    """A text that ends inside its last call has all calls before that one, or counts or keeps their text."""
    calls = dialect.parse(dialect.sample).calls * 2
    if "call" in dialect.losses and len(dialect.parse(dialect.render(calls)).calls) < 2:
        return  # a turn has one call
    *earlier, last = dialect.render_each(calls)
    whole = "".join(earlier)
    for end in range(len(last)):
        parsed = dialect.parse(whole + last[:end])
        kept = [(call.name, call.arguments) for call in parsed.calls[: len(earlier)]]
        if kept != [(call.name, call.arguments) for call in calls[: len(earlier)]]:
            assert dialect.name in ALL_OR_NONE and (parsed.dropped or whole in parsed.content), last[:end]


@each_dialect
def test_prose_that_mentions_markers_is_kept(dialect: Dialect) -> None:
    for marker in dialect.markers:
        text = f"The text {marker} begins a call."
        parsed = dialect.parse(text)
        assert not parsed.calls
        assert parsed.content == text


# ── registry ──


def test_an_unknown_name_says_which_there_are() -> None:
    with pytest.raises(dialects.UnknownDialect, match=r"did you mean 'hermes'\?(.|\n)*kimi_k2"):
        dialects.get("hermse")


def test_names_are_unique() -> None:
    used = Counter(name.lower().replace("-", "_") for dialect in ALL for name in {dialect.name, *dialect.aliases})
    doubles = {name for name, count in used.items() if count > 1}
    spelled_alike = {
        name for name in doubles
        if len({d.name for d in ALL if name in {n.lower().replace("-", "_") for n in (d.name, *d.aliases)}}) == 1
    }  # fmt: skip
    assert doubles == spelled_alike


@each("alias, name", [("qwen25", "hermes"), ("Nous-Hermes", "hermes"), ("deepseek-v3", "deepseek_v3"), ("moonshot", "kimi"), ("oai", "openai"),
     ("moonshot-k2", "kimi_k2"), ("json", "canonical"), ("tooletta", "canonical"), ("qwen3_coder", "qwen3_xml")])  # fmt: skip
def test_aliases(alias: str, name: str) -> None:
    assert dialects.get(alias).name == name


def test_detection_names_the_dialect_of_its_sample() -> None:
    for dialect in ALL:
        found = dialects.detect(dialect.sample)
        assert found.name is not None, dialect.name
        other = dialects.get(found.name).parse(dialect.sample, NO_TOOLS)
        assert calls_of(other) == calls_of(dialect.parse(dialect.sample)), (dialect.name, found)
