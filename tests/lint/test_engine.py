"""Selection, configuration, baseline, schemas, spans and fixes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT, any_text, each, exhaustive, toolconv
from tests.helpers.lint_rows import TWICE_ENCODED, UNKNOWN_ARGUMENT, WRONG_NAME, row
from toolconv import layouts
from toolconv.cli.group import cli
from toolconv.core.errors import ToolconvError
from toolconv.core.plugins import Plugin
from toolconv.dataset import lint_rows
from toolconv.lint.engine import config, selection
from toolconv.lint.engine.baseline import Baseline, BaselineError
from toolconv.lint.engine.distributed import check_rows
from toolconv.lint.engine.linter import MAX_IN_ROW, Linter
from toolconv.lint.engine.selection import Selection, UnknownRule, all_rules, selected
from toolconv.lint.engine.tally import FindingCounts
from toolconv.lint.model import fixes, spans
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.overview import turn_counts
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule, RowRule, rule
from toolconv.lint.rules.tc0_failed import RuleFailed
from toolconv.lint.schema import schemas
from toolconv.lint.schema.made_once import MadeOnce


def lint_row(value: Any, file: str = "a.jsonl", line: int = 1) -> LintRow:
    return LintRow(file, line, json.dumps(value).encode(), layouts.get("openai"), None)


# ── which rules are on ──


def test_rules_are_found_by_being_classes_and_have_stable_codes_and_names() -> None:
    rules = all_rules()
    assert list(rules) == sorted(rules)
    assert len({found.name for found in rules.values()}) == len(rules)
    for code, found in rules.items():
        assert code == found.code
        home = found.__module__.rpartition(".")[2]
        assert home == "target" or home.startswith(f"tc{code[2]}_")  # in the file of its family


ACME_RULES = """
from toolconv.lint.model.guards import Words
from toolconv.lint.rule import AssistantRule, rule


@rule("ACME101", "apology", "warning", guards=(Words("assistant", ("I'm sorry",)),))
class Apology(AssistantRule):
    def check(self, row, turn):
        if turn.text.startswith("I'm sorry"):
            yield self.finding(row, row.text_pointer(turn.message), "apologises")
