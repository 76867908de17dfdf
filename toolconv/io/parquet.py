"""Convert Parquet files to JSON lines and back, one row group at a time, without loss.

Reading: structs become objects. Arrow structs can't lack a member, so null members are treated as absent and dropped
(counted as ``null_padding``); nulls in top-level columns stay. Bytes become text (Base64 if they are not UTF-8), times
ISO 8601 text, decimals text with their digits (counted as ``column_type``), NaN and infinities null (``not_finite``).

Writing: a column whose values share one JSON type gets the matching Arrow type. A nested column becomes structs if only
the items of its top-level list need padding (the keys of messages may differ, those of arguments and schemas may not);
any other column becomes JSON text, as in most datasets with tools. The file's metadata, under ``toolconv``, records
which columns are JSON text, and which nulls are nulls rather than absent members. So files written here read back
unchanged, except that the keys of a row follow the order of the columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import IO, Any, Final

import orjson

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import DUPLICATE_KEY, PADDING

KEY = b"toolconv"
BATCH_ROWS = 256
GROUP_BYTES = 1 << 24
"""The size of a row group, in bytes of JSON text."""

MAX_MEMBERS = 64
"""Objects with more keys than this have free-form keys and are not written as structs."""

LISTS: Final = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
"""What tells Arrow's types of lists; older versions lack the views."""
LOSSES: Final = ("column_type", "not_finite")
"""What JSON lines can't hold of a file: see :class:`ArrowRows`."""

SURROGATE = lazy_re("[\ud800-\udfff]")

Convert = Callable[[Any], Any]


def _pyarrow() -> Any:
    from toolconv.core.errors import MissingExtra

    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("a .parquet file", "parquet") from None
    return pyarrow


# ── reading ─────────────────────────────────────────────────────────────────────────────────────


class ParquetReader:
    """A Parquet file as a stream of JSON lines.

    Raises:
        OSError: it is not a Parquet file.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._arrow = _pyarrow()
        try:
            self._file = self._arrow.parquet.ParquetFile(raw)
        except self._arrow.ArrowException as error:
            raise OSError(f"not a Parquet file ({error})") from None
        self._table = ArrowRows(self._file.schema_arrow)
        self._rows = 0
        self._lines = self._read()

    @property
    def changes(self) -> Counter[str]:
        """What JSON lines can't hold, so far: see :class:`ArrowRows`."""
        return self._table.changes

    @property
    def is_own(self) -> bool:
        """Whether toolconv has written the file."""
        return KEY in (self.schema.metadata or {})

    @property
    def schema(self) -> Any:
        """The Arrow schema of the file."""
        return self._file.schema_arrow

    def read(self, size: int) -> bytes:
        """The next lines, about ``size`` bytes; empty at the end."""
        parts: list[bytes] = []
        room = size
        for line in self._lines:
            parts.append(line)
            room -= len(line)
            if room <= 0:
                break
        return b"".join(parts)

    def done(self) -> float:
        """The share of the file that was read, from 0 to 1."""
        rows: int = self._file.metadata.num_rows
        return self._rows / rows if rows else 1.0

    def _read(self) -> Iterator[bytes]:
        try:
            for batch in self._file.iter_batches(batch_size=BATCH_ROWS):
                for line in self._table.of(batch):
                    self._rows += 1
                    yield line + b"\n"
        except self._arrow.ArrowException as error:
            raise OSError(f"corrupt Parquet file ({error})") from None


