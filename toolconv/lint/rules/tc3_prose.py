"""TC3xx: faults of what is written in the turns: damaged characters, secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from toolconv.lint.guards import Guard, Words
from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import RowRule

_MOJIBAKE = re.compile(
    "\u00e2\u20ac[\u2122\u0153\u009d\u201c\u201d\u02dc\u00a6\u00a2]"  # quotes, dashes and dots
    "|\u00c3[\u00a0-\u00bf]"  # letters with accents
    "|\u00c2[\u00a0\u00a3\u00a7\u00a9\u00ab\u00ae\u00b0\u00b1\u00b7\u00bb\u00bf]"  # signs
)


_SECRETS: dict[str, re.Pattern[str]] = {
    "sk-": re.compile(
        r"\bsk-(?:ant-|proj-|or-v1-)?(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{32,}"
    ),
    "ghp_": re.compile(r"\bghp_[A-Za-z0-9]{36}\b"),
    "github_pat_": re.compile(r"\bgithub_pat_[A-Za-z0-9_]{60,}"),
    "AKIA": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    "AIza": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "xox": re.compile(r"\bxox[abprs]-[0-9A-Za-z-]{20,}"),
    "hf_": re.compile(r"\bhf_[A-Za-z]{34}\b"),
    "PRIVATE KEY": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
}


class DamagedCharacters(RowRule):
    """Characters that were read in the wrong encoding, or could not be read at all.

    Anti-pattern: UTF-8 read as Latin-1 or Windows-1252 and stored; bytes replaced by U+FFFD when they were decoded.

    Why it hurts: the model learns to write the damage, and arguments taken from such text don't match.

    Best practice: read with the right encoding; drop rows whose characters are lost.

    Bad: ``{"role": "assistant", "content": "CafÃ©"}``

    Good: ``{"role": "assistant", "content": "Café"}``

    Source: Unicode, 3.9 (U+FFFD); common in crawled text. Tool responses are not reported: tools return such text.
    """

    code: ClassVar[str] = "TC314"
    name: ClassVar[str] = "damaged-characters"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = tuple(
        Words(kind, ("\ufffd", "\u00e2\u20ac", "\u00c3", "\u00c2")) for kind in ("assistant", "input")
    )

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            text = turn.raw_text
            if turn.role == "tool" or text.isascii():
                continue
            match = _MOJIBAKE.search(text)
            if "\ufffd" in text:
                message = f"{text.count(chr(0xFFFD))} characters in a turn of {turn.role} are U+FFFD: they are lost"
            elif match is not None:
                part = text[max(0, match.start() - 10) : match.end() + 10]
                message = f"{shown(part)} in a turn of {turn.role}: UTF-8 that was read in another encoding"
            else:
                continue
            yield self.finding(row, row.text_pointer(turn.message), message)


class Secret(RowRule):
    """A key or password of a real service in a turn.

    Anti-pattern: logs of real sessions published as training data.

    Why it hurts: models repeat what they were trained on, and whoever gets the dataset gets the key.

    Best practice: revoke the key, and replace it with a name for it.

    Bad: ``{"role": "user", "content": "My token is ghp_…"}``

    Good: ``{"role": "user", "content": "My token is in $TOKEN."}``

    Source: the documented forms of the keys of OpenAI, Anthropic, GitHub, AWS, Google, Slack and Hugging Face.
    """

    code: ClassVar[str] = "TC315"
    name: ClassVar[str] = "secret-in-text"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = tuple(Words(kind, tuple(_SECRETS)) for kind in ("assistant", "input"))

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            text = turn.raw_text
            kinds = [word for word, pattern in _SECRETS.items() if word in text and pattern.search(text) is not None]
            if kinds:
                message = f"a turn of {turn.role} holds a secret that begins with {listed(kinds)}"
                yield self.finding(row, row.text_pointer(turn.message), message)
