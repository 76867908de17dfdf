"""BFCL's own checker, and outputs to try it on: right answers, changed in a hundred ways.

``python -m tests.helpers.bfcl_checker`` records the verdicts of the installed ``bfcl-eval`` on the rows of
``fixtures/score/bfcl_rows.jsonl`` in ``fixtures/score/bfcl_verdicts.jsonl``.
"""

from __future__ import annotations

import copy
import json
import sys
import types
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from tests.helpers.command import ROOT
from toolconv.layouts.formats.bfcl import LAYOUT
from toolconv.score.expected import Call, calls_in

ROWS = ROOT / "fixtures" / "score" / "bfcl_rows.jsonl"
VERDICTS = ROOT / "fixtures" / "score" / "bfcl_verdicts.jsonl"


def checker() -> Any:
    """BFCL's module ``ast_checker``, without the parts that need the packages of models and of other languages.

    Raises:
        ImportError: ``bfcl_eval`` is not installed.
    """
    import bfcl_eval.eval_checker  # type: ignore[import-not-found]  # noqa: F401

    for name, members in {
        "bfcl_eval.constants.model_config": {"MODEL_CONFIG_MAPPING": {}},
        "bfcl_eval.eval_checker.ast_eval.type_convertor.java_type_converter": {"java_type_converter": None},
        "bfcl_eval.eval_checker.ast_eval.type_convertor.js_type_converter": {"js_type_converter": None},
    }.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
    from bfcl_eval.eval_checker.ast_eval import ast_checker  # type: ignore[import-not-found]

    ast_checker.convert_func_name = lambda name, model: name
    return ast_checker


def is_valid(module: Any, row: dict[str, Any], calls: list[Call]) -> bool | None:
    """BFCL's verdict; ``None`` if its checker raises an exception."""
    from bfcl_eval.constants.enums import Language  # type: ignore[import-not-found]

    written = [{call.name: copy.deepcopy(call.arguments)} for call in calls]
    category = row["id"].rpartition("_")[0]
    try:
        found = module.ast_checker(row["function"], written, row["ground_truth"], Language.PYTHON, category, "model")
    except Exception:
        return None
    return bool(found["valid"])


def outputs(row: dict[str, Any]) -> Iterator[list[Call]]:
    """The right answer of a row, and what changes make of it."""
    conversation = LAYOUT.decode(copy.deepcopy(row))
    right = [call for message in conversation.messages for call in calls_in(message)]
    truth = [(name, values) for item in row["ground_truth"] for name, values in item.items()]
    yield right
    for at, call in enumerate(right):

        def changed(arguments: dict[str, Any], name: str = call.name, at: int = at) -> list[Call]:
            return [*right[:at], Call(name, arguments), *right[at + 1 :]]

        given = call.arguments
        for key, value in given.items():
            yield changed({other: each for other, each in given.items() if other != key})
            for other in (*changes(value), *truth[at][1].get(key, ())):
                yield changed({**given, key: other})
        for key, schema in ((conversation.declared.parameters(call.name) or {}).get("properties") or {}).items():
            if key not in given:
                for other in (schema.get("default"), "", None, 1, "x", [], {}):
                    yield changed({**given, key: other})
        yield changed({**given, "undeclared": 1})
        yield changed(given, call.name + "x")
        yield changed(given, call.name.replace(".", "_"))
    yield right[::-1]
    yield right + right[:1]
    yield right[1:]


def changes(value: Any) -> Iterator[Any]:
    """Values that a model might write for another one."""
    if isinstance(value, str):
        yield from (value.upper(), f"{value} ", f"\t{value}", value.replace(" ", "_"), f"{value}x", f"{value}!", "")
        yield from (f"{value}'", None, [value], 5, value.replace("a", "á"))
    elif isinstance(value, bool):
        yield from (not value, str(value).lower(), int(value), None)
    elif isinstance(value, int | float):
        yield from (value + 1, float(value), str(value), int(value), -value, None, bool(value), [value])
    elif isinstance(value, list):
        yield from (value[::-1], value[:-1], value + value, [], str(value), [*value, None])
        for at, item in enumerate(value[:2]):
            yield from ([*value[:at], other, *value[at + 1 :]] for other in changes(item))
    elif isinstance(value, dict):
        yield from ({}, {**value, "more": 1}, str(value), [value])
        for key in list(value)[:3]:
            yield {other: each for other, each in value.items() if other != key}
            yield from ({**value, key: other} for other in changes(value[key]))
    else:
        yield from ("", "null")


def main() -> None:
    """Record the verdicts."""
    module = checker()
    with VERDICTS.open("w", encoding="utf-8") as file:
        for line in ROWS.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            verdicts = "".join({True: "r", False: "w", None: "-"}[is_valid(module, row, each)] for each in outputs(row))
            record = {"id": row["id"], "bfcl-eval": version("bfcl-eval"), "verdicts": verdicts}
            file.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    main()
