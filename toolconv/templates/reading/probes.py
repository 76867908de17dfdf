"""Small conversations of known words, as a template writes them: what its borders are learned from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby, product
from typing import Any, Final, Literal, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Tool
from toolconv.dialects.base import Dialect, RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.writer import Segment, SpanWriter

Place = Literal["start", "system", "user", "assistant", "tool", "end"]
"""What is before or after a border: a text by the role of its message, or an end of the whole text."""

SYSTEM, USER, PROSE, REASONING = "qzsystem", "qzuser", "qzprose", "qzthought"
RESULT: Final = 'qzresult"\n'
"""Words that no template writes on its own, each followed by a letter; a result with characters that JSON escapes."""

CONVERSATIONS: Final = (
    "u", "ua", "uaua", "uatu", "ucta", "uct", "uctua", "uctuct", "uctcta", "ucttau", "uctttua", "ubta", "ubtau", "ub",
    "uc", "uca", "ucu", "uru", "urua", "urcta", "uucta", "uaau", "uasua", "uus", "a", "au", "ac", "ct", "cta", "",
    "uctctau", "ucc",
)  # fmt: skip
"""Conversations to learn from: ``s``, ``u``, ``a``, ``t`` are turns of system, user, assistant and tool; ``c`` is one
with calls, ``b`` with prose and calls, ``r`` with reasoning. As many calls as results follow."""

FEW: Final = ("u", "ua", "uaua", "ucta", "uct", "uc", "uru", "urcta", "")
"""Those that are written for each value of a template's variables."""

SETTINGS: Final = (True, False, "thinking", "no_think", "low", "high")
"""The values of a template's variables to learn from; most change only the start of a text or of an answer."""

NAME: Final = "qztool"
TOOL: Final[Tool] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "A tool.",
        "parameters": {
            "type": "object",
            "properties": {"key": {"type": "string", "description": "A key."}},
            "required": ["key"],
        },
    },
}
VALUE: Final = "qzvalue"


class FoundText(NamedTuple):
    """The place of a text of the conversation in what the template wrote."""

    start: int
    end: int
    place: Place
    message: int
    encoded: bool = False
    calls: bool = False


class WrittenExample(NamedTuple):
    """A conversation as a template writes it, with the places of its texts."""

    chat: ChatView
    page: SpanWriter
    texts: list[FoundText]


def examples(template: Template) -> Iterator[WrittenExample]:
    """The conversations that a template can write, with all of their texts, with and without tools.

    A variable changes few of them: what is written as before is left out.
    """
    seen: set[tuple[object, ...]] = set()
    settings: list[dict[str, Any]] = [{}]
    settings += [{name: value} for name, value in product(template.variables, SETTINGS)]
    kinds = [(variables, turns) for variables in settings for turns in (FEW if variables else CONVERSATIONS)]
    for (variables, turns), system, tools, generate in product(kinds, ("", "s"), ([], [TOOL]), (False, True)):
        if generate and turns[-1:] == "a":
            continue
        chat = _chat(system + turns, tools, template.dialect, variables, generate)
        page = SpanWriter()
        try:
            template.write(chat, page)
        except RenderError:
            continue
        written = (system, turns, bool(tools), page.text, *page.segments)
        if written in seen:
            continue
        seen.add(written)
        texts = _texts(template, chat, page)
        if texts is not None:
            yield WrittenExample(chat, page, texts)


