"""OpenAI Responses rows: ``input`` and ``output`` lists of items, flat tools; also under ``responses_create_params``.

Items are messages, ``reasoning``, ``function_call`` and ``function_call_output``. A call and its output share a
``call_id``; the ``id`` of an item is something else. Consecutive items of the assistant are read as one message, if
they are in the order reasoning, message, calls. ``instructions`` are the system message. ``output`` (of the
row, or of its ``response``) follows ``input``. A call's own ``id`` is kept as ``item_id``, and reasoning items under
``thinking_blocks``. A tool search with a ``call_id``, which the program runs, is a call of ``tool_search``, and the
tools are its result. Other items (searches at the provider, MCP and custom calls with their outputs) pass through as
content parts. NVIDIA NeMo Gym's rows keep their ``responses_create_params`` and the verifier's fields. All turns are
written under ``input``, with arguments like ``json.dumps``.

Lost: other keys of an assistant turn that only has calls (``message_keys``), audio, video and images of the assistant,
which stay as they are (``content_parts``), the tool name of an output if it is not its call's
(``response_keys``), the boundary between two assistant turns if the second only has calls (``turns_merged``).

Source: OpenAI API reference, responses; NVIDIA-NeMo/Gym.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import ordered_like, replace_key, same
from toolconv.layouts.base import Layout, LayoutError, Original, maybe_json, row_for, value_of
from toolconv.layouts.call_items import CalledNames, call_extras, call_item, checked, extras, numbered
from toolconv.layouts.content_blocks import is_plain, is_text, kept_pieces
from toolconv.layouts.content_parts import TEXTS, THINKING, kept_reasoning, own_reasoning
from toolconv.layouts.part_forms import ANSWER, USER, PartForm
from toolconv.layouts.tool_schema import flat_tool, read_tools

PARAMS = "responses_create_params"
ITEM_ENDS = ("_call", "_output", "_request", "_response", "_reference", "_tools")
OTHER_ITEMS = ("compaction", "program")
"""How the types of items end that are no messages, and those of others."""

RANKS = {"reasoning": 0, "function_call": 2}
"""The order in which an assistant message keeps its items. Messages and other items come in between."""

SEARCH = "tool_search"
"""The name that a search for tools has as a call, as in Codex."""

SEARCHES = {f"{SEARCH}_call": "function_call", f"{SEARCH}_output": "function_call_output"}
"""Items of a search that have a ``call_id``, since the program runs it, and what they are; others are content parts."""

NOTHING: list[tuple[str, Any]] = [("annotations", []), ("annotations", None), ("logprobs", []), ("logprobs", None)]

BARE = {"type", "role", "content"}
"""Keys of a message that only has content."""


class Responses(Layout):
    """Items, paired by ``call_id``."""

    name = "responses"
    aliases = ("openai-responses", "nemo-gym")
    runs = frozenset(("responses", "custom"))
    own_keys = frozenset({"type"})
    own_result_keys = frozenset({"type", "call_id", "output"})
    sample = (
        '{"input":[{"role":"user","content":"Weather in Tokyo?"},{"type":"function_call","call_id":"call_1","name":'
        '"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"},{"type":"function_call_output","call_id":"call_1",'
        '"output":"Sunny"}],"tools":[{"type":"function","name":"get_weather","parameters":{"type":"object"}}]}'
    )

    def matches(self, row: Row) -> bool:
        if isinstance(row.get(PARAMS), dict):
            return True
        places = _places(row)
        if all(holder is row.get("response") for holder, _ in places) and any(map(_is_request, row.values())):
            return False
        lists = (holder[key] for holder, key in places if isinstance(holder[key], list))
        items = [item for each in lists for item in each if isinstance(item, dict)]
        if not any(_is_message(item) or _is_item(item) for item in items) or any(map(_is_chat, items)):
            return False
        return "input" in row or "messages" not in row  # which its output would answer

    def decode(self, row: Row) -> Conversation:
        body, places = _body(row), _places(row)
        if not places:
            raise LayoutError("no list of items under 'input' or 'output'")
        notes = Notes()
        prefix = "" if body is row else f"/{PARAMS}"
        messages = _instructions(body)
        fields = [RowField(f"{prefix}/instructions", 1)] if messages else []
        for holder, key in places:
            pointer = f"{prefix}/{key}" if holder is body else f"/{key}" if holder is row else f"/response/{key}"
            value = holder[key]
            if isinstance(value, str):
                messages.append({"role": "user", "content": value})
                fields.append(RowField(pointer, 1))
                continue
            starts: list[int] = []
            at = 0
            items = value if key != "input" else [_asked(item) for item in value]
            for message, count in _read_items(items, notes):
                messages.append(message)
                starts.append(at)
                at += count
            fields.append(RowField(pointer, len(starts), value, starts))
        number_calls(messages)
        canonical: Row = {}
        for key, value in row.items():
            if key == PARAMS:
                canonical[key] = extras(value, "input", "tools", "instructions") if body is value else value
                if body is value and "tools" in value:
                    canonical["tools"] = read_tools(maybe_json(value["tools"]), notes)
                canonical["messages"] = messages
            elif (row, key) in places:
                canonical["messages"] = messages
            elif (value, "output") in places:
                canonical.update({key: extras(value, "output"), "messages": messages})
            elif key == "tools" and body is row:
                canonical["tools"] = read_tools(maybe_json(value), notes)
            elif key != "instructions" or body is not row or not _instructions(row):
                canonical[key] = value
        return Conversation(canonical, notes, fields=fields)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, names = numbered(conversation.messages)
        items = _write(messages, names, conversation.notes)
        row = row_for(conversation, *(key for key, value in conversation.row.items() if _is_ours(key, value)))
        body: Row = {"input": items}
        if isinstance(row.get("tools"), list):
            body["tools"] = _write_tools(row["tools"])
        if isinstance(given := row.get(PARAMS), dict):
            row = {**extras(row, "messages", *body), PARAMS: {"input": items, **given, **body}}
        else:
            row = {**replace_key(row, "messages", "input", items), **body}
        if original is not None:
            self._restore(row, conversation, (messages, names), original)
        return row

    def _restore(
        self, row: Row, conversation: Conversation, numbered: tuple[list[Message], CalledNames], original: Original
    ) -> None:
        """Put the instructions, items and tools that did not change back into ``row`` verbatim."""
        came, read = original
        given = _body(came)
        body = row if given is came else row[PARAMS]
        if "tools" in body and same(conversation.row.get("tools"), read.row.get("tools")):
            body["tools"] = given["tools"]
        now, before, places = conversation.messages, read.messages, _places(came)
        fields = read.fields[len(read.fields) - len(places) :]
        start = len(read.fields) - len(places)
        if len(now) != len(before) or not same(now[:start], before[:start]):
            return
        del body["input"]
        if start:
            body["instructions"] = given["instructions"]
        for field, (holder, key) in zip(fields, places, strict=True):
            end = start + field.size
            write = partial(_write_range, numbered[0][start:end], numbered[1][start:end])
            if field.pieces is not None:
                value = kept_pieces(field, now[start:end], before[start:end], write)
            else:
                value = holder[key] if same(now[start:end], before[start:end]) else write(0, 1)
            start = end
            if holder is given:
                body[key] = value
            elif holder is came:
                row[key] = value
            else:
                row["response"] = ordered_like({**row.get("response", {}), key: value}, holder)
        if body is not row:
            row[PARAMS] = ordered_like(body, given)


def _body(row: Row) -> Row:
    """The object that holds the request."""
    params = row.get(PARAMS)
    return params if isinstance(params, dict) else row


def _is_request(value: Any) -> bool:
    """Whether a value is a request of its own, which another layout reads together with its answer."""
    return isinstance(value, dict) and ("input" in value or "messages" in value) and "output" not in value


def _places(row: Row) -> list[tuple[Row, str]]:
    """The objects and keys of the items, in order."""
    body, response = _body(row), row.get("response")
    places = [(body, "input"), (row, "output")]
    if isinstance(response, dict):
        places.append((response, "output"))
    return [
        (holder, key)
        for holder, key in places
        if isinstance(holder.get(key), list) or (key == "input" and isinstance(holder.get(key), str))
    ]


def _is_message(item: Row) -> bool:
    """Whether an item is a message or a part of one, by its type or, without one, by its role."""
    if type(kind := item.get("type")) is not str:
        return "role" in item
    return kind in RANKS or (kind == "message" and "content" in item)


def _is_chat(item: Row) -> bool:
    """Whether an item is of a chat completion: a message with calls, a result, a choice."""
    return "tool_calls" in item or item.get("role") == "tool" or isinstance(item.get("message"), dict)


def _is_ours(key: str, value: Any) -> bool:
    """Whether an unknown key of another layout's row would be read as items or instructions."""
    if key == "response":
        return isinstance(value, dict) and isinstance(value.get("output"), list)
    return key in ("input", "output") or (key == "instructions" and isinstance(value, str))


