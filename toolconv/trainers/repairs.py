"""Repairs of conversations that a trainer would leave out or refuse. Each returns how many times it changed one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.marks import MarkStyle, default_weight
from toolconv.core.messages import Message, calls_of, text_of
from toolconv.core.tool_call import ToolCall
from toolconv.dialects import get as dialect
from toolconv.templates.base import Template
from toolconv.trainers.base import Repair
from toolconv.trainers.template_checks import segments_of


def join_neighbours(conversation: Conversation, template: Template | None = None) -> int:
    """Join consecutive turns of the user or system texts, and prose of the assistant with calls or prose after it."""
    messages: list[Message] = []
    count = 0
    for message in conversation.messages:
        if messages and (joined := _joined(messages[-1], message)) is not None:
            messages[-1] = joined
            count += 1
        else:
            messages.append(message)
    return set_messages(conversation, messages, count)


_JOINED_KEYS = frozenset({"role", "content", "tool_calls"})


def _joined(one: Message, other: Message) -> Message | None:
    """Two neighbours as one message; ``None`` if that would lose or move something."""
    role = one.get("role")
    if role != other.get("role") or role not in ("system", "user", "assistant") or calls_of(one):
        return None
    if not (one.keys() <= _JOINED_KEYS | {"reasoning_content"} and other.keys() <= _JOINED_KEYS):
        return None
    first, second = one.get("content") or "", other.get("content") or ""
    if not isinstance(first, str) or not isinstance(second, str):
        return None
    return {**one, **other, "content": f"{first}\n\n{second}" if first and second else first or second}


def cut_tail(conversation: Conversation, template: Template | None = None) -> int:
    """Cut the turns after the last one of the assistant: nothing answers them, so nothing is trained on them."""
    messages = conversation.messages
    end = len(messages)
    while end and messages[end - 1].get("role") != "assistant":
        end -= 1
    return set_messages(conversation, messages[:end], len(messages) - end) if end else 0


def leave_out_empty_tools(conversation: Conversation, template: Template | None = None) -> int:
    """Leave out tools that are an empty list, for a trainer that writes an empty system turn for them."""
    if conversation.row.get("tools") != []:
        return 0
    conversation.row = {key: value for key, value in conversation.row.items() if key != "tools"}
    return 1


def thinking_as_written(*students: str) -> Repair:
    """The repair of empty ``<think>`` blocks: an answer has one where the student's template writes it, and only there.

    Args:
        students: the templates for which the trainer writes the reasoning of a row as it is, and adds none.
    """

    def place_empty_thinking(conversation: Conversation, template: Template | None = None) -> int:
        if template is None or template.name not in students:
            return 0
        thought = {index for _, kind, _, index, _ in segments_of(conversation, template) if kind == "reasoning"}
        border = template.ending + template.headers["assistant"]
        messages, count = [*conversation.messages], 0
        for index, message in enumerate(messages):
            if message.get("role") != "assistant" or message.get("reasoning_content"):
                continue
            has, wanted = message.get("reasoning_content") is not None, index in thought
            if has and not wanted:
                messages[index] = {key: value for key, value in message.items() if key != "reasoning_content"}
            elif wanted and not has and border not in str(message.get("content")):  # see answers_in_one
                messages[index] = {**message, "reasoning_content": ""}
            count += messages[index] is not message
        return set_messages(conversation, messages, count)

    return place_empty_thinking


def developer_as_system(conversation: Conversation, template: Template | None = None) -> int:
    """Give texts of the role ``developer`` the role ``system``, for a trainer that knows only that."""
    messages = [
        {**message, "role": "system"} if message.get("role") == "developer" else message
        for message in conversation.messages
    ]
    return set_messages(conversation, messages, sum(each.get("role") == "developer" for each in conversation.messages))


def mark_all(style: MarkStyle) -> Repair:
    """The repair that gives all messages of a row with training marks one, where the trainer takes none for another."""

    def mark_messages(conversation: Conversation, template: Template | None = None) -> int:
        source = conversation.messages
        if style.key is None or not any(style.key in message for message in source):
            return 0
        messages = [
            message if style.key in message else {**message, **(style.spelled(default_weight(message), message) or {})}
            for message in source
        ]
        return set_messages(conversation, messages, sum(style.key not in message for message in source))

    return mark_messages


def join_text_parts(conversation: Conversation, template: Template | None = None) -> int:
    """Write content parts that are all text as one text, which all chat templates take."""
    messages: list[Message] = []
    count = 0
    for message in conversation.messages:
        if isinstance(content := message.get("content"), list):
            text, whole = text_of(content)
            if whole:
                message = {**message, "content": text}
                count += 1
        messages.append(message)
    return set_messages(conversation, messages, count)


def text_as_parts(conversation: Conversation, template: Template | None = None) -> int:
    """Write texts as content parts in a row with other parts, for a trainer that takes one form in a row."""
    contents = [message.get("content") for message in conversation.messages]
    if all(text_of(content)[1] for content in contents if isinstance(content, list)):
        return 0
    messages = [
        {**message, "content": [{"type": "text", "text": content}]} if content and isinstance(content, str) else message
        for message, content in zip(conversation.messages, contents, strict=True)
    ]
    return set_messages(conversation, messages, sum(bool(each) and isinstance(each, str) for each in contents))


def join_texts_of_text_rows(conversation: Conversation, template: Template | None = None) -> int:
    """The repair :func:`join_text_parts` where all content parts of a row are text."""
    contents = [message.get("content") for message in conversation.messages]
    if all(text_of(content)[1] for content in contents if isinstance(content, list)):
        return join_text_parts(conversation, template)
    return 0


def separate_prose(conversation: Conversation, template: Template | None = None) -> int:
    """Write what the student's family has between prose and a call at the end of the prose; ms-swift's rows have it."""
    between = template.dialect.separator if template is not None else ""
    own = conversation.origin is not None and conversation.origin[0] == "ms-swift"
    messages: list[Message] = []
    count = 0
    for message in conversation.messages:
        prose = message.get("content")
        if between and prose and isinstance(prose, str) and calls_of(message) and not (own and prose.endswith(between)):
            message = {**message, "content": prose + between}
            count += 1
        messages.append(message)
    return set_messages(conversation, messages, count)


def results_joined_by(between: str, wrapped: str) -> Repair:
    """The repair that makes one message of the results of parallel calls, where the student's family wraps results.

    Args:
        between: the text between two results.
        wrapped: how the family must write a result for that to be right, with ``{content}``.
    """

    def join_results(conversation: Conversation, template: Template | None = None) -> int:
        if template is None or template.dialect.chat.response != wrapped:
            return 0
        messages, count = list[Message](), 0
        source = conversation.messages
        at = 0
        while at < len(source):
            messages.append(source[at])
            calls = calls_of(source[at])
            at += 1
            end = at
            while end < len(source) and source[end].get("role") == "tool":
                end += 1
            results = source[at:end]
            first = source[at - 1].get("role") == "system"  # the calls are in the system text: see opening_in_system
            parallel = (len(calls) > 1 or first) and len(results) > 1
            if parallel and all(isinstance(each.get("content"), str) for each in results):
                messages.append({**results[0], "content": between.join(each["content"] for each in results)})
                count += 1
                at = end
        return set_messages(conversation, messages, count)

    return join_results


def drop_null_descriptions(conversation: Conversation, template: Template | None = None) -> int:
    """Leave out descriptions of tools that are null."""
    return _set_functions(
        conversation, lambda each: _undescribed(each) if each.get("description", "") is None else each
    )


def drop_empty_descriptions(conversation: Conversation, template: Template | None = None) -> int:
    """Leave out descriptions of tools that are empty."""
    return _set_functions(conversation, lambda each: _undescribed(each) if each.get("description") == "" else each)


def describe_functions(conversation: Conversation, template: Template | None = None) -> int:
    """Give a function without a description, or with a null one, an empty text, where the trainer wants that key."""
    return _set_functions(
        conversation, lambda each: {**each, "description": ""} if each.get("description") is None else each
    )


def add_empty_parameters(conversation: Conversation, template: Template | None = None) -> int:
    """Declare that a function without parameters takes none, where an API wants parameters."""
    none = {"type": "object", "properties": {}}
    return _set_functions(
        conversation, lambda each: each if isinstance(each.get("parameters"), dict) else {**each, "parameters": none}
    )


def replace_null_parameters(conversation: Conversation, template: Template | None = None) -> int:
    """Declare that a function whose parameters are null takes none, where an API wants parameters or no such key."""
    none = {"type": "object", "properties": {}}
    return _set_functions(
        conversation, lambda each: {**each, "parameters": none} if each.get("parameters", none) is None else each
    )


def _undescribed(function: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in function.items() if key != "description"}


def _set_functions(conversation: Conversation, changed: Callable[[dict[str, Any]], dict[str, Any]]) -> int:
    """Put other functions into the tools of a conversation; returns how many are not the same object."""
    count, tools = 0, []
    for tool in conversation.tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and (other := changed(function)) is not function:
            tool = {**tool, "function": other}
            count += 1
        tools.append(tool)
    return set_tools(conversation, tools, count)


def add_types(conversation: Conversation, template: Template | None = None) -> int:
    """Add the type to functions and their calls, where an API requires it."""
    added, tools = 0, []
    for tool in conversation.tools:
        if isinstance(tool, dict) and "function" in tool and "type" not in tool:
            tool = {"type": "function", **tool}
            added += 1
        tools.append(tool)
    set_tools(conversation, tools, added)
    count, messages = 0, []
    for message in conversation.messages:
        if untyped := sum("type" not in call for call in calls_of(message)):
            calls = [call if "type" in call else {**call, "type": "function"} for call in calls_of(message)]
            message = {**message, "tool_calls": calls}
            count += untyped
        messages.append(message)
    return added + set_messages(conversation, messages, count)


def nullable_types(conversation: Conversation, template: Template | None = None) -> int:
    """Write ``"type": ["integer", "null"]`` as ``"type": "integer", "nullable": true``, as Gemini does."""
    count, tools = 0, []
    for tool in conversation.tools:
        changed, found = _nullable(tool)
        tools.append(changed)
        count += found
    return set_tools(conversation, tools, count)


def _nullable(value: Any) -> tuple[Any, int]:
    if isinstance(value, list):
        pairs = [_nullable(item) for item in value]
        return [item for item, _ in pairs], sum(found for _, found in pairs)
    if not isinstance(value, dict):
        return value, 0
    result: dict[str, Any] = {}
    count = 0
    for key, member in value.items():
        kinds = [kind for kind in member if kind != "null"] if key == "type" and isinstance(member, list) else []
        if len(kinds) == 1 and len(member) == 2:
            result.update(type=kinds[0], nullable=True)
            count += 1
        else:
            result[key], found = _nullable(member)
            count += found
    return result, count


def mistral_ids(conversation: Conversation, template: Template | None = None) -> int:
    """Give calls, and the results that answer them, ids of nine letters and digits."""
    mistral = dialect("mistral_v3")

    def mistral_id(call: dict[str, Any], index: int) -> str | None:
        arguments = call["function"].get("arguments")
        known = ToolCall(
            str(call["function"].get("name")), arguments if isinstance(arguments, dict) else {}, str(call.get("id"))
        )
        return mistral.call_id(known, index)

    return _renew_ids(conversation, mistral_id)


def plain_ids(others: str, longest: int) -> Repair:
    """The repair of ids of calls that hold characters which an API refuses, or too many.

    Args:
        others: a regular expression of the characters that become ``_``.
        longest: how many characters an id may have.
    """
    refused = lazy_re(others)

    def give_plain_ids(conversation: Conversation, template: Template | None = None) -> int:
        return _renew_ids(conversation, lambda call, _: refused.sub("_", str(call.get("id")))[:longest])

    return give_plain_ids


def _renew_ids(conversation: Conversation, renewed: Callable[[dict[str, Any], int], str | None]) -> int:
    """Give calls, and the results that answer them, other ids, if they are then still different."""
    ids: dict[str, str] = {}
    calls = [call for message in conversation.messages for call in calls_of(message)]
    for index, call in enumerate(calls):
        old = call.get("id")
        if isinstance(old, str):
            ids[old] = renewed(call, index) or old
    changed = {old: new for old, new in ids.items() if new != old}
    if not changed or len(set(ids.values())) < len(ids):
        return 0
    return set_messages(conversation, [_renamed(message, changed) for message in conversation.messages], len(changed))


def _renamed(message: Message, ids: dict[str, str]) -> Message:
    if calls := calls_of(message):
        return {
            **message,
            "tool_calls": [{**call, "id": ids.get(str(call.get("id")), call.get("id"))} for call in calls],
        }
    wanted = message.get("tool_call_id")
    return {**message, "tool_call_id": ids[wanted]} if isinstance(wanted, str) and wanted in ids else message


def set_messages(conversation: Conversation, messages: list[Message], count: int) -> int:
    """Put other messages into a conversation, if anything in them changed; returns ``count``."""
    if count:
        conversation.row = {**conversation.row, "messages": messages}
    return count


def set_tools(conversation: Conversation, tools: list[Any], count: int) -> int:
    """Put other tools into a conversation, if anything in them changed; returns ``count``."""
    if count:
        conversation.row = {**conversation.row, "tools": tools}
    return count
