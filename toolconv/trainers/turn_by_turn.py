"""What arrives where a trainer writes a row in parts with the student's chat template, and not as a whole.

Some write each message alone and join the texts; others write the whole, and take what follows the conversation up to
an answer as that answer. Both are done here with toolconv's own template, and compared with the text and the spans of
the row. Only templates that toolconv has are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from typing import Any, Final, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, calls_of, text_of
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template
from toolconv.templates.writer import Segment, SpanWriter, TextWriter
from toolconv.trainers.base import Check, Effect, TrainerRow, copy_of
from toolconv.trainers.checks import after_system, is_text
from toolconv.trainers.forms import MaskedText

ASKED: Final[Message] = {"role": "user", "content": "I am a user."}
"""A turn of the user that precedes a message, and is cut off again."""
_THINKING: Final = "<think>"


class Stops(Exception):
    """The trainer stops at a message, or leaves out the row."""

    def __init__(self, effect: str, why: str, index: int) -> None:
        super().__init__(why)
        self.effect = Effect(effect, why, index)


@dataclass(eq=False)
class StudentTexts:
    """The texts of a student's chat template.

    Attributes:
        seen: the row.
        template: the template.
    """

    seen: TrainerRow
    template: Template

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the row."""
        return self.seen.conversation.messages

    def text(self, messages: Sequence[Message], *, tools: bool = False, generate: bool = False) -> str:
        """The text of some messages.

        Args:
            messages: the messages.
            tools: with the tools of the row.
            generate: with the beginning of an answer.

        Raises:
            RenderError: the template can't write them.
        """
        row: dict[str, Any] = {"messages": [*messages], **({"tools": self.seen.conversation.tools} if tools else {})}
        page = TextWriter()
        self.template.write(ChatView(Conversation(row), self.template.dialect, generate=generate), page)
        return page.text

    @cached_property
    def segments(self) -> list[Segment]:
        """The student's text of the whole row, in parts."""
        page = SpanWriter()
        self.template.write(ChatView(copy_of(self.seen.conversation), self.template.dialect), page)
        return page.segments

    @cached_property
    def whole(self) -> str:
        """The student's text of the whole row."""
        return "".join(segment[0] for segment in self.segments)

    @cached_property
    def trained(self) -> dict[int, tuple[int, int]]:
        """Where the trained part of each answer begins and ends in the whole text, by message."""
        places: dict[int, tuple[int, int]] = {}
        ends = [*accumulate(len(segment[0]) for segment in self.segments)]
        for (text, _, train, index, _), end in zip(self.segments, ends, strict=True):
            if train and index is not None:
                places[index] = (places.get(index, (end - len(text), 0))[0], end)
        return places

    @cached_property
    def apart(self) -> list[list[MaskedText]]:
        """The parts of the student's text, by message. A token that ends an answer and opens the next turn is there."""
        found: list[list[MaskedText]] = [[] for _ in self.messages]
        openings = tuple(header for role in ("user", "tool") if (header := self.template.headers[role].strip()))
        at = 0
        for text, kind, train, index, _ in self.segments:
            at = at if index is None else index
            opens = kind == "turn" and train and not self.template.stop and text.startswith(openings)
            found[min(at + opens, len(found) - 1)].append(MaskedText(text, train and not opens))
        return found


Writer = Callable[[StudentTexts], list[list[MaskedText]]]
"""Writes each message as a trainer does. Raises :class:`Stops`, or RenderError."""


def written_alone(writer: Writer, *, stops: bool = False) -> Check:
    """The check of messages that a trainer writes otherwise than the student's template, since it writes each alone.

    Args:
        writer: how the trainer writes them.
        stops: it stops at a row whose text differs.
    """

    def alone(seen: TrainerRow) -> Iterator[Effect]:
        texts = _texts_of(seen)
        if texts is None:
            return
        try:
            theirs, own = writer(texts), texts.apart
        except Stops as stop:
            yield stop.effect
            return
        except RenderError:  # see template_leaves_out
            return
        for index, (one, other) in _turns(theirs, own):
            same = _joined(one) == _joined(other)
            if not same and stops:
                text = f"{seen.trainer.name} stops: alone, {texts.template.name} writes this turn otherwise"
                yield Effect("turn_rewritten", text, index)
                return
            effect = (
                _mask_effect(texts, _trained(one), _trained(other)) if same else _text_effect(texts, index, one, other)
            )
            if effect:
                yield Effect(effect, f"{seen.trainer.name} {_WORDS[effect]}", index)

    return alone


