"""What the trainers' own packages make of toolconv's rows; ``python -m tests.programs.real_trainers`` records it.

``tests/programs/trainers.json`` holds the record, so that :mod:`tests.trainers.test_trainers` needs none of the packages. Only what is
installed is recorded anew. Everything fits into one environment: torch for the processor, ``datasets google-genai
anthropic openai boto3 mistral-common transformers``, and with ``--no-deps`` ``together==2.10.0 trl ms-swift axolotl
unsloth unsloth_zoo llamafactory`` and what they name when they are imported.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, toolconv
from tests.programs.real_texts import TEXTS
from tests.programs.real_uploads import UPLOADS
from toolconv import trainers

ROWS = ROOT / "fixtures" / "trainers.jsonl"
ODD_ROWS = ROWS.with_name("uploads.jsonl")
RECORD = Path(__file__).parent / "trainers.json"
STUDENT = ("--template", "qwen3")
OPTIONS = dict.fromkeys(("llamafactory", "ms-swift", "axolotl"), STUDENT)
AGENT_TEMPLATES = {"qwen3.5": ("qwen3_5",)}
"""ms-swift's template of calls, where it isn't that of Hermes."""
OTHER_STUDENTS = {
    trainer: {
        student: (own, *AGENT_TEMPLATES.get(student, ()))
        for student, own in trainers.get(trainer).templates.items()
        if student not in STUDENT
    }
    for trainer in ("llamafactory", "ms-swift")
}
"""The other students whose text a trainer's own template writes, and the names of these templates."""
LAYOUTS = {"openai": "openai", "mistral": "openai", "together": "openai", "fireworks": "openai"}
"""The layouts of uploads that have other names."""


def conversations() -> list[dict[str, Any]]:
    """The cases: canonical rows, each with its name under ``case``."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def lines(rows: list[dict[str, Any]]) -> str:
    """The rows of cases, without their names, as lines."""
    return "".join(f"{json.dumps({key: row[key] for key in ('messages', 'tools')})}\n" for row in rows)


def written(trainer: str, student: str = "") -> list[dict[str, Any]]:
    """The rows of the cases, as toolconv writes them for a trainer, and for another student than Qwen3."""
    given = lines(conversations())
    options = ("--template", student) if student else OPTIONS.get(trainer, ())
    return toolconv("convert", "-q", "--trainer", trainer, *options, stdin=given).rows


def unrepaired(trainer: str) -> list[dict[str, Any]]:
    """The rows of the cases in the layout of an upload, without what toolconv does for the upload."""
    layout = LAYOUTS.get(trainer, trainer)
    return toolconv("convert", "-q", "--to-layout", layout, stdin=lines(conversations())).rows


def odd_cases() -> list[str]:
    """The names of the odd rows for uploads."""
    return [json.loads(line)["case"] for line in ODD_ROWS.read_text(encoding="utf-8").splitlines()]


def odd(trainer: str) -> list[dict[str, Any]]:
    """Odd rows, as toolconv writes them for an upload."""
    given = [json.loads(line) for line in ODD_ROWS.read_text(encoding="utf-8").splitlines()]
    text = "".join(json.dumps({key: row[key] for key in row if key != "case"}) + "\n" for row in given)
    return toolconv("render", "-q", "--from-layout", "canonical", "--trainer", trainer, stdin=text).rows


def module_of(trainer: str) -> str:
    """The module of a trainer's package."""
    return (TEXTS.get(trainer) or UPLOADS[trainer])[0]


def is_installed(trainer: str) -> bool:
    """Whether a trainer's package is there, and torch for those that make texts."""
    try:
        needed = [module_of(trainer), *(("torch", "trl") if trainer in TEXTS else ())]
        return all(importlib.util.find_spec(name) is not None for name in needed)
    except ModuleNotFoundError:
        return False


def given(trainer: str) -> dict[str, Any]:
    """What a trainer's package makes of each case, and an upload's types of each unrepaired and each odd one."""
    cases = [row["case"] for row in conversations()]
    if trainer in TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            gives = TEXTS[trainer][1](written(trainer), Path(folder))
        found: dict[str, Any] = {"gives": dict(zip(cases, gives, strict=True))}
        for student, names in OTHER_STUDENTS.get(trainer, {}).items():
            with tempfile.TemporaryDirectory() as folder:
                gives = TEXTS[trainer][1](written(trainer, student), Path(folder), *names)
            found.setdefault("students", {})[student] = dict(zip(cases, gives, strict=True))
        return found
    accepts = UPLOADS[trainer][1]
    return {
        "gives": dict(zip(cases, accepts(written(trainer)), strict=True)),
        "unrepaired": dict(zip(cases, accepts(unrepaired(trainer)), strict=True)),
        "odd": dict(zip(odd_cases(), accepts(odd(trainer)), strict=True)),
    }


def package(trainer: str) -> str:
    """A trainer's package and its version."""
    module = module_of(trainer)
    names = packages_distributions()[module.partition(".")[0]]
    found = next((name for name in names if name.replace("-", ".") == module), names[0])
    return f"{found} {version(found)}"


if __name__ == "__main__":
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    chosen = sys.argv[1:] or [trainer for trainer in (*TEXTS, *UPLOADS) if is_installed(trainer)]
    for trainer in chosen:
        record[trainer] = {"package": package(trainer), **given(trainer)}
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
