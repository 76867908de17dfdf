"""What the original chat templates of built-in families lose or refuse, and toolconv writes.

A trainer or a server uses the original. So ``lint --target NAME`` answers for it, and ``toolconv templates NAME`` lists
these deviations. Everything else of a text is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from toolconv.core.conversation import Conversation, Message, calls_of
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


def _two_systems(conversation: Conversation) -> bool:
    roles = [message.get("role") for message in conversation.messages[:2]]
    return len(roles) > 1 and all(role in ("system", "developer") for role in roles)


def _system_after_answer(conversation: Conversation) -> bool:
    roles = [message.get("role") for message in conversation.messages]
    return any(before in ("assistant", "tool") and role == "system" for before, role in pairwise(roles))


def _neighbours(conversation: Conversation) -> bool:
    return any(
        before.get("role") == after.get("role") in ("user", "assistant") and not calls_of(before)
        for before, after in pairwise(conversation.messages)
    )


def _assistant_first(conversation: Conversation) -> bool:
    roles = (message.get("role") for message in conversation.messages)
    return next((role for role in roles if role not in ("system", "developer")), None) == "assistant"


def _tool_without_description(conversation: Conversation) -> bool:
    functions = [function_of(tool) for tool in conversation.tools]
    return any(function is not None and not function.get("description") for function in functions)


def _reasoning(conversation: Conversation) -> bool:
    return any(message.get("reasoning_content") for message in conversation.messages)


def _empty_answer(conversation: Conversation) -> bool:
    return any(
        message.get("role") == "assistant" and not message.get("content") and not calls_of(message)
        for message in conversation.messages
    )


def _blanks_around(conversation: Conversation) -> bool:
    return any(
        isinstance(text := message.get("content"), str) and text != text.strip()
        for message in conversation.messages
        if message.get("role") == "assistant" and not calls_of(message)
    )


def _calls_last(conversation: Conversation) -> bool:
    return bool(conversation.messages) and bool(calls_of(conversation.messages[-1]))


def _answers_last(conversation: Conversation) -> bool:
    return bool(conversation.messages) and conversation.messages[-1].get("role") == "assistant"


def _are_parts(conversation: Conversation, *roles: str) -> bool:
    return any(
        message.get("role") in roles and isinstance(message.get("content"), list) for message in conversation.messages
    )


def _user_parts(conversation: Conversation) -> bool:
    return _are_parts(conversation, "user")


def _system_parts(conversation: Conversation) -> bool:
    return _are_parts(conversation, "system", "developer")


def _answer_parts(conversation: Conversation) -> bool:
    return any(
        message.get("role") == "assistant" and isinstance(message.get("content"), list) and not calls_of(message)
        for message in conversation.messages
    )


def _prose_parts(conversation: Conversation) -> bool:
    return any(calls_of(message) and isinstance(message.get("content"), list) for message in conversation.messages)


def _several_parts(conversation: Conversation) -> bool:
    return any(
        message.get("role") != "tool" and isinstance(content := message.get("content"), list) and len(content) > 1
        for message in conversation.messages
    )


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


_KINDS: Final = {
    "result-python": Deviation("prints Python's list for results that are content parts", _parts_in_result),
    "result-json": Deviation("prints JSON for results that are content parts", _parts_in_result),
    "result-refused": Deviation("refuses results that are content parts", _parts_in_result),
    "result-dropped": Deviation("leaves out results that are content parts", _parts_in_result),
    "result-first-part": Deviation("writes only the first text of content parts", _parts_in_result),
    "result-no-break": Deviation("writes no line break behind results that are content parts", _parts_in_result),
    "result-empty-dropped": Deviation("leaves out empty results", _empty_result),
    "first-call": Deviation("writes only the first of parallel calls", _several_calls),
    "parallel-refused": Deviation("refuses several calls in a turn", _several_calls),
    "both-refused": Deviation("refuses calls with both prose and reasoning", _prose_and_reasoning_with_calls),
    "call-after-prose-dropped": Deviation("leaves out calls next to prose", _prose_with_calls),
    "undeclared-dropped": Deviation("leaves out calls where no tools are declared", _calls_without_tools),
    "last-call-dropped": Deviation("leaves out the calls of the last turn", _calls_last),
    "section-open": Deviation("never closes the section of a single call", _single_call),
    "section-closed-early": Deviation("closes the section behind each call after the first", _three_calls),
    "section-missing": Deviation("neither opens nor closes the sections of later rounds", _rounds),
    "user-after-result-refused": Deviation("refuses a user's turn that follows a result", _user_after_result),
    "no-user-refused": Deviation("refuses a conversation without a user's turn", _no_user_turn),
    "neighbours-refused": Deviation("refuses two turns of the user, or two answers, in a row", _neighbours),
    "assistant-first-refused": Deviation("refuses a conversation that the assistant begins", _assistant_first),
    "assistant-first-joined": Deviation(
        "writes a first turn of the assistant into the text that declares the tools", _assistant_first
    ),
    "bare-tool-refused": Deviation("refuses a tool without parameters", _tool_without_parameters),
    "description-added": Deviation("gives a tool without a description an empty one", _tool_without_description),
    "no-tools-refused": Deviation("refuses a conversation without tools", _no_tools),
    "developer-dropped": Deviation("leaves out the text of the role developer", _developer),
    "developer-refused": Deviation("refuses the role developer", _developer),
    "developer-named": Deviation("writes the role developer under its own name", _developer),
    "late-system-dropped": Deviation("leaves out system texts after the first message", _late_system),
    "late-system-refused": Deviation("refuses system texts after the first message", _late_system),
    "system-between-refused": Deviation("refuses system texts after an answer", _system_after_answer),
    "late-system-named": Deviation("writes system texts after the first message under the name system", _late_system),
    "late-system-moved": Deviation("moves later system texts to the first", _late_system),
    "second-system-joined": Deviation(
        "writes a second system text at the front into the text that declares the tools", _two_systems
    ),
    "late-system-repeats": Deviation("repeats its own prompt and the tools before a later system text", _late_system),
    "last-system": Deviation("keeps only the last of several system texts", _late_system),
    "late-system-doubled": Deviation("writes later system texts also at the front", _late_system),
    "parts-refused": Deviation("refuses turns that are content parts", _parts),
    "parts-dropped": Deviation("leaves out the text of turns that are content parts", _parts),
    "parts-python": Deviation("prints Python's list for turns that are content parts", _parts),
    "parts-json": Deviation("prints JSON for turns that are content parts", _parts),
    "parts-joined": Deviation("writes nothing between several content parts", _several_parts),
    "parts-no-thought": Deviation("writes no empty thought after a question that is content parts", _user_parts),
    "user-parts-refused": Deviation("refuses questions that are content parts", _user_parts),
    "user-parts-python": Deviation("prints Python's list for questions that are content parts", _user_parts),
    "user-parts-dropped": Deviation("leaves out questions that are content parts", _user_parts),
    "system-parts-refused": Deviation("refuses system texts that are content parts", _system_parts),
    "system-parts-python": Deviation("prints Python's list for system texts that are content parts", _system_parts),
    "system-parts-dropped": Deviation("leaves out system texts that are content parts", _system_parts),
    "answer-parts-refused": Deviation("refuses answers that are content parts", _answer_parts),
    "answer-parts-python": Deviation("prints Python's list for answers that are content parts", _answer_parts),
    "answer-parts-dropped": Deviation("leaves out answers that are content parts", _answer_parts),
    "prose-parts-refused": Deviation("refuses prose with calls that is content parts", _prose_parts),
    "prose-parts-python": Deviation("prints Python's list for prose with calls that is content parts", _prose_parts),
    "prose-parts-dropped": Deviation("leaves out prose with calls that is content parts", _prose_parts),
    "system-parts-spaced": Deviation("writes a space behind system texts that are content parts", _system_parts),
    "think-split": Deviation("takes what precedes </think> in an answer as reasoning", _closes_thinking),
    "think-cut": Deviation("leaves out what precedes </think> in an answer", _answer_closes_thinking),
    "think-not-opened": Deviation(
        "writes no empty thought before an answer that holds </think>", _answer_closes_thinking
    ),
    "think-left-open": Deviation("opens a thought before the last answer, and never closes it", _answers_last),
    "reads-thinking": Deviation("leaves out reasoning under 'reasoning_content': it reads 'thinking'", _reasoning),
    "reads-reasoning": Deviation("leaves out reasoning under 'reasoning_content': it reads 'reasoning'", _reasoning),
    "reads-thinking-parts": Deviation(
        "leaves out reasoning under 'reasoning_content': it reads content parts of the type thinking", _reasoning
    ),
    "empty-answer-refused": Deviation("refuses an empty answer", _empty_answer),
    "empty-answer-dropped": Deviation("leaves out an empty answer", _empty_answer),
    "empty-answer-open": Deviation("never ends an empty answer", _empty_answer),
    "blanks-kept": Deviation("keeps white space around an answer", _blanks_around),
}
"""What originals do, by a short name."""

_ORIGINALS: Final = {
    "apertus": "result-python developer-refused late-system-refused parts-refused",
    "apriel-1.6": "result-first-part developer-dropped late-system-repeats",
    "command-a": "bare-tool-refused",
    "deepseek-r1-distill": (
        "call-after-prose-dropped section-open section-closed-early section-missing result-refused parts-refused "
        "developer-dropped last-system think-cut"
    ),
    "deepseek-v2.5": (
        "call-after-prose-dropped section-open section-closed-early section-missing result-refused parts-refused "
        "developer-dropped"
    ),
    "deepseek-v3": "result-refused parts-refused developer-dropped think-cut",
    "deepseek-v3.1": "result-refused developer-dropped parts-refused think-cut",
    "deepseek-v3.1-terminus": "developer-dropped parts-refused think-cut",
    "devstral-2": "result-python developer-refused system-between-refused empty-answer-refused assistant-first-refused",
    "diffusiongemma": "system-parts-spaced",
    "exaone-4.0": "parts-python developer-refused think-split",
    "exaone-4.5": (
        "result-json developer-refused system-parts-python answer-parts-refused prose-parts-refused think-split"
    ),
    "functiongemma": "result-empty-dropped late-system-named",
    "gemma-4": "system-parts-spaced",
    "gemma-4-e4b": "system-parts-spaced",
    "gemma-4-e4b-first": "system-parts-python",
    "gemma-4-first": "system-parts-python",
    "gigachat-3.1": "first-call result-json developer-named parts-json",
    "glm-4.6": "result-python developer-dropped think-split",
    "glm-4.6v": "result-no-break developer-dropped think-split",
    "glm-4.7": "result-python developer-dropped think-split",
    "glm-5.1": "developer-dropped think-split",
    "glm-5.2": "developer-dropped think-split",
    "gpt-oss": "first-call both-refused late-system-dropped parts-refused reads-thinking",
    "gpt-oss-safeguard": (
        "first-call both-refused late-system-dropped user-parts-refused system-parts-python answer-parts-refused "
        "reads-thinking"
    ),
    "granite-4": "developer-dropped",
    "hermes": "result-python bare-tool-refused no-tools-refused developer-dropped parts-refused",
    "hermes-4": (
        "result-python developer-dropped user-parts-refused system-parts-python answer-parts-refused "
        "prose-parts-refused empty-answer-open"
    ),
    "hunyuan-a13b": "result-refused undeclared-dropped",
    "hy3": "developer-dropped",
    "hyperclovax-think-14b": "developer-named empty-answer-dropped description-added blanks-kept",
    "hyperclovax-think-32b": (
        "result-python developer-dropped think-split system-parts-dropped answer-parts-refused prose-parts-refused"
    ),
    "intern-s1-pro": "developer-dropped think-split",
    "kimi-k2": "developer-named",
    "kimi-k2-thinking": "developer-named",
    "kimi-k2.5": "developer-named",
    "kimi-k2.7-code": "developer-named",
    "laguna-s-2.1": "result-dropped parts-dropped developer-dropped",
    "lfm2.5": "developer-named",
    "ling-3": "result-dropped",
    "llama-3.1": "parallel-refused developer-named second-system-joined parts-python assistant-first-joined",
    "llama-3.2": "parallel-refused developer-named second-system-joined parts-python assistant-first-joined",
    "llama-4": "developer-named second-system-joined user-parts-python assistant-first-joined",
    "llama-nemotron-super-1.5": (
        "result-python late-system-dropped developer-dropped user-parts-python system-parts-refused "
        "answer-parts-python prose-parts-python think-cut"
    ),
    "llm-jp-4": (
        "first-call both-refused late-system-dropped user-parts-refused system-parts-python answer-parts-refused "
        "reads-thinking"
    ),
    "longcat-flash": (
        "bare-tool-refused developer-dropped user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-python"
    ),
    "midm-2.0": "result-python developer-dropped parts-python",
    "mimo-v2-flash": (
        "result-python developer-named user-parts-refused system-parts-refused answer-parts-dropped "
        "prose-parts-dropped think-split"
    ),
    "mimo-v2.5": "developer-named think-split",
    "minicpm5": (
        "developer-dropped user-parts-dropped system-parts-refused answer-parts-dropped prose-parts-dropped think-split"
    ),
    "minimax-m2": "developer-dropped late-system-dropped think-split",
    "minimax-m2.1": "developer-dropped late-system-dropped think-split",
    "minimax-m2.5": "developer-dropped late-system-dropped think-split",
    "minimax-m2.7": "developer-dropped late-system-dropped think-split",
    "minimax-m3": "late-system-dropped",
    "ministral-3-14b": (
        "result-python developer-refused system-between-refused empty-answer-refused assistant-first-refused"
    ),
    "ministral-3-3b": (
        "result-python developer-refused system-between-refused empty-answer-refused assistant-first-refused"
    ),
    "ministral-3-8b": (
        "result-python developer-refused system-between-refused empty-answer-refused assistant-first-refused"
    ),
    "ministral-3-reasoning": (
        "result-python developer-refused late-system-refused parts-joined reads-thinking-parts empty-answer-refused "
        "assistant-first-refused neighbours-refused"
    ),
    "mistral-7b-v0.3": (
        "result-python user-after-result-refused developer-refused user-parts-refused answer-parts-python "
        "assistant-first-refused neighbours-refused"
    ),
    "mistral-large-3": (
        "result-python developer-refused system-between-refused empty-answer-refused assistant-first-refused"
    ),
    "mistral-medium-3.5": (
        "developer-refused system-between-refused parts-joined empty-answer-refused assistant-first-refused"
    ),
    "mistral-nemo": (
        "result-python user-after-result-refused developer-refused user-parts-refused answer-parts-refused "
        "assistant-first-refused neighbours-refused"
    ),
    "mistral-small-4": (
        "developer-refused system-between-refused parts-joined empty-answer-refused assistant-first-refused"
    ),
    "nemotron-3": (
        "result-python developer-named user-parts-python system-parts-refused answer-parts-python prose-parts-dropped "
        "think-not-opened"
    ),
    "nemotron-3-ultra": (
        "result-python developer-named user-parts-python system-parts-refused answer-parts-python prose-parts-dropped "
        "think-not-opened"
    ),
    "nemotron-labs-diffusion": (
        "result-python developer-named user-parts-python system-parts-refused answer-parts-python prose-parts-dropped "
        "think-not-opened"
    ),
    "nemotron-nano-v2": "result-python late-system-dropped last-call-dropped think-left-open",
    "olmo-3": (
        "result-refused developer-dropped user-parts-refused system-parts-refused answer-parts-python "
        "prose-parts-python"
    ),
    "ornith-1.0-35b": "developer-refused late-system-refused think-split no-user-refused",
    "ornith-1.0-9b": "developer-refused late-system-refused think-split no-user-refused",
    "phi4-mini": "result-python call-after-prose-dropped",
    "qwen2.5": "result-python parts-refused developer-dropped",
    "qwen3": "result-python parts-dropped developer-dropped think-split",
    "qwen3-coder": (
        "result-python developer-named user-parts-refused system-parts-refused answer-parts-refused prose-parts-dropped"
    ),
    "qwen3-coder-earlier": (
        "result-python developer-named user-parts-refused system-parts-refused answer-parts-refused prose-parts-dropped"
    ),
    "qwen3-coder-next": (
        "result-python developer-named user-parts-refused system-parts-refused answer-parts-refused prose-parts-dropped"
    ),
    "qwen3-instruct-2507": "result-dropped parts-dropped developer-dropped",
    "qwen3-omni": "developer-dropped parts-no-thought think-split",
    "qwen3-thinking-2507": (
        "result-dropped developer-dropped user-parts-dropped system-parts-refused answer-parts-dropped "
        "prose-parts-dropped think-split"
    ),
    "qwen3.5": "no-user-refused developer-refused late-system-refused think-split",
    "qwen3.5-small": "developer-refused late-system-refused think-split no-user-refused",
    "qwen3.6": "developer-refused late-system-refused think-split no-user-refused",
    "qwq-32b": (
        "result-python developer-dropped user-parts-refused system-parts-python answer-parts-refused "
        "prose-parts-refused"
    ),
    "seed-oss": (
        "bare-tool-refused result-refused developer-named user-parts-refused system-parts-refused "
        "answer-parts-dropped prose-parts-dropped empty-answer-open"
    ),
    "solar-open-100b": (
        "result-python developer-dropped late-system-moved user-parts-refused system-parts-python "
        "answer-parts-refused reads-reasoning"
    ),
    "solar-open-2": (
        "result-refused developer-dropped late-system-moved user-parts-refused system-parts-python "
        "answer-parts-python prose-parts-python"
    ),
    "step-3.5": "developer-dropped think-split",
    "step-audio-r1.1": (
        "result-python developer-dropped user-parts-refused system-parts-refused answer-parts-refused "
        "prose-parts-python"
    ),
    "step3": "late-system-doubled developer-named",
    "step3-vl": "developer-dropped think-split",
    "trinity-large": "result-python developer-named parts-python",
    "xlam-2": "developer-named parts-python",
    "zaya-applescript": (
        "result-python developer-named user-parts-python system-parts-refused answer-parts-python prose-parts-dropped "
        "think-not-opened"
    ),
}
"""What each original does, in short names; found by rendering the same conversations with both."""

DEVIATIONS: Final[dict[str, tuple[Deviation, ...]]] = {
    name: tuple(_KINDS[kind] for kind in kinds.split()) for name, kinds in _ORIGINALS.items()
}
"""The deviations by the template's name. ``tests/golden_deviations.toml`` lists the conversations that show them."""


