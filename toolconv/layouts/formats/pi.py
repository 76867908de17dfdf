"""Sessions of the agents pi, OpenClaw and Droid.

They are in ``~/.pi/agent/sessions``, ``~/.openclaw/agents/<agent>/sessions`` and ``~/.factory/sessions``. The lines of
a session are joined to rows ``{"lines": […]}``, one for each conversation. Lines name the line before them
(``parentId``; in version 1, it is simply the line before), so each branch is a row (``"relation": "fork"``). A
compaction begins a row with its summary and the lines that it kept (``compaction``); ``parent`` names the session, or
the file that it was branched from. The user's own commands, summaries and messages of extensions are turns of the user
in the words that pi sends to the model. Answers that failed or were stopped, and commands with ``excludeFromContext``,
are never sent again: ``other_lines`` counts them, and lines that are no turns, such as changes of the model. Droid's
messages are Anthropic's: the results of calls are parts of a turn of the user. The keys of the first line, ``model``
and the sum of ``usage`` are keys of the row. Neither system prompt nor tools are recorded. Rows are only read.

Reasoning with a signature is kept as ``thinking_blocks`` as well, and images in results stay content parts.

Lost: what an answer that failed or was stopped says, and messages of unknown roles (``session_items``), reasoning that
only its provider can read (``hidden_reasoning``), the joints of several texts (``content_parts``), and without a count
``details`` of results.

Source: badlogic/pi-mono, ``packages/coding-agent/src/core/session-manager.ts`` and ``messages.ts``, and
``packages/ai/src/providers/transform-messages.ts``; the two sessions of its tests. Droid's form has no specification:
it is what programs that read it expect. No real session of version 3, of OpenClaw or of Droid was available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, LayoutError
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.record_values import added, identifier, only
from toolconv.layouts.session_lines import SessionLines

HEADS: Final = ("session", "session_start")
"""Types of the first line: pi's and OpenClaw's, and Droid's."""
MESSAGES: Final = {"custom_message": "custom", "branch_summary": "branchSummary", "compaction": "compactionSummary"}
"""The roles of lines that are messages themselves."""
ROLES: Final = ("user", "assistant", "toolResult", "bashExecution", "hookMessage", *MESSAGES.values())
GONE: Final = ("error", "aborted")
"""Why an answer ended that is never sent again."""
SUMMARIES: Final = {
    "compactionSummary": (
        "The conversation history before this point was compacted into the following summary:\n\n<summary>\n",
        "\n</summary>",
    ),
    "branchSummary": (
        "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n",
        "</summary>",
    ),
}
PARTS: Final = Parts({"thinking": Part("reasoning", ("thinking",)), "toolCall": Part("call", ("arguments",))})


class Pi(SessionLines):
    """The lines of a conversation."""

    leaves_out = True
    name = "pi"
    heads = HEADS
    aliases = ("openclaw", "pi-coding-agent", "droid")
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {
        "details": None, "display": None, "isError": None, "role": frozenset({"bashExecution"}),
    }  # fmt: skip
    lost_records: ClassVar[Mapping[str, tuple[str, ...]]] = {"stopReason": GONE}
    lacks = WITHOUT_TOOLS
    shape = "list of lines of a session under 'lines'"
    sample = (
        '{"lines":[{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T10:00:00Z","cwd":"/app"},{"type":'
        '"message","id":"a","parentId":null,"timestamp":"2026-01-01T10:00:01Z","message":{"role":"user","content":"List"'
        '}},{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T10:00:02Z","message":{"role":'
        '"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}]}},{"type":'
        '"message","id":"c","parentId":"b","timestamp":"2026-01-01T10:00:03Z","message":{"role":"toolResult",'
        '"toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"a.txt"}],"isError":false}}]}'
    )

    def joins(self, document: Any) -> bool:
        return _is_head(document) or _is_entry(document)

    def rows(self, session: list[tuple[Line, Row]]) -> list[Line]:
        """The conversations of a session; one that has no turns is a row that is rejected."""
        values = [value for _, value in session]
        head = [0] if values[0].get("type") in HEADS else []
        found = list(_conversations(values)) or [({}, list(range(len(head), len(values))), 0)]
        rows = []
        for keys, places, first in found:
            start = jsontext.dumps(keys)[:-1] + (b"," if keys else b"")
            texts = [session[place][0].text for place in (*head, *places)]
            rows.append(Line(session[first][0].number, start + b'"lines":[' + b",".join(texts) + b"]}"))
        return rows

    def decode(self, row: Row) -> Conversation:
        lines = [line for line in row["lines"] if isinstance(line, dict)]
        builder = MessageBuilder(recorded=True)
        others: Counter[str] = Counter()
        answers: list[Row] = []
        usage: Any = None
        begins = True
        for place, line in enumerate(lines):
            builder.place = place
            if line.get("type") in HEADS:
                continue
            turn = _turn(line)
            if turn is None or (turn[0] == "compactionSummary" and not begins):
                others[_kind(line)] += 1
                if turn is None and _has_words(line):
                    builder.notes.losses.append("session_items")
            else:
                _read(*turn, builder)
                if turn[0] == "assistant":
                    answers.append(turn[1])
                    usage = added(usage, turn[1].get("usage") or {})
            begins = False
        if not builder.messages and not answers:
            raise LayoutError("no line of the session is a turn")
        head = lines[0] if _is_head(lines[0]) else {}
        keys: Row = {
            "id": head.get("id"),
            "parent": head.get("parentSession", head.get("branchedFrom")),
            **{key: value for key, value in row.items() if key != "lines"},
            **{key: value for key, value in head.items() if key not in ("type", "id", "parentSession", "branchedFrom")},
            "model": only(answer.get("model") for answer in answers),
            "usage": usage or None,
            "other_lines": dict(others) or None,
        }
        return builder.conversation({key: value for key, value in keys.items() if value is not None}, "/lines", lines)


