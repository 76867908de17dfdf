"""Plans by example: the output of a row with placeholders, cut at these, is filled with the values of rows like it.

The ordinary path writes the row with placeholders, so nothing is written twice, and neither templates nor dialects know
of plans. A row takes a plan if it is *plain*: the ordinary path has nothing to say about it, and its output depends on
its values only in that it holds them. :mod:`.plain_values` says which values are plain, :mod:`.plain_rows` and
:mod:`.marked_rows` which rows, :mod:`.plan` makes and fills a plan, :mod:`.turn_parts` puts plans of long rows
together of their turns, :mod:`.planner` keeps the plans of a conversion, and checks them against the ordinary path.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class TextLayout(NamedTuple):
    """How rows hold texts.

    Attributes:
        column: the key of the messages.
        keys: those of a message, or others: the speaker's and the text's.
        roles: what the names of speakers mean.
    """

    column: str
    keys: tuple[tuple[str, str], ...]
    roles: dict[str, str]


TEXT_KEYS: Final = ("role", "content")
ROLES: Final = {role: role for role in ("system", "user", "assistant", "tool")}
_CHAT: Final = TextLayout("messages", (TEXT_KEYS,), ROLES)
_TURNS: Final = TextLayout(
    "conversations", (("from", "value"), TEXT_KEYS), {**ROLES, "human": "user", "gpt": "assistant"}
)
TEXT_LAYOUTS: Final = {"chat": _CHAT, "openai": _CHAT, "sharegpt": _TURNS, "hermes": _TURNS}
"""The layouts whose rows take plans if their calls are in texts."""
