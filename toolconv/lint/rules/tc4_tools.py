"""TC4xx: declarations of tools: repeated, vague, alike, or named like the request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Final, Self

from toolconv.core.lazy_re import lazy_re
from toolconv.core.plural import plural
from toolconv.lint.datasets.digesting import PLACE_BYTES, DigestingRule
from toolconv.lint.datasets.digests import digest_of
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.model.toolset import KnownTool
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import RowRule, ToolRule, rule
from toolconv.lint.rules.tc4_schemas import place
from toolconv.lint.schema.parameters import SIGNATURE_BYTES

_CODED = lazy_re(r"[a-zA-Z][_.]\w|[a-z][A-Z]|[a-zA-Z]\d")
_CJK = lazy_re(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@rule("TC404", "duplicate-tool", "error", guards=("names_repeat",))
class DuplicateTool(RowRule):
    """A tool name that is declared twice in one row.

    Anti-pattern: distractor tools sampled without checking their names.

    Why it hurts: APIs reject the row; if the declarations differ, calls are ambiguous.

    Best practice: declare each name once.

    Bad: ``get_weather(city)`` and ``get_weather(place)``

    Good: ``get_weather(city)``

    Source: OpenAI's API; BFCL multiple-function questions.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        seen: dict[str, LintTool] = {}
        for tool in row.checked_tools:
            if not isinstance(tool.name, str):
                continue
            first = seen.setdefault(tool.name, tool)
            if first is not tool:
                how = "the same again" if first.function == tool.function else "and differently"
                yield self.finding(row, tool.pointer, f"{shown(tool.name)} is declared twice, {how}")


@rule("TC405", "conflicting-tool", "warning", options={"shown": 20})
class ConflictingTool(DigestingRule):
    """A tool name that means different tools in different rows.

    Anti-pattern: concatenated datasets; tools changed during data generation.

    Why it hurts: a model associates arguments with a tool's name; here it learns the arguments of one tool from calls
    to another.

    Best practice: one definition per name, unless the dataset deliberately teaches reading declarations.

    Bad: ``search(query)`` in some rows, ``search(q, limit)`` in others

    Good: ``search(query)`` and ``search_pages(q, limit)``

    Source: BFCL and glaive (one name, many definitions).
    """

    more: ClassVar[int] = SIGNATURE_BYTES

    def start(self) -> None:
        self.others: dict[str, tuple[str, int, str, int]] = {}
        self.first_words: dict[str, tuple[bytes, str]] = {}  # with the signature

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[PLACE_BYTES:] == later[PLACE_BYTES:])

    def find(self, row: LintRow) -> Iterable[Finding]:
        for tool in row.known_tools:
            if tool.name is not None and self.first_words.get(tool.name, NONE)[0] != tool.signature:
                self._compare(row, tool, tool.name)
        return ()

    def _compare(self, row: LintRow, tool: KnownTool, name: str) -> None:
        """Compare a declaration with the first one of its name."""
        here = self.place(row) + tool.signature
        first = self.firsts.setdefault(_key(name), here)
        if first == here:
            if len(self.first_words) < MAX_FIRSTS:
                self.first_words.setdefault(name, (tool.signature, tool.words))
        elif first[PLACE_BYTES:] != tool.signature and (name in self.others or len(self.others) < MAX_FIRSTS):
            file, since, words, count = self.others.get(name, (row.file, row.line, tool.words, 0))
            self.others[name] = file, since, words, count + 1

    def merge(self, later: Self) -> None:
        for name, (file, line, words, count) in later.others.items():
            file, line, words, before = self.others.get(name, (file, line, words, 0))
            self.others[name] = file, line, words, before + count
        for name, first in later.first_words.items():
            if len(self.first_words) < MAX_FIRSTS:
                self.first_words.setdefault(name, first)

    def finish(self) -> Iterator[Finding]:
        most = int(self.option("shown"))
        for name, (file, line, words, count) in list(self.others.items())[:most]:
            where = self.where(self.firsts[_key(name)][:PLACE_BYTES], file)
            _, first_words = self.first_words.get(name, NONE)
            if first_words is None:
                message = f"{shown(name)} is declared with ({words}) here, in another way in {where}"
            elif words == first_words:
                message = f"{shown(name)} is declared with other constraints on ({words}) than in {where}"
            else:
                message = f"{shown(name)} is declared with ({words}) here, with ({first_words}) in {where}"
            message += f"; {plural(count, 'declaration differs', 'declarations differ')} from the first"
            yield self.finding_in(file, message, line)
        if len(self.others) > most:
            file = next(iter(self.others.values()))[0]
            yield self.finding_in(file, f"{len(self.others) - most:,} more names are declared in different ways")


