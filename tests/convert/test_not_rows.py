"""Files that hold neither rows nor the output of a model, by their endings and their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import each
from toolconv.convert.detect import Detector
from toolconv.convert.line_reader import describe_json_error
from toolconv.convert.not_rows import NotRows, check_output
from toolconv.core import jsontext
from toolconv.io.inputs import Input

CALL = b'<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>\n'
ENDINGS = {
    ".log": "a log",
    ".md .markdown .mdx": "a Markdown document",
    ".rst": "a reStructuredText document",
    ".html .htm": "an HTML document",
    ".xml": "an XML document",
    ".yaml .yml": "a YAML document",
    ".toml .ini .cfg": "a configuration file",
    ".py .js .ts .sh .jinja": "source code",
    ".pdf .docx .xlsx .zip .tar .bz2 .xz .7z": "a file of another kind",
}


def reason(path: Path, text: bytes) -> str | None:
    """Why a file is no output; ``None`` if it may be one."""
    path.write_bytes(text)
    source = Input(str(path))
    try:
        check_output(source, text, Detector())
    except NotRows as error:
        return str(error).removeprefix(f"{path}: ")
    finally:
        source.close()
    return None


@each("ending, what", [(ending, what) for endings, what in ENDINGS.items() for ending in endings.split()])
def test_a_document_is_known_by_its_ending(ending: str, what: str, tmp_path: Path) -> None:
    for name in (f"a{ending}", f"A{ending.upper()}"):
        assert (reason(tmp_path / name, CALL) or "").startswith(f"{what}, not rows; --lines reads")
    assert reason(tmp_path / f"a{ending}.txt", CALL) is None


ROW = b'[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]'
SHAREGPT = b'[{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello."}]'


@each("row, layout", [(b'{"messages": %b}' % ROW, "chat"), (b'{"conversations": %b}' % SHAREGPT, "sharegpt")])
def test_a_row_below_other_text_is_named_with_its_line(row: bytes, layout: str, tmp_path: Path) -> None:
    found = reason(tmp_path / "a.txt", b"Loading\n\n" + row + b"\n")
    assert (found or "").startswith(f"line 3 is a row (layout {layout}), but the text before it is not JSON")


@each("count, layout", [(99, "chat"), (100, None)])
def test_a_hundred_lines_are_looked_at_for_a_row(count: int, layout: str | None, tmp_path: Path) -> None:
    found = reason(tmp_path / "a.txt", b"Loading\n" + b"{\n" * count + b'{"messages": %b}\n' % ROW)
    assert (f"is a row (layout {layout})" in (found or "")) == (layout is not None)


LOG_LINES = [
    "2026-01-01 10:00:00 up", "[2026-01-01T10:00 up", "10:00:00 up", "[10:00:00] up", "DEBUG up", "[INFO] up", "WARN up",
    "WARNING up", "ERROR up", "CRITICAL: up", "Jan  1 10:00:00 host up",
]  # fmt: skip


@each("line", LOG_LINES)
def test_more_than_three_fifths_of_a_log_are_its_lines(line: str, tmp_path: Path) -> None:
    def is_log(logged: int, others: int) -> bool:
        text = "\n".join([line] * logged + ["It is up."] * others)
        return (reason(tmp_path / "a", text.encode()) or "").startswith("a log, not rows; --lines")

    assert is_log(3, 0) and not is_log(2, 0)
    assert is_log(7, 4) and not is_log(6, 4)


@each("text", ["One line.", "Hm.\nHm.\n</think>\nHi.", "<seed:think>\nHm.", "[THINK]Hm.\n[/THINK]\nHi.", CALL.decode()])
def test_an_output_is_one_line_or_holds_reasoning_or_calls(text: str, tmp_path: Path) -> None:
    assert reason(tmp_path / "a", text.encode()) is None


@pytest.mark.parametrize("text", ["Two\nlines.", "I think\nso."])
def test_other_lines_are_no_output(text: str, tmp_path: Path) -> None:
    assert reason(tmp_path / "a", text.encode()) == (
        "2 lines of text without a call, not rows; --lines reads each line as one output, "
        "--from-layout raw the whole text as one"
    )


@each("text, place, byte", [('{"a" 1}', 5, 5), ('{"é" 1}', 5, 6), ('"\ud800" x', 4, 6), ("", 0, 0)])
def test_a_place_in_a_line_is_counted_in_bytes(text: str, place: int, byte: int) -> None:
    for message in ("Expecting value", "Expecting value starting at"):
        error = jsontext.JSONError(message, text, place)
        assert describe_json_error(error) == f"not JSON (expecting value at byte {byte})"
