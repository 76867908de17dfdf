"""What stands before a call and after it, by the words of ``Side``; and which of both make a text show the call."""

from __future__ import annotations

from tests.conftest import each
from toolconv.dialects.lexing.surroundings import Form, Side, after, before, is_shown, may_be_shown

JSON = '{"name": "ping", "arguments": {"host": "a"}}'
PYTHON = 'ping(host="a")'
MARKED = f"<tool_call>{JSON}</tool_call>"

BEFORE = {
    Side.LINE: ["", "\n", "Hm.\n\n", " ", "**", "It is up.\n  "],
    Side.MARKUP: [
        "<tool_call>", "<tool_call>\n", "[TOOL_CALLS] ", "✿ARGS✿", "</tool_call> ", "Hm. <tool_call>", "```json ", "```",
        "<|python_tag|>", "<xy ", "&lt;tool_call&gt;", "<tool_call>\\n", f"[{JSON}, ",
    ],
    Side.ANNOUNCED: ["Use the form: ", "格式："],
    Side.WORDS: [
        "The call ", "I would send ", "Send (like ", "They say, ", "调用 ", "I send (", "It says \"x\" and ",
    ],
    Side.OTHER: ["It is up. ", "Up! ", "3: ", "x ", "A. ", "Up? ", "「", "『"],
    Side.CODE: [
        ">>> ", "... ", "$ ", "> ", "12 | ", "12| ", "10:03 ", "[10:03] ", "call = ", "if x == ", "a != ", "f(", "f(x, ",
        'say ("', "return ", "yield ", "await ", "assert ", "x in ", "not ", "else ", "lambda ", "x:12: ", "[info] ",
        "ERROR: ", "DEBUG:root: ", "\\texttt{", "[2026-01-01] ", "x=",
    ],
    Side.LOG: ["2026-01-01 10:03:04 up ", "sshd[123]: ", "at 1:02:03 "],
    Side.COMMENT: ["% ", "// ", "-- ", "(a) ", "• ", "§ ", "→ "],
    Side.PROGRAM: [
        f"{line}\n" for line in (
            "x = 1", "const a = 1", "let a=1", "from x import y", "import x.y", "return x", "for x in y:", "with open(x):",
            "if x == y:", "if f(x):", "try:", "def f(x):", "async def f(x):", "class X:", "class X(Y):", "x.y = z",
        )
    ],
    Side.INDENTED: ["say this first\n    ", "say this first\n      "],
}  # fmt: skip
CASES = [(side, text) for side, texts in BEFORE.items() for text in texts]


@each("side, text", CASES)
def test_what_stands_before_a_call(side: Side, text: str) -> None:
    start = len(text)
    assert before(Form.JSON, text + JSON, start, start + len(JSON)) is side


AFTER = {
    Side.END: ["", " ", "\n", "]", "}", ");", '"', "```", "\n\n", "**"],
    Side.LINE: ["\nUp?", "\n\nIt is up.", "]\nx", " \n x"],
    Side.MARKUP: [
        "<|end|>",
        "</tool_call>",
        " </tool_call>",
        "|>",
        "✿RESULT✿",
        "[/TOOL_CALLS]",
        "\\nx",
        "&lt;/x&gt;",
        f", {JSON}",
        f"; {JSON}",
        f"}} {JSON}",
        f"] {JSON}",
        f", {PYTHON}]",
        f"; {PYTHON}<",
    ],
    Side.WORDS: [
        " is the call",
        ", and then goes on",
        " and goes on",
        "; that is it",
        ": it is",
        ") is the call",
        '" is it then',
        " – that is it",
        " (that is it)",
        "，然后继续",
        " is up.",
    ],
    Side.SENTENCE: [". That is it", " Then go on", "! Then go on", "? Is it up"],
    Side.OTHER: [" up", " 3", ". 3 are up", " = x", " -> x y"],
}
FOLLOWING = [(side, text) for side, texts in AFTER.items() for text in texts]


@each("side, text", FOLLOWING)
def test_what_stands_after_a_call(side: Side, text: str) -> None:
    for lead in ("", "Hm. ", "One.\n"):
        start = len(lead)
        assert after(lead + JSON + text, start, start + len(JSON)) is side, lead


QUOTED = ['""', "''", "“”", "„“", "«»", "»«", "‘’", "「」", "『』", "``"]


@each("marks", QUOTED)
def test_a_call_in_quotation_marks_with_words_outside(marks: str) -> None:
    opening, closing = marks
    for lead, tail in (("Write ", "."), ("Write ", " there"), ("It is a ", ""), ("", " is it")):
        text = f"{lead}{opening}{PYTHON}{closing}{tail}"
        start = len(lead) + 1
        if lead or opening not in "「『":  # which may begin an item of a list
            assert before(Form.PYTHON, text, start, start + len(PYTHON)) is Side.QUOTE, text
        assert after(text, start, start + len(PYTHON)) is Side.QUOTE, text
        assert is_shown(Form.PYTHON, text, start, start + len(PYTHON))
        assert may_be_shown(Form.PYTHON, text, start, start + len(PYTHON))
    alone = f"{opening}{PYTHON}{closing}"
    assert after(alone, 1, 1 + len(PYTHON)) is not Side.QUOTE
    half = f"Write {opening}{PYTHON} there"
    assert after(half, 7, 7 + len(PYTHON)) is not Side.QUOTE


