"""How bytes reach a bridge, blocking: over gRPC, or over a WebSocket. `aio_links` is the asyncio counterpart."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import queue
import threading
from typing import Any, Callable, Optional

from sc2bridge.address import Address
from sc2bridge.errors import BridgeError, ConnectionLost
from sc2bridge.session import Wire

SERVICE = "/sc2bridge.v1.Bridge/"

Metadata = Optional[tuple[tuple[str, str], ...]]


def grpc_metadata(compression: Optional[str]) -> Metadata:
    """By which the bridge knows that its messages are to be compressed."""
    return (("sc2bridge-compression", "gzip"),) if compression else None


def grpc_options(address: Address) -> list[tuple[str, Any]]:
    """Channel options: messages of any size (the default refuses over 4 MiB), and no web proxy on the way."""
    options: list[tuple[str, Any]] = [
        ("grpc.max_receive_message_length", -1),
        ("grpc.max_send_message_length", -1),
        ("grpc.enable_http_proxy", 0),
        # Its own connection: two subscribers of one process should not share one's window.
        ("grpc.use_local_subchannel_pool", 1),
    ]
    if address.is_unix:
        # Without it newer releases send the socket's path as the authority, which servers reset.
        options.append(("grpc.default_authority", "localhost"))
    return options


def grpc_error(error: Any, target: str) -> BridgeError:
    """A failed call as one of our errors."""
    code, details = error.code().value[0], error.details() or "the bridge gave no reason"
    if code == 14:
        return ConnectionLost(f"no bridge at {target}, or it is gone ({details}): check that it runs, and its address")
    return BridgeError(code, details)


def websocket_options(connect: Any, address: Address, compression: Optional[str]) -> dict[str, Any]:
    """Arguments for a `websockets` client, of those that its release knows."""
    options: dict[str, Any] = {
        "subprotocols": [address.subprotocol],
        "compression": compression,
        "max_size": None,
        # Frames wait at the bridge, where the subscription's policy rules, and not here.
        "max_queue": 1,
        # A close waits behind frames that nobody will read.
        "close_timeout": 1,
        # TCP tells when the bridge is gone; an agent may think for longer than a ping waits.
        "ping_interval": None,
        # A bridge is near by.
        "proxy": None,
        # A connection outside a `with`, in releases that ask to be told so.
        "legacy": True,
    }
    known = inspect.signature(connect.__init__ if inspect.isclass(connect) else connect).parameters
    return {name: value for name, value in options.items() if name in known}


def websocket_error(error: BaseException, target: str) -> BridgeError:
    """A failed or closed WebSocket as one of our errors."""
    close = getattr(error, "rcvd", None)
    if close is not None:
        reason = close.reason or "no reason given"
        if close.code >= 4000:  # A gRPC status code, moved to where the standard leaves room.
            code = close.code - 4000
            return ConnectionLost(reason) if code == 14 else BridgeError(code, reason)
        if close.code in (1000, 1001, 1006):
            return ConnectionLost(f"the bridge at {target} closed the connection: {reason}")
        return BridgeError(13 if close.code == 1011 else 9, f"the bridge at {target} closed: {reason} ({close.code})")
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status_code", None)
    if status is not None:
        return BridgeError(9, f"{target} answered HTTP {status}, not as a bridge does: check the path, which is /v1")
    return ConnectionLost(f"no bridge at {target}, or it is gone ({error}): check that it runs, and its address")


class GrpcStream:
    """A Play or Subscribe call."""

    def __init__(self, channel: Any, target: str, method: str, opening: Wire, metadata: Metadata = None) -> None:
        self._target = target
        if method == "Play":
            self._outgoing: Optional[queue.SimpleQueue[Optional[Wire]]] = queue.SimpleQueue()
            self._outgoing.put(opening)
            self._call = channel.stream_stream(SERVICE + method)(iter(self._outgoing.get, None), metadata=metadata)
        else:
            self._outgoing = None
            self._call = channel.unary_stream(SERVICE + method)(opening, metadata=metadata)

    def send(self, message: Wire) -> None:
        if self._outgoing is not None:
            self._outgoing.put(message)

    def receive(self) -> Optional[Wire]:
        """The next message; None where the bridge ended the stream well. Raises BridgeError."""
        import grpc

        try:
            message: bytes = next(self._call)
            return message
        except StopIteration:
            return None
        except grpc.RpcError as error:
            raise grpc_error(error, self._target) from None

    def finish(self) -> None:
        """Says that nothing more will be sent, and waits for the bridge's end of the stream."""
        if self._outgoing is not None:
            self._outgoing.put(None)
        while self.receive() is not None:
            pass

    def close(self) -> None:
        self._call.cancel()
        if self._outgoing is not None:
            self._outgoing.put(None)  # Ends the thread that sends.


