"""No regular expression of the package takes more than linear time, by :mod:`tests.helpers.overlap`."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import time
from collections import defaultdict
from functools import cache, partial
from pathlib import Path
from re._constants import ANY as ANY_CHARACTER
from re._constants import BRANCH, IN, LITERAL, MAX_REPEAT, NOT_LITERAL, POSSESSIVE_REPEAT
from re._parser import SubPattern, parse
from typing import Any

import pytest

from tests.helpers.command import ROOT
from tests.helpers.overlap import fault
from toolconv import dialects
from toolconv.core import type_names
from toolconv.dialects.declarations import cohere_stubs, functionary_tools, python_stubs
from toolconv.dialects.formats import qwen_agent, react
from toolconv.dialects.lexing import mentions
from toolconv.io import tables
from toolconv.lint.model import tools
from toolconv.lint.rules import tc3_text
from toolconv.lint.texts import tool_words
from toolconv.lint.values import grounding

COLLECT = """
import json, pkgutil, re, sys
found = set()
def place(frame):
    inner = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>")
    while frame.f_globals.get("__name__", "").split(".")[0] == "re" or frame.f_code.co_name in inner:
        frame = frame.f_back
    return frame.f_globals.get("__name__", ""), frame.f_code.co_name
compiled = re._compile
def noting(pattern, flags):
    module, function = place(sys._getframe(1))
    if module.startswith("toolconv.") and not module.endswith(".lazy_re") and isinstance(pattern, str | bytes):
        found.add((pattern, int(flags), module, function))
    return compiled(pattern, flags)
re._compile = noting
from toolconv.core import lazy_re
begin = lazy_re._LazyPattern.__init__
def beginning(self, pattern, flags):
    begin(self, pattern, flags)
    found.add((pattern, int(flags), *place(sys._getframe(2))))
lazy_re._LazyPattern.__init__ = beginning
import toolconv
for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
    if not module.name.endswith(("__main__", "toolconv.ray", "toolconv.vllm", "vllm_plugin")):
        __import__(module.name)
from toolconv import dialects
from toolconv.core.tools import ToolIndex
from toolconv.dialects.stream_reader import StreamReader
from toolconv.dialects.turn_reader import TurnReader
tools = ToolIndex([{"function": {"name": "get_weather", "parameters": {"properties": {"city": {"type": "string"}}}}}])
for dialect in dialects.all_dialects():
    for text in (dialect.sample, dialect.sample[:-4], dialect.sample.replace('"', "'"), "See " + dialect.sample.swapcase()):
        TurnReader(dialect).read(text, tools)
    StreamReader(dialect.name, in_reasoning=False).feed(dialect.sample)
from contextlib import suppress
from itertools import islice
from pathlib import Path
from toolconv import Options, TextOptions, convert_rows, lint_rows, templates
rows = []
for path in sorted(Path("fixtures").rglob("*.jsonl")):
    for line in islice(path.open(encoding="utf-8"), 3):
        with suppress(ValueError):
            case = json.loads(line)
            rows += [case["row"]] if isinstance(case.get("row"), dict) else case.get("rows", [case])[:1]
def convert(row, **options):
    with suppress(Exception):
        return next(convert_rows([row], Options(**options)))
for row in rows:
    with suppress(Exception):
        list(lint_rows([row], select=["ALL"]))
    convert(row, to_layout="openai")
row = next(row for row in rows if row.get("messages") and row.get("tools"))
for name in templates.names():
    if (written := convert(row, text=TextOptions(template=name))) is not None:
        convert(written, from_template=name)
for name in dialects.names():
    if (written := convert(row, target=name)) is not None:
        convert(written, source=name)
