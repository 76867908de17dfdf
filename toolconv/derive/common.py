"""What two texts have in common."""

from __future__ import annotations


def common_start(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def common_end(one: str, other: str) -> int:
    """How many characters two texts have in common at their ends."""
    return common_start(one[::-1], other[::-1])
