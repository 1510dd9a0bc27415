"""Small peers with their own sockets and threads: some use WebSocket, others send nothing."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import socket
import threading
from collections.abc import Iterator
from typing import Any, Callable, Optional

import websockets


@contextlib.contextmanager
def tcp_peer(handle: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a server that passes each connection to a function, on its own thread, and then closes it."""
    listener = socket.create_server(("127.0.0.1", 0))
    connections: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            handle(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connections.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        for each in (listener, *connections):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        accepting.join(60)


def say_nothing(connection: socket.socket) -> None:
    """Takes all that comes, and never answers."""
    while connection.recv(1 << 16):
        pass


def accept_websocket(connection: socket.socket, chooses: bool = True) -> None:
    """Answers a handshake (RFC 6455, section 4.2.2); what is sent from then on is up to the test."""
    request = connection.recv(1 << 16).decode()
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in request.split("\r\n"))}
    key = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    protocol = f"Sec-WebSocket-Protocol: {headers['sec-websocket-protocol']}\r\n" if chooses else ""
    connection.sendall(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {accept}\r\n{protocol}\r\n".encode()
    )


@contextlib.contextmanager
def websocket_peer(handle: Callable[[Any], Any], tls: Optional[Any] = None) -> Iterator[int]:
    """The port of a WebSocket server that gives each connection to a coroutine."""
    loop = asyncio.new_event_loop()
    started = threading.Event()
    ports: list[int] = []
    stopping: list[asyncio.Event] = []

    async def handle_any(connection: Any, path: str = "") -> None:
        with contextlib.suppress(websockets.exceptions.ConnectionClosed):
            await handle(connection)

    async def serve() -> None:
        stopping.append(asyncio.Event())
        protocols = ["sc2bridge.json.v1", "sc2bridge.proto.v1"]
        options: dict[str, Any] = {"subprotocols": protocols, "max_size": None, "ssl": tls, "close_timeout": 0.1}
        async with websockets.serve(handle_any, "127.0.0.1", 0, **options) as server:
            ports.append(next(iter(server.sockets)).getsockname()[1])
            started.set()
            await stopping[0].wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    started.wait()
    try:
        yield ports[0]
    finally:
        loop.call_soon_threadsafe(stopping[0].set)
        thread.join()
        loop.close()
