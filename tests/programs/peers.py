"""What other engines' own tests say, and what toolconv reads: a program, to be run on next month's checkouts.

    python -m tests.programs.peers [--new] FOLDER...

A folder is a checkout of an engine, or a git directory without a work tree. Tests in Python (vLLM, SGLang, mlx-lm,
lmdeploy, litellm, Transformers, text-generation-inference) are taken apart with their syntax tree, those in Go (Ollama,
LocalAI), in Rust (vLLM) and in C++ (llama.cpp) by their cases. Of each test, or case, it takes the texts that hold markup
of calls, and the names and arguments that the test asserts; it runs nothing of theirs, and keeps nothing. A difference is
printed with the place of the test, to be judged: many engines read nothing without declared tools, or half a call at the
end of a cut text. Those that are judged are in ``fixtures/reading/peers.toml``; with ``--new``, only others are printed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.turn_reader import TurnReader

JUDGED = Path(__file__).parents[2] / "fixtures" / "reading" / "peers.toml"
TESTS = re.compile(r"(?:^|/)(?:test_[^/]*\.py|[^/]*_test\.(?:py|go)|test-chat\.cpp)$|parser/src/.*\.rs$")
ABOUT_CALLS = re.compile(r"test-chat|tool|function|pars(?:er|ing)|reason|harmony|thinking|peg", re.IGNORECASE)
ARGUMENTS = ("arguments", "parameters", "args", "input")
NAMED = re.compile(r"^(?!.*(?:arg|param|obj)).*(?:\.name|\[[\"']name[\"']\])$")
STREAMED = re.compile(r"chunk|delta|piece|part", re.IGNORECASE)
GO_STRING = re.compile(r"`([^`]*)`|\"((?:[^\"\\\n]|\\.)*)\"")
GO_STRINGS = re.compile(rf"(?:{GO_STRING.pattern})(?:\s*\+\s*(?:{GO_STRING.pattern}))*")
GO_NAME = re.compile(r"\bName:\s*\"([^\"]+)\"|\.Name\)?\.?(?:To)?\(?(?:Equal\(|\s*!=\s*)\"([^\"]+)\"")
RUST_STRING = re.compile(r"r(?P<fence>#*)\"(?P<raw>.*?)\"(?P=fence)|\"(?P<quoted>(?:[^\"\\]|\\.)*)\"", re.DOTALL)
RUST_NAME = re.compile(r"\.name(?:\.as_deref\(\))?,\s*(?:Some\()?\"([^\"]+)\"")
RUST_LINE = re.compile(r"\\\n\s*")
CPP_STRING = re.compile(r"R\"(?P<fence>\w*)\((?P<raw>.*?)\)(?P=fence)\"|\"(?P<quoted>(?:[^\"\\\n]|\\.)*)\"", re.DOTALL)
CPP_TEXT = re.compile(
    rf"\s*(?:(?:{re.sub('fence|raw|quoted', lambda word: 'x' + word[0], CPP_STRING.pattern)})\s*\+?\s*)+", re.DOTALL
)
CPP_VALUE = re.compile(r"const common_chat_msg\s+(\w+)\s*=(.*?);\n", re.DOTALL)
CPP_TOOL = re.compile(r"common_chat_tool\s+(\w+)\s*(?:=\s*)?\{(.*?)\n\};", re.DOTALL)
GO_CASE = re.compile(r"\n\t{1,4}\{\s*\n?\s*(?:name|desc|description):|\n\t+It\(\"|\nfunc Test")


class Asserted(NamedTuple):
    """A text and what its test asserts.

    Attributes:
        place: the file and the line of the test.
        text: what a model wrote.
        names: the names of the calls, in the order of the test.
        arguments: the arguments that the test shows as data.
        tools: the tools that the test declares, where they are easily read.
    """

    place: str
    text: str
    names: list[str]
    arguments: list[Any]
    tools: tuple[dict[str, Any], ...] = ()


def is_output(text: str) -> bool:
    """Whether a text of a test may be what a model wrote, with calls in it."""
    return len(text) > 12 and bool(unread_calls(text, NO_TOOLS)) and "def " not in text[:80]


# ── Python ──


def in_python(source: str, place: str) -> Iterator[Asserted]:
    """The texts and assertions of the tests in a Python file."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    shared = {
        target.id: value
        for node in tree.body
        if isinstance(node, ast.Assign) and (value := _text(node.value, {})) is not None
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith("test"):
            continue
        cases = [case for decorator in node.decorator_list for case in _cases(decorator)]
        owner = next((each for each in owners if each.lineno <= node.lineno <= (each.end_lineno or 0)), node)
        for case in cases or [node]:
            streamed = ["".join(pieces) for each in ast.walk(case) if (pieces := _pieces(each, shared))]
            texts = [text for each in ast.walk(case) if (text := _text(each, shared)) is not None and is_output(text)]
            texts = [text for text in dict.fromkeys((*streamed, *texts)) if is_output(text)]
            names, arguments = _asserted(case)
            for text in dict.fromkeys(texts):
                if not any(text != other and text in other for other in texts):
                    tools = tuple(_declared(owner))
                    yield Asserted(f"{place}:{node.lineno} {node.name}", text, names, arguments, tools)


