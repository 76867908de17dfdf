"""``python -I -S fork_client.py ADDRESS ARGUMENTS…``: ``toolconv ARGUMENTS…``, by ``tests.helpers.fork_server``.

It starts in a tenth of the time of a command, and hands over its own standard streams, folder and environment. Pages of
examples run it in place of ``toolconv``.
"""

import json
import os
import socket
import struct
import sys

NUMBER = struct.Struct("!q")


def received(channel: socket.socket, size: int) -> bytes:
    """Exactly so many bytes."""
    data = b""
    while len(data) < size:
        piece = channel.recv(size - len(data))
        if not piece:
            raise EOFError("the other end is closed")
        data += piece
    return data


def request(
    address: str, arguments: list[str], folder: str, environment: dict[str, str], streams: list[int]
) -> socket.socket:
    """Start a command; the connection, which gives its process's id and then its exit status."""
    data = json.dumps([arguments, folder, environment]).encode()
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(address)
    socket.send_fds(channel, [NUMBER.pack(len(data))], streams)
    channel.sendall(data)
    return channel


if __name__ == "__main__":
    channel = request(sys.argv[1], sys.argv[2:], os.getcwd(), dict(os.environ), [0, 1, 2])  # noqa: PTH109 (pathlib takes as long to import as all the rest)
    received(channel, NUMBER.size)
    (status,) = NUMBER.unpack(received(channel, NUMBER.size))
    sys.exit(status if status >= 0 else 128 - status)
