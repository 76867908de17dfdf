"""No text takes quadratic time to read: four times the text takes about four times as long, whatever it repeats."""

from __future__ import annotations

import cProfile
import gc
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pytest

from tests.conftest import each, nightly
from toolconv import dialects
from toolconv.core.tools import ToolIndex
from toolconv.core.work import Work
from toolconv.dialects.base import Dialect
from toolconv.dialects.detection import detect
from toolconv.dialects.turn_reader import TurnReader

ALL = dialects.all_dialects()
TOOLS = ToolIndex(
    [
        {"function": {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}, "o": {"type": "object"}}}}},
        {"function": {"name": "f", "parameters": {}}},
    ]
)  # fmt: skip

SMALL = 2_000
"""The characters of the shorter text by default; the exhaustive variants read longer ones."""
FREE = 0.12
"""CPU seconds that any text may take: up to a budget, which grows with the text, it is read with more care."""
MOST = 200e-6
"""CPU seconds a character that no text may take."""

PIECES = [
    *"`\"'{[(<,:.-_#$1a \n\t", "`a ", "a ", "a\n", "é", "</", "<|", "|>", "[/", "//", "/*", '"""', "'''", "“", "```\n", "```json\n",
    '\\"', '\\"q\\" y', "\\n", '["', '{"', '{"a":', '{"a":[', '{"a":"b",', '{"a" "b"', "{'a': ", '{"a": 0x', '"a" "b" ', "1e5,",
    '"name": "f", ', '{"name": "f", ', "{'name': 'f', ", '{"name": "f", "arguments": {', '{"name": "f", "arguments": "',
    '{"name": "f", "arguments": {}}', '{"name": "f", "arguments": {"a": 1}', '{"type": "function", "name": "f", ',
    "f{", "f\n", "f-", "f(", "[f(", "f(a=", 'f(a="', 'f(a="x",', 'f(a="x" "y"', "f(''", "f(a=b,", "f(a={", "f(a=[", "f(a=(",
    "get_weather", 'get_weather{"city": ', "functions.f:0{", "functions.", "call:f{", "Action: f\nAction Input: ", "to=functions.f",
    "<think>", "</think>", "<a>", "</a>", "<f ", "<tool_call>", "</tool_call>", "a <tool_call> b ", "`<tool_call>` ", '<tool_call>{"name": "f", ',
]  # fmt: skip
"""What a text may repeat in any dialect: brackets, quotes, names of tools and markup that never closes."""


