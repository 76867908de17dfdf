"""What model families write before an assistant turn, which servers sometimes leave in its text."""

from __future__ import annotations

import re

TURN_HEADER = re.compile(
    r"(?:\s*+(?:<\|start_header_id\|>assistant<\|end_header_id\|>|<\|header_start\|>assistant<\|header_end\|>"
    r"|<\|start_of_role\|>assistant<\|end_of_role\|>|<\|im_assistant\|>assistant<\|im_middle\|>"
    r"|<\|im_start\|>assistant(?=\n)|<(?:start_of_turn>|\|turn>)model(?=\n)|<\|assistant\|>|<[|｜]Assistant[|｜]>)\n{0,2})++"
)
"""The beginnings of the assistant's turns that servers leave in the text; cut like turn tokens."""
