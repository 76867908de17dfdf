"""A tool parser for vLLM that reads calls as toolconv does, for ``--tool-parser-plugin``.

``toolconv derive TEMPLATE --vllm-plugin`` writes the plugin file, which calls :func:`register`.

Whole answers are read as :func:`toolconv.parse` reads them, and streams by :class:`toolconv.StreamReader`: no finished
call is ever taken back. What is only known at the end of a turn, such as a damaged call, is sent when the token that
ends the turn arrives. Reasoning is left to vLLM's reasoning parser, which runs before.

Source: vLLM 0.33, ``vllm.tool_parsers.abstract_tool_parser``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from toolconv.api import parse
from toolconv.core import jsontext
from toolconv.dialects import register as register_dialect
from toolconv.dialects.dialect_file import from_toml
from toolconv.dialects.live.turn import StreamEvent
from toolconv.dialects.stream_reader import StreamReader


def register(name: str, dialect_file: str = "") -> None:
    """Register a tool parser with vLLM.

    Args:
        name: the dialect, and the name for ``--tool-call-parser``.
        dialect_file: the text of the dialect's file; empty for a dialect that toolconv has.

    Raises:
        ImportError: vLLM is not installed.
        DialectFileError: the text is not a dialect file.
    """
    from vllm.tool_parsers import abstract_tool_parser

    if dialect_file:
        register_dialect(from_toml(dialect_file))
    manager = abstract_tool_parser.ToolParserManager
    manager.register_module(name, module=tool_parser(name, abstract_tool_parser))


def tool_parser(name: str, base: Any) -> type:
    """A subclass of vLLM's ``ToolParser`` for a dialect; ``base`` is the module that defines it."""
    protocol = sys.modules[base.DeltaMessage.__module__]  # it has moved between versions

    class ToolconvToolParser(base.ToolParser):  # type: ignore[misc]
        """Reads the calls of a dialect."""

        supports_required_and_named = False  # a required call is in the dialect, too

        def __init__(self, tokenizer: Any, *arguments: Any) -> None:
            super().__init__(tokenizer, *arguments)
            self._stream: StreamReader | None = None

        def adjust_request(self, request: Any) -> Any:
            """Keep special tokens in the text: most dialects mark calls with them."""
            request = super().adjust_request(request)
            if request.tools and request.tool_choice != "none":
                request.skip_special_tokens = False
            return request

        def extract_tool_calls(self, model_output: str, request: Any) -> Any:
            """The calls of a whole answer."""
            parsed = parse(model_output, name, _tools(request), in_reasoning=False)
            calls = []
            for call in parsed.calls:
                function = protocol.FunctionCall(name=call.name, arguments=jsontext.spaced(call.arguments))
                given = {} if call.id is None else {"id": call.id}
                calls.append(protocol.ToolCall(type="function", function=function, **given))
            return base.ExtractedToolCallInformation(
                tools_called=bool(calls), tool_calls=calls, content=parsed.content or None
            )

        def extract_tool_calls_streaming(
            self,
            previous_text: str,
            current_text: str,
            delta_text: str,
            previous_token_ids: Sequence[int],
            current_token_ids: Sequence[int],
            delta_token_ids: Sequence[int],
            request: Any,
        ) -> Any:
            """What is certain once ``delta_text`` has arrived; ``None`` if that is nothing."""
            if self._stream is None or not previous_text:
                self._stream = StreamReader(name, _tools(request), in_reasoning=False)
                self.prev_tool_call_arr.clear()
                self.streamed_args_for_tool.clear()
            events = self._stream.feed(delta_text)
            if getattr(self.model_tokenizer, "eos_token_id", None) in delta_token_ids:
                events += self._stream.close()
            return self._message(events)

        def _message(self, events: Sequence[StreamEvent]) -> Any:
            content, calls = "", []
            for event in events:
                if event.kind == "prose":
                    content += event.text
                elif event.kind == "call_began":
                    calls.append(self._began(event))
                elif event.kind == "arguments":
                    calls.append(self._arguments(event.index or 0, event.text))
                elif event.kind == "call_done" and event.call is not None:
                    self.prev_tool_call_arr[event.index or 0]["arguments"] = event.call.arguments
            if not content and not calls:
                return None
            return base.DeltaMessage(content=content or None, tool_calls=calls)

        def _began(self, event: StreamEvent) -> Any:
            self.prev_tool_call_arr.append({"name": event.text, "arguments": {}})
            self.streamed_args_for_tool.append("")
            self.current_tool_id = event.index or 0
            function = protocol.DeltaFunctionCall(name=event.text)
            call_id = f"call_{uuid4().hex}"
            return protocol.DeltaToolCall(index=event.index, type="function", id=call_id, function=function)

        def _arguments(self, index: int, text: str) -> Any:
            self.streamed_args_for_tool[index] += text
            return protocol.DeltaToolCall(index=index, function=protocol.DeltaFunctionCall(arguments=text))

    return ToolconvToolParser


def _tools(request: Any) -> list[dict[str, Any]]:
    """The tools of a request as plain data."""
    return [tool.model_dump(exclude_none=True) for tool in request.tools or ()]