def own_pieces(dialect: Dialect) -> Iterator[tuple[str, str]]:
    """What a text of a dialect may repeat, each with what comes once before it."""
    whole = dialect.sample
    tags = [*dialect.markers, *re.findall(r"</?[^<>{}]+>|\[[^\[\]{}]+\]", whole), *dialect.turn_tokens[:2]]
    tags = list(dict.fromkeys(tags))
    for tag in tags:
        yield "", tag
        yield "", tag.swapcase()
        yield from (("", tag + more) for more in ("f", '"', "{", "[", "\n", " ", '{"name": "f", ', 'f(a="', 'f{"a": '))
        yield from (("", tag + other) for other in tags[:3] if other != tag)
        yield from ((tag, blank) for blank in " \n")
    yield from (("", whole[: len(whole) * part // 6]) for part in (2, 3, 4, 5))
    yield from (("", text) for text in (whole + "\n", whole[:-3], whole.replace('"', "'"), whole.replace('"', '\\"')))
    for head in (whole[: len(whole) // 2], *dialect.markers[:1]):
        yield from ((head, whole[at : at + size]) for size in (9, 25) for at in range(0, len(whole) - size, 7))
        yield from ((head, piece) for piece in PIECES)


def seconds(reader: TurnReader, text: str) -> float:
    """The CPU time that reading a text takes, without that of collecting what other tests left in memory."""
    gc.disable()
    began = time.process_time()
    try:
        reader.read(text, TOOLS)
        return time.process_time() - began
    finally:
        gc.enable()


def is_linear(reader: TurnReader, head: str, piece: str, size: int, tail: str = "") -> bool:
    """Whether four times a text takes less than eight times as long, where quadratic time would be sixteen times.

    What looks slow is measured again, up to five times.
    """
    texts = [head + piece * (length // len(piece) + 1) + tail for length in (size, 4 * size)]
    once, whole = (seconds(reader, text) for text in texts)
    for _ in range(5):
        if whole <= min(8 * max(once, FREE), MOST * 4 * size):
            return True
        once, whole = (min(before, seconds(reader, text)) for before, text in zip((once, whole), texts, strict=True))
    return whole <= min(8 * max(once, FREE), MOST * 4 * size)


@pytest.mark.sweep(every=48)
@pytest.mark.parametrize(
    ("size", "step"),
    [
        pytest.param(SMALL, 600, id="some"),
        pytest.param(SMALL, 25, id="more", marks=nightly),
        pytest.param(40_000, 150, id="long", marks=nightly),
    ],
)
@pytest.mark.parametrize("number", range(len(ALL)), ids=[dialect.name for dialect in ALL])
def test_no_text_takes_quadratic_time(number: int, size: int, step: int) -> None:
    dialect = ALL[number]
    reader = TurnReader(dialect)
    pieces = [*own_pieces(dialect), *(("", piece) for piece in PIECES)]
    pieces = list(dict.fromkeys(pieces))[number % step :: step]  # dialects begin with different ones
    assert [pair for pair in pieces if not is_linear(reader, *pair, size)] == []


FOUND = {
    "a part that was dropped": (None, "internlm", "", "<|plugin|>f"),
    "names in no object": (None, "pythonic", "", '{"name": "f", '),
    "one long word": ("hermes", "granite-20b-fc", '<tool_call>\n{"name": "get_weather", "arg', "tool_call"),
    "digits": ("hermes", None, '<tool_call>{"name": "f", "arguments": {"a": ', "9"),
    "strings that never close": ("glm4_chat", None, "", 'get_weather\n{\\"city\\": \\"Tokyo\\"}'),
    "escaped quotes": ("lfm2", "gorilla", '<|tool_call_start|>[f(a="x ', '\\"q\\" y'),
    "one long line of tags": ("ernie45", None, "", "</tool_call>"),
    "one long line of names": ("deepseek_v3", "hermes", "<｜tool▁calls▁begin｜>", "f{“"),
    "calls in Python without an end": ("lfm2", "deepseek_v4", "", "[f(a='"),
    "lists without an end": ("minimax", "gigachat3", "<tool_calls>\n", "f(a=["),
    "markers and names": (None, "hermes", "", '<tool_call>{"name": "f", '),
    "two markers": ("hermes", None, "", "<|im_end|><tool_call>"),
}
"""Texts that took quadratic time, or thousands of steps a character: two dialects (``None``: not named), and the text."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [2_000, *(pytest.param(size, marks=nightly) for size in (4_000, 16_000))])
@pytest.mark.parametrize("name", FOUND)
def test_no_text_that_was_slow_is_slow(name: str, size: int) -> None:
    *named, head, piece = FOUND[name]
    for dialect in named:
        reader = TurnReader(None if dialect is None else dialects.get(dialect))
        assert is_linear(reader, head or "", piece or "", size)


@pytest.mark.parametrize(
    ("head", "piece", "tail"),
    [
        pytest.param(
            '<tool_call>\n{"name": "w", "arguments": {"c": "a "b" ', "\\n", 'x"}}\n</tool_call>', id="escaped lines"
        ),
        pytest.param("", "a is {x: 1} here. ", "", id="words and braces"),
    ],
)
@pytest.mark.parametrize("name", ["hermes", None])
def test_no_text_with_an_end_is_slow(name: str | None, head: str, piece: str, tail: str) -> None:
    assert is_linear(TurnReader(None if name is None else dialects.get(name)), head, piece, 4_000, tail)


def test_a_turn_of_dropped_calls_takes_memory_in_its_length() -> None:
    text = '<tool_call>\n{"name": "pi}ng", "arguments": {"city": "Oslo"}}\n</tool_call>\n' * 100
    TurnReader().read(text[:200], TOOLS)  # which loads what the reader needs
    tracemalloc.start()
    parsed = TurnReader().read(text, TOOLS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(parsed.dropped) == 100
    assert most <= 200 * len(text)  # 370 where each held all that follows


FRAGMENTS = [
    'It is {"name": "Ada", "age": 36}. ', "Set {x: 1} there. ", "a < b and c > d; ", "```python\nprint({1: 2})\n```\n",
    "| a | b |\n|---|---|\n| 1 | {2} |\n", "<p class='x'>text</p>\n", "The sum is $f(x) = {x}$. ", "const f = (a) => { return [a]; };\n",
    "[f(a=1)] ", "Thought: {\n", " \n", '{"name": "f", ', "f(a={", "<tool_call>", '{"a": "\\n',
]  # fmt: skip
"""What ordinary and hostile texts repeat."""
FREE_STEPS = 200_000
"""Up to some 100,000 steps, whatever a text's length, each of its readings is tried with more care."""


def steps(reader: TurnReader, text: str, tools: ToolIndex = TOOLS) -> int:
    """The steps that reading a text takes: the same on every machine and in every run."""
    with Work(text) as work:
        before = work.left
        reader.read(text, tools)
        return before - work.left


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("size", "step"),
    [
        pytest.param(1_000, 15, id="some"),
        pytest.param(4_000, 1, id="all", marks=nightly),
    ],
)
@pytest.mark.parametrize("number", range(len(ALL)), ids=[dialect.name for dialect in ALL])
def test_four_times_a_text_takes_at_most_five_times_the_steps(number: int, size: int, step: int) -> None:
    reader = TurnReader(ALL[number])
    for fragment in FRAGMENTS[number % step :: step]:
        text = "Well. " + fragment * (size // len(fragment) + 1)
        assert steps(reader, text * 4) <= 5 * steps(reader, text) + FREE_STEPS, fragment


WEATHER = ToolIndex(TOOLS.tools[:1])
PLAIN = "The harbour lies north of the old town, and most of the boats leave before noon. "
PROSE = [
    PLAIN + "\n", PLAIN + "{", PLAIN + "(", PLAIN + "[", PLAIN + "<", "Set {x: 1} there. ", 'It is {"ok": 1, "name": "Ada", "tags": ["a"]}. ',
    '{"users": [{"name": "Ada", "age": 36}, {"id": 2, "ok": true}], "n": 2}\n', "def area(width, height=2):\n    return {1: [width]}\n",
    "const f = (a) => { return [a, b['x']]; };\nif (x < 3 && y > 2) { go({a: 1}); }\n", "So:\n\n```python\nprint({'a': 1})\n```\n\nThen go on.\n",
    "| a | b |\n|---|---|\n| 1 | {2} `x[1]` |\n", "<p class='x'>Some <b>text</b></p>\n<ul><li>one</li></ul>\n", '<order id="3"><item sku="a1">Lamp</item></order>\n',
    "See [1], [the page](http://x.org/a?b=c) (and so on). ", "We get $f(x) = {x}^{2}$ and \\frac{1}{2}. ", "Use `a[1]` and `f(x)` or `{}`, as the `<b>` tag. ",
    "x = 1, y = 2 and z == 3; so city = Oslo. ", "a < b and c > d. ", "name: Ada\nitems:\n  - a: 1\n    b: {x: 1}\n", "name: x\nargs:\n  - a: {b: 1}\n", 'def f(x):\n    return {"a": x[0]}\n\n',
    "He said \"yes\", it's 'no'. ",
]  # fmt: skip
"""What ordinary prose repeats."""


def function_calls(work: Callable[[], object]) -> int:
    """How many functions, of Python and of C, some work calls."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(each.callcount for each in profile.getstats())


@each("piece", PROSE)
def test_no_dialect_reads_prose_to_tell_whose_it_is(piece: str) -> None:
    text = (piece * (4_000 // len(piece) + 1)).strip()
    detect(text[1:], WEATHER)  # what is loaded and compiled once
    assert function_calls(lambda: detect(text, WEATHER)) <= len(text) / 2 + 200


@pytest.mark.parametrize("named", [None, *ALL], ids=lambda dialect: dialect.name if dialect else "auto")
def test_prose_with_any_signs_takes_at_most_three_times_the_steps_of_plain_prose(named: Dialect | None) -> None:
    """Whatever the signs, no grammar tries to read it: a grammar alone takes as many steps as plain prose."""
    reader = TurnReader(named)
    plain = steps(reader, PLAIN * 25, WEATHER)
    for piece in PROSE:
        text = ("Well. " + piece * (2_000 // len(piece) + 1))[:2_000] + "."
        assert steps(reader, text, WEATHER) <= 3 * plain, piece
