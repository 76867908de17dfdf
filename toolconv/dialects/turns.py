"""Between text and structure: the turns of a conversation, read and written in a dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Message, Tool, calls_of, one_text, only_text_of, text_of
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import number_calls, without_ids
from toolconv.core.rows import insert_before
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.base import RenderError as RenderError
from toolconv.dialects.lexing.markers import begins_calls, may_show_calls
from toolconv.dialects.prompts.lifting import STATING_ROLES, lift_prompts
from toolconv.dialects.prompts.stated_tools import Stated, stated_tools
from toolconv.dialects.read_back import certainly_round_trips, lost_in
from toolconv.dialects.reading.turn_parser import Parsed, parts_of
from toolconv.dialects.registry import get, is_response_role
from toolconv.dialects.responses import responses_in
from toolconv.dialects.steps import STEPS, Step, steps_of
from toolconv.dialects.turn_reader import TurnReader

CALL_FORMATS = ("<tool_call>\n{", "<tool_call>\n<function=")
"""How the calls begin that texts with ``<tools>`` ask for: those of Hermes and of Qwen3-Coder."""

IN_TEXT: Final = "a call in a text of a row whose calls are structure"
"""Why a call is dropped that only a text makes."""
_OPENING: Final = frozenset("{(=")
"""What opens the arguments of a call."""


def parse_turns(
    conversation: Conversation,
    reader: TurnReader,
    *,
    strict: bool = False,
    in_reasoning: bool = False,
    keep_prompt: bool = False,
    responses_read: bool = False,
) -> None:
    """Turn the markup of a conversation into structure: declared tools, calls, reasoning, tool responses.

    Where a turn has structured calls, the texts of all are text: a call that a marker begins, or that is in a list of
    nothing but calls, is counted as dropped, and stays. One that its turn makes as structure, too, is a copy. A turn in
    parts that are all text is one text, if it holds calls, declarations or responses.

    Args:
        conversation: what to read; it is changed.
        reader: reads the texts.
        strict: a turn that needs a repair keeps its text and counts as dropped.
        in_reasoning: outputs begin inside a reasoning block; so does any other turn that closes one.
        keep_prompt: texts that declare tools stay as they are.
        responses_read: turns with the role ``tool`` are left alone.
    """
    conversation.unparsed = [*conversation.unparsed, *(message.get("content") for message in conversation.messages)]
    dialect = reader.dialect
    tools = conversation.declared
    if not tools.tools:
        find_tools(conversation, reader.named or reader.default, keep=keep_prompt)
        tools = conversation.declared
    row = conversation.row
    output = row["messages"][-1] if conversation.text_key is not None and row["messages"] else None
    structured = [message for message in row["messages"] if message.get("tool_calls")]
    messages: list[Message] = []
    dropped = {each.text: each for each in conversation.notes.dropped if each.text}  # by the layout
    for number, message in enumerate(row["messages"]):
        role, content = message.get("role"), message.get("content")
        if role == "assistant" and message.get("tool_calls"):
            if content:
                read = _as_text(text_of(content)[0], reader, tools, beside=calls_of(message))
                conversation.notes.dropped += read.dropped
        elif role == "assistant":
            if type(content) is list:
                text, whole = text_of(content)
                if whole and may_show_calls(text) and reader.read(text, tools).calls:
                    if structured:
                        conversation.notes.dropped += _as_text(text, reader, tools).dropped
                    else:
                        conversation.notes.losses += ["content_parts"] * (not only_text_of(content)[1])
                        message["content"] = content = text
            if isinstance(content, str):
                opened = message is output and (in_reasoning or _opens_reasoning(conversation.prompt, dialect))
                opened = opened or (in_reasoning and dialect.reasoning.close in content)
                if structured:
                    parsed = _as_text(content, reader, tools, opened or None)
                else:
                    parsed = reader.read(content, tools, in_reasoning=opened or None)
                if (before := dropped.get(content)) is not None:
                    if parsed.calls:  # a call that only its markup spells
                        conversation.notes.dropped.remove(before)
                    else:
                        parsed.dropped = []  # it is counted
                steps: list[Step] = []
                if parsed.displaced and conversation.text_key is None:
                    following = row["messages"][number + 1] if number + 1 < len(row["messages"]) else None
                    steps = steps_of(parsed, dialect, answered=following is not None and _answers(following, dialect))
                _parse_turn(message, parsed, dialect, conversation.notes, strict, steps)
                if parsed.dialect is not None and parsed.calls and reader.named is None:
                    dialect = get(parsed.dialect)  # in which the responses are
                messages.append(message)
                for step in steps[1:] if "tool_calls" in message else ():
                    messages += step.messages()
                continue
        elif responses_read and role == "tool":
            pass
        elif isinstance(role, str) and (role == "user" or _may_respond(role)):
            given = content if type(content) is str else _whole(content)
            responses = None if given is None else dialect.chat.read_responses(role, given)
            if responses is None and given is not None and role == "user" and _awaits(messages):
                responses = responses_in(given, dialect)
                conversation.notes.repairs += [STEPS] * (responses is not None)
            if responses is not None:
                conversation.notes.losses += ["content_parts"] * (not only_text_of(content)[1])
                messages += responses
                continue
            if role != "user" and given is not None:
                message["role"] = "tool"
        messages.append(message)
    row["messages"] = messages
    number_calls(messages)


def _whole(content: Any) -> str | None:
    """The text of a content in parts that are all text; ``None`` for any other."""
    text, whole = text_of(content) if type(content) is list else ("", False)
    return text if whole else None


def _as_text(
    text: str,
    reader: TurnReader,
    tools: ToolIndex,
    in_reasoning: bool | None = None,
    beside: Sequence[dict[str, Any]] = (),
) -> Parsed:
    """A turn of a row whose calls are structure: calls in its text are dropped ones, except those ``beside`` it."""
    if not begins_calls(text) and not _is_list_of_calls(text):
        return reader.read_prose(text, in_reasoning)
    read = reader.read(text, tools, in_reasoning=in_reasoning)
    if beside:  # a marker alone is what is left of a call that became structure
        read.dropped = [each for each in read.dropped if not _OPENING.isdisjoint(each.text)]
    if not read.calls:
        return read
    made = {_signature(call["function"].get("name"), call["function"].get("arguments")) for call in beside}
    calls = [
        text[part.start : part.end].strip() or text
        for part in parts_of(read, text)
        if part.call is not None and _signature(part.call.name, part.call.arguments) not in made
    ]
    kept = tuple(name for name in read.displaced if name in ("call_in_reasoning", "shown_call"))
    return Parsed(text, dropped=[*(Dropped(IN_TEXT, call) for call in calls), *read.dropped], displaced=kept)


def _signature(name: Any, arguments: Any) -> str:
    """A call for comparison."""
    return f"{name} {jsontext.dumps_sorted(jsontext.opened(arguments))!r}"


def _is_list_of_calls(text: str) -> bool:
    """Whether a text may be a list of nothing but calls in Python's notation, which no data in JSON is."""
    return text[:1] == "[" and text.endswith(")]")


