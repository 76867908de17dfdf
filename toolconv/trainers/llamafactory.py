"""LLaMA-Factory, ``formatting: sharegpt``: turns of ``human``, ``gpt``, ``function_call`` and ``observation``.

Reads the layout ``llamafactory``, with the columns and tags that its ``dataset_info.json`` names.

- Turns must alternate: ``human`` or ``observation``, then ``gpt`` or ``function_call``, and the last is one of the
  latter. Any other row is skipped with a warning. ``developer`` is written as ``system``. Neighbours are joined and
  tails without an answer are cut. A row that begins with the assistant is counted; so is one where a user's turn
  follows a result, unless ``--template`` helps.
- Prose and reasoning next to a call arrive before it: the call is in ``<tool_call>`` and ``</tool_call>``. A
  ``function_call`` that is not JSON stops the run; so does one whose arguments hold these words.
- The results of parallel calls are one turn. With ``--template`` of a family that wraps each result in
  ``<tool_response>``, they are joined so that each gets a block of its own; otherwise they arrive as one JSON list.
- Its template ``qwen3`` writes an empty ``<think>`` block in all turns without reasoning, which Qwen's own does not.
  ``qwen3_nothink`` writes answers as they are in the row. With ``--template qwen3`` the rows hold the blocks that
  Qwen's own writes: load them with ``qwen3_nothink``. The reasoning of all turns is kept: where Qwen's leaves it out,
  the turn is counted.
- Where there is no system text, it writes an empty line before ``# Tools``. With ``--template`` of Qwen3 or
  Qwen3-Instruct-2507, the tools are the system text there, as the student's template writes them.
- Its templates for families without ``<think>`` (gpt-oss, Gemma 4, Seed-OSS) raise at reasoning before a call, and
  those that declare tools in words of their own (gpt-oss, DeepSeek-V3, Phi-4-mini) at a tool without ``properties``.
- With ``--template`` of Qwen2.5, Qwen3 or Qwen3-Instruct-2507, whose text it writes, turns in another order become one
  turn with the student's own turn tokens inside. A first turn of the assistant becomes a part of the system text, if
  there is one: it is not trained there, and counted. For other students its text is another one: each row is counted.
- It takes an empty system text for none, and writes the number of a turn for ``{{idx}}`` in a turn of the user. With
  ``--template``, such rows are counted.
- It reads no marks of turns, so they are counted; exact rows keep them.
- Preference rows have ``chosen`` and ``rejected``, of one turn each, next to ``conversations``.
- Rows with a flag ``label`` or ``kto_tag`` are for ``stage: kto``. With ``kto_tag`` in the entry of
  ``dataset_info.json``, ``stage: sft`` skips them.
- It writes each tool as ``{"type": "function", "function": …}``, whatever the order of these keys was.
- ``formatting: openai`` encodes arguments twice, leaves out reasoning and adds words to system texts: don't use it.

Rows: ``toolconv convert data.jsonl --trainer llamafactory --template qwen3 -o train.jsonl``

Load: ``toolconv layouts llamafactory --dataset-info train.jsonl`` prints the entry of ``data/dataset_info.json``; then
``dataset: train`` and ``template: qwen3_nothink`` in the training configuration

Exact rows, of turns of ``gpt``, which are trained, and of ``observation``, which are not: ``toolconv convert data.jsonl
--trainer llamafactory --template qwen3 --exact -o train.jsonl``. Take them where rows would be skipped, or where
LLaMA-Factory's template differs from the student's own. Text after the last trained one is followed by an empty turn of
``gpt``, since a row must end on one. Other columns that LLaMA-Factory reads, such as ``system`` and ``label``, are left
out, and counted.

Load: the same entry of ``data/dataset_info.json``, and ``template: empty`` in the training configuration, without
``train_on_prompt`` and ``mask_history``
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import calls_of
from toolconv.layouts.formats.llamafactory import CALL_WORDS, LAYOUT
from toolconv.layouts.nested_json import value_of
from toolconv.layouts.speakers import CALL
from toolconv.layouts.turn_list import THOUGHT
from toolconv.trainers import repairs, template_checks
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.checks import others_are_wrapped
from toolconv.trainers.forms import TURNS
from toolconv.trainers.one_turn import answers_in_one, opening_in_system, questions_in_one, tools_in_system

ASKS = ("user", "tool")
ANSWERS = ("assistant", CALL)
TEMPLATES: Final[Mapping[str, str]] = {
    "qwen2.5": "qwen",
    "qwen3": "qwen3_nothink",
    "qwen3-instruct-2507": "qwen3_nothink",
}
"""The students whose text a template of LLaMA-Factory's own writes, except for what has a name, and that template."""
HAS_DEFAULT = ("qwen2.5",)
"""Of these the students for which LLaMA-Factory's own templates write a system text where there is none."""
WITHOUT_THINK = ("gemma4", "harmony", "seed_oss")
"""The dialects of families for which LLaMA-Factory's templates read no ``<think>``."""
LISTS_PROPERTIES = ("harmony", "deepseek_v3", "deepseek_v31", "phi4_mini_json", "hy_v3")
"""The dialects of families for which LLaMA-Factory declares tools in its own words, property by property."""
_IN_WORDS = lazy_re(rf"{re.escape(CALL_WORDS[0])}(.*?){re.escape(CALL_WORDS[1])}", re.DOTALL)