list(convert_rows([row] * 40, Options(target="kimi_k2")))  # rows are planned after the first
print(json.dumps([[p if isinstance(p, str) else {"bytes": p.decode("latin-1")}, *rest] for p, *rest in found]))
"""
"""Prints each pattern that is made where all modules are imported, all dialects and templates read what they write, and
the fixtures are read and checked: its text, flags and place."""


class Pattern:
    """A pattern: its text, its flags, where it is made, the name it has there, and how it is used."""

    def __init__(self, text: str | bytes, flags: int, module: str, function: str) -> None:
        self.text, self.flags, self.module, self.function = text, flags, module, function
        self.name = ""
        self.methods = {"search"}

    @property
    def hash(self) -> str:
        text = self.text if isinstance(self.text, bytes) else self.text.encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:8]

    @property
    def place(self) -> str:
        return f"{self.module.removeprefix('toolconv.')}:{self.name or self.function}"


METHODS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "finditer", "findall"})


@cache
def trees() -> dict[str, ast.Module]:
    files = {
        path: path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for path in (ROOT / "toolconv").rglob("*.py")
    }
    return {name.removesuffix(".__init__"): ast.parse(Path(path).read_text("utf-8")) for path, name in files.items()}


@cache
def uses() -> dict[tuple[str, str], set[str]]:
    """The methods that are called of each name, by the module that it comes from; ``search`` where that isn't clear."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in trees().items():
        nodes = list(ast.walk(tree))
        origins = {
            alias.asname or alias.name: (node.module or "", alias.name)
            for node in nodes
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        known: set[int] = set()
        for node in nodes:  # what holds a name comes before it
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                known.add(id(node.value))
                name, method = node.value.id, node.attr if node.attr in METHODS else ""
            elif (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "") == "end_of"
                and isinstance(node.args[0], ast.Name)
            ):
                known.add(id(node.args[0]))
                name, method = node.args[0].id, "match"
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in known:
                name, method = node.id, "search"
            else:
                continue
            found[origins.get(name, (module, name))] |= {method} - {""}
    return found


@cache
def written() -> tuple[list[Pattern], set[str]]:
    """The patterns that functions write as constants, and the places where functions put together others."""
    constants: list[Pattern] = []
    places: set[str] = set()
    for module, tree in trees().items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                name = (
                    ast.unparse(node.func) if isinstance(node, ast.Call) and module != "toolconv.core.lazy_re" else ""
                )
                method = name.removeprefix("re.")
                if not isinstance(node, ast.Call) or not (
                    name == "lazy_re" or (name.startswith("re.") and method in {"compile", *METHODS})
                ):
                    continue
                given = [node.args[0], *(word.value for word in node.keywords if word.arg == "flags")]
                pattern = Pattern("", 0, module, function.name)
                if isinstance(given[0], ast.Constant):
                    pattern.text = given[0].value
                    pattern.flags = int(eval(ast.unparse(given[1]), {"re": re})) if len(given) > 1 else 0
                    pattern.methods = {method if method in METHODS else "search"}
                    constants.append(pattern)
                else:
                    places.add(pattern.place)
    return constants, places


@cache
def collected() -> list[Pattern]:
    done = subprocess.run([sys.executable, "-c", COLLECT], capture_output=True, text=True, check=True, cwd=ROOT)
    found = [
        Pattern(text["bytes"].encode("latin-1") if isinstance(text, dict) else text, *rest)
        for text, *rest in json.loads(done.stdout)
    ]
    names: dict[tuple[str, Any], str] = {}
    for module in {pattern.module for pattern in found}:
        for name, value in vars(sys.modules.get(module) or __import__(module, fromlist=["x"])).items():
            if hasattr(value, "pattern") and hasattr(value, "fullmatch"):
                names.setdefault((module, value.pattern), name)
    constants, _ = written()
    known = {(pattern.place, pattern.text) for pattern in constants}
    found = [pattern for pattern in found if (pattern.place, pattern.text) not in known]
    for pattern in found:
        pattern.name = names.get((pattern.module, pattern.text), "") if pattern.function == "<module>" else ""
        if pattern.name:
            pattern.methods = uses()[pattern.module, pattern.name]
    return sorted([*found, *constants], key=lambda each: (each.place, str(each.text)))


MATCHED = {
    "convert.secrets:_USER": "after the name of a folder that holds homes",
    "convert.secrets:_prefixed": "after a prefix",
    "dialects.call_readers.base:PYTHON_KEY": "where a member begins",
    "dialects.values.literals:__init__": "where a value or a key begins",
    "dialects.chat:_response_pattern": "where a result begins",
    "dialects.declarations.headed_tools:_head": "where a declaration begins",
    "dialects.grammars.name_then_json:_headers": "a header from its marker to its arguments",
    "dialects.live.arguments:headers_of": "where a block begins",
    "lint.rules.tc3_reasoning:check": "where a content begins",
    "lint.model.spans:_STRING": "where a value begins",
    "lint.schema.formats:_URI": "a whole value",
}
"""Places whose patterns are matched, never searched for, which :func:`uses` can't see: where in the text."""

