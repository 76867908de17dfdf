"""OpenCode sessions: what ``opencode export`` prints, ``{"info": …, "messages": [{"info": …, "parts": […]}]}``.

A message of the assistant may hold several answers of the model: ``step-start`` begins one, and so does text after a
call. A ``tool`` part is a call with its result, or its error. ``synthetic`` text was sent by the client, and is kept;
text that is ``ignored`` is not. A ``system`` text of the user's message is a system message before it, and an image
stays a content part. ``other_parts`` counts the parts that are none of these: other files, snapshots, patches and the
like. ``id``, ``parent`` (for a subagent), ``title``, ``directory``, ``version``, ``time``, ``model`` and
``tokens`` (the sum) are keys of the row. The line that the command prints before the JSON is skipped. Neither system
prompt nor tools are recorded. In a folder with OpenCode's ``storage``, where one session is in many files, each session
is read as if it had been exported; newer versions keep sessions in a database. Rows are only read.

Lost: the joints of several texts (``content_parts``).

Source: sst/opencode, ``packages/opencode/src/session/message-v2.ts``. No real export with parallel calls was
available; these were tested with one made by hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.base import WITHOUT_TOOLS, Layout
from toolconv.layouts.call_forms import unknown_call
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.record_values import added, only
from toolconv.layouts.speakers import with_role

HEAD: Final = {"parentID": "parent", "title": "title", "directory": "directory", "version": "version", "time": "time"}


class OpenCode(Layout):
    """An exported session."""

    leaves_out = True
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {"ignored": frozenset({True}), "synthetic": None}
    name = "opencode"
    lacks = WITHOUT_TOOLS
    preamble = "Exporting session:"
    shape = "'info' with 'messages' of 'info' and 'parts'"
    sample = (
        '{"info":{"id":"ses_1","title":"Files","directory":"/app"},"messages":[{"info":{"id":"msg_1","role":"user"},'
        '"parts":[{"type":"text","text":"List the files."}]},{"info":{"id":"msg_2","role":"assistant","modelID":'
        '"gpt-5.5"},"parts":[{"type":"step-start"},{"type":"tool","callID":"call_1","tool":"bash","state":{"status":'
        '"completed","input":{"command":"ls"},"output":"a.txt"}},{"type":"step-finish"}]}]}'
    )

    def matches(self, row: Row) -> bool:
        return (
            isinstance(row.get("info"), dict)
            and isinstance(messages := row.get("messages"), list)
            and bool(messages)
            and all(
                isinstance(message.get("info"), dict) and isinstance(message.get("parts"), list) for message in messages
            )
        )

    def decode(self, row: Row) -> Conversation:
        builder = MessageBuilder()
        others: Counter[str] = Counter()
        tokens: Any = None
        for place, message in enumerate(row["messages"]):
            builder.place = place
            builder.end()
            info = with_role(message["info"], builder.notes)
            if info.get("role") == "assistant":
                _read(message["parts"], builder, others)
                tokens = added(tokens, info.get("tokens") or {})
                continue
            if info.get("system"):
                builder.say("system", info["system"])
            contents = [part["text"] if _is_text(part) else _image(part) for part in message["parts"]]
            others.update(
                str(part.get("type")) for part, what in zip(message["parts"], contents, strict=True) if not what
            )
            builder.say(info.get("role") or "user", [what for what in contents if what])
        head = row["info"]
        keys: Row = {key: value for key, value in row.items() if key not in ("info", "messages")}
        keys = {"id": head.get("id"), **keys}
        keys.update((name, head[key]) for key, name in HEAD.items() if head.get(key) is not None)
        if "parent" in keys:
            keys["relation"] = "subagent"
        model = only(message["info"].get("modelID") for message in row["messages"])
        found = {"model": model, "tokens": tokens, "other_parts": dict(others)}
        keys.update((key, value) for key, value in found.items() if value)
        return builder.conversation(keys, "/messages", row["messages"])


def _is_text(part: Row) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str) and not part.get("ignored")


def _image(part: Row) -> Row | None:
    """An image that the user attached, as a content part."""
    if part.get("type") != "file" or not str(part.get("mime")).startswith("image/") or not part.get("url"):
        return None
    return {"type": "image_url", "image_url": {"url": part["url"]}}


def _result(state: Row) -> Any:
    """The result of a call: its error, or its output with the images in it."""
    if "error" in state:
        return state["error"]
    attached = state.get("attachments")
    images = [image for part in (attached if isinstance(attached, list) else ()) if (image := _image(part)) is not None]
    return [{"type": "text", "text": state["output"]}, *images] if images else state["output"]


def _read(parts: list[Row], builder: MessageBuilder, others: Counter[str]) -> None:
    """Add the parts of a message of the assistant."""
    for part in parts:
        kind = part.get("type")
        if kind == "step-start":
            builder.end()
        elif kind == "reasoning" and isinstance(part.get("text"), str):
            builder.reason(part["text"])
        elif _is_text(part):
            builder.write(part["text"])
        elif kind == "tool":
            state = part.get("state") or {}
            builder.invoke(part.get("callID"), part.get("tool"), state.get("input") or {})
            if "error" in state or "output" in state:
                builder.result(part.get("callID"), None, _result(state))
        elif kind != "step-finish":
            others[str(kind)] += 1
            if "tool" in part:
                builder.notes.dropped.append(unknown_call(part))


LAYOUT = OpenCode()