class ArrowRows:
    """Converts rows of Arrow data to JSON lines.

    Attributes:
        changes: what JSON lines can't hold, so far: null members of structs (``null_padding``), values of other types
            than JSON's (``column_type``), NaN and infinities (``not_finite``), columns and keys of a map that are there
            twice (``duplicate_key``): as in JSON, the last one counts.
    """

    def __init__(self, schema: Any) -> None:
        self._arrow = _pyarrow()
        self.changes: Counter[str] = Counter()
        own = (schema.metadata or {}).get(KEY)
        self._is_own = own is not None
        self._repeated = len(schema.names) - len(set(schema.names))
        notes = orjson.loads(own or b"{}")
        self._absent = set(notes.get("absent", ()))
        self._nulls = set(notes.get("nulls", ()))
        self._converts: dict[str, Convert | None] = {
            field.name: orjson.Fragment
            if field.name in notes.get("json", ())
            else self._convert(field.type, field.name)
            for field in schema
        }

    def of(self, batch: Any) -> Iterator[bytes]:
        """The rows of a batch as lines, without line ends."""
        for row in batch.to_pylist():
            if self._repeated:
                self.changes[DUPLICATE_KEY] += self._repeated
            yield jsontext.dumps(dict(self._members(row)))

    def _members(self, row: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in row.items():
            convert = self._converts[name]
            if value is not None:
                yield name, value if convert is None else convert(value)
            elif name not in self._absent:
                yield name, None

    def _convert(self, kind: Any, path: str) -> Convert | None:
        """A function that converts non-null values of an Arrow type to JSON; ``None`` if they already are JSON."""
        types = self._arrow.types
        if isinstance(kind, self._arrow.BaseExtensionType):
            if kind.extension_name == "arrow.json":
                return jsontext.loads
            if kind.extension_name.startswith("ray.data."):  # Python objects, and tensors
                return _of_ray
            kind = kind.storage_type
        if types.is_dictionary(kind):
            return self._convert(kind.value_type, path)
        if types.is_struct(kind):
            return self._struct(kind, path)
        if types.is_map(kind):
            return self._map(kind, path + "{}")
        if any(is_list(kind) for is_list in (getattr(types, name, None) for name in LISTS) if is_list is not None):
            return _each_item(self._convert(kind.value_type, path + "[]"))
        if types.is_boolean(kind) or types.is_integer(kind) or types.is_string(kind) or types.is_null(kind):
            return None
        if types.is_large_string(kind) or types.is_string_view(kind):
            return None
        return self._number if types.is_floating(kind) else self._spelled

    def _number(self, value: float) -> float | None:
        if value - value == 0:
            return value
        self.changes["not_finite"] += 1
        return None

    def _spelled(self, value: Any) -> Any:
        self.changes["column_type"] += 1
        return _spelled(value)

    def _map(self, kind: Any, path: str) -> Convert:
        """For maps, which arrive as pairs."""
        inner = self._convert(kind.item_type, path)
        typed = not self._arrow.types.is_string(kind.key_type)

        def convert(value: list[tuple[Any, Any]]) -> dict[str, Any]:
            made = {str(key): item if item is None or inner is None else inner(item) for key, item in value}
            if typed:
                self.changes["column_type"] += 1
            if len(made) < len(value):
                self.changes[DUPLICATE_KEY] += len(value) - len(made)
            return made

        return convert

    def _struct(self, kind: Any, path: str) -> Convert:
        converts = {field.name: self._convert(field.type, f"{path}.{field.name}") for field in kind}
        kept = {name for name in converts if f"{path}.{name}" in self._nulls}

        def convert(value: dict[str, Any]) -> dict[str, Any]:
            result = {}
            for name, member in value.items():
                if member is not None:
                    inner = converts[name]
                    result[name] = member if inner is None else inner(member)
                elif name in kept:
                    result[name] = None
            if not self._is_own:  # the metadata of our own files records the absent members
                self.changes[PADDING] += len(value) - len(result)
            return result

        return convert


def _each_item(convert: Convert | None) -> Convert | None:
    if convert is None:
        return None
    return lambda value: [None if item is None else convert(item) for item in value]


def _of_ray(value: Any) -> Any:
    """A Python object that may hold NumPy arrays."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list):
        return [_of_ray(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _of_ray(item) for key, item in value.items()}
    return value if value is None or isinstance(value, str | int | float) else _spelled(value)


def _spelled(value: Any) -> Any:
    """A value without a JSON type, as text."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            import base64

            return base64.b64encode(value).decode()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


# ── writing ─────────────────────────────────────────────────────────────────────────────────────


class ParquetWriter:
    """Writes JSON lines to a Parquet file; a temporary file holds them until all columns are known.

    Args:
        folder: the folder of the temporary file; ``None`` for the system's.
        replaces: the file that this one replaces, and whose columns it keeps.

    Attributes:
        json_columns: once the file is closed, the columns that are JSON text.
    """

    def __init__(self, raw: IO[bytes], folder: Path | None, replaces: ParquetReader | None = None) -> None:
        import tempfile

        self._arrow = _pyarrow()
        self._replaces = replaces
        self._raw = raw
        self._lines: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed in close()
        self._rest = b""
        self._rows = 0
        self._row = ColumnType()
        self.json_columns: list[str] = []

    def write(self, data: bytes) -> None:
        """Add lines.

        Raises:
            OSError: a line is not a JSON object.
        """
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)
        self._lines.write(data)

    def _take(self, line: bytes) -> None:
        try:
            row = jsontext.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise OSError("a .parquet file can only hold rows, and this output is not a row")
        self._row.see_members(row)
        self._rows += 1

    def close(self) -> None:
        """Write the file."""
        if self._rows and not self._row.members:
            raise OSError("a .parquet file needs columns, but these rows have no keys")
        columns: Columns | KeptColumns
        if self._replaces is not None and not self._replaces.is_own:
            columns = KeptColumns(self._replaces)
        else:
            columns = Columns(self._row, self._rows)
            self.json_columns = columns.as_json
        self._lines.seek(0)
        try:
            with self._arrow.parquet.ParquetWriter(self._raw, columns.schema) as writer:
                for rows in self._groups():
                    writer.write_table(columns.table(rows))
        except self._arrow.ArrowException as error:
            raise OSError(str(error)) from None
        self._lines.close()

    def _groups(self) -> Iterator[list[dict[str, Any]]]:
        rows: list[dict[str, Any]] = []
        size = 0
        for line in self._lines:
            rows.append(jsontext.loads(line))
            size += len(line)
            if size >= GROUP_BYTES:
                yield rows
                rows, size = [], 0
        if rows:
            yield rows