def _is_head(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in HEADS
        and isinstance(value.get("id"), str)
        and "cwd" in value
        and "messages" not in value
    )


def _is_entry(value: Any) -> bool:
    """Whether a value is a line with a message, as a session without its first line begins."""
    if not isinstance(value, dict) or value.get("type") != "message" or "timestamp" not in value:
        return False
    message = value.get("message")
    return isinstance(message, dict) and message.get("role") in ROLES


def _turn(line: Row) -> tuple[str, Row] | None:
    """The role and the message of a line that is sent to the model; ``None`` for another line."""
    kind, message = line.get("type"), line.get("message")
    if isinstance(kind, str) and kind in MESSAGES:
        has_text = isinstance(line.get("summary", line.get("content")), str | list)
        return (MESSAGES[kind], line) if has_text else None
    if kind != "message" or not isinstance(message, dict):
        return None
    role = message.get("role", line.get("role"))
    if role not in ROLES or message.get("excludeFromContext") or message.get("stopReason") in GONE:
        return None
    return role, message


def _kind(line: Row) -> str:
    """What a line that is no turn is called."""
    message = line.get("message")
    if isinstance(message, dict):
        return str(message["stopReason"] if message.get("stopReason") in GONE else message.get("role"))
    return str(line.get("type"))


def _has_words(line: Row) -> bool:
    """Whether a line that is no turn holds an answer, a message of an unknown role, or one that can't be read."""
    message = line.get("message")
    return line.get("type") in tuple(MESSAGES) or (isinstance(message, dict) and bool(message.get("content")))


def _read(role: str, message: Row, builder: MessageBuilder) -> None:
    """Add a message."""
    content = message.get("content")
    if role == "toolResult":
        marks = {"is_error": True} if message.get("isError") else {}
        builder.result(message.get("toolCallId"), message.get("toolName"), content, marks)
    elif role in ("user", "assistant"):
        for part in content if isinstance(content, list) else [content]:
            builder.part(part, role, PARTS)
        builder.end()
    elif role == "bashExecution":
        builder.say("user", _command(message))
    elif role in SUMMARIES:
        before, after = SUMMARIES[role]
        builder.say("user", f"{before}{message.get('summary') or ''}{after}")
    else:
        builder.say("user", content)


def _command(message: Row) -> str:
    """A command that the user ran, and its output, as the model sees them."""
    output, code = message.get("output"), message.get("exitCode")
    text = f"Ran `{message.get('command')}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif code:
        text += f"\n\nCommand exited with code {code}"
    if message.get("truncated") and message.get("fullOutputPath"):
        text += f"\n\n[Output truncated. Full output: {message['fullOutputPath']}]"
    return text


# ── which lines belong together ──


def _conversations(values: list[Row]) -> Iterator[tuple[Row, list[int], int]]:
    """Each conversation: the keys of its row, its lines, and the first line that is in no conversation before."""
    parents = _parents(values)
    inner = set(parents.values())
    found: list[tuple[Row, list[int], int]] = []
    seen: set[int] = set()
    loose: list[int] = []
    for leaf in parents:
        if leaf in inner:
            continue
        path: list[int] = []
        at: int | None = leaf
        while at is not None:
            path.append(at)
            at = parents[at]
        path.reverse()
        for relation, places in _parts_between_compactions(path, values):
            new = [place for place in places if place not in seen]
            seen.update(new)
            if not any(_turn(values[place]) and values[place]["type"] != "compaction" for place in new):
                (found[-1][1] if found else loose).extend(new)
                continue
            forked = {"relation": "fork"} if relation is None and len(new) < len(places) else {}
            keys = {"relation": relation} if relation else forked
            found.append(({"parent": values[0].get("id"), **keys} if keys else {}, loose + places, new[0]))
            loose = []
    yield from found


def _parts_between_compactions(path: list[int], values: list[Row]) -> Iterator[tuple[str | None, list[int]]]:
    """The parts of a branch that the model sees as one, each with how it begins."""
    begun: str | None = None
    part: list[int] = []
    for place in path:
        if values[place].get("type") == "compaction":
            yield begun, part
            part = [place, *_kept(values[place], part, values)]
            begun = "compaction"
        else:
            part.append(place)
    yield begun, part


def _kept(compaction: Row, places: list[int], values: list[Row]) -> list[int]:
    """The lines that a compaction keeps: from one that it names, in version 1 by its number."""
    name, number = compaction.get("firstKeptEntryId"), compaction.get("firstKeptEntryIndex")
    for at, place in enumerate(places):
        if place == number or (name is not None and values[place].get("id") == name):
            return places[at:]
    return []


def _parents(values: list[Row]) -> dict[int, int | None]:
    """The line before each line in its branch; ``None`` before the first. The head of a session is in no branch."""
    parents: dict[int, int | None] = {}
    places: dict[Any, int] = {}
    last: int | None = None
    for place, value in enumerate(values):
        if value.get("type") in HEADS:
            continue
        begins = "id" in value and value.get("parentId", "") is None
        parents[place] = None if begins else places.get(identifier(value.get("parentId")), last)
        if (name := identifier(value.get("id"))) is not None:
            places[name] = place
        last = place
    return parents


LAYOUT = Pi()
