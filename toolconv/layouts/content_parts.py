"""Content parts of all APIs and tracers, in one table: text, reasoning, calls, results and media.

A part is known by its ``type`` or, in Gemini's and Bedrock's API, by its key, under which its content is. The tables of
layouts that have part types of their own are made of the same :class:`Part`.

Source: API references of OpenAI (Chat Completions, Responses), Anthropic, Gemini and Bedrock (Converse); vercel/ai,
``packages/provider-utils/src/types``; OpenTelemetry GenAI conventions, ``gen-ai-input-messages.json``;
dotnet/extensions, ``OpenTelemetryChatClient.cs`` (parts that it has no name for have the name of their class);
deepset-ai/haystack, ``chat_message.py``; OpenInference, ``spec/semantic_conventions.md`` (``message_content``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key
from toolconv.core.messages import Message, Row
from toolconv.layouts.call_forms import CALL_IDS, NAMES, PART_CALLS
from toolconv.layouts.part_forms import OPENAI

Kind = Literal["text", "reasoning", "call", "result", "media", "step", "skip"]
THINKING: Final = "thinking_blocks"
"""The message key for reasoning blocks that hold more than text (signatures). LiteLLM has the same key."""
SPOKEN: Final = frozenset({"reasoning", "call", "result"})
"""The kinds of parts that no message's content holds."""


class Part(NamedTuple):
    """Where a part of a message holds what. Of several keys, the first that is there and not null counts.

    Attributes:
        kind: what it is. ``step`` begins another turn, ``skip`` is a copy of something that is read elsewhere.
        value: the keys of its text, of the arguments of a call or of a result's content; of a call without any, those
            that calls usually have.
        id, name: the keys of a call or a result.
        ignored: other keys that say nothing about the conversation.
        kept: the other keys that stay, if they are true; ``None`` for all.
        role: whose text it is, in formats that keep several speakers in one item.
        result, error: the keys of the result that a call holds, or of its error.
        called: the name of a call that has none.
        optional: a call without arguments leaves them out.
        argument: the name of the argument that the value is, of a call with one that is a text.
    """

    kind: Kind
    value: tuple[str, ...] = ()
    id: tuple[str, ...] = ("id",)
    name: tuple[str, ...] = ("name",)
    ignored: tuple[str, ...] = ()
    kept: tuple[str, ...] | None = None
    role: str | None = None
    result: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    called: str | None = None
    optional: bool = False
    argument: str | None = None

    def known(self, type_key: str | None) -> frozenset[str]:
        """The keys of a part that are read, or that say nothing."""
        return _known(self, type_key or "type")


@cache
def _known(part: Part, type_key: str) -> frozenset[str]:
    tied = (*part.id, *part.name, *part.result, *part.error) if part.kind in ("call", "result") else ()
    return frozenset((type_key, *part.value, *part.ignored, *tied))


class ReadPart(NamedTuple):
    """What a part says.

    Attributes:
        entry: its entry in the table.
        came: the part.
        value: its text, the arguments of a call or a result's content.
        rest: the other keys that stay.
        id, name: those of a call or a result.
    """

    entry: Part
    came: Row
    value: Any
    rest: Row
    id: Any = None
    name: Any = None


class Parts:
    """The parts of a format, by their type.

    Args:
        types: the entry of each type.
        type_key: the key of the type; ``None`` if the type is the key under which the content of a part is.
        empty: keys without content stay as well, so that a part can be written unchanged.
        others: parts of other types are read as those of all APIs.
    """

    def __init__(
        self, types: Mapping[str, Part], type_key: str | None = "type", *, empty: bool = False, others: bool = True
    ) -> None:
        self.types = types
        self.type_key = type_key
        self._empty = empty
        self._others = others

    def find(self, part: Any) -> tuple[Part, Row] | None:
        """The entry of a part, and the object that holds its content; ``None`` for one that is not in the table."""
        if part.__class__ is not dict:
            return None
        if self.type_key is None:
            for key, inner in part.items():
                if key in self.types and inner.__class__ is dict:
                    return self.types[key], inner
            return None
        kind = part.get(self.type_key)
        return (self.types[kind], part) if kind.__class__ is str and kind in self.types else None

    def kind(self, part: Any) -> Kind | None:
        """The kind of a part; ``None`` for one of no known type."""
        found = self.find(part)
        if found is not None:
            return found[0].kind
        return kind if self._others and (kind := kind_of(part)) in SPOKEN else None

    def read(self, part: Any) -> ReadPart | None:
        """What a part says; ``None`` for one of no known type."""
        found = self.find(part)
        if found is not None:
            return self.read_as(found[0], found[1], part)
        return ALL_PARTS.read(part) if self._others and kind_of(part) in SPOKEN else None

    def read_as(self, entry: Part, inner: Row, part: Row) -> ReadPart:
        """What a part says, by what :meth:`find` found."""
        used, value = _value_in(entry, inner)
        if used is None and entry.kind == "call" and self._others and (other := ALL_PARTS.read(part)) and other.value:
            return other  # a call of that type in the form of another API
        rest: Row = {}
        if entry.kept is not None:
            for key in entry.kept:
                if inner.get(key):
                    rest[key] = inner[key]
        else:
            known = entry.known(self.type_key)
            for key, kept in inner.items() if inner is part else (*inner.items(), *part.items()):
                if key not in known and key != used and kept is not inner and (self._empty or kept not in EMPTY):
                    rest[key] = kept
        if entry.kind != "call" and entry.kind != "result":
            return ReadPart(entry, part, value, rest)
        given = name = None
        for key in entry.id:
            if key in inner and (given := inner[key]) is not None:
                given = given[-1] if given.__class__ is list and given else given  # the ids of a run and of its call
                break
        for key in entry.name:
            if key in inner and (name := inner[key]) is not None:
                break
        return ReadPart(entry, part, value, rest, given, entry.called or name)


EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})
"""Values that say nothing."""


def _value_in(entry: Part, inner: Row) -> tuple[str | None, Any]:
    """The key of the value of a part, and the value.

    Reasoning may be under any key that an API gives it, or be the only words in its part.
    """
    if entry.kind == "reasoning":
        for key in (*entry.value, *REASONING.value):
            if key in inner and (text := reasoning_text(inner[key])):
                return key, text
        words = [key for key, text in inner.items() if text.__class__ is str and len(text.split(maxsplit=1)) > 1]
        words = [key for key in words if key not in (entry.kept or ())]
        return (words[0], inner[words[0]]) if len(words) == 1 else (None, "")
    if entry.kind == "call" and not entry.value:
        used = argument_key(inner) or "arguments"
        return used, inner.get(used) or {}
    for key in entry.value:
        if key in inner and (value := inner[key]) is not None:
            return key, value if entry.argument is None else {entry.argument: value}
    if entry.argument is not None:
        return None, {entry.argument: None}
    return None, {} if entry.optional else None


TEXTS: Final = ("text", "input_text", "output_text")
"""Types of parts that are text."""

TEXT: Final = Part("text", ("text", "content"), kept=())
REASONING: Final = Part(
    "reasoning", ("content", "thinking", "reasoning", "text", "reasoningText", "summary"), kept=("signature",)
)
CALL: Final = Part("call", id=CALL_IDS, name=NAMES, kept=())
RESULT: Final = Part("result", ("response", "result", "output", "content"), CALL_IDS, NAMES, kept=("is_error",))
MEDIA: Final = Part("media", kept=())

PARTS: Final[Mapping[str, Part]] = {
    **dict.fromkeys(TEXTS, TEXT),
    **dict.fromkeys(("reasoning", "thinking", "redacted_thinking", "reasoningContent"), REASONING),
    "Microsoft.Extensions.AI.TextReasoningContent": REASONING,
    **dict.fromkeys(PART_CALLS, CALL),
    **dict.fromkeys(
        ("tool_call_response", "tool_result", "tool-result", "function_call_output", "function_result"), RESULT
    ),
    **dict.fromkeys(("functionResponse", "function_response", "functionResult", "toolResult"), RESULT),
    "tool_call_result": RESULT,
    **dict.fromkeys(("image", "image_url", "input_image", "file", "input_file", "input_audio", "document"), MEDIA),
    **dict.fromkeys(("blob", "uri", "inlineData", "inline_data", "fileData", "file_data"), MEDIA),
}
"""The parts by their type, or by the key under which their content is."""

RESULT_NAMES: Final = frozenset({"toolCallId", *(name for name, part in PARTS.items() if part is RESULT)})
"""The types of parts that are results, or keys that such parts have."""

KEYED: Final = (
    "functionCall", "function_call", "toolUse", "toolCall", "functionResponse", "function_response", "toolResult",
    "reasoningContent", "inlineData", "inline_data", "fileData", "file_data", "reasoning", "tool_call_result",
    "message_content",
)  # fmt: skip
"""The keys by which parts without a type are known."""
_KEYED: Final = frozenset(KEYED)


