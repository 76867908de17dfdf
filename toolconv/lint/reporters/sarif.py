"""SARIF 2.1.0, which code scanning services read.

Rule ids are the codes. ``partialFingerprints`` contain ``toolconvRow/v1``, which doesn't change if the row moves.
Paths below the current folder are relative to ``%SRCROOT%``.

Source: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolconv.core import jsontext
from toolconv.core.terminal import escaped_json
from toolconv.core.version import __version__
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.reporters.base import Items, relative
from toolconv.lint.rule import Rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}


class Sarif(Items):
    """Findings as the results of one run."""

    closing = "]}]}\n"

    def begin(self) -> None:
        self._index = {rule.code: place for place, rule in enumerate(self.rules)}
        driver = {"name": "toolconv", "version": __version__, "rules": [_rule(rule) for rule in self.rules]}
        head = jsontext.dumps({"tool": {"driver": driver}, "columnKind": "unicodeCodePoints"}).decode()
        self.opening = f'{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{head[:-1]},"results":['
        super().begin()

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        result: dict[str, Any] = {"ruleId": finding.code}
        if finding.code in self._index:
            result["ruleIndex"] = self._index[finding.code]
        result |= {
            "level": LEVELS[finding.level],
            "message": {"text": finding.message},
            "locations": [_location(finding, self._columns(finding, row))],
            "partialFingerprints": {"toolconvRow/v1": self.fingerprint(finding, row)},
            "properties": {"pointer": finding.pointer, "rowId": finding.id, "fixable": finding.fixable},
        }
        self.item(escaped_json(jsontext.dumps(result)))

    def _columns(self, finding: Finding, row: LintRow | None) -> dict[str, int]:
        """The columns of the value, if the row is a whole line."""
        if row is None or not finding.pointer or b"\n" in row.raw:
            return {}
        span = self.place_in(row, finding.pointer)[1]
        return {"startColumn": span.start + 1, "endColumn": span.end + 1} if span else {}


def _rule(rule: Rule) -> dict[str, Any]:
    page = inspect.getdoc(type(rule)) or rule.name
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": page.partition("\n")[0]},
        "fullDescription": {"text": page},
        "defaultConfiguration": {"level": LEVELS[rule.level]},
    }


def _location(finding: Finding, columns: dict[str, int]) -> dict[str, Any]:
    file = relative(finding.file)
    artifact = {"uri": quote(os.fsencode(file))}
    if Path(file).is_absolute():
        artifact = {"uri": Path(file).as_uri()}
    elif not file.startswith(".."):
        artifact["uriBaseId"] = "%SRCROOT%"
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if finding.line:
        physical["region"] = {"startLine": finding.line, **columns}
    location: dict[str, Any] = {"physicalLocation": physical}
    if finding.pointer:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.pointer, "kind": "member"}]
    return location


REPORTER = Sarif
