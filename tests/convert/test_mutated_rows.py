"""What a row says, a changed row says too, or the account names what nobody read: nothing goes through silently."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from tests.conftest import SHARED, exhaustive, nightly
from tests.helpers.mutations import MUTATIONS, OPAQUE, Row
from toolconv import convert_rows, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.pipeline import default_format
from toolconv.convert.receipt import Receipt
from toolconv.convert.unread.signs import texts_below
from toolconv.core import jsontext
from toolconv.core.declarations import declarations
from toolconv.core.messages import calls_of, text_of

NAMES = [name for name in layouts.names() if name not in ("raw", "rendered", "stream")]
"""Layouts whose rows have turns. Streams have pieces of them."""


class Said(NamedTuple):
    """What the rows of an input say: the texts of each role, the names of calls and of tools."""

    texts: set[tuple[str, str]]
    calls: Counter[str]
    tools: set[str]
    receipt: Receipt

    @property
    def named(self) -> Counter[str]:
        """What the account names, by kind."""
        account = self.receipt
        return account.unread + account.losses + Counter(reject=account.rejects, dropped=account.dropped_calls)


def said_by(row: Row) -> Said:
    options = Options(to_layout="canonical")
    result = Converter(options, layouts.get(default_format(options).layout), None).lines("f", 1, [jsontext.dumps(row)])
    texts, calls, tools = set(), Counter[str](), set()
    for written in map(jsontext.loads, result.output):
        tools |= {each.named["name"] for each in declarations(written.get("tools")) if each.named is not None}
        for message in messages_of(written):
            for key in ("content", "reasoning_content"):
                text = text_of(message.get(key))[0].strip()
                if any(map(str.isalpha, text)):
                    texts.add((str(message.get("role")), text))
            calls.update(str(call["function"].get("name")) for call in calls_of(message))
    return Said(texts, calls, tools, result.receipt)


def messages_of(row: Row) -> Iterator[Row]:
    """The messages of a canonical row, of all its answers; lists that came as JSON text stay text."""
    keys = ("messages", "prompt", "chosen", "rejected")
    answers = [*(jsontext.opened(row.get(key)) for key in keys), *(row.get("completions") or [])]
    for turns in answers:
        yield from (turn for turn in turns if isinstance(turn, dict)) if isinstance(turns, list) else ()


def silent(rows: list[Row], mutation: str, step: int = 1, start: int = 0) -> list[Row]:
    """The changed rows of which something is neither read nor named."""
    found = []
    at = start
    for row in rows:
        before: Said | None = None
        for changed in MUTATIONS[mutation](row):
            at += 1
            if at % step:
                continue
            before = before or said_by(row)
            if before.receipt.rejects:
                break
            after = said_by(changed)
            if after.receipt.rejects or after.named - before.named:
                continue
            heard = {text for _, text in after.texts}
            texts = (text for _, text in before.texts if jsontext.opened(text) is text)  # of JSON, the keys may change
            missing = [text for text in texts if not any(text in other for other in heard)]
            if missing or before.calls - after.calls or before.tools - after.tools:
                found.append(changed)
    return found


def fixtures(name: str) -> list[Row]:
    path = Path("fixtures/layouts", f"{name}.jsonl")
    rows = [json.loads(line)["row"] for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if isinstance(row, dict)]


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("step", [97, pytest.param(29, marks=exhaustive), pytest.param(1, marks=nightly)])
def test_no_part_of_a_mutated_row_goes_through_silently(mutation: str, step: int) -> None:
    rows = [row for name in NAMES for row in fixtures(name)]
    assert silent(rows, mutation, step) == []


MARKUP = frozenset("{[<*")
"""Characters of calls, declarations and turns in words, which are taken apart."""


RECORDS = frozenset({"Update available"})
"""What the program says that wrote a fixture, and nobody in the conversation."""


def renamed_keys(row: Row, seed: int) -> Row:
    """A row in which one key, drawn at random, has another name wherever it stands; those of tools stay."""
    draw = Random(f"{seed} {json.dumps(row)}")

    def keys_in(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for key, member in value.items():
                if key not in OPAQUE:
                    yield key
                    yield from keys_in(member)
        elif isinstance(value, list):
            for item in value:
                yield from keys_in(item)

    def with_name(value: Any, old: str, new: str) -> Any:
        if isinstance(value, dict):
            return {
                new if key == old else key: member if key in OPAQUE else with_name(member, old, new)
                for key, member in value.items()
            }
        return [with_name(item, old, new) for item in value] if isinstance(value, list) else value

    keys = sorted(set(keys_in(row)))
    if not keys:
        return row
    old = draw.choice(keys)
    changed: Row = with_name(row, old, draw.choice(["zz_", "my_", "x"]) + old)
    return changed


def lost_texts(row: Row) -> list[str]:
    """The texts of two words or more in a row that are in no row that comes out, where the account names nothing."""
    said = said_by(row)
    if said.named:
        return []
    options = Options(to_layout="canonical")
    layout = layouts.get(default_format(options).layout)
    written = Converter(options, layout, None).lines("f", 1, [jsontext.dumps(row)]).output
    held = [text for line in written for _, text in texts_below(jsontext.loads(line), ("",))]
    whole = "\n".join(held)
    lines = {line.strip() for line in whole.splitlines()}
    asked = {key: value for key, value in row.items() if key != "tools"}  # whose types have other names
    texts = [text for _, text in texts_below(asked, ("",)) if len(text.split()) >= 2 and MARKUP.isdisjoint(text)]
    texts = [text for text in texts if text not in RECORDS and text.strip() not in whole]
    return [text for text in texts if lines.isdisjoint(map(str.strip, text.splitlines()))]


@pytest.mark.parametrize(
    ("seed", "step"), [(1, 16), pytest.param(2, 4, marks=exhaustive), pytest.param(3, 1, marks=nightly)]
)
def test_each_text_of_a_row_with_a_renamed_key_is_written_or_named(seed: int, step: int) -> None:
    rows = [row for name in NAMES if not layouts.get(name).in_one_text for row in fixtures(name)[::step]]
    found = {json.dumps(changed): lost_texts(changed) for row in rows for changed in [renamed_keys(row, seed)]}
    assert {row: texts for row, texts in found.items() if texts} == {}


@exhaustive
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_no_part_of_a_mutated_real_row_goes_through_silently(mutation: str) -> None:
    paths = [path for path in sorted(SHARED.glob("real/*/*.jsonl")) if "raw" not in path.parts]
    if not paths:
        pytest.skip("no shared rows")
    rows: list[Any] = [json.loads(line) for path in paths for line in path.read_text().splitlines()[::12]]
    assert silent([row for row in rows if isinstance(row, dict)], mutation, 3) == []


def test_there_are_many_mutated_rows() -> None:
    assert sum(1 for name in NAMES for row in fixtures(name) for make in MUTATIONS.values() for _ in make(row)) > 5000


OPTION = re.compile(r"--(text-key|prompt-key|messages-key|tools-key|roles) (?!names the )('[^']*'|[^\s;]+)")


def proposed(receipt: Receipt) -> Iterator[tuple[dict[str, str], str]]:
    """The options that the account of a row proposes, each with the place that it reads; ``""`` for a whole row."""
    texts = [(place.reason, place.reason.split()[0]) for place in receipt.unread_places]
    for text, place in [*texts, *((place.reason, "") for place in receipt.reject_places)]:
        options = {name.replace("-", "_"): shlex.split(key)[0] for name, key in OPTION.findall(text)}
        if options:
            yield options, place


def run_with(row: Row, path: Path, **keys: str) -> Receipt:
    """The account of a run over a file with one row, which is detected as users have it detected."""
    path.write_bytes(jsontext.dumps(row) + b"\n")
    receipt = Receipt()
    if "roles" in keys:  # of which the user says what they are
        names = [name.removesuffix("=ROLE") for name in keys["roles"].split(",")]
        roles = tuple((name, ("assistant", "user")[at % 2]) for at, name in enumerate(names))
        keys = {**keys, "roles": roles}  # type: ignore[dict-item]
    list(convert_rows(str(path), Options(to_layout="canonical", **keys), receipt=receipt))  # type: ignore[arg-type]
    return receipt


def broken_proposals(rows: list[Row], step: int, path: Path) -> list[tuple[Row, dict[str, str], str]]:
    """The changed rows of which the account proposes an option that does not read what it is proposed for."""
    changed = [changed for row in rows for make in MUTATIONS.values() for changed in make(row)][::step]
    found = []
    for row in changed:
        for options, place in proposed(run_with(row, path)):
            after = run_with(row, path, **options)
            left = [each.reason.split()[0] for each in after.unread_places]
            if after.rejects or (place and place in left):
                found.append((row, options, place))
    return found


@pytest.mark.parametrize("step", [389, pytest.param(97, marks=exhaustive), pytest.param(13, marks=nightly)])
def test_each_option_that_is_proposed_reads_the_row(step: int, tmp_path: Path) -> None:
    rows = [row for name in NAMES for row in fixtures(name)]
    assert broken_proposals(rows, step, tmp_path / "row.jsonl") == []
