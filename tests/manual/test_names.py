"""Every name that the program prints or takes has a page: ``toolconv help NAME``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest

import toolconv as package
from tests.conftest import FIXTURES, ROOT, each, exhaustive, rows, toolconv
from toolconv import dialects, trainers
from toolconv.cli import lookup
from toolconv.convert.secrets import PREFIXED
from toolconv.core.notes import UnreadKind
from toolconv.score.verdicts import VERDICTS
from toolconv.select.facts import FACTS
from toolconv.topics import names

SOURCE: Final = sorted(Path(package.__file__).parent.rglob("*.py"))
NAME: Final = re.compile(r"[a-z]+(_[a-z0-9]+)+")
"""What a counted name looks like; those of one word are found by the tables below."""

ABOUT: Final = re.compile(r"repairs?\b|loss(es)?\b|\blose\(|lost|left_out", re.IGNORECASE)
DROPS: Final = re.compile(r"(Unreadable|Dropped|reject)\(")

NOT_COUNTED: Final = frozenset(
    {
        "events_data", "tool_request", "tool_arguments", "message_start", "parameter_end",  # tokens of formats
        "tool_calls", "reasoning_content", "add_eos", "response_item", "tool_call_ids", "tool_reference", "tool_list",  # keys
        "subagent_trajectories", "record_type", "lost_calls", "content_type", "tool_declare", "tool_json_schemas",
        "other_records",  # a key that a row of a trace has on its way
        "enable_thinking", "no_think", "thinking_effort",  # variables of templates
        "calls_with_content",  # counted as calls
        "python_double", "python_json_objects", "python_double_json_objects",  # spellings of values
    }
)  # fmt: skip
"""Strings that stand beside counted names in the code and are none."""


@cache
def trees() -> dict[str, ast.Module]:
    """All modules, by their text."""
    texts = [path.read_text(encoding="utf-8") for path in SOURCE]
    return {text: ast.parse(text) for text in texts if ABOUT.search(text) or DROPS.search(text) or "Final" in text}


@cache
def constants() -> dict[str, set[str]]:
    """The texts of the constants of all modules, by name."""
    found: dict[str, set[str]] = {}
    for tree in trees().values():
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            text = template(getattr(node, "value", None))
            for target in targets:
                if isinstance(target, ast.Name) and text is not None:
                    found.setdefault(target.id, set()).add(text)
    return found


def template(node: ast.AST | None) -> str | None:
    """The text of a string, with ``x`` for what is filled in; ``None`` for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values)
    return None


def texts_in(node: ast.AST, local: Mapping[str, set[str]] = MappingProxyType({})) -> Iterator[str]:
    """The strings of an expression, and of the constants and local variables that it names."""
    for part in ast.walk(node):
        if (text := template(part)) is not None:
            yield text
        elif isinstance(part, ast.Name | ast.Attribute):
            yield from (constants() if word(part).isupper() else local).get(word(part), ())


def word(node: ast.AST) -> str:
    """The last part of a dotted name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def counted_names() -> set[str]:
    """The names that the code counts as repairs or losses: what grows a list of them, or is given as one of them."""
    found: set[str] = set()
    for text, tree in trees().items():
        if not ABOUT.search(text):
            continue
        local: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                local.setdefault(node.targets[0].id, set()).update(texts_in(node.value))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                method = word(node.func)
                owner = word(node.func.value) if isinstance(node.func, ast.Attribute) else ""
                if ABOUT.search(owner if method in ("append", "extend", "add") else method):
                    found.update(text for argument in node.args for text in texts_in(argument, local))
                for keyword in node.keywords:
                    if ABOUT.search(keyword.arg or ""):
                        found.update(texts_in(keyword.value))
            elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                places = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
                if any(ABOUT.search(word(place)) for place in places):
                    found.update(texts_in(node.value))
                    found.update(text for target in targets for text in texts_in(target, local))
    return {name for name in found if NAME.fullmatch(name)} - NOT_COUNTED


def names_in_fixtures() -> set[str]:
    """The names of repairs and losses that the cases expect."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for key, member in value.items():
                if key in ("repairs", "losses") and isinstance(member, dict | list):
                    found.update(name for name in member if isinstance(name, str))
                collect(member)
        elif isinstance(value, list):
            for item in value:
                collect(item)

    for folder in ("dialects", "conformance", "layouts", "losses", "gathered", "reading"):
        for path in (FIXTURES / folder).glob("*.jsonl"):
            for row in rows(path):
                collect(row)
    return found


@exhaustive  # it parses all of the code
def test_every_name_that_the_code_counts_has_a_page() -> None:
    found = counted_names()
    assert len(found) > 100
    have_pages(found)


@exhaustive  # it parses all of the code
def test_every_name_that_the_code_counts_is_in_a_case() -> None:
    """In a row of ``fixtures``, in the example of its page, or in a test of Python."""
    examples = {meaning.name for name in names.names() for meaning in names.meanings(name) if meaning.example}
    files = (*(ROOT / "tests").rglob("*.py"), *FIXTURES.rglob("*.jsonl"))
    texts = " ".join(path.read_text(encoding="utf-8") for path in files)
    left = counted_names() - examples - names_in_fixtures() - set(re.findall(r"\w+", texts))
    assert not left, f"in no case: {', '.join(sorted(left))}"


