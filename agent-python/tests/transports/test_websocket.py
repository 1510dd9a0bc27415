"""WebSocket over both kinds of pipes, against the server of `websockets` and against peers that are not WebSocket servers."""

from __future__ import annotations

import asyncio
import queue
import socket
import threading
from typing import Any, Callable

import pytest
from fake_bridge import Match, WebSocketBridge, observation
from peers import accept_websocket, tcp_peer, websocket_peer

import sc2bridge
from sc2bridge import BridgeError, ConnectionLostError, Timeouts
from sc2bridge._protocol.coroutines import run
from sc2bridge._transports.address import parse_address
from sc2bridge._transports.aio_pipe import AsyncNetwork
from sc2bridge._transports.pipe import BlockingNetwork
from sc2bridge._transports.security import Security
from sc2bridge._transports.websocket import WebSocketTransport

WAYS: list[Any] = [
    pytest.param((run, BlockingNetwork), id="blocking"),
    pytest.param((asyncio.run, AsyncNetwork), id="asyncio"),
]


def connected(way: Any, port: int, scenario: Callable[[Any], Any], compression: Any = None, scheme: str = "ws") -> Any:
    """The result of a scenario with a stream to a port."""
    runs, network = way

    async def whole() -> Any:
        address = parse_address(f"{scheme}://127.0.0.1:{port}/v1")
        transport = WebSocketTransport(address, compression, Timeouts(), Security(address, None, None), network())
        stream = await transport._connect()
        try:
            return await scenario(stream)
        finally:
            await stream.close()

    return runs(whole())


@pytest.mark.parametrize("compression", [None, "deflate"])
@pytest.mark.parametrize("way", WAYS)
def test_messages_of_any_size_and_in_pieces_come_whole_and_are_received(way: Any, compression: Any) -> None:
    sent = [b"", b"x", bytes(range(256)) * 4000, "текст", ""]
    received = []

    async def handle(connection: Any) -> None:
        for message in sent:
            await connection.send(message)
        await connection.send([b"in ", b"", b"pieces"])
        for _ in sent:
            received.append(await connection.recv())
        pong = await connection.ping()
        await asyncio.wait_for(pong, 60)

    async def scenario(stream: Any) -> None:
        assert [await stream.receive() for _ in range(6)] == [*sent, b"in pieces"]
        for message in sent:
            await stream.send(message)
        assert await stream.receive() is None  # It answers the ping while it waits for the next message.
        await stream.send(b"")  # Receiving reports the reason of a failure.
        await stream.close()

    with websocket_peer(handle) as port:
        connected(way, port, scenario, compression)
    assert received == sent


def test_a_close_by_another_thread_ends_a_wait_and_sent_data_arrives() -> None:
    received = []

    async def handle(connection: Any) -> None:
        async for message in connection:
            received.append(message)

    async def scenario(stream: Any) -> None:
        ended: list[Any] = []
        waiting = threading.Thread(target=lambda: ended.append(run(stream.receive())))
        waiting.start()
        await stream.send(b"last words")
        await stream.close()
        waiting.join(60)
        assert ended == [None]

    with websocket_peer(handle) as port:
        connected(WAYS[0].values[0], port, scenario)
    assert received == [b"last words"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            BridgeError,
            "answered HTTP 404, so it is not a bridge",
        ),
        (
            b"HTTP/1.1 400 Bad Request\r\nContent-Length: 79\r\n\r\n"
            b"Offer a sub-protocol that this bridge speaks: sc2bridge.v1.json (text) or more.",
            BridgeError,
            "a bridge from before 0.1.0, or not a bridge, and sc2bridge-python [0-9.]+ needs protocol 1: update the bri",
        ),
        (b"SSH-2.0-OpenSSH_9.2\r\n", ConnectionLostError, "no bridge answers at"),
        (b"", ConnectionLostError, "no bridge answers at"),
    ],
)
def test_an_answer_that_is_no_handshake_is_one_clear_error(way: Any, answer: bytes, error: Any, says: str) -> None:
    def handle(connection: Any) -> None:
        connection.recv(1 << 16)
        connection.sendall(answer)

    async def scenario(stream: Any) -> None:
        raise AssertionError("it is no WebSocket")

    with tcp_peer(handle) as port, pytest.raises(error, match=says):
        connected(way, port, scenario)


@pytest.mark.parametrize("way", WAYS)
def test_a_bridge_that_chooses_no_sub_protocol_is_too_old(way: Any) -> None:
    async def scenario(stream: Any) -> None:
        raise AssertionError("the sub-protocol is missing")

    with tcp_peer(lambda connection: accept_websocket(connection, chooses=False)) as port:
        with pytest.raises(BridgeError, match="a bridge from before 0.1.0") as error:
            connected(way, port, scenario)
    assert error.value.code == 9


@pytest.mark.parametrize("way", WAYS)
def test_a_ping_that_meets_the_close_is_no_error(way: Any, caplog: Any) -> None:
    behind_the_close: "queue.Queue[bytes]" = queue.Queue()

    def handle(connection: Any) -> None:
        accept_websocket(connection)
        connection.recv(1 << 16)  # The client's close.
        connection.sendall(b"\x89\x00" + b"\x88\x02\x03\xe8")  # A ping, then its own.
        connection.shutdown(socket.SHUT_WR)
        behind_the_close.put(connection.recv(1 << 16))

    async def scenario(stream: Any) -> None:
        await stream.close()
        assert await stream.receive() is None  # The peer's close was read.

    with tcp_peer(handle) as port:
        connected(way, port, scenario)
        assert behind_the_close.get(timeout=60) == b""
    assert caplog.records == []


async def echo(connection: Any) -> None:
    async for message in connection:
        await connection.send(message)


def test_the_blocking_client_works_in_a_running_event_loop() -> None:
    async def in_a_notebook(url: str) -> list[Any]:
        with sc2bridge.connect(url) as bridge:
            assert bridge.describe().map_name == "Fake"
            return [frame.observation for frame in bridge.subscribe()]

    with WebSocketBridge(Match(steps=2)) as fake:
        assert asyncio.run(in_a_notebook(fake.url)) == [observation(0), observation(1)]
