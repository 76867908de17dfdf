"""What the original chat templates of built-in families lose or refuse, and toolconv writes.

A trainer or a server uses the original. So ``lint --target NAME`` answers for it, and ``toolconv templates NAME`` lists
these deviations. Everything else of a text is the same, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, calls_of
from toolconv.templates import shapes as has

Part = Literal["arguments", "calls", "content_parts", "prose", "reasoning", "results", "system", "tools", "turns"]
"""What of a conversation a template leaves out, changes or refuses."""


class Deviation(NamedTuple):
    """What an original does to some conversations.

    Attributes:
        part: what of a conversation it does that to.
        effect: what it does, for users.
        applies: whether it does that to a conversation.
    """

    part: Part
    effect: str
    applies: Callable[[Conversation], bool]


_KINDS: Final = {
    "result-python": Deviation(
        "results", "prints Python's list for results that are content parts", has.parts_in_result
    ),
    "result-json": Deviation("results", "prints JSON for results that are content parts", has.parts_in_result),
    "result-refused": Deviation("results", "refuses results that are content parts", has.parts_in_result),
    "result-dropped": Deviation("results", "leaves out results that are content parts", has.parts_in_result),
    "result-first-part": Deviation("results", "writes only the first text of content parts", has.parts_in_result),
    "result-no-break": Deviation(
        "results", "writes no line break behind results that are content parts", has.parts_in_result
    ),
    "result-empty-dropped": Deviation("results", "leaves out empty results", has.empty_result),
    "first-call": Deviation("calls", "writes only the first of parallel calls", has.several_calls),
    "parallel-refused": Deviation("calls", "refuses several calls in a turn", has.several_calls),
    "both-refused": Deviation(
        "calls", "refuses calls with both prose and reasoning", has.prose_and_reasoning_with_calls
    ),
    "call-after-prose-dropped": Deviation("calls", "leaves out calls next to prose", has.prose_with_calls),
    "call-with-text-dropped": Deviation(
        "calls", "leaves out calls, unless the content of their turn is null", has.any_calls
    ),
    "empty-turn-added": Deviation(
        "turns", "adds an empty turn to calls, unless the content of their turn is null", has.any_calls
    ),
    "answer-before-call": Deviation(
        "turns",
        "writes an answer that follows calls without results before these calls",
        has.answer_after_unanswered_call,
    ),
    "undeclared-dropped": Deviation("calls", "leaves out calls where no tools are declared", has.calls_without_tools),
    "last-call-dropped": Deviation("calls", "leaves out the calls of the last turn", has.calls_last),
    "section-open": Deviation("calls", "never closes the section of a single call", has.single_call),
    "section-closed-early": Deviation("calls", "closes the section behind each call after the first", has.three_calls),
    "section-missing": Deviation("calls", "neither opens nor closes the sections of later rounds", has.rounds),
    "user-after-result-refused": Deviation(
        "turns", "refuses a user's turn that follows a result", has.user_after_result
    ),
    "neighbours-refused-14b": Deviation(
        "turns", "refuses two turns of the user, or two answers, in a row (14B)", has.neighbours
    ),
    "user-after-result-refused-14b": Deviation(
        "turns", "refuses a user's turn that follows a result (14B)", has.user_after_result
    ),
    "parts-joined-14b": Deviation(
        "content_parts", "writes nothing between several content parts (14B)", has.several_parts
    ),
    "no-user-refused": Deviation("turns", "refuses a conversation without a user's turn", has.no_user_turn),
    "neighbours-refused": Deviation("turns", "refuses two turns of the user, or two answers, in a row", has.neighbours),
    "assistant-first-refused": Deviation(
        "turns", "refuses a conversation that the assistant begins", has.assistant_first
    ),
    "assistant-before-user-refused": Deviation(
        "turns", "refuses a conversation that the assistant begins", has.assistant_before_user
    ),
    "assistant-first-joined": Deviation(
        "turns", "writes a first turn of the assistant into the text that declares the tools", has.assistant_first
    ),
    "bare-tool-refused": Deviation("tools", "refuses a tool without parameters", has.tool_without_parameters),
    "other-tool-refused": Deviation("tools", "refuses a tool that is no function", has.other_tool),
    "lone-result-refused": Deviation("results", "refuses a result that no call precedes", has.result_before_calls),
    "other-tool": Deviation("tools", "writes a tool that is no function otherwise", has.other_tool),
    "lone-result-dropped": Deviation("results", "leaves out a result that no call precedes", has.result_before_calls),
    "lone-result": Deviation("results", "writes a result that no call precedes otherwise", has.result_before_calls),
    "description-added": Deviation(
        "tools", "gives a tool without a description an empty one", has.tool_without_description
    ),
    "undescribed-tool-refused": Deviation(
        "tools", "refuses a tool without a description", has.tool_without_description
    ),
    "default-beside-choices-refused": Deviation(
        "tools", "refuses a default other than a text beside 'enum' or 'oneOf'", has.default_beside_choices
    ),
    "description-not-escaped": Deviation(
        "tools", "writes descriptions of tools without escaping quotes and line breaks", has.escaped_in_description
    ),
    "other-type-refused": Deviation(
        "tools", "recurses without end on parameters of other types, such as null", has.other_type
    ),
    "strict-dropped": Deviation("tools", "leaves out the key 'strict' of tools", has.strict_tool),
    "no-tools-refused": Deviation("tools", "refuses a conversation without tools", has.no_tools),
    "developer-dropped": Deviation("system", "leaves out the text of the role developer", has.developer),
    "developer-refused": Deviation("system", "refuses the role developer", has.developer),
    "developer-named": Deviation("system", "writes the role developer under its own name", has.developer),
    "late-developer-named": Deviation("system", "writes a later role developer under its own name", has.late_developer),
    "late-system-dropped": Deviation("system", "leaves out system texts after the first message", has.late_system),
    "late-system-refused": Deviation("system", "refuses system texts after the first message", has.late_system),
    "system-between-refused": Deviation("system", "refuses system texts after an answer", has.system_after_answer),
    "late-system-named": Deviation(
        "system", "writes system texts after the first message under the name system", has.late_system
    ),
    "late-system-moved": Deviation("system", "moves later system texts to the first", has.late_system),
    "second-system-joined": Deviation(
        "system", "writes a second system text at the front into the text that declares the tools", has.two_systems
    ),
    "late-system-repeats": Deviation(
        "system", "repeats its own prompt and the tools before a later system text", has.late_system
    ),
    "last-system": Deviation("system", "keeps only the last of several system texts", has.late_system),
    "late-system-doubled": Deviation("system", "writes later system texts also at the front", has.late_system),
    "parts-refused": Deviation("content_parts", "refuses turns that are content parts", has.parts),
    "parts-dropped": Deviation("content_parts", "leaves out the text of turns that are content parts", has.parts),
    "parts-python": Deviation("content_parts", "prints Python's list for turns that are content parts", has.parts),
    "parts-json": Deviation("content_parts", "prints JSON for turns that are content parts", has.parts),
    "parts-joined": Deviation("content_parts", "writes nothing between several content parts", has.several_parts),
    "parts-no-thought": Deviation(
        "content_parts", "writes no empty thought after a question that is content parts", has.user_parts
    ),
    "user-parts-refused": Deviation("content_parts", "refuses questions that are content parts", has.user_parts),
    "user-parts-python": Deviation(
        "content_parts", "prints Python's list for questions that are content parts", has.user_parts
    ),
    "user-parts-dropped": Deviation("content_parts", "leaves out questions that are content parts", has.user_parts),
    "system-parts-refused": Deviation("content_parts", "refuses system texts that are content parts", has.system_parts),
    "system-parts-python": Deviation(
        "content_parts", "prints Python's list for system texts that are content parts", has.system_parts
    ),
    "system-parts-dropped": Deviation(
        "content_parts", "leaves out system texts that are content parts", has.system_parts
    ),
    "answer-parts-refused": Deviation("content_parts", "refuses answers that are content parts", has.answer_parts),
    "answer-parts-python": Deviation(
        "content_parts", "prints Python's list for answers that are content parts", has.answer_parts
    ),
    "answer-parts-dropped": Deviation("content_parts", "leaves out answers that are content parts", has.answer_parts),
    "prose-parts-refused": Deviation(
        "content_parts", "refuses prose with calls that is content parts", has.prose_parts
    ),
    "prose-parts-python": Deviation(
        "content_parts", "prints Python's list for prose with calls that is content parts", has.prose_parts
    ),
    "prose-parts-dropped": Deviation(
        "content_parts", "leaves out prose with calls that is content parts", has.prose_parts
    ),
    "system-parts-spaced": Deviation(
        "content_parts", "writes a space behind system texts that are content parts", has.system_parts
    ),
    "think-split": Deviation(
        "reasoning", "takes what precedes </think> in an answer as reasoning", has.closes_thinking
    ),
    "think-cut": Deviation("reasoning", "leaves out what precedes </think> in an answer", has.answer_closes_thinking),
    "think-cut-with-call": Deviation(
        "reasoning", "leaves out what precedes </think> in prose with calls", has.call_closes_thinking
    ),
    "think-cut-earlier": Deviation(
        "reasoning", "leaves out what precedes </think> in earlier turns", has.earlier_turn_closes_thinking
    ),
    "think-not-opened-with-call": Deviation(
        "reasoning", "writes no empty thought before prose with calls that holds </think>", has.call_closes_thinking
    ),
    "think-not-opened": Deviation(
        "reasoning", "writes no empty thought before an answer that holds </think>", has.answer_closes_thinking
    ),
    "think-left-open": Deviation(
        "reasoning", "opens a thought before the last answer, and never closes it", has.answers_last
    ),
    "reads-thinking": Deviation(
        "reasoning",
        "reads reasoning under 'thinking', which older versions of Transformers don't fill from 'reasoning_content'",
        has.reasoning,
    ),
    "reads-reasoning": Deviation(
        "reasoning", "leaves out reasoning under 'reasoning_content': it reads 'reasoning'", has.reasoning
    ),
    "reads-thinking-parts": Deviation(
        "reasoning",
        "leaves out reasoning under 'reasoning_content' (14B): it reads content parts of the type thinking",
        has.reasoning,
    ),
    "empty-answer-refused": Deviation("turns", "refuses an empty answer", has.empty_answer),
    "empty-answer-dropped": Deviation("turns", "leaves out an empty answer", has.empty_answer),
    "empty-answer-open": Deviation("turns", "never ends an empty answer", has.empty_answer),
    "blanks-kept": Deviation("prose", "keeps white space around an answer", has.blanks_around),
    "blanks-kept-with-call": Deviation("prose", "keeps spaces around prose with calls", has.blanks_around_prose),
}
"""What originals do, by a short name."""

_ORIGINALS: Final = {
    "apertus": (
        "other-tool-refused lone-result-refused result-python developer-refused late-system-refused parts-refused "
        "undescribed-tool-refused default-beside-choices-refused"
    ),
    "apriel-1.6": "result-first-part developer-dropped late-system-repeats",
    "command-a": "bare-tool-refused developer-dropped parts-python",
    "deepseek-r1-distill": (
        "call-after-prose-dropped section-open section-closed-early section-missing result-refused parts-refused "
        "developer-dropped last-system think-cut empty-turn-added"
    ),
    "deepseek-v2.5": (
        "section-open section-closed-early section-missing result-refused parts-refused developer-dropped "
        "call-with-text-dropped last-system"
    ),
    "deepseek-v3": "result-refused parts-refused developer-dropped think-cut think-cut-with-call",
    "deepseek-v3.1": "result-refused developer-dropped parts-refused think-cut",
    "deepseek-v3.1-terminus": "developer-dropped parts-refused think-cut result-refused",
    "devstral-2": (
        "lone-result-refused result-python developer-refused system-between-refused empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "diffusiongemma": "lone-result-dropped other-tool-refused system-parts-spaced late-developer-named",
    "exaone-4.0": "parts-python developer-refused think-split",
    "exaone-4.5": (
        "result-json developer-refused system-parts-python answer-parts-refused prose-parts-refused think-split"
    ),
    "functiongemma": "other-tool-refused result-empty-dropped late-system-named",
    "gemma-4": "lone-result-dropped other-tool-refused system-parts-spaced late-developer-named",
    "gemma-4-e4b": "lone-result-dropped other-tool-refused system-parts-spaced late-developer-named",
    "gemma-4-e4b-first": "lone-result-dropped other-tool-refused system-parts-python late-developer-named",
    "gemma-4-first": "lone-result-dropped other-tool-refused system-parts-python late-developer-named",
    "gigachat-3.1": "other-tool first-call result-json developer-named parts-json",
    "glm-4.6": "result-python developer-dropped think-split",
    "glm-4.6v": "result-no-break developer-dropped think-split",
    "glm-4.7": "result-python developer-dropped think-split",
    "glm-5.1": "developer-dropped think-split strict-dropped",
    "glm-5.2": "developer-dropped think-split strict-dropped",
    "gpt-oss": (
        "other-tool-refused lone-result-refused first-call both-refused late-system-dropped parts-refused "
        "reads-thinking undescribed-tool-refused "
        "default-beside-choices-refused"
    ),
    "gpt-oss-safeguard": (
        "other-tool-refused lone-result-refused first-call both-refused late-system-dropped user-parts-refused "
        "system-parts-python answer-parts-refused reads-thinking undescribed-tool-refused "
        "default-beside-choices-refused"
    ),
    "granite-4": "developer-dropped",
    "hermes": (
        "other-tool-refused result-python bare-tool-refused no-tools-refused developer-dropped parts-refused "
        "undescribed-tool-refused other-type-refused"
    ),
    "hermes-4": (
        "result-python developer-dropped user-parts-refused system-parts-python answer-parts-refused "
        "prose-parts-refused empty-answer-open"
    ),
    "hunyuan-a13b": "result-refused undeclared-dropped",
    "hy3": "developer-dropped",
    "hyperclovax-think-14b": (
        "other-tool-refused developer-named empty-answer-dropped description-added blanks-kept "
        "description-not-escaped blanks-kept-with-call"
    ),
    "hyperclovax-think-32b": (
        "result-python developer-dropped think-split system-parts-dropped answer-parts-refused prose-parts-refused"
    ),
    "intern-s1-pro": "developer-dropped think-split",
    "kimi-k2": "developer-named",
    "kimi-k2-thinking": "developer-named",
    "kimi-k2.5": "developer-named",
    "kimi-k2.7-code": "developer-named",
    "kimi-k3": "developer-dropped",
    "laguna-s-2.1": "result-dropped parts-dropped developer-dropped",
    "lfm2.5": "developer-named think-cut-earlier",
    "ling-3": (
        "result-dropped developer-dropped user-parts-refused system-parts-refused answer-parts-dropped "
        "prose-parts-dropped think-split"
    ),
    "llama-3.1": "parallel-refused developer-named second-system-joined parts-python assistant-first-joined",
    "llama-3.2": "parallel-refused developer-named second-system-joined parts-python assistant-first-joined",
    "llama-4": "developer-named second-system-joined user-parts-python assistant-first-joined",
    "llama-nemotron-super-1.5": (
        "result-python late-system-dropped developer-dropped user-parts-python system-parts-refused "
        "answer-parts-python prose-parts-python think-cut think-cut-with-call"
    ),
    "llm-jp-4": (
        "other-tool-refused lone-result-refused first-call both-refused late-system-dropped user-parts-refused "
        "system-parts-python answer-parts-refused reads-thinking undescribed-tool-refused "
        "default-beside-choices-refused"
    ),
    "longcat-flash": (
        "other-tool bare-tool-refused developer-dropped user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-python undescribed-tool-refused"
    ),
    "midm-2.0": "result-python developer-dropped parts-python",
    "mimo-v2-flash": (
        "other-tool result-python developer-named user-parts-refused system-parts-refused answer-parts-dropped "
        "prose-parts-dropped think-split"
    ),
    "mimo-v2.5": "other-tool developer-named think-split",
    "minicpm5": (
        "developer-dropped user-parts-dropped system-parts-refused answer-parts-dropped prose-parts-dropped think-split"
    ),
    "minimax-m2": "other-tool-refused lone-result-refused developer-dropped late-system-dropped think-split",
    "minimax-m2.1": "other-tool-refused lone-result-refused developer-dropped late-system-dropped think-split",
    "minimax-m2.5": "other-tool-refused lone-result-refused developer-dropped late-system-dropped think-split",
    "minimax-m2.7": "other-tool-refused lone-result-refused developer-dropped late-system-dropped think-split",
    "minimax-m3": "late-system-dropped",
    "ministral-3-14b": (
        "lone-result-refused result-python developer-refused system-between-refused empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "ministral-3-3b": (
        "lone-result-refused result-python developer-refused system-between-refused empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "ministral-3-8b": (
        "lone-result-refused result-python developer-refused system-between-refused empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "ministral-3-reasoning": (
        "lone-result-refused result-python developer-refused late-system-refused parts-joined-14b "
        "reads-thinking-parts empty-answer-refused answer-before-call assistant-before-user-refused "
        "neighbours-refused-14b user-after-result-refused-14b"
    ),
    "mistral-7b-v0.3": (
        "other-tool-refused result-python user-after-result-refused developer-refused user-parts-refused "
        "answer-parts-python assistant-first-refused neighbours-refused"
    ),
    "mistral-large-3": (
        "lone-result-refused result-python developer-refused system-between-refused empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "mistral-medium-3.5": (
        "lone-result-refused developer-refused system-between-refused parts-joined empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "mistral-nemo": (
        "other-tool-refused result-python user-after-result-refused developer-refused user-parts-refused "
        "answer-parts-refused assistant-first-refused neighbours-refused"
    ),
    "mistral-small-4": (
        "lone-result-refused developer-refused system-between-refused parts-joined empty-answer-refused "
        "answer-before-call assistant-before-user-refused"
    ),
    "nemotron-3": (
        "other-tool result-python developer-named user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-dropped think-not-opened think-not-opened-with-call"
    ),
    "nemotron-3-ultra": (
        "other-tool result-python developer-named user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-dropped think-not-opened think-not-opened-with-call"
    ),
    "nemotron-labs-diffusion": (
        "other-tool result-python developer-named user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-dropped think-not-opened think-not-opened-with-call"
    ),
    "nemotron-nano-v2": "other-tool lone-result result-python late-system-dropped last-call-dropped think-left-open",
    "olmo-3": (
        "result-refused developer-dropped user-parts-refused system-parts-refused answer-parts-python "
        "prose-parts-python"
    ),
    "ornith-1.0-35b": "developer-refused late-system-refused think-split no-user-refused",
    "ornith-1.0-9b": "developer-refused late-system-refused think-split no-user-refused",
    "phi4-mini": "call-after-prose-dropped developer-named parts-python result-python",
    "qwen2.5": "result-python parts-refused developer-dropped",
    "qwen3": "result-python parts-dropped developer-dropped think-split",
    "qwen3-coder": (
        "other-tool result-python developer-named user-parts-refused system-parts-refused answer-parts-refused "
        "prose-parts-dropped"
    ),
    "qwen3-coder-earlier": (
        "other-tool result-python developer-named user-parts-refused system-parts-refused answer-parts-refused "
        "prose-parts-dropped"
    ),
    "qwen3-coder-next": (
        "other-tool result-python developer-named user-parts-refused system-parts-refused answer-parts-refused "
        "prose-parts-dropped"
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
        "prose-parts-refused think-cut-earlier"
    ),
    "seed-oss": (
        "other-tool bare-tool-refused result-refused developer-named user-parts-refused system-parts-refused "
        "answer-parts-dropped prose-parts-dropped empty-answer-open"
    ),
    "solar-open-100b": (
        "lone-result other-tool-refused result-python developer-dropped late-system-moved user-parts-refused "
        "system-parts-python answer-parts-refused reads-reasoning"
    ),
    "solar-open-2": (
        "other-tool-refused result-refused developer-dropped late-system-moved user-parts-refused "
        "system-parts-python answer-parts-python prose-parts-python"
    ),
    "step-3.5": "developer-dropped think-split",
    "step-audio-r1.1": (
        "lone-result result-python developer-dropped user-parts-refused system-parts-refused answer-parts-refused "
        "prose-parts-python"
    ),
    "step3": "late-system-doubled developer-named",
    "step3-vl": "developer-dropped think-split",
    "trinity-large": "other-tool result-python developer-named parts-python",
    "xlam-2": "developer-named parts-python",
    "zaya-applescript": (
        "other-tool result-python developer-named user-parts-python system-parts-refused answer-parts-python "
        "prose-parts-dropped think-not-opened think-not-opened-with-call"
    ),
}
"""What each original does, in short names; found by rendering the same conversations with both."""

DEVIATIONS: Final[dict[str, tuple[Deviation, ...]]] = {
    name: tuple(_KINDS[kind] for kind in kinds.split()) for name, kinds in _ORIGINALS.items()
}
"""The deviations by the template's name; ``tests/templates/golden_deviations.toml`` has conversations."""


