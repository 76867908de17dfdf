"""Every rule: its cases under ``fixtures/lint/<code>.jsonl``, and its page.

A case is a line: ``case`` (``pass``, ``fail``, ``fix``), ``rows`` (JSON) or ``lines`` (text as it stands, ``hex`` for
bytes), and for ``fail`` the ``findings`` (``line``, ``pointer``, ``message``, ``level`` where it isn't the rule's), for ``fix``
the ``fixed`` rows. ``dialect`` and ``layout`` are given where they can't be told from so few rows, ``options`` are the
rule's, ``with`` are other rules that are enabled, ``raises`` are the messages of the errors that rules are made to raise at every row, ``cut`` says that the last line has no end, ``times`` how often each row comes.
"""

import inspect
import json
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.conftest import each_table
from toolconv import layouts
from toolconv.convert.detect import Detector
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection, all_rules
from toolconv.lint.model.row import LintRow

ROOT = Path(__file__).parents[2]
CASES = ROOT / "fixtures" / "lint"
FILE = "train.jsonl"
RULES = all_rules()


def cases():
    for path in sorted(CASES.glob("*.jsonl")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            case = json.loads(line)
            yield pytest.param(path.stem, case, id=f"{path.stem}-{number}-{case['case']}")


def lines_of(case):
    if "hex" in case:
        return [bytes.fromhex(line) for line in case["hex"]]
    if "lines" in case:
        return [line.encode("utf-8", "surrogatepass") for line in case["lines"]]
    times = case.get("times", [1] * len(case["rows"]))
    rows = [row for row, count in zip(case["rows"], times, strict=True) for _ in range(count)]
    return [json.dumps(row, ensure_ascii=False).encode() for row in rows]


def rows_of(case):
    lines = lines_of(case)
    detector = Detector(case.get("layout"), case.get("dialect", "auto"))
    layout, reader = detector.layout_and_reader(detector.of_rows(lines))
    return [
        LintRow(FILE, number, line, layout, reader, bool(case.get("cut")) and number == len(lines))
        for number, line in enumerate(lines, 1)
    ]


@pytest.fixture(autouse=True)
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def found(code, case):
    raises = case.get("raises", {})
    chosen = Selection(select=(code, *case.get("with", ()), *raises))
    linter = Linter(selections=[chosen], options={code: case.get("options", {})})
    for rule in linter.rules:
        if rule.code in raises:
            rule.find = Mock(side_effect=ValueError(raises[rule.code]))
    found = [finding for row in rows_of(case) for finding in linter.check(row).findings]
    return [*(finding for finding in found if not finding.once), *linter.finish()]


@each_table(cases())
def test_cases(code, case):
    if case["case"] == "fix":
        chosen, options = [Selection(select=(code, *case.get("with", ())))], {code: case.get("options", {})}
        linter = Linter(selections=chosen, options=options, fix=frozenset({"safe", "unsafe"}))
        checked = [linter.check(row) for row in rows_of(case)]
        kept = [json.loads(each.row.raw) for each in checked if not each.dropped]
        assert kept == case["fixed"]
        again = Linter(selections=chosen, options=options)
        left = [finding for row in rows_of({**case, "rows": kept}) for finding in again.check(row).findings]
        assert not [finding for finding in left if finding.fixable]
        return
    findings = found(code, case)
    told = [{"line": f.line, "pointer": f.pointer, "message": f.message, "level": f.level} for f in findings]
    level = RULES[code].level
    assert told == [{"level": level, **each} for each in case.get("findings", [])]
    assert (case["case"] == "pass") == (not told)
    for finding in findings:
        assert (finding.code, finding.name, finding.file) == (code, RULES[code].name, FILE)
        assert finding.level in ("error", "warning", "info")
        assert not finding.fixable or (finding.safety in ("safe", "unsafe") and RULES[code].fix)


@pytest.mark.whole
@pytest.mark.parametrize("code", sorted(RULES))
def test_every_rule_has_its_cases_and_its_page(code):
    kinds = {json.loads(line)["case"] for line in (CASES / f"{code}.jsonl").read_text("utf-8").splitlines()}
    assert {"pass", "fail"} <= kinds
    assert RULES[code].fix is None or "fix" in kinds
    page = RULES[code].__doc__
    for part in ("Anti-pattern:", "Why it hurts:", "Best practice:", "Bad:", "Good:", "Source:"):
        assert part in page, part
    assert ("\n\nFix: " in inspect.getdoc(RULES[code])) == (RULES[code].fix is not None)
    assert RULES[code].fix != "unsafe" or "Unsafe, because" in " ".join(page.split())


def test_every_case_file_is_a_rules():
    assert {path.stem for path in CASES.glob("*.jsonl")} == set(RULES)


def test_no_rule_fails_on_the_samples_of_all_layouts():
    """What the rules find there names a place that the row has."""
    for name in layouts.names():
        for line in layouts.get(name).sample.splitlines():
            row = LintRow(FILE, 1, line.encode(), layouts.get(name), None)
            for code, rule in RULES.items():
                for finding in rule().find(row):
                    assert finding.code == code and finding.message, name
                    assert not line.startswith("{") or is_place(json.loads(line), finding.pointer), (name, code)


def is_place(value, pointer):
    """Whether a row has what a JSON pointer names."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return False
    return True
