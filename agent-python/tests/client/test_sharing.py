"""A connection that several threads and tasks share: concurrent requests, closing, interruption, loss of the bridge."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from fake_bridge import GrpcBridge, Match

import sc2bridge
from sc2bridge._transports import streams
from sc2bridge.errors import ClosedError
from sc2bridge.s2clientprotocol import sc2api_pb2

PING = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())


def test_threads_share_a_connection(open_bridge: Any) -> None:
    match = Match()
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge, ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: bridge.request(PING).ping.game_version, range(200)))
        assert bridge.describe().map_name == "Fake"
    assert answers == ["5.0"] * 200
    assert len(match.requests) == 200


def test_a_thread_can_close_a_subscription_that_another_waits_for(open_bridge: Any) -> None:
    # In lockstep the fake bridge waits for an answer, so that the second frame never comes before it.
    with open_bridge(Match(steps=2)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("lockstep", report_times=False)
        assert next(frames).step == 0
        frames._core._session.finish_frame = lambda: []  # type: ignore[method-assign]  # This agent does not answer.
        waiting = threading.Event()
        receive = frames._core._stream.receive

        async def receive_and_tell() -> Any:
            waiting.set()
            return await receive()

        frames._core._stream.receive = receive_and_tell  # type: ignore[method-assign]
        with ThreadPoolExecutor(1) as threads:
            heard = threads.submit(list, frames)
            assert waiting.wait(60)
            frames.close()
            with pytest.raises(
                ClosedError, match=r"this subscription is closed \(close\(\) was called\): subscribe again"
            ):
                heard.result(60)
        assert frames.end is None


def test_a_task_can_close_a_subscription_that_another_waits_for(open_bridge: Any) -> None:
    async def hear(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep", report_times=False)
            assert (await frames.__anext__()).step == 0
            frames._session.finish_frame = lambda: []  # type: ignore[method-assign]

            async def rest() -> list[int]:
                return [frame.step async for frame in frames]

            waiting = asyncio.ensure_future(rest())
            for _ in range(5):
                await asyncio.sleep(0)
            await frames.close()
            with pytest.raises(ClosedError, match=r"close\(\) was called"):
                await asyncio.wait_for(waiting, 60)

    with open_bridge(Match(steps=2)) as url:
        asyncio.run(hear(url))


# On gRPC each question is a call of its own.
@pytest.mark.parametrize("open_bridge", ["json", "proto", "shm"], indirect=True)
def test_an_interrupted_question_leaves_no_answer_for_the_next(open_bridge: Any, monkeypatch: Any) -> None:
    with open_bridge(Match()) as url, sc2bridge.connect(url) as bridge:
        read = streams.read_answer

        def interrupt(*_: Any) -> Any:
            monkeypatch.setattr(streams, "read_answer", read)
            raise KeyboardInterrupt

        monkeypatch.setattr(streams, "read_answer", interrupt)
        with pytest.raises(KeyboardInterrupt):
            bridge.request(PING)
        answer = bridge._core._transport._request_stream
        assert answer is None, "the answer that is still on its way has no reader"
        assert bridge.describe().map_name == "Fake"


def test_a_bridge_that_goes_after_the_matchs_end_takes_nothing_away(open_bridge: Any) -> None:
    with open_bridge(Match(steps=2)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe()
        finish = frames._core._stream.finish

        async def gone() -> None:
            await finish()
            raise sc2bridge.ConnectionLostError("the bridge stops")

        frames._core._stream.finish = gone  # type: ignore[method-assign]
        assert [frame.step for frame in frames] == [0, 1]
        assert frames.end is not None


@pytest.mark.parametrize("compression", [None, "deflate"])
@pytest.mark.parametrize("asks_by", ["thread", "task"])
def test_over_grpc_compression_is_asked_for(compression: Any, asks_by: str) -> None:
    asked = []

    class Noting(GrpcBridge):
        def _describe(self, request: Any, context: Any) -> Any:
            asked.append(dict(context.invocation_metadata()).get("sc2bridge-compression"))
            return super()._describe(request, context)

        def _play(self, messages: Any, context: Any) -> Any:
            asked.append(dict(context.invocation_metadata()).get("sc2bridge-compression"))
            context.set_compression(grpc.Compression.Gzip)
            yield from super()._play(messages, context)

    async def hear(url: str) -> None:
        async with await sc2bridge.aconnect(url, compression=compression) as bridge:
            await bridge.describe()
            assert len([frame async for frame in await bridge.subscribe("lockstep", report_times=False)]) == 2
            assert len([frame async for frame in await bridge.subscribe("every", report_times=False)]) == 2

    with Noting(Match(steps=2)) as fake:
        if asks_by == "task":
            asyncio.run(hear(fake.url))
        else:
            with sc2bridge.connect(fake.url, compression=compression) as bridge:
                bridge.describe()
                assert len(list(bridge.subscribe("lockstep", report_times=False))) == 2
                assert len(list(bridge.subscribe("every", report_times=False))) == 2
    assert asked == ["gzip" if compression else None] * 3
