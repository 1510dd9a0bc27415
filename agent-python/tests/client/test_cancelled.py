"""Tasks that are cancelled while they wait for a frame: the next caller gets the frame."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from fake_bridge import Match

import sc2bridge
from sc2bridge._protocol.clock import clock_id
from sc2bridge._transports.pending import PendingRead


async def hear_impatiently(url: str) -> list[int]:
    """The steps of a match, by tasks that are cancelled after each number of the event loop's turns."""
    async with await sc2bridge.aconnect(url) as bridge:
        frames = await bridge.subscribe("lockstep", can_act=True)
        heard: list[int] = []
        turns = 0
        while True:
            waiting = asyncio.ensure_future(frames.next())
            for _ in range(turns):
                await asyncio.sleep(0)
            waiting.cancel()
            try:
                frame = await waiting
            except asyncio.CancelledError:
                turns += 1 + turns // 8
                continue
            if frame is None:
                return heard
            heard.append(frame.step)
            frames.debug.text_screen(f"step {frame.step}")
            turns = 0


def test_a_task_that_is_cancelled_loses_neither_a_frame_nor_an_acknowledgement_nor_a_drawing(open_bridge: Any) -> None:
    match = Match(steps=6, clock_id=clock_id())
    with open_bridge(match) as url:
        assert asyncio.run(asyncio.wait_for(hear_impatiently(url), 120)) == list(range(6))
        assert match.streams_ended.acquire(timeout=60)
    assert match.acknowledged[:6] == list(range(6))
    drawn = [each.request.debug.debug[0].draw.text for each in match.requests]
    # A call that was cancelled may have reached the bridge, and is made again.
    assert list(dict.fromkeys(text[0].text if text else "" for text in drawn)) == [f"step {step}" for step in range(6)]


def test_a_task_that_is_cancelled_while_it_waits_leaves_the_frame_for_the_next(open_bridge: Any) -> None:
    async def hear(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep")
            assert (await frames.__anext__()).step == 0
            receive, may_receive = frames._stream.receive, asyncio.Event()

            async def receive_later() -> Any:
                await may_receive.wait()
                return await receive()

            frames._stream.receive = receive_later  # type: ignore[method-assign]
            for _ in range(2):
                waiting = asyncio.ensure_future(frames.__anext__())
                await asyncio.sleep(0)
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            may_receive.set()
            assert [frame.step async for frame in frames] == [1, 2]

    with open_bridge(Match(steps=3)) as url:
        asyncio.run(asyncio.wait_for(hear(url), 120))


def test_a_subscription_that_is_dropped_after_a_cancelled_wait_ends_at_the_bridge(open_bridge: Any) -> None:
    match = Match(steps=3)

    async def leave(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep")
            await frames.__anext__()
            waiting = asyncio.ensure_future(frames.__anext__())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            del frames, waiting
            gc.collect()
            assert await asyncio.get_running_loop().run_in_executor(None, match.streams_ended.acquire, True, 60)

    with open_bridge(match) as url:
        asyncio.run(leave(url))


@pytest.mark.parametrize("reads_again", [True, False])
def test_an_error_after_a_cancelled_wait_is_the_next_callers_and_is_not_logged(
    reads_again: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def read() -> None:
        await asyncio.sleep(0)
        raise sc2bridge.ConnectionLostError("gone")

    async def wait() -> None:
        reads: PendingRead[None] = PendingRead(read)
        waiting = asyncio.ensure_future(reads.next())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert reads._task is not None
        await asyncio.wait([reads._task])
        if reads_again:
            with pytest.raises(sc2bridge.ConnectionLostError, match="gone"):
                await reads.next()

    asyncio.run(wait())
    gc.collect()
    assert not caplog.records
