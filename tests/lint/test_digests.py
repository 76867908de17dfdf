"""Digests are kept as a dict keeps them, in less memory."""

from __future__ import annotations

import pickle
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolconv.lint.datasets.digests import DIGEST_BYTES, Digests, digest_of

ALIKE = st.binary(min_size=DIGEST_BYTES, max_size=DIGEST_BYTES) | st.lists(
    st.sampled_from([b"\0", b"\1"]), min_size=DIGEST_BYTES, max_size=DIGEST_BYTES
).map(b"".join)
"""Many of these stand in a bucket across two records."""


@given(st.lists(st.tuples(ALIKE, st.binary(min_size=3, max_size=3))))
def test_it_holds_what_a_dict_would(pairs: list[tuple[bytes, bytes]]) -> None:
    kept, known = Digests(3), dict[bytes, bytes]()
    for digest, value in pairs:
        assert (digest in kept) is (digest in known)
        assert kept.setdefault(digest, value) == known.setdefault(digest, value)
    assert dict(pickle.loads(pickle.dumps(kept))) == known
    assert len(kept) == len(known)


def test_a_digest_that_stands_across_two_records_is_not_there() -> None:
    kept = Digests(1)
    kept.setdefault(b"ab" + b"-" * 13 + b"c", b"d")
    kept.setdefault(b"ab" + b"e" * 14, b"-")
    across = b"ab" + b"cd" + b"e" * 12
    assert across not in kept
    with pytest.raises(KeyError):
        kept[across]
    assert kept.setdefault(across, b"!") == b"!"
    assert kept[across] == b"!"


def test_a_row_takes_little_memory() -> None:
    kept = Digests(8)
    for number in range(100_000):
        kept.setdefault(digest_of(b"%d" % number), bytes(8))
    buckets = [bucket for bucket in kept._buckets if bucket is not None]
    assert sum(map(sys.getsizeof, [kept._buckets, *buckets])) < 100_000 * 100
