"""Memory that is shared with a bridge on this machine, and the Unix socket beside it; see proto/README.md. Linux only."""

from __future__ import annotations

import mmap
import os
import socket
import struct
import sys
import threading
import weakref
from collections import deque
from contextlib import suppress
from time import monotonic, monotonic_ns
from typing import Any, Optional

import numpy as np

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.requests import encode
from sc2bridge._protocol.versions import PROTOCOL, client
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network, Pipe
from sc2bridge._transports.security import Security
from sc2bridge._transports.streams import MessageTransport
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import FAILED_PRECONDITION, BridgeError, ConnectionLostError, MalformedMessageError
from sc2bridge.shm.v1alpha1 import shm_pb2
from sc2bridge.v1 import bridge_pb2

# A bridge's first bytes: a name, the layout's version, the memory's length. The memory's file comes with an empty message, once the
# bridge has accepted the token; else an error comes.
_HELLO = struct.Struct("<8sIQ")
_MAGIC = b"sc2bshm\0"
_VERSION = 4
_LENGTH = struct.Struct("<I")

# In place of a length: nothing follows. The connection ends when no process has it open any more, and with it what it
# holds of the memory.
_CLOSE = b"\xff\xff\xff\xff"
_CREDENTIALS = struct.Struct("<3I")

# As the WebSocket's: what is not shared is sent.
_LONGEST_MESSAGE = 64 << 20

# Of the frames that a bridge sends ahead (16) how many are taken, or given back, before it is told: a message costs it more than
# that. Under the policy `latest` each one.
_BATCH = 8

# So many blocks are few to a bridge, which lets a reader hold 32.
_MANY = 16


class _Use(weakref.ref[Any]):
    """Of a block by its views."""

    __slots__ = ("offset",)
    offset: int


class _Mapping(mmap.mmap):
    """The memory, which each view of it holds; and with it the connection, for whose life the bridge leaves blocks as they are."""

    connection: socket.socket


class SharedMemory:
    """What the bridge has written, read-only. Threads may share it."""

    def __init__(self, memory: Optional[mmap.mmap]) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._taken = 0
        self._used: dict[int, _Use] = {}
        self._released: deque[Any] = deque()

    def view(self, offset: int, length: int) -> memoryview:
        """As `Memory.view`."""
        memory = self._memory
        if memory is None:
            raise ConnectionLostError("the subscription was closed meanwhile")
        if length == 0 or offset + length > len(memory):
            raise MalformedMessageError(
                f"{length} bytes of shared memory at {offset}, of which there are {len(memory)}"
            )
        # An array of its own, which each view of it holds, and which tells when it goes.
        block: Any = np.frombuffer(memory, np.uint8, length, offset)
        use = _Use(block, self._released.append)
        use.offset = offset
        with self._lock:
            self._used[id(use)] = use
        return memoryview(block)

    def take(self) -> None:
        """As `Memory.take`."""
        with self._lock:
            self._taken += 1

    def close(self) -> None:
        """Nothing more is read; views stay as they are."""
        self._memory = None

    def is_due(self, batch: int) -> bool:
        """Whether the bridge is to be told: of so many frames taken, or blocks that nothing uses any more, it was not yet; or so many
        blocks are held that it must know of each."""
        return max(self._taken, len(self._released)) >= batch or (len(self._used) > _MANY and len(self._released) > 0)

    def tell(self) -> bytes:
        """The progress since the last report, as a PlayRequest; empty if nothing has changed."""
        with self._lock:
            if not self._taken and not self._released:
                return b""
            released = [self._released.popleft() for _ in range(len(self._released))]
            for use in released:
                del self._used[id(use)]
            offsets = [use.offset for use in released]
            progress = shm_pb2.SharedProgress(received_frames=self._taken, released_offsets=offsets)
            self._taken = 0
        return bytes(bridge_pb2.PlayRequest(shared_progress=progress).SerializeToString())


class SharedMemoryTransport(MessageTransport):
    """Each subscription and the requests have a connection of their own to the bridge's socket."""

    def __init__(self, address: Address, timeouts: Timeouts, security: Security, network: Network) -> None:
        super().__init__(address, timeouts, network)
        self._security = security

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> SharedMemoryStream:
        stream: Any = await super().open(opening, is_two_way)
        stream.batch = 1 if opening.subscribe.policy == bridge_pb2.POLICY_LATEST else _BATCH
        return stream  # type: ignore[no-any-return]

    async def _connect(self) -> SharedMemoryStream:
        target = f"shm:{self._address.target}"
        if not sys.platform.startswith("linux"):
            raise BridgeError(FAILED_PRECONDITION, f"{target}: shared memory is for Linux: give grpc:// or ws://")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

        def shake_hands() -> tuple[bytes, Optional[_Mapping]]:
            connection.settimeout(self._timeouts.connect)
            connection.connect("\0" + self._address.target)
            self._check_peer(connection, target)
            length = _hello(connection, target)
            connection.sendall(_framed(self._security.token.encode()))
            return _memory(connection, target, length)

        try:
            said, memory = await self._network.wait_for(shake_hands)
            if memory is not None:
                memory.connection = connection.dup()
            pipe = await self._network.adopt(connection, self._timeouts.connect)
        except OSError as error:
            connection.close()
            raise _lost(target, error) from None
        except BaseException:
            connection.close()
            raise
        return SharedMemoryStream(pipe, SharedMemory(memory), said, target, self._timeouts, self._network)

    def _check_peer(self, connection: socket.socket, target: str) -> None:
        _, user, _ = _CREDENTIALS.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        )
        if user not in (0, os.geteuid()):
            raise BridgeError(FAILED_PRECONDITION, f"{target} is another user's: give the name that your bridge prints")


