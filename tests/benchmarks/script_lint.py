"""What a good user writes instead of ``toolconv lint``: ``python script_lint.py FILE``."""

import sys
from pathlib import Path

import jsonschema_rs
import orjson

validators = {}
with Path(sys.argv[1]).open("rb") as lines:
    for number, line in enumerate(lines, 1):
        row = orjson.loads(line)
        schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in row["tools"]}
        for message in row["messages"]:
            for call in message.get("tool_calls") or ():
                name, arguments = call["function"]["name"], orjson.loads(call["function"]["arguments"])
                if name not in schemas:
                    print(f"{number}: {name} is not declared")
                    continue
                schema = orjson.dumps(schemas[name])
                if schema not in validators:
                    validators[schema] = jsonschema_rs.validator_for(schemas[name])
                for error in validators[schema].iter_errors(arguments):
                    print(f"{number}: {name}: {error.message}")
