"""Result files of BFCL: what a model answered to its questions, ``{"id", "result"}``.

``result`` is the text of the model, or a list of calls ``{"name": "arguments as JSON text"}``, which an API gave as
structure. Next to it are counts of tokens and the time it took. The question is in another file, so a row is one turn
of the assistant. Results of several turns are lists of lists; they are not read, since what was between them is not
there. Rows are only read.

Source: ShishirPatil/gorilla, berkeley-function-call-leaderboard, ``bfcl_eval/model_handler``.
"""

from __future__ import annotations

from typing import Final

from toolconv.core.call_keys import holds_object
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.notes import Dropped
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.call_items import extras
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.nested_json import opened

COUNTS: Final = frozenset({"input_token_count", "output_token_count", "latency"})
"""Keys that BFCL writes with each result, one of which tells such a row."""


class BfclResult(Layout):
    """Answers of a model to BFCL's questions."""

    name = "bfcl-result"
    lacks = frozenset({"tools", "responses"})
    sample = (
        '{"id":"simple_python_1","result":[{"get_weather":"{\\"city\\": \\"Tokyo\\"}"}],"input_token_count":120,'
        '"output_token_count":18,"latency":0.9}'
    )

    def matches(self, row: Row) -> bool:
        return "result" in row and isinstance(row.get("id"), str) and not COUNTS.isdisjoint(row)

    def decode(self, row: Row) -> Conversation:
        result = row.get("result")
        if type(result) is str and type(found := opened(result)) is list:
            calls = all(type(each) is dict and all(map(holds_object, each.values())) for each in found)
            result = found if calls else result
        builder = MessageBuilder()
        builder.begin("assistant")
        if isinstance(result, list) and all(isinstance(each, dict) for each in result):
            for name, given in (pair for each in result for pair in each.items()):
                builder.invoke(None, name, given)
            builder.notes.dropped += [Dropped("an object without a call", "{}") for each in result if not each]
        elif isinstance(result, str):
            builder.write(result)
        else:
            raise LayoutError("no result of one turn")
        return builder.conversation(extras(row, "result"))


LAYOUT = BfclResult()