def _hello(connection: socket.socket, target: str) -> int:
    """Reads the bridge's first bytes. Returns the memory's length. Raises BridgeError, OSError."""
    said = connection.recv(_HELLO.size)
    if not said:
        raise ConnectionLostError(f"the bridge at {target} closed the connection: it is for programs of its user")
    if len(said) != _HELLO.size or said[:8] != _MAGIC:
        raise MalformedMessageError(f"{target} does not answer as a bridge does: give the name that the bridge prints")
    version: int
    length: int
    _, version, length = _HELLO.unpack(said)
    if version != _VERSION:
        older = " (a bridge from before 0.1.0)" if version < _VERSION else ""
        raise BridgeError(
            FAILED_PRECONDITION,
            f"{target} shares memory in layout {version}{older}, and {client()} (protocol {PROTOCOL}) knows layout"
            f" {_VERSION}: update the older one",
        )
    if length == 0:
        raise MalformedMessageError(f"{target} shares no memory")
    return length


def _memory(connection: socket.socket, target: str, length: int) -> tuple[bytes, Optional[_Mapping]]:
    """The memory; else the first bytes of the error that the bridge sends instead. Raises BridgeError, OSError."""
    said, files, _, _ = socket.recv_fds(connection, _LENGTH.size, 1, socket.MSG_CMSG_CLOEXEC)
    try:
        if not said:
            raise ConnectionLostError(f"the bridge at {target} closed the connection: check that it runs")
        if not files and not any(said):
            raise MalformedMessageError(f"{target} shares no memory")
        if not files:
            return said, None
        return b"", _Mapping(files[0], length, mmap.MAP_SHARED, mmap.PROT_READ)
    except (ValueError, OverflowError) as error:
        raise MalformedMessageError(f"{target}: the memory of {length} bytes cannot be read ({error})") from None
    finally:
        for file in files:
            os.close(file)


class SharedMemoryStream:
    """A connection's messages, each with its length before it. One receives at a time; any may send, or close."""

    def __init__(
        self, pipe: Pipe, memory: SharedMemory, arrived: bytes, target: str, timeouts: Timeouts, network: Network
    ) -> None:
        self.memory = memory
        self.batch = 1
        self._pipe = pipe
        self._target = target
        self._timeouts = timeouts
        self._reading = network.lock()
        self._turn = threading.Lock()  # What is told goes out in its order, and whole.
        self._arrived = bytearray(arrived)
        self._asked = False
        self._ended = False

    async def send(self, message: Wire) -> None:
        self._write(_framed(message if isinstance(message, bytes) else message.encode()))
        await self._pipe.drain()

    async def receive(self, deadline: Optional[float] = None) -> Optional[Wire]:
        await self._reading.acquire()
        try:
            if self.memory.is_due(self.batch):
                self._write(b"")
                await self._pipe.drain()
            return await self._message(deadline)
        finally:
            self._reading.release()

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        self._write(_CLOSE)
        if await self._reading.acquire(self._timeouts.close):
            deadline = monotonic() + self._timeouts.close
            with suppress(BridgeError, TimeoutError):
                while not self._ended and deadline > monotonic():
                    await self._message(deadline)
            self._reading.release()
        self._end()

    def drop(self) -> None:
        self._write(_CLOSE)
        self._end()

    def _end(self) -> None:
        self._pipe.close()
        self.memory.close()

    def _write(self, framed: bytes) -> None:
        with self._turn:
            told = self.memory.tell() if framed is _CLOSE or self.memory.is_due(self.batch) else b""
            if told or framed:
                self._pipe.write((_framed(told) if told else b"") + framed)

    async def _message(self, deadline: Optional[float]) -> Optional[Wire]:
        arrived = self._arrived
        while True:
            if len(arrived) >= 4:
                if arrived.startswith(_CLOSE):
                    self._ended = True
                    return None
                (length,) = _LENGTH.unpack_from(arrived)
                if length > _LONGEST_MESSAGE:
                    raise MalformedMessageError(f"a message of {length} bytes from {self._target}")
                if len(arrived) >= 4 + length:
                    message = bytes(memoryview(arrived)[4 : 4 + length])
                    del arrived[: 4 + length]
                    return message
            if not await self._read(deadline):
                self._ended = True
                raise ConnectionLostError(f"the bridge at {self._target} is gone: check that it runs")

    async def _read(self, deadline: Optional[float]) -> bool:
        half_silence = self._timeouts.silence / 2
        while True:
            left = half_silence if deadline is None else deadline - monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                data = await self._pipe.read(min(left, half_silence))
            except TimeoutError:
                if deadline is not None and monotonic() >= deadline:
                    raise
                if self._asked:
                    raise ConnectionLostError(
                        f"the bridge at {self._target} was silent for {self._timeouts.silence:g} s, and did not answer:"
                        " check that it runs"
                    ) from None
                self._asked = True
                question = bridge_pb2.PlayRequest(clock=bridge_pb2.Clock(agent_ns=monotonic_ns()))
                await self.send(encode(question, "proto"))
                continue
            self._asked = False
            self._arrived += data
            return len(data) > 0


def _framed(message: bytes) -> bytes:
    return _LENGTH.pack(len(message)) + message


def _lost(target: str, error: OSError) -> ConnectionLostError:
    return ConnectionLostError(
        f"no bridge at {target}, or it is gone ({error}): check that it runs on this machine, and the name that it prints"
    )