def turns_alternate(seen: TrainerRow) -> Iterator[Effect]:
    """A row whose turns are not in the order that LLaMA-Factory accepts. Source: SharegptDatasetConverter."""
    if "rejected" in seen.row:
        return
    if (found := LAYOUT.find(seen.row)) is None:
        if not seen.row.get("conversations"):
            yield Effect("no_answer", "LLaMA-Factory leaves the row out: it has no turns")
        return
    turns = found[1]
    names = [str(turn["from"]) for turn in turns]
    meanings = [LAYOUT.meaning(turn) for turn in turns]
    if meanings[:1] == ["system"]:
        names, meanings = names[1:], meanings[1:]
    for at, meaning in enumerate(meanings):
        if meaning not in (ANSWERS if at % 2 else ASKS):
            what = f"{names[at]!r} follows {names[at - 1]!r}" if at else f"it begins with {names[at]!r}"
            yield Effect("turn_order" if at else "first_turn", f"LLaMA-Factory leaves the row out: {what}")
            return
    if not meanings or len(meanings) % 2:
        what = f"it ends on {names[-1]!r}" if names else "it has no turns"
        yield Effect("last_turn" if names else "no_answer", f"LLaMA-Factory leaves the row out: {what}")


def _unthought(text: str) -> str:
    """The text without its first reasoning."""
    thought = THOUGHT.search(text, 0, text.rfind("</think>") + len("</think>\n\n"))
    return text[: thought.start()] + text[thought.end() :] if thought else text


def calls_are_json(seen: TrainerRow) -> Iterator[Effect]:
    """A turn with calls whose JSON LLaMA-Factory can't read. Source: FunctionFormatter."""
    found = LAYOUT.find(seen.row)
    for turn in found[1] if found is not None else ():
        text = turn["value"]
        if LAYOUT.meaning(turn) != CALL or not isinstance(text, str):
            continue
        # up to the last end, a beginning without one can't follow: the search stays linear
        inner = _IN_WORDS.search(text, 0, text.rfind(CALL_WORDS[1]) + len(CALL_WORDS[1]))
        if (value := value_of(inner[1] if inner else _unthought(text))) is None:
            yield Effect("call_not_read", f"LLaMA-Factory can't read the call in {text[:60]!r}")
            continue
        calls = value if isinstance(value, list) else [value]
        if not all(isinstance(call, dict) and {"name", "arguments"} <= call.keys() for call in calls):
            yield Effect("call_not_read", "LLaMA-Factory needs 'name' and 'arguments' in each call")


