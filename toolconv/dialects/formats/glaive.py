"""glaive-function-calling v1 and v2, and their many fine-tunes: ``<functioncall>`` and an object with quoted JSON.

The arguments are JSON text in single quotes without escapes: ``"arguments": '{"q": "it's"}'``. So the object is not
valid JSON. The text between the quotes is read as JSON, so apostrophes do no harm. An object in place of the text, as
in v1, is read too. The format has one call per turn; several are written one per line. ``<|endoftext|>`` ends a turn
with calls and is written, since this is flat text. Some derived data close with ``</functioncall>`` instead.

Source: glaiveai/glaive-function-calling-v2.
"""

from __future__ import annotations

from toolconv.core import jsontext, lenient_json
from toolconv.core.calls import declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.reading.turn_parser import TurnParser

OPENING = "<functioncall>"
END = "<|endoftext|>"
QUOTED = lazy_re(r"""\s*\{\s*"name"\s*:\s*(?P<name>"(?:[^"\\\n]|\\.){1,256}")\s*,\s*"arguments"\s*:\s*'(?=\s*\{)""")
QUOTE_END = lazy_re(r"\s*'\s*\}(?P<more>\}*)\s*")


class Glaive(JsonBlocks):
    """Blocks whose arguments are JSON text in single quotes."""

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        if not self._quoted(parser, start, at):
            super().read_block(parser, start, at)

    def _quoted(self, parser: TurnParser, start: int, at: int) -> bool:
        """Read a call with quoted arguments; false if this is not one."""
        text = parser.text
        match = QUOTED.match(text, at)
        if match is None:
            return False
        try:
            name = jsontext.loads(match["name"])
            reading = lenient_json.read(text, match.end())
        except lenient_json.Unreadable as error:
            parser.charge(error.at - start)
            return False
        except ValueError:
            return False
        closing = QUOTE_END.match(text, reading.end)
        if closing is None:
            parser.charge(reading.end - start)
            return False
        end = closing.end() if text.startswith(self.all_closes, closing.end()) else len(text[: closing.end()].rstrip())
        for marker in self.all_closes:
            if text.startswith(marker, end):
                end += len(marker)
                break
        repairs = [*reading.repairs, *(["extra_bracket"] * len(closing["more"]))]
        parser.accept(start, end, (ToolCall(declared_name(name, parser.tools, repairs), reading.value),))
        parser.repairs.extend(repairs)
        return True


DIALECT = Glaive(
    name="glaive",
    aliases=("glaive-v2",),
    models=("fine-tunes on glaive-function-calling",),
    sample=f'{OPENING} {{"name": "get_weather", "arguments": \'{{"city": "Tokyo"}}\'}} {END}',
    calls=CallTemplate(
        f'{OPENING} {{"name": {{name|json}}, "arguments": \'{{args}}\'}}', between="\n", after=f" {END}"
    ),
    separator="\n",
    closes=("</functioncall>",),
    closing="optional",
    chat=ChatFormat(
        tools_open="You are a helpful assistant with access to the following functions. Use them if required -\n",
        tools_close="\n",
        tool=jsontext.pretty,
        tools_between="\n\n",
        bare_tools=True,
        response_role="tool",
        response="FUNCTION RESPONSE: {content}",
        one_turn=False,
    ),
)
