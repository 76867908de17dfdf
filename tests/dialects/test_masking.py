"""Markup that a text only shows: in code, in listings, in templates, in documents; and the placeholders for it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given

from tests.conftest import any_text, each, json_values
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.masking import masked, shown_places, unmasked

CALL = '<tool_call>{"name": "ping", "arguments": {"host": "a"}}</tool_call>'
TOOLS = ToolIndex(
    [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}]
)
LANGUAGES = [
    "diff",
    "patch",
    "jinja",
    "jinja2",
    "j2",
    "html",
    "sh",
    "bash",
    "zsh",
    "console",
    "shell",
    "js",
    "jsx",
    "javascript",
    "ts",
    "tsx",
    "typescript",
    "go",
    "rust",
    "java",
    "kotlin",
    "c",
    "cpp",
    "csharp",
    "ruby",
    "php",
    "sql",
    "yaml",
    "yml",
    "toml",
    "ini",
    "regex",
    "mermaid",
    "css",
    "dockerfile",
    "makefile",
    "http",
    "graphql",
    "latex",
    "tex",
]


def shows(text: str, call: str = CALL, tools: ToolIndex = TOOLS, **options: bool) -> bool:
    """Whether a text only shows a call that it holds."""
    start = text.index(call)
    end = start + len(call)
    return any(first <= start and last >= end for first, last in shown_places(text, tools, **options))


@each("language", LANGUAGES)
def test_no_model_writes_calls_in_code_of_a_language(language: str) -> None:
    assert shows(f"```{language}\n{CALL}\n```")
    assert not shows(f"```{language}\n{CALL}\n")  # the block does not end


@each("language", ["", "json", "xml", "tool_call", "python", "text"])
def test_other_code_blocks_may_be_calls(language: str) -> None:
    assert not shows(f"```{language}\n{CALL}\n```")
    assert shows(f"```{language}\n{CALL}\n```\nThat is how.", tools=NO_TOOLS)
    assert not shows(f"```{language}\n{CALL}\n```\nThat is how.")  # a declared tool


LISTINGS = [
    ("<example>\n", "\n</example>"),
    ("So:\n<examples>", "</examples>\nDone."),
    ('"""x\n', '\n"""'), ("~~~\n", "\n~~~\nx"), ("--- a\n", "\n--- b"), ("=== a\n", "\n=== b"), ("#+begin\n", "\n#+end"),
    (":::note\n", "\n:::"), ("\\begin{lstlisting}\n", "\n\\end{lstlisting}"), ("\\begin{verbatim}\n", "\n\\end{verbatim}"),
    ("\\begin{minted}{xml}\n", "\n\\end{minted}"), ("<<<<<<< HEAD\n", "\n>>>>>>> x"), ("It is:\n\n    ", "\n\nThat is it."),
    ("| a | ", " |"), ("a\n---+---\nb | ", "\n"), ("$ cat x\n", "\n$ ls"), (">>> x\n", "\n>>> y"), (">>> x\n", "\n\nIt is."),
    ("@@ -1,2 +1,2 @@\n+", "\n"), ("It is:\n> ", "\n"), ("[tool]\nx = ", "\n"), ("a\tb\n1\t", "\n2\tc"),
    ("POST /v1 HTTP/1.1\nHost: a\n\n{", "}"), ("HTTP/1.1 200 OK\n\n[", "]"), ("\\verb|", "|"), ("\\verb!", "!"), ("\\verb+", "+"),
]  # fmt: skip


@each("lead, tail", LISTINGS)
def test_a_listing_shows_calls(lead: str, tail: str) -> None:
    text = f"{lead}{CALL}{tail}"
    assert shows(text)
    assert shows(f"Look.\n\n{text}\n\nIt is up.")


PLAIN = [
    ("It is:\n", ""), ("It is up.\n\n", "\n\nThat is it."), ("--- ", ""), ("a\tb\n", ""), ("[tool]\n", ""), ("x = y\n", ""),
    ("> ", ""),  # a turn that is quoted as a whole
    ("GET /v1\n\n", ""), ("\\verb ", ""), ("~~~\n", "\n~~~"),  # at the end of a text, it may be the call
]  # fmt: skip


@each("lead, tail", PLAIN)
def test_other_lines_around_a_call_show_none(lead: str, tail: str) -> None:
    assert not shows(f"{lead}{CALL}{tail}")


def test_lines_are_indented_in_a_listing_where_no_fence_is() -> None:
    text = f"It is:\n\n    {CALL}\n\nThat is it."
    assert shows(text)
    assert not shows(f"{text}\n\n```json\n{{}}\n```")


def test_a_listing_that_closes_what_it_does_not_open_is_a_part_of_a_call() -> None:
    assert not shows("| x | <tool_call> |\n{}\n</tool_call>", "| x | <tool_call> |")
    assert shows("| x | <tool_call>{}</tool_call> |\n", "| x | <tool_call>{}</tool_call> |")
    assert shown_places("| a | </tool_call> |", NO_TOOLS) == []


FORMS = [
    '{"name": <name>, "arguments": <args-json-object>}', '{"name": "<tool-name>", "arguments": {}}',
    '{"name": "$NAME", "parameters": {...}}', '{"name": $name, "arguments": ...}', '{"name": {{ name }}, "arguments": {{ args }}}',
    '{"name": {<name>}, "arguments": …}',  '{"name": FUNCTION_NAME, "arguments": {...}}',
    '{"name": "...", "arguments": {"a": 1}}', '{"name": ...}',
]  # fmt: skip


@each("form", FORMS)
def test_a_form_without_a_name_is_no_call(form: str) -> None:
    assert shows(form, form)
    assert shows(f"Write\n{form}\nthen.", form)
    tagged = f"<tool_call>\n{form}\n</tool_call>"
    assert shows(tagged, tagged)


HOLES = ["{{ call }}", "{{- call.x | tojson -}}", "${call}", "{call}", "{call(a, b)}", "(.*?)", r"(\s*\{.*\})", "{...}", "{{ … }}",
         "…", "%s", r"[\s\S]*"]  # fmt: skip


@each("hole", HOLES)
def test_tags_around_what_stands_for_a_call(hole: str) -> None:
    text = f"<tool_call>{hole}</tool_call>"
    assert shows(text, text)
    assert shows(f"It matches {text} there", text)
    escaped = f"<tool_call>{hole}<\\/tool_call>"
    assert shows(escaped, escaped)


@each(
    "text",
    [
        f'f("{CALL.replace(chr(34), chr(39))}")',
        f"x = '{CALL}'",
        f"x, r'{CALL}'",
        f"f(b'{CALL}')",
        f"{{{{ '{CALL}' }}}}",
    ],
)
def test_a_string_of_a_program_shows_a_call(text: str) -> None:
    call = CALL if CALL in text else CALL.replace('"', "'")
    assert shows(text, call)


def test_comments_show_what_they_name() -> None:
    for words in (CALL, "ping it", "<tool_call>"):
        comment = f"<!-- {words} -->"
        assert shows(f"Hm. {comment}", comment)
    assert shown_places("Hm. <!-- up -->", TOOLS) == []


@each("text", ["{% for x in y %}", "{{ x }}", "  {%- if x %}", "{{- x -}}"])
def test_a_template_of_prompts_shows_all(text: str) -> None:
    assert shown_places(f"{text}\n{CALL}", TOOLS) == [(0, len(f"{text}\n{CALL}"))]
    assert not shows(f"Up.\n{CALL}")


def test_inline_code_shows_a_whole_call_or_a_tag() -> None:
    assert shows(f"Write `{CALL}` there.")
    assert shows("Write `<tool_call>` there.", "<tool_call>")
    assert shows(f"Write ``{CALL}`` there.")
    assert not shows(f"`{CALL}")


def test_places_are_in_order_and_do_not_overlap() -> None:
    text = f"Write `{CALL}` and `<tool_call>` there.\n```sh\n{CALL}\n```\n| a | {CALL} |\n"
    places = shown_places(text, TOOLS)
    assert places == sorted(places) and len(places) >= 4
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


def test_without_signs_nothing_is_shown() -> None:
    assert shown_places("It is `up` there.", TOOLS) == []
    assert shown_places(f"\ue021 `{CALL}` there.", TOOLS) == [], "a text with placeholders of its own"


@given(text=any_text())
def test_placeholders_are_taken_back(text: str) -> None:
    if any("\ue000" <= char <= "\ue101" for char in text):
        return
    hidden = masked(text, [(0, len(text))])
    assert len(hidden) == len(text) and unmasked(hidden) == text


@given(value=json_values)
def test_values_have_no_placeholders(value: Any) -> None:
    assert unmasked(value) == value or any("\ue000" <= char <= "\ue101" for char in str(value))


def test_what_is_masked() -> None:
    text = 'a<b>"c"\\n✿｜é'
    hidden = masked(text, [(1, len(text))])
    assert hidden[0] == "a" and hidden[7:9] == "\\n" and "<" not in hidden and "✿" not in hidden and "｜" not in hidden
    assert hidden.endswith("é") and unmasked({hidden: [hidden, 1]}) == {text: [text, 1]}
    assert masked(text, []) == text and masked(text, [(1, 2)]) == f"a\ue03c{text[2:]}"
