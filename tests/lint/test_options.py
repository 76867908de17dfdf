"""Options and settings of ``toolconv lint`` that say what is reported, fixed and failed on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import FIXTURES, each, exhaustive, toolconv
from tests.helpers.lint_rows import TWICE_ENCODED, UNKNOWN_ARGUMENT, WRONG_NAME, lines, row

MIXED = lines(row(), WRONG_NAME, TWICE_ENCODED, UNKNOWN_ARGUMENT)
CODES = ["TC101", "TC110", "TC103"]
JSONL = ("lint", "--isolated", "--select", "TC1", "--output-format", "jsonl")


def codes(*args: object, stdin: str = MIXED, cwd: Path | None = None) -> list[str]:
    return [each["code"] for each in toolconv(*args, stdin=stdin, cwd=cwd).rows]


@pytest.mark.parametrize(
    ("args", "stdin", "status"),
    [
        ([], MIXED, 1),
        (["--exit-zero"], MIXED, 0),
        (["--fail-on", "error"], MIXED, 1),
        (["--fail-on", "error"], lines(UNKNOWN_ARGUMENT), 0),
        (["--fail-on", "warning"], lines(UNKNOWN_ARGUMENT), 1),
        (["--fail-on", "warning"], lines(row()), 0),
    ],
)
def test_status(args: list[str], stdin: str, status: int) -> None:
    assert toolconv(*JSONL, *args, stdin=stdin).status == status


@pytest.mark.parametrize(
    ("args", "left"),
    [
        (["--extend-ignore", "TC103"], ["TC101", "TC110"]),
        (["--per-file-ignores", "*.x:TC101"], CODES),
        (["--per-file-ignores", "*stdin*:TC101,TC110"], ["TC103"]),
        (["--stdin-filename", "a/b.jsonl", "--per-file-ignores", "b.jsonl:TC101"], ["TC110", "TC103"]),
    ],
)
def test_what_is_not_reported(args: list[str], left: list[str]) -> None:
    assert codes(*JSONL, *args) == left


def test_the_name_of_stdin() -> None:
    assert {each["file"] for each in toolconv(*JSONL, "--stdin-filename", "b.jsonl", stdin=MIXED).rows} == {"b.jsonl"}


@pytest.mark.parametrize(
    ("own", "left"),
    [
        ({"ignore": ["TC101"]}, []),
        ({"ignore": ["undeclared-tool"]}, []),
        ({"ignore": ["TC1"]}, []),
        ({"ignore": ["TC2", "no-rule", 3]}, ["TC101"]),
        ({"ignore": "TC101"}, ["TC101"]),
        (None, ["TC101"]),
        ([], ["TC101"]),
    ],
)
def test_a_row_names_rules_to_ignore(own: object, left: list[str]) -> None:
    assert codes(*JSONL, stdin=lines({**WRONG_NAME, "_toolconv": own})) == left


def test_an_ignored_finding_is_not_fixed() -> None:
    text = lines({**TWICE_ENCODED, "_toolconv": {"ignore": ["TC110"]}})
    assert toolconv("lint", "--isolated", "--select", "TC110", "--fix", stdin=text).out == text


def test_the_configuration_ignores_by_row_id(tmp_path: Path) -> None:
    (tmp_path / "toolconv.toml").write_text('[lint]\nselect = ["TC1"]\n[lint.per-row-ignores]\nr1 = ["TC101"]\n')
    text = lines({**WRONG_NAME, "id": "r1"}, {**WRONG_NAME, "id": "r2"})
    run = toolconv("lint", "--output-format", "jsonl", stdin=text, cwd=tmp_path)
    assert [each["id"] for each in run.rows] == ["r2"]


@pytest.mark.parametrize(
    ("args", "is_fixed"),
    [
        ([], True),
        (["--fixable", "TC110"], True),
        (["--fixable", "TC2"], False),
        (["--unfixable", "TC110"], False),
        (["--fixable", "TC1", "--unfixable", "TC110"], False),
    ],
)
def test_what_is_fixed(args: list[str], is_fixed: bool) -> None:
    run = toolconv("lint", "--isolated", "--select", "TC1", "--fix", *args, stdin=lines(TWICE_ENCODED))
    assert (run.out != lines(TWICE_ENCODED)) == is_fixed


def test_the_configuration_says_what_is_fixed(tmp_path: Path) -> None:
    (tmp_path / "toolconv.toml").write_text('[lint]\nselect = ["TC1"]\nunfixable = ["TC110"]\n')
    run = toolconv("lint", "--fix", stdin=lines(TWICE_ENCODED), cwd=tmp_path)
    assert run.out == lines(TWICE_ENCODED)


def test_options_of_rules() -> None:
    text = lines(*[row(number=number) for number in range(30)])
    low, high = (
        codes("lint", "--isolated", "--select", "TC501", "--output-format", "jsonl", "--set", setting, stdin=text)
        for setting in ("TC501.min-no-call-ratio=0.0", "low-no-call-ratio.min_no_call_ratio=0.99")
    )
    assert (low, high) == ([], ["TC501"])


def test_the_tools_of_a_row_that_a_layout_reads_too_may_be_under_a_key_of_its_own() -> None:
    messages = [
        {"role": "user", "content": "Tides?"},
        {"role": "assistant", "content": '<tool_call>{"name": "tides", "arguments": {"port": 3}}</tool_call>'},
    ]
    parameters = {"type": "object", "properties": {"port": {"type": "string"}}}
    mine = [{"type": "function", "function": {"name": "tides", "description": "Tides.", "parameters": parameters}}]
    text = lines({"messages": messages, "mine": mine})
    args = ("lint", "--isolated", "--select", "TC012,TC104,TC414", "--output-format", "jsonl")
    assert codes(*args, stdin=text) == ["TC414", "TC012"]
    assert codes(*args, "--tools-key", "mine", stdin=text) == ["TC104"]


@each(
    "args, message",
    [
        (["--set", "TC501"], "write RULE.OPTION=VALUE"),
        (["--set", "TC501.none=1"], "TC501 has 'min-no-call-ratio'"),
        (["--set", "TC501.min-no-call-ratio=high"], "where 0.05 is the default"),
        (["--per-file-ignores", "TC1"], "write PATTERN:RULES"),
        (["--per-file-ignores", "a:TC9"], "unknown rule 'TC9'"),
        (["--unfixable", "TC9"], "unknown rule 'TC9'"),
    ],
)
def test_wrong_options(args: list[str], message: str) -> None:
    run = toolconv("lint", "--isolated", *args, stdin=MIXED)
    assert run.status == 2 or run.status == 1
    assert message in run.err
    assert run.out == ""


def test_show_settings(tmp_path: Path) -> None:
    (tmp_path / "toolconv.toml").write_text(
        '[lint]\nselect = ["TC101", "TC501"]\nunfixable = ["TC110"]\n[lint.severity]\nTC101 = "info"\n'
    )
    run = toolconv(
        "lint",
        "--show-settings",
        "--set",
        "TC501.min-no-call-ratio=0.2",
        "--per-file-ignores",
        "old:TC101",
        cwd=tmp_path,
    )
    assert run.status == 0
    assert run.out.splitlines() == [
        f"file: {tmp_path / 'toolconv.toml'}",
        "ignored in old: TC101",
        "not fixed: TC110",
        "rules: 3",
        "  TC011 rule-failed: error",
        "  TC101 undeclared-tool: info",
        "  TC501 low-no-call-ratio: warning (min-no-call-ratio = 0.2)",
    ]


@pytest.mark.parametrize(
    ("args", "env", "is_coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(args: list[str], env: dict[str, str], is_coloured: bool) -> None:
    run = toolconv("lint", "--isolated", "--select", "TC101", *args, stdin=MIXED, **env)
    assert ("\x1b[" in run.out) == is_coloured


def test_folders(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.jsonl").write_text(MIXED)
    (tmp_path / "d" / "b.json").write_text(json.dumps([WRONG_NAME]))
    run = toolconv(*JSONL, "d", cwd=tmp_path)
    assert [(each["file"], each["code"]) for each in run.rows] == [
        *[("d/a.jsonl", code) for code in CODES],
        ("d/b.json", "TC101"),
    ]


@exhaustive
def test_a_report_has_the_format_of_its_suffix(tmp_path: Path) -> None:
    starts = {"a.html": "<!DOCTYPE html>", "a.sarif": "{", "a.json": "[", "a.xml": "<?xml", "a.txt": "<stdin>:"}
    for name, start in starts.items():
        toolconv("lint", "--isolated", "--report", tmp_path / name, stdin=MIXED)
        assert (tmp_path / name).read_text("utf-8").startswith(start), name


def test_findings_that_are_not_fixed_are_not_offered_as_fixable() -> None:
    found = toolconv(*JSONL, "--unfixable", "TC110", stdin=MIXED)
    assert not any(each["fixable"] for each in found.rows)
    assert "fixable with" not in found.err


# ── several reports, folders with settings, rows that ignore rules ──


def test_each_report_has_the_format_of_its_suffix(tmp_path: Path) -> None:
    names = [tmp_path / name for name in ("a.sarif", "b.jsonl", "c.txt", "d")]
    reports = [word for name in names for word in ("--report", name)]
    run = toolconv("lint", "--isolated", "--select", "TC101", *reports, stdin=lines(WRONG_NAME))
    assert run.out == ""
    assert json.loads(names[0].read_text())["runs"]
    assert json.loads(names[1].read_text())["code"] == "TC101"
    assert all(name.read_text().startswith("<stdin>:1:/messages") for name in names[2:])
    shown = toolconv("lint", "--select", "TC101", *reports, "--output-format", "concise", stdin=lines(WRONG_NAME))
    assert shown.out.startswith("<stdin>:1:") and json.loads(names[1].read_text())["code"] == "TC101"


def test_a_suffix_that_names_no_format_is_refused(tmp_path: Path) -> None:
    run = toolconv("lint", "--report", tmp_path / "x.xyz", stdin=lines(WRONG_NAME))
    assert run.status == 2 and "known are .html, .json" in run.err and not (tmp_path / "x.xyz").exists()


def test_the_settings_of_the_nearest_folder_apply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, settings in (("", 'select = ["TC101"]'), ("quiet", 'select = ["TC102"]')):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "toolconv.toml").write_text(f"[lint]\n{settings}\n")
        (tmp_path / folder / "a.jsonl").write_text(lines(WRONG_NAME))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.jsonl").write_text(lines(WRONG_NAME))
    run = toolconv("lint", "a.jsonl", "quiet/a.jsonl", "below/a.jsonl", "--output-format", "jsonl")
    assert [json.loads(line)["file"] for line in run.out.splitlines()] == ["a.jsonl", "below/a.jsonl"]


def test_each_file_is_a_dataset(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file in files:
        file.write_text(lines(row()))
    assert "1 warning in 2 rows" in toolconv("lint", *files, "--isolated", "--select", "TC508").err
    assert "Nothing found in 2 rows" in toolconv("lint", *files, "--isolated", "--select", "TC508", "--each").err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rows_ignore_what_they_are_told_to(tmp_path: Path, jobs: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(lines(row(), WRONG_NAME))
    run = toolconv("lint", file, "--isolated", "--select", "TC1", "--add-ignore", "--jobs", jobs)
    assert (run.status, run.err) == (0, "1 row now ignores 1 finding. Nothing found in 2 rows.\n")
    told = {**WRONG_NAME, "_toolconv": {"ignore": ["TC101"]}}
    assert [json.loads(line) for line in file.read_text().splitlines()] == [row(), told]
    assert "Nothing found" in toolconv("lint", file, "--isolated").err


def test_fixes_are_listed_by_rule_and_row(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(lines(row(), TWICE_ENCODED, TWICE_ENCODED))
    run = toolconv("lint", file, "--isolated", "--select", "TC110", "--fix", "--show-fixes")
    assert f"fixed: {file}: TC110 arguments-double-encoded in 2 rows: 2, 3\n" in run.err
    assert "needs --fix" in toolconv("lint", file, "--show-fixes").err


PROMPT = {"messages": [{"role": "user", "content": "Hi"}]}


@pytest.mark.parametrize(("purpose", "found"), [("sft", 2), ("rl", 0), ("eval", 0), ("trace", 0)])
def test_what_rows_are_for_says_what_they_need(purpose: str, found: int) -> None:
    text = lines(PROMPT, {**PROMPT, "expected_answer": "Hi"})
    run = toolconv("lint", "--isolated", "--select", "TC211", "--for", purpose, "--output-format", "jsonl", stdin=text)
    assert len(run.out.splitlines()) == found


def test_contradictions_are_reported_in_place_of_duplicates() -> None:
    question = "What is the weather in Rome on the first day of the next month, and on the second?"
    one, other = row(arguments={"city": "Rome"}), row(arguments={"city": "Oslo"})
    one["messages"][0]["content"], other["messages"][0]["content"] = question, f"Please: {question}"
    run = toolconv("lint", "--isolated", "--select", "TC509", "--output-format", "jsonl", stdin=lines(one, other))
    assert [json.loads(line)["code"] for line in run.out.splitlines()] == ["TC511"]


def test_prompts_that_can_hardly_be_compared_are_counted(tmp_path: Path) -> None:
    prompts = [{"messages": [{"role": "user", "content": text}]} for text in ("😀", "Weather in Bern?")]
    (tmp_path / "eval.jsonl").write_text(lines(*prompts))
    run = toolconv("lint", "--isolated", "--select", "TC510", "--eval", tmp_path / "eval.jsonl", stdin=lines(row()))
    assert "TC510: 1 prompt of the evaluation set without a word, which can't be compared\n" in run.err
    assert "TC510: 1 prompt of the evaluation set of 8 words or fewer, found only if" in run.err


def test_the_overlap_with_a_line_of_several_rows_is_the_same_for_any_hash_seed() -> None:
    text = (FIXTURES / "lint" / "TC710.jsonl").read_text()
    args = ("lint", "--isolated", "--select", "TC509", "--output-format", "jsonl")
    first, second = (toolconv(*args, stdin=text, PYTHONHASHSEED=seed).out for seed in ("1", "2"))
    assert '"line":3' in first
    assert first == second
