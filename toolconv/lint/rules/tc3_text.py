"""TC3xx: misplaced markup, reasoning and text."""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from toolconv.core import jsontext
from toolconv.core.conversation import Row, number_calls
from toolconv.dialects.base import Dialect
from toolconv.dialects.turn_parser import THINK, Parsed
from toolconv.dialects.turns import SYSTEM_ROLES
from toolconv.lint.guards import Guard, Words
from toolconv.lint.markup import begins_call, call_markers, read_call, reasoning_marks, special_tokens, turn_tokens
from toolconv.lint.model.finding import Edit, Finding, Level, Safety
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import REASONING_KEYS, LintTurn
from toolconv.lint.names import argument, listed, shown
from toolconv.lint.rule import AssistantRule, DatasetRule, RowRule

MIN_TURNS = 20
"""With fewer turns, nothing can be concluded about a dataset."""

_THOUGHT = re.compile(r"\s*<think>(.*?)</think>", re.DOTALL)
_ENTITY = re.compile(r"&(?:quot|amp|lt|gt|#39|apos);")
_TAGGED = re.compile(r"</?[a-zA-Z!][^>]*>|```")
_UNICODE = re.compile(r"\\u00(?:22|26|27|3[cCeE])")
_CODE = re.compile(r"[\"'`(){}=;\\|^$]|\bimport\b")
_PYTHON = re.compile(r"[{\[,:]\s*(?:'|True\b|False\b|None\b)")


