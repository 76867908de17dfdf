"""What trainers do to rows: the checks that several trainers share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of
from toolconv.core.schema_types import UNIONS
from toolconv.core.type_names import TYPES
from toolconv.templates.output import BOS
from toolconv.trainers.arrow import changed_numbers, holds_null, unloadable_number
from toolconv.trainers.base import Check, Effect, TrainerRow

TOO_BIG: Final = "datasets can't load the file, or fills the arguments of all its rows with nulls"
"""What one integer above 64 bits does: ``datasets`` 5 then skips its search for fields of several forms."""
_SHOWN: Final = 3
_END_AND_BREAK = lazy_re(r"[>\]]\s+\Z")


# ── what loading does to values ──


def numbers_in_arguments(seen: TrainerRow) -> Iterator[Effect]:
    """Numbers in arguments written as objects, which ``datasets`` changes."""
    for index, message in enumerate(row_messages(seen)):
        found = [text for call in calls_of(message) for text in changed_numbers(_object(call))]
        if found:
            yield Effect("number_changed", _changes(found), index)
        if (number := unloadable_number([_object(call) for call in calls_of(message)])) is not None:
            yield Effect("number_too_big", f"{number} is too big: {TOO_BIG}", index)


def numbers_in_tools(seen: TrainerRow) -> Iterator[Effect]:
    """Numbers in tools written as a list, which ``datasets`` changes."""
    if isinstance(tools := seen.row.get("tools"), list):
        as_text = seen.trainer.style.tools == "string"
        hint = f"; convert --trainer {seen.trainer.name} writes tools as text" if as_text else ""
        yield from numbers_of_tools(tools, hint)


def numbers_of_tools(tools: list[Any], hint: str = "") -> Iterator[Effect]:
    """Numbers of tools that ``datasets`` keeps as values; ``hint`` says what helps against one that is too big."""
    if (number := unloadable_number(tools)) is not None:
        yield Effect("number_too_big", f"{number} in the tools is too big: {TOO_BIG}{hint}")
    if found := list(changed_numbers(tools)):
        yield Effect("number_changed", f"{_changes(found)}, in the tools")


def _changes(found: Sequence[str]) -> str:
    """What happens to numbers, for users; ``found`` as :func:`changed_numbers` gives it."""
    more = f", and {len(found) - _SHOWN:,} more" if len(found) > _SHOWN else ""
    return f"datasets >= 4.7 changes numbers: {', '.join(found[:_SHOWN])}{more}"


def text_arguments(seen: TrainerRow) -> Iterator[Effect]:
    """Arguments as JSON text, which a chat template that writes them as JSON encodes again."""
    if seen.template is not None and seen.template.is_known:
        return  # see template_deviates
    for index, message in enumerate(row_messages(seen)):
        if any(isinstance(call["function"].get("arguments"), str) for call in calls_of(message)):
            yield Effect("encoded_twice", "arguments are JSON text, which most chat templates encode again", index)


def null_arguments(seen: TrainerRow) -> Iterator[Effect]:
    """Null members of arguments written as objects, in a trainer that removes them."""
    for index, message in enumerate(row_messages(seen)):
        if any(holds_null(_object(call)) for call in calls_of(message)):
            yield Effect("null_removed", f"{seen.trainer.name} removes null arguments", index)


def null_in_tools(seen: TrainerRow) -> Iterator[Effect]:
    """Null members of tools, in a trainer that removes them from values."""
    if isinstance(tools := seen.row.get("tools"), list) and holds_null(tools):
        yield Effect("null_removed", f"{seen.trainer.name} removes keys of tools that are null")


def reasoning_key(seen: TrainerRow) -> Iterator[Effect]:
    """Reasoning under a key of its own, in a trainer that reads it only in ``<think>``."""
    for index, message in enumerate(row_messages(seen)):
        if message.get("reasoning_content"):
            yield Effect("reasoning_removed", f"{seen.trainer.name} does not read 'reasoning_content'", index)


def text_ends(seen: TrainerRow) -> Iterator[Effect]:
    """Tokens that a trainer adds to a text that has them."""
    text = seen.row.get("text")
    if not isinstance(text, str):
        return
    if seen.trainer.adds_bos and text.startswith(BOS):
        yield Effect("bos_twice", "the text begins with the token that the tokenizer may add: --no-bos leaves it out")
    if seen.trainer.adds_end and _END_AND_BREAK.search(text):
        yield Effect(
            "end_twice", "an end token is added after the closing line break: --end-at-eos ends the text there"
        )


def only_last_answer(why: str) -> Check:
    """The check of several answers in a row of which the last one is trained.

    Args:
        why: what the trainer does.
    """

    def last_answer(seen: TrainerRow) -> Iterator[Effect]:
        if sum(message.get("role") == "assistant" for message in seen.conversation.messages) > 1:
            yield Effect("only_last_trained", why)

    return last_answer


def parts_are_text(seen: TrainerRow) -> Iterator[Effect]:
    """Content parts, such as images, which a chat template for text refuses, or leaves out."""
    for index, message in enumerate(row_messages(seen)):
        if isinstance(message.get("content"), list):
            yield Effect(
                "content_parts", "content parts: a chat template for text refuses them or leaves them out", index
            )


def no_media_alongside(*keys: str) -> Check:
    """The check of images, videos and audios next to the messages, which need a model that takes them.

    Args:
        keys: the keys of a row that the trainer reads so.
    """

    def no_media(seen: TrainerRow) -> Iterator[Effect]:
        found = [key for key in keys if seen.row.get(key)]
        if found and not is_text(seen.row):
            text = f"{seen.trainer.name} reads {' and '.join(map(repr, found))}: it stops unless the model takes them"
            yield Effect("content_parts", text)

    return no_media


def is_text(row: Row) -> bool:
    """Whether a row holds texts, which no chat template writes again."""
    return row.keys().isdisjoint(("messages", "conversations")) and isinstance(
        row.get("text", row.get("completion")), str
    )


def empty_answers(seen: TrainerRow) -> Iterator[Effect]:
    """An answer without text or calls, whose end token axolotl does not train."""
    for index, message in enumerate(seen.conversation.messages):
        if message.get("role") == "assistant" and not message.get("content") and not calls_of(message):
            yield Effect("answer_untrained", f"{seen.trainer.name} does not train the end of an empty answer", index)


# ── what the order of turns must be ──


def begins_with_user(seen: TrainerRow) -> Iterator[Effect]:
    """The first turn after the system text is not the user's."""
    first = after_system(seen.conversation.messages)
    if first is not None and first[1].get("role") != "user":
        yield Effect("first_turn", f"the first turn is {_who(first[1])}, and must be the user's", first[0])


