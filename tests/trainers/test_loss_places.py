"""Each place of ``toolconv/trainers/`` and of ``core/marks.py`` that counts a loss is reached by a case of these tables.

See ``tests/layouts/test_loss_places.py``. What a trainer does is counted as a loss where a row is written for it, and is a
finding where it reads one. The cases are of both kinds, with those of ``test_effects.py`` and ``test_trainers.py``.
"""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.conftest import each, exhaustive
from tests.helpers.converting import converted
from tests.helpers.reached import reached
from tests.programs.real_exact import tokenizer
from tests.trainers import test_effects, test_trainers
from toolconv import layouts, templates, trainers
from toolconv.cli.convert import convert, render
from toolconv.core import marks

FOLDER: Final = Path(trainers.__file__).parent
KEPT: Final = ("losses", "changes", "counted")
Row = dict[str, Any]

ASKED: Final[Row] = {"role": "user", "content": "q"}
ANSWERED: Final[Row] = {"role": "assistant", "content": "a"}
FUNCTION: Final[Row] = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}
TOOL: Final[Row] = {"type": "function", "function": FUNCTION}
CALL: Final[Row] = {"id": "a", "type": "function", "function": {"name": "f", "arguments": {}}}
CALLING: Final[Row] = {"role": "assistant", "content": "", "tool_calls": [CALL]}
RESULT: Final[Row] = {"role": "tool", "tool_call_id": "a", "name": "f", "content": "r"}
ONE: Final[list[Row]] = [ASKED, CALLING, RESULT, ANSWERED]
TWO: Final[list[Row]] = [
    ASKED, {**CALLING, "tool_calls": [CALL, {**CALL, "id": "b"}]}, RESULT, {**RESULT, "tool_call_id": "b"}, ANSWERED,
]  # fmt: skip


def row(*messages: Row, **more: Any) -> Row:
    return {"messages": [*messages], **more}


def calling(arguments: Any) -> Row:
    return {**CALLING, "tool_calls": [{**CALL, "function": {"name": "f", "arguments": arguments}}]}


def saying(*turns: tuple[str, str]) -> Row:
    return {"conversations": [{"from": who, "value": text} for who, text in turns]}


