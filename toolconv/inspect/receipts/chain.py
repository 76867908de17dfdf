"""How the runs of several receipts follow on each other: a file is known by its SHA-256, whatever its name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from toolconv.inspect.receipts.documents import Document
from toolconv.io.hashed import sha256_of

STREAMS: Final = ("<stdin>", "<stdout>")

Status = Literal["ok", "wrong", "unknown"]


class ChainCheck(NamedTuple):
    """What was checked, and how it came out; ``unknown`` if it can't be checked.

    Attributes:
        status: the outcome.
        about: the files that it is about.
        message: the outcome in words.
    """

    status: Status
    about: str
    message: str


class Chain:
    """The runs, linked by the files that one wrote and another read.

    Args:
        documents: their receipts, those of shards added up.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self.documents = documents
        self.writers: dict[str, list[Document]] = {}
        for each in documents:
            for digest in each.outputs.values():
                self.writers.setdefault(digest, []).append(each)
        passing_on = [each for each in documents if each.outputs or each.command != "lint"]  # lint alone only looks
        self.read = {digest for each in passing_on for digest in each.inputs.values()}

    def sources(self, document: Document) -> Iterator[tuple[str, Document | None]]:
        """The inputs of a run, each with the run that wrote it; ``None`` if no receipt says."""
        for name, digest in document.inputs.items():
            writers = [each for each in self.writers.get(digest, ()) if each is not document]
            by_name = [each for each in writers if each.outputs.get(name) == digest]
            yield name, next(iter(by_name or writers), None)

    def line(self, digest: str) -> list[str]:
        """A file and those that it was made from, as far as each run read only one: rows are left out, none come in."""
        found = [digest]
        for each in found:  # which grows
            for writer in self.writers.get(each, ()):
                above = set(writer.inputs.values())
                if len(above) == 1 and above.isdisjoint(found):
                    found += above
        return found

    def training_sets(self) -> list[tuple[str, str, Document]]:
        """The files that nobody made something of: name, SHA-256 and the run that wrote them. ``score`` writes none."""
        return [
            (name, digest, each)
            for each in self.documents
            for name, digest in each.outputs.items()
            if digest not in self.read and each.command != "score"
        ]

    def checks(self) -> Iterator[ChainCheck]:
        """Whether files are what their receipts say, and whether what a run read is what another wrote."""
        known: dict[str, set[str]] = {}
        for each in self.documents:
            for files in (each.inputs, each.option_files, each.outputs):
                for name, digest in files.items():
                    known.setdefault(name, set()).add(digest)
        for each in self.documents:
            if each.missing:
                numbers = ", ".join(map(str, each.missing))
                yield ChainCheck(
                    "wrong", each.name, f"the receipts of shards {numbers} are missing: the sum is of the others"
                )
            for name, digest in each.inputs.items():
                written = {other.outputs[name] for other in self.documents if name in other.outputs}
                replaced = any(name in other.inputs and name in other.outputs for other in self.documents)
                if name not in STREAMS and written and digest not in self.writers and not replaced:
                    yield ChainCheck("wrong", name, f"{each.command} read other contents than were written")
        for name, digests in known.items():
            if name in STREAMS:
                continue
            if not Path(name).is_file():
                yield ChainCheck("unknown", name, "the file is not here")
            elif sha256_of(name) not in digests:
                yield ChainCheck("wrong", name, "the file has changed since")
            else:
                yield ChainCheck("ok", name, "the file is as the receipt says")
