"""Claude Code sessions: ``~/.claude/projects/<folder>/<session>.jsonl``, and ``agent-<id>.jsonl`` of subagents.

Qwen Code's sessions (``~/.qwen/projects``) are the same lines, whose messages have Gemini's parts.

The lines of a session are joined to rows ``{"lines": […]}``, one for each conversation. Lines with the same
``message.id`` are one turn, and the results of its calls belong to it, so parallel calls are no forks. Where a turn
is followed by several others, each branch is a row (``"relation": "fork"``). A line of the user whose ``parentUuid`` is
null begins a row, wherever it is: what Claude Code sends to the model goes back to such a line, and no further. A
compaction begins a row with its summary (``compaction``), and the lines of each subagent are a row (``subagent``);
``parent`` names the session. The row keys ``id``, ``model``, ``cwd``, ``version``, ``gitBranch``, ``timestamp`` (of the
first turn) and ``usage`` (the sum) come from the lines, and ``other_lines`` counts those that are no turns: summaries,
snapshots, progress, attachments, errors of the API. Lines marked ``isMeta`` are text that the model saw, and are kept.
A session holds neither the system prompt nor the tools. Rows are only read.

Reasoning with a signature is kept as ``thinking_blocks`` as well, and images in results stay content parts.

Lost: reasoning that has only a signature or is redacted (``hidden_reasoning``), references to tools in results and the
joints of several texts (``content_parts``), and without a count ``toolUseResult`` and ``toolCallResult``, second copies
of results.

Source: there is no specification; recorded sessions, among them those of claude-code-log and inspect_scout; for Qwen
Code, QwenLM/qwen-code, ``packages/core/src/services/chatRecordingService.ts``. No real session with redacted reasoning
or errors of the API, and none of Qwen Code, was available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, Layout, LayoutError, listed, value_of
from toolconv.layouts.content_parts import kind_of
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.record_values import added, identifier, only

TURNS: Final = ("user", "assistant")
OTHERS: Final = {
    "ai-title", "attachment", "custom-title", "file-history-snapshot", "last-prompt", "permission-mode", "pr-link",
    "progress", "queue-operation", "summary", "system", "agent-name", "agent-setting", "mode", "tag",
}  # fmt: skip
"""Types of lines that are no turns; a session may begin with one."""

STREAMED: Final = ("system", "result")
"""Types of the first and the last line of ``--output-format stream-json``; the last repeats the answer."""

REFERENCE: Final = "tool_reference"
"""The type of a part of a result that stands for a declaration, which the API puts in its place; it is a loss."""

PLACES: Final = ("sessionId", "uuid", "leafUuid", "messageId")
"""Keys of which at least one is in each line of a session."""

ROW_KEYS: Final = frozenset({"timestamp", "session_id", "parent_tool_use_id"})
"""Keys of turns without those: of exports, and of what ``claude -p --output-format stream-json`` prints."""


class ClaudeCode(Layout):
    """The lines of a conversation."""

    leaves_out = True
    name = "claude-code"
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {
        "type": frozenset({*OTHERS, "redacted_thinking"}), "isApiErrorMessage": frozenset({True}),
        "toolUseResult": None, "toolCallResult": None, "isMeta": None, "entrypoint": None,
    }  # fmt: skip
    lacks = WITHOUT_TOOLS
    shape = "list of lines of a session under 'lines'"
    only_structure = True
    sample = (
        '{"lines":[{"type":"user","uuid":"a","parentUuid":null,"sessionId":"s1","cwd":"/app","message":{"role":"user",'
        '"content":"List the files."}},{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s1","message":'
        '{"id":"msg_1","role":"assistant","model":"claude-opus-4-5","content":[{"type":"tool_use","id":"toolu_1","name":'
        '"Bash","input":{"command":"ls"}}]}},{"type":"user","uuid":"c","parentUuid":"b","sessionId":"s1","message":'
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a.txt"}]}}]}'
    )

    def joins(self, document: Any) -> bool:
        return _is_line(document)

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        rows: list[tuple[int, Row | None, list[int]]] = []
        read: list[Line] = []
        values: list[Row] = []
        others: list[Line] = []
        for line in lines:
            value = value_of(line.text)
            if isinstance(value, dict) and isinstance(value.get("type"), str):
                read.append(line)
                values.append(value)
            else:
                rows.append((line.number, None, [len(others)]))
                others.append(line)
        sessions = list(_conversations(_nodes(values)))
        if not sessions and any(_speaker(value) in TURNS for value in values):  # rejected as one without turns
            sessions = [({}, list(range(len(values))), 0)]
        rows += ((read[first].number, head, places) for head, places, first in sessions)
        for number, head, places in sorted(rows, key=lambda row: row[0]):
            if head is None:
                yield others[places[0]]
                continue
            start = jsontext.dumps(head)[:-1] + (b"," if head else b"")
            yield Line(number, start + b'"lines":[' + b",".join(read[place].text for place in places) + b"]}")

    def matches(self, row: Row) -> bool:
        lines = listed(row.get("lines"))
        return lines is not None and _is_line(lines[0])

    def decode(self, row: Row) -> Conversation:
        lines = listed(row["lines"]) or []
        builder = MessageBuilder(recorded=True)
        usage: Any = None
        for node in _nodes(lines):
            for place in node.places:
                builder.place = place
                _read(lines[place], builder)
            builder.end()
            if _speaker(node.line) == "assistant":
                last = [lines[place] for place in node.places if _speaker(lines[place]) == "assistant"][-1]
                usage = added(usage, last["message"].get("usage") or last.get("usageMetadata") or {})
        turns = [line for line in lines if _is_turn(line)]
        silent = (line for line in lines if line.get("type") in TURNS and not line.get("isApiErrorMessage"))
        builder.notes.losses.extend("session_items" for line in silent if not _is_turn(line))
        if not turns:
            raise LayoutError("no line of the session is a turn")
        keys: Row = {
            "id": only(line.get("sessionId", line.get("session_id")) for line in turns[-1:]),
            **{key: value for key, value in row.items() if key != "lines"},
            "model": only(line["message"].get("model", line.get("model")) for line in turns),
            **{key: only(line.get(key) for line in turns) for key in ("cwd", "version", "gitBranch")},
            "timestamp": next((line["timestamp"] for line in turns if line.get("timestamp")), None),
            "usage": usage or None,
            "other_lines": dict(Counter(_kind(line) for line in lines if not _is_turn(line))) or None,
        }
        kept = {key: value for key, value in keys.items() if value is not None}
        return builder.conversation(kept, "/lines", lines)


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("session_id"), str) and "subtype" in value and value.get("type") in STREAMED:
        return True
    if not any(isinstance(value.get(key), str) for key in PLACES):  # an export without ids, or ``stream-json``
        return "message" in value and _is_typed_turn(value) and not ROW_KEYS.isdisjoint(value)
    if _is_typed_turn(value) or value.get("type") in OTHERS:
        return True
    sessions = ("sessionId", "session_id")
    return isinstance(value.get("type"), str) and any(key in value for key in sessions) and "messages" not in value


def _is_typed_turn(line: Row) -> bool:
    return line.get("type") in TURNS and _is_turn(line)


def _is_turn(line: Row) -> bool:
    return _speaker(line) in TURNS and isinstance(_content(line), str | list) and not line.get("isApiErrorMessage")


def _speaker(line: Row) -> Any:
    """Who speaks in a line: its type, or, if no type of line is called so, the role of its message."""
    kind, message = line.get("type"), line.get("message")
    if kind in TURNS or kind in OTHERS or not isinstance(message, dict):
        return kind
    return message.get("role")


def _kind(line: Row) -> str:
    return "api_error" if line.get("isApiErrorMessage") else str(line.get("type"))


def _content(line: Row) -> Any:
    """The content of a line's message; that of Qwen Code has Gemini's parts."""
    message = line.get("message")
    return message.get("content", message.get("parts")) if isinstance(message, dict) else None


def _blocks(line: Row) -> list[Any]:
    content = _content(line)
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _read(line: Row, builder: MessageBuilder) -> None:
    """Add the blocks of a line."""
    if not _is_turn(line):
        return
    spoken: list[Any] = []
    for block in _blocks(line):
        kind = block.get("type") if isinstance(block, dict) else None
        if kind == "tool_result":
            marks = {"is_error": True} if block.get("is_error") else {}
            content = block.get("content")
            if isinstance(content, list):
                kept = [part for part in content if not (isinstance(part, dict) and part.get("type") == REFERENCE)]
                builder.notes.losses.extend(["content_parts"] * (len(content) - len(kept)))
                content = kept or ""
            builder.result(block.get("tool_use_id"), None, content, marks)
        elif _speaker(line) == "user" and kind_of(block) == "result":  # Gemini's
            builder.part(block, "user")
        elif _speaker(line) == "user":
            spoken.append(block)
        elif kind_of(block) in ("call", "reasoning"):
            builder.part(block, "assistant")
        else:
            builder.write([block])
    if spoken:
        builder.say("user", spoken)


# ── which lines belong together ──


class _Node:
    """A turn: the lines of one message of the model and of the results of its calls, or a line of the user.

    Attributes:
        line: its first line.
        parent: the turn before; ``None`` for the first turn of a conversation.
        places: the indexes of its lines, and of lines that are no turns next to it.
        compacted: it begins with the summary of a compaction.
    """

    def __init__(self, line: Row, parent: _Node | None, *, compacted: bool) -> None:
        self.line = line
        self.parent = parent
        self.places: list[int] = []
        self.first = 0
        self.compacted = compacted


def _nodes(lines: list[Row]) -> list[_Node]:
    """The turns of a session, in order."""
    nodes: list[_Node] = []
    owners: dict[Any, _Node | None] = {}
    answers: dict[Any, _Node] = {}
    latest: dict[Any, _Node] = {}
    resumed: dict[Any, _Node] = {}
    begun: dict[Any, _Node] = {}
    sessions = {session for line in lines if (session := _session(line)) is not None}
    alone = sessions.pop() if len(sessions) == 1 else None
    unlinked = _unlinked(lines, alone)
    loose: list[int] = []
    for place, line in enumerate(lines):
        uuid, parent_id = identifier(line.get("uuid")), identifier(line.get("parentUuid"))
        if uuid is not None and uuid in owners:  # the same line once more
            continue
        branch = _branch(line, alone)
        begins = bool(line.get("isCompactSummary")) or line.get("subtype") == "compact_boundary"
        if begins or (parent_id is None and uuid is not None and "parentUuid" in line and branch not in unlinked):
            parent = None
        else:
            parent = owners[parent_id] if parent_id in owners else latest.get(branch)
            if parent is None and parent_id is not None:  # a resumed session names a line that its file does not hold
                parent = resumed.get(branch[1:])
            if parent is not None and _agent(parent.line) != branch[1:]:  # a subagent's lines may name a line outside
                parent = latest.get(branch)
        node = None
        if _is_turn(line):
            keys = _keys(line, branch)
            node = next((answers[key] for key in keys if key in answers), None)
            if _speaker(line) != "assistant":
                begun.pop(branch, None)
            elif node is None and begun.get(branch) is parent and _has_no_id(line):
                node = parent  # a further part of the same message
            if node is None:
                node = _Node(line, parent, compacted=begins)
                node.places, loose = loose, []
                node.first = place
                nodes.append(node)
            answers.update(dict.fromkeys(keys, node))
            latest[branch] = resumed[branch[1:]] = node
            if _speaker(line) == "assistant" and _has_no_id(line):
                begun[branch] = node
        owner = node if node is not None else parent
        if owner is None:
            loose.append(place)
        else:
            owner.places.append(place)
        if uuid is not None:
            owners[uuid] = owner
    if nodes:
        nodes[-1].places += loose
    return nodes


def _has_no_id(line: Row) -> bool:
    """Whether a line of the model does not say of which message it is."""
    return identifier(line["message"].get("id")) is None


def _session(line: Row) -> Any:
    """The id of the session of a line; ``None`` if it does not say."""
    return identifier(line.get("sessionId", line.get("session_id")))


def _branch(line: Row, alone: Any) -> Any:
    """The session and the agent of a line. One that does not say is of the only session, ``alone``, if there is one."""
    session = _session(line)
    return alone if session is None else session, *_agent(line)


def _unlinked(lines: list[Row], alone: Any) -> set[Any]:
    """The sessions whose lines name no parents: a later turn of the model has none, though it must answer something."""
    begun: set[Any] = set()
    found: set[Any] = set()
    for line in filter(_is_turn, lines):
        branch = _branch(line, alone)
        if branch in begun and _speaker(line) == "assistant" and line.get("parentUuid") is None:
            found.add(branch)
        begun.add(branch)
    return found


def _agent(line: Row) -> tuple[Any, bool]:
    """Which agent a line is of."""
    return identifier(line.get("agentId")), bool(line.get("isSidechain"))


def _keys(line: Row, branch: Any) -> list[Any]:
    """What ties a line to a turn: the id of the model's message, and the ids of the calls that it makes or answers."""
    keys: list[Any] = []
    if _speaker(line) == "assistant" and (message_id := identifier(line["message"].get("id"))) is not None:
        keys.append((branch, "message", message_id))
    for block in _blocks(line):
        if isinstance(block, dict) and block.get("type") in ("tool_use", "tool_result"):
            call_id = block.get("id") if block["type"] == "tool_use" else block.get("tool_use_id")
            if isinstance(call_id, str):
                keys.append((branch, "call", call_id))
    return keys


def _conversations(nodes: list[_Node]) -> Iterator[tuple[Row, list[int], int]]:
    """Each conversation: the keys of its row, its lines, and the first line that is in no conversation before."""
    parents = {id(node.parent) for node in nodes if node.parent is not None}
    seen: set[int] = set()
    for leaf in nodes:
        if id(leaf) in parents:
            continue
        path: list[_Node] = []
        node: _Node | None = leaf
        while node is not None:
            path.append(node)
            node = node.parent
        path.reverse()
        own = next(node for node in path if id(node) not in seen)
        seen.update(map(id, path))
        yield _head(path[0], own), sorted(place for node in path for place in node.places), own.first


def _head(root: _Node, own: _Node) -> Row:
    """The keys that say where a conversation comes from."""
    session = root.line.get("sessionId")
    if own.parent is not None:
        return {"parent": own.parent.line.get("sessionId"), "relation": "fork"}
    if root.line.get("agentId") is not None or root.line.get("isSidechain"):
        return {"id": root.line.get("agentId") or root.line.get("uuid"), "parent": session, "relation": "subagent"}
    return {"parent": session, "relation": "compaction"} if root.compacted else {}


LAYOUT = ClaudeCode()
