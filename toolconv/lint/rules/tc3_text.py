"""TC3xx: text in a form of another program: escapes, Python literals, templates, headers of text dialogues; and what a
target leaves out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.guards import Words
from toolconv.lint.model.markup import begins_value
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn, texts_in
from toolconv.lint.names import argument, shown
from toolconv.lint.rule import AssistantRule, RowRule, rule
from toolconv.lint.target import TargetRule, written

_ENTITY = lazy_re(r"&(?:quot|amp|lt|gt|#39|apos);")


_TAG_BEGINS = lazy_re(r"</?[a-zA-Z!]")


_UNICODE = lazy_re(r"\\u(?!00[01])[0-9a-fA-F]{4}")


_CODE = lazy_re(r"[`{}=;\\|^$]|\bimport\b")
_PATH = lazy_re(r"(?<![A-Za-z])[A-Za-z]:\\")
_QUOTED = lazy_re(r"[\"'/]\\n|\\n[\"'/]|\\[nr]\\[rt]|(?<![^\W_])[\"'][^\"'\n]*\\n")


_PYTHON = lazy_re(r"[{\[,:]\s*(?:'|True\b|False\b|None\b)")


_STATEMENT = lazy_re(r"\{%-?\s*(?:for|if|elif|else|endfor|endif|set|macro|endmacro|generation)\b[^%\n]{0,200}%\}")


_VARIABLE = lazy_re(r"\{\{-?\s*(?:bos_token|eos_token|messages?\b|raise_exception|tools?\s*\|)[^}\n]{0,200}\}\}")


_TEMPLATE_NAMES = lazy_re(r"\b(?:messages?|add_generation_prompt|bos_token|eos_token|tool_calls?|tools|loop)\b")


_FENCE = lazy_re(r"```.*?(?:```|\Z)", re.DOTALL)


_LEADING = lazy_re(
    r"\s*(?:#{2,3} (?:Assistant|Response)(?::|(?=[ \t]*(?:\n|\Z)))"
    r"|#{2,3} (?:Respuesta|Antwort|Réponse|Risposta|Resposta|回答|回复|响应)[:：]\s*\n"
    r"|(?:ASSISTANT|Assistant|FUNCTION RESPONSE): ?|アシスタント[:：] ?)"
)


_SPEAKER = lazy_re(r"\s*\**((?:AI|Bot|BOT|Chatbot):)\**\s")
"""A header that may also be a term which an answer explains."""

_LINE_OF_LIST = lazy_re(r"^[ \t]*+(?:(?:[-*\u2022]|\d++[.)])[ \t]*+)?\**+[\w][\w /()'-]{0,40}:", re.MULTILINE)
"""A line of a list or form: a word, a colon and a value."""

_HEADERS = ("\nUSER:", "\nASSISTANT:", "\nHuman:", "\n\nAssistant:", "\nFUNCTION RESPONSE:", "\n### Instruction:",
            "\n### Response:", "\n### Human:", "\n### Assistant:")  # fmt: skip


_ESCAPES: Final = (
    Words("prose", ("&", "\\")),
    Words("arguments", ("&", "\\\\", "\\u0026", "\\u005c", "\\u005C")),
)


@rule("TC306", "escaped-payload", "warning", guards=_ESCAPES, fix="unsafe")
class EscapedPayload(RowRule):
    """Escapes instead of the intended characters: ``&quot;``, ``\\u003c``, ``\\n`` as two characters.

    Anti-pattern: text escaped for HTML or JSON more often than it was unescaped.

    Why it hurts: the model learns to write the escapes, and tools interpret them literally.

    Best practice: unescape text as often as it was escaped.

    Bad: ``{"query": "Tom &amp; Jerry"}``

    Good: ``{"query": "Tom & Jerry"}``

    Fix: unescapes the text once. It leaves text that parses as JSON, code and patterns alone. Unsafe, because the
    escapes may have been meant.

    Source: scraped ToolBench responses, web forms, JSON in HTML.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if b"&" not in row.raw and b"\\\\" not in row.raw:
            return
        for call in row.calls:
            for pointer, value in walk(call.members):
                better = _unescaped(value) if isinstance(value, str) else None
                if better is None or pointer.rpartition("/")[2] == value:
                    continue
                where = call.place_of(pointer)
                edits = (Edit(where, better),) if call.placed else ()
                message = f"{argument(pointer, call.name)} is {shown(value)}, expected {shown(better)}"
                yield self.finding(row, where, message, *edits)
        for turn in row.turns:
            content = row.messages[turn.message].get("content")
            if turn.role != "assistant" or (turn.calls and turn.calls[0].in_text):
                continue
            for place, text in texts_in(content):
                better = _unescaped(text)
                if better is None:
                    continue
                pointer = row.text_pointer(turn.message) + place
                edits = (Edit(pointer, better),) if row.at(pointer) == text else ()
                found = (_ENTITY.search(text) or _UNICODE.search(text) or re.search(r"\\n", text) or [""])[0]
                yield self.finding(row, pointer, f"{found!r} in the content, where the character was meant", *edits)