def ends_with_assistant(seen: TrainerRow) -> Iterator[Effect]:
    """The last turn is not the assistant's."""
    messages = seen.conversation.messages
    if messages and messages[-1].get("role") != "assistant" and "rejected" not in seen.conversation.row:
        message = f"the last turn is {_who(messages[-1])}, and must be the assistant's"
        yield Effect("last_turn", message, len(messages) - 1)


def calls_are_answered(seen: TrainerRow) -> Iterator[Effect]:
    """Each call before the last turn has one result, right after its turn, and each result has a call."""
    messages = seen.conversation.messages
    open_ids: list[Any] = []
    asked = -1
    for index, message in enumerate(messages):
        if message.get("role") == "tool":
            wanted = message.get("tool_call_id")
            if wanted in open_ids:
                open_ids.remove(wanted)
            else:
                yield Effect("result_without_call", "a result that answers no call of the turn before", index)
            continue
        if open_ids:
            yield Effect("call_without_result", f"{_count(open_ids)} without a result", asked)
        open_ids, asked = [call.get("id") for call in calls_of(message)], index
    if open_ids and asked < len(messages) - 1:
        yield Effect("call_without_result", f"{_count(open_ids)} without a result", asked)


def has_answers(seen: TrainerRow) -> Iterator[Effect]:
    """A conversation without a turn of the assistant, at which ``assistant_only_loss`` stops the run."""
    messages = seen.conversation.messages
    if not is_text(seen.row) and all(message.get("role") != "assistant" for message in messages):
        yield Effect("no_answer", "no turn of the assistant: with assistant_only_loss, TRL stops at the row")


def answers_once(seen: TrainerRow) -> Iterator[Effect]:
    """A conversation without a turn of the assistant, which is refused."""
    if all(message.get("role") != "assistant" for message in seen.conversation.messages):
        yield Effect("no_answer", "no turn of the assistant")


def system_comes_first(seen: TrainerRow) -> Iterator[Effect]:
    """A system text after the first message."""
    for index, message in enumerate(seen.conversation.messages):
        if index and message.get("role") in SYSTEM_ROLES:
            yield Effect("system_turn_late", "a system text after the first message", index)