def _pieces(node: ast.AST, known: dict[str, str]) -> list[str]:
    """The pieces of a text that a test streams: a list with a name that says so."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.List | ast.Tuple):
        return []
    if not any(isinstance(target, ast.Name) and STREAMED.search(target.id) for target in node.targets):
        return []
    pieces = [_text(each, known) for each in node.value.elts]
    return [] if None in pieces else [piece for piece in pieces if piece is not None]


def _declared(owner: ast.AST) -> Iterator[dict[str, Any]]:
    """The tools that a class of tests, or a test, declares: calls and objects with a name and the schema of arguments."""
    for node in ast.walk(owner):
        members: dict[str, ast.expr] = {}
        if isinstance(node, ast.Call):
            members = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            members = {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
        if "name" in members and "parameters" in members:
            name, schema = _value(members["name"]), _value(members["parameters"])
            if isinstance(name, str) and isinstance(schema, dict) and "properties" in schema:
                yield {"type": "function", "function": {"name": name, "parameters": schema}}


def _cases(decorator: ast.expr) -> list[ast.expr]:
    """The cases of ``pytest.mark.parametrize``."""
    if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
        return []
    values = decorator.args[1]
    return list(values.elts) if isinstance(values, ast.List | ast.Tuple) else []


def _text(node: ast.AST, known: dict[str, str]) -> str | None:
    """The text that an expression of literals and known names is."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, known), _text(node.right, known)
        return None if left is None or right is None else left + right
    if isinstance(node, ast.JoinedStr):
        parts = [_text(part.value if isinstance(part, ast.FormattedValue) else part, known) for part in node.values]
        return None if None in parts else "".join(part for part in parts if part is not None)
    return None


def _asserted(case: ast.AST) -> tuple[list[str], list[Any]]:
    """The names and the arguments of calls that a test shows as data or compares."""
    names: list[str] = []
    arguments: list[Any] = []
    for node in ast.walk(case):
        members: dict[str, ast.expr] = {}
        compared = _compared(node)
        if compared is None and isinstance(node, ast.Call):
            members = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        elif isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            members = {key.value: value for key, value in pairs if isinstance(key, ast.Constant)}
        elif compared is not None:
            shown, value = ast.unparse(compared[0]), _value(compared[1])
            if NAMED.search(shown) and isinstance(value, str) and value:
                names.append(value)
            elif "argument" in shown and isinstance(value, dict):
                arguments.append(value)
        name = _value(members["name"]) if "name" in members else None
        key = next((key for key in ARGUMENTS if key in members), None)
        if isinstance(name, str) and name and key is not None:
            value = _value(members[key])
            if not (isinstance(value, dict) and "properties" in value):
                names.append(name)
                arguments += [value] if isinstance(value, dict) else []
    return names, arguments


