"""What the trainers' own packages make of toolconv's rows; ``python -m tests.real_trainers`` records it.

The packages need not be complete: LLaMA-Factory's converter and formatter are loaded without the rest of it, which needs
torch. ``pip install --no-deps llamafactory`` and ``pip install datasets google-genai anthropic openai mistral-common``
are enough. ``tests/trainers.json`` holds the record, so that :mod:`tests.test_trainers` needs none of them.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import tempfile
import types
import warnings
from collections.abc import Callable
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, toolconv

ROWS = ROOT / "fixtures" / "trainers.jsonl"
RECORD = Path(__file__).parent / "trainers.json"
OPTIONS = {"llamafactory": ("--template", "qwen3")}


def written(trainer: str) -> list[dict[str, Any]]:
    """The rows of the cases, as toolconv writes them for a trainer."""
    given = "".join(f"{json.dumps({key: row[key] for key in ('messages', 'tools')})}\n" for row in conversations())
    return toolconv("convert", "-q", "--trainer", trainer, *OPTIONS.get(trainer, ()), stdin=given).rows


def conversations() -> list[dict[str, Any]]:
    """The cases: canonical rows, each with its name under ``case``."""
    return [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]


def in_llamafactory(rows: list[dict[str, Any]]) -> list[Any]:
    """The contents of the turns in Qwen's wording; ``None`` for a row that is skipped, or can't be read."""
    convert, formatter = _llamafactory()
    texts: list[Any] = []
    for row in rows:
        found = convert({"tools": "", **row})
        turns = [*found["_prompt"], *found["_response"]] if found["_response"] else None
        try:
            texts.append(turns and [_turn(formatter, turn["role"], turn["content"]) for turn in turns])
        except RuntimeError:
            texts.append(None)
    return texts


def _turn(formatter: Any, role: str, content: str) -> str:
    if role == "function":
        words = {"thought_words": ("<think>", "</think>"), "tool_call_words": ("<tool_call>", "</tool_call>")}
        return "".join(formatter.apply(content=content, **words))
    return f"<tool_response>\n{content}\n</tool_response>" if role == "observation" else content


def _llamafactory() -> tuple[Callable[[dict[str, Any]], dict[str, Any]], Any]:
    """LLaMA-Factory's converter of ShareGPT rows, and its formatter of calls, without what needs torch."""
    spec = importlib.util.find_spec("llamafactory")
    assert spec is not None and spec.submodule_search_locations
    home = Path(spec.submodule_search_locations[0])
    roles = Enum("Role", {name.upper(): name for name in ("user", "assistant", "system", "function", "observation")})
    silent = types.SimpleNamespace(warning_rank0=lambda *_: None)
    logging = types.SimpleNamespace(get_logger=lambda *_: silent)
    made = {
        "llamafactory": {}, "llamafactory.extras": {"logging": logging}, "llamafactory.data": {},
        "llamafactory.data.data_utils": {"Role": roles, "SLOTS": list},
    }  # fmt: skip
    before = {name: sys.modules.get(name) for name in made}
    for name, members in made.items():
        module = types.ModuleType(name)
        module.__dict__.update(members, __path__=[])
        sys.modules[name] = module
    try:
        loaded = {}
        for name in ("tool_utils", "formatter", "converter"):
            spec = importlib.util.spec_from_file_location(f"llamafactory.data.{name}", home / "data" / f"{name}.py")
            assert spec is not None and spec.loader is not None
            loaded[name] = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded[name])
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    info = json.loads(toolconv("layouts", "llamafactory", "--dataset-info", "train.jsonl").out)["train"]
    none = dict.fromkeys(("kto_tag", "chosen", "rejected", "images", "videos", "audios", "ranking"))
    known = {**none, **info["tags"], **info["columns"], "system": None, "load_from": "file"}
    attributes = types.SimpleNamespace(**known)
    converter = loaded["converter"].SharegptDatasetConverter(attributes, None)
    return converter, loaded["formatter"].FunctionFormatter(slots=["{{content}}"], tool_format="qwen")


def in_datasets(rows: list[dict[str, Any]]) -> list[Any]:
    """The arguments of each row after ``load_dataset``."""
    from datasets import load_dataset

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "train.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        loaded = load_dataset("json", data_files=str(file), split="train", cache_dir=folder)
        return [arguments_of(row) for row in loaded]


def arguments_of(row: dict[str, Any]) -> list[Any]:
    """The arguments of all calls of a row of OpenAI's messages."""
    return [call["function"]["arguments"] for message in row["messages"] for call in message.get("tool_calls") or []]


def in_gemini(row: dict[str, Any]) -> None:
    """Validate a row with the types of google-genai."""
    from google.genai import types as gemini

    for content in row["contents"]:
        gemini.Content.model_validate(content)
    for tool in row["tools"]:
        gemini.Tool.model_validate(tool)


def in_anthropic(row: dict[str, Any]) -> None:
    """Validate a row with the types of anthropic."""
    _validate("anthropic.types", "MessageParam", row["messages"])
    _validate("anthropic.types", "ToolParam", row["tools"])


def in_openai(row: dict[str, Any]) -> None:
    """Validate a row with the types of openai."""
    _validate("openai.types.chat", "ChatCompletionMessageParam", row["messages"])
    _validate("openai.types.chat", "ChatCompletionToolParam", row["tools"])


def _validate(module: str, name: str, values: list[Any]) -> None:
    from pydantic import TypeAdapter

    TypeAdapter(list[getattr(importlib.import_module(module), name)]).validate_python(values)


def in_mistral(row: dict[str, Any]) -> None:
    """Validate a row with mistral-common, as for fine-tuning."""
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.validator import MistralRequestValidator, ValidationMode

    request = ChatCompletionRequest.model_validate({"messages": row["messages"], "tools": row["tools"], "model": "any"})
    MistralRequestValidator(ValidationMode.finetuning).validate_request(request)


def accepted(check: Callable[[dict[str, Any]], None]) -> Callable[[list[dict[str, Any]]], list[Any]]:
    """Whether a check accepts each row."""

    def results(rows: list[dict[str, Any]]) -> list[Any]:
        found: list[Any] = []
        for row in rows:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(row)
                found.append(True)
            except Exception:  # each package has exceptions of its own
                found.append(False)
        return found

    return results


REAL: dict[str, tuple[str, Callable[[list[dict[str, Any]]], list[Any]]]] = {
    "llamafactory": ("llamafactory", in_llamafactory),
    "trl": ("datasets", in_datasets),
    "axolotl": ("datasets", in_datasets),
    "gemini": ("google-genai", accepted(in_gemini)),
    "anthropic": ("anthropic", accepted(in_anthropic)),
    "openai": ("openai", accepted(in_openai)),
    "mistral": ("mistral-common", accepted(in_mistral)),
}
"""For each trainer the package that reads its rows, and what it makes of them."""


if __name__ == "__main__":
    cases = [row["case"] for row in conversations()]
    record = {
        trainer: {
            "package": f"{package} {version(package)}",
            "gives": dict(zip(cases, read(written(trainer)), strict=True)),
        }
        for trainer, (package, read) in REAL.items()
    }
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
