"""Names are judged last: what decorates a name or wraps the arguments is taken away where the declarations say so.

An undeclared name that is one declared name and a known decoration is that name; a key is mended likewise. A parameter
that wraps all arguments is unwrapped where the tool declares what is in it and not the wrapper.
"""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import is_plain_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import QUOTES
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Parsed

_BEFORE: Final = lazy_re(
    r"(?:functions?|tools?|default_api|assistant|namespace|mcp)(?:__|[._:/])|functions(?=[^\W\d_])|call[:_](?=[^\W\d])"
)
"""Before a name: how models spell the namespace of all tools."""
_NAMESPACE: Final = lazy_re(r"(?=[\w.:/\-]+\Z)[\w\-]+(?:__|::|[.:/])(?!\Z)")
"""A server's or a module's name."""
_AFTER: Final = lazy_re(r"(?:[_:.\-]?\d{1,6}|[ ._:]?json|\(\)|[_ ]?tool_call)\Z")
"""After a name: the number of a call, the type of what follows, empty brackets."""
INVISIBLE: Final = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
EDGES: Final = "\u200b\u2060\ufeff"
"""Those that no text needs at its ends."""
_INVISIBLE: Final = str.maketrans(dict.fromkeys(INVISIBLE))
_NO_EDGES: Final = str.maketrans(dict.fromkeys(EDGES))
_AROUND: Final = f" \t\r\n\u00a0`*\"'(),;:{QUOTES}"
_CALL_ID: Final = lazy_re(r"(?:call|chatcmpl|tool|toolu|functions?\.call)[_\-:]\w[\w\-]*")
WRAPPERS: Final = frozenset({"arguments", "args", "input", "kwargs", "parameters", "params", "properties"})
"""Keys under which models put all arguments once more."""
MAX_DECORATIONS: Final = 4
"""How many decorations are taken from one name."""


def needs_names(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether the names of a call may be mended. False positives are allowed."""
    functions = tools.functions
    if functions and call.name not in functions:
        return True
    if len(call.arguments) <= 2 and not WRAPPERS.isdisjoint(call.arguments):
        return True
    return not (call.name.isidentifier() and all(map(str.isidentifier, call.arguments)))


def as_declared(parsed: Parsed, tools: ToolIndex) -> Parsed:
    """A reading without what decorates its names, or wraps its arguments."""
    for call in parsed.calls:
        if needs_names(call, tools):
            _unwrap_call(call, tools, parsed.repairs)
            _mend_name(call, tools, parsed.repairs)
            _mend_keys(call, tools, parsed.repairs)
            _unwrap_arguments(call, tools, parsed.repairs)
    return parsed


def strip_invisible(parsed: Parsed, text: str) -> None:
    """Take the invisible characters from both ends of the texts in the arguments, and out of the keys in them."""
    if not parsed.calls or text.isascii() or not any(char in text for char in EDGES):
        return
    for call in parsed.calls:
        if (visible := _visible(call.arguments)) != call.arguments:
            call.arguments = visible
            parsed.repairs.append("zero_width")


def _visible(value: Any) -> Any:
    """A value of arguments without invisible characters where no text needs them."""
    if isinstance(value, str):
        return value.strip(EDGES)
    if isinstance(value, dict):
        named = {key.translate(_NO_EDGES): _visible(member) for key, member in value.items()}
        return named if len(named) == len(value) else value
    return [_visible(item) for item in value] if isinstance(value, list) else value


def _mend_name(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Take the decorations from a name."""
    name = call.name
    if name in tools:
        return
    if tools and "<" in name and (bare := _bare(name)) in tools:
        call.name = bare
        repairs.append("leaked_token")
        return
    seen = name.translate(_INVISIBLE)
    quoted = seen.strip(QUOTES)
    if (seen != name or quoted != seen) and (is_plain_name(quoted) or quoted in tools):
        repairs.append("smart_quotes" if quoted != seen else "zero_width")
        call.name = name = quoted
    if tools and name not in tools and name.strip() not in tools and len(found := _undecorated(name, tools)) == 1:
        (call.name,) = found
        repairs.append("decorated_name")


def _undecorated(name: str, tools: ToolIndex) -> set[str]:
    """The declared names that are left of a name when decorations are taken from it."""
    names = {name}
    for _ in range(MAX_DECORATIONS):
        found = {each for each in names if each in tools}
        if found:
            return found
        names = {
            bare
            for each in names
            for bare in (each.strip(_AROUND), _BEFORE.sub("", each, 1) if _BEFORE.match(each) else each, *_cut(each))
            if bare
        }
    return {each for each in names if each in tools}


def _cut(name: str) -> list[str]:
    """A name without its namespace, and without what follows it."""
    cut = [name[: match.start()]] if (match := _AFTER.search(name)) is not None else []
    return [*cut, name[match.end() :]] if (match := _NAMESPACE.match(name)) is not None else cut


def _mend_keys(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Take what is no part of them from the keys of the arguments."""
    if all(map(str.isidentifier, call.arguments)):
        return
    properties = (tools.parameters(call.name) or {}).get("properties")
    declared: dict[str, Any] = properties if isinstance(properties, dict) else {}
    mended: dict[str, Any] = {}
    for key, value in call.arguments.items():
        name = key
        if key not in declared and not key.isidentifier():
            seen = key.translate(_INVISIBLE).strip(QUOTES)
            if seen != key and (seen in declared or seen.isidentifier()) and seen not in call.arguments:
                repairs.append("zero_width" if seen == key.translate(_INVISIBLE) else "smart_quotes")
                name = seen
        mended[name] = value
    call.arguments = mended


def _unwrap_call(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Take a whole call out of the arguments of another, whose name is no tool's."""
    inner = call.arguments
    name, arguments = inner.get("name"), inner.get("arguments", inner.get("parameters"))
    if arguments is None and call.name not in tools and isinstance(name, str) and _CALL_ID.fullmatch(call.name):
        properties = (tools.parameters(name) or {}).get("properties")
        rest = {key: value for key, value in inner.items() if key != "name"}
        if isinstance(properties, dict) and rest.keys() <= properties.keys():
            call.id, call.name, call.arguments = call.id or call.name, name, rest
            repairs.append("wrapped_call")
        return
    declared = (tools.parameters(call.name) or {}).get("properties")
    own = isinstance(declared, dict) and "name" in declared
    if (
        (call.name in tools and (name != call.name or own))
        or len(inner) != 2
        or not isinstance(name, str)
        or not isinstance(arguments, dict)
    ):
        return
    if name in tools or (not tools and _CALL_ID.fullmatch(call.name) is not None and is_plain_name(name)):
        call.id = call.id or call.name
        call.name, call.arguments = name, arguments
        repairs.append("wrapped_call")


def _unwrap_arguments(call: ToolCall, tools: ToolIndex, repairs: list[str]) -> None:
    """Unwrap the arguments of a call that all are the members of one."""
    properties = (tools.parameters(call.name) or {}).get("properties")
    if len(call.arguments) != 1 or not isinstance(properties, dict):
        return
    ((key, value),) = call.arguments.items()
    if key in properties or key not in WRAPPERS:
        return
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = jsontext.loads(value)
        except ValueError:
            return
    if isinstance(value, dict) and value and value.keys() <= properties.keys():
        call.arguments = value
        repairs.append("wrapped_arguments")


def _bare(name: str) -> str:
    """A name without the turn tokens in it, and without what is left of a tag around it."""
    for token in TURN_TOKENS:
        name = name.replace(token, "")
    return name.strip("<>|=\"'")
