"""Who speaks: the names that rows give to speakers, in any case, and the roles that they mean.

A layout's own names come first; this table is for all others. A name that is in neither stays as it is, and counts as a
loss (``unknown_role``): no target knows whose words these are.

Source: the dataset formats of LLaMA-Factory, axolotl, FastChat (``bard``, ``bing``, ``chatgpt``) and ms-swift; the
roles of OpenAI, Gemini, Cohere, LangChain, AutoGen and Flowise (``apiMessage``); Anthropic's older prompts (``Human``,
``Assistant``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, Final

from toolconv.core.calls import NotACall
from toolconv.core.conversation import Conversation
from toolconv.core.key_words import SYSTEMS
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import replace_key
from toolconv.layouts.bare_calls import read_calls

CALL: Final = "call"
"""The meaning of a speaker whose turns hold calls. The other meanings are the canonical roles."""

ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
"""The roles of a canonical conversation."""

_NAMES: Final = {
    "system": "sys system_prompt instruction instructions sistema système systeem система 系统 系統 システム 시스템",
    "user": "human person customer client prompter question user_prompt benutzer nutzer kunde usuario usuário cliente "
    "utilisateur utente gebruiker пользователь клиент 用户 用戶 使用者 客户 ユーザー 사용자",
    "assistant": "gpt ai bot model chatbot chatgpt bard bing claude gemini llama llm agent answer response "
    "ai_assistant virtual_assistant api_message assistent asistente assistente ассистент помощник "
    "助手 助理 アシスタント 어시스턴트",
    "tool": "function observation observations ipython environment env api tool_response tool_result tool_output "
    "function_response function_result function_output api_response tool_results tools result results execution "
    "function_return tool_message tool_return tool_execution_result execution_environment tool_call_result "
    "tool_call_output function_call_result function_call_output werkzeug herramienta outil ferramenta strumento "
    "инструмент 工具 ツール 도구",
    CALL: "function_call tool_call function_calls tool_calls api_call api_request tool_use tool_call_invocation",
}
"""The names of speakers, by what they mean, in small letters, with ``_`` between words, and in some languages."""

SPEAKERS: Final = {
    **{role: role for role in ROLES},
    **{name: meaning for meaning, names in _NAMES.items() for name in names.split()},
}
"""The meaning of each name."""


ASKING: Final = {"q": "user", "a": "assistant"}
"""Names that mean a speaker only where both speak."""

OTHER_KEYS: Final = ("speaker", "from", "sender", "author")
"""Keys of a speaker other than ``role``."""
ROLE_KEYS: Final = frozenset(("role", *OTHER_KEYS))
"""Keys of a speaker, in small letters."""

REPAIR: Final = "role_name"
"""The repair of a role that has another name than its layout gives it."""


_ENUM: Final = lazy_re(r"^(?:[a-z]+_)?role[._:]+")
"""What an enumeration writes before its names: ``ROLE_USER`` and ``MessageRole.USER``."""


LONGEST: Final = 200
"""No speaker has a longer name, in characters; an image in a row is a text of millions."""


def meaning_of(name: str) -> str | None:
    """The role that a name means, or :data:`CALL`; ``None`` for a name that is not known."""
    return _meaning(name) if len(name) <= LONGEST else None


@lru_cache(maxsize=1024)
def _meaning(name: str) -> str | None:
    words = "".join(f"_{letter}" if letter.isupper() and name[at - 1 : at].islower() else letter
                    for at, letter in enumerate(name.strip()))  # fmt: skip
    plain = _ENUM.sub("", words.lower().replace("-", "_").replace(" ", "_").strip("_:"))
    for ending in ("", "_message", "_turn"):
        if (meaning := SPEAKERS.get(plain.removesuffix(ending))) is not None:
            return meaning
    return None


def asks_and_answers(names: Collection[str]) -> bool:
    """Whether the names of all speakers are ``Q`` and ``A``."""
    return len(names) == len(ASKING) and {name.lower() for name in names} == ASKING.keys()


def are_both(meanings: Set[str | None]) -> bool:
    """Whether a user speaks, and an assistant or one who writes its calls."""
    return "user" in meanings and not meanings.isdisjoint(("assistant", CALL))


def in_any_case(names: Mapping[str, str] | None) -> Mapping[str, str]:
    """The user's table of names of speakers, with each name in small letters."""
    return {name.lower(): role for name, role in (names or {}).items()}


def renamed(names: Mapping[str, str], name: Any) -> Any:
    """The role that a speaker's name means by a table of :func:`in_any_case`; the name itself if that has none."""
    return names.get(name.lower(), name) if names and type(name) is str else name


