"""Muse Spark and Muse Glimmer: a message to each tool, with ``<atem:invoke name="…">`` in it.

A turn is a chain of messages ``<|start|>assistant to=RECIPIENT<|message|>…<|eom|>``. The last one ends in ``<|eot|>``;
the first ``<|start|>assistant`` is in the prompt. Messages to ``self`` are reasoning, those to ``user`` and
``commentary`` are prose, and those to a tool hold its call, so markup in reasoning and prose does not make a call.
Glimmer has no ``commentary``: it writes prose to the user. A name doubled with its own namespace (``ping.ping``) is
read as the declared one. Values are inline and verbatim, lists and objects as JSON. The schema types them. Without a
schema, a string that spells a number, a literal, a list or an object can't be distinguished from one. Keys can't
hold ``<`` or a line break. Glimmer's template writes either prose or calls; here both are written.

Source: chat templates of Muse Spark and Muse Glimmer; vLLM ``muse``, ``muse_glimmer``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex, function_of
from toolconv.dialects.call_readers.base import CallReader
from toolconv.dialects.call_readers.tag_calls import TagReader
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat, read_tools_without_nulls
from toolconv.dialects.grammars.fences import JSON_BODY
from toolconv.dialects.grammars.parameter_tags import TagSet, tags_of
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser

START, MESSAGE, MORE, END = "<|start|>assistant", "<|message|>", "<|eom|>", "<|eot|>"
CUT_RECIPIENT = lazy_re(r"\s*to=\S+\Z")
RECIPIENT = lazy_re(r"\s*to=([^\s<]{1,200})\s*<\|message\|>")
BREAK = lazy_re(r"<\|(?:eom\|>|eot\|>|start\|>assistant)")
SCHEMAS = "// Function schemas\n"
PROSE = frozenset({"user", "commentary", "developer"})
NO_TOOL = PROSE | {"self"}


TAGS = CallTemplate(
    '<atem:function_calls>\n<atem:invoke name="{name}">\n{params}</atem:invoke>\n</atem:function_calls>',
    param='<atem:parameter name="{key}">{value}</atem:parameter>\n',
)
"""A call without its message."""


def call_template(prose_recipient: str) -> CallTemplate:
    """Calls in messages; ``prose_recipient`` is the recipient of prose in a turn with calls."""
    return replace(
        TAGS,
        call=f" to={{name}}{MESSAGE}{TAGS.call}",
        between=f"{MORE}{START}",
        after=END,
        turn=f" to={prose_recipient}{MESSAGE}{{prose}}{MORE}{START}{{calls}}",
        turn_without_calls=f" to=user{MESSAGE}{{prose}}{END}",
    )


class RecipientReader(TagReader):
    """The exact reader of calls in messages."""

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = super().read(body, tools)
        return None if calls is None or any("." in call.name or call.name in NO_TOOL for call in calls) else calls

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        return call.name not in NO_TOOL and super().certainly_round_trips(call, tools)


class Muse(XmlParameters):
    """Messages whose recipient makes them reasoning, prose or a call.

    Attributes:
        unaddressed: the default recipient, for messages that name none.
    """

    unaddressed: str = "self"
    leads_with_reasoning: bool = False

    @cached_property
    def written_tags(self) -> TagSet:
        return tags_of(TAGS)

    def call_reader(self, template: CallTemplate) -> CallReader:
        return RecipientReader(template)

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        return super()._reasoning(parser, opened) if opened else None

    def find_calls(self, parser: TurnParser) -> None:
        if (first := RECIPIENT.match(parser.text, parser.at)) is not None:
            self._message_to(parser, first[1], parser.at, first.end())
        super().find_calls(parser)

    def read_markup(self, parser: TurnParser, found: re.Match[str]) -> None:
        start, at = found.start(), found.end()
        if found[0] != START:
            parser.accept(start, at)
        elif (header := RECIPIENT.match(parser.text, at)) is not None:
            self._message_to(parser, header[1], start, header.end())
        elif parser.text.startswith(MESSAGE, at):
            self._message_to(parser, self.unaddressed, start, at + len(MESSAGE))
        elif CUT_RECIPIENT.match(parser.text, at):
            parser.reject(start, len(parser.text), "the text ends before the call")
        else:
            parser.accept(start, at)

    def _message_to(self, parser: TurnParser, recipient: str, start: int, at: int) -> None:
        """Read a message whose header begins at ``start`` and whose text begins at ``at``."""
        text = parser.text
        stop = BREAK.search(text, at)
        end = stop.start() if stop is not None else len(text)
        if recipient == "self":
            parser.accept_reasoning(start, end, text[at:end])
        elif recipient in PROSE:
            parser.accept(start, end, prose=text[at:end])
        elif (called := self._name_of_call(text, at, end)) is None:
            parser.reject(start, end, "a message to a tool that holds no call")
        elif all(part in called for part in recipient.split(".")):
            parser.accept(start, at)  # the call repeats the name
        else:
            parser.reject(start, at, "a message to another tool than its call")

    def _name_of_call(self, text: str, start: int, end: int) -> str | None:
        """The text that names the tool of the first call between two places: the name in its tag, or its JSON."""
        for found in self._structure.finditer(text, start, end):
            if found.lastgroup == "call" and (head := self.function.match(text, found.start())) is not None:
                return head.fields["name"]
            if JSON_BODY.match(text, found.end()):
                return text[found.end() : end]
        return None

    def named(self, name: str, parser: TurnParser, repairs: list[str]) -> str:
        space, dot, bare = name.rpartition(".")
        if dot and space == bare and bare in parser.tools and name not in parser.tools:
            repairs.append("name_prefix")
            name = bare
        return super().named(name, parser, repairs)


class MuseChat(ChatFormat):
    """Tools after a list of their namespaces: the parts of their names before the first dot."""

    def write_list(self, tools: Sequence[Tool]) -> str:
        names = (str((function_of(tool) or tool).get("name")).partition(".")[0] for tool in tools)
        spaces = "".join(f"{jsontext.spaced({'name': name, 'description': ''})}\n" for name in dict.fromkeys(names))
        return spaces + SCHEMAS + super().write_list(tools)


def write_tool(function: dict[str, Any]) -> str:
    """A tool with the keys that the template knows."""
    return jsontext.spaced({key: function.get(key) for key in ("name", "description", "parameters")})


def read_listed(text: str) -> list[Tool]:
    """The tools that are listed after the namespaces."""
    return read_tools_without_nulls(text.partition(SCHEMAS)[2])


SPARK = Muse(
    name="muse",
    aliases=("musespark1x", "muse_spark"),
    models=("Muse Spark",),
    sample=' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
    '<atem:parameter name="city">Tokyo</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eot|>',
    calls=call_template("commentary"),
    reasoning=Reasoning(" to=self<|message|>", "<|eom|>", " to=self<|message|>", "<|eom|><|start|>assistant"),
    markup=(r"<\|eom\|>", r"<\|eot\|>", r"<\|start\|>assistant"),
    chat=MuseChat(
        tools_open="""\
