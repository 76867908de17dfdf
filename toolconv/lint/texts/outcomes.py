"""What tool responses and answers amount to, by their words: an error, nothing, a cut text; a promise, a refusal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.guards import any_word
from toolconv.lint.model.turns import text_of
from toolconv.lint.texts.scripts import lowered

EMPTY: Final = frozenset({"", "null", "none", "{}", "[]", '""', "''", "nan", "undefined"})

_ERROR_TEXT = lazy_re(
    r"\s*(?:error\b|exception\b|(?:[a-z]\w{1,20}\.){0,5}[A-Z]\w{2,40}(?-i:Error|Exception)\b"
    r"|[45]\d\d [a-z]{3,}|too many requests|rate limit|permission denied"
    r"|no such (?:file|user|key|command|table|host)|traceback \(|panic: |fatal: |segmentation fault|core dumped"
    r"|failed\b|failure\b|http (?:error )?[45]\d\d|timed? ?out\b"
    r"|internal server error|bad gateway|service unavailable|(?:access|permission) denied|unauthori[sz]ed\b|forbidden\b"
    r"|(?:the )?(?:request|connection|operation|call) (?:has )?(?:timed out|failed|refused|was refused)"
    r"|(?:the )?connection (?:was |has been )?(?:reset|lost|closed)\b"
    r"|(?:请求|调用|查询|操作|系统|服务|网络|参数|接口|数据库)?(?:调用)?(?:错误|失败|异常|出错|超时|不可用|故障)|未找到|找不到)",
    re.I,
)
_HTML = lazy_re(r"\s*<(?:!doctype html|html[\s>])", re.I)
_PAGES = lazy_re(r"html|page|fetch|crawl|scrap|brows|url|web|http", re.I)

_ADMITS = lazy_re(
    r"sorr[yi]|apolog|unfortunately|unable|can['’]t"
    r"|(?:can|could|did|does|do|is|was|are|were|has|have)(?:n['’]t|not| not)\b"
    r"|cannot|\bnot\b|deni(?:ed|al)|refus|reject|declin|too many|limit|expired|insufficient"
    r"|error|fail|went wrong|issue|problem|trouble|difficult|\bno\b|none|nothing"
    r"|invalid|unavailable|try again|however|missing|unknown|empty|抱歉|对不起|遗憾|无法|未能|错误"
    r"|拒绝|不足|过多|限制|不允许|无权|未成功|出错|失败|异常|故障|超时|没|未找到|不[了到出开上]|不能|不可用|不存在|不支持|损坏|稍后|申し訳|エラー",
    re.I,
)
_REFUSES = lazy_re(
    r"i(?:['’]m| am) (?:sorry|afraid|(?:currently )?unable|not able)"
    r"|i (?:can['’]t|cannot|can not|don['’]t have|do not have)"
    r"|my (?:capabilities|functions?|abilit)|current (?:capabilities|functions?|abilit)"
    r"|unfortunately|none of the (?:available |given |provided )?"
    r"(?:tools|functions)|no (?:suitable|available|relevant) (?:tool|function)|as an ai\b"
    r"|n(?<!\wn)o way to\b|n(?<!\wn)ot something i can\b"
    r"|抱歉|对不起|不好意思|遗憾|无法|不能|没办法|做不到|办不到|不支持"
    r"|没有[^。，,]{0,10}(?:权限|工具|功能|能力)|申し訳"
)
"""Of texts in lower case: a choice is tried only where one begins, if each begins with a character of one case."""
_CHINESE_PROMISE: Final = (
    r"(?:我来|我这就|我现在就?|我马上|马上|这就|我将|我会|让我|稍等[，,]?我?)(?:就|先)?(?:为|帮|给|替)[您你]\w{1,12}"
)
_PROMISE = lazy_re(
    r"(?:\b[Ii](?:['’]ll| will)|\bI(?: am|['’]m) going to|\b[Ll]et me|\bLET ME)(?: now| just| quickly)?"
    r" (?i:call|check|look|search|find|get|fetch|retrieve|run|use|query|calculate|convert|generate|book|send|create)\b"
    r"[^.!?\n]*"
    rf"|{_CHINESE_PROMISE}[^。！？!?\n]*"
    r"|(?:我来|我现在|我马上|我将|我会|让我)(?:为您|帮您|给您|先)?(?:查询|查一下|查找|搜索|获取|计算|预订|调用|生成|发送)[^。！？!?\n]*"
)
_GERUND = lazy_re(
    r"(?:(?:sure|okay|ok|of course|certainly|alright)[,!.]? )?"
    r"[a-z]{3,12}ing [^.!?\n]{3,60}(?:\bnow\b|\bfor you\b|\.\.\.|…)"
    r"[.…]{0,3}",
    re.I,
)

_ASKED_FOR: Final = "(?:provide|tell|specify|let me know|give|share|confirm)"
_ASKS = lazy_re(
    r"？|\?(?:[\"')\]*\s]|$)"
    rf"|please {_ASKED_FOR}|could you {_ASKED_FOR}|can you {_ASKED_FOR}|would you {_ASKED_FOR}"
    r"|i(?<!\wi)(?:['’]ll)? need (?:the|your|to know|more)\b|we(?<!\wwe)(?:['’]ll)? need (?:the|your|to know|more)\b"
    r"|请(?:您)?(?:提供|告诉|告知|说明|确认|问)|알려 ?주|말씀해 ?주|教えてください"
)
"""Of texts in lower case, too."""


_FORMULAS = lazy_re(r"```|\\\(|\\\[|\$[^$\n\\^_{]{0,80}[\\^_{]|\bdef \w+\(")
"""Signs of code and of formulas, in which a model computes."""


def fault_of(content: Any, tool: str | None = None) -> str | None:
    """What is wrong with a tool response: ``error``, ``empty``, ``placeholder``, ``HTML page``, ``cut``; or ``None``.

    Args:
        content: the response.
        tool: the name of the tool; one that fetches pages may return a page.
    """
    text = text_of(content) if not isinstance(content, str) else content
    if isinstance(content, dict | list) and not text:
        return "error" if _reports_error(content) else None if content else "empty"
    bare = text.strip()
    if bare.lower() in EMPTY:
        return "empty"
    if _STAND_IN.fullmatch(bare):
        return "placeholder"
    if _HTML.match(text):
        return None if tool is not None and _PAGES.search(tool) else "HTML page"
    if bare[0] in "{[":
        try:
            value = jsontext.loads(bare)
        except ValueError:
            return "cut" if _is_cut(bare) else None
        if isinstance(value, dict) and {"name", "content"} <= value.keys() <= {"name", "content", "tool_call_id"}:
            return fault_of(value["content"], tool)  # as Hermes writes it
        return "error" if _reports_error(value) else "empty" if _holds_nothing(value) else None
    return "error" if _ERROR_TEXT.match(text) or _PYTHON_ERROR.match(text) else None


_PYTHON_ERROR = lazy_re(
    r"(?:name|local variable) '\w{1,60}' (?:is not defined|referenced before assignment)"
    r"|\w{1,60}\(\) (?:missing \d{1,2} required|got an unexpected keyword|takes \d{1,2})"
    r"|'\w{1,60}' object (?:has no attribute|is not|does not)|'[<>]=?' not supported between"
)
"""The texts of Python's exceptions, without their names.

