"""OpenAI's fine-tuning upload: ``messages``, ``tools``, ``parallel_tool_calls``, and ``weight`` on assistant messages.

Reads the layout ``openai-ft``.

- Other keys of rows, messages, calls and tools are refused: they are left out and counted. Reasoning is such a key.
- The last message must be the assistant's: tails are cut.
- Each call needs a result right after its turn, with its id, unless the turn is the last.
- A description that is null is refused: it is left out.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
- Names of tools match ``[a-zA-Z0-9_-]{1,64}``.

Rows: ``toolconv convert data.jsonl --trainer openai -o train.jsonl``

Load: ``client.files.create(file=open("train.jsonl", "rb"), purpose="fine-tune")``
"""

from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import calls_are_answered, ends_with_assistant, names_match, types_are_json_schema
from toolconv.trainers.repairs import cut_tail, drop_null_descriptions

TRAINER = Trainer(
    name="openai",
    layout="openai-ft",
    reads=("openai-ft", "openai", "chat"),
    checks=(ends_with_assistant, calls_are_answered, types_are_json_schema, names_match("[a-zA-Z0-9_-]{1,64}")),
    repairs={"tail_cut": cut_tail, "null_description_removed": drop_null_descriptions},
    checked_with="openai 3.54 (types) and the documented list of keys; not with an upload",
)