def thoughts_are_read(seen: TrainerRow) -> Iterator[Effect]:
    """Reasoning before a call, at which the templates gemma4, gpt_oss and seed_oss raise. Source: FunctionFormatter."""
    if seen.template is None or seen.template.dialect.name not in WITHOUT_THINK:
        return
    for index, message in enumerate(seen.conversation.messages):
        if calls_of(message) and message.get("reasoning_content") and not message.get("content"):
            name = seen.template.name
            yield Effect(
                "reasoning_with_calls", f"LLaMA-Factory reads no reasoning in <think> before a call for {name}", index
            )


def properties_are_there(seen: TrainerRow) -> Iterator[Effect]:
    """A tool without properties, at which the templates without a tool format raise. Source: DefaultToolUtils."""
    if seen.template is None or seen.template.dialect.name not in LISTS_PROPERTIES:
        return
    for tool in seen.conversation.tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        parameters = function.get("parameters") if isinstance(function, dict) else None
        if not isinstance(parameters, dict) or "properties" not in parameters:
            text = f"LLaMA-Factory's template for {seen.template.name} needs 'properties' in the parameters of a tool"
            yield Effect("key_refused", text)


def results_in_one_turn(seen: TrainerRow) -> Iterator[Effect]:
    """The results of parallel calls, which are written as one JSON list."""
    messages = seen.conversation.messages
    for index, message in enumerate(messages[:-2]):
        if len(calls_of(message)) > 1 and messages[index + 1].get("role") == messages[index + 2].get("role") == "tool":
            text = "the results of parallel calls arrive as one JSON list; --template of the student may prevent that"
            yield Effect("results_as_list", text, index + 1)


def tools_are_functions(seen: TrainerRow) -> Iterator[Effect]:
    """Functions that arrive otherwise: all as ``{"type": "function", "function": …}``. Source: HermesToolUtils."""
    tools = [tool for tool in seen.conversation.tools if isinstance(tool, dict)]
    if any("function" in tool and next(iter(tool)) != "type" for tool in tools):
        yield Effect("tool_keys_moved", "LLaMA-Factory writes the key 'type' of each tool first")


def placeholders_in_turns(seen: TrainerRow) -> Iterator[Effect]:
    """A turn of the user that holds a placeholder of the template. Source: Template._encode."""
    found = LAYOUT.find(seen.row)
    for turn in found[1] if found is not None else ():
        if LAYOUT.meaning(turn) == "user" and "{{idx}}" in str(turn["value"]):
            yield Effect("placeholder_in_text", "LLaMA-Factory writes the number of a turn for {{idx}}")


TRAINER = Trainer(
    name="llamafactory",
    aliases=("llama-factory",),
    layout="llamafactory",
    reads=("llamafactory",),
    exact=TURNS,
    templates=TEMPLATES,
    checks=(
        turns_alternate,
        calls_are_json,
        template_checks.own_template,
        thoughts_are_read,
        properties_are_there,
        results_in_one_turn,
        tools_are_functions,
        others_are_wrapped,
        placeholders_in_turns,
        template_checks.empty_system_is_none(*HAS_DEFAULT),  # Source: Template._encode
        template_checks.earlier_reasoning_kept,
        template_checks.line_breaks_kept,
        template_checks.blank_line_before_tools("qwen3", "qwen3-instruct-2507"),
        template_checks.turn_tokens_in_texts,
    ),
    removals={
        template_checks.FIRST_UNTRAINED: opening_in_system(*TEMPLATES),
        template_checks.HEADER_TRAINED: answers_in_one(*TEMPLATES),
    },
    repairs={
        "developer_as_system": repairs.developer_as_system,
        "empty_tools_removed": repairs.leave_out_empty_tools,
        template_checks.TOOLS_IN_SYSTEM: tools_in_system("qwen3", "qwen3-instruct-2507"),
        template_checks.TURNS_IN_ONE: questions_in_one(*TEMPLATES),
        "neighbours_joined": repairs.join_neighbours,
        "tail_cut": repairs.cut_tail,
        "empty_thinking_placed": repairs.thinking_as_written(*TEMPLATES),
        "results_joined": repairs.results_joined_by(
            "\n</tool_response>\n<tool_response>\n", "<tool_response>\n{content}\n</tool_response>"
        ),
    },
    checked_with="llamafactory 0.9.5, datasets 4.0.0",
)
