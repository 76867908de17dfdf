"""OpenAI's fine-tuning upload: ``messages``, ``tools``, ``parallel_tool_calls``, and ``weight`` on assistant messages.

Reads the layout ``openai-ft``.

- Other keys of rows, messages, calls and tools are refused: they are left out and counted. Reasoning is such a key.
- The last message must be the assistant's: tails are cut.
- The mark of an assistant's message is ``weight``, 0 or 1.
- Preference rows have ``input``, ``preferred_output`` and ``non_preferred_output``.
- Each call needs a result right after its turn, with its id, unless the turn is the last.
- A description that is null, and an empty list of tools, are refused: they are left out. Parameters that are null
  become empty ones.
- Tools and calls need their type: it is added. Calls need an id, a name and arguments.
- Content parts are texts, and images of the user; sounds and files are not supported. Their other keys are refused.
- The role ``developer`` is not among those of the file's schema: it is written as ``system``.
- Types in the parameters of tools are JSON Schema's: ``string``, not ``str``.
- Tools that are no functions are refused.
- A request has at most 128 tools, and names of speakers have no whitespace.
- Ids of calls have at most 40 characters. No page says so, but requests with longer ones were refused
  (agno-agi/agno#5382), with newer models those with 65 and more (decolua/9router#3167).
- Descriptions may have any length. Requests with more than 1,024 characters were refused until the spring of 2025
  (getsentry/sentry-mcp#106), and are no longer (run-llama/llama_index#18784, with GPT-4.1 mini). Whether uploads are is
  not known.
- Names of tools match ``[a-zA-Z0-9_-]{1,64}``.

Checked with ``FineTuneChatRequestInput`` of OpenAI's API description (openai/openai-openapi, branch manual_spec, April
2025; the later ones lack it), and for sounds and files with its version 2.3.0.

Rows: ``toolconv convert data.jsonl --trainer openai -o train.jsonl``

Load: ``client.files.create(file=open("train.jsonl", "rb"), purpose="fine-tune")``
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import calls_of
from toolconv.layouts.field_style import FieldStyle
from toolconv.layouts.formats.openai_ft import CALL_KEYS, FUNCTION_KEYS, MESSAGE_KEYS, ROW_KEYS
from toolconv.trainers import checks, repairs
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.parts import OPENAI_PARTS, typed_parts
from toolconv.trainers.removals import only_part_keys

MOST_TOOLS: Final = 128
SPEAKER: Final = lazy_re(r"[^\s<|\\/>]+")
"""What the API answers to requests: 'array too long' and 'does not match pattern'."""


def calls_are_whole(seen: TrainerRow) -> Iterator[Effect]:
    """Calls without an id, a name or arguments."""
    for index, message in enumerate(seen.conversation.messages):
        for call in calls_of(message):
            missing = [] if isinstance(call.get("id"), str) else ["id"]
            missing += [key for key in ("name", "arguments") if key not in call["function"]]
            if missing:
                yield Effect("key_refused", f"a call without {' and '.join(map(repr, missing))}", index)


def only_upload_keys(seen: TrainerRow) -> Iterator[Effect]:
    """Keys of rows, messages, calls and tools that the upload refuses."""
    row = seen.row
    messages = [message for message in _items(row.get("messages")) if isinstance(message, dict)]
    tools = [tool for tool in _items(row.get("tools")) if isinstance(tool, dict)]
    functions = [function for tool in tools if isinstance(function := tool.get("function"), dict)]
    if "messages" not in row:
        return
    for what, objects, known in (
        ("the row", [row], ROW_KEYS),
        ("messages", messages, MESSAGE_KEYS),
        ("calls", [call for message in messages for call in calls_of(message)], CALL_KEYS),
        ("tools", tools, {"type", "function"}),
        ("functions", functions, FUNCTION_KEYS),
    ):
        if other := list(dict.fromkeys(key for each in objects for key in each if key not in known)):
            yield Effect("key_refused", f"{what} with the keys {', '.join(map(repr, other))}, which are refused")


def parts_are_there(seen: TrainerRow) -> Iterator[Effect]:
    """A content that is an empty list of parts."""
    for index, message in enumerate(seen.conversation.messages):
        if message.get("content") == []:
            yield Effect("value_refused", "a content that is an empty list of parts", index)


def few_tools(seen: TrainerRow) -> Iterator[Effect]:
    """More tools than the API takes."""
    if len(seen.conversation.tools) > MOST_TOOLS:
        yield Effect("value_refused", f"more than {MOST_TOOLS} tools")


def speakers_fit(seen: TrainerRow) -> Iterator[Effect]:
    """A name of a speaker with whitespace, or another character that the API refuses."""
    for index, message in enumerate(seen.conversation.messages):
        name = message.get("name")
        if (
            name is not None
            and message.get("role") != "tool"
            and not (isinstance(name, str) and SPEAKER.fullmatch(name))
        ):
            yield Effect("value_refused", f"the name of a speaker does not match {SPEAKER.pattern}", index)


def _items(value: Any) -> list[Any]:
    """A value if it is a list; else an empty list."""
    return value if isinstance(value, list) else []


TRAINER = Trainer(
    name="openai",
    layout="openai-ft",
    reads=("openai-ft", "openai", "chat"),
    own_models=True,
    style=FieldStyle(arguments="string"),
    checks=(
        checks.only_functions,
        checks.functions_are_whole,
        checks.only_roles("system", "user", "assistant", "tool"),
        only_upload_keys,
        checks.tools_are_not_empty,
        calls_are_whole,
        typed_parts(OPENAI_PARTS),
        parts_are_there,
        checks.ends_with_assistant,
        checks.calls_are_answered,
        checks.types_are_json_schema,
        checks.ids_match("(?s).{1,40}"),
        few_tools,
        speakers_fit,
        checks.names_match("[a-zA-Z0-9_-]{1,64}"),
    ),
    repairs={
        "developer_as_system": repairs.developer_as_system,
        "tail_cut": repairs.cut_tail,
        "parameters_added": repairs.replace_null_parameters,
        "null_description_removed": repairs.drop_null_descriptions,
        "type_added": repairs.add_types,
        "empty_tools_removed": repairs.leave_out_empty_tools,
    },
    removals={"key_removed": only_part_keys("type", "text", "image_url", "refusal")},
    checked_with="openai 3.57 (types) and the documented list of keys; not with an upload",
)
