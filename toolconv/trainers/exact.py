"""Exact rows: the student's own text, and what to train of it, in a form that a trainer takes without a template.

The text is that of the student's chat template, and the mask that of the spans, whatever the trainer's own templates
write.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError
from toolconv.core.marks import LOSS
from toolconv.core.messages import Row
from toolconv.core.notes import Reason
from toolconv.core.tokenizer import load_tokenizer
from toolconv.templates.base import Template
from toolconv.templates.output import UNTRAINED
from toolconv.trainers.base import REMOVALS, ROW_KEY_REMOVED, Effect, half_characters
from toolconv.trainers.forms import Form, MaskedText, TextForm, TokenForm
from toolconv.trainers.template_checks import TOKEN, turn_tokens

Spans = Sequence[Mapping[str, Any]]


def runs_of(text: str, spans: Spans) -> list[MaskedText]:
    """The runs of a text. Joined, they are the text."""
    return [
        MaskedText("".join(text[span["start"] : span["end"]] for span in group), train)
        for train, group in groupby(spans, lambda span: bool(span["train"]))
    ]


class Encoded(NamedTuple):
    """A text as token ids.

    Attributes:
        ids: the ids.
        trained: whether each is trained on.
        parted: tokens that would stand on both sides of a border between runs, as texts. There, each run is encoded by
            itself, so the ids are others than those of the whole text.
        same: the ids are decoded to the text.
    """

    ids: list[int]
    trained: list[bool]
    parted: list[str]
    same: bool


class Encoder:
    """Encodes runs with a model's own tokenizer.

    Args:
        path: a ``tokenizer.json``.

    Raises:
        FileError: the file can't be read, or the extra ``tokens`` is missing.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._tokenizer = load_tokenizer(path, "writing token ids")

    def check_tokens(self, template: Template) -> None:
        """Check that the tokenizer has the tokens that end the turns of a template.

        Raises:
            FileError: it is the tokenizer of other models.
        """
        for token in dict.fromkeys(filter(None, template.stops)):
            if TOKEN.fullmatch(token) and self._tokenizer.token_to_id(token) is None:
                raise FileError(f"{self.path}: no token {token!r}, which ends the turns of {template.name}")

    def encode(self, runs: Sequence[MaskedText]) -> Encoded:
        """The token ids of the runs, and which of them are trained on."""
        text = "".join(run.text for run in runs)
        whole = self._tokenizer.encode(text, add_special_tokens=False)
        ids: list[int] = whole.ids
        ends = [end for _, end in whole.offsets]
        borders: list[int] = []
        for run in runs:
            borders.append(len(run.text) + (borders[-1] if borders else 0))
        parted = [text[start:end] for start, end in whole.offsets if _holds_border(borders, start, end)]
        if parted:
            ids, trained = [], []
            for run in runs:
                found = self._tokenizer.encode(run.text, add_special_tokens=False).ids
                ids += found
                trained += [run.train] * len(found)
        else:
            trained, at = [], 0
            for end in ends:
                while at < len(runs) - 1 and end > borders[at]:
                    at += 1
                trained.append(runs[at].train)
        same = self._tokenizer.decode(ids, skip_special_tokens=False) == text
        return Encoded(ids, trained, parted, same)


def _holds_border(borders: Sequence[int], start: int, end: int) -> bool:
    """Whether a border is inside a part of the text."""
    at = bisect_left(borders, end)
    return at > 0 and borders[at - 1] > start


class ExactWriter:
    """Writes exact rows.

    Args:
        form: the form that the trainer reads.
        template: the student's chat template.
        encoder: encodes the texts; for forms of token ids.
    """

    def __init__(self, form: Form, template: Template, encoder: Encoder | None = None) -> None:
        self.form = form
        self.template = template
        self.encoder = encoder
        if encoder is not None:
            encoder.check_tokens(template)

    def row(self, row: Row, conversation: Conversation) -> tuple[Row, list[Effect]]:
        """A row in the trainer's form, of one with ``text`` and ``spans``, and what may arrive otherwise.

        All other keys stay in place, except those that the trainer would read, too.
        """
        text: str = row["text"]
        spans: Spans = row["spans"]
        runs = runs_of(text, spans)
        effects = [*self._effects(conversation, runs)]
        notes = conversation.notes
        notes.losses += [LOSS] * len({span["message"] for span in spans if "weight" in span})
        if isinstance(self.form, TextForm):
            parts = self.form.write(runs)
        else:
            assert self.encoder is not None
            encoded = self.encoder.encode(runs)
            parts = self.form.write(encoded.ids, encoded.trained)
            effects += _token_effects(encoded)
        others = {key: value for key, value in row.items() if key not in ("text", "spans", *parts, *self.form.read)}
        removed = [ROW_KEY_REMOVED] * (len(row) - 2 - len(others))
        notes.losses += removed
        notes.reasons += [Reason(name, REMOVALS[name]) for name in removed]
        return {**parts, **others}, effects

    def size(self, row: Row, measure: Callable[[str], int]) -> int:
        """How long a written row is: its texts as ``measure`` says, or the number of its token ids."""
        held = row[self.form.columns[0]]
        if isinstance(self.form, TokenForm):
            return len(held)
        return sum(measure(run[self.form.text_key]) for run in held)

    def _effects(self, conversation: Conversation, runs: Sequence[MaskedText]) -> Iterator[Effect]:
        yield from half_characters(conversation.row)
        if not any(run.train for run in runs):
            if UNTRAINED in conversation.notes.losses:
                conversation.notes.losses.remove(UNTRAINED)  # counted for its text, and here with the reason
            yield Effect(UNTRAINED, "nothing in the row is trained on")
        data = jsontext.dumps_line([conversation.messages, conversation.tools])
        for token in turn_tokens(self.template):
            if token.encode() in data:
                message = f"a text holds {token}, which the tokenizer reads as the token that separates turns"
                yield Effect("turn_token_in_text", message)
                break


def _token_effects(encoded: Encoded) -> Iterator[Effect]:
    if encoded.parted:
        shown = ", ".join(map(repr, encoded.parted[:3]))
        yield Effect(
            "token_parted", f"{shown} would be one token across the border of what is trained: it is parted there"
        )
    if not encoded.same:
        yield Effect("text_normalized", "the tokenizer changes the text: the ids are decoded to another one")