MAX_FIRSTS = 20_000
"""For how many names the parameters are kept for messages, and how many names that differ."""


NONE: Final = None, None


def _key(name: str) -> bytes:
    return digest_of(name.encode("utf-8", "surrogatepass"))


@rule("TC406", "vague-description", "warning")
class VagueDescription(ToolRule):
    """A tool without a useful description.

    Anti-pattern: no description, a single word, the name again, or words that fit any tool: ``A useful tool``,
    ``查询信息``.

    Why it hurts: models choose tools by description; without one, they learn to choose by name.

    A parameter's description counts if it is a word or signs that stand for one, such as ``TODO`` or ``---``.

    Best practice: write a sentence about what the tool does and when to use it.

    Bad: ``{"name": "get_weather", "description": "Get weather"}``

    Good: ``{"name": "get_weather", "description": "Gives the current weather of a city."}``

    Source: Anthropic's and OpenAI's guides on tool definitions.
    """

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        for name in _unexplained(tool) if tool.known.has_stand_ins else ():
            message = f"{name} of {shown(tool.name)} has a description that says nothing of it"
            yield self.finding(row, place(tool, ("properties", name, "description")), message)
        text = tool.function.get("description")
        text = text.strip() if isinstance(text, str) else ""
        where = tool.pointer
        if not tool.stated and "description" in tool.function:
            where = f"{tool.pointer}/description"
        if not text:
            yield self.finding(row, where, f"{shown(tool.name)} has no description")
        elif _may_repeat(text, str(tool.name)) and _plain(text) == _plain(str(tool.name)):
            message = f"the description of {shown(tool.name)} is its name again: {shown(text)}"
            yield self.finding(row, where, message)
        elif (len(text.split(None, 2)) < 3 and len(_CJK.findall(text)) < 4) or _VAGUE.fullmatch(text):
            message = f"the description of {shown(tool.name)} is {shown(text)}, expected a sentence"
            yield self.finding(row, where, message)


_VAGUE = lazy_re(
    r"(?:this is )?an? (?:very )?(?:useful|helpful|simple|general|generic)? ?(?:tool|function|api|method)[.!]?"
    r"|this (?:tool|function) (?:does|is) (?:something|some things?|stuff|useful|helpful)[.!]?"
    r"|does (?:something|stuff|things)[.!]?|an? (?:helper|utility|wrapper) (?:function|tool|method)[.!]?"
    r"|(?:performs?|handles?|executes?|processes?|runs?|does) (?:an? |the |some |various )?"
    r"(?:operations?|requests?|tasks?|actions?|things?|data|work|inputs?)[.!]?"
    r"|used for (?:various|different|many|several) (?:things|purposes|tasks|operations)[.!]?"
    r"|(?:这个|该)(?:函数|工具|接口|方法)(?:很|非常)?(?:有用|好用|实用)[。!！]?"
    r"|(?:相关|通用|辅助|工具)(?:的)?(?:功能|函数|接口|工具|方法)[。!！]?|(?:调用|使用)(?:接口|函数|工具)[。!！]?"
    r"|(?:这是)?(?:一个)?(?:很)?(?:有用|好用|简单|通用|实用)?的?(?:工具|函数|接口|方法|功能)[。!！]?"
    r"|(?:用于|用来|可以)?(?:处理|获取|查询|执行|操作|做)(?:一些|各种|相关)?(?:的)?(?:数据|信息|东西|内容|操作|请求|事情|任务)[。!！]?"
    r"|(?:用于|用来)(?:各种|一些|相关)(?:的)?(?:操作|任务|事情|用途)[。!！]?",
    re.I,
)
"""Descriptions that say nothing of a tool, whole."""

