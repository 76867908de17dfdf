"""The files that contain chat templates.

``chat_template.jinja`` is the template itself. ``tokenizer_config.json`` has it under ``chat_template``, as one text or
as a list of named templates, together with the special tokens that templates print. For a ``chat_template.jinja``, the
tokens come from ``tokenizer_config.json`` or ``special_tokens_map.json`` in the same folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.errors import FileError, reason_of

DEFAULT, TOOL_USE = "default", "tool_use"
"""The names of the usual template and of the one for conversations with tools."""

CONFIGS: Final = ("special_tokens_map.json", "tokenizer_config.json")
"""The files of a model's folder that have its special tokens."""

FILES: Final = ("chat_template.jinja", *CONFIGS)
"""The files of a model's folder that a chat template is read from."""


class Source(NamedTuple):
    """The contents of a file.

    Attributes:
        templates: Jinja sources by name; a template without a name is ``default``.
        tokens: special tokens as template variables: ``bos_token``, ``eos_token``, …
        without: the special tokens that the model doesn't have, by its configuration.
    """

    templates: dict[str, str]
    tokens: dict[str, Any]
    without: frozenset[str]


def read(path: str) -> Source:
    """Read a chat template.

    Raises:
        FileError: the file can't be read, or has no template.
    """
    if not path.endswith(".json"):
        siblings = [Path(path).with_name(name) for name in CONFIGS]
        configs = [_object(str(config)) for config in siblings if config.exists()]
        tokens = {key: token for one in configs for key, token in _tokens(one).items()}
        return Source({DEFAULT: _text(path)}, tokens, frozenset().union(*map(_nulls, configs)))
    config = _object(path)
    found = config.get("chat_template")
    templates = {DEFAULT: found} if isinstance(found, str) else _named(found)
    if not templates:
        raise FileError(
            f"{path}: has no 'chat_template'; newer models keep it in chat_template.jinja in the same folder"
        )
    return Source(templates, _tokens(config), _nulls(config))


Version = tuple[tuple[int, int, int] | None, ...]
"""What changes when one of the files of a template is edited: the time, size and number of each."""


def version(path: str) -> Version:
    """The version of a template: of its file, or folder, and of the files in the same folder that it is read with."""
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    return tuple(map(_stat, (place, *(folder / name for name in FILES))))


def _stat(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _named(found: Any) -> dict[str, str]:
    """Templates by name, from a list of ``{"name", "template"}``."""
    items = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    named = {item.get("name"): item.get("template") for item in items}
    return {name: text for name, text in named.items() if isinstance(name, str) and isinstance(text, str)}


def _tokens(config: dict[str, Any]) -> dict[str, Any]:
    """The special tokens of a config, each a string or the dict of an ``AddedToken``."""
    tokens = {key: _token(value) for key, value in config.items() if key.endswith("_token")}
    several = config.get("additional_special_tokens")
    if isinstance(several, list):
        tokens["additional_special_tokens"] = [_token(value) for value in several]
    return {key: value for key, value in tokens.items() if value is not None}


def _nulls(config: dict[str, Any]) -> frozenset[str]:
    """The special tokens that are null in a config."""
    return frozenset(key for key, value in config.items() if key.endswith("_token") and value is None)


def _token(value: Any) -> Any:
    content = value.get("content") if isinstance(value, dict) else value
    return content if isinstance(content, str) else None


def _object(path: str) -> dict[str, Any]:
    try:
        value = jsontext.loads(_text(path))
    except ValueError as error:
        raise FileError(f"{path}: not JSON ({error})") from None
    if not isinstance(value, dict):
        raise FileError(f"{path}: not a JSON object")
    return value


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path}: {reason_of(error)}") from None
