"""LLaMA-Factory's ShareGPT rows: ``conversations`` of ``from`` and ``value``, ``system`` and ``tools`` beside them.

- Turns are ``human``, ``gpt``, ``function_call`` and ``observation``. The system text is a column, and ``tools`` is
  JSON text of functions without OpenAI's envelope.
- ``function_call`` holds ``{"name", "arguments"}`` as JSON text, or a list of them for parallel calls. Prose comes
  before it, on lines of its own; then the JSON is in ``<tool_call>`` and ``</tool_call>``. Reasoning comes first, or
  before a ``gpt`` text, in ``<think>``.
- LLaMA-Factory requires ``human`` and ``observation`` at odd places and ``gpt`` and ``function_call`` at even ones, and
  skips other rows. So the results of parallel calls are one ``observation``, a JSON list in the order of the calls.
  ``--trainer llamafactory`` repairs what it can of the order, and counts the rows that are skipped.
- A preference row has ``chosen`` and ``rejected``, one turn each, next to the turns of the prompt. Where both answers
  begin with the same turns, these go to the prompt.

Lost: call ids and other keys of calls, prose next to a call that holds ``<tool_call>``, other keys of the results of
parallel calls.

A row with a ``gpt`` turn right before a ``function_call`` is taken for ``sharegpt``, where that is one turn.

A file of such rows needs a stanza in ``dataset_info.json``: :func:`dataset_info`.

Source: LLaMA-Factory 0.9.5, data/README.md, src/llamafactory/data/converter.py and formatter.py.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise
from typing import Any

from toolconv.core.messages import Row
from toolconv.layouts.formats.sharegpt import NAMES, OWN, SpeakerTurns
from toolconv.layouts.speakers import CALL
from toolconv.layouts.turn_list import TurnList

TAGS = {
    "role_tag": "from",
    "content_tag": "value",
    "user_tag": OWN["user"],
    "assistant_tag": OWN["assistant"],
    "observation_tag": OWN["tool"],
    "function_tag": OWN[CALL],
    "system_tag": OWN["system"],
}


CALL_WORDS = ("<tool_call>", "</tool_call>")
"""The words around the JSON of a call that has prose before it. Source: ``tool_call_words``, data/template.py."""


class LlamaFactory(TurnList):
    """Odd and even turns, with the system text and the tools in columns."""

    name = "llamafactory"
    trainer = "llamafactory"
    aliases = ("llama-factory",)
    sample = (
        '{"conversations":[{"from":"human","value":"Ping it."},'
        '{"from":"function_call","value":"{\\"name\\": \\"ping\\", \\"arguments\\": {}}"},'
        '{"from":"observation","value":"pong"},{"from":"gpt","value":"It answers."}],"system":"Be brief.",'
        '"tools":"[{\\"name\\": \\"ping\\", \\"description\\": \\"Ping it.\\", \\"parameters\\": {}}]"}'
    )
    names = NAMES
    own = OWN
    system_column = True
    one_result = True
    prose_turn = False
    call_words = CALL_WORDS
    answers = (SpeakerTurns.pair(),)

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        if found is None or not isinstance(row.get("tools"), str):
            return False
        meanings = [NAMES.get(turn["from"]) for turn in found[1]]
        return None not in meanings and ("assistant", CALL) not in pairwise(meanings)  # which it would skip


COLUMNS = {"messages": "conversations", "system": "system", "tools": "tools"}
PAIR = {"chosen": "chosen", "rejected": "rejected"}
LABELS = ("kto_tag", "label")
"""Keys of a flag, whether the answer is desirable; KTO reads it."""


def dataset_info(
    name: str = "dataset", file_name: str = "dataset.jsonl", present: Collection[str] = tuple(COLUMNS.values())
) -> dict[str, Any]:
    """The stanza of dataset_info.json for a file of this layout.

    Args:
        name: the name of the dataset in a training configuration.
        file_name: the file, relative to LLaMA-Factory's data directory.
        present: the keys of its rows. LLaMA-Factory raises an error for a column that is not there.
    """
    ranking = all(key in present for key in PAIR)
    columns = {meaning: key for meaning, key in (COLUMNS | (PAIR if ranking else {})).items() if key in present}
    if (label := next((key for key in LABELS if key in present), None)) is not None and not ranking:
        columns["kto_tag"] = label
    kind = {"ranking": True} if ranking else {}
    entry = {"file_name": file_name, "formatting": "sharegpt", **kind, "columns": columns, "tags": dict(TAGS)}
    return {name: entry}


LAYOUT = LlamaFactory()
