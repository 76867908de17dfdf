"""What stands around a tag: a sentence that mentions it, code that shows it, or a call."""

from __future__ import annotations

from tests.conftest import each
from toolconv.dialects.lexing.mentions import closes, explains_code, is_mention, opens_code, without_code, without_shown

TAG = "<tool_call>"


@each(
    "text, mentioned",
    [
        (f"The tag {TAG} begins a call.", True),
        (f"Write {TAG}, then a name.", True),
        (f"Write {TAG}. Then a name.", True),
        (f"Write {TAG}", False),  # nothing after it
        (f"It is {TAG}{{", False),
        (f"It is {TAG}x", False),
        (f"It is. {TAG} begins", False),  # no word before it
        (f'Write "{TAG}" there', True),
        (f"Write '{TAG}' there", True),
        (f"Write “{TAG}” there", True),
        (f"Write «{TAG}» there", True),
        (f"Write 「{TAG}」 there", True),
        (f"path/{TAG}/x", True),
        (f"- {TAG}: begins a call", True),
        (f"1. {TAG} – begins a call", True),
        (f"* {TAG} | begins a call", True),
        (f"- {TAG}: {{", False),  # its arguments
        (f"- {TAG} begins", False),
        (f"marker = {TAG}", True),
        (f"marker={TAG}", True),
        (f"marker: {TAG}", False),
        (f"The tags, {TAG} and others, begin calls.", True),
        (f"请用{TAG}，然后写名字。", True),
    ],
)
def test_a_sentence_mentions_a_tag(text: str, mentioned: bool) -> None:
    start = text.index(TAG)
    assert is_mention(text, start, start + len(TAG)) is mentioned
    for before, after in (("One line.\n", ""), ("", "\nAnother line."), ("A\n\n", "\n\nB")):
        start = (before + text).index(TAG)
        assert is_mention(before + text + after, start, start + len(TAG)) is mentioned, (before, after)


@each(
    "text, code, shown",
    [
        ("a `b` c", "a     c", "a     c"),
        ("a b", "a b", "a b"),
        ("a `b", "a `b", "a `b"),
        ("```\nx\n```", "         ", "```\nx\n```"),
        ("```\nx\n```\n`a` is it.", "         \n    is it.", "         \n    is it."),
    ],
)
def test_code_is_left_out(text: str, code: str, shown: str) -> None:
    assert (without_code(text).split(), without_shown(text).split()) == (code.split(), shown.split())
    assert len(without_code(text)) == len(without_shown(text)) == len(text)


@each(
    "text, opens, explains",
    [
        ("```\nx", True, False),
        ("```\nx\n```", False, False),
        ("```\nx\n``` That is it.", False, True),
        ("```\nx\n```\n<|end|>", False, False),
    ],
)
def test_code_goes_on_or_is_explained(text: str, opens: bool, explains: bool) -> None:
    assert opens_code(text) is opens
    assert explains_code(text) is explains


@each(
    "tag, closing",
    [
        ("</tool_call>", True), ("[/TOOL_CALLS]", True), ("<|tool_call_end|>", True), ("<|end_of_call|>", True),
        ("<close>", True), ("<stop>", True), ("<tool_call|>", True), ("<tool_call>", False), ("[TOOL_CALLS]", False),
        ("<|tool_call>", False), ("</TOOL>", True),
    ],
)  # fmt: skip
def test_a_tag_closes_what_another_opened(tag: str, closing: bool) -> None:
    assert closes(tag) is closing
