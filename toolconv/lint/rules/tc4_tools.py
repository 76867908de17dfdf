"""TC4xx: tool declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, ClassVar, Self

from toolconv.core import jsontext
from toolconv.core.conversation import Tool
from toolconv.dialects.lifting import own_text
from toolconv.dialects.prompts import without_prompt
from toolconv.lint.guards import Guard
from toolconv.lint.metaschema import TYPES
from toolconv.lint.model.finding import Edit, Finding, Level, Safety
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.pointers import MISSING
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.tools import LintTool
from toolconv.lint.names import a, did_you_mean, listed, shown
from toolconv.lint.parameters import EMPTY
from toolconv.lint.rule import ComparingRule, RowRule, SignatureRule, ToolRule
from toolconv.lint.schemas import UNCHECKED, pointer, subschemas, type_of, validator
from toolconv.lint.typenames import meant, mended

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def place(tool: LintTool, path: tuple[str | int, ...] = ()) -> str:
    """The deep pointer of a part of a tool's parameters."""
    return tool.parameters_pointer + ("" if tool.stated else pointer(path))


def replaced(row: LintRow, tool: LintTool, parameters: Any) -> tuple[Edit, ...]:
    """The edit that gives a tool other parameters."""
    if tool.stated:
        return ()
    value = row.look(tool.parameters_pointer)
    if value is not MISSING and jsontext.opened(value) != tool.parameters:
        return ()  # the row has them in another notation
    return (row.edit(tool.parameters_pointer, jsontext.spaced(parameters) if isinstance(value, str) else parameters),)


class InvalidSchema(ToolRule):
    """Parameters that are not valid JSON Schema.

    Anti-pattern: ``required: true`` inside a property, a list of types as ``properties``, parameters without an
    enclosing schema.

    Why it hurts: validators and constrained decoders reject or ignore the schema; the model learns from declarations
    unlike those it will see in use.

    Best practice: write ``{"type": "object", "properties": {…}, "required": […]}`` and check it by the metaschema.

    Bad: ``{"city": {"type": "string", "required": true}}``

    Good: ``{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}``

    Source: JSON Schema 2020-12; ToolAlpaca, API-Bank.
    """

    code: ClassVar[str] = "TC401"
    name: ClassVar[str] = "invalid-json-schema"
    level: ClassVar[Level] = "error"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        parameters = tool.parameters
        if parameters is None or (isinstance(parameters, str) and not parameters.strip()):
            return  # reported by TC409
        if known.flat:
            if not tool.stated and (row.read_as is None or not row.read_as.flat_parameters):
                names = listed(parameters)
                message = f"the parameters of {shown(tool.name)} have no schema around them ({names})"
                message += ', expected {"type": "object", "properties": …}'
                yield self.finding(row, place(tool), message)
            return
        problems = known.problems
        for problem in problems[:3]:
            where = f" at {pointer(problem.path)}" if problem.path else ""
            more = f" (and {len(problems) - 3} more)" if len(problems) > 3 and problem is problems[2] else ""
            message = f"the schema of {shown(tool.name)} is no JSON Schema{where}: {problem.message}{more}"
            yield self.finding(row, place(tool, problem.path), message)


class NullPaddedSchema(ToolRule):
    """Nulls in a schema that a converter added.

    Anti-pattern: schemas of different tools in one Arrow column: each gets all keys of the others as nulls.

    Why it hurts: each declaration contains all keys of the dataset, and the model reads properties that don't exist.

    Best practice: store tools as JSON text in columnar formats; remove the nulls.

    Bad: ``{"properties": {"city": {"type": "string"}, "days": null}}``

    Good: ``{"properties": {"city": {"type": "string"}}}``

    Source: Hugging Face ``datasets`` (struct union). Nulls under ``default``, ``const`` and ``enum`` are values.
    """

    code: ClassVar[str] = "TC402"
    name: ClassVar[str] = "null-padded-schema"
    level: ClassVar[Level] = "error"
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        if known.clean is not known.value:
            count = jsontext.compact(known.value).count("null") - jsontext.compact(known.clean).count("null")
            message = f"the schema of {shown(tool.name)} is padded with nulls ({count}), expected no such keys"
            yield self.finding(row, place(tool), message, *replaced(row, tool, known.clean))


