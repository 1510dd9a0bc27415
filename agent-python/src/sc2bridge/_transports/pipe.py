"""A byte stream over TCP, TLS over it or a Unix socket, and a lock: in a form that blocks, and in one of asyncio's."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections import deque
from typing import Any, Callable, Optional, Protocol, TypeVar, Union

_T = TypeVar("_T")

# A late frame is read at once, where it is there.
_READ = 1 << 18


class Lock(Protocol):
    """Is held by one at a time."""

    async def acquire(self, timeout: Optional[float] = None) -> bool:
        """Waits for it; False where that took too long."""

    def release(self) -> None:
        ...


class Pipe(Protocol):
    """Bytes both ways. One reads at a time; any may write, or close."""

    @property
    def tls(self) -> Any:
        """An ssl.SSLSocket or ssl.SSLObject, for its certificate."""

    async def read(self, timeout: float) -> Union[bytes, memoryview]:
        """Some bytes, to be used before the next read; none at the end. Raises TimeoutError."""

    def write(self, data: bytes) -> None:
        """Sends. Where the connection is gone, reading raises."""

    def write_end(self) -> None:
        """Ends sending."""

    async def drain(self) -> None:
        """Waits until there is room to write more."""

    def close(self) -> None:
        """Closes; a pending read returns."""


class Network(Protocol):
    """Where pipes and locks come from."""

    def lock(self) -> Lock:
        ...

    async def connect(self, host: str, port: int, tls: Optional[ssl.SSLContext], timeout: float) -> Pipe:
        """Raises OSError, TimeoutError."""

    async def wait_for(self, call: Callable[[], _T]) -> _T:
        """The result of a call that blocks. Raises what it does."""

    async def adopt(self, connection: socket.socket, timeout: float) -> Pipe:
        """Of a Unix socket that is connected, which the pipe closes: its other end sees that when no copy is open."""


class ThreadLock:
    """Among threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def acquire(self, timeout: Optional[float] = None) -> bool:
        return self._lock.acquire(timeout=-1 if timeout is None else max(0.0, timeout))

    def release(self) -> None:
        self._lock.release()


class SocketPipe:
    """Over a socket, on the thread that waits: to hand each message over from another costs a good part of what a step
    takes in lockstep."""

    def __init__(self, connection: socket.socket, timeout: float, stops: int = socket.SHUT_RDWR) -> None:
        self._socket = connection
        self._timeout = timeout
        self._stops = stops
        self._buffer = memoryview(bytearray(_READ))

    @property
    def tls(self) -> Any:
        return self._socket

    async def read(self, timeout: float) -> memoryview:
        self._wait_no_longer_than(timeout)
        try:
            return self._buffer[: self._socket.recv_into(self._buffer)]
        except socket.timeout:
            raise TimeoutError from None
        except OSError:
            return self._buffer[:0]

    def write(self, data: bytes) -> None:
        with contextlib.suppress(OSError):
            self._socket.sendall(data)

    def write_end(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    async def drain(self) -> None:
        pass

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(self._stops)
        self._socket.close()

    def _wait_no_longer_than(self, timeout: float) -> None:
        if timeout != self._timeout:
            self._timeout = timeout
            with contextlib.suppress(OSError):
                self._socket.settimeout(timeout)


class BlockingNetwork:
    """Sockets and threads."""

    def lock(self) -> ThreadLock:
        return ThreadLock()

    async def connect(self, host: str, port: int, tls: Optional[ssl.SSLContext], timeout: float) -> SocketPipe:
        connection = socket.create_connection((host, port), timeout=timeout)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is not None:
                connection = tls.wrap_socket(connection, server_hostname=host)
        except BaseException:
            connection.close()
            raise
        return SocketPipe(connection, timeout)

    async def wait_for(self, call: Callable[[], _T]) -> _T:
        return call()

    async def adopt(self, connection: socket.socket, timeout: float) -> SocketPipe:
        connection.settimeout(timeout)
        return SocketPipe(connection, timeout, socket.SHUT_RD)


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
        if self._waiting < _READ:
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
        if self._waiting >= _READ:  # Frames wait at the bridge, where the subscription's policy rules, and not here.
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
        _, pipe = await asyncio.wait_for(
            loop.create_connection(ProtocolPipe, host, port, ssl=tls, server_hostname=host if tls else None),
            timeout,
        )
        return pipe

    async def wait_for(self, call: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(None, call)

    async def adopt(self, connection: socket.socket, timeout: float) -> ProtocolPipe:
        connection.setblocking(False)
        _, pipe = await asyncio.get_running_loop().create_unix_connection(ProtocolPipe, sock=connection)
        return pipe
