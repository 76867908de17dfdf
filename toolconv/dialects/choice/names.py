"""Names are judged last: what decorates a name or wraps the arguments is taken away where the declarations say so.

An undeclared name that is one declared name and a known decoration, or damaged markup, is that name; a key is mended
likewise. A parameter that wraps all arguments is unwrapped where the tool declares what is in it and not the wrapper.
A call whose name has markup in it that can't be mended is a dropped one; likely markup in a value is named.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import is_plain_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import QUOTES
from toolconv.core.notes import Dropped
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.turn_tokens import TURN_TOKEN, TURN_TOKENS
from toolconv.dialects.reading.parts import KEPT
from toolconv.dialects.reading.turn_parser import THINK, Parsed, parts_of
from toolconv.dialects.values.python_values import single_quoted

_BEFORE: Final = lazy_re(
    r"(?:function|tool)_calls?(?=[^\W\d_])|(?:functions?|tools?|default_api|assistant|namespace|mcp)(?:__|[._:/])|functions(?=[^\W\d_])|call[:_]?(?=[^\W\d])"
)
"""Before a name: how models spell the namespace of all tools, and markup that has lost what ends it."""
_NAMESPACE: Final = lazy_re(r"(?=[\w.:/\-]+\Z)[\w\-]+(?:__|::|[.:/])(?!\Z)")
"""A server's or a module's name."""
_AFTER: Final = lazy_re(r"(?:[_:.\-]?\d{1,6}|[ ._:]?json|\(\)|[_ ]?tool_call)\Z")
"""After a name: the number of a call, the type of what follows, empty brackets."""
_INVISIBLE: Final = str.maketrans(dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_AROUND: Final = f" \t\r\n\u00a0`*\"'(),;:<>|={QUOTES}"
_EDGES: Final = " \t\r\n=:;,|\"'`<>[]{}()"
"""What no name begins or ends with."""
_MARKUP: Final = lazy_re(r"\|>|[\s<>\"=\[\]{}\\]")
"""What is part of markup, and of no name."""
_DAMAGE: Final = lazy_re(r"\|>|[<>\"'=\[\]{}\\]")
"""What no name has, whoever made it up."""
_PROSE: Final = lazy_re(r"(?=.*\w)[^<>|=\[\]{}\"\\\\]*", re.DOTALL)
"""Words around a name: no markup is left in them."""
_ESCAPED_BLANK: Final = lazy_re(r"\A(?:\\[nrt])+(?=\w)")
_WORD: Final = lazy_re(r"[\w.\-]+")
_CALL_ID: Final = lazy_re(r"(?:call|chatcmpl|tool|toolu|functions?\.call)[_\-:]\w[\w\-]*")
WRAPPERS: Final = frozenset({"arguments", "args", "input", "kwargs", "parameters", "params", "properties"})
"""Keys under which models put all arguments once more."""
MAX_DECORATIONS: Final = 4
"""How many decorations are taken from one name."""
DAMAGED_NAME: Final = "markup in a name that no tool has"
"""Why a call is dropped whose name can't be mended."""


