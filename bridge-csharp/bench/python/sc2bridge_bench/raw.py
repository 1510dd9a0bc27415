"""The yardstick's client: gRPC's messages with their prefixes on a blocking socket, and nothing around them."""

from __future__ import annotations

import socket
from typing import Any

_PREFIX = 5
"""A byte, and the message's length in four, big-endian."""


class RawConnection:
    """A connection to `HOST:PORT`; all messages are read into one buffer."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray(16 << 20)
        self._view = memoryview(self._buffer)
        self._held = self._taken = 0

    def send(self, message: bytes) -> None:
        self._socket.sendall(b"\0" + len(message).to_bytes(4, "big") + message)

    def receive(self) -> memoryview:
        """The next message, good until the one after it. Raises ConnectionError where there is none."""
        # Where this process was late, the next message's beginning has come along.
        self._held -= self._taken
        self._buffer[: self._held] = self._buffer[self._taken : self._taken + self._held]
        self._fill(_PREFIX)
        self._taken = _PREFIX + int.from_bytes(self._view[1:_PREFIX], "big")
        self._fill(self._taken)
        return self._view[_PREFIX : self._taken]

    def _fill(self, wanted: int) -> None:
        while self._held < wanted:
            received = self._socket.recv_into(self._view[self._held :])
            if not received:
                raise ConnectionError("the sender closed the connection in the middle of the match")
            self._held += received

    def __enter__(self) -> RawConnection:
        return self

    def __exit__(self, *_: Any) -> None:
        self._socket.close()
