"""OpenCode's ``storage`` folder, where one session is in many files, read as ``opencode export`` prints it.

    session/PROJECT/SESSION.json    the session
    message/SESSION/MESSAGE.json    its messages, in the order of their names
    part/MESSAGE/PART.json          the parts of a message, in the order of their names

Older versions kept the parts of all messages in ``part``, each with its ``messageID``.

Source: sst/opencode, ``packages/opencode/src/storage/storage.ts``. Newer versions keep sessions in a database.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import FileError

FOLDERS: Final = frozenset({"session", "message", "part"})
"""What is in the folder."""


def sessions_in(folder: str) -> list[str]:
    """The files of the sessions in a storage folder."""
    return sorted(map(str, Path(folder, "session").glob("*/*.json")))


def is_session(name: str) -> bool:
    """Whether a file is that of a session in a storage folder."""
    path = Path(name)
    storage = path.parents[2] if path.suffix == ".json" and len(path.parents) > 2 else None
    return storage is not None and path.parts[-3] == "session" and (storage / "message").is_dir()


def exported(name: str) -> bytes:
    """A session with its messages and their parts, as one JSON document.

    Raises:
        FileError: a file can't be read, or is not a JSON object.
    """
    info = _object(Path(name))
    storage = Path(name).parents[2]
    older = _older_parts(storage / "part")
    messages = []
    for message in _objects(storage / "message" / str(info.get("id"))):
        parts = [*_objects(storage / "part" / str(message.get("id"))), *map(_object, older.get(message.get("id"), ()))]
        messages.append({"info": message, "parts": parts})
    return jsontext.dumps({"info": info, "messages": messages})


@lru_cache(maxsize=1)
def _older_parts(folder: Path) -> dict[Any, list[Path]]:
    """The files of parts that are in no folder of their message, by the id of the message."""
    files: dict[Any, list[Path]] = {}
    for path in sorted(folder.glob("*.json")):
        files.setdefault(_object(path).get("messageID"), []).append(path)
    return files


def _objects(folder: Path) -> Iterator[dict[str, Any]]:
    return map(_object, sorted(folder.glob("*.json")))


def _object(path: Path) -> dict[str, Any]:
    try:
        value = jsontext.loads(path.read_bytes())
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise FileError(f"{path}: not JSON ({error})") from None
    if not isinstance(value, dict):
        raise FileError(f"{path}: not a JSON object")
    return value
