"""OpenRLHF's SFT: ``messages``, written as text by the student's chat template, without tools.

Reads ``messages`` with ``arguments`` as objects.

- It gives no tools to the chat template. So with ``--template``, rows are better written as texts: the tools are in
  them.
- With ``--data.multiturn`` all turns of the assistant are trained on, else the last message of the row.
- What an answer is, it finds by writing the conversation up to it. Templates that write earlier turns otherwise, as
  Qwen3 does, move the mask.
- Of a prompt and its completion, the completion is trained: the last answer. A row of one text is left out unless
  ``--model.pretrain_mode_enable`` is set, which trains all of it. Both are counted.
- It removes line breaks at the end of a text, and adds a blank and the end token if the text does not end with it.
- Preference rows have ``chosen`` and ``rejected``, after a ``prompt`` with ``--data.prompt_key prompt``; without it,
  each with the whole conversation.

Rows: ``toolconv convert data.jsonl --trainer openrlhf -o train.jsonl``

Texts: ``toolconv convert data.jsonl --trainer openrlhf --template qwen3 --prompt-completion -o train.jsonl``

Load: ``--data.input_key messages --data.apply_chat_template --data.multiturn``; of texts, ``--data.input_key prompt
--data.output_key completion``
"""

from collections.abc import Iterator

from toolconv.core.marks import NO_MARKS
from toolconv.layouts.answers import Pair
from toolconv.trainers import template_checks
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import is_text, numbers_in_arguments, only_last_answer, parts_are_text, text_arguments
from toolconv.trainers.repairs import join_text_parts
from toolconv.trainers.turn_by_turn import answers_after


def tools_arrive(seen: TrainerRow) -> Iterator[Effect]:
    """Declared tools, which are not given to the chat template."""
    if seen.conversation.tools and not is_text(seen.row):
        yield Effect("tools_removed", "OpenRLHF gives no tools to the chat template: write texts, with --template")


def one_text(seen: TrainerRow) -> Iterator[Effect]:
    """A row of one text, of which nothing is a response. Source: preprocess_data, SFTDataset.process_data."""
    if "text" in seen.row and "messages" not in seen.row:
        yield Effect("nothing_trained", "OpenRLHF leaves out a row of one text: write it with --prompt-completion")


def last_of_completion(seen: TrainerRow) -> Iterator[Effect]:
    """The answers of a prompt, which are not trained."""
    if "completion" in seen.row and "messages" not in seen.row:
        yield from only_last_answer("OpenRLHF trains the completion, which is the last answer")(seen)


TRAINER = Trainer(
    name="openrlhf",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat", "completion"),
    reads_text=True,
    adds_end=True,
    marks=NO_MARKS,
    answers=(Pair(),),
    checks=(
        tools_arrive,
        one_text,
        last_of_completion,
        answers_after(),
        template_checks.end_is_added,
        template_checks.ends_open_turns,
        parts_are_text,
        text_arguments,
        numbers_in_arguments,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        template_checks.turn_tokens_in_texts,
    ),
    repairs={"parts_joined": join_text_parts},
    checked_with="OpenRLHF 0.11.2 (its dataset)",
)
