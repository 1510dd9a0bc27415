"""gRPC, by grpcio: what the blocking and the asyncio form share, then each."""

from __future__ import annotations

import asyncio
import queue
from typing import Any, Optional

import grpc

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.parsing import parse
from sc2bridge._protocol.requests import STATUS, Kind
from sc2bridge._transports.address import Address
from sc2bridge._transports.pipe import AsyncNetwork, BlockingNetwork, Network
from sc2bridge._transports.security import Security
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
from sc2bridge.v1 import bridge_pb2

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

    def __init__(
        self,
        address: Address,
        compression: Optional[str],
        timeouts: Timeouts,
        security: Security,
        network: Network,
        library: Any,
    ) -> None:
        """library: `grpc`, or `grpc.aio`."""
        self.target = address.target
        self._host = address.host
        self.timeouts = timeouts
        compressed = (("sc2bridge-compression", "gzip"),) if compression else ()
        self.metadata = compressed + security.headers
        self.reached = False
        """Whether anything came from the bridge."""
        self._options = _options(address, timeouts)
        self._security = security
        self._network = network
        self._library = library
        self.made: Any = None
        """The channel, once `channel` has made it."""
        self._opening = network.lock()

    async def channel(self) -> Any:
        """Raises BridgeError."""
        await self._opening.acquire()
        try:
            if self.made is None:
                self.made = await self._open()
            return self.made
        finally:
            self._opening.release()

    async def _open(self) -> Any:
        trust = self._security.trust
        if trust is None:
            return self._library.insecure_channel(self.target, self._options)
        try:
            roots, name = await trust.known(self._network, self.timeouts.connect)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            raise self._lost(str(error) or "no answer in time") from None
        options = self._options
        if name is not None:
            # The bridge still hears by which it was found.
            options = [*options, ("grpc.ssl_target_name_override", name), ("grpc.default_authority", self._host)]
        credentials = grpc.ssl_channel_credentials(roots, trust.key, trust.chain)
        return self._library.secure_channel(self.target, credentials, options)

    async def call(self, kind: Kind, message: Any) -> Any:
        """Begins a call that is answered once."""
        return (await self.channel()).unary_unary(_SERVICE + kind.method)(
            message.SerializeToString(),
            metadata=self.metadata,
            timeout=self.timeouts.request if kind.has_deadline else None,
        )

    async def error(self, error: Any, kind: Optional[Kind] = None) -> BridgeError:
        """Of a failed call."""
        code, details = error.code().value[0], error.details() or "the bridge gave no reason"
        if code == UNAVAILABLE:
            lost = self._lost(details)
            return lost if self.reached else await self._security.reason(self._network, lost)
        if code == DEADLINE_EXCEEDED and kind is not None:
            return RequestTimeoutError(
                f"the bridge at {self.target} did not answer {kind.method} within {self.timeouts.request:g} s"
            )
        return bridge_error(code, details)

    def _lost(self, details: str) -> ConnectionLostError:
        return ConnectionLostError(
            f"no bridge at {self.target}, or it is gone ({details}): check that it runs, and its address"
        )


class BlockingGrpc:
    """A transport that blocks."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        self._grpc = _Grpc(address, compression, timeouts, security, BlockingNetwork(), grpc)

    async def open(self, subscribe: Any, opening: Wire, is_two_way: bool) -> BlockingStream:
        return BlockingStream(self._grpc, await self._grpc.channel(), subscribe, opening, is_two_way)

    async def ask(self, kind: Kind, message: Any) -> Any:
        try:
            answer = await self._grpc.call(kind, message)
        except grpc.RpcError as error:
            raise await self._grpc.error(error, kind) from None
        self._grpc.reached = True
        return parse(kind.answer_type, answer)

    async def close(self) -> None:
        if self._grpc.made is not None:
            self._grpc.made.close()


class BlockingStream:
    """A Play or Subscribe call. What is sent waits in a queue, from which grpcio takes it on a thread of its own."""

    def __init__(self, owner: _Grpc, channel: Any, subscribe: Any, opening: Wire, is_two_way: bool) -> None:
        self._grpc = owner
        self._outgoing: queue.SimpleQueue[Optional[Wire]] = queue.SimpleQueue()
        if is_two_way:
            self._outgoing.put(opening)
            play = channel.stream_stream(_SERVICE + "Play")
            self._call = play(iter(self._outgoing.get, None), metadata=owner.metadata)
        else:
            self._call = channel.unary_stream(_SERVICE + "Subscribe")(
                subscribe.SerializeToString(), metadata=owner.metadata
            )

    async def send(self, message: Wire) -> None:
        self._outgoing.put(message)

    async def receive(self) -> Optional[Wire]:
        try:
            message: bytes = next(self._call)
            self._grpc.reached = True
            return message
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise await self._grpc.error(error) from None

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

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        self._grpc = _Grpc(address, compression, timeouts, security, AsyncNetwork(), grpc.aio)

    async def open(self, subscribe: Any, opening: Wire, is_two_way: bool) -> AsyncStream:
        return AsyncStream(self._grpc, await self._grpc.channel(), subscribe, opening, is_two_way)

    async def ask(self, kind: Kind, message: Any) -> Any:
        try:
            answer = await (await self._grpc.call(kind, message))
        except grpc.RpcError as error:
            raise await self._grpc.error(error, kind) from None
        self._grpc.reached = True
        return parse(kind.answer_type, answer)

    async def close(self) -> None:
        if self._grpc.made is not None:
            await self._grpc.made.close()


class AsyncStream:
    """A Play or Subscribe call."""

    def __init__(self, owner: _Grpc, channel: Any, subscribe: Any, opening: Wire, is_two_way: bool) -> None:
        self._grpc = owner
        self._opening = opening if is_two_way else None
        self._is_two_way = is_two_way
        self._closed = False
        if is_two_way:
            self._call = channel.stream_stream(_SERVICE + "Play")(metadata=owner.metadata)
        else:
            self._call = channel.unary_stream(_SERVICE + "Subscribe")(
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
            raise await self._grpc.error(await self._refusal(error)) from None
        except asyncio.CancelledError:
            if self._closed:  # It is the call that was cancelled, and not the task that reads.
                raise BridgeError(CANCELLED, "the subscription was closed") from None
            raise
        self._grpc.reached = True
        return None if message is grpc.aio.EOF else message

    async def _refusal(self, error: Any) -> Any:
        """The status of a call that was refused while its first message was written is lost in grpcio ("Internal error from
        Core"): another call is refused with the same."""
        if self._is_two_way and not self._grpc.reached and error.code() is grpc.StatusCode.INTERNAL:
            try:
                await (await self._grpc.call(STATUS, bridge_pb2.StatusRequest()))
            except grpc.RpcError as refused:
                return refused
        return error

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
