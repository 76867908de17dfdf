"""Workflow commands of GitHub Actions, which shows them next to the lines of a pull request.

GitHub shows ten annotations of each level, so there is one for each cause, at its first row.

Source: GitHub Docs, Workflow commands for GitHub Actions.
"""

from __future__ import annotations

from toolconv.core.terminal import escape
from toolconv.lint.engine.causes import Cause
from toolconv.lint.reporters.base import ByCause, relative

COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


class GitHub(ByCause):
    """Causes as ``::error file=…,line=…,title=…::message``."""

    def end(self) -> None:
        for cause in self.chosen():
            self._cause(cause)

    def _cause(self, cause: Cause) -> None:
        finding = cause.first
        places = {"file": escape(relative(finding.file)), "line": str(finding.line or 1)}
        places["title"] = f"{finding.code} {finding.name}"
        properties = ",".join(f"{key}={_property(value)}" for key, value in places.items())
        message = f"{finding.pointer}: {cause.message}" if finding.pointer else cause.message
        if cause.count > 1:
            often = f"{cause.count:,} times in " if cause.count > cause.rows else ""
            message += f" ({often}{cause.share(self.rows)}: {cause.lines()})"
        self.write(f"::{COMMANDS[finding.level]} {properties}::{_data(escape(message))}\n")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


REPORTER = GitHub
