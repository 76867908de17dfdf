"""Mends, or names, what a reading takes over as a name or a value although it is likely damage of the markup."""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import is_plain_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.turn_tokens import TURN_TOKEN, TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.values.python_values import single_quoted

ID_LENGTH: Final = 9
"""The length of the ids that follow names in Mistral's calls."""

_TRIM_CHARACTERS: Final = " \t\r\n=:;,|\"'`<>[]{}()"
"""What no name begins or ends with."""
_MARKUP: Final = lazy_re(r"\|>|[\s<>\"=\[\]{}\\]")
"""What is part of markup, and of no name."""
_ESCAPED_BLANK: Final = lazy_re(r"\A(?:\\[nrt])+(?=\w)")
_WORD: Final = lazy_re(r"[\w.\-]+")


def mend_names(parsed: Parsed, text: str, tools: ToolIndex) -> Parsed:
    """A reading of ``text`` in which markup that was taken for a part of a name or a key is a repair.

    It is ``leaked_token`` or ``marker_spelling`` where the name can be mended, otherwise ``odd_name``.
    """
    for call in parsed.calls:
        if call.name not in tools:
            call.name, call.id = _mended_name(call, text, tools, parsed)
        for key in call.arguments:
            if not key.isidentifier():
                call.arguments = _mended_keys(call.arguments, text, tools.parameters(call.name) or {}, parsed.repairs)
                break
    return parsed


def name_leaks(parsed: Parsed, text: str) -> Parsed:
    """A reading of ``text`` in which a token that ends turns is ``markup_in_value`` where it is in a value."""
    if ("|>" in text or "</s>" in text or "｜end" in text) and TURN_TOKEN.search(text):
        for call in parsed.calls:
            if "markup_in_value" not in parsed.repairs and _holds_token(call.arguments):
                parsed.repairs.append("markup_in_value")
    return parsed


def _mended_name(call: ToolCall, text: str, tools: ToolIndex, parsed: Parsed) -> tuple[str, str | None]:
    """The name of a call without markup, and its id: the only declared name in it, if tools are declared."""
    name = call.name
    if is_plain_name(name):
        if call.id is None and name[:-ID_LENGTH] in tools and "[TOOL_CALLS]" in text:  # without the tag between them
            parsed.repairs.append("marker_spelling")
            return name[:-ID_LENGTH], name[-ID_LENGTH:]
        before, dot, last = name.rpartition(".")
        if dot and last in tools and name not in tools:
            parsed.repairs.append("name_prefix")
            if f" {name}" in text:  # the end of a sentence
                parsed.content = f"{parsed.content} {before}{dot}" if parsed.content else f"{before}{dot}"
            return last, call.id
        return name, call.id
    if (unescaped := _ESCAPED_BLANK.sub("", name)) != name:
        parsed.repairs.append("escaped_newline")
        return unescaped, call.id
    bare = _without_tokens(name)
    if bare not in tools and jsontext.dumps(name).decode() in text:
        if bare != name:
            parsed.repairs.append("odd_name")
        return name, call.id
    if bare != name:
        parsed.repairs.append("marker_spelling" if bare == name.strip() else "leaked_token")
        name = bare
    if name not in tools and not is_plain_name(name):
        words = [part for word in _WORD.findall(name) for part in {word, word.rpartition(".")[2]} if part in tools]
        mended = (words[0] if len(words) == 1 else name) if tools else name.strip(_TRIM_CHARACTERS) or name
        if mended != name:
            parsed.repairs.append("marker_spelling")
            before = name.partition(mended)[0].removesuffix("functions.").strip(_TRIM_CHARACTERS)
            if any(map(str.isalnum, before)):  # prose before a lost marker
                parsed.content = f"{parsed.content}\n{before}" if parsed.content else before
        elif _MARKUP.search(name) is not None:
            parsed.repairs.append("odd_name")
        name = mended
    return name, call.id


def _mended_keys(
    arguments: dict[str, Any], text: str, parameters: dict[str, Any], repairs: list[str]
) -> dict[str, Any]:
    """Arguments whose keys have no turn tokens, and no markup around them that is not in quotes."""
    declared = parameters.get("properties")
    mended: dict[str, Any] = {}
    for key, value in arguments.items():
        name = key
        if not key.isidentifier() and not (isinstance(declared, dict) and key in declared):
            bare = _without_tokens(key)
            if _is_quoted(key, text):
                repairs += ["odd_name"] * (bare != key or (isinstance(declared, dict) and "<" in key))
            elif (
                (stripped := bare.strip(_TRIM_CHARACTERS))
                and "<" not in stripped  # whose bracket would be taken away
                and stripped not in arguments
                and stripped not in mended
            ):
                repairs.append("leaked_token" if bare != key else "marker_spelling")
                name = stripped
        mended[name] = value
    return mended


def _is_quoted(text: str, turn: str) -> bool:
    """Whether a turn has a text in quotes of JSON, of Python, or of JSON in a text of JSON."""
    quoted = jsontext.dumps(text).decode()
    return quoted in turn or single_quoted(text) in turn or jsontext.dumps(quoted).decode()[1:-1] in turn


def _without_tokens(name: str) -> str:
    for token in TURN_TOKENS:
        name = name.replace(token, "")
    return name.strip()


def _holds_token(value: Any) -> bool:
    """Whether a text in a JSON value holds a token that ends turns; ``</s>`` is HTML after ``<s>``."""
    if isinstance(value, str):
        found = TURN_TOKEN.search(value)
        return found is not None and not (found[0] == "</s>" and "<s>" in value)
    if isinstance(value, dict):
        return any(map(_holds_token, value.values()))
    return isinstance(value, list) and any(map(_holds_token, value))
