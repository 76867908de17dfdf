"""What reading a text of two calls costs in each dialect, as a ratio to ``orjson`` reading and writing their JSON.

The text is what the dialect's template writes: a line of prose and the calls. The tolerant path reads it with single
quotes, a trailing comma and no end; json-repair, which knows no markup, reads the JSON in it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import median

import orjson

from tests.benchmarks.measure import Figure, cost
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect, RenderError

PROSE = "Let me look."
CALLS = [
    ToolCall("get_weather", {"city": "Paris", "days": 3}),
    ToolCall("book_table", {"place": {"name": "Chez Anna", "floor": 2}, "guests": ["Ada", "Bob"], "outside": True}),
]
PARAMETERS = {
    "get_weather": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "book_table": {
        "place": {"type": "object", "properties": {"name": {"type": "string"}, "floor": {"type": "integer"}}},
        "guests": {"type": "array", "items": {"type": "string"}},
        "outside": {"type": "boolean"},
    },
}
TOOLS = ToolIndex(
    [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
        for name, properties in PARAMETERS.items()
    ]
)
JSON = orjson.dumps([{"name": call.name, "arguments": call.arguments} for call in CALLS])
GRAMMARS = {"json_blocks": "JSON", "name_then_json": "JSON", "xml_parameters": "parameters"}
"""What the figures of a grammar are summed up under."""
TEXTS = 100
"""In a round, which is short, so that a busy machine leaves some rounds alone."""
BROKEN_TEXTS = 10


def figures(rounds: int) -> list[Figure]:
    """A figure for each dialect that can be written, the medians, and json-repair beside the tolerant path."""
    found: list[Figure] = []
    ratios: dict[str, list[float]] = {"dialects": []}
    for dialect in dialects.all_dialects():
        text = written(dialect)
        if text is None:
            continue
        taken, least = measured(partial(dialect.parse, text, TOOLS), floor, rounds)
        family = GRAMMARS.get(grammar(dialect), "")
        for group in ("dialects", *([family] if family else [])):
            ratios.setdefault(group, []).append(taken / least)
        found.append(
            {
                "what": f"read {dialect.name} ({grammar(dialect)})",
                "ratio": round(taken / least, 2),
                "texts a second": round(1 / taken),
            }
        )
    medians = [
        {"what": f"read, median of {len(values)} {group}", "ratio": round(median(values), 2)}
        for group, values in ratios.items()
    ]
    return [*found, *medians, *tolerant(rounds)]


def written(dialect: Dialect) -> str | None:
    """The text, which the dialect reads as what it says; ``None`` for a dialect that is only read."""
    try:
        text = dialect.render_turn(PROSE, None, CALLS)
    except RenderError:
        return None
    parsed = dialect.parse(text, TOOLS)
    assert (parsed.content, parsed.repairs, parsed.dropped) == (PROSE, [], []), dialect.name
    assert says_calls(parsed.calls), dialect.name
    return text


def says_calls(calls: list[ToolCall]) -> bool:
    return [(call.name, call.arguments) for call in calls] == [(call.name, call.arguments) for call in CALLS]


def grammar(dialect: Dialect) -> str:
    """The module of the grammar that a dialect fills in."""
    modules = [kind.__module__.rpartition(".") for kind in type(dialect).__mro__]
    return next((name for package, _, name in modules if package.endswith(".grammars")), modules[0][2])


def floor() -> None:
    orjson.dumps(orjson.loads(JSON))


def measured(
    work: Callable[[], object], other: Callable[[], object], rounds: int, times: int = TEXTS
) -> tuple[float, float]:
    """Seconds that one ``work`` takes, and one ``other``; in turn, the least of several rounds of so many ``times``."""

    def often(one: Callable[[], object]) -> None:
        for _ in range(times):
            one()

    pairs = [(cost(partial(often, work)), cost(partial(often, other))) for _ in range(10 * rounds)]
    return min(one for one, _ in pairs) / times, min(one for _, one in pairs) / times


def tolerant(rounds: int) -> list[Figure]:
    """How many times as long json-repair takes, for each dialect of JSON in tags that still reads both calls."""
    try:
        import json_repair
    except ImportError:
        return [{"what": "json-repair, to the tolerant path: not installed (extra bench)"}]
    found: list[Figure] = []
    for dialect in dialects.all_dialects():
        text = broken(dialect) if grammar(dialect) == "json_blocks" else None
        if text is None:
            continue
        body = text[text.index("{") :]
        repaired = json_repair.loads(body)
        assert isinstance(repaired, list) and len(repaired) == len(CALLS), dialect.name
        repair, read = partial(json_repair.loads, body), partial(dialect.parse, text, TOOLS)
        theirs, ours = measured(repair, read, rounds, BROKEN_TEXTS)
        found.append({"what": f"json-repair, to broken {dialect.name}", "ratio": round(theirs / ours, 2)})
    middle = round(median(figure["ratio"] for figure in found), 2)
    return [*found, {"what": f"json-repair, median of {len(found)} broken texts", "ratio": middle}]


def broken(dialect: Dialect) -> str | None:
    """The text with single quotes, a trailing comma and no end; ``None`` where both calls are not read from it."""
    text = written(dialect)
    if text is None:
        return None
    whole = text[: text.rindex("}") + 1]
    text = whole.replace('"', "'").replace("}}", "},}")
    parsed = dialect.parse(text, TOOLS)
    return text if says_calls(parsed.calls) and parsed.repairs else None