def results_follow_answers(seen: TrainerRow) -> Iterator[Effect]:
    """A result that does not follow a turn of the assistant, with or without calls."""
    before: Message = {}
    for index, message in enumerate(seen.conversation.messages):
        if message.get("role") != "tool":
            before = message
        elif before.get("role") != "assistant":
            yield Effect("result_without_call", "a result that follows no turn of the assistant", index)


def no_user_after_result(seen: TrainerRow) -> Iterator[Effect]:
    """A user's turn right after a tool's."""
    messages = seen.conversation.messages
    for index in range(1, len(messages)):
        if messages[index].get("role") == "user" and messages[index - 1].get("role") == "tool":
            yield Effect("turn_order", "a user's turn follows a result, before the assistant answered", index)


def no_empty_answers(seen: TrainerRow) -> Iterator[Effect]:
    """A turn of the assistant with neither text nor calls."""
    for index, message in enumerate(seen.conversation.messages):
        if message.get("role") == "assistant" and not message.get("content") and not calls_of(message):
            yield Effect("empty_answer", "a turn of the assistant has neither text nor calls", index)


def names_match(pattern: str) -> Check:
    """The check that the names of tools, and of functions that are called, match a regular expression."""
    compiled = re.compile(pattern)

    def tool_names(seen: TrainerRow) -> Iterator[Effect]:
        declared: set[str] = set()
        for function in functions_of(seen):
            if isinstance(name := function.get("name"), str):
                declared.add(name)
                if not compiled.fullmatch(name):
                    yield Effect("tool_name", f"the tool name {name!r} does not match {pattern}")
        for index, message in enumerate(seen.conversation.messages):
            for call in calls_of(message):
                name = call["function"].get("name")
                if isinstance(name, str) and name not in declared and not compiled.fullmatch(name):
                    yield Effect("tool_name", f"the name {name!r} of a call does not match {pattern}", index)

    return tool_names


def ids_match(pattern: str) -> Check:
    """The check that the ids of calls and results are texts that match a regular expression."""
    compiled = re.compile(pattern)

    def call_ids(seen: TrainerRow) -> Iterator[Effect]:
        for index, message in enumerate(seen.conversation.messages):
            ids = [call.get("id") for call in calls_of(message)]
            ids += [message["tool_call_id"]] if "tool_call_id" in message else []
            for each in ids:
                if each is not None and not isinstance(each, str):
                    yield Effect("value_refused", f"the id {each!r} of a call is no text", index)
                elif each is not None and not compiled.fullmatch(each):
                    yield Effect("value_refused", f"the id {each!r} of a call does not match {pattern}", index)

    return call_ids


def names_differ(seen: TrainerRow) -> Iterator[Effect]:
    """Two functions of the same name."""
    names: set[str] = set()
    for function in functions_of(seen):
        name = function.get("name")
        if isinstance(name, str):
            if name in names:
                yield Effect("value_refused", f"two tools have the name {name!r}")
            names.add(name)


def functions_of(seen: TrainerRow) -> Iterator[dict[str, Any]]:
    """The functions that are declared."""
    for tool in seen.conversation.tools:
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict):
            yield function


def functions_are_whole(seen: TrainerRow) -> Iterator[Effect]:
    """A declared function without a name, or with a description that is not a text."""
    for function in functions_of(seen):
        name, described = function.get("name"), function.get("description")
        if not isinstance(name, str):
            yield Effect("key_refused", "a function without a name")
        if described is not None and not isinstance(described, str):
            yield Effect("value_refused", f"the description of the tool {name!r} is no text")
        if not isinstance(function.get("parameters", {}), dict | None):
            yield Effect("value_refused", f"the parameters of the tool {name!r} are no object")


def system_alongside(seen: TrainerRow) -> Iterator[Effect]:
    """A ``system`` next to messages without a system text, which the trainer reads as one."""
    messages, text = seen.conversation.messages, seen.row.get("system")
    if text is not None and messages and messages[0].get("role") != "system" and not is_text(seen.row):
        yield Effect("text_differs", f"{seen.trainer.name} reads the row's 'system' as a system text", 0)


def only_roles(*roles: str) -> Check:
    """The check of messages of other roles."""

    def other_roles(seen: TrainerRow) -> Iterator[Effect]:
        for index, message in enumerate(seen.conversation.messages):
            if message.get("role") not in roles:
                yield Effect("role_refused", f"a message of the role {message.get('role')!r}", index)

    return other_roles