_PROGRAM = lazy_re(
    r"[|^`=]|;[^\S\n]*+$|;\S|\$(?:[A-Za-z({]|$)|\\[^nu]|[{}()\[\]][+*?]|\(\)|\w\([^\s\"'\\]{0,200}[\"'\\]"
    r"|^[^\S\n]*+(?:sed|awk|grep|perl|printf|echo|python3?|find|jq|curl|git|docker)\b|(?:^|\s)s/[^/\n]*/[^/\n]*/"
    r"|^[^\S\n]*+(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b",
    re.MULTILINE,
)
"""What a text has that a program, a command, a pattern or a formula is likely to be."""

_LATEX = lazy_re(
    r"\\n(?:abla|atural|cong|e(?:arrow|g|q|wcommand|wline|xists)?|geq|gtr|i|leq|less|mid|o(?:indent|t(?:in)?)|u)\b"
)
"""Commands of LaTeX that begin like an escaped line break."""


_MARK = lazy_re(r"(?<![^\W_])'|'(?![^\W_])")
"""A single quotation mark, not the apostrophe of a word."""


def _is_syntax(text: str) -> bool:
    """Whether the escapes of a text may belong to its syntax: JSON, a program, a pattern, a formula."""
    if text.lstrip()[:1] in ("{", "[", '"'):
        try:
            jsontext.loads(text)
        except ValueError:
            pass
        else:
            return True
    return _PROGRAM.search(_ENTITY.sub("", text)) is not None or _LATEX.search(text) is not None


def _is_tagged(text: str) -> bool:
    """Whether a text holds a tag or a code block."""
    begin = _TAG_BEGINS.search(text)
    return "```" in text or (begin is not None and text.find(">", begin.end()) >= 0)


def _unescaped(text: str) -> str | None:
    """The unescaped text; ``None`` if the escapes may be intended."""
    better = _decoded_once(text)
    if better is None or better == text or _is_syntax(text) or _ends_strings(text, better):
        return None
    return better


def _ends_strings(text: str, better: str) -> bool:
    """Whether decoded marks or backslashes may end strings too early: of JSON in prose, YAML, CSV, a command."""
    return (
        "\\u005c" in text.lower()
        or 0 < text.count('"') < better.count('"')
        or (text.count("'") < better.count("'") and _MARK.search(text) is not None)
    )


def _decoded_once(text: str) -> str | None:
    """The text with one kind of escapes decoded; ``None`` if it has none, or they are shown as such."""
    if _ENTITY.search(text) and not _is_tagged(text) and "html" not in text.lower() and "://" not in text:
        import html

        return html.unescape(text)
    if _UNICODE.search(text) and not _is_tagged(text):
        return _decoded(text)
    if text.count("\\n") > 1 and not _PATH.search(text) and not _CODE.search(text.replace("\\n", "")):
        return None if _QUOTED.search(text) else text.replace("\\n", "\n")
    return None


