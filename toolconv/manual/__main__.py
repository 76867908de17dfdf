"""``python -m toolconv.manual [FOLDER]``: write ``man/`` and ``completions/`` to a folder (default: ``.``).

The words of the dialects, ``toolconv/dialects/vocabulary.json``, are written to their place.
"""

from __future__ import annotations

import sys
from pathlib import Path

from toolconv.cli.shell import FILES, script
from toolconv.dialects import vocabulary
from toolconv.manual import man


def main(folder: Path) -> None:
    """Write all files and delete any others in the two folders."""
    vocabulary.FILE.write_text(vocabulary.file_text(), encoding="utf-8")
    write(folder / "man", man.pages())
    write(folder / "completions", {name: script(shell) for shell, name in FILES.items()})


def write(folder: Path, texts: dict[str, str]) -> None:
    """Write files, given by name, to a folder and delete its other files."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]))
