"""unsloth: TRL's rows and trainer, with unsloth's own helpers for other rows.

Reads what TRL reads. ``standardize_data_formats`` and ``standardize_sharegpt`` raise on turns named ``function_call``,
``observation`` and ``tool``, so rows with calls must be OpenAI's messages; those pass through unchanged.

The traps are TRL's: see ``toolconv trainers trl``.

Rows: ``toolconv convert data.jsonl --trainer unsloth -o train.jsonl``

Load: ``load_dataset("json", data_files="train.jsonl", split="train")``, then
``tokenizer.apply_chat_template(row["messages"], tools=json.loads(row["tools"]), tokenize=False)``
"""

from dataclasses import replace

from toolconv.trainers.trl import TRAINER as TRL_TRAINER
from toolconv.trainers.trl import TRAINING_TEMPLATES

TRAINER = replace(
    TRL_TRAINER,
    name="unsloth",
    checks=tuple(check for check in TRL_TRAINER.checks if check not in TRAINING_TEMPLATES),
    checked_with="unsloth 2026.10.9 (standardize_data_formats), trl 1.16.0",
)
