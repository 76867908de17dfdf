"""What a tool is about, by the words of its name, for comparison with a request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.names import words_in
from toolconv.lint.schema.schemas import properties_of

_PARTS = lazy_re(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")

_ASIDE: Final = frozenset(
    {"get", "find", "search", "list", "show", "fetch", "check", "retrieve", "query", "lookup", "look", "calculate"}
    | {"run", "call", "use", "tool", "api", "function", "data", "info", "information", "details", "item", "items"}
    | {"by", "for", "the", "and", "from", "with", "into", "all", "value", "new"}
)
"""Words of tool names that do not show what a tool is about."""


_LOOKUPS: Final = frozenset(
    {
        "get", "find", "search", "list", "fetch", "check", "retrieve", "query", "lookup", "look", "calculate",
        "track", "read", "compute", "convert", "translate", "show", "view", "tell", "measure", "analyze", "recommend",
        "detect", "compare",
    }
)  # fmt: skip
"""Words of tool names that show that a tool is called for what it returns."""


def looks_up(name: str) -> bool:
    """Whether a tool is called for what it returns, by its name."""
    return any(word.lower() in _LOOKUPS for word in _PARTS.findall(name))


@lru_cache(maxsize=1024)
def topics(name: str) -> frozenset[str]:
    """The words of a tool's name that show what it is about, without endings."""
    return frozenset(
        _stem(word.lower()) for word in _PARTS.findall(name) if word.lower() not in _ASIDE and len(word) > 2
    )


def stems(text: str) -> set[str]:
    """The words of a text, without endings."""
    return {_stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())}


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    return re.sub(r"(?:ies|ing|ions?|ed|es|s|e|y)$", "", word) if len(word) > 4 else word


_ACTS: Final = frozenset(
    {"book", "reserve", "buy", "order", "cancel", "send", "delete", "remove", "create", "schedule", "transfer", "pay"}
    | {"update", "change", "register", "submit", "undo", "reverse", "revert", "split", "exchange", "replace"}
    | {"refund", "upgrade", "modify", "switch"}
)


def acts_in(text: str) -> set[str]:
    """The words for acts in a request, without endings."""
    return stems(text) & {_stem(word) for word in _ACTS}


_SIGNS = lazy_re(r"[\u3400-\u9fff]+")
_COMMON: Final = frozenset(
    {"查询", "获取", "搜索", "查找", "计算", "返回", "提供", "使用", "工具", "函数", "接口"}
    | {"信息", "数据", "结果", "内容", "指定", "根据", "用户", "一个", "当前", "今天", "相关"}
    | {"列表", "详细", "输入", "参数", "名称", "城市", "时间", "日期", "的城", "给定", "进行"}
    | {"可以", "需要", "请求", "服务", "功能", "系统", "问题", "什么", "怎么", "如何", "帮我"}
    | {"我想", "多少", "设置", "成功", "生成", "制定", "创建", "优化", "推荐", "已经", "为您", "为你", "您的", "帮您"}
)
"""Pairs of signs that do not show what a Chinese description or request is about."""


def fitting_tool(functions: dict[str, dict[str, Any]], request: str) -> str | None:
    """The first declared tool that a request fits: it has all words of the tool's name; in Chinese, where names are in
    English, a pair of signs of the tool's description.

    Args:
        functions: the declarations, by name.
        request: the user's turn.
    """
    words, pairs = stems(request), set(_pairs(request))
    for name, function in functions.items():
        about = topics(name)
        if about and about <= words:
            return name
        described = function.get("description")
        if pairs and isinstance(described, str) and not pairs.isdisjoint(_pairs(described)):
            return name
    return None


def described_tool(functions: dict[str, dict[str, Any]], *texts: str) -> str | None:
    """The first declared tool with whose name and description each of some texts has two words in common.

    Common words of descriptions don't count; in Chinese, one pair of signs of the description does.
    """
    shared = set.intersection(*map(stems, texts)) - _PLAIN
    signs = set.intersection(*(set(_pairs(text)) for text in texts))
    for name, function in functions.items():
        described = function.get("description")
        words = described if isinstance(described, str) else ""
        if len(shared & (stems(words.split(". ")[0]) | topics(name))) >= SHARED or not signs.isdisjoint(_pairs(words)):
            return name
    return None


