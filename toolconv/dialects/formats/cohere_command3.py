"""Cohere Command R7B and Command A: one JSON list between ``<|START_ACTION|>`` and ``<|END_ACTION|>``.

Items are ``{"tool_call_id": "0", "tool_name": …, "parameters": {…}}``, each on an indented line; ids count the calls of
the whole conversation from 0. Other keys, another order, numbers as ids and missing ids are read too.

Prose before calls is the plan, between ``<|START_THINKING|>`` and ``<|END_THINKING|>``. An answer without calls is
between ``<|START_RESPONSE|>`` and ``<|END_RESPONSE|>``. The format has one place for plan and reasoning. In a turn with
calls and no other prose, its text is read as prose, so reasoning without prose before calls is read back as prose.
Citation marks (``<co>…</co: 0:[1]>``) are left in the prose.

Source: CohereLabs/c4ai-command-r7b-12-2024 chat template; vLLM ``cohere_command3``, SGLang ``cohere_command4``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core import jsontext
from toolconv.core.messages import Message
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat, read_tools_without_nulls
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Parsed, Reasoning

TOOL_USE = """\
You have been trained to have advanced reasoning and tool-use capabilities and you should make best use of these \
skills to serve user's requests.

## Tool Use
Think about how you can make best use of the provided tools to help with the task and come up with a high level plan \
that you will execute first.

0. Start by writing <|START_THINKING|> followed by a detailed step by step plan of how you will solve the problem. \
For each step explain your thinking fully and give details of required tool calls (if needed). Unless specified \
otherwise, you write your plan in natural language. When you finish, close it out with <|END_THINKING|>.
    You can optionally choose to skip this step when the user request is so straightforward to address that only a \
trivial plan would be needed.
    NOTE: You MUST skip this step when you are directly responding to the user's request without using any tools.

