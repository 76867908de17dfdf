"""Calls in the texts that Open WebUI stores and exports: a ``details`` element for each, with its result.

::

    <details type="tool_calls" done="true" id="call_1" name="ping" arguments="{&quot;host&quot;: &quot;a&quot;}">
    <summary>Tool Executed</summary>
    &quot;up&quot;
    </details>

The arguments are JSON, or the JSON text of JSON. The result is JSON before the end of the element, or in older texts
in its attribute ``result``; without ``done="true"`` there is none. Files and embeds are kept with the result. A text
with a call that can't be read stays as it is, and its calls count as dropped. One that shows a call in a block of code
is a text.

Source: open-webui/open-webui, ``backend/open_webui/utils/middleware.py`` (``serialize_output``,
``serialize_content_blocks``).
"""

from __future__ import annotations

from html import unescape
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message
from toolconv.core.notes import Dropped, Notes
from toolconv.layouts.call_items import call_item, extras
from toolconv.layouts.message_builder import result_text
from toolconv.layouts.nested_json import opened, value_of

OPENING: Final = '<details type="tool_calls"'
CLOSING: Final = "</details>"
SUMMARY: Final = "</summary>"
BESIDE: Final = ("files", "embeds")
FENCE: Final = "```"
_ATTRIBUTE: Final = lazy_re(r'(?<![a-z])([a-z]++)="([^"]*+)"')


def split_calls(message: Message, notes: Notes) -> list[Message]:
    """The messages that one of the assistant with such calls in its text means: its words, calls, and their results."""
    text = message["content"]
    messages: list[Message] = []
    rest = extras(message, "role", "content")
    end = counted = fences = 0
    while (start := text.find(OPENING, end)) >= 0:
        fences += text.count(FENCE, counted, start)
        if fences % 2:
            return [message]
        counted = start
        close = text.find(CLOSING, start)
        call = None if close < 0 else _read(text[start:close], notes)
        if call is None:
            notes.dropped += [Dropped("a call in the markup of Open WebUI", "")] * text.count(OPENING)
            return [message]
        words, end = text[end:start].strip(), close + len(CLOSING)
        item, results = call
        if words or not messages:
            messages.append({"role": "assistant", "content": words, "tool_calls": [], **({} if messages else rest)})
        made = next(each for each in reversed(messages) if each["role"] == "assistant")
        made["tool_calls"].append(item)
        messages += results
    if last := text[end:].strip():
        messages.append({"role": "assistant", "content": last})
    return messages


def _read(element: str, notes: Notes) -> tuple[dict[str, Any], list[Message]] | None:
    """The call in an element, without the end of it, and its result, if it has one; ``None`` if it can't be read."""
    tag, _, inside = element.partition(">")
    found = {key: unescape(value) for key, value in _ATTRIBUTE.findall(tag)}
    arguments = opened(found.get("arguments"))
    if not found.get("name") or not found.get("id") or type(arguments) is not dict:
        return None
    item = call_item(found["id"], found["name"], arguments, {}, notes)
    if found.get("done") != "true":
        return item, []
    given = found.get("result") or unescape(inside.partition(SUMMARY)[2]).strip()
    value = value_of(given)
    content = result_text(given if value is None else value, notes)
    beside = {key: opened(found[key]) for key in BESIDE if found.get(key)}
    return item, [{"role": "tool", "tool_call_id": found["id"], "name": found["name"], "content": content, **beside}]
