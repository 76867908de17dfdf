"""Names of speakers, wherever a row has texts that might be some."""

from __future__ import annotations

from toolconv.layouts.speakers import LONGEST, SPEAKERS, _meaning, meaning_of


def test_a_long_text_is_no_speaker_and_is_not_kept() -> None:
    """A row's image is one text of megabytes, and each distinct one would stay in the cache."""
    kept = _meaning.cache_info()
    assert meaning_of("x" * (LONGEST + 1)) is None
    assert _meaning.cache_info() == kept
    assert all(meaning_of(f"MessageRole.{name.upper()}") == meaning for name, meaning in SPEAKERS.items())
    assert max(map(len, SPEAKERS)) < LONGEST // 4
