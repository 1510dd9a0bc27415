"""The transport over shared memory and a Unix socket, only on Linux and on one machine: see proto/README.md."""

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

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.requests import encode
from sc2bridge._protocol.versions import PROTOCOL, client_name
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network, Pipe
from sc2bridge._transports.security import Security
from sc2bridge._transports.streams import MessageTransport
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import FAILED_PRECONDITION, BridgeError, ConnectionLostError, MalformedMessageError
from sc2bridge.shm.v1alpha1 import shm_pb2
from sc2bridge.v1 import bridge_pb2

# The first bytes of the bridge: a fixed name, the version of the layout, and the length of the memory. If the bridge
# accepts the token, it then sends the file descriptor of the memory with an empty message. Otherwise it sends an error.
_HELLO_LAYOUT = struct.Struct("<8sIQ")
_MAGIC = b"sc2bshm\0"
_LAYOUT_VERSION = 4
_LENGTH_LAYOUT = struct.Struct("<I")

# If these bytes are sent instead of a length, they close the connection. The bridge does not reuse the client's blocks
# until the socket is closed in all processes.
_CLOSE = b"\xff\xff\xff\xff"
_CREDENTIALS_LAYOUT = struct.Struct("<3I")

# The longest message on the socket. On the socket, the bridge also sends content that is not in shared memory.
_MAX_MESSAGE_BYTES = 64 << 20

# The client reports its progress after this number of frames or released blocks, because reports cost the bridge much.
# The bridge sends at most 16 frames ahead of the reports. With the policy `latest`, each frame and block is reported.
_REPORT_BATCH = 8

# If more blocks than this are in use, each release is reported at once. The bridge lets a client keep 32 blocks.
_MANY_BLOCKS = 16


class _BlockReference(weakref.ref[Any]):
    """A weak reference to a block. The callback is called after the last view of the block was freed."""

    __slots__ = ("offset",)
    offset: int


class _Mapping(mmap.mmap):
    """The mapped memory. Each view refers to the mapping, and the mapping keeps the connection open. After the last
    view was freed, the bridge may overwrite the blocks."""

    connection: socket.socket


class SharedMemory:
    """The shared memory, read-only. Threads may share it."""

    def __init__(self, memory: Optional[mmap.mmap]) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._received_frames = 0
        self._blocks_in_use: dict[int, _BlockReference] = {}
        self._released_blocks: deque[Any] = deque()

    def view(self, offset: int, length: int) -> memoryview:
        memory = self._memory
        if memory is None:
            raise ConnectionLostError("the subscription was closed")
        if length == 0 or offset + length > len(memory):
            raise MalformedMessageError(
                f"{length} bytes at offset {offset} are outside of the shared memory of {len(memory)} bytes"
            )
        # All views of the block refer to this array. When the array is freed, the block can be released.
        block: Any = np.frombuffer(memory, np.uint8, length, offset)
        reference = _BlockReference(block, self._released_blocks.append)
        reference.offset = offset
        with self._lock:
            self._blocks_in_use[id(reference)] = reference
        return memoryview(block)

    def count_frame(self) -> None:
        with self._lock:
            self._received_frames += 1

    def close(self) -> None:
        """Ends the use of the memory. Existing views stay valid."""
        self._memory = None

    def is_report_due(self, report_batch: int) -> bool:
        """True if `report_batch` frames or released blocks are unreported. If many blocks are in use, one suffices."""
        return max(self._received_frames, len(self._released_blocks)) >= report_batch or bool(
            len(self._blocks_in_use) > _MANY_BLOCKS and self._released_blocks
        )

    def report(self) -> bytes:
        """Returns the progress since the last report as a serialized PlayRequest; empty if nothing has changed."""
        with self._lock:
            if not self._received_frames and not self._released_blocks:
                return b""
            released = [self._released_blocks.popleft() for _ in range(len(self._released_blocks))]
            for reference in released:
                del self._blocks_in_use[id(reference)]
            offsets = [reference.offset for reference in released]
            progress = shm_pb2.SharedProgress(received_frames=self._received_frames, released_offsets=offsets)
            self._received_frames = 0
        return bytes(bridge_pb2.PlayRequest(shared_progress=progress).SerializeToString())


