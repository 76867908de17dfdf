"""The file of a vLLM plugin that reads the calls of a dialect."""

from __future__ import annotations

import ast
from typing import Final

from toolconv.core.version import __version__
from toolconv.dialects.base import Dialect

PLUGIN: Final = '''\
"""A tool parser for vLLM, written by toolconv {version}: the dialect {name!r}.

Install toolconv in vLLM's environment, then serve the model with

    vllm serve MODEL --enable-auto-tool-choice --tool-parser-plugin FILE --tool-call-parser {name}
"""

from toolconv.vllm import register

register("{name}"{dialect})
'''


def vllm_plugin(dialect: Dialect, dialect_file: str) -> str:
    """The text of a plugin file for a dialect.

    Args:
        dialect: the dialect.
        dialect_file: the text of its file; empty for a dialect that toolconv has.
    """
    quoted = f'r"""{dialect_file}"""'
    try:
        is_same = ast.literal_eval(quoted) == dialect_file
    except SyntaxError:
        is_same = False
    text = f", dialect_file={quoted if is_same else repr(dialect_file)}" if dialect_file else ""
    return PLUGIN.format(version=__version__, name=dialect.name, dialect=text)
