"""A WebSocket that is read on the thread that waits for it.

`websockets` speaks the protocol (its part without I/O, since release 11); its own blocking client reads on a thread
beside the caller's, and handing each message over costs a good part of what a game's step takes in lockstep.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any, Union

from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Opcode
from websockets.http11 import Response
from websockets.protocol import State
from websockets.uri import parse_uri

# A late frame is read at once, where it is there.
_READ = 1 << 18
_OPENING = 10.0
_CLOSING = 1.0


class DirectSocket:
    """A client's connection. One thread receives at a time; any may send, or close."""

    def __init__(self, url: str, subprotocol: str, compression: bool) -> None:
        """Raises OSError, TimeoutError, and what `websockets` raises for a handshake that failed."""
        uri = parse_uri(url)
        self._protocol = ClientProtocol(
            uri,
            subprotocols=[subprotocol],
            extensions=[ClientPerMessageDeflateFactory(client_max_window_bits=True)] if compression else None,
            max_size=None,
        )
        self._turn = threading.Lock()
        self._reading = threading.Lock()
        self._parts: list[bytes] = []
        self._is_text = False
        self._arrived: list[Any] = []
        self._buffer = memoryview(bytearray(_READ))
        self._socket = socket.create_connection((uri.host, uri.port), timeout=_OPENING)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._protocol.send_request(self._protocol.connect())
            self._write()
            while not isinstance(self._next(), Response):
                pass
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
            self._socket.settimeout(None)
        except BaseException:
            self._socket.close()
            raise

    def send(self, message: Union[bytes, str]) -> None:
        """Raises ConnectionClosed; of a connection that breaks now, whoever receives hears."""
        with self._turn:
            self._require_open()
            if isinstance(message, str):
                self._protocol.send_text(message.encode())
            else:
                self._protocol.send_binary(message)
            with contextlib.suppress(OSError):
                self._write()

    def recv(self) -> Union[bytes, bytearray, str]:
        """The next message: text as str, or as bytes where it is not UTF-8. Raises ConnectionClosed."""
        with self._reading:
            return self._receive()

    def close(self) -> None:
        """Closes, and waits for the bridge's close, a second at most; a thread that receives is let go."""
        with self._turn, contextlib.suppress(OSError):
            if self._protocol.state is State.OPEN:
                self._protocol.send_close()
                self._write()
        if self._reading.acquire(timeout=_CLOSING):
            with contextlib.suppress(OSError, ConnectionClosed):
                self._socket.settimeout(_CLOSING)
                while True:
                    self._arrived.clear()
                    self._next()
            self._reading.release()
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _receive(self) -> Union[bytes, bytearray, str]:
        while True:
            frame = self._next()
            if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                continue
            if not self._parts:
                self._is_text = frame.opcode is Opcode.TEXT
            if self._parts or not frame.fin:
                self._parts.append(frame.data)
            if frame.fin:
                data: Union[bytes, bytearray] = b"".join(self._parts) if self._parts else frame.data
                self._parts = []
                with contextlib.suppress(UnicodeDecodeError):
                    return str(data, "utf-8") if self._is_text else data
                return data

    def _next(self) -> Any:
        """The next event: the handshake's response, then frames."""
        while not self._arrived:
            if self._protocol.state is State.CLOSED:
                raise self._closed()
            try:
                read = self._socket.recv_into(self._buffer)
            except OSError:
                read = 0
            with self._turn:
                if read:
                    self._protocol.receive_data(self._buffer[:read])  # Copied at once.
                else:
                    self._protocol.receive_eof()
                self._arrived = self._protocol.events_received()[::-1]
                with contextlib.suppress(OSError):
                    self._write()
        return self._arrived.pop()

    def _write(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._socket.sendall(data)
            else:
                self._socket.shutdown(socket.SHUT_WR)

    def _require_open(self) -> None:
        if self._protocol.state is not State.OPEN:
            raise self._closed()

    def _closed(self) -> Exception:
        closed: Exception = (
            self._protocol.close_exc if self._protocol.state is State.CLOSED else ConnectionClosed(None, None)
        )
        return closed
