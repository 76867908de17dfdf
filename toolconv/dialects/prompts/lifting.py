"""Takes what the source's texts say about tools out of a conversation, for targets that say it in their own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Tool
from toolconv.core.tools import function_of
from toolconv.dialects.chat import read_tools
from toolconv.dialects.prompts.stated_tools import known_chats, may_instruct, stated_tools

if TYPE_CHECKING:
    from toolconv.dialects.prompts.tool_prompt import Prompt

STATING_ROLES: Final = (*SYSTEM_ROLES, "user")
"""The roles of turns before the first answer, which may declare tools."""


REMOVED: Final = "instructions_removed"
"""The repair of a text that says of tools what the target says in its own words."""


def lift_prompts(conversation: Conversation, *, keep: bool = False, rewritten: bool = False) -> None:
    """Take what the texts before the first answer say about tools out, since the target says it in its own words.

    What goes is counted (repair ``instructions_removed``), and so is what stays: declarations as
    ``tools_declared_twice``, and markup for calls as ``call_format``. A turn that says nothing else goes. Without
    declared tools nothing is taken out, since they may be in the text alone.

    Args:
        conversation: it gets new messages.
        keep: only count.
        rewritten: the target says the same in a system text, so what goes is not counted.
    """
    messages = conversation.messages
    if conversation.text_key is not None or not messages or messages[0].get("role") not in STATING_ROLES:
        return
    tools = conversation.tools
    if not tools:
        if not conversation.notes.text_dialects:
            return  # calls have the form that they had
        keep = True
    for at, message in enumerate(messages):
        role, content = message.get("role"), message.get("content")
        if role not in STATING_ROLES:
            break
        is_question = role == "user"
        prompt = None
        if isinstance(content, str) and ("{" in content if is_question else may_instruct(content)):
            from toolconv.dialects.prompts.tool_prompt import without_prompt  # whose patterns few runs need

            prompt = without_prompt(content, is_question=is_question)
        if isinstance(content, str) and prompt is not None:
            own = None if keep else own_text(content, prompt, tools)
            if prompt.declares or (prompt.tools and own is None):
                conversation.notes.losses.append("tools_declared_twice")
            is_stated = prompt.tools or prompt.declares
            if prompt.markup or (own is None and (prompt.shows_calls or not is_stated)):
                conversation.notes.losses.append("call_format")
            if own is not None:
                if not rewritten:
                    conversation.notes.repairs.append(REMOVED)
                if messages is conversation.messages:
                    messages = list(messages)
                emptied = not own and message.keys() == {"role", "content"}
                messages[at] = {} if emptied else {**message, "content": own}
        if is_question:
            if isinstance(content, str) and prompt is None and "{" in content and _states(content, tools):
                conversation.notes.losses.append("tools_declared_twice")
            break
    if messages is not conversation.messages:
        conversation.row = {**conversation.row, "messages": [message for message in messages if message]}


def _states(question: str, tools: list[Tool]) -> bool:
    """Whether a question states one of the declared tools, in words that no rule takes out."""
    found = stated_tools(question)
    names = {str((function_of(tool) or {}).get("name")) for tool in tools}
    return found is not None and any((function_of(tool) or {}).get("name") in names for tool in found.tools)


def own_text(text: str, prompt: Prompt, tools: list[Tool]) -> str | None:
    """A text without what is about tools; ``None`` if that would change nothing, or lose tools that aren't declared.

    Args:
        text: the text.
        prompt: what :func:`without_prompt` found in it.
        tools: the tools that are declared elsewhere.
    """
    return prompt.own if prompt.own != text and _are_declared(prompt.tools, tools, text) else None


def _are_declared(stated: list[Tool], tools: list[Tool], text: str) -> bool:
    """Whether the tools that ``text`` states are among ``tools``, as far as the notation of the text holds them."""
    if stated == tools:
        return True
    facts = [_facts(tool) for tool in tools]
    if all(_facts(tool) in facts for tool in stated):
        return True
    for chat in known_chats():
        if chat.read is not read_tools and chat.tools_open in text:
            held = chat.read(chat.write_list(tools))
            if held and all(tool in held for tool in stated):
                return True
    found = stated_tools(text)
    return found is not None and found.tools == tools


def _facts(tool: Tool) -> object:
    """A tool without what notations leave out: null and empty members."""
    function = function_of(tool) or tool
    return {key: value for key, value in function.items() if value not in (None, "", {}, []) and key != "type"}