_ARGUMENTS: Final[dict[str, tuple[type, str]]] = {
    "encodes arguments that are JSON text a second time": (
        str,
        "apertus apriel-1.6 command-a deepseek-r1-distill deepseek-v3.1 exaone-4.0 gpt-oss gpt-oss-safeguard hermes-4 "
        "llama-3.1 llama-3.2 llama-4 llm-jp-4 mistral-7b-v0.3 mistral-nemo qwen2.5 qwq-32b step-audio-r1.1 xlam-2",
    ),
    "refuses arguments that are JSON text": (
        str,
        "diffusiongemma gemma-4 gemma-4-e4b glm-4.6 glm-4.6v glm-4.7 glm-5.1 glm-5.2 hy3 laguna-s-2.1 lfm2.5 ling-3 "
        "mimo-v2-flash mimo-v2.5 minicpm5 minimax-m2 minimax-m2.1 minimax-m2.5 minimax-m2.7 minimax-m3 nemotron-3 "
        "nemotron-3-ultra nemotron-labs-diffusion olmo-3 ornith-1.0-35b ornith-1.0-9b qwen3-coder "
        "qwen3-coder-earlier qwen3-coder-next qwen3.5 qwen3.5-small qwen3.6 seed-oss solar-open-2 step-3.5 step3 "
        "zaya-applescript",
    ),
    "writes arguments that are JSON text as they are": (
        str,
        "functiongemma gemma-4-first gemma-4-e4b-first hyperclovax-think-32b kimi-k3",
    ),
    "leaves out arguments that are JSON text": (str, "trinity-large"),
    "prints Python's dict for arguments that are objects": (dict, "phi4-mini"),
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


def deviations(name: str, conversation: Conversation) -> list[Deviation]:
    """What the original of a template does to a conversation."""
    return [each for each in DEVIATIONS.get(name, ()) if each.applies(conversation)]


def effects(name: str) -> list[str]:
    """All that the original of a template does otherwise, for users."""
    _, arguments = ARGUMENT_EFFECTS.get(name, (None, None))
    return [*(each.effect for each in DEVIATIONS.get(name, ())), *([arguments] if arguments is not None else ())]
