"""NeMo Automodel's ``ChatDataset``: ``messages`` and ``tools``, written as text by the student's chat template.

Reads OpenAI's ``messages`` and ``tools``, which may be JSON text.

- It gives arguments to the chat template as JSON text, whatever they were: templates that write them as JSON encode
  them again, which is counted with ``--template``.
- It stops at the role ``developer``, which is written as ``system``, and at a result without the id of its call.
- Without ``{% generation %}`` in the template, it finds what to train on by writing the conversation up to each answer,
  and stops where that is not the beginning of the whole, as with Qwen3's turns before the last one. With
  ``--template``, such rows are counted; so are rows that begin with the assistant, at which it stops, too. It stops at
  none of them if ``chat_template`` in the configuration has ``{% generation %}``, as TRL's ``*_training.jinja`` have:
  ``toolconv convert data.jsonl --chat-template FILE --spans`` shows their texts and what they train otherwise.
- Without ``mask_generation_prompt: true``, the header of each answer is trained. With it, an empty ``<think>`` block is
  not, though Qwen3 writes it in the last turn.
- All turns of the assistant are trained on; it reads no marks.

Rows: ``toolconv convert data.jsonl --trainer automodel -o train.jsonl``

Load: ``dataset:`` with ``_target_: nemo_automodel.components.datasets.llm.chat_dataset.ChatDataset`` and
``path_or_dataset_id: train.jsonl``, ``mask_generation_prompt: true``
"""

from collections.abc import Iterator

from toolconv.core.marks import NO_MARKS
from toolconv.core.messages import calls_of
from toolconv.layouts.field_style import FieldStyle
from toolconv.templates.originals import argument_effect
from toolconv.trainers import template_checks
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import has_answers, numbers_in_arguments, numbers_in_tools, parts_are_text
from toolconv.trainers.repairs import developer_as_system, join_text_parts


def arguments_are_text(seen: TrainerRow) -> Iterator[Effect]:
    """Arguments, which the student's chat template gets as JSON text. Source: chat_dataset, _normalize_messages."""
    if seen.template is None or not any(map(calls_of, seen.conversation.messages)):
        return
    if (effect := argument_effect(seen.template.name, {str})) is not None:
        name = (
            "template_refuses"
            if template_checks.deviation_name(effect, "arguments") == "template_refuses"
            else "encoded_twice"
        )
        yield Effect(name, f"Automodel writes arguments as JSON text: {seen.template.name} then {effect}")


def results_have_ids(seen: TrainerRow) -> Iterator[Effect]:
    """A result without the id of a call, at which it stops."""
    for index, message in enumerate(seen.conversation.messages):
        if message.get("role") == "tool" and not message.get("tool_call_id"):
            yield Effect("key_refused", "a result without the id of its call", index)


def begins_before_assistant(seen: TrainerRow) -> Iterator[Effect]:
    """A first message of the assistant, before which there is no conversation to write. Source: formatting_utils.py."""
    messages = seen.conversation.messages
    if messages and messages[0].get("role") == "assistant":
        yield Effect("first_turn", "the row begins with the assistant, at which Automodel stops", 0)


def beginnings_stay(seen: TrainerRow) -> Iterator[Effect]:
    """A turn before or after which the text so far is not the beginning of the whole. Source: formatting_utils.py."""
    if seen.template is None or not seen.template.is_known:  # a file may have {% generation %}
        return
    at = template_checks.rewritten_turn(
        seen, lambda before, after: "assistant" in (before.get("role"), after.get("role"))
    )
    if at is not None:
        name = seen.template.name
        text = f"Automodel stops: {name} writes this turn otherwise when others follow it"
        yield Effect("turn_rewritten", f"{text}. A chat_template with {{% generation %}} prevents that", at)


def empty_thinking_untrained(seen: TrainerRow) -> Iterator[Effect]:
    """The empty reasoning of the last turn, which it takes for a part of the prompt. Source: formatting_utils.py."""
    messages = seen.conversation.messages
    stops = seen.template.stops if seen.template is not None else ()
    if messages and any(stops) and not messages[-1].get("reasoning_content"):
        yield from template_checks.last_thinking(seen)


TRAINER = Trainer(
    name="automodel",
    aliases=("nemo-automodel",),
    layout="openai",
    reads=("openai", "openai-ft", "trl", "canonical", "axolotl", "chat"),
    style=FieldStyle(arguments="string", tools="string"),
    marks=NO_MARKS,
    answers=(),
    checks=(
        has_answers,
        begins_before_assistant,
        results_have_ids,
        parts_are_text,
        numbers_in_arguments,
        numbers_in_tools,
        arguments_are_text,
        template_checks.template_leaves_out,
        beginnings_stay,
        empty_thinking_untrained,
        template_checks.ends_open_turns,
        template_checks.turn_tokens_in_texts,
    ),
    repairs={"developer_as_system": developer_as_system, "parts_joined": join_text_parts},
    checked_with="nemo-automodel 0.7.0 (its dataset)",
)
