"""The forms of exact rows: how trainers take a text, and what to train of it, without a template of their own.

A row is a list of runs, which are trained on or not; a form spells them as a trainer reads them. Forms of texts need
nothing else: the trainer encodes each run by itself. Forms of token ids need the student's tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from toolconv.core.facts import Facts
from toolconv.core.messages import Row

IGNORED: Final = -100
"""The label of a token that is not trained, in PyTorch's loss."""


class MaskedText(NamedTuple):
    """A part of a text, as long as it can be, that is trained on or not."""

    text: str
    train: bool


class TextForm(Facts):
    """A form that holds texts.

    Attributes:
        columns: the keys of a row; the first holds the runs.
        text_key: the key of a run's text.
        write: spells the runs.
        read: other keys of a row that the trainer would read, such as those of images.
    """

    columns: tuple[str, ...]
    text_key: str
    write: Callable[[Sequence[MaskedText]], Row]
    read: tuple[str, ...] = ()


class TokenForm(Facts):
    """A form that holds token ids.

    Attributes:
        columns: the keys of a row; the first holds the ids.
        write: spells the ids, each with whether it is trained.
        read: other keys of a row that the trainer would read, such as those of images.
    """

    columns: tuple[str, ...]
    write: Callable[[Sequence[int], Sequence[bool]], Row]
    read: tuple[str, ...] = ()


Form = TextForm | TokenForm


def _opened(runs: Sequence[MaskedText]) -> list[MaskedText]:
    """The runs, of which the first is not trained."""
    return [*runs] if runs and not runs[0].train else [MaskedText("", False), *runs]


# ── the forms ──


def _segments(runs: Sequence[MaskedText]) -> Row:
    return {"segments": [{"label": run.train, "text": run.text} for run in runs]}


def _turns(runs: Sequence[MaskedText]) -> Row:
    """Turns of ``observation`` and ``gpt``; in one of ``human``, the template would replace ``{{idx}}``."""
    turns = _opened(runs)
    if len(turns) % 2:
        turns.append(MaskedText("", True))  # a row that ends on an untrained turn is skipped
    return {"conversations": [{"from": "gpt" if run.train else "observation", "value": run.text} for run in turns]}


def _messages_with_loss(runs: Sequence[MaskedText]) -> Row:
    first, *rest = _opened(runs)
    answers = [{"role": "assistant", "content": run.text, "loss": run.train} for run in rest]
    return {"messages": [{"role": "user", "content": first.text}, *answers]}


def _labels(ids: Sequence[int], trained: Sequence[bool]) -> list[int]:
    return [token if train else IGNORED for token, train in zip(ids, trained, strict=True)]


def _ids_and_labels(ids: Sequence[int], trained: Sequence[bool]) -> Row:
    return {"input_ids": [*ids], "labels": _labels(ids, trained), "attention_mask": [1] * len(ids)}


def _ids_and_masks(ids: Sequence[int], trained: Sequence[bool]) -> Row:
    return {"input_ids": [*ids], "assistant_masks": [int(train) for train in trained]}


def _ids_and_loss_mask(ids: Sequence[int], trained: Sequence[bool]) -> Row:
    return {"input_ids": [*ids], "loss_mask": [int(train) for train in trained]}


SEGMENTS: Final = TextForm(columns=("segments",), text_key="text", write=_segments)
"""axolotl's ``type: input_output``. Source: axolotl 0.19, prompt_strategies/input_output.py."""
TURNS: Final = TextForm(
    columns=("conversations",),
    text_key="value",
    write=_turns,
    read=("system", "tools", "chosen", "rejected", "kto_tag", "label"),
)
"""LLaMA-Factory's ``template: empty``. Source: llamafactory 0.9.5, data/template.py, formatter.py and converter.py."""
MESSAGES_WITH_LOSS: Final = TextForm(
    columns=("messages",),
    text_key="content",
    write=_messages_with_loss,
    read=("system", "tools", "image", "images", "video", "videos", "audio", "audios", "objects"),
)
"""ms-swift's, for a template that adds nothing. Source: ms-swift 4.6, template/base.py, loss_scale/base.py and
dataset/preprocessor/core.py."""
IDS_AND_LABELS: Final = TokenForm(columns=("input_ids", "labels", "attention_mask"), write=_ids_and_labels)
"""The columns of pre-tokenized files for Together and for loops of your own."""
IDS_AND_MASKS: Final = TokenForm(
    columns=("input_ids", "assistant_masks"), write=_ids_and_masks, read=("image", "images")
)
"""TRL's pre-tokenized rows. Source: trl 1.16, trainer/sft_trainer.py."""
IDS_AND_LOSS_MASK: Final = TokenForm(columns=("input_ids", "loss_mask"), write=_ids_and_loss_mask)
"""SkyRL's pre-tokenized rows, and what a few lines of code load in others. Source: SkyRL, dataset/pretokenized.py."""
