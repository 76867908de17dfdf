"""``use_mcp_tool``, the prompts of Cline and Roo and the traces of MiroThinker v1: server, tool and JSON in tags.

The server is kept as the key ``server`` of a call, which no dialect writes: the tag of the server is written empty, and
the key is counted as lost. Each call may have a ``<use_mcp_tool>`` of its own, or all may share one. Results are
turns of the user without any mark, so they are read as the user's words; this is counted as ``response_role``.

Source: ``utils/parsing_utils.py`` and prompts of MiroMindAI/MiroThinker; system prompt of cline/cline.
"""

from __future__ import annotations

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import TurnParser

HEADER = lazy_re(
    r"(?P<server>[^<]*)</server_name>\s*"
    r"<tool_name>(?P<name>[^<]+)</tool_name>\s*<arguments>\s*"
)


class UseMcpTool(NameThenJson):
    """Calls headed by a server and a tool."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = HEADER.fullmatch(text)
        return match and (match["name"].strip(), None)

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        taken = len(parser.calls)
        end = super().read_call(parser, start, at)
        match = HEADER.match(parser.text, at)
        if match is not None and match["server"].strip() and len(parser.calls) > taken:
            parser.calls[-1].extra = {"server": match["server"].strip()}
        return end


DIALECT = UseMcpTool(
    name="use_mcp_tool",
    models=("MiroThinker v1", "Cline", "Roo Code"),
    sample="<use_mcp_tool>\n<server_name>weather</server_name>\n<tool_name>get_weather</tool_name>\n<arguments>\n"
    '{"city": "Tokyo"}\n</arguments>\n</use_mcp_tool>',
    calls=CallTemplate(
        "<server_name></server_name>\n<tool_name>{name}</tool_name>\n<arguments>\n{args}\n</arguments>",
        before="<use_mcp_tool>\n",
        between="\n",
        after="\n</use_mcp_tool>",
    ),
    separator="\n\n",
    chat=ChatFormat(response_role="user"),
)