def needed_tool(functions: dict[str, dict[str, Any]], request: str, answer: str) -> str | None:
    """The first declared tool that a request fits, by its words and those of the answer.

    Of a short answer, one word of the tool's name is enough, or of one that takes codes, a code that the request and
    the answer have.
    """
    tool = fitting_tool(functions, request) or described_tool(functions, request, answer)
    if tool is not None:
        return tool
    codes = [match[0] for match in _CODED.finditer(request)]
    words, is_short = stems(request), len(answer) <= LONGEST_ANSWER
    long_words = [word for word in re.findall(r"[^\W\d_]{5,}", request.lower()) if _stem(word) not in _PLAIN]
    for name, function in functions.items():
        if codes and not topics(name).isdisjoint(words):
            return name
        if is_short and any(_are_akin(word, part) for word in long_words for part in _PARTS.findall(name)):
            return name
        if is_short and any(code in answer for code in codes) and _takes_code(function):
            return name
    return None


LONGEST_ANSWER: Final = 200
"""A longer answer says more than a tool returns."""


def _are_akin(word: str, part: str) -> bool:
    """Whether a word is another one, in another number, or the first of a compound."""
    low = part.lower()
    return low[:5] == word[:5] and (low.startswith(word) or word.startswith(low)) and _stem(low) not in _PLAIN


def _takes_code(function: dict[str, Any]) -> bool:
    """Whether a tool takes a number or a code of something, by the description of its first parameter."""
    first = next(iter(properties_of(function.get("parameters")).items()), ("", None))
    return _OF_CODES.search(f"{first[0]} {first[1]}") is not None


def asks_about_code(request: str) -> bool:
    """Whether a request is a short question with a code."""
    return len(request) <= LONGEST_QUESTION and request.rstrip()[-1:] in _ASKING and _CODED.search(request) is not None


_ASKING: Final = frozenset("?？؟吗呢")
LONGEST_QUESTION: Final = 200
"""A longer request may hold what it asks about."""


def asked_code(request: str, function: dict[str, Any]) -> str | None:
    """The code that a short question is about, if a tool takes one; ``None`` if it has none, or several."""
    codes = {match[0] for match in _CODED.finditer(request)} if asks_about_code(request) else set()
    return codes.pop() if len(codes) == 1 and _takes_code(function) and not _GENERAL.search(request) else None


_OF_CODES = lazy_re(r"\b(?:id|code|number|symbol)\b|nummer\b|\bn[uú]m[eé]ro\b|代码|号", re.I)


def is_about_one_thing(request: str, answer: str, declared: set[str], facts: int) -> bool:
    """Whether a request asks about one thing, and not about things in general.

    Args:
        request: the user's turn.
        answer: the answer to it.
        declared: the words of the tool that it fits, without endings.
        facts: how many facts the answer states that nothing before it says.
    """
    if _SIGNS.search(request) is not None or _GENERAL.search(request) is not None:
        return _GENERAL.search(request) is None
    named = [match[0] for match in _NAMED.finditer(request) if not stems(match[0]) & declared]
    if _CODED.search(request) or any(not name[:1].isupper() or name.isupper() or name in answer for name in named):
        return True
    return bool(named) and facts > 1 and len(answer) <= LONGEST_ANSWER


_CODED = lazy_re(r"(?<![\w-])(?=[\w-]*\d)(?:[A-Z\d][\w-]{3,}|\d{5,})(?![\w-])", re.ASCII)
_NAMED = lazy_re(r"\d[\d.,]*|(?<!\w)['\"“][^'\"”\n]{2,60}['\"”](?!\w)|(?<=[\w,] )[A-Z][\w-]+")
"""What shows that a request is about one thing: a number, something quoted, a name in capitals."""
_GENERAL = lazy_re(
    r"为什么|什么意思|是什么|怎么(?!样)|如何|一般|哪些|介绍|发明|\b(?:why|causes?|means?|meaning|usually)\b",
    re.I,
)
"""Words of requests about things in general."""


def about_words(name: str, function: Mapping[str, Any]) -> set[str]:
    """The words of a tool's name and of its first sentence that show what it is about, without endings."""
    return (stems(name.replace("_", " ")) | stems(str(function.get("description")).split(". ")[0])) - _PLAIN


def words_of(name: str, function: dict[str, Any]) -> set[str]:
    """The words of a tool's name and description, without endings."""
    return stems(f"{name.replace('_', ' ')} {function.get('description')}")


def is_like_call(names: Iterable[str], text: str) -> bool:
    """Whether a text is a damaged call, or shows how one is written.

    It begins as data does, or has a request of HTTP or a tool's name.

    Args:
        names: the names of the tools; in the text, their underscores may be escaped.
        text: an answer without a call.
    """
    plain = text.replace("\\", "").lstrip()
    return plain[:1] in _DATA or _REQUEST_LINE.search(plain) is not None or any(name in plain for name in names)