ANY = "any"
CHARACTERS = (LITERAL, NOT_LITERAL, IN, ANY_CHARACTER)
HARMLESS = {
    ("augment.kinds:_WORDS", "b6745d06"): "a run of capitals matches without its last",
    ("cli.lookup:_first", "3a7e314c"): "a name that the user types",
    ("cli.lookup:_plain", "886506e7"): "a name that the user types",
    ("dialects.choice.known_slips:_ARROWS", "9d7a9f5d"): "up to the next beginning, and 4,000 characters",
    ("dialects.choice.known_slips:_FLAG", "51faef05"): "4,000 characters, by _ARROWS",
    ("dialects.choice.known_slips:_UNOPENED", "9631b866"): "400 characters",
    (
        "dialects.lexing.masking:_CODE_BLOCK",
        "332ebb62",
    ): "what begins a block ends the one before; the last alone lacks its end",
    ("dialects.lexing.masking:<module>", "05a9cbaa"): "400 characters",
    ("dialects.lexing.masking:<module>", "54f3bd7f"): "the tag that begins an example ends the one before",
    ("dialects.lexing.masking:<module>", "66d6db7f"): "a match takes all rows of a table, and two rows are lines",
    ("dialects.lexing.masking:<module>", "68ca6630"): "a blank line begins a listing, and none is in it",
    ("dialects.lexing.masking:<module>", "ba749234"): "the tag that begins a block ends the one before",
    ("dialects.lexing.masking:_STRING", "b7590140"): "the quote that begins a string ends the one before",
    (
        "dialects.lexing.masking:_BETWEEN_RULES",
        "69646dc3",
    ): "what begins a block ends the one before; 82 ways to begin one",
    ("dialects.lexing.sentences:_ASCII_END", "bef2f684"): "a name, which has 128 characters",
    ("dialects.lexing.surroundings:_LEAD", "47e21964"): "words hold no character that they may follow",
    ("lint.values.altered:_CHUNK", "db68c9d7"): "a run is read once; fullmatch reads one value",
    ("lint.values.described_forms:<module>", "146eaaa2"): "matched as a whole, around one sign",
    ("lint.values.described_forms:<module>", "940b17ca"): "matched as a whole, from its first character",
    ("dialects.lexing.mentions:_NESTING", "c21ea43c"): "the quote that begins a string ends the one before",
    ("dialects.lexing.strings:MAY_HOLD_MARKUP", "0506225d"): "the quote that begins a string ends the one before",
    ("dialects.lexing.strings:_IN_PYTHON", "75eb0311"): "the quote that begins a string ends the one before",
    ("dialects.choice.known_slips:<module>", "4b341fd7"): "the tag before an object ends the one before",
    ("lint.rules.tc1_origins:_NOISE", "62954027"): "a number as Python writes it",
    (
        "dialects.declarations.functionary_tools:_COMMENT",
        "3decc5f2",
    ): "one line of a declared parameter, which no template writes long",
    (
        "dialects.declarations.functionary_tools:_LIST",
        "ee623bdd",
    ): "a run of [] is entered at its beginning alone; measured as linear",
    ("dialects.formats.chatglm3:HEADER", "f8598ae7"): "300 characters",
    ("dialects.formats.react:FINAL", "99f0c93a"): "begins once a line, and stays in it",
    ("dialects.formats.react:OBSERVATION", "dd6c8315"): "the last 200 characters",
    ("dialects.grammars.json_blocks:_LEAD", "6b37fe54"): "40 characters",
    ("dialects.live.turn:ESCAPED_BLANKS", "399c41d1"): "the last 48 characters",
    ("dialects.prompts.words:_BETWEEN", "91a3cc9e"): "begins once in a run of blanks, after a full stop",
    ("dialects.choice.best_reading:_TAG", "0fb2826a"): "the markers of dialects",
    ("dialects.lexing.mentions:INLINE", "84d79080"): "what begins again within 2,000 characters is what ends it",
    ("dialects.choice.detected:_is_plausible", ANY): "begins once a line or bracket, and reads neither",
    ("lint.schema.metaschema:_is_pattern", ANY): "compiled, never run",
    ("lint.schema.patterns:search", ANY): "run only if it takes bounded time",
    ("io.tables:QUOTED", "077220d6"): "fails at the last quotation mark alone",
    ("export.response_template:_elements", "3be60e81"): "a dialect's own call template, which is short",
    ("layouts.formats.toucan:DECLARED", "7c80e154"): "searched up to the last end, so the first beginning matches",
    ("layouts.turn_list:THOUGHT", "5133e13b"): "searched up to the last end, so the first beginning matches",
    ("core.key_words:_WORD", "a4a55f81"): "a run of capitals matches without its last",
    ("lint.schema.formats:_HOST", "70487749"): "253 characters, by its lookahead",
    (
        "lint.values.grounding:_NUMBER",
        "ec2aa208",
    ): "begins once in a run of digits, and a list of them matches without its last",
    ("lint.model.markup:_BLOCK", "93c97e20"): "what begins a block ends the one before; the last alone lacks its end",
    ("lint.texts.placeholders:_PLACEHOLDER", "7453cb2b"): "300 characters",
    ("lint.texts.tool_words:_PARTS", "a4a55f81"): "a run of capitals matches without its last",
    ("manual.library:_ENTRY", "df9bbfd2"): "the package's own docstrings",
    ("manual.reference:_rule", "3f95605d"): "the package's own docstrings",
    ("manual.roff:_blocks", "074f867d"): "the package's own pages",
    ("manual.roff:_MARKUP", "242c5361"): "the package's own pages",
    ("trainers.llamafactory:_IN_WORDS", "a2a48686"): "searched up to the last end, so the first beginning matches",
}
"""Patterns with a fault that costs nothing, by place and hash: why. Another pattern at the place is not meant, but for
:data:`ANY`, where a text of the row is part of the pattern."""

