"""The text of a TOML file, as a person would write it: short tables, long texts over several lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def document(table: Mapping[str, Any]) -> str:
    """A TOML document; members that are mappings become tables, after all others."""
    plain = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"{key} = {spelled(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            lines += _table(key, value)
    return "\n".join(lines) + "\n"


def _table(name: str, table: Mapping[str, Any]) -> list[str]:
    lines = [f"{_key(key)} = {spelled(value)}" for key, value in table.items() if not isinstance(value, Mapping)]
    lines = ["", f"[{name}]", *lines] if lines else []
    for key, value in table.items():
        if isinstance(value, Mapping) and value:
            lines += _table(f"{name}.{_key(key)}", value)
    return lines


def _key(key: str) -> str:
    is_bare = key.replace("_", "").replace("-", "").isalnum() and key.isascii()
    return key if is_bare else spelled(key)


def spelled(value: Any) -> str:
    """A value. Texts are literal where that spares escapes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        return f"[{', '.join(map(spelled, value))}]"
    is_plain = all(letter == "\n" or (letter.isprintable() and letter != "\r") for letter in value)
    is_long = "\n" in value.strip("\n") or ("\n" in value and '"' in value)
    if is_plain and is_long and "'''" not in value and not value.endswith("'"):
        return f"'''\n{value}'''"
    if is_plain and "\n" not in value and ('"' in value or "\\" in value) and "'" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
