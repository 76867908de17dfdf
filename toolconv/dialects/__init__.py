"""The wire formats of tool calls. See :mod:`toolconv.dialects.registry` for how they are found by name.

The files, from the ground up; none imports what comes later:

- ``values``: how values are written. ``call_template``, ``chat``: the facts of a dialect. ``registry``.
- ``lexing``: what a text shows before it is read. ``call_readers``, ``reading``: what all grammars use.
- ``base``: the class of dialects. ``grammars``: the tolerant readers. ``declarations``: how tools are declared.
- ``formats``: the dialects. ``dialect_file``, ``detection``.
- ``choice``: which dialect wrote a turn. ``live``: turns that are still being written.
- ``turn_reader``, ``stream_reader``: reading a turn, whole or in chunks.
- ``prompts``: what prompts say about tools. ``read_back``, ``turns``: whole conversations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolconv.dialects.registry import UnknownDialect as UnknownDialect
from toolconv.dialects.registry import all_dialects as all_dialects
from toolconv.dialects.registry import get as get
from toolconv.dialects.registry import is_response_role as is_response_role
from toolconv.dialects.registry import names as names
from toolconv.dialects.registry import register as register
from toolconv.dialects.registry import registered as registered

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect
    from toolconv.dialects.detection import Detection


def register_file(path: str) -> Dialect:
    """Add the dialect that a file describes: TOML or a response template; see :mod:`toolconv.dialects.dialect_file`.

    Raises:
        DialectFileError: the file does not describe one.
    """
    from toolconv.dialects.dialect_file import load

    dialect = load(path)
    register(dialect)
    return dialect


def detect(text: str) -> Detection:
    """Which dialect a text is in, with what certainty, and which dialects are next."""
    from toolconv.dialects import detection

    return detection.detect(text)


def for_model(model: str) -> Dialect:
    """The dialect that a model writes, by its name (``Qwen/Qwen3-Coder-30B-A3B-Instruct``)."""
    from toolconv.dialects.models import dialect_name

    return get(dialect_name(model))
