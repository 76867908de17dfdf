"""One pattern for many words, which looks at each character of a text a bounded number of times."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any


def pattern_of(words: Iterable[str]) -> str:
    """The pattern that matches any of some words, the longest where several begin; one that never matches for none.

    What words have in common at their beginning is written once.
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _written(tree) if tree else r"(?!)"


def _written(tree: dict[str, Any]) -> str:
    """The pattern of a tree of characters; the key ``""`` marks the end of a word."""
    ends = [re.escape(char) + _written(node) for char, node in sorted(tree.items()) if char]
    if not ends:
        return ""
    whole = ends[0] if len(ends) == 1 and "" not in tree else f"(?:{'|'.join(ends)})"
    return f"{whole}?" if "" in tree else whole