class SharedMemoryTransport(MessageTransport):
    """The transport over shared memory. Messages use a Unix socket; most of them refer to content in the memory."""

    def __init__(self, address: Address, timeouts: Timeouts, security: Security, network: Network) -> None:
        super().__init__(address, timeouts, network)
        self._security = security

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> SharedMemoryStream:
        stream: Any = await super().open(opening, is_two_way)
        stream.report_batch = 1 if opening.subscribe.policy == bridge_pb2.POLICY_LATEST else _REPORT_BATCH
        return stream  # type: ignore[no-any-return]

    async def _connect(self) -> SharedMemoryStream:
        target = f"shm:{self._address.target}"
        if not sys.platform.startswith("linux"):
            raise BridgeError(FAILED_PRECONDITION, f"{target}: shared memory needs Linux: use grpc:// or ws://")
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)

        def shake_hands() -> tuple[bytes, Optional[_Mapping]]:
            connection.settimeout(self._timeouts.connect)
            connection.connect("\0" + self._address.target)
            self._check_peer(connection, target)
            length = _read_hello(connection, target)
            connection.sendall(_with_length(self._security.token.encode()))
            return _receive_memory(connection, target, length)

        try:
            first_bytes, memory = await self._network.run_blocking(shake_hands)
            if memory is not None:
                memory.connection = connection.dup()
            pipe = await self._network.pipe_of_socket(connection, self._timeouts.connect)
        except OSError as error:
            connection.close()
            raise _no_answer_error(target, error) from None
        except BaseException:
            connection.close()
            raise
        return SharedMemoryStream(pipe, SharedMemory(memory), first_bytes, target, self._timeouts, self._network)

    def _check_peer(self, connection: socket.socket, target: str) -> None:
        _, user, _ = _CREDENTIALS_LAYOUT.unpack(
            connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS_LAYOUT.size)
        )
        if user not in (0, os.geteuid()):
            raise BridgeError(
                FAILED_PRECONDITION, f"{target} belongs to another user: give the name that your bridge prints"
            )


def _read_hello(connection: socket.socket, target: str) -> int:
    """Reads the bridge's first bytes. Returns the memory's length. Raises BridgeError, OSError."""
    first_bytes = connection.recv(_HELLO_LAYOUT.size)
    if not first_bytes:
        raise ConnectionLostError(
            f"the bridge at {target} closed the connection: run this program as the bridge's user"
        )
    if len(first_bytes) != _HELLO_LAYOUT.size or first_bytes[:8] != _MAGIC:
        raise MalformedMessageError(f"{target} does not answer like a bridge: give the name that the bridge prints")
    version: int
    length: int
    _, version, length = _HELLO_LAYOUT.unpack(first_bytes)
    if version != _LAYOUT_VERSION:
        older = " (a bridge from before 0.1.0)" if version < _LAYOUT_VERSION else ""
        raise BridgeError(
            FAILED_PRECONDITION,
            f"{target} shares memory in layout {version}{older}, but {client_name()} (protocol {PROTOCOL}) needs layout"
            f" {_LAYOUT_VERSION}: update the older of both",
        )
    if length == 0:
        raise MalformedMessageError(f"{target} shares no memory")
    return length


def _receive_memory(connection: socket.socket, target: str, length: int) -> tuple[bytes, Optional[_Mapping]]:
    """Receives the memory. If the bridge sends an error instead, returns the first bytes of the error. Raises
    BridgeError, OSError."""
    first_bytes, files, _, _ = socket.recv_fds(connection, _LENGTH_LAYOUT.size, 1, socket.MSG_CMSG_CLOEXEC)
    try:
        if not first_bytes:
            raise ConnectionLostError(f"the bridge at {target} closed the connection: check that it runs")
        if not files and not any(first_bytes):
            raise MalformedMessageError(f"{target} shares no memory")
        if not files:
            return first_bytes, None
        return b"", _Mapping(files[0], length, mmap.MAP_SHARED, mmap.PROT_READ)
    except (ValueError, OverflowError) as error:
        raise MalformedMessageError(f"{target}: the memory of {length} bytes cannot be read ({error})") from None
    finally:
        for file in files:
            os.close(file)