def _compared(node: ast.AST) -> tuple[ast.expr, ast.expr] | None:
    """The two sides of an equation that a test asserts, with ``==`` or with a method of ``unittest``."""
    if isinstance(node, ast.Compare) and len(node.comparators) == 1 and isinstance(node.ops[0], ast.Eq):
        return node.left, node.comparators[0]
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("assertEqual") and len(node.args) >= 2:
        return node.args[0], node.args[1]
    return None


def _value(node: ast.expr) -> Any:
    """The value of a literal, of ``json.dumps`` of one, or of a literal of JSON; ``None`` for anything else."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("json.dumps", "dumps") and node.args:
        return _value(node.args[0])
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return None
    if isinstance(value, str) and value[:1] == "{":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


# ── Go ──


def in_go(source: str, place: str) -> Iterator[Asserted]:
    """The texts and the asserted names of the cases in a Go file."""
    starts = [match.start() for match in GO_CASE.finditer(source)]
    for start, end in zip(starts, [*starts[1:], len(source)], strict=False):
        block = source[start:end]
        if block.count("\nfunc ") and not block.startswith("\nfunc "):
            block = block[: block.index("\nfunc ")]
        names = [first or second for first, second in GO_NAME.findall(block)]
        line = source.count("\n", 0, start) + 2
        texts = ["".join(map(_go_text, GO_STRING.findall(match[0]))) for match in GO_STRINGS.finditer(block)]
        for text in [text for text in dict.fromkeys(texts) if is_output(text)][:1]:
            yield Asserted(f"{place}:{line}", text, names, [])


def _go_text(groups: tuple[str, str]) -> str:
    raw, quoted = groups
    return raw or _unescaped(quoted)


def _unescaped(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"'))
    except ValueError:
        return text


# ── Rust ──


def in_rust(source: str, place: str) -> Iterator[Asserted]:
    """The texts and the asserted names of the tests in a Rust file."""
    start = 0
    for block in source.split("#[test]"):
        if start:
            texts = [_rust_text(match) for match in RUST_STRING.finditer(block)]
            for text in [text for text in dict.fromkeys(texts) if is_output(text)][:1]:
                yield Asserted(f"{place}:{source.count(chr(10), 0, start) + 1}", text, RUST_NAME.findall(block), [])
        start += len(block) + len("#[test]")


def _rust_text(match: re.Match[str]) -> str:
    quoted = match["quoted"]
    return match["raw"] if quoted is None else _unescaped(RUST_LINE.sub("", quoted).replace("\n", "\\n"))


# ── C++ ──


def in_cpp(source: str, place: str) -> Iterator[Asserted]:
    """The texts and the asserted calls of the cases in llama.cpp's tests of chat templates."""
    known = {name: _cpp_calls(value) for name, value in CPP_VALUE.findall(source)}
    tools = {name: tool for name, value in CPP_TOOL.findall(source) if (tool := _cpp_tool(value)) is not None}
    start = 0
    for block in re.split(r"tst\.test\(", source):
        chain = block.partition(".run()")[0]
        if start and (written := CPP_TEXT.match(chain)) is not None and "is_partial(true)" not in chain:
            text = "".join(_cpp_text(match) for match in CPP_STRING.finditer(written[0]))
            rest = chain[written.end() :]
            calls = _cpp_calls(rest.partition(".expect")[2])
            calls += [call for name in re.findall(r"\.expect\((\w+)\)", rest) for call in known.get(name, [])]
            declared = re.search(r"\.tools\(\{([^}]*)\}", rest)
            names = re.findall(r"\w+", declared[1]) if declared is not None else []
            yield Asserted(
                f"{place}:{source.count(chr(10), 0, start) + 1}",
                text,
                [name for name, _ in calls],
                [value for _, value in calls if isinstance(value, dict)],
                tuple(tools[name] for name in names if name in tools),
            )
        start += len(block) + len("tst.test(")