def _decoded(text: str) -> str | None:
    """A text whose escapes are decoded; ``None`` if they are not those of characters."""
    if '"\\u' in text or "`" in text:
        return None  # shown as such
    decoded = re.sub(r"\\u(?!00[01])([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    try:
        return decoded.encode("utf-16", "surrogatepass").decode("utf-16")  # joins pairs of surrogates
    except ValueError:
        return None


def _prints_python(overview: Overview) -> bool:
    """Whether a tool response may be a Python literal."""
    return any(begins_value(text) and _python_value(text) is not None for text in overview.responses)


_PYTHON_WORDS: Final = (
    Words("input", ("'parameters':",)),
    Words("responses", ("'", "True", "False", "None"), _prints_python),
)


@rule("TC307", "python-literal-in-json", "warning", guards=_PYTHON_WORDS, fix="unsafe")
class PythonLiteral(RowRule):
    """A tool response or declaration written as a Python literal: single quotes, ``True``, ``None``.

    Anti-pattern: ``str(result)`` for a response, ``str(tools)`` in the system text.

    Why it hurts: the model sees Python where it has to write JSON, and mixes the two in its calls.

    Best practice: serialise with ``json.dumps``.

    Bad: ``{"role": "tool", "content": "{'ok': True}"}``

    Good: ``{"role": "tool", "content": "{\\"ok\\": true}"}``

    Fix: writes a response as JSON; a declaration in a system text stays. Unsafe, because the text may be what the
    tool printed.

    Source: hermes-function-calling-v1, API-Bank. Calls written this way are reported by TC108 and TC122.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role == "tool":
                for place, text in (found for response in turn.responses for found in texts_in(response.content)):
                    value = _python_value(text)
                    if value is None:
                        continue
                    pointer = row.text_pointer(turn.message) + place
                    edits = (Edit(pointer, jsontext.spaced(value)),) if row.at(pointer) == text else ()
                    message = f"a tool response as Python prints it ({shown(text)}), expected JSON"
                    yield self.finding(row, pointer, message, *edits)
                    break
            elif turn.role in SYSTEM_ROLES and row.stated and "'name':" in turn.text and "'parameters':" in turn.text:
                message = "tools declared as Python prints them (single quotes), expected JSON"
                yield self.finding(row, row.text_pointer(turn.message), message)


def _python_value(text: Any) -> Any:
    """The dict or list that a text expresses in Python but not in JSON; ``None`` for anything else."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "[") or not _PYTHON.search(text):
        return None
    try:
        jsontext.loads(text)
        return None
    except ValueError:
        pass
    try:
        value = ast.literal_eval(text.strip())
        return value if isinstance(value, dict | list) and jsontext.loads(jsontext.spaced(value)) == value else None
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


_TEMPLATE_SIGNS: Final = tuple(Words(kind, ("{%", "{{")) for kind in ("assistant", "input"))


@rule("TC312", "template-source-in-text", "warning", guards=_TEMPLATE_SIGNS)
class TemplateSource(RowRule):
    """The source of a chat template in a turn.

    Anti-pattern: a prompt that was never rendered; the template stored instead of its output.

    Why it hurts: the model is trained on Jinja, and the turns that the template should have written are missing.

    Best practice: store messages, and render them with the template when training.

    Bad: ``{"role": "assistant", "content": "{% for message in messages %}…"}``

    Good: ``{"role": "assistant", "content": "It is 12 degrees."}``

    Source: Hugging Face, Chat templates. A template in a code block is not reported.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            text = turn.raw_text
            if "{%" not in text and "{{" not in text:
                continue
            text = _FENCE.sub("", text)
            found = next((match[0] for match in _STATEMENT.finditer(text) if _TEMPLATE_NAMES.search(match[0])), None)
            if found is None and (match := _VARIABLE.search(text)) is not None:
                found = match[0]
            if found is not None:
                message = f"{shown(found)} in a turn of {turn.role}: source of a chat template"
                yield self.finding(row, row.text_pointer(turn.message), message)


def _is_topic(row: LintRow, turn: LintTurn, header: str) -> bool:
    """Whether a turn before this one is about what a header names."""
    return any(header.rstrip(":") in each.text for each in row.turns[: turn.message] if each.role == "user")


_HEADER_WORDS: Final = (
    "Assistant", "ASSISTANT", "FUNCTION RESPONSE", "## R", "## Antwort", "## 回", "## 响应", "\nUser:", "AI:", "Bot:",
    "BOT:", "Chatbot:", "アシスタント", *_HEADERS,
)  # fmt: skip


@rule("TC313", "role-header-in-text", "warning", guards=(Words("assistant", _HEADER_WORDS),))
class RoleHeader(AssistantRule):
    """A role header in an answer: ``ASSISTANT:`` at its start, or the header of the next turn after it.

    Anti-pattern: several turns of a text dialogue in one message; a header that was not cut off.

    Why it hurts: the model learns to go on after its answer and to write the user's next turn as well.

    Best practice: a message for each turn, without headers.

    Bad: ``{"role": "assistant", "content": "ASSISTANT: It is 12 degrees.\\nUSER: Thanks"}``

    Good: ``{"role": "assistant", "content": "It is 12 degrees."}``

    Source: glaive-function-calling-v2 (``USER:``, ``ASSISTANT:``), Alpaca and Vicuna prompts.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        text = _FENCE.sub("", turn.raw_text)
        leading = _LEADING.match(text)
        found = leading[0].strip() if leading is not None else next((word for word in _HEADERS if word in text), None)
        if found is None and "\nUser:" in text and ("\nAssistant:" in text or len(_LINE_OF_LIST.findall(text)) == 1):
            found = "User:"  # more such lines are a list or a form
        if found is None and (speaker := _SPEAKER.match(text)) is not None and not _is_topic(row, turn, speaker[1]):
            found = speaker[1]
        if found is not None:
            message = f"{shown(found.strip())} in an answer: the header of a turn in a text dialogue"
            yield self.finding(row, row.text_pointer(turn.message), message)


@rule("TC311", "dropped-by-target", "warning")
class DroppedByTarget(TargetRule, RowRule):
    """Something in a row that the target's template omits.

    Anti-pattern: prose before calls, reasoning or parallel calls in rows for a template that can't express them.

    Why it hurts: the training text silently lacks part of the data. Where toolconv writes more than a family's original
    template does, the rule answers for the original, which trainers and servers use.

    Best practice: choose rows that the template can express, or another template (option ``target``, ``--target``; the
    rule does nothing without it).

    Bad: ``reasoning_content``, for Qwen2.5

    Good: the same for Qwen3

    Source: the models' chat templates; ``toolconv templates`` lists them.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        found = written(row, self.template) if self.template is not None else None
        if found is None:
            return
        if found.refusal:
            yield self.finding(row, "", f"{self.target} can't write the row: {found.refusal}")
        for effect in found.originals:
            yield self.finding(row, "", f"{self.target}: the original template {effect}")
        for kind, count in sorted(found.losses.items()):
            times = "" if count == 1 else f", {count:,} times"
            yield self.finding(row, "", f"{self.target} leaves out {kind.replace('_', ' ')}{times}")
