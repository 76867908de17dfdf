"""MLX-LM's LoRA: ``messages`` and ``tools``, written as text by the student's chat template.

Reads ``messages`` with ``arguments`` as objects and ``tools`` as a list, from ``train.jsonl`` and ``valid.jsonl`` of a
folder. Its own code reads the lines, so numbers arrive exactly.

- The keys of the first row decide how all rows are read. Of ``prompt`` and ``completion``, both texts are written as
  messages, with turn tokens around them; ``messages`` next to them are not read. So a ``completion`` next to messages
  is left out, and counted.
- By default all of the text is trained on. With ``--mask-prompt``, only the last message is, whatever its role. So such
  rows should have one answer each: tails are cut.
- ``tools`` as JSON text break the chat template.
- A ``text`` gets the tokenizer's first token and the end token, and can't be masked.

Rows: ``toolconv convert data.jsonl --trainer mlx-lm -o data/train.jsonl``

Load: ``mlx_lm.lora --train --data data --mask-prompt``
"""

from collections.abc import Iterator

from toolconv.core.marks import NO_MARKS
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.checks import only_last_answer, parts_are_text, text_arguments
from toolconv.trainers.removals import without_row_keys
from toolconv.trainers.repairs import cut_tail, join_text_parts
from toolconv.trainers.template_checks import template_deviates, template_leaves_out, turn_tokens_in_texts


def tools_are_a_list(seen: TrainerRow) -> Iterator[Effect]:
    """Tools as JSON text, which chat templates read letter by letter."""
    if isinstance(seen.row.get("tools"), str):
        yield Effect("call_not_read", "tools are JSON text: MLX-LM gives them to the chat template as they are")


def more_than_the_answer(seen: TrainerRow) -> Iterator[Effect]:
    """A row of one message: there is no conversation before it, which the mask is cut from. Source: ChatDataset."""
    if len(seen.conversation.messages) == 1:
        yield Effect("first_turn", "a row of one message: with --mask-prompt, MLX-LM stops at it", 0)


def last_is_answer(seen: TrainerRow) -> Iterator[Effect]:
    """A row without a turn of the assistant, of which the last message is trained. Source: ChatDataset."""
    messages = seen.conversation.messages
    if len(messages) > 1 and messages[-1].get("role") != "assistant":
        yield Effect(
            "prompt_trained",
            "with --mask-prompt, MLX-LM trains the last message, which is no answer",
            len(messages) - 1,
        )


TRAINER = Trainer(
    name="mlx-lm",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    marks=NO_MARKS,
    answers=(),
    checks=(
        tools_are_a_list,
        more_than_the_answer,
        last_is_answer,
        only_last_answer("with --mask-prompt, MLX-LM trains only on the last message"),
        parts_are_text,
        text_arguments,
        template_deviates,
        template_leaves_out,
        turn_tokens_in_texts,
    ),
    repairs={"tail_cut": cut_tail, "parts_joined": join_text_parts},
    removals={ROW_KEY_REMOVED: without_row_keys("completion")},
    checked_with="mlx-lm 0.32.2 (its dataset)",
)