_ARGUMENTS: Final[dict[str, tuple[type, str]]] = {
    "encodes arguments that are JSON text a second time": (
        str,
        "apertus apriel-1.6 deepseek-r1-distill deepseek-v3.1 exaone-4.0 gpt-oss gpt-oss-safeguard hermes-4 "
        "llama-3.1 llama-3.2 llama-4 llm-jp-4 mistral-7b-v0.3 mistral-nemo qwen2.5 qwq-32b step-audio-r1.1 xlam-2",
    ),
    "refuses arguments that are JSON text": (
        str,
        "diffusiongemma gemma-4 gemma-4-e4b glm-4.6 glm-4.6v glm-4.7 glm-5.1 glm-5.2 hy3 laguna-s-2.1 lfm2.5 "
        "mimo-v2-flash mimo-v2.5 minicpm5 minimax-m2 minimax-m2.1 minimax-m2.5 minimax-m2.7 minimax-m3 nemotron-3 "
        "nemotron-3-ultra nemotron-labs-diffusion olmo-3 ornith-1.0-35b ornith-1.0-9b qwen3-coder "
        "qwen3-coder-earlier qwen3-coder-next qwen3.5 qwen3.5-small qwen3.6 seed-oss solar-open-2 step-3.5 step3 "
        "zaya-applescript",
    ),
    "writes arguments that are JSON text as they are": (
        str,
        "functiongemma gemma-4-first gemma-4-e4b-first hyperclovax-think-32b",
    ),
    "leaves out arguments that are JSON text": (str, "trinity-large"),
    "refuses arguments that are objects": (dict, "deepseek-v3 deepseek-v3.1-terminus"),
}
"""What originals do to arguments of a type that they don't expect, and which; the others take both."""

ARGUMENT_EFFECTS: Final = {
    name: (kind, effect) for effect, (kind, names) in _ARGUMENTS.items() for name in names.split()
}
"""The type of arguments that an original does not expect, and what it does, by the name of the template."""


def argument_types(messages: Iterable[Message]) -> set[type]:
    """The types of the arguments of the calls in messages, as a row spells them under OpenAI's keys."""
    calls = (call for message in messages for call in calls_of(message))
    return {type(call["function"].get("arguments")) for call in calls}


def argument_effect(name: str, types: set[type]) -> str | None:
    """What the original of a template does to arguments of some types; ``None`` if it reads them."""
    unexpected, effect = ARGUMENT_EFFECTS.get(name, (None, None))
    return effect if unexpected in types else None


def deviations(name: str, conversation: Conversation) -> list[str]:
    """What the original of a template does to a conversation, for users."""
    return [each.effect for each in DEVIATIONS.get(name, ()) if each.applies(conversation)]


def effects(name: str) -> list[str]:
    """All that the original of a template does otherwise, for users."""
    _, arguments = ARGUMENT_EFFECTS.get(name, (None, None))
    return [*(each.effect for each in DEVIATIONS.get(name, ())), *([arguments] if arguments is not None else ())]
