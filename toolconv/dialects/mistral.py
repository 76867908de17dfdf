"""Mistral: ``[TOOL_CALLS]name[ARGS]{…}`` a call, and the older ``[TOOL_CALLS] [{"name": …, "arguments": …}]``.

Three generations, told apart by what follows the marker: a list or an object up to tokenizer v7; a name since v11, with
``[CALL_ID]`` and nine characters between name and ``[ARGS]`` in histories of v11. Written as since v13: no id.

Source: mistral-common, chat templates of Mistral-7B-Instruct-v0.3, Mistral-Small-3.2 and Devstral-2; vLLM ``mistral``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from toolconv import jsontext
from toolconv.conversation import ToolCall
from toolconv.dialects.base import Reasoning, Scan
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.headed_json import HeadedJson
from toolconv.dialects.cores.json_blocks import JsonBlocks

MARKER = "[TOOL_CALLS]"
NAME = re.compile(r"\s*([\w.\-/:]{1,128})(?:\[CALL_ID\]\s*([A-Za-z0-9_\-]+))?(?:\[ARGS\])?\s*")
LIST = re.compile(r"\s*(?:```\w*\s*)?[\[{]")

_list_form = JsonBlocks(name="mistral", opens=(MARKER,), bare="never", listed=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Mistral(HeadedJson):
    """The marker before each call, or once before a list."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = NAME.fullmatch(text)
        return (match[1], match[2]) if match else None

    def read_call(self, scan: Scan, start: int, at: int) -> int | None:
        if LIST.match(scan.text, at):
            _list_form.read_block(scan, start, at)
            return scan.at if scan.at > at else None
        return super().read_call(scan, start, at)

    def write_call(self, call: ToolCall, index: int) -> str:
        return f"{MARKER}{call.name}[ARGS]{jsontext.spaced(call.arguments)}"


DIALECT = Mistral(
    name="mistral",
    models=("Mistral-7B-Instruct-v0.3", "Mixtral", "Mistral Nemo, Small, Large", "Magistral", "Devstral", "Ministral"),
    sample='[TOOL_CALLS]get_weather[ARGS]{"city": "Tokyo"}[TOOL_CALLS]ping[ARGS]{}',
    reasoning=Reasoning("[THINK]", "[/THINK]", "[THINK]", "[/THINK]"),
    call_opens=(MARKER,),
    chat=ChatForm(
        tools_open="[AVAILABLE_TOOLS][",
        tools_between=", ",
        tools_close="][/AVAILABLE_TOOLS]",
        response_role="tool",
        response="[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        one_turn=False,
    ),
)