In this environment you have access to a set of tools you can use to answer the user's question.

You can invoke a function by writing a "<atem:function_calls>" block like the following:
<atem:function_calls>
<atem:invoke name="$FUNCTION_NAME">
<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>
...
</atem:invoke>
</atem:function_calls>

String and scalar parameters should be specified as is, while lists and objects should use JSON format. Note that \
spaces for string values are not stripped. The output is not expected to be valid XML and is parsed with regular \
expressions.
Here are the functions available in JSONSchema format:
// Tool metadata
""",
        tools_close="""

Here's an example of how to call a function in the tool set. To make parallel tool calls, emit each call as its own \
message (one tool call per message) in consecutive messages:
(If the tool namespace is not specified, invoke the function directly as `example_function_name` rather than \
`example_tool_name.example_function_name`)

to=example_tool_name.example_function_name

<atem:function_calls>
<atem:invoke name="example_tool_name.example_function_name">
<atem:parameter name="example_parameter_1">value_1</atem:parameter>
<atem:parameter name="example_parameter_2">This is the value for the second parameter
that can span
"multiple" lines
</atem:parameter>
</atem:invoke>
</atem:function_calls>""",
        tool=write_tool,
        read=read_listed,
        bare_tools=True,
        response_role="tool",
        response='<tool_output name="{name}">\n{content}\n</tool_output>',
        one_turn=False,
    ),
)

DIALECTS = (
    SPARK,
    replace(
        SPARK,
        name="muse_glimmer",
        aliases=(),
        models=("Muse Glimmer",),
        calls=call_template("user"),
        unaddressed="user",
    ),
)
