"""ms-swift: agent rows of ``messages`` with the roles ``tool_call`` and ``tool_response``, ``tools`` as JSON text.

Reads its own rows and OpenAI's messages.

- A row that ends on a user's turn or on a result raises when it is encoded: such tails are cut. So does a row where a
  user's turn follows a result, and one where a result follows no turn of the assistant.
- It leaves out rows with other roles than ``system``, ``user``, ``assistant`` and ``tool``. ``developer`` is written as
  ``system``, and system texts that follow each other are one; at a later one it raises.
- Neighbouring turns of the user, or of the assistant, arrive as one text with nothing between them. So they are joined
  with an empty line; a turn that follows a turn with calls can't be joined and is counted.
- With ``--template`` of Qwen2.5, Qwen3, Qwen3-Instruct-2507, Qwen3.5 or QwQ, whose text it writes, a user's turn after
  a result or another one becomes one with it, with the student's own turn tokens inside. For other students its text is
  another one, or was not compared: each row is counted.
- Prose and the call after it arrive with nothing between them, too. With ``--template`` of the student, the prose ends
  with what that family writes there (Qwen: a line break).
- Before a first turn of the assistant it writes an empty turn of the user.
- The mark of an assistant's message is ``loss``, and ``loss_scale`` a weight other than 0 and 1.
- Preference rows, for ``swift rlhf``, have the chosen answer in ``messages`` and ``rejected_messages`` next to it.
- It takes an empty system text without tools for none, so such rows are counted.
- It does not train the end token of an empty answer before the last turn: such turns are counted.
- Of a last turn that its mark leaves out, it trains the end token: such rows are counted.
- Of OpenAI's messages, ``reasoning_content`` is left out. Its own rows have reasoning in ``<think>``.
- Keys of tools that are null, such as ``"description": null``, are removed whatever the spelling. ``default``,
  ``const``, items of ``enum`` and ``examples``, and keys that begin with ``x-`` may be null.
- It reads ``system`` of a row as the system text where the messages have none, and ``images``, ``videos`` and
  ``audios`` as those of the first turn where no text has a placeholder for them. It stops where the model takes none,
  so they are counted.
- It leaves out a row whose ``objects`` have no ``bbox``, a list of boxes of two or four numbers. Such ``objects`` are
  left out, and counted.
- It keeps tools as values in ``datasets``, which changes some numbers (0.7, 1e-12), and may stop the run at an integer
  below -2^63 or from 2^64 on: such rows are counted. Arguments arrive exactly.
- Its templates ``qwen3`` and ``qwen3_5`` write an empty ``<think>`` block in all turns without reasoning, which Qwen's
  own do not. ``qwen3_nothinking`` writes answers as they are in the row. With ``--template qwen3`` the rows hold the
  blocks that Qwen's own writes: load them with ``qwen3_nothinking``.
- It keeps the reasoning of all turns, and ``qwen3_5`` trains the ``<think>`` of the prompt. With ``--template``, turns
  where the student's own does otherwise are counted.
- Where there is no system text, it writes an empty line before ``# Tools``. With ``--template`` of Qwen3 or
  Qwen3-Instruct-2507, the tools are the system text there, as the student's template writes them.

Rows: ``toolconv convert data.jsonl --trainer ms-swift --template qwen3 -o train.jsonl``

Load: ``swift sft --model Qwen/Qwen3-8B --dataset train.jsonl --agent_template hermes --template qwen3_nothinking``

Exact rows, of texts with ``loss``: ``toolconv convert data.jsonl --trainer ms-swift --template qwen3 --exact -o
train.jsonl``. Take them where rows would raise, or where ms-swift's template differs from the student's own. Keys of
images, videos, audios and objects are left out, and counted.

They need a template that adds nothing, in a file of two lines. ``qwen3`` in it is ms-swift's template of the model.
``--use_chat_template false`` is no such template: it adds and trains end tokens.

Load: ``swift sft --model Qwen/Qwen3-8B --dataset train.jsonl --external_plugins exact.py --template exact``

``exact.py``::

    from swift.template import TEMPLATE_MAPPING, TemplateMeta, register_template
    register_template(TemplateMeta("exact", [], ["{{QUERY}}"], [], [], TEMPLATE_MAPPING["qwen3"].template_cls))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.marks import InvalidMark, weight_of
from toolconv.core.messages import calls_of
from toolconv.core.schema_types import SCHEMAS_BY_NAME
from toolconv.templates.base import Template
from toolconv.trainers import checks, repairs, template_checks
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.forms import MESSAGES_WITH_LOSS
from toolconv.trainers.one_turn import answers_in_one, questions_in_one, tools_in_system

TEMPLATES: Final[Mapping[str, str]] = {
    "qwen2.5": "qwen2_5",
    "qwen3": "qwen3_nothinking",
    "qwen3-instruct-2507": "qwen3_nothinking",
    "qwen3.5": "qwen3_5",
    "qwq-32b": "qwq",
}
"""The students whose text a template of ms-swift's own writes, except for what has a name, and that template."""
PLAIN: Final = ("qwen2.5", "qwen3", "qwen3-instruct-2507")
"""Of these the students for which it writes an answer as it is in the row."""
ADDS_THINKING: Final = ("qwen3.5",)
"""Of these the students for which it writes an empty ``<think>`` block in all turns without reasoning."""
_MAY_BE_NULL: Final = frozenset({"default", "const"})
_MAY_HOLD_NULL: Final = frozenset({"enum", "examples"})
_SCHEMAS_BY_NAME: Final = frozenset({*SCHEMAS_BY_NAME, "dependentSchemas", "dependencies"})


