"""What ``toolconv help TOPIC`` prints: one Markdown file of this folder per topic. Its first line is the title."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from toolconv.core.errors import UnknownName

NAMES: Final = (
    "words", "inputs", "viewing", "traces", "tools", "training", "losses", "rejects", "cleaning", "selecting",
    "augmenting", "counting", "score", "loop", "scale", "serving", "formats", "python",
)  # fmt: skip
"""The names of all topics, in the order in which a reader needs them."""


class UnknownTopic(UnknownName):
    """No topic has the given name."""

    kind = "topic"


def text(name: str) -> str:
    """The text of a topic, as Markdown.

    Raises:
        UnknownTopic: there is none of this name.
    """
    if name not in NAMES:
        import difflib

        raise UnknownTopic(name, next(iter(difflib.get_close_matches(name, NAMES, n=1)), None), NAMES)
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


def title(name: str) -> str:
    """The title of a topic."""
    return text(name).partition("\n")[0].removeprefix("# ")


def plain(name: str) -> str:
    """The text of a topic for a terminal: blocks of code are indented, without their fences."""
    lines, in_code = [], False
    for line in text(name).splitlines():
        if line.startswith("```"):
            in_code = not in_code
        elif in_code:
            lines.append(f"    {line}".rstrip())
        else:
            lines.append(line.removeprefix("# ").removeprefix("## "))
    return "\n".join(lines) + "\n"
