"""``lint --target``, ``--max-tokens``: through the real command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive, toolconv
from tests.helpers.lint_rows import row


def found(*arguments: Any, stdin: str) -> list[dict[str, Any]]:
    run = toolconv("lint", "--isolated", "--output-format", "jsonl", *arguments, stdin=stdin)
    assert run.status in (0, 1), run.err
    return run.rows


def codes(*arguments: Any, stdin: str) -> set[str]:
    return {finding["code"] for finding in found(*arguments, stdin=stdin)}


def thinking() -> str:
    """A row whose model thinks before it calls."""
    given = row()
    given["messages"][1]["reasoning_content"] = "Rome it is."
    return json.dumps(given) + "\n"


def test_a_target_turns_its_rules_on() -> None:
    assert "TC311" not in codes(stdin=thinking())
    assert "TC311" in codes("--target", "qwen2.5", stdin=thinking())
    assert "TC207" in codes("--target", "kimi-k2", stdin=thinking())
    assert codes("--target", "qwen2.5", "--ignore", "TC311", stdin=thinking()) == codes(stdin=thinking())


@exhaustive
def test_a_target_may_be_a_file(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    template = tmp_path / "chat_template.jinja"
    template.write_text(
        "{% for message in messages %}<{{ message.role }}>{{ message.content }}"
        "{% for call in message.tool_calls or [] %}{{ call.function | tojson }}{% endfor %}"
        "{% endfor %}"
    )
    said = [each["message"] for each in found("--target", template, stdin=thinking()) if each["code"] == "TC311"]
    assert any("reasoning" in each for each in said), said
    template.write_text("{{ raise_exception('only nine characters') }}")
    said = [each["message"] for each in found("--target", template, stdin=thinking()) if each["code"] == "TC311"]
    assert len(said) == 1
    assert said[0].startswith(f"{template} can't write the row: ")
    assert said[0].endswith("only nine characters")


def test_an_unknown_target_names_what_there_is() -> None:
    run = toolconv("lint", "--target", "qwen2,5", stdin=thinking())
    assert (run.status, run.out) == (2, "")
    assert "did you mean 'qwen2.5'?" in run.err
    assert "known targets: openai, anthropic, " in run.err
    run = toolconv("lint", "--target", "no/chat_template.jinja", stdin=thinking())
    assert (run.status, run.err) == (2, "Error: no/chat_template.jinja: No such file or directory\n")


def test_ids_are_fixed_on_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    given = row()
    given["messages"][2:] = [
        {"role": "tool", "tool_call_id": "call_0", "content": "12"},
        {"role": "assistant", "content": "It is 12 degrees."},
    ]
    path.write_text(json.dumps(given) + "\n")
    toolconv("lint", "--isolated", "--select", "TC207", "--target", "kimi-k2", "--fix", path)
    messages = json.loads(path.read_text())["messages"]
    assert messages[1]["tool_calls"][0]["id"] == messages[2]["tool_call_id"] == "functions.get_weather:0"


# ── tokens ──


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """A tokenizer of a token for each word."""
    tokenizers: Any = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return path


def test_tokens_are_counted_with_the_tokenizer(tokenizer: Path) -> None:
    line = json.dumps(row(), separators=(",", ":"))
    words = len(line.split())
    assert codes("--select", "TC514", "--max-tokens", words, "--tokenizer", tokenizer, stdin=line + "\n") == set()
    (finding,) = found("--select", "TC514", "--max-tokens", words - 1, "--tokenizer", tokenizer, stdin=line + "\n")
    assert finding["message"] == f"{words} tokens, expected {words - 1} at most"


def test_with_a_target_the_tokens_are_those_of_its_text(tokenizer: Path) -> None:
    line = json.dumps(row()) + "\n"
    text = toolconv("render", "--template", "qwen2.5", stdin=line).rows[0]["text"]
    length = ("--max-tokens", 1, "--tokenizer", tokenizer, "--target", "qwen2.5")
    said = [each["message"] for each in found("--select", "TC514", *length, stdin=line) if each["code"] == "TC514"]
    assert said == [f"{len(text.split())} tokens, expected 1 at most"]


def test_wrong_use_of_the_tokenizer(tmp_path: Path) -> None:
    broken = tmp_path / "tokenizer.json"
    broken.write_text("{}")
    for arguments, said in (
        (("--max-tokens", 8), "--max-tokens and --tokenizer must be used together"),
        (("--tokenizer", broken), "--max-tokens and --tokenizer must be used together"),
        (("--max-tokens", 8, "--tokenizer", broken), f"{broken}: "),
        (("--max-tokens", 8, "--tokenizer", tmp_path / "absent.json"), "absent.json: "),
    ):
        run = toolconv("lint", *arguments, stdin="{}\n")
        assert (run.status, run.out) == (2, "")
        assert said in run.err


def test_without_the_extra_its_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "tokenizers.py").write_text("raise ImportError")
    run = toolconv(
        "lint", "--max-tokens", 8, "--tokenizer", "tokenizer.json", stdin="{}\n",
        PYTHONPATH=f"{tmp_path}:{':'.join(sys.path)}",
    )  # fmt: skip
    assert run.status == 2
    assert "pip install 'toolconv[tokens]'" in run.err
