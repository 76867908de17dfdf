"""What an assistant says that it did."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.guards import any_word
from toolconv.lint.names import without_accents, words_in
from toolconv.lint.texts.scripts import lowered
from toolconv.lint.texts.tool_words import FIRST_WORDS, does, looks_up, stems, topics

_VERBS: Final = {
    "booked": ("book", "reserv"), "reserved": ("book", "reserv"), "sent": ("send", "mail", "messag", "notif", "post"),
    "emailed": ("send", "mail"), "ordered": ("order", "buy", "purchas"), "purchased": ("order", "buy", "purchas"),
    "bought": ("order", "buy", "purchas"), "cancelled": ("cancel",), "canceled": ("cancel",),
    "scheduled": ("schedul", "creat", "event", "calendar", "meeting"), "transferred": ("transfer", "wire"),
    "deleted": ("delet", "remov"), "removed": ("delet", "remov"), "posted": ("post", "publish"),
    "submitted": ("submit",), "paid": ("pay",), "subscribed": ("subscrib",), "registered": ("regist", "sign"),
    "refunded": ("refund", "return"), "预订": ("book", "reserv"), "预定": ("book", "reserv"),
    "发送": ("send", "mail", "messag"),
    "取消": ("cancel",), "下单": ("order", "buy"), "购买": ("order", "buy", "purchas"), "转账": ("transfer", "wire"),
    "created": ("creat",), "added": ("add",), "updated": ("updat",), "saved": ("sav",),
    "创建": ("creat",), "添加": ("add",),
    "删除": ("delet", "remov"), "安排": ("schedul", "creat", "event", "meeting"), "提交": ("submit",),
}  # fmt: skip
"""Words for acts, with the beginnings of the words for them in names of tools; the first is the act's own."""

_ENGLISH = "|".join(word for word in _VERBS if word.isascii())
_CHINESE = "|".join(word for word in _VERBS if not word.isascii())
_CLAIM = lazy_re(
    rf"\b(?:I(?:['’]ve| have)?|(?:has|have)(?: also| now| already)? been|(?:was|were)(?=(?: \w+)? successfully\b))"
    rf"(?: (?:also|just|now|already|successfully|gone ahead and)){{0,2}} (?P<en>(?i:{_ENGLISH}))\b[^.!?\n]{{0,80}}"
    rf"|(?:已经?|我(?:已经?)?)(?:成功)?(?:为您|帮您|替您|给您)?(?:成功)?(?P<zh>{_CHINESE})[^。!?！？\n]{{0,40}}"
)
_ARTICLES: Final = ("a ", "as ", "o ", "os ", "à ", "às ", "el ", "la ", "las ", "lo ", "los ", "um ", "un ", "una ")
_PAST = lazy_re(
    r"(?:\A|[.!?¡¿;:,\n*-] ?|\b(?:[ye]|[Yy][ao]|[Jj]á|[Ee]u) )[A-Za-zà-ÿ]{1,17}(?:ei|é) "
    rf"(?:{'|'.join(_ARTICLES)})"
)
"""A verb in Portuguese or Spanish, where a sentence begins or after its subject, before its object."""
_PAST_SIGNS: Final = ("ei ", *(f"é {article}" for article in _ARTICLES))
_ROMANCE: Final = ("He ", " he ", "enho ", "'ai ", "’ai ", "Ho ", " ho ", *_PAST_SIGNS)
CLAIM_SIGNS: Final = (
    "I ", "I've", "I’ve", " been ", " successfully", "已", "我", "ch habe ", " wurde", " ist ", *_ROMANCE,
)  # fmt: skip
"""Of these, any claim has one."""

_OWN_ACT = lazy_re(
    r"\bI(?:['’]ve| have)(?: (?:also|just|now|already|successfully|gone ahead and)){0,2} (?P<verb>[a-z]{3,14})\b"
    r"[^.!?\n]{3,80}"
    r"|我?已(?:经)?(?:成功)?(?:为|帮|替|给)[您你](?P<zh>\w{2,20})"
    r"|已(?:经)?(?:成功)?(?:[为给向把将][^，。！？\s]{1,12}?)?(?P<act>[\u4e00-\u9fff]{2})[^。！？\n]{0,20}"
    r"|\b(?:[Ii]ch habe|wurden?|ist|sind)\b(?![^.!?,;\n]{0,160}\b(?:nicht|noch|kein\w*)\b)[^.!?,;\n]{0,80}? "
    r"(?P<de>[a-zäöü]{4,20}(?:t|en))(?=[.!,;\n]|$)"
    r"|(?<![^\W\d_])(?:[Hh]e|[Tt]enho|[Jj]['’]ai|[Hh]o) "
    r"(?P<past>(?P<done>[a-zà-ÿ]{4,20})(?:[ai]do|é|i|[aiu]to))\b[^.!?\n]{0,60}"
    r"|(?:\A|(?<=[.!?¡¿;:,\n*-])|(?<=[.!?;:,*-] )|(?<= [ye] )|(?<=[Yy][ao] )|(?<=[Jj]á )|(?<=[Ee]u ))"
    rf"(?P<last>(?P<did>[A-Za-zà-ÿ]{{2,18}})(?:ei|é)) (?:{'|'.join(_ARTICLES)})[^.!?\n]{{3,60}}"
)
"""An act in any words: of English and German its verb, of Chinese the signs after the one for what is done."""

