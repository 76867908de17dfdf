"""Gemini rows: ``contents`` of ``role`` and ``parts``, ``functionDeclarations``; for the API and for Vertex tuning.

camelCase and snake_case are both read. Parts are ``text``, ``functionCall`` and, in the next user (or ``function``)
turn, ``functionResponse``. An ``id`` is kept if there is one; other responses are paired by name and order. A response
is an object: ``{"output": text}`` is the text, anything else its JSON text. A part with ``thought`` is
``reasoning_content``. A ``thoughtSignature`` stays with its call, or with its text, which is then a list of parts. Code
parts pass through. Media of any API are written as ``inlineData`` or, at an address, as ``fileData``; ``inlineData`` is
read in OpenAI's form. ``parametersJsonSchema`` and ``parameters`` mean the same. Type names in capitals become JSON
Schema's. Rows are written in camelCase with ``parameters``, and with an id only if order and name would not give it
back.

Lost: a response that is a list of parts (it becomes their texts, or JSON text if they hold anything else:
``content_parts``), the order of text after a call (``block_order``), system messages after the first turn and the role
``developer`` (``role``), the meaning of ``$ref`` in ``parameters`` (``schema_references``; ``--tools-for gemini``
writes references out), keys of a declaration that Gemini does not have (``tool_keys``). Several leading system messages
become parts of one (``turns_merged``).

Source: Gemini API reference, generateContent; Vertex AI, preparing supervised fine-tuning data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row, calls_of, one_text
from toolconv.core.notes import Notes
from toolconv.core.pairing import is_numbered
from toolconv.layouts.base import LayoutError, Original, value_of
from toolconv.layouts.call_items import CalledNames, call_extras, extras, numbered
from toolconv.layouts.content_blocks import Blocks, is_text
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.part_forms import GEMINI
from toolconv.layouts.tool_schema import flat_tool

REFERENCE = b'"$ref":"'
REFERENCES = "schema_references"
"""The loss of references in the schemas of tools, which ``parameters`` can't have. Source: Gemini API, ``Schema``."""
CALLS = ("functionCall", "function_call")
INSIDE_CALLS = ("partialArgs", "partial_args", "willContinue", "will_continue")
"""Keys inside a functionCall; others are beside it, in the part."""


THOUGHT = Part("reasoning", ("text",))


DECLARED = frozenset(
    {"name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema", "behavior"}
)
"""The keys of a declaration; the API rejects any other."""


class GeminiParts(Parts):
    """Parts of one key each; a thought is a text with a mark."""

    def find(self, part: Any) -> tuple[Part, Row] | None:
        if (found := super().find(part)) is not None:
            return found
        return (THOUGHT, part) if is_text(part) and part.get("thought") is True else None


