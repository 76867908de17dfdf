"""What happened to a row: repairs, losses, calls that could not be read, and parts that nobody read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

PADDING: Final = "null_padding"
"""The repair of nulls that a file of columns writes for what is absent."""
DUPLICATE_KEY: Final = "duplicate_key"
"""The repair of a key that an object has twice, of which the last value counts."""


class Dropped(NamedTuple):
    """A call that could not be read. Its text stays in the row."""

    reason: str
    text: str


UnreadKind = Literal["calls", "messages", "answer", "question", "system", "tools", "mark", "text", "value"]
"""What a part of a row seems to be that nobody read."""


class Unread(NamedTuple):
    """A part of a row that nobody read, though it seems to belong to the conversation. It stays where it is.

    Attributes:
        pointer: where it is in the row.
        kind: what it seems to be.
        what: the same in words, such as ``2 hermes calls``.
        option: the option that reads it; empty if there is none.
    """

    pointer: str
    kind: UnreadKind
    what: str
    option: str = ""

    def __str__(self) -> str:
        return f"{self.pointer or 'the row'} holds {self.what}" + (f"; {self.option} reads it" if self.option else "")


class Reason(NamedTuple):
    """Why something was lost.

    Attributes:
        loss: the name of the loss.
        sentence: what happens and why, for users.
        at: the index of the message, in the conversation as it is written; ``None`` for the row as a whole.
    """

    loss: str
    sentence: str
    at: int | None = None


class Notes:
    """What happened to a row.

    Attributes:
        repairs, losses: names, one entry for each occurrence.
        dropped: the calls that could not be read.
        unread: the parts that seem to belong to the conversation, and that nobody read.
        changes: what differs between the original row and the written one, for the receipt.
        reasons: why something was lost, where there is a sentence.
        refused: why the trainer that the row is written for will not train on it.
        text_dialects: the dialect of each call that was read from text.
        assumed: the turns with calls that were read in the dialect of their input's first rows, having no markers.
        untyped: how many values of calls got their types by their looks.
        redacted: how many secrets were replaced, by kind.
        given_tools: whether the row declares no tools and got those that the user declares.
        records_left_out: how many records of a run are no part of the conversation.
        windows: how the row was cut into pieces: counts, for the receipt.
        not_read_back: assistant turns whose losses are not known: a chat template wrote them in an unknown way.
    """

    __slots__ = (
        "assumed",
        "changes",
        "dropped",
        "given_tools",
        "losses",
        "not_read_back",
        "reasons",
        "records_left_out",
        "redacted",
        "refused",
        "repairs",
        "text_dialects",
        "unread",
        "untyped",
        "windows",
    )

    def __init__(self) -> None:
        self.repairs: list[str] = []
        self.dropped: list[Dropped] = []
        self.losses: list[str] = []
        self.unread: list[Unread] = []
        self.changes: Mapping[str, int] = {}
        self.reasons: list[Reason] = []
        self.refused: list[str] = []
        self.text_dialects: list[str] = []
        self.assumed = 0
        self.untyped = 0
        self.redacted: Mapping[str, int] = {}
        self.given_tools = False
        self.not_read_back = 0
        self.windows: Mapping[str, int] = {}
        self.records_left_out = 0

    def copy(self) -> Notes:
        """Notes that say the same."""
        copy = Notes()
        copy.add(self, Notes(), "")
        return copy

    def add(self, other: Notes, but: Notes, where: str) -> None:
        """Add what another answer's notes say, without what those of its prompt (``but``) say: that is noted already.

        ``where`` is the place of the answer, which the reasons of its dropped calls name.
        """
        self.repairs += (Counter(other.repairs) - Counter(but.repairs)).elements()
        self.losses += (Counter(other.losses) - Counter(but.losses)).elements()
        self.reasons += (Counter(other.reasons) - Counter(but.reasons)).elements()
        self.text_dialects += (Counter(other.text_dialects) - Counter(but.text_dialects)).elements()
        dropped = Counter(other.dropped) - Counter(but.dropped)
        self.dropped += [
            Dropped(f"{each.reason} (in {where})" if where else each.reason, each.text) for each in dropped.elements()
        ]
        self.assumed += max(other.assumed - but.assumed, 0)
        self.untyped += max(other.untyped - but.untyped, 0)
        self.not_read_back += max(other.not_read_back - but.not_read_back, 0)
