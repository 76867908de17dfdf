"""What stands beside a conversation and belongs to it, or doesn't: calls with ids, references, parts, Python's texts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.command import toolconv
from toolconv import convert_rows
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt

Row = dict[str, Any]

ASKED = {"role": "user", "content": "Is the host up?"}
SAID = {"role": "assistant", "content": "It is up today."}


def call(number: str) -> Row:
    return {"id": number, "type": "function", "function": {"name": "ping", "arguments": '{"host": "a"}'}}


DECLARED = {"name": "ping", "parameters": {"type": "object", "properties": {"host": {"type": "string"}}}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [call("c1")]}


def session(call: Row, result: Row) -> Row:
    """A session of Claude Code's in which a call is made and answered."""
    said = [("user", "Look."), ("assistant", [{"type": "tool_use", "id": "t1", "name": "Read", **call}])]
    said.append(("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "a.png", **result}]))
    return {"lines": [
        {"type": role, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None, "sessionId": "s1",
         "message": {"role": role, "content": content}}
        for at, (role, content) in enumerate(said)
    ]}  # fmt: skip


def planned(delta: Row) -> Row:
    """A stream of Cohere's, with a plan in four pieces of which one has another form."""
    deltas = [{"message": {"tool_plan": text}} for text in ("The tool", " is", " up")]
    deltas.insert(1, delta)
    begun = {"type": "message-start", "id": "k", "delta": {"message": {"role": "assistant"}}}
    return {"chunks": [begun, *({"type": "tool-plan-delta", "delta": each} for each in deltas)], "done": True}


def responses(*pieces: str, output: tuple[Row, ...] = ()) -> Row:
    """A stream of Responses', with the arguments of a call in pieces."""
    item = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "ping", "arguments": ""}
    return {"chunks": [
        {"type": "response.created", "response": {"id": "r", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *({"type": "response.function_call_arguments.delta", "item_id": "f1", "output_index": 0, "delta": piece}
          for piece in pieces),
        {"type": "response.completed", "response": {"id": "r", "output": list(output)}}]}  # fmt: skip


NAMED: dict[str, tuple[Row, str, str]] = {
    "another answer at the end of a stream with a call": (
        responses('{"host": "a"}', output=({"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "It is up today."}]},)),
        "messages", "/chunks/3/response/output/0/content/0/text"),
    "what may be arguments, with the words of the result": (session({"zz": {"file_path": "a.png"}}, {}), "calls",
                                                            "/lines/1/message/content/0/zz"),
    "thoughts of an answer": ({"messages": [ASKED, {**SAID, "thoughts": [{"subject": "Host", "description": "I ping the host."}]}]},
                              "messages", "/messages/1/thoughts/0/description"),
    "the same call with another id": ({"messages": [ASKED, CALLED], "setup": [call("c2")]}, "calls", "/setup/0"),
    "a rejected text of other words": ({"messages": [ASKED, SAID], "zz": "It is down today."}, "text", "/zz"),
    "a short text of a model": ({"messages": [ASKED, SAID], "model_output": "Down."}, "answer", "/model_output"),
    "nothing but the name of a tool and its input": (
        {"messages": [{**ASKED, "pending": [{"tool": "ping", "input": "b c"}]}, SAID]}, "calls", "/messages/0/pending/0"),
    "the result of a call next to other words": (
        {"messages": [ASKED, CALLED, {"role": "tool", "tool_call_id": "c1", "content": "ok", "tool_response": {"host": "up today"}}]},
        "messages", "/messages/2/tool_response"),
    "declarations in a notation of their own": (
        {"messages": [ASKED], "function_schemas": ["def ping(host: str): Pings a host.", "def stop(host: str): Stops a host."]},
        "tools", "/function_schemas"),
    "an answer that is JSON": ({"messages": [ASKED], "label": '{"host": {"state": "It is up today."}}'}, "answer", "/label"),
    "a row in another one, whose tools are declared": (
        {"messages": [ASKED, SAID], "data": [{"messages": [{"role": "user", "content": "Is b up?"}], "tools": []}]}, "messages",
        "/data/0/messages"),
    "thoughts of a call": ({"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "thought": ["Ping."]}]}]}, "messages",
                           "/messages/1/tool_calls/0/thought"),
    "the error of a call": ({"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "error": "It is down."}]}]}, "messages",
                            "/messages/1/tool_calls/0/error"),
    "samples of texts": ({"messages": [ASKED], "zz_samples": ["It is up today.", "It is down today."]}, "answer", "/zz_samples"),
    "samples of JSON in a turn": (
        {"messages": [ASKED, {**SAID, "samples": [{"role": "assistant", "content": [{"type": "text", "text": '{"host": "b"}'}]}]}]},
        "answer", "/messages/1/samples"),
    "calls of an unknown form in a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "zz_calls": [{"ping": {"host": "b"}}]}]}]}, "calls",
        "/messages/1/tool_calls/0/zz_calls"),
    "calls in words of the user's message": ({"messages": [{**ASKED, "zz_calls": ["ping(host='b')"]}, SAID]}, "calls",
                                             "/messages/0/zz_calls"),
    "declarations in envelopes of their own": ({"messages": [ASKED, SAID], "available_tools": [
        {"type": "function", "call": DECLARED}]}, "tools", "/available_tools/0"),
    "a call in the text of a part beside another": ({"messages": [ASKED, {"role": "assistant", "content": [
        {"type": "text", "text": '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'},
        {"type": "refusal", "refusal": "No."}]}]}, "calls", "/messages/1/content/0"),
    "other answers in a word": ({"messages": [ASKED, {**SAID, "alternatives": ["No"]}]}, "answer", "/messages/1/alternatives"),
    "one more text of a message": ({"messages": [{**ASKED, "extra_text": "Or is b?"}, SAID]}, "text", "/messages/0/extra_text"),
    "objects of a name and arguments in a message": (
        {"messages": [{**ASKED, "pending": [{"look": {"host": "b"}}]}, SAID]}, "calls", "/messages/0/pending"),
    "objects of a name and arguments in a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "pending": [{"look": {"host": "b"}}]}]}]}, "calls",
        "/messages/1/tool_calls/0/pending"),
    "the reasons of an answer": ({"messages": [ASKED, {**SAID, "rationale": "I ping the host."}]}, "messages",
                                 "/messages/1/rationale"),
    "arguments under a key with a capital": ({"messages": [ASKED, {"role": "assistant", "content": "", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "ping", "Arguments": "host a"}}]}]}, "calls",
        "/messages/1/tool_calls/0/function/Arguments"),
    "words beside an event of a stream": ({"type": "message_start", "context": "The user wants it now.", "message": {
        "id": "m", "type": "message", "role": "assistant", "content": []}}, "messages", "/chunks/0/context"),
    "a call in .NET's keys": (
        {"messages": [ASKED, {"role": "assistant", "Items": [
            {"$type": "FunctionCallContent", "Id": "c1", "FunctionName": "look", "Arguments": {"host": "b"}}]}]},
        "calls", "/messages/1/Items/0"),
    "a call with a list of names and values": (
        {"messages": [ASKED, SAID], "trace": {"invocation": {
            "function": "look", "parameters": [{"name": "host", "type": "string", "value": "b"}]}}},
        "calls", "/trace/invocation"),
    "a name of a tool with an object": (
        {"messages": [{**ASKED, "pending": [{"fn": "look", "with": {"host": "b"}}]}, SAID]},
        "calls", "/messages/0/pending/0"),
    "an answer with calls under another key": (
        {"input": [ASKED], "output": {**SAID, "toolCalls": [call("c1")]}}, "calls", "/output"),
    "declarations in a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "tools": [DECLARED]}]}]},
        "tools", "/messages/1/tool_calls/0/tools"),
    "a question in an attribute of no known name": (
        {"name": "chat", "attributes": {"gen_ai.system": "openai"}, "events": [
            {"name": "gen_ai.user.message", "attributes": {"say": "Is the host up?"}},
            {"name": "gen_ai.choice", "attributes": {"index": 0, "message": {"role": "assistant", "content": "Yes."}}}]},
        "question", "/events/0/attributes/say"),
    "two words in the content of an object": ({"messages": [{**ASKED, "回答": {"content": "Up today", "model": "m"}}, SAID]},
                                              "text", "/messages/0/回答/content"),
    "arguments in a result without a call": (
        {"turns": [ASKED, SAID, {"role": "API", "api_name": "Ping", "param_dict": {"host": "a"}, "content": "up"}]},
        "calls", "/turns/2/param_dict"),
    "more arguments in an object of a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "note": {"arguments": "b"}}]}]},
        "calls", "/messages/1/tool_calls/0/note"),
    "a call whose function has other keys": (
        {"messages": [ASKED, SAID], "next_call": {"function": {"action": "ping", "arguments": '{"host": "b"}'}}},
        "calls", "/next_call"),
    "a call of two keys as JSON text": ({"messages": [ASKED, SAID], "pending": '[{"tool": "ping", "args": {"host": "b"}}]'},
                                        "calls", "/pending/0"),
    "a call in a JSON list of answers": ({"completion": json.dumps(
        ['<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>', "Up."])}, "calls", "/completion"),
    "a call beside an event of a stream": ({"type": "message_start", "zz": [call("c2")], "message": {
        "id": "m", "type": "message", "role": "assistant", "content": []}}, "calls", "/chunks/0/zz/0"),
    "a piece of a stream below another key": ({"chunks": [
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [
            {"index": 0, "id": "c1", "function": {"name": "ping", "arguments": '{"host": "a'}}]}}]},
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"more": [
            {"index": 0, "function": {"arguments": " b"}}]}}]},
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": 0, "function": {"arguments": '"}'}}]}, "finish_reason": "tool_calls"}]}]},
        "messages", "/chunks/1/choices/0/delta/more/0/function/arguments"),
    "a piece of a stream at another level, which the text has elsewhere": (
        planned({"message": {}, "tool_plan": " tool"}), "messages", "/chunks/2/delta/tool_plan"),
    "a piece of a stream under a key of its own": (
        planned({"message": {"toolPlan": " tool"}}), "messages", "/chunks/2/delta/message/toolPlan"),
    "a piece of a stream as JSON": (
        planned({"message": '{"tool_plan": " tool"}'}), "messages", "/chunks/2/delta/message/tool_plan"),
    "a declaration without words": (
        {"messages": [ASKED, SAID], "zz": {"name": "ping", "parameters": {"host": {"type": "str"}}}}, "tools", "/zz"),
    "what may be the arguments of a call without an id": ({"lines": [
        {"type": "session_meta", "payload": {"id": "s"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Is the host up?"}]}},
        {"type": "response_item", "payload": {"type": "tool_call", "function": {"name": "ping"}, "zz": {"host": "up"}}}]},
        "calls", "/lines/2/payload/zz"),
    "a call of a stream under a key that its API has not": ({"chunks": [
        {"type": "message-start", "id": "k", "delta": {"message": {"role": "assistant"}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {
            "id": "a", "type": "function", "function": {"name": "ping", "arguments": ""}}}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"toolCalls": {"function": {"arguments": "{ "}}}}},
        {"type": "tool-call-end", "index": 0}], "done": True}, "messages", "/chunks/2/delta/message/toolCalls/function/arguments"),
    "a piece of a stream of Ollama's": ({"chunks": [
        {"model": "m", "message": {"role": "assistant", "content": "Up"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": "", "zz": "Up"}, "done": False},
        {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True}]},
        "messages", "/chunks/1/message/zz"),
    "declarations under keys of their own": ({"messages": [ASKED, SAID], "kit": [
        {"label": "ping", "description": "Pings a host.", "parameters": DECLARED["parameters"]}]}, "tools", "/kit"),
    "declarations that a log has beside its attributes": (
        {"name": "chat", "gen_ai.tool.definitions": json.dumps([DECLARED]), "attributes": {
            "gen_ai.operation.name": "chat", "gen_ai.input.messages": [
                {"role": "user", "parts": [{"type": "text", "content": "Up?"}]}], "gen_ai.output.messages": [
                {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]}]}},
        "tools", "/gen_ai.tool.definitions"),
    "a call with an object under a key of its own": (
        {"messages": [ASKED, SAID], "actions": [{"name": "ping", "values": {"host": "b"}}]}, "calls", "/actions/0"),
    "arguments that a log has beside its attributes": (
        {"name": "chat", "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"host": 3}', "attributes": {
            "openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "Up?", "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "ping"}},
        "calls", "/llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments"),
    "a call whose arguments are a list": (
        {"messages": [ASKED, SAID], "zz": [{"name": "ping", "arguments": [{"host": "b"}]}]}, "calls", "/zz/0"),
    "a call whose name is under a key of its own": (
        {"messages": [ASKED, SAID], "zz": [{"id": "c1", "what": "ping", "arguments": '{"host": "b"}'}]}, "calls", "/zz/0"),
    "a call with a text under a key of its own": (
        {"messages": [ASKED, SAID], "calls": [{"function": {"name": "ping", "with": '{"host": "b"}'}}]}, "calls", "/calls/0"),
    "a call whose function is a text": (
        {"messages": [ASKED, SAID], "zz": [{"function": "{'name': 'ping', 'arguments': {'host': 'b'}}"}]}, "calls", "/zz/0"),
    "a call whose function has a name of its own": (
        {"messages": [ASKED, SAID], "zz": {"type": "function", "function": {"api": "ping", "arguments": {"host": "b"}}}},
        "calls", "/zz"),
    "a step of an agent under a key of its own": (
        {"messages": [ASKED, SAID], "steps": [{"x": {"tool": "ping", "toolInput": {"host": "b"}, "log": "Invoking."}}]},
        "calls", "/steps/0/x"),
    "a recipient that answers": (
        {"messages": [ASKED, {**SAID, "recipient": "shop.look"}, {"role": "tool", "content": "up"}]},
        "calls", "/messages/1/recipient"),
    "a text beside the object that says who speaks": (
        {"info": {"id": "s"}, "messages": [
            {"info": {"role": "user"}, "pieces": [{"type": "text", "text": "Is the host up?"}]}]},
        "messages", "/messages/0/pieces/0/text"),
    "what goes on under another key": ({"messages": [{**ASKED, "suffix": "or b"}, SAID]}, "text", "/messages/0/suffix"),
    "turns with items of other types": (
        {"messages": [ASKED, SAID], "zz": [{"role": "user", "content": "And b?"}, {"type": "search_call", "of": {"q": "b"}}]},
        "messages", "/zz"),
    "a call with its result among the declarations": (
        {"messages": [ASKED, SAID], "tools": [{"tool_call_id": "c2", "tool_name": "ping", "tool_args": {"host": "a"}, "result": "up"}]},
        "calls", "/tools/0"),
    "calls of programs in a call": (
        {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "pending": ["ping(host='b')"]}]}]}, "calls",
        "/messages/1/tool_calls/0/pending"),
    "calls that are texts": (
        {"query": [ASKED, {"role": "agent", "content": "I look.", "tool_calls": ["ping(host='b')"]}, ASKED],
         "answers": [{"name": "ping", "arguments": {}}], "tools": [DECLARED]}, "calls", "/query/1/tool_calls/0"),
    "words of a language without blanks": ({"messages": [ASKED, SAID], "zz": "很抱歉我无法执行点外卖这样的外部任务"}, "text", "/zz"),
    "a content in the metadata": (
        {"messages": [ASKED, {"role": "assistant", "content": "", "metadata": {"content": [{"type": "text", "text": "Up."}]}}]},
        "answer", "/messages/1/metadata/content"),
    "a few words of reasoning": ({"messages": [ASKED, {**CALLED, "thoughts": "Search it"}]}, "messages", "/messages/1/thoughts"),
    "a reference of the user": ({"messages": [ASKED, SAID], "gold": {"role": "user", "content": "And b?"}},
                                "messages", "/gold"),
    "reasoning in parts": ({"messages": [ASKED, SAID], "context": [{"type": "reasoning", "text": "I ping it."}]},
                           "messages", "/context"),
    "columns": ({"messages": [ASKED, SAID], "past": {"role": ["user"], "content": ["Is b up?"]}},
                "messages", "/past"),
    "Python's messages": ({"messages": [{"role": "user", "content": "[{'role': 'user', 'content': 'Is b up?'}]"}, SAID]},
                          "messages", "/messages/0/content"),
    "words under a key that says nothing of them": ({"messages": [ASKED, SAID], "preface": "Be brief, please."},
                                                    "text", "/preface"),
    "words under such a key of a message": ({"messages": [ASKED, {**SAID, "zz": "I pinged it twice."}]},
                                            "text", "/messages/1/zz"),
    "words under such a key of a call": ({"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "zz": "I ping it."}]}]},
                                         "text", "/messages/1/tool_calls/0/zz"),
    "words under such a key of its function": ({"messages": [ASKED, {**CALLED, "tool_calls": [
        {"id": "c1", "type": "function", "function": {**call("c1")["function"], "zz": {"a": "I ping it."}}}]}]},
        "text", "/messages/1/tool_calls/0/function/zz/a"),
    "two words that belong to a question": ({"messages": [ASKED, SAID], "x_input": "b, a"}, "question", "/x_input"),
    "a word before an answer": ({"opening": "Hi", "messages": [SAID]}, "question", "/opening"),
    "words below such a key": ({"messages": [ASKED, SAID], "zz": {"a": ["Be brief, please."]}}, "text", "/zz/a/0"),
    "a call of OpenCode's": ({"messages": [ASKED, SAID], "target": {
        "type": "tool", "tool": "ping", "state": {"input": {"host": "a"}, "output": "up"}}}, "calls", "/target"),
    "a declaration of Bedrock's without a type": ({"messages": [ASKED, SAID], "meta": {"zz": [
        {"toolSpec": {"name": "ping", "inputSchema": {"json": {"properties": {}}}}}]}}, "tools", "/meta/zz"),
    "a declaration as JSON text": ({"messages": [ASKED, SAID], "tool_list": json.dumps(DECLARED)}, "tools", "/tool_list"),
    "declarations by name": ({"messages": [ASKED, SAID], "kit": {"ping": {"parameters": DECLARED["parameters"]}}},
                             "tools", "/kit"),
    "a result under its speaker": ({"messages": [ASKED, CALLED], "tool": "pong, 3 ms"}, "messages", "/tool"),
    "items of the provider's": ({"messages": [ASKED, SAID], "intro": [
        {"type": "tool_search_call", "id": "t", "arguments": {"paths": ["ping"]}}]}, "messages", "/intro"),
    "a part in the rejected messages": ({"messages": [ASKED, SAID], "rejected_messages": [ASKED, {
        "role": "assistant", "content": [{"type": "zork", "blob": "It is a strange thing."}]}]},
        "messages", "/rejected_messages/1/content/0/blob"),
    "a part in the rejected one of two conversations": ({"chosen": [ASKED, SAID], "rejected": [ASKED, {
        "role": "assistant", "content": "No.", "zork": "It is a strange thing."}]}, "text", "/rejected/1/zork"),
    "answers beside a pair of which the first is a question": ({"messages": [ASKED], "rejected_messages": [ASKED, SAID],
        "responses": ["Up.", "Down."]}, "answer", "/responses"),
    "a call in a record of AutoGen's run": ({"messages": [{"type": "TextMessage", "source": "user", "content": "Up?"},
        {"type": "ToolCallSummaryMessage", "source": "bot", "content": "up", "tool_calls": [
            {"id": "c9", "name": "ping", "arguments": '{"host": "z"}'}]}]}, "calls", "/messages/1/tool_calls/0"),
    "a call in an event of Codex's": ({"lines": [
        {"type": "session_meta", "payload": {"id": "s1", "cwd": "/app"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Is it up?"}]}},
        {"type": "event_msg", "payload": {"type": "tool_call", "name": "ping", "call_id": "c1", "input": {"host": "a"}}}]},
        "calls", "/lines/2/payload"),
    "a mark in a log": ({"name": "chat", "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [
        {"role": "user", "parts": [{"type": "text", "content": "Up?"}]}], "gen_ai.output.messages": [
        {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}], "weight": 0}]}},
        "mark", "/attributes/gen_ai.output.messages/0/weight"),
    "a second text in a part": ({"messages": [ASKED, {"role": "assistant", "content": [
        {"type": "text", "text": "It is.", "content": "One moment."}]}]}, "text", "/messages/1/content/0/content"),
    "a question of two words beside an instruction": ({"instruction": "Sort these.", "question": "b, a", "output": "a, b"},
        "question", "/question"),
    "arguments that are a list beside null": ({"messages": [ASKED, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": None, "input": [
            {"key": "host", "value": "a"}]}}]}]}, "calls", "/messages/1/tool_calls/0/function/input"),
    "parts of results under a name beside the turns": ({"messages": [ASKED, CALLED], "zz": {"first": [
        {"type": "tool-result", "toolCallId": "c1", "toolName": "ping", "output": {"type": "text", "value": "up"}}]}},
        "messages", "/zz/first/0"),
    "a turn of one word": ({"messages": [ASKED, SAID], "past": [{"role": "user", "sentence": "Hi"}]}, "messages", "/past"),
    "pieces of arguments under another key": ({"chunks": [
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [
            {"index": 0, "id": "c1", "function": {"name": "ping", "payload": '{"host": '}}]}}]},
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": [
            {"index": 0, "function": {"payload": '"a"}'}}]}}]},
        {"id": "a", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]},
        "messages", "/chunks/0/choices/0/delta/tool_calls/0/function/payload"),
    "a call with the arguments of another": ({"lines": [
        {"type": "session_meta", "payload": {"id": "s", "cwd": "/app"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": "Is a up?"}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "ping", "call_id": "c1",
                                              "arguments": '{"host": "a"}'}},
        {"type": "response_item", "payload": {"type": "function_call", "name": "trace", "call_id": "c2",
                                              "arguments": '{"host": "b"}'}},
        {"type": "compaction_note", "payload": {"type": "function_call", "name": "trace", "arguments": '{"host": "a"}'}}]},
        "calls", "/lines/4/payload"),
    "a path of an argument in a call": ({"messages": [
        ASKED, {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "ping"}, "args.host": "a"}]}]},
        "calls", "/messages/1/tool_calls/0/args.host"),
    "an argument beside the name of its call": ({"messages": [
        ASKED, {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "ping", "host": "a"}}]}]},
        "calls", "/messages/1/tool_calls/0/function/host"),
    "words under another key of a message with a blank text": ({"messages": [
        {"role": "user", "content": " ", "stated": "Is a up"}, SAID]}, "messages", "/messages/0/stated"),
    "the result of a call under another key": ({"messages": [ASKED, CALLED], "aside": [
        {"role": "tool", "tool_call_id": "c1", "content": ASKED["content"]}]}, "messages", "/aside"),
    "printed JSON of a message's parts": ({"messages": [ASKED, {**SAID, "content": json.dumps(
        [{"text": "I look.", "thought": True}, {"text": "Yes."}], indent=1)}]}, "messages", "/messages/1/content"),
    "an argument beside a name under the key of a function": ({"id": 1, "epoch": 1, "scores": {}, "messages": [
        ASKED, {"role": "assistant", "content": "", "tool_calls": [
            {"id": "c1", "type": "function", "function": "ping", "host": "a"}]}]},
        "calls", "/messages/1/tool_calls/0/host"),
    "the result of a call of API-Bank under another key": ({"dialogue": [
        {"role": "User", "text": "Up?"}, {"role": "API", "api_name": "Ping", "param_dict": {}, "result_2": "up"},
        {"role": "AI", "text": "It is up."}]}, "messages", "/dialogue/1/result_2"),
    "declarations as texts in a list": ({"messages": [ASKED, SAID], "aside": {"data": {"tools": [json.dumps({
        "type": "function", "name": "ping", "inputSchema": {"type": "object"}})]}}}, "tools", "/aside/data"),
    "turns in a copy of a call": ({"messages": [ASKED, CALLED], "expected": [
        {**call("c1"), "before": [{"role": "user", "content": "What is it?"}, SAID]}]},
        "messages", "/expected/0/before"),
    "a prompt of a template under another key": ({
        "prompt_2": "<|im_start|>user\nHi?<|im_end|>\n<|im_start|>assistant\n", "completion": "Hello."},
        "question", "/prompt_2"),
    "declarations as texts by number": ({"messages": [ASKED, SAID], "tool_defs": {"1": json.dumps(
        {"name": "ping", "description": "Ping it.", "parameters": {"type": "object"}})}}, "tools", "/tool_defs"),
    "a call with the paths of its arguments": ({"messages": [ASKED, SAID], "aside": [
        {"name": "ping", "arguments_host": "b"}]}, "calls", "/aside/0"),
    "calls by their names beside turns": ({"messages": [ASKED, SAID], "made": [{"ping": '{"host": "a"}'}, {}]},
                                          "calls", "/made"),
    "a call without a key for its arguments": ({"messages": [ASKED, SAID], "aside": {
        "functionCall": {"name": "ping", "host": "b"}}}, "calls", "/aside"),
    "calls in a text of JSON": ({"messages": [ASKED, {**SAID, "content": json.dumps({"said": [
        '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'], "score": 1})}]},
        "calls", "/messages/1/content"),
    "a prompt of a template as JSON": ({
        "prompt": json.dumps(["<|im_start|>user\nHi?<|im_end|>\n<|im_start|>assistant\n"]), "completion": "Hello."},
        "question", "/prompt"),
    "a truth under a path to the name of a tool": ({
        "id": "normal_1", "question": "user: Is a up?\n", "function": [{"name": "ping", "parameters": {
            "type": "object", "properties": {"host": {"type": "string"}}}}], "ground_truth.ping_1": {"host": "a"}},
        "calls", "/ground_truth.ping_1"),
    "a call in values with their types": ({"messages": [ASKED, SAID], "aside": {"L": [{"M": {
        "name": {"S": "ping"}, "arguments": {"M": {"host": {"S": "b"}}}}}]}}, "calls", "/aside"),
    "an image under a key of its own": ({"messages": [{"role": "user", "content": [
        {"type": "text", "text": "What is it?"}, {"type": "image", "x_image": "a.png"}]}, SAID]},
        "messages", "/messages/0/content/1/x_image"),
    "words in an object around a turn": ({"sessionId": "s", "projectHash": "p", "messages": [
        {"turn": 0, "msg": {"type": "user", "sentence": "Is the host up?"}},
        {"turn": 1, "msg": {"type": "gemini", "content": "It is up today."}}]}, "messages", "/messages/0/msg/sentence"),
    "calls in no known form": ({"messages": [ASKED, {**SAID, "calls": [{"run": "ping", "with": {"host": "a"}}]}]},
                               "calls", "/messages/1/calls"),
    "the arguments of a call": ({"messages": [ASKED, {"role": "assistant", "content": "", "tool_args": [{"host": "a"}]}]},
                                "calls", "/messages/1/tool_args"),
    "the rest of a text": ({"messages": [ASKED, {**SAID, "content_2": "{a"}]}, "text", "/messages/1/content_2"),
    "two words of reasoning in a call": ({"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "thought": "Ping it."}]}]},
                                         "messages", "/messages/1/tool_calls/0/thought"),
    "a text below a key for facts": ({"messages": [{"role": "user", "metadata": {"content": "Is it up?"}}, SAID]},
                                     "messages", "/messages/0/metadata/content"),
    "declarations by id": ({"messages": [ASKED, SAID], "toolConfig": {"tools": {"a": {"toolSpec": {
        "name": "ping", "inputSchema": {"json": {"type": "object", "properties": {}}}}}}}}, "tools", "/toolConfig/tools"),
    "a system text in parts": ({"messages": [ASKED, SAID], "instructions": [{"text": "Be brief."}]},
                               "system", "/instructions/0/text"),
    "a question that an object holds": ({"messages": [CALLED], "info": {"input": "Ping it."}}, "question", "/info/input"),
    "a piece of a stream under another key": ({"chunks": [
        {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": "It is "}]},
        {"id": "a", "object": "text_completion", "choices": [{"index": 0, "zz": "up"}]},
        {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": "", "finish_reason": "stop"}]}]},
        "messages", "/chunks/1/choices/0/zz"),
}  # fmt: skip
CARRIED: dict[str, Row] = {
    "pieces of the arguments of a call, which has them as values": responses('{"host": "', 'a"}'),
    "a description of what may be done": {"messages": [ASKED, SAID], "actions": [
        {"name": "ping", "description": "Pings a host.", "values": {"host": "b"}}]},
    "a JSON list of sentences": {"messages": [ASKED, {**SAID, "content": '["The host is up.", "It is up today."]'}]},
    "a copy of the arguments in an object of a call": {"messages": [ASKED, {**CALLED, "tool_calls": [
        {**call("c1"), "raw": {"arguments": '{"host": "a"}'}}]}]},
    "calls that were read, in another form": {"messages": [ASKED, {**CALLED, "calls": [{"name": "ping", "args": {"host": "a"}}]}]},
    "the answer among samples": {"messages": [ASKED, {**SAID, "samples": [SAID["content"]]}]},
    "objects of a name under a key that describes": {"messages": [{**ASKED, "labels": [{"look": {"host": "b"}}]}, SAID]},
    "media in parts of a message": {"messages": [{**ASKED, "pictures": [{"image": {"format": "png"}}]}, SAID]},
    "the tokens of a context in a stream": {"chunks": [
        {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": "It is up."}], "context": [1, 90817263]},
        {"id": "a", "object": "text_completion", "choices": [{"index": 0, "text": "", "finish_reason": "stop"}]}]},
    "words that a key says to describe": {"messages": [ASKED, SAID], "description": "A talk about hosts."},
    "the whole as one text": {"messages": [ASKED, SAID], "zz": "Below is a talk of two. Is the host up? It is up today."},
    "what the request is about": {"messages": [ASKED], "description": "The user wants to know whether the host is up."},
    "what an answer is compared with, in short": {"messages": [ASKED], "blueprint": {"o_gt": "It is up today."}},
    "when and where an answer was made": {"messages": [ASKED], "generated_at": "2026-06-01T08:00:00Z", "output_dir": "runs/a"},
    "the model that wrote the answer": {"messages": [ASKED, CALLED], "teacher_model": "m-4-flash"},
    "the result as JSON and as an object": {"messages": [ASKED, CALLED, {
        "role": "tool", "tool_call_id": "c1", "content": '{"host": "up today"}', "tool_output": {"host": "up today"}}]},
    "arguments that were read": session({"input": {"file_path": "b.png"}}, {}),
    "the answer in which a call without arguments stands": {"history": [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Look."}},
        {"id": 1, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": {
            "function_name": "look", "tool_call_id": "t1", "model_response": {"id": "r1", "choices": [{"message": {
                "role": "assistant", "content": None, "tool_calls": [
                    {"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}}]}}}]},
    "an object of a result of a call without arguments": session({"input": {}}, {"output": {"name": "a.png"}}),
    "a fact about the question": {"messages": [ASKED, SAID], "input_format": "plain text"},
    "words of the question": {"messages": [ASKED, SAID], "x_input": "the host"},
    "a word where the user asks": {"messages": [ASKED, SAID], "context": "Hi"},
    "a name under such a key of a call": {"messages": [ASKED, {**CALLED, "tool_calls": [{**call("c1"), "zz": "Es0DCso"}]}]},
    "a name under a key that says nothing": {"messages": [ASKED, SAID], "preface": "host checks"},
    "the model that won, in LMSYS's arena": {"messages": [ASKED, SAID], "model_a": "m-1", "model_b": "m-2", "winner": "model_a"},
    "an image under a usual key": {"messages": [{"role": "user", "content": [
        {"type": "text", "text": "What is it?"}, {"type": "image", "image": "a.png"}]}, SAID]},
    "the same call with its id": {"messages": [ASKED, CALLED], "setup": [call("c1")]},
    "the same call without an id": {"messages": [ASKED, CALLED], "setup": [call("c2")["function"]]},
    "a reference of the assistant": {"messages": [ASKED, SAID], "gold": {"role": "assistant", "content": "Yes."}},
    "a reference that is a call": {"messages": [ASKED, SAID], "ground_truth": call("c2")},
    "a reference of calls by the names of tools": {"messages": [ASKED, SAID], "tools": [DECLARED],
                                                   "ground_truth": [{"ping": {"host": ["a"]}}]},
    "the answer as JSON": {"messages": [ASKED, SAID], "output": json.dumps({"text": SAID["content"], "reason": "stop"})},
    "the name of a file that goes on": {"messages": [ASKED, SAID], "continued_ref": "part.cont-1.json"},
    "the name of a tool under its speaker": {"messages": [ASKED, CALLED], "tool": "ping"},
    "words under a speaker, with all results": {"messages": [ASKED, SAID], "observation": "pong, 3 ms"},
    "a turn without a text": {"messages": [ASKED, SAID], "past": [{"role": "user", "number": "u-1"}]},
    "a declaration that the row has": {"messages": [ASKED, SAID], "tools": [DECLARED], "tool_list": json.dumps(DECLARED)},
    "settings": {"messages": [ASKED, SAID], "response": {"reasoning": {"effort": "low"}}},
    "parts that are copies": {"messages": [ASKED, SAID], "context": [{"type": "text", "text": SAID["content"]}]},
}  # fmt: skip


def account(row: Row, tmp_path: Path) -> Receipt:
    path, receipt = tmp_path / "row.jsonl", Receipt()
    path.write_text(json.dumps(row) + "\n")
    assert list(convert_rows(str(path), Options(to_layout="canonical"), receipt=receipt))
    return receipt


@pytest.mark.parametrize("name", NAMED)
def test_what_belongs_to_a_conversation_is_named(name: str, tmp_path: Path) -> None:
    row, kind, pointer = NAMED[name]
    receipt = account(row, tmp_path)
    assert dict(receipt.unread) == {kind: 1}
    assert receipt.unread_places[0].reason.startswith(pointer + " ")


@pytest.mark.parametrize("name", CARRIED)
def test_what_does_not_is_carried(name: str, tmp_path: Path) -> None:
    assert not account(CARRIED[name], tmp_path).unread


OBSERVATION = {
    "id": "o", "traceId": "t", "type": "GENERATION", "startTime": "2026-01-01",
    "input": {"messages": [ASKED]}, "output": SAID,
}  # fmt: skip
RUN = {"id": "r", "trace_id": "t", "run_type": "llm", "inputs": {"messages": [ASKED]}, "outputs": {"choices": [SAID]}}

CHAIN = {"id": "c", "trace_id": "t", "run_type": "chain", "inputs": {}}


@pytest.mark.parametrize(
    ("document", "keys"),
    [
        ({"trace": {"id": "t"}, "observations": [OBSERVATION]}, 0),
        ({"trace": {"id": "t"}, "observations": [OBSERVATION], "note": "Be brief."}, 1),
        ({"post": [RUN], "patch": []}, 0),
        ({"post": [RUN], "patch": [], "note": "Be brief."}, 1),
        ({"record": {"post": [CHAIN, RUN], "patch": []}}, 0),
        ({"id": 3, "record": {"post": [CHAIN, RUN], "patch": [], "note": "Be brief."}}, 2),
    ],
)
def test_keys_beside_the_records_of_a_trace_are_counted(document: Row, keys: int) -> None:
    run = toolconv("parse", stdin=json.dumps(document) + "\n")
    assert [message["content"] for message in run.rows[0]["messages"]] == [ASKED["content"], SAID["content"]]
    assert (f"document_keys {keys}" in run.err) == (keys > 0)


def test_a_line_of_a_trace_may_be_a_list_of_records() -> None:
    run = toolconv("parse", stdin=f"{json.dumps(CHAIN)}\n{json.dumps([RUN])}\n")
    assert [message["content"] for message in run.rows[0]["messages"]] == [ASKED["content"], SAID["content"]]


def test_a_question_and_its_calls_are_read_under_named_keys() -> None:
    row = {"zz_query": "Is a up?", "answers": [{"tool": "ping", "parameters": {"host": "a"}}]}
    line = json.dumps(row) + "\n"
    assert "--prompt-key zz_query --text-key answers" in toolconv("parse", stdin=line).err
    run = toolconv("parse", "--prompt-key", "zz_query", "--text-key", "answers", stdin=line)
    asked, answered = run.rows[0]["messages"]
    assert (asked["role"], asked["content"]) == ("user", "Is a up?")
    assert answered["tool_calls"][0]["function"] == {"name": "ping", "arguments": {"host": "a"}}


def test_an_answer_beside_turns_in_an_object_is_read_once() -> None:
    row = {"json": {"messages": [ASKED], "response": {"choices": [{"index": 0, "message": SAID}]}}}
    run = toolconv("parse", "--text-key", "json.response", stdin=json.dumps(row) + "\n")
    assert [message["content"] for message in run.rows[0]["messages"]] == [ASKED["content"], SAID["content"]]


def test_a_text_that_is_carried_along_is_no_fault(tmp_path: Path) -> None:
    row = json.dumps({"messages": [ASKED, SAID], "preface": "Be brief, please."})
    assert toolconv("convert", "--strict", stdin=row).status == 0
    (tmp_path / "rows.jsonl").write_text(row + "\n")
    assert "TC012" not in toolconv("lint", "rows.jsonl", cwd=tmp_path).out


def unread(row: Row) -> list[str]:
    receipt = Receipt()
    list(convert_rows([row], Options(), receipt=receipt))
    return [place.reason for place in receipt.unread_places]


@pytest.mark.parametrize(("number", "what"), [("c1", "the result of a call"), ("c2", "a message")])
def test_a_result_beside_the_turns_is_that_of_the_call_with_its_id(number: str, what: str) -> None:
    result = {"type": "tool_result", "tool_use_id": number, "content": "up"}
    assert unread({"messages": [ASKED, CALLED], "zz": result}) == [f"/zz holds {what}"]


def test_what_the_assistant_observed_is_a_result_and_what_the_user_did_is_none() -> None:
    observation = {"state": "up since noon"}
    assert unread({"messages": [ASKED, {**SAID, "observation": observation}]}) == [
        "/messages/1/observation holds the result of a call"
    ]
    assert unread({"messages": [{**ASKED, "observation": observation}, SAID]}) == []


def test_a_text_beside_a_prompt_and_an_answer_is_the_rendered_row() -> None:
    row = {"question": "Is a up?", "answer": "Yes.", "text": "### Question: Is a up?\n### Answer: Yes."}
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows[0]["messages"][-1]["content"] == "Yes." and "unread" not in run.err
    run = toolconv("parse", stdin=json.dumps({**row, "text": "Something else that is said."}) + "\n")
    assert "/text holds a text that no message has" in run.err
    row = {"prompt": "Is a up?", "text": "Yes.", "content": "Something else that is said."}
    assert toolconv("parse", stdin=json.dumps(row) + "\n").rows[0]["messages"][-1]["content"] == "Yes."


def test_rows_for_trl_have_calls_with_a_type() -> None:
    untyped = {key: value for key, value in call("c1").items() if key != "type"}
    row = {"messages": [ASKED, {**CALLED, "tool_calls": [untyped, call("c2")]}]}
    run = toolconv("convert", "--to-layout", "trl", stdin=json.dumps(row) + "\n")
    assert [each["type"] for each in run.rows[0]["messages"][1]["tool_calls"]] == ["function"] * 2
    assert "1 repair (type_added 1)" in run.err


@pytest.mark.parametrize("known", [{"type": "tool_use", "id": "t1", "name": "ping", "input": {"host": "a"}},
                                   {"type": "tool-call", "toolCallId": "t1", "toolName": "ping", "input": {"host": "a"}}])  # fmt: skip
def test_the_json_text_of_parts_is_read_as_these_parts(known: Row) -> None:
    parts = [{"type": "reasoning", "text": "The host may be down."}, {"type": "text", "text": "I look."}, known]
    row = {"messages": [ASKED, {"role": "assistant", "content": json.dumps(parts)}]}
    run = toolconv("parse", stdin=json.dumps(row) + "\n")
    assert run.rows[0]["messages"][1] == {
        "role": "assistant", "content": "I look.", "reasoning_content": "The host may be down.",
        "tool_calls": [{"id": "t1", "type": "function", "function": {"name": "ping", "arguments": {"host": "a"}}}],
    }  # fmt: skip
    assert "1 repair (text_key 1)" in run.err
    row["messages"][1]["content"] = json.dumps(parts[1:2])  # a document, for all that is known
    assert toolconv("parse", stdin=json.dumps(row) + "\n").rows[0]["messages"][1]["content"] == json.dumps(parts[1:2])
