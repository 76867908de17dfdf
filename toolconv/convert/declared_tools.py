"""The tools in the file of ``--declare``: for rows whose log does not hold the tools that were declared to the model.

The file holds what any maker's API takes or any dialect writes: OpenAI's, Anthropic's, Gemini's, Bedrock's or MCP's
declarations (:mod:`toolconv.core.declarations`), as one JSON document or one a line; a row or a request that has them;
a text that declares tools to a model, such as gpt-oss's namespace; or TypeScript as people write it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from toolconv.convert.detect import BOM
from toolconv.core import jsontext
from toolconv.core.declarations import declarations
from toolconv.core.errors import FileError
from toolconv.core.messages import Tool
from toolconv.core.notes import Notes
from toolconv.core.rows import keys_of
from toolconv.core.tools import function_of
from toolconv.dialects.prompts.stated_tools import stated_tools
from toolconv.io.inputs import Input, whole
from toolconv.layouts.tool_places import tool_values
from toolconv.layouts.tool_schema import read_tools

REMEDY: Final = (
    "it must hold tools in the form of OpenAI, Anthropic, Gemini or MCP, or TypeScript functions; "
    "'toolconv schema --infer' makes such a file from the calls of a dataset"
)
_SHOWN: Final = 60
_SIGNS: Final = ('"function"', "unctionDeclarations", "unction_declarations")
"""A file of tools without any schema has one of these; other files, too, hold objects with a name."""


def read_declared(path: str) -> str:
    """The canonical tools in a file, as JSON text, which every process can have.

    Raises:
        FileError: the file can't be read, or holds no declaration of a tool, or two that differ.
    """
    source = Input(path)
    try:
        chunks = source.chunks()
        text = whole(source, b"", chunks).removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: not UTF-8 (byte {error.start}): {REMEDY}") from None
    finally:
        source.close()
    tools: list[Tool] = []
    by_name: dict[str, Tool] = {}
    for tool in _tools_in(path, text):
        function = function_of(tool)
        name = None if function is None else function["name"]
        if name is not None and by_name.setdefault(name, tool) != tool:
            raise FileError(f"{path}: two declarations of {name!r} that differ: leave one of them out")
        if tool not in tools:
            tools.append(tool)
    return jsontext.dumps(tools).decode()


@lru_cache(maxsize=4)
def tools_of(text: str) -> list[Tool]:
    """The tools that :func:`read_declared` gives as text; the same list each time, not to be changed."""
    tools: list[Tool] = jsontext.loads(text) if text else []
    return tools


def _tools_in(path: str, text: str) -> list[Tool]:
    """The canonical tools in a text.

    Raises:
        FileError: there are none.
    """
    documents = _documents(text)
    if documents is None:
        if (stated := stated_tools(text)) is not None:
            return stated.tools
        from toolconv.convert import typescript

        try:
            if written := typescript.tools_in(text):
                return written
        except typescript.NotTypeScript as error:
            raise FileError(f"{path}: TypeScript that can't be read: {error}") from None
        start = text.strip()[:_SHOWN]
        looks = f"neither JSON nor a text that declares tools; it begins {start!r}" if start else "an empty file"
        raise FileError(f"{path}: {looks}: {REMEDY}")
    found: list[Any] = []
    for document in documents:
        tools = read_tools(_holder(document), Notes())
        found += tools if isinstance(tools, list) else [tools]
    named = [function for tool in found if (function := function_of(tool)) is not None]
    if not named or not (any("parameters" in each for each in named) or any(sign in text for sign in _SIGNS)):
        whole = documents[0] if len(documents) == 1 else documents
        raise FileError(f"{path}: no tool is declared in {_described(whole)}: {REMEDY}")
    for tool in found:
        if not isinstance(tool, dict):
            raise FileError(f"{path}: {_described(tool)} among the tools: {REMEDY}")
    return found


def _documents(text: str) -> list[Any] | None:
    """The values in JSON, or in JSON lines; ``None`` for any other text."""
    try:
        return [jsontext.loads(text)]
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
    try:
        return [jsontext.loads(line) for line in lines] or None
    except ValueError:
        return None


def _holder(document: Any) -> Any:
    """What holds the tools: the document, or their place in it if it is a row or a request."""
    if not isinstance(document, dict) or any(each.named for each in declarations(document)):
        return document
    return next((found for _, found in tool_values(document)), document)


def _described(value: Any) -> str:
    """A JSON value in words."""
    if isinstance(value, dict):
        return f"an object with the keys {keys_of(value)}"
    if not isinstance(value, list):
        return f"the value {jsontext.compact(value)[:_SHOWN]}"
    return f"a list that begins with {_described(value[0])}" if value else "an empty list"