class Gemini(Blocks):
    """Parts, paired by order and name."""

    name = "gemini"
    aliases = ("vertex", "google")
    runs = frozenset(("gemini",))
    own_keys = frozenset({"parts"})
    own_result_keys = frozenset({"response"})
    sample = (
        '{"contents":[{"role":"user","parts":[{"text":"Weather in Tokyo?"}]},{"role":"model","parts":[{"functionCall":'
        '{"name":"get_weather","args":{"city":"Tokyo"}}}]},{"role":"user","parts":[{"functionResponse":{"name":'
        '"get_weather","response":{"output":"Sunny"}}}]}]}'
    )
    turns_key = "contents"
    blocks_key = "parts"
    system_keys = ("systemInstruction", "system_instruction")
    roles: ClassVar[dict[str, str]] = {"function": "user", "user": "user", "model": "assistant"}
    carries_names = True
    only_turns = True
    form = GEMINI
    kinds = GeminiParts(
        {
            **dict.fromkeys(("functionCall", "function_call"), Part("call", ("args",), optional=True)),
            **dict.fromkeys(("functionResponse", "function_response"), Part("result", ("response",))),
        },
        type_key=None,
        empty=True,
        others=False,
    )
    typed = False

    def matches(self, row: Row) -> bool:
        turns = self.turns(row)
        return turns is not None and all(isinstance(turn.get("parts"), list) for turn in turns)

    def read_response(self, result: Row, notes: Notes) -> Message:
        message: Message = {"role": "tool"}
        for key, name in (("id", "tool_call_id"), ("name", "name")):
            if result.get(key) is not None:
                message[name] = result[key]
        return {**message, "content": response_text(result.get("response")), **extras(result, "id", "name", "response")}

    def write_reasoning(self, text: str) -> Any:
        return {"text": text, "thought": True}

    def write_call(self, call: dict[str, Any]) -> Any:
        function, extra = call["function"], call_extras(call)
        inside = {key: extra.pop(key) for key in INSIDE_CALLS if key in extra}
        if call.get("id") is not None:
            inside["id"] = call["id"]
        return {"functionCall": {"name": function["name"], "args": function["arguments"], **inside}, **extra}

    def write_response(self, message: Message, name: str | None) -> Any:
        if name is None:
            raise LayoutError("a tool response whose call is not there: Gemini pairs them by name (see TC201)")
        response: Row = {"name": name, "response": _response_object(message.get("content"))}
        if message.get("tool_call_id") is not None:
            response["id"] = message["tool_call_id"]
        return {"functionResponse": {**response, **extras(message, "role", "tool_call_id", "content")}}

    def _response(self, message: Message, name: str | None, notes: Notes) -> Any:
        if not isinstance(message.get("content"), str):
            text, whole = one_text(message.get("content"), notes)
            message = {**message, "content": text if whole else jsontext.spaced(message.get("content"))}
        return super()._response(message, name, notes)

    def prepared(self, messages: Iterable[Message]) -> tuple[list[Message], CalledNames]:
        copies, names = numbered(messages)
        bare, _ = numbered(copies)
        for message in bare:
            for call in calls_of(message):
                if is_numbered(str(call["id"])):
                    del call["id"]
            if message.get("role") == "tool" and is_numbered(str(message.get("tool_call_id"))):
                del message["tool_call_id"]
        again, _ = numbered(bare)
        return (bare if again == copies else copies), names

    def read_system(self, value: Any, notes: Notes) -> list[Message]:
        if isinstance(value, dict) and "parts" in value:
            value = value["parts"]
        return super().read_system(value, notes)

    def write_system(self, content: Any) -> Any:
        return {"parts": self.write_content(content)}

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        row = super().encode(conversation, original)
        if original is None and isinstance(row.get("tools"), list):
            row["tools"] = [_accepted(tool, conversation.notes) for tool in row["tools"]]
        if conversation.tools and (count := jsontext.dumps(row.get("tools")).count(REFERENCE)):
            conversation.notes.losses += [REFERENCES] * count
        return row

    def write_tools(self, tools: list[Any], row: Row) -> Row:
        declared: list[Any] = []
        written: list[Any] = []
        for tool in tools:
            flat = flat_tool(tool)
            if flat is None:
                written.append(tool)
                continue
            if not declared:
                written.append({"functionDeclarations": declared})
            declared.append(flat)
        return {"tools": written}


def _accepted(tool: Any, notes: Notes) -> Any:
    """A tool whose declarations have the keys that the API accepts."""
    declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
    if not declared or all(DECLARED.issuperset(each) for each in declared):
        return tool
    kept = [{key: each[key] for key in each if key in DECLARED} for each in declared]
    notes.losses += ["tool_keys"] * (sum(map(len, declared)) - sum(map(len, kept)))
    return {**tool, "functionDeclarations": kept}


def response_text(response: Any) -> str:
    """The object of a response as text: ``{"output": text}`` is that text."""
    if response is None:
        return ""
    if isinstance(response, dict) and response.keys() == {"output"} and isinstance(response["output"], str):
        return response["output"]
    return response if isinstance(response, str) else jsontext.spaced(response)


def _response_object(content: Any) -> Row:
    """The object of a response: the one in its text if that reads back the same, otherwise the text as ``output``."""
    value = value_of(content) if isinstance(content, str) and content.startswith("{") else None
    return value if isinstance(value, dict) and response_text(value) == content else {"output": content}


LAYOUT = Gemini()
