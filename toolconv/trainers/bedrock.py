"""Amazon Bedrock's tuning upload: Converse rows of the schema ``bedrock-conversation-2024``.

Reads the layout ``bedrock``.

- The first turn is the user's and the last the assistant's: tails are cut, other rows are refused.
- Turns of the user and the assistant alternate: neighbours are joined.
- Each ``toolUse`` has its ``toolResult`` in the next user turn.
- Rows with calls or results must declare tools.
- Other keys of calls, messages and functions are refused: they are left out and counted. So is an empty description.
- A block has one key, of those that the API knows; texts must not be blank, and each turn must have a block.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
- A system text holds texts, and no images.
- A function without parameters is refused: it gets empty ones; an empty list of tools is left out. Other tools, and
  parts in the spelling of other APIs, are refused. A system text comes first.
- Ids of calls match ``[a-zA-Z0-9_.:-]{1,64}``: other characters become ``_``, and longer ids are cut. Two tools must
  not have one name.
- Names of tools match ``[a-zA-Z0-9_-]{1,64}``.

Rows: ``toolconv convert data.jsonl --trainer bedrock -o train.jsonl``

Load: upload ``train.jsonl`` to S3, and give its address as ``trainingDataConfig`` of the customization job
"""

from collections.abc import Iterator

from toolconv.trainers import checks, repairs
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.parts import BEDROCK_SYSTEM, in_bedrock, parts_fit, turns_alternate
from toolconv.trainers.removals import only_function_keys, only_known_keys


def tool_config_is_known(seen: TrainerRow) -> Iterator[Effect]:
    """Keys of ``toolConfig`` that Converse doesn't know, such as Gemini's. Source: botocore, ToolConfiguration."""
    config = seen.row.get("toolConfig")
    for key in config if isinstance(config, dict) else ():
        if key not in ("tools", "toolChoice"):
            yield Effect("key_refused", f"'toolConfig' has the key {key!r}")


def system_blocks_fit(seen: TrainerRow) -> Iterator[Effect]:
    """Blocks of the system text that Converse doesn't take. Source: botocore, SystemContentBlock."""
    found = seen.row.get("system")
    for block in found if isinstance(found, list) else ():
        if not isinstance(block, dict) or len(block) != 1 or not block.keys() <= BEDROCK_SYSTEM:
            yield Effect("content_part_refused", "the system text has a block other than a text, which is refused")


TRAINER = Trainer(
    name="bedrock",
    layout="bedrock",
    reads=("bedrock",),
    own_models=True,
    checks=(
        tool_config_is_known,
        system_blocks_fit,
        checks.only_functions,
        checks.functions_are_whole,
        checks.only_roles("system", "developer", "user", "assistant", "tool"),
        parts_fit("messages", "content", in_bedrock),
        checks.tools_are_declared,
        checks.tools_are_not_empty,
        checks.system_comes_first,
        turns_alternate,
        checks.begins_with_user,
        checks.ends_with_assistant,
        checks.calls_are_answered,
        checks.types_are_json_schema,
        checks.ids_match("[a-zA-Z0-9_.:-]{1,64}"),
        checks.names_differ,
        checks.names_match("[a-zA-Z0-9_-]{1,64}"),
    ),
    repairs={
        "call_id_format": repairs.plain_ids("[^a-zA-Z0-9_.:-]", 64),
        "parameters_added": repairs.add_empty_parameters,
        "empty_tools_removed": repairs.leave_out_empty_tools,
        "neighbours_joined": repairs.join_neighbours,
        "tail_cut": repairs.cut_tail,
        "null_description_removed": repairs.drop_null_descriptions,
        "description_removed": repairs.drop_empty_descriptions,
    },
    removals={
        "key_removed": only_known_keys(results=("status",)),
        "tool_key_removed": only_function_keys("name", "description", "parameters", "strict"),
    },
    checked_with="botocore 1.44.8 (types) and the Converse API reference; not with an upload",
)