def _chat(turns: str, tools: list[Tool], dialect: Dialect, variables: dict[str, Any], generate: bool) -> ChatView:
    """A conversation of known words."""
    messages: list[Message] = []
    open_calls: list[str] = []
    kind = ""
    for at, letter in enumerate(turns):
        kind += letter
        if letter == "r":
            continue
        mark = chr(ord("a") + at)
        if letter == "s":
            messages.append({"role": "system", "content": SYSTEM + mark})
        elif letter == "u":
            messages.append({"role": "user", "content": USER + mark})
        elif letter == "t":
            if open_calls:
                number = open_calls.pop(0)
                tied = {"tool_call_id": _call_id(number), "name": NAME + number}
            else:
                tied = {"name": NAME + mark}
            messages.append({"role": "tool", **tied, "content": f"{RESULT}{mark}"})
        else:
            message: Message = {"role": "assistant", "content": PROSE + mark if letter in "ab" else ""}
            if kind[0] == "r":
                message["reasoning_content"] = REASONING + mark
            if letter in "bc":
                results = len(turns[at + 1 :]) - len(turns[at + 1 :].lstrip("t"))
                open_calls = [f"{mark}{chr(ord('a') + count)}" for count in range(max(results, 1))]
                message["tool_calls"] = [
                    {
                        "id": _call_id(number),
                        "type": "function",
                        "function": {"name": NAME + number, "arguments": {"key": VALUE + number}},
                    }
                    for number in open_calls
                ]
            messages.append(message)
        kind = ""
    row = {"tools": tools, "messages": messages}
    return ChatView(Conversation(row), dialect, generate=generate, variables=variables)


def _call_id(number: str) -> str:
    """The id of a call: nine letters and digits, which is all that some templates accept."""
    return f"qzident{number}"


def _texts(template: Template, chat: ChatView, page: SpanWriter) -> list[FoundText] | None:
    """Where the texts of a conversation are in what was written; ``None`` if one is missing or there twice.

    Only the system text may be there twice: then its first place counts.
    """
    text = page.text
    found = _answers(template, chat, page)
    for index, message in enumerate(chat.messages):
        role, content = chat.roles[index], message["content"]
        if role == "assistant":
            continue
        place: Place = "system" if role == "system" else "tool" if role == "tool" else "user"
        start = text.find(content)
        if start >= 0 and (text.find(content, start + 1) < 0 or (index, place) == (0, "system")):
            found.append(FoundText(start, start + len(content), place, index))
            continue
        span = _response_span(page, index) if role == "tool" else None
        if span is None:
            return None
        found.append(FoundText(*span, place, index, encoded=True))
    found.sort()
    written = {one.message for one in found}
    return found if len(written) == len(chat.messages) else None


def _answers(template: Template, chat: ChatView, page: SpanWriter) -> list[FoundText]:
    """Where the answers are: what the model writes, without the tokens that end its turn.

    A family may write a part of an answer before the results, and another part after them.
    """
    headers = template.headers
    ends = {*template.stops, template.close, *headers.values(), headers[template.dialect.chat.response_role]}
    starts = list(accumulate((len(segment[0]) for segment in page.segments), initial=0))
    found: list[FoundText] = []
    for message, group in groupby(zip(starts, page.segments, strict=False), lambda each: _author(chat, each[1])):
        run = list(group)
        while run and not _is_text(run[-1][1]) and run[-1][1][0] in ends:
            run.pop()
        while run and run[0][1][0].isspace():
            run.pop(0)
        if message is not None and any(_is_text(segment) for _, segment in run):
            calls = any(segment[1] == "call" for _, segment in run)
            end = run[-1][0] + len(run[-1][1][0])
            found.append(FoundText(run[0][0], end, "assistant", message, calls=calls))
    return found


def _author(chat: ChatView, segment: Segment) -> int | None:
    """The assistant turn that a segment is a part of, if the model writes it."""
    _, _, train, message, _ = segment
    is_answer = message is not None and chat.roles[message] == "assistant"
    return message if is_answer and (train or _is_text(segment)) else None


def _is_text(segment: Segment) -> bool:
    return segment[1] in ("reasoning", "prose", "call")


def _response_span(page: SpanWriter, index: int) -> tuple[int, int] | None:
    """Where the template writes the response at ``index``, in its own notation."""
    at, span = 0, None
    for part, kind, _, message, _ in page.segments:
        if kind == "response" and message == index:
            span = (span[0] if span else at, at + len(part))
        at += len(part)
    return span
