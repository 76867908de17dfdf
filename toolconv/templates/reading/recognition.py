"""Find the template that wrote a text, and read the text by it.

A text is tried with each template that begins texts in its way, the most common families first. The one is taken that
explains most of it as its own words. A text that no template reads is split by its turn tokens or by words that name
the speakers (:mod:`toolconv.layouts.worded_turns`), and its declarations,
calls and responses are read like those of any other chat.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from toolconv import dialects, templates
from toolconv.core.conversation import Conversation
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.detection import detect_all
from toolconv.layouts.worded_turns import worded_turns
from toolconv.templates.base import ChatView, Template, TextWriter
from toolconv.templates.jinja import source
from toolconv.templates.reading.headers import ENDS, begins_with_system, holds_stop, split_by_headers
from toolconv.templates.reading.probes import TOOL
from toolconv.templates.reading.split import SplitText, split

COMMON: Final = (
    "qwen3", "qwen2.5", "hermes-fc", "qwen3.5", "qwen3.6", "qwen3.8", "qwen3-coder", "llama-3.1", "llama-3.2",
    "mistral-nemo", "gemma-4", "phi4-mini",
)  # fmt: skip
"""The templates that are tried before the others."""

BEGINS: Final = ("<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "<|endoftext|>")
"""Tokens that trainers put before whole texts."""

_WORD: Final = "qzword"


def read_text(
    text: str, name: str | None = None, *, infer: bool = True, answer: str | None = None, shown: Dialect | None = None
) -> Conversation | None:
    """The conversation in a text that a chat template wrote; ``None`` for any other text, such as a single answer.

    Args:
        text: the whole text.
        name: the name of a built-in template, or the path of a template file; ``None`` to find the template.
        infer: whether values whose type nothing settles get one by their looks.
        answer: the text is a prompt, and this the bare answer to it, without the tokens of a turn.
        shown: the dialect in which a template file writes calls.

    Raises:
        UnknownTemplate, FileError: there is no such template.
    """
    if name is not None:
        found = split(named(name), text)
        if found is None or answer is None:
            return None if found is None else found.conversation(sure=True, infer=infer, shown=shown)
        return _answered(found, text, answer, infer=infer, shown=shown)
    found, sure = recognized(text)
    if (found is None or found.template is None) and (bare := _without_ends(text)) != text:
        found, sure = recognized(bare)
    if found is None or not found.is_conversation:
        return None
    return found.conversation(sure=sure, infer=infer) if answer is None else _answered(found, text, answer, infer=infer)


def _answered(
    prompt: SplitText, text: str, answer: str, *, infer: bool, shown: Dialect | None = None
) -> Conversation | None:
    """The turns of a prompt and its bare answer; ``None`` if the prompt, ``text``, ends with an answer already."""
    if prompt.messages[-1]["role"] == "assistant":
        return None
    prompt.messages.append({"role": "assistant", "content": answer})
    if shown is None and (found := detect_all([(answer, NO_TOOLS)]).name) is not None:
        shown = dialects.get(found)
    return prompt.conversation(sure=False, infer=infer, prompt=text, shown=shown)


def _without_ends(text: str) -> str:
    """A text without the tokens that begin and end whole texts, which may be those of another family."""
    bare = text.rstrip()
    while end := next((end for end in ENDS if bare.endswith(end)), ""):
        bare = bare.removesuffix(end).rstrip()
    begin = next((begin for begin in BEGINS if text.startswith(begin)), "")
    return bare[len(begin) :].lstrip("\n") if begin or bare != text.rstrip() else text


def recognized(text: str) -> tuple[SplitText | None, bool]:
    """The turns of a text by the template that explains most of it, and whether this is known to be its template.

    ``None`` if the text does not begin with a turn.
    """
    if begins_with_system(text):
        return SplitText(split_by_headers(text, _in_order()) or []), False
    best: SplitText | None = None
    families: set[str] = set()
    for template in _in_order():
        if not text.startswith(_openings(template)):
            continue
        found = split(template, text)
        if found is None:
            continue
        if (found.tools is not None or found.unread) and not found.cut and not _unspoken(found):
            return _settled(found, template, text), True
        families.add(template.dialect.name)
        if best is None or _rank(found) > _rank(best):
            best = found
    asks = best is not None and any(message["role"] == "user" for message in best.messages)
    if not asks and (turns := worded_turns(text)) is not None:
        return SplitText(turns, worded=True), False
    if best is not None and not best.cut and not holds_stop(best.messages, _in_order()):
        return best, len(families) == 1
    messages = split_by_headers(text, _in_order())
    if messages is not None and (best is None or len(messages) >= len(best.messages)):
        return SplitText(messages), False
    return best if best is not None and len(best.messages) > 1 else None, False


def _settled(found: SplitText, template: Template, text: str) -> SplitText:
    """The reading of a text with tools whose template writes the longest part of it again; of equals, ``found``.

    Only templates that declare tools in the same words and read other turns are asked.
    """
    rivals = _rivals(template)
    if not rivals or (best := _written_again(found, text)) == len(text):
        return found
    for other in rivals:
        reading = split(other, text)
        if reading is None or reading.tools is None or reading.cut:
            continue
        length = _written_again(reading, text)
        if length > best:
            found, best = reading, length
    return found


@lru_cache(maxsize=256)
def _rivals(template: Template) -> tuple[Template, ...]:
    """The templates that declare tools in the same words as a template, and whose turns are read otherwise."""
    words, reading = _declares(template), _reads(template)
    return tuple(other for other in _in_order() if _declares(other) == words and _reads(other) != reading)


def _declares(template: Template) -> tuple[str, str]:
    """The words around the tools that a template declares."""
    chat = template.dialect.chat
    return chat.tools_open, chat.tools_close


def _reads(template: Template) -> tuple[Any, ...]:
    """What the reading of a turn depends on."""
    dialect = template.dialect
    return dialect.calls, dialect.separator, replace(dialect.reasoning, before="", after="")


def _written_again(found: SplitText, text: str) -> int:
    """How many characters of a text its template writes again, from the beginning; variables may change the rest."""
    template, conversation = found.template, found.conversation(sure=True)
    assert template is not None
    losses = list(conversation.notes.losses)
    again = TextWriter()
    try:
        template.write(ChatView(conversation, template.dialect), again)
    except RenderError:
        return 0
    finally:
        conversation.notes.losses[:] = losses
    if again.text == text:
        return len(text)
    return next((at for at, (one, other) in enumerate(zip(text, again.text, strict=False)) if one != other), len(text))


def _rank(found: SplitText) -> tuple[bool, int, int, int]:
    return not found.cut, len(found.messages) if found.cut else 0, found.explained, -_unspoken(found)


def _unspoken(found: SplitText) -> int:
    """The number of empty answers, which another template may know to be the end of a prompt."""
    return sum(message["role"] == "assistant" and not message["content"] for message in found.messages)


@cache
def _in_order() -> tuple[Template, ...]:
    common = [templates.get(name) for name in COMMON]
    return (*common, *(template for template in templates.all_templates() if template not in common))


@lru_cache(maxsize=256)
def _openings(template: Template) -> tuple[str, ...]:
    """How the texts of a template begin, with the token that begins a text and without."""
    found: dict[str, None] = {}
    user = {"role": "user", "content": _WORD}
    system = {"role": "system", "content": _WORD}
    for tools in ([], [TOOL]):
        for messages in ([user], [system, user]):
            chat = ChatView(Conversation({"tools": tools, "messages": messages}), template.dialect)
            page = TextWriter()
            try:
                template.write(chat, page)
            except RenderError:
                continue
            opening = page.text.partition(_WORD)[0].partition(str(TOOL["function"]["name"]))[0][:_LENGTH]
            found[opening] = None
            found[opening.removeprefix(template.begin).lstrip("\n")] = None
    return tuple(opening for opening in found if opening.strip())


_LENGTH: Final = 48
"""How much of the beginning of a text is compared, in characters."""


def named(name: str) -> Template:
    """The template of a name, or in a file.

    Raises:
        UnknownTemplate, FileError: there is no such template.
    """
    return _in_file(name, source.version(name)) if Path(name).is_file() else templates.get(name)


@lru_cache(maxsize=16)
def _in_file(path: str, version: source.Version) -> Template:
    """The template in a version of a file."""
    from toolconv.templates.jinja import load

    return load(path, name=None, variables={}, spans=True)
