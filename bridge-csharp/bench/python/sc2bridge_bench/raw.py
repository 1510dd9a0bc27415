"""The yardsticks' clients: gRPC's messages with their prefixes on a blocking socket, or messages in shared memory, and nothing
around them."""

from __future__ import annotations

import mmap
import socket
import struct
from typing import Any

_PREFIX = 5
"""A byte, and the message's length in four, big-endian."""

_PLACE = struct.Struct("<2Q")
_PATH_LENGTH = 64


class RawConnection:
    """A connection to `HOST:PORT`, or to a Unix socket without a file; all messages are read into one buffer."""

    def __init__(self, address: str) -> None:
        host, colon, port = address.rpartition(":")
        if colon:
            self._socket = socket.create_connection((host, int(port)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect("\0" + address)
        self._buffer = bytearray(16 << 20)
        self._view = memoryview(self._buffer)
        self._held = self._taken = 0

    def send(self, message: bytes) -> None:
        self._socket.sendall(b"\0" + len(message).to_bytes(4, "big") + message)

    def receive(self) -> memoryview:
        """The next message, valid until the next call. Raises ConnectionError at the end."""
        # If this process was late, the buffer already has the beginning of the next message.
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


class MemoryConnection:
    """A connection to the yardstick of shared memory: a message's place comes over a Unix socket without a file."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect("\0" + address)
        with open(self._socket.recv(_PATH_LENGTH, socket.MSG_WAITALL).rstrip(), "rb") as file:
            self._memory = memoryview(mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ))

    def send(self, message: bytes) -> None:
        """Answers."""
        self._socket.sendall(b"\0")

    def receive(self) -> memoryview:
        """The next message as a view of the memory. Raises ConnectionError at the end."""
        place = self._socket.recv(_PLACE.size, socket.MSG_WAITALL)
        if len(place) < _PLACE.size:
            raise ConnectionError("the sender closed the connection in the middle of the match")
        at, length = _PLACE.unpack(place)
        return self._memory[at : at + length]

    def __enter__(self) -> MemoryConnection:
        return self

    def __exit__(self, *_: Any) -> None:
        self._socket.close()