Then carry out your plan by repeatedly executing the following steps.
1. Action: write <|START_ACTION|> followed by a list of JSON-formatted tool calls, with each one containing \
"tool_name" and "parameters" fields.
    When there are multiple tool calls which are completely independent of each other (i.e. they can be executed in \
parallel), you should list them out all together in one step. When you finish, close it out with <|END_ACTION|>.
2. Observation: you will then receive results of those tool calls in JSON format in the very next turn, wrapped \
around by <|START_TOOL_RESULT|> and <|END_TOOL_RESULT|>. Carefully observe those results and think about what to do \
next. Note that these results will be provided to you in a separate turn. NEVER hallucinate results.
    Every tool call produces a list of results (when a tool call produces no result or a single result, it'll still \
get wrapped inside a list). Each result is clearly linked to its originating tool call via its "tool_call_id".
3. Reflection: start the next turn by writing <|START_THINKING|> followed by what you've figured out so far, any \
changes you need to make to your plan, and what you will do next. When you finish, close it out with \
<|END_THINKING|>.
    You can optionally choose to skip this step when everything is going according to plan and no special pieces of \
information or reasoning chains need to be recorded.
    NOTE: You MUST skip this step when you are done with tool-use actions and are ready to respond to the user.

You can repeat the above 3 steps multiple times (could be 0 times too if no suitable tool calls are available or \
needed), until you decide it's time to finally respond to the user.

4. Response: then break out of the loop and write <|START_RESPONSE|> followed by a piece of text which serves as a \
response to the user's last request. Use all previous tool calls and results to help you when formulating your \
response. When you finish, close it out with <|END_RESPONSE|>."""
"""What the template of Command A writes about tools before it declares them."""


class Cohere(JsonBlocks):
    """Cohere's action block with its sections for thinking and text; ``prose_tags`` are the tags of the latter."""

    def rearranged(self, parsed: Parsed) -> Parsed:
        if parsed.calls and parsed.reasoning and not parsed.content:
            parsed.content, parsed.reasoning = parsed.reasoning, None
            thoughts = [part for part in parsed.parts or () if part.kind == "reasoning"]
            for part in thoughts:
                part.kind = "prose"
        return parsed

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        found = self.exact.read(text, tools) if self.exact else None  # the prose includes the plan, marked as reasoning
        if found is None or (found[1] and found[0] != found[0].strip("\n")):
            return None
        return Parsed(found[0], None, found[1])

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if content and not reasoning:
            return super().render_turn(content, None, calls)
        opening, closing = self.prose_tags[0]
        text = self.reasoning.render(reasoning) if reasoning else ""
        return text + (opening + content + closing if content else "") + self.render(calls)


class CohereChat(ChatFormat):
    """Results as a JSON list in one turn, each with the id of its call; ``field`` is the key of a result's text."""

    field: str = ""
    response_role: str = "tool"
    responses_open: str = "<|START_TOOL_RESULT|>[\n"
    responses_between: str = ",\n"
    responses_close: str = "\n]<|END_TOOL_RESULT|>"
    one_turn: bool = True
    response: str = """\
    {
        "tool_call_id": "{id}",
        "results": {
            "0": {content}
        },
        "is_error": null
    }"""

    def write_response(self, message: Message, text: str) -> str:
        content = message.get("content") or ""
        return super().write_response(message, jsontext.spaced({self.field: content} if self.field else content))

    def read_responses(self, role: str, text: str) -> list[Message] | None:
        body = text.strip()
        if not (body.startswith(self.responses_open) and body.endswith(self.responses_close)):
            return None
        body = body[len(self.responses_open) : len(body) - len(self.responses_close)]
        try:
            return [self._result(item) for item in jsontext.loads(f"[{body}]")]
        except (ValueError, KeyError, TypeError):
            return None

    def _result(self, item: Any) -> Message:
        result = item["results"]["0"]
        content = result[self.field] if self.field else result
        if not isinstance(content, (str, list)):
            raise TypeError(content)
        return {"role": "tool", "tool_call_id": item["tool_call_id"], "content": content}


def write_tool(function: dict[str, Any]) -> str:
    """A tool as Cohere's templates write it: its description unescaped, its response declared as unknown."""
    name, description = function.get("name"), function.get("description") or ""
    parameters = jsontext.spaced(function.get("parameters"))
    return f'{{"name": "{name}", "description": "{description}", "parameters": {parameters}, "responses": null}}'


def cohere(name: str, models: tuple[str, ...], section: str, tools_open: str, field: str = "") -> Cohere:
    """A generation of Command models.

    Args:
        name: the dialect's name.
        models: the models that write it.
        section: the name of the section that holds prose.
        tools_open: the text before the tools.
        field: the key of a result's text, if it has one.
    """
    return Cohere(
        name=name,
        models=models,
        sample='<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": '
        '{"city": "Tokyo"}}\n]<|END_ACTION|>',
        calls=CallTemplate(
            '{"tool_call_id": {id|json}, "tool_name": {name|json}, "parameters": {args}}',
            before="<|START_ACTION|>[\n    ",
            between=",\n    ",
            after="\n]<|END_ACTION|>",
            id="{index}",
            turn="<|START_THINKING|>{prose}<|END_THINKING|>{calls}",
            turn_without_calls=f"<|START_{section}|>{{prose}}<|END_{section}|>",
        ),
        reasoning=Reasoning("<|START_THINKING|>", "<|END_THINKING|>", "<|START_THINKING|>", "<|END_THINKING|>"),
        turn_tokens=(*TURN_TOKENS, "<|END_OF_TURN_TOKEN|>"),
        carries_ids=True,
        name_key="tool_name",
        argument_key="parameters",
        id_key="tool_call_id",
        listed=True,
        prose_tags=((f"<|START_{section}|>", f"<|END_{section}|>"),),
        chat=CohereChat(
            tools_open=tools_open,
            tools_between=",\n    ",
            tools_close="\n]\n```",
            tool=write_tool,
            read=read_tools_without_nulls,
            words=(TOOL_USE,),
            bare_tools=True,
            field=field,
        ),
    )


DIALECT = cohere(
    "cohere_command3",
    ("Command R7B", "Command A", "Command A Reasoning"),
    "RESPONSE",
    """## Available Tools
Here is the list of tools that you have available to you.
You can ONLY use the tools listed here. When a tool is not listed below, it is NOT available and you should NEVER \
attempt to use it.
Each tool is represented as a JSON object with fields like "name", "description", "parameters" (per JSON Schema), and \
optionally, "responses" (per JSON Schema).

```json
[
    """,
)
