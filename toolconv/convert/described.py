"""What a row that nobody reads seems to hold: its largest values, and what makes a conversation of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from shlex import quote
from string import ascii_letters, digits
from typing import Any, Final, NamedTuple

from toolconv import layouts
from toolconv.convert.trial import KeyOption, read_with, typed
from toolconv.convert.unread.signs import are_of_no_kind, is_prose, is_short, texts_below
from toolconv.core import jsontext
from toolconv.core.calls import is_call
from toolconv.core.key_words import QUESTIONS, SYSTEMS
from toolconv.core.messages import Row
from toolconv.core.plural import plural
from toolconv.core.rows import keys_of
from toolconv.core.tools import NO_TOOLS
from toolconv.io import tables
from toolconv.layouts.base import LayoutError
from toolconv.layouts.formats.any_keys import AnyKeys
from toolconv.layouts.found_turns import DEEPEST, SPEAKER_KEYS, TEXT_KEYS, is_turn
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.layouts.turn_shapes import TURN_KEYS
from toolconv.layouts.usual_names import USUAL_KEYS
from toolconv.layouts.worded_turns import MARKED

SHOWN: Final = 2
"""How many values are described."""
SHORTEST: Final = 24
ENCODED: Final = 60
"""A text this long of nothing but the characters of base64 is encoded."""
FACT: Final = 2
"""A text that is shorter, or has no more words, is a fact, no conversation."""
SPEAKERS: Final = 4
"""How many names the speakers of a conversation have at most."""
LONGEST_NAME: Final = 40
TURN_PLACES: Final = TURN_KEYS | frozenset(USUAL_KEYS)
"""The keys that are described first."""
TURNS: Final = "write them as a list of turns, each with a role and a content"

TEXT: Final = "--text-key names the text of an answer"
ROWS: Final = "write each row on a line of its own"

BASE64: Final = frozenset(ascii_letters + digits + "+/=\r\n")
MADE_OF: Final[tuple[tuple[Callable[[str], bool], str, str], ...]] = (
    (lambda text: len(text) >= ENCODED and BASE64.issuperset(text), "base64", "decode it"),
    (lambda text: text.startswith(("data:", "event:")), "server-sent events", TURNS),
    (lambda text: text[0] == text[-1] == "|", "a table in Markdown", TURNS),
    (lambda text: text[0] == "<" and text[-1] == ">" and "</" in text, "markup, as of XML", TURNS),
    (lambda text: text.startswith("- ") and ":" in text.partition("\n")[0], "YAML", TURNS),
)
"""Texts that are data: how they look, what they are, and what is to do."""


class DescribedValue(NamedTuple):
    """A value in a row: where it is, how long it is, what it seems to be, what to do with it, and what may read it."""

    path: str
    size: int
    what: str
    step: str
    option: KeyOption | None


def described(row: Row) -> str | None:
    """What the largest values of a row seem to be, and the option or the step by which they are read.

    ``None`` if it holds nothing but facts.
    """
    if (columns := _columns(row)) is not None:
        return columns
    values = sorted(_values(row, row, ()), key=lambda value: (value.path not in TURN_PLACES, -value.size))[:SHOWN]
    if not values:
        values = _short_texts(row)
    if not values:
        return None
    value = next((value for value in values if not _asks(value)), values[0])
    step = _option(row, value, values) or value.step
    return "; ".join([*(f"{value.path!r} holds {value.what}" for value in values), *([step] if step else [])])


def _short_texts(row: Row) -> list[DescribedValue]:
    """The texts of a row that are no facts, if it has as few as a question and its answer."""
    named = {key: value for key, value in row.items() if key not in TOOL_KEYS and key.lower() not in SYSTEMS}
    texts = [(path[1:], text) for path, text in texts_below(named, ("",))]
    values = [
        DescribedValue(".".join(path), len(text), _a_text(text), TEXT, "text_key")
        for path, text in texts
        if (is_prose(text) or is_short(text)) and are_of_no_kind(path)
    ]
    return sorted(values, key=lambda value: -value.size) if len(texts) <= SHOWN else []


def _asks(value: DescribedValue) -> bool:
    """Whether the key of a value is that of a question."""
    return value.path.rpartition(".")[2].lower() in QUESTIONS


def _option(row: Row, value: DescribedValue, values: list[DescribedValue]) -> str | None:
    """The option that reads the row by one of its values; ``None`` if none does."""
    if value.option is None:
        return None
    keys: dict[KeyOption, str] = {value.option: value.path}
    asked = next((each.path for each in values if each is not value and _asks(each)), None)
    if asked is not None and value.option == "text_key":
        keys = {"prompt_key": asked, **keys}
    read = read_with(row, keys)
    if read is None or (value.what.startswith("a text by") and len(read.messages) == 1):  # as a text of the user
        return None
    return f"{typed(keys)} reads {'them' if len(keys) > 1 else 'it'}"


def _columns(row: Row) -> str | None:
    """Lists of the same length, one of them of texts and one of speakers, under keys that nobody knows."""
    lists = {
        key: value for key, value in row.items() if type(value) is list and len(value) > 1 and key not in TOOL_KEYS
    }
    texts = {key: value for key, value in lists.items() if all(type(item) is str for item in value)}
    speaker = next((key for key, value in texts.items() if all(map(meaning_of, value))), None)
    others = [key for key in texts if key != speaker and speaker and len(texts[key]) == len(texts[speaker])]
    if speaker is None or not others:
        return None
    return f"columns of turns under {speaker!r} and {others[0]!r}: call them 'role' and 'content'"


def _values(row: Row, holder: Row, path: tuple[str, ...]) -> Iterator[DescribedValue]:
    for key, member in holder.items():
        if key in TOOL_KEYS or key.lower() in SYSTEMS:
            continue
        place = (*path, key)
        value = opened(member)
        found = _of_text(value) if type(value) is str else _of_list(row, value, place) if type(value) is list else None
        if found is None and type(value) is dict and value:
            found = _of_object(value)
            if found is None and len(place) < DEEPEST and (inner := list(_values(row, value, place))):
                yield from inner
                continue
        if found is not None:
            option: KeyOption | None = "text_key" if found[1] == TEXT else "messages_key"
            is_data = type(value) is str and option == "messages_key" and not found[0].startswith("a text by")
            if is_data or found[1] == ROWS or "--messages-key" in found[1]:
                option = None
            yield DescribedValue(".".join(place), len(jsontext.dumps(value)), *found, option)


def _of_text(text: str) -> tuple[str, str] | None:
    if len(text.strip()) < SHORTEST:
        return None
    for look, what, step in MADE_OF:
        if look(text.strip()):
            return f"a text that looks like {what}", step
    if "\n" in text and (table := tables.columns_of(text)) is not None:
        return f"a table with the columns {', '.join(map(repr, table[1][:SPEAKERS]))} in a text", TURNS
    if len(text.split(maxsplit=FACT)) <= FACT:
        return None
    names = {header["role"] for header in MARKED.finditer(text) if meaning_of(header["role"]) is not None}
    if len(set(map(meaning_of, names))) > 1:
        return f"a text by {' and '.join(map(repr, sorted(names)[:SPEAKERS]))}", TURNS
    return _a_text(text), TEXT


def _a_text(text: str) -> str:
    return f"a text of {plural(len(text), 'character')}"


def _of_list(row: Row, items: list[Any], path: tuple[str, ...]) -> tuple[str, str] | None:
    size = len(items)
    if not items:
        return None
    if all(type(item) is list for item in items):
        return f"{plural(size, 'list')} of {_kind(items[0])}", "make one list of them, or a row of each"
    if all(type(item) is str for item in items):
        return f"{plural(size, 'text')} without speakers", "write each as an object with a role and a content"
    if not all(type(item) is dict for item in items):
        return f"a list of {size} values of several kinds", "write each as an object with a role and a content"
    if all(is_call(item, NO_TOOLS) for item in items):
        return plural(size, "call"), "write them under 'tool_calls' in a turn of the assistant"
    if all(map(_is_row, items[:SHOWN])):
        return plural(size, "row"), ROWS
    what = f"{plural(size, 'object')} with the keys {keys_of(items[0])}"
    for key, names in _speakers(items):
        spoken = f"{what}, by {' and '.join(map(repr, names))} ({key!r})"
        if all(map(meaning_of, names)):
            if key == "role" and all("content" in item for item in items):
                return None  # something else keeps the row from being read
            return spoken, "call the keys of the speaker and of the text 'role' and 'content'"
        try:
            AnyKeys(messages_key=".".join(path), roles=dict.fromkeys(names, "user")).read(row)
        except LayoutError:
            continue
        wanted = quote(",".join(f"{name}=ROLE" for name in names))
        option = f"--messages-key {quote('.'.join(path))} --roles {wanted}"
        return spoken, f"{option} reads them, with the role of each for ROLE"
    return f"{what}, and no known speaker", "give each turn a 'role' and a 'content'"


def _is_row(item: Row) -> bool:
    """Whether an object is a whole conversation: a question, or more, and an answer."""
    layout = layouts.detect(item)
    try:
        return layout is not None and not is_turn(item) and len(layout.read(item).messages) > 1
    except LayoutError:
        return False


def _speakers(items: list[Row]) -> Iterator[tuple[str, list[str]]]:
    """The keys that may hold the speakers of turns, each with their names."""
    for key in sorted(items[0], key=lambda key: key not in SPEAKER_KEYS):
        values = [item.get(key) for item in items]
        if key in TEXT_KEYS or not all(type(value) is str and len(value) < LONGEST_NAME for value in values):
            continue
        names = [name for name in dict.fromkeys(values) if name]
        if len(names) > 1 and (len(names) <= SPEAKERS or len(names) == len(items)):
            yield key, names


def _of_object(value: Row) -> tuple[str, str] | None:
    if is_turn(value):
        return "a message", "write it in a list of turns"
    spoken = [key for key in value if meaning_of(key) is not None]
    if len(spoken) > 1 and all(type(value[key]) is list for key in spoken):
        return f"the texts of {' and '.join(map(repr, spoken))} apart", (
            "nothing says in which order they stand: write them as one list of turns"
        )
    branches = next((key for key, member in value.items() if type(member) is list and len(member) > 1), None)
    if branches is not None and all(type(each) is dict and branches in each for each in value[branches]):
        return f"a tree that branches under {branches!r}", "write a row for each branch"
    return None


def _kind(value: Any) -> str:
    first = value[0] if value else None
    return "objects" if type(first) is dict else "texts" if type(first) is str else "values"
