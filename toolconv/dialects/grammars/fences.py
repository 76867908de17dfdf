"""Markdown fences around calls: the word after the opening one names a language, the closing one has none."""

from __future__ import annotations

import re
from typing import Final

from toolconv.core.lazy_re import lazy_re

OPENING: Final = r"```[ \t]*(?P<language>\w*)[ \t]*"
"""The pattern of a fence that opens; what may follow on its line is for the reader to say."""

JSON_BODY: Final = lazy_re(r"\s*(?:```\w*\s*)?[\[{]")
OBJECT_BODY: Final = lazy_re(r"\s*(?:```\w*\s*)?(?:\[\s*)?\{")
"""What a body in JSON begins with, in a fence or not; one that holds an object, in a list or not."""

LANGUAGES: Final = frozenset(
    {"", "javascript", "js", "json", "json5", "jsonc", "jsonl", "plaintext", "py", "python", "python3", "text", "txt"}
    | {"tool_call", "tool_calls", "tool_code", "xml"}
)
"""What models write there; any other word may be one that belongs elsewhere."""


def language_repairs(fence: re.Match[str]) -> list[str]:
    """The repair that reading past an opening fence takes: ``fence_language`` where its word is no language known."""
    return [] if fence["language"].lower() in LANGUAGES else ["fence_language"]
