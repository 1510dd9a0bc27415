"""Byte streams over TCP, TLS or a Unix socket, and locks: the interfaces and their blocking form. The asyncio form is
in the separate module `aio_pipe`, because asyncio is slow to import."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from typing import Any, Callable, Optional, Protocol, TypeVar, Union

_T = TypeVar("_T")

READ_BYTES = 1 << 18
"""The limit of one read, in bytes: large, so that a long frame needs few reads."""


class Lock(Protocol):
    async def acquire(self, timeout: Optional[float] = None) -> bool:
        """Waits for the lock. Returns True if the lock was acquired, False after the timeout."""

    def release(self) -> None:
        ...


class Pipe(Protocol):
    """A byte stream in both directions. Only one thread or task may read at a time; all may write and close."""

    @property
    def tls(self) -> Any:
        """The ssl.SSLSocket or ssl.SSLObject, which has the peer's certificate."""

    async def read(self, timeout: float) -> Union[bytes, memoryview]:
        """Waits for bytes and returns them. They are valid until the next read, and empty at the end of the stream.
        Raises TimeoutError."""

    def write(self, data: bytes) -> None:
        """Sends bytes. Does not raise if the connection is lost: the next read returns no bytes."""

    def write_end(self) -> None:
        """Tells the peer that no more bytes follow. Reading still works."""

    async def drain(self) -> None:
        """Waits until more bytes can be written without filling the buffer."""

    def close(self) -> None:
        """Closes the stream. A read that waits returns."""


class Network(Protocol):
    def lock(self) -> Lock:
        ...

    async def connect(self, host: str, port: int, tls: Optional[ssl.SSLContext], timeout: float) -> Pipe:
        """Opens a TCP connection. Raises OSError, TimeoutError."""

    async def run_blocking(self, function: Callable[[], _T]) -> _T:
        """Runs a function that blocks, and returns its result. Raises the function's exceptions."""

    async def pipe_of_socket(self, connection: socket.socket, timeout: float) -> Pipe:
        """Creates a pipe for a connected Unix socket. `Pipe.close` closes the socket. If the socket was duplicated, the
        peer sees the close only after all duplicates are closed."""


class ThreadLock:
    """The blocking form of `Lock`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def acquire(self, timeout: Optional[float] = None) -> bool:
        return self._lock.acquire(timeout=-1 if timeout is None else max(0.0, timeout))

    def release(self) -> None:
        self._lock.release()


class SocketPipe:
    """The blocking form of `Pipe`, over a socket. The thread that waits reads the socket itself: in lockstep, passing
    each message between threads would take a large part of a step's time."""

    def __init__(self, connection: socket.socket, timeout: float, shutdown_mode: int = socket.SHUT_RDWR) -> None:
        self._socket = connection
        self._timeout = timeout
        self._shutdown_mode = shutdown_mode
        self._buffer = memoryview(bytearray(READ_BYTES))

    @property
    def tls(self) -> Any:
        return self._socket

    async def read(self, timeout: float) -> memoryview:
        self._set_timeout(timeout)
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
            self._socket.shutdown(self._shutdown_mode)
        self._socket.close()

    def _set_timeout(self, timeout: float) -> None:
        if timeout != self._timeout:
            self._timeout = timeout
            with contextlib.suppress(OSError):
                self._socket.settimeout(timeout)


class BlockingNetwork:
    """The blocking form of `Network`."""

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

    async def run_blocking(self, function: Callable[[], _T]) -> _T:
        return function()

    async def pipe_of_socket(self, connection: socket.socket, timeout: float) -> SocketPipe:
        connection.settimeout(timeout)
        return SocketPipe(connection, timeout, socket.SHUT_RD)
