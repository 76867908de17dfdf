"""LiteLLM's logs: one ``StandardLoggingPayload`` a call, with the request's ``messages`` and its ``response``.

The row is the request and its answer. Tools are those of ``model_parameters``. A response that was redacted is text,
and a failed call has none. Messages of any API are read. All other keys stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``).

Source: BerriAI/litellm, ``litellm/types/utils.py``. No real log with tools, or of a redacted or failed call, was
available; the reader was tested with a real one without them, to which tools were added by hand.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Row
from toolconv.layouts.any_messages import Logged
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.content_parts import parsed


class LiteLLM(Layout):
    """A logged call."""

    name: ClassVar[str] = "litellm"
    sample: ClassVar[str] = (
        '{"id":"c1","call_type":"acompletion","model":"gpt-4o","messages":[{"role":"user","content":"Is it up?"}],'
        '"response":{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",'
        '"type":"function","function":{"name":"ping","arguments":"{}"}}]}}]},"model_parameters":{"tools":[{"type":'
        '"function","function":{"name":"ping","parameters":{"type":"object"}}}]}}'
    )

    def matches(self, row: Row) -> bool:
        return "messages" in row and "response" in row and isinstance(row.get("model_parameters"), dict)

    def decode(self, row: Row) -> Conversation:
        if not self.matches(row):
            raise LayoutError("no 'messages', 'response' and 'model_parameters'")
        logged = Logged()
        parameters: Row = row["model_parameters"]
        logged.declare(parameters.get("tools") or parameters.get("functions"))
        logged.request(row["messages"])
        response: Any = parsed(row["response"])
        if response:
            logged.answer(response)
        if not logged.messages:
            raise LayoutError("no messages were logged")
        keys = {key: value for key, value in row.items() if key not in ("messages", "response", "model_parameters")}
        rest = {key: value for key, value in parameters.items() if key not in ("tools", "functions")}
        if rest:
            keys["model_parameters"] = rest
        if isinstance(response, dict) and response.get("usage"):
            keys["usage"] = response["usage"]
        return logged.conversation(logged.keys(keys), "/messages")


LAYOUT = LiteLLM()
