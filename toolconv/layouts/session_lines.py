"""Rows that are the lines of an agent's session, where a line of its own kind begins each session."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from toolconv.core.messages import Row
from toolconv.core.rows import Line
from toolconv.layouts.base import Layout, listed, value_of


class SessionLines(Layout):
    """A layout of sessions.

    Attributes:
        kind_key: the key of a line's kind.
        heads: the kinds of the lines that begin a session.
    """

    kind_key: ClassVar[str] = "type"
    heads: ClassVar[tuple[str, ...]]

    @abstractmethod
    def rows(self, session: list[tuple[Line, Row]]) -> list[Line]:
        """The rows of a session, which has at least one line; each line comes with its value."""

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        rows: list[Line] = []
        session: list[tuple[Line, Row]] = []
        for line in lines:
            value = value_of(line.text)
            if not isinstance(value, dict) or not isinstance(value.get(self.kind_key), str):
                rows.append(line)
                continue
            if session and value[self.kind_key] in self.heads:
                rows += self.rows(session)
                session = []
            session.append((line, value))
        if session:
            rows += self.rows(session)
        yield from sorted(rows, key=lambda row: row.number)

    def matches(self, row: Row) -> bool:
        lines = listed(row.get("lines"))
        return lines is not None and self.joins(lines[0])