BAD = [
    r"(a+)+b", r"(a?b?)*c", r"(?:\s*\n)*x", r"a*a*b", r"\s*\s*x", r"\s*\s*+x", r".*x.*y", r"a+b", r"a+\Z", r"\s+$",
    r"(?:\\[nrt]\s*)+\Z", r"</?[a-zA-Z!][^>]*>", r"(?=[\w-]*\d)\w", r'"(?:[^"\\]|\\.)*"', r"(?m)^\s*x",
]  # fmt: skip
GOOD = [
    r"\w+", r"(?<![\s`])[\s`]+\Z", r"<[^<>]*>", r"(?<!\w)\w++x", r"\ba+b", r"[>\]]\s+\Z", r"(?:<[^<>\s]*|>)\s*\Z",
    r"[a-z]{1,64}@", r"(?m)^[ \t]*x", r"(?:[^'\\]++|\\.)*+",
]  # fmt: skip


@pytest.mark.parametrize("pattern", BAD)
def test_faults_are_found(pattern: str) -> None:
    assert fault(pattern) is not None


@pytest.mark.parametrize("pattern", GOOD)
def test_good_patterns_have_no_fault(pattern: str) -> None:
    assert fault(pattern) is None


def test_how_a_pattern_is_used_matters() -> None:
    assert fault(r"\s*x", search=False) is None
    assert fault(r"a*a*", search=False) is None
    assert fault(r"a*a*", search=False, whole=True) is not None


ELSEWHERE = {
    "core.one_slip:_usual": "a sign, an escaped separator and a sign",
    "derive.calls:_spelled": "a call template",
    "derive.candidates:_keys": "a call template",
    "derive.chat:_role": "what a template writes between two texts",
    "dialects.declarations.headed_tools:_head_after_blanks": "matched: blanks, possessive, before a header",
    "dialects.grammars.python_run:_declared": "matched: names, escaped, and possessive blanks",
    "dialects.grammars.response_content:_tags": "the pattern of a user's response template",
    "dialects.grammars.response_content:between_tags": "the pattern of a user's response template",
    "dialects.grammars.response_content:check_content": "the pattern of a user's response template",
    "dialects.grammars.response_content:with_quotes": "the pattern of a user's response template",
    "dialects.grammars.response_schema:_check": "the pattern of a user's response schema",
    "dialects.grammars.response_schema:_cut": "the pattern of a user's response schema",
    "export.structural_tag:_trigger": "words without repetition",
    "lint.rules.tc1_mixups:_twice": "a name",
    "lint.rules.tc1_origins:_goes_on": "a value, and a letter",
    "lint.rules.tc1_origins:_is_several": "a number, and a word and four letters",
    "lint.rules.tc1_origins:_misshapen": "a word",
    "lint.rules.tc1_origins:_too_much": "two names, and a word between them",
    "lint.rules.tc7_answers:_is_part_of_number": "digits",
    "lint.values.counted:_after": "a word",
    "lint.values.described_forms:_composed": "words with at most one sign between them",
    "lint.values.near_misses:_other_sign": "a sign, and a number",
    "templates.jinja.pieces:_split": "ids and names, escaped",
    "topics.names:reason": "the package's own table, searched for in what a user types",
}
"""Places where functions put together patterns that :data:`COLLECT` does not come to: what they match, or why they are
not slow."""


