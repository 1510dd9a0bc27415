"""A byte stream over TCP, TLS over it or a Unix socket, and a lock: what they do, and the form that blocks. `aio_pipe` has asyncio's,
which takes a while to import."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from typing import Any, Callable, Optional, Protocol, TypeVar, Union

_T = TypeVar("_T")

READ = 1 << 18
"""Bytes that are read at a time: a late frame is read at once."""


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
        self._buffer = memoryview(bytearray(READ))

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