def _cpp_calls(expression: str) -> list[tuple[str, Any]]:
    """The names and arguments in an expression: texts in a row of which the second is JSON."""
    texts = [(*match.span(), _cpp_text(match)) for match in CPP_STRING.finditer(expression)]
    found: list[tuple[str, Any]] = []
    for (_, end, name), (start, _, value) in pairwise(texts):
        if expression[end:start].strip(" \n") == "," and value[:1] == "{" and name.isprintable() and "{" not in name:
            try:
                found.append((name, json.loads(value)))
            except ValueError:
                found.append((name, value))
    return found


def _cpp_tool(value: str) -> dict[str, Any] | None:
    """The tool that a constant declares: its name, what it does, and the schema of its arguments."""
    texts = [_cpp_text(match) for match in CPP_STRING.finditer(value)]
    try:
        schema = json.loads(texts[-1])
    except (ValueError, IndexError):
        return None
    return {"type": "function", "function": {"name": texts[0], "parameters": schema}}


def _cpp_text(match: re.Match[str]) -> str:
    return _unescaped(match["quoted"]) if match["quoted"] is not None else str(match["raw"])


# ── all ──


def files(folder: Path) -> Iterator[tuple[str, str]]:
    """The names and texts of the tests in a checkout, or in a git directory."""
    if (folder / "HEAD").exists():
        git = ["git", "-C", str(folder)]
        listed = subprocess.run(
            [*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True
        )
        for name in listed.stdout.splitlines():
            if TESTS.search(name) and ABOUT_CALLS.search(name):
                shown = subprocess.run([*git, "show", f"HEAD:{name}"], capture_output=True, check=False)
                yield name, shown.stdout.decode("utf-8", "replace")
        return
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if TESTS.search(name) and ABOUT_CALLS.search(name):
            yield name, path.read_text("utf-8", "replace")


def is_part(case: Asserted) -> bool:
    """Whether a text is what an engine's inner function gets, without the marker before the name."""
    return any(re.match(rf"\s*(?:call:|function<[^<>]*>)?{re.escape(name)}\b", case.text) for name in case.names)


def difference(case: Asserted) -> str:
    """What toolconv reads otherwise; an empty text if nothing."""
    parsed = TurnReader().read(case.text, ToolIndex(list(case.tools)))
    names = [call.name for call in parsed.calls]
    missing = Counter(name for name in dict.fromkeys(case.names) if name in case.text) - Counter(names)
    read = [call.arguments for call in parsed.calls]
    other = [each for each in case.arguments if each not in read and parsed.calls and len(read) == len(case.arguments)]
    if missing:
        counted = f"{len(parsed.dropped)} dropped" if parsed.dropped else "nothing dropped"
        return f"not read: {', '.join(missing)} (read {names}; {counted}, repairs {parsed.repairs})"
    return f"arguments asserted {other}, read {read}" if other else ""


READERS: dict[str, Callable[[str, str], Iterator[Asserted]]] = {
    "py": in_python,
    "go": in_go,
    "rs": in_rust,
    "cpp": in_cpp,
}
"""What takes the tests of a language apart, by the ending of their files."""


def key_of(text: str) -> str:
    """By what the table of judged differences knows a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def judged() -> set[str]:
    """The keys of the texts of which the differences are judged."""
    table = tomllib.loads(JUDGED.read_text("utf-8"))
    return {key for each in table["judged"] for key in each.get("texts", ())}


def main(arguments: list[str]) -> int:
    """Print the differences, and how many texts there were; the number of differences that were printed."""
    found = 0
    known = judged() if "--new" in arguments else set()
    for folder in [each for each in arguments if each != "--new"]:
        texts = parts = asserted = differ = 0
        for name, source in files(Path(folder)):
            for case in READERS[name.rpartition(".")[2]](source, name):
                texts += 1
                if is_part(case):
                    parts += 1
                    continue
                asserted += bool(case.names)
                if case.names and key_of(case.text) not in known and (said := difference(case)):
                    differ += 1
                    print(
                        f"{case.place} {key_of(case.text)}\n  {json.dumps(case.text[:400], ensure_ascii=False)}\n  {said}"
                    )
        print(
            f"{folder}: {texts} texts, {parts} of them parts of calls, {asserted} with asserted calls, {differ} differ"
        )
        found += differ
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
