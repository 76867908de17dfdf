"""Gemini's tuning upload and API: ``contents`` of ``parts``, ``functionDeclarations``.

Reads the layout ``gemini``.

- A type that is a list, ``["integer", "null"]``, is refused: it is written as ``"type": "integer", "nullable": true``.
  A list of several other types can't be written and is counted.
- ``null`` as a description is refused: it is left out.
- Parts hold no other keys: those of calls and messages are left out and counted.
- The first turn is the user's and, for tuning, the last the model's: tails are cut, other rows are refused.

Rows: ``toolconv convert data.jsonl --trainer gemini -o train.jsonl``

Load: ``types.GenerateContentConfig(tools=row["tools"])`` and ``contents=row["contents"]``; for tuning, upload the file
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import begins_with_user, calls_are_answered, ends_with_assistant
from toolconv.trainers.repairs import cut_tail, drop_null_descriptions, nullable_types, only_known_keys


def several_types(seen: TrainerRow) -> Iterator[Effect]:
    """Types that are lists, which Gemini's schema can't hold."""
    if any(_has_list_type(tool) for tool in ((seen.row or {}).get("tools") or [])):
        yield Effect("row_refused", "a tool has a list of types, which Gemini's schema can't hold")


def _has_list_type(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_list_type, value))
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("type"), list) or any(map(_has_list_type, value.values()))


TRAINER = Trainer(
    name="gemini",
    layout="gemini",
    reads=("gemini",),
    checks=(begins_with_user, ends_with_assistant, calls_are_answered, several_types),
    repairs={
        "tail_cut": cut_tail,
        "nullable_type": nullable_types,
        "null_description_removed": drop_null_descriptions,
        "key_removed": only_known_keys("thoughtSignature", "thought_signature"),
    },
    checked_with="google-genai 3.4 (types)",
)
