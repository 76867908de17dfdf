"""What a good user writes instead of ``toolconv``: ``python script_convert.py parse|xml FILE TARGET``, Hermes texts in."""

import re
import sys
from pathlib import Path

import orjson

CALL = re.compile(r"\s*<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def xml(match):
    call = orjson.loads(match[1])
    values = (
        f"<parameter={key}>\n{value if isinstance(value, str) else orjson.dumps(value).decode()}\n</parameter>\n"
        for key, value in call["arguments"].items()
    )
    return f"\n<tool_call>\n<function={call['name']}>\n{''.join(values)}</function>\n</tool_call>"


with Path(sys.argv[2]).open("rb") as lines, Path(sys.argv[3]).open("wb") as output:
    for line in lines:
        row = orjson.loads(line)
        for message in row["messages"]:
            if message["role"] == "assistant" and "<tool_call>" in message["content"]:
                if sys.argv[1] == "xml":
                    message["content"] = CALL.sub(xml, message["content"])
                    continue
                calls = [orjson.loads(text) for text in CALL.findall(message["content"])]
                message["content"] = CALL.sub("", message["content"])
                message["tool_calls"] = [
                    {"id": f"call_{place}", "type": "function", "function": call} for place, call in enumerate(calls)
                ]
        output.write(orjson.dumps(row) + b"\n")
