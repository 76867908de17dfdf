"""slime's SFT rollout: ``messages`` and ``tools``, written message by message with the student's chat template.

Reads ``messages`` with ``arguments`` as objects, and ``tools``, a list or JSON text. Its own code reads the lines, so
numbers arrive exactly.

- Without ``--tool-key tools``, no tools reach the text.
- It has masks for Qwen's families alone (``--loss-mask-type`` ``qwen``, ``qwen3``, ``qwen3_5``, ``distill_qwen``).
- ``qwen3`` writes each message after a turn of the user, results in a row together. So reasoning in earlier turns is
  kept, and each turn is written as if it were the last. A template with a system text of its own, as Qwen2.5's, needs
  ``qwen``, which writes each message alone, results apart. With ``--template``, turns with another text are counted.
- In a row that begins with the assistant, the system text and the tools are trained, too.
- ``qwen3_5`` does not train the ``<think>`` that opens a turn.
- The mark of an answer is ``step_loss_mask``, 0 or 1.
- It puts the tools into ``metadata`` of a row, and stops where that is not an object: it is then left out, and counted.

Rows: ``toolconv convert data.jsonl --trainer slime --template qwen3 -o train.jsonl``

Load: ``--rollout-function-path slime.rollout.sft_rollout.generate_rollout --prompt-data train.jsonl --input-key
messages --tool-key tools --loss-type sft_loss --loss-mask-type qwen3``
"""

from toolconv.core.conversation import Conversation
from toolconv.core.marks import MarkStyle
from toolconv.templates.base import Template
from toolconv.trainers.base import ROW_KEY_REMOVED, Trainer
from toolconv.trainers.checks import parts_are_text, text_arguments
from toolconv.trainers.forms import MaskedText
from toolconv.trainers.repairs import developer_as_system, join_text_parts
from toolconv.trainers.template_checks import ends_open_turns, original_deviates, turn_tokens_in_texts
from toolconv.trainers.turn_by_turn import FIRST_IS_PROMPT, StudentTexts, after_a_question, each_alone, written_alone


def messages_of(texts: StudentTexts) -> list[list[MaskedText]]:
    """The messages as the mask type of the student writes them. Source: MultiTurnLossMaskGenerator."""
    return each_alone(texts) if texts.template.default_system else after_a_question(texts)


def other_metadata(conversation: Conversation, template: Template | None = None) -> int:
    """The removal of ``metadata`` that is not an object, though slime puts the tools there. Source: Dataset."""
    metadata = conversation.row.get("metadata")
    if not metadata or isinstance(metadata, dict):
        return 0
    conversation.row = {key: value for key, value in conversation.row.items() if key != "metadata"}
    return 1


TRAINER = Trainer(
    name="slime",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    marks=MarkStyle("step_loss_mask"),
    answers=(),
    checks=(
        parts_are_text,
        text_arguments,
        written_alone(messages_of),
        FIRST_IS_PROMPT,
        ends_open_turns,
        turn_tokens_in_texts,
        original_deviates("reasoning"),
    ),
    repairs={"developer_as_system": developer_as_system, "parts_joined": join_text_parts},
    removals={ROW_KEY_REMOVED: other_metadata},
    checked_with="slime's code of August 2026 (its texts and masks)",
)