_WORDS: Final = {
    "results_apart": "writes each result as a turn of its own",
    "reasoning_kept": "keeps the reasoning, which the student's template leaves out of this turn",
    "empty_thinking_added": "writes an empty <think> block in this turn, the student's template does not",
    "text_differs": "writes another text of this turn than the student's template, since it writes each turn alone",
    "thinking_untrained": "does not train the beginning of the reasoning, which the model writes",
    "prompt_trained": "trains what precedes this answer, too",
    "mask_differs": "trains another part of the text than this answer",
}
"""What trainers do to a turn, by effect."""


class _Answer(NamedTuple):
    """An answer: what a trainer trains, what the spans train, and whether the whole text begins as the row up to it."""

    place: int
    theirs: str
    own: str
    stays: bool


def answers_after(*, prompted: Collection[str] | None = None, moved: bool = True, verifies: bool = False) -> Check:
    """The check of answers of which a trainer trains other text, since it trains what follows the row up to them.

    Of answers after and before messages of one kind the first is looked at, so the cost stays linear.

    Args:
        prompted: the roles after which the row up to an answer ends with the beginning of one; ``None`` for all.
        moved: where the whole text doesn't begin as the row up to an answer does, the mask is moved. If not, another
            check says what happens there.
        verifies: the trainer then looks whether what it trains begins with the contents of all answers, and if not
            leaves out the row.
    """

    def after(seen: TrainerRow) -> Iterator[Effect]:
        texts = _texts_of(seen)
        if texts is None:
            return
        try:
            answers = [*_answers(texts, prompted)]
        except RenderError:  # see template_leaves_out
            return
        rewritten = next((answer for answer in answers if not answer.stays), None)
        if verifies and rewritten is not None and any(_is_noticed(texts, answer) for answer in answers):
            text = f"{seen.trainer.name} leaves out the row: the chat template writes an earlier turn otherwise when"
            yield Effect(
                "turn_rewritten", f"{text} others follow it. Its last_turn_… transform does not", rewritten.place
            )
            return
        for answer in answers:
            if moved or answer.stays:
                effect = _mask_effect(texts, answer.theirs, answer.own)
                if effect:
                    yield Effect(effect, f"{seen.trainer.name} {_WORDS[effect]}", answer.place)

    return after


def begins_with_answer(effect: str, why: str, *, system_too: bool = False) -> Check:
    """The check of rows that begin with the assistant, where the student is not known; else the checks above see it.

    Args:
        effect: what happens then.
        why: the same, for users.
        system_too: it happens after a system text, too.
    """

    def answer_first(seen: TrainerRow) -> Iterator[Effect]:
        if seen.template is None or not seen.template.is_known:
            messages = seen.conversation.messages
            first = after_system(messages) if system_too else (0, messages[0]) if messages else None
            if first is not None and first[1].get("role") == "assistant":
                yield Effect(effect, f"{seen.trainer.name} {why}", first[0])

    return answer_first


FIRST_IS_PROMPT: Final = begins_with_answer("prompt_trained", "trains the tools and the header of a first answer, too")
"""The check of trainers that train all of a first message of the assistant."""


def _answers(texts: StudentTexts, prompted: Collection[str] | None) -> Iterator[_Answer]:
    """The first answer of each kind."""
    messages = texts.messages
    for at in _first_of_each_kind(messages):
        if at in texts.trained:
            generate = prompted is None or str(messages[at - 1].get("role")) in prompted
            before = texts.text(messages[:at], tools=True, generate=generate) if at else ""
            through = texts.text(messages[: at + 1], tools=True)
            start, end = texts.trained[at]
            stays = texts.whole.startswith(before) and texts.whole.startswith(through)
            yield _Answer(at, texts.whole[len(before) : len(through)], texts.whole[start:end], stays)


def _is_noticed(texts: StudentTexts, answer: _Answer) -> bool:
    """Whether what a trainer trains does not begin with the content of an answer."""
    content = text_of(texts.messages[answer.place].get("content"))[0]
    return content != "" and content in texts.whole and not answer.theirs.lstrip().startswith(content)


def _first_of_each_kind(messages: Sequence[Message]) -> list[int]:
    """The answers to look at."""
    places: dict[tuple[Any, ...], int] = {}
    for at, message in enumerate(messages):
        if message.get("role") == "assistant":
            follows = messages[at + 1].get("role") if at + 1 < len(messages) else None
            what = (bool(message.get("reasoning_content")), bool(calls_of(message)), bool(message.get("content")))
            places.setdefault((str(messages[at - 1].get("role")), *what, str(follows)), at)
    return [*places.values()]


def _texts_of(seen: TrainerRow) -> StudentTexts | None:
    """The texts of a row; ``None`` if it has none of the student's."""
    template = seen.template
    if template is None or not template.is_known or is_text(seen.row) or not seen.conversation.messages:
        return None
    texts = StudentTexts(seen, template)
    try:
        return texts if texts.whole else None
    except RenderError:  # see template_leaves_out
        return None


