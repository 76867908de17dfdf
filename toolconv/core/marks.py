"""Training marks: what messages say about being trained on, in the words of every trainer.

A mark is the weight of a message's loss: 0 if it is not trained on, 1 if it is, or another number. Without a mark,
turns of the assistant have the weight 1 and all others 0. In canonical rows a mark is ``weight``, OpenAI's key.

Source: OpenAI fine-tuning guide, Mistral and Fireworks documentation (``weight``); axolotl,
src/axolotl/core/datasets/transforms/chat_builder.py and prompt_strategies/chat_template.py (``train``, ``weight``,
``training``); ms-swift, Custom-dataset.md (``loss``, ``loss_scale``); LLaMA-Factory, src/llamafactory/v1
(``loss_weight``); tinker-cookbook, renderers (``trainable``); torchtune, data/_messages.py (``masked``); slime,
utils/mask_utils.py (``step_loss_mask``); verl, multi-turn SFT (``loss_mask``); convmerge (``train``, ``loss``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from toolconv.core.messages import Message

FLAGS: Final = frozenset({"train", "train_on", "training", "trainable", "loss"})
"""Keys with a flag: whether the message is trained on. A number is a weight."""
WEIGHTS: Final = frozenset({"weight", "loss_weight", "loss_scale", "loss_mask", "step_loss_mask"})
"""Keys with a weight."""
INVERTED: Final = frozenset({"masked"})
"""Keys with a flag that is true for what is not trained on."""
DETAILS: Final = frozenset({"train_detail", "training_detail"})
"""Keys with the parts of a text that are trained on, which only axolotl reads."""

MARK_KEYS: Final = FLAGS | WEIGHTS | INVERTED | DETAILS
LOSS: Final = "training_mark"
"""The loss of a mark that the target can't hold, so that other turns are trained on."""
INVALID: Final = "invalid_mark"
"""The loss of a mark that is neither a flag nor a weight, or that another one of the same message contradicts."""


class InvalidMark(ValueError):
    """A mark that says nothing; the message says why."""


def weight_of(message: Message) -> float | int | None:
    """The weight that the marks of a message give it; ``None`` if it has none.

    Raises:
        InvalidMark: a mark is neither a flag nor a weight, or two of them contradict each other.
    """
    found: dict[str, float | int] = {}
    for key in message:
        if key in MARK_KEYS and key not in DETAILS and message[key] is not None:
            found[key] = _weight(key, message[key])
    if not found:
        return None
    if "loss" in found and "loss_scale" in found:  # ms-swift: how much, if at all
        found["loss"] = found["loss"] and found["loss_scale"]
        del found["loss_scale"]
    if len(set(found.values())) > 1:
        raise InvalidMark(f"{' and '.join(map(repr, found))} contradict each other")
    return next(iter(found.values()))


def _weight(key: str, value: Any) -> float | int:
    """The weight that a mark stands for."""
    if isinstance(value, bool):
        return int(value is not (key in INVERTED))
    number = isinstance(value, int | float) and math.isfinite(value) and value >= 0
    if not number or (key in INVERTED and value not in (0, 1)):
        expected = "a weight from 0 up" if key in WEIGHTS else "true or false"
        raise InvalidMark(f"{key!r} is {repr(value)[:40]}, expected {expected}")
    whole = int(value) if value == int(value) else value
    return 1 - int(whole) if key in INVERTED else whole


def default_weight(message: Message) -> int:
    """The weight of a message without a mark."""
    return int(message.get("role") == "assistant")


class MarkStyle(NamedTuple):
    """How a target spells marks.

    Attributes:
        key: the key; ``None`` if the target has none.
        flag: the value is true or false; otherwise it is a number.
        scale: the key of weights other than 0 and 1, if they have one of their own, or the same; ``None`` if there are
            none.
        others: messages of other roles than the assistant's may have a mark, too.
        details: the key of details; ``None`` if the target has none.
    """

    key: str | None
    flag: bool = False
    scale: str | None = None
    others: bool = False
    details: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that are written."""
        return tuple(dict.fromkeys(key for key in (self.key, self.scale, self.details) if key is not None))

    def spelled(self, weight: float | int, message: Message) -> Mapping[str, Any] | None:
        """The mark of a message with a weight; ``None`` if the target has no mark for it."""
        trained = default_weight(message)
        if self.key is None or not (self.others or trained):
            return {} if weight == trained else None
        if weight not in (0, 1):
            return None if self.scale is None else {self.scale: weight}
        return {self.key: bool(weight) if self.flag else weight}


WEIGHT: Final = MarkStyle("weight", scale="weight", others=True, details="train_detail")
"""The mark of canonical rows."""
NO_MARKS: Final = MarkStyle(None)


def has_marks(messages: Sequence[Message], but: Iterable[str] = ()) -> bool:
    """Whether a message has a mark, under other keys than ``but``."""
    return not MARK_KEYS.difference(but).isdisjoint(set().union(*messages))


def weights_of(messages: Sequence[Message], losses: list[str]) -> dict[int, float | int]:
    """The weights of the messages whose marks say another than they have without, by index; adds to ``losses``.

    Details are a loss: only axolotl reads them.
    """
    weights: dict[int, float | int] = {}
    for index, message in enumerate(messages):
        if MARK_KEYS.isdisjoint(message):
            continue
        losses += [LOSS for key in DETAILS if message.get(key)]
        try:
            weight = weight_of(message)
        except InvalidMark:
            losses.append(INVALID)
            continue
        if weight is not None and weight != default_weight(message):
            weights[index] = weight
    return weights


def spell_marks(messages: Sequence[Message], style: MarkStyle, losses: list[str]) -> list[Message]:
    """Messages with a target's own marks; those that it has no place for are added to ``losses``."""
    return [message if MARK_KEYS.isdisjoint(message) else _spelled(message, style, losses) for message in messages]


def idle_marks(prompt: Sequence[Message], style: MarkStyle) -> int:
    """How many marks of a prompt :func:`spell_marks` takes for losses, though they say that it is not trained on.

    Where a row has several answers, nothing else is: the marks change nothing.
    """
    losses: list[str] = []
    for message in prompt:
        with suppress(InvalidMark):
            if weight_of(message) == 0:
                spell_marks([message], style, losses)
    return losses.count(LOSS)


def _spelled(message: Message, style: MarkStyle, losses: list[str]) -> Message:
    marks: dict[str, Any] = {}
    try:
        weight = weight_of(message)
    except InvalidMark:
        losses.append(INVALID)
        weight = None
    if weight is not None:
        spelled = style.spelled(weight, message)
        if spelled is None:
            losses.append(LOSS)
        marks.update(spelled or {})
    if details := next((message[key] for key in message if key in DETAILS and message[key]), None):
        if style.details is None:
            losses.append(LOSS)
        else:
            marks[style.details] = details
    if all(key in message and message[key] == value for key, value in marks.items()) and not (
        MARK_KEYS.intersection(message) - marks.keys()
    ):
        return message
    return {**{key: value for key, value in message.items() if key not in MARK_KEYS}, **marks}
