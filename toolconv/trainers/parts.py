"""The content parts that uploads take: by the types of their SDKs, part by part.

Source: anthropic 2.14, ``types.ContentBlockParam`` and ``types.ToolResultBlockParam``; botocore 1.44, the service model
of ``bedrock-runtime``; google-genai 3.6, ``types.Part``; openai 3.57, ``types.chat``; mistral-common 1.13; together
2.10, ``lib/utils/files.py``; fireworks-ai 1.2.30, ``types.shared_params.ChatMessage``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from toolconv.layouts.part_forms import BEDROCK_KEYS, GEMINI_KEYS, IMAGES, in_camel_case
from toolconv.trainers.base import Check, Effect, TrainerRow

Keys = tuple[str, ...]
Fits = Callable[[Any], bool]

ANTHROPIC: Final[Mapping[str, Keys]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source",),
    "search_result": ("content", "source", "title"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
    "server_tool_use": ("id", "name", "input"),
    "web_search_tool_result": ("content", "tool_use_id"),
    "web_fetch_tool_result": ("content", "tool_use_id"),
    "code_execution_tool_result": ("content", "tool_use_id"),
    "bash_code_execution_tool_result": ("content", "tool_use_id"),
    "text_editor_code_execution_tool_result": ("content", "tool_use_id"),
    "tool_search_tool_result": ("content", "tool_use_id"),
    "container_upload": ("file_id",),
}
"""The types of blocks, and the keys that each must have."""
ANTHROPIC_RESULT: Final = frozenset({"text", "image", "document", "search_result", "tool_reference", "browser_state"})
BEDROCK: Final = BEDROCK_KEYS - {"json"} | {"text"}
"""The keys of blocks, of which each has one."""
BEDROCK_SYSTEM: Final = frozenset({"text", "guardContent", "cachePoint"})
BEDROCK_RESULT: Final = frozenset({"json", "text", "image", "document", "video", "searchResult"})


def in_anthropic(block: Any) -> str | None:
    """Why Anthropic refuses a content block; ``None`` if it does not."""
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in ANTHROPIC:
        return f"a block of the type {kind!r}"
    if missing := [key for key in ANTHROPIC[kind] if key not in block]:
        return f"a block of the type {kind!r} without {missing[0]!r}"
    if kind == "text" and _is_blank(block["text"]):
        return "a blank text"
    if kind in ("image", "document") and not (isinstance(block["source"], dict) and "type" in block["source"]):
        return f"a block of the type {kind!r} whose source has no type"
    if kind == "image" and block["source"].get("type") == "base64" and block["source"].get("media_type") not in IMAGES:
        return f"an image of the type {block['source'].get('media_type')!r}"
    inner = block.get("content") if kind == "tool_result" else None
    if not isinstance(inner, str | list | None):
        return "a result that is neither a text nor a list of blocks"
    for part in inner if isinstance(inner, list) else ():
        if not isinstance(part, dict) or part.get("type") not in ANTHROPIC_RESULT:
            return f"a result with a block of the type {part.get('type') if isinstance(part, dict) else part!r}"
    return None


def in_bedrock(block: Any) -> str | None:
    """Why Bedrock refuses a content block; ``None`` if it does not."""
    if not isinstance(block, dict) or len(block) != 1 or not block.keys() <= BEDROCK:
        return f"a block with {_keys(block)}"
    if "text" in block and _is_blank(block["text"]):
        return "a blank text"
    if any(isinstance(call := block.get(key), dict) and not call.get("toolUseId") for key in ("toolUse", "toolResult")):
        return "a call or a result without an id"
    inner = block["toolResult"].get("content") if isinstance(block.get("toolResult"), dict) else None
    for part in inner if isinstance(inner, list) else ():
        if not isinstance(part, dict) or len(part) != 1 or not part.keys() <= BEDROCK_RESULT:
            return f"a result with a block with {_keys(part)}"
    return None


def in_gemini(part: Any) -> str | None:
    """Why Gemini refuses a part; ``None`` if it does not."""
    known = isinstance(part, dict) and all(isinstance(key, str) and in_camel_case(key) in GEMINI_KEYS for key in part)
    return None if known else f"a part with {_keys(part)}"


def _keys(block: Any) -> str:
    if not isinstance(block, dict) or not block:
        return "no keys"
    return f"the key {next(iter(block))!r}" if len(block) == 1 else f"the keys {', '.join(map(repr, block))}"


def _is_blank(text: Any) -> bool:
    return not isinstance(text, str) or not text.strip()


def parts_fit(turns: str, parts: str, misfit: Callable[[Any], str | None]) -> Check:
    """The check of all parts of an upload's row.

    Args:
        turns: the key of its turns.
        parts: the key of the parts of a turn.
        misfit: why a part is refused.
    """

    def unfit_parts(seen: TrainerRow) -> Iterator[Effect]:
        found = seen.row.get(turns)
        for turn in found if isinstance(found, list) else ():
            content = turn.get(parts) if isinstance(turn, dict) else None
            if not content or (isinstance(content, str) and _is_blank(content)):
                yield Effect("empty_turn", "a turn without text, calls or results")
            for part in content if isinstance(content, list) else ():
                if (reason := misfit(part)) is not None:
                    yield Effect("content_part_refused", f"{reason}, which is refused")

    return unfit_parts


def turns_alternate(seen: TrainerRow) -> Iterator[Effect]:
    """Neighbouring turns of one role in a row of messages."""
    found = seen.row.get("messages")
    roles = [turn.get("role") for turn in found if isinstance(turn, dict)] if isinstance(found, list) else []
    if any(one == other for one, other in pairwise(roles)):
        yield Effect("turn_order", "two turns of the same role follow each other")


def typed_parts(by_role: Mapping[str, Mapping[str, Fits]]) -> Check:
    """The check of contents, and of content parts with a ``type``, as OpenAI's messages have them.

    Args:
        by_role: for each role the types, each with what a part must have under the key of that name.
    """

    def unfit_types(seen: TrainerRow) -> Iterator[Effect]:
        for index, message in enumerate(seen.conversation.messages):
            role, content = message.get("role"), message.get("content")
            if not isinstance(content, str | list) and not (content is None and role == "assistant"):
                yield Effect("value_refused", "a content that is neither a text nor a list of parts", index)
            known = by_role.get(str(role), {})
            for part in content if isinstance(content, list) else ():
                kind = part.get("type") if isinstance(part, dict) else None
                if not isinstance(kind, str) or kind not in known:
                    yield Effect("content_part_refused", f"a content part of the type {kind!r} is not accepted", index)
                elif not known[kind](part.get(kind)):
                    yield Effect(
                        "content_part_refused", f"a content part of the type {kind!r} without its {kind}", index
                    )

    return unfit_types


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_image(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("url"), str)


def _is_image_or_address(value: Any) -> bool:
    return isinstance(value, str) or _is_image(value)


def _by_role(user: Mapping[str, Fits], assistant: Mapping[str, Fits] | None = None) -> Mapping[str, Mapping[str, Fits]]:
    """What each role may say: texts, and what else the user and the assistant may."""
    text = {"text": _is_text}
    return {"user": {**text, **user}, "assistant": {**text, **(assistant or {})}, "system": text, "tool": text}


TOGETHER_PARTS: Final = _by_role({"image_url": _is_image})
FIREWORKS_PARTS: Final = _by_role({"image_url": _is_image, "video_url": _is_image})
OPENAI_PARTS: Final = _by_role({"image_url": _is_image}, {"refusal": _is_text})
MISTRAL_PARTS: Final = _by_role({"image_url": _is_image_or_address})
