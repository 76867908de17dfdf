"""Call markup and special tokens in texts, as declared by the dialects."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects import all_dialects
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.registry import PREFERRED
from toolconv.dialects.vocabulary import vocabulary
from toolconv.lint.model.guards import AnyWord, any_word

_BARE = ("canonical", "openai", "pythonic")
"""Dialects whose calls have no opening marker: a text is in one only if it consists of calls alone."""

_FENCE = lazy_re(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_PRINTED = lazy_re(r"^print\((.*)\)$", re.MULTILINE)
"""A call as Gemini writes it in ``tool_code``."""

_BLOCK = lazy_re(r"```[a-z_]*\n(.*?)```", re.DOTALL)


@cache
def _marked() -> tuple[Dialect, ...]:
    """The dialects that mark their calls; those that more models write come first."""
    marked = (each for each in all_dialects() if each.markers and each.name not in ("generic", "command_r"))
    return tuple(
        sorted(marked, key=lambda each: PREFERRED.index(each.name) if each.name in PREFERRED else len(PREFERRED))
    )


def call_markers() -> frozenset[str]:
    """The words that begin calls in the dialects."""
    return vocabulary().markers


def reasoning_marks() -> frozenset[str]:
    """The words that begin and end reasoning in the dialects."""
    return vocabulary().reasoning


PADDING = frozenset({"<pad>", "[PAD]", "<|pad|>", "<unk>", "<|image_pad|>"})
"""Tokens that fill up texts, or replace what a tokenizer has no token for: those of T5, BERT and Qwen."""

_TURN_STARTS = frozenset(
    {"<start_of_turn>", "<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>", "<|START_OF_TURN_TOKEN|>"}
    | {"<|assistant|>", "<|system|>", "<|start|>", "<|channel|>", "<|message|>", "<|return|>", "<|im_sep|>"}
    | {"<｜begin▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>", "<bos>", "<eos>"}
    | {"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>", "<s>"}
)
"""Tokens that begin texts and turns, from the templates of Gemma, Llama 2 and 3, Cohere, GPT-OSS, Phi, DeepSeek."""


def turn_tokens() -> frozenset[str]:
    """The tokens that begin, end and fill up turns in the dialects' templates."""
    return _TURN_STARTS | PADDING | vocabulary().turn_tokens


def no_call_names() -> frozenset[str]:
    """The names that models call to say that no tool fits."""
    return vocabulary().no_call


@cache
def _markers() -> tuple[re.Pattern[str], AnyWord]:
    return _any_of(call_markers())


@cache
def _tokens() -> tuple[re.Pattern[str], AnyWord]:
    return _any_of(turn_tokens() - {"<s>", "</s>"})


def _any_of(words: frozenset[str]) -> tuple[re.Pattern[str], AnyWord]:
    return re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True)))), any_word(words)


def special_tokens(text: str) -> list[str]:
    """Turn tokens of any dialect in a text, each once. ``<s>`` and ``</s>`` don't count as a pair of tags."""
    if "<" not in text and "[" not in text:
        return []
    tokens, any_token = _tokens()
    found = list(dict.fromkeys(tokens.findall(text))) if any_token.is_in(text) else []
    opened, closed = text.count("<s>"), text.count("</s>")
    if opened != closed:
        found.append("<s>" if opened > closed else "</s>")
    return found


def read_call(text: str, tools: ToolIndex, *, marked: bool = True, whole: bool = True) -> tuple[Dialect, Parsed] | None:
    """The dialect that reads a call in a text, and the parsed text.

    A tag in quotes or in a code block doesn't count; if tools are declared, the call must be to one of them.

    Args:
        text: a turn's prose.
        tools: the tools declared to the model.
        marked: calls with markers count.
        whole: a text that consists of calls in JSON or Python alone, perhaps in a code block, also counts, if it calls
            declared tools.
    """
    markers, any_marker = _markers()
    if marked and any_marker.is_in(text):
        bare = _FENCE.sub("", text)
        outside = set(markers.findall(bare))
        best: tuple[Dialect, Parsed] | None = None
        for dialect in _marked() if outside else ():
            shown = [marker for marker in dialect.markers if marker in outside and (tools or _is_distinct(marker))]
            if not shown:
                continue
            parsed = dialect.parse(text, tools)
            if not parsed.calls or not all(not tools or call.name in tools for call in parsed.calls):
                continue
            if best is None or len(parsed.repairs) < len(best[1].repairs):
                best = dialect, parsed
            if not parsed.repairs:
                break  # those that follow are no better
        if best is not None:
            return best
    if whole and tools and (begins_value(text) or begins_call(text, tools)):
        for dialect in all_dialects():
            if dialect.name in _BARE:
                parsed = dialect.parse(text, tools)
                if parsed.calls and not parsed.content and all(call.name in tools for call in parsed.calls):
                    return dialect, parsed
    return None


