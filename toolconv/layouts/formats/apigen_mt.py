"""APIGen-MT rows: multi-turn conversations of ``from`` and ``value``, with ``system`` and ``tools`` beside them.

The rows have LLaMA-Factory's shape: ``human``, ``gpt``, ``function_call`` and ``observation`` turns, the policy in
``system``, ``tools`` as JSON text of functions without OpenAI's envelope. One of the tools is ``think``, a pseudo-tool
that holds the model's reasoning. Its calls are read as ordinary calls. It tells these rows from LLaMA-Factory's.

Lost: as in LLaMA-Factory's layout.

Source: dataset card of Salesforce/APIGen-MT-5k.
"""

from __future__ import annotations

from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.core.tools import ToolIndex
from toolconv.layouts.base import LayoutError
from toolconv.layouts.formats.llamafactory import LlamaFactory
from toolconv.layouts.tool_schema import read_tools


class APIGenMT(LlamaFactory):
    """LLaMA-Factory's turns, with a ``think`` tool."""

    name = "apigen-mt"
    aliases = ("apigen",)
    sample = (
        '{"conversations":[{"from":"human","value":"Cancel order 7."},'
        '{"from":"function_call","value":"{\\"name\\": \\"think\\", \\"arguments\\": {\\"thought\\": \\"Policy?\\"}}"},'
        '{"from":"observation","value":""},{"from":"gpt","value":"Which reason?"}],'
        '"tools":"[{\\"name\\": \\"think\\", \\"description\\": \\"Think.\\", \\"parameters\\": {}}]",'
        '"system":"# Policy"}'
    )

    def matches(self, row: Row) -> bool:
        if not isinstance(row.get("system"), str) or not super().matches(row) or '"think"' not in row["tools"]:
            return False
        try:
            return "think" in ToolIndex(read_tools(row["tools"], Notes()) or ())
        except LayoutError:
            return False


LAYOUT = APIGenMT()
