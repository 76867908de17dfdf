"""Find the dialect that a chat template writes: one that toolconv has, or a new one as the text of a dialect file.

A dialect is only given back with the proof that it reads what the template writes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from toolconv import dialects
from toolconv.derive import NotDerived, toml
from toolconv.derive.candidates import candidates
from toolconv.derive.chat import chat_of
from toolconv.derive.check import Check, check
from toolconv.derive.samples import Sample, samples
from toolconv.derive.turns import NoCalls, TemplateTurns, template_file
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.dialect_file import from_toml
from toolconv.templates.jinja import source
from toolconv.templates.jinja.read_back import common_start

CONVERSATIONS: Final = 200
FEW: Final = 24
"""How many conversations choose among dialects; the rest only prove the choice."""

UNSPECIFIC: Final = ("generic", "hf")
"""Dialects that read what many families write: they say least about a template."""

MAX_SHOWN: Final = 300


@dataclass(frozen=True)
class Derivation:
    """The dialect that a template writes.

    Attributes:
        dialect: the dialect.
        check: what was read and written of what the template writes.
        text: the text of the dialect's file; empty for a dialect that toolconv has.
        undescribed: what the file does not describe of the template's chat.
    """

    dialect: Dialect
    check: Check
    text: str = ""
    undescribed: tuple[str, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether toolconv has the dialect."""
        return not self.text


def derive(path: str, name: str = "derived", template: str | None = None) -> Derivation:
    """The dialect that a chat template writes.

    Args:
        path: a ``chat_template.jinja``, a ``tokenizer_config.json``, or a folder that holds one of them.
        name: the name of a new dialect.
        template: the name of one of several templates; by default the one for conversations with tools.

    Raises:
        FileError: there is no template.
        NotDerived: the template writes no calls, or no dialect reads all of them.
    """
    return _derived(path, name, template, source.version(template_file(path)))


@lru_cache(maxsize=16)
def _derived(path: str, name: str, template: str | None, version: source.Version) -> Derivation:
    """The dialect that a version of a template writes."""
    turns = TemplateTurns(path, template)
    if turns.fault:
        raise NotDerived(f"{path}: {turns.fault}")
    try:
        written = list(samples(turns, CONVERSATIONS))
        if len(written) < CONVERSATIONS // 2:
            raise NoCalls(f"it raises errors for {CONVERSATIONS - len(written)} of {CONVERSATIONS} conversations")
        known = _known(written)
        if known is not None and known.check.is_exact:
            return known
        new, why = _new(turns, name, written)
    except (NoCalls, RenderError) as error:
        raise NotDerived(f"{path}: {error}") from None
    if known is not None and (new is None or new.check.written <= known.check.written):
        return known
    if new is None:
        raise NotDerived(f"{path}: {why}")
    return new


def _known(written: Sequence[Sample]) -> Derivation | None:
    """The dialect of toolconv that reads all turns, and writes most of them; ``None`` if none reads all."""
    few = [sample for sample in written if sample.calls][:FEW]
    best: tuple[tuple[bool, bool, bool, int], Derivation] | None = None
    likely = dialects.detect(few[0].text).name
    for dialect in sorted(dialects.all_dialects(), key=lambda one: (one.name in UNSPECIFIC, one.name != likely)):
        if dialect.calls is None:
            continue
        if dialect.markers and not any(marker in few[0].text for marker in dialect.markers):
            continue
        if check(dialect, few, most_unread=0).reads_all:
            found = check(dialect, written, most_unread=0)
            rank = found.is_exact, dialect.name not in UNSPECIFIC, dialect.name == likely, found.written
            if found.reads_all and (best is None or rank > best[0]):
                best = rank, Derivation(dialect, found)
                if found.is_exact:
                    break
    return None if best is None else best[1]


def _new(turns: TemplateTurns, name: str, written: Sequence[Sample]) -> tuple[Derivation | None, str]:
    """A new dialect that reads all turns; or ``None``, and why there is none."""
    few = [sample for sample in written if sample.calls][:FEW]
    best: tuple[tuple[int, int, int], dict[str, Any], Dialect] | None = None
    why = ""
    for table in candidates(turns, name):
        try:
            dialect = from_toml(toml.document(table))
        except ValueError as error:
            why = why or f"no grammar reads its calls: {error}"
            continue
        found = check(dialect, few)
        score = found.read, -found.repaired.total(), found.written
        if best is None or score > best[0]:
            best = score, table, dialect
    if best is None:
        return None, why
    _, table, dialect = best
    proof = check(dialect, written)
    if not proof.reads_all:
        assert proof.unread is not None
        sample, read = proof.unread
        return None, (f"{proof}. The first that is read otherwise: {shown(sample.text)} (as {read})")
    chat, missing = chat_of(turns)
    complete = {**table, **({"chat": chat} if chat else {})}
    try:
        dialect = from_toml(toml.document(complete))
    except ValueError:
        complete, missing = table, ["declarations", "results"]
    complete["verified"] = _verified(turns, proof, missing)
    text = HEAD + toml.document(complete)
    return Derivation(from_toml(text), proof, text, tuple(missing)), ""


HEAD: Final = "# Made by 'toolconv derive' from a chat template. 'man toolconv-dialects' describes the keys.\n\n"


def _verified(turns: TemplateTurns, proof: Check, missing: Sequence[str]) -> dict[str, Any]:
    table: dict[str, Any] = {
        "template_sha256": hashlib.sha256(turns.source.encode()).hexdigest(),
        "conversations": proof.count,
        "read": proof.read,
        "written": proof.written,
    }
    if proof.repaired:
        table["repairs"] = [f"{name} {count}" for name, count in proof.repaired.most_common()]
    if missing:
        table["not_described"] = list(missing)
    differs = {kind: {"template": sample.text, "dialect": written} for kind, (sample, written) in proof.differs.items()}
    return {**table, "differs": differs} if differs else table


def shown(text: str, other: str = "") -> str:
    """A text for a message: in quotes, cut if it is long; from shortly before it differs from another one on."""
    start = max(common_start(text, other) - MAX_SHOWN // 3, 0)
    text = f"…{text[start:]}" if start else text
    return json.dumps(text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…", ensure_ascii=False)
