"""UTF-8 that was read in another encoding is found, and what people write in the same letters is not."""

from __future__ import annotations

from tests.conftest import each
from tests.helpers.lint_rows import found_in_call, found_in_texts

WORDS = [
    "café", "naïve", "Málaga", "São Paulo", "Zürich", "smörgåsbord", "Ærø", "it’s", "wait…", "a – b", "£5", "5 °C", "±1", "½ kg",
    "Привет", "Ελλάδα", "שלום", "مرحبا", "日本語", "中文字", "한국어", "ไทย",
]  # fmt: skip


def damaged(text: str, encoding: str) -> str | None:
    """A text in UTF-8 as somebody reads it in another encoding; ``None`` if it can't be read so."""
    try:
        return text.encode().decode(encoding)
    except UnicodeDecodeError:
        return None


@each("word", WORDS)
def test_utf_8_read_in_another_encoding(word: str) -> None:
    assert found_in_texts("TC314", "Up?", f"It says {word} there.") == [], word
    read = [text for encoding in ("cp1252", "latin-1") if (text := damaged(word, encoding)) is not None]
    if not any(char in word for char in "±½") and word not in ("ไทย",):
        assert any(found_in_texts("TC314", "Up?", f"It says {text} there.") for text in read), read


@each("text", ["caf\ufffd", "\ufffd\ufffd", "CafÃ©", "itâ€™s", "Â£5", "5 Â°C", "Ã¤Ã¶Ã¼"])
def test_damage_in_answers_and_arguments(text: str) -> None:
    assert len(found_in_texts("TC314", "Up?", f"It says {text} there.")) == 1
    assert len(found_in_call("TC314", {"city": text})) == 1


@each("text", ["SÃO", "Â", "Ã", "â", "Ã was", "É", "à la", "ÂME", "Ã B", "ÄÖÜ", "ß", "«x»", "£", "é\u00e8\u00ea\u00eb"])
def test_letters_that_people_write(text: str) -> None:
    assert found_in_texts("TC314", "Up?", f"It says {text} there.") == []
    assert found_in_call("TC314", {"city": text}) == []
