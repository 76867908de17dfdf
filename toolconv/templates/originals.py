"""What the original chat templates of built-in families lose or refuse, and toolconv writes.

A trainer or a server uses the original. So ``lint --target NAME`` answers for it, and ``toolconv templates NAME`` lists
these deviations. Everything else of a text is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final, NamedTuple

from toolconv.core.conversation import Conversation, calls_of
from toolconv.core.tools import function_of


class Deviation(NamedTuple):
    """What an original does to some conversations.

    Attributes:
        effect: what it does, for users.
        applies: whether it does that to a conversation.
    """

    effect: str
    applies: Callable[[Conversation], bool]


def _several_calls(conversation: Conversation) -> bool:
    return any(len(calls_of(message)) > 1 for message in conversation.messages)


def _prose_with_calls(conversation: Conversation) -> bool:
    return any(calls_of(message) and message.get("content") for message in conversation.messages)


def _prose_and_reasoning_with_calls(conversation: Conversation) -> bool:
    return any(
        calls_of(message) and message.get("content") and message.get("reasoning_content")
        for message in conversation.messages
    )


def _parts_in_result(conversation: Conversation) -> bool:
    return any(
        message.get("role") == "tool" and isinstance(message.get("content"), list) for message in conversation.messages
    )


def _empty_result(conversation: Conversation) -> bool:
    return any(message.get("role") == "tool" and not message.get("content") for message in conversation.messages)


def _user_after_result(conversation: Conversation) -> bool:
    roles = [message.get("role") for message in conversation.messages]
    return any(pair == ("tool", "user") for pair in pairwise(roles))


def _no_tools(conversation: Conversation) -> bool:
    return not conversation.tools


def _calls_without_tools(conversation: Conversation) -> bool:
    return not conversation.tools and any(calls_of(message) for message in conversation.messages)


def _tool_without_parameters(conversation: Conversation) -> bool:
    functions = [function_of(tool) for tool in conversation.tools]
    return any(function is not None and "parameters" not in function for function in functions)


def _no_user_turn(conversation: Conversation) -> bool:
    return all(message.get("role") != "user" for message in conversation.messages)


def _parts(conversation: Conversation) -> bool:
    return any(
        message.get("role") != "tool" and isinstance(message.get("content"), list) for message in conversation.messages
    )


def _single_call(conversation: Conversation) -> bool:
    return any(len(calls_of(message)) == 1 for message in conversation.messages)


def _three_calls(conversation: Conversation) -> bool:
    return any(len(calls_of(message)) > 2 for message in conversation.messages)


def _rounds(conversation: Conversation) -> bool:
    return sum(bool(calls_of(message)) for message in conversation.messages) > 1


def _developer(conversation: Conversation) -> bool:
    return any(message.get("role") == "developer" for message in conversation.messages)


def _late_system(conversation: Conversation) -> bool:
    return any(message.get("role") in ("system", "developer") for message in conversation.messages[1:])


def _calls_last(conversation: Conversation) -> bool:
    return bool(conversation.messages) and bool(calls_of(conversation.messages[-1]))


def _answers_last(conversation: Conversation) -> bool:
    return bool(conversation.messages) and conversation.messages[-1].get("role") == "assistant"


def _closes_thinking(conversation: Conversation) -> bool:
    return any(
        message.get("role") == "assistant"
        and isinstance(content := message.get("content"), str)
        and "</think>" in content
        and not message.get("reasoning_content")
        for message in conversation.messages
    )


def _answer_closes_thinking(conversation: Conversation) -> bool:
    return any(
        message.get("role") == "assistant" and not calls_of(message) and "</think>" in str(message.get("content"))
        for message in conversation.messages
    )


_PYTHON_PARTS = Deviation("prints Python's list for results that are content parts", _parts_in_result)
_JSON_PARTS = Deviation("prints JSON for results that are content parts", _parts_in_result)
_REFUSES_PARTS = Deviation("refuses results that are content parts", _parts_in_result)
_DROPS_PARTS = Deviation("leaves out results that are content parts", _parts_in_result)
_FIRST_CALL = Deviation("writes only the first of parallel calls", _several_calls)
_REFUSES_BOTH = Deviation("refuses calls with both prose and reasoning", _prose_and_reasoning_with_calls)
_REFUSES_SEVERAL = Deviation("refuses several calls in a turn", _several_calls)
_REFUSES_USER = Deviation("refuses a user's turn that follows a result", _user_after_result)
_REFUSES_BARE_TOOL = Deviation("refuses a tool without parameters", _tool_without_parameters)
_REFUSES_ALL_PARTS = Deviation("refuses turns that are content parts", _parts)
_DROPS_ALL_PARTS = Deviation("leaves out the text of turns that are content parts", _parts)
_DROPS_DEVELOPER = Deviation("leaves out the text of the role developer", _developer)
_FIRST_PART = Deviation("writes only the first text of content parts", _parts_in_result)
_REFUSES_DEVELOPER = Deviation("refuses the role developer", _developer)
_UNCLOSED = (
    Deviation("leaves out calls next to prose", _prose_with_calls),
    Deviation("never closes the section of a single call", _single_call),
    Deviation("closes the section behind each call after the first", _three_calls),
    Deviation("neither opens nor closes the sections of later rounds", _rounds),
    _REFUSES_PARTS,
    _REFUSES_ALL_PARTS,
    _DROPS_DEVELOPER,
)
_DROPS_LATE_SYSTEM = Deviation("leaves out system texts after the first message", _late_system)
_SPLITS_THINKING = Deviation("takes what precedes </think> in an answer as reasoning", _closes_thinking)

DEVIATIONS: Final[dict[str, tuple[Deviation, ...]]] = {
    "apertus": (_PYTHON_PARTS,),
    "apriel-1.6": (
        _FIRST_PART,
        _DROPS_DEVELOPER,
        Deviation("repeats its own prompt and the tools before a later system text", _late_system),
    ),
    "command-a": (_REFUSES_BARE_TOOL,),
    "deepseek-r1-distill": (
        *_UNCLOSED,
        Deviation("keeps only the last of several system texts", _late_system),
        Deviation("leaves out what precedes </think> in an answer", _answer_closes_thinking),
    ),
    "deepseek-v2.5": _UNCLOSED,
    "deepseek-v3": (
        _REFUSES_PARTS,
        _REFUSES_ALL_PARTS,
        _DROPS_DEVELOPER,
        Deviation("leaves out what precedes </think> in an answer", _answer_closes_thinking),
    ),
    "deepseek-v3.1": (_REFUSES_PARTS,),
    "devstral-2": (_PYTHON_PARTS,),
    "exaone-4.0": (
        Deviation("prints Python's list for turns that are content parts", _parts),
        _REFUSES_DEVELOPER,
        _SPLITS_THINKING,
    ),
    "exaone-4.5": (_JSON_PARTS,),
    "functiongemma": (Deviation("leaves out empty results", _empty_result),),
    "gigachat-3.1": (_FIRST_CALL, _JSON_PARTS, Deviation("writes the role developer under its own name", _developer)),
    "glm-4.6": (_PYTHON_PARTS, _DROPS_DEVELOPER, _SPLITS_THINKING),
    "glm-4.6v": (Deviation("writes no line break behind results that are content parts", _parts_in_result),),
    "glm-4.7": (_PYTHON_PARTS,),
    "gpt-oss": (
        _FIRST_CALL,
        _REFUSES_BOTH,
        _DROPS_LATE_SYSTEM,
        _REFUSES_ALL_PARTS,
    ),
    "gpt-oss-safeguard": (_FIRST_CALL, _REFUSES_BOTH),
    "hermes": (
        _PYTHON_PARTS,
        _REFUSES_BARE_TOOL,
        Deviation("refuses a conversation without tools", _no_tools),
    ),
    "hermes-4": (_PYTHON_PARTS,),
    "hunyuan-a13b": (
        _REFUSES_PARTS,
        Deviation("leaves out calls where no tools are declared", _calls_without_tools),
    ),
    "hyperclovax-think-32b": (_PYTHON_PARTS, _DROPS_DEVELOPER, _SPLITS_THINKING),
    "laguna-s-2.1": (_DROPS_PARTS, _DROPS_ALL_PARTS, _DROPS_DEVELOPER),
    "ling-3": (_DROPS_PARTS,),
    "llama-3.1": (_REFUSES_SEVERAL,),
    "llama-3.2": (_REFUSES_SEVERAL,),
    "llama-nemotron-super-1.5": (_PYTHON_PARTS, _DROPS_LATE_SYSTEM),
    "llm-jp-4": (_FIRST_CALL, _REFUSES_BOTH),
    "longcat-flash": (_REFUSES_BARE_TOOL,),
    "midm-2.0": (_PYTHON_PARTS,),
    "mimo-v2-flash": (_PYTHON_PARTS,),
    "ministral-3-14b": (_PYTHON_PARTS,),
    "ministral-3-3b": (_PYTHON_PARTS,),
    "ministral-3-8b": (_PYTHON_PARTS,),
    "ministral-3-reasoning": (_PYTHON_PARTS,),
    "mistral-7b-v0.3": (_PYTHON_PARTS, _REFUSES_USER),
    "mistral-large-3": (_PYTHON_PARTS,),
    "mistral-nemo": (_PYTHON_PARTS, _REFUSES_USER),
    "nemotron-3": (_PYTHON_PARTS,),
    "nemotron-3-ultra": (_PYTHON_PARTS,),
    "nemotron-labs-diffusion": (_PYTHON_PARTS,),
    "nemotron-nano-v2": (
        _PYTHON_PARTS,
        _DROPS_LATE_SYSTEM,
        Deviation("leaves out the calls of the last turn", _calls_last),
        Deviation("opens a thought before the last answer, and never closes it", _answers_last),
    ),
    "olmo-3": (_REFUSES_PARTS,),
    "phi4-mini": (_PYTHON_PARTS, Deviation("leaves out calls next to prose", _prose_with_calls)),
    "qwen2.5": (_PYTHON_PARTS, _REFUSES_ALL_PARTS, _DROPS_DEVELOPER),
    "qwen3": (_PYTHON_PARTS, _DROPS_ALL_PARTS, _DROPS_DEVELOPER, _SPLITS_THINKING),
    "qwen3-coder": (_PYTHON_PARTS,),
    "qwen3-coder-earlier": (_PYTHON_PARTS,),
    "qwen3-coder-next": (_PYTHON_PARTS,),
    "qwen3-instruct-2507": (_DROPS_PARTS, _DROPS_ALL_PARTS, _DROPS_DEVELOPER),
    "qwen3-thinking-2507": (_DROPS_PARTS,),
    "qwen3.5": (
        Deviation("refuses a conversation without a user's turn", _no_user_turn),
        _REFUSES_DEVELOPER,
        Deviation("refuses system texts after the first message", _late_system),
        _SPLITS_THINKING,
    ),
    "qwq-32b": (_PYTHON_PARTS,),
    "seed-oss": (_REFUSES_BARE_TOOL, _REFUSES_PARTS),
    "solar-open-100b": (
        _PYTHON_PARTS,
        _DROPS_DEVELOPER,
        Deviation("moves later system texts to the first", _late_system),
    ),
    "solar-open-2": (_REFUSES_PARTS,),
    "step-audio-r1.1": (_PYTHON_PARTS,),
    "step3": (Deviation("writes later system texts also at the front", _late_system),),
    "trinity-large": (_PYTHON_PARTS,),
    "zaya-applescript": (_PYTHON_PARTS,),
}
"""The deviations by the template's name. ``tests/golden_deviations.toml`` lists the conversations that show them."""


def deviations(name: str, conversation: Conversation) -> list[str]:
    """What the original of a template does to a conversation, for users."""
    return [each.effect for each in DEVIATIONS.get(name, ()) if each.applies(conversation)]