class Columns:
    """Writes rows as Arrow columns without loss.

    Args:
        row: the combined type of all rows.

    Attributes:
        schema: the Arrow schema of the columns.
        as_json: the columns that are JSON text, in the order of the rows.
    """

    def __init__(self, row: ColumnType, rows: int) -> None:
        self._arrow = arrow = _pyarrow()
        columns = row.members
        types = {name: column.arrow_type(arrow, items_padded=True) for name, column in columns.items()}
        absent = {name for name, column in columns.items() if column.seen < rows}
        text = {name for name, column in columns.items() if types[name] is None or (name in absent and column.nulls)}
        nulls = [path for name, column in columns.items() if name not in text for path in column.null_paths(name)]
        notes = {"json": sorted(text), "absent": sorted(absent), "nulls": nulls}
        fields = [arrow.field(name, arrow.string() if name in text else types[name]) for name in columns]
        self.schema = arrow.schema(fields, metadata={KEY: orjson.dumps(notes)})
        self.as_json = [name for name in columns if name in text]

    def table(self, rows: list[dict[str, Any]]) -> Any:
        """A table of some of the rows; changes ``rows`` in place."""
        for row in rows:
            for name in row.keys() & self.as_json:
                row[name] = jsontext.dumps(row[name]).decode()
        return self._arrow.Table.from_pylist(rows, self.schema)


class KeptColumns:
    """Writes rows of a Parquet file as its own columns: with their types, and the metadata of the file.

    Args:
        file: the file, which was read.

    Attributes:
        schema: its schema.

    Raises:
        OSError: the rows don't hold all that the file does.
    """

    def __init__(self, file: ParquetReader) -> None:
        self._arrow = _pyarrow()
        self.schema = file.schema
        if lost := [name for name in LOSSES if file.changes[name]]:
            raise OSError(f"its rows can't be written back as its columns ({', '.join(lost)}): {_AS_LINES}")

    def table(self, rows: list[dict[str, Any]]) -> Any:
        """A table of some of the rows.

        Raises:
            OSError: the columns can't hold them.
        """
        table = self._arrow.Table.from_pylist(rows, self.schema)
        lines = ArrowRows(self.schema)
        for row, line in zip(rows, (line for batch in table.to_batches() for line in lines.of(batch)), strict=True):
            if jsontext.dumps_sorted(row) != jsontext.dumps_sorted(jsontext.loads(line)):
                raise OSError(f"its columns can't hold the rows as they are now: {_AS_LINES}")
        return table


