"""Which texts count as held by a conversation: how many of their words may be elsewhere, on both sides of each bound."""

from __future__ import annotations

from tests.conftest import each
from toolconv import layouts
from toolconv.convert.unread.held import Held
from toolconv.convert.unread.wording import MISSING, PLAIN

WORDS = [f"word{number}" for number in range(48)]
KEPT = " ".join(WORDS)


def text_without(places: range | list[int], *, length: int = 24, mark: str = "") -> str:
    """The first words of the kept text, with others at some places."""
    return mark + " ".join(f"other{at}" if at in places else word for at, word in enumerate(WORDS[:length]))


APART = [4, 9, 14, 19]
GROUPS = [*range(3), *range(6, 9), *range(12, 15), *range(18, 21)]
CASES = {
    "one word of eight elsewhere": (text_without(APART[: 24 // PLAIN]), True),
    "more than one of eight": (text_without(APART), False),
    "the same with markup": (text_without(APART, mark="Thought: "), True),
    "half of the words, with markup": (text_without(GROUPS, mark="= "), True),
    "more than half, with markup": (text_without([*GROUPS, 24], length=25, mark="= "), False),
    "three that follow each other": (text_without(range(8, 8 + MISSING - 1)), True),
    "four that follow each other": (text_without(range(8, 8 + MISSING), length=48, mark="= "), False),
}


@each("name", CASES)
def test_a_text_is_held(name: str) -> None:
    text, is_held = CASES[name]
    row = {"messages": [{"role": "user", "content": f"{KEPT}."}, {"role": "assistant", "content": "Yes."}]}
    assert Held(layouts.get("openai").read(row)).holds(text) is is_held
