"""SkyRL's ``SFTTrainer``: ``messages`` and ``tools``, written as text by the student's chat template.

Reads ``messages`` with ``arguments`` as objects; ``tools`` may be JSON text.

- Only the last answer is trained on, unless the configuration has ``train_on_what: all_assistant_messages``.
- Then it writes each message after the first answer alone, after a system text and a turn of the user. So results of
  parallel calls are apart, and each answer is written as if it were the last. With ``--template``, turns that arrive
  otherwise are counted.
- It stops at a system text after the first answer, and at a row that begins with the assistant.
- It reads ``system`` of a row as the system text where the messages have none.
- Results at the end of a row are cut; a row that then does not end on the assistant's turn is left out.
- It loads with ``datasets``, which changes some numbers in arguments, as for ``trl``.

Rows: ``toolconv convert data.jsonl --trainer skyrl -o train.jsonl``

Load: ``train_datasets="['train.jsonl']"`` and ``train_on_what=all_assistant_messages``

Exact rows, of token ids and masks: ``toolconv convert data.jsonl --trainer skyrl --template qwen3 --exact --tokenizer
tokenizer.json -o train.parquet``. Take them where arguments have numbers that change, or where prefixes of the
conversation are written otherwise than in the whole.

Load: ``pretokenized_dataset_paths="['train.parquet']"`` (versions after 0.3.0)
"""

from toolconv.core.marks import NO_MARKS
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers import checks, template_checks
from toolconv.trainers.base import Trainer
from toolconv.trainers.forms import IDS_AND_LOSS_MASK
from toolconv.trainers.repairs import cut_tail, join_text_parts
from toolconv.trainers.turn_by_turn import begins_with_answer, from_first_answer, written_alone

TRAINER = Trainer(
    name="skyrl",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    style=FieldStyle(tools="string"),
    exact=IDS_AND_LOSS_MASK,
    marks=NO_MARKS,
    answers=(),
    checks=(
        checks.ends_with_assistant,
        checks.parts_are_text,
        checks.text_arguments,
        checks.numbers_in_arguments,
        checks.numbers_in_tools,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        written_alone(from_first_answer),
        begins_with_answer("first_turn", "stops at a row that begins with the assistant"),
        template_checks.ends_open_turns,
        template_checks.turn_tokens_in_texts,
    ),
    repairs={"tail_cut": cut_tail, "parts_joined": join_text_parts},
    checked_with="SkyRL 0.3.0 (its texts and masks), and the code of its main branch of August 2026",
)
