"""ATIF, the Agent Trajectory Interchange Format of Harbor: ``steps`` of a user, an agent and the system.

- An agent step is read as an assistant message, and each result in its ``observation`` as a ``tool`` message.
  ``agent.tool_definitions`` are the tools. A system step is a system message, wherever it is.
- Results without a ``source_call_id`` answer the calls in order, and get the key ``source_call_id`` with null. If there
  are fewer such results than calls, each call without one is a loss (``response_pairing``).
- An observation in a step without calls is a user message with ``source`` ``observation``. If it has no content, only
  references to subagents, it is kept as the key ``observation`` of the step's message.
- Other keys of a step (``timestamp``, ``model_name``, ``metrics``, ``extra``, …) become keys of its message, and those
  of the trajectory keys of the row. ``step_id`` is left out if it is the number of the step.
- ``subagent_trajectories`` of a file become rows after it, with ``parent_session_id``. In a row they are kept, and each
  is a loss (``conversations``).
- A trajectory that continues in another file has ``continued_trajectory_ref``. Steps copied from the first file have
  ``is_copied_context``.

Results are written into the step of their call. Keys that the format does not allow are written under
``extra.toolconv`` of the step or the trajectory, and read back from there. Required keys that a row does not have are
added, and listed there: ``schema_version`` (v1.5; v1.6 with images), ``session_id`` (the row's ``id``, or ``unknown``)
and ``agent``.

Lost: the boundary between several texts of one message (``content_parts``); in writing, the place of a result that does
not follow its call (``response_order``).

Source: Harbor RFC 0001 (v1.0 to v1.5), ``harbor.models.trajectories``, and the golden files of Harbor's tests. No real
file of v1.6 or v1.7 (content parts, ``subagent_trajectories``) was available.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row, calls_of, text_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.layouts.base import Layout, LayoutError, Original, listed
from toolconv.layouts.call_forms import drop_unread, read_calls
from toolconv.layouts.call_items import CalledNames, call_item, checked, extras, numbered
from toolconv.layouts.content_blocks import is_plain, rewritten
from toolconv.layouts.message_builder import joined, result_text
from toolconv.layouts.nested_json import opened
from toolconv.layouts.tool_schema import read_tools

OURS = "toolconv"
"""The key of ``extra`` for what the format has no place for."""

ROLES = {"agent": "assistant", "user": "user", "system": "system"}
SOURCES = {role: source for source, role in ROLES.items()}
OBSERVED = "observation"
"""The ``source`` of a user message that is what the agent observed."""

ROOT = (
    "schema_version", "session_id", "trajectory_id", "agent", "notes", "final_metrics", "continued_trajectory_ref",
    "subagent_trajectories", "extra",
)  # fmt: skip
STEP = ("timestamp", "model_name", "reasoning_effort", "metrics", "extra", "is_copied_context", "llm_call_count")
AGENT = ("reasoning_content", "reasoning_effort", "metrics", "model_name")
"""Keys that only a step of the agent has."""

RESULT = ("subagent_trajectory_ref", "extra")


class Atif(Layout):
    """Trajectories of steps."""

    leaves_out = True
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {"toolconv": None}
    references = ("unknown",)
    name = "atif"
    aliases = ("harbor",)
    sample = (
        '{"schema_version":"ATIF-v1.5","session_id":"s1","agent":{"name":"terminus-2","version":"2.0.0"},"steps":['
        '{"step_id":1,"source":"user","message":"Weather?"},{"step_id":2,"source":"agent","message":"","tool_calls":['
        '{"tool_call_id":"call_1","function_name":"get_weather","arguments":{"city":"Tokyo"}}],"observation":{"results":['
        '{"source_call_id":"call_1","content":"Sunny"}]}}]}'
    )
    tools_keys = ()

    def matches(self, row: Row) -> bool:
        steps = listed(row.get("steps"))
        if steps is None or not all("source" in step for step in steps):
            return False
        named = str(row.get("schema_version")).startswith("ATIF")
        return named or (isinstance(row.get("agent"), dict) and all("message" in step for step in steps))

    def split(self, document: Any) -> Iterator[Row] | None:
        if not isinstance(document, dict) or not document.get("subagent_trajectories") or not self.fits(document):
            return None
        return _family(document, None)

    # ── reading ──

    def decode(self, row: Row) -> Conversation:
        steps = listed(row.get("steps"))
        if steps is None or not all(isinstance(step.get("source"), str) for step in steps):
            raise LayoutError("no list of steps with a 'source' under 'steps'")
        notes = Notes()
        messages: list[Message] = []
        starts: list[int] = []
        for at, step in enumerate(steps):
            read = _read_step(step, at + 1, notes)
            messages += read
            starts += [at] * len(read)
        complete(messages)
        canonical: Row = {}
        ours = _ours(row)
        for key, value in row.items():
            if key == "steps":
                canonical["messages"] = messages
            elif key == "agent" and isinstance(value, dict) and "tool_definitions" in value:
                canonical["tools"] = read_tools(value["tool_definitions"], notes)
                canonical[key] = extras(value, "tool_definitions")
            elif key == "extra" and ours:
                canonical.update({key: extras(value, OURS)} if len(value) > 1 else {})
            else:
                canonical[key] = value
        for key in ours.get("made", ()):
            canonical.pop(key, None)
        canonical.update(ours.get("keys", {}))
        children = row.get("subagent_trajectories")
        notes.losses.extend(["conversations"] * (len(children) if isinstance(children, list) else 0))
        return Conversation(canonical, notes, fields=(RowField("/steps", len(messages), steps, starts),))

    # ── writing ──

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        messages, names = numbered(conversation.messages)
        starts = (original and original.read.fields[0].starts) or [0]

        def write(at: int, end: int) -> list[Row]:
            return _write_steps(messages[at:end], names[at:end], starts[at] + 1, conversation.notes)

        steps = rewritten(conversation.messages, original, write)
        return _root(conversation.row, steps, images=any(isinstance(step.get("message"), list) for step in steps))


# ── reading ──


def _family(trajectory: Row, parent: Any) -> Iterator[Row]:
    """A trajectory, and those of its subagents as rows of their own."""
    children = trajectory.get("subagent_trajectories")
    row = extras(trajectory, "subagent_trajectories") if isinstance(children, list) else dict(trajectory)
    if parent is not None and "parent_session_id" not in row:
        row["parent_session_id"] = parent
    yield row
    for child in children if isinstance(children, list) else ():
        yield from _family(child, trajectory.get("session_id") or trajectory.get("trajectory_id"))


def _ours(holder: Row) -> Row:
    """What was kept under ``extra.toolconv``.

    Raises:
        LayoutError: something else was.
    """
    extra = holder.get("extra")
    ours = extra.get(OURS) if isinstance(extra, dict) else None
    if not isinstance(ours, dict):
        return {}
    if not all(isinstance(value, list if key == "made" else dict) for key, value in ours.items()):
        raise LayoutError(f"'extra.{OURS}' is not what toolconv writes there")
    return ours


def _read_step(step: Row, number: int, notes: Notes) -> list[Message]:
    """The messages of a step: its own, and one for each result that has content or answers a call."""
    ours = _ours(step)
    message: Message = {
        "role": ROLES.get(step["source"], step["source"]),
        "content": value if isinstance(value := step.get("message"), dict) else _content(value, notes),
    }
    if step.get("reasoning_content"):
        message["reasoning_content"] = step["reasoning_content"]
    calls = _read_calls(step.get("tool_calls"), ours, notes)
    if calls:
        message["tool_calls"] = calls
    known = ("source", "message", "reasoning_content", "tool_calls", "observation", "extra")
    for key, value in step.items():
        if key not in known and (key != "step_id" or value != number):
            message[key] = value
    if "extra" in step and (not ours or len(step["extra"]) > 1):
        message["extra"] = extras(step["extra"], OURS) if ours else step["extra"]
    message.update(ours.get("keys", {}))
    if not calls:
        drop_unread(message, notes)
    observation = opened(step.get("observation"))
    if not isinstance(observation, dict):
        return [message]
    answers, silent = _read_results(observation.get("results") or (), calls, ours, notes)
    left = {**extras(observation, "results"), **({"results": silent} if silent else {})}
    if left:
        message["observation"] = left
    return [message, *answers]


def _read_calls(calls: Any, ours: Row, notes: Notes) -> list[dict[str, Any]]:
    if not isinstance(calls, list):
        return read_calls(calls, notes)
    read = []
    for at, call in enumerate(calls):
        if isinstance(call, dict) and isinstance(call.get("function_name"), str):
            rest = extras(call, "tool_call_id", "function_name", "arguments")
            item = call_item(call.get("tool_call_id"), call["function_name"], call.get("arguments"), rest, notes)
            read.append({**item, **ours.get("calls", {}).get(str(at), {})})
        else:
            read += read_calls([call], notes)
    return read


def _read_results(
    results: Sequence[Row], calls: list[dict[str, Any]], ours: Row, notes: Notes
) -> tuple[list[Message], list[Row]]:
    """The messages for the results of a step, and the results that give none."""
    named = {result.get("source_call_id") for result in results}
    open_calls = [call for call in calls if call.get("id") not in named]
    answers: list[Message] = []
    silent: list[Row] = []
    for at, result in enumerate(results):
        kept = ours.get("results", {}).get(str(at), {})
        content = kept.get("content", _content(result.get("content"), notes))
        call_id = result.get("source_call_id")
        rest = extras(result, "source_call_id", "content")
        if call_id is None and not calls and kept.get("role") != "tool":
            if result.get("content") is None:
                silent.append(result)
            else:
                answers.append({"role": "user", "content": content, "source": OBSERVED, **rest, **kept})
            continue
        message: Message = {"role": "tool"}
        if call_id is not None:
            message["tool_call_id"] = call_id
        elif calls and "role" not in kept:
            call = open_calls.pop(0) if open_calls else calls[-1]
            if "id" in call:
                message["tool_call_id"] = call["id"]
            rest = {"source_call_id": None, **rest}
        answers.append({**message, "content": content, **rest, **extras(kept, "role", "content")})
    if None in named:
        notes.losses.extend(["response_pairing"] * len(open_calls))
    return answers, silent


def _content(content: Any, notes: Notes) -> Any:
    """The content of a message or a result: text, or parts of which some are images."""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return joined([part["text"] if is_plain(part) else part for part in content], notes)
    return result_text(content, notes)


# ── writing ──


def _root(row: Row, steps: list[Row], *, images: bool) -> Row:
    """The trajectory around the steps."""
    found = {key: row[key] for key in ROOT if key in row}
    foreign = extras(row, "messages", "tools", *ROOT)
    if not isinstance(found.get("extra", {}), dict):
        foreign["extra"] = found.pop("extra")
    tools = row.get("tools")
    if "tools" in row and not (isinstance(tools, list) and tools):
        foreign["tools"] = tools
    if not isinstance(found.get("agent", {}), dict):
        foreign["agent"] = found.pop("agent")
    identity = row.get("id")
    made = {
        "schema_version": "ATIF-v1.6" if images else "ATIF-v1.5",
        "session_id": identity if isinstance(identity, str) and identity else "unknown",
        "agent": {"name": "unknown", "version": "unknown"},
    }
    needed = [key for key in made if key not in found and (key != "session_id" or "trajectory_id" not in found)]
    made = {key: made[key] for key in needed}
    head = {key: {**found, **made}[key] for key in ROOT[:4] if key in found or key in made}
    if isinstance(tools, list) and tools:
        head["agent"] = {**head["agent"], "tool_definitions": tools}
    rest = {key: value for key, value in found.items() if key not in head and key != "extra"}
    ours = {**({"made": needed} if needed else {}), **({"keys": foreign} if foreign else {})}
    return {**head, "steps": steps, **rest, **_extra(found, ours)}


def _extra(holder: Row, ours: Row) -> Row:
    """The key ``extra`` with what the format has no place for."""
    extra = {**holder.get("extra", {}), **({OURS: ours} if ours else {})}
    return {"extra": extra} if ours or "extra" in holder else {}


def _write_steps(messages: list[Message], names: CalledNames, number: int, notes: Notes) -> list[Row]:
    """Messages as steps, numbered from ``number``."""
    written: list[_Step] = []
    for message, name in zip(messages, names, strict=True):
        last = written[-1] if written else None
        if message.get("role") == "tool":
            asked = next((step for step in reversed(written) if step.calls), None)
            step = last if last is not None and (last.calls or asked is None) else asked
            if step is None:
                raise LayoutError("a tool response before any step: ATIF keeps it with its call (see TC201)")
            if step is not last:
                notes.losses.append("response_order")
            step.respond(message, name)
        elif message.get("source") == OBSERVED and message.get("role") == "user" and last is not None and last.observes:
            last.observe(message)
        else:
            written.append(_Step(message, number + len(written)))
    return [step.row() for step in written]


class _Step:
    """A step while its results are collected."""

    def __init__(self, message: Message, number: int) -> None:
        role, content = message.get("role"), message.get("content")
        self._keys: Row = {}
        self._row: Row = {"step_id": message.get("step_id", number)}
        if "timestamp" in message:
            self._row["timestamp"] = message["timestamp"]
        self._row["source"] = SOURCES.get(str(role), "system")
        if role not in SOURCES:
            self._keys["role"] = role
        self._is_agent = role == "assistant"
        self.calls = message.get("tool_calls") or [] if self._is_agent else []
        self._ours: Row = {}
        self._results: list[Row] = []
        self._kept: Row = {}
        self._observation: Row = {}
        self._message = message
        self._text = content if _native(content) else text_of(content, "\n\n")[0]
        if not _native(content):
            self._keys["content"] = content

    @property
    def observes(self) -> bool:
        """Whether a result of this step is read as the user's text."""
        return not self.calls

    def respond(self, message: Message, name: str | None) -> None:
        """Add the result of a call."""
        call_id = message.get("tool_call_id")
        kept = extras(message, "role", "content", "tool_call_id", "name", "source_call_id", *RESULT)
        result: Row = {}
        if call_id is not None and any(call.get("id") == call_id for call in calls_of({"tool_calls": self.calls})):
            if "source_call_id" not in message:
                result["source_call_id"] = call_id
        else:
            kept["role"] = "tool"
            if call_id is not None:
                kept["tool_call_id"] = call_id
        if "name" in message and message["name"] != name:
            kept["name"] = message["name"]
        self._add(result, message, kept)

    def observe(self, message: Message) -> None:
        """Add what the agent observed without a call."""
        self._add({}, message, extras(message, "role", "content", "source", *RESULT))

    def _add(self, result: Row, message: Message, kept: Row) -> None:
        content = message.get("content")
        if _native(content):
            result["content"] = content
        else:
            result["content"], kept["content"] = text_of(content, "\n\n")[0], content
        if not content and "subagent_trajectory_ref" in message:
            del result["content"]
        result.update({key: message[key] for key in RESULT if key in message})
        if kept:
            self._kept[str(len(self._results))] = kept
        self._results.append(result)

    def row(self) -> Row:
        """The step."""
        message, row = self._message, self._row
        calls = []
        for at, call in enumerate(self.calls):
            function = checked(call)["function"]
            calls.append(
                {"tool_call_id": call["id"], "function_name": function["name"], "arguments": function["arguments"]}
                | {key: call[key] for key in ("extra",) if key in call}
            )
            rest = {**extras(call, "id", "function", "extra")}
            if rest.get("type") == "function":
                del rest["type"]
            if extras(function, "name", "arguments"):
                rest["function"] = function
            if rest:
                self._ours.setdefault("calls", {})[str(at)] = rest
        taken = {"role", "content", "tool_calls", "step_id"} if self._is_agent else {"role", "content", "step_id"}
        native = [key for key in STEP if key in message and (self._is_agent or key not in AGENT or key == "model_name")]
        for key in ("model_name", "reasoning_effort"):
            if key in native:
                row[key] = message[key]
        row["message"] = self._text
        if self._is_agent and isinstance(message.get("reasoning_content"), str):
            row["reasoning_content"] = message["reasoning_content"]
            taken.add("reasoning_content")
        if calls:
            row["tool_calls"] = calls
        left = message.get("observation")
        if isinstance(left, dict):
            taken.add("observation")
            left_results = left.get("results") or []
            if self._results and left_results:
                self._kept = {str(int(at) + len(left_results)): kept for at, kept in self._kept.items()}
            self._results = [*left_results, *self._results]
            row["observation"] = {**left, **({"results": self._results} if self._results else {})}
        elif self._results:
            row["observation"] = {"results": self._results}
        extra_is_ours = isinstance(message.get("extra", {}), dict)
        for key in native:
            if key not in row and (key != "extra" or extra_is_ours):
                row[key] = message[key]
        self._keys.update({key: value for key, value in message.items() if key not in taken and key not in row})
        for key in row.keys() & message.keys() & {"source", "message"}:
            self._keys[key] = message[key]
        if self._keys:
            self._ours["keys"] = self._keys
        if self._kept:
            self._ours["results"] = self._kept
        row.pop("extra", None)
        return {**row, **_extra(message if extra_is_ours else {}, self._ours)}


def _native(content: Any) -> bool:
    """Whether content can be written as it is: text, or parts of text and images of which some are images."""
    if isinstance(content, str):
        return True
    if not isinstance(content, list) or all(map(is_plain, content)):
        return False
    return all(
        is_plain(part) or (isinstance(part, dict) and part.get("type") == "image" and "source" in part)
        for part in content
    )


LAYOUT = Atif()
