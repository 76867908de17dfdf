"""torchtune's ``chat_dataset``, ``conversation_style: openai``: the role and the content of messages.

Reads ``messages`` whose contents are texts, and nothing else: calls, tools and reasoning do not arrive. A content that
is null arrives as that of the message before. So rows with calls should have them in their texts.

- It stops at a row in which the assistant does not follow the user, the user follows the user, or a system text is not
  the first message. So results must be turns of the user, as the dialects ``hermes``, ``qwen3_xml`` and ``react`` write
  them; those that write turns of the role ``tool`` don't help.
- What is trained on is ``masking_strategy``, ``train_on_assistant`` by default; it reads no marks of this layout.
- Preference rows, for ``preference_dataset``, have ``chosen`` and ``rejected``, each with the whole conversation.
- Turns of the role ``tool`` arrive without an end token, as Llama's do.

Rows: ``toolconv convert data.jsonl --trainer torchtune -o train.jsonl``

Rows with calls and tools in their texts: ``toolconv convert data.jsonl --to hermes -o train.jsonl``

Load: ``dataset:`` with ``_component_: torchtune.datasets.chat_dataset``, ``source: json``, ``data_files: train.jsonl``,
``conversation_column: messages`` and ``conversation_style: openai``
"""

from collections.abc import Iterator
from typing import Final

from toolconv.core.marks import NO_MARKS
from toolconv.core.messages import calls_of
from toolconv.layouts.answers import WholePair
from toolconv.layouts.field_style import FieldStyle
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import answers_once, parts_are_text, reasoning_key, system_comes_first
from toolconv.trainers.repairs import developer_as_system, join_text_parts


def only_texts_arrive(seen: TrainerRow) -> Iterator[Effect]:
    """Calls and tools under keys of their own. Source: torchtune.data.OpenAIToMessages."""
    if seen.conversation.tools:
        yield Effect("tools_removed", "torchtune reads no tools: toolconv convert --to DIALECT writes them as text")
    for index, message in enumerate(seen.conversation.messages):
        if calls_of(message):
            text = "torchtune reads no calls: toolconv convert --to DIALECT writes them as text"
            yield Effect("calls_removed", text, index)


_NO_QUESTION: Final = "an answer to no turn of the user; toolconv convert --to hermes writes results as such turns"


def turns_alternate(seen: TrainerRow) -> Iterator[Effect]:
    """A turn that must not follow the one before. Source: torchtune.data.validate_messages."""
    before = "assistant"
    for index, message in enumerate(seen.conversation.messages):
        role = message.get("role")
        if role == "assistant" and before != "user":
            yield Effect("turn_order", _NO_QUESTION, index)
        elif role == before == "user":
            yield Effect("turn_order", "a turn of the user that follows another one", index)
        before = str(role)


TRAINER = Trainer(
    name="torchtune",
    layout="openai",
    reads=("openai", "openai-ft", "trl", "canonical", "chat"),
    style=FieldStyle(empty_content="empty"),
    marks=NO_MARKS,
    answers=(WholePair(),),
    checks=(only_texts_arrive, parts_are_text, reasoning_key, answers_once, turns_alternate, system_comes_first),
    repairs={"developer_as_system": developer_as_system, "parts_joined": join_text_parts},
    checked_with="torchtune 0.6.1 (its messages; not its tokenizers)",
)