def _may_respond(role: str) -> bool:
    """Whether turns of a role feed results back."""
    return role not in SYSTEM_ROLES and is_response_role(role)


def _awaits(messages: Sequence[Message]) -> bool:
    """Whether calls precede the next message, and nothing else but results of them."""
    last = next((message for message in reversed(messages) if message.get("role") != "tool"), None)
    return last is not None and bool(last.get("tool_calls"))


def _answers(message: Message, dialect: Dialect) -> bool:
    """Whether a message feeds a result back."""
    role, content = message.get("role"), message.get("content")
    if role == "tool" or (isinstance(role, str) and role != "user" and _may_respond(role)):
        return True
    return role == "user" and isinstance(content, str) and dialect.chat.read_responses(role, content) is not None


def _parse_turn(
    message: Message, parsed: Parsed, dialect: Dialect, notes: Notes, strict: bool, steps: Sequence[Step]
) -> None:
    """Put the parts of a turn into its message; of a turn of several ``steps``, those of the first."""
    if steps:
        parsed = steps[0].first_of(parsed)
    if parsed.dropped:
        notes.dropped.extend(parsed.dropped)
    if parsed.repairs:
        if strict:
            needed = ", ".join(dict.fromkeys(parsed.repairs))
            notes.dropped.append(Dropped(f"needs repairs: {needed}", message["content"]))
            return
        notes.repairs.extend(parsed.repairs)
    notes.losses.extend(parsed.displaced)
    message["content"] = parsed.content
    if parsed.reasoning is not None:
        own = message.get("reasoning_content")
        apart = own and own != parsed.reasoning
        message["reasoning_content"] = f"{own}\n\n{parsed.reasoning}" if apart else parsed.reasoning
    if parsed.calls:
        message["tool_calls"] = calls = []
        name = parsed.dialect or dialect.name
        for call in parsed.calls:
            calls.append(call.to_canonical())
            notes.untyped += call.untyped
            notes.text_dialects.append(call.dialect or name)
        notes.assumed += parsed.assumed


