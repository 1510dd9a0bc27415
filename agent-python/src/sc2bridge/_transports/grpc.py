"""The gRPC transport, with grpcio: the base class of the blocking and the asyncio form, then both forms."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import queue
from typing import Any, Optional

import grpc

from sc2bridge._protocol.envelope import WireMessage
from sc2bridge._protocol.parsing import parse
from sc2bridge._protocol.requests import HELLO, RequestKind
from sc2bridge._protocol.versions import before_hello_error, check_bridge_version, hello_request
from sc2bridge._transports.address import Address
from sc2bridge._transports.aio_pipe import AsyncNetwork
from sc2bridge._transports.pending import PendingRead
from sc2bridge._transports.pipe import BlockingNetwork, Network
from sc2bridge._transports.security import Security
from sc2bridge._transports.transport import Timeouts
from sc2bridge.errors import (
    CANCELLED,
    DEADLINE_EXCEEDED,
    UNAVAILABLE,
    UNIMPLEMENTED,
    BridgeError,
    ConnectionLostError,
    RequestTimeoutError,
    bridge_error,
)
from sc2bridge.v1 import bridge_pb2

_SERVICE = "/sc2bridge.v1.BridgeService/"

_UNREAD_BYTES = 4 << 20
"""The most bytes of unread messages that grpcio keeps for a stream. With 4 MiB and a delay of 100 ms, 300 Mbit/s arrive."""


def _channel_options(address: Address, timeouts: Timeouts) -> list[tuple[str, Any]]:
    half_silence_ms = max(1, int(timeouts.silence * 500))
    options: list[tuple[str, Any]] = [
        # Allows messages of any size. By default the limit is 4 MiB.
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
        # No HTTP proxy: a bridge is usually on the same network.
        ("grpc.enable_http_proxy", 0),
        # Each channel has its own connection. Otherwise subscribers of one process would share a flow-control window.
        ("grpc.use_local_subchannel_pool", 1),
        # By default, grpcio doubles this limit again and again, also for a stream that the agent does not read. Such a
        # stream would take all frames into the agent's memory.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", _UNREAD_BYTES),
        # The time limit for opening a connection.
        ("grpc.min_reconnect_backoff_ms", int(timeouts.connect * 1000)),
        # If the bridge is silent during a call, grpcio pings the bridge. Without an answer, the connection is lost.
        ("grpc.keepalive_time_ms", half_silence_ms),
        ("grpc.keepalive_timeout_ms", half_silence_ms),
        ("grpc.http2.ping_timeout_ms", half_silence_ms),  # Newer releases of grpcio wait a minute by default.
        ("grpc.http2.max_pings_without_data", 0),
    ]
    if address.is_unix:
        # Otherwise newer releases of grpcio send the socket's path as the authority, and servers reset the stream.
        options.append(("grpc.default_authority", "localhost"))
    return options


class _Grpc:
    """The base class of both forms: opens the channel, sends requests, and converts grpcio's errors."""

    def __init__(
        self,
        address: Address,
        compression: Optional[str],
        timeouts: Timeouts,
        security: Security,
        network: Network,
        library: Any,
    ) -> None:
        """library: the module `grpc` or `grpc.aio`."""
        self._target = address.target
        self._host = address.host
        self._timeouts = timeouts
        self._compression_header = (("sc2bridge-compression", "gzip"),) if compression else ()
        self.has_answered = False
        """Whether the bridge has sent anything."""
        self._options = _channel_options(address, timeouts)
        self._security = security
        self._network = network
        self._library = library
        self._channel: Any = None
        self._is_version_checked = False
        self._open_lock = network.lock()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return self._compression_header + self._security.headers

    async def channel(self) -> Any:
        """Returns the channel. The first call opens the channel and checks the bridge's version. Raises BridgeError."""
        await self._open_lock.acquire()
        try:
            if self._channel is None:
                self._channel = await self._open()
            if not self._is_version_checked:
                check_bridge_version(await self._call(HELLO, hello_request()))
                self._is_version_checked = True
            return self._channel
        finally:
            self._open_lock.release()

    async def _open(self) -> Any:
        trust = self._security.trust
        if trust is None:
            return self._library.insecure_channel(self._target, self._options)
        try:
            roots, name = await trust.roots_and_name(self._network, self._timeouts.connect)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            raise self._lost_error(str(error) or "no answer in time") from None
        options = self._options
        if name is not None:
            # The name in the certificate may differ from the host. Requests still name the host.
            options = [*options, ("grpc.ssl_target_name_override", name), ("grpc.default_authority", self._host)]
        credentials = grpc.ssl_channel_credentials(roots, trust.key, trust.chain)
        return self._library.secure_channel(self._target, credentials, options)

    async def ask(self, kind: RequestKind, message: Any) -> Any:
        await self.channel()
        return await self._call(kind, message)

    async def _call(self, kind: RequestKind, message: Any) -> Any:
        try:
            answer = self._channel.unary_unary(_SERVICE + kind.method)(
                message.SerializeToString(),
                metadata=self.metadata,
                timeout=self._timeouts.request if kind.has_deadline else None,
            )
            answer = await answer if inspect.isawaitable(answer) else answer
        except grpc.RpcError as error:
            raise await self.converted_error(error, kind) from None
        self.has_answered = True
        return parse(kind.answer_type, answer)

    async def close(self) -> None:
        closing = None if self._channel is None else self._channel.close()
        if inspect.isawaitable(closing):
            await closing

    async def converted_error(self, error: Any, kind: Optional[RequestKind] = None) -> BridgeError:
        """Converts an error of grpcio. kind: the request that failed; None for a stream."""
        code, details = error.code().value[0], error.details() or "the bridge gave no reason"
        if code == UNAVAILABLE:
            lost = self._lost_error(details)
            return lost if self.has_answered else await self._security.clearer_error(self._network, lost)
        if code == UNIMPLEMENTED and kind is HELLO:
            return before_hello_error(self._target)
        if code == DEADLINE_EXCEEDED and kind is not None:
            return RequestTimeoutError(
                f"the bridge at {self._target} did not answer {kind.method} within {self._timeouts.request:g} s"
            )
        return bridge_error(code, details)

    def _lost_error(self, details: str) -> ConnectionLostError:
        return ConnectionLostError(
            f"no bridge answers at {self._target} ({details}): check that it runs, and its address"
        )


