"""What is too much or too odd, through the real command: told with the limit's name, or kept as it is."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive, toolconv
from tests.convert.test_hostile import GOOD, HOSTILE, STRANGE, measured, raw, row, shows_safely, spelled
from toolconv.convert.options import Options
from toolconv.convert.pipeline import Unaccounted
from toolconv.convert.receipt import Receipt
from toolconv.convert.run import ConvertRun, Target
from toolconv.core import jsontext
from toolconv.lint.names import MOST_KNOWN, did_you_mean

LIMIT = "a line of more than 100 bytes: --max-line-bytes allows more"


# ── numbers that no double holds ──

NUMBERS = ["1e-400", "3e-324", "1e-999999999", "0.10000000000000000555"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "target", [(), ("--to", "qwen3_xml"), ("--to", "pythonic"), ("--to-layout", "anthropic")], ids=str
)
def test_a_number_is_written_as_it_was(target: tuple[str, ...], number: str) -> None:
    rows = [
        raw(row({"a": "@"}), number),
        raw(row("@"), json.dumps(f'{{"a": {number}}}')),
        raw(row("{}", key="@"), number),
        json.dumps(row(text=spelled(f'{{"a": {number}}}'))).encode(),
    ]
    run = toolconv("convert", "--from", "hermes", *target, stdin=b"\n".join(rows))
    assert run.status == 0
    assert [line.count(number) for line in run.out.splitlines()] == [1] * len(rows)


# ── lines beyond the limit ──

LONG = json.dumps(row(text="word " * 50))
READERS = ["parse", "convert", "render", "stats", "schema", "select"]


@pytest.mark.sweep
@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("text", [LONG, LONG + "\n", LONG[:-1] + "\n", "\n" + LONG[:-1], "{" * 1000])
def test_standard_input_of_one_long_row_has_a_row_beyond_the_limit(command: str, text: str) -> None:
    options = {"convert": ("--to", "hermes"), "render": ("--template", "qwen3")}.get(command, ())
    run = toolconv(command, *options, "--max-line-bytes", 100, stdin=text)
    assert run.status == (2 if command == "schema" else 1)  # which has nothing to print, too
    assert LIMIT in run.out + run.err


def test_diff_has_the_limit(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(LONG + "\n")
    run = toolconv("diff", "a.jsonl", "-", "--max-line-bytes", 100, stdin=LONG, cwd=tmp_path)
    assert run.status == 1
    assert run.out == f"a.jsonl:1: unreadable: {LIMIT}\n<stdin>:1: unreadable: {LIMIT}\n"
    assert toolconv("diff", "a.jsonl", "-", stdin=LONG, cwd=tmp_path).status == 0


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory as Linux counts it")
@pytest.mark.parametrize(
    "command", [("parse",), ("convert", "--to", "kimi_k2"), ("render", "--template", "qwen3")], ids=" ".join
)
def test_long_lines_take_five_times_their_memory(command: tuple[str, ...], tmp_path: Path) -> None:
    line = json.dumps(row(text="x" * 12_000_000)) + "\n"
    (tmp_path / "in.jsonl").write_text(line * 3)
    source = () if command[0] == "render" else ("--from", "hermes")
    status, _, megabytes = measured(*command, *source, "-q", tmp_path / "in.jsonl")
    assert status == 0 and megabytes < 60 + 5 * 12


# ── what is odd in names and texts ──


def test_lint_says_that_a_text_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Hello \xff.\n" + spelled("{}").encode())
    lint = toolconv("lint", "--output-format", "concise", "a.txt", cwd=tmp_path)
    assert lint.status == 1 and lint.out == "a.txt:1: TC004 invalid-encoding: not UTF-8: byte 0xFF at byte 6\n"
    fixed = toolconv("lint", "--fix", "--unsafe-fixes", "a.txt", cwd=tmp_path)
    assert fixed.status == 1 and (tmp_path / "a.txt").read_bytes().startswith(b"Hello \xff.\n<tool_call>")
    assert "not UTF-8 (byte 6)" in toolconv("parse", "a.txt", cwd=tmp_path).err


HALF = row('{"\\udfff": "\\ud800"}')
HALF["messages"][1]["tool_calls"][0]["function"]["name"] = "f\ud800"


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are any bytes there")
@pytest.mark.parametrize(
    "command",
    [
        ("convert", "--receipt", "r.json", "-o", "out.jsonl", "--resume"),
        ("render", "--template", "qwen3", "--receipt", "r.json"),
        ("stats", "--json"),
        ("stats", "--html", "page.html"),
        ("detect",),
        ("diff", "other.jsonl", "--json"),
        *(
            ("lint", "--output-format", form)
            for form in ("full", "json", "jsonl", "github", "gitlab", "sarif", "junit")
        ),
        ("lint", "--receipt", "r.json"),
        ("select", "--where", "calls", "--receipt", "s.json"),
    ],
    ids=" ".join,
)
def test_half_characters_in_names(command: tuple[str, ...], tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff\xfe.jsonl")
    for path in (name, "other.jsonl"):
        (tmp_path / path).write_text(json.dumps(HALF) + "\n")
    run = toolconv(*command, name, cwd=tmp_path)
    assert run.status == (1 if command[0] == "lint" else 0) and "Traceback" not in run.err
    if "r.json" in command:
        account = jsontext.loads((tmp_path / "r.json").read_bytes())
        assert account["function_calling"]["n_tool_calls_by_tool"] == {"f\ud800": 1}


REPORTS = [
    *(
        ("lint", "--output-format", form)
        for form in ("full", "concise", "json", "jsonl", "github", "gitlab", "sarif", "junit")
    ),
    ("stats",),
    ("stats", "--json"),
    ("stats", "--html", "/dev/stdout"),
    ("diff", "good.jsonl"),
    ("diff", "good.jsonl", "--json"),
    ("detect",),
    ("schema",),
]


@pytest.mark.parametrize("command", REPORTS, ids=" ".join)
def test_no_report_holds_what_a_terminal_obeys(command: tuple[str, ...], tmp_path: Path) -> None:
    name = f"{STRANGE}.jsonl".replace("\0", "")
    odd = [line for line in HOSTILE.values() if len(line) < 5_000]
    (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in [GOOD, *odd]))
    (tmp_path / "good.jsonl").write_bytes((GOOD + b"\n") * 40)
    dialect = () if command[0] == "detect" else ("--from", "hermes")
    run = toolconv(*command, *dialect, name, cwd=tmp_path)
    assert run.status in (0, 1) and run.out.strip()
    assert shows_safely(run.out) and shows_safely(run.err)


# ── an account that does not add up ──


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_row_that_goes_missing_stops_the_run(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if jobs > 1 and multiprocessing.get_start_method() != "fork":
        pytest.skip("the workers would not know what is patched here")
    counted = Receipt.count_written

    def forgetful(self: Receipt, row: Any, *more: Any) -> None:
        self.rows_in += "lost" in row  # as if it had read a row more
        counted(self, row, *more)

    monkeypatch.setattr(Receipt, "count_written", forgetful)
    for more, lost in (({}, False), ({"lost": True}, True)):
        (tmp_path / "in.jsonl").write_bytes(GOOD + b"\n" + json.dumps(row(text="Hm.", **more)).encode() + b"\n")
        targets = [Target([str(tmp_path / "in.jsonl")], str(tmp_path / "out.jsonl"))]
        run = ConvertRun(targets=targets, options=Options(source="hermes"), jobs=jobs)
        if lost:
            with pytest.raises(Unaccounted, match="internal error, please report: 3 rows in, 2 out, 0 rejected"):
                run.run()
        else:
            assert run.run()[0].rows_out == 2


# ── hostile templates ──


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "more than 2 seconds"),
        ("{{ 'x' * 10**10 }}", "more than 50,000,000 characters"),
        ("{% for a in range(10**12) %}x{% endfor %}", "range"),
        ("{{ 2 ** (2 ** 40) }}", "more than 4096 bits"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recursion"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ messages.append(1) }}", "unsafe"),
        ("{{ (messages | map(attribute='__class__') | first).__subclasses__() }}", "unsafe"),
    ],
)
def test_a_hostile_template_is_stopped(template: str, said: str, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    guarded = "{% if messages[0].content == 'Do.' %}" + template + "{% endif %}"
    for source in (guarded,) if "seconds" in said else (template, guarded):
        (tmp_path / "t.jinja").write_text(source)
        began = time.monotonic()
        run = toolconv("render", "--chat-template", "t.jinja", stdin=GOOD, cwd=tmp_path)
        assert run.status in (1, 2) and not run.out and time.monotonic() - began < 60
        assert said in run.err and "Traceback" not in run.err and "internal error" not in run.err


# ── similar names ──


def similar_names(number: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return ["".join(chance.choices("abcde_", k=60)) for _ in range(number)]


@exhaustive
@pytest.mark.parametrize(("tools", "calls"), [(600, 200), (1_500, 50)])
def test_names_like_no_other_are_looked_up_in_bounded_time(tools: int, calls: int) -> None:
    known = similar_names(tools, 1)
    began = time.process_time()
    hints = [did_you_mean(name, known) for name in similar_names(calls, 2)]
    assert time.process_time() - began < 2  # more than 30 seconds if each name is compared with each
    without = "" if tools <= MOST_KNOWN else f"; compared with the first {MOST_KNOWN:,} names only"
    assert without in hints and all(hint == without or "did you mean" in hint for hint in hints)


def test_of_many_names_the_nearest_is_found() -> None:
    known = [*similar_names(900, 1), "get_weather", "get_forecast"]
    assert did_you_mean("get_wether", known) == "; did you mean 'get_weather'?"
    longer = ["give_an_hourly_forecast_of_a_whole_city", "get_hourly_forecast_of_a_city", "ping"]
    assert did_you_mean("forecast", longer) == "; did you mean 'get_hourly_forecast_of_a_city'?"
    assert did_you_mean("gte_weahter", known) == "; did you mean 'get_weather'?"
    assert did_you_mean("GetWeather", [*similar_names(2_000, 1), "get_weather"]) == "; did you mean 'get_weather'?"
