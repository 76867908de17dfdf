"""Unsloth Studio: ``messages`` and ``tools``, written as text by the student's chat template.

Reads OpenAI's ``messages``, whose ``arguments`` may be JSON text, and ``tools``, a list or JSON text.

- It removes every null from messages and from tools that are values, so arguments and tools are written as JSON text:
  there nulls stay, and numbers arrive exactly.
- Rows at which the chat template raises are dropped with a warning. Where it raises at the tools, the row is written
  without them.
- Rows with ``instruction`` and ``output`` are read as those of Alpaca, whatever else they have: so ``output`` is left
  out, and counted.
- An override of the chat template by Unsloth may leave the model's own; it is kept only if it writes all tools.
- Content parts that are all text are joined to a text, which every chat template takes; others are counted.
- With "train on completions", it finds the turns of the assistant by their markers, and trains on all of them. It reads
  no marks.

Rows: ``toolconv convert data.jsonl --trainer unsloth-studio -o train.jsonl``

Load: upload the file as a dataset in Studio, which finds the format, and choose "train on completions"
"""

from toolconv.core.marks import NO_MARKS
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers import checks
from toolconv.trainers.base import ROW_KEY_REMOVED, Trainer
from toolconv.trainers.removals import without_row_keys
from toolconv.trainers.repairs import join_text_parts
from toolconv.trainers.template_checks import template_deviates, template_leaves_out, turn_tokens_in_texts

TRAINER = Trainer(
    name="unsloth-studio",
    layout="axolotl",
    reads=("axolotl", "trl", "openai", "openai-ft", "canonical", "chat"),
    style=FieldStyle(arguments="string", tools="string"),
    marks=NO_MARKS,
    answers=(),
    checks=(
        checks.null_arguments,
        checks.null_in_tools,
        checks.numbers_in_arguments,
        checks.numbers_in_tools,
        checks.parts_are_text,
        template_deviates,
        template_leaves_out,
        turn_tokens_in_texts,
    ),
    repairs={"parts_joined": join_text_parts},
    removals={ROW_KEY_REMOVED: without_row_keys("output")},
    checked_with="unsloth 2026.10.9 (the texts of Studio's chat templates, not their mask)",
)
