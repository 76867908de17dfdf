"""A JSON list of findings."""

from __future__ import annotations

from toolconv import jsontext
from toolconv.lint.reporters.base import Items, as_json
from toolconv.lint.rows import LintRow
from toolconv.lint.rule import Finding
from toolconv.terminal import escaped_json


class Json(Items):
    """Findings as a list of objects."""

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        self.item("  " + escaped_json(jsontext.dumps(as_json(finding))))


REPORTER = Json
