"""Connections, blocking and asyncio, over every transport and encoding against a fake bridge."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fake_bridge import GrpcBridge, Match, observation

import sc2bridge
from sc2bridge._protocol.clock import clock_id
from sc2bridge._protocol.requests import numbered_request
from sc2bridge._transports.address import parse_address
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


def test_every_frame_arrives_and_reads_as_it_was_sent(open_bridge: Any) -> None:
    match = Match(steps=6)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        subscription = bridge.subscribe("every", overflow="pause", exclude=["score"], agent="a", queue_bytes=9)
        frames = list(subscription)
    assert [(f.step, f.game_loop, f.match_id, f.requested_ns, f.observed_ns) for f in frames] == [
        (step, step, "m1", 100 + step, 200 + step) for step in range(6)
    ]
    for step, frame in enumerate(frames):
        assert frame.observation == observation(step)
        assert frame.json["observation"]["rawData"]["units"][0]["tag"] == str(2**40)
        assert frame.decode_ns is not None
        if frame.encoding == "proto":
            assert sc2api_pb2.ResponseObservation.FromString(bytes(frame.raw)) == observation(step)
    assert subscription.end is not None and subscription.end.reason == str(subscription.end) == "step limit"
    assert subscription.name == "a 1"
    asked = match.subscriptions[0]
    assert (asked.policy, asked.overflow, asked.agent, asked.queue_bytes, list(asked.exclude)) == (3, 1, "a", 9, [2])
    assert not asked.HasField("perspective")


def test_the_status_is_asked_and_answered(open_bridge: Any) -> None:
    async def ask(url: str) -> Any:
        async with await sc2bridge.aconnect(url) as bridge:
            return await bridge.status()

    with open_bridge(Match()) as url:
        with sc2bridge.connect(url) as bridge:
            answers = [bridge.status(), bridge.status(), asyncio.run(ask(url))]
    for answer in answers:
        (told,) = answer.subscribers
        assert (answer.steps, told.name, told.bytes, told.HasField("delay_ns")) == (2**40, "a", 7, True)
        assert not told.HasField("last_step")


@pytest.mark.parametrize("compression", ["none", "zstd", "group-zstd"])
def test_compressed_frames_read_as_they_were_before(open_bridge: Any, compression: str) -> None:
    match = Match(steps=10)
    with open_bridge(match) as url, sc2bridge.connect(url, compression=compression) as bridge:
        # Some are never looked at, and the last one first.
        frames = list(bridge.subscribe("every"))
        for frame in [frames[9], *frames[1:6], frames[9]]:
            assert frame.observation == observation(frame.step)
            assert frame.json["observation"]["rawData"]["units"][0]["tag"] == str(2**40)
            assert frame.decode_ns is not None
            if frame.encoding == "proto":
                assert bytes(frame.raw) == observation(frame.step).SerializeToString()
    asked = match.subscriptions[0].compression
    assert asked == {"none": 1, "zstd": 2, "group-zstd": 3}[compression] or (asked, compression) == (0, "none")


def test_asyncio_reads_compressed_frames(open_bridge: Any) -> None:
    async def hear(url: str) -> list[Any]:
        async with await sc2bridge.aconnect(url, compression="group-zstd") as bridge:
            return [frame async for frame in await bridge.subscribe("lockstep")]

    with open_bridge(Match(steps=10)) as url:
        frames = asyncio.run(hear(url))
    assert [frame.observation for frame in frames] == [observation(step) for step in range(10)]


def test_an_unknown_compression_is_an_error_that_lists_the_known_ones() -> None:
    for connect in (sc2bridge.connect, lambda *a, **k: asyncio.run(sc2bridge.aconnect(*a, **k))):
        with pytest.raises(ValueError, match="choose none, deflate, zstd or group-zstd"):
            connect("grpc://127.0.0.1:1", compression="zip")


def test_lockstep_acknowledges_each_step_after_the_loops_body(open_bridge: Any) -> None:
    match = Match(steps=4, clock_id=clock_id())
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        for frame in bridge.subscribe("lockstep"):
            assert frame.step not in match.acknowledged
        assert match.streams_ended.acquire(timeout=60)
    assert sorted(set(match.acknowledged)) == [0, 1, 2, 3]


def test_times_come_back_on_the_bridges_clock(open_bridge: Any) -> None:
    match = Match(steps=70, clock_id=clock_id())
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        received = {}
        for frame in bridge.subscribe("every"):
            received[frame.step] = frame.received_ns
            _ = frame.observation
        assert match.streams_ended.acquire(timeout=60)
    source = bridge_pb2.CLOCK_SOURCE_SHARED if clock_id() else bridge_pb2.CLOCK_SOURCE_ESTIMATED
    assert [times.step for times in match.times] == list(range(70))
    for times in match.times:
        assert times.decode_ns > 0 and times.HasField("think_ns")
        assert times.clock == source
        if clock_id():
            assert times.received_ns == received[times.step]


def test_another_machines_clock_is_estimated(open_bridge: Any) -> None:
    match = Match(steps=200, clock_id="another machine")
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        for _ in bridge.subscribe("lockstep"):
            pass
        assert match.streams_ended.acquire(timeout=60)
    estimated = [times for times in match.times if times.clock == bridge_pb2.CLOCK_SOURCE_ESTIMATED]
    assert estimated
    for times in match.times:
        assert times.HasField("received_ns") == (times.clock == bridge_pb2.CLOCK_SOURCE_ESTIMATED)
    # The fake bridge's clock stands still at 10^15.
    assert all(abs(times.received_ns - 10**15) < 60 * 10**9 for times in estimated)


def test_describe_and_request_are_answered(open_bridge: Any) -> None:
    match = Match()
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        described = bridge.describe()
        assert isinstance(described, sc2bridge.Match) and described.map_name == "Fake"
        for _ in range(2):
            request = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())
            assert bridge.request(request, perspective=2).ping.game_version == "5.0"
        bridge.request(request, perspective=0)
        bridge.request(request)
    assert [asked.perspective for asked in match.requests] == [2, 2, 0, 0]
    assert [asked.HasField("perspective") for asked in match.requests] == [True, True, True, False]


def test_requests_belong_to_the_newest_open_subscription_or_to_the_one_that_asks(open_bridge: Any) -> None:
    match = Match(steps=2)
    request = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())

    async def ask(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            _kept = await bridge.subscribe("lockstep", agent="d")
            await bridge.request(request)

    with open_bridge(match) as url:
        with sc2bridge.connect(url) as bridge:
            bridge.request(request)
            first = bridge.subscribe("lockstep", agent="a")
            second = bridge.subscribe("lockstep", agent="b")
            assert (first.name, second.name) == ("a 1", "b 2")
            bridge.request(request)
            first.request(request)
            bridge.pause()
            second.close()
            second.request(request)
            bridge.request(request)
            list(first)
            bridge.request(request)
            bridge.pause()
        asyncio.run(ask(url))
    names = [int(asked.session_id or "0", 16) for asked in match.requests]
    assert names == [0, 2, 1, 0, 1, 0, 3]
    assert [int(asked.session_id or "0", 16) for asked in match.controls] == [2, 0]


def test_a_subscription_whose_end_was_not_read_does_not_keep_its_connection_from_asking(open_bridge: Any) -> None:
    match = Match(steps=2, sessions_ended=True)
    ping = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        ended = bridge.subscribe("lockstep", agent="a")
        assert bridge.request(ping).ping.game_version == "5.0"
        bridge.pause()
        with pytest.raises(sc2bridge.BridgeError, match="this session has ended"):
            ended.request(ping)
    assert [int(asked.session_id or "0", 16) for asked in (*match.requests, *match.controls)] == [1, 0, 1, 0]


def test_each_connection_sends_hello_once_and_first(open_bridge: Any) -> None:
    match = Match(steps=1)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        answer = bridge.hello()
        assert (answer.bridge_version, answer.protocol_version, list(answer.capabilities)) == ("0.1.0", 1, ["zstd"])
        before = len(match.hellos)
        bridge.describe()
        list(bridge.subscribe(report_times=False))
    assert before == 2, "one for the connection, one from the caller"
    assert len(match.hellos) - before == (0 if url.startswith("grpc") else 1)
    for hello in match.hellos:
        assert (hello.protocol_version, hello.client) == (1, f"sc2bridge-python {sc2bridge.__version__}")


TOO_OLD = (
    rf"bridge 0.1.0 speaks protocol 0, and sc2bridge-python {sc2bridge.__version__} needs protocol 1: update the b"
)


def test_a_bridge_that_is_too_old_is_one_clear_error(open_bridge: Any) -> None:
    async def ask(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            with pytest.raises(sc2bridge.BridgeError, match=TOO_OLD):
                await bridge.describe()
            with pytest.raises(sc2bridge.BridgeError, match=TOO_OLD):
                await bridge.subscribe()

    with open_bridge(Match(protocol=0)) as url:
        with sc2bridge.connect(url) as bridge:
            with pytest.raises(sc2bridge.BridgeError, match=TOO_OLD):
                bridge.describe()
            with pytest.raises(sc2bridge.BridgeError, match=TOO_OLD):
                bridge.subscribe()
        asyncio.run(ask(url))


def test_a_bridge_of_before_hello_is_one_clear_error_over_grpc() -> None:
    class Before(GrpcBridge):
        service = "sc2bridge.v1.Bridge"

    async def ask(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            await bridge.status()

    with Before(Match()) as fake, sc2bridge.connect(fake.url) as bridge:
        for act in (bridge.status, bridge.subscribe, lambda: asyncio.run(ask(fake.url))):
            with pytest.raises(sc2bridge.BridgeError, match="is a bridge from before 0.1.0, or not a bridge, and sc2b"):
                act()


def test_a_refused_hello_is_one_clear_error(open_bridge: Any) -> None:
    refusal = 9, "client sc2bridge-python 0.0.9 speaks protocol 0, and bridge 0.1.0 serves protocol 1 to 1"
    with open_bridge(Match(refuses_hello=refusal)) as url, sc2bridge.connect(url) as bridge:
        for act in (bridge.describe, bridge.subscribe):
            with pytest.raises(sc2bridge.BridgeError, match="speaks protocol 0, and bridge 0.1.0 serves") as refused:
                act()
            assert refused.value.code == 9


def test_a_refusal_is_one_error_with_its_code(open_bridge: Any) -> None:
    match = Match(refusal=(9, "pause cannot hold a match in real time: choose end"))
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        with pytest.raises(sc2bridge.BridgeError) as caught:
            next(bridge.subscribe("every"))
    assert str(caught.value) == "pause cannot hold a match in real time: choose end (FAILED_PRECONDITION)"


def test_a_broken_connection_differs_from_a_refusal(open_bridge: Any) -> None:
    with open_bridge(Match(break_after=2)) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe("every")
        assert [next(frames).step, next(frames).step] == [0, 1]
        with pytest.raises(sc2bridge.ConnectionLostError):
            next(frames)


def test_closing_a_subscription_ends_it_at_the_bridge(open_bridge: Any) -> None:
    match = Match(steps=3)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        with bridge.subscribe("lockstep") as frames:
            next(frames)
        assert match.streams_ended.acquire(timeout=60)


def test_leaving_the_loop_ends_a_subscription_at_the_bridge(open_bridge: Any) -> None:
    match = Match(steps=3)

    async def leave(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            async for _ in await bridge.subscribe("lockstep"):
                break
            assert await asyncio.get_running_loop().run_in_executor(None, match.streams_ended.acquire, True, 60)

    with open_bridge(match) as url:
        with sc2bridge.connect(url) as bridge:
            for _ in bridge.subscribe("lockstep"):
                break
            assert match.streams_ended.acquire(timeout=60)
        asyncio.run(leave(url))


def test_asyncio_receives_the_same_frames_and_answers(open_bridge: Any) -> None:
    match = Match(steps=40, clock_id=clock_id())

    async def hear(url: str) -> list[int]:
        async with await sc2bridge.aconnect(url) as bridge:
            assert (await bridge.describe()).map_name == "Fake"
            steps = []
            async with await bridge.subscribe("lockstep") as frames:
                async for frame in frames:
                    assert frame.observation == observation(frame.step)
                    assert frame.step not in match.acknowledged
                    steps.append(frame.step)
                    if frame.step == 3:
                        request = sc2api_pb2.Request(ping=sc2api_pb2.RequestPing())
                        assert (await bridge.request(request)).ping.game_version == "5.0"
                assert frames.end is not None
            return steps

    with open_bridge(match) as url:
        assert asyncio.run(hear(url)) == list(range(40))
        assert match.streams_ended.acquire(timeout=60)
    assert sorted({times.step for times in match.times}) == list(range(40))


def test_a_refusal_by_asyncio_is_an_error(open_bridge: Any) -> None:
    async def hear(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            with pytest.raises(sc2bridge.BridgeError, match="no such perspective"):
                async for _ in await bridge.subscribe("every", perspective=7):
                    pass

    with open_bridge(Match(refusal=(3, "no such perspective: 7"))) as url:
        asyncio.run(hear(url))


def test_subscribing_without_times_needs_no_way_back(open_bridge: Any) -> None:
    match = Match(steps=3)
    with open_bridge(match) as url, sc2bridge.connect(url) as bridge:
        assert [frame.step for frame in bridge.subscribe(report_times=False)] == [0, 1, 2]
    assert match.times == [] and match.acknowledged == []


@pytest.mark.parametrize("url", ["grpc://127.0.0.1:1", "ws://127.0.0.1:1/v1", "grpc+unix:/nowhere/at/all"])
def test_a_missing_bridge_is_one_clear_error(url: str) -> None:
    with sc2bridge.connect(url) as bridge, pytest.raises(sc2bridge.ConnectionLostError, match="check that it runs"):
        bridge.describe()


def test_a_wrong_choice_names_the_right_ones() -> None:
    with sc2bridge.connect("grpc://127.0.0.1:1") as bridge:
        with pytest.raises(ValueError, match="choose lockstep, latest, every"):
            bridge.subscribe("sometimes")
        with pytest.raises(ValueError, match="map_state"):
            bridge.subscribe(exclude=["units"])


def scene(**more: Any) -> Match:
    """A match as player 2 sees it: others are described with another's game_info."""
    hall = observation(0, 0)
    hall.observation.raw_data.units.add(tag=1, alliance=1, ideal_harvesters=16, pos={"x": 20.5, "y": 30.5, "z": 1})
    return Match(observations=[hall, observation(1)], perspective=2, perspectives=(1, 2), **more)


