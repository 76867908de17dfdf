"""LiteLLM's logs: one ``StandardLoggingPayload`` a call, with the request's ``messages`` and its ``response``.

The row is the request and its answer. Tools are those of ``model_parameters``. A response that was redacted is text,
and a failed call has none. Messages of any API are read. All other keys stay. Rows are only read.

Lost: answers after the first (``choices``), the joints of several texts (``content_parts``).

Source: BerriAI/litellm, ``litellm/types/utils.py``. No real log with tools, or of a redacted or failed call, was
available; the reader was tested with a real one without them, to which tools were added by hand.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.call_items import extras
from toolconv.layouts.logged_calls import LoggedCall


class LiteLLM(LoggedCall):
    """A logged call."""

    name = "litellm"
    shape = "'messages', 'response' and 'model_parameters'"
    sample = (
        '{"id":"c1","call_type":"acompletion","model":"gpt-4o","messages":[{"role":"user","content":"Is it up?"}],'
        '"response":{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",'
        '"type":"function","function":{"name":"ping","arguments":"{}"}}]}}]},"model_parameters":{"tools":[{"type":'
        '"function","function":{"name":"ping","parameters":{"type":"object"}}}]}}'
    )

    asked = "messages"
    answered = "response"
    tools_at = (("model_parameters", "tools"), ("model_parameters", "functions"))
    used = ("model_parameters",)
    pointer = "/messages"

    def matches(self, row: Row) -> bool:
        return isinstance(row.get("model_parameters"), dict) and "messages" in row and "response" in row

    def kept(self, row: Row) -> Row:
        response = jsontext.opened(row["response"])
        rest = extras(row["model_parameters"], "tools", "functions")
        usage = response.get("usage") if isinstance(response, dict) else None
        return {
            **super().kept(row),
            **({"model_parameters": rest} if rest else {}),
            **({"usage": usage} if usage else {}),
        }


LAYOUT = LiteLLM()
