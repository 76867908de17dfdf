"""A model's own tokenizer, from its ``tokenizer.json``; needs the extra ``tokens``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolconv.core.errors import FileError, MissingExtra


def load_tokenizer(path: str, purpose: str) -> Any:
    """The ``tokenizers.Tokenizer`` of a file.

    Args:
        path: a ``tokenizer.json``.
        purpose: what needs it, as the beginning of an error.

    Raises:
        FileError: the file can't be read, or the extra is missing.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra(purpose, "tokens") from None
    try:
        return Tokenizer.from_file(path)
    except Exception as error:  # tokenizers raises no more specific error
        raise FileError(f"{path}: {error}") from None


def counter(path: str) -> Callable[[str], int]:
    """A function that counts the tokens of a text; special tokens in the text count as one each.

    Raises:
        FileError: see :func:`load_tokenizer`.
    """
    tokenizer = load_tokenizer(path, "counting tokens")
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
