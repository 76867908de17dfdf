"""The steps or the events of an agent as the turns that they mean. A step is a call and what it gave.

==========  ====================================================================================
flat        ``{"thought": "…", "action": "search", "action_input": {…}, "observation": "…"}``
nested      ``{"thought": "…", "tool_call": {"name": "search", "arguments": {…}}, "result": …}``
numbered    ``{"thought_0": "…", "tool_name_0": "search", "tool_args_0": {…}, "observation_0": "…"}``
pairs       ``[{"tool": "search", "tool_input": {…}, "log": "…"}, "what it gave"]``
events      ``{"type": "tool_call", "tool": "search", "input": {…}}``, ``{"type": "tool_result", "output": "…"}``
one step    ``{"question": "…", "tool": "search", "tool_input": {…}, "result": "…"}``, the row itself
==========  ====================================================================================

A list counts if each of its objects is a step with a call, and one has what its call gave; the last may have an answer
instead. An observation before the action is what the agent saw when it chose, not what its call gave: such steps are
not read. What the agent was asked, and what it answered in the end, are texts next to the steps.

Source: the trajectories of ReAct agents: LangChain's ``intermediate_steps`` (pairs of an ``AgentAction`` and a result),
DSPy's ``dspy.ReAct`` (numbered keys); datasets of agents on the Hub; langchain4j's ``ChatMessageSerializer``.
"""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key
from toolconv.core.messages import Row
from toolconv.layouts.answers import ANSWERS, PROMPTS
from toolconv.layouts.call_forms import CALL_IDS, by_tool, calls_among, flat_call, listed_calls
from toolconv.layouts.call_items import extras
from toolconv.layouts.found_turns import SURE_KEYS, TEXT_KEYS, ShapedTurn, names_speaker
from toolconv.layouts.other_keys import RESULTS
from toolconv.layouts.speakers import CALL, meaning_of

THOUGHTS: Final = ("thought", "thoughts", "reasoning", "rationale", "thinking")
REASONING: Final = "reasoning"
"""The meaning of an event that is reasoning."""
ASKED: Final = (*PROMPTS, "task", "goal", "prompt", "input", "user_input")
ANSWERED: Final = (*ANSWERS, "final", "actual_output", "content")
EVENT_TEXTS: Final = (*TEXT_KEYS, "contents")
KINDS: Final = ("type", "event", "kind", "event_type", "step_type", "message_type")
_PAIR: Final = ("action", "observation")
"""What a step is made of."""
_ACTION: Final = ("tool", "tool_input", "log")
"""The fields of LangChain's ``AgentAction``, in its order."""
_SPOKEN: Final = frozenset({*SURE_KEYS, "content", "messages"})
"""Keys of turns, which steps do not have."""


def steps_in(row: Row) -> tuple[list[ShapedTurn], set[str]] | None:
    """The turns that the steps of an agent in a row mean, and the keys of the row that they are from.

    ``None`` for other rows, or ones with several lists of steps.
    """
    found = [({key}, turns) for key, value in row.items() if (turns := _turns_of(value, key)) is not None]
    if not found and (one := _one_step(row)) is not None:
        found = [one]
    if len(found) != 1:
        return None
    ((keys, turns),) = found
    if (asked := _text_under(ASKED, row)) is not None:
        turns = [ShapedTurn({"role": "user", "content": row[asked]}, asked), *turns]
        keys.add(asked)
    answered = _text_under(ANSWERED, row)
    if answered is not None and answered != asked and not _gives(turns, row[answered]):
        turns = [*turns, ShapedTurn({"role": "assistant", "content": row[answered]}, answered)]
        keys.add(answered)
    return turns, keys


def _one_step(row: Row) -> tuple[set[str], list[ShapedTurn]] | None:
    """The keys and the turns of the step that a row with a question is, if its call stands among its own keys."""
    call = None if _text_under(ASKED, row) is None else flat_call(row)
    if call is None or len(call[0]["function"]["name"].split()) > 1 or not _SPOKEN.isdisjoint(row):
        return None
    used = call[1]
    thought = next((key for key in THOUGHTS if key in row), None)
    result = next((key for key in RESULTS if key in row and key not in (*used, *ANSWERED)), None)
    keys = {key for key in (*used, thought, result) if key is not None}
    turns = _turns([{key: member for key, member in row.items() if key in keys}], [None])
    return None if turns is None else (keys, turns)