class WebSocketStream:
    """A WebSocket, by `websockets`' protocol (since 11), else by its asyncio client, driven from here."""

    def __init__(self, address: Address, compression: Optional[str]) -> None:
        self._target = address.target
        self._socket: Any = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._driving = threading.Lock()  # Whose thread runs the loop.
        self._task: Optional[asyncio.Task[Any]] = None
        try:
            self._socket = self._open(address, compression)
        except Exception as error:
            self.close()
            if isinstance(error, (OSError, TimeoutError, asyncio.TimeoutError)) or is_websockets_error(error):
                raise websocket_error(error, self._target) from None
            raise

    def _open(self, address: Address, compression: Optional[str]) -> Any:
        try:
            direct = importlib.import_module("sc2bridge.direct")
        except ImportError:
            connect = importlib.import_module("websockets").connect
            self._loop = asyncio.new_event_loop()

            async def open_socket() -> Any:
                return await connect(self._target, **websocket_options(connect, address, compression))

            return self._loop.run_until_complete(open_socket())
        return direct.DirectSocket(self._target, address.subprotocol, compression is not None)

    def _run(self, call: Callable[..., Any], *arguments: Any) -> Any:
        if self._loop is None:
            return call(*arguments)
        with self._driving:
            if self._loop.is_closed():
                raise _closed()
            self._task = self._loop.create_task(call(*arguments))
            try:
                return self._loop.run_until_complete(self._task)
            except asyncio.CancelledError:
                raise _closed() from None

    def send(self, message: Wire) -> None:
        try:
            self._run(self._socket.send, message)
        except Exception as error:
            # A stream that the bridge ended says why when it is read.
            if not is_websockets_error(error):
                raise

    def receive(self) -> Optional[Wire]:
        """The next message. Raises BridgeError."""
        try:
            message: Wire = self._run(self._socket.recv)
            return message
        except Exception as error:
            if not is_websockets_error(error):
                raise
            close = getattr(error, "rcvd", None)
            if close is not None and close.code == 1000:
                return None
            raise websocket_error(error, self._target) from None

    def finish(self) -> None:
        """Says that nothing more will be sent, and waits for the bridge's end of the stream."""
        self.close()

    def close(self) -> None:
        """Closes; a thread that waits here is let go with a BridgeError."""
        if self._loop is None:
            if self._socket is not None:
                self._socket.close()
            return
        with contextlib.suppress(RuntimeError):  # The loop was closed before.
            self._loop.call_soon_threadsafe(self._interrupt)
        with self._driving:
            if not self._loop.is_closed():
                try:
                    if self._socket is not None:
                        self._loop.run_until_complete(self._socket.close())
                except Exception as error:  # The bridge closed at the same moment, for a reason of its own.
                    if not is_websockets_error(error):
                        raise
                finally:
                    self._loop.close()

    def _interrupt(self) -> None:
        if self._task is not None:
            self._task.cancel()


def _closed() -> BridgeError:
    return BridgeError(1, "the connection was closed here")


def is_websockets_error(error: BaseException) -> bool:
    return isinstance(error, importlib.import_module("websockets.exceptions").WebSocketException)