def with_role(message: Message, notes: Notes) -> Message:
    """A message that has a role: if none, the one that another key says; without one, whose words it is is lost."""
    if isinstance(message.get("role"), str) and message["role"]:
        return message
    for key in [key for key in message if key != "role" and key.lower() in ROLE_KEYS]:
        name = message[key]
        if isinstance(name, dict):  # ChatGPT's exports: an author with a role
            name = name.get("role")
        if isinstance(name, str) and (meaning := meaning_of(name)) not in (None, CALL):
            notes.repairs.append(REPAIR)
            return replace_key({each: value for each, value in message.items() if each != "role"}, key, "role", meaning)
    notes.losses.append("unknown_role")
    return message


def without_developer(role: Any, notes: Notes) -> Any:
    """A role for a target that has no ``developer``: it is ``system`` there, a loss (``role``)."""
    if role != "developer":
        return role
    notes.losses.append("role")
    return "system"


def are_known(messages: Sequence[Message]) -> bool:
    """Whether all messages have canonical roles."""
    for message in messages:
        try:
            if message["role"] not in ROLES:
                return False
        except (KeyError, TypeError):  # no role, or one that is not a text
            return False
    return True


def settle_roles(conversation: Conversation) -> None:
    """Give messages whose role is another name of the user, the assistant or the system that role.

    A speaker of calls becomes the assistant with these calls. Other roles stay: the dialects of texts have roles of
    their own for tool responses, and :func:`count_unknown` looks at what is left when the texts are read.
    """
    roles = {role for message in conversation.messages if type(role := message.get("role")) is str}
    pairs = ASKING if asks_and_answers(roles - ROLES) else {}
    for at, message in enumerate(conversation.messages):
        role = message.get("role")
        if type(role) is dict:  # with its own type, as programs write their objects
            names = [name for name in role.values() if type(name) is str and meaning_of(name) is not None]
            if len(names) != 1:
                continue
            role = names[0]
        elif type(role) is not str or role in ROLES:
            continue
        meaning = pairs.get(role.lower()) or meaning_of(role)
        if meaning is None and type(calls := message.get("tool_calls")) is list and calls:
            meaning = "assistant"  # an agent by its name, as only the assistant calls
            message = {**message, "name": message.get("name", role)}
        if meaning == CALL and not message.get("tool_calls"):
            conversation.messages[at] = _called(message, conversation.notes)
        elif meaning not in (None, CALL, "tool") or type(message.get("role")) is dict:
            conversation.messages[at] = {**message, "role": meaning}
            conversation.notes.repairs.append(REPAIR)
            if meaning == "assistant" and message.get("tool_calls"):
                from toolconv.layouts.call_forms import read_calls as read_any_calls

                calls = read_any_calls(message["tool_calls"], conversation.notes)
                conversation.messages[at]["tool_calls"] = calls
                number_calls(conversation.messages)


def take_system(conversation: Conversation) -> None:
    """Make the only system text that a row has next to its messages the first of them, if none of them is one.

    Trainers that read such a column do the same. A single word may be the name of a system; it stays where it is.
    """
    row = conversation.row
    keys = [key for key in row if key in SYSTEMS and type(row[key]) is str and len(row[key].split()) > 1]
    if len(keys) != 1 or conversation.prompt is not None:
        return
    if any(message.get("role") in SYSTEM_ROLES for message in conversation.messages):
        return
    key = keys[0]
    messages = [{"role": "system", "content": row[key]}, *conversation.messages]
    conversation.row = {name: messages if name == "messages" else each for name, each in row.items() if name != key}
    conversation.fields = [RowField(f"/{key}", 1), *conversation.fields]


def count_unknown(messages: Sequence[Message], notes: Notes) -> None:
    """Give tool responses under other names their role; each message whose role is still unknown is a loss."""
    responses = 0
    for message in messages:
        role = message.get("role")
        if type(role) is str and role in ROLES:
            continue
        if type(role) is str and meaning_of(role) == "tool":
            message["role"] = "tool"
            responses += 1
        else:
            notes.losses.append("unknown_role")
    if responses:
        notes.repairs += [REPAIR] * responses
        number_calls(messages)


def _called(message: Message, notes: Notes) -> Message:
    """The message of the assistant for one that holds calls as its content, or among its keys."""
    content = message.get("content")
    if not content and len(message) > len(("role", "content")):
        from toolconv.layouts.call_forms import with_calls

        called = with_calls(message, ("role", "content"), notes) or {**message, "role": "assistant"}
        return {**called, "content": ""}
    try:
        calls = read_calls(content, notes)
    except NotACall as error:
        notes.dropped.append(Dropped(str(error), content if isinstance(content, str) else ""))
        return {**message, "role": "assistant"}
    return {**message, "role": "assistant", "content": "", "tool_calls": calls}