def _text_under(keys: tuple[str, ...], row: Row) -> str | None:
    """The first of some keys under which a row has a text."""
    return next((key for key in keys if type(row.get(key)) is str and row[key].strip()), None)


def _gives(turns: list[ShapedTurn], answer: str) -> bool:
    """Whether the last call of some turns gives an answer, as one of a tool that ends the run does."""
    calls: list[Row] = next((turn.item["tool_calls"] for turn in reversed(turns) if "tool_calls" in turn.item), [])
    return any(answer in arguments.values() for arguments in map(_arguments_of, calls))


def _arguments_of(call: Row) -> Row:
    """The arguments of a call, in OpenAI's form or flat."""
    function = call.get("function")
    held = function if type(function) is dict else call
    arguments = jsontext.opened(held.get(argument_key(held) or ""))
    return arguments if type(arguments) is dict else {}


def _turns_of(value: Any, key: str) -> list[ShapedTurn] | None:
    """The turns that a list of steps means, or an object of numbered keys; ``None`` for anything else."""
    if type(value) is dict:
        steps = _numbered(value) or []
        turns = _turns(steps, [None] * len(steps))
    elif type(value) is not list or not value:
        return None
    elif all(type(each) is list and len(each) == len(_PAIR) for each in value):
        turns = _turns([_step_in(*each) for each in value], [None] * len(value))
    else:
        turns = _turns(value, [f"{key}/{at}" for at in range(len(value))])
    return turns if turns and any(turn.item["role"] == "tool" for turn in turns) else None


def _step_in(action: Any, given: Any) -> Row | None:
    """The step in a pair of an action and what it gave; an ``AgentAction`` may be a tuple (ToolAlpaca)."""
    if type(action) is list and len(action) == len(_ACTION):
        action = dict(zip(_ACTION, action, strict=True))
    return {**action, "observation": given} if type(action) is dict else None


def _numbered(value: Row) -> list[Row] | None:
    """The steps in an object whose keys end with their numbers, from 0 or 1 on."""
    first = next(iter(value), "").rpartition("_")[2]
    if first not in ("0", "1"):
        return None
    steps: list[Row] = []
    for key, member in value.items():
        name, _, number = key.rpartition("_")
        at = int(number) - int(first) if number.isdecimal() and len(number) < 5 else -1
        if not 0 <= at <= len(steps) or not name:
            return None
        steps += [{}] if at == len(steps) else []
        steps[at][name] = member
    return steps


def _turns(steps: list[Any], places: list[str | None]) -> list[ShapedTurn] | None:
    """The turns of steps; ``None`` if one is no step."""
    turns: list[ShapedTurn] = []
    for step, place in zip(steps, places, strict=True):
        if type(step) is not dict or not _SPOKEN.isdisjoint(step) or any(map(names_speaker, step, step.values())):
            return None
        if meaning_of(str(step.get("source"))) == "user":  # OpenHands
            return None
        found = calls_among(step)
        if found is None:
            answer = _text_under(ANSWERED, step) if step is steps[-1] else None
            if answer is None:
                return None
            turn = {"role": "assistant", "content": step[answer], **extras(step, answer)}
            turns.append(ShapedTurn(turn, place and f"{place}/{answer}"))
            continue
        calls, used = found
        calls = listed_calls(calls)
        if any(_declares(step, _arguments_of(call)) for call in calls):
            return None
        thought = next((key for key in THOUGHTS if type(step.get(key)) is str), None)
        result = next((key for key in RESULTS if key in step and key not in used), None)
        keys = list(step)
        if result is not None and keys.index(result) < keys.index(used[0]):
            return None
        calls, given = _by_tool(calls, None if result is None else step[result])
        results = _results(given, calls)
        if results is None:
            return None
        rest = extras(step, *used, thought, result)
        turn = {"role": "assistant", "content": step[thought] if thought else "", "tool_calls": calls, **rest}
        turns.append(ShapedTurn(turn, place))
        for inside, given in results:
            at = place and f"{place}/{result}{inside}"
            turns.append(ShapedTurn({"role": "tool", "content": _text_of(given)}, at))
    return turns


