"""Lines of server-sent events: what they carry, and whether a text is nothing else."""

from __future__ import annotations

from toolconv.core.lazy_re import lazy_re

FIELD = lazy_re(rb"data:|event:|id:|retry:|:")
"""The start of a line of a server-sent event; a colon alone starts a comment."""

DONE = b"[DONE]"
"""What the last event of a stream carries."""


def payload(line: bytes) -> bytes:
    """The payload of a line: its ``data:``, the whole line if it has no field, or nothing for other fields."""
    line = line.strip()
    if line.startswith(b"data:"):
        return line[5:].strip()
    return b"" if FIELD.match(line) else line


def first_payload(text: bytes) -> bytes | None:
    """The payload of the first event of a text that is nothing but server-sent events; ``None`` for any other text.

    Every line is a field or a comment. One field ``data`` whose payload is not JSON, and no name, may be anything.
    """
    payloads: list[bytes] = []
    named = False
    for line in text.splitlines():
        line = line.strip()
        if not line:
            continue
        if not FIELD.match(line):
            return None
        named = named or line.startswith(b"event:")
        if data := payload(line):
            payloads.append(data)
    if len(payloads) > 1 or (payloads and (named or payloads[0][:1] in (b"{", b"["))):
        return payloads[0]
    return None
