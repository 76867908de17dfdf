"""Nemotron Nano v2 and Llama-Nemotron: one JSON list in ``<TOOLCALL>`` tags.

``<TOOLCALL>[]</TOOLCALL>`` means that no tool is called. Nemotron-Mini's ``<toolcall> {…} </toolcall>`` is read too.
Nemotron 3 writes ``qwen3_xml``. A blank line follows prose, as in Nano v2; Llama-Nemotron has none.

Results are verbatim in a list. Several results are read as several only if all of them are JSON, otherwise as one.

Source: nvidia/NVIDIA-Nemotron-Nano-9B-v2 chat template and its vLLM plug-in ``nemotron_json``.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core import lenient_json
from toolconv.core.messages import Message, text_of
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks


class ListedResults(ChatFormat):
    """Results as a list in brackets, with commas between them."""

    def separates_results(self, responses: Sequence[Message]) -> bool:
        texts = [self.write_response(message, text_of(message.get("content"))[0]) for message in responses]
        return len(self._results(self.responses_between.join(texts))) == len(texts)

    def read_responses(self, role: str, text: str) -> list[Message] | None:
        body = text.strip()
        if not body.startswith(self.responses_open) or not body.endswith(self.responses_close):
            return None
        inner = body[len(self.responses_open) : len(body) - len(self.responses_close)]
        return [{"role": "tool", "content": result} for result in self._results(inner)]

    def _results(self, text: str) -> list[str]:
        """The results that a list holds, or all of it as one result if they are not all JSON."""
        results: list[str] = []
        at = 0
        while True:
            try:
                reading = lenient_json.read(text, at)
            except lenient_json.Unreadable:
                return [text]
            results.append(text[at : reading.end])
            if reading.end == len(text):
                return results
            if reading.repairs or not text.startswith(self.responses_between, reading.end):
                return [text]
            at = reading.end + len(self.responses_between)


DIALECT = JsonBlocks(
    name="nemotron",
    aliases=("nemotron_json", "nemotron_nano_v2"),
    models=("Nemotron-Nano-9B-v2", "Nemotron-Nano-12B-v2", "Llama-3.3-Nemotron-Super-49B", "Nemotron-Mini"),
    sample='<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]</TOOLCALL>',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}', before="<TOOLCALL>[", between=", ", after="]</TOOLCALL>"
    ),
    separator="\n\n",
    opens=("<toolcall>",),
    closes=("</toolcall>",),
    listed=True,
    chat=ListedResults(
        tools_open="You can use the following tools to assist the user if required:\n<AVAILABLE_TOOLS>[",
        tools_between=", ",
        tools_close="]</AVAILABLE_TOOLS>\n\nIf you decide to call any tool(s), use the following format:\n"
        '<TOOLCALL>[{{"name": "tool_name1", "arguments": "tool_args1"}}, '
        '{{"name": "tool_name2", "arguments": "tool_args2"}}]</TOOLCALL>\n\n'
        "The user will execute tool-calls and return responses from tool(s) in this format:\n"
        '<TOOL_RESPONSE>[{{"tool_response1"}}, {{"tool_response2"}}]</TOOL_RESPONSE>\n\n'
        "Based on the tool responses, you can call additional tools if needed, correct tool calls if any errors are "
        "found, or just respond to the user.",
        bare_tools=True,
        response="{content}",
        responses_open="<TOOL_RESPONSE>[",
        responses_between=", ",
        responses_close="]</TOOL_RESPONSE>",
        response_role="user",
        one_turn=True,
    ),
)