def part_in(value: Any) -> tuple[Part, Row] | None:
    """The entry of the table for a part, and the object that holds its content; ``None`` for anything else.

    The calls and results of the AI SDK are also known without a type, by ``toolCallId``.
    """
    if not isinstance(value, dict):
        return None
    kind = value.get("type")
    if not isinstance(kind, str):
        kind = None
        if not _KEYED.isdisjoint(value):
            kind = next((key for key in KEYED if isinstance(value.get(key), dict)), None)
        if kind == "message_content":  # OpenInference's envelope
            return part_in(value[kind])
    if kind is not None:
        found = PARTS.get(kind)
        inner = value.get(kind)
        if kind in ("toolUse", "toolResult") and isinstance(inner, dict) and "type" in inner:
            return None  # Bedrock's server tools have run, and are content
        inner = inner if isinstance(inner, dict) else value
        if found is CALL and isinstance(inner.get("function"), dict):  # OpenAI's form of a call
            inner = {**inner, "function": None, **inner["function"]}
        return None if found is None else (found, inner)
    if value.get("thought") is True:
        return REASONING, value
    if isinstance(value.get("toolCallId"), str) and isinstance(value.get("toolName"), str):
        return (RESULT if "output" in value or "result" in value else CALL), value
    return None


def kind_of(value: Any) -> Kind | None:
    """The kind of a part; ``None`` for anything else."""
    found = part_in(value)
    return None if found is None else found[0].kind


class _AllParts(Parts):
    """The parts of all APIs."""

    def find(self, part: Any) -> tuple[Part, Row] | None:
        return part_in(part)

    def read(self, part: Any) -> ReadPart | None:
        read = super().read(part)
        return read if read is None or read.entry is not RESULT else read._replace(value=result_value(read.value))


ALL_PARTS: Final = _AllParts(PARTS, others=False)


def first_of(value: Row, keys: Sequence[str]) -> Any:
    """The first of some keys that is there and not null."""
    return next((value[key] for key in keys if value.get(key) is not None), None)


def reasoning_text(value: Any) -> str:
    """The text of reasoning: a text, an object with one, or the texts of a list, which may be JSON, joined."""
    if isinstance(value, str):
        texts = jsontext.opened(value) if value.startswith('[{"') else None
        return reasoning_text(texts) or value if isinstance(texts, list) else value
    if isinstance(value, list):
        texts = (item.get("text") for item in value if isinstance(item, dict))
        return "\n\n".join(text for text in texts if isinstance(text, str) and text)
    if isinstance(value, dict):
        return next((text for key in REASONING.value if (text := reasoning_text(value.get(key)))), "")
    return ""


def kept_reasoning(found: list[tuple[str | None, Any]], write: Callable[[str], Any]) -> Row:
    """Message keys for reasoning blocks and their texts; the blocks are kept if ``write`` makes others of the text."""
    text, blocks = "\n\n".join(text for text, _ in found if text), [block for _, block in found]
    keys: Row = {"reasoning_content": text} if text else {}
    return keys if blocks == [write(text)] else {**keys, THINKING: blocks}


def own_reasoning(message: Message, text_of: Callable[[Any], str | None]) -> list[Any] | None:
    """The reasoning blocks of a message if all have the form of a layout and they hold its reasoning; else ``None``.

    ``text_of`` gives the text of a block in that form, and ``None`` for any other value.
    """
    blocks = message.get(THINKING)
    texts = list(map(text_of, blocks)) if isinstance(blocks, list) else [None]
    own = None not in texts and "\n\n".join(filter(None, texts)) == (message.get("reasoning_content") or "")
    return blocks if own else None


def opened(content: Any) -> Any:
    """Content, or the parts in a text that is JSON of a list of parts, as tracers write it. Other texts stay.

    A list of calls in OpenAI's form counts as well.
    """
    if isinstance(content, str) and content.lstrip()[:1] == "[":
        parts = jsontext.opened(content)
        if isinstance(parts, list) and parts and all(kind_of(part) is not None or is_call(part) for part in parts):
            return parts
    return content


def is_call(value: Any) -> bool:
    """Whether a value is a call in OpenAI's form: an object with a ``function`` that has arguments."""
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and "name" in function and "arguments" in function


def plain(part: Any) -> Any:
    """A part of text as ``{"type": "text", "text": …}``, media in OpenAI's form; any other as it is."""
    if not isinstance(part, dict):
        return part
    part = part.get("message_content", part)
    found = TEXT if "type" not in part else PARTS.get(part["type"]) if isinstance(part["type"], str) else None
    text = first_of(part, TEXT.value) if found is TEXT else None
    if isinstance(text, str):
        return {"type": "text", "text": text}
    written, lost = OPENAI.write(part)
    return part if lost else written


def result_value(output: Any) -> Any:
    """The content of a result; the AI SDK has it in an envelope, Gemini as an object."""
    if isinstance(output, dict):
        if output.keys() == {"output"}:
            return output["output"]
        if output.keys() == {"type", "value"}:
            return output["value"]
    return [plain(part) for part in output] if isinstance(output, list) else output