def _by_tool(calls: list[Any], gave: Any) -> tuple[list[Any], Any]:
    """The calls of a step, and what they gave, where both are under the names of their tools."""
    if len(calls) != 1 or type(function := calls[0].get("function")) is not dict:
        return calls, gave
    given = by_tool(function["name"], _arguments_of(calls[0]))
    if given is None:
        return calls, gave
    results = jsontext.opened(gave)
    if type(results) is dict and results.keys() == given.keys():
        gave = results if len(given) > 1 else next(iter(results.values()))
    call = calls[0] if len(given) == 1 else extras(calls[0], "id")
    return [{**call, "function": {**function, "name": name, "arguments": each}} for name, each in given.items()], gave


def _results(given: Any, calls: list[Any]) -> list[tuple[str, Any]] | None:
    """What each call gave, with the end of its place; ``None`` if it is nothing for each of several."""
    if given is None or given == "":
        return []
    if len(calls) == 1:
        return [("", given)]
    names = [function.get("name") for call in calls if type(function := call.get("function")) is dict]
    if type(given) is dict and given.keys() == set(names):
        given = {f"/{name}": given[name] for name in names}
    elif type(given) is list:
        given = {f"/{at}": each for at, each in enumerate(given)}
    else:
        return None
    return list(given.items()) if len(given) == len(calls) else None


def _declares(step: Row, parameters: Row) -> bool:
    """Whether a name and an object are a tool and its parameters, rather than a call and its arguments."""
    schemas = [value for value in parameters.values() if type(value) is dict and "type" in value]
    described = "description" in step and not any(key in step for key in RESULTS)
    return described or "properties" in parameters or len(schemas) == len(parameters) > 0


def _text_of(result: Any) -> Any:
    return result if type(result) in (str, list) else jsontext.spaced(result)


def events_of(items: list[Row]) -> list[Row] | None:
    """The turns that a log of events means, each of a kind that says who speaks; ``None`` for other objects.

    A user and the assistant speak, and there is a call, which holds its name and arguments itself, or is in a turn
    of the assistant. Reasoning before a turn of the assistant belongs to it.
    """
    kind = next((key for key in KINDS if all(type(item.get(key)) is str for item in items)), None)
    meanings = [] if kind is None else [_meaning(item[kind]) for item in items]
    if kind is None or None in meanings or "user" not in meanings or meanings[-1] == REASONING:
        return None
    turns: list[Row] = []
    reasoning: Row = {}
    for item, meaning in zip(items, meanings, strict=True):
        turn = _turn_of(extras(item, kind), str(meaning))
        if turn is None or (reasoning and turn["role"] != "assistant"):
            return None
        if meaning == REASONING:
            reasoning = {**extras(turn, "role", "content"), "reasoning_content": turn["content"]}
            continue
        turns.append({**reasoning, **turn})
        reasoning = {}
    return turns if any("tool_calls" in turn for turn in turns) else None


def _meaning(kind: str) -> str | None:
    """The meaning of the kind of an event, as :func:`~toolconv.layouts.speakers.meaning_of` gives it, or reasoning."""
    return REASONING if kind.lower().removesuffix("_message") in THOUGHTS else meaning_of(kind)


def _turn_of(event: Row, meaning: str) -> Row | None:
    """The turn that an event means; ``None`` without a call or a text."""
    found = calls_among(event) if meaning in (CALL, "assistant") else None
    if found is None and meaning == CALL:
        return None
    calls, used = ([], ()) if found is None else found
    texts = {"tool": (*RESULTS, *TEXT_KEYS), REASONING: (*THOUGHTS, *TEXT_KEYS), CALL: ()}.get(meaning, EVENT_TEXTS)
    text = next((key for key in texts if key in event), None)
    if text is None and not calls:
        return None
    call_id = next((key for key in CALL_IDS if meaning == "tool" and type(event.get(key)) is str), None)
    paired = {} if call_id is None else {"tool_call_id": event[call_id]}
    called = {"tool_calls": listed_calls(calls)} if calls else {}
    role = "assistant" if meaning in (REASONING, CALL) else meaning
    content = "" if text is None else _text_of(event[text])
    return {"role": role, "content": content, **called, **paired, **extras(event, text, call_id, *used)}
