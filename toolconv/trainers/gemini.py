"""Gemini's tuning upload and API: ``contents`` of ``parts``, ``functionDeclarations``.

Reads the layout ``gemini``.

- A type that is a list, ``["integer", "null"]``, is refused: it is written as ``"type": "integer", "nullable": true``.
  A list of several other types, and keys and types that Gemini's schema doesn't have, are counted.
- ``null`` as a description is refused: it is left out.
- Parts and declarations hold no other keys: those of calls, messages and functions are left out and counted.
- Tools that are no functions, and parts in the spelling of other APIs, are refused. Each turn must have a part, and a
  system text comes first.
- The first turn is the user's and, for tuning, the last the model's: tails are cut, other rows are refused.

Rows: ``toolconv convert data.jsonl --trainer gemini -o train.jsonl``

Load: ``types.GenerateContentConfig(tools=row["tools"])`` and ``contents=row["contents"]``; for tuning, upload the file
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.core.type_names import TYPES
from toolconv.trainers import checks, repairs
from toolconv.trainers.base import Effect, Trainer, TrainerRow
from toolconv.trainers.parts import in_gemini, parts_fit
from toolconv.trainers.removals import only_function_keys, only_known_keys

SCHEMA_KEYS = frozenset({
    "additionalProperties", "anyOf", "default", "defs", "description", "enum", "example", "format", "items", "maxItems",
    "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "nullable", "pattern",
    "properties", "propertyOrdering", "ref", "required", "title", "type",
})  # fmt: skip
"""The keys of a schema. Source: google-genai, ``types.Schema``."""


def schema_fits(seen: TrainerRow) -> Iterator[Effect]:
    """Keys and types of schemas that Gemini's schema doesn't have."""
    tools = seen.row.get("tools")
    for tool in tools if isinstance(tools, list) else ():
        declared = tool.get("functionDeclarations") if isinstance(tool, dict) else None
        for function in declared if isinstance(declared, list) else ():
            if isinstance(function, dict) and (reason := _misfit(function.get("parameters"))):
                name = function.get("name")
                effect = "schema_type" if reason.startswith(("the type", "a list of types")) else "schema_key"
                yield Effect(effect, f"the tool {name!r} has {reason}, which Gemini's schema can't hold")


def _misfit(schema: Any) -> str | None:
    """The first key or type of a schema that Gemini refuses, for users."""
    if isinstance(schema, bool):
        return f"the schema {schema}"
    if not isinstance(schema, dict):
        return None
    for key, value in schema.items():
        if key == "properties" and not isinstance(value, dict):
            return "'properties' that are no object"
        if key == "required" and not isinstance(value, list):
            return "'required' that is no list"
        if key not in SCHEMA_KEYS:
            return f"the key {key!r}"
        if key == "type" and isinstance(value, list):
            return "a list of types"
        if key == "type" and not (isinstance(value, str) and value.lower() in TYPES):
            return f"the type {value!r}"
        if key == "enum" and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            return "an enum of other values than texts"
    members = schema.get("properties")
    inner = list(members.values()) if isinstance(members, dict) else []
    inner += [schema.get("items"), *(schema["anyOf"] if isinstance(schema.get("anyOf"), list) else ())]
    return next((reason for each in inner if (reason := _misfit(each))), None)


TRAINER = Trainer(
    name="gemini",
    layout="gemini",
    reads=("gemini",),
    own_models=True,
    checks=(
        checks.only_functions,
        checks.functions_are_whole,
        checks.only_roles("system", "developer", "user", "assistant", "tool"),
        parts_fit("contents", "parts", in_gemini),
        checks.system_comes_first,
        checks.begins_with_user,
        checks.ends_with_assistant,
        checks.calls_are_answered,
        schema_fits,
        checks.ids_match("(?s).*"),
        checks.names_differ,
    ),
    repairs={
        "tail_cut": repairs.cut_tail,
        "nullable_type": repairs.nullable_types,
        "null_description_removed": repairs.drop_null_descriptions,
    },
    removals={
        "key_removed": only_known_keys(calls=("thoughtSignature", "thought_signature")),
        "tool_key_removed": only_function_keys("name", "description", "parameters"),
    },
    checked_with="google-genai 3.6.1 (types)",
)