def _instructions(body: Row) -> list[Message]:
    text = body.get("instructions")
    return [{"role": "system", "content": text}] if isinstance(text, str) and text else []


# ── reading ──


def _asked(item: Any) -> Any:
    """An item of the input, of which a text is what the user says."""
    return {"role": "user", "content": item} if isinstance(item, str) else item


def _read_items(items: Iterable[Any], notes: Notes) -> Iterator[tuple[Message, int]]:
    """The messages of items, and how many items each has."""
    turn: list[tuple[str, Any]] = []
    rank = 0
    for item in items:
        kind = _kind(item)
        if kind in ("function_call_output", "turn"):
            if turn:
                yield _read_turn(turn, notes), len(turn)
                turn = []
            yield _read_output(item) if kind == "function_call_output" else _read_message(item), 1
            continue
        new = RANKS.get(kind, 1)
        if turn:
            again = kind == "message" and any(earlier == "message" for earlier, _ in turn)
            if new < rank or (again and (turn[-1][0] == "message" or not item.keys() <= BARE)):
                yield _read_turn(turn, notes), len(turn)
                turn = []
        turn.append((kind, item))
        rank = new
    if turn:
        yield _read_turn(turn, notes), len(turn)


def _kind(item: Any) -> str:
    """The kind of an item; ``turn`` for a message that is not the assistant's."""
    if not isinstance(item, dict):
        return "other"
    kind = item.get("type") or "message"
    if kind == "message" and "role" in item:
        return "message" if item["role"] == "assistant" else "turn"
    if kind in SEARCHES and item.get("call_id") is not None:
        return SEARCHES[kind]
    return str(kind) if kind != "message" else "other"