def _begins_value(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[", "`")


def _may_be_python(overview: Overview) -> bool:
    """Whether an assistant turn may consist of calls as Python writes them, perhaps in a code block."""
    tools = overview.toolset.index
    return any(
        "(" in text and (text.lstrip()[:1] == "`" or begins_call(text, tools)) for text in overview.expected_prose
    )


def _has_bare_value(overview: Overview) -> bool:
    """Whether an assistant turn may consist of calls without markers."""
    return any(map(_begins_value, overview.expected_prose))


class LeakedMarkup(RowRule):
    """Call markup in the content of a row with structured calls.

    Anti-pattern: model output stored as content because the server's parser missed the call.

    Why it hurts: the template writes the markup as prose, so the model learns a second call format that its server
    can't parse.

    Best practice: parse the markup into ``tool_calls``.

    Bad: ``{"role": "assistant", "content": "<tool_call>{\\"name\\": \\"ping\\", \\"arguments\\": {}}</tool_call>"}``

    Good: ``{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "ping", "arguments": "{}"}}]}``

    Source: vLLM and SGLang issues on unparsed calls in ``content``.
    """

    code: ClassVar[str] = "TC301"
    name: ClassVar[str] = "leaked-call-markup"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = (
        Words("expected_prose", call_markers),
        Words("expected_prose", ("{", "["), _has_bare_value),
        _may_be_python,
    )
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.calls_in_text or not row.turns:
            return
        if not row.tools and not any(not call.in_text for call in row.calls):
            return
        for turn in row.turns:
            text = turn.raw_text if turn.role == "assistant" else ""
            found = read_call(text, row.index) if text else None
            if found is None:
                continue
            dialect, parsed = found
            names = listed(call.name for call in parsed.calls)
            message = f"the content holds calls in {dialect.name} markup ({names}), expected them in tool_calls"
            yield self.finding(row, row.text_pointer(turn.message), message, *_as_structure(row, turn, parsed))


def _as_structure(row: LintRow, turn: LintTurn, parsed: Parsed) -> tuple[Edit, ...]:
    """The edits that move calls from a text to ``tool_calls``, in layouts that have this key."""
    message = row.look(turn.pointer)
    if row.read_as is None or row.read_as.name not in ("openai", "canonical") or not isinstance(message, dict):
        return ()
    if message.get("tool_calls") or not isinstance(message.get("content"), str) or parsed.dropped or parsed.reasoning:
        return ()
    as_text = row.read_as.name == "openai"
    items = [call.to_openai() if as_text else call.to_canonical() for call in parsed.calls]
    number_calls([*row.messages[: turn.message], {"role": "assistant", "tool_calls": items}])
    items = [{"id": item.pop("id"), **item} for item in items]
    return (
        row.edit(f"{turn.pointer}/content", parsed.content),
        row.edit(f"{turn.pointer}/tool_calls", items),
    )


class SpecialToken(RowRule):
    """A turn token inside the text of a turn.

    Anti-pattern: text that was rendered with a template and then stored as content.

    Why it hurts: tokenizers read it as the actual token, so the turn ends early and the rest is read as another
    turn.

    In an answer it is also learnt: the model goes on as the user. Tokens that are part of the calls of the row's
    dialect are not reported, nor is one at the end of a completion.

    Best practice: store text without template tokens.

    Bad: ``{"role": "user", "content": "Hi<|im_end|>\\n<|im_start|>assistant"}``

    Good: ``{"role": "user", "content": "Hi"}``

    Source: Hugging Face tokenizers recognise special tokens anywhere in a text.
    """

    code: ClassVar[str] = "TC302"
    name: ClassVar[str] = "special-token-in-text"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (Words("input", turn_tokens), Words("assistant", turn_tokens))

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role in ("user", "tool", "assistant", *SYSTEM_ROLES) and (tokens := self._tokens(row, turn)):
                name = "an assistant" if turn.role == "assistant" else f"a {turn.role}"
                message = f"{listed(tokens)} in {name} turn: a tokenizer reads it as the end or start of a turn"
                yield self.finding(row, row.text_pointer(turn.message), message)

    def _tokens(self, row: LintRow, turn: LintTurn) -> list[str]:
        """The tokens in a turn that don't belong there."""
        text = turn.raw_text
        found = special_tokens(text)
        if not found or turn.role != "assistant":
            return found
        if row.dialect is not None:
            found = [token for token in found if not _writes(row.dialect, token)]
        if row.conversation is not None and row.conversation.text_key is not None:
            end = text.rstrip()
            found = [token for token in found if not (end.endswith(token) and text.count(token) == 1)]
        return found


def _writes(dialect: Dialect, token: str) -> bool:
    """Whether a token is part of what a dialect writes for calls."""
    return token in dialect.sample or any(token in marker for marker in dialect.markers)


def _is_unbalanced(overview: Overview) -> bool:
    return any(_unbalanced(text, overview.dialect, overview.value) for text in overview.assistant)


class UnbalancedThink(AssistantRule):
    """Unbalanced reasoning tags: closed without being opened, opened twice, or never closed.

    Anti-pattern: output whose opening tag was in the prompt, or that was cut off inside its reasoning.

    Why it hurts: templates split at these tags; if unbalanced, the reasoning becomes the answer or both are lost.

    Best practice: put reasoning in ``reasoning_content``, or in one complete block at the start.

    Bad: ``"Let me see.</think>It is 12 degrees."``

    Good: ``"<think>Let me see.</think>It is 12 degrees."``

    Source: DeepSeek-R1's and Qwen3's templates (``content.split('</think>')``).
    """

    code: ClassVar[str] = "TC303"
    name: ClassVar[str] = "unbalanced-think"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (Words("assistant", reasoning_marks, _is_unbalanced),)

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        message = _unbalanced(turn.raw_text, row.dialect, row.row or {})
        if message:
            yield self.finding(row, row.text_pointer(turn.message), message)


def _unbalanced(text: str, dialect: Dialect | None, row: Row) -> str:
    """The problem with the reasoning tags of a text; tags in quotes or code don't count."""
    mark = dialect.reasoning if dialect is not None else THINK
    if mark.open not in text and mark.close not in text:
        return ""
    prompt = row.get("prompt")
    inside = isinstance(prompt, str) and prompt.rstrip().endswith(mark.open)
    tags = re.compile(f"{re.escape(mark.open)}|{re.escape(mark.close)}")
    for match in tags.finditer(text):
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
        if (before and before in "`'\"") or (after and after in "`'\"" and before != "\n"):
            continue
        if match[0] == mark.open:
            if inside:
                return f"{mark.open} inside {mark.open}"
            if match.start() and not text[: match.start()].isspace() and before not in ("\n", ">"):
                continue  # in the middle of a sentence
            inside = True
        elif not inside:
            return f"{mark.close} without {mark.open} before it"
        else:
            inside = False
    return f"{mark.open} is never closed" if inside else ""


class DuplicatedReasoning(AssistantRule):
    """The same reasoning in the content and in a separate field.

    Anti-pattern: servers that copy reasoning to a field and leave it in the content.

    Why it hurts: the template writes the reasoning twice, and the model learns to repeat it.

    Best practice: keep the field and remove the reasoning from the content.

    Bad: ``{"content": "<think>Rome.</think>12 degrees", "reasoning_content": "Rome."}``

    Good: ``{"content": "12 degrees", "reasoning_content": "Rome."}``

    Source: vLLM and OpenRouter return ``reasoning`` fields together with raw content.
    """

    code: ClassVar[str] = "TC304"
    name: ClassVar[str] = "duplicated-reasoning"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("repeats_reasoning",)
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        message = row.messages[turn.message]
        content = message.get("content")
        for key in REASONING_KEYS:
            reasoning = message.get(key)
            if not isinstance(content, str) or not isinstance(reasoning, str) or len(reasoning.strip()) < 8:
                continue
            block = re.match(rf"\s*(?:<think>)?\s*{re.escape(reasoning.strip())}\s*(?:</think>)?\s*", content)
            if block is not None and (block.end() < len(content) or "<think>" in block[0]):
                pointer = row.text_pointer(turn.message)
                edits = (row.edit(pointer, content[block.end() :]),) if row.at(pointer) == content else ()
                where = f"the content and in {key!r}, expected it in one of them"
                yield self.finding(row, pointer, f"the reasoning stands in {where}", *edits)
                return


class CallInReasoning(AssistantRule):
    """A call inside the reasoning.

    Anti-pattern: unprocessed output of models that call before they close their reasoning.

    Why it hurts: servers don't look for calls in reasoning, so the model learns calls that are never executed.

    Best practice: close the reasoning before the call.

    Bad: ``<think>I need it. <tool_call>{"name": "ping", "arguments": {}}</tool_call></think>``

    Good: ``<think>I need it.</think><tool_call>{"name": "ping", "arguments": {}}</tool_call>``

    Source: vLLM issues on tool calls inside ``<think>``.
    """

    code: ClassVar[str] = "TC305"
    name: ClassVar[str] = "call-inside-reasoning"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (Words("reasoning", call_markers),)

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        at = turn.message
        message, parsed = row.messages[at], row.parsed.get(at)
        texts = [(key, message.get(key)) for key in REASONING_KEYS]
        if parsed is not None and parsed.reasoning:
            texts.append(("content", parsed.reasoning))
        elif isinstance(message.get("content"), str):
            block = _THOUGHT.match(message["content"])
            texts.append(("content", block[1] if block else None))
        for key, text in texts:
            if isinstance(text, str) and (found := read_call(text, row.index, whole=False)) is not None:
                names = listed(call.name for call in found[1].calls)
                report = f"the reasoning holds a call in {found[0].name} markup ({names}), expected it after"
                yield self.finding(row, row.text_pointer(at, key), report)
                return


class EscapedPayload(RowRule):
    """Escapes instead of the intended characters: ``&quot;``, ``\\u003c``, ``\\n`` as two characters.

    Anti-pattern: text escaped for HTML or JSON more often than it was unescaped.

    Why it hurts: the model learns to write the escapes, and tools interpret them literally.

    Best practice: unescape text as often as it was escaped.

    Bad: ``{"query": "Tom &amp; Jerry"}``

    Good: ``{"query": "Tom & Jerry"}``

    Source: scraped ToolBench responses, web forms, JSON in HTML.
    """

    code: ClassVar[str] = "TC306"
    name: ClassVar[str] = "escaped-payload"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (
        Words("prose", ("&", "\\")),
        Words("arguments", ("&", "\\\\", "\\u0026", "\\u005c", "\\u005C")),
    )
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        if b"&" not in row.raw and b"\\\\" not in row.raw:
            return
        for call in row.calls:
            for pointer, value in walk(call.arguments) if isinstance(call.arguments, dict) else ():
                better = _unescaped(value) if isinstance(value, str) else None
                if better is None or pointer.rpartition("/")[2] == value:
                    continue
                where = call.arguments_pointer + (pointer if call.placed else "")
                edits = () if not call.placed else (row.edit(where, better),)
                message = f"{argument(pointer, call.name)} is {shown(value)}, expected {shown(better)}"
                yield self.finding(row, where, message, *edits)
        for turn in row.turns:
            content = row.messages[turn.message].get("content")
            if turn.role != "assistant" or not isinstance(content, str) or (turn.calls and turn.calls[0].in_text):
                continue
            better = _unescaped(content)
            if better is not None:
                pointer = row.text_pointer(turn.message)
                edits = (row.edit(pointer, better),) if row.at(pointer) == content else ()
                found = (_ENTITY.search(content) or _UNICODE.search(content) or re.search(r"\\n", content) or [""])[0]
                yield self.finding(row, pointer, f"{found!r} in the content, where the character was meant", *edits)


def _unescaped(text: str) -> str | None:
    """The unescaped text; ``None`` if the escapes may be intended."""
    if _ENTITY.search(text) and not _TAGGED.search(text) and "html" not in text.lower() and "://" not in text:
        return html.unescape(text)
    if _UNICODE.search(text) and not _TAGGED.search(text):
        return re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    if text.count("\\n") > 1 and "\n" not in text and ":\\" not in text and not _CODE.search(text.replace("\\n", "")):
        return text.replace("\\n", "\n")
    return None


def _prints_python(overview: Overview) -> bool:
    """Whether a tool response may be a Python literal."""
    return any(_begins_value(text) and _python_value(text) is not None for text in overview.responses)


class PythonLiteral(RowRule):
    """A tool response or declaration written as a Python literal: single quotes, ``True``, ``None``.

    Anti-pattern: ``str(result)`` for a response, ``str(tools)`` in the system text.

    Why it hurts: the model sees Python where it has to write JSON, and mixes the two in its calls.

    Best practice: serialise with ``json.dumps``.

    Bad: ``{"role": "tool", "content": "{'ok': True}"}``

    Good: ``{"role": "tool", "content": "{\\"ok\\": true}"}``

    Source: hermes-function-calling-v1, API-Bank. Calls written this way are reported by TC108 and TC122.
    """

    code: ClassVar[str] = "TC307"
    name: ClassVar[str] = "python-literal-in-json"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = (
        Words("input", ("'parameters':",)),
        Words("responses", ("'", "True", "False", "None"), _prints_python),
    )
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role == "tool":
                for response in turn.responses:
                    value = _python_value(response.content)
                    if value is None:
                        continue
                    pointer = row.text_pointer(turn.message)
                    whole = row.at(pointer) == response.content
                    edits = (row.edit(pointer, jsontext.spaced(value)),) if whole else ()
                    message = f"a tool response as Python prints it ({shown(response.content)}), expected JSON"
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


class MixedDialects(DatasetRule):
    """Markup of more than one dialect in the texts of a file.

    Anti-pattern: outputs of different models concatenated without conversion.

    Why it hurts: the model learns several formats, and its server's parser reads only one.

    Best practice: convert all texts to the target's dialect first.

    Bad: ``<tool_call>{…}</tool_call>`` in some rows, ``[TOOL_CALLS][…]`` in others

    Good: one dialect in all rows

    Source: distillation datasets with several teachers.
    """

    code: ClassVar[str] = "TC308"
    name: ClassVar[str] = "mixed-dialects"
    level: ClassVar[Level] = "warning"

    def start(self) -> None:
        self.files: dict[str, dict[str, tuple[int, int]]] = {}
        """By file and dialect: the number of turns with calls, and the line of the first one."""

    def observe(self, row: LintRow) -> None:
        if row.dialect is None or not row.calls_in_text:
            return
        for _, parsed in row.parsed_texts:
            if parsed.calls:
                self._add(row.file, parsed.dialect or row.dialect.name, 1, row.line)

    def merge(self, later: Self) -> None:
        for file, dialects in later.files.items():
            for name, (count, line) in dialects.items():
                self._add(file, name, count, line)

    def _add(self, file: str, name: str, count: int, line: int) -> None:
        dialects = self.files.setdefault(file, {})
        known, first = dialects.get(name, (0, line))
        dialects[name] = known + count, first

    def finish(self) -> Iterator[Finding]:
        for file, dialects in self.files.items():
            if len(dialects) > 1:
                counts = sorted(dialects.items(), key=lambda item: -item[1][0])
                message = ", ".join(f"{name} ({count:,} turns)" for name, (count, _) in counts)
                second = sorted(line for _, line in dialects.values())[1]
                yield self.finding_in(file, f"calls in {len(dialects)} dialects in one file: {message}", second)


class MixedReasoning(DatasetRule):
    """Reasoning in only some assistant turns.

    Anti-pattern: concatenated datasets of reasoning models and other models.

    Why it hurts: unless the prompt decides, whether the model reasons becomes random.

    Best practice: include reasoning in all turns, or a switch in the prompts of turns without it.

    Bad: half of the turns begin with ``<think>``

    Good: all or none of them do

    Source: Qwen3's ``/think`` and ``/no_think`` training.
    """

    code: ClassVar[str] = "TC309"
    name: ClassVar[str] = "mixed-reasoning"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.files: dict[str, list[int]] = {}

    def observe(self, row: LintRow) -> None:
        for turn in row.turns:
            if turn.role == "assistant":
                message = row.messages[turn.message]
                with_it = any(message.get(key) for key in REASONING_KEYS) or turn.raw_text.lstrip().startswith(
                    row.dialect.reasoning.open if row.dialect is not None else THINK.open
                )
                self.files.setdefault(row.file, [0, 0])[with_it] += 1

    def merge(self, later: Self) -> None:
        _add(self.files, later.files)

    def finish(self) -> Iterator[Finding]:
        for file, (without, with_it) in self.files.items():
            if without and with_it:
                message = f"reasoning in {with_it:,} of {without + with_it:,} assistant turns, expected in all or none"
                yield self.finding_in(file, message)


class StrippedPreface(DatasetRule):
    """No call has prose before it.

    Anti-pattern: converters that drop the content of a turn with calls.

    Why it hurts: models that announce what they are about to do unlearn it.

    Best practice: keep the content together with the calls.

    Bad: ``{"content": "", "tool_calls": […]}`` in every row

    Good: ``{"content": "Let me look that up.", "tool_calls": […]}`` where the model wrote it

    Source: chat templates that write either the content or the calls.
    """

    code: ClassVar[str] = "TC310"
    name: ClassVar[str] = "stripped-preface"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.files: dict[str, list[int]] = {}

    def observe(self, row: LintRow) -> None:
        for turn in row.turns:
            if turn.calls:
                self.files.setdefault(row.file, [0, 0])[bool(turn.text.strip())] += 1

    def merge(self, later: Self) -> None:
        _add(self.files, later.files)

    def finish(self) -> Iterator[Finding]:
        for file, (without, with_it) in self.files.items():
            if not with_it and without >= MIN_TURNS:
                yield self.finding_in(file, f"no prose before any of {without:,} turns' calls")


def _add(files: dict[str, list[int]], later: dict[str, list[int]]) -> None:
    """Add the counts of a later part, by file."""
    for file, counts in later.items():
        files[file] = [mine + theirs for mine, theirs in zip(files.get(file, (0, 0)), counts, strict=True)]
