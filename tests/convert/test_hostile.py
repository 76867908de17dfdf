"""Hostile and broken input, through the real command and at random: no crash, no hang, no row unaccounted."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, each, exhaustive, nightly, toolconv
from tests.fuzz import laws
from tests.helpers.command import TIMEOUT
from toolconv import dialects
from toolconv.core import jsontext
from toolconv.io.inputs import BLOCK_BYTES
from toolconv.lint.schema.patterns import Unaffordable, search
from toolconv.lint.schema.schemas import UNCHECKED, Validator

ALL = dialects.all_dialects()
MARKED = [dialect for dialect in ALL if dialect.markers]


# ── laws ──

ROWS = [line for path in sorted(FIXTURES.glob("*.jsonl")) for line in path.read_bytes().split(b"\n") if line]


@st.composite
def broken_line(draw: st.DrawFn) -> bytes:
    """Random bytes, or a row that is cut, spliced with another or has bytes changed."""
    line, place = draw(st.sampled_from(ROWS)), draw(st.integers(0, 3000))
    match draw(st.sampled_from(["whole", "bytes", "cut", "spliced", "changed"])):
        case "whole":
            return line
        case "bytes":
            return draw(st.binary(max_size=60)).replace(b"\n", b"")
        case "cut":
            return line[:place]
        case "spliced":
            return line[:place] + draw(st.sampled_from(ROWS))[draw(st.integers(0, 3000)) :]
        case _:
            new = draw(
                st.sampled_from([b"\0", b'"', b"null", b"[]", b"{", b"\xff", b"1e999", b"\\ud800", b'"role"', b"-"])
            )
            return line[:place] + new + line[place + draw(st.integers(0, 8)) :]


@settings(max_examples=settings().max_examples * 8)
@given(
    lines=st.lists(broken_line(), max_size=4),
    layout=st.sampled_from(laws.LAYOUTS),
    source=st.sampled_from([None, "hermes", "pythonic", "kimi_k2"]),
    target=st.sampled_from([None, *laws.TARGETS]),
)
def test_every_row_is_written_or_rejected(
    lines: list[bytes], layout: str, source: str | None, target: str | None
) -> None:
    laws.convert(lines, layout, source, target)


@settings(max_examples=40)
@given(
    lines=st.lists(broken_line(), min_size=1, max_size=2),
    layout=st.sampled_from(laws.LAYOUTS),
    source=st.sampled_from([None, "hermes"]),
    template=st.sampled_from(laws.TEMPLATES),
)
def test_every_row_is_rendered_counted_and_compared(
    lines: list[bytes], layout: str, source: str | None, template: str
) -> None:
    if layout in laws.CONVERSATIONS:
        laws.render(lines, layout, source, template)
    laws.count(lines, layout, source)
    laws.compare(lines[0], lines[-1], layout, source)


@settings(max_examples=60)
@given(line=broken_line(), layout=st.sampled_from([None, *laws.LAYOUTS]))
def test_no_rule_fails_on_any_row(line: bytes, layout: str | None) -> None:
    laws.lint(line, layout, "hermes")


# ── limits, through the real command ──

STRANGE = "\x1b]0;title\x07\x1b[2J\u202eevil\u2066\x00\x9b31m"
SOME_OF_ALL_CATEGORIES = "".join(map(chr, [*range(0x3000), *range(0xD7FC, 0xE002), *range(0x10000, 0x1F000)]))
WORD = "".join(map(chr, range(0x250))) + "".join({unicodedata.category(c): c for c in SOME_OF_ALL_CATEGORIES}.values())


def row(arguments: Any = "{}", text: str = "", parameters: Any = None, **more: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}
    said = (
        {"role": "assistant", "content": text} if text else {"role": "assistant", "content": "", "tool_calls": [call]}
    )
    tools = [{"type": "function", "function": {"name": "f", "description": "Does it.", "parameters": parameters}}]
    return {"tools": tools if parameters else [], "messages": [{"role": "user", "content": "Do."}, said], **more}


def spelled(arguments: str) -> str:
    return f'<tool_call>\n{{"name": "f", "arguments": {arguments}}}\n</tool_call>'


def nested(depth: int) -> str:
    return '{"a":' + "[" * depth + "]" * depth + "}"


def raw(line: dict[str, Any], digits: str) -> bytes:
    """A row in which JSON that no writer writes stands for the text ``@``."""
    return json.dumps(line).replace('"@"', digits).encode()


GOOD = json.dumps(row(text=spelled('{"a": 1}'))).encode()
HOSTILE: dict[str, bytes] = {
    **{f"depth {n} of a row": raw(row(extra="@"), nested(n)) for n in (900, 10_000)},
    **{f"depth {n} of arguments": raw(row("@"), nested(n)) for n in (250, 900, 10_000)},
    **{f"depth {n} of arguments as text": json.dumps(row(nested(n))).encode() for n in (250, 900, 10_000)},
    **{f"depth {n} of a call": json.dumps(row(text=spelled(nested(n)))).encode() for n in (190, 250, 900, 10_000)},
    **{f"{n} digits": raw(row("@"), f'{{"a":{"9" * n}}}') for n in (4_300, 4_301, 100_000)},
    **{f"{n} digits in a call": json.dumps(row(text=spelled(f'{{"a": {"9" * n}}}'))).encode() for n in (4_301, 100_000)},
    "hexadecimal": json.dumps(row(text=spelled("{'a': 0x" + "f" * 20_000 + "}"))).encode(),
    "a number past every double": raw(row("@"), '{"a":1e999}'),
    "every class of characters": json.dumps(row(json.dumps({WORD: WORD}), **{WORD: WORD})).encode(),
    "lone surrogates": json.dumps(row({"\ud800": "\udfff"})).encode(),
    "NUL": b"\0\0\0",
    "control characters in keys": json.dumps({STRANGE: 1}).encode(),
    "control characters in a call": json.dumps(row(text=spelled(f'{{"{STRANGE}": {STRANGE}}}'))).encode(),
    "control characters in a name": json.dumps(row(json.dumps({STRANGE: STRANGE}))).replace('"f"', json.dumps(STRANGE)).encode(),
    "5,000 keys twice": ("{" + ",".join(f'"k{n}":1,"k{n}":2' for n in range(5_000)) + "}").encode(),
    "500 calls": json.dumps(row(text=spelled("{}") * 500)).encode(),
    "markers": json.dumps(row(text="".join(marker for each in MARKED for marker in each.markers) * 2)).encode(),
    "markers in markers": json.dumps(row(text=spelled(json.dumps({each.name: each.sample for each in ALL})))).encode(),
    "a schema 250 deep": raw(row({"a": 1}, parameters="@"), '{"items":' * 230 + "{}" + "}" * 230),
    "a pattern that never ends": json.dumps(row({"a": "a" * 50 + "!"}, parameters={"properties": {"a": {"pattern": "(a+)+$"}}})).encode(),
    "a schema in itself": json.dumps(row({"a": 1}, parameters={"allOf": [{"$ref": "#"}, {"$ref": "#"}]})).encode(),
}  # fmt: skip


def shows_safely(text: str) -> bool:
    return all(char in "\n" or char.isprintable() or unicodedata.category(char) == "Zs" for char in text)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / f"{STRANGE[:-5]}.jsonl".replace("/", "")
    path.write_bytes(b"".join(line + b"\n" for line in [GOOD, *HOSTILE.values(), GOOD]))
    return path


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command",
    [
        ("parse",),
        ("convert", "--from", "hermes", "--to", "kimi_k2", "--jobs", "2"),
        pytest.param(("convert", "--from", "hermes", "--to", "pythonic"), marks=nightly),
        pytest.param(("convert", "--from", "hermes", "--to-layout", "anthropic"), marks=nightly),
        ("render", "--template", "qwen3"),
        pytest.param(("stats", "--from", "hermes"), marks=nightly),
        ("lint", "--from", "hermes", "--output-format", "concise"),
    ],
    ids=" ".join,
)
def test_hostile_rows(command: tuple[str, ...], hostile: Path, tmp_path: Path) -> None:
    written = command[0] in ("parse", "convert", "render")
    options = ("--rejects", tmp_path / "bad", "--receipt", tmp_path / "r.json") if written else ()
    run = toolconv(*command, *options, hostile, cwd=tmp_path)
    assert run.status == 1
    assert "Traceback" not in run.err and "internal error" not in run.err + run.out
    assert shows_safely(run.err)
    assert shows_safely(run.out) or written
    if written:
        account = json.loads((tmp_path / "r.json").read_text())["function_calling"]
        assert account["rows_in"] == len(HOSTILE) + 2 == account["rows_out"] + account["rejects"]["count"]
        assert account["rows_out"] == run.raw.count(b"\n")
        assert account["rejects"]["count"] == (tmp_path / "bad").read_bytes().count(b"\n")
        for line in (tmp_path / "bad").read_bytes().splitlines():
            assert line in HOSTILE.values()


def reasons(*lines: bytes) -> list[str]:
    run = toolconv("parse", "--from", "hermes", stdin=b"".join(line + b"\n" for line in [GOOD, *lines]))
    return [line.partition(": ")[2] for line in run.err.splitlines()[:-1]]


def test_limits_are_named() -> None:
    assert reasons(HOSTILE["depth 900 of a row"]) == ["rejected: nested more than 254 deep"]
    assert reasons(HOSTILE["depth 10000 of arguments"]) == ["rejected: nested more than 254 deep"]
    (dropped,) = reasons(HOSTILE["depth 10000 of a call"])
    assert dropped == "call dropped, its text kept: nested more than 200 deep"
    assert reasons(HOSTILE["100000 digits"]) == ["rejected: an integer of more than 4,300 digits"]
    (dropped,) = reasons(HOSTILE["hexadecimal"])
    assert dropped == "call dropped, its text kept: an integer of more than 4,300 digits"
    assert reasons(HOSTILE["4300 digits"]) == []


def test_nesting_that_is_read_can_be_written() -> None:
    deepest = jsontext.loads("[" * jsontext.MAX_DEPTH + "]" * jsontext.MAX_DEPTH)
    assert jsontext.loads(jsontext.dumps(deepest)) == deepest
    for depth in (jsontext.MAX_DEPTH + 1, 1_000, 100_000):
        for filling in ("", "1e-400", str(2**80)):
            with pytest.raises(jsontext.BeyondLimit, match="254 deep"):
                jsontext.loads("[" * depth + filling + "]" * depth)
    with pytest.raises(jsontext.BeyondLimit):
        jsontext.dumps([[deepest]])  # older versions of orjson write one level more


# ── long lines ──


def long_input(length: int) -> bytes:
    return GOOD + b"\n" + b"x" * length + b"\n" + GOOD


@pytest.mark.parametrize("limit", [10, len(GOOD), 100_000, 1_000_000])
def test_a_long_line_is_rejected_and_handed_on_as_it_is(limit: int, tmp_path: Path) -> None:
    for length in (limit, limit + 1, 2_000_000):
        (tmp_path / "in.jsonl").write_bytes(long_input(length))
        run = toolconv(
            "parse", "--from", "hermes", "--max-line-bytes", limit, "--rejects", "bad", "in.jsonl", cwd=tmp_path
        )
        good = 2 if limit >= len(GOOD) else 0
        reason = f"rejected: a line of more than {limit:,} bytes: --max-line-bytes allows more"
        shown = f"in.jsonl:2: {reason}\n" if good else f"in.jsonl:1: {reason} (also in lines 2, 3)\n"
        assert run.status == 1 and len(run.rows) == good
        assert (shown in run.err) == (length > limit)
        rejected = (tmp_path / "bad").read_bytes()
        assert b"x" * length + b"\n" in rejected and rejected.count(b"\n") == 3 - good


@pytest.mark.parametrize("command", ["parse", "lint", "stats", "select"])
@pytest.mark.parametrize("text", ["word " * 1000, '[{"messages": "' + "x" * 5000])
def test_a_text_or_an_array_that_is_too_long_is_an_error(command: str, text: str) -> None:
    run = toolconv(command, "--max-line-bytes", 1000, stdin=text)
    assert run.status == 2 and not run.out
    assert run.err.endswith("of more than 1,000 bytes: --max-line-bytes allows more\n")


def test_lint_stops_at_a_long_object_at_the_beginning() -> None:
    run = toolconv("lint", "--max-line-bytes", 1000, stdin=b'{"cut": "' + b"x" * 5000 + b"\n" + GOOD)
    assert run.status == 2 and "<stdin>:1: a line of more than 1,000 bytes" in run.err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("length", [100_001, 2_000_000])
def test_lint_stops_at_a_long_line_and_says_what_it_found_before(length: int, jobs: int, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(long_input(length))
    options = ("--max-line-bytes", 100_000, "--jobs", jobs, "--output-format", "concise")
    run = toolconv("lint", *options, "in.jsonl", cwd=tmp_path)
    assert run.status == 2 and "in.jsonl:2: a line of more than 100,000 bytes" in run.err
    assert run.out.startswith("in.jsonl:1: TC414") and run.out.count("\n") == 1


def measured(*args: object) -> tuple[int, float, float]:
    """Exit status, seconds of the processor and megabytes of a command."""
    code = (
        "import resource, subprocess, sys; quiet = subprocess.DEVNULL; "
        "status = subprocess.run(sys.argv[1:], stdout=quiet, stderr=quiet).returncode; "
        "used = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(status, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)"
    )
    command = [sys.executable, "-c", code, sys.executable, "-m", "toolconv", *map(str, args)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=TIMEOUT)
    status, seconds, megabytes = done.stdout.split()
    return int(status), float(seconds), float(megabytes)


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux counts it")
def test_a_line_of_100_megabytes_beyond_the_limit_takes_no_memory(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(long_input(100_000_000))
    status, _, megabytes = measured(
        "parse", "-q", "--max-line-bytes", 1_000_000, tmp_path / "in.jsonl", "--rejects", tmp_path / "bad"
    )
    assert status == 1 and megabytes < 100
    assert (tmp_path / "bad").stat().st_size == 100_000_001


@nightly  # and takes 2 GB
@pytest.mark.parametrize("text", ["x" * 100_000_000, spelled("{}") * 1_000_000], ids=["100 MB", "a million calls"])
def test_a_huge_row_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(row(text=text)) + "\n")
    status, seconds, megabytes = measured("parse", "-q", "--from", "hermes", tmp_path / "in.jsonl")
    assert status == 0 and seconds < 120 and megabytes < 2_000


@nightly  # and takes 5 GB
@pytest.mark.parametrize("spells", [True, False], ids=["in a text", "as structure"])
def test_a_million_calls_are_checked(spells: bool, tmp_path: Path) -> None:
    value = row(text=spelled("{}") * 1_000_000) if spells else row()
    if not spells:
        value["messages"][1]["tool_calls"] *= 1_000_000
    (tmp_path / "in.jsonl").write_text(json.dumps(value) + "\n")
    status, seconds, megabytes = measured("lint", "--from", "hermes", tmp_path / "in.jsonl")
    assert status == 1 and seconds < 300 and megabytes < 6_000


# ── schemas ──


@each("pattern, text, found", [
        ("^a+$", "a" * 1000, True),
        ("^[a-z0-9]+(?:-[a-z0-9]+)*$", "get-weather", True),
        (r"^[^@\s]+@[^@\s]+\.[^@\s]+$", "someone@example.org", True),
        (r"^#(?:[0-9a-fA-F]{3}){1,2}$", "#ffff", False),
        ("(a+)+$", "aaa!", False),
        *((pattern, "a" * 50 + "!", None) for pattern in (
            "(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){20}$", "(a*)*b", "(?=(a+)+$)", "a?" * 40 + "a" * 40, "x*x*x*x*x*x*y",
            "(?:" * 1000 + ")" * 1000, "(" * 10_000, "(a?){50}$",
        )),
        ("[a-z]+$", "a" * 100_000 + "!", None),
        ("a{20000}b", "a" * 1_000_000, None),
        ("(?i)ſ{5000}b", "ſ" * 300_000, None),
        ("[ab]{20000}c", "ab" * 100_000, None),
        ("(?:[ab]{200}){100}c", "ab" * 100_000, None),
        ("[a-z]{0,40}[0-9]{20000}c", "a" * 100_000, None),
        ("a{300000}b", "a" * 600_000, None),
        ("^a{20000}b", "a" * 1_000_000, False),
        ("[0-9a-f]{64}", "a" * 63 + " " + "b" * 64, True),
        (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}", "x" * 1_000_000, False),
        ("^(?:[ab]{20000}){40}$", "ab" * 400_000, True),
    ])  # fmt: skip
def test_patterns_run_only_where_that_ends(pattern: str, text: str, found: bool | None) -> None:
    began = time.process_time()
    if found is None:
        with pytest.raises(Unaffordable):
            search(pattern, text)
    else:
        assert search(pattern, text) == found
    assert time.process_time() - began < 1


def bomb(height: int, leaf: str) -> dict[str, Any]:
    """References that double at each step."""
    steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(height)}
    return {"$defs": {**steps, f"s{height}": {"type": leaf}}, "$ref": "#/$defs/s0"}


@pytest.mark.exhaustive
@pytest.mark.parametrize("schema", [bomb(60, "integer"), pytest.param(bomb(60, "string"), marks=nightly), {"allOf": [{"$ref": "#"}] * 2},
                                    {"items": {"oneOf": [{"$ref": "#"}] * 50}}])  # fmt: skip
def test_references_that_multiply_are_given_up(schema: dict[str, Any]) -> None:
    deep = jsontext.loads("[" * 100 + "1" + "]" * 100)
    for value in (1, deep):
        began = time.process_time()
        errors = Validator(schema).errors(value)
        assert time.process_time() - began < 10
        if schema.get("$defs") or "allOf" in schema or value is deep:
            assert UNCHECKED in [error.keyword for error in errors]


def test_a_tree_is_checked_to_its_leaves() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}, "name": {"type": "string"}}}
    value: dict[str, Any] = {"name": 5}
    for _ in range(50):
        value = {"next": value}
    (error,) = Validator(tree).errors(value)
    assert error.keyword == "type" and error.path == (*["next"] * 50, "name")


# ── the same result every time ──


def in_pieces(data: bytes, seed: int) -> Iterator[bytes]:
    """Standard input in pieces of random sizes, the first ones slowly."""
    chance = random.Random(seed)
    at = 0
    while at < len(data):
        size = chance.choice((1, 50, 700, 5000)) if at < 10_000 else 100_000
        yield data[at : at + size]
        time.sleep(0.1 if at == 0 else 0.01)  # the first piece alone, once the command is there to read it
        at += size


def prose(**more: str) -> bytes:
    return json.dumps({"messages": [{"role": "assistant", "content": "Hm."}], **more}).encode()


STREAMS = {
    "prose, then calls": b"\n".join([*[prose()] * 20, *[GOOD] * 20]),
    "blank lines, no row, then rows": b"\n\n\n{cut\n" + b"\n".join([GOOD] * 10),
    "unknown rows, then known": b'{"a": 1}\n' * 5 + b"\n".join([GOOD] * 10) + b"\n",
    "two dialects": b"\n".join([GOOD, *[json.dumps(row(text=dialects.get("qwen3_xml").sample)).encode()] * 20]),
    "text": b"\n Let me see.\n" + dialects.get("kimi_k2").sample.encode(),
    "one row over several lines": json.dumps(json.loads(GOOD), indent=1).encode(),
    "an array": b"\xef\xbb\xbf[\n" + b",\n".join([GOOD] * 10) + b"]",
    "a long line": long_input(400_000),
}


@pytest.mark.sweep
@pytest.mark.parametrize("command", [("parse",), ("lint", "--output-format", "concise")], ids=" ".join)
@pytest.mark.parametrize("data", STREAMS.values(), ids=STREAMS)
def test_the_pieces_of_standard_input_make_no_difference(data: bytes, command: tuple[str, ...]) -> None:
    command = (*command, "--max-line-bytes", "300000")
    whole = toolconv(*command, stdin=data)
    run = toolconv(*command, stdin=in_pieces(data, len(data)))
    assert (run.status, run.raw, run.err) == (whole.status, whole.raw, whole.err)


ENVIRONMENTS: list[dict[str, str]] = [
    {"LC_ALL": "C", "PYTHONHASHSEED": "1"},
    {"LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo"},
    {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "COLUMNS": "40"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONHASHSEED": "4"},
]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command",
    [
        ("convert", "--to", "qwen3_xml"),
        pytest.param(("render", "--template", "kimi-k2"), marks=nightly),
        ("lint",),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    "more", [[], pytest.param(list(HOSTILE.values())[-5:], marks=nightly)], ids=["rows", "odd rows"]
)
def test_locale_hash_seed_and_jobs_make_no_difference(
    command: tuple[str, ...], more: list[bytes], tmp_path: Path
) -> None:
    lines = b"".join(line + b"\n" for line in [*ROWS, *more])
    block = json.dumps(row(text="x" * BLOCK_BYTES)).encode() + b"\n"
    (tmp_path / "in.jsonl").write_bytes(lines if command[0] == "lint" else lines + block + lines)
    first: tuple[int, bytes, str] | None = None
    for number, environment in enumerate(ENVIRONMENTS if more else ENVIRONMENTS[::3], 1):
        run = toolconv(*command, "--jobs", number, "in.jsonl", cwd=tmp_path, **environment)
        first = first or (run.status, run.raw, run.err)
        assert run.status in (0, 1) and run.raw
        assert (run.status, run.raw, run.err) == first
