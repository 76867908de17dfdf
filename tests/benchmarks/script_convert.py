"""What a good user writes instead of ``toolconv``: ``python script_convert.py parse|xml|chat FILE TARGET``.

``parse`` and ``xml`` take Hermes texts, ``chat`` writes them from OpenAI rows.
"""

import json
import re
import sys
from pathlib import Path

import orjson

CALL = re.compile(r"\s*<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)
TOOLS = "# Tools\n\nYou may call one or more functions.\n\n<tools>{}\n</tools>\n\nReturn each call within <tool_call></tool_call>."


def parse(row):
    for message in row["messages"]:
        if message["role"] == "assistant" and "<tool_call>" in message["content"]:
            calls = [orjson.loads(text) for text in CALL.findall(message["content"])]
            message["content"] = CALL.sub("", message["content"])
            message["tool_calls"] = [
                {"id": f"call_{place}", "type": "function", "function": call} for place, call in enumerate(calls)
            ]


def xml(row):
    for message in row["messages"]:
        if message["role"] == "assistant" and "<tool_call>" in message["content"]:
            message["content"] = CALL.sub(xml_call, message["content"])


def xml_call(match):
    call = orjson.loads(match[1])
    values = (
        f"<parameter={key}>\n{value if isinstance(value, str) else orjson.dumps(value).decode()}\n</parameter>\n"
        for key, value in call["arguments"].items()
    )
    return f"\n<tool_call>\n<function={call['name']}>\n{''.join(values)}</function>\n</tool_call>"


def chat(row):
    tools = "".join("\n" + json.dumps(tool, ensure_ascii=False) for tool in row.pop("tools"))
    messages = [{"role": "system", "content": TOOLS.format(tools)}]
    for message in row["messages"]:
        content = message["content"] or ""
        if message["role"] == "system":
            messages[0]["content"] = content + "\n\n" + messages[0]["content"]
            continue
        if message["role"] == "tool":
            content = f"<tool_response>\n{content}\n</tool_response>"
        for call in message.get("tool_calls", ()):
            function = call["function"]
            written = {"name": function["name"], "arguments": orjson.loads(function["arguments"])}
            content += f"\n<tool_call>\n{json.dumps(written, ensure_ascii=False)}\n</tool_call>"
        messages.append({"role": message["role"], "content": content.lstrip("\n")})
    row["messages"] = messages


part = {"parse": parse, "xml": xml, "chat": chat}[sys.argv[1]]
with Path(sys.argv[2]).open("rb") as lines, Path(sys.argv[3]).open("wb") as output:
    for line in lines:
        row = orjson.loads(line)
        part(row)
        output.write(orjson.dumps(row) + b"\n")