def find_tools(conversation: Conversation, dialect: Dialect | None, *, keep: bool) -> None:
    """Find the tools that a text of a conversation without ``tools`` declares.

    What a dialect would write identically is removed from the text; any other wording stays, so that writing the
    conversation in the same dialect gives the same text.

    Args:
        conversation: it gets the tools.
        dialect: the dialect of its texts, if it is known.
        keep: leave the texts as they are.
    """
    message, found = _declaring(conversation, dialect)
    if found is None:
        return
    if message is not None and found.rest is not None and not keep:
        message["content"] = found.rest
        if not found.rest and message.keys() == {"role", "content"}:
            conversation.messages.remove(message)  # a turn that only declared tools
    _set_tools(conversation, found.tools)


def attach_tools(conversation: Conversation, tools: list[Tool], dialect: Dialect | None) -> bool:
    """Give a conversation these tools if it declares none, neither as structure nor in a text; whether it got them.

    Args:
        conversation: a conversation whose texts were not read yet.
        tools: the tools.
        dialect: the dialect of its texts, if it is known.
    """
    if conversation.row.get("tools") or _declaring(conversation, dialect)[1] is not None:
        return False
    _set_tools(conversation, tools)
    return True


def _declaring(conversation: Conversation, dialect: Dialect | None) -> tuple[Message | None, Stated | None]:
    """The tools that a text declares, and its message.

    This is the system text, a declaration before the first question, or the prompt of a completion row.
    """
    for message in conversation.messages:
        role, content = message.get("role"), message.get("content")
        if role not in STATING_ROLES:
            break
        text = content if type(content) is str else _whole(content)
        if text is not None and (found := stated_tools(text, dialect, is_question=role == "user")):
            message["content"] = text
            return message, found
        if role == "user":
            break
    prompt = conversation.prompt
    return None, None if prompt is None else stated_tools(prompt, dialect)


def _set_tools(conversation: Conversation, tools: list[Tool]) -> None:
    if "tools" in conversation.row:
        conversation.row["tools"] = list(tools)
    else:
        conversation.row = insert_before(conversation.row, "messages", "tools", list(tools))


def _opens_reasoning(prompt: str | None, dialect: Dialect) -> bool:
    """Whether the prompt of a completion row ends inside a reasoning block."""
    opened = prompt.rfind(dialect.reasoning.open) if prompt is not None else -1
    return prompt is not None and opened >= 0 and opened > prompt.rfind(dialect.reasoning.close)


def render_turns(
    conversation: Conversation, dialect: Dialect, response_role: str | None = None, *, keep_prompt: bool = False
) -> None:
    """Write a conversation in a dialect: plain messages, tools declared in the system turn.

    Args:
        conversation: canonical; it gets a new row with new messages, its tools go into the text. What the dialect
            can't carry is added to ``notes.losses``.
        dialect: the dialect of calls, tools and responses.
        response_role: the role for turns that hold tool responses, where the layout has one of its own.
        keep_prompt: what the source's texts say about tools stays.

    Raises:
        RenderError: the arguments of a call are not an object.
    """
    notes, tools = conversation.notes, conversation.declared
    conversation.row = dict(conversation.row)
    if tools.tools and conversation.text_key is None:
        _declare(conversation, dialect, keep_prompt)
    row = conversation.row
    row["messages"] = paired_in_text(row["messages"], dialect, notes)
    spoken, ids = spoken_calls(row["messages"], dialect, notes)
    messages: list[Message] = []
    responses: list[Message] = []
    for index, message in enumerate(row["messages"]):
        role = message.get("role")
        if role == "tool":
            responses.append(with_id(message, ids))
            continue
        if responses:
            messages += _respond(responses, dialect, response_role, notes)
            responses = []
        if role == "assistant":
            message = _rendered(message, spoken.get(index, []), dialect, tools, notes)
        messages.append(message)
    if responses:
        messages += _respond(responses, dialect, response_role, notes)
    row["messages"] = messages


def paired_in_text(messages: list[Message], dialect: Dialect, notes: Notes) -> list[Message]:
    """The messages with results in the order that says which call each answers, in a dialect without ids."""
    return messages if dialect.carries_ids else without_ids(messages, notes, named="{name}" in dialect.chat.response)


