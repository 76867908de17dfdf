"""Sessions of Kimi CLI: ``~/.kimi/sessions/<folder>/<session>/context.jsonl``.

Each line is a message as the model sees it, or a record with a role such as ``_checkpoint``. The lines of a session are
joined to a row ``{"lines": […]}``. ``_system_prompt`` is the system message, the last ``_usage`` is the row key
``token_count``, and ``other_lines`` counts the other records. The tools are not recorded. Rows are only read.

Lost: reasoning that is encrypted and has no text (``hidden_reasoning``), and the joints of several texts
(``content_parts``).

Source: MoonshotAI/kimi-cli, ``src/kimi_cli/soul/context.py`` and ``packages/kosong/src/kosong/message.py``. No real
session was available.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, LayoutError
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.session_lines import SessionLines

PROMPT: Final = "_system_prompt"
USAGE: Final = "_usage"
RECORDS: Final = (PROMPT, USAGE, "_checkpoint")
PARTS: Final = Parts({"think": Part("reasoning", ("think",))})


class KimiCli(SessionLines):
    """The lines of a session."""

    leaves_out = True
    name = "kimi-cli"
    kind_key = "role"
    heads = (PROMPT,)
    lacks = WITHOUT_TOOLS
    shape = "list of lines of a session under 'lines'"
    sample = (
        '{"lines":[{"role":"_system_prompt","content":"You are Kimi."},{"role":"_checkpoint","id":0},{"role":"user",'
        '"content":"List the files."},{"role":"assistant","content":[{"type":"think","think":"I list."}],"tool_calls":'
        '[{"type":"function","id":"Shell:0","function":{"name":"Shell","arguments":"{\\"command\\": \\"ls\\"}"}}]},'
        '{"role":"tool","content":"a.txt","tool_call_id":"Shell:0"}]}'
    )

    def joins(self, document: Any) -> bool:
        return isinstance(document, dict) and document.get("role") in RECORDS

    def rows(self, session: list[tuple[Line, Row]]) -> list[Line]:
        texts = b",".join(line.text for line, _ in session)
        return [Line(session[0][0].number, b'{"lines":[' + texts + b"]}")]

    def decode(self, row: Row) -> Conversation:
        lines = [line for line in row["lines"] if isinstance(line, dict)]
        builder = MessageBuilder(recorded=True)
        others: Counter[str] = Counter()
        tokens: Any = None
        for place, line in enumerate(lines):
            builder.place = place
            role = line.get("role")
            if role == PROMPT:
                builder.say("system", line.get("content"))
            elif role == USAGE:
                tokens = line.get("token_count")
            elif role in RECORDS:
                others[str(role)] += 1
            else:
                _read(line, builder)
        builder.end()
        if not builder.messages:
            raise LayoutError("no line of the session is a message")
        keys: Row = {
            **{key: value for key, value in row.items() if key != "lines"},
            "token_count": tokens,
            "other_lines": dict(others) or None,
        }
        return builder.conversation({key: value for key, value in keys.items() if value is not None}, "/lines", lines)


def _read(message: Message, builder: MessageBuilder) -> None:
    """Add a message."""
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        builder.result(message.get("tool_call_id"), message.get("name"), content)
    elif role == "assistant":
        for part in content if isinstance(content, list) else [content]:
            builder.part(part, "assistant", PARTS)
        builder.calls(message.get("tool_calls"))
        builder.end()
    else:
        builder.say(role, content)


LAYOUT = KimiCli()