class TypeNames(ToolRule):
    """Type names that are not JSON Schema's.

    Anti-pattern: Python or Java type names (``str``, ``dict``, ``"List[int], optional"``) under ``type``.

    Why it hurts: validators reject the schema, and templates that switch on the type write nothing; in use, the model
    sees other names.

    Best practice: use ``string``, ``integer``, ``number``, ``boolean``, ``array``, ``object`` and ``null``.

    Bad: ``{"type": "str, optional"}``

    Good: ``{"type": "string"}``

    Source: xLAM, API-Bank, BFCL's original questions.
    """

    code: ClassVar[str] = "TC403"
    name: ClassVar[str] = "not-json-schema-types"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        wrong = known.wrong_types
        if not wrong:
            return
        meanings = {name: meant(name) for name in wrong}
        message = ", ".join(f"{shown(name)} ({_instead(meanings[name], name)})" for name in list(wrong)[:6])
        better = mended({"properties": tool.parameters})["properties"] if known.flat else mended(tool.parameters)
        edits = replaced(row, tool, better) if any(schema is not None for schema in meanings.values()) else ()
        first = next(iter(wrong.values()))
        message = f"{shown(tool.name)} has types that are not JSON Schema's: {message}"
        yield self.finding(row, place(tool, first), message, *edits)


def _instead(schema: dict[str, Any] | None, name: str) -> str:
    if schema is None:
        return "unknown" + did_you_mean(name, TYPES)
    kind = schema.get("type")
    return "any: no type at all" if kind is None else kind if isinstance(kind, str) else " or ".join(kind)


class BrokenExample(ToolRule):
    """A default or an example that breaks its own schema.

    Anti-pattern: ``"default": "10"`` for an integer, a default that is not in the enum, an example of another type.

    Why it hurts: the declaration contradicts itself; the model copies the example, and the tool rejects the call.

    Best practice: give defaults and examples that the schema accepts. ``null`` as a default is not reported, and
    neither is the empty text that stands for no default in parameters without an enclosing schema (xLAM).

    Bad: ``{"type": "integer", "default": "10"}``

    Good: ``{"type": "integer", "default": 10}``

    Source: JSON Schema 2020-12, Validation, 9.2 and 9.5: both should be valid against their schema.
    """

    code: ClassVar[str] = "TC415"
    name: ClassVar[str] = "example-breaks-schema"
    level: ClassVar[Level] = "warning"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        if not isinstance(known.schema, dict) or not known.has_examples:
            return
        for path, schema in subschemas(known.schema):
            if _EXAMPLES.isdisjoint(schema):
                continue
            rule = validator({key: value for key, value in schema.items() if key not in _EXAMPLES})
            for key, steps, value in _examples(schema):
                if value is None or (known.flat and value == ""):
                    continue
                errors = [error for error in rule.errors(value) if error.keyword not in (UNCHECKED, "required")]
                if errors:
                    where = path[1:] if known.flat else path
                    names = ".".join(str(step) for step in path if step not in ("properties", "items"))
                    message = f"the {key} of {names or 'the parameters'} of {shown(tool.name)} is {shown(value)}"
                    yield self.finding(row, place(tool, (*where, *steps)), f"{message}: {errors[0].message}")


_EXAMPLES = frozenset({"default", "examples", "example"})


def _examples(schema: dict[str, Any]) -> Iterator[tuple[str, tuple[str | int, ...], Any]]:
    """The defaults and examples of a schema: what each is, its place, and its value."""
    if "default" in schema:
        yield "default", ("default",), schema["default"]
    if isinstance(schema.get("examples"), list):
        for at, value in enumerate(schema["examples"]):
            yield "example", ("examples", at), value