def _turns(
    theirs: Sequence[Sequence[MaskedText]], own: Sequence[Sequence[MaskedText]]
) -> Iterator[tuple[int, tuple[Sequence[MaskedText], Sequence[MaskedText]]]]:
    """The parts of each turn: a message of which a trainer writes nothing belongs to the turn before."""
    first = [at for at, parts in enumerate(theirs) if parts or not at]
    for start, end in zip(first, [*first[1:], len(theirs)], strict=True):
        yield start, (theirs[start], [part for parts in own[start:end] for part in parts])


def _joined(parts: Sequence[MaskedText]) -> str:
    return "".join(part.text for part in parts)


def _trained(parts: Sequence[MaskedText]) -> str:
    return "".join(part.text for part in parts if part.train)


def _text_effect(texts: StudentTexts, index: int, theirs: Sequence[MaskedText], own: Sequence[MaskedText]) -> str:
    """The name of what happens to a turn with another text; empty for line breaks at its end."""
    message, written, wanted = texts.messages[index], _joined(theirs), _joined(own)
    if written.rstrip("\n") == wanted.rstrip("\n"):
        return ""
    if message.get("role") == "tool":
        return "results_apart"
    if _THINKING in written and _THINKING not in wanted:
        return "reasoning_kept" if message.get("reasoning_content") else "empty_thinking_added"
    return "text_differs"


def _mask_effect(texts: StudentTexts, theirs: str, own: str) -> str:
    """The name of what happens to a mask; empty for line breaks at its end, and an end that opens the next turn."""
    theirs, own = theirs.rstrip("\n"), own.rstrip("\n")
    if theirs == own or not own or (not texts.template.stop and theirs and own.startswith(theirs)):
        return ""
    if own.endswith(theirs) and own.startswith(_THINKING):
        return "thinking_untrained"
    return "prompt_trained" if theirs.endswith(own) else "mask_differs"


# ── how trainers write messages ──


def from_first_answer(texts: StudentTexts) -> list[list[MaskedText]]:
    """What precedes the first answer as a whole, and each further message after a system text and a question."""
    messages = texts.messages
    first = next((at for at, message in enumerate(messages) if message.get("role") == "assistant"), len(messages))
    if not first:
        raise Stops("first_turn", "the row begins with the assistant, and an empty conversation can't be written", 0)
    base = [{"role": "system", "content": "You are a helpful assistant."}, ASKED]
    before = texts.text(base)
    header = len(texts.text(base, generate=True)) - len(before)
    found = [[MaskedText(texts.text(messages[:first], tools=True), False)], *([] for _ in messages[1:first])]
    for index, message in enumerate(messages[first:], first):
        if message.get("role") not in ("assistant", "user", "tool"):
            raise Stops("system_turn_late", f"a {message.get('role')} message after the first answer", index)
        found.append(_masked(texts.text([*base, message])[len(before) :], header, message))
    return found


def each_alone(texts: StudentTexts) -> list[list[MaskedText]]:
    """Each message alone, tools with the first. What the template writes before a turn of the user is cut off."""
    one = texts.text([ASKED])
    system = one[: 2 * len(one) - len(texts.text([ASKED, ASKED]))]
    header = len(texts.text([ASKED], generate=True)) - len(one)
    found = []
    for index, message in enumerate(texts.messages):
        text = texts.text([message], tools=not index)
        text = text[len(system) :] if index and message.get("role") != "system" else text
        found.append(_masked(text, header, message))
    return found


def after_a_question(texts: StudentTexts) -> list[list[MaskedText]]:
    """Each message after a turn of the user, results in a row together; the first before one, with the tools."""
    before = texts.text([ASKED])
    header = len(texts.text([ASKED], generate=True)) - len(before)
    found: list[list[MaskedText]] = []
    for _, group in groupby(enumerate(texts.messages), lambda each: each[1].get("role") == "tool" or -1 - each[0]):
        messages = [message for _, message in group]
        if not found:
            text = texts.text([*messages, ASKED], tools=True)
            text = text[: len(text) - len(before)]
        else:
            text = texts.text([ASKED, *messages])[len(before) :]
        found.append(_masked(text, header, messages[0]))
        found += [[] for _ in messages[1:]]
    return found


def _masked(text: str, header: int, message: Message) -> list[MaskedText]:
    """A message of which all but the header is trained, if it is the assistant's."""
    if message.get("role") != "assistant":
        return [MaskedText(text, False)]
    return [MaskedText(text[:header], False), MaskedText(text[header:], True)]