def only_functions(seen: TrainerRow) -> Iterator[Effect]:
    """A tool that isn't a function, such as a provider's own search."""
    for tool in seen.conversation.tools:
        if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
            kind = tool.get("type") if isinstance(tool, dict) else None
            what = f"a tool of the type {kind!r}" if kind else "a tool that is no function"
            yield Effect("tool_type", f"{what}, and only functions are accepted")


def only_functions_arrive(seen: TrainerRow) -> Iterator[Effect]:
    """A tool that isn't a function, which the trainer leaves out."""
    for tool in seen.conversation.tools:
        if (kind := _other_type(tool)) is not None:
            yield Effect("tools_removed", f"a tool of the type {kind!r}, which is left out")


def others_are_wrapped(seen: TrainerRow) -> Iterator[Effect]:
    """A tool that isn't a function, which the trainer writes as one, without what it says."""
    for tool in seen.conversation.tools:
        if (kind := _other_type(tool)) is not None:
            yield Effect("tool_wrapped", f"a tool of the type {kind!r} arrives as a function")


def _other_type(tool: Any) -> str | None:
    """The type of a tool that isn't a function, or its first key where it has no type; ``None`` for a function."""
    if not isinstance(tool, dict) or not tool:
        return None
    if "type" in tool:
        return None if tool["type"] == "function" else str(tool["type"])
    return None if {"function", "name"} & tool.keys() else str(next(iter(tool)))


def tools_are_not_empty(seen: TrainerRow) -> Iterator[Effect]:
    """An empty list of tools."""
    if seen.conversation.row.get("tools") == []:
        yield Effect("value_refused", "an empty list of tools")


def tools_are_declared(seen: TrainerRow) -> Iterator[Effect]:
    """Calls or results in a row that declares no tools."""
    messages = seen.conversation.messages
    if not seen.conversation.tools and any(calls_of(each) or each.get("role") == "tool" for each in messages):
        yield Effect("tools_missing", "calls or results, and no tools are declared")


def types_are_json_schema(seen: TrainerRow) -> Iterator[Effect]:
    """A type in a tool's parameters that JSON Schema doesn't have, such as ``str``."""
    for function in functions_of(seen):
        if (odd := _odd_type(function.get("parameters"))) is not None:
            yield Effect("schema_type", f"the tool {function.get('name')!r} has the type {odd!r}, not JSON Schema's")


def _odd_type(schema: Any) -> Any:
    """The first type of a schema that JSON Schema doesn't have; ``None`` if there is none."""
    if not isinstance(schema, dict):
        return None
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind is not None and (not isinstance(kind, str) or kind not in TYPES):
            return kind
    inner = [
        each for key in ("properties", "$defs") if isinstance(schema.get(key), dict) for each in schema[key].values()
    ]
    inner += [schema.get("items"), schema.get("additionalProperties")]
    inner += [each for key in UNIONS if isinstance(schema.get(key), list) for each in schema[key]]
    return next((odd for each in inner if (odd := _odd_type(each)) is not None), None)


def no_prose_with_calls(seen: TrainerRow) -> Iterator[Effect]:
    """A turn of the assistant with both text and calls."""
    for index, message in enumerate(seen.conversation.messages):
        if message.get("content") and calls_of(message):
            yield Effect("prose_with_calls", "a turn of the assistant has both text and calls", index)


def after_system(messages: Sequence[Message]) -> tuple[int, Message] | None:
    """The first message after the system text, and its index; ``None`` if there is none."""
    for index, message in enumerate(messages):
        if message.get("role") not in SYSTEM_ROLES:
            return index, message
    return None


def _who(message: Message) -> str:
    return {"tool": "a tool's", "assistant": "the assistant's", "user": "the user's"}.get(
        str(message.get("role")), f"of the role {message.get('role')!r}"
    )


def _count(calls: Sequence[Any]) -> str:
    return "a call" if len(calls) == 1 else f"{len(calls):,} calls"


def row_messages(seen: TrainerRow) -> list[Message]:
    """The messages of the row itself, if it keeps them as OpenAI does; their indexes are those of the conversation."""
    row = seen.row
    for keys in (("messages",), ("prompt", "completion"), ("prompt", "chosen")):
        parts = [row[key] for key in keys if isinstance(row.get(key), list)]
        messages = [message for part in parts for message in part]
        if messages and len(messages) == len(seen.conversation.messages):
            return messages if all(isinstance(message, dict) for message in messages) else []
    return []


def _object(call: dict[str, Any]) -> Any:
    """The arguments of a call, if they are a value and not JSON text."""
    arguments = call["function"].get("arguments")
    return None if isinstance(arguments, str) else arguments
