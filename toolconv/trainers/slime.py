"""slime's SFT rollout: ``messages`` and ``tools``, written message by message with the student's chat template.

Reads ``messages`` with ``arguments`` as objects, and ``tools``, a list or JSON text. Its own code reads the lines, so
numbers arrive exactly.

- Without ``--tool-key tools``, no tools reach the text.
- It has masks for Qwen's families alone (``--loss-mask-type`` ``qwen``, ``qwen3``, ``qwen3_5``, ``distill_qwen``).
- ``qwen`` and ``qwen3`` write each message alone, results in a row together with ``qwen3``. So reasoning in earlier
  turns is kept, and a system text by default may be cut by its length.
- ``qwen3_5`` does not train the ``<think>`` that opens a turn.
- The mark of an answer is ``step_loss_mask``, 0 or 1.

Rows: ``toolconv convert data.jsonl --trainer slime --template qwen3 -o train.jsonl``

Load: ``--rollout-function-path slime.rollout.sft_rollout.generate_rollout --prompt-data train.jsonl --input-key
messages --tool-key tools --loss-type sft_loss --loss-mask-type qwen3``
"""

from toolconv.core.marks import MarkStyle
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import parts_are_text, text_arguments
from toolconv.trainers.repairs import join_text_parts
from toolconv.trainers.template_checks import earlier_reasoning_kept, turn_tokens_in_texts

TRAINER = Trainer(
    name="slime",
    layout="trl",
    reads=("trl", "canonical", "openai", "openai-ft", "chat"),
    marks=MarkStyle("step_loss_mask"),
    checks=(parts_are_text, text_arguments, earlier_reasoning_kept, turn_tokens_in_texts),
    repairs={"parts_joined": join_text_parts},
    checked_with="slime's code of August 2026; not with a run",
)
