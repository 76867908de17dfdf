"""What all exact readers of calls share: the contract, and the patterns of names, keys and ids."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final

from toolconv.core import lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex

MAX_DEPTH: Final = lenient_json.MAX_TEXT_DEPTH - 2
"""How deep arguments may nest that have room in an object in a list."""
LONG: Final = 2 * MAX_DEPTH
"""The length of the shortest call that can nest deeper."""
NAME: Final = r"(?!functions\.)[A-Za-z_][\w.\-]{0,127}"
INDEX: Final = "[0-9]{1,9}"
KEY: Final = r"([A-Za-z_][\w.\-]{0,127})"
PYTHON_NAME: Final = lazy_re(r"((?!functions\.)[A-Za-z_]\w*+(?>(?:\.\w++)*))")
PYTHON_KEY: Final = lazy_re(r"([A-Za-z_]\w*+)=")
SLOT: Final = "\ue000"  # from the private use area: stands for a hole in the JSON of a template
ID: Final = r"[A-Za-z0-9_\-.:]{1,128}"


class CallReader(ABC):
    """Reads the calls between the text that opens them and the text that closes them.

    Attributes:
        opening: the text before the calls, which is not read; ``start`` is how the calls begin, if that is known.
        closing: the text after them.
        checks_values: a call whose arguments hold a marker is never one that is certainly read back.
    """

    opening: str
    start: str = ""
    closing: str
    checks_values: bool = False

    @abstractmethod
    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        """The calls of a text.

        ``None``, or a ``ValueError``, sends the turn to the tolerant grammar.
        """

    @abstractmethod
    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        """Whether a call that is written and read back is certainly the same."""

    def certainly_round_trips_types(self, call: ToolCall, tools: ToolIndex) -> bool:
        """The same for all calls with its name and the names and types of its arguments, in which no ``<`` is."""
        return False
