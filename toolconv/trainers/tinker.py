"""Tinker cookbook: OpenAI's ``messages`` and ``tools``, written by the cookbook's own renderers.

Reads the layout ``openai``: arguments are JSON text.

- ``FromConversationFileBuilder`` gives ``messages`` to the renderer as they are, and leaves out ``tools``. So rows with
  calls need code of their own: see below.
- ``openai_messages_to_tinker`` copies role, content, name, ids and calls: ``reasoning_content`` is left out and
  counted.
- ``openai_tools_to_tinker`` leaves out tools that aren't functions.
- With ``TrainOnWhat.CUSTOMIZED``, the mark of a message is ``trainable``. Then each message must have one; otherwise,
  none may. So where a message of a row has a mark, all get one.

Rows: ``toolconv convert data.jsonl --trainer tinker -o train.jsonl``

Load: ``openai_messages_to_tinker(row["messages"])``, before it ``renderer.create_conversation_prefix_with_tools(
openai_tools_to_tinker(row["tools"]))``, and ``conversation_to_datum(messages, renderer, max_length)``

Exact rows, of token ids and masks: ``toolconv convert data.jsonl --trainer tinker --template qwen3 --exact --tokenizer
tokenizer.json -o train.jsonl``. Take them where the renderer's text is not the student's.

Load: ``ids = tinker.ModelInput.from_ints(row["input_ids"])``, ``mask = torch.tensor(row["loss_mask"],
dtype=torch.float32)`` and ``datum_from_model_input_weights(ids, mask, max_length)``
"""

from toolconv.core.marks import MarkStyle
from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import only_functions_arrive, reasoning_key
from toolconv.trainers.forms import IDS_AND_LOSS_MASK
from toolconv.trainers.repairs import mark_all

MARKS = MarkStyle("trainable", flag=True, others=True)

TRAINER = Trainer(
    name="tinker",
    aliases=("tinker-cookbook",),
    layout="openai",
    reads=("openai", "openai-ft"),
    exact=IDS_AND_LOSS_MASK,
    marks=MARKS,
    checks=(reasoning_key, only_functions_arrive),
    repairs={"marks_completed": mark_all(MARKS)},
    checked_with="the code of tinker-cookbook 0.6.1; not with a run",
)
