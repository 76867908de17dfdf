"""Rollouts of verifiers and prime-rl: ``prompt`` and ``completion``, with a ``reward``.

Both are lists of messages. Calls are flat (``id``, ``name``, ``arguments`` as JSON text). In older results, calls are
JSON texts, each an OpenAI call. Tools are ``tool_defs``, or ``oai_tools`` in ``info``. ``reward``, ``metrics``,
``answer`` and other keys are kept. Rows are only read.

Source: PrimeIntellect-ai/verifiers, ``types.py`` and ``utils/save_utils.py``. No real file was available; the reader
was tested with one made by hand from these.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.base import listed
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.tool_places import Place


class Verifiers(NamedMessages):
    """A prompt and its completion."""

    name: ClassVar[str] = "verifiers"
    aliases: ClassVar[tuple[str, ...]] = ("prime-rl",)
    sample: ClassVar[str] = (
        '{"example_id":0,"prompt":[{"role":"user","content":"Weather?"}],"completion":[{"role":"assistant","content":"",'
        '"tool_calls":[{"id":"call_1","name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}]},{"role":"tool",'
        '"content":"Sunny","tool_call_id":"call_1"}],"tool_defs":[{"name":"get_weather","parameters":{"type":"object"}}],'
        '"reward":1.0}'
    )
    asked_at: ClassVar[tuple[Place, ...]] = (("prompt",),)
    answered_at: ClassVar[tuple[Place, ...]] = (("completion",),)
    tools_at: ClassVar[tuple[Place, ...]] = (("tool_defs",), ("tools",), ("info", "oai_tools"))

    def matches(self, row: Row) -> bool:
        halves = [listed(row.get(key)) for key in ("prompt", "completion")]
        if None in halves or "messages" in row:
            return False
        messages = [message for half in halves for message in half or ()]
        calls = [call for message in messages for call in message.get("tool_calls") or ()]
        if not all("role" in message for message in messages):
            return False
        return "example_id" in row or any(isinstance(call, str) or "name" in call for call in calls)

    def is_answer(self, value: Any, holder: Any) -> bool:
        return listed(value) is not None


LAYOUT = Verifiers()
