"""TRL's ``SFTTrainer``: ``messages`` and ``tools``, written as text by the student's chat template.

Reads ``messages``, or ``prompt`` and ``completion``, with ``arguments`` as objects; ``tools`` may be JSON text. It also
reads ``text`` and passes it to the tokenizer.

- Arguments must be objects: JSON text is encoded again by most chat templates.
- ``load_dataset`` changes some numbers in arguments (0.7, 1e-12) from ``datasets`` 4.7 on. Older versions pad arguments
  with each other's keys, or refuse them; newer ones pad them if one row of the file has an integer above 64 bits. No
  spelling of rows prevents that, so such numbers are counted. Rendered text and prompt-completion texts arrive exactly,
  from JSON lines or Parquet, with every version. Tools are written as JSON text, so their numbers arrive.
- Rows of messages can't be Parquet: Arrow has one type for all arguments, so the file would hold them as JSON text. The
  feature ``Json`` of ``datasets`` would make values of it, and change numbers in the same way.
- The chat template is the model's own, with its own gaps: ``lint --trainer trl --target qwen3`` names them.
- Columns next to ``messages`` change how all rows are read: with ``prompt``, ``completion``, ``conversations``,
  ``input_ids`` or ``labels`` it trains on those, or stops; with ``image`` or ``images``, it stops unless the model
  reads images. The former are left out, the latter where they are empty, and counted; other images are counted, too.
- With ``assistant_only_loss=True``, it stops at a row without a turn of the assistant.
- It reads no marks of messages, so they are counted; exact rows keep them.
- Preference rows, for ``DPOTrainer``, have ``prompt``, ``chosen`` and ``rejected``; those for ``KTOTrainer`` have
  ``prompt``, ``completion`` and a flag ``label``, and keep these keys.
- Content parts that are all text are joined to a text, which every chat template takes; others are counted.
- With texts, the tokenizer adds the first token and TRL adds its end token. So texts are written without the first, and
  end at the model's end token.
- ``assistant_only_loss=True`` uses TRL's own ``*_training.jinja`` for some families, and its ``{% generation %}`` marks
  for the mask. With that file, ``lint --target`` and ``render --chat-template --spans`` give the same text, and name
  what the marks train otherwise than the model writes. With ``--template``, what the own templates for Qwen3 (an empty
  ``<think>`` block in all turns without reasoning), GLM-4.6 (an end token after the last turn), Qwen2.5 and gpt-oss (a
  part of the prompt is trained) do otherwise is counted.

Rows: ``toolconv convert data.jsonl --trainer trl -o train.jsonl``

Rows, checked against the student's template: ``toolconv convert data.jsonl --trainer trl --to-layout trl --template
qwen3 -o train.jsonl``

Texts: ``toolconv convert data.jsonl --trainer trl --template qwen3 --prompt-completion -o train.jsonl``

Exact rows, of token ids and masks: ``toolconv convert data.jsonl --trainer trl --template qwen3 --exact --tokenizer
tokenizer.json -o train.jsonl``. Take them where numbers in arguments must not change, or where the template's own marks
train other text. TRL processes such rows no further, and needs no ``assistant_only_loss``. Images are left out and
counted.

Load: ``load_dataset("json", data_files="train.jsonl", split="train")``
"""

from collections.abc import Iterator, Mapping
from typing import Final

from toolconv.core.messages import calls_of
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers import checks, template_checks
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.forms import IDS_AND_MASKS
from toolconv.trainers.removals import without_row_keys
from toolconv.trainers.repairs import join_text_parts

TRAINS_HEADER: Final[Mapping[str, str]] = {
    "gpt-oss": "<|start|>assistant, which opens each answer",
    "qwen2.5": "the line break before each answer",
}
"""What TRL's training templates train of the header of an answer. Source: its ``*_training.jinja``."""


def training_template_trains_headers(seen: TrainerRow) -> Iterator[Effect]:
    """The training templates that train a part of the prompt."""
    what = TRAINS_HEADER.get(seen.template.name) if seen.template is not None else None
    answered = any(message.get("role") == "assistant" for message in seen.conversation.messages)
    if what is not None and answered and not checks.is_text(seen.row):
        yield Effect("mask_differs", f"with assistant_only_loss, TRL's own training template trains {what}")


def training_template_ends_turns(seen: TrainerRow) -> Iterator[Effect]:
    """GLM's next token at the end of each answer, also where no such turn follows. Source: glm4moe_training.jinja."""
    if seen.template is None or seen.template.name != "glm-4.6" or checks.is_text(seen.row):
        return
    messages = seen.conversation.messages
    for index, message in enumerate(messages):
        if message.get("role") == "assistant":
            after = messages[index + 1].get("role") if index + 1 < len(messages) else ""
            if after != ("tool" if calls_of(message) else "user"):
                token = "<|observation|>" if calls_of(message) else "<|user|>"
                text = f"with assistant_only_loss, TRL's own training template ends this turn with {token}"
                yield Effect("other_template", text, index)


training_template_thinks = template_checks.empty_thinking_added("qwen3", when="with assistant_only_loss")
"""TRL's ``qwen3_training.jinja`` writes an empty block in all turns."""
TRAINING_TEMPLATES = (training_template_thinks, training_template_trains_headers, training_template_ends_turns)
"""What happens with ``assistant_only_loss`` alone."""

TRAINER = Trainer(
    name="trl",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "prompt-completion", "axolotl", "completion", "chat", "rendered"),
    style=FieldStyle(tools="string"),
    reads_text=True,
    adds_bos=True,
    adds_end=True,
    exact=IDS_AND_MASKS,
    checks=(
        checks.has_answers,
        checks.parts_are_text,
        checks.no_media_alongside("image", "images"),
        checks.text_arguments,
        checks.numbers_in_arguments,
        checks.numbers_in_tools,
        checks.text_ends,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        template_checks.marks_differ,
        template_checks.turn_tokens_in_texts,
        *TRAINING_TEMPLATES,
    ),
    repairs={"parts_joined": join_text_parts},
    removals={
        ROW_KEY_REMOVED: without_row_keys(
            "prompt", "completion", "conversations", "input_ids", "labels", if_empty=("image", "images")
        )
    },
    checked_with="trl 1.16.0, datasets 5.2.0 and 4.8.4, transformers 5.23",
)
