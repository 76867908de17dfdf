"""Baselines: files of known findings, which are not reported again.

A finding is identified by its rule and the content of its row: it stays known if the row moves, but not if the row
changes. A finding about a whole file is identified by its rule and the file's name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import orjson

from toolconv.core.errors import ToolconvError
from toolconv.lint.model.finding import Finding

VERSION: Final = 1


class BaselineError(ToolconvError, ValueError):
    """A file that is not a baseline; the message names it."""


class Baseline:
    """Known findings, by rule.

    Attributes:
        path: the file that they were read from.
        met: those that were asked for, each as its rule and the hash of its content.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._known: dict[str, set[str]] = {}
        self.met: set[tuple[str, str]] = set()

    def add(self, finding: Finding, raw: bytes | None) -> None:
        """Add a finding; ``raw`` is the row's line, ``None`` for a finding about a whole file."""
        self._known.setdefault(finding.code, set()).add(content_hash(finding, raw))

    def __len__(self) -> int:
        """How many findings are known."""
        return sum(map(len, self._known.values()))

    def knows(self, finding: Finding, raw: bytes | None) -> bool:
        """Whether a finding is known. One that is counts as met."""
        known = self._known.get(finding.code)
        if known is None or (content := content_hash(finding, raw)) not in known:
            return False
        self.met.add((finding.code, content))
        return True

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a baseline file.

        Raises:
            BaselineError: the file can't be read or is not a baseline.
        """
        try:
            document: Any = orjson.loads(path.read_bytes())
            if document["version"] != VERSION:
                raise BaselineError(f"{path}: a baseline of version {document['version']}; write a new one")
            baseline = cls(path)
            baseline._known = {str(code): {str(key) for key in keys} for code, keys in document["known"].items()}
        except OSError as error:
            raise BaselineError(f"{path}: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, BaselineError):
                raise
            raise BaselineError(f"{path}: no baseline: --write-baseline writes one") from None
        return baseline

    def as_bytes(self) -> bytes:
        """Write the file: one hash per line, sorted, so that versions of it are easy to compare."""
        known = {code: sorted(keys) for code, keys in sorted(self._known.items())}
        return orjson.dumps({"version": VERSION, "known": known}, option=orjson.OPT_INDENT_2) + b"\n"


def known_and_gone(baselines: Iterable[Baseline | None]) -> tuple[int, int] | None:
    """How many findings the baselines of some datasets know, and how many of them none met; ``None`` without any."""
    sizes: dict[Path | None, int] = {}
    met: set[tuple[Path | None, str, str]] = set()
    for baseline in baselines:
        if baseline is not None:
            sizes[baseline.path] = len(baseline)
            met |= {(baseline.path, *each) for each in baseline.met}
    known = sum(sizes.values())
    return (known, known - len(met)) if sizes else None


def content_hash(finding: Finding, raw: bytes | None) -> str:
    """Identifies a finding, together with its rule."""
    content = f"file {Path(finding.file).name}".encode("utf-8", "surrogateescape") if raw is None else raw.strip()
    return hashlib.blake2b(content, digest_size=12).hexdigest()