USED = ["{", " {", "['a']", "[x]", ".text()", ".a[", ".b "]


@each("text, used", [*((text, True) for text in USED[:6]), (".", False), (" x", False), (".b", False), ("[", False)])
def test_what_a_program_does_with_a_call(text: str, used: bool) -> None:
    assert (after(PYTHON + text, 0, len(PYTHON)) is Side.CODE) is used
    assert after(JSON + text, 0, len(JSON)) is not Side.CODE


SPOKEN = ["Assistant: ", "AI: ", "**Answer:** ", "<Bot>: ", "[Model]: "]


@each("speaker", SPOKEN)
def test_who_says_a_call_in_a_conversation(speaker: str) -> None:
    for asked in ("User: Up?\n", "Human: Up?\n", "Question: Up?\n", "Q: Up?\n", "**User**: Up?\n", "User 2: Up?\nHm\n"):
        text = f"{asked}{speaker}{MARKED}\nMore"
        start = text.index(MARKED)
        assert before(Form.MARKED, text, start, start + len(MARKED)) is Side.SPEAKER, text
        assert is_shown(Form.MARKED, text, start, start + len(MARKED))
        whole = text.removesuffix("\nMore")
        assert not is_shown(Form.MARKED, whole, start, start + len(MARKED)), "nothing follows"
    text = f"{speaker}{MARKED}"
    assert before(Form.MARKED, text, len(speaker), len(text)) is not Side.SPEAKER, "nobody asked"


def test_a_record_has_fields_above_and_below() -> None:
    for above, below, side in (
        ("Id: 3", "Done: yes", Side.LOG),
        ("Id 3", "Done: yes", Side.OTHER),
        ("Id: 3", "Done", Side.OTHER),
    ):
        text = f"{above}\nCall: {JSON}\n{below}"
        start = text.index(JSON)
        found = before(Form.JSON, text, start, start + len(JSON))
        assert (found is Side.LOG) is (side is Side.LOG), text


def test_turn_tokens_and_headers_before_a_marker_are_left_out() -> None:
    for header in ("<|im_start|>assistant", "<|start|>assistant<|x|>", "<a><b><c><d>"):
        text = header + MARKED
        assert before(Form.MARKED, text, len(header), len(text)) is Side.LINE, header
    text = "<a><b><c><d><e>" + MARKED
    assert before(Form.MARKED, text, 15, len(text)) is Side.MARKUP


SHOWN = [
    (Form.MARKED, "Write ", " there, please.", True),
    (Form.MARKED, "Write ", ". Then go on", True),
    (Form.MARKED, "Write ", "", False),
    (Form.MARKED, ">>> ", " is the call", True),
    (Form.MARKED, ">>> ", "", False),
    (Form.MARKED, "10:03:04 ", "", True),
    (Form.MARKED, "", " is the call", False),
    (Form.JSON, "", "", False),
    (Form.JSON, "", " is the call", True),
    (Form.JSON, "", "\nUp?", False),
    (Form.JSON, "<tool_call>", " is the call", False),
    (Form.JSON, "Write ", "", True),
    (Form.JSON, "Write: ", "", False),
    (Form.JSON, "Write ", "\nUp?", True),
    (Form.JSON, "Write ", "</tool_call>", False),
    (Form.JSON, ">>> ", "", True),
    (Form.JSON, "x = 1\n", "", True),
    (Form.PYTHON, "", "", False),
    (Form.PYTHON, "", " is the call", True),
    (Form.PYTHON, "Write ", "", True),
    (Form.PYTHON, "Write ", "</tool_call>", False),
    (Form.PYTHON, "<tool_call>", " is the call", False),
    (Form.PYTHON, ">>> ", "</tool_call>", True),
    (Form.DAMAGED, ">>> ", "", True),
    (Form.DAMAGED, "// ", "", True),
    (Form.DAMAGED, "10:03:04 ", "", True),
    (Form.DAMAGED, "Write ", " there", False),
]


@each("form, lead, tail, shown", SHOWN)
def test_whether_a_text_shows_a_call(form: Form, lead: str, tail: str, shown: bool) -> None:
    call = {Form.MARKED: MARKED, Form.JSON: JSON, Form.PYTHON: PYTHON, Form.DAMAGED: 'ping("a"'}[form]
    text, end = lead + call + tail, len(lead) + len(call)
    assert is_shown(form, text, len(lead), end) is shown
    assert may_be_shown(form, text, len(lead), end) or not shown


@each("form", list(Form))
def test_no_more_than_two_thousand_characters_of_a_line_are_looked_at(form: Form) -> None:
    for count, side in ((1990, Side.LOG), (1999, Side.WORDS)):
        text = f"10:03:04 {'xy ' * (count // 3)}{' ' * (count % 3)}{JSON}"
        start = len(text) - len(JSON)
        found = before(form, text, start, len(text))
        assert (found is Side.LOG) is (side is Side.LOG), count
