"""Anthropic's Messages API: ``messages`` of content blocks, ``tools`` with ``input_schema``.

Reads the layout ``anthropic``.

- The first turn is the user's. A conversation that begins with the assistant is refused.
- Each ``tool_use`` has its ``tool_result`` in the next user turn, unless it is in the last turn.
- A description that is null is refused: it is left out.
- Other keys of calls and messages are refused: they are left out and counted.
- Reasoning needs the signature that the API gave it: that of other models is left out and counted.
- Blocks are those that the API knows, with the keys that it requires; texts must not be blank, and each turn must have
  a block. A system text comes first.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
- A function without parameters is refused: it gets empty ones. So is a tool that isn't a function.
- Ids of calls match ``[a-zA-Z0-9_-]+``: other characters become ``_``. Two tools must not have one name.
- Names of tools match ``[a-zA-Z0-9_-]{1,128}``.

Rows: ``toolconv convert data.jsonl --trainer anthropic -o train.jsonl``

Load: ``client.messages.create(model=MODEL, max_tokens=1024, **row)``
"""

from toolconv.trainers import checks
from toolconv.trainers.base import Trainer
from toolconv.trainers.parts import in_anthropic, parts_fit
from toolconv.trainers.removals import only_known_keys, unsigned_reasoning
from toolconv.trainers.repairs import add_empty_parameters, drop_null_descriptions, plain_ids

TRAINER = Trainer(
    name="anthropic",
    layout="anthropic",
    reads=("anthropic",),
    own_models=True,
    checks=(
        checks.only_functions,
        checks.functions_are_whole,
        checks.only_roles("system", "developer", "user", "assistant", "tool"),
        parts_fit("messages", "content", in_anthropic),
        checks.system_comes_first,
        checks.begins_with_user,
        checks.calls_are_answered,
        checks.types_are_json_schema,
        checks.ids_match("[a-zA-Z0-9_-]+"),
        checks.names_differ,
        checks.names_match("[a-zA-Z0-9_-]{1,128}"),
    ),
    repairs={
        "call_id_format": plain_ids("[^a-zA-Z0-9_-]", 256),
        "parameters_added": add_empty_parameters,
        "null_description_removed": drop_null_descriptions,
    },
    removals={
        "key_removed": only_known_keys(messages=("thinking_blocks", "cache_control"), results=("is_error",)),
        "unsigned_reasoning_removed": unsigned_reasoning,
    },
    checked_with="anthropic 2.14 (types, block by block)",
)
