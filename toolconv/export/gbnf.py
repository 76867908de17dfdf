"""GBNF grammars for llama.cpp that make a model write prose and only declared calls, in a dialect's own markup.

The text around the arguments comes from the dialect's call template, the rules for the arguments from the schemas of
the tools. Prose doesn't hold the character that calls begin with.

Source: llama.cpp, ``grammars/README.md``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolconv.core.errors import ToolconvError
from toolconv.core.schema_types import types_of
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate, Hole, Piece, pieces_of
from toolconv.export.schema_rules import PYTHON, SchemaRules, literal
from toolconv.schema.tools import Signature

RULES: Final[dict[tuple[str, ...], Callable[[], SchemaRules]]] = {
    ("text",): SchemaRules,
    ("string",): SchemaRules,
    ("spaced",): SchemaRules,
    ("json",): SchemaRules,
    ("compact",): lambda: SchemaRules(",", ":"),
    ("python",): lambda: SchemaRules(quote="'"),
    ("python_double",): lambda: SchemaRules(quote='"'),
}
"""The rules for values, by the spelling of a hole."""
TEXTS: Final = {("text",), ("string",)}
"""Spellings that write texts as they are."""
KEY: Final = "[A-Za-z_] [A-Za-z0-9_.-]*"
ID: Final = "[A-Za-z0-9_.:-]{1,64}"


class NoGrammar(ToolconvError, ValueError):
    """A dialect that no grammar can force; the message says why."""


def gbnf(dialect: Dialect, tools: Sequence[Signature]) -> str:
    """The grammar that lets a model write reasoning, prose and, in a dialect, calls of some tools.

    Args:
        dialect: how calls are written.
        tools: the ways to call them.

    Raises:
        NoGrammar: the dialect can't be forced.
    """
    template = dialect.calls
    if template is None:
        raise _impossible(dialect, "it can only be read")
    if template.turn or template.turn_without_calls != "{prose}":
        raise _impossible(dialect, "it marks prose")
    spelling = template.spells("value" if template.param else "args")
    rules = RULES[spelling]() if spelling in RULES else None
    if rules is None or (spelling in TEXTS and not template.param):
        raise _impossible(dialect, f"its values are spelled as {'|'.join(spelling)}")
    calls = [_call(dialect, template, tool, rules) for tool in tools]
    marker = (template.before + str(template.pieces[0])).lstrip()
    if not marker:
        raise _impossible(dialect, "nothing marks where a call begins")
    call = rules.add("call", " | ".join(dict.fromkeys(calls)))
    between = f"{_literal(template.between)}{call}"
    listed = f"{_literal(template.before)}{call} ({between})* {_literal(template.after)}".strip()
    prose = f"[^{_in_class(marker[0])}]*"
    reasoning = dialect.reasoning
    if reasoning.before.strip() and reasoning.close.strip():
        thought = f"[^{_in_class(reasoning.close.strip()[0])}]*"
        rules.add("reasoning", f"{literal(reasoning.before)} {thought} {literal(reasoning.after)}")
        prose = f"reasoning? {prose}"
    rules.add("calls", listed)
    lines = [f"root ::= {prose} calls?"]
    lines += [f"{name} ::= {rule}" for name, rule in rules.rules.items()]
    return "\n".join(lines) + "\n"


def _call(dialect: Dialect, template: CallTemplate, tool: Signature, rules: SchemaRules) -> str:
    """The name of the rule for a call of a tool."""
    pieces = template.pieces if not template.without_id else pieces_of(template.without_id)
    parts = [_part(dialect, template, piece, tool, rules) for piece in pieces]
    return rules.add(f"call-{tool.name}", " ".join(part for part in parts if part))


def _part(dialect: Dialect, template: CallTemplate, piece: Piece, tool: Signature, rules: SchemaRules) -> str:
    """A literal or a hole of a call, as a part of a rule."""
    if isinstance(piece, str):
        return _literal(piece).strip()
    if piece.word == "name":
        return literal(template.spelling(piece)(tool.name) if piece.spellings else tool.name)
    if piece.word == "index":
        return "[0-9]+"
    if piece.word == "id":
        form = _id(template, tool.name)
        return f'"\\"" {form} "\\""' if "json" in piece.spellings else form
    if piece.word == "params":
        return _params(template, tool, rules)
    if len(piece.spellings) > 1:
        raise _impossible(dialect, "its arguments are JSON text in JSON")
    return rules.value(tool.arguments, f"args-{tool.name}")


def _id(template: CallTemplate, name: str) -> str:
    if template.id_length:
        return f"[A-Za-z0-9]{{{template.id_length}}}"
    if not template.id:
        return ID
    before, _, after = template.id.replace("{name}", name).partition("{index}")
    return f"{_literal(before)}[0-9]+ {_literal(after)}".strip()


def _params(template: CallTemplate, tool: Signature, rules: SchemaRules) -> str:
    """The arguments one by one, in the order in which they are declared."""
    properties = tool.arguments.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    if not properties and tool.arguments.get("additionalProperties") is not False:
        member = _param(template, None, {}, tool, rules)
        separated = f"({_literal(template.param_between)}{member})*"
        return f"({member} {separated})?"
    required = tool.arguments.get("required") or ()
    members = [(_param(template, key, child, tool, rules), key in required) for key, child in properties.items()]
    between = _literal(template.param_between).strip()
    if between:
        return rules.in_order(members, between, f"args-{tool.name}") if members else ""
    return " ".join(member if is_required else f"({member})?" for member, is_required in members)


def _param(template: CallTemplate, key: str | None, schema: Any, tool: Signature, rules: SchemaRules) -> str:
    """One argument; with ``None`` for its key, any argument."""
    pieces = template.param_pieces
    end = next((str(piece) for piece in pieces[_value_at(pieces) + 1 :] if isinstance(piece, str) and piece), "")
    parts = []
    for piece in pieces:
        if isinstance(piece, str):
            parts.append(_literal(piece).strip())
        elif piece.word == "key":
            parts.append(KEY if key is None else literal(template.spelling(piece)(key) if piece.spellings else key))
        elif piece.word == "value":
            parts.append(_value(template, key or "any", schema, tool, rules, end.lstrip()))
        else:
            parts.append("[a-z]+")
    return rules.add(f"arg-{tool.name}-{key or 'any'}", " ".join(part for part in parts if part))


def _value_at(pieces: Sequence[Piece]) -> int:
    return next(at for at, piece in enumerate(pieces) if isinstance(piece, Hole) and piece.word == "value")


def _value(template: CallTemplate, key: str, schema: Any, tool: Signature, rules: SchemaRules, end: str) -> str:
    """A value: texts end where the markup goes on, everything else is JSON."""
    name = f"arg-{tool.name}-{key}-value"
    kinds = types_of(schema, tool.arguments)
    spelling = template.spells("value")
    if spelling not in TEXTS:
        return rules.value(schema, name, tool.arguments)
    if kinds and "string" not in kinds:
        if spelling == ("string",) and kinds & PYTHON.keys():  # Jinja spells these as Python
            words = [word for kind in sorted(kinds & PYTHON.keys()) for word in PYTHON[kind].split(" | ")]
            others = {"type": sorted(kinds - PYTHON.keys())} if kinds - PYTHON.keys() else None
            rest = [] if others is None else [rules.value({**schema, **others}, f"{name}-other", tool.arguments)]
            return rules.add(name, " | ".join([*words, *rest]))
        return rules.value(schema, name, tool.arguments)
    values = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return rules.add(name, " | ".join(map(literal, values)))
    return f"[^{_in_class(end[:1] or '<')}]*"


def _literal(text: str) -> str:
    """A text as a part of a rule, with a space after it; empty for no text."""
    return f"{literal(text)} " if text else ""


def _in_class(character: str) -> str:
    return re.sub(r"([\]\\^-])", r"\\\1", character)


def _impossible(dialect: Dialect, why: str) -> NoGrammar:
    return NoGrammar(f"no grammar can force dialect {dialect.name!r}: {why}")
