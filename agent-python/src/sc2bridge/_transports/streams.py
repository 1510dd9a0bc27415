"""The base class of transports whose connections carry whole messages in both directions."""

from __future__ import annotations

from time import monotonic
from typing import Any, Optional, Protocol

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.requests import RequestKind, encode, numbered_request, read_answer
from sc2bridge._protocol.versions import hello_request
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network
from sc2bridge._transports.transport import Stream, Timeouts
from sc2bridge.errors import ConnectionLostError, RequestTimeoutError
from sc2bridge.v1 import bridge_pb2


class MessageStream(Stream, Protocol):
    async def receive(self, deadline: Optional[float] = None) -> Optional[WireMessage]:
        """Like `Stream.receive`. deadline: a time of `time.monotonic`. Raises TimeoutError at the deadline."""


class MessageTransport:
    """Each subscription has its own connection, and all requests share another connection, so that subscriptions and
    requests do not block each other."""

    def __init__(self, address: Address, timeouts: Timeouts, network: Network) -> None:
        self._address = address
        self._timeouts = timeouts
        self._network = network
        self._request_stream: Optional[MessageStream] = None
        self._request_lock = network.lock()

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> MessageStream:
        stream = await self._connect_and_greet()
        await stream.send(encode(opening, self._address.encoding))
        return stream

    async def ask(self, kind: RequestKind, message: Any) -> Any:
        await self._request_lock.acquire()
        try:
            deadline = monotonic() + self._timeouts.request if kind.has_deadline else None
            if self._request_stream is None:
                self._request_stream = await self._connect_and_greet()
            stream = self._request_stream
            try:
                return await self._ask(stream, kind, message, deadline)
            except BaseException:
                # On the same connection, the next request could receive a delayed answer to this request.
                self._request_stream = None
                stream.drop()
                raise
        finally:
            self._request_lock.release()

    async def close(self) -> None:
        stream, self._request_stream = self._request_stream, None
        if stream is not None:
            await stream.close()

    async def _connect_and_greet(self) -> MessageStream:
        """Opens a connection and sends the hello message. Does not wait for the answer, which is checked when it
        arrives."""
        stream = await self._connect()
        await stream.send(encode(numbered_request("hello", hello_request()), self._address.encoding))
        return stream

    async def _connect(self) -> MessageStream:
        """Opens a connection. Raises BridgeError."""
        raise NotImplementedError

    async def _ask(self, stream: MessageStream, kind: RequestKind, message: Any, deadline: Optional[float]) -> Any:
        encoding = self._address.encoding
        numbered = numbered_request(kind.field, message)
        await stream.send(encode(numbered, encoding))
        while True:
            try:
                received = await stream.receive(deadline)
            except TimeoutError:
                raise RequestTimeoutError(
                    f"the bridge at {self._address.target} did not answer {kind.method} within"
                    f" {self._timeouts.request:g} s"
                ) from None
            if received is None:
                raise ConnectionLostError(
                    f"the bridge at {self._address.target} disconnected before it answered: check that it runs"
                )
            answer = read_answer(received, encoding, kind, numbered.request_id)
            if answer is not None:
                return answer