Source: CPython's messages of TypeError, NameError and AttributeError."""


_FAULTY_WORDS: Final = frozenset({
    "bad gateway", "closed", "core dumped", "denied", "declin", "error", "exception", "fail", "fatal: ", "forbidden",
    "lost", "not found", "not_found", "no such", "panic: ", "rate limit", "refused", "reject", "reset",
    "segmentation fault", "() ", "' is not defined", "' object ", "' referenced before ", "' not supported ",
    "time out", "timeout", "timed out", "timedout", "too many", "traceback", "unauthori",
    "unavailable", "undeliver", "[]", '"content"',
    "拒绝", "失败", "错误", "异常", "超时", "未找到", "找不到", "出错", "不可用", "故障",
})  # fmt: skip
_FAULTY_STATE = lazy_re(r"(?:code|http|status)\W{0,6}[45]\d\d\b|(?:ok|success)\W{1,4}f")
"""What faulty responses hold, in lower case."""
_FAULTY_BEGINNING = lazy_re(
    r"\s*+(?:[<\[{(]{1,2}[\w -]{0,60}[>\]})]{1,2}\s*+\Z|<[\w. <>]{1,100} at 0x|<!doctype|<html"
    r"|placeholder|todo|tbd|fixme|lorem ipsum|mock |dummy |sample )|\W{0,6}(?:error )?[45]\d\d\b",
    re.I,
)


def may_be_faults(texts: Sequence[str]) -> bool:
    """Whether :func:`fault_of` may find something in one of the texts of responses: a quick test."""
    for text in texts:
        if text[:1] in _CLOSED_BY and text[-1:] != _CLOSED_BY[text[0]]:
            return True
        if not text.startswith('{"') and (text.strip().lower() in EMPTY or _FAULTY_BEGINNING.match(text)):
            return True
    low = lowered("\n".join(texts))
    if any_word(_FAULTY_WORDS).is_in(low):
        return True
    return ("status" in low or "code" in low or "ok" in low or "http" in low or "success" in low) and (
        _FAULTY_STATE.search(low) is not None
    )