class SharedMemoryStream:
    """The messages of a connection. Before each message, its length is sent. Only one thread or task may receive at a
    time; all may send and close."""

    def __init__(
        self, pipe: Pipe, memory: SharedMemory, arrived: bytes, target: str, timeouts: Timeouts, network: Network
    ) -> None:
        self.memory = memory
        self.report_batch = 1
        self._pipe = pipe
        self._target = target
        self._timeouts = timeouts
        self._read_lock = network.lock()
        self._write_lock = threading.Lock()  # Sends one message at a time.
        self._arrived = bytearray(arrived)
        self._has_requested_echo = False
        self._has_ended = False

    async def send(self, message: WireMessage) -> None:
        self._write(_with_length(message if isinstance(message, bytes) else message.encode()))
        await self._pipe.drain()

    async def receive(self, deadline: Optional[float] = None) -> Optional[WireMessage]:
        await self._read_lock.acquire()
        try:
            if self.memory.is_report_due(self.report_batch):
                self._write(b"")
                await self._pipe.drain()
            return await self._next_message(deadline)
        finally:
            self._read_lock.release()

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        self._write(_CLOSE)
        if await self._read_lock.acquire(self._timeouts.close):
            deadline = monotonic() + self._timeouts.close
            with suppress(BridgeError, TimeoutError):
                while not self._has_ended and deadline > monotonic():
                    await self._next_message(deadline)
            self._read_lock.release()
        self._close_pipe()

    def drop(self) -> None:
        self._write(_CLOSE)
        self._close_pipe()

    def _close_pipe(self) -> None:
        self._pipe.close()
        self.memory.close()

    def _write(self, data: bytes) -> None:
        with self._write_lock:
            report = self.memory.report() if data is _CLOSE or self.memory.is_report_due(self.report_batch) else b""
            if report or data:
                self._pipe.write((_with_length(report) if report else b"") + data)

    async def _next_message(self, deadline: Optional[float]) -> Optional[WireMessage]:
        arrived = self._arrived
        while True:
            if len(arrived) >= 4:
                if arrived.startswith(_CLOSE):
                    self._has_ended = True
                    return None
                (length,) = _LENGTH_LAYOUT.unpack_from(arrived)
                if length > _MAX_MESSAGE_BYTES:
                    raise MalformedMessageError(
                        f"{self._target} sent a message of {length} bytes: the limit is {_MAX_MESSAGE_BYTES}"
                    )
                if len(arrived) >= 4 + length:
                    message = bytes(memoryview(arrived)[4 : 4 + length])
                    del arrived[: 4 + length]
                    return message
            if not await self._read(deadline):
                self._has_ended = True
                raise ConnectionLostError(f"the bridge at {self._target} closed the connection: check that it runs")

    async def _read(self, deadline: Optional[float]) -> bool:
        half_silence = self._timeouts.silence / 2
        while True:
            seconds_left = half_silence if deadline is None else deadline - monotonic()
            if seconds_left <= 0:
                raise TimeoutError
            try:
                data = await self._pipe.read(min(seconds_left, half_silence))
            except TimeoutError:
                if deadline is not None and monotonic() >= deadline:
                    raise
                if self._has_requested_echo:
                    raise ConnectionLostError(
                        f"the bridge at {self._target} was silent for {self._timeouts.silence:g} s, and did not answer:"
                        " check that it runs"
                    ) from None
                self._has_requested_echo = True
                echo_request = bridge_pb2.PlayRequest(clock=bridge_pb2.Clock(agent_ns=monotonic_ns()))
                await self.send(encode(echo_request, "proto"))
                continue
            self._has_requested_echo = False
            self._arrived += data
            return len(data) > 0


def _with_length(message: bytes) -> bytes:
    return _LENGTH_LAYOUT.pack(len(message)) + message


def _no_answer_error(target: str, error: OSError) -> ConnectionLostError:
    return ConnectionLostError(
        f"no bridge answers at {target} ({error}): check that it runs on this machine, and the name that it prints"
    )
