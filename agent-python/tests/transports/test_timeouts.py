"""Peers that send nothing, too little or too late: each wait has a timeout, and a matching error."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, Callable

import pytest
from fake_bridge import GrpcBridge, Match
from peers import accept_websocket, say_nothing, tcp_peer, websocket_peer

import sc2bridge
from sc2bridge import ConnectionLostError, RequestTimeoutError, Timeouts
from sc2bridge.s2clientprotocol import sc2api_pb2

# Each waits for a timeout of its own.
pytestmark = pytest.mark.slow

PING = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())
SHORT = Timeouts(connect=0.5, request=0.5, silence=0.5, close=0.5)
FAR_BELOW_DEFAULTS = 8.0
"""Seconds: much longer than what these tests wait for, and shorter than every default."""


@contextlib.contextmanager
def soon() -> Iterator[None]:
    start = time.monotonic()
    yield
    assert time.monotonic() - start < FAR_BELOW_DEFAULTS


def blocking(url: str, act: Callable[[Any], Any], timeouts: Timeouts = SHORT) -> Any:
    with sc2bridge.connect(url, timeouts=timeouts) as bridge:
        result = act(bridge)
        return next(result) if hasattr(result, "__next__") else result


def by_asyncio(url: str, act: Callable[[Any], Any], timeouts: Timeouts = SHORT) -> Any:
    async def main() -> Any:
        async with await sc2bridge.aconnect(url, timeouts=timeouts) as bridge:
            result = await act(bridge)
            return await result.__anext__() if hasattr(result, "__anext__") else result

    return asyncio.run(main())


WAYS = pytest.mark.parametrize("way", [blocking, by_asyncio])
ACTS = pytest.mark.parametrize(
    "act",
    [lambda bridge: bridge.describe(), lambda bridge: bridge.request(PING), lambda bridge: bridge.subscribe("every")],
    ids=["describe", "request", "subscribe"],
)


@ACTS
@WAYS
@pytest.mark.parametrize("scheme", ["grpc", "ws", "wss"])
def test_a_peer_that_never_answers_a_connection_is_no_bridge(scheme: str, way: Any, act: Any) -> None:
    with tcp_peer(say_nothing) as port, soon(), pytest.raises((ConnectionLostError, RequestTimeoutError)):
        way(f"{scheme}://127.0.0.1:{port}{'' if scheme == 'grpc' else '/v1'}", act)


async def never_answer(connection: Any) -> None:
    """The peer is alive, because it answers pings."""
    async for _ in connection:
        pass


@WAYS
def test_a_request_that_a_living_bridge_does_not_answer_times_out(way: Any) -> None:
    ended = threading.Event()
    match = Match(answers=lambda request: ended.wait(60) and sc2api_pb2.Response())
    try:
        with websocket_peer(never_answer) as port, GrpcBridge(match) as fake:
            for url in (f"ws://127.0.0.1:{port}/v1", fake.url):
                with soon(), pytest.raises(RequestTimeoutError, match="did not answer CallGame within 0.5 s"):
                    way(url, lambda bridge: bridge.request(PING))
            ended.set()
    finally:
        ended.set()


@WAYS
def test_waiting_for_a_match_ends_only_with_the_bridge(way: Any) -> None:
    release = threading.Event()

    async def answer_late(connection: Any) -> None:
        await connection.recv()  # Hello, which has no answer here.
        asked = json.loads(await connection.recv())
        await asyncio.get_running_loop().run_in_executor(None, release.wait, 60)
        answer = {"requestId": asked["requestId"], "describe": {"match": {"mapName": "Late"}}}
        await connection.send(json.dumps(answer))
        await connection.wait_closed()

    with websocket_peer(answer_late) as port:
        threading.Timer(1.5, release.set).start()  # Three times what silence is allowed.
        assert way(f"ws://127.0.0.1:{port}/v1", lambda bridge: bridge.describe()).map_name == "Late"


@WAYS
@pytest.mark.parametrize("open_bridge", ["grpc", "json"], indirect=True)
def test_a_bridge_that_falls_silent_is_gone(way: Any, open_bridge: Any) -> None:
    """After one frame no data arrives any more, not even the answer to a ping."""
    frozen = threading.Event()

    def forward(connection: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", int(port))) as bridge:
            pumps = [threading.Thread(target=pump, args=pair) for pair in ((connection, bridge), (bridge, connection))]
            for each in pumps:
                each.start()
            for each in pumps:
                each.join()

    def pump(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                if not frozen.is_set():
                    target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def freeze(bridge: Any) -> Any:
        frames = bridge.subscribe("lockstep", report_times=False)
        next(frames)
        frozen.set()
        return frames

    async def freeze_async(bridge: Any) -> Any:
        frames = await bridge.subscribe("lockstep", report_times=False)
        await frames.__anext__()
        frozen.set()
        return frames

    with open_bridge(Match(steps=2)) as url:
        port = url.rpartition(":")[2].partition("/")[0]
        with tcp_peer(forward) as proxy, soon(), pytest.raises(ConnectionLostError) as lost:
            way(url.replace(port, str(proxy)), freeze if way is blocking else freeze_async)
    assert (
        "silent for 0.5 s, and did not answer a ping" in lost.value.message or "no bridge answers" in lost.value.message
    )


def test_an_agent_that_thinks_for_long_loses_nothing(open_bridge: Any) -> None:
    with open_bridge(Match(steps=3)) as url, sc2bridge.connect(url, timeouts=SHORT) as bridge:
        for frame in bridge.subscribe("lockstep"):
            if frame.step == 1:
                threading.Event().wait(1.5)  # Three times what silence is allowed.
        assert frame.step == 2


@WAYS
def test_a_peer_that_continues_to_send_does_not_delay_a_close(way: Any) -> None:
    def trickle(connection: Any) -> None:
        """A WebSocket server that ignores a close."""
        accept_websocket(connection)
        text = b'{"frame": {"matchId": "m", "step": "1", "observation": {}}}'
        for each in itertools.chain([b'{"subscribe": {"sessionId": "s"}}'], itertools.repeat(text)):
            connection.sendall(bytes([0x81, len(each)]) + each)
            stopped.wait(0.05)

    stopped = threading.Event()
    with tcp_peer(trickle) as port:
        try:
            with soon():
                assert way(f"ws://127.0.0.1:{port}/v1", lambda bridge: bridge.subscribe(report_times=False)).step == 1
        finally:
            stopped.set()


@pytest.mark.parametrize("wrong", [{"connect": 0}, {"silence": -1}, {"request": float("inf")}, {"close": float("nan")}])
def test_an_invalid_timeout_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} .*: choose seconds above 0"):
        Timeouts(**wrong)
