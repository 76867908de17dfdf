"""What happened to a row that has several answers: each is noted once, the prompt's for all of them."""

from __future__ import annotations

from toolconv.core.notes import Dropped, Notes, Reason, Unread


def notes(count: int) -> Notes:
    """Notes in which each thing happened ``count`` times."""
    made = Notes()
    made.repairs = ["null_arguments"] * count
    made.losses = ["reasoning"] * count
    made.reasons = [Reason("reasoning", "It has no place.", 1)] * count
    made.text_dialects = ["hermes"] * count
    made.dropped = [Dropped("no name", "{}")] * count
    made.assumed = made.untyped = made.not_read_back = count
    return made


def counts(made: Notes) -> list[int]:
    lists = (made.repairs, made.losses, made.reasons, made.text_dialects, made.dropped)
    return [*map(len, lists), made.assumed, made.untyped, made.not_read_back]


def test_an_answer_adds_what_its_prompt_does_not_say() -> None:
    made = notes(2)
    made.add(notes(5), notes(2), "/rejected")
    assert counts(made) == [5] * 8
    assert made.dropped[2:] == [Dropped("no name (in /rejected)", "{}")] * 3
    made.add(notes(1), notes(2), "/rejected")
    assert counts(made) == [5] * 8, "less than the prompt says is nothing"
    made.add(notes(1), Notes(), "")
    assert counts(made) == [6] * 8 and made.dropped[5] == Dropped("no name", "{}")


def test_a_copy_says_the_same_and_is_apart() -> None:
    made = notes(1)
    copy = made.copy()
    assert counts(copy) == counts(made) == [1] * 8 and copy.reasons == made.reasons
    copy.losses.append("calls")
    assert made.losses == ["reasoning"]


def test_a_part_that_nobody_read_in_words() -> None:
    assert str(Unread("/a", "calls", "2 hermes calls")) == "/a holds 2 hermes calls"
    assert str(Unread("/a", "calls", "a call", "--calls a")) == "/a holds a call; --calls a reads it"
