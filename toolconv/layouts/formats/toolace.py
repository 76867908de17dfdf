"""ToolACE rows: ``system`` as text that declares the tools, ``conversations`` of ``user``, ``assistant`` and ``tool``.

Calls are in the text as ``[Func Name(key="value")]``, the dialect ``toolace``. Names are not quoted and may contain
spaces. The tools are a JSON list inside the system text.

Lost: call ids and other keys of calls, which the text can't hold.

Source: dataset card of Team-ACE/ToolACE.
"""

from __future__ import annotations

from typing import ClassVar

from toolconv.core.messages import Row
from toolconv.layouts.turn_list import TurnList


class ToolACE(TurnList):
    """A system text and turns of ``from`` and ``value``, calls in the text."""

    name = "toolace"
    sample = (
        '{"system":"You may call these functions: [{\\"name\\": \\"Market Trends\\", \\"parameters\\": {}}]",'
        '"conversations":[{"from":"user","value":"How is the market?"},'
        '{"from":"assistant","value":"[Market Trends(country=\\"us\\")]"}]}'
    )
    calls_in_text = True
    dialect = "toolace"
    response_role = "tool"
    names: ClassVar[dict[str, str]] = {role: role for role in ("system", "user", "assistant", "tool")}
    own = names
    system_column = True

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        return (
            found is not None
            and isinstance(row.get("system"), str)
            and all(turn["from"] in ("user", "assistant", "tool") for turn in found[1])
        )


LAYOUT = ToolACE()
