"""functionary v2: ``<|recipient|>name``, then ``<|content|>`` and the body; ``<|from|>assistant`` before further ones.

A message to the recipient ``all`` is prose; one to any other recipient is a call with bare JSON arguments. ``python``
may take raw code, which is read as the one argument ``code``. The prompt holds ``<|from|>assistant`` and maybe
``<|recipient|>``. ``<|stop|>`` ends the turn.

Source: meetkai/functionary-small-v2.4 chat template, functionary's ``PromptTemplate`` v2.
"""

from __future__ import annotations

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.declarations.functionary_tools import FUNCTIONARY_CHAT
from toolconv.dialects.formats.functionary_v32 import Functionary
from toolconv.dialects.grammars.messages import Header

NEXT = "\n<|from|>assistant\n"
HEADER = lazy_re(
    r"(?:\n?<\|from\|>\s{0,4}(?P<author>[^\n<]{0,128}+)\n?)?"
    r"(?:<\|recipient\|>)?\s{0,4}(?P<to>[^\n<]{1,128}+)\n?(?P<body><\|content\|>)?"
)


class FunctionaryV2(Functionary):
    """functionary's messages, with tokens around the recipient."""

    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        match = HEADER.match(text, at)
        if match is None:
            return None
        name = match["to"].strip()
        if (match["author"] or "assistant").strip() != "assistant":
            return Header("foreign", "", at, match.end()) if match["body"] else None
        if not match["body"]:
            begun = "<|recipient|>" in match[0] and match["to"][0].isalnum()  # otherwise the token is only mentioned
            return Header("unreadable", "", at, match.end()) if begun else None
        return Header("prose" if name == "all" else "call", name, at, match.end())


DIALECT = FunctionaryV2(
    name="functionary_v2",
    aliases=("functionary-v2.4",),
    models=("functionary-small-v2.2", "functionary-small-v2.4", "functionary-medium-v2.4"),
    sample='<|recipient|>get_weather\n<|content|>{"city": "Tokyo"}',
    calls=CallTemplate(
        "<|recipient|>{name}\n<|content|>{args}",
        between=NEXT,
        turn=f"<|recipient|>all\n<|content|>{{prose}}{NEXT}{{calls}}",
        turn_without_calls="<|recipient|>all\n<|content|>{prose}",
    ),
    starts=("<|recipient|>", "\n<|from|>", "<|from|>"),
    ends=("<|stop|>",),
    chat=FUNCTIONARY_CHAT,
)
