"""gRPC, by grpcio: what the blocking and the asyncio form share, then each."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import queue
from typing import Any, Optional

import grpc

from sc2bridge._protocol.envelope import Wire
from sc2bridge._protocol.parsing import parse
from sc2bridge._protocol.requests import HELLO, Kind
from sc2bridge._protocol.versions import before_hello, check_bridge, hello
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
    """A transport without its streams: a channel, and failed calls as the package's errors."""

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
        self._target = address.target
        self._host = address.host
        self._timeouts = timeouts
        self._compressed = (("sc2bridge-compression", "gzip"),) if compression else ()
        self.reached = False
        """Whether anything came from the bridge."""
        self._options = _options(address, timeouts)
        self._security = security
        self._network = network
        self._library = library
        self._made: Any = None
        self._greeted = False
        self._opening = network.lock()

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """Metadata for each call."""
        return self._compressed + self._security.headers

    async def channel(self) -> Any:
        """A channel to a bridge whose version was checked. Raises BridgeError."""
        await self._opening.acquire()
        try:
            if self._made is None:
                self._made = await self._open()
            if not self._greeted:
                check_bridge(await self._call(HELLO, hello()))
                self._greeted = True
            return self._made
        finally:
            self._opening.release()

    async def _open(self) -> Any:
        trust = self._security.trust
        if trust is None:
            return self._library.insecure_channel(self._target, self._options)
        try:
            roots, name = await trust.known(self._network, self._timeouts.connect)
        except (OSError, TimeoutError, asyncio.TimeoutError) as error:
            raise self._lost(str(error) or "no answer in time") from None
        options = self._options
        if name is not None:
            # The bridge still hears by which it was found.
            options = [*options, ("grpc.ssl_target_name_override", name), ("grpc.default_authority", self._host)]
        credentials = grpc.ssl_channel_credentials(roots, trust.key, trust.chain)
        return self._library.secure_channel(self._target, credentials, options)

    async def ask(self, kind: Kind, message: Any) -> Any:
        await self.channel()
        return await self._call(kind, message)

    async def _call(self, kind: Kind, message: Any) -> Any:
        try:
            answer = self._made.unary_unary(_SERVICE + kind.method)(
                message.SerializeToString(),
                metadata=self.metadata,
                timeout=self._timeouts.request if kind.has_deadline else None,
            )
            answer = await answer if inspect.isawaitable(answer) else answer
        except grpc.RpcError as error:
            raise await self.error(error, kind) from None
        self.reached = True
        return parse(kind.answer_type, answer)

    async def close(self) -> None:
        closing = None if self._made is None else self._made.close()
        if inspect.isawaitable(closing):
            await closing

    async def error(self, error: Any, kind: Optional[Kind] = None) -> BridgeError:
        """Of a failed call."""
        code, details = error.code().value[0], error.details() or "the bridge gave no reason"
        if code == UNAVAILABLE:
            lost = self._lost(details)
            return lost if self.reached else await self._security.reason(self._network, lost)
        if code == UNIMPLEMENTED and kind is HELLO:
            return before_hello(self._target)
        if code == DEADLINE_EXCEEDED and kind is not None:
            return RequestTimeoutError(
                f"the bridge at {self._target} did not answer {kind.method} within {self._timeouts.request:g} s"
            )
        return bridge_error(code, details)

    def _lost(self, details: str) -> ConnectionLostError:
        return ConnectionLostError(
            f"no bridge at {self._target}, or it is gone ({details}): check that it runs, and its address"
        )


class BlockingGrpc(_Grpc):
    """A transport that blocks."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        super().__init__(address, compression, timeouts, security, BlockingNetwork(), grpc)

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> BlockingStream:
        return BlockingStream(self, await self.channel(), opening, is_two_way)


class BlockingStream:
    """A Play call. Messages wait in a queue until grpcio sends them, on a thread of its own."""

    def __init__(self, owner: _Grpc, channel: Any, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> None:
        self._grpc = owner
        self._outgoing: queue.SimpleQueue[Optional[Wire]] = queue.SimpleQueue()
        later = iter(self._outgoing.get, None) if is_two_way else ()
        play = channel.stream_stream(_SERVICE + "Play")
        self._call = play(itertools.chain([opening.SerializeToString()], later), metadata=owner.metadata)

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


class AsyncGrpc(_Grpc):
    """A transport of asyncio's."""

    def __init__(self, address: Address, compression: Optional[str], timeouts: Timeouts, security: Security) -> None:
        super().__init__(address, compression, timeouts, security, AsyncNetwork(), grpc.aio)

    async def open(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> AsyncStream:
        stream = AsyncStream(self, await self.channel())
        await stream.begin(opening, is_two_way)
        return stream


class AsyncStream:
    """A Play call. grpcio cancels the call if a task is cancelled that writes or reads, so other tasks do that."""

    def __init__(self, owner: _Grpc, channel: Any) -> None:
        self._grpc = owner
        self._closed = False
        self._call = channel.stream_stream(_SERVICE + "Play")(metadata=owner.metadata)
        self._reads: PendingRead[Any] = PendingRead(self._call.read)
        self._writing: Optional[asyncio.Task[None]] = None  # Kept here, because asyncio does not keep tasks.
        self._turn = asyncio.Lock()  # Messages are written one at a time, in their order.

    async def begin(self, opening: bridge_pb2.PlayRequest, is_two_way: bool) -> None:
        """Sends the message that subscribes."""
        await self.send(opening.SerializeToString())
        if not is_two_way:
            await self._call.done_writing()

    async def send(self, message: Wire) -> None:
        self._writing = asyncio.ensure_future(self._write(message))
        await asyncio.shield(self._writing)

    async def _write(self, message: Wire) -> None:
        try:
            async with self._turn:
                await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError):
            pass  # Receiving reports the cause.
        except asyncio.CancelledError:
            if not self._closed:
                raise

    async def receive(self) -> Optional[Wire]:
        try:
            message = await self._reads.next()
        except grpc.RpcError as error:
            raise await self._grpc.error(error) from None
        except asyncio.CancelledError:
            if self._closed:  # It is the call that was cancelled, and not the task that reads.
                raise BridgeError(CANCELLED, "the subscription was closed") from None
            raise
        self._grpc.reached = True
        return None if message is grpc.aio.EOF else message

    async def finish(self) -> None:
        async with self._turn:
            await self._call.done_writing()
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self.drop()

    def drop(self) -> None:
        self._closed = True
        self._call.cancel()