def begins_value(text: str) -> bool:
    """Whether a text begins as a JSON object, a list or a code block does."""
    return text.lstrip()[:1] in ("{", "[", "`")


def begins_call(text: str, tools: ToolIndex) -> bool:
    """Whether a text begins with a declared tool's name and a parenthesis, as Python's calls do."""
    name, parenthesis, _ = text.partition("(")
    return bool(parenthesis) and name.strip() in tools


def marker_in(text: str) -> str | None:
    """The first word outside code that begins a call in a dialect and doesn't occur in ordinary prose."""
    markers, any_marker = _markers()
    found = markers.findall(_FENCE.sub("", text)) if any_marker.is_in(text) else ()
    return next(filter(_is_distinct, found), None)


@cache
def _blocks() -> tuple[tuple[tuple[str, str], ...], AnyWord]:
    """The markers that open and close calls, in pairs, and the search for those that open them."""
    pairs = {
        (opening, closing)
        for dialect in all_dialects()
        for opening in getattr(dialect, "all_opens", None) or ()
        for closing in getattr(dialect, "all_closes", None) or ()
    }
    for marker in call_markers():
        if marker[:1] == "<" and marker[-1:] == ">":
            pairs.add((marker, marker.replace("begin", "end") if "begin" in marker else f"</{marker[1:]}"))
    return tuple(sorted(pairs)), any_word(frozenset(opening for opening, _ in pairs))


@lru_cache(maxsize=256)
def _empty_blocks(pairs: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """Some markers that open and close calls, with nothing between them but an empty list or object."""
    empty = r"\s*+(?:(?:\[\s*+\]|\{\s*+\})\s*+)?"
    return re.compile("|".join(re.escape(a) + empty + re.escape(b) for a, b in pairs))


def empty_block_in(text: str) -> str | None:
    """The first block outside code that has the markers of a call, in any dialect, and no call."""
    if "<" not in text and "[" not in text:
        return None
    pairs, any_opening = _blocks()
    if not any_opening.is_in(text):
        return None
    text = _FENCE.sub("", text)
    present = tuple(pair for pair in pairs if pair[0] in text)  # a pattern of all takes long to make
    found = _empty_blocks(present).search(text) if present else None
    return found[0] if found is not None else None


def cut_marker_in(text: str) -> str | None:
    """The same for a call that can't be read: the word is a special token, or a bracket follows it."""
    marker = marker_in(text)
    if marker is None or "|" in marker or "\uff5c" in marker:
        return marker
    return marker if text.partition(marker)[2].lstrip()[:1] in ("{", "[", "<") else None


def parts_of_prose(text: str, tools: ToolIndex) -> list[str]:
    """The code blocks of a text with a declared tool's name, and its lines that begin as calls of one do."""
    if not tools:
        return []
    blocks = [block for match in _BLOCK.finditer(text) if any(name in (block := match[1]) for name in tools.functions)]
    lines = [line for line in _BLOCK.sub("", text).splitlines() if _begins_any(line, tools)]
    return [_PRINTED.sub(r"\1", part) for part in blocks + lines]


def _begins_any(line: str, tools: ToolIndex) -> bool:
    """Whether a line begins as a call of a declared tool does, in Python, in a list of such calls, or in JSON."""
    inner = line.lstrip().removeprefix("[")
    return begins_call(inner, tools) or (inner[:1] == "{" and any(name in line for name in tools.functions))


def _is_distinct(marker: str) -> bool:
    """Whether a marker doesn't occur in ordinary prose."""
    return marker[:1] in "<[" and len(marker) > 3
