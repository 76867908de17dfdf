"""Counts the tokens of a text with a model's own tokenizer; needs the extra ``tokens``."""

from __future__ import annotations

from collections.abc import Callable

from toolconv.core.errors import FileError, MissingExtra


def counter(path: str) -> Callable[[str], int]:
    """A function that counts the tokens of a text; special tokens in the text count as one each.

    Args:
        path: a ``tokenizer.json``.

    Raises:
        FileError: the file can't be read, or the extra is missing.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("counting tokens", "tokens") from None
    try:
        tokenizer = Tokenizer.from_file(path)
    except Exception as error:  # tokenizers raises no more specific error
        raise FileError(f"{path}: {error}") from None
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
