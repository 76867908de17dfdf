"""Tinker cookbook: OpenAI's ``messages`` and ``tools``, written by the cookbook's own renderers.

Reads the layout ``openai``: arguments are JSON text.

- ``FromConversationFileBuilder`` gives ``messages`` to the renderer as they are, and leaves out ``tools``. So rows with
  calls need code of their own: see below.
- ``openai_messages_to_tinker`` copies role, content, reasoning, name, ids and calls, and no marks: see below. It
  refuses calls with other keys, which are left out and counted.
- Most renderers leave out the reasoning of all turns but the last, which is counted, and write each result of parallel
  calls as a turn of its own. The text of ``qwen3`` was compared; others are counted with ``--template``.
- Of a function, its name, description and parameters arrive, in this order; other keys are left out and counted.
- ``openai_tools_to_tinker`` leaves out tools that aren't functions, and those without a type, which is added.
- The renderers escape letters beyond ASCII in calls and tools, which is counted. Texts in parts are joined.
- With ``TrainOnWhat.CUSTOMIZED``, the mark of a message is ``trainable``. Then each message must have one; otherwise,
  none may. So where a message of a row has a mark, all get one.

Rows: ``toolconv convert data.jsonl --trainer tinker -o train.jsonl``

Load::

    messages = openai_messages_to_tinker(row["messages"])
    for message, marked in zip(messages, row["messages"]):
        if "trainable" in marked:
            message["trainable"] = marked["trainable"]
    if row.get("tools"):
        system = messages.pop(0)["content"] if messages[0]["role"] == "system" else ""
        prefix = renderer.create_conversation_prefix_with_tools(openai_tools_to_tinker(row["tools"]), system)
        marks = {"trainable": False} if "trainable" in row["messages"][0] else {}
        messages = [{**message, **marks} for message in prefix] + messages
    what = "customized" if "trainable" in row["messages"][0] else "all_assistant_messages"
    datum = conversation_to_datum(messages, renderer, max_length, TrainOnWhat(what))

Exact rows, of token ids and masks: ``toolconv convert data.jsonl --trainer tinker --template qwen3 --exact --tokenizer
tokenizer.json -o train.jsonl``. Take them where the renderer's text is not the student's.

Load: ``ids = tinker.ModelInput.from_ints(row["input_ids"])``, ``mask = torch.tensor(row["loss_mask"],
dtype=torch.float32)`` and ``datum_from_model_input_weights(ids, mask, max_length)``
"""

from collections.abc import Iterator
from typing import Final

from toolconv.core import jsontext
from toolconv.core.marks import MarkStyle
from toolconv.core.messages import calls_of
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import functions_of, only_functions_arrive, parts_are_text
from toolconv.trainers.forms import IDS_AND_LOSS_MASK
from toolconv.trainers.removals import only_function_keys, only_known_keys
from toolconv.trainers.repairs import add_types, developer_as_system, join_text_parts, mark_all
from toolconv.trainers.template_checks import own_template, results_in_one_turn


def earlier_reasoning(seen: TrainerRow) -> Iterator[Effect]:
    """The reasoning of turns before the last one. Source: the renderers' ``strip_thinking_from_history``."""
    for index, message in enumerate(seen.conversation.messages[:-1]):
        if message.get("reasoning_content"):
            yield Effect("reasoning_removed", "the renderer leaves out reasoning before the last turn", index)


def keys_in_order(seen: TrainerRow) -> Iterator[Effect]:
    """A function whose keys arrive in another order, or are added. Source: openai_tools_to_tinker."""
    for function in functions_of(seen):
        if (keys := [key for key in function if key in FUNCTION_KEYS]) != [*FUNCTION_KEYS]:
            shown = ", ".join(map(repr, keys))
            yield Effect("tool_keys_moved", f"a function with {shown} arrives with name, description and parameters")


def written_otherwise(seen: TrainerRow) -> Iterator[Effect]:
    """What the renderers write with other letters or line breaks than the student's template. Source: Qwen3Renderer."""
    messages, tools = seen.conversation.messages, seen.conversation.tools
    escaped = "the renderer writes letters beyond ASCII as escapes in"  # with json.dumps
    for index, message in enumerate(messages):
        if not jsontext.dumps(calls_of(message)).isascii():
            yield Effect("text_differs", f"{escaped} these calls", index)
    if not jsontext.dumps(tools).isascii():
        yield Effect("text_differs", f"{escaped} the tools")
    if not messages:
        return
    if tools and messages[0].get("role") == "system" and not messages[0].get("content"):
        yield Effect("text_differs", "the renderer writes nothing of an empty system text before the tools", 0)
    last = messages[-1]
    if last.get("role") != "assistant":
        return
    text = last.get("content")
    inline = isinstance(text, str) and "</think>" in text and not text.rpartition("</think>")[2].strip("\n")
    if calls_of(last) and ((last.get("reasoning_content") and not text) or inline):
        why = "the renderer writes an empty line more between this reasoning and the call"
        yield Effect("text_differs", why, len(messages) - 1)
    before, closed, _ = str(text).partition("</think>")
    if closed and "<think>" not in before and not calls_of(last):
        yield Effect("text_differs", "the renderer takes what precedes </think> for reasoning", len(messages) - 1)
    if "<think>" in before and not closed and not last.get("reasoning_content"):
        why = "the renderer writes no empty reasoning before an answer that holds <think>"
        yield Effect("text_differs", why, len(messages) - 1)


FUNCTION_KEYS: Final = ("name", "description", "parameters")
MARKS = MarkStyle("trainable", flag=True, others=True)

TRAINER = Trainer(
    name="tinker",
    aliases=("tinker-cookbook",),
    layout="openai",
    reads=("openai", "openai-ft"),
    exact=IDS_AND_LOSS_MASK,
    marks=MARKS,
    templates={"qwen3": "qwen3"},
    answers=(),
    checks=(
        keys_in_order,
        written_otherwise,
        parts_are_text,
        earlier_reasoning,
        only_functions_arrive,
        own_template,
        results_in_one_turn,
    ),
    repairs={
        "developer_as_system": developer_as_system,
        "parts_joined": join_text_parts,
        "type_added": add_types,
        "marks_completed": mark_all(MARKS),
    },
    removals={
        "key_removed": only_known_keys(messages=("name", "weight", "trainable", "train", "loss")),
        "tool_key_removed": only_function_keys(*FUNCTION_KEYS),
    },
    checked_with="tinker-cookbook 0.6.1 (its renderers)",
)
