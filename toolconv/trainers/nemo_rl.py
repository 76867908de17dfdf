"""NeMo RL's supervised fine-tuning: ``messages`` and ``tools``, written as text by the student's chat template.

Reads OpenAI's ``messages`` with ``arguments`` as objects, and ``tools``, a list.

- With ``use_preserving_dataset: true`` it reads the lines itself, so numbers and nulls arrive. Without it, ``datasets``
  gives arguments and tools the keys of other rows, as null.
- It stops at a row whose last turn is not the assistant's.
- It writes the conversation up to each message, and takes what differs from the one before as the text of the message.
  Where the template writes an earlier turn otherwise as soon as another follows, a part of it arrives twice: in Qwen3's
  turns before the last one, and in results of parallel calls that share a turn. With ``--template``, such rows are
  counted; without reasoning in the template, as Qwen2.5's, few are left.
- Without ``add_generation_prompt: true``, the header of each answer is trained.
- Before a first turn of the assistant, the system text and the tools are trained, and between two of its turns the
  header.
- If the text does not end with the tokenizer's end token, as GLM's, it is added.
- It trains on all turns of the assistant, and reads no marks of messages.

Rows: ``toolconv convert data.jsonl --trainer nemo-rl -o train.jsonl``

Load: in the configuration, ``data:`` with ``add_generation_prompt: true``, and under ``train:`` ``dataset_name:
openai_format``, ``data_path: train.jsonl`` and ``use_preserving_dataset: true``
"""

from collections.abc import Iterator

from toolconv.core.marks import NO_MARKS
from toolconv.trainers import template_checks
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import ends_with_assistant, parts_are_text, text_arguments
from toolconv.trainers.repairs import cut_tail, join_text_parts
from toolconv.trainers.turn_by_turn import answers_after, begins_with_answer


def texts_grow(seen: TrainerRow) -> Iterator[Effect]:
    """A conversation that doesn't begin as its first messages alone do. Source: get_formatted_message_log."""
    at = template_checks.rewritten_turn(seen, lambda before, after: True, prompted=("user", "tool"))
    if at is not None and seen.template is not None:
        who = f"{seen.trainer.name} writes a part of this turn twice"
        yield Effect("text_repeated", f"{who}: {seen.template.name} writes it otherwise before a next one", at)


TRAINER = Trainer(
    name="nemo-rl",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    marks=NO_MARKS,
    answers=(),
    checks=(
        ends_with_assistant,
        parts_are_text,
        text_arguments,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        texts_grow,
        answers_after(prompted=("user", "tool"), moved=False),
        begins_with_answer("prompt_trained", "trains what precedes a first answer, too", system_too=True),
        template_checks.end_is_added,
        template_checks.ends_open_turns,
        template_checks.turn_tokens_in_texts,
    ),
    repairs={"tail_cut": cut_tail, "parts_joined": join_text_parts},
    checked_with="NeMo RL's code of August 2026 (its texts and masks)",
)
