"""The sentences that dialects write around tools, and how a text is taken apart into sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.stated_tools import known_chats

MARKUP: Final = ("<", "[", "{", "```", "✿", "}", "]", '"')
"""How lines of markup and of JSON begin."""

_KNOWN: Final = 24
"""The shortest sentence about tools, in bytes, that is known to be a dialect's."""
_KNOWN_ALONE: Final = 40
"""The shortest sentence about anything else."""

ABOUT: Final = lazy_re(r"\b(?:functions?|tools?|apis?|calls?)\b|工具|函数", re.IGNORECASE)
_BETWEEN: Final = lazy_re(r"(?<=\D[.!?:])[ \t]++(?=[A-Z\"'<\[{`(*])|(?<=[。：！？])(?=[^\s])")
"""Where a sentence ends."""


_JSON_STARTS: Final = "{}[]\"',"
_PROBES: Final[list[Tool]] = [
    {
        "type": "function",
        "function": {
            "name": f"probe_{name}",
            "description": "probe",
            "parameters": {"type": "object", "properties": {"probe": {"type": "string", "description": "probe"}}},
        },
    }
    for name in "ab"
]
"""Tools that show what a dialect writes between them."""


def sentences_of(text: str, without: list[tuple[int, int]]) -> Iterator[tuple[int, int, bool]]:
    """The places of the sentences of a text outside some places; a line of JSON or of markup is one."""
    at = 0
    for start, end in [*merged(without), (len(text), len(text))]:
        while at < start:
            stop = text.find("\n", at, start)
            stop = start if stop < 0 else stop
            line = text[at:stop]
            begin = at + len(line) - len(line.lstrip())
            if not line.lstrip().startswith(MARKUP):
                for match in _BETWEEN.finditer(text, begin, stop):
                    yield begin, match.start(), False
                    begin = match.end()
            last = begin + len(text[begin:stop].rstrip())
            if begin < last:
                yield begin, last, False
            at = stop + 1
        at = end


def merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Places in order, with overlapping ones as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


class PromptWords(NamedTuple):
    """What dialects write around tools.

    Attributes:
        whole: the texts before and after the tools.
        sentences: their sentences, those that are long enough to be a dialect's wherever they are.
        before, after: the others, which are a dialect's before and after other words about tools.
        ordered: the long sentences, sorted.
    """

    whole: tuple[str, ...]
    sentences: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    ordered: list[str]

    def resembles(self, sentence: str) -> bool:
        """Whether a sentence begins like one of a dialect, for half of it."""
        at = bisect_left(self.ordered, sentence)
        for known in self.ordered[max(0, at - 1) : at + 1]:
            pairs = enumerate(zip(known, sentence, strict=False))
            shared = next((at for at, (one, other) in pairs if one != other), min(len(known), len(sentence)))
            if len(known[:shared].encode()) >= max(_KNOWN, len(known.encode()) // 2):
                return True
        return False


@lru_cache(maxsize=1)
def words_of(dialects: tuple[Dialect, ...]) -> PromptWords:
    """The words of dialects."""
    before, after, whole = set[str](), set[str](), dict[str, None]()
    for chat in known_chats():
        listing = chat.write_list(_PROBES).replace(chat.tools_between, "\n")
        parts = [text[start:end] for text in [listing] for start, end, _ in sentences_of(text, [])]
        after.update(part for part in parts if "probe" not in part and part[0] not in _JSON_STARTS)
        texts = [chat.tools_open.strip(), chat.tools_close.strip(), *(word.strip() for word in chat.words)]
        whole.update((text, None) for text in texts if len(text.encode()) >= _KNOWN)
        for at, text in enumerate([*texts, chat.tools_apart.strip()]):
            parts = [text[start:end] for start, end, _ in sentences_of(text, [])]
            if at != 1:
                before.update(parts)
            if at:
                after.update(parts)
    sizes = {sentence: len(sentence.encode()) for sentence in before | after}
    known = frozenset(
        sentence for sentence, size in sizes.items() if size >= (_KNOWN if ABOUT.search(sentence) else _KNOWN_ALONE)
    )
    return PromptWords(tuple(whole), known, frozenset(before - known), frozenset(after - known), sorted(known))