def null_in_tools(seen: TrainerRow) -> Iterator[Effect]:
    """Null keys of tools, which ms-swift takes for padding by Arrow. Source: swift.utils.remove_arrow_padding."""
    if _loses_null(seen.conversation.tools):
        yield Effect("null_removed", "ms-swift removes keys of tools that are null")


def _loses_null(schema: Any) -> bool:
    """Whether a key of a tool, or of a schema in it, is removed."""
    if isinstance(schema, list):
        return any(map(_loses_null, schema))
    if not isinstance(schema, dict):
        return False
    for key, value in schema.items():
        if key in _MAY_BE_NULL or key.startswith("x-"):
            continue
        if value is None:
            return True
        if key in _SCHEMAS_BY_NAME and isinstance(value, dict):
            if any(item is None or _loses_null(item) for item in value.values()):
                return True
        elif key not in _MAY_HOLD_NULL and _loses_null(value):
            return True
    return False


def numbers_in_any_tools(seen: TrainerRow) -> Iterator[Effect]:
    """Numbers in tools: ms-swift reads the JSON text, and lets ``datasets`` keep the values."""
    yield from checks.numbers_of_tools(seen.conversation.tools)


def texts_stay_apart(seen: TrainerRow) -> Iterator[Effect]:
    """Texts that ms-swift writes with nothing between them. Source: Template._swift_prepare_inputs."""
    separator = seen.template.dialect.separator if seen.template is not None else "\n"
    before = None
    for index, message in enumerate(seen.conversation.messages):
        role, prose = message.get("role"), message.get("content")
        if role == before and role in ("user", "assistant"):
            whose = "user" if role == "user" else "assistant"
            yield Effect("turns_joined", f"two turns of the {whose} arrive as one, with nothing between them", index)
        if calls_of(message) and isinstance(prose, str) and prose and separator and not prose.endswith(separator):
            yield Effect("turns_joined", "prose and call arrive with nothing between them: --template helps", index)
        before = role


def last_end_trained(seen: TrainerRow) -> Iterator[Effect]:
    """A last turn that its mark leaves out: ms-swift trains its end token. Source: LossScale, ContextType.SUFFIX."""
    messages = seen.conversation.messages
    if messages and messages[-1].get("role") == "assistant":
        with suppress(InvalidMark):
            if weight_of(messages[-1]) == 0:
                message = "ms-swift trains the end token of the last turn, which its mark leaves out"
                yield Effect("end_trained", message, len(messages) - 1)


