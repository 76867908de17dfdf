"""functionary v3.2 (``v3.llama3``): a line with the recipient, then the content; ``>>>`` before each recipient.

A message to the recipient ``all`` is prose; one to any other recipient is a call with bare JSON arguments. The prompt
ends in ``>>>``, so the first recipient has no mark; it counts if the arguments or ``all`` make it certain. ``python``
may take raw code, which is read as the one argument ``code`` and written as JSON. Prose that holds a whole message
can't be distinguished from a message.

Source: meetkai/functionary-small-v3.2 chat template, functionary's ``PromptTemplate`` v3.llama3.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.declarations.functionary_tools import FUNCTIONARY_CHAT
from toolconv.dialects.grammars.messages import Header, Messages
from toolconv.dialects.lexing.mentions import SESSION_PROMPT
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser

MARK = ">>>"
INSTRUCTIONS = """You are capable of executing available function(s) if required.
Only execute function(s) when absolutely necessary.
Ask for the required input to:recipient==all
Use JSON for function arguments.
Respond in this format:
>>>${recipient}
${content}
Available functions:
"""
HEADER = lazy_re(r"(?:>>>[ \t]*)?([^\n<>{]{1,128}+)\n")
BARE_NAME = lazy_re(r"[\w.\-/]+")


class Functionary(Messages):
    """Messages to everybody or to a tool."""

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        parsed = super().parse_exact(text, tools)
        if parsed is not None and any(call.name == "all" for call in parsed.calls):
            return None  # the recipient of prose
        return parsed

    def find_calls(self, parser: TurnParser) -> None:
        super().find_calls(parser)
        for match in SESSION_PROMPT.finditer(parser.text):
            parser.skip(*match.span(), "shown")

    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        match = HEADER.match(text, at)
        if match is None:
            return None
        name = match[1].strip()
        marked = text.startswith(MARK, at)
        if not marked and text[max(0, at - 1) : at].strip():
            return None
        if name == "all":
            return Header("prose", "", at, match.end())
        known = name in tools or name in self.code_tools
        if text.startswith("{", after_blanks(text, match.end())):
            certain = marked or known or BARE_NAME.fullmatch(name) is not None
        else:
            certain = known and (marked or name not in tools)
        return Header("call", name, at, match.end()) if certain else None


DIALECT = Functionary(
    name="functionary_v32",
    aliases=("functionary", "functionary-v3.2", "functionary_v3_llama3"),
    models=("functionary-small-v3.2", "functionary-medium-v3.2"),
    sample='all\nLet me check.>>>get_weather\n{"city": "Tokyo"}>>>ping\n{}',
    calls=CallTemplate(
        "{name}\n{args}",
        between=MARK,
        turn=f"all\n{{prose}}{MARK}{{calls}}",
        turn_without_calls="all\n{prose}",
    ),
    starts=(MARK,),
    losses=("call",),
    chat=replace(FUNCTIONARY_CHAT, tools_open=INSTRUCTIONS + FUNCTIONARY_CHAT.tools_open),
)
