"""Amazon Bedrock's tuning upload: Converse rows of the schema ``bedrock-conversation-2024``.

Reads the layout ``bedrock``.

- The first turn is the user's and the last the assistant's: tails are cut, other rows are refused.
- Turns of the user and the assistant alternate: neighbours are joined.
- Each ``toolUse`` has its ``toolResult`` in the next user turn.
- Other keys of calls and messages are refused: they are left out and counted.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
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
    types_are_json_schema,
)
from toolconv.trainers.removals import only_known_keys
from toolconv.trainers.repairs import cut_tail, drop_null_descriptions, join_neighbours

TRAINER = Trainer(
    name="bedrock",
    layout="bedrock",
    reads=("bedrock",),
    checks=(
        begins_with_user,
        ends_with_assistant,
        calls_are_answered,
        types_are_json_schema,
        names_match("[a-zA-Z0-9_-]{1,64}"),
    ),
    repairs={
        "neighbours_joined": join_neighbours,
        "tail_cut": cut_tail,
        "null_description_removed": drop_null_descriptions,
    },
    removals={
        "key_removed": only_known_keys("status", "cachePoint"),
    },
    checked_with="the Converse API reference; not with its types or an upload",
)