class DuplicateTool(RowRule):
    """A tool name that is declared twice in one row.

    Anti-pattern: distractor tools sampled without checking their names.

    Why it hurts: APIs reject the row; if the declarations differ, calls are ambiguous.

    Best practice: declare each name once.

    Bad: ``get_weather(city)`` and ``get_weather(place)``

    Good: ``get_weather(city)``

    Source: OpenAI's API; BFCL multiple-function questions.
    """

    code: ClassVar[str] = "TC404"
    name: ClassVar[str] = "duplicate-tool"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("names_repeat",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        seen: dict[str, LintTool] = {}
        for tool in row.checked_tools:
            if not isinstance(tool.name, str):
                continue
            first = seen.setdefault(tool.name, tool)
            if first is not tool:
                how = "the same again" if first.function == tool.function else "and differently"
                yield self.finding(row, tool.pointer, f"{shown(tool.name)} is declared twice, {how}")


class ConflictingTool(SignatureRule, ComparingRule):
    """A tool name that means different tools in different rows.

    Anti-pattern: concatenated datasets; tools changed during data generation.

    Why it hurts: a model associates arguments with a tool's name; here it learns the arguments of one tool from calls
    to another.

    Best practice: one definition per name, unless the dataset deliberately teaches reading declarations.

    Bad: ``search(query)`` in some rows, ``search(q, limit)`` in others

    Good: ``search(query)`` and ``search_pages(q, limit)``

    Source: BFCL and glaive (one name, many definitions).
    """

    code: ClassVar[str] = "TC405"
    name: ClassVar[str] = "conflicting-tool"
    level: ClassVar[Level] = "warning"
    options: ClassVar[dict[str, Any]] = {"shown": 20}

    def start(self) -> None:
        self.others: dict[str, tuple[str, int, str, int]] = {}

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[2] == later[2])

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        for tool in signature.toolset.checked:
            if tool.name is None:
                continue
            first = self.firsts.get(tool.name)
            if first is None:
                self.firsts.setdefault(tool.name, (signature.file, line, tool.signature, tool.words))
            elif first[2] != tool.signature:
                file, since, words, count = self.others.get(tool.name, (signature.file, line, tool.words, 0))
                self.others[tool.name] = file, since, words, count + rows

    def merge(self, later: Self) -> None:
        for name, (file, line, words, count) in later.others.items():
            file, line, words, before = self.others.get(name, (file, line, words, 0))
            self.others[name] = file, line, words, before + count

    def finish(self) -> Iterator[Finding]:
        most = int(self.option("shown"))
        for name, (file, line, words, count) in list(self.others.items())[:most]:
            first_file, first_line, _, first_words = self.firsts[name]
            where = f"line {first_line}" if first_file == file else f"{first_file}:{first_line}"
            if words == first_words:
                message = f"{shown(name)} is declared with other constraints on ({words}) than in {where}"
            else:
                message = f"{shown(name)} is declared with ({words}) here, with ({first_words}) in {where}"
            message += f"; {_many(count, 'declaration differs', 'declarations differ')} from the first"
            yield self.finding_in(file, message, line)
        if len(self.others) > most:
            file = next(iter(self.others.values()))[0]
            yield self.finding_in(file, f"{len(self.others) - most:,} more names are declared in different ways")


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


class VagueDescription(ToolRule):
    """A tool without a useful description.

    Anti-pattern: no description, a single word, or the name again.

    Why it hurts: models choose tools by description; without one, they learn to choose by name.

    Best practice: write a sentence about what the tool does and when to use it.

    Bad: ``{"name": "get_weather", "description": "Get weather"}``

    Good: ``{"name": "get_weather", "description": "Gives the current weather of a city."}``

    Source: Anthropic's and OpenAI's guides on tool definitions.
    """

    code: ClassVar[str] = "TC406"
    name: ClassVar[str] = "vague-description"
    level: ClassVar[Level] = "warning"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        text = tool.function.get("description")
        text = text.strip() if isinstance(text, str) else ""
        where = tool.pointer
        if not tool.stated and "description" in tool.function:
            where = f"{tool.pointer}/description"
        if not text:
            yield self.finding(row, where, f"{shown(tool.name)} has no description")
        elif _plain(text) == _plain(str(tool.name)):
            message = f"the description of {shown(tool.name)} is its name again: {shown(text)}"
            yield self.finding(row, where, message)
        elif len(text.split()) < 3 and len(_CJK.findall(text)) < 4:
            message = f"the description of {shown(tool.name)} is {shown(text)}, expected a sentence"
            yield self.finding(row, where, message)


def _plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text.lower())


