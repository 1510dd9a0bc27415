"""The WebSocket transport. The package `websockets` has the protocol without I/O; a blocking or an asyncio pipe does
the I/O."""

from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic
from typing import Any, Optional

import websockets.client
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.versions import before_hello_error
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network, Pipe
from sc2bridge._transports.security import Security
from sc2bridge._transports.streams import MessageTransport
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import (
    CANCELLED,
    FAILED_PRECONDITION,
    INTERNAL,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    UNAUTHENTICATED,
    UNAVAILABLE,
    BridgeError,
    ConnectionLostError,
    MalformedMessageError,
    SC2BridgeError,
    bridge_error,
)

# The class's name since release 11 of `websockets`, and its earlier name.
_ClientProtocol: Any = getattr(websockets.client, "ClientProtocol", None) or getattr(
    websockets.client, "ClientConnection"
)

# Twice the longest accepted observation, because JSON may need twice the space.
MAX_MESSAGE_BYTES = 128 << 20

# A close code of the bridge is this number plus a gRPC status code. Applications may use the codes 4000 to 4999.
_STATUS_CODE_BASE = 4000

# The gRPC status code for each HTTP status of a refused handshake.
_STATUS_OF_HTTP = {
    401: UNAUTHENTICATED,
    403: PERMISSION_DENIED,
    421: PERMISSION_DENIED,
    429: RESOURCE_EXHAUSTED,
    503: UNAVAILABLE,
}


class _Protocol(_ClientProtocol):  # type: ignore[misc]
    """Like the protocol of `websockets`, but ignores pings after the close (release 10.4 would raise an error and miss
    the close), and does not log requests, which may contain a token."""

    def send_request(self, request: Any) -> None:
        self.debug: bool
        debug, self.debug = self.debug, False
        super().send_request(request)
        self.debug = debug

    def recv_frame(self, frame: Any) -> None:
        if frame.opcode is not Opcode.PING or self.state.name == "OPEN":
            super().recv_frame(frame)


class WebSocketTransport(MessageTransport):
    def __init__(
        self,
        address: Address,
        compression: Optional[str],
        timeouts: Timeouts,
        security: Security,
        network: Network,
    ) -> None:
        super().__init__(address, timeouts, network)
        self._security = security
        self._compression = compression

    async def _connect(self) -> WebSocketStream:
        address, timeouts = self._address, self._timeouts
        deadline = monotonic() + timeouts.connect
        uri = parse_uri(address.target)
        try:
            pipe = await self._security.connect(self._network, timeouts.connect)
        except TimeoutError:
            raise _no_handshake_error(address.target, timeouts) from None
        except OSError as error:
            raise _lost_error(address.target, error) from None
        extensions = [ClientPerMessageDeflateFactory(client_max_window_bits=True)] if self._compression else None
        protocol = _Protocol(uri, subprotocols=[address.subprotocol], extensions=extensions, max_size=MAX_MESSAGE_BYTES)
        stream = WebSocketStream(protocol, pipe, address.target, timeouts, self._network)
        try:
            await stream.shake_hands(deadline, self._security.headers)
            if protocol.subprotocol != address.subprotocol:
                raise before_hello_error(address.target)
        except ConnectionLostError as lost:
            pipe.close()
            raise await self._security.clearer_error(self._network, lost) from None
        except BaseException:
            pipe.close()
            raise
        return stream