def have_pages(found: set[str]) -> None:
    missing = sorted(found - names.names().keys())
    assert not missing, f"without a page in toolconv/topics/names.toml: {', '.join(missing)}"


def test_every_name_that_is_counted_has_a_page() -> None:
    listed: set[str] = set()
    for dialect in dialects.all_dialects():
        listed.update(dialect.losses)
    for trainer in trainers.all_trainers():
        listed.update((*trainer.repairs, *trainer.removals))
    listed.update(UnreadKind.__args__, VERDICTS, FACTS)  # type: ignore[attr-defined]
    listed.update(rule.kind for rule in PREFIXED)
    fixtures = names_in_fixtures()
    assert min(len(listed), len(fixtures)) > 60
    have_pages(listed | fixtures)


def reasons() -> set[str]:
    """The reasons for which the code drops a call."""
    found: set[str] = set()
    for text, tree in trees().items():
        for node in ast.walk(tree) if DROPS.search(text) else ():
            if isinstance(node, ast.Call) and DROPS.fullmatch(f"{word(node.func)}("):
                found.update(text for argument in node.args for text in texts_in(argument) if " " in text.strip())
    return {text for text in found if re.match(r"[a-z]", text)} - {"x (in x)"}


@exhaustive  # it parses all of the code
def test_every_reason_of_a_dropped_call_has_a_page() -> None:
    found = reasons()
    assert len(found) > 40
    assert not [reason for reason in found if names.reason(reason) is None]


def test_a_reason_is_looked_up_as_it_is_printed() -> None:
    run = toolconv("help", "unreadable call: a string that is never closed")
    assert run.status == 0 and "cut off" in run.out


EXAMPLES: Final = [meaning for name in names.names() for meaning in names.meanings(name) if meaning.example]


def test_examples_print_the_name() -> None:
    assert len(EXAMPLES) > 80
    for meaning in EXAMPLES[:: len(EXAMPLES) // 8]:
        prints_its_name(meaning)


@exhaustive
@each("meaning", EXAMPLES)
def test_each_example_prints_the_name(meaning: names.Meaning) -> None:
    prints_its_name(meaning)


def prints_its_name(meaning: names.Meaning) -> None:
    run = toolconv(*meaning.run.split(), stdin=meaning.example)
    assert re.search(rf"\b{meaning.name} \d", run.err.splitlines()[-1]), f"{meaning.name}: {run.err}"
    assert "Traceback" not in run.err


def test_each_repair_has_an_example() -> None:
    without = [name for name, kinds in names.names().items() if "repair" in kinds and not example_of(name)]
    assert without == []


def example_of(name: str) -> str:
    return next(meaning.example for meaning in names.meanings(name))


def test_every_name_has_a_page() -> None:
    known = dict.fromkeys(lookup.all_names())
    assert len(known) > 800
    assert not [name for name in list(known)[::9] if not lookup.pages(name)]


@exhaustive
def test_each_name_has_a_page() -> None:
    assert not [name for name in lookup.all_names() if not lookup.pages(name)]


@each("name, kinds", [
    ("mistral", ["dialect", "trainer"]), ("TC101", ["rule"]), ("undeclared-tool", ["rule"]), ("tc1", ["family of rules"]),
    ("--spans", ["option"]), ("spans", ["option"]), ("concise", ["value of an option"]), ("lint", ["command"]),
    ("score", ["topic", "command"]), ("template_refuses", ["loss in training"]), ("repairs", ["list"]),
    ("(trailing_comma 1)", ["repair"]), ("Trailing_Comma", ["repair"]), ("call_id 3", ["loss"]),
    ("Qwen/Qwen3-8B", ["model"]), ("email", ["kind of secret"]), ("wrong_arguments", ["verdict of score"]),
])  # fmt: skip
def test_kinds_of_names(name: str, kinds: list[str]) -> None:
    found = [page.kind for page in lookup.pages(name)]
    assert [kind for kind in found if kind in kinds] == kinds


def test_a_wrong_name_gets_near_ones() -> None:
    run = toolconv("help", "traling_comma")
    assert run.status == 2 and run.err.startswith(
        "Error: nothing is called 'traling_comma'; did you mean 'trailing_comma'"
    )
    assert "did you mean" not in toolconv("help", "qqqqqq").err


def test_several_pages_have_headings() -> None:
    out = toolconv("help", "mistral").out
    assert out.startswith("── mistral: dialect ──\n\nname        mistral\n") and "\n── mistral: trainer ──\n" in out


@pytest.mark.parametrize("command", ["dialects", "layouts", "templates", "rules", "trainers"])
def test_lists_for_scripts(command: str) -> None:
    import json

    listed = json.loads(toolconv(command, "--json").out)
    printed = toolconv(command).out.splitlines()
    key = "code" if command == "rules" else "name"
    assert [line.split()[0] for line in printed] == [each[key] for each in listed]
    assert json.loads(toolconv(command, listed[3][key], "--json").out) == listed[3]
