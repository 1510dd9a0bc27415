"""A transport whose connections carry whole messages both ways: each subscription has one of its own, and requests share one."""

from __future__ import annotations

from time import monotonic
from typing import Any, Optional, Protocol

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.requests import Kind, encode, numbered, read_answer
from sc2bridge._protocol.versions import hello
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import Network
from sc2bridge._transports.transport import Stream, Timeouts
from sc2bridge.errors import ConnectionLostError, RequestTimeoutError
from sc2bridge.v1 import bridge_pb2


class MessageStream(Stream, Protocol):
    """A connection's messages."""

    async def receive(self, deadline: Optional[float] = None) -> Optional[Wire]:
        """As `Stream.receive`; raises TimeoutError at a deadline, of `time.monotonic`."""


class MessageTransport:
    """Each subscription is a connection of its own, and requests share one, so that none waits for another."""

    def __init__(self, address: Address, timeouts: Timeouts, network: Network) -> None:
        self._address = address
        self._timeouts = timeouts
        self._network = network
        self._requests: Optional[MessageStream] = None
        self._asking = network.lock()

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> MessageStream:
        stream = await self._greeted()
        await stream.send(encode(opening, self._address.encoding))
        return stream

    async def ask(self, kind: Kind, message: Any) -> Any:
        await self._asking.acquire()
        try:
            deadline = monotonic() + self._timeouts.request if kind.has_deadline else None
            if self._requests is None:
                self._requests = await self._greeted()
            requests = self._requests
            try:
                return await self._ask(requests, kind, message, deadline)
            except BaseException:
                # Whatever is still on its way would be taken for the next request's answer.
                self._requests = None
                requests.drop()
                raise
        finally:
            self._asking.release()

    async def close(self) -> None:
        requests, self._requests = self._requests, None
        if requests is not None:
            await requests.close()

    async def _greeted(self) -> MessageStream:
        """A connection whose first message is hello. Its answer is checked when it comes; nothing waits for it."""
        stream = await self._connect()
        await stream.send(encode(numbered("hello", hello()), self._address.encoding))
        return stream

    async def _connect(self) -> MessageStream:
        """Raises BridgeError."""
        raise NotImplementedError

    async def _ask(self, requests: MessageStream, kind: Kind, message: Any, deadline: Optional[float]) -> Any:
        encoding = self._address.encoding
        asked = numbered(kind.field, message)
        await requests.send(encode(asked, encoding))
        while True:
            try:
                received = await requests.receive(deadline)
            except TimeoutError:
                raise RequestTimeoutError(
                    f"the bridge at {self._address.target} did not answer {kind.method} within"
                    f" {self._timeouts.request:g} s"
                ) from None
            if received is None:
                raise ConnectionLostError(f"the bridge at {self._address.target} closed before it answered")
            answer = read_answer(received, encoding, kind, asked.request_id)
            if answer is not None:
                return answer
