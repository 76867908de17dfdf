"""open-instruct's SFT: ``messages`` and ``tools``, written as text by the student's chat template.

Reads ``messages`` with ``arguments`` as objects; ``tools`` may be JSON text.

- It finds what to train on by writing the conversation up to each answer. Where that is not the beginning of the whole,
  as with Qwen3's turns before the last one, it leaves out the row with a warning if it notices; if not, the mask is
  moved. With ``--template``, both are counted. Rows for which the template refuses such a part (Qwen3.5 does without a
  turn of the user) are left out, too.
- In a row that begins with the assistant, the system text and the tools are trained, too.
- It loads with ``datasets``, which changes some numbers in arguments, as for ``trl``.
- Preference rows, for DPO, have ``chosen`` and ``rejected``, each with the whole conversation.
- All turns of the assistant are trained on. The option ``--dataset_transform_fn
  last_turn_tulu_tokenize_and_truncate_v1 sft_tulu_filter_v1`` trains the last one, and leaves out no row for its
  earlier turns.

Rows: ``toolconv convert data.jsonl --trainer open-instruct --template olmo-3 -o train.jsonl``

Load: ``--dataset_mixer_list train.jsonl 1.0``
"""

from toolconv.core.marks import NO_MARKS
from toolconv.layouts.answers import WholePair
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers import template_checks
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import has_answers, numbers_in_arguments, numbers_in_tools, parts_are_text, text_arguments
from toolconv.trainers.repairs import join_text_parts
from toolconv.trainers.turn_by_turn import FIRST_IS_PROMPT, answers_after

TRAINER = Trainer(
    name="open-instruct",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    style=FieldStyle(tools="string"),
    marks=NO_MARKS,
    answers=(WholePair(),),
    checks=(
        has_answers,
        parts_are_text,
        text_arguments,
        numbers_in_arguments,
        numbers_in_tools,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        answers_after(verifies=True),
        FIRST_IS_PROMPT,
        template_checks.ends_open_turns,
        template_checks.turn_tokens_in_texts,
    ),
    repairs={"parts_joined": join_text_parts},
    checked_with="open-instruct's code of August 2026 (its texts and masks)",
)
