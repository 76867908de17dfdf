"""The kinds of augmentation: each makes a changed copy of a canonical row, and what is needed to undo the change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from toolconv.augment.names import (
    GOLD,
    Names,
    mentioned_in_values,
    mentions,
    message_lists,
    parameters_of,
    renamed,
)
from toolconv.core import jsontext
from toolconv.core.key_words import REFERENCE_WORDS, words_of
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row, Tool, calls_of
from toolconv.core.rows import AUGMENTED
from toolconv.core.tools import function_of


class Unchanged(Exception):
    """A row to which a kind can't be applied; the message says why, in a word or two that are counted."""


class Change(NamedTuple):
    """A changed row, and what undoes the change, as JSON data."""

    row: Row
    undo: Any


DECLINES: Final = (
    "I can't do that with the tools I have here.",
    "None of the available tools can help with this request.",
    "That is beyond what my tools can do, so I can't help with it.",
    "I don't have a tool for that.",
    "There is no suitable tool for this among those I can use.",
    "My tools don't cover this, so I have to pass.",
)
"""Answers that decline a request for which there is no tool."""

_WORDS: Final = lazy_re(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz0123456789"
_FORCED: Final = ("tool_choice", "ground_truth", "possible_answer", "expect")
"""Keys of rows that say that a call is right."""


def name_of(tool: Any) -> str | None:
    """The name of a declared tool."""
    if type(tool) is dict and type(function := tool.get("function")) is dict and type(function.get("name")) is str:
        return str(function["name"])
    function = function_of(tool)
    return None if function is None else str(function["name"])


def shuffled(row: Row, random: Random) -> Change:
    """The tools in another order."""
    tools = row["tools"]
    if len(tools) < 2:
        raise Unchanged("one tool")
    order = list(range(len(tools)))
    while order == list(range(len(tools))):
        random.shuffle(order)
    return Change({**row, "tools": [tools[at] for at in order]}, order)


def unshuffled(row: Row, undo: Any) -> Row:
    """The tools in their own order."""
    tools: list[Any] = [None] * len(undo)
    for tool, at in zip(row["tools"], undo, strict=True):
        tools[at] = tool
    return {**row, "tools": tools}


def with_distractors(row: Row, random: Random, pool: Sequence[Tool], count: int) -> Change:
    """More tools, at random places among those of the row."""
    own = {name_of(tool) for tool in row["tools"]}
    added: list[Tool] = []
    for at in random.sample(range(len(pool)), min(len(pool), count + len(own))):
        if len(added) < count and name_of(pool[at]) not in own:
            own.add(name_of(pool[at]))
            added.append(pool[at])
    if not added:
        raise Unchanged("no other tools")
    places = sorted(random.sample(range(len(row["tools"]) + len(added)), len(added)))
    tools = list(row["tools"])
    for at, tool in zip(places, added, strict=True):
        tools.insert(at, tool)
    return Change({**row, "tools": tools}, places)


def without_distractors(row: Row, undo: Any) -> Row:
    """The tools of the row alone."""
    added = set(undo)
    return {**row, "tools": [tool for at, tool in enumerate(row["tools"]) if at not in added]}


def undescribed(row: Row, random: Random, share: float) -> Change:
    """Parameters without their descriptions, each with the probability ``share``."""
    taken: list[list[Any]] = []

    def without(schema: Any, path: list[Any]) -> Any:
        if not isinstance(schema, dict):
            return schema
        found = {}
        for at, (key, value) in enumerate(schema.items()):
            if key == "description" and len(path) > _PARAMETER and isinstance(value, str) and random.random() < share:
                taken.append([path, at, value])
            elif key == "properties" and isinstance(value, dict):
                found[key] = {name: without(each, [*path, key, name]) for name, each in value.items()}
            else:
                found[key] = without(value, [*path, key]) if key == "items" else value
        return found

    tools = []
    for at, tool in enumerate(row["tools"]):
        function = tool.get("function") if isinstance(tool, dict) else None
        if isinstance(function, dict) and isinstance(function.get("parameters"), dict):
            schema = without(function["parameters"], [at])
            tool = {**tool, "function": {**function, "parameters": schema}}
        tools.append(tool)
    if not taken:
        raise Unchanged("no descriptions")
    return Change({**row, "tools": tools}, taken)


_PARAMETER: Final = 2
"""The length of a path to a schema that is not a parameter's: at most the tool and a keyword."""


def described(row: Row, undo: Any) -> Row:
    """Parameters with their descriptions."""
    row = {**row, "tools": jsontext.loads(jsontext.dumps(row["tools"]))}
    for (at, *path), place, text in undo:
        holder = row["tools"][at]["function"]["parameters"]
        for key in path:
            holder = holder[key]
        items = list(holder.items())
        items.insert(place, ("description", text))
        holder.clear()
        holder.update(items)
    return row


def masked(row: Row, random: Random) -> Change:
    """Functions and parameters with names that say nothing, as in Hammer's function masking."""
    parameters = _parameters(row)

    def opaque(prefix: str) -> str:
        return prefix + random.choice(_ALPHABET[:26]) + "".join(random.choice(_ALPHABET) for _ in range(6))

    names = Names(
        {name: opaque("f_") for name in parameters},
        {name: opaque("p_") for name in dict.fromkeys(name for each in parameters.values() for name in each)},
    )
    if (change := _with_names(row, names)) is None:
        raise Unchanged("names in use")
    return change


def restyled(row: Row, random: Random) -> Change:
    """Functions and parameters with names in another style: ``get_weather``, ``getWeather`` or ``GetWeather``."""
    parameters = _parameters(row)
    styles = [("snake", "snake"), ("camel", "camel"), ("pascal", "camel")]
    random.shuffle(styles)
    for function_style, parameter_style in styles:
        functions = {name: _styled(name, function_style) for name in parameters}
        members = {name: _styled(name, parameter_style) for each in parameters.values() for name in each}
        half_done = any(
            functions[name] == name and any(members[each] != each for each in own) for name, own in parameters.items()
        )
        names = Names(*({old: new for old, new in each.items() if old != new} for each in (functions, members)))
        clash = len({*functions.values()}) < len(functions) or len({*members.values()}) < len(members)
        if names.functions and not half_done and not clash and (change := _with_names(row, names)) is not None:
            return change
    raise Unchanged("names in use")


def _parameters(row: Row) -> dict[str, list[str]]:
    found = parameters_of(row["tools"])
    if not found:
        raise Unchanged("no functions" if found is not None else "names in a schema")
    return found


def _styled(name: str, style: str) -> str:
    """A name in a style; the same if its words are not known."""
    words = _WORDS.findall(name)
    if not words or "".join(words) != name.replace("_", "").replace("-", "") or not name[0].isalpha():
        return name
    if style == "snake":
        return "_".join(word.lower() for word in words)
    first: str = words[0]
    rest: list[str] = words[1:]
    return (first.lower() if style == "camel" else first.capitalize()) + "".join(word.capitalize() for word in rest)


def _with_names(row: Row, names: Names) -> Change | None:
    """A row with other names; ``None`` if an old one is in a value, or a new one is already there."""
    text = jsontext.compact({key: value for key, value in row.items() if key != AUGMENTED})
    new = [*names.functions.values(), *names.parameters.values()]
    if len({*new}) < len(new) or any(each in text for each in new) or mentioned_in_values(row, names):
        return None
    changed = renamed(row, names)
    return Change(changed, [list(map(list, each.items())) for each in names])


def unnamed(row: Row, undo: Any) -> Row:
    """A row with its own names."""
    functions, parameters = (dict(each) for each in undo)
    return renamed(row, Names(functions, parameters).inverse(), anywhere=True)


def irrelevant(row: Row, random: Random, pool: Sequence[Tool], declines: Sequence[str]) -> Change:
    """The question without the tools that answer it, an answer that declines, and no gold calls."""
    messages = row.get("messages")
    if not isinstance(messages, list):
        raise Unchanged("several answers")
    if any(row.get(key) not in (None, "auto") for key in _FORCED):
        raise Unchanged("a call is demanded")
    called = {str(call["function"].get("name")) for message in messages for call in calls_of(message)}
    cut = next((at for at, message in enumerate(messages) if calls_of(message)), None)
    if cut is None or cut == 0 or messages[cut - 1].get("role") != "user":
        raise Unchanged("no request before a call")
    if declines is DECLINES and not _is_latin(messages[cut - 1].get("content")):
        raise Unchanged("another script")
    taken = [[at, tool] for at, tool in enumerate(row["tools"]) if name_of(tool) in called]
    kept = [tool for tool in row["tools"] if name_of(tool) not in called]
    if mentions(called, [messages[:cut], kept]):
        raise Unchanged("tool is mentioned")
    added: list[Tool] = []
    if not kept:
        others = [tool for tool in pool if name_of(tool) not in called]
        added = random.sample(others, min(len(others), len(taken)))
    if not kept and not added:
        raise Unchanged("no other tools")
    answer = {"role": "assistant", "content": random.choice(declines)}
    gold = {key: value for key, value in row.items() if isinstance(value, list | dict) and _is_gold(key)}
    changed = {**row, **{key: [] for key in gold}, "tools": kept + added, "messages": [*messages[:cut], answer]}
    return Change(changed, {"tools": taken, "messages": messages[cut:], "added": len(added), "gold": gold})


def _is_gold(key: str) -> bool:
    """Whether a key says that it holds what an answer is compared with."""
    return key in GOLD or not words_of(key).isdisjoint(REFERENCE_WORDS)


def relevant(row: Row, undo: Any) -> Row:
    """The question with its own tools and answers."""
    tools = row["tools"][: len(row["tools"]) - undo["added"]]
    for at, tool in undo["tools"]:
        tools.insert(at, tool)
    return {**row, **undo.get("gold", {}), "tools": tools, "messages": row["messages"][:-1] + undo["messages"]}


def _is_latin(content: Any) -> bool:
    """Whether most letters of a text are Latin, so that an English answer is in its script."""
    letters = [char for char in str(content) if char.isalpha()]
    return 2 * sum(char.isascii() for char in letters) > len(letters)


UNDO: Final[Mapping[str, Callable[[Row, Any], Row]]] = {
    "descriptions": described,
    "distractors": without_distractors,
    "shuffled": unshuffled,
    "masked": unnamed,
    "renamed": unnamed,
    "irrelevance": relevant,
}
"""What undoes each kind, by the name that rows give it."""


def has_calls(row: Row) -> bool:
    """Whether a row has a call."""
    return any(calls_of(message) for messages in message_lists(row) for message in messages)


def tools_in(row: Row) -> Iterator[Tool]:
    """The functions that a row declares."""
    return (tool for tool in row.get("tools") or () if name_of(tool) is not None)
