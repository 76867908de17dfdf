"""The signs ``>>>`` of a Python session and of quoted mail are prose; the one before a name begins a call."""

from __future__ import annotations

from tests.conftest import each
from toolconv.dialects.detection import NOTHING, detect
from toolconv.dialects.lexing.plain_text import holds_tokens


@each(
    "text, held",
    [
        (">>> total([1])\n1\n", False),
        (">>>", False),
        ("They wrote:\n>>>> Yes\n>>>>> No\n", False),
        (">>>all\nHello", True),
        ('>>> get_weather\n{"city": "Paris"}', True),
        (">>> get_weather\nParis", False),
        ("They wrote:\n>>>>>> Yes\n", True),  # not looked at closely
    ],
)
def test_prompts_are_no_tokens(text: str, held: bool) -> None:
    assert holds_tokens(text) is held


def test_a_session_has_no_dialect() -> None:
    assert detect(">>> total([1, 2, 3])\n6\n>>> {'a': 1}['a']\n1\n") == NOTHING