def _read_message(item: Row) -> Message:
    return {key: _read_content(value) if key == "content" else value for key, value in item.items() if key != "type"}


def _read_content(value: Any) -> Any:
    if not isinstance(value, list):
        return "" if value is None else value
    parts = [_read_part(part) for part in value]
    if not parts:
        return ""
    return parts[0]["text"] if len(parts) == 1 and is_plain(parts[0]) else parts


def _read_part(part: Any) -> Any:
    if not is_text(part) or part.get("type") not in TEXTS:
        return USER.read(part)
    if len(part) == 2:
        return {"type": "text", "text": part["text"]}
    return {"type": "text"} | {key: kept for key, kept in part.items() if key != "type" and (key, kept) not in NOTHING}


def _read_output(item: Row) -> Message:
    message: Message = {"role": "tool"}
    for key, value in item.items():
        if key == "call_id":
            message["tool_call_id"] = value
        elif key == "output":
            message["content"] = _read_content(value)
        elif key == "tools" and item["type"] != "function_call_output":
            message["content"] = jsontext.spaced(value)
        elif key != "type":
            message[key] = value
    message.setdefault("content", "")
    return message


def _read_turn(items: list[tuple[str, Any]], notes: Notes) -> Message:
    """The message of consecutive items of the assistant."""
    message: Message = {"role": "assistant"}
    content: Any = ""
    reasoning: list[Any] = []
    calls: list[Any] = []
    for kind, item in items:
        if kind == "reasoning":
            reasoning.append(item)
        elif kind == "function_call":
            extra = extras(item, "type", "call_id", "name", "arguments", "id")
            if "id" in item:
                extra = {"item_id": item["id"], **extra}
            name = SEARCH if item["type"] != "function_call" else item.get("name")
            calls.append(call_item(item.get("call_id"), name, item.get("arguments"), extra, notes))
        elif kind == "message":
            read = _read_message(item)
            content = _joined(content, read.pop("content", ""))
            message.update(read)
        else:
            content = _joined(content, [item])
    message["content"] = content
    if reasoning:
        message.update(kept_reasoning([(_reasoning_text(item), item) for item in reasoning], _write_reasoning))
    if calls:
        message["tool_calls"] = calls
    return message


def _joined(one: Any, other: Any) -> Any:
    """Two contents as one."""
    if not one or not other:
        return one or other
    return [*_listed(one), *_listed(other)]


def _listed(content: Any) -> list[Any]:
    return content if isinstance(content, list) else [{"type": "text", "text": content}]


def _reasoning_text(item: Any) -> str | None:
    """The text of a reasoning item: its content, otherwise its summary; ``None`` for any other item."""
    if _kind(item) != "reasoning":
        return None
    for key in ("content", "summary"):
        parts = item.get(key)
        texts = [part["text"] for part in parts or () if is_text(part)] if isinstance(parts, list) else []
        if texts:
            return "\n\n".join(texts)
    return ""


# ── writing ──


def _write_range(messages: list[Message], names: CalledNames, start: int, end: int) -> list[Any]:
    return _write(messages[start:end], names[start:end], Notes())


