"""``toolconv lint`` and ``toolconv rules``: the real command in a real pipe."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import exhaustive, nightly, rows, shared, toolconv
from tests.helpers.command import TIMEOUT
from tests.helpers.lint_rows import TWICE_ENCODED, UNKNOWN_ARGUMENT, WRONG_NAME, lines, row

GOOD = lines(row(), row(number=7))
MIXED = lines(row(), WRONG_NAME, TWICE_ENCODED, UNKNOWN_ARGUMENT)
TC1 = ("--select", "TC1", "--output-format", "concise")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="")
    return path


# ── findings, summary, status ──


def test_rows_before_a_line_beyond_the_limit_are_checked() -> None:
    long = row(pad="x" * 5000)
    run = toolconv("lint", "--output-format", "concise", "--max-line-bytes", 2000, stdin=lines(row(), WRONG_NAME, long))
    assert run.status == 2
    assert run.out.startswith("<stdin>:2:") and "TC101" in run.out
    assert "<stdin>:3: a line of more than 2,000 bytes" in run.err


def test_nothing_found() -> None:
    run = toolconv("lint", "--select", "TC1", stdin=GOOD)
    assert (run.status, run.out, run.err) == (0, "", "Nothing found in 2 rows.\n")


def test_findings_go_to_stdout_and_the_summary_to_stderr() -> None:
    run = toolconv("lint", *TC1, stdin=MIXED)
    assert run.status == 1
    assert run.out.startswith("<stdin>:2:/messages/1/tool_calls/0: TC101 undeclared-tool: ")
    assert run.err == "Found 2 errors, 1 warning in 4 rows (1 fixable with --fix).\n"
    assert toolconv("lint", *TC1, "-q", stdin=MIXED).err == ""


def test_several_files_in_order_and_dataset_findings_last(tmp_path: Path) -> None:
    one, two = write(tmp_path / "1.jsonl", MIXED), write(tmp_path / "2.jsonl", MIXED + GOOD * 50)
    run = toolconv("lint", "--select", "TC101,TC502", "--output-format", "jsonl", two, one)
    found = [(Path(each["file"]).name, each["code"]) for each in run.rows]
    assert found[:2] == [
        ("2.jsonl", "TC101"),
        ("1.jsonl", "TC101"),
    ]
    assert [code for _, code in found[2:]] == ["TC502"]
    again = toolconv("lint", "--select", "TC101,TC502", "--output-format", "jsonl", two, one)
    assert again.out == run.out


def test_statistics_and_max_findings() -> None:
    run = toolconv("lint", "--select", "TC1", "--statistics", stdin=MIXED * 3)
    assert [line.split() for line in run.out.splitlines()] == [
        ["3", "3", "rows", "error", "TC101", "undeclared-tool"],
        ["3", "3", "rows", "warning", "TC103", "unknown-argument"],
        ["3", "3", "rows", "error", "TC110", "*", "arguments-double-encoded"],
    ]
    run = toolconv("lint", *TC1, "--max-findings", 2, stdin=MIXED * 3)
    assert len(run.out.splitlines()) == 2
    assert run.err == "… and 7 more\nFound 6 errors, 3 warnings in 12 rows (3 fixable with --fix).\n"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--select", "TC9"], "unknown rule 'TC9'"),
        (["--ignore", "undeclared-tols"], "did you mean TC101 (undeclared-tool)?"),
        (["--from", "hermse"], "hermes"),
        (["--from-layout", "opnai"], "did you mean 'openai'?"),
        (["--config", "none.toml"], "none.toml: No such file"),
        (["--baseline", "none.json"], "none.json: No such file"),
        (["--unsafe-fixes"], "--unsafe-fixes needs"),
        (["--fix", "--filter"], "use only one of"),
        (["-o", "x"], "--report FILE"),
        (["--output-format", "xml"], "'xml' is not one of"),
        (["none.jsonl"], "none.jsonl: No such file"),
    ],
)
def test_wrong_usage(tmp_path: Path, args: list[str], said: str) -> None:
    run = toolconv("lint", *args, cwd=tmp_path)
    assert run.status == 2
    assert said in run.err
    assert "Traceback" not in run.err


def test_settings_are_read_and_isolated_leaves_them(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.toolconv.lint]\nselect = ["TC103"]\n')
    folder = tmp_path / "data"
    folder.mkdir()
    write(folder / "a.jsonl", MIXED)
    one = toolconv("lint", "--output-format", "jsonl", "a.jsonl", cwd=folder)
    assert {each["code"] for each in one.rows} == {"TC103"}
    all_of_them = toolconv("lint", "--isolated", "--output-format", "jsonl", "a.jsonl", cwd=folder)
    assert {"TC101", "TC103", "TC110"} <= {each["code"] for each in all_of_them.rows}
    write(tmp_path / "pyproject.toml", "[tool.toolconv.lint]\nselct = []\n")
    run = toolconv("lint", "a.jsonl", cwd=folder)
    assert run.status == 2
    assert "unknown key tool.toolconv.lint.selct" in run.err or "unknown key lint.selct" in run.err


def test_options_that_are_a_rules_own(tmp_path: Path) -> None:
    evaluation = write(tmp_path / "eval.jsonl", lines(row(number=7)))
    run = toolconv("lint", "--eval", evaluation, "--select", "TC1", "--output-format", "jsonl", stdin=GOOD)
    assert [(each["line"], each["code"]) for each in run.rows] == [(2, "TC510")]
    run = toolconv("lint", "--eval", "none.jsonl", stdin=GOOD)
    assert run.status == 2
    assert "none.jsonl: No such file" in run.err
    run = toolconv("lint", "--max-chars", 500, "--select", "TC1", "--output-format", "jsonl", stdin=GOOD)
    assert {each["code"] for each in run.rows} == {"TC514"}


@pytest.mark.parametrize(
    ("select", "option"), [("TC510", "eval"), ("row-too-long", "max-chars or max-tokens"), ("TC601", "trainer")]
)
def test_a_rule_that_checks_nothing_without_an_option_is_named(select: str, option: str) -> None:
    run = toolconv("lint", "--isolated", "--select", select, stdin=GOOD)
    assert run.status == 0 and f" was not checked: it needs its option {option}\n" in run.err
    for command in (("--select", "ALL"), ("--select", "TC5"), ("--select", select, "--quiet")):
        assert "not checked" not in toolconv("lint", "--isolated", *command, stdin=GOOD).err


@exhaustive
def test_an_evaluation_set_is_any_input(tmp_path: Path) -> None:
    prompts = row(number=7)
    (tmp_path / "folder").mkdir()
    (tmp_path / "eval.jsonl.gz").write_bytes(gzip.compress(lines(prompts).encode()))
    write(tmp_path / "eval.json", json.dumps([prompts], indent=2))
    write(tmp_path / "folder" / "eval.jsonl", lines(prompts))
    write(tmp_path / "eval.csv", "id,question\n1," + json.dumps(prompts["messages"][0]["content"]) + "\n")
    for name in ("eval.jsonl.gz", "eval.json", "folder", "eval.csv"):
        run = toolconv("lint", "--isolated", "--select", "TC510", "--eval", name, "-", stdin=GOOD, cwd=tmp_path)
        assert (run.status, "TC510" in run.out) == (1, True), (name, run.err)
    for content, why in (
        (lines(prompts).encode("utf-16"), "eval.bad: UTF-16 text"),
        (b'{"answer": 1}\n', "eval.bad: no prompts in it"),
        (lines(prompts).encode() + b"[]\n", "eval.bad:2: not a row of an evaluation set"),
        (b"", "eval.bad: no prompts in it"),
    ):
        (tmp_path / "eval.bad").write_bytes(content)
        run = toolconv("lint", "--isolated", "--select", "TC510", "--eval", "eval.bad", stdin=GOOD, cwd=tmp_path)
        assert run.status == 2 and why in run.err, run.err


# ── what an input may be ──


def test_compressed_files(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(MIXED.encode()))
    run = toolconv("lint", *TC1, "a.jsonl.gz", cwd=tmp_path)
    assert run.out.startswith("a.jsonl.gz:2:")


def test_rows_of_an_array_are_rows_at_their_lines(tmp_path: Path) -> None:
    array = json.dumps([row(), WRONG_NAME], indent=1)
    for name in ("a.json", "a.jsonl"):
        write(tmp_path / name, array)
        run = toolconv("lint", "--select", "TC0,TC1", "--output-format", "jsonl", name, cwd=tmp_path)
        assert [each["code"] for each in run.rows] == ["TC101"]
        line = array.splitlines()[run.rows[0]["line"] - 1]
        assert line.strip() == "{"  # where the row begins
        assert "2 rows" in run.err


def test_a_row_over_several_lines(tmp_path: Path) -> None:
    write(tmp_path / "a.json", json.dumps(WRONG_NAME, indent=1) + "\n")
    run = toolconv("lint", *TC1, "a.json", cwd=tmp_path)
    assert run.out.startswith("a.json:1:/messages/1/")
    assert "in 1 row." in run.err


def test_raw_text() -> None:
    text = '<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>'
    run = toolconv("lint", *TC1, "--from", "hermes", stdin=text)
    assert "TC122" in run.out
    fixed = toolconv("lint", "--select", "TC122", "--from", "hermes", "--fix", "--unsafe-fixes", stdin=text + "\n")
    assert '"arguments": {"a": 1}' in fixed.out
    assert "trailing_comma" not in fixed.out
    assert fixed.status == 0


def test_a_line_that_ends_the_file_too_early_is_told_apart() -> None:
    cut = toolconv("lint", "--select", "TC0", "--output-format", "jsonl", stdin=GOOD + '{"messages": [{"ro')
    assert [(each["line"], each["code"]) for each in cut.rows] == [(3, "TC008")]
    broken = toolconv("lint", "--select", "TC0", "--output-format", "jsonl", stdin='{"messages": [{"ro\n' + GOOD)
    assert [(each["line"], each["code"]) for each in broken.rows] == [(1, "TC001")]


@exhaustive
def test_hostile_bytes_do_no_harm() -> None:
    for data in (
        b"\x00\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"\xef\xbb\xbf",
        b"[]",
        b"{}\n[]\n1\n",
    ):
        run = toolconv("lint", stdin=data)
        assert run.status in ((2,) if b"\0" in data else (0, 1)), (data[:10], run.err)
        assert "Traceback" not in run.err


def test_blank_lines_are_counted_and_passed_over() -> None:
    run = toolconv("lint", *TC1, stdin="\n\n" + lines(WRONG_NAME))
    assert run.out.startswith("<stdin>:3:")
    assert "in 1 row." in run.err


# ── fixes ──


def test_fix_changes_what_it_must_and_a_second_run_nothing(tmp_path: Path) -> None:
    spaced = (
        '{"n": 1.0, "big": 123456789012345678901234567890,  "e": 1e-7, "u": "\\u00e9", ' + json.dumps(TWICE_ENCODED)[1:]
    )
    text = GOOD + spaced + "\r\n\n" + lines(WRONG_NAME).removesuffix("\n")
    path = write(tmp_path / "a.jsonl", text)
    path.chmod(0o640)
    run = toolconv("lint", *TC1, "--fix", path)
    fixed = path.read_bytes().decode()
    inner = json.dumps(json.dumps({"city": "Rome"}))
    assert fixed == text.replace(json.dumps(json.dumps(json.dumps({"city": "Rome"}))), inner)
    assert run.status == 1
    assert run.err == "Fixed 1. Found 1 error in 4 rows.\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    before = path.stat()
    again = toolconv("lint", *TC1, "--fix", path)
    assert again.err == "Found 1 error in 4 rows.\n"
    assert path.stat().st_mtime_ns == before.st_mtime_ns  # not even written
    assert list(tmp_path.iterdir()) == [path]


def test_fix_of_compressed_files_links_and_arrays(tmp_path: Path) -> None:
    zipped = tmp_path / "a.jsonl.gz"
    zipped.write_bytes(gzip.compress(MIXED.encode()))
    target = write(tmp_path / "target.jsonl", MIXED)
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    array = write(tmp_path / "b.json", json.dumps([row(), TWICE_ENCODED], indent=2))
    toolconv("lint", "--select", "TC110", "--fix", zipped, link, array)
    inner = json.dumps({"city": "Rome"})
    for found in (gzip.decompress(zipped.read_bytes()).decode(), target.read_text()):
        assert [json.loads(line) for line in found.splitlines()][2]["messages"][1]["tool_calls"][0]["function"]["arguments"] == inner  # fmt: skip
        assert found.splitlines()[0] == MIXED.splitlines()[0]
    assert link.is_symlink()
    expected = [row(), row(arguments=inner, number=2)]
    assert array.read_text() == json.dumps(expected, indent=2)


def test_fix_of_standard_input_is_a_filter() -> None:
    run = toolconv("lint", *TC1, "--fix", stdin=MIXED)
    assert run.rows[2]["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"city": "Rome"}'
    assert len(run.rows) == 4
    assert "<stdin>:2:" in run.err
    assert run.err.endswith("Fixed 1. Found 1 error, 1 warning in 4 rows.\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_streams_are_not_fixed_in_place(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(pipe.write_text, MIXED)
        runs = [toolconv("lint", "--fix", pipe), toolconv("lint", "--fix", "/dev/stdin", stdin=MIXED)]
    for run in runs:
        assert (run.status, run.out) == (2, "")
        assert "not a file that can be replaced: give it as standard input, with - as FILE" in run.err


def test_rows_that_are_left_out(tmp_path: Path) -> None:
    twice = lines(row(), row(), row(number=7), row())
    path = write(tmp_path / "a.jsonl", twice.removesuffix("\n"))
    diff = toolconv("lint", "--select", "TC508", "--diff", "a.jsonl", cwd=tmp_path)
    assert [line for line in diff.out.splitlines() if line.startswith("@@")] == ["@@ -2 +1,0 @@", "@@ -4 +2,0 @@"]
    untouched = toolconv("lint", "--select", "TC5", "--fix", path)
    assert path.read_text() == twice.removesuffix("\n")
    removable = "2 rows removable with --fix --fixable TC508, 1 row removable with --fix --unsafe-fixes --fixable TC509"
    assert untouched.err == f"Found 2 warnings, 1 note in 4 rows ({removable}).\n"
    run = toolconv("lint", "--select", "TC508", "--fix", "a.jsonl", cwd=tmp_path)
    reasons = [
        f"a.jsonl:{line}: removed: TC508 exact-duplicate-row: the same row as line 1, byte for byte" for line in (2, 4)
    ]
    assert run.err.splitlines() == [*reasons, "Fixed 2. Nothing found in 4 rows."]
    assert rows(path) == [row(), row(number=7)]
    array = write(tmp_path / "a.json", json.dumps([row(), row(), row(number=7), row()], indent=1))
    toolconv("lint", "--select", "TC508", "--fix", array)
    assert json.loads(array.read_text()) == [row(), row(number=7)]


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
@pytest.mark.parametrize("shape", ["lines", "unended", "array"])
def test_diff_shows_what_fix_does_and_patch_agrees(tmp_path: Path, shape: str) -> None:
    values = [row(), TWICE_ENCODED, WRONG_NAME, {**TWICE_ENCODED, "id": "again"}]
    text = json.dumps(values, indent=1) + "\n" if shape == "array" else lines(*values)
    if shape == "unended":
        text = text.removesuffix("\n")
    path = write(tmp_path / "a.json", text)
    run = toolconv("lint", "--select", "TC110", "--diff", "a.json", cwd=tmp_path)
    assert run.status == 1
    assert path.read_text() == text
    assert run.err == "Would fix 2. Nothing found in 4 rows.\n"
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply", "--unidiff-zero", "-"], cwd=tmp_path, input=run.raw, check=True)
    patched = path.read_text()
    write(path, text)
    toolconv("lint", "--select", "TC110", "--fix", "a.json", cwd=tmp_path)
    assert path.read_text() == patched != text
    clean = toolconv("lint", "--select", "TC110", "--diff", "a.json", cwd=tmp_path)
    assert (clean.status, clean.out) == (0, "")


def test_unsafe_fixes_are_made_only_when_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", lines(row(arguments={"city": "Rome", "days": "3"})))
    run = toolconv("lint", "--select", "TC106", "--fix", path)
    assert run.err == "Found 1 warning in 1 row (1 fixable with --fix --unsafe-fixes).\n"
    run = toolconv("lint", "--select", "TC106", "--fix", "--unsafe-fixes", path)
    assert run.err == "Fixed 1. Nothing found in 1 row.\n"
    (fixed,) = rows(path)
    assert json.loads(fixed["messages"][1]["tool_calls"][0]["function"]["arguments"]) == {"city": "Rome", "days": 3}


# ── filter, report, baseline, receipt ──


def test_filter_writes_rows_without_errors_unchanged(tmp_path: Path) -> None:
    odd = '{ "messages": [{"role": "user", "content": "hi"}],  "x": 1.0}\r'
    text = lines(row(), WRONG_NAME, "{broken", UNKNOWN_ARGUMENT) + odd + "\n"
    run = toolconv("lint", "--select", "TC0,TC1", "--output-format", "concise", "--filter", stdin=text)
    assert run.raw.decode() == lines(row(), UNKNOWN_ARGUMENT) + odd + "\n"  # a warning is no error
    assert "<stdin>:2:" in run.err
    assert run.status == 1
    report, out = tmp_path / "report.jsonl", tmp_path / "out.jsonl.gz"
    run = toolconv("lint", "--select", "TC0,TC1", "--filter", "--report", report, "-o", out, stdin=text)
    assert run.out == ""
    assert run.err == "Found 2 errors, 1 warning in 5 rows.\n"
    assert [each["code"] for each in rows(report)] == ["TC101", "TC001", "TC103"]
    assert gzip.decompress(out.read_bytes()).decode() == lines(row(), UNKNOWN_ARGUMENT) + odd + "\n"


@exhaustive
def test_filter_in_a_pipe_hands_rows_on_at_once() -> None:
    command = [sys.executable, "-m", "toolconv", "lint", "--filter", "--select", "TC1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines(row()).encode())
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == row()
        process.stdin.close()
        assert process.wait(timeout=TIMEOUT) == 0


@exhaustive
def test_a_closed_pipe_ends_quietly() -> None:
    data = lines(*[{**WRONG_NAME, "id": str(number)} for number in range(3000)])
    command = f"{sys.executable} -m toolconv lint --select TC1 --output-format concise | head -1"
    done = subprocess.run(
        ["bash", "-c", command], input=data.encode(), capture_output=True, timeout=TIMEOUT, check=False
    )
    assert done.stdout.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr


def test_baseline(tmp_path: Path) -> None:
    mixed = MIXED + GOOD * 50
    path = write(tmp_path / "a.jsonl", mixed)
    run = toolconv("lint", "--select", "TC1,TC502", "--write-baseline", "known.json", "a.jsonl", cwd=tmp_path)
    assert (run.status, run.out) == (0, "")
    write(path, lines(row(number=9)) + mixed)  # every row moved
    known = ("lint", "--select", "TC1,TC502", "--baseline", "known.json", "--output-format", "concise", "a.jsonl")
    run = toolconv(*known, cwd=tmp_path)
    assert (run.status, run.out) == (0, "")
    write(path, lines({**WRONG_NAME, "id": "changed"}) + mixed)
    run = toolconv(*known, cwd=tmp_path)
    assert run.status == 1
    assert len(run.out.splitlines()) == 1


@exhaustive
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_gone_of_a_baseline_is_counted(jobs: int, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", MIXED + GOOD * 50)
    toolconv("lint", "--select", "TC1,TC502", "--write-baseline", "known.json", "a.jsonl", cwd=tmp_path)
    known = ("lint", "--select", "TC1,TC502", "--baseline", "known.json", "--jobs", jobs, "a.jsonl")
    assert "Of 4 findings in the baseline, 0 are gone." in toolconv(*known, cwd=tmp_path).err
    write(path, MIXED.replace(lines(WRONG_NAME), "") + GOOD * 50)
    assert "Of 4 findings in the baseline, 1 is gone." in toolconv(*known, cwd=tmp_path).err
    write(path, GOOD)
    assert "Of 4 findings in the baseline, 4 are gone." in toolconv(*known, cwd=tmp_path).err


def test_receipt(tmp_path: Path) -> None:
    toolconv("lint", "--select", "TC1", "--filter", "--receipt", "r.json", cwd=tmp_path, stdin=MIXED)
    document = json.loads((tmp_path / "r.json").read_text())
    account = document["function_calling"]
    assert account["validator_issues"] == 3
    assert account["validator_issues_by_rule"] == {"TC101": 1, "TC103": 1, "TC110": 1}
    assert (account["n_tools_declared"], account["n_tool_calls"]) == (1, 4)
    assert len(account["tool_schema_hash"]) == 64
    assert (account["rows_in"], account["rows_out"], account["rejects"]["count"]) == (4, 2, 2)
    assert [place["line"] for place in account["rejects"]["places"]] == [2, 3]
    assert (set(document["inputs"]), set(document["outputs"])) == ({"<stdin>"}, {"<stdout>"})


def test_calls_in_texts_are_in_the_receipt(tmp_path: Path) -> None:
    text = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    stdin = lines({"text": text}, {"text": "no call"})
    toolconv("lint", "--from", "hermes", "--receipt", "r.json", cwd=tmp_path, stdin=stdin)
    account = json.loads((tmp_path / "r.json").read_text())["function_calling"]
    assert account["n_tool_calls_by_tool"] == {"f": 1}
    assert account["no_call_ratio"] == 0.5


def test_convert_lints_in_the_same_pass(tmp_path: Path) -> None:
    write(tmp_path / "toolconv.toml", '[lint]\nselect = ["TC1"]\n')
    args = ("convert", "--to", "hermes", "--from", "hermes", "--lint", "--receipt", "r.json")
    for jobs in ("1", "2"):
        run = toolconv(*args, "--jobs", jobs, cwd=tmp_path, stdin=MIXED)
        assert len(run.rows) == 4
        assert run.status == 1
        assert "<stdin>:2:/messages/1/tool_calls/0: TC101 undeclared-tool" in run.err
        assert "Found 2 errors, 1 warning in 4 rows" in run.err
        account = json.loads((tmp_path / "r.json").read_text())["function_calling"]
        assert account["validator_issues_by_rule"] == {"TC101": 1, "TC103": 1, "TC110": 1}
    assert toolconv(*args, cwd=tmp_path, stdin=GOOD).status == 0
    raw = '<tool_call>{"name": "f", "arguments": {"a": 1,}}</tool_call>'
    run = toolconv("convert", "--from", "hermes", "--to", "kimi_k2", "--lint", cwd=tmp_path, stdin=raw)
    assert "TC122" in run.err
    assert "functions.f:0" in run.out
    without = toolconv("convert", "--from", "hermes", "--receipt", "r.json", cwd=tmp_path, stdin=raw)
    assert without.status == 0
    assert json.loads((tmp_path / "r.json").read_text())["function_calling"]["validator_issues"] is None


# ── rules ──


def test_rules_are_listed_and_each_has_a_page() -> None:
    from toolconv.lint.engine.selection import all_rules

    listed = toolconv("rules").out.splitlines()
    assert [line.split()[0] for line in listed] == list(all_rules())
    page = toolconv("rules", "TC101").out
    assert "undeclared-tool" in page
    assert page == toolconv("rules", "undeclared-tool").out
    wrong = toolconv("rules", "TC1O1")
    assert wrong.status == 2
    assert "did you mean TC101" in wrong.err


# ── real data ──


@exhaustive
def test_clean_real_data_has_no_finding_of_the_default_rules_of_tc1() -> None:
    path = shared("real", "datasets", "tau-bench-airline-gpt-4o.jsonl")
    run = toolconv("lint", "--isolated", "--output-format", "jsonl", path)
    assert [each for each in run.rows if each["code"].startswith("TC1")] == []


@pytest.mark.exhaustive
def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for number in range(count):
                file.write(lines({**WRONG_NAME, "id": f"row-{number}", "pad": "x" * 400}))
        code = (
            "import resource, sys; from toolconv.cli.group import cli\n"
            f"cli(['lint', '--select', 'TC1,TC2', '--statistics', {str(path)!r}], standalone_mode=False)\n"
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        return int(done.stderr.split()[-1])

    assert peak(6000) < peak(1000) + 6_000  # KB; the larger file is 8 MB


@pytest.mark.parametrize("first", [pytest.param(2, marks=exhaustive), pytest.param(None, marks=nightly)])
def test_fixing_real_data_twice_is_fixing_it_once(first: int | None, tmp_path: Path) -> None:
    names = []
    for path in sorted(shared("real", "datasets").glob("*.jsonl")) + sorted(
        shared("real", "containers").glob("*.jsonl")
    ):
        names.append(path.name)
        (tmp_path / path.name).write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:first]))
    everything = ("lint", "--isolated", "--select", "ALL", "--unsafe-fixes")
    first = toolconv(*everything, "--fix", "--statistics", *names, cwd=tmp_path)
    assert first.err.startswith("Fixed ")
    assert "Traceback" not in first.err
    for name in names:
        for line in (tmp_path / name).read_bytes().splitlines():
            json.loads(line)
    second = toolconv(*everything, "--diff", *names, cwd=tmp_path)
    assert (second.status, second.out) == (0, "")