_LOOKING: Final = frozenset(
    {"found", "checked", "looked", "searched", "got", "retrieved", "calculated", "fetched", "analyzed", "received"}
    | {"reviewed", "compared", "listed", "identified", "been", "had", "read", "seen", "noted", "provided", "included"}
    | {"converted", "translated", "gathered", "obtained", "compiled", "used", "made", "summarized", "given", "shown"}
    | {"查询", "获取", "搜索", "查找", "计算", "找到", "收到", "了解", "翻译"}
)
"""What an assistant may well have done without a call."""

_ACT_SIGNS: Final = frozenset((
    *_VERBS, "i've ", "i’ve ", "i have ", "已", "ich habe ", "wurde", " ist ", " sind ", " he ", "tenho ", "'ai ",
    "’ai ", " ho ",
))  # fmt: skip
"""Of these, or :data:`_PAST`, a text that claims an act has one, in lower case."""
_OPEN = lazy_re(
    r"\b(?:if|once|when|unless|until|after|not|never|no|não|non|haven['’]t|would|could|should) (?:\w+ ){0,3}\Z"
    r"|没有|如果",
    re.I,
)


FAILED_CALL = lazy_re(
    r"(?<!if the )(?<!when the )(?<!if a )(?<!when a )\b(?:tool|function) (?:call|execution|invocation) "
    r"(?:(?:has been|has|was) )?(aborted|failed|timed out|cancelled|canceled|interrupted)\b",
    re.I,
)
"""That a call was made, and failed."""


class Claim(NamedTuple):
    """An act that an assistant says that it did: the sentence's text, and its verb."""

    text: str
    verb: str

    @property
    def is_own(self) -> bool:
        """Whether it says that the assistant itself did something, not to anything whatever."""
        return self.text[:1] == "I" and self.verb not in _ANY_OBJECT

    def is_done_by(self, tool: str, request: str) -> bool:
        """Whether a tool has the act in its name, and for an act of any kind, a word for its object.

        In its place, the claim may have a number or a name of the request.
        """
        if self._is_in(tool):
            return True
        if not _has_part(tool, _VERBS[self.verb][:1]):
            return False
        if self.verb not in _ANY_OBJECT and any(value in self.text for value in _VALUE.findall(request)):
            return True
        is_plain = self.is_own or not (topics(tool) - stems(self.verb)) or not self.text.isascii()
        return (self.verb not in _ANY_OBJECT and is_plain) or not (topics(tool) - stems(self.verb)).isdisjoint(
            stems(self.text)
        )

    def _is_in(self, tool: str) -> bool:
        """Whether a tool's name has the act in Chinese."""
        return not self.verb.isascii() and self.verb in tool

    def may_be_done_by(self, tool: str, has_own: bool = False) -> bool:
        """Whether a tool may do the act, by its name; if there is a tool for it, others must run anything."""
        return self._is_in(tool) or _has_part(tool, (*_VERBS[self.verb], *(_RUNS if has_own else _ACTS)))

    def is_about(self, values: Iterable[Any]) -> bool:
        """Whether it has one of the values of a call, an id or a name."""
        words = {word for value in values if isinstance(value, str) for word in _WORD.findall(value)}
        return any(_tells_apart(word) and word in self.text for word in words)

    def is_told_in(self, text: str) -> bool:
        """Whether a text says that the act was done."""
        return _is_told(self.verb, text)


def _tells_apart(word: str) -> bool:
    """Whether a word tells one thing from others: an id, or a name."""
    return any(map(str.isdecimal, word[:-1])) or (len(word) > 2 and word[0].isupper())


_WORD = lazy_re(r"[\w-]{2,100}+")

