"""WebSocket, by the part of `websockets` that has no I/O, over a pipe that blocks or one of asyncio's."""

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

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.versions import before_hello
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

# Since release 11; its name before.
_Client: Any = getattr(websockets.client, "ClientProtocol", None) or getattr(websockets.client, "ClientConnection")

# Twice the longest observation that is taken, as JSON of it may have.
LONGEST_MESSAGE = 128 << 20

# A gRPC status code as a close code: moved to where the standard leaves room.
_STATUS = 4000

# What HTTP calls a bridge's refusals, before there is a WebSocket.
_REFUSALS = {
    401: UNAUTHENTICATED,
    403: PERMISSION_DENIED,
    421: PERMISSION_DENIED,
    429: RESOURCE_EXHAUSTED,
    503: UNAVAILABLE,
}


class _Protocol(_Client):  # type: ignore[misc]
    """Answers no ping once it has closed: release 10.4 took that for an error of its own, and then missed the close. Nor
    does it log a request, which may hold a token."""

    def send_request(self, request: Any) -> None:
        self.debug: bool
        debug, self.debug = self.debug, False
        super().send_request(request)
        self.debug = debug

    def recv_frame(self, frame: Any) -> None:
        if frame.opcode is not Opcode.PING or self.state.name == "OPEN":
            super().recv_frame(frame)


class WebSocketTransport(MessageTransport):
    """Over WebSockets."""

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
            raise _no_handshake(address.target, timeouts) from None
        except OSError as error:
            raise _lost(address.target, error) from None
        extensions = [ClientPerMessageDeflateFactory(client_max_window_bits=True)] if self._compression else None
        protocol = _Protocol(uri, subprotocols=[address.subprotocol], extensions=extensions, max_size=LONGEST_MESSAGE)
        stream = WebSocketStream(protocol, pipe, address.target, timeouts, self._network)
        try:
            await stream.shake_hands(deadline, self._security.headers)
            if protocol.subprotocol != address.subprotocol:
                raise before_hello(address.target)
        except ConnectionLostError as lost:
            pipe.close()
            raise await self._security.reason(self._network, lost) from None
        except BaseException:
            pipe.close()
            raise
        return stream


