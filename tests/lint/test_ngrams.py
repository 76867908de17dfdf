"""The overlap of texts, estimated from sketches, against the share of common runs counted by hand."""

from __future__ import annotations

import random

from toolconv.lint.datasets.ngrams import WORDS, bands, overlap, runs, sketch_of

WORDS_KNOWN = [f"w{number}" for number in range(2000)]


def share(one: list[str], other: list[str]) -> float:
    first, second = set(runs(one, WORDS)), set(runs(other, WORDS))
    return len(first & second) / len(first | second)


def test_runs() -> None:
    assert runs(["a", "b", "c", "d"], 3) == ["a b c", "b c d"]
    assert runs(["a", "b"], 3) == ["a b"]
    assert runs([], 3) == []


def test_the_estimate_is_near_the_share_of_common_runs_and_alike_texts_meet_in_a_band() -> None:
    chance = random.Random(7)
    errors, met = [], []
    for _ in range(300):
        one = chance.choices(WORDS_KNOWN, k=chance.choice([20, 80, 300]))
        other = list(one)
        for _ in range(int(len(one) * chance.random() * 0.2)):
            other[chance.randrange(len(one))] = chance.choice(WORDS_KNOWN)
        first, second = sketch_of(one, b""), sketch_of(other, b"")
        errors.append(abs(overlap(first, second) - share(one, other)))
        if share(one, other) >= 0.9:
            met.append(not set(bands(first)).isdisjoint(bands(second)))
    assert sum(errors) / len(errors) < 0.08
    assert len(met) > 30
    assert sum(met) / len(met) > 0.97


def test_texts_with_other_contexts_have_nothing_in_common() -> None:
    words = WORDS_KNOWN[:60]
    assert overlap(sketch_of(words, b"one"), sketch_of(words, b"other")) < 0.2
    assert overlap(sketch_of(words, b"one"), sketch_of(words, b"one")) == 1
