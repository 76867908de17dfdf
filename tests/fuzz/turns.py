"""``python -m tests.fuzz.turns LAW COUNT``: hold a law on made-up assistant turns, a like number in each dialect.

    python -m tests.fuzz.turns whole 1000000     # render, parse: equal, but for what is counted
    python -m tests.fuzz.turns damage 1000000    # damage in one place: no call is lost without being counted

The seeds are numbers, so that a turn that breaks a law can be made again: ``--seed hermes:17``. It prints the count, and the
seeds that break the law by dialect and part; it exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from random import Random
from typing import Any, Final

from tests.dialects.test_damage import INSERTED, MARKED, NAMES, REPLACED, TOOLS
from tests.dialects.test_dialects import COMMON_MARKUP, PROSE, markup_of, tools_for
from tests.fuzz import laws
from toolconv import dialects
from toolconv.core import jsontext
from toolconv.core.messages import Message
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.turn_reader import TurnReader

BATCH: Final = 500
LONG: Final = jsontext.loads("100000000000000000000")
SHOWN: Final = 5
"""Seeds of each fault that are printed."""

Fault = tuple[str, str]
"""A seed, and what went wrong."""


@cache
def _pieces(name: str) -> tuple[str, ...]:
    others = [dialects.get(each).sample for each in ("hermes", "pythonic", "kimi_k2", "harmony", "mistral")]
    return (*markup_of(dialects.get(name)), *COMMON_MARKUP, *PROSE, *others, "f(a=1)", "\n\nf(a=1)\n")


def _text(random: Random, pieces: tuple[str, ...]) -> str:
    texts = [random.choice(pieces) for _ in range(random.choice((1, 1, 2, 3, 4)))]
    if random.random() < 0.2:
        texts.append(
            "".join(chr(random.choice((random.randrange(32, 127), random.randrange(0xD800)))) for _ in range(3))
        )
    return "".join(texts)


def _value(random: Random, pieces: tuple[str, ...], depth: int = 0) -> Any:
    kind = random.randrange(10)
    if kind < 5:
        return _text(random, pieces)
    if kind < 8 or depth > 1:
        return random.choice((0, 7, -3, LONG, 1.5, -0.0, 1e300, True, False, None, "", "1", "true", " x "))
    if kind < 9:
        return [_value(random, pieces, depth + 1) for _ in range(random.randrange(3))]
    return {_key(random, pieces): _value(random, pieces, depth + 1) for _ in range(random.randrange(3))}


def _key(random: Random, pieces: tuple[str, ...]) -> str:
    return random.choice(("a", "b", "city", "max_length")) if random.random() < 0.9 else _text(random, pieces)[:12]


def whole(dialect: Dialect, random: Random) -> None:
    """A turn of prose, reasoning and calls that hold markup comes back, but for what is counted."""
    pieces = _pieces(dialect.name)
    calls = [
        ToolCall(
            random.choice(("f", "get_weather", "f", "get weather", "a.b")),
            {_key(random, pieces): _value(random, pieces) for _ in range(random.randrange(4))},
        )
        for _ in range(random.choice((0, 1, 1, 2, 3)))
    ]
    turn: Message = {"role": "assistant", "content": random.choice((*PROSE, _text(random, pieces)))}
    if random.random() < 0.4:
        turn["reasoning_content"] = random.choice(("Hm.", _text(random, pieces)))
    if calls:
        turn["tool_calls"] = [call.to_canonical() for call in calls]
    declared = list(tools_for(calls).tools) if calls and random.random() < 0.5 else []
    laws.comes_back(dialect, turn, declared)


def damage(dialect: Dialect, random: Random) -> None:
    """A call that is damaged in one place is read, dropped or repaired."""
    declared = dialect not in MARKED or random.random() < 0.5
    calls = []
    for number in range(random.choice((1, 1, 2)) if declared else 1):
        arguments: dict[str, Any] = {"city": random.choice(("Oslo", "New York", "x")), "days": random.randrange(100)}
        if random.random() < 0.5:
            arguments["tags"] = ["a", "b"]
        call = ToolCall(random.choice(NAMES), arguments)
        call.id = dialect.call_id(call, number)
        calls.append(call)
    text = dialect.render_turn(random.choice(("", "Sure.", "Let me look that up.")), None, calls)
    place = random.randrange(len(text))
    before, after = text[:place], text[place:]
    damaged = random.choice(
        (
            before + after[1:],
            before + after[0] + after,
            before + random.choice(REPLACED) + after[1:],
            before + random.choice(INSERTED) + after,
        )
    )
    reader = TurnReader() if declared else TurnReader(default=dialect)
    assert laws.is_counted(reader.read(damaged, TOOLS if declared else NO_TOOLS), len(calls)), "silent"


LAWS: Final[dict[str, Callable[[Dialect, Random], None]]] = {each.__name__: each for each in (whole, damage)}


def held(law: str, seed: str) -> Fault | None:
    """Hold a law on the turn of a seed, ``DIALECT:NUMBER``."""
    dialect = dialects.get(seed.partition(":")[0])
    try:
        LAWS[law](dialect, Random(f"{law} {seed}"))
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        what = str(error) if isinstance(error, AssertionError) else f"{error!r} in {frame.filename}:{frame.lineno}"
        return seed, what
    return None


def _batch(law: str, name: str, start: int, count: int) -> list[Fault]:
    return [fault for number in range(start, start + count) if (fault := held(law, f"{name}:{number}"))]


def _batches(count: int, start: int) -> Iterator[tuple[str, int, int]]:
    """Dialect, first number, how many; all dialects take turns, so that a run that is stopped has seen all."""
    names = [each.name for each in dialects.all_dialects() if each.calls is not None]
    done = 0
    while done < count:
        for name in names:
            size = min(BATCH, count - done)
            if size:
                yield name, start, size
            done += size
        start += BATCH


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.turns", description=__doc__.partition(":")[0])
    parser.add_argument("law", choices=LAWS)
    parser.add_argument("count", type=int, nargs="?", default=100_000)
    parser.add_argument("--start", type=int, default=0, help="first number of each dialect's seeds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--seed", help="one turn only, with its traceback")
    given = parser.parse_args()
    if given.seed:
        LAWS[given.law](dialects.get(given.seed.partition(":")[0]), Random(f"{given.law} {given.seed}"))
        return 0
    end = time.monotonic() + given.seconds
    faults: dict[tuple[str, str], list[str]] = defaultdict(list)
    done = 0
    batches = _batches(given.count, given.start)
    with ProcessPoolExecutor(given.jobs) as pool:
        waiting: list[tuple[int, Any]] = []
        while True:
            while len(waiting) < 2 * given.jobs and time.monotonic() < end and (batch := next(batches, None)):
                waiting.append((batch[2], pool.submit(_batch, given.law, *batch)))
            if not waiting:
                break
            size, result = waiting.pop(0)
            done += size
            for seed, what in result.result():
                places = faults[seed.partition(":")[0], what]
                places.append(seed)
                if len(places) <= SHOWN:
                    print(f"{seed}: {what}", flush=True)
    broken = sum(map(len, faults.values()))
    print(f"{given.law}: {done:,} turns, {broken:,} break the law")
    for (name, what), seeds in sorted(faults.items(), key=lambda item: -len(item[1])):
        print(f"{len(seeds):7,} {name}: {what} (such as {seeds[0]})")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