class WebSocketStream:
    """A connection's messages. One receives at a time; any may send, or close."""

    def __init__(self, protocol: Any, pipe: Pipe, target: str, timeouts: Timeouts, network: Network) -> None:
        self._protocol = protocol
        self._pipe = pipe
        self._target = target
        self._timeouts = timeouts
        self._turn = threading.Lock()  # For the protocol's state, and that what it wants sent is sent in order.
        self._reading = network.lock()
        self._parts: list[bytes] = []
        self._is_text = False
        self._arrived: list[Any] = []

    async def shake_hands(self, deadline: float, headers: tuple[tuple[str, str], ...]) -> None:
        """Raises BridgeError."""
        with self._turn:
            request = self._protocol.connect()
            request.headers.update(headers)
            self._protocol.send_request(request)
            self._write()
        try:
            while not isinstance(await self._event(deadline), Response):
                pass
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
        except TimeoutError:
            raise _no_handshake(self._target, self._timeouts) from None
        except (
            WebSocketException,
            ValueError,
            EOFError,
            NotImplementedError,  # Release 10.4 reads no chunks, which an answer that is no handshake may come in.
        ) as error:  # Before release 13 what is no HTTP is a ValueError.
            raise _error(error, self._target) from None

    async def send(self, message: Wire) -> None:
        with self._turn:
            if self._protocol.state.name != "OPEN":
                return  # Receiving reports the cause.
            if isinstance(message, str):
                self._protocol.send_text(message.encode())
            else:
                self._protocol.send_binary(message)
            self._write()
        await self._pipe.drain()

    async def receive(self, deadline: Optional[float] = None) -> Optional[Wire]:
        """As `Stream.receive`; raises TimeoutError at a deadline, of `time.monotonic`."""
        await self._reading.acquire()
        try:
            return await self._message(deadline)
        except ConnectionClosed as closed:
            close = closed.rcvd
            if close is not None and close.code == 1000:
                return None
            raise _error(closed, self._target) from None
        finally:
            self._reading.release()

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        deadline = monotonic() + self._timeouts.close
        self._send_close()
        if await self._reading.acquire(self._timeouts.close):
            with suppress(ConnectionClosed, TimeoutError):
                while True:
                    self._arrived.clear()
                    await self._event(deadline)
            self._reading.release()
        self._pipe.close()

    def drop(self) -> None:
        self._send_close()
        self._pipe.close()

    def _send_close(self) -> None:
        with self._turn:
            if self._protocol.state.name == "OPEN":
                self._protocol.send_close(1000)
                self._write()

    async def _message(self, deadline: Optional[float]) -> Wire:
        while True:
            frame = await self._event(deadline)
            if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                continue
            if not self._parts:
                self._is_text = frame.opcode is Opcode.TEXT
            if self._parts or not frame.fin:
                self._parts.append(frame.data)
            if frame.fin:
                data = b"".join(self._parts) if self._parts else bytes(frame.data)
                self._parts = []
                with suppress(UnicodeDecodeError):
                    return str(data, "utf-8") if self._is_text else data
                return data

    async def _event(self, deadline: Optional[float]) -> Any:
        """The next event: the handshake's response, then frames. Raises ConnectionClosed, TimeoutError."""
        half_silence = self._timeouts.silence / 2
        pinged = False
        while not self._arrived:
            if self._protocol.state.name == "CLOSED":
                raise self._protocol.close_exc
            if self._protocol.handshake_exc is not None:
                raise self._protocol.handshake_exc
            left = half_silence if deadline is None else deadline - monotonic()
            if left <= 0:
                raise TimeoutError
            try:
                data = await self._pipe.read(min(left, half_silence))
            except TimeoutError:
                if deadline is not None and monotonic() >= deadline:
                    raise
                if pinged:
                    raise ConnectionLostError(
                        f"the bridge at {self._target} was silent for {self._timeouts.silence:g} s, and did not answer"
                        " a ping: check that it runs"
                    ) from None
                pinged = self._ping()
                continue
            pinged = False
            with self._turn:
                if data:
                    self._protocol.receive_data(data)  # Copied at once.
                else:
                    self._protocol.receive_eof()
                self._arrived = self._protocol.events_received()[::-1]
                self._write()
        return self._arrived.pop()

    def _ping(self) -> bool:
        with self._turn:
            if self._protocol.state.name == "OPEN":
                self._protocol.send_ping(b"")
                self._write()
        return True

    def _write(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._pipe.write(data)
            else:
                self._pipe.write_end()


def _error(error: BaseException, target: str) -> SC2BridgeError:
    """A failed handshake, or a close, as one of our errors."""
    close = getattr(error, "rcvd", None)
    if close is not None:
        reason = close.reason or "no reason given"
        if close.code >= _STATUS:
            return bridge_error(close.code - _STATUS, reason)
        if close.code in (1000, 1001, 1006):
            return ConnectionLostError(f"the bridge at {target} closed the connection: {reason}")
        code = INTERNAL if close.code == 1011 else FAILED_PRECONDITION
        return BridgeError(code, f"the bridge at {target} closed: {reason} ({close.code})")
    sent = getattr(error, "sent", None)
    if sent is not None and sent.code == 1009:
        return MalformedMessageError(f"a message of more than {LONGEST_MESSAGE >> 20} MiB from {target}")
    if sent is not None and sent.code == 1000:
        return BridgeError(CANCELLED, "the connection was closed here")
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status_code", None)
    if status in _REFUSALS:
        return bridge_error(_REFUSALS[status], _said(response) or f"{target} refused the connection: HTTP {status}")
    if status == 400 and "sc2bridge.v1." in _said(response):  # It offers the sub-protocols of before.
        return before_hello(target)
    if status is not None:
        return BridgeError(
            FAILED_PRECONDITION, f"{target} answered HTTP {status}, not as a bridge does: check the path, which is /v1"
        )
    return _lost(target, error)


def _said(response: Any) -> str:
    """The line of a refusal."""
    lines = bytes(getattr(response, "body", None) or b"").decode("utf-8", "replace").splitlines()
    return lines[0][:500] if lines else ""


def _lost(target: str, error: BaseException) -> ConnectionLostError:
    return ConnectionLostError(f"no bridge at {target}, or it is gone ({error}): check that it runs, and its address")


def _no_handshake(target: str, timeouts: Timeouts) -> ConnectionLostError:
    return ConnectionLostError(
        f"no bridge at {target}: no WebSocket was opened within {timeouts.connect:g} s: check its address"
    )