def _write(messages: Iterable[Message], names: CalledNames, notes: Notes) -> list[Any]:
    items: list[Any] = []
    turn: list[Any] = []
    for message, name in zip(messages, names, strict=True):
        role = message.get("role")
        if role == "assistant":
            before, turn = turn, _write_turn(message, notes)
            if before and len(list(_read_items(before + turn, Notes()))) == 1:
                notes.losses.append("turns_merged")
            items.extend(turn)
            continue
        turn = []
        if role == "tool":
            items.append(_write_output(message, name, notes))
        else:
            items.append(_write_message({**message, "content": message.get("content") or ""}, USER, notes))
    return items


def _write_message(message: Message, form: PartForm, notes: Notes) -> Row:
    return {"type": "message"} | {
        key: _write_parts(value, form, notes) if key == "content" and isinstance(value, list) else value
        for key, value in message.items()
    }


def _write_parts(parts: list[Any], form: PartForm, notes: Notes) -> list[Any]:
    """Parts of a message. A list that would be read back as text is a loss."""
    if not isinstance(_read_content(parts), list):
        notes.losses.append("content_parts")
    return form.write_all(parts, notes)


def _is_item(part: Any) -> bool:
    """Whether a part is an item of its own, such as a search at the provider."""
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (kind.endswith(ITEM_ENDS) or kind in OTHER_ITEMS or kind.startswith("mcp_"))


def _write_output(message: Message, name: str | None, notes: Notes) -> Row:
    if "name" in message and message["name"] != name:
        notes.losses.append("response_keys")
    content = message.get("content")
    output = _write_parts(content, USER, notes) if isinstance(content, list) else content or ""
    tied = {"call_id": message["tool_call_id"]} if "tool_call_id" in message else {}
    item = {"type": "function_call_output", **tied, "output": output}
    if message.get("execution") == "client" and isinstance(found := value_of(str(content).encode()), list):
        item = {"type": f"{SEARCH}_output", **tied, "tools": found}
    return {**item, **extras(message, "role", "tool_call_id", "name", "content")}


def _write_turn(message: Message, notes: Notes) -> list[Any]:
    """An assistant message as items."""
    kept = extras(message, "content", "reasoning_content", "tool_calls")
    reasoning, content = message.get("reasoning_content") or "", message.get("content") or ""
    items: list[Any] = []
    if (own := own_reasoning(message, _reasoning_text)) is not None:
        items.extend(own)
        del kept[THINKING]
    elif reasoning:
        items.append(_write_reasoning(reasoning))
    if message.get("content") == []:
        notes.losses.append("content_parts")
    calls = message.get("tool_calls") or []
    spoken: list[Any] = []
    for part in _listed(content) if content else []:
        if _is_item(part):
            if spoken:
                items.append(_write_message({**kept, "content": spoken}, ANSWER, notes))
                kept, spoken = {"role": "assistant"}, []
            items.append(part)
        else:
            spoken.append(part)
    if spoken or not (items or calls):
        whole = isinstance(content, str)
        items.append(_write_message({**kept, "content": content if whole else spoken}, ANSWER, notes))
    elif kept.keys() != {"role"}:
        notes.losses.append("message_keys")
    items.extend(_write_call(checked(call)) for call in calls)
    return items


def _write_reasoning(text: str) -> Row:
    return {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": text}]}


def _write_call(call: dict[str, Any]) -> Row:
    function, extra = call["function"], call_extras(call)
    item: Row = {"type": "function_call"}
    if "item_id" in extra:
        item["id"] = extra.pop("item_id")
    if function["name"] == SEARCH and extra.get("execution") == "client":
        return {**item, "type": f"{SEARCH}_call", "call_id": call["id"], "arguments": function["arguments"], **extra}
    arguments = jsontext.spaced(function["arguments"])
    return {**item, "call_id": call["id"], "name": function["name"], "arguments": arguments, **extra}


def _write_tools(tools: list[Any]) -> list[Any]:
    """Flat declarations; consecutive ones of a namespace are in one item."""
    written: list[Any] = []
    last: Any = None
    for tool in tools:
        flat = flat_tool(tool)
        item = tool if flat is None else {"type": "function", **extras(flat, "namespace")}
        namespace = tool.get("namespace") if isinstance(tool, dict) else None
        if not isinstance(namespace, dict):
            written.append(item)
        elif last == namespace:
            written[-1]["tools"].append(item)
        else:
            written.append({"type": "namespace", **namespace, "tools": [item]})
        last = namespace
    return written


LAYOUT = Responses()