class UndocumentedParameter(ToolRule):
    """A parameter without a description.

    Anti-pattern: schemas generated from function signatures alone.

    Why it hurts: the model has to guess formats, units and meanings, and learns to guess.

    Best practice: describe each parameter.

    Bad: ``{"date": {"type": "string"}}``

    Good: ``{"date": {"type": "string", "description": "Day of the flight, YYYY-MM-DD."}}``

    Source: Anthropic's guide on tool definitions.
    """

    code: ClassVar[str] = "TC407"
    name: ClassVar[str] = "undocumented-parameter"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        properties = known.schema.get("properties") if isinstance(known.schema, dict) else None
        if isinstance(properties, dict):
            bare = [name for name, part in properties.items() if isinstance(part, dict) and not part.get("description")]
            if bare:
                message = f"{shown(tool.name)} has parameters without a description: {listed(bare)}"
                yield self.finding(row, place(tool), message)


class RequiredNotThere(ToolRule):
    """A required argument that is not in the properties.

    Anti-pattern: a parameter renamed or removed only in ``properties``.

    Why it hurts: every valid call needs an argument that nothing describes.

    Best practice: list only keys of ``properties`` in ``required``.

    Bad: ``{"properties": {"city": {…}}, "required": ["town"]}``

    Good: ``{"properties": {"city": {…}}, "required": ["city"]}``

    Source: OpenAI's strict mode rejects such schemas.
    """

    code: ClassVar[str] = "TC408"
    name: ClassVar[str] = "required-not-in-properties"
    level: ClassVar[Level] = "error"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        known = tool.known
        for path, absent, properties in known.absent:
            names = listed(properties) or "none"
            message = f"{shown(tool.name)} requires {listed(absent)}, not in its properties ({names})"
            yield self.finding(row, place(tool, path), message + did_you_mean(absent[0], properties))


class MissingParameters(ToolRule):
    """A declaration without parameters.

    Anti-pattern: ``parameters`` missing or null for a tool without parameters.

    Why it hurts: templates fail on them or write null; the model sees two ways to write "no parameters".

    Best practice: write ``{"type": "object", "properties": {}}``.

    Bad: ``{"name": "ping", "description": "Answers with pong."}``

    Good: ``{"name": "ping", "description": "Answers with pong.", "parameters": {"type": "object", "properties": {}}}``

    Source: vLLM's and llama.cpp's code for reading tools.
    """

    code: ClassVar[str] = "TC409"
    name: ClassVar[str] = "missing-parameters"
    level: ClassVar[Level] = "warning"
    fix: ClassVar[Safety | None] = "safe"

    def check(self, row: LintRow, tool: LintTool) -> Iterator[Finding]:
        if isinstance(tool.parameters, dict) or tool.is_nested:
            return  # Gemini omits them by design
        if tool.parameters is None or tool.parameters == "":
            message, edits = "none", replaced(row, tool, EMPTY)
        else:
            message, edits = a(type_of(tool.parameters)), ()
        yield self.finding(
            row, tool.pointer, f"the parameters of {shown(tool.name)} are {message}, expected an object schema", *edits
        )


class ToolsAsString(ComparingRule):
    """``tools`` as JSON text in some rows of a file, as a list in others.

    Anti-pattern: concatenated rows from different writers.

    Why it hurts: a loader that expects one fails on the other, or passes text to the template.

    Best practice: use one form per file.

    Bad: ``"tools": "[]"`` in one row, ``"tools": []`` in the next

    Good: the same form in all rows

    Source: LLaMA-Factory and Parquet uploads use text, TRL requires a list.
    """

    code: ClassVar[str] = "TC411"
    name: ClassVar[str] = "tools-as-string"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    fix: ClassVar[Safety | None] = "safe"

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first[0] is later[0])

    def find(self, row: LintRow) -> Iterator[Finding]:
        value = row.row.get("tools") if row.row else None
        if not isinstance(value, str | list):
            return
        as_text = isinstance(value, str)
        first, line = self.firsts.setdefault(row.file, (as_text, row.line))
        if first is as_text:
            return
        words = ("a list", "JSON text")
        edits: tuple[Edit, ...] = ()
        if isinstance(value, list):
            edits = (row.edit("/tools", jsontext.spaced(value)),)
        else:
            with suppress(ValueError):
                edits = (row.edit("/tools", jsontext.loads(value)),)
        message = f"tools are {words[as_text]}, {words[first]} in line {line}: one form in a file"
        yield self.finding(row, "/tools", message, *edits)


