"""Codex sessions: ``~/.codex/sessions/**/rollout-*.jsonl``, of OpenAI's Codex CLI, in both of their forms.

The lines of a file are joined to rows ``{"lines": […]}``. The conversation is in ``response_item`` lines, which hold
Responses items; before September 2025 the items were lines of their own. ``event_msg`` lines say the same again for
the screen, and are skipped. ``base_instructions`` is the system message, and ``dynamic_tools`` are the tools;
built-in ones are not recorded. The free text of a ``custom_tool_call`` is its argument ``input``. A ``compacted``
line begins a row with its history (``"relation": "compaction"``). In the file of a fork or a subagent, ``parent`` and
``relation`` come from its ``session_meta``. ``id``, ``cwd``, ``cli_version``, ``git``, ``timestamp``, ``model`` and
``usage`` are keys of the row, and ``other_lines`` counts the lines that are no items. Calls and results that other
programs write as items (``tool_call``, ``tool_result``) are read like content parts. Rows are only read. The events
of ``codex exec --json`` are another format, without names and arguments of tools, and are not read.

Lost: encrypted reasoning (``hidden_reasoning``), the joints of several texts (``content_parts``), and items of unknown
types, or lines of none (``session_items``).

Source: openai/codex, ``codex-rs/protocol/src/protocol.rs`` and ``models.rs``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, Layout, listed, value_of
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.nested_json import opened
from toolconv.layouts.record_values import only
from toolconv.layouts.speakers import with_role
from toolconv.layouts.tool_schema import read_tools

ITEM: Final = "response_item"
LINES: Final = (
    ITEM, "session_meta", "event_msg", "turn_context", "world_state", "compacted", "inter_agent_communication",
    "inter_agent_communication_metadata",
)  # fmt: skip
CALL: Final = Part("call", ("arguments",), ("call_id",), kept=("namespace",))
RESULT: Final = Part("result", ("output",), ("call_id",), (), kept=())
ITEMS: Final = Parts(
    {
        "reasoning": Part("reasoning", ("content", "summary"), kept=()),
        "function_call": CALL,
        "custom_tool_call": CALL._replace(value=("input",), argument="input"),
        "local_shell_call": CALL._replace(value=("action",), called="local_shell"),
        "tool_search_call": CALL._replace(called="tool_search"),
        "function_call_output": RESULT,
        "custom_tool_call_output": RESULT,
        "tool_search_output": RESULT._replace(value=("tools",)),
        "web_search_call": Part("media"),
        "image_generation_call": Part("media"),
    }
)
"""The items other than messages that have a meaning, in wrapped and in bare lines; media ran at the provider."""

HEAD: Final = ("cwd", "cli_version", "git", "originator", "source", "model_provider")


class Codex(Layout):
    """The lines of a session."""

    leaves_out = True
    name = "codex"
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {
        "type": frozenset({"event_msg"}),
        "record_type": frozenset({"state"}),
    }
    lacks = WITHOUT_TOOLS
    shape = "list of lines of a session under 'lines'"
    aliases = ("codex-rollout",)
    sample = (
        '{"lines":[{"timestamp":"2026-08-01T11:00:00Z","type":"session_meta","payload":{"id":"s1","cwd":"/app"}},'
        '{"timestamp":"2026-08-01T11:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":'
        '[{"type":"input_text","text":"List the files."}]}},{"timestamp":"2026-08-01T11:00:02Z","type":"response_item",'
        '"payload":{"type":"function_call","name":"shell","arguments":"{\\"command\\": [\\"ls\\"]}","call_id":"c1"}}'
        ',{"timestamp":"2026-08-01T11:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":'
        '"c1","output":"a.txt"}}]}'
    )

    def joins(self, document: Any) -> bool:
        return _is_wrapped(document) or _is_old_head(document)

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        number, relation, turns = 0, b"", False
        texts: list[bytes] = []
        rows: list[Line] = []
        meta: list[bytes] = []
        for line in lines:
            value = value_of(line.text)
            if not isinstance(value, dict):
                rows.append(line)
                continue
            if value.get("type") == "compacted" and isinstance(value.get("payload"), dict) and turns:
                rows.append(_row(number, texts, relation))
                texts, relation, number = list(meta), b'"relation":"compaction",', line.number
            if value.get("type") in ("session_meta", "turn_context"):
                meta = [*meta[:1], line.text] if value["type"] == "turn_context" else meta or [line.text]
            turns = turns or value.get("type") == ITEM or _item(value) is not None
            number = number or line.number
            texts.append(line.text)
        if texts and turns:
            rows.append(_row(number, texts, relation))
        yield from sorted(rows, key=lambda row: row.number)

    def matches(self, row: Row) -> bool:
        lines = listed(row.get("lines"))
        return lines is not None and self.joins(lines[0])

    def decode(self, row: Row) -> Conversation:
        lines = listed(row["lines"]) or []
        builder = MessageBuilder(recorded=True)
        meta = next((line["payload"] for line in lines if line.get("type") == "session_meta"), None)
        keys: Row = {} if meta is None else _head(meta, builder.notes)
        if meta is None and _is_old_head(lines[0]):
            keys = {key: lines[0][key] for key in ("id", "timestamp", "git") if key in lines[0]}
        keys.update((key, value) for key, value in row.items() if key != "lines")
        prompt = meta.get("base_instructions") if meta is not None else None
        if isinstance(prompt, dict) and isinstance(prompt.get("text"), str):
            builder.say("system", prompt["text"])
        others: Counter[str] = Counter()
        for place, line in enumerate(lines):
            builder.place = place
            item = _item(line)
            if item is not None:
                _read(item, builder)
            elif line.get("type") == "compacted":
                for item in _history(line["payload"]):
                    _read(item, builder)
            elif line.get("type") != "session_meta" and not _is_old_head(line):
                kind = line.get("type") or line.get("record_type")
                others[str(kind)] += 1
                builder.notes.losses.extend(["session_items"] if kind is None else [])
        payloads = [line["payload"] for line in lines if isinstance(line.get("payload"), dict)]
        if model := only(payload.get("model") for payload in payloads if "type" not in payload):
            keys["model"] = model
        counts = [payload.get("info") for payload in payloads if payload.get("type") == "token_count"]
        totals = [
            info["total_token_usage"] for info in counts if isinstance(info, dict) and "total_token_usage" in info
        ]
        if totals:
            keys["usage"] = totals[-1]
        if others:
            keys["other_lines"] = dict(others)
        return builder.conversation(keys, "/lines", lines)


def _row(number: int, texts: list[bytes], relation: bytes) -> Line:
    return Line(number, b"{" + relation + b'"lines":[' + b",".join(texts) + b"]}")


def _is_wrapped(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in LINES and isinstance(value.get("payload"), dict)


def _is_old_head(value: Any) -> bool:
    """Whether a value is the first line of a session in the old form."""
    return isinstance(value, dict) and value.keys() <= {"id", "timestamp", "instructions", "git"} and len(value) > 2


def _item(line: Row) -> Row | None:
    """The item in a line; ``None`` if it has none."""
    payload = opened(line.get("payload"))
    if line.get("type") == ITEM and isinstance(payload, dict):
        return payload
    if "payload" in line:
        return None
    return line if line.get("type") == "message" or ITEMS.kind(line) is not None else None


def _history(payload: Row) -> list[Any]:
    """The items with which a conversation goes on after a compaction."""
    history = payload.get("replacement_history")
    if isinstance(history, list):
        return [item for item in history if isinstance(item, dict)]
    return [{"type": "message", "role": "user", "content": payload.get("message") or ""}]


def _head(meta: Row, notes: Notes) -> Row:
    """The row keys from the first line of a session."""
    keys: Row = {"id": meta.get("id"), "timestamp": meta.get("timestamp")}
    for key, relation in (("forked_from_id", "fork"), ("parent_thread_id", "subagent")):
        if meta.get(key):
            keys.update(parent=meta[key], relation=relation)
    keys.update((key, meta[key]) for key in HEAD if key in meta)
    if meta.get("dynamic_tools"):
        keys["tools"] = read_tools(meta["dynamic_tools"], notes)
    return {key: value for key, value in keys.items() if value is not None}


def _read(item: Row, builder: MessageBuilder) -> None:
    """Add an item."""
    role = item.get("role")
    if item.get("type", "message" if role else None) == "message" and not role:
        item = with_role(item, builder.notes)
        role = item.get("role") or "user"
    if item.get("type", "message" if role else None) != "message":
        if (read := ITEMS.read(item)) is None:
            builder.notes.losses.append("session_items")
        else:
            builder.add(read, "assistant")
    elif role == "assistant":
        builder.write(item.get("content"))
    else:
        builder.say(role, item.get("content"))


LAYOUT = Codex()
