"""How bytes reach a bridge, for asyncio: over gRPC, or over a WebSocket. See `links`."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from sc2bridge.address import Address
from sc2bridge.errors import BridgeError
from sc2bridge.links import SERVICE, Metadata, grpc_error, is_websockets_error, websocket_error, websocket_options
from sc2bridge.session import Wire


class GrpcStream:
    """A Play or Subscribe call."""

    def __init__(self, channel: Any, target: str, method: str, opening: Wire, metadata: Metadata = None) -> None:
        self._target = target
        self._opening: Optional[Wire] = None
        if method == "Play":
            self._opening = opening
            self._call = channel.stream_stream(SERVICE + method)(metadata=metadata)
        else:
            self._call = channel.unary_stream(SERVICE + method)(opening, metadata=metadata)
        self._two_ways = method == "Play"
        self._closed = False

    async def _open(self) -> None:
        if self._opening is not None:
            opening, self._opening = self._opening, None
            await self._call.write(opening)

    async def send(self, message: Wire) -> None:
        import grpc

        try:
            await self._open()
            await self._call.write(message)
        except (grpc.RpcError, asyncio.InvalidStateError):
            pass  # A stream that the bridge ended says why when it is read.

    async def receive(self) -> Optional[Wire]:
        """The next message; None where the bridge ended the stream well. Raises BridgeError."""
        import grpc

        try:
            await self._open()
            message: Any = await self._call.read()
        except grpc.RpcError as error:
            raise grpc_error(error, self._target) from None
        except asyncio.CancelledError:
            if self._closed:  # It is the call that was cancelled, and not the task that reads.
                raise BridgeError(1, "the subscription was closed") from None
            raise
        return None if message is grpc.aio.EOF else message

    async def finish(self) -> None:
        """Says that nothing more will be sent, and waits for the bridge's end of the stream."""
        if self._two_ways:
            await self._call.done_writing()
        while await self.receive() is not None:
            pass

    async def close(self) -> None:
        self._closed = True
        self._call.cancel()


class WebSocketStream:
    """A WebSocket, by `websockets`' asyncio client."""

    def __init__(self, socket: Any, target: str) -> None:
        self._socket = socket
        self._target = target

    @classmethod
    async def open(cls, address: Address, compression: Optional[str]) -> WebSocketStream:
        """Raises BridgeError."""
        import websockets

        connect: Any = websockets.connect
        try:
            socket = await connect(address.target, **websocket_options(connect, address, compression))
        except Exception as error:
            if isinstance(error, (OSError, asyncio.TimeoutError)) or is_websockets_error(error):
                raise websocket_error(error, address.target) from None
            raise
        return cls(socket, address.target)

    async def send(self, message: Wire) -> None:
        try:
            await self._socket.send(message)
        except Exception as error:
            # A stream that the bridge ended says why when it is read.
            if not is_websockets_error(error):
                raise

    async def receive(self) -> Optional[Wire]:
        """The next message; None where the bridge closed well. Raises BridgeError."""
        try:
            message: Wire = await self._socket.recv()
            return message
        except Exception as error:
            if not is_websockets_error(error):
                raise
            close = getattr(error, "rcvd", None)
            if close is not None and close.code == 1000:
                return None
            raise websocket_error(error, self._target) from None

    async def finish(self) -> None:
        await self.close()

    async def close(self) -> None:
        await self._socket.close()
