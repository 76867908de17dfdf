"""OpenAI's Harmony, the format of gpt-oss: a turn is a chain of messages on channels, and a call is one of them.

A message is ``<|start|>assistant HEADER<|message|>BODY<|end|>``. The header names a channel and, for a call, a
recipient. The channel ``analysis`` is reasoning, ``commentary`` without a recipient is prose next to calls, and
``final`` is the answer. A call is a message to ``functions.NAME`` with JSON arguments, ended by ``<|call|>``. Its
recipient is after the channel, as models write it, or before it, as in the chat template. Prose of several messages is
joined by a newline. The first ``<|start|>assistant`` is in the prompt, and ``<|call|>`` and ``<|return|>`` are stop
tokens that are cut off.

LLM-jp-4.1 decodes each of these tokens with a blank after it, which is not part of the message.

These are read as calls too: the built-in tools (``browser.search``, ``container.exec``), and ``python``, whose code
becomes the argument ``code``; recipients without ``functions.``; messages without ``<|message|>``. Servers that skip
special tokens leave ``analysisI look.assistantcommentary to=functions.f json{…}`` and ``analysis…assistantfinal…``,
which are read as well.

Calls are written as models write them; the template reads that as well. The template itself keeps only the first call
of a turn and turns prose next to it into reasoning. Tools are declared as TypeScript, which holds less than a schema
does. Text that holds a whole message can't be distinguished from a message.

Source: openai/gpt-oss-20b chat template, openai-harmony; vLLM ``openai``, SGLang ``gpt-oss``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.typescript_tools import TypeScriptTools
from toolconv.dialects.grammars.messages import Header, Messages
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import TurnParser

NAMESPACE = "functions."
CHANNEL_RULE = "Calls to these tools must go to the commentary channel: 'functions'."
BUILT_IN = ("browser.", "container.")
PERSONS = ("user", "all", "assistant")

HEADER = lazy_re(
    r"(?:<\|start\|>)?(?P<author>[^<\n{]{0,300}+)"
    r"(?:<\|channel\|>(?P<channel>[^<\n{]{0,300}+))?(?:<\|constrain\|>(?P<type>[^<\n{]{0,300}+))?"
    r"(?P<body><\|message\|>|(?=\s{0,4}\{))?"
)
AUTHOR = lazy_re(r"\s*+(?:assistant\b\s*+)?(?:to=.*)?")
ANOTHER_AUTHOR = lazy_re(r"[\w.\-]+(?:\s+to=\S+)?\s*")
RECIPIENT = lazy_re(r"\bto=\s*(?=\S)")
CONTENT_TYPES = frozenset({"json", "code", "xml"})
CHANNELS = frozenset({"analysis", "commentary", "final"})
WORDS = frozenset({"assistant", *CHANNELS, *CONTENT_TYPES})
"""The words in author and channel, without the recipient."""


UNMARKED = lazy_re(
    r"(?:assistant)?commentary (?P<to>to=functions\.[\w.\-]+)(?: ?(?:json|code))?(?=\s{0,4}\{)"
    r"|(?P<final>assistantfinal)"
    r"|(?P<thought>\Aanalysis)(?=.*assistant(?:final|commentary to=functions\.))",
    re.DOTALL,
)
"""What is left of a header where the special tokens of a turn are skipped."""
UNMARKED_BEGINS = ("analysis", "assistantcommentary to=", "commentary to=")
UNMARKED_STARTS = ("assistantcommentary to=", "commentary to=", "assistantfinal")


def _words_of(part: str | None) -> tuple[str, frozenset[str]]:
    """The recipient that a part of a header names, or ``""``, and the words before it."""
    part = part or ""
    return _split_known(part) if len(part) <= MAX_KNOWN else _split(part)


def _split(part: str) -> tuple[str, frozenset[str]]:
    found = RECIPIENT.search(part)
    if found is None:
        return "", frozenset(part.split())
    to = part[found.end() :].rstrip()
    name, *last = to.rsplit(None, 1)
    return name if last and last[0] in CONTENT_TYPES else to, frozenset(part[: found.start()].split())


_split_known = lru_cache(maxsize=1024)(_split)
MAX_KNOWN = 200
"""Longer parts of a header are not kept in memory."""


class HarmonyMessages(Messages):
    """Harmony's headers, for all formats that have them."""

    @property
    def markers(self) -> tuple[str, ...]:
        return ("<|channel|>", "<|message|>")

    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        match = HEADER.match(text, at)
        if match is None or match.end() == at:
            return None
        body = match["body"]
        parts = match.group("author", "channel", "type")
        (author_to, author), (channel_to, channel), (type_to, kind) = map(_words_of, parts)
        recipients = {author_to, channel_to, type_to} - {""}
        to = type_to or channel_to or author_to
        spaced = body and (match["channel"] or "").startswith(" ") and text.startswith(" ", match.end())
        end = match.end() + bool(spaced)  # LLM-jp decodes each token with a blank after it
        repairs: tuple[str, ...] = ()
        if not body and not (to.startswith(NAMESPACE) if body == "" else self._names_a_tool(match[0], at, to)):
            return None
        if " " in to and "<|" not in match[0]:
            return None  # words
        if at == 0 and body and match["channel"] is None and author and author <= CHANNELS:
            channel, repairs = author, ("missing_open_tag",)  # whose token is in the prompt, or was lost
        elif AUTHOR.fullmatch(match["author"]) is None:
            foreign = text.startswith("<|start|>", at) and ANOTHER_AUTHOR.fullmatch(match["author"])
            return Header("foreign", "", at, match.end()) if foreign else None
        if body is None or not (author <= WORDS and channel <= WORDS) or len(recipients) > 1:
            return Header("unreadable", "", at, match.end())
        if not body:
            repairs = ("missing_open_tag",)
        if not kind <= CONTENT_TYPES:
            repairs = (*repairs, "content_type")
        if to and to not in PERSONS:
            return Header("call", to, at, end, repairs)
        if "analysis" in channel and "<|constrain|>" in match[0]:  # a call whose recipient is damaged
            return Header("unreadable", "", at, end)
        return Header("reasoning" if "analysis" in channel else "prose", "", at, end, repairs)

    @staticmethod
    def _names_a_tool(begun: str, at: int, to: str) -> bool:
        """Whether an incomplete header calls a tool, and is not just mentioned."""
        return bool(to) and to not in PERSONS and ("<|" in begun or at == 0)

    def write_reasoning(self, reasoning: str) -> str:
        return f"<|channel|>analysis<|message|>{reasoning}<|end|>"


