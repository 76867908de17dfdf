"""What differs between the original row and the row that is written, for the receipt: by the keys that lead to a value.

Repairs and losses say what was done; this says what came of it, whatever the layouts are. It knows nothing of them, so
it can't be empty for a row that changed. What is added, as a ``type`` or an id, is no loss, and no reason to reject a
row with ``--strict``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.messages import Row

FREE: Final = frozenset({"arguments", "args", "input", "parameters", "properties", "input_schema", "kwargs"})
"""Keys whose values have keys of the user's own, which are counted as one place."""
AS_TEXT: Final = "(JSON text)"
"""Stands for the text around a value that is JSON text."""
KEY_ORDER: Final = "order of keys"


def changes_of(came: Row, written: Row) -> Counter[str]:
    """The changes from one row to another by kind and place, such as ``added messages.tool_calls.type``.

    The kinds are ``added``, ``removed``, ``changed``, ``moved`` (with both places) and ``reordered``. Two rows whose
    JSON is not the same have at least one.
    """
    before, after = _values(came), _values(written)
    removed: dict[str, Counter[str]] = {}
    added: dict[str, Counter[str]] = {}
    changes: Counter[str] = Counter()
    for place in {**before, **after}:
        was, now = before.get(place, []), after.get(place, [])
        if was == now:
            continue
        gone, new = Counter(was), Counter(now)
        gone.subtract(now)
        new.subtract(was)
        removed[place], added[place] = +gone, +new
        if not removed[place] and not added[place]:
            changes[f"reordered {place}"] += 1
    places = defaultdict(list)
    for place, values in added.items():
        for value in values:
            places[value].append(place)
    for place, values in removed.items():
        for value, count in values.items():
            for other in places.get(value, ()):
                moved = min(count, added[other][value])
                if moved:
                    changes[f"moved {place} to {other}"] += moved
                    added[other][value] -= moved
                    count -= moved
            removed[place][value] = count
    for place, values in added.items():
        if changed := min((+values).total(), (+removed[place]).total()):
            changes[f"changed {place}"] += changed
            values = Counter(list((+values).elements())[changed:])
            removed[place] = Counter(list((+removed[place]).elements())[changed:])
        if gone_from := (+removed[place]).total():
            changes[f"removed {place}"] += gone_from
        if left := (+values).total():
            changes[f"added {place}"] += left
    if not changes and jsontext.dumps(came) != jsontext.dumps(written):
        changes[KEY_ORDER] = 1
    return changes


def _values(row: Row) -> dict[str, list[str]]:
    """The values of a row that are no lists or objects, as JSON, in order, by the keys that lead to them."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, value in _leaves(row, "", free=False):
        found[place].append(value)
    return found


def _leaves(value: Any, place: str, *, free: bool) -> Iterator[tuple[str, str]]:
    if (opened := jsontext.opened(value)) is not value:
        yield f"{place} {AS_TEXT}", AS_TEXT
        value = opened
    if type(value) is dict and value:
        for key, member in value.items():
            below = f"{place}.*" if free else f"{place}.{key}" if place else key
            yield from _leaves(member, place if free and place.endswith("*") else below, free=free or key in FREE)
    elif type(value) is list and value:
        for item in value:
            yield from _leaves(item, place, free=free)
    else:
        yield place, jsontext.dumps(value).decode()