_STAND_IN = lazy_re(
    r"(?:todo|tbd|fixme|n/?a|xxx+|\.{2,}|-+)[.:]?"
    r"|(?:a |the |some )?(?:param(?:eter)?|arg(?:ument)?|description|desc)[.:]?"
    r"|(?:参数|描述|说明|字段)[。：:]?",
    re.I,
)
"""Descriptions of a parameter that say nothing of it, whole."""


def _unexplained(tool: LintTool) -> Iterator[str]:
    """The parameters of a tool whose description says nothing."""
    for name, part in tool.known.properties.items():
        text = part.get("description") if isinstance(part, dict) else None
        if isinstance(text, str) and text and _STAND_IN.fullmatch(text.strip()):
            yield name


def _may_repeat(text: str, name: str) -> bool:
    """Whether two texts may have the same letters and digits, which they don't if they begin with different ones."""
    first, other = text[:1], name[:1]
    return not (first.isalnum() and other.isalnum()) or first.lower()[0] == other.lower()[0]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


@rule("TC416", "tool-name-in-request", "info", default=False)
class NameInRequest(RowRule):
    """The exact name of a tool in a user's request.

    Anti-pattern: requests generated from the declarations: "Use get_weather for Rome."

    Why it hurts: the model learns to copy names from the request instead of choosing a tool by what it does.

    Best practice: requests in the words of users; names masked in a part of the rows.

    Bad: "Call get_weather for Rome."

    Good: "What is the weather in Rome?"

    Only names that are no ordinary words count: those with ``_``, ``.``, a digit, or capitals inside.

    Source: Hammer (Lin et al. 2024), function masking.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        names = [name for name in row.index.functions if _CODED.search(name)]
        for turn in row.turns if names else ():
            if turn.role == "user":
                found = [
                    name
                    for name in names
                    if name in turn.text and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", turn.text)
                ]
                if found:
                    message = f"the request holds {listed(found)}: the name of a tool, not what it does"
                    yield self.finding(row, row.text_pointer(turn.message), message)


@rule("TC418", "tools-alike", "warning", preview=True)
class ToolsAlike(RowRule):
    """Two tools of one row, or two parameters of a tool, whose names differ only in spelling; tools of one description.

    Anti-pattern: ``get_weather`` and ``getWeather``, from two sources that were merged.

    Why it hurts: nothing tells the model which one to call, and half of the calls will be wrong.

    Best practice: one tool under one name.

    Bad: ``get_weather`` and ``getWeather``

    Good: ``get_weather``

    In 45,000 rows of more than 50 sources: 14 different findings of 4 of them, all right (servers of MCP for the same
    thing, a search twice, one of tau-bench's tools with another one's description).

    Source: merged MCP servers; tau-bench's ``search_onestop_flight``, described as a search for direct flights.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        first: dict[str, str] = {}
        described: dict[str, str] = {}
        for tool in row.checked_tools:
            if isinstance(tool.name, str):
                text = str(tool.function.get("description") or "").strip().casefold()
                same = described.setdefault(text, tool.name) if len(text) >= MIN_DESCRIPTION else tool.name
                other = first.setdefault(_letters(tool.name), tool.name)
                if other != tool.name:
                    yield self.finding(row, tool.pointer, f"{shown(tool.name)} is spelled like {shown(other)}")
                elif same != tool.name:
                    yield self.finding(row, tool.pointer, f"{shown(tool.name)} has the description of {shown(same)}")
            names: dict[str, str] = {}
            for name in tool.known.properties:
                if (like := names.setdefault(_letters(name) or name, name)) != name:
                    message = f"{name} of {shown(tool.name)} is spelled like {like}"
                    yield self.finding(row, place(tool, ("properties",)), message)


MIN_DESCRIPTION: Final = 8
"""A shorter description may well be that of two tools."""


def _letters(name: str) -> str:
    """A name without case and signs."""
    return re.sub(r"[\W_]", "", name).casefold()
