"""toolconv: tool-call dialect converter and function-calling dataset linter.

Read the calls in a text that a model wrote, and write them as another model would:

>>> from toolconv import parse, render_tool_calls
>>> parsed = parse("Looking.\\n<tool_call>{'name': 'search', 'arguments': {'query': 'x'}}</tool_call>", "hermes")
>>> parsed.content, parsed.calls[0].name, parsed.calls[0].arguments, parsed.repairs
('Looking.', 'search', {'query': 'x'}, ['single_quotes'])
>>> render_tool_calls(parsed.calls, "mistral")
'[TOOL_CALLS]search[ARGS]{"query": "x"}'

Read a dataset: a file, a folder, or rows in memory such as a Hugging Face ``Dataset``. Rows may have any layout; each
becomes a conversation, whose ``messages``, ``tools`` and ``row`` are plain JSON data in OpenAI's form:

>>> from toolconv import read
>>> for conversation in read("fixtures/conversations.jsonl"):
...     print(conversation.row["id"], [message["role"] for message in conversation.messages])
hello ['system', 'user', 'assistant']
tokyo ['user', 'assistant', 'tool', 'assistant']
two ['system', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user', 'assistant']

Convert rows, with an account of what was repaired, dropped and lost:

>>> from toolconv import Options, Receipt, convert_rows
>>> receipt = Receipt()
>>> rows = list(convert_rows("fixtures/teacher.jsonl", Options(target="qwen3_xml"), receipt=receipt))
>>> len(rows), receipt.rows_in, receipt.rejects, dict(receipt.repairs)
(4, 4, 0, {'single_quotes': 1, 'trailing_comma': 1, 'missing_close_tag': 1})

Write training text with its loss mask:

>>> from toolconv import render
>>> rendered = render(conversation, "qwen3")
>>> [rendered.text[span["start"]:span["end"]] for span in rendered.spans if span["kind"] == "call"][0]
'<tool_call>\\n{"name": "get_weather", "arguments": {"city": "Paris"}}\\n</tool_call>'
>>> rendered.losses
['reasoning']

Check rows, and detect their format:

>>> from toolconv import detect, lint_rows
>>> for finding in lint_rows("fixtures/glaive.jsonl", select=["TC1"]):
...     print(finding.line, finding.code, finding.message)
1 TC106 argument amount of convert_currency is the text '500', expected a number
2 TC101 'calculate_discont' is not declared; did you mean 'calculate_discount'?
4 TC102 convert_currency requires 'to'; given: 'amount'
>>> detect("fixtures/teacher.jsonl").dialect
'hermes'

Use ``parse`` with ``map`` of Hugging Face ``datasets`` on a column of texts. Give whole rows to ``convert_rows``, which
drops the nulls with which Arrow pads structs; rows that ``map`` hands over have them::

    counted = dataset.map(lambda row: {"calls": len(parse(row["response"]).calls)})
    converted = Dataset.from_generator(convert_rows, gen_kwargs={"rows": dataset, "options": Options(to_layout="trl")})

``toolconv.ray`` does the same for Ray datasets, on a cluster::

    done = toolconv.ray.convert(ray.data.read_parquet(path), Options(to_layout="trl"))

``StreamReader`` reads a turn while a model writes it.
"""

from typing import TYPE_CHECKING, Any

from toolconv.core.version import __version__ as __version__

if TYPE_CHECKING:
    from toolconv.api import parse, parse_tool_calls, render_tool_calls
    from toolconv.convert.detect import InputFormat
    from toolconv.convert.options import Options, UsageError
    from toolconv.convert.receipt import Receipt
    from toolconv.core.conversation import Conversation
    from toolconv.core.errors import FileError, ToolconvError, UnknownName
    from toolconv.core.messages import Message
    from toolconv.core.tool_call import ToolCall
    from toolconv.dataset import RenderedText, RowError, convert_rows, detect, lint_rows, read, render, score_rows
    from toolconv.dialects.live.turn import StreamEvent
    from toolconv.dialects.reading.turn_parser import Parsed
    from toolconv.dialects.stream_reader import StreamReader
    from toolconv.lint.model.finding import Finding
    from toolconv.templates.output import TextOptions

__all__ = [
    "Conversation",
    "FileError",
    "Finding",
    "InputFormat",
    "Message",
    "Options",
    "Parsed",
    "Receipt",
    "RenderedText",
    "RowError",
    "StreamEvent",
    "StreamReader",
    "TextOptions",
    "ToolCall",
    "ToolconvError",
    "UnknownName",
    "UsageError",
    "convert_rows",
    "detect",
    "lint_rows",
    "parse",
    "parse_tool_calls",
    "read",
    "render",
    "render_tool_calls",
    "score_rows",
]

_HOMES = {
    "Conversation": "toolconv.core.conversation",
    "FileError": "toolconv.core.errors",
    "Finding": "toolconv.lint.model.finding",
    "InputFormat": "toolconv.convert.detect",
    "Message": "toolconv.core.messages",
    "Options": "toolconv.convert.options",
    "Parsed": "toolconv.dialects.reading.turn_parser",
    "Receipt": "toolconv.convert.receipt",
    "StreamEvent": "toolconv.dialects.live.turn",
    "StreamReader": "toolconv.dialects.stream_reader",
    "TextOptions": "toolconv.templates.output",
    "ToolCall": "toolconv.core.tool_call",
    "ToolconvError": "toolconv.core.errors",
    "UnknownName": "toolconv.core.errors",
    "UsageError": "toolconv.convert.options",
    "parse": "toolconv.api",
    "parse_tool_calls": "toolconv.api",
    "render_tool_calls": "toolconv.api",
}
"""The module of each name; :mod:`toolconv.dataset` has the others."""


def __getattr__(name: str) -> Any:
    """Import names lazily, so that ``toolconv --help`` imports none of them."""
    if name not in __all__:
        raise AttributeError(f"module 'toolconv' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES.get(name, "toolconv.dataset")), name)


def __dir__() -> list[str]:
    """The public names, for completion in a notebook."""
    return sorted({*globals(), *__all__})