@pytest.mark.exhaustive
def test_no_pattern_has_a_fault() -> None:
    patterns = collected()
    made = {pattern.place for pattern in patterns}
    _, places = written()
    assert sorted(places - made) == sorted(ELSEWHERE)
    faulty = set()
    for pattern in patterns:
        search = not pattern.methods <= {"match", "fullmatch"} and pattern.place not in MATCHED
        if fault(pattern.text, pattern.flags, search=search, whole="fullmatch" in pattern.methods) is not None:
            is_any = (pattern.place, ANY) in HARMLESS
            faulty.add((pattern.place, ANY if is_any else pattern.hash))
    assert sorted(faulty - HARMLESS.keys()) == []
    assert sorted(HARMLESS.keys() - faulty) == []  # what was mended is listed no longer
    assert sorted(MATCHED.keys() - made) == []


def _is_safe(part: Any) -> bool:
    """Whether a repeated part, or each alternative of it, is characters and at most one repetition of a character, which
    can't fail: then it fails at its beginning, or before the engine notes how far it came."""
    for alternative in part[0][1][1] if len(part) == 1 and part[0][0] is BRANCH else [part]:
        *characters, (last, arguments) = alternative
        if last in (MAX_REPEAT, POSSESSIVE_REPEAT) and (arguments[0] == 0 or not characters):
            characters += arguments[2]
        else:
            characters.append((last, arguments))
        if any(kind not in CHARACTERS for kind, _ in characters):
            return False
    return True


def misread(pattern: Any) -> bool:
    """Whether Python 3.11.0 to 3.11.4 may match more than the pattern says: a possessive repetition takes there what
    its last turn took before it failed (https://github.com/python/cpython/issues/106052)."""
    nodes = pattern.data if isinstance(pattern, SubPattern) else pattern
    if isinstance(nodes, tuple) and nodes[:1] == (POSSESSIVE_REPEAT,) and not _is_safe(nodes[1][2]):
        return True
    return isinstance(nodes, list | tuple) and any(map(misread, nodes))


def test_patterns_that_early_versions_misread_are_found() -> None:
    for pattern in (r"(?:\.\w++)*+", r"(?:(?!ab)\w)++", r"(?:ab?c){2}+", r"(?:y|x(?:ab|c)d)*+"):
        assert misread(parse(pattern)), pattern
    for pattern in (r"\w++", r"(?:[^'\\]++|\\.)*+", r"(?:\n> [^\n]*)*+", r"(?>(?:\.\w++)*)"):
        assert not misread(parse(pattern)), pattern


@pytest.mark.exhaustive
def test_every_python_reads_each_pattern_alike() -> None:
    assert [each.place for each in collected() if misread(parse(each.text, each.flags))] == []


SLOW = {
    "blank lines in a header": (qwen_agent.HEADER.fullmatch, "a", "\n", ""),
    "blanks in a header": (dialects.get("llama3_custom")._headers[0].fullmatch, "a", " ", "x"),
    "blank lines in an input": (react.LABEL.search, "", "\n", "x"),
    "parameters without an end": (python_stubs._STUB.match, 'f(x):\n    """\n    ', "\n\n    Args:", ""),
    "parameters of a stub": (
        cohere_stubs._STUB.match, '```python\ndef f(x) -> List[Dict]:\n    """', "\n\n    Args:", ""
    ),
    "members without an end": (functionary_tools._TOOL.match, "// ", "\ntype f = (_: {\n", ""),
    "lists of lists": (functionary_tools._LIST.fullmatch, "", "[]", "x"),
    "underlines": (partial(tools._VERSION.sub, ""), "", "_", "x"),
    "blanks in a list": (tc3_text._LINE_OF_LIST.findall, "", " ", "x"),
    "tags without an end": (tc3_text._is_tagged, "", "<a", ""),
    "blanks in a type": (partial(type_names._OPTIONAL.sub, ""), "a", " ", "b"),
    "code": (mentions.INLINE.findall, "", "`", "x"),
    "numbers": (grounding._NUMBER.findall, "", "111,", "x"),
    "code names": (grounding._CODE.findall, "", "a-", "1"),
    "capitals": (tool_words._PARTS.findall, "", "A", "a"),
    "quotation marks": (partial(tables.QUOTED.sub, ""), "", '"', "a"),
}  # fmt: skip
"""What is matched against a text that took, or might take, quadratic time: its beginning, what it repeats, its end."""


@pytest.mark.parametrize("name", SLOW)
def test_patterns_take_linear_time(name: str) -> None:
    match, head, piece, tail = SLOW[name]

    def seconds(size: int) -> float:
        text = head + piece * (size // len(piece)) + tail
        began = time.process_time()
        match(text)
        return time.process_time() - began

    assert any(seconds(20_000) < 8 * seconds(5_000) + 0.002 for _ in range(5))  # quadratic time: 16 times
