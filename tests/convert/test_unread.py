"""Every part of a row has a fate: it is read, carried or named, whatever keys and speakers a dataset has for it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conftest import each, exhaustive, toolconv
from toolconv import layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.pipeline import default_format
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext

Row = dict[str, Any]

CALL: Final = '<tool_call>\n{"name": "ping", "arguments": {"host": "h-7731"}}\n</tool_call>'
STRUCTURED: Final = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": '{"host": "h-7731"}'}}
TOOLS: Final = [
    {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {"host": {}}}}}
]
USER: Final = {"role": "user", "content": "Is the host h-7731 up today?"}
ANSWER: Final = {"role": "assistant", "content": CALL}
RESULT: Final = {"role": "tool", "content": "pong from the host"}
LAST: Final = {"role": "assistant", "content": "The host answers, it is up."}
MESSAGES: Final = [USER, ANSWER, RESULT, LAST]

# ── mutations ───────────────────────────────────────────────────────────────────────────────────

ANSWER_KEYS: Final = [
    "response_text", "generation", "teacher_output", "reply", "model_answer", "raw", "out", "gpt4", "prediction",
    "assistant_reply", "final", "student", "body", "txt", "llm_output", "candidate", "y", "answer", "message", "result",
    "completion_text", "generated", "answer_raw", "model_response", "target_text", "label", "sample", "continuation",
    "resp", "ai",
]  # fmt: skip
MESSAGE_KEYS: Final = ["msgs", "interaction", "dialog_turns", "chat", "dialogue_history", "trajectory", "turns", "log"]
USERS: Final = ["Human", "HUMAN", "customer", "prompter", "Client", "USER"]
BOTS: Final = ["bot", "Bot", "bing", "Model", "ai", "AI", "gpt", "chatbot", "Assistant", "agent", "claude"]
TOOL_NAMES: Final = ["Function", "observation", "Observation", "API", "ipython", "function_response", "environment"]
UNKNOWN: Final = ["Alice", "narrator", "npc_3"]


def answers() -> Iterator[Row]:
    """An answer under a key of its own next to messages, a request or a list of answers, as a text and as an object."""
    message = {"role": "assistant", "content": None, "tool_calls": [STRUCTURED]}
    for key in ANSWER_KEYS:
        for answer in (CALL, message, [message], [STRUCTURED], json.dumps(message), {"text": CALL}, [CALL]):
            yield {"id": 1, "tools": TOOLS, "messages": [USER], key: answer}
            yield {"request": {"messages": [USER], "tools": TOOLS, "seed": 7}, key: answer}


def renamed() -> Iterator[Row]:
    """Messages under other keys, wrapped, as JSON text, and split into two keys."""
    for key in MESSAGE_KEYS:
        for messages in (MESSAGES, sharegpt("human", "gpt", "tool"), json.dumps(MESSAGES)):
            yield {key: messages, "tools": TOOLS}
            yield {"data": {key: messages, "tools": TOOLS}, "id": 3}
            yield {"tools": TOOLS, "meta": {"sample": {key: messages}}}
        yield {"messages": [USER], key: MESSAGES[1:]}
        yield {"tools": TOOLS, key: [{"speaker": m["role"], "text": m["content"]} for m in MESSAGES]}


def speakers() -> Iterator[Row]:
    """Speakers with other names, under the usual keys and others."""
    names = [(user, "gpt", "tool") for user in USERS + UNKNOWN]
    names += [("human", bot, "tool") for bot in BOTS + UNKNOWN]
    names += [("human", "gpt", tool) for tool in TOOL_NAMES + UNKNOWN]
    for user, bot, tool in names:
        yield {"conversations": sharegpt(user, bot, tool), "tools": json.dumps(TOOLS)}
        roles = {"user": user, "assistant": bot, "tool": tool}
        yield {"messages": [{**message, "role": roles[message["role"]]} for message in MESSAGES], "tools": TOOLS}
        yield {"dialog": sharegpt(user, bot, tool)}


def keys_of_messages() -> Iterator[Row]:
    """Calls under other keys of a message, and in parts of its content."""
    for key in ("actions", "toolCall", "calls", "invocations", "function", "api_calls", "tool_uses", "raw"):
        for call in ([STRUCTURED], STRUCTURED["function"], [{"name": "ping", "args": {"host": "h-7731"}}], CALL):
            yield {"tools": TOOLS, "messages": [USER, {"role": "assistant", "content": "", key: call}, RESULT]}
    for part in (
        {"type": "tool_use", "id": "t", "name": "ping", "input": {"host": "h-7731"}},
        {"type": "functionCall", "functionCall": {"name": "ping", "args": {"host": "h-7731"}}},
        {"type": "tool_call", "name": "ping", "arguments": {"host": "h-7731"}},
        {"type": "invoke", "name": "ping", "arguments": {"host": "h-7731"}},
        {"type": "text", "text": CALL},
    ):
        yield {"messages": [USER, {"role": "assistant", "content": [part]}, RESULT], "tools": TOOLS}
        mixed = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, part], "tool_calls": []}
        yield {"messages": [USER, mixed, RESULT], "tools": TOOLS}


def second_answers() -> Iterator[Row]:
    """Other answers and conversations next to the one that is read."""
    for key in ("rejected", "rejected_response", "second", "old_messages", "baseline"):
        for other in ([{"role": "assistant", "content": CALL}], CALL, [USER, ANSWER]):
            yield {"messages": [USER, LAST], key: other, "tools": TOOLS}
            yield {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}], key: other}


def sharegpt(user: str, bot: str, tool: str) -> list[Row]:
    names = {"user": user, "assistant": bot, "tool": tool}
    return [{"from": names[message["role"]], "value": message["content"]} for message in MESSAGES]


MUTATIONS: Final[dict[str, Callable[[], Iterator[Row]]]] = {
    each.__name__: each for each in (answers, renamed, speakers, keys_of_messages, second_answers)
}


def account_of(row: Row) -> Receipt:
    """The account of converting a row that nothing is known of."""
    options = Options()
    converter = Converter(options, layouts.get(default_format(options).layout), None)
    return converter.lines("f", 1, [jsontext.dumps(row)]).receipt


def fate(row: Row) -> str:
    """The fate of the call in a row: ``read``, ``named``, or ``silent``."""
    receipt = account_of(row)
    if receipt.rejects or receipt.unread or receipt.dropped_calls or receipt.losses:
        return "named"
    return "read" if receipt.tool_calls["ping"] else "silent"


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=exhaustive)])
@pytest.mark.parametrize("mutation", MUTATIONS)
def test_the_call_of_a_mutated_row_is_read_or_named(mutation: str, step: int) -> None:
    rows = list(MUTATIONS[mutation]())
    random.Random(7).shuffle(rows)
    silent = [row for row in rows[::step] if fate(row) == "silent"]
    assert silent == []


def test_there_are_many_mutated_rows() -> None:
    assert sum(1 for mutation in MUTATIONS.values() for _ in mutation()) > 600


def rearranged(row: Row) -> Iterator[Row]:
    """A row wrapped, as JSON text, and with each of its keys renamed."""
    yield {"data": row}
    yield {"id": 1, "sample": {"x": row}}
    yield {"row": json.dumps(row)}
    for key in row:
        yield {("zz_" + name if name == key else name): value for name, value in row.items()}


@exhaustive
@pytest.mark.parametrize("name", layouts.names())
def test_the_calls_of_a_rearranged_row_of_any_layout_are_read_or_named(name: str) -> None:
    path = Path("fixtures/layouts", f"{name}.jsonl")
    rows = [json.loads(line)["row"] for line in path.read_text().splitlines()] if path.exists() else []
    silent = []
    for row in rows:
        calls = account_of(row).tool_calls.total() if isinstance(row, dict) else 0
        for changed in rearranged(row) if calls else ():
            account = account_of(changed)
            named = account.rejects or account.unread or account.dropped_calls or account.losses or account.repairs
            if account.tool_calls.total() < calls and not named:
                silent.append(changed)
    assert silent == []


# ── what is named, and what is read ─────────────────────────────────────────────────────────────

ASKED: Final = {"role": "user", "content": "Is the host up?"}
SAID: Final = {"role": "assistant", "content": "It is up today."}
CALLED: Final = {"role": "assistant", "content": "", "tool_calls": [STRUCTURED]}

SERVICE: Final = {"method": "Ping", "parameters": {"host": "a"}}

NAMED: Final[dict[str, tuple[Row, str, str]]] = {
    "call of a service": ({"messages": [ASKED, {**SAID, "service_call": SERVICE}]}, "calls", "/messages/1/service_call"),
    "answer in a word": ({"messages": [ASKED], "label": "Yes."}, "answer", "/label"),
    "answer in an object": ({"messages": [ASKED], "x": {"from": "gpt", "value": "Up."}}, "answer", "/x"),
    "answer of a speaker under a key of its own": (
        {"messages": [ASKED], "x": [{"who": "bot", "text": "Up."}]}, "answer", "/x",
    ),
    "answer to calls": ({"messages": [ASKED, CALLED], "final_answer": "up"}, "answer", "/final_answer"),
    "answer below": ({"messages": [ASKED], "meta": {"answer": "It is up today."}}, "answer", "/meta/answer"),
    "question": ({"completion": "It is up today.", "zz_prompt": "Is it?"}, "question", "/zz_prompt"),
    "question under any key": ({"completion": "It is up today.", "zz": "Is the host up?"}, "question", "/zz"),
    "system text": ({"messages": [ASKED, SAID], "zz_system": "Be brief."}, "system", "/zz_system"),
    "system text in parts": (
        {"messages": [ASKED, SAID], "sys": [{"type": "text", "text": "Be brief."}]}, "system", "/sys/0/text",
    ),
    "tools": ({"messages": [ASKED, SAID], "zz": TOOLS}, "tools", "/zz"),
    "other tools": (
        {"messages": [ASKED, SAID], "tools": [{"name": "f", "parameters": {"type": "object"}}], "zz": TOOLS},
        "tools",
        "/zz",
    ),
    "tools in settings": ({"messages": [ASKED, SAID], "config": {"x": json.dumps(TOOLS)}}, "tools", "/config/x"),
    "tools under names of their own": (
        {"messages": [ASKED, SAID], "zz": [{"api_name": "f", "api_description": "F.", "params": {"type": "object"}}]},
        "tools",
        "/zz",
    ),
    "a call that was made before, in a message without one": (
        {
            "messages": [
                ASKED,
                CALLED,
                RESULT,
                {"role": "assistant", "content": "Again.", "x": {"calls": [{"fn": "ping", "kwargs": {"host": "h-7731"}}]}},
                RESULT,
            ]
        },
        "calls",
        "/messages/3/x/calls/0",
    ),
    "an answer that repeats a result": (
        {"messages": [ASKED, CALLED, RESULT], "zz": {"x": {"role": "assistant", "content": RESULT["content"]}}},
        "answer",
        "/zz/x",
    ),
    "messages in a JSON text of a JSON text": (
        {"messages": [ASKED, SAID], "zz": json.dumps(json.dumps([{"role": "user", "content": "And the other host?"}]))},
        "messages",
        "/zz",
    ),
    "turns with keys of their own in a request": (
        {"request": {"messages": [{"who": "user", "says": "Is it?"}]}, "response": {"choices": [{"message": SAID}]}},
        "messages",
        "/request/messages",
    ),
    "a tool of the provider's": (
        {"messages": [ASKED, SAID], "zz": [{"type": "web_search_20250305", "name": "web_search"}]}, "tools", "/zz",
    ),
    "turns under numbered keys": (
        {"messages": [ASKED, SAID], "zz": {"user_0": "Sure?", "assistant_1": "Yes."}}, "messages", "/zz",
    ),
    "turns in columns by number": (
        {"messages": [ASKED, SAID], "zz": {"role": {"0": "user", "1": "bot"}, "content": {"0": "Sure?", "1": "Yes."}}},
        "messages",
        "/zz",
    ),
    "turns in a table": (
        {"messages": [ASKED, SAID], "zz": {
            "columns": ["role", "content", "at"], "data": [["user", "Sure?", 1], ["assistant", "Yes.", 2]],
        }},
        "messages",
        "/zz",
    ),
    "results by the ids of calls": (
        {"messages": [ASKED, CALLED], "zz": {STRUCTURED["id"]: "up"}}, "messages", "/zz",
    ),
    "turns with keys in capitals": (
        {"chosen": [SAID], "rejected": [ANSWER], "Messages": [{"Role": "user", "Content": "Is it up?"}]},
        "messages",
        "/Messages",
    ),
    "messages of one a line as a text": (
        {"messages": [{"role": "user", "content": "\n".join(map(json.dumps, (ASKED, SAID, ASKED)))}, SAID]},
        "messages",
        "/messages/0/content",
    ),
    "text of a message under a key of its own": (
        {"messages": [{"role": "user", "zz": "Is it up?"}, SAID]}, "messages", "/messages/0/zz",
    ),
    "message among parts": (
        {"messages": [ASKED, {"role": "assistant", "content": [{"who": "user", "content": "Hi"}]}]},
        "messages",
        "/messages/1/content/0",
    ),
    "message as a text": (
        {"messages": [ASKED, {"role": "assistant", "content": json.dumps(SAID)}]}, "messages", "/messages/1/content",
    ),
    "result beside its call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**STRUCTURED, "result": "up"}]}]},
        "messages",
        "/messages/1/tool_calls/0/result",
    ),
    "turn of a record": (
        {"sessionId": "s", "projectHash": "p", "startTime": "t", "messages": [
            {"id": "1", "type": "user", "content": "Is it up?"}, {"id": "2", "type": "bot", "content": "It is up."},
        ]},
        "messages",
        "/messages/1/content",
    ),
    "word of an answer that a tracer logged": (
        {"id": "r", "traceId": "t", "type": "GENERATION", "startTime": "2026", "input": [ASKED], "output": {"zz": "Yes"}},
        "messages",
        "/output/zz",
    ),
    "word of a part of a record": (
        {"info": {"id": "s"}, "messages": [
            {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Up?"}]},
            {"info": {"role": "assistant"}, "parts": [{"type": "text", "zz": "Yes"}]},
        ]},
        "messages",
        "/messages/1/parts/0/zz",
    ),
    "word of a record": (
        {"sessionId": "s", "projectHash": "p", "startTime": "t", "messages": [
            {"id": "1", "type": "user", "content": "Is it up?"}, {"id": "2", "type": "gemini", "content": "", "zz": "Yes"},
        ]},
        "messages",
        "/messages/1/zz",
    ),
    "prose before a conversation that begins with a call": (
        {"messages": [CALLED, {**RESULT, "tool_call_id": "c1"}, SAID, ASKED, SAID], "intro": "Is the host h-7731 up today?"},
        "question",
        "/intro",
    ),
    "text with declarations": (
        {"messages": [ASKED, SAID], "first": f"Call them.\n<tools>\n{json.dumps(TOOLS)}\n</tools>\nAnswer in <tool_call>."},
        "tools",
        "/first",
    ),
    "message with its text under an unknown key": (
        {"messages": [ASKED, SAID], "zz": {"role": "system", "txt": "You look after all of the hosts."}}, "messages", "/zz",
    ),
    "declarations without a name under another key": (
        {"messages": [ASKED, SAID], "api_docs": [{"type": "function", "function": {"x": "ping", "parameters": {}}}]},
        "tools",
        "/api_docs",
    ),
    "an item with the result of a call": (
        {"messages": [ASKED, CALLED], "next": {"type": "function_call_output", "call_id": STRUCTURED["id"],
                                               "output": [{"type": "input_text", "text": "A hat."}]}},
        "messages",
        "/next",
    ),
    "the arguments of a call": (
        {"question": "Is it up?", "the_tool": "ping", "tool_input": {"host": "a"}, "output": "It is."},
        "calls",
        "/tool_input",
    ),
    "a flag for each message": ({"messages": [ASKED, SAID], "loss_mask": [0, 1]}, "mark", "/loss_mask"),
    "the indexes of messages": ({"messages": [ASKED, SAID], "train_on": [1]}, "mark", "/train_on"),
    "words under a key for results in a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**STRUCTURED, "resultDisplay": "no such host"}]}]},
        "messages",
        "/messages/1/tool_calls/0/resultDisplay",
    ),
    "calls of another framework beside an answer": (
        {"messages": [ASKED, {**SAID, "usedTools": [{"tool": "ping", "toolInput": {"host": "a"}, "toolOutput": "up"}]}]},
        "calls",
        "/messages/1/usedTools/0",
    ),
    "calls with input parameters": (
        {"messages": [ASKED, {**SAID, "tools_called": [{"name": "ping", "input_parameters": {"host": "a"}}]}]},
        "calls",
        "/messages/1/tools_called/0",
    ),
    "a call of an endpoint": (
        {"messages": [ASKED, {**SAID, "tool_call": {"endpoint": "ping", "parameters": {"host": "a"}}}]},
        "calls",
        "/messages/1/tool_call",
    ),
    "a result of Gemini's in a reference": (
        {"messages": [ASKED, CALLED], "reference": {"role": "user", "parts": [
            {"functionResponse": {"name": "ping", "response": {"up": True}}},
        ]}},
        "messages",
        "/reference",
    ),
    "the newest message first": (
        {"messages": [{**SAID, "created_at": 2}, {**ASKED, "created_at": 1}]}, "messages", "/messages/0/created_at",
    ),
    "declarations beside other things in an object": (
        {"messages": [ASKED, SAID], "run": {"id": "r", "status": "done", "tools": TOOLS}}, "tools", "/run/tools",
    ),
    "a call of CAMEL's": (
        {"messages": [ASKED, {**SAID, "zz": {"func_name": "ping", "args": {"host": "a"}}}]}, "calls", "/messages/1/zz",
    ),
    "a text in several languages": (
        {"messages": [ASKED, SAID], "zz": {"role": "user", "content": {"de": "Läuft er?", "en": "Is it up?"}}},
        "messages",
        "/zz",
    ),
    "words of reasoning in a block of another form": (
        {"messages": [ASKED, {**CALLED, "thinking_blocks": [{"Content": [{"text": "Once more"}]}]}, RESULT]},
        "messages",
        "/messages/1/thinking_blocks/0/Content/0/text",
    ),
    "question in another language": ({"completion": "It is up today.", "提示": "Is it"}, "question", "/提示"),
    "system text in another language": ({"messages": [ASKED, SAID], "系统": "Be brief."}, "system", "/系统"),
    "reasoning in another language": (
        {"messages": [ASKED, {**CALLED, "推理": "Look first"}, RESULT]}, "answer", "/messages/1/推理",
    ),
    "reasoning in another language, in an object": (
        {"messages": [ASKED, {**CALLED, "additional_kwargs": {"推理": "Look first"}}, RESULT]},
        "answer",
        "/messages/1/additional_kwargs/推理",
    ),
    "an answer in another language, in a record": (
        {"id": "o", "traceId": "t", "type": "GENERATION", "input": [ASKED], "输出": "It is"}, "answer", "/输出",
    ),
    "an answer whose key is spelled with a capital": (
        {"messages": [ASKED, CALLED, RESULT], "chosen": {"from": "gpt", "Value": "Up."}}, "answer", "/chosen/Value",
    ),
    "arguments in another object of a call": (
        {"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ping"}, "metadata": {"arguments": {"host": "a"}}},
        ]}, RESULT]},
        "calls",
        "/messages/1/tool_calls/0/metadata",
    ),
    "arguments that are a text under a rare key": (
        {"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "ping", "params": "host a"}},
        ]}, RESULT]},
        "calls",
        "/messages/1/tool_calls/0/function/params",
    ),
    "what a later step of a trajectory asks with": (
        {"trajectory": [
            {"action": "ls", "observation": "a", "response": "I look.", "query": [ASKED]},
            {"action": "ls", "observation": "b", "response": "I look.", "query": [
                {"role": "user", "content": [{"type": "text", "text": ASKED["content"]}, {"type": "x", "y": "It was up."}]},
            ]},
        ]},
        "messages",
        "/trajectory/1/query/0/content/1/y",
    ),
    "one more part": ({"messages": [{**ASKED, "part2": "Or not?"}, SAID]}, "text", "/messages/0/part2"),
    "a text under another key beside a content": (
        {"messages": [{**ASKED, "Text": "Say now"}, SAID]}, "text", "/messages/0/Text",
    ),
    "a type of a result": (
        {"messages": [ASKED, {**SAID, "type": "tool_response"}]}, "messages", "/messages/1/type",
    ),
    "several texts of a message without another": (
        {"messages": [ASKED, {"role": "assistant", "content": "", "zz": ["Up.", "It is up."]}]},
        "answer",
        "/messages/1/zz",
    ),
    "instructions in an object": (
        {"messages": [ASKED, SAID], "info": {"instructions": "Be brief."}}, "system", "/info/instructions",
    ),
    "instructions of the user": (
        {"messages": [ASKED, SAID], "user_scenario": {"instructions": "You ask for a host."}},
        "text",
        "/user_scenario/instructions",
    ),
    "elements that the system text tells of": (
        {"messages": [
            {"role": "system", "content": "## ping\nUsage:\n<ping>\n<host>a host</host>\n</ping>"},
            ASKED,
            {"role": "assistant", "content": "I look.\n<ping>\n<host>a</host>\n</ping>"},
        ]},
        "calls",
        "/messages/2/content",
    ),
    "an element that its result names": (
        {"messages": [
            ASKED,
            {"role": "assistant", "content": [{"type": "text", "text": "<ping>\n<host>a</host>\n</ping>"}]},
            {"role": "user", "content": "[ping for 'a'] Result:\nup"},
            SAID,
        ]},
        "calls",
        "/messages/1/content",
    ),
    "a block of a call without its type": (
        {"messages": [ASKED, SAID], "last": [{"id": "toolu_1", "name": "ping", "input": {"host": "a"}}]},
        "calls",
        "/last/0",
    ),
    "a call of Gemini's without its name": (
        {"messages": [ASKED, SAID], "last": {"functionCall": {"args": {"host": "a"}}}},
        "calls",
        "/last",
    ),
    "calls of a simulated user": (
        {"messages": [ASKED, SAID, {"role": "user", "content": "", "tool_calls": [STRUCTURED]}]},
        "calls",
        "/messages/2/tool_calls",
    ),
    "a call that another speaker makes": (
        {"messages": [ASKED, {"role": "tool", "content": '{"name": "ping", "arguments": {"host": "a"}}'}, SAID],
         "tools": TOOLS},
        "calls",
        "/messages/1/content",
    ),
    "a call in the text of a speaker who is not the assistant": (
        {"messages": [ASKED, {"role": "user", "content": CALL}, RESULT]},
        "calls",
        "/messages/1/content",
    ),
    "parts of Gemini's in the Python text of a message": (
        {"messages": [ASKED, {**SAID, "content": "[{'text': 'I look.', 'thought': True}, {'text': 'It is up.'}]"}]},
        "messages",
        "/messages/1/content",
    ),
    "an answer in the JSON lines of a stream": (
        {"messages": [ASKED], "record": '{"message": {"role": "assistant", "content": "It is"}, "n": 1}\n{"n": 2}'},
        "answer",
        "/record",
    ),
    "a result that is a row": ({"messages": [RESULT]}, "messages", "/messages/0"),
    "a declaration without a schema": (
        {"messages": [ASKED, SAID], "zz": {"offered": [{"type": "function", "name": "ping"}]}},
        "tools",
        "/zz/offered",
    ),
    "the text of a message without one": (
        {"messages": [{"role": "system", "content": ""}, ASKED, SAID], "note": "Be brief, and do not guess."},
        "text",
        "/note",
    ),
    "pieces of an answer as a text": (
        {"messages": [ASKED, {**SAID, "content": '{"model": "m", "message": {"role": "assistant", "content": "Up"}}\n'
         '{"model": "m", "message": {"role": "assistant", "content": "."}}'}]},
        "messages",
        "/messages/1/content",
    ),
    "a list in another shape in the Python text of turns": (
        {"messages": "[{'info': {'role': 'user'}, 'parts': [{'type': 'text', 'text': 'Up?'}]}, {'info': {'role': "
         "'assistant'}, 'parts': {'type': ['tool'], 'state': [{'input': {'host': 'a'}, 'output': 'It is up.'}]}}]"},
        "messages",
        "/messages",
    ),
    "a result in a reference": (
        {"messages": [ASKED, SAID], "reference": [{"type": "function_call_output", "call_id": "c1", "output": "no host"}]},
        "messages",
        "/reference",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_what_seems_to_belong_to_a_conversation_is_named(name: str) -> None:
    row, kind, pointer = NAMED[name]
    receipt = account_of(row)
    assert dict(receipt.unread) == {kind: 1}
    assert receipt.unread_places[0].reason.startswith(f"{pointer} holds ")


def test_words_under_a_key_for_results_beside_a_call_are_its_result() -> None:
    (place,) = account_of({"messages": [ASKED, {**CALLED, "observation": "no such host"}]}).unread_places
    assert place.reason.startswith("/messages/1/observation holds the result of a call")


def test_words_beside_calls_that_nobody_read_are_named_as_well() -> None:
    steps = [
        {"rationale": {"text": "I look whether it is up."}},
        {"call": STRUCTURED},
        {"out": {"text": "The host is up."}},
    ]
    places = account_of({"messages": [ASKED], "traces": steps}).unread_places
    assert [place.reason.partition(" holds ")[0] for place in places] == ["/traces/1/call", "/traces"]


CARRIED: Final[dict[str, Row]] = {
    "a request of a service": {"messages": [ASKED, SAID], "endpoint": SERVICE},
    "actions that say nothing": {"messages": [ASKED, {**SAID, "actions": {"delta": {}}}]},
    "elements without a tool": {"messages": [ASKED, {**SAID, "content": "<plan>\n<step>Look</step>\n</plan>"}]},
    "a text once more": {"messages": [{**ASKED, "text": ASKED["content"]}, SAID]},
    "settings of tools": {"messages": [ASKED, SAID], "tool_params": {"timeout": 3}, "split": "train"},
    "a flag for each token": {"messages": [ASKED, SAID], "loss_mask": [0, 1, 1]},
    "numbers by another name": {"messages": [ASKED, SAID], "scores": [0, 1]},
    "a copy": {"messages": [ASKED, SAID], "raw": SAID["content"]},
    "a name": {"messages": [ASKED], "source": "host-checks"},
    "a reference": {"messages": [ASKED], "expected_answer": "It is up today."},
    "a result that was read": {"messages": [ASKED, CALLED, {**RESULT, "tool_call_id": "c1"}], "zz": {"c1": "up"}},
    "texts under numbers": {"messages": [ASKED, CALLED], "0": ["The host answers today."]},
    "a note": {"completion": "It is up today.", "note": "Taken from the logs of May."},
    "facts of a call": {"messages": [ASKED, {**CALLED, "tool_calls": [{**STRUCTURED, "index": 0}]}]},
    "a fact about its result": {"messages": [ASKED, {**CALLED, "tool_calls": [{**STRUCTURED, "result_kind": "text"}]}]},
    "a word for its system": {"system": "s", "messages": [{"role": "system", "content": "Be brief."}, ASKED, SAID]},
    "vLLM's tokens, and a prompt that declares tools": {
        "prompt": "<|im_start|>system\nYou are a function calling AI model. You are provided with function signatures within "
        f"<tools></tools> XML tags.\n<tools>\n{json.dumps(TOOLS[0])}\n</tools><|im_end|>\n<|im_start|>user\nIs the host up?"
        "<|im_end|>\n<|im_start|>assistant\n",
        "outputs": [{"index": 0, "text": "It is up today.", "token_ids": [5, 6], "cumulative_logprob": -3.2}],
    },
    "what a reward is computed from": {
        "data_source": "a/b",
        "prompt": [ASKED],
        "ability": "tool",
        "reward_model": {"style": "rule", "ground_truth": json.dumps([STRUCTURED])},
        "extra_info": {"index": 0},
    },
    "turns in one text, of a word each": {
        "system": "SYSTEM: Be brief.",
        "chat": "USER: hi\n\n\nASSISTANT: hello <|endoftext|>",
    },
    "facts of a message": {"messages": [ASKED, {**SAID, "finish_reason": "stop", "model": "a-model"}]},
}


@pytest.mark.parametrize("name", CARRIED)
def test_what_belongs_to_no_conversation_is_carried(name: str) -> None:
    assert not account_of(CARRIED[name]).unread


@each(
    "word",
    [
        "answer", "answers", "response", "responses", "output", "outputs", "out", "completion", "completions",
        "reply", "replies", "generation", "generations", "generated", "prediction", "predicted", "result",
        "results", "solution", "assistant", "gpt", "teacher", "student", "final", "chosen", "rejected",
        "samples", "candidates",
    ],
)  # fmt: skip
def test_a_key_with_a_word_for_an_answer_is_named(word: str) -> None:
    receipt = account_of({"messages": [ASKED], f"my/{word}": "It is up today."})
    assert dict(receipt.unread) == {"answer": 1}
    assert receipt.unread_places[0].reason.startswith(f"/my~1{word} holds an answer")


@each(
    "word",
    [
        "expected", "gold", "golden", "ground", "truth", "reference", "correct", "id", "name", "type",
        "format", "time", "date", "quality", "score", "tokens", "length", "schema", "error", "status",
        "language", "finish", "reason", "explanation", "note", "notes", "comment", "params", "parameters",
        "metadata",
    ],
)  # fmt: skip
def test_a_key_with_a_word_for_a_reference_or_a_fact_is_carried(word: str) -> None:
    assert not account_of({"messages": [ASKED], f"{word}_answer": "It is up today."}).unread


@each("key", ["prompt", "instruction", "question", "query", "problem", "user", "user_input"])
def test_a_question_beside_an_answer_is_named(key: str) -> None:
    assert dict(account_of({"messages": [SAID], key: "Is it up today?"}).unread) == {"question": 1}


@each("key", ["system", "system_prompt", "system_message", "system_instruction", "systeminstruction"])
def test_a_system_text_beside_an_answer_is_read_and_two_are_named(key: str) -> None:
    row = {"messages": [SAID], key: "Be brief, please."}
    (read,) = toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row)).rows
    assert read == {"messages": [{"role": "system", "content": "Be brief, please."}, SAID]}
    other = "system" if key != "system" else "system_prompt"
    assert dict(account_of({**row, other: "Answer in French."}).unread) == {"system": 2}


@each("role", [["user"], {"name": "user"}, 1, None])
def test_a_system_text_beside_odd_roles_is_read(role: object) -> None:
    row = {"messages": [{"role": role, "content": "Is it up?"}, SAID], "system": "Be brief, please."}
    run = toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row))
    assert "internal error" not in run.err and run.rows[0]["messages"][0]["content"] == "Be brief, please."


READ: Final[dict[str, tuple[Row, str]]] = {
    "text under another key": ({"messages": [{"role": "user", "utterance": "Up?"}, SAID]}, "text_key"),
    "calls beside it": ({"messages": [ASKED, {"role": "assistant", "text": "Hm.", "tool_calls": [STRUCTURED]}]}, "text_key"),
    "an answer that refuses": ({"messages": [ASKED, {"role": "assistant", "content": None, "refusal": "No."}]}, "text_key"),
    "a part that refuses": (
        {"messages": [ASKED, {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}]}, "text_key",
    ),
    "speaker under another key": (
        {"system": "s", "messages": [ASKED, {"speaker": "Bot", "content": [{"type": "tool_use", "name": "ping", "input": {"host": "h-7731"}}]}]},
        "role_name",
    ),
    "one turn of a role under an unknown key": (
        {"messages": [{"participant": "user", "content": "Is the host up?"}], "response": SAID}, "role_name",
    ),
    "calls of a bot": (
        {"conversations": [ASKED, {"role": "BOT", "content": "", "tool_calls": [STRUCTURED]}]}, "role_name",
    ),
}  # fmt: skip


@each("name", READ)
def test_what_has_one_meaning_is_read_and_said(name: str) -> None:
    row, repair = READ[name]
    options = Options(to_layout="canonical")
    result = Converter(options, layouts.get(default_format(options).layout), None).lines("f", 1, [jsontext.dumps(row)])
    assert dict(result.receipt.repairs) == {repair: 1} and not result.receipt.unread
    messages = jsontext.loads(result.output[0])["messages"]
    assert [message["role"] for message in messages if message["role"] != "system"] == ["user", "assistant"]
    assert all(message["content"] or message["tool_calls"] for message in messages)
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert all(call["function"]["arguments"] == {"host": "h-7731"} for call in calls)


@pytest.mark.parametrize("name", ["axolotl", "chat-completion", "ms-swift", "trl"])
def test_a_wrapped_row_keeps_all_its_answers(name: str) -> None:
    lines = Path("fixtures/layouts", f"{name}.jsonl").read_text().splitlines()
    several = [row for line in lines if (row := json.loads(line)["row"]) and layouts.get(name).read(row).answers]
    assert several
    for row in several:
        wrapped = layouts.get("any-keys").read({"data": row})
        plain = layouts.get(name).read(row)
        assert wrapped.all_messages == plain.all_messages


# ── the law ─────────────────────────────────────────────────────────────────────────────────────


def texts_in(value: Any) -> Iterator[str]:
    """The texts of a value, also of one that is JSON text."""
    if isinstance(value, str):
        opened = jsontext.opened(value)
        if opened is value:
            yield value
        else:
            yield from texts_in(opened)
    elif isinstance(value, dict):
        for member in value.values():
            yield from texts_in(member)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


@pytest.mark.parametrize("name", [name for name in layouts.names() if layouts.get(name).sample.startswith("{")])
def test_a_key_of_its_own_stays_in_every_layout(name: str) -> None:
    """A row with further keys keeps them in its conversation, or says that they are lost."""
    row = {**json.loads(layouts.get(name).sample), "zz_note": "w-4411", "zz_more": {"a": ["w-4412"]}}
    layout = layouts.get(name)
    conversation = layout.read(row)
    lost = {"w-4411", "w-4412"} - set(texts_in(conversation.row))
    assert not lost or conversation.notes.losses


# ── the command line ────────────────────────────────────────────────────────────────────────────

UNREAD: Final = json.dumps({"messages": [USER], "tools": TOOLS, "zz": CALL}) + "\n"


def test_what_is_unread_is_in_the_summary_the_receipt_and_the_status(tmp_path: Any) -> None:
    run = toolconv("convert", "--receipt", tmp_path / "r.json", stdin=UNREAD)
    assert run.status == 1
    assert "<stdin>:1: unread: /zz holds a hermes call; --text-key zz reads it" in run.err
    assert "1 unread (calls 1)" in run.err
    unread = json.loads((tmp_path / "r.json").read_text())["function_calling"]["unread"]
    assert unread["count"] == {"calls": 1}
    assert unread["places"][0]["line"] == 1
    assert run.rows[0]["zz"] == CALL


def test_what_is_unread_is_an_error_if_the_user_says_so() -> None:
    assert toolconv("convert", "--strict", stdin=UNREAD).rows == []
    assert toolconv("convert", "--on-error", "reject", stdin=UNREAD).rows == []
    plain = json.dumps({"messages": [USER], "zz": "The host answers, it is up."}) + "\n"
    assert toolconv("convert", "--strict", stdin=plain).rows == []
    run = toolconv("convert", "--on-error", "reject", stdin=plain)
    assert (run.status, len(run.rows)) == (0, 1)
    assert "1 unread (answer 1)" in run.err


def test_the_option_that_is_named_reads_it() -> None:
    run = toolconv("convert", "--text-key", "zz", "--strict", stdin=UNREAD)
    assert (run.status, run.rows[0]["messages"][1]["tool_calls"][0]["function"]["name"]) == (0, "ping")


def test_the_user_says_where_messages_and_tools_are_and_who_speaks(tmp_path: Any) -> None:
    turns = [{"who": "x", "from": "Alice", "value": "Is it up?"}, {"who": "y", "from": "Clippy", "value": CALL}]
    row = json.dumps({"a": {"b": turns}, "t": TOOLS, "c": turns[:1]}) + "\n"
    given = ["--messages-key", "a.b", "--tools-key", "t", "--roles", "alice=user,Clippy=assistant"]
    run = toolconv("convert", *given, "--to-layout", "openai", stdin=row)
    assert [message["role"] for message in run.rows[0]["messages"]] == ["user", "assistant"]
    assert run.rows[0]["messages"][1]["tool_calls"][0]["function"]["name"] == "ping"
    assert run.rows[0]["tools"] == TOOLS
    settings = '[input]\nmessages-key = "a.b"\ntools-key = "t"\nroles = {Alice = "user", Clippy = "assistant"}\n'
    (tmp_path / "toolconv.toml").write_text(settings)
    assert toolconv("convert", "--to-layout", "openai", stdin=row, cwd=tmp_path).rows == run.rows
    (tmp_path / "toolconv.toml").write_text('[input]\nmessage-key = "a"\n')
    wrong = toolconv("convert", stdin=row, cwd=tmp_path)
    assert wrong.status == 2 and "did you mean 'messages-key'?" in wrong.err
    assert toolconv("convert", "--roles", "Alice=boss", stdin=row).status == 2


ARRAY: Final = [USER, {"role": "assistant", "content": "", "tool_calls": [STRUCTURED]}, RESULT, LAST]


@pytest.mark.parametrize(
    ("user", "assistant", "more", "read"),
    [
        ("Human", "AI", {}, True),
        ("customer", "Agent", {}, True),
        ("human", "human", {}, False),  # one speaker alone may be anything
        ("Human", "Clippy", {}, False),
        ("api", "result", {}, False),
        ("Human", "AI", {"note": "x"}, True),
        ("Human", "AI", {"note": "x y"}, False),  # which of them is the text?
    ],
)
def test_turns_under_any_keys_are_known_by_the_names_of_their_speakers(
    user: str, assistant: str, more: Row, read: bool
) -> None:
    turns = [{"who": user, "says": "Is h-7731 up?", **more}, {"who": assistant, "says": CALL, **more}]
    run = toolconv("convert", "--to-layout", "openai", stdin=json.dumps({"id": 1, "exchange": turns, "tools": TOOLS}))
    if read:
        assert [message["role"] for message in run.rows[0]["messages"]] == ["user", "assistant"], run.err
        assert run.rows[0]["messages"][1]["tool_calls"] and "1 call (hermes 1)" in run.err
    else:
        assert run.status == 1 and not run.out.count("tool_calls")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        (json.dumps(ARRAY), 1),
        (json.dumps(ARRAY, indent=2), 1),
        (json.dumps([ARRAY, ARRAY]), 2),
        (json.dumps([ARRAY, ARRAY], indent=1), 2),
        (json.dumps(ARRAY) + "\n" + json.dumps(ARRAY) + "\n", 2),
        (json.dumps({"data": [{"messages": ARRAY}, {"messages": ARRAY}], "n": 2}, indent=2), 2),
        (json.dumps({"rows": [{"row_idx": 0, "row": {"messages": ARRAY}}]}), 1),
        (json.dumps({"messages": ARRAY}, indent=2) + "\n" + json.dumps({"messages": ARRAY}, indent=2) + "\n", 2),
    ],
    ids=["array", "printed", "arrays", "arrays printed", "lines", "data", "rows", "printed rows"],
)
@pytest.mark.parametrize("file", [False, True], ids=["pipe", "file"])
def test_arrays_of_messages_are_conversations(text: str, rows: int, file: bool, tmp_path: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    run = toolconv("parse", path) if file else toolconv("parse", stdin=text)
    assert run.status == 0, run.err
    assert len(run.rows) == rows
    for row in run.rows:
        assert [message["role"] for message in row["messages"]] == ["user", "assistant", "tool", "assistant"]


@pytest.mark.parametrize(
    ("beside", "kept"),
    [
        ({"row_idx": 3}, {}),
        ({"row_idx": 3, "truncated_cells": []}, {}),
        ({"row_idx": 3, "truncated_cells": ["messages"]}, {"row_idx": 3, "truncated_cells": ["messages"]}),
        ({"label": 5}, {"label": 5}),
    ],
)
def test_what_is_beside_a_row_of_the_hub_stays_unless_it_is_its_number(beside: Row, kept: Row) -> None:
    text = json.dumps({"rows": [{"row": {"messages": [ASKED, SAID]}, **beside}] * 2})
    for row in toolconv("parse", stdin=text).rows:
        assert {key: value for key, value in row.items() if key != "messages"} == kept


def test_a_list_of_geminis_turns_is_a_conversation() -> None:
    turns = [{"role": "user", "parts": [{"text": "Is it up?"}]}, {"role": "model", "parts": [{"text": "It is."}]}]
    run = toolconv("parse", stdin=json.dumps(turns))
    assert [message["content"] for message in run.rows[0]["messages"]] == ["Is it up?", "It is."]


@pytest.mark.parametrize(
    "text",
    [
        '{"role":"User","text":"Cancel my alarm"}\n{"role":"AI","text":"Which one?"}\n',
        '[{"task": "a", "plan": [{"name": "search", "arguments": {"q": 1}}]}]',
        '{"task": "a", "plan": [{"name": "search", "arguments": {"q": 1}}]}\n',
    ],
    ids=["turns", "array", "row"],
)
def test_what_is_no_row_is_rejected(text: str) -> None:
    run = toolconv("convert", stdin=text)
    assert run.rows == []
    assert run.status in (1, 2)


def test_a_batch_is_joined(tmp_path: Any) -> None:
    asked = [{"custom_id": name, "body": {"messages": [{"role": "user", "content": name}]}} for name in "ab"]
    answered = [
        {"custom_id": name, "response": {"body": {"choices": [{"index": 0, "message": LAST}]}}} for name in "bac"
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in asked))
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answered))
    for jobs in ("1", "2"):
        run = toolconv(
            "convert", "out.jsonl", "--requests", "in.jsonl", "--to-layout", "openai", "--jobs", jobs, cwd=tmp_path
        )
        assert [row["messages"][0]["content"] for row in run.rows] == ["b", "a"]
        assert "no request with the custom_id 'c' in in.jsonl" in run.err
    (tmp_path / "in.jsonl").write_text(json.dumps(asked[0]) + "\n" + json.dumps(asked[0]) + "\n")
    assert toolconv("convert", "out.jsonl", "--requests", "in.jsonl", cwd=tmp_path).status == 2


def test_system_texts_that_are_taken_out_are_counted() -> None:
    text = 'Be kind.\n\nYou can call these tools:\n<tools>[{"name":"ping"}]</tools>\nAnswer in <tool_call> tags.'
    row = {"tools": TOOLS, "messages": [{"role": "system", "content": text}, USER, LAST]}
    run = toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row) + "\n")
    changed = run.rows[0]["messages"][0]["content"] != text
    assert changed == ("instructions_removed 1" in run.err)


def test_what_is_unread_in_a_part_has_its_place_in_the_row() -> None:
    row: Row = {"messages": [{"role": "user", "content": {"words": "Is the host up today?"}}, LAST]}
    assert [place.reason.split()[0] for place in account_of(row).unread_places] == ["/messages/0/content/words"]
    row = {"question": [[{"n": 0, "event": USER}]], "function": TOOLS, "ground_truth": []}
    assert [place.reason.split()[0] for place in account_of(row).unread_places] == ["/question/0/0/event"]


@pytest.mark.parametrize(
    "document",
    [
        {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [{"messages": [USER, LAST]}]},
        {"timestamp": "2026-01-01", "info": {}, "simulations": [{"messages": [USER, LAST]}]},
    ],
    ids=["inspect-ai", "tau2-bench"],
)
def test_keys_of_a_document_that_no_record_has_are_counted(document: Row) -> None:
    run = toolconv("parse", stdin=json.dumps(document))
    assert len(run.rows) == 1 and "document_keys" not in run.err
    run = toolconv("parse", stdin=json.dumps({**document, "persona": "You are a friendly assistant."}))
    assert len(run.rows) == 1 and "1 loss (document_keys 1)" in run.err


@pytest.mark.parametrize(("key", "unread"), [("train_on_turn", 2), ("mask", 2), ("loss", 0), ("pinned", 0)])
def test_a_flag_that_may_be_a_mark_is_named(key: str, unread: int) -> None:
    marked = {"messages": [USER, {**LAST, key: False}, USER, {**LAST, key: True}]}
    run = toolconv("convert", "--trainer", "ms-swift", stdin=(json.dumps(marked) + "\n") * 3)
    assert ("/messages/1/" + key + " holds a flag that may say whether to train" in run.err) == bool(unread)
    assert (f"{3 * unread} unread (mark {3 * unread})" in run.err) == bool(unread)


def test_a_role_may_be_no_text() -> None:
    row = {"messages": [{**USER, "role": ["user"]}, LAST], "notes": [{"a": 1}]}
    run = toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row))
    assert run.rows == [row]