_AS_LINES: Final = "write them as lines first, with toolconv select -o FILE.jsonl"


class ColumnType:
    """The common type of all values seen in a column, or at one path inside it."""

    __slots__ = ("exact", "items", "kind", "members", "nulls", "seen")

    def __init__(self) -> None:
        self.seen = 0
        self.nulls = 0
        self.kind: type | None = None
        self.members: dict[str, ColumnType] = {}
        self.items: ColumnType | None = None
        self.exact = True
        """Whether one Arrow type holds all values without change."""

    def see(self, value: Any) -> None:
        """Add a value."""
        self.seen += 1
        self.nulls += value is None
        if value is None or not self.exact:
            return
        kind = type(value)
        self.kind = self.kind or kind
        self.exact = kind is self.kind and _is_plain(value)
        if kind is list:
            self.items = self.items or ColumnType()
            for item in value:
                self.items.see(item)
        elif kind is dict and self.exact:
            self.exact = self.see_members(value) and len(self.members) <= MAX_MEMBERS

    def see_members(self, value: dict[str, Any]) -> bool:
        """Add an object; returns whether its keys are in the order of all earlier objects."""
        ordered = self._make_room(value)
        for key, member in value.items():
            self.members[key].see(member)
        return ordered

    def add(self, later: ColumnType) -> None:
        """Merge the type of later values.

        Merging may find a conflict in the key order where seeing every value in turn would not, so a few more columns
        may become JSON text.
        """
        self.seen += later.seen
        self.nulls += later.nulls
        self.exact = self.exact and later.exact and (self.kind or later.kind) is (later.kind or self.kind)
        self.kind = self.kind or later.kind
        if later.items is not None:
            self.items = self.items or ColumnType()
            self.items.add(later.items)
        ordered = self._make_room(later.members)
        self.exact = self.exact and ordered and len(self.members) <= MAX_MEMBERS
        for key, member in later.members.items():
            self.members[key].add(member)

    def _make_room(self, keys: Collection[str]) -> bool:
        """Add members for these names; returns whether the names are in the order of the earlier ones."""
        at = -1
        ordered = len(keys) <= MAX_MEMBERS
        for key in keys:
            if key not in self.members:
                known = list(self.members.items())
                self.members = dict([*known[: at + 1], (key, ColumnType()), *known[at + 1 :]])
            place = list(self.members).index(key)
            ordered = ordered and place > at
            at = place
        return ordered

    def arrow_type(self, arrow: Any, *, padded: bool = False, items_padded: bool = False) -> Any:
        """The Arrow type that holds all values, or ``None`` if there is none.

        Args:
            padded: objects may lack members of the struct.
            items_padded: the objects in a list may lack members of the struct.
        """
        if not self.exact:
            return None
        if self.kind is list:
            items = self.items.arrow_type(arrow, padded=items_padded) if self.items else arrow.null()
            return None if items is None else arrow.list_(items)
        if self.kind is dict:
            types = {name: member.arrow_type(arrow) for name, member in self.members.items()}
            sparse = [member for member in self.members.values() if member.seen < self.seen - self.nulls]
            if not types or None in types.values() or (sparse and not padded) or any(member.nulls for member in sparse):
                return None
            return arrow.struct(list(types.items()))
        plain = {str: arrow.string(), bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
        return plain.get(self.kind, arrow.null()) if self.kind else arrow.null()

    def null_paths(self, path: str) -> Iterator[str]:
        """The paths below ``path`` of members that hold nulls rather than absent values."""
        if self.items:
            yield from self.items.null_paths(path + "[]")
        for name, member in self.members.items():
            if member.nulls:
                yield f"{path}.{name}"
            yield from member.null_paths(f"{path}.{name}")


def _is_plain(value: Any) -> bool:
    """Whether the Arrow type for the value's Python type holds it exactly."""
    if isinstance(value, str):
        return value.isascii() or not SURROGATE.search(value)
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return not isinstance(value, jsontext.ExactFloat)