THOUGHT: Final[Row] = {**ANSWERED, "reasoning_content": "r"}
BIG: Final[Row] = {
    **FUNCTION,
    "parameters": {"type": "object", "properties": {"x": {"type": "integer", "maximum": 10**40}}},
}
ODD_NUMBER: Final[Row] = {
    **FUNCTION,
    "parameters": {"type": "object", "properties": {"x": {"type": "number", "maximum": 1e23}}},
}
NULL: Final[Row] = {**TOOL, "function": {**FUNCTION, "description": None}}
READ: Final = [
    ("a row", "trl", "", row(ASKED, ANSWERED), set()),
    ("a result without the id of its call", "automodel", "", row(ASKED, CALLING, {"role": "tool", "content": "r"}, ANSWERED, tools=[TOOL]), {"key_refused"}),
    ("no answer", "automodel", "", row(ASKED), {"no_answer"}),
    ("another key of toolConfig", "bedrock", "", {"schemaVersion": "bedrock-conversation-2024", "system": [{"text": "s"}], "toolConfig": {"tools": [{"toolSpec": {"name": "f", "description": "d", "inputSchema": {"json": {"type": "object"}}}}], "mode": "auto"}, "messages": [{"role": "user", "content": [{"text": "q"}]}, {"role": "assistant", "content": [{"text": "a"}]}]}, {"key_refused"}),
    ("ends on a question", "gemini", "", {"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "a"}]}, {"role": "user", "parts": [{"text": "q"}]}]}, {"last_turn"}),
    ("a number too big", "trl", "", row(ASKED, calling({"x": 10**40}), RESULT, ANSWERED, tools=[TOOL]), {"number_too_big"}),
    ("half of a pair", "trl", "", row({**ASKED, "content": "\ud83d"}, ANSWERED), {"half_character"}),
    ("half of a pair, in a key", "openai", "", row(ASKED, calling({"\udc00": 1}), RESULT, ANSWERED, tools=[TOOL]), {"half_character"}),
    ("arguments as text", "trl", "", row(ASKED, calling('{"x": 1}'), RESULT, ANSWERED, tools=[TOOL]), {"encoded_twice"}),
    ("null arguments", "axolotl", "", row(ASKED, calling({"x": None}), RESULT, ANSWERED, tools=[TOOL]), {"null_removed"}),
    ("an empty answer", "axolotl", "", row(ASKED, {**ANSWERED, "content": ""}, ASKED, ANSWERED), {"answer_untrained"}),
    ("a system text alongside", "axolotl", "", row(ASKED, ANSWERED, system="s"), {"text_differs"}),
    ("tools as text", "mlx-lm", "", row(ASKED, ANSWERED, tools='[{"type": "function", "function": {"name": "f"}}]'), {"call_not_read"}),
    ("one message", "mlx-lm", "", row(ANSWERED), {"first_turn"}),
    ("a question last", "mlx-lm", "", row(ASKED, ANSWERED, ASKED), {"prompt_trained"}),
    ("one text", "openrlhf", "", {"text": "q a"}, {"nothing_trained"}),
    ("a call that is no JSON", "llamafactory", "", saying(("human", "q"), ("function_call", "{f"), ("observation", "r"), ("gpt", "a")), {"call_not_read"}),
    ("a call without arguments", "llamafactory", "", saying(("human", "q"), ("function_call", '{"name": "f"}'), ("observation", "r"), ("gpt", "a")), {"call_not_read"}),
    ("a question last, in turns", "llamafactory", "", saying(("human", "q"), ("gpt", "a"), ("human", "q")), {"last_turn"}),
    ("a placeholder", "llamafactory", "", saying(("human", "{{idx}}"), ("gpt", "a")), {"placeholder_in_text"}),
    ("a number of a tool that is too big", "axolotl", "", row(*ONE, tools=[{**TOOL, "function": BIG}]), {"number_too_big"}),
    ("a number of a tool that changes", "axolotl", "", row(*ONE, tools=[{**TOOL, "function": ODD_NUMBER}]), {"number_changed"}),
    ("an end of reasoning", "tinker", "", row(ASKED, {**ANSWERED, "content": "r</think>a"}), {"text_differs"}),
    ("a token of turns", "trl", "", row({**ASKED, "content": "<|im_end|>"}, ANSWERED), {"turn_token_in_text"}),
    ("headers", "trl", "qwen2.5", row(ASKED, ANSWERED), {"mask_differs"}),
    ("an answer of GLM at the end", "trl", "glm-4.6", row(ASKED, ANSWERED), {"other_template"}),
    ("empty thinking", "trl", "qwen3", row(ASKED, ANSWERED, ASKED, ANSWERED), {"empty_thinking_added"}),
    ("no result", "anthropic", "", {"messages": [ASKED, {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]}, ASKED]}, {"call_without_result"}),
    ("a key that an upload refuses", "openai", "", row(ASKED, {**ANSWERED, "mood": 1}), {"key_refused"}),
    ("arguments, which the template takes as an object", "automodel", "glm-4.6", row(*ONE, tools=[TOOL]), {"template_refuses"}),
    ("begins with the assistant", "automodel", "", row(ANSWERED), {"first_turn"}),
    ("a turn that is written otherwise later", "automodel", "qwen3", row(ASKED, {**CALLING, "reasoning_content": "r"}, RESULT, ANSWERED, ASKED, ANSWERED, tools=[TOOL]), {"turn_rewritten"}),
    ("calls of GLM", "axolotl", "glm-4.6", row(*ONE, tools=[TOOL]), {"calls_removed"}),
    ("a mark of a question", "axolotl", "", row({**ASKED, "train": True}, ANSWERED), {"end_trained"}),
    ("a mark in a pair", "axolotl", "", row(ASKED, chosen={**ANSWERED, "train": False}, rejected=ANSWERED), {"mark_ignored"}),
    ("several answers", "nemo-rl", "", {"prompt": [ASKED], "chosen": [ANSWERED], "rejected": [ANSWERED]}, {"answers_unread"}),
    ("null in a tool", "axolotl", "", row(*ONE, tools=[NULL]), {"null_removed"}),
    ("null in a tool, of ms-swift", "ms-swift", "", row(*ONE, tools=[NULL]), {"null_removed"}),
    ("a token that the tokenizer adds", "trl", "", {"text": "<s>[INST] q [/INST] a</s>"}, {"bos_twice"}),
    ("an end that is added", "trl", "", {"text": "<|im_start|>assistant\na<|im_end|>\n"}, {"end_twice"}),
    ("begins with an answer", "together", "", row(ANSWERED), {"first_turn"}),
    ("no result at the end", "openai", "", row(ASKED, CALLING, ANSWERED), {"call_without_result"}),
    ("no result before a question", "openai", "", row(ASKED, CALLING, ASKED, ANSWERED), {"call_without_result"}),
    ("no tools", "openai", "", row(ASKED, ANSWERED, tools=[]), {"value_refused"}),
    ("a number that changes", "axolotl", "", row(ASKED, calling({"x": 1e23}), RESULT, ANSWERED, tools=[TOOL]), {"number_changed"}),
    ("reasoning under a key", "torchtune", "", row(ASKED, THOUGHT), {"reasoning_removed"}),
    ("parts", "mlx-lm", "", row({"role": "user", "content": [{"type": "text", "text": "q"}]}, ANSWERED), {"content_parts"}),
    ("a question after a result", "ms-swift", "", row(ASKED, CALLING, RESULT, ASKED, ANSWERED, tools=[TOOL]), {"turn_order"}),
    ("an answer of nothing", "mistral", "", row(ASKED, {**ANSWERED, "content": ""}), {"empty_answer"}),
    ("a tool of another type", "tinker", "", row(ASKED, ANSWERED, tools=[{"type": "web_search"}]), {"tools_removed"}),
    ("a result of no call", "openai", "", row(ASKED, RESULT, ANSWERED), {"result_without_call"}),
    ("a result after a question", "ms-swift", "", row(ASKED, RESULT, ANSWERED), {"result_without_call"}),
    ("the name of a tool", "openai", "", row(ASKED, ANSWERED, tools=[{**TOOL, "function": {**FUNCTION, "name": "a.b"}}]), {"tool_name"}),
    ("begins with an answer, in turns", "llamafactory", "", saying(("gpt", "a"), ("human", "q")), {"first_turn"}),
    ("two questions", "llamafactory", "", saying(("human", "q"), ("human", "q")), {"turn_order"}),
    ("no properties", "llamafactory", "gpt-oss", saying(("human", "q"), ("gpt", "a")) | {"tools": '[{"name": "f", "description": "d"}]'}, {"key_refused"}),
    ("begins with an answer, in ms-swift", "ms-swift", "", row(ANSWERED), {"turn_added"}),
    ("two questions, in ms-swift", "ms-swift", "", row(ASKED, ASKED, ANSWERED), {"turns_joined"}),
    ("prose before a call", "ms-swift", "", row(ASKED, {**CALLING, "content": "p"}, RESULT, ANSWERED, tools=[TOOL]), {"turns_joined"}),
    ("a last turn that is not trained", "ms-swift", "", row(ASKED, {**ANSWERED, "loss": False}), {"end_trained"}),
    ("a text that is repeated", "nemo-rl", "qwen3", row(ASKED, ASKED, ANSWERED), {"text_repeated"}),
    ("tools that are not read", "openrlhf", "", row(ASKED, ANSWERED, tools=[TOOL]), {"tools_removed"}),
    ("the beginning of reasoning", "ms-swift", "qwen3-thinking-2507", row(ASKED, THOUGHT), {"think_trained"}),
    ("calls that the template does not write", "trl", "llama-3.1", row(*TWO, tools=[TOOL]), {"template_refuses"}),
    ("arguments that the original refuses", "trl", "deepseek-v3", row(*ONE, tools=[TOOL]), {"template_refuses"}),
    ("line breaks before an answer", "ms-swift", "qwen3", row(ASKED, {**ANSWERED, "content": "\n\na"}), {"text_differs"}),
    ("line breaks around reasoning", "ms-swift", "qwen3", row(ASKED, {**ANSWERED, "reasoning_content": "\nr\n"}), {"text_differs"}),
    ("an empty system text", "ms-swift", "qwen3", row({"role": "system", "content": ""}, ASKED, ANSWERED), {"text_differs"}),
    ("no system text before tools", "ms-swift", "qwen3", row(ASKED, ANSWERED, tools=[TOOL]), {"blank_line_before_tools"}),
    ("the end of an answer of GLM", "axolotl", "glm-4.6", row(ASKED, ANSWERED, ASKED, ANSWERED), {"end_untrained"}),
    ("two results", "tinker", "qwen3", row(*TWO, tools=[TOOL]), {"results_apart"}),
    ("a late system text", "mlx-lm", "qwen3.5", row(ASKED, {"role": "system", "content": "s"}, ANSWERED), {"template_refuses"}),
    ("keys in another order", "tinker", "", row(ASKED, ANSWERED, tools=[{**TOOL, "function": {"name": "f", "parameters": {}, "description": "d"}}]), {"tool_keys_moved"}),
    ("calls and tools", "torchtune", "", row(ASKED, CALLING, tools=[TOOL]), {"calls_removed", "tools_removed"}),
    ("an answer to no question", "torchtune", "", row(ANSWERED), {"turn_order"}),
    ("two questions, in torchtune", "torchtune", "", row(ASKED, ASKED, ANSWERED), {"turn_order"}),
    ("columns", "verl", "", row(ASKED, ANSWERED, tools=[TOOL]), {"not_in_columns", "null_added"}),
    ("columns of two types", "verl", "", row(ASKED, ANSWERED, extra=[1, "a"]), {"not_in_columns"}),
    ("a column without keys", "verl", "", row(ASKED, ANSWERED, extra={}), {"not_in_columns"}),
    ("a turn that is written alone", "slime", "qwen3", row(ASKED, THOUGHT, ASKED, ANSWERED), {"reasoning_kept"}),
    ("a turn that is written alone, and stops", "verl", "qwen3", row(ASKED, THOUGHT, ASKED, ANSWERED), {"turn_rewritten"}),
    ("a row that begins with the assistant", "skyrl", "", row(ANSWERED), {"first_turn"}),
    ("an answer after rewritten turns", "open-instruct", "qwen3", row(ASKED, THOUGHT, ASKED, ANSWERED), {"turn_rewritten"}),
    ("an answer that is trained from before", "nemo-rl", "qwen3", row(CALLING, RESULT, ANSWERED, tools=[TOOL]), {"prompt_trained"}),
    ("one result of two, at the end", "openai", "", row(*TWO[:3]), {"call_without_result", "last_turn"}),
    ("images alongside", "ms-swift", "", row(ASKED, ANSWERED, images=["a.png"]), {"content_parts"}),
    ("a system text that the template has no place for", "trl", "mistral-7b-v0.3", row(ASKED, ANSWERED, {"role": "system", "content": "s"}, ASKED, ANSWERED), {"template_refuses"}),
    ("a mark that is not read", "trl", "", row(ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED), {"mark_ignored"}),
]  # fmt: skip
"""Rows as a trainer reads them, with the student, and what it does; with a student also what its template does."""


def effects(trainer: str, student: str, row: Row) -> set[str]:
    """The names of what a trainer does to a row in its layout."""
    found = trainers.get(trainer)
    row = copy.deepcopy(row)
    layout = "completion" if row.keys() <= {"text"} else found.layout
    conversation = layouts.get(layout).read(copy.deepcopy(row))
    template = templates.get(student) if student else None
    named = [*found.unread_answers(conversation), *found.effects(conversation, row, layout, template)]
    return {effect.name for effect in named}


@each("case", READ)
def test_what_a_trainer_does_is_named(case: Any) -> None:
    _, trainer, student, given, expected = case
    found = effects(trainer, student, given)
    assert found >= expected if student else found == expected


def to(trainer: str, *arguments: str) -> tuple[str, ...]:
    """The arguments that write for a trainer, with the student if its template is given."""
    student = ("--template", arguments[0]) if arguments and not arguments[0].startswith("-") else ()
    return ("--from-layout", "canonical", "--trainer", trainer, *student, *arguments[len(student) // 2 :])


SEARCH: Final[Row] = {"type": "web_search"}
OTHERS: Final[Row] = {"type": "object", "properties": {"x": {"not": {"type": "string"}}}}
WRITTEN: Final = [
    ("no turns", row({"role": "system", "content": "s"}), to("llamafactory"), ["no_answer"]),
    ("nothing", row(ASKED, ANSWERED), to("trl"), []),
    ("an empty answer", row(ASKED, {**ANSWERED, "content": ""}), to("slime"), []),
    ("an empty answer before the last", row(ASKED, {**ANSWERED, "content": ""}, ASKED, ANSWERED), to("ms-swift"), ["answer_untrained"]),
    ("a tool without a type", row(ASKED, ANSWERED, tools=[{"search": {}}]), to("ms-swift"), ["tool_wrapped"]),
    ("another tool", row(ASKED, ANSWERED, tools=[SEARCH]), to("llamafactory"), ["tool_wrapped"]),
    ("the type last", row(ASKED, ANSWERED, tools=[{"function": FUNCTION, "type": "function"}]), to("llamafactory"), ["tool_keys_moved"]),
    ("reasoning before a call", row(ASKED, {**CALLING, "reasoning_content": "r"}, RESULT, ANSWERED, tools=[TOOL]), to("llamafactory", "gemma-4"), ["call_id", "other_template", "reasoning_with_calls"]),
    ("letters in a call", row(ASKED, calling({"x": "é"}), RESULT, ANSWERED, tools=[TOOL]), to("tinker"), ["text_differs"]),
    ("letters in a tool", row(ASKED, ANSWERED, tools=[{**TOOL, "function": {**FUNCTION, "description": "é"}}]), to("tinker"), ["text_differs"]),
    ("an empty system text", row({"role": "system", "content": ""}, ASKED, ANSWERED, tools=[TOOL]), to("tinker"), ["text_differs"]),
    ("reasoning and a call last", row(ASKED, {**CALLING, "reasoning_content": "r"}, tools=[TOOL]), to("tinker"), ["text_differs"]),
    ("a beginning of reasoning", row(ASKED, {**ANSWERED, "content": "a <think> b"}), to("tinker"), ["text_differs"]),
    ("earlier reasoning", row(ASKED, THOUGHT, ASKED, ANSWERED), to("tinker"), ["reasoning_removed"]),
    ("earlier reasoning, which a template leaves out", row(ASKED, THOUGHT, ASKED, ANSWERED), to("mlx-lm", "qwen3"), ["only_last_trained", "template_leaves_out_reasoning"]),
    ("another student", row(ASKED, ANSWERED), to("llamafactory", "kimi-k2"), ["other_template"]),
    ("a schema that Gemini takes otherwise", row(*ONE, tools=[{**TOOL, "function": {**FUNCTION, "parameters": OTHERS}}]), ("--from-layout", "canonical", "--tools-for", "gemini"), ["schema_widened"]),
    ("a schema that OpenAI takes with its keys", row(*ONE, tools=[{**TOOL, "function": {**FUNCTION, "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}}]), ("--from-layout", "canonical", "--tools-for", "openai-strict"), ["schema_narrowed", "schema_narrowed"]),
    ("a mark that contradicts another", row(ASKED, {**ANSWERED, "train": True, "weight": 0}), to("axolotl"), ["invalid_mark"]),
    ("a mark that is no number", row(ASKED, {**ANSWERED, "weight": "much"}), ("--template", "qwen3", "--spans"), ["invalid_mark"]),
    ("details of a mark", row(ASKED, {**ANSWERED, "train_detail": [{"begin_offset": 0, "end_offset": 0, "train": False}]}), to("mistral"), ["training_mark"]),
    ("details of a mark in a text", row(ASKED, {**ANSWERED, "train_detail": [{"begin_offset": 0, "end_offset": 0, "train": False}]}), ("--template", "qwen3", "--spans"), ["training_mark"]),
    ("a mark", row(ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED), to("mistral"), []),
    ("a mark that a trainer has no key for", row(ASKED, {**ANSWERED, "weight": 0}, ASKED, ANSWERED), to("trl"), ["training_mark"]),
    ("an answer in the prompt", {"prompt": [ASKED, ANSWERED, ASKED], "completion": [ANSWERED]}, ("--to-layout", "trl"), ["training_mark"]),
    *(("an answer in the prompt", given, ("--to-layout", "trl"), ["training_mark"]) for given in (
        {"prompt": [ASKED, ANSWERED, ASKED], "completion": "a"},
        {"messages": [ASKED, ANSWERED, ASKED], "response": "a"},
    )),
    ("answers before the prompt, which trainers of such rows learn", {"history": [["Hi", "Hello."]], "instruction": "Q", "output": "a"}, ("--to-layout", "trl"), []),
    ("an answer in the prompt, with a mark", {"prompt": [ASKED, ANSWERED, ASKED], "completion": [ANSWERED]}, ("--to-layout", "openai"), []),
    ("a mark in an exact row", row(ASKED, {**ANSWERED, "weight": 0.5}), to("axolotl", "qwen3", "--exact"), ["training_mark"]),
    ("nothing that is trained, exactly", row(ASKED, {**ANSWERED, "weight": 0}), to("axolotl", "qwen3", "--exact"), ["nothing_trained"]),
    ("a token of turns, exactly", row({**ASKED, "content": "<|im_end|>"}, ANSWERED), to("axolotl", "qwen3", "--exact"), ["turn_token_in_text"]),
    ("a key of an exact row", row(ASKED, ANSWERED, segments=1), to("axolotl", "qwen3", "--exact"), ["row_key_removed"]),
]  # fmt: skip
"""Conversations, how they are written, and the losses."""


@each("case", WRITTEN)
def test_what_is_lost_for_a_trainer_is_counted(case: Any) -> None:
    _, given, arguments, losses = case
    assert sorted(converted(given, *arguments).losses.elements()) == losses


def with_files(folder: Path) -> Iterator[tuple[Row, tuple[str, ...], list[str]]]:
    """Conversations, how they are written with a tokenizer or a chat template of the user's, and the losses."""
    tokenizer("qwen3", folder / "plain.json")
    made = json.loads((folder / "plain.json").read_text(encoding="utf-8"))
    words = made["model"]["vocab"]
    breaks = {"vocab": {**words, "ĊĊ": max(words.values()) + 1000}, "merges": [["Ċ", "Ċ"]]}
    parting = {**made, "model": {**made["model"], **breaks}}
    for name, text in (("parting", parting), ("composing", {**made, "normalizer": {"type": "NFC"}})):
        (folder / f"{name}.json").write_text(json.dumps(text), encoding="utf-8")
    exact = ("--from-layout", "canonical", "--trainer", "skyrl", "--template", "qwen2.5", "--exact", "--tokenizer")
    yield row(ASKED, {**ANSWERED, "content": "\na"}), (*exact, f"{folder}/parting.json"), ["token_parted"]
    yield row(ASKED, ANSWERED), (*exact, f"{folder}/parting.json"), []
    yield row(ASKED, {**ANSWERED, "content": "e\u0301"}), (*exact, f"{folder}/composing.json"), ["text_normalized"]
    yield row(ASKED, ANSWERED), (*exact, f"{folder}/composing.json"), []
    for name, where in (("all", "<|im_start|>{{ m.role }}\n{% generation %}"), ("own", "")):
        turn = "<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}<|im_end|>{% endgeneration %}{% else %}{{ m.content }}<|im_end|>{% endif %}\n"
        if where:
            turn = f"{where}{{{{ m.content }}}}<|im_end|>{{% endgeneration %}}\n"
        (folder / f"{name}.jinja").write_text(f"{{% for m in messages %}}{turn}{{% endfor %}}", encoding="utf-8")
    marked = ("--from-layout", "canonical", "--trainer", "trl", "--to-layout", "trl", "--chat-template")
    yield row(ASKED, ANSWERED), (*marked, f"{folder}/all.jinja"), ["mask_differs"]
    yield row(ASKED, ANSWERED), (*marked, f"{folder}/own.jinja"), []


def test_what_is_lost_with_files_of_the_user_is_counted(tmp_path: Path) -> None:
    for given, arguments, losses in with_files(tmp_path):
        assert sorted(converted(given, *arguments).losses.elements()) == losses, arguments


def other_cases() -> Iterator[tuple[Row, tuple[str, ...], Any]]:
    """The cases of other files."""
    for trainer, messages, tools, _ in test_trainers.REFUSED:
        given = {"messages": messages} if tools is None else {"messages": messages, "tools": tools}
        yield given, ("--from-layout", "canonical", "--trainer", trainer), render
    for trainer, student, _, *given in test_effects.HAPPENS:
        for each_row in filter(None, given):
            tools = {"tools": [test_effects.TOOL]} if "messages" in each_row else {}
            yield {**tools, **each_row}, ("--trainer", trainer, *(("--template", student) if student else ())), convert


def counting_places() -> Iterator[tuple[str, int, int]]:
    """The file and the lines of each statement that makes an effect, or makes a list of losses longer."""
    for path in (*sorted(FOLDER.glob("*.py")), Path(marks.__file__)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Expr(ast.Yield(ast.Call(ast.Name("Effect")))):
                    yield str(path), node.lineno, node.end_lineno or node.lineno
                case ast.Expr(ast.Call(ast.Attribute(grown, "append" | "extend"))) | ast.AugAssign(grown, ast.Add()):
                    if ast.unparse(grown).rpartition(".")[2] in KEPT:
                        yield str(path), node.lineno, node.end_lineno or node.lineno


@exhaustive
def test_each_place_that_counts_a_loss_is_reached_by_a_case(tmp_path: Path) -> None:
    places = list(counting_places())
    files = {file for file, _, _ in places}
    with reached(files) as lines:
        for _, trainer, student, given, _ in READ:
            effects(trainer, student, given)
        for _, given, arguments, _ in WRITTEN:
            converted(given, *arguments)
        for given, arguments, _ in with_files(tmp_path):
            converted(given, *arguments)
        for given, arguments, command in other_cases():
            converted(given, *arguments, command=command)
    left = [
        f"{Path(file).name}:{first}"
        for file, first, last in places
        if lines.isdisjoint((file, number) for number in range(first, last + 1))
    ]
    assert len(places) > 100 and not left, f"{len(left)} places are reached by no case: {', '.join(left)}"