def ends_of_empty_answers(seen: TrainerRow) -> Iterator[Effect]:
    """An empty answer before the last turn, whose end token is not trained. Source: Template._concat_context_list."""
    if seen.template is not None and seen.template.name in ADDS_THINKING:
        return
    for index, message in enumerate(seen.conversation.messages[:-1]):
        written = message.get("content") or calls_of(message) or message.get("reasoning_content") is not None
        if message.get("role") == "assistant" and not written:
            yield Effect("answer_untrained", "ms-swift does not train the end of an empty answer", index)


def untyped_are_wrapped(seen: TrainerRow) -> Iterator[Effect]:
    """A tool with neither a type nor a function, which arrives as a function. Source: BaseAgentTemplate.wrap_tool."""
    for tool in seen.conversation.tools:
        if isinstance(tool, dict) and tool and tool.keys().isdisjoint(("type", "function", "name")):
            yield Effect("tool_wrapped", f"a tool of the type {next(iter(tool))!r} arrives as a function")


def begins_with_turn_of_user(seen: TrainerRow) -> Iterator[Effect]:
    """A first turn of the assistant, before which ms-swift writes an empty one. Source: Template._get_std_messages."""
    first = checks.after_system(seen.conversation.messages)
    if first is not None and first[1].get("role") == "assistant":
        yield Effect("turn_added", "an empty turn of the user arrives before the first turn", first[0])


def objects_without_boxes(conversation: Conversation, template: Template | None = None) -> int:
    """The removal of ``objects`` at which a row is left out. Source: RowPreprocessor._check_objects."""
    objects = conversation.row.get("objects")
    boxes = objects.get("bbox") if isinstance(objects, dict) else None
    if objects is None or (
        isinstance(boxes, list) and all(isinstance(box, list) and len(box) in (2, 4) for box in boxes)
    ):
        return 0
    conversation.row = {key: value for key, value in conversation.row.items() if key != "objects"}
    return 1


TRAINER = Trainer(
    name="ms-swift",
    aliases=("swift",),
    layout="ms-swift",
    reads=("ms-swift", "openai", "openai-ft", "canonical", "trl", "axolotl", "chat"),
    exact=MESSAGES_WITH_LOSS,
    templates=TEMPLATES,
    checks=(
        template_checks.own_template,
        checks.only_roles("system", "user", "assistant", "tool"),
        checks.ends_with_assistant,
        checks.system_comes_first,
        checks.system_alongside,
        checks.results_follow_answers,
        checks.no_user_after_result,
        texts_stay_apart,
        checks.no_media_alongside("image", "images", "video", "videos", "audio", "audios"),
        begins_with_turn_of_user,
        template_checks.empty_system_is_none(),  # Source: Template._swift_encode
        ends_of_empty_answers,
        untyped_are_wrapped,
        null_in_tools,
        numbers_in_any_tools,
        checks.reasoning_key,
        template_checks.turn_tokens_in_texts,
        template_checks.earlier_reasoning_kept,
        template_checks.line_breaks_kept,
        template_checks.empty_thinking_added(*ADDS_THINKING),
        template_checks.blank_line_before_tools("qwen3", "qwen3-instruct-2507"),
        template_checks.prompt_thinking_trained,
        last_end_trained,
    ),
    removals={
        ROW_KEY_REMOVED: objects_without_boxes,
        template_checks.HEADER_TRAINED: answers_in_one(*PLAIN),
    },
    repairs={
        "developer_as_system": repairs.developer_as_system,
        template_checks.TOOLS_IN_SYSTEM: tools_in_system("qwen3", "qwen3-instruct-2507"),
        template_checks.TURNS_IN_ONE: questions_in_one(*TEMPLATES),
        "neighbours_joined": repairs.join_neighbours,
        "tail_cut": repairs.cut_tail,
        "empty_thinking_placed": repairs.thinking_as_written(*PLAIN, "qwq-32b"),
        "separator_added": repairs.separate_prose,
        "parts_joined": repairs.join_text_parts,
    },
    checked_with="ms-swift 4.6.0",
)
