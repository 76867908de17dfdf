"""Amazon Bedrock's tuning upload: Converse rows of the schema ``bedrock-conversation-2024``.

Reads the layout ``bedrock``.

- The first turn is the user's and the last the assistant's: tails are cut, other rows are refused.
- Turns of the user and the assistant alternate: neighbours are joined.
- Each ``toolUse`` has its ``toolResult`` in the next user turn.
- Other keys of calls and messages are refused: they are left out and counted.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
- A function without parameters is refused: it gets empty ones; an empty list of tools is left out. Other tools, and
  images and other parts in OpenAI's spelling, are refused.
- Names of tools match ``[a-zA-Z0-9_-]{1,64}``.

Rows: ``toolconv convert data.jsonl --trainer bedrock -o train.jsonl``

Load: upload ``train.jsonl`` to S3, and give its address as ``trainingDataConfig`` of the customization job
"""

from toolconv.trainers.base import Trainer
from toolconv.trainers.checks import (
    begins_with_user,
    calls_are_answered,
    ends_with_assistant,
    names_match,
    no_media,
    only_functions,
    types_are_json_schema,
)
from toolconv.trainers.removals import only_known_keys
from toolconv.trainers.repairs import (
    add_empty_parameters,
    cut_tail,
    drop_null_descriptions,
    join_neighbours,
    leave_out_empty_tools,
)

TRAINER = Trainer(
    name="bedrock",
    layout="bedrock",
    reads=("bedrock",),
    checks=(
        only_functions,
        no_media("user", "tool"),
        begins_with_user,
        ends_with_assistant,
        calls_are_answered,
        types_are_json_schema,
        names_match("[a-zA-Z0-9_-]{1,64}"),
    ),
    repairs={
        "parameters_added": add_empty_parameters,
        "empty_tools_removed": leave_out_empty_tools,
        "neighbours_joined": join_neighbours,
        "tail_cut": cut_tail,
        "null_description_removed": drop_null_descriptions,
    },
    removals={
        "key_removed": only_known_keys("status", "cachePoint"),
    },
    checked_with="the Converse API reference; not with its types or an upload",
)
