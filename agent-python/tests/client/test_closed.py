"""Using a subscription or a connection after it was closed is an error that says so."""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import pytest
from fake_bridge import GrpcBridge, Match

import sc2bridge
from sc2bridge.errors import ClosedError
from sc2bridge.s2clientprotocol import sc2api_pb2

CALLS: list[Callable[[Any], Any]] = [
    lambda bridge: bridge.hello(),
    lambda bridge: bridge.describe(),
    lambda bridge: bridge.request(sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())),
    lambda bridge: bridge.status(),
    lambda bridge: bridge.matches(),
    lambda bridge: bridge.subscribe(),
    lambda bridge: bridge.restart(1),
    lambda bridge: bridge.pause(),
    lambda bridge: bridge.seek(loop=1),
]


def is_closed(why: str) -> Any:
    return pytest.raises(ClosedError, match=f"^this subscription is closed \\({re.escape(why)}\\): subscribe again$")


def test_using_a_closed_subscription_is_an_error(open_bridge: Any) -> None:
    async def read(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep")
            assert (await frames.__anext__()).step == 0
            await frames.close()
            for _ in range(2):
                with is_closed("close() was called"):
                    await frames.__anext__()
            async with await bridge.subscribe("lockstep") as left:
                await left.__anext__()
            with is_closed("its `with` statement was left"):
                await left.__anext__()

    with open_bridge(Match(steps=3)) as url:
        with sc2bridge.connect(url) as bridge:
            frames = bridge.subscribe("lockstep")
            assert next(frames).step == 0
            frames.close()
            for _ in range(2):
                with is_closed("close() was called"):
                    next(frames)
            with bridge.subscribe("lockstep") as left:
                next(left)
            with is_closed("its `with` statement was left"):
                next(left)
        asyncio.run(read(url))


def test_commands_on_a_closed_subscription_are_refused(open_bridge: Any) -> None:
    async def command(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep", can_act=True)
            await frames.__anext__()
            await frames.close()
            with is_closed("close() was called"):
                frames.command(7, 16, (1, 2))
            with is_closed("close() was called"):
                await frames.act([])

    with open_bridge(Match(steps=3)) as url:
        with sc2bridge.connect(url) as bridge:
            with bridge.subscribe("lockstep", can_act=True) as frames:
                next(frames)
            for call in (lambda: frames.command(7, 16, (1, 2)), lambda: frames.act([])):
                with is_closed("its `with` statement was left"):
                    call()
        asyncio.run(command(url))


def test_a_bridge_that_left_with_its_match_is_named_so() -> None:
    with GrpcBridge(Match(steps=3)) as fake:
        bridge = sc2bridge.connect(fake.url)
        list(bridge.subscribe())
    for call in (bridge.describe, bridge.subscribe):
        with pytest.raises(
            sc2bridge.ConnectionLostError, match="^the match has ended .*, and its bridge at .* is gone"
        ):
            call()


def test_a_subscription_whose_match_is_over_stays_at_its_end(open_bridge: Any) -> None:
    with open_bridge(Match(steps=3)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe()
        assert len(list(frames)) == 3
        frames.close()
        assert list(frames) == [] and frames.end is not None


def test_a_failed_subscription_repeats_its_error(open_bridge: Any) -> None:
    with open_bridge(Match(break_after=1)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe()
        next(frames)
        with pytest.raises(sc2bridge.ConnectionLostError) as lost:
            next(frames)
        with is_closed(f"it failed: {lost.value}"):
            next(frames)


def test_using_an_interrupted_subscription_is_an_error(open_bridge: Any) -> None:
    async def interrupt() -> Any:
        raise KeyboardInterrupt

    match = Match(steps=3)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep")
        next(frames)
        frames._core._stream.receive = interrupt  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            next(frames)
        with is_closed("it was interrupted"):
            next(frames)
        assert match.streams_ended.acquire(timeout=60), "the bridge knows it"


def test_every_call_after_close_is_an_error(open_bridge: Any) -> None:
    closed = pytest.raises(ClosedError, match="^this connection is closed: connect again$")

    async def ask(url: str) -> None:
        bridge = await sc2bridge.aconnect(url)
        frames = await bridge.subscribe("lockstep")
        for _ in range(2):
            await bridge.close()
        for call in CALLS:
            with closed:
                await call(bridge)
        with is_closed("its connection was closed"):
            await frames.__anext__()

    match = Match(steps=3)
    with open_bridge(match) as url:
        with sc2bridge.connect(url) as bridge:
            frames = bridge.subscribe("lockstep")
        bridge.close()
        hellos = len(match.hellos)
        for call in CALLS:
            with closed:
                call(bridge)
        assert len(match.hellos) == hellos, "none connects again"
        with is_closed("its connection was closed"):
            next(frames)
        asyncio.run(ask(url))


def test_a_connection_that_is_closed_while_it_subscribes_says_so(open_bridge: Any) -> None:
    async def subscribe(url: str) -> None:
        bridge = await sc2bridge.aconnect(url)
        opened = bridge._transport.open

        async def open_and_close(*arguments: Any) -> Any:
            stream = await opened(*arguments)
            await bridge.close()
            return stream

        bridge._transport.open = open_and_close
        with pytest.raises(ClosedError, match="^this connection is closed: connect again$"):
            await bridge.subscribe("lockstep")

    with open_bridge(Match()) as url:
        asyncio.run(subscribe(url))


def test_a_call_that_still_waits_when_the_connection_is_closed_says_so(open_bridge: Any) -> None:
    asked, may_answer = threading.Event(), threading.Event()
    match = Match()
    describe = match.describe

    def describe_later(request: Any) -> Any:
        asked.set()
        may_answer.wait(60)
        return describe(request)

    match.describe = describe_later  # type: ignore[method-assign]
    with open_bridge(match) as url, ThreadPoolExecutor(1) as threads:
        bridge = sc2bridge.connect(url)
        asking = threads.submit(bridge.describe)
        assert asked.wait(60)
        bridge.close()
        may_answer.set()
        with pytest.raises(ClosedError, match="^this connection is closed: connect again$"):
            asking.result(60)
