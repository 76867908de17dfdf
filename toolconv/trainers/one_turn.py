"""Neighbouring turns that a trainer refuses, or runs together: written as one, with the student's text between them.

The trainer opens and ends that turn as the student's template does, so the text that it trains on is the student's.
This holds for the students whose text the trainer's own template writes, and for no others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby, takewhile
from typing import Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Message
from toolconv.templates.base import Template
from toolconv.trainers.base import Repair
from toolconv.trainers.repairs import set_messages
from toolconv.trainers.template_checks import segments_of, turn_tokens

_KEYS: Final = frozenset({"role", "content", "reasoning_content", "tool_calls", "tool_call_id", "name"})

Belongs = Callable[[Message], bool]


def questions_in_one(*students: str) -> Repair:
    """The repair of a turn of the user that follows another one, or a result.

    Args:
        students: the templates whose text the trainer's own template writes.
    """
    return _in_one(lambda message: message.get("role") in ("user", "tool"), "user", students)


def answers_in_one(*students: str) -> Repair:
    """The change of a turn of the assistant that follows another one: the header between them is trained, too.

    Args:
        students: the templates whose text the trainer's own template writes.
    """
    return _in_one(lambda message: message.get("role") == "assistant", "assistant", students)


def opening_in_system(*students: str) -> Repair:
    """The change of rows that begin with the assistant: its first turns are in the system text, and are not trained.

    So are the tools. Without a system text and tools there is no such turn, and nothing is changed.

    Args:
        students: the templates whose text the trainer's own template writes.
    """

    def move_opening(conversation: Conversation, template: Template | None = None) -> int:
        messages = conversation.messages
        first = int(bool(messages) and messages[0].get("role") == "system")
        last = next((at for at in range(first, len(messages)) if messages[at].get("role") != "assistant"), first)
        if template is None or template.name not in students or last == first:
            return 0
        if all(message.get("role") != "assistant" for message in messages[last:]):
            return 0  # nothing would be trained
        if not _may_be_moved(conversation, messages[:last], template):
            return 0
        return (last - first) if _put_in_system(conversation, template, last) else 0

    return move_opening


def tools_in_system(*students: str) -> Repair:
    """The repair of tools without a system text, before which the trainer's own template writes an empty line.

    The system text is what the student's template writes of the tools.

    Args:
        students: the templates whose text the trainer's own template writes.
    """

    def declare_in_system(conversation: Conversation, template: Template | None = None) -> int:
        messages = conversation.messages
        if template is None or template.name not in students or not conversation.tools:
            return 0
        if messages and messages[0].get("role") in SYSTEM_ROLES:
            return 0
        return int(_may_be_moved(conversation, [], template) and _put_in_system(conversation, template, 0))

    return declare_in_system


def _put_in_system(conversation: Conversation, template: Template, last: int) -> bool:
    """Let the student's text before a turn, with the tools, be the system text, if that is all of one turn."""
    before = takewhile(lambda part: part[3] is None or part[3] < last, segments_of(conversation, template))
    opening = "".join(text for text, *_ in before)
    inside = opening.removeprefix(template.headers["system"]).removesuffix(template.ending)
    if opening != f"{template.headers['system']}{inside}{template.ending}":
        return False
    others = {key: value for key, value in conversation.row.items() if key not in ("messages", "tools")}
    messages = [{"role": "system", "content": inside}, *conversation.messages[last:]]
    conversation.row = {**others, "messages": messages}
    return True


def _may_be_moved(conversation: Conversation, messages: Sequence[Message], template: Template) -> bool:
    """Whether messages say nothing that is not in their text, and neither they nor the tools hold a turn token."""
    if not all(message.keys() <= _KEYS and isinstance(message.get("content") or "", str) for message in messages):
        return False
    data = jsontext.dumps_line([*messages, conversation.tools])
    return not any(token.encode() in data for token in turn_tokens(template))


def _in_one(belongs: Belongs, role: str, students: Sequence[str]) -> Repair:
    def join_turns(conversation: Conversation, template: Template | None = None) -> int:
        if template is None or template.name not in students:
            return 0
        runs = [run for run in _runs(conversation.messages, belongs) if _may_be_one(conversation, run, role, template)]
        texts = _texts(conversation, template) if runs else dict[int | None, str]()
        messages, count = [*conversation.messages], 0
        for run in reversed(runs):
            whole = "".join(texts.get(index, "") for index in run)
            inside = whole.removeprefix(template.headers[role]).removesuffix(template.ending)
            thoughts = (message.get("reasoning_content") or "" for message in messages[run.start : run.stop])
            written = whole == f"{template.headers[role]}{inside}{template.ending}"
            if written and all(str(each).strip() in inside for each in thoughts):
                messages[run.start : run.stop] = [{"role": role, "content": inside}]
                count += len(run) - 1
        return set_messages(conversation, messages, count)

    return join_turns


def _runs(messages: Sequence[Message], belongs: Belongs) -> list[range]:
    """The places of two and more neighbours that belong to each other."""
    runs, at = list[range](), 0
    for alike, group in groupby(messages, belongs):
        end = at + sum(1 for _ in group)
        if alike and end - at > 1:
            runs.append(range(at, end))
        at = end
    return runs


def _may_be_one(conversation: Conversation, run: range, role: str, template: Template) -> bool:
    """Whether turns may be one: one is of the role, they say nothing else, and none holds a turn token of its own."""
    messages = conversation.messages[run.start : run.stop]
    if all(message.get("role") != role for message in messages):
        return False  # the results of parallel calls
    if role == "user" and run.stop == len(conversation.messages):
        return False  # nothing answers them
    if not all(message.keys() <= _KEYS and isinstance(message.get("content") or "", str) for message in messages):
        return False
    data = jsontext.dumps_line(messages)
    return not any(token.encode() in data for token in turn_tokens(template))


def _texts(conversation: Conversation, template: Template) -> dict[int | None, str]:
    """The student's text, by message; nothing if it can't be written."""
    texts: dict[int | None, str] = {}
    for text, _, _, index, _ in segments_of(conversation, template):
        texts[index] = texts.get(index, "") + text
    return texts
