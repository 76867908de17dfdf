"""Model messages of the Vercel AI SDK: content parts ``text``, ``reasoning``, ``tool-call`` and ``tool-result``.

- A call is ``{"type": "tool-call", "toolCallId", "toolName", "input"}`` (version 4: ``args``). One message with the
  role ``tool`` holds all results of a turn, each with an ``output`` that has a ``type`` (version 4: ``result``, without
  a type).
- A result is read as a ``tool`` message. ``error-text`` and ``error-json`` also give ``is_error``. Types other than
  plain text are kept as ``output_type``; for ``execution-denied``, the content is the reason. If the provider ran the
  tool, the result is in the assistant message, and is read the same way.
- Reasoning with provider options (signatures) is kept under ``thinking_blocks``. Approval requests and responses are
  left out: they are exchanged between the program and its user, not with the model.
- Messages are under ``messages``. A file may also be a list of them, or have one per line as ``{"id", "message"}``.

Version 5 is written, with assistant content always as parts, and media of any API as ``image``, ``file`` or, in a
result, ``media``. ``tools`` are written unchanged.

Lost: the boundary between several texts of one message (``content_parts``); provider options of a text part if the
message has different ones (``part_keys``).

Source: vercel/ai, ``packages/provider-utils/src/types``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.layouts.base import WITHOUT_TOOLS, LayoutError, Original
from toolconv.layouts.call_items import CalledNames, call_extras, checked, extras, numbered
from toolconv.layouts.content_blocks import is_plain, rewritten
from toolconv.layouts.content_parts import THINKING, Part, Parts, own_reasoning
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.nested_json import value_of
from toolconv.layouts.part_forms import AI_SDK, AI_SDK_RESULT, PartForm
from toolconv.layouts.speakers import without_developer

OURS = ("tool-call", "tool-result")
ERRORS = ("error-text", "error-json")
DENIED = "Tool execution denied."
OUTPUT_TYPE = "output_type"
"""The message key for the type of an output that is not plain text."""


class AiSdk(NamedMessages):
    """Messages with parts, calls and results of which have hyphenated types."""

    name = "ai-sdk"
    lacks = WITHOUT_TOOLS
    aliases: ClassVar[tuple[str, ...]] = ("vercel-ai", "model-messages")
    sample = (
        '{"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":[{"type":"tool-call",'
        '"toolCallId":"call_1","toolName":"get_weather","input":{"city":"Tokyo"}}]},{"role":"tool","content":[{"type":'
        '"tool-result","toolCallId":"call_1","toolName":"get_weather","output":{"type":"text","value":"Sunny"}}]}]}'
    )
    form = AI_SDK
    own_result_keys = frozenset({"type", "toolCallId", "toolName", "output"})
    parts = Parts(
        {
            "text": Part("text", ("text",)),
            "reasoning": Part("reasoning", ("text",)),
            "redacted-reasoning": Part("reasoning"),
            "tool-call": Part("call", ("input", "args"), id=("toolCallId",), name=("toolName",)),
            "tool-result": Part("result", ("output", "result"), id=("toolCallId",), name=("toolName",)),
            "tool-approval-request": Part("skip"),
            "tool-approval-response": Part("skip"),
        },
        empty=True,
    )

    # ── reading ──

    def are_items(self, items: list[Row]) -> bool:
        contents = [item["content"] for item in items if "role" in item and isinstance(item.get("content"), list)]
        return any(part.get("type") in OURS for content in contents for part in content)

    def split(self, document: Any) -> Iterator[Row] | None:
        if isinstance(document, list) and all(map(is_line, document)):
            document = [line["message"] for line in document]
        return super().split(document)

    def joins(self, document: Any) -> bool:
        """Whether a document is a line of a file that has a message on each."""
        return is_line(document)

    def gather(self, lines: Iterator[Any], *, each_call: bool = False) -> Iterator[Any]:
        """The row of all lines of such a file, then the lines that are not messages: a list of these is a row too."""
        first: Any = None
        items: list[Row] = []
        others = []
        for line in lines:
            value = value_of(line.text)
            if is_line(value):
                first = first or line
                items.append(value["message"])
            else:
                rows = self.split(value)
                others += [line] if rows is None else [line._replace(text=jsontext.dumps(row)) for row in rows]
        if first is not None:
            yield first._replace(text=jsontext.dumps({"messages": items}))
        yield from others

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        read = self.parts.read(part) if self.parts.kind(part) == "result" else None
        if read is None:
            super().read_part(self.form.read(part), role, builder)
            return
        keys, output = read.rest, read.value
        kind = output.get("type") if isinstance(output, dict) and "output" in part else None
        value = output
        if kind == "execution-denied":
            value, keys = output.get("reason") or DENIED, {**keys, OUTPUT_TYPE: kind}
        elif kind is not None and "value" in output:
            value = output["value"]
            keys = {**keys, **extras(output, "type", "value")}
            if kind in ERRORS:
                keys["is_error"] = True
            if kind not in ("text", "error-text", "content"):
                keys[OUTPUT_TYPE] = kind
        if kind in ("json", "error-json"):
            value = jsontext.spaced(value)
        verbatim = kind == "content" and isinstance(value, list)
        value = [AI_SDK_RESULT.read(each) for each in value] if verbatim else value
        builder.result(read.id, read.name, value, keys, verbatim=verbatim)

    # ── writing ──

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, names = numbered(conversation.messages)

        def write(at: int, end: int) -> list[Row]:
            return self.write_items(messages[at:end], names[at:end], conversation.notes)

        return {**conversation.row, "messages": rewritten(conversation.messages, original, write)}

    def write_items(self, messages: list[Message], names: CalledNames, notes: Notes) -> list[Row]:
        """Messages as items of the list. Results that follow each other share one."""
        items: list[Row] = []
        for message, name in zip(messages, names, strict=True):
            if message.get("role") == "tool":
                if not items or items[-1]["role"] != "tool":
                    items.append({"role": "tool", "content": []})
                items[-1]["content"].append(_result(message, name, notes))
            else:
                items.append(_item(message, notes))
        return items


def is_line(line: Any) -> bool:
    """Whether a document is one message of a file that has one a line."""
    if not isinstance(line, dict) or line.keys() != {"id", "message"} or not isinstance(line["message"], dict):
        return False
    return "role" in line["message"] and "content" in line["message"]


def _item(message: Message, notes: Notes) -> Row:
    role, content = without_developer(message.get("role"), notes), message.get("content")
    rest = extras(message, "role", "content", "reasoning_content", "tool_calls", THINKING)
    if role != "assistant":
        for key in ("reasoning_content", THINKING, "tool_calls"):
            if key in message:
                notes.losses.append("message_keys")
        return {
            "role": role,
            "content": written_content(content, AI_SDK, notes) if isinstance(content, list) else content,
            **rest,
        }
    parts = [*reasoning_parts(message, notes), *content_parts(content, AI_SDK, notes)]
    for call in message.get("tool_calls") or ():
        function = checked(call)["function"]
        named = {"toolCallId": call["id"], "toolName": function["name"], "input": function["arguments"]}
        parts.append({"type": "tool-call", **named, **call_extras(call)})
    return {"role": role, "content": parts, **rest}


def _result(message: Message, name: str | None, notes: Notes) -> Row:
    content, kind = message.get("content"), message.get(OUTPUT_TYPE)
    error = message.get("is_error") is True
    output: Row = {"type": "error-text" if error else "text", "value": content}
    if isinstance(content, list):
        output = {"type": "content", "value": written_content(content, AI_SDK_RESULT, notes)}
    elif kind in ("json", "error-json") and error == (kind in ERRORS):
        try:
            output = {"type": kind, "value": jsontext.loads(content or "")}
        except ValueError:
            notes.losses.append("response_keys")
    elif kind == "execution-denied" and not error:
        output = {"type": kind, "reason": content}
    elif kind is not None:
        notes.losses.append("response_keys")
    tied = {"toolCallId": message.get("tool_call_id"), "toolName": message.get("name") or name}
    if tied["toolName"] is None:
        raise LayoutError("a tool response whose call is not there: the AI SDK wants the name of its tool (see TC201)")
    if error and output["type"] not in ERRORS:
        notes.losses.append("response_keys")
    rest = extras(message, "role", "content", "tool_call_id", "name", "is_error", OUTPUT_TYPE)
    return {
        "type": "tool-result",
        **{key: value for key, value in tied.items() if value is not None},
        "output": output,
        **rest,
    }


def content_parts(content: Any, form: PartForm, notes: Notes) -> list[Any]:
    """Content as parts."""
    if isinstance(content, list):
        return written_content(content, form, notes)
    return [{"type": "text", "text": content}] if content else []


def written_content(parts: list[Any], form: PartForm, notes: Notes) -> list[Any]:
    """Content parts in a form of the SDK. Those that are read back in another form are a loss."""
    texts = [part for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    if len(texts) == len(parts):
        notes.losses.append("content_parts")
    if not all(map(is_plain, texts)):
        notes.losses += ["content_parts", "message_keys"]  # their keys are read as the message's
    return form.write_all(parts, notes)


def reasoning_parts(message: Message, notes: Notes) -> list[Row]:
    """The reasoning of a message as parts: those that it came in, if they still hold its text."""
    if (own := own_reasoning(message, _reasoning_text)) is not None:
        return list(own)
    if THINKING in message:
        notes.losses.append("message_keys")
    text = message.get("reasoning_content")
    return [{"type": "reasoning", "text": text}] if text else []


def _reasoning_text(part: Any) -> str | None:
    own = isinstance(part, dict) and part.get("type") == "reasoning" and "text" in part  # Responses' have none
    return part["text"] or "" if own else None


LAYOUT = AiSdk()