def test_a_connection_describes_a_match_as_a_perspective_sees_it(open_bridge: Any) -> None:
    async def describe(url: str) -> list[sc2bridge.Match]:
        async with await sc2bridge.aconnect(url) as bridge:
            return [await bridge.describe(), await bridge.describe(perspective=2)]

    with open_bridge(scene()) as url, sc2bridge.connect(url) as bridge:
        found = [bridge.describe(), bridge.describe(perspective=2)]
        assert (
            found == asyncio.run(describe(url)) == [sc2bridge.Match(scene().description(each), each) for each in (1, 2)]
        )


def check_scene(before: Any, after: Any) -> None:
    assert before is after, "an object that was returned before the update is updated too"
    assert (after.player_id, after.start_location, after.result) == (2, (20.5, 30.5), "victory")
    assert after.game_info.map_name == "as player 2 knows it"


@pytest.mark.parametrize("can_act", [False, True])
def test_a_match_described_before_its_first_frame_is_right_with_it(open_bridge: Any, can_act: bool) -> None:
    async def watch(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe(can_act=can_act)
            before = await frames.describe()
            assert before.start_location is None
            assert [frame.step async for frame in frames] == [0, 1]
            check_scene(before, await frames.describe())

    with open_bridge(scene()) as url, sc2bridge.connect(url) as bridge:
        frames = bridge.subscribe(can_act=can_act)
        before = frames.describe()
        assert before.start_location is None and before.result is None
        assert [frame.step for frame in frames] == [0, 1]
        check_scene(before, frames.describe())
    with open_bridge(scene()) as url:
        asyncio.run(watch(url))


def test_a_bridge_that_is_unavailable_is_one_error_over_every_transport(open_bridge: Any) -> None:
    async def control(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            await bridge.playback()

    with open_bridge(Match(refusal=(14, "the bridge stops"))) as url, sc2bridge.connect(url) as bridge:
        with pytest.raises(sc2bridge.ConnectionLostError, match="the bridge stops"):
            bridge.playback()
        with pytest.raises(sc2bridge.ConnectionLostError, match="the bridge stops"):
            asyncio.run(control(url))


def test_a_refused_drawing_is_reported_once_and_not_sent_again(open_bridge: Any, caplog: Any) -> None:
    async def draw(url: str) -> None:
        async with await sc2bridge.aconnect(url) as bridge:
            frames = await bridge.subscribe("lockstep")
            async for frame in frames:
                frames.debug.text_screen(f"step {frame.step}")

    for way in ("blocking", "asyncio"):
        caplog.clear()
        match = Match(steps=50, refuses_requests=(9, "a recording has no screen"))
        with open_bridge(match) as url:
            if way == "asyncio":
                asyncio.run(draw(url))
            else:
                with sc2bridge.connect(url) as bridge:
                    frames = bridge.subscribe("lockstep")
                    for frame in frames:
                        frames.debug.text_screen(f"step {frame.step}")
        assert [record.message for record in caplog.records if record.name == "sc2bridge"] == [
            "drawings are turned off: a recording has no screen"
        ]
        assert len(match.requests) == 1


def test_an_encoding_goes_before_the_address() -> None:
    for url, encoding, expected in (
        ("ws://h:1/v1?encoding=json", "proto", "proto"),
        ("ws://h:1/v1?encoding=proto", "json", "json"),
        ("ws://h:1/v1?encoding=proto", None, "proto"),
        ("ws://h:1/v1?a=b", None, "json"),
    ):
        address = parse_address(url, encoding)  # type: ignore[arg-type]
        assert address.encoding == expected and "encoding" not in address.target


def switch_often(frame: Any, event: str, argument: Any) -> Any:
    """Lets other threads run between any two instructions of a connection's."""
    if "sc2bridge" not in frame.f_code.co_filename or frame.f_code.co_name != "numbered":
        return None
    frame.f_trace_opcodes = True
    time.sleep(0)
    return switch_often


def test_each_request_of_many_threads_has_a_number_of_its_own() -> None:
    threading.settrace(switch_often)
    try:
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(lambda _: numbered_request("status", bridge_pb2.StatusRequest()), range(300)))
    finally:
        threading.settrace(None)  # type: ignore[arg-type]
    assert len({each.request_id for each in made} - {0}) == 300
