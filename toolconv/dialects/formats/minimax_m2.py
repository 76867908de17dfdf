"""MiniMax M2: ``<invoke name="…">`` with ``<parameter name="…">`` per argument, all calls in one block.

``<minimax:tool_call>`` opens the block, after a line break, with or without prose. Values are inline and verbatim:
strings as they are, everything else as JSON. Attributes in other quotes or without quotes, a bare ``<invoke>`` and
missing closing tags are read. Without a schema, a string that spells a number, a literal, a list or an object can't
be distinguished from one. Keys can't hold ``<`` or a line break.

Source: MiniMaxAI/MiniMax-M2 chat template and tool-calling guide; vLLM ``minimax_m2``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

DIALECT = XmlParameters(
    name="minimax_m2",
    aliases=("minimax-m2", "minimax_m2_append_think"),
    models=("MiniMax-M2", "MiniMax-M2.1", "MiniMax-M2.5", "MiniMax-M2.7"),
    sample='\n<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Tokyo</parameter>\n</invoke>\n'
    "</minimax:tool_call>",
    calls=CallTemplate(
        '<invoke name="{name}">\n{params}</invoke>',
        before="<minimax:tool_call>\n",
        between="\n",
        after="\n</minimax:tool_call>",
        param='<parameter name="{key}">{value}</parameter>\n',
        turn_without_prose="\n{calls}",
    ),
    separator="\n",
    turn_tokens=("[e~[", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="# Tools\nYou may call one or more tools to assist with the user query.\n"
        "Here are the tools available in JSONSchema format:\n\n<tools>\n<tool>",
        tools_between="</tool>\n<tool>",
        tools_close="""</tool>
</tools>

When making tool calls, use XML format to invoke tools and pass parameters:

<minimax:tool_call>
<invoke name="tool-name-1">
<parameter name="param-key-1">param-value-1</parameter>
<parameter name="param-key-2">param-value-2</parameter>
...
</invoke>
</minimax:tool_call>""",
        bare_tools=True,
        response_role="tool",
        response="<response>{content}</response>",
        one_turn=True,
    ),
)