class Harmony(HarmonyMessages):
    """Calls to functions, arguments as JSON."""

    @property
    def markers(self) -> tuple[str, ...]:
        return (*super().markers, f"to={NAMESPACE}", "assistantfinal")

    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        found = super().header(text, at, tools)
        if found is not None or "<|" in text or (match := UNMARKED.match(text, at)) is None:
            return found
        if match["final"] and not text.startswith(UNMARKED_BEGINS):
            return None  # a word
        to = (match["to"] or "").removeprefix("to=")
        kind: Literal["call", "prose", "reasoning"] = "call" if to else "prose" if match["final"] else "reasoning"
        return Header(kind, to, at, match.end(), ("missing_open_tag",))

    def read_call(self, parser: TurnParser, header: Header, repairs: list[str]) -> tuple[ToolCall, int]:
        if header.name.startswith(NAMESPACE):
            header = header._replace(name=header.name.removeprefix(NAMESPACE))
        elif not header.name.startswith(BUILT_IN) and header.name not in self.code_tools:
            repairs.append("name_prefix")
        return super().read_call(parser, header, repairs)


STARTS = ("<|start|>", "<|channel|>", " to=", *UNMARKED_STARTS)
ENDS = ("<|call|>", "<|end|>", "<|return|>")
TOKENS = tuple(token for token in TURN_TOKENS if token not in ENDS)
"""The tokens of other families."""
TOOLS = TypeScriptTools(between="\n\n", last=",")

HARMONY_CALLS = CallTemplate(
    f"<|channel|>commentary to={NAMESPACE}{{name}} <|constrain|>json<|message|>{{args}}<|call|>",
    between="<|start|>assistant",
    turn="<|channel|>commentary<|message|>{prose}<|end|><|start|>assistant{calls}",
    turn_without_calls="<|channel|>final<|message|>{prose}<|return|>",
)

DIALECT = Harmony(
    name="harmony",
    aliases=("gpt-oss", "gptoss", "llm_jp_harmony", "llm_jp_4.1"),
    models=("gpt-oss-20b", "gpt-oss-120b", "gpt-oss-safeguard", "LLM-jp-4"),
    sample='<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Tokyo"}<|call|>',
    calls=HARMONY_CALLS,
    starts=STARTS,
    ends=ENDS,
    turn_tokens=TOKENS,
    call_ends=("<|call|>",),
    chat=ChatFormat(
        words=(CHANNEL_RULE,),
        tools_open="# Tools\n\n## functions\n\nnamespace functions {\n\n",
        tools_between=TOOLS.between,
        tools_close="\n\n} // namespace functions",
        tool=TOOLS.write,
        read=TOOLS.read,
        response_role="tool",
        response="{content}",
        one_turn=False,
        json_results=True,
    ),
)