_CLOSED_BY: Final = {"{": "}", "[": "]", " ": "", "\t": "", "\r": "", "\n": ""}
"""The last character of a JSON text, by its first one; whitespace says nothing of it."""


def _holds_nothing(value: Any) -> bool:
    """Whether a response has a list of results that is empty, and nothing else but counts of none."""
    if not isinstance(value, dict):
        return False
    members = list(value.values())
    return [] in members and all(each in ([], {}, None, 0, "") and each is not False for each in members)


def says_nothing(content: Any) -> bool:
    """Whether a response says that there is nothing: an empty list, ``null``, or results without one."""
    return content in ([], "[]", "null", "None") or _holds_nothing(jsontext.opened(content))


def _reports_error(value: Any) -> bool:
    """Whether a response says that the call failed."""
    if not isinstance(value, dict):
        return False
    if len(value) == 1 and isinstance(only := next(iter(value.values())), str) and _ERROR_TEXT.match(only):
        return True  # as Gemini's results are wrapped
    low = {str(key).lower(): member for key, member in value.items()}
    for key in ("error", "errors", "error_message", "exception", "错误", "异常"):
        if low.get(key) and low[key] not in ("none", "None", "null"):
            return True
    if len(low) == 1 and isinstance(inner := next(iter(low.values())), dict):
        return _reports_error(inner)  # a result in a result
    states = {str(low[key]).lower() for key in _STATES if key in low}
    code = low.get("status_code", low.get("statuscode", low.get("code", low.get("status"))))
    return (
        low.get("success") is False
        or low.get("ok") is False
        or not states.isdisjoint(_FAILED)
        or (isinstance(code, int) and 400 <= code < 600)
    )


_STATES: Final = ("status", "state", "result", "outcome")
_FAILED: Final = frozenset(
    {"error", "failed", "failure", "fail", "rejected", "denied", "declined", "timeout", "unavailable", "undelivered"}
    | {"forbidden", "unauthorized", "not_found", "失败", "错误", "拒绝", "超时", "异常"}
)
"""States of a call that failed, and the keys under which a response has them."""

_STAND_IN = lazy_re(
    r"<(?:[\w.]{1,80} object|coroutine object [\w.]{1,80}|generator object [\w.<>]{1,80}) at 0x[\da-f]{1,16}>"
    r"|\[object \w{3,20}\]"
    r"|[<\[{(]{1,2}[\w -]{0,20}(?:response|result|output|placeholder|content|here|todo|响应|结果)[\w -]{0,20}"
    r"[>\]})]{1,2}"
    r"|(?:placeholder|(?:todo|tbd|fixme)(?:[ :].{0,60})?|lorem ipsum.*"
    r"|(?:mock|dummy|sample) (?:response|result|output)\.?)",
    re.I,
)


def _is_cut(text: str) -> bool:
    """Whether a text that is not JSON ends before its brackets close; Python's literals don't."""
    opened = text.count("{") + text.count("[")
    return text[-1] != _CLOSED_BY[text[0]] and opened > text.count("}") + text.count("]")


def admits(text: str, request: str = "") -> bool:
    """Whether an answer says that something went wrong or is missing, in words that the request doesn't have."""
    asked = request.casefold()
    return any(match[0].casefold() not in asked for match in _ADMITS.finditer(text))


_KNOWN = lazy_re(
    r"[\u4e00-\u9fff]|(?<![\w'])(?:the|is|are|of|and|it|you|your|this|that|has|have|done)(?![\w'])"
    r"|(?-i:\bI(?:['’](?:ve|m)| (?:sent|[a-z]{2,12}ed))\b)",
    re.I,
)


def has_known_words(text: str) -> bool:
    """Whether a text is in English or Chinese, whose words for a failure are known here."""
    return _KNOWN.search(text) is not None


def refuses(text: str) -> bool:
    """Whether an answer says in its first characters that the request can't be served."""
    return _REFUSES.search(lowered(text[:400])) is not None


def refusal_in(text: str) -> str:
    """The sentences of an answer that refuse something."""
    return " ".join(sentence for sentence in _SENTENCE.split(text) if _REFUSES.search(lowered(sentence)))


_SENTENCE = lazy_re(r"(?<=[.!?])\s+|(?<=[。！？])|\n")


def asks(text: str) -> bool:
    """Whether an answer asks the user for something."""
    return _ASKS.search(lowered(text)) is not None


def promises(text: str) -> bool:
    """Whether an answer says what it will do; not if it asks, offers or refuses at the end."""
    last = re.split(r"(?<=[.!?:])\s+", text.strip())[-2:]
    is_promise = any(map(_PROMISE.search, last)) and not asks(text)
    return is_promise or _GERUND.fullmatch(text.strip()) is not None


def computes(text: str) -> bool:
    """Whether a text has code or formulas."""
    return _FORMULAS.search(text) is not None