_VALUE = lazy_re(r"\d{2,}|(?<=[a-z,] )[A-Z]\w{2,}")

_ANY_OBJECT: Final = frozenset({"created", "added", "updated", "saved"})
"""Acts that are done to anything."""

_RUNS: Final = ("execut", "run", "process", "confirm", "handle")
"""Beginnings of words for whatever somebody asks for."""

_ACTS: Final = (*_RUNS, "creat", "add", "updat", "modify", "set", "make", "chang")
"""Beginnings of words for acts of any kind."""


def claims_in(text: str) -> Iterator[Claim]:
    """The acts that a text of the assistant claims."""
    for match in _CLAIM.finditer(text):
        if _OPEN.search(text, max(match.start() - 40, 0), match.start()) is None:
            start = 0 if match[0][:1] == "I" else max(text.rfind(sign, 0, match.start()) + 1 for sign in ".!?\n")
            words = match[0] if match[0][:1] == "I" or match["zh"] else text[start : match.end()].strip()
            yield Claim(words, (match["en"] or match["zh"]).lower())


class OwnAct(NamedTuple):
    """An act in any words that an assistant says that it did: the words, the verb if it is known, and in French,
    Italian, Portuguese and Spanish its stem.
    """

    text: str
    verb: str | None
    stem: str | None

    def is_told_in(self, text: str) -> bool:
        """Whether a text says that the act was done."""
        return _is_told(str(self.verb), text)

    def is_done_by(self, tool: str, function: dict[str, Any]) -> bool:
        """Whether a tool does what the verb says, by its name and its description."""
        verb, described = str(self.verb), str(function.get("description"))
        if verb[0] > "\u4e00":
            return verb in described or (
                not described.isascii() and described[:2] in self.text and described[:2] not in _LOOKING
            )
        if self.text[:2] in ("I ", "I'", "I’"):
            return does(tool, function, verb) if verb.endswith("ed") else verb in topics(tool) and not looks_up(tool)
        if self.stem is not None:
            return any(re.fullmatch(rf"{self.stem}[aei]re?", without_accents(word)) for word in words_in(tool))
        words = re.findall(r"[^\W\d_]{4,}", f"{tool.replace('_', ' ')} {' '.join(described.split()[:FIRST_WORDS])}")
        return _german_stem(verb) in map(_german_stem, words)


def _is_told(verb: str, text: str) -> bool:
    """Whether a text says that something was done: in Chinese, a request has the same word for it."""
    is_chinese = verb[:1] > "\u4e00"
    return f"已{verb}" in text or f"了{verb}" in text if is_chinese else verb in text.lower()


@lru_cache(maxsize=1024)
def _german_stem(word: str) -> str:
    """A German verb without its ending and the signs of its participle."""
    plain = word.lower().translate(_UMLAUTS)
    return re.sub(r"(?:en|et|t|n)$", "", re.sub(r"^(an|ab|auf|aus|ein|um|vor|zu)?ge(?=\w{4})", r"\1", plain))


def _infinitive_stem(stem: str) -> str:
    """The stem that a verb has in the infinitive: ``pagu`` of "paguei" is that of "pagar"."""
    plain = without_accents(stem.lower())
    return re.sub(r"qu$", "c", re.sub(r"gu$", "g", plain))


_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def own_acts(text: str) -> Iterator[OwnAct]:
    """What a text says that the assistant itself did, in other words than those of :func:`claims_in`."""
    for match in _OWN_ACT.finditer(text):
        verb = match["verb"] or match["act"] or match["de"] or match["past"] or match["last"]
        if verb in _LOOKING or verb in _VERBS or _OPEN.search(text, max(match.start() - 40, 0), match.start()):
            continue
        stem = match["done"] or match["did"]
        yield OwnAct(match[0], verb, _infinitive_stem(stem) if stem else None)


def claims(text: str) -> bool:
    """Whether a text may claim an act."""
    if not any_word(_ACT_SIGNS).is_in(f" {lowered(text)}") and (
        not any(map(text.__contains__, _PAST_SIGNS)) or _PAST.search(text) is None
    ):
        return False
    return _CLAIM.search(text) is not None or _OWN_ACT.search(text) is not None


@lru_cache(maxsize=4096)
def _has_part(tool: str, beginnings: tuple[str, ...]) -> bool:
    """Whether a word of a tool's name begins like one of some words."""
    words = re.split(r"[_\W]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool).lower())
    return any(word.startswith(beginnings) and not word.startswith("address") for word in words)
