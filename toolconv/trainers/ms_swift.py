"""ms-swift: agent rows of ``messages`` with the roles ``tool_call`` and ``tool_response``, ``tools`` as JSON text.

Reads its own rows and OpenAI's messages.

- A row that ends on a user's turn or on a result raises when it is encoded: such tails are cut. So does a result that
  follows no call.
- Of OpenAI's messages, ``reasoning_content`` is left out. Its own rows have reasoning in ``<think>``.
- Keys of tools that are null, such as ``"default": null``, are removed whatever the spelling.

Rows: ``toolconv convert data.jsonl --trainer ms-swift -o train.jsonl``

Load: ``swift sft --model MODEL --dataset train.jsonl --agent_template hermes``
"""

from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import ends_with_assistant, null_in_any_tools, reasoning_key, results_follow_calls
from toolconv.trainers.repairs import cut_tail

TRAINER = Trainer(
    name="ms-swift",
    aliases=("swift",),
    layout="ms-swift",
    reads=("ms-swift", "openai", "openai-ft", "canonical", "trl", "axolotl", "chat"),
    checks=(ends_with_assistant, results_follow_calls, null_in_any_tools, reasoning_key),
    repairs={"tail_cut": cut_tail},
    checked_with="ms-swift 4.6.0",
)