class ToolsInSystemText(RowRule):
    """Tools declared only in the system text, in a row with structured calls.

    Anti-pattern: a prompt with declarations that was kept when the calls were converted to structure.

    Why it hurts: the target's template declares tools in its own format; the model never sees this one in use.

    Best practice: declare the tools in ``tools`` and remove them from the text.

    Bad: ``{"messages": [{"role": "system", "content": "You can call: [{\\"name\\": …}]"}, …]}``

    Good: ``{"tools": [{"type": "function", "function": {"name": …}}], "messages": […]}``

    Source: ToolACE's and Hermes' system prompts.
    """

    code: ClassVar[str] = "TC412"
    name: ClassVar[str] = "tools-only-in-system-text"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("states_tools",)
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.calls_in_text or row.declared or not row.stated:
            return
        where = "system text" if row.stated[0].stated == "system" else "first question"
        names = listed(tool.name for tool in row.stated)
        many = _many(len(row.stated), "tool is", "tools are")
        message = f"{many} declared in the {where} only ({names}), expected in tools"
        pointer = row.stated[0].pointer
        items: list[Tool] = [{"type": "function", "function": tool.function} for tool in row.stated]
        edits = _without_prompt(row, pointer, items)
        if edits:
            value = jsontext.spaced(items) if isinstance((row.row or {}).get("tools"), str) else items
            edits = (*edits, row.edit("/tools", value))
        yield self.finding(row, pointer, message, *edits)


def _without_prompt(row: LintRow, pointer: str, tools: list[Tool]) -> tuple[Edit, ...]:
    """Take what a system text says about tools out; nothing if it may declare others than ``tools``."""
    text = row.at(pointer)
    prompt = without_prompt(text) if isinstance(text, str) else None
    own = None if prompt is None or prompt.declares else own_text(text, prompt, tools)
    if own is None:
        return ()
    message = pointer.rpartition("/")[0]
    if not own and message.rpartition("/")[2].isdecimal():
        return (row.edit(message, remove=True),)
    return (row.edit(pointer, own),)


class DeclaredTwice(RowRule):
    """Tools declared both in the column and in the system text.

    Anti-pattern: a column added to rows whose prompt already contains the declarations.

    Why it hurts: the template declares the tools again: twice the tokens, and two formats in one prompt.

    Best practice: keep the column and remove the declarations from the text.

    Bad: ``tools`` has ``ping``, and the system text too

    Good: ``tools`` has ``ping``

    Source: hermes-function-calling-v1.
    """

    code: ClassVar[str] = "TC413"
    name: ClassVar[str] = "tools-declared-twice"
    level: ClassVar[Level] = "warning"
    guards: ClassVar[tuple[Guard, ...]] = ("states_tools",)
    fix: ClassVar[Safety | None] = "unsafe"

    def check(self, row: LintRow) -> Iterator[Finding]:
        if not row.declared or not row.stated:
            return
        names = {tool.name for tool in row.declared}
        both = [tool.name for tool in row.stated if tool.name in names]
        if both:
            message = f"{listed(both)} declared in the column and in the system text, expected one of them"
            pointer = row.stated[0].pointer
            tools: list[Tool] = [{"type": "function", "function": tool.function} for tool in row.declared]
            yield self.finding(row, pointer, message, *_without_prompt(row, pointer, tools))


class NoTools(RowRule):
    """A row with calls that declares no tool anywhere.

    Anti-pattern: rows generated for one fixed set of tools that was left out.

    Why it hurts: the model memorises the tools and calls them when they are not available.

    Best practice: declare the tools in every row.

    Bad: ``{"messages": [user, assistant with a call]}``

    Good: ``{"tools": […], "messages": [user, assistant with a call]}``

    Source: Toolset-Training; the Berkeley leaderboard's irrelevance category.
    """

    code: ClassVar[str] = "TC414"
    name: ClassVar[str] = "no-tools-declared"
    level: ClassVar[Level] = "error"
    guards: ClassVar[tuple[Guard, ...]] = ("unfit",)

    def check(self, row: LintRow) -> Iterator[Finding]:
        calls = [call for call in row.calls if not row.is_known(call)]
        if not calls or row.declared or row.stated or row.index or row.lacks("tools"):
            return
        if row.conversation is not None and row.conversation.text_key is not None:
            return  # the prompt that declares them is not in the row
        names = listed({jsontext.compact(call.name): call.name for call in calls}.values())
        yield self.finding(row, "", f"the row calls {names} and declares no tool")
