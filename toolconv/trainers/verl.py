"""verl's ``MultiTurnSFTDataset``: columns ``messages`` and ``tools`` of Parquet, each message written alone.

Reads Parquet alone, whose nested lists and objects pandas loads: Arrow gives all calls of a file the same keys, those
of others as null. It stops at an object that is empty in all rows, and at values of different types under one key, such
as a text and a list. So take exact rows where arguments or tools have keys of their own.

- It writes each message alone with the student's chat template, tools with the first one, and stops where that is not
  the text of the whole conversation, as with results of parallel calls, and with Qwen3's turns before the last one:
  ``ignore_input_ids_mismatch`` then keeps the other text. With ``--template``, such rows are counted.
- In a row that begins with the assistant, the system text and the tools are trained, too.
- All turns of the assistant are trained on; it reads no marks.
- With a column ``images`` or ``videos`` it stops where the model reads texts alone: they are left out where they are
  empty, and counted. It gives ``enable_thinking`` of a row to the chat template.

Rows: ``toolconv convert data.jsonl --trainer verl --template qwen3 -o train.jsonl``

Load: ``pyarrow.parquet.write_table(pyarrow.json.read_json("train.jsonl"), "train.parquet")`` (``datasets`` writes calls
and tools as texts), and ``data.train_files=train.parquet``

Exact rows, of token ids and masks: ``toolconv convert data.jsonl --trainer verl --template qwen3 --exact --tokenizer
tokenizer.json -o train.parquet``. Take them wherever rows have tools.

Load: ``data.custom_cls.path=exact.py data.custom_cls.name=Exact data.pad_mode=no_padding``, with ``exact.py``::

    import pandas, torch

    class Exact(torch.utils.data.Dataset):
        def __init__(self, parquet_files, **others):
            files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
            self.rows = pandas.concat(map(pandas.read_parquet, files))

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, at):
            row = self.rows.iloc[at]
            ids = torch.tensor(list(row["input_ids"]))
            return {
                "input_ids": ids,
                "position_ids": torch.arange(len(ids)),
                "loss_mask": torch.tensor(list(row["loss_mask"])),
            }
"""

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core.marks import NO_MARKS
from toolconv.core.messages import calls_of
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.checks import numbers_in_arguments, numbers_in_tools, parts_are_text, text_arguments
from toolconv.trainers.forms import IDS_AND_LOSS_MASK
from toolconv.trainers.removals import without_row_keys
from toolconv.trainers.repairs import developer_as_system, join_text_parts
from toolconv.trainers.template_checks import ends_open_turns, turn_tokens_in_texts
from toolconv.trainers.turn_by_turn import FIRST_IS_PROMPT, each_alone, written_alone


def columns_are_padded(seen: TrainerRow) -> Iterator[Effect]:
    """Calls and tools, whose objects Parquet gives each other's keys."""
    if seen.conversation.tools or any(map(calls_of, seen.conversation.messages)):
        yield Effect("null_added", "in Parquet, arguments and tools get the keys of other rows, as null")


def columns_have_types(seen: TrainerRow) -> Iterator[Effect]:
    """A row that Arrow can't make columns of."""
    for key, value in seen.row.items():
        kinds: dict[str, set[str]] = {}
        _collect(value, repr(key), kinds)
        for place, found in kinds.items():
            if len(found - {"null", "empty object"}) > 1:
                yield Effect("not_in_columns", f"in {place} are values of different types, at which Arrow stops")
            elif "empty object" in found and "object" not in found:
                yield Effect("not_in_columns", f"in {place} is an object without keys, at which Arrow stops")


_KINDS: Final = {bool: "boolean", int: "number", float: "number", str: "text", list: "list", type(None): "null"}


def _collect(value: Any, place: str, kinds: dict[str, set[str]]) -> None:
    """The kinds of the values in each place of a column: those of all items of a list are in one place."""
    kind = _KINDS.get(type(value)) or ("object" if value else "empty object")
    kinds.setdefault(place, set()).add(kind)
    for name, each in value.items() if isinstance(value, dict) else ():
        _collect(each, f"{name!r} of {place}", kinds)
    for each in value if isinstance(value, list) else ():
        _collect(each, f"an item of {place}", kinds)


TRAINER = Trainer(
    name="verl",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    exact=IDS_AND_LOSS_MASK,
    marks=NO_MARKS,
    answers=(),
    checks=(
        columns_are_padded,
        columns_have_types,
        parts_are_text,
        text_arguments,
        numbers_in_arguments,
        numbers_in_tools,
        written_alone(each_alone, stops=True),
        FIRST_IS_PROMPT,
        ends_open_turns,
        turn_tokens_in_texts,
    ),
    repairs={"developer_as_system": developer_as_system, "parts_joined": join_text_parts},
    removals={ROW_KEY_REMOVED: without_row_keys(if_empty=("images", "videos"))},
    checked_with="verl 0.9.1 (its dataset), pyarrow 26.0.1",
)