def spoken_calls(
    messages: Sequence[Message], dialect: Dialect, notes: Notes
) -> tuple[dict[int, list[ToolCall]], dict[str, str]]:
    """The calls of each assistant turn, by its index, with their ids in a dialect; and the new id of each changed id.

    The ids and the further keys of calls that the dialect can't carry are added to ``notes.losses``.

    Raises:
        RenderError: the arguments of a call are not an object.
    """
    spoken: dict[int, list[ToolCall]] = {}
    ids: dict[str, str] = {}
    count = 0
    for index, message in enumerate(messages):
        if not message.get("tool_calls") or message.get("role") != "assistant":
            continue
        calls: list[ToolCall] = []
        for item in calls_of(message):
            try:
                call = ToolCall.from_openai(item)
            except ValueError as error:
                raise RenderError(str(error)) from None
            given = call.id
            call.id = written = dialect.call_id(call, count)
            count += 1
            if given is not None:
                if written != given or ids:
                    ids[given] = written or ""
                if (written != given or not dialect.carries_ids) and not _made_up(given):
                    notes.losses.append("call_id")
            if call.extra or len(item["function"]) > 2:
                notes.losses.append("call_keys")
            calls.append(call)
        spoken[index] = calls
    return spoken, ids


def _declare(conversation: Conversation, dialect: Dialect, keep_prompt: bool) -> None:
    """Put the declared tools into the system turn, unless its text already declares them in a way that fits."""
    chat, tools = dialect.chat, conversation.tools
    declaration, whole = chat.declaration(tools)
    if not whole:
        conversation.notes.losses.append("tool_schema")
    messages = conversation.messages
    content = messages[0].get("content") if messages and messages[0].get("role") in SYSTEM_ROLES else None
    declared = isinstance(content, str) and _declares(content, tools, dialect)
    if not declared:
        lift_prompts(conversation, keep=keep_prompt, rewritten=True)
    messages = conversation.messages
    del conversation.row["tools"]
    if declared:
        return
    system = messages[0] if messages and messages[0].get("role") in SYSTEM_ROLES else None
    if system is None or not isinstance(system.get("content"), str):
        conversation.row["messages"] = [{"role": "system", "content": declaration}, *messages]
        return
    if not system["content"]:
        conversation.notes.losses.append("empty_system")
    system = {**system, "content": chat.with_declaration(system["content"], declaration)}
    conversation.row["messages"] = [system, *messages[1:]]


def _declares(system: str, tools: list[Tool], dialect: Dialect) -> bool:
    """Whether a system text already declares tools as a dialect does, or in ``<tools>`` and asks for its calls."""
    chat = dialect.chat
    if (found := chat.read_declaration(system)) is not None:
        return found[1] == tools
    if "<tools>" not in system or "<tools>" not in chat.tools_open:
        return False
    stated = stated_tools(system)
    if stated is None or stated.rest is not None or stated.tools != tools:
        return False
    written = dialect.render([ToolCall("f", {"a": ""})])
    return any(opening in system and opening in written for opening in CALL_FORMATS)


def _rendered(message: Message, calls: list[ToolCall], dialect: Dialect, tools: ToolIndex, notes: Notes) -> Message:
    """An assistant turn as text; what is lost when it is read back is added to ``notes.losses``."""
    content, reasoning = message.get("content"), message.get("reasoning_content")
    if type(content) is not str:
        content, _ = one_text(content, notes)
    if type(reasoning) is not str:
        reasoning = None
    text = dialect.render_turn(content, reasoning, calls) if calls or reasoning else content
    if text and not certainly_round_trips(dialect, content, reasoning, calls, tools):
        notes.losses += lost_in(text, dialect, content, reasoning, calls, tools)
    if text is message.get("content"):
        return message
    message = {**message, "content": text}
    message.pop("tool_calls", None)
    message.pop("reasoning_content", None)
    return message


def _made_up(call_id: str) -> bool:
    """Whether an id is one of those that toolconv gives to calls without one."""
    return call_id.startswith("call_") and call_id[5:].isdigit()


def with_id(message: Message, ids: dict[str, str]) -> Message:
    """A tool response that names its call by the id that the call has in the text."""
    new = ids.get(str(message.get("tool_call_id")))
    return {**message, "tool_call_id": new} if new else message


def _respond(responses: list[Message], dialect: Dialect, role: str | None, notes: Notes) -> list[Message]:
    """The turns that feed tool responses back."""
    for message in responses:
        if not message.keys() <= {"role", "content", "tool_call_id", "name"}:
            notes.losses.append("response_keys")
        content = message.get("content")
        if isinstance(content, list) and dialect.chat.json_results:
            notes.losses.append("content_parts")
        else:
            one_text(content, notes)
    if not dialect.chat.shows_results:
        notes.losses.append("response_role")
    if not dialect.chat.separates_results(responses):
        notes.losses.append("response_borders")
    turns = dialect.chat.write_responses(responses)
    if role is not None:
        for turn in turns:
            turn["role"] = role
    return turns
