"""The asyncio form of the pipes and locks in `pipe`."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from typing import Any, Callable, Optional, TypeVar

from sc2bridge._transports.pipe import READ_BYTES

_T = TypeVar("_T")


class TaskLock:
    """The asyncio form of `pipe.Lock`."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def acquire(self, timeout: Optional[float] = None) -> bool:
        try:
            return await asyncio.wait_for(self._lock.acquire(), timeout)
        except asyncio.TimeoutError:
            return False

    def release(self) -> None:
        self._lock.release()


class ProtocolPipe(asyncio.Protocol):
    """The asyncio form of `pipe.Pipe`."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._arrived: deque[bytes] = deque()
        self._arrived_bytes = 0
        self._has_ended = False
        self._waiting_reader: Optional[asyncio.Future[None]] = None
        self._can_write = asyncio.Event()
        self._can_write.set()

    @property
    def tls(self) -> Any:
        return self._transport.get_extra_info("ssl_object")

    async def read(self, timeout: float) -> bytes:
        if not self._arrived and not self._has_ended:
            loop = asyncio.get_running_loop()
            self._waiting_reader = loop.create_future()
            timer = loop.call_later(timeout, self._wake_reader)
            try:
                await self._waiting_reader
            finally:
                timer.cancel()
                self._waiting_reader = None
            if not self._arrived and not self._has_ended:
                raise TimeoutError
        if not self._arrived:
            return b""
        data = self._arrived.popleft()
        self._arrived_bytes -= len(data)
        if self._arrived_bytes < READ_BYTES:
            self._transport.resume_reading()
        return data

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def write_end(self) -> None:
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    async def drain(self) -> None:
        await self._can_write.wait()

    def close(self) -> None:
        self._set_ended()
        self._transport.close()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._arrived.append(data)
        self._arrived_bytes += len(data)
        if self._arrived_bytes >= READ_BYTES:  # Then later frames wait at the bridge, which applies the policy.
            self._transport.pause_reading()
        self._wake_reader()

    def eof_received(self) -> bool:
        self._set_ended()
        # Without TLS, the pipe can still send after the peer has finished sending.
        return not self._transport.get_extra_info("sslcontext")

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._set_ended()

    def pause_writing(self) -> None:
        self._can_write.clear()

    def resume_writing(self) -> None:
        self._can_write.set()

    def _set_ended(self) -> None:
        self._has_ended = True
        self._can_write.set()
        self._wake_reader()

    def _wake_reader(self) -> None:
        if self._waiting_reader is not None and not self._waiting_reader.done():
            self._waiting_reader.set_result(None)


class AsyncNetwork:
    """The asyncio form of `pipe.Network`."""

    def lock(self) -> TaskLock:
        return TaskLock()

    async def connect(self, host: str, port: int, tls: Optional[ssl.SSLContext], timeout: float) -> ProtocolPipe:
        loop = asyncio.get_running_loop()
        connecting = loop.create_connection(ProtocolPipe, host, port, ssl=tls, server_hostname=host if tls else None)
        try:
            _, pipe = await asyncio.wait_for(connecting, timeout)
        except asyncio.TimeoutError:  # In Python 3.10 this is not the built-in TimeoutError.
            raise TimeoutError from None
        return pipe

    async def run_blocking(self, function: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(None, function)

    async def pipe_of_socket(self, connection: socket.socket, timeout: float) -> ProtocolPipe:
        connection.setblocking(False)
        _, pipe = await asyncio.get_running_loop().create_unix_connection(ProtocolPipe, sock=connection)
        return pipe
