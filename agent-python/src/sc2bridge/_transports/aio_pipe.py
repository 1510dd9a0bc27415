"""A byte stream and a lock of asyncio's."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections import deque
from typing import Any, Callable, Optional, TypeVar

from sc2bridge._transports.pipe import READ

_T = TypeVar("_T")


class TaskLock:
    """Among tasks."""

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
    """Over a transport of the loop's."""

    def __init__(self) -> None:
        self._transport: Any = None
        self._arrived: deque[bytes] = deque()
        self._waiting = 0
        self._ended = False
        self._reader: Optional[asyncio.Future[None]] = None
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def tls(self) -> Any:
        return self._transport.get_extra_info("ssl_object")

    async def read(self, timeout: float) -> bytes:
        if not self._arrived and not self._ended:
            loop = asyncio.get_running_loop()
            self._reader = loop.create_future()
            timer = loop.call_later(timeout, self._wake)
            try:
                await self._reader
            finally:
                timer.cancel()
                self._reader = None
            if not self._arrived and not self._ended:
                raise TimeoutError
        if not self._arrived:
            return b""
        data = self._arrived.popleft()
        self._waiting -= len(data)
        if self._waiting < READ:
            self._transport.resume_reading()
        return data

    def write(self, data: bytes) -> None:
        self._transport.write(data)

    def write_end(self) -> None:
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()

    async def drain(self) -> None:
        await self._has_room.wait()

    def close(self) -> None:
        self._end()
        self._transport.close()

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._arrived.append(data)
        self._waiting += len(data)
        if self._waiting >= READ:  # Frames wait at the bridge, where the subscription's policy rules, and not here.
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self._end()
        return not self._transport.get_extra_info("sslcontext")  # Only TLS cannot be written to any more then.

    def connection_lost(self, error: Optional[Exception]) -> None:
        self._end()

    def pause_writing(self) -> None:
        self._has_room.clear()

    def resume_writing(self) -> None:
        self._has_room.set()

    def _end(self) -> None:
        self._ended = True
        self._has_room.set()
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)


class AsyncNetwork:
    """asyncio's."""

    def lock(self) -> TaskLock:
        return TaskLock()

    async def connect(self, host: str, port: int, tls: Optional[ssl.SSLContext], timeout: float) -> ProtocolPipe:
        loop = asyncio.get_running_loop()
        connecting = loop.create_connection(ProtocolPipe, host, port, ssl=tls, server_hostname=host if tls else None)
        try:
            _, pipe = await asyncio.wait_for(connecting, timeout)
        except asyncio.TimeoutError:  # Not yet Python's own in 3.10.
            raise TimeoutError from None
        return pipe

    async def wait_for(self, call: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(None, call)

    async def adopt(self, connection: socket.socket, timeout: float) -> ProtocolPipe:
        connection.setblocking(False)
        _, pipe = await asyncio.get_running_loop().create_unix_connection(ProtocolPipe, sock=connection)
        return pipe
