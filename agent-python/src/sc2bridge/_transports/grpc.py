"""gRPC, by grpcio: what the blocking and the asyncio form share, then each."""

from __future__ import annotations

import asyncio
import queue
from typing import Any, Optional

import grpc

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.parsing import parse
from sc2bridge._protocol.requests import Kind
from sc2bridge._transports.address import Address
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    UNAVAILABLE,
    BridgeError,
    ConnectionLostError,
    RequestTimeoutError,
    bridge_error,
)

_SERVICE = "/sc2bridge.v1.Bridge/"


def _options(address: Address, timeouts: Timeouts) -> list[tuple[str, Any]]:
    half_silence_ms = max(1, int(timeouts.silence * 500))
    options: list[tuple[str, Any]] = [
        # Messages of any size: the default refuses over 4 MiB.
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
        # A bridge is near by.
        ("grpc.enable_http_proxy", 0),
        # Its own connection: two subscribers of one process should not share one's window.
        ("grpc.use_local_subchannel_pool", 1),
        # How long a connection may take to be made.
        ("grpc.min_reconnect_backoff_ms", int(timeouts.connect * 1000)),
        # While a call waits, a silent bridge is pinged; one that does not answer is gone.
        ("grpc.keepalive_time_ms", half_silence_ms),
        ("grpc.keepalive_timeout_ms", half_silence_ms),
        ("grpc.http2.ping_timeout_ms", half_silence_ms),  # A minute otherwise, in newer releases.
        ("grpc.http2.max_pings_without_data", 0),
    ]
    if address.is_unix:
        # Without it newer releases send the socket's path as the authority, which servers reset.
        options.append(("grpc.default_authority", "localhost"))
    return options


class _Grpc:
    """A channel, and calls' failures as the package's errors."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, make_channel: Any) -> None:
        self.target = address.target
        self.timeouts = timeouts
        self.metadata = (("sc2bridge-compression", "gzip"),) if compression else None
        self.channel = make_channel(address.target, _options(address, timeouts))

    def call(self, kind: Kind, message: Any) -> Any:
        """Begins a call that is answered once."""
        return self.channel.unary_unary(_SERVICE + kind.method)(
            message.SerializeToString(),
            metadata=self.metadata,
            timeout=self.timeouts.request if kind.has_deadline else None,
        )

    def error(self, error: Any, kind: Optional[Kind] = None) -> BridgeError:
        """Of a failed call."""
        code, details = error.code().value[0], error.details() or "the bridge gave no reason"
        if code == UNAVAILABLE:
            return ConnectionLostError(
                f"no bridge at {self.target}, or it is gone ({details}): check that it runs, and its address"
            )
        if code == DEADLINE_EXCEEDED and kind is not None:
            return RequestTimeoutError(
                f"the bridge at {self.target} did not answer {kind.method} within {self.timeouts.request:g} s"
            )
        return bridge_error(code, details)


class BlockingGrpc:
    """A transport that blocks."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts) -> None:
        self._grpc = _Grpc(address, compression, timeouts, grpc.insecure_channel)

    async def open(self, subscribe: Any, opening: Wire, is_two_way: bool) -> BlockingStream:
        return BlockingStream(self._grpc, subscribe, opening, is_two_way)

    async def ask(self, kind: Kind, message: Any) -> Any:
        try:
            return parse(kind.answer_type, self._grpc.call(kind, message))
        except grpc.RpcError as error:
            raise self._grpc.error(error, kind) from None

    async def close(self) -> None:
        self._grpc.channel.close()


class BlockingStream:
    """A Play or Subscribe call. What is sent waits in a queue, from which grpcio takes it on a thread of its own."""

    def __init__(self, owner: _Grpc, subscribe: Any, opening: Wire, is_two_way: bool) -> None:
        self._grpc = owner
        self._outgoing: queue.SimpleQueue[Optional[Wire]] = queue.SimpleQueue()
        if is_two_way:
            self._outgoing.put(opening)
            play = owner.channel.stream_stream(_SERVICE + "Play")
            self._call = play(iter(self._outgoing.get, None), metadata=owner.metadata)
        else:
            self._call = owner.channel.unary_stream(_SERVICE + "Subscribe")(
                subscribe.SerializeToString(), metadata=owner.metadata
            )

    async def send(self, message: Wire) -> None:
        self._outgoing.put(message)

    async def receive(self) -> Optional[Wire]:
        try:
            message: bytes = next(self._call)
            return message
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise self._grpc.error(error) from None

    async def finish(self) -> None:
        self._outgoing.put(None)
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._call.cancel()
        self._outgoing.put(None)  # Ends the thread that sends.


class AsyncGrpc:
    """A transport of asyncio's."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts) -> None:
        self._grpc = _Grpc(address, compression, timeouts, grpc.aio.insecure_channel)

    async def open(self, subscribe: Any, opening: Wire, is_two_way: bool) -> AsyncStream:
        return AsyncStream(self._grpc, subscribe, opening, is_two_way)

    async def ask(self, kind: Kind, message: Any) -> Any:
        try:
            return parse(kind.answer_type, await self._grpc.call(kind, message))
        except grpc.RpcError as error:
            raise self._grpc.error(error, kind) from None

    async def close(self) -> None:
        await self._grpc.channel.close()


class AsyncStream:
    """A Play or Subscribe call."""

    def __init__(self, owner: _Grpc, subscribe: Any, opening: Wire, is_two_way: bool) -> None:
        self._grpc = owner
        self._opening = opening if is_two_way else None
        self._is_two_way = is_two_way
        self._closed = False
        if is_two_way:
            self._call = owner.channel.stream_stream(_SERVICE + "Play")(metadata=owner.metadata)
        else:
            self._call = owner.channel.unary_stream(_SERVICE + "Subscribe")(
                subscribe.SerializeToString(), metadata=owner.metadata
            )

    async def _open(self) -> None:
        if self._opening is not None:
            opening, self._opening = self._opening, None
            await self._call.write(opening)

    async def send(self, message: Wire) -> None:
        try:
            await self._open()
            await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError):
            pass  # Receiving reports the cause.

    async def receive(self) -> Optional[Wire]:
        try:
            await self._open()
            message: Any = await self._call.read()
        except grpc.RpcError as error:
            raise self._grpc.error(error) from None
        except asyncio.CancelledError:
            if self._closed:  # It is the call that was cancelled, and not the task that reads.
                raise BridgeError(CANCELLED, "the subscription was closed") from None
            raise
        return None if message is grpc.aio.EOF else message

    async def finish(self) -> None:
        if self._is_two_way:
            await self._call.done_writing()
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._closed = True
        self._call.cancel()