class BlockingGrpc(_Grpc):
    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        super().__init__(address, compression, timeouts, security, BlockingNetwork(), grpc)

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> BlockingStream:
        return BlockingStream(self, await self.channel(), opening, is_two_way)


class BlockingStream:
    """A call of the method Play. `send` puts messages in a queue, and a thread of grpcio sends them."""

    def __init__(self, owner: _Grpc, channel: Any, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> None:
        self._grpc = owner
        self._outgoing: queue.SimpleQueue[Optional[WireMessage]] = queue.SimpleQueue()
        later_messages = iter(self._outgoing.get, None) if is_two_way else ()
        play = channel.stream_stream(_SERVICE + "Play")
        self._call = play(itertools.chain([opening.SerializeToString()], later_messages), metadata=owner.metadata)

    async def send(self, message: WireMessage) -> None:
        self._outgoing.put(message)

    async def receive(self) -> Optional[WireMessage]:
        try:
            message: bytes = next(self._call)
            self._grpc.has_answered = True
            return message
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise await self._grpc.converted_error(error) from None

    async def finish(self) -> None:
        self._outgoing.put(None)
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._call.cancel()
        self._outgoing.put(None)  # Ends the sending thread.


class AsyncGrpc(_Grpc):
    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        super().__init__(address, compression, timeouts, security, AsyncNetwork(), grpc.aio)

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> AsyncStream:
        stream = AsyncStream(self, await self.channel())
        await stream.send_opening(opening, is_two_way)
        return stream


class AsyncStream:
    """A call of the method Play. If a task that writes or reads is cancelled, grpcio cancels the whole call. Therefore
    tasks of this class write and read, and the caller's task only waits for these tasks."""

    def __init__(self, owner: _Grpc, channel: Any) -> None:
        self._grpc = owner
        self._is_closed = False
        self._call = channel.stream_stream(_SERVICE + "Play")(metadata=owner.metadata)
        self._pending_read: PendingRead[Any] = PendingRead(self._call.read)
        # Keeps the task alive: asyncio only has a weak reference to it.
        self._write_task: Optional[asyncio.Task[None]] = None
        self._write_lock = asyncio.Lock()  # Messages are written one at a time, in order.

    async def send_opening(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> None:
        await self.send(opening.SerializeToString())
        if not is_two_way:
            await self._call.done_writing()

    async def send(self, message: WireMessage) -> None:
        self._write_task = asyncio.ensure_future(self._write(message))
        await asyncio.shield(self._write_task)

    async def _write(self, message: WireMessage) -> None:
        try:
            async with self._write_lock:
                await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError):
            pass  # `receive` raises the cause.
        except asyncio.CancelledError:
            if not self._is_closed:
                raise

    async def receive(self) -> Optional[WireMessage]:
        try:
            message = await self._pending_read.next()
        except grpc.RpcError as error:
            raise await self._grpc.converted_error(error) from None
        except asyncio.CancelledError:
            if self._is_closed:  # The call was cancelled, and not the task that reads.
                raise BridgeError(CANCELLED, "the subscription was closed") from None
            raise
        self._grpc.has_answered = True
        return None if message is grpc.aio.EOF else message

    async def finish(self) -> None:
        async with self._write_lock:
            await self._call.done_writing()
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._is_closed = True
        self._call.cancel()
