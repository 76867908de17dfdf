"""Mistral's fine-tuning upload and ``mistral-common``: OpenAI's ``messages`` and ``tools``.

``mistral-finetune``, Mistral's own code, reads the same rows and trains only the last answer of a row with tools.

Reads OpenAI's rows, with arguments as JSON text, and no other keys than the layout ``openai-ft`` has: reasoning is left
out and counted.

- Ids of calls are nine letters and digits: others are replaced, in calls and results.
- The last turn is the assistant's: tails are cut, other rows are refused. So is a row that
  begins with a turn of the assistant that calls, or holds nothing else.
- Each call has one result right after its turn. (Versions before 1.13 refuse a user's turn after a result.)
- The mark of an assistant's message is ``weight``, 0 or 1.
- A turn of the assistant has either text or calls, not both (``mistral-common`` for fine-tuning).
- The role ``developer`` is written as ``system``. A system text after an answer is refused, and so is a second one by
  ``mistral-finetune``.
- A function without parameters or a description is refused: it gets empty ones. So are other tools, and content parts
  other than texts, and images of the user. The texts of a row without images are joined.
- The parameters of tools are schemas of JSON Schema's draft 7, with its types: ``string``, not ``str``.

Rows: ``toolconv convert data.jsonl --trainer mistral -o train.jsonl``

Load: ``client.files.upload(file={"file_name": "train.jsonl", "content": open("train.jsonl", "rb")})``
"""

from collections.abc import Iterator
from functools import lru_cache

from toolconv.core import jsontext
from toolconv.core.marks import MarkStyle
from toolconv.core.messages import calls_of
from toolconv.core.schema_types import accept_patterns
from toolconv.trainers import checks, repairs
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.openai import calls_are_whole, only_upload_keys
from toolconv.trainers.parts import MISTRAL_PARTS, typed_parts
from toolconv.trainers.removals import only_known_keys


def asks_something(seen: TrainerRow) -> Iterator[Effect]:
    """A first message of the assistant that is the only one, or calls: its calls are not counted with its results."""
    messages = seen.conversation.messages
    if messages and messages[0].get("role") == "assistant" and (len(messages) == 1 or calls_of(messages[0])):
        yield Effect("first_turn", "the first turn is the assistant's, and calls or stands alone", 0)


def one_system_text(seen: TrainerRow) -> Iterator[Effect]:
    """A second system text, or one after an answer. Source: mistral-finetune, finetune/data/tokenize.py."""
    messages = seen.conversation.messages
    found = [index for index, message in enumerate(messages) if message.get("role") == "system"]
    for index in found[1:]:
        yield Effect("system_turn_late", "a second system text, which mistral-finetune refuses", index)
    if found and any(message.get("role") in ("assistant", "tool") for message in messages[: found[0]]):
        yield Effect("system_turn_late", "a system text follows a turn of the assistant", found[0])


def schemas_are_valid(seen: TrainerRow) -> Iterator[Effect]:
    """Parameters that are not a schema of JSON Schema's draft 7. Source: mistral-common, validator.py."""
    for function in checks.functions_of(seen):
        parameters = function.get("parameters")
        if isinstance(parameters, dict) and (reason := _misfit(jsontext.dumps(parameters))):
            yield Effect(
                "schema_key", f"the parameters of the tool {function.get('name')!r} are not a schema: {reason}"
            )


@lru_cache(maxsize=4096)
def _misfit(schema: bytes) -> str:
    """Why a value is not a schema; empty if it is one."""
    from jsonschema import Draft7Validator
    from jsonschema.exceptions import SchemaError

    accept_patterns()
    try:
        Draft7Validator.check_schema(jsontext.loads(schema))
    except SchemaError as error:
        return error.message
    return ""


TRAINER = Trainer(
    name="mistral",
    layout="openai-ft",
    reads=("openai", "openai-ft", "chat"),
    answers=(),
    checks=(
        checks.only_functions,
        checks.functions_are_whole,
        checks.only_roles("system", "user", "assistant", "tool"),
        typed_parts(MISTRAL_PARTS),
        calls_are_whole,
        one_system_text,
        only_upload_keys,
        asks_something,
        checks.ends_with_assistant,
        checks.calls_are_answered,
        checks.no_empty_answers,
        checks.no_prose_with_calls,
        checks.types_are_json_schema,
        schemas_are_valid,
        checks.names_match("[a-zA-Z0-9_-]{1,64}"),
    ),
    repairs={
        "parameters_added": repairs.add_empty_parameters,
        "developer_as_system": repairs.developer_as_system,
        "tail_cut": repairs.cut_tail,
        "call_id_format": repairs.mistral_ids,
        "description_added": repairs.describe_functions,
        "parts_joined": repairs.join_texts_of_text_rows,
        "type_added": repairs.add_types,
    },
    marks=MarkStyle("weight"),
    removals={
        "key_removed": only_known_keys(messages=("weight",), parts=("type", "text", "image_url")),
    },
    checked_with="mistral-common 1.13.1 (validator v3, fine-tuning), mistralai 3.7.0 (types), mistral-finetune 1943535",
)
