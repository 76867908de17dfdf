"""Inkling (TML v0): typed blocks; a call is a JSON object with ``name`` and ``args`` in a separate block.

A block is ``<|message_model|>``, the bare name for calls, a marker of the kind, the body, and ``<|end_message|>``. The
kinds are: ``<|content_text|>``, prose; ``<|content_thinking|>``, reasoning; ``<|content_invoke_tool_json|>``, a call;
``<|content_invoke_tool_text|>``, a call with plain text, which is read if the tool has one parameter that it can be;
``<|content_tool_error|>``, prose. The first ``<|message_model|>`` may be in the prompt.

Calls are written compact with sorted keys, as the family writes them, so the order of arguments is lost.

Source: vLLM and SGLang ``inkling``.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext, lenient_json
from toolconv.core.calls import NotACall, call_from, declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.messages import Header, Messages
from toolconv.dialects.grammars.name_then_json import plain_arguments
from toolconv.dialects.losses import is_sorted
from toolconv.dialects.reading.turn_parser import TurnParser

START, END, LAST = "<|message_model|>", "<|end_message|>", "<|content_model_end_sampling|>"
JSON_CALL = "invoke_tool_json"
HEADER = lazy_re(
    r"(?P<start><\|message_model\|>)?\s{0,4}(?P<name>[^<\n]{0,256}+)"
    r"(?:<\|content_(?P<kind>text|thinking|invoke_tool_json|invoke_tool_text|tool_error)\|>|(?=<|\Z))"
)


def _spell(value: Any) -> str:
    """JSON without spaces, its keys sorted."""
    return jsontext.digit_by_digit(_sorted(value), ",", ":")


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


class Inkling(Messages):
    """Typed blocks of prose, reasoning and calls."""

    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        match = HEADER.match(text, at)
        if match is None:
            return None
        name = match["name"].strip()
        if not match["kind"]:
            begun = match["start"] and match["name"][:1].isalnum()  # otherwise the token is only mentioned
            return Header("unreadable", "", at, match.end()) if begun else None
        if match["kind"].startswith("invoke"):
            return None if " " in name and not match["start"] else Header("call", name, at, match.end())
        if name:
            return Header("unreadable", "", at, match.end()) if match["start"] else None
        return Header("reasoning" if match["kind"] == "thinking" else "prose", "", at, match.end())

    def read_call(self, parser: TurnParser, header: Header, repairs: list[str]) -> tuple[ToolCall, int]:
        text = parser.text
        if not text.endswith(f"{JSON_CALL}|>", header.start, header.end):
            end, _ = self.end_of_body(parser, header.end)
            return ToolCall(header.name, plain_arguments(header.name, text[header.end : end], parser.tools)), end
        reading = lenient_json.read(text, header.end, stops=self.stops)
        repairs.extend(reading.repairs)
        call = call_from(reading.value, "args", parser.tools, repairs)
        if header.name and declared_name(header.name, parser.tools, []) != call.name:
            raise NotACall("two names")
        return call, reading.end

    def certainly_round_trips_call(self, call: ToolCall, tools: ToolIndex) -> bool:
        return is_sorted(call.arguments) and super().certainly_round_trips_call(call, tools)

    def write_reasoning(self, reasoning: str) -> str:
        return f"{START}<|content_thinking|>{reasoning}{END}"


DIALECT = Inkling(
    name="inkling",
    models=("Inkling",),
    sample=f'{START}get_weather<|content_{JSON_CALL}|>{{"name":"get_weather","args":{{"city":"Tokyo"}}}}{END}{LAST}',
    calls=CallTemplate(
        f'{START}{{name}}<|content_{JSON_CALL}|>{{"name":{{name|json}},"args":{{args|sorted_json}}}}{END}',
        after=LAST,
        turn=f"{START}<|content_text|>{{prose}}{END}{{calls}}",
        turn_without_calls=f"{START}<|content_text|>{{prose}}{END}{LAST}",
        spellings={"sorted_json": _spell},
    ),
    tail=LAST,
    starts=(START,),
    ends=(END, LAST),
    call_ends=(END, LAST),
    losses=("argument_order",),
)