def needs_names(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether the names of a call may be mended. False positives are allowed."""
    functions = tools.functions
    if functions and call.name not in functions:
        return True
    if len(call.arguments) <= 2 and not WRAPPERS.isdisjoint(call.arguments):
        return True
    return not (call.name.isidentifier() and all(map(str.isidentifier, call.arguments)))


def is_damaged(name: str, text: str, tools: ToolIndex) -> bool:
    """Whether markup is in a name that no tool has, and no declared name in it to which it could be mended.

    What a text has escaped is meant.
    """
    is_odd = bool(tools) and name not in tools and _DAMAGE.search(name) is not None and name in text
    return is_odd and not _declared_words(name, tools)


def mend_names(parsed: Parsed, text: str, tools: ToolIndex) -> Parsed:
    """A reading of ``text`` whose names and keys are without decorations and markup, else the calls are dropped."""
    for call in parsed.calls:
        if needs_names(call, tools):
            _unwrap_call(call, tools, parsed.repairs)
            call.name = _mended_name(call.name, text, tools, parsed)
            _mend_keys(call, text, tools, parsed.repairs)
            _unwrap_arguments(call, tools, parsed.repairs)
    if any(is_damaged(call.name, text, tools) for call in parsed.calls):
        _drop_damaged(parsed, text, tools)
    return parsed


def _drop_damaged(parsed: Parsed, text: str, tools: ToolIndex) -> None:
    """Make dropped calls of those with a damaged name: their text goes back to its place in the prose."""
    content, at, taken = parsed.content, 0, 0
    pieces: list[str] = []
    parts = parts_of(parsed, text)
    for number, part in enumerate(parts):
        if part.call is not None and is_damaged(part.call.name, text, tools):
            words = text[part.start : part.end].strip()
            pieces += (content[taken:at].strip("\n") if taken else content[:at].rstrip("\n")), words
            taken = at
            parts[number] = replace(part, kind="dropped", text=words, call=None, reason=DAMAGED_NAME)
            parsed.dropped.append(Dropped(DAMAGED_NAME, words))
        elif part.text and part.kind in (*KEPT, "call"):
            at = max(at, content.find(part.text, at) + len(part.text))
    pieces.append(content[taken:].lstrip("\n") if pieces else content)
    parsed.content, parsed.parts = "\n".join(filter(None, pieces)), parts
    parsed.calls = [call for call in parsed.calls if not is_damaged(call.name, text, tools)]


def name_leaks(parsed: Parsed, text: str) -> Parsed:
    """A reading of ``text`` that names, as ``markup_in_value``, a value with a token that ends turns or with
    a thought at an end.
    """
    has_token = ("|>" in text or "</s>" in text or "｜end" in text) and TURN_TOKEN.search(text) is not None
    if has_token or THINK.close in text:
        for call in parsed.calls:
            if "markup_in_value" not in parsed.repairs and _holds_markup(call.arguments):
                parsed.repairs.append("markup_in_value")
    return parsed


def _mended_name(name: str, text: str, tools: ToolIndex, parsed: Parsed) -> str:
    """A name without decorations and markup."""
    if name in tools:
        return name
    seen = name.translate(_INVISIBLE)
    quoted = seen.strip(QUOTES)
    if quoted != name and is_plain_name(quoted):
        parsed.repairs.append("smart_quotes" if quoted != seen else "zero_width")
        name = quoted
    if (unescaped := _ESCAPED_BLANK.sub("", name)) != name:
        parsed.repairs.append("escaped_newline")
        name = unescaped
    if tools and name not in tools and name.strip() not in tools and len(found := _undecorated(name, tools)) == 1:
        parsed.repairs.append("decorated_name")
        return found.pop()
    return name if name in tools or is_plain_name(name) else _without_markup(name, text, tools, parsed)


def _undecorated(name: str, tools: ToolIndex) -> set[str]:
    """The declared names that are left of a name when decorations are taken from it."""
    names = {name}
    for _ in range(MAX_DECORATIONS):
        if found := {each for each in names if each in tools}:
            return found
        names = {
            bare
            for each in names
            for bare in (each.strip(_AROUND), _BEFORE.sub("", each, 1) if _BEFORE.match(each) else each, *_cut(each))
        }
    return {each for each in names if each in tools}


def _cut(name: str) -> list[str]:
    """A name without its namespace, and without what follows it."""
    cut = [name[: match.start()]] if (match := _AFTER.search(name)) is not None else []
    return [*cut, name[match.end() :]] if (match := _NAMESPACE.match(name)) is not None else cut


def _without_markup(name: str, text: str, tools: ToolIndex, parsed: Parsed) -> str:
    """A name without turn tokens and markup: the only declared name in it, if tools are declared."""
    bare = _without_tokens(name)
    if bare not in tools and jsontext.dumps(name).decode() in text:
        parsed.repairs += ["odd_name"] * (bare != name)
        return name
    if bare != name:
        parsed.repairs.append("marker_spelling" if bare == name.strip() else "leaked_token")
        return _mended_name(bare, text, tools, parsed)
    words = _declared_words(bare, tools)
    mended = (words[0] if len(words) == 1 else bare) if tools else bare.strip(_EDGES) or bare
    if mended != bare:
        parsed.repairs.append("marker_spelling")
        before, _, after = bare.partition(mended)
        for around in (before.removesuffix("functions."), after):
            if _PROSE.fullmatch(around):
                parsed.content = f"{parsed.content}\n{around.strip()}" if parsed.content else around.strip()
    elif _MARKUP.search(bare) is not None and not is_damaged(bare, text, tools):
        parsed.repairs.append("odd_name")
    return mended


def _declared_words(name: str, tools: ToolIndex) -> list[str]:
    """The words of a name that are names of declared tools."""
    return [part for word in _WORD.findall(name) for part in {word, word.rpartition(".")[2]} if part in tools]


def _mend_keys(call: ToolCall, text: str, tools: ToolIndex, repairs: list[str]) -> None:
    """Take what is no part of them from the keys of the arguments: markup stays where quotes are around it."""
    if all(map(str.isidentifier, call.arguments)):
        return
    declared = tools.properties(call.name)
    mended: dict[str, Any] = {}
    for key, value in call.arguments.items():
        name = key
        if not key.isidentifier() and key not in (declared or ()):
            seen, bare = key.translate(_INVISIBLE), _without_tokens(key)
            quoted, stripped = seen.strip(QUOTES), bare.strip(_EDGES)
            if quoted != key and (quoted in (declared or ()) or quoted.isidentifier()):
                name, repair = quoted, "smart_quotes" if quoted != seen else "zero_width"
            elif _is_quoted(key, text):
                repairs += ["odd_name"] * (bare != key or (declared is not None and "<" in key))
            elif stripped and "<" not in stripped:  # whose bracket would be taken away
                name, repair = stripped, "leaked_token" if bare != key else "marker_spelling"
            if name != key and name not in call.arguments and name not in mended:
                repairs.append(repair)
            else:
                name = key
        mended[name] = value
    call.arguments = mended


def _unwrap_call(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Take a whole call out of the arguments of another, whose name is no tool's."""
    inner = call.arguments
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    if arguments is None and call.name not in tools and isinstance(name, str) and _CALL_ID.fullmatch(call.name):
        properties = tools.properties(name)
        rest = {key: value for key, value in inner.items() if key != "name"}
        if properties is not None and rest.keys() <= properties.keys():
            call.id, call.name, call.arguments = call.id or call.name, name, rest
            repairs.append("wrapped_call")
        return
    own = "name" in (tools.properties(call.name) or ())
    if (
        (call.name in tools and (name != call.name or own))
        or len(inner) != 2
        or not isinstance(name, str)
        or not isinstance(arguments, dict)
    ):
        return
    if name in tools or _CALL_ID.fullmatch(call.name) is not None:
        is_id = _CALL_ID.fullmatch(call.name) is not None or any(map(str.isdigit, call.name))
        call.id = call.id or (call.name if is_id else None)  # which may be a stray word
        call.name, call.arguments = name, arguments
        repairs.append("wrapped_call")


def _unwrap_arguments(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Unwrap the arguments of a call that all are the members of one."""
    properties = tools.properties(call.name)
    if len(call.arguments) != 1 or properties is None:
        return
    ((key, value),) = call.arguments.items()
    if key in properties or key not in WRAPPERS:
        return
    if isinstance(value, str):
        try:
            value = jsontext.loads(value)
        except ValueError:
            return
    if isinstance(value, dict) and value.keys() <= properties.keys():
        call.arguments = value
        repairs.append("wrapped_arguments")


def _is_quoted(text: str, turn: str) -> bool:
    """Whether a turn has a text in quotes of JSON, of Python, or of JSON in a text of JSON."""
    quoted = jsontext.dumps(text).decode()
    return quoted in turn or single_quoted(text) in turn or jsontext.dumps(quoted).decode()[1:-1] in turn


def _without_tokens(name: str) -> str:
    for token in TURN_TOKENS:
        name = name.replace(token, "")
    return name.strip()


def _holds_markup(value: Any) -> bool:
    """Whether a text in a JSON value holds a token that ends turns, or begins or ends with a thought.

    ``</s>`` is HTML after ``<s>``.
    """
    if isinstance(value, str):
        if THINK.open in value and THINK.close in value:
            text = value.strip()
            if text.startswith(THINK.open) or text.endswith(THINK.close):
                return True
        found = TURN_TOKEN.search(value)
        return found is not None and not (found[0] == "</s>" and "<s>" in value)
    if isinstance(value, dict):
        return any(map(_holds_markup, value.values()))
    return isinstance(value, list) and any(map(_holds_markup, value))
