"""What any program must do that reads rows and writes rows: ``python script_floor.py FILE TARGET``."""

import sys
from pathlib import Path

import orjson

with Path(sys.argv[1]).open("rb") as lines, Path(sys.argv[2]).open("wb") as output:
    for line in lines:
        output.write(orjson.dumps(orjson.loads(line)) + b"\n")
