"""Sessions of GitHub Copilot: ``~/.copilot/session-state/<session>/events.jsonl``, and the transcripts of VS Code.

The lines of a session are joined to rows ``{"lines": […]}``: the conversation with the user, and one for each subagent
(``"relation": "subagent"``), whose events name it as ``agentId`` or ``parentToolCallId``. A message of the user is what
the model was sent, ``transformedContent``, if that is recorded. The keys of ``session.start`` and the ``model`` of the
answers are keys of the row; ``other_lines`` counts the events that are no turns. Events marked ``ephemeral`` are parts
of others. A session holds the system prompt, but not the tools. Rows are only read.

Lost: reasoning that only its provider can read (``hidden_reasoning``), and without a count ``detailedContent`` and
``toolTelemetry`` of results, and the words of the user that ``transformedContent`` holds.

Source: github/copilot-sdk, ``nodejs/src/generated/session-events.ts``, and events in public test data. No whole real
session was available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, LayoutError
from toolconv.layouts.message_builder import HIDDEN_REASONING, MessageBuilder
from toolconv.layouts.record_values import identifier, only
from toolconv.layouts.session_lines import SessionLines

START: Final = "session.start"
TURNS: Final = ("system.message", "user.message", "assistant.message", "tool.execution_complete")
ANSWER, RESULT = TURNS[2:]
HIDDEN: Final = ("encryptedContent", "reasoningOpaque")


class Copilot(SessionLines):
    """The events of a conversation."""

    leaves_out = True
    name = "copilot"
    heads = (START,)
    aliases = ("copilot-cli",)
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {
        "type": frozenset({"tool.execution_start"}), "detailedContent": None, "toolTelemetry": None,
    }  # fmt: skip
    lacks = WITHOUT_TOOLS
    shape = "list of events of a session under 'lines'"
    sample = (
        '{"lines":[{"type":"session.start","data":{"sessionId":"s1","selectedModel":"gpt-5.4"},"id":"a"},{"type":'
        '"user.message","data":{"content":"List the files."},"id":"b"},{"type":"assistant.message","data":{"messageId":'
        '"m1","content":"","toolRequests":[{"toolCallId":"c1","name":"bash","arguments":{"command":"ls"}}]},"id":"c"},'
        '{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"a.txt"}},'
        '"id":"d"}]}'
    )

    def joins(self, document: Any) -> bool:
        return _is_event(document)

    def rows(self, session: list[tuple[Line, Row]]) -> list[Line]:
        """The conversations of a session: that with the user, and those of its subagents."""
        conversations: dict[str | int | None, list[Line]] = {}
        for line, event in session:
            if not event.get("ephemeral"):
                conversations.setdefault(_agent(event), []).append(line)
        rows = []
        for agent, lines in conversations.items():
            start = b"{"
            if agent is not None:
                data = session[0][1].get("data")
                parent = data.get("sessionId") if isinstance(data, dict) else None
                start = jsontext.dumps({"id": agent, "parent": parent, "relation": "subagent"})[:-1] + b","
            rows.append(Line(lines[0].number, start + b'"lines":[' + b",".join(line.text for line in lines) + b"]}"))
        return rows

    def decode(self, row: Row) -> Conversation:
        lines = [line for line in row["lines"] if isinstance(line, dict)]
        builder = MessageBuilder(recorded=True)
        others: Counter[str] = Counter()
        start: Row = {}
        models: list[Any] = []
        for place, line in enumerate(lines):
            builder.place = place
            kind, data = line.get("type"), line.get("data")
            if kind == START and isinstance(data, dict):
                start = data
            elif kind not in TURNS or not isinstance(data, dict):
                others[str(kind)] += 1
            else:
                _read(str(kind), data, builder)
                models += [data.get("model")] if kind == ANSWER else []
        builder.end()
        if not builder.messages:
            raise LayoutError("no event of the session is a turn")
        keys: Row = {
            "id": start.get("sessionId"),
            **{key: value for key, value in start.items() if key != "sessionId"},
            **{key: value for key, value in row.items() if key != "lines"},
            "model": only(iter(models)),
            "other_lines": dict(others) or None,
        }
        return builder.conversation({key: value for key, value in keys.items() if value is not None}, "/lines", lines)


def _is_event(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("data"), dict)
        and (value.get("type") in (START, *TURNS))
        and not {"id", "timestamp"}.isdisjoint(value)
    )


def _read(kind: str, data: Row, builder: MessageBuilder) -> None:
    """Add what an event says."""
    if kind == ANSWER:
        if thought := data.get("reasoningText"):
            builder.reason(str(thought))
        elif any(data.get(key) for key in HIDDEN):
            builder.notes.losses.append(HIDDEN_REASONING)
        builder.write(data.get("content"))
        for call in data.get("toolRequests") or ():
            if isinstance(call, dict):
                builder.invoke(call.get("toolCallId"), call.get("name"), call.get("arguments") or {})
        builder.end()
    elif kind == RESULT:
        result, error = data.get("result"), data.get("error")
        content = result.get("content") if isinstance(result, dict) else result
        if not content and isinstance(error, dict):
            content = error.get("message")
        builder.result(data.get("toolCallId"), None, content, {} if data.get("success", True) else {"is_error": True})
    elif kind == "user.message":
        builder.say("user", data.get("transformedContent") or data.get("content"))
    else:
        builder.say(data.get("role") or "system", data.get("content"))


def _agent(event: Row) -> str | int | None:
    """The subagent of an event; ``None`` for one of the conversation with the user."""
    data = event.get("data")
    parent = data.get("parentToolCallId") if isinstance(data, dict) else None
    return identifier(event.get("agentId")) or identifier(parent)


LAYOUT = Copilot()