"""


@pytest.mark.exhaustive
def test_a_rule_of_an_installed_package(tmp_path: Path) -> None:
    (tmp_path / "acme_rules.py").write_text(ACME_RULES)
    info = tmp_path / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[toolconv.rules]\napology = acme_rules:Apology\n")
    path = f"{tmp_path}:{ROOT}"
    lines = "".join(
        json.dumps({"messages": [{"role": "user", "content": "Go."}, {"role": "assistant", "content": text}]}) + "\n"
        for text in ("Fine.", "I'm sorry, no.")
    )
    options = ("lint", "--isolated", "--output-format", "concise", "-")
    found = toolconv(*options, stdin=lines, PYTHONPATH=path).out
    assert "<stdin>:2:/messages/1/content: ACME101 apology: apologises" in found
    for chosen in ("acme1", "apology"):
        assert "ACME101" in toolconv(*options, "--select", chosen, stdin=lines, PYTHONPATH=path).out
    assert "ACME101" not in toolconv(*options, "--select", "TC", stdin=lines, PYTHONPATH=path).out
    assert "apology" in toolconv("rules", PYTHONPATH=path).out


@pytest.mark.parametrize(("code", "message"), [("TC101", "there is a rule TC101"), ("x", "not a rule with a code")])
def test_a_rule_of_a_package_has_a_code_that_is_free(code: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = type("Mine", (Countdown,), {"code": code})
    monkeypatch.setattr("toolconv.lint.engine.selection.plugins", lambda group: [Plugin(rule, "acme_rules")])
    with pytest.raises(ToolconvError, match=f"acme_rules: .*{message}"):
        all_rules.__wrapped__()


def test_default_rules_are_those_that_say_so() -> None:
    assert selected([]) == [code for code, rule in all_rules().items() if rule.default]


@each(
    "chosen, on, off",
    [
        (Selection(("TC1",)), ["TC101", "TC117"], ["TC201"]),
        (Selection(("undeclared-tool",)), ["TC101"], ["TC102"]),
        (Selection(("tc101",)), ["TC101"], ["TC102"]),
        (Selection(None, ("TC117",)), ["TC117", "TC101"], ["TC120"]),
        (Selection(None, (), ("TC1",)), ["TC201"], ["TC101"]),
        (Selection(("ALL",), (), ("TC1",)), ["TC201"], ["TC101"]),
        (Selection(("TC101",), (), ("TC1",)), ["TC101"], ["TC102"]),  # what says more exactly counts
        (Selection(("TC1",), (), ("TC101",)), ["TC102"], ["TC101"]),
        (Selection(("TC101",), (), ("undeclared-tool",)), [], ["TC101"]),
    ],
)
def test_selection(chosen: Selection, on: list[str], off: list[str]) -> None:
    codes = selected([chosen])
    assert set(on) <= set(codes)
    assert not set(off) & set(codes)


def test_a_rule_brings_the_one_that_reports_what_it_cannot_check() -> None:
    assert selected([Selection(("TC104",))]) == ["TC011", "TC104", "TC123"]
    assert selected([Selection(("TC104",), ignore=("TC0", "TC123"))]) == ["TC104"]


def test_a_later_selection_counts() -> None:
    assert selected([Selection(("TC1",)), Selection(("TC2",))]) == selected([Selection(("TC2",))])
    assert "TC101" in selected([Selection(None, (), ("TC101",)), Selection(None, ("TC101",))])


@pytest.mark.parametrize(
    ("word", "hint"), [("undeclared-tol", "TC101 (undeclared-tool)"), ("TC1O1", "TC101"), ("TC999", "TC")]
)
def test_an_unknown_rule_is_an_error_with_the_nearest_name(word: str, hint: str) -> None:
    with pytest.raises(UnknownRule, match="unknown rule") as error:
        selected([Selection((word,))])
    assert hint in str(error.value)
    assert "toolconv rules" in str(error.value)


# ── settings ──


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_settings_are_found_upward_and_toolconv_toml_counts_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.toolconv.lint]\nselect = ['TC2']\n")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert config.load(start=below).selection.select == ("TC2",)
    write(tmp_path / "toolconv.toml", "[lint]\nselect = ['TC3']\n")
    assert config.load(start=below).selection.select == ("TC3",)
    write(tmp_path / "a" / "pyproject.toml", "[project]\nname = 'x'\n")  # says nothing of toolconv
    assert config.load(start=below).selection.select == ("TC3",)


def test_settings(tmp_path: Path) -> None:
    path = write(
        tmp_path / "toolconv.toml",
        """
        [lint]
        ignore = ["TC4"]
        baseline = "known.json"
        [lint.severity]
        TC1 = "info"
        unknown-argument = "error"
        [lint.per-file-ignores]
        "old/*.jsonl" = ["TC1"]
        "x.jsonl" = ["undeclared-tool"]
        [lint.rules.TC501]
        min-no-call-ratio = 0.5
        """,
    )
    found = config.load(str(path))
    assert found.severity["TC101"] == "info"
    assert found.severity["TC103"] == "error"  # the name says it more exactly than the prefix
    assert found.baseline == tmp_path / "known.json"
    assert "TC101" in found.ignored(str(tmp_path / "old" / "a.jsonl"))
    assert found.ignored(str(tmp_path / "deep" / "x.jsonl")) == {"TC101"}
    assert not found.ignored(str(tmp_path / "new" / "a.jsonl"))
    assert list(found.options["TC501"].values()) == [0.5]


@pytest.mark.whole
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[lint]\nselekt = []", "unknown key lint.selekt; did you mean 'select'?"),
        ("[lint]\nmin-no-call-ratio = 0.1", "such as [lint.rules.TC501]"),
        ("[lint.TC501]\nmin-no-call-ratio = 0.1", "such as [lint.rules.TC501]"),
        ("[lnt]\n", "unknown key lnt; did you mean 'lint'?"),
        ("[lint]\nselect = 'TC1'", "select must be a list"),
        ("[lint]\nselect = [1]", "select must be a list of rules"),
        ("[lint]\npreview = 1", "preview must be true or false"),
        ("[lint]\nignore = ['undeclared']", "unknown rule 'undeclared'; did you mean TC101"),
        ("[lint.severity]\nTC101 = 'fatal'", "'fatal' is none of error, warning, info"),
        ("[lint.severity]\nTC9 = 'error'", "unknown rule 'TC9'"),
        ("[lint.rules.TC501]\nmin-ratio = 1", "unknown option 'min-ratio': TC501 has"),
        ("[lint.rules.TC501]\nmin-no-call-ratio = 'x'", "where 0.05 is the default"),
        ("[lint.rules.TC101]\nx = 1", "TC101 has no options"),
        ("[lint", "toolconv.toml: "),
    ],
)
def test_settings_that_mean_nothing_are_errors(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "toolconv.toml", text)
    with pytest.raises(config.ConfigError) as error:
        config.load(str(path))
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_severity_is_separate_from_selection(tmp_path: Path) -> None:
    path = write(tmp_path / "toolconv.toml", "[lint]\nselect=['TC101']\n[lint.severity]\nTC101='info'\nTC102='error'")
    found = Linter(config.load(str(path))).check(lint_row(WRONG_NAME)).findings
    assert [(finding.code, finding.level) for finding in found] == [("TC101", "info")]


# ── the engine ──


@rule("TC998", "loud", "error")
class Loud(RowRule):
    """A rule that raises."""

    def check(self, row: LintRow) -> Iterator[Finding]:
        raise KeyError("x")
        yield


@rule("TC995", "sulky", "error")
class Sulky(DatasetRule):
    """Fails on the second row or answer, and at the end."""

    def start(self) -> None:
        self.seen = 0

    def observe(self, row: LintRow) -> None:
        self.seen += 1
        if self.seen == 2:
            raise IndexError("y")

    def merge(self, later: Sulky) -> None:
        raise TypeError("z")

    def finish(self) -> Iterator[Finding]:
        yield self.finding_in("a.jsonl", "seen")
        raise TypeError("z")


@rule("TC997", "countdown", "warning", fix="safe")
class Countdown(RowRule):
    """Counts ``n`` down with fixes, one each round."""

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row and row.row.get("n"):
            yield self.finding(row, "/n", f"{row.row['n']} left", Edit("/n", row.row["n"] - 1))


@rule("TC996", "swing", "info", fix="safe")
class Swing(RowRule):
    """Undoes what it did."""

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row and "s" in row.row:
            yield self.finding(row, "/s", "swings", Edit("/s", not row.row["s"]))


@rule("TC999", "seen", "info")
class Seen(DatasetRule):
    """Remembers what it saw."""

    def start(self) -> None:
        self.raw: list[bytes] = []

    def observe(self, row: LintRow) -> None:
        self.raw.append(row.raw)

    def merge(self, later: Seen) -> None:
        self.raw.extend(later.raw)

    def finish(self) -> Iterator[Finding]:
        yield self.finding_in("b.jsonl", "all")
        yield self.finding_in("a.jsonl", "all")


@pytest.fixture
def own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {rule.code: rule for rule in (RuleFailed, Sulky, Swing, Countdown, Loud, Seen)}
    for module in (selection, config):
        monkeypatch.setattr(module, "all_rules", lambda: known)
    monkeypatch.setattr("toolconv.lint.engine.linter.all_rules", lambda: known)


@pytest.mark.usefixtures("own_rules")
def test_a_rule_that_raises_costs_its_findings_and_nothing_else() -> None:
    linter = Linter(selections=[Selection(("TC997", "TC998", "TC995"))])
    checked = [linter.check(lint_row({"n": 1}, line=line)) for line in (1, 2, 3)]
    told = [[(finding.line, finding.code, finding.message) for finding in each.findings] for each in checked]
    loud = "the row was not checked by TC998: KeyError: 'x'"
    assert told == [
        [(1, "TC011", loud), (1, "TC997", "1 left")],
        [(2, "TC011", loud), (2, "TC011", "the row was not checked by TC995: IndexError: y"), (2, "TC997", "1 left")],
        [(3, "TC011", loud), (3, "TC997", "1 left")],
    ]
    assert all(each.has_error for each in checked)
    assert [(finding.line, finding.code, finding.message) for finding in linter.finish()] == [
        (0, "TC011", "the dataset was not checked by TC995: TypeError: z"),
        (0, "TC995", "seen"),
    ]


@pytest.mark.usefixtures("own_rules")
def test_a_rule_that_raises_in_a_further_answer_costs_its_findings_and_nothing_else() -> None:
    turns = [[{"role": "assistant", "content": text}] for text in ("Yes.", "No.")]
    row = {"prompt": [{"role": "user", "content": "Up?"}], "chosen": turns[0], "rejected": turns[1]}
    linter = Linter(selections=[Selection(("TC995", "TC999"))])
    checked = linter.check(LintRow("a.jsonl", 1, json.dumps(row).encode(), layouts.get("trl"), None))
    assert [finding.code for finding in checked.findings] == ["TC011"]
    assert [finding.code for finding in linter.finish()] == ["TC011", "TC995", "TC999", "TC999"]


@pytest.mark.usefixtures("own_rules")
def test_rows_are_fixed_although_a_rule_raises() -> None:
    linter = Linter(selections=[Selection(("TC997", "TC998"))], fix=frozenset({"safe"}))
    checked = linter.check(LintRow("a.jsonl", 1, b'{"n": 2}', None, None))
    assert checked.row.raw == b'{"n": 0}'
    assert [finding.code for finding in checked.findings] == ["TC011"]


@pytest.mark.usefixtures("own_rules")
def test_a_rule_for_the_dataset_that_raises_in_another_process_is_named_once() -> None:
    linter = Linter(selections=[Selection(("TC995",))])
    blocks = [check_rows(Linter(selections=[Selection(("TC995",))]), [lint_row({})], {}, {}) for _ in range(2)]
    for block in blocks:
        linter.add_counts("a.jsonl", block.rules, block.failures)
    assert [finding.code for finding in linter.finish()] == ["TC011", "TC995"]


@pytest.mark.usefixtures("own_rules")
@pytest.mark.parametrize(
    ("selection", "told"),
    [
        (Selection(("TC998",)), ["TC011"]),
        (Selection(("TC998",), ignore=("TC011",)), []),
        (Selection(("TC011",)), []),
    ],
)
def test_failures_are_reported_unless_ignored(selection: Selection, told: list[str]) -> None:
    assert [finding.code for finding in Linter(selections=[selection]).check(lint_row({})).findings] == told


@pytest.mark.usefixtures("own_rules")
def test_rows_are_fixed_until_nothing_is_left_and_dataset_rules_see_them_fixed_and_once() -> None:
    linter = Linter(selections=[Selection(("TC997", "TC999"))], fix=frozenset({"safe"}))
    checked = linter.check(LintRow("a.jsonl", 1, b'{"n": 50, "x": 1.0}', None, None))
    assert checked.row.raw == b'{"n": 0, "x": 1.0}'
    assert checked.fixed == {"TC997": 50}
    assert checked.findings == []
    seen = next(rule for rule in linter.rules if isinstance(rule, Seen))
    assert seen.raw == [b'{"n": 0, "x": 1.0}']


@pytest.mark.usefixtures("own_rules")
def test_fixes_that_undo_each_other_come_to_an_end() -> None:
    linter = Linter(selections=[Selection(("TC996",))], fix=frozenset({"safe"}))
    checked = linter.check(LintRow("a.jsonl", 1, b'{"s": true}', None, None))
    assert checked.fixed.total() <= 2
    assert len(checked.findings) == 1


@pytest.mark.usefixtures("own_rules")
def test_findings_of_the_dataset_come_in_the_order_of_the_files() -> None:
    linter = Linter(selections=[Selection(("TC999",))])
    linter.check(lint_row({}, "a.jsonl"))
    linter.check(lint_row({}, "b.jsonl"))
    assert [(finding.file, finding.line) for finding in linter.finish()] == [("a.jsonl", 0), ("b.jsonl", 0)]


@pytest.mark.parametrize(
    "turn",
    [
        {"parts": [{"type": "tool-pong", "toolCallId": "a", "state": "output-available", "input": {}, "output": "x"}]},
        {"content": "", "toolInvocations": [{"state": "call", "toolCallId": "a", "toolName": "pong", "args": {}}]},
    ],
)
def test_a_row_of_another_layout_in_a_file_of_openais_is_read_in_its_own(turn: dict[str, Any]) -> None:
    tools = [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}]
    asked = {"role": "user", "content": "Is it up?"}
    value = {"messages": [asked, {"id": "m2", "role": "assistant", **turn}], "tools": tools}
    linter = Linter(selections=[Selection(("TC101",))])
    assert not linter.check(lint_row({"messages": [asked], "tools": tools})).findings  # its keys are known now
    found = linter.check(lint_row(value)).findings
    assert [finding.message for finding in found] == ["'pong' is not declared; did you mean 'ping'?"]


def test_findings_of_a_row_come_in_the_order_of_the_row() -> None:
    value = row()
    value["messages"] = [
        *value["messages"][:1],
        *(json.loads(json.dumps(WRONG_NAME["messages"][1])) for _ in range(12)),
    ]
    found = Linter(selections=[Selection(("TC101",))]).check(lint_row(value)).findings
    assert [int(finding.pointer.split("/")[2]) for finding in found] == list(range(1, 13))


# ── baseline ──


def test_a_known_finding_stays_known_when_its_row_moves_and_not_when_it_changes(tmp_path: Path) -> None:
    known = Baseline()
    linter = Linter(selections=[Selection(("TC101",))])
    wrong = lint_row(WRONG_NAME, line=1)
    for finding in linter.check(wrong).findings:
        known.add(finding, wrong.raw)
    path = tmp_path / "known.json"
    path.write_bytes(known.as_bytes())
    again = Linter(selections=[Selection(("TC101",))], baseline=Baseline.read(path))
    assert again.check(lint_row(WRONG_NAME, "other.jsonl", line=99)).findings == []
    assert len(again.check(lint_row({**WRONG_NAME, "id": "new"})).findings) == 1
    assert json.loads(path.read_bytes())["known"].keys() == {"TC101"}


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 9, "known": {}}', '{"version": 1, "known": []}'])
def test_a_file_that_is_no_baseline_is_an_error(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "known.json", text)
    with pytest.raises(BaselineError, match=r"known\.json"):
        Baseline.read(path)


def test_what_is_known_is_not_fixed() -> None:
    known = Baseline()
    wrong = lint_row(TWICE_ENCODED)
    chosen = [Selection(("TC110",))]
    for finding in Linter(selections=chosen).check(wrong).findings:
        known.add(finding, wrong.raw)
    checked = Linter(selections=chosen, baseline=known, fix=frozenset({"safe"})).check(wrong)
    assert checked.row.raw == wrong.raw


# ── schemas ──

SCHEMAS: list[Any] = [
    {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False},
    {"properties": {"a": {"enum": ["x", 1, None]}, "b": {"type": ["string", "null"]}}},
    {"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}},
    {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "number", "minimum": 2}}},
    {"properties": {"a": {"type": "string", "pattern": "^a+$", "maxLength": 3}}},
    {"properties": {"a": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True}}},
    {"properties": {"a": {"type": "string", "format": "date"}}},
    {"properties": {"a": {"const": 1}, "b": {"not": {"type": "string"}}}},
    {"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number", "multipleOf": 0.1}]}}},
    {"properties": {"a": {"prefixItems": [{"type": "integer"}], "items": False}}},
    {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{"type": "integer"}]}}},
    {"dependentRequired": {"a": ["b"]}, "minProperties": 1, "propertyNames": {"maxLength": 1}},
    {"type": "object", "properties": None},
    {"type": "str", "required": True, "properties": {"a": None, "b": {"type": "integer", "enum": None}}},
    {"properties": {"a": {"$ref": "https://example.com/x.json"}, "b": {"type": "integer"}}},
    {"properties": {"a": {"$ref": "#/$defs/none"}, "b": {"type": "integer"}}},
    {"properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    True,
    False,
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 0.3, 1e300, 10**30, "", "a", "aaaa", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "cc"]), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=[str(place) for place in range(len(SCHEMAS))])
@given(value=VALUES)
def test_what_passes_without_a_validator_passes_with_one(schema: Any, value: Any) -> None:
    found = schemas.Validator(schema)
    errors, _ = found._words.errors(value)
    assert [*errors] == [] or found.errors(value)


def test_each_distinct_schema_is_compiled_once() -> None:
    assert schemas.validator({"type": "object", "x": 1}) is schemas.validator({"type": "object", "x": 1})
    assert schemas.validator({"type": "object"}) is not schemas.validator({"type": "array"})


def test_a_value_is_made_once_of_equal_json() -> None:
    made = MadeOnce(lambda value, text: [value, text])
    first = made.of({"x": 0})
    assert first == [{"x": 0}, b'{"x":0}']
    assert made.of({"x": 0}) is first
    assert made.of({"x": 1}) is not first


def test_the_draft_that_the_schema_names_is_applied() -> None:
    items = {"items": [{"type": "integer"}]}
    draft7 = {"$schema": "http://json-schema.org/draft-07/schema#", **items}
    assert [error.path for error in schemas.Validator(draft7).errors(["x"])] == [(0,)]
    assert schemas.Validator(draft7).problems == []
    assert schemas.Validator(items).problems  # in 2020-12 it is prefixItems


def test_errors_say_path_keyword_and_what_was_expected() -> None:
    schema = {"properties": {"a/b": {"items": {"type": "integer"}}}, "required": ["c"], "type": "object"}
    first, second = schemas.Validator(schema).errors({"a/b": [1, "x"]})
    assert first.path == ("a/b", 1)
    assert (first.keyword, first.expected, first.found) == ("type", "integer", "x")
    assert (second.keyword, second.missing) == ("required", "c")


def test_of_alternatives_the_one_that_was_meant_is_told() -> None:
    nullable = {"anyOf": [{"type": "object", "required": ["x"]}, {"type": "null"}]}
    assert [error.keyword for error in schemas.Validator(nullable).errors({})] == ["required"]
    (error,) = schemas.Validator(nullable).errors("text")
    assert (error.keyword, error.expected) == ("type", ["object", "null"])


def test_nothing_is_fetched_and_the_rest_of_the_schema_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a network connection")

    monkeypatch.setattr("socket.socket.connect", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    checked = schemas.Validator(SCHEMAS[14])
    assert [error.path for error in checked.errors({"a": 1, "b": "x"})] == [("b",)]
    assert [problem.keyword for problem in checked.problems] == ["$ref"]


def test_formats_are_asserted() -> None:
    day = schemas.Validator({"type": "string", "format": "date"})
    assert [error.keyword for error in day.errors("no date")] == ["format"]
    assert day.valid("2024-02-29")
    assert schemas.Validator({"type": "string", "format": "of-ours"}).valid("anything")


@pytest.mark.parametrize("schema", [None, 1, "x", [], {"properties": {"a": 1}, "anyOf": None, "pattern": 3}])
def test_what_is_no_schema_asserts_nothing_and_is_a_problem(schema: Any) -> None:
    checked = schemas.Validator(schema)
    assert checked.errors({"a": 1}) == []
    assert checked.problems


# ── spans and fixes ──

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(any_text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def pointers(value: Any, here: str = "") -> Iterator[tuple[str, Any]]:
    yield here, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from pointers(member, f"{here}/{str(key).replace('~', '~0').replace('/', '~1')}")


@given(value=JSON, indent=st.sampled_from([None, 1]), ascii_only=st.booleans())
def test_every_value_is_found_where_it_stands(value: Any, indent: int | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    root = spans.read(text)
    assert root is not None
    places = spans.SpanFinder(text, value)
    found = list(pointers(value))
    for pointer, expected in found[1::2] + found[::2]:
        span = root.at(pointer)
        assert span is not None
        assert json.loads(text[span.start : span.end]) == expected
        for wanted in (pointer, f"{pointer}/no", f"{pointer}/0"):
            assert place(places.nearest(wanted)) == place(root.nearest(wanted))


def place(span: spans.Span | None) -> tuple[int, int, int] | None:
    return None if span is None else (span.start, span.end, span.member)


def test_of_equal_keys_the_last_counts() -> None:
    root = spans.read('{"a": 1, "a": 2}')
    assert root is not None
    assert root.keys["a"].start == 14
    assert place(spans.SpanFinder('{"a": 1, "a": 2}', {"a": 2}).nearest("/a")) == (14, 15, 9)


@each(
    "text, pointer",
    [
        ('{"k": {"messages": 1}, "messages": [2, "messages"]}', "/messages/1"),
        ('{"k": "messages", "messages": [2]}', "/messages/0"),
        (r'{"k": "say \"messages", "messages" : [2]}', "/messages/0"),
        (r'{"\u006dessages": [2], "k": "messages"}', "/messages/0"),
        (r'{"\u006dessages": [2], "k": {"messages": 1}}', "/messages"),
        (r'{"k": {"b": 1}, "a\/b": [2], "x": "a/b"}', "/a~1b/0"),
        ('[{"id": 1}, {"id": 2, "x": {"id": 3}}]', "/1/id"),
        ('{"a": [1]}', "/a/01"),
        (r'{"a": "{\"b\": 1}"}', "/a/b"),
        ('{"a": {}, "b": 1}', "/a/b"),
        (r'{"a": {"x": "\u0062c"}, "b": {"x": "bc"}}', "/a/x"),
        (r'{"a": {"x": "caf\u00E9"}, "b": {"x": "caf\u00e9"}}', "/a/x"),
        (r'{"a": {"x": "b\/c"}, "b": {"x": "b/c"}}', "/a/x"),
        (r'{"a": {"x": "b\u000ac"}, "b": {"x": "b\nc"}}', "/a/x"),
        (r'{"a": "say \"abc", "x": "abc"}', "/x"),
        (r'{"x": "x: y", "y": "\"x\": \"x: y\""}', "/x"),
    ],
)
def test_what_stands_elsewhere_too_is_found_in_its_own_place(text: str, pointer: str) -> None:
    root = spans.read(text)
    assert root is not None
    assert place(spans.SpanFinder(text, json.loads(text)).nearest(pointer)) == place(root.nearest(pointer))


class WatchedText(str):
    """A text that notes whether it is searched from its beginning."""

    is_searched = False

    def find(self, *args: Any) -> int:
        self.is_searched = self.is_searched or len(args) == 1
        return super().find(*args)


@each("length, is_searched", [(20_000, True), (20_001, False)])
def test_only_a_short_row_is_searched_for_the_text_of_each_finding(length: int, is_searched: bool) -> None:
    value = {"messages": [{"content": "Hello!"}], "rest": ""}
    value["rest"] = "x" * (length - len(json.dumps(value)))
    text = WatchedText(json.dumps(value))
    found = spans.SpanFinder(text, value).nearest("/messages/0/content")
    assert found is not None
    assert text[found.start : found.end] == '"Hello!"'
    assert text.is_searched is is_searched


@each("text, edits, fixed", [
        ('{"a":1, "b" : 2.0}', [Edit("/a", 3)], '{"a":3, "b" : 2.0}'),
        ('{"a":1, "b" : 2.0}', [Edit("/a", remove=True)], '{"b" : 2.0}'),
        ('{"a":1, "b" : 2.0}', [Edit("/b", remove=True)], '{"a":1}'),
        ('{"a":1, "b" : 2.0}', [Edit("/a", remove=True), Edit("/b", remove=True)], "{}"),
        ("[1,  2,3 , 4]", [Edit("/0", remove=True), Edit("/2", remove=True)], "[2 , 4]"),
        ("[1,  2,3 , 4]", [Edit("/2", remove=True), Edit("/3", remove=True)], "[1,  2]"),
        ("[1,  2,3 , 4]", [Edit("/0", remove=True), Edit("/1", remove=True), Edit("/-", 9)], "[3 , 4, 9]"),
        ("[1]", [Edit("/0", remove=True), Edit("/-", 9)], "[9]"),
        ("[ ]", [Edit("/-", {"a": "ü"})], '[{"a": "ü"} ]'),
        ('{"a":{"b":1}}', [Edit("/a/c", [1, 2])], '{"a":{"b":1,"c":[1,2]}}'),
        ('{"a": {}}', [Edit("/a/c/d", 1)], None),
        ('{"a": 1}', [Edit("/b", remove=True)], None),
        ("{", [Edit("/a", 1)], None),
        ('{"a": 1}', [Edit("", {"a": 2})], None),
        ('{"a": 1}', [Edit("/-", 2)], None),
        ("[1]", [Edit("/1", 2)], None),
        ('{"a": 1}', [Edit("/a/b", 2)], None),
        ('{"a": {"b": 1}}', [Edit("/a", 7), Edit("/a/b", 2)], None),
        ("[1, [2, 3]]", [Edit("/1", [2, 4])], "[1, [2, 4]]"),
        ("[1, [2, 3]]", [Edit("/1", [2, 3, 4])], "[1, [2, 3, 4]]"),
        ('{"a": {"x": 1.0, "y": 1e5, "z": "\\u00fc"}}', [Edit("/a", {"x": 1.0, "y": 7, "z": "ü"})],
         '{"a": {"x": 1.0, "y": 7, "z": "\\u00fc"}}'),  # only what changes is written
        ('{"a": {"x": 1, "y": 2}}', [Edit("/a", {"y": 2, "w": 3})], '{"a": {"y": 2, "w": 3}}'),
        ('{"a": {"x": 1, "y": 2}}', [Edit("/a", {"y": 2, "x": 1})], '{"a": {"y": 2, "x": 1}}'),
        ('{"a": 1, "b": 12345678901234567890123}', [Edit("/a", 2)], '{"a": 2, "b": 12345678901234567890123}'),
        ('{"a": "\\u00e9", "b": 1}', [Edit("/b", "ü")], '{"a": "\\u00e9", "b": "\\u00fc"}'),
        ('{"a": 1}', [Edit("/a", "\ud800")], '{"a": "\\ud800"}'),
    ])  # fmt: skip
def test_edits(text: str, edits: list[Edit], fixed: str | None) -> None:
    if fixed is None:
        with pytest.raises(fixes.CannotEdit):
            fixes.apply(text, edits)
    else:
        assert fixes.apply(text, edits) == fixed


@given(value=st.dictionaries(any_text(max_size=3), JSON, min_size=1, max_size=4), new=JSON, data=st.data())
def test_an_edit_changes_what_it_says_and_nothing_else(value: Any, new: Any, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(list(value)))
    pointer = "/" + key.replace("~", "~0").replace("/", "~1")
    text = json.dumps(value)
    assert json.loads(fixes.apply(text, [Edit(pointer, new)])) == {**value, key: new}
    assert json.loads(fixes.apply(text, [Edit(pointer, remove=True)])) == {k: v for k, v in value.items() if k != key}


def test_fixes_that_touch_the_same_place_wait_for_each_other() -> None:
    def finding(*edits: Edit, drop: bool = False) -> Finding:
        return Finding("f", 1, None, "", "TC1", "x", "error", "m", edits or None, "safe", drop)

    one, two, three = finding(Edit("/a/b", 1)), finding(Edit("/a", 1)), finding(Edit("/ab", 1))
    assert fixes.compatible([one, two, three]) == [one, three]
    gone, moved = finding(Edit("/a/0", remove=True)), finding(Edit("/a/1/x", 2))
    assert fixes.compatible([gone, moved]) == [gone]
    leave = finding(drop=True)
    assert fixes.compatible([one, leave]) == [leave]


# ── the library ──


def test_lint_rows() -> None:
    found = list(lint_rows([row(), WRONG_NAME, UNKNOWN_ARGUMENT], select=["TC1"]))
    assert [(each.file, each.line, each.id, each.code) for each in found] == [
        ("<rows>", 2, "row-1", "TC101"),
        ("<rows>", 3, "row-3", "TC103"),
    ]
    assert found[0].pointer.startswith("/messages/1/tool_calls/0")
    assert "get_weather" in found[0].message


def test_lint_rows_takes_any_iterable_and_options() -> None:
    rows = (row(number=number) for number in range(300))
    found = list(lint_rows(rows, select=["low-no-call-ratio"], options={"TC501": {"min-no-call-ratio": 0.9}}))
    assert [(each.line, each.code) for each in found] == [(0, "TC501")]
    assert list(lint_rows([])) == []
    with pytest.raises(UnknownRule, match=r"^unknown rule 'nope'"):
        list(lint_rows([], select="nope"))
    assert [each.code for each in lint_rows([WRONG_NAME], select="TC101")] == ["TC101"]
    assert list(lint_rows([WRONG_NAME], select=["TC1"], ignore="TC101")) == []
    with pytest.raises(config.ConfigError):
        list(lint_rows([], options={"TC501": {"nope": 1}}))


def test_findings_of_a_rule_in_a_row_are_bounded_and_counted() -> None:
    value = row()
    call = value["messages"][1]["tool_calls"][0]
    wrong = {**call, "function": {"name": "get_wether", "arguments": "{}"}}
    value["messages"][1]["tool_calls"] = [wrong] * (MAX_IN_ROW + 5)
    found = list(lint_rows([value], select=["TC101"]))
    assert len(found) == MAX_IN_ROW + 1
    assert found[-1].message == "and 5 more from here on in this row"
    assert found[-1].pointer == f"/messages/1/tool_calls/{MAX_IN_ROW}"
    tally = FindingCounts()
    tally.rows = 1
    tally.add(found)
    assert tally.codes == {"TC101": MAX_IN_ROW + 5}
    assert tally.summary().startswith(f"Found {MAX_IN_ROW + 5:,} errors in 1 row")


@pytest.mark.parametrize("severity", [{}, {"TC103": "info"}])
def test_bounded_findings_are_counted_at_each_of_their_levels(
    severity: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolconv.lint.engine.linter.MAX_IN_ROW", 2)
    value = row(arguments={"city": "Rome", "nights": 2})
    closed = copy.deepcopy(value["tools"][0])
    closed["function"]["name"] = "get_climate"
    closed["function"]["parameters"]["additionalProperties"] = False
    value["tools"].append(closed)
    known = value["messages"][1]["tool_calls"][0]
    forbidden = {**known, "function": {**known["function"], "name": "get_climate"}}
    value["messages"][1]["tool_calls"] = [known, forbidden, known, forbidden, known, known]
    linter = Linter(config.Config(severity=severity), [Selection(("TC103",))])
    found = linter.check(LintRow("a", 1, json.dumps(value).encode(), layouts.get("openai"), None)).findings
    assert [(each.level, each.count) for each in found] == [
        (severity.get("TC103", level), count)
        for level, count in (("warning", 1), ("error", 1), ("warning", 3), ("error", 1))
    ]
    tally = FindingCounts()
    tally.add(found)
    assert tally.levels == ({"info": 6} if severity else {"warning": 4, "error": 2})


def test_bounded_findings_are_counted_in_the_summary_and_the_receipt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("toolconv.lint.engine.linter.MAX_IN_ROW", 2)
    value = row("get_wether")
    value["messages"][1]["tool_calls"] *= 9
    Path("a.jsonl").write_text(json.dumps(value) + "\n")
    options = ["--select", "TC101", "--max-findings", "1", "--receipt", "r.json", "--output-format", "concise"]
    run = CliRunner().invoke(cli, ["lint", "--isolated", "--jobs", "1", "a.jsonl", *options])
    assert len(run.stdout.splitlines()) == 1
    assert run.stderr == "… and 8 more\nFound 9 errors in 1 row.\n"
    account = json.loads(Path("r.json").read_text())["function_calling"]
    assert account["validator_issues"] == 9
    assert account["validator_issues_by_rule"] == {"TC101": 9}


POINTERS = st.lists(st.sampled_from(["a", "ab", "0"]), max_size=3).map(
    lambda path: "".join("/" + part for part in path)
)


@given(st.lists(st.lists(POINTERS, min_size=1, max_size=2), max_size=8))
def test_edits_that_are_made_together_are_not_in_each_other(places: list[list[str]]) -> None:
    found = [
        Finding("a", 1, None, "", "TC1", "x", "error", "", tuple(Edit(place) for place in each)) for each in places
    ]
    chosen: list[Finding] = []
    for finding in found:
        taken = [f"{edit.pointer}/" for other in chosen for edit in other.edits or ()]
        mine = [f"{edit.pointer}/" for edit in finding.edits or ()]
        if not any(one.startswith(other) or other.startswith(one) for one in mine for other in taken):
            chosen.append(finding)
    assert fixes.compatible(found) == chosen


@exhaustive
def test_rows_are_counted_however_many_signatures_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def calling(at: int) -> dict[str, Any]:
        function = {"name": f"tool_{at % 7}", "parameters": {"type": "object", "properties": {}}}
        call = {"id": f"c{at}", "type": "function", "function": {"name": f"tool_{at % 7}", "arguments": "{}"}}
        messages = [
            {"role": "user", "content": f"Go {at}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
        ]
        return {"tools": [{"type": "function", "function": function}], "messages": messages}

    rows = [calling(at) for at in range(300)]
    expected = list(lint_rows(rows, select=["ALL"]))
    assert {"TC501", "TC502"} <= {finding.code for finding in expected}
    for most in (1, 2, 3):
        monkeypatch.setattr("toolconv.lint.engine.dataset_rules.MAX_SIGNATURES", most)
        assert list(lint_rows(rows, select=["ALL"])) == expected


def test_the_counts_of_turns() -> None:
    counts = turn_counts(("system", "user", 0, "user", 0, "user", 2, "tool", 1, "tool", 0))
    assert (counts.called, counts.uncalled) == (1, 2)  # first turns after a user's
    assert (counts.plain, counts.single, counts.several) == (3, 1, 1)
