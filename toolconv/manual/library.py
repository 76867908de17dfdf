"""The page of the library, toolconv-library(3): the docstrings of the package and of its public names."""

from __future__ import annotations

import inspect
import re
import textwrap
from typing import Any, Final

import toolconv
from toolconv.core.lazy_re import lazy_re
from toolconv.manual.roff import ManPage, bold

SUMMARY: Final = "the Python library of toolconv"

FUNCTIONS: Final = (
    "read",
    "convert_rows",
    "render",
    "lint_rows",
    "score_rows",
    "detect",
    "parse",
    "parse_tool_calls",
    "render_tool_calls",
)
CLASSES: Final = (
    "StreamReader",
    "StreamEvent",
    "Parsed",
    "Conversation",
    "ToolCall",
    "Options",
    "TextOptions",
    "Receipt",
    "RenderedText",
    "InputFormat",
    "Finding",
    "RowError",
    "FileError",
    "UnknownName",
    "UsageError",
    "ToolconvError",
)

_SECTION = lazy_re(r"^(Args|Attributes|Returns|Raises):\n((?:(?: .*)?\n)*)", re.MULTILINE)
_ENTRY = lazy_re(r"^([\w, .]+): (.*(?:\n +.*)*)", re.MULTILINE)


def write(page: ManPage) -> None:
    """Write everything between NAME and SEE ALSO."""
    page.heading("Description")
    page.prose((inspect.getdoc(toolconv) or "").partition("\n\n")[2])
    page.heading("Functions")
    for name in FUNCTIONS:
        function = getattr(toolconv, name)
        page.subheading(name)
        page.example(_signature(name, function))
        _docstring(page, function)
    page.heading("Classes")
    for name in CLASSES:
        page.subheading(name)
        _docstring(page, getattr(toolconv, name))


def _signature(name: str, function: Any) -> str:
    """How to call a function."""
    signature = str(inspect.signature(function)).replace("'", "").replace('"', "")
    return "\n".join(textwrap.wrap(f"{name}{signature}", 76, subsequent_indent="    "))


def _docstring(page: ManPage, described: Any) -> None:
    """The docstring of a function or class."""
    text = (inspect.getdoc(described) or "") + "\n"
    start = _SECTION.search(text)
    page.prose(text[: start.start()] if start else text)
    for title, body in _SECTION.findall(text):
        body = textwrap.dedent(body).strip("\n")
        page.raw(f"\\fI{title}:\\fR")
        entries = _ENTRY.findall(body)
        for name, meaning in entries:
            page.item(bold(name), meaning)
        if not entries:
            page.prose(body)