class WebSocketStream:
    """The messages of a connection. Only one thread or task may receive at a time; all may send and close."""

    def __init__(self, protocol: Any, pipe: Pipe, target: str, timeouts: Timeouts, network: Network) -> None:
        self._protocol = protocol
        self._pipe = pipe
        self._target = target
        self._timeouts = timeouts
        self._protocol_lock = threading.Lock()  # Protects the protocol's state, and keeps its output in order.
        self._read_lock = network.lock()
        self._fragments: list[bytes] = []
        self._is_text = False
        self._events: list[Any] = []

    async def shake_hands(self, deadline: float, headers: tuple[tuple[str, str], ...]) -> None:
        """Opens the WebSocket. Raises BridgeError."""
        with self._protocol_lock:
            request = self._protocol.connect()
            request.headers.update(headers)
            self._protocol.send_request(request)
            self._write_output()
        try:
            while not isinstance(await self._next_event(deadline), Response):
                pass
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
        except TimeoutError:
            raise _no_handshake_error(self._target, self._timeouts) from None
        except (
            WebSocketException,
            ValueError,
            EOFError,
            NotImplementedError,  # Release 10.4 cannot read a chunked response, such as a web server's error page.
        ) as error:  # Before release 13, a response that is not HTTP raises ValueError.
            raise _converted_error(error, self._target) from None

    async def send(self, message: WireMessage) -> None:
        with self._protocol_lock:
            if self._protocol.state.name != "OPEN":
                return  # `receive` raises the cause.
            if isinstance(message, str):
                self._protocol.send_text(message.encode())
            else:
                self._protocol.send_binary(message)
            self._write_output()
        await self._pipe.drain()

    async def receive(self, deadline: Optional[float] = None) -> Optional[WireMessage]:
        """Like `Stream.receive`. deadline: a time of `time.monotonic`. Raises TimeoutError at the deadline."""
        await self._read_lock.acquire()
        try:
            return await self._next_message(deadline)
        except ConnectionClosed as closed:
            close = closed.rcvd
            if close is not None and close.code == 1000:
                return None
            raise _converted_error(closed, self._target) from None
        finally:
            self._read_lock.release()

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        deadline = monotonic() + self._timeouts.close
        self._send_close()
        if await self._read_lock.acquire(self._timeouts.close):
            with suppress(ConnectionClosed, TimeoutError):
                while True:
                    self._events.clear()
                    await self._next_event(deadline)
            self._read_lock.release()
        self._pipe.close()

    def drop(self) -> None:
        self._send_close()
        self._pipe.close()

    def _send_close(self) -> None:
        with self._protocol_lock:
            if self._protocol.state.name == "OPEN":
                self._protocol.send_close(1000)
                self._write_output()

    async def _next_message(self, deadline: Optional[float]) -> WireMessage:
        while True:
            received = await self._next_event(deadline)
            if received.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                continue
            if not self._fragments:
                self._is_text = received.opcode is Opcode.TEXT
            if self._fragments or not received.fin:
                self._fragments.append(received.data)
            if received.fin:
                data = b"".join(self._fragments) if self._fragments else bytes(received.data)
                self._fragments = []
                with suppress(UnicodeDecodeError):
                    return str(data, "utf-8") if self._is_text else data
                return data

    async def _next_event(self, deadline: Optional[float]) -> Any:
        """The next event: the handshake's response, then WebSocket frames. Raises ConnectionClosed, TimeoutError."""
        half_silence = self._timeouts.silence / 2
        is_pinged = False
        while not self._events:
            if self._protocol.state.name == "CLOSED":
                raise self._protocol.close_exc
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
            seconds_left = half_silence if deadline is None else deadline - monotonic()
            if seconds_left <= 0:
                raise TimeoutError
            try:
                data = await self._pipe.read(min(seconds_left, half_silence))
            except TimeoutError:
                if deadline is not None and monotonic() >= deadline:
                    raise
                if is_pinged:
                    raise ConnectionLostError(
                        f"the bridge at {self._target} was silent for {self._timeouts.silence:g} s, and did not answer"
                        " a ping: check that it runs"
                    ) from None
                is_pinged = self._ping()
                continue
            is_pinged = False
            with self._protocol_lock:
                if data:
                    self._protocol.receive_data(data)  # Copies the bytes, which the next read overwrites.
                else:
                    self._protocol.receive_eof()
                self._events = self._protocol.events_received()[::-1]
                self._write_output()
        return self._events.pop()

    def _ping(self) -> bool:
        with self._protocol_lock:
            if self._protocol.state.name == "OPEN":
                self._protocol.send_ping(b"")
                self._write_output()
        return True

    def _write_output(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._pipe.write(data)
            else:
                self._pipe.write_end()


def _converted_error(error: BaseException, target: str) -> SC2BridgeError:
    """Converts the error of a failed handshake or of a close to an error of this package."""
    close = getattr(error, "rcvd", None)
    if close is not None:
        reason = close.reason or "the bridge gave no reason"
        if close.code >= _STATUS_CODE_BASE:
            return bridge_error(close.code - _STATUS_CODE_BASE, reason)
        if close.code in (1000, 1001, 1006):
            return ConnectionLostError(f"the bridge at {target} closed the connection: {reason}")
        code = INTERNAL if close.code == 1011 else FAILED_PRECONDITION
        return BridgeError(code, f"the bridge at {target} closed: {reason} ({close.code})")
    sent = getattr(error, "sent", None)
    if sent is not None and sent.code == 1009:
        return MalformedMessageError(f"{target} sent a message of more than the limit of {MAX_MESSAGE_BYTES >> 20} MiB")
    if sent is not None and sent.code == 1000:
        return BridgeError(CANCELLED, "the connection was closed by this client")
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status_code", None)
    if status in _STATUS_OF_HTTP:
        return bridge_error(
            _STATUS_OF_HTTP[status], _first_line(response) or f"{target} refused the connection: HTTP {status}"
        )
    if status == 400 and "sc2bridge.v1." in _first_line(response):  # The answer of a bridge from before 0.1.0.
        return before_hello_error(target)
    if status is not None:
        return BridgeError(
            FAILED_PRECONDITION,
            f"{target} answered HTTP {status}, so it is not a bridge: check the address and its path /v1",
        )
    return _lost_error(target, error)


def _first_line(response: Any) -> str:
    """The first line of the body of a refusal."""
    lines = bytes(getattr(response, "body", None) or b"").decode("utf-8", "replace").splitlines()
    return lines[0][:500] if lines else ""


def _lost_error(target: str, error: BaseException) -> ConnectionLostError:
    return ConnectionLostError(f"no bridge answers at {target} ({error}): check that it runs, and its address")


def _no_handshake_error(target: str, timeouts: Timeouts) -> ConnectionLostError:
    return ConnectionLostError(
        f"no bridge answers at {target}: no WebSocket was opened within {timeouts.connect:g} s: check the address"
    )
