"""Result files of BFCL: what a model answered to its questions, ``{"id", "result"}``.

``result`` is the text of the model, or a list of calls ``{"name": "arguments as JSON text"}``, which an API gave as
structure. Next to it are counts of tokens and the time it took. The question is in another file, so a row is one turn
of the assistant. Results of several turns are lists of lists; they are not read, since what was between them is not
there. Rows are only read.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, ``bfcl_eval/model_handler``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.tool_call import ToolCall
from toolconv.layouts.base import Layout, LayoutError, Part, value_of

COUNTS: Final = frozenset({"input_token_count", "output_token_count", "latency"})
"""Keys that BFCL writes with each result, one of which tells such a row."""


class BfclResult(Layout):
    """Answers of a model to BFCL's questions."""

    name: ClassVar[str] = "bfcl-result"
    lacks: ClassVar[frozenset[Part]] = frozenset({"tools", "responses"})
    sample: ClassVar[str] = (
        '{"id":"simple_python_1","result":[{"get_weather":"{\\"city\\": \\"Tokyo\\"}"}],"input_token_count":120,'
        '"output_token_count":18,"latency":0.9}'
    )

    def matches(self, row: Row) -> bool:
        return "result" in row and isinstance(row.get("id"), str) and not COUNTS.isdisjoint(row)

    def decode(self, row: Row) -> Conversation:
        result = row.get("result")
        message: Message = {"role": "assistant", "content": ""}
        if isinstance(result, str):
            message["content"] = result
        elif isinstance(result, list) and all(isinstance(each, dict) for each in result):
            message["tool_calls"] = [
                ToolCall(str(name), _arguments(given)).to_canonical() for each in result for name, given in each.items()
            ]
        else:
            raise LayoutError("no result of one turn")
        number_calls([message])
        carried = {key: value for key, value in row.items() if key != "result"}
        return Conversation({**carried, "messages": [message]}, Notes(), fields=(RowField("", 1),))


def _arguments(given: Any) -> dict[str, Any]:
    """Arguments as JSON text or an object.

    Raises:
        LayoutError: they are neither.
    """
    found = value_of(given) if isinstance(given, str) else given
    if not isinstance(found, dict):
        raise LayoutError("arguments that are no JSON object")
    return found


LAYOUT = BfclResult()
