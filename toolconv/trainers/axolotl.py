"""axolotl, ``type: chat_template``: ``messages`` and ``tools``, written as text by the student's chat template.

Reads ``messages`` whose ``arguments``, and ``tools``, are values or JSON text.

- It removes every key that is null from a row, so arguments and tools are written as JSON text: there nulls stay.
- It loads with ``datasets`` 4.8.4, which changes numbers in values; JSON text arrives exactly.
- Of reasoning in the last turn it does not train the ``<think>`` that opens it, nor an empty ``<think></think>``, as
  Qwen3 has it. Such rows are counted with ``--template``.
- It does not train the end token of an empty answer: such answers are counted.
- It does not train the end of an answer of GLM's, which is the token that opens the next turn: such turns are counted.
- The mark of a message is ``train``, which it reads with ``message_field_training: train``, as below.
- Of a marked turn that is not the assistant's it trains the end token, too: such turns are counted.
- Of a message it keeps only the keys that it finds in the chat template, and in some templates it finds few: with those
  of GLM-4.6, Gemma 4, EXAONE 4 and LongCat, it leaves calls out without a word. ``message_property_mappings`` in the
  configuration keeps them, as below. With ``--template`` of such a student, what would be lost without it is counted.
- For preference rows, ``type: chat_template.default`` of DPO reads the role and the content of ``messages``, ``chosen``
  and ``rejected``: rows with calls, and marks that say otherwise than that the answers are trained, are counted. It
  stops at an answer without text, such as one of calls alone.
- It reads ``system`` of a row as the system text where the messages have none, even an empty one, which is left out;
  others are counted.
- Content parts that are all text are joined to a text, which every chat template takes; others are counted.

Rows: ``toolconv convert data.jsonl --trainer axolotl -o train.jsonl``

Load: in the configuration, ``datasets:`` with ``path: train.jsonl``, ``ds_type: json``, ``type: chat_template``,
``field_messages: messages``, ``field_tools: tools``, ``message_field_training: train``, and
``message_property_mappings: {role: role, content: content, reasoning_content: reasoning_content, tool_calls:
tool_calls, tool_call_id: tool_call_id, name: name}``

Exact rows, of segments: ``toolconv convert data.jsonl --trainer axolotl --template qwen3 --exact -o train.jsonl``. Take
them where the text and the mask must be the student's in all rows: axolotl writes the segments as they are.

Load: in the configuration, ``datasets:`` with ``path: train.jsonl``, ``ds_type: json`` and ``type: input_output``, and
``train_on_inputs: false``
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from toolconv.core.marks import InvalidMark, default_weight, weight_of
from toolconv.core.messages import calls_of
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers import checks, template_checks
from toolconv.trainers.base import ROW_KEY_REMOVED, Effect, Trainer, TrainerRow
from toolconv.trainers.forms import SEGMENTS
from toolconv.trainers.removals import without_row_keys
from toolconv.trainers.repairs import join_text_parts

UNSEEN_KEYS: Final[Mapping[str, str]] = {
    "tool_calls": "apriel-1.6 diffusiongemma exaone-4.0 exaone-4.5 gemma-4 gemma-4-e4b glm-4.6 glm-4.6v glm-4.7 "
    "glm-5.1 glm-5.2 glm-5.3 hyperclovax-think-32b longcat-flash",
    "tool_call_id": "diffusiongemma gemma-4 gemma-4-e4b gemma-4-e4b-first gemma-4-first",
    "name": "kimi-k2 kimi-k2-thinking kimi-k2.5 kimi-k2.7-code longcat-flash",
}
"""Keys of messages, and whose original chat templates read them, though axolotl 0.19's JinjaTemplateAnalyzer doesn't.

Not asked: command-a, deepseek-v3.2, deepseek-v4, hermes-fc, kimi-k3, ling-3, minimax-m3, phi4-mini.
"""


def keys_are_seen(seen: TrainerRow) -> Iterator[Effect]:
    """Keys of messages that axolotl leaves out, since it doesn't find them in the student's chat template."""
    if seen.template is None:
        return
    name = seen.template.name
    for key in (key for key, names in UNSEEN_KEYS.items() if name in names.split()):
        effect = "calls_removed" if key == "tool_calls" else "template_changes_results"
        for index, message in enumerate(seen.conversation.messages):
            if message.get(key):
                text = f"axolotl leaves {key!r} out for {name}, unless message_property_mappings names it"
                yield Effect(effect, text, index)


def other_ends_trained(seen: TrainerRow) -> Iterator[Effect]:
    """A marked turn that is not the assistant's: axolotl trains its end token, which nobody generates."""
    if seen.conversation.answers is not None:
        return  # there it reads no marks
    for index, message in enumerate(seen.conversation.messages):
        if message.get("role") != "assistant":
            with suppress(InvalidMark):
                if weight_of(message):
                    yield Effect("end_trained", "axolotl also trains the end token of a marked turn", index)


def calls_in_pairs(seen: TrainerRow) -> Iterator[Effect]:
    """Calls and tools in a preference row, of which only roles and contents are read."""
    answers = seen.conversation.answers
    if answers is None:
        return
    if seen.conversation.tools or any(calls_of(message) for message in seen.conversation.all_messages):
        yield Effect("calls_removed", "axolotl reads neither calls nor tools in preference rows")
    for index, message in enumerate(seen.conversation.messages[answers.shared :], answers.shared):
        if not message.get("content"):
            name = "call_not_read" if calls_of(message) else "empty_answer"
            yield Effect(name, "axolotl finds the answers of a preference row by their text, and there is none", index)


def marks_in_pairs(seen: TrainerRow) -> Iterator[Effect]:
    """Marks in a preference row, of which none is read: the answers are trained on, and nothing before them is."""
    answers = seen.conversation.answers
    if answers is None:
        return
    for index, message in enumerate(seen.conversation.messages):
        if "train" not in message:
            continue  # a mark that axolotl reads in no row
        with suppress(InvalidMark):
            weight = weight_of(message)
            if weight not in (None, default_weight(message)) and (weight or index >= answers.shared):
                yield Effect("mark_ignored", "axolotl reads no marks in preference rows", index)


TRAINER = Trainer(
    name="axolotl",
    layout="axolotl",
    reads=("axolotl", "openai", "openai-ft", "canonical", "trl", "chat"),
    style=FieldStyle(arguments="string", tools="string"),
    exact=SEGMENTS,
    checks=(
        checks.null_arguments,
        checks.null_in_tools,
        checks.numbers_in_arguments,
        checks.numbers_in_tools,
        template_checks.last_thinking,
        checks.parts_are_text,
        checks.system_alongside,
        template_checks.template_deviates,
        template_checks.template_leaves_out,
        keys_are_seen,
        template_checks.turn_tokens_in_texts,
        checks.empty_answers,
        calls_in_pairs,
        marks_in_pairs,
        other_ends_trained,
        template_checks.ends_open_turns,
    ),
    repairs={"parts_joined": join_text_parts},
    removals={ROW_KEY_REMOVED: without_row_keys(if_empty=("system",))},
    checked_with="axolotl 0.19.0, datasets 4.8.4",
)