_DATA: Final = frozenset("[{<`")
_REQUEST_LINE = lazy_re(r"^[A-Z]{3,7} https?://", re.M)
"""A method of HTTP and an address: how MedAgentBench's calls are written."""


def does(name: str, function: dict[str, Any], verb: str) -> bool:
    """Whether a tool does what a verb says, by the words of its name or the first ones of its description."""
    described = function.get("description")
    first = " ".join(described.split()[:FIRST_WORDS]) if isinstance(described, str) else ""
    return not looks_up(name) and not stems(verb).isdisjoint({*topics(name), *stems(first)})


def opposite_tool(functions: dict[str, dict[str, Any]], called: str, request: str) -> str | None:
    """The declared tool that does the opposite of a called one, if a request tells to do that, and not what is called.

    Args:
        functions: the declarations, by name.
        called: the name of the called tool.
        request: the last turn of the user.
    """
    mine = words_in(called)
    for name in functions:
        theirs = words_in(name)
        pairs = [(a, b) for a, b in zip(mine, theirs, strict=False) if a != b]
        if len(mine) != len(theirs) or len(pairs) != 1 or not are_opposite(*pairs[0]):
            continue
        own, other = pairs[0]
        if other in imperatives_in(request) and own not in re.findall(r"\w+", request.lower()):
            return name
        described = [str(functions.get(each, {}).get("description")) for each in (called, name)]
        signs = [next((sign for sign in _OPPOSITE_SIGNS if sign in text), None) for text in described]
        if signs[1] and signs[1] in request and not (signs[0] and signs[0] in request):
            return name
    return None


def are_opposite(one: str, other: str) -> bool:
    """Whether two verbs, or two words after "turn", mean the opposite of each other."""
    short, long = sorted((one, other), key=len)
    return long in {f"un{short}", f"dis{short}", f"de{short}"} or {one, other} in _OPPOSITES


def imperatives_in(request: str) -> set[str]:
    """The words in a request that may tell to do something: those that begin a wish, and what is turned on or off."""
    return {match[match.lastindex or 0].lower() for match in _TELLS.finditer(request)}


_TELLS = lazy_re(
    r"\b(?:turn|switch|put)(?:ed)? (?:[^.!?,;\n]{1,40}? )?(on|off|up|down)\b"
    r"|(?:\A|[.!?;:,\n] ?|\b(?:please|you|to|and|then|now) )(?=([a-z]{1,20}))",
    re.I,
)
_OPPOSITES: Final = [
    {"on", "off"}, {"up", "down"}, {"open", "close"}, {"start", "stop"}, {"add", "remove"}, {"add", "delete"},
    {"create", "delete"}, {"increase", "decrease"}, {"raise", "lower"}, {"buy", "sell"}, {"deposit", "withdraw"},
    {"show", "hide"}, {"upload", "download"}, {"import", "export"}, {"encode", "decode"}, {"encrypt", "decrypt"},
    {"accept", "reject"}, {"accept", "decline"}, {"approve", "reject"}, {"pause", "resume"}, {"push", "pull"},
    {"enable", "disable"}, {"archive", "restore"},
]  # fmt: skip
"""Verbs of names of tools that undo each other."""
_OPPOSITE_SIGNS: Final = (
    "打开", "关闭", "开启", "启动", "停止", "添加", "删除", "移除", "增加", "减少", "启用", "禁用",
    "调高", "调低",
)  # fmt: skip
"""What Chinese descriptions have for such verbs."""

FIRST_WORDS: Final = 4
"""How many words of a description say what a tool does."""

SHARED: Final = 2
"""How many words tell what a tool is about."""

_PLAIN: Final = frozenset(
    {_stem(word) for word in _ASIDE}
    | {_stem(word) for word in ("given", "specified", "provided", "user", "returns", "based", "using", "specific")}
    | {_stem(word) for word in ("this", "that", "you", "your", "can", "are", "not", "has", "have", "between", "about")}
)
"""Words, without endings, that tell nothing of a tool."""


def _pairs(text: str) -> Iterable[str]:
    """The pairs of neighbouring Chinese signs in a text, without common ones."""
    for run in _SIGNS.findall(text):
        yield from (pair for at in range(len(run) - 1) if (pair := run[at : at + 2]) not in _COMMON)
