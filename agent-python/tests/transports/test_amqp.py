"""Published matches through a real broker."""

from __future__ import annotations

import asyncio
import concurrent.futures
import itertools
import pathlib
import threading
from collections.abc import Iterator
from typing import Any, Optional

import pytest

pika = pytest.importorskip("pika", reason="needs pika: apt-get install python3-pika, or pip install 'sc2bridge[amqp]'")

from broker_case import BrokerServer, Publisher, open_broker  # noqa: E402
from certificates import Certificates  # noqa: E402
from fake_bridge import Match, observation  # noqa: E402

import sc2bridge  # noqa: E402
from sc2bridge.errors import NOT_FOUND, UNAUTHENTICATED, ClosedError  # noqa: E402

pytestmark = pytest.mark.slow

_keys = (f"m-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory, certificates: Certificates) -> Iterator[BrokerServer]:
    with open_broker(tmp_path_factory.mktemp("broker"), certificates) as server:
        yield server


@pytest.fixture
def published(broker: BrokerServer) -> Iterator[Publisher]:
    publisher = Publisher(broker.url, Match(steps=10), next(_keys))
    yield publisher
    publisher.close()


def loops(frames: Any) -> list[int]:
    return [frame.game_loop for frame in frames]


def test_a_match_is_listed_described_and_read_from_the_beginning(broker: BrokerServer, published: Publisher) -> None:
    published.publish()
    with sc2bridge.connect(broker.url) as bridge:
        (listed,) = [each for each in bridge.matches() if each.key == published.key]
        assert (listed.match.map_name, list(listed.tags)) == ("Fake", ["test"])
        assert bridge.describe(published.key).description == published.match.description()
        with bridge.subscribe(match_id=published.key, from_loop=0, content="columns") as frames:
            heard = list(frames)
            assert frames.end == sc2bridge.MatchEnd.of(published.messages[-1][2])
    assert [frame.step for frame in heard] == list(range(10))
    assert [frame.observation for frame in heard] == [observation(step) for step in range(10)]
    assert all(frame.skipped is None and not frame.seeked for frame in heard)
    # As over any other transport: the units are numpy's arrays.
    assert [list(frame.units.health) for frame in heard] == [[step + 0.5] * 3 for step in range(10)]


def test_the_list_ends_though_announcements_never_cease(broker: BrokerServer, published: Publisher) -> None:
    stop = threading.Event()

    def announce() -> None:
        while not stop.is_set():
            published.announce()

    with concurrent.futures.ThreadPoolExecutor(2) as threads, sc2bridge.connect(broker.url) as bridge:
        announcing = threads.submit(announce)
        try:
            listed = threads.submit(bridge.matches).result(timeout=60)
        finally:
            stop.set()
            announcing.result()
    assert published.key in [each.key for each in listed]


@pytest.mark.parametrize("policy", ["every", "latest"])
def test_live_frames_are_received(broker: BrokerServer, published: Publisher, policy: Any) -> None:
    published.publish(0, 7)
    with sc2bridge.connect(broker.url) as bridge, bridge.subscribe(policy, match_id=published.key) as frames:
        first = next(frames)
        published.publish(7)
        rest = list(frames)
    assert first.observation == observation(first.step)
    assert rest[-1].observation == observation(9)
    if policy == "every":
        assert loops([first, *rest]) == list(range(first.step, 10))
    else:
        # Each skipped frame is counted.
        counted = sum(1 + (frame.skipped.frames if frame.skipped else 0) for frame in rest)
        assert first.step + counted == 9


def test_reading_begins_at_a_loop_or_a_time(broker: BrokerServer) -> None:
    publisher = Publisher(broker.url, Match(observations=[observation(3 * step) for step in range(300)]), next(_keys))
    publisher.publish()
    with sc2bridge.connect(broker.url) as bridge:
        for at in [0, 1, 2, 12, 14, 500, 896, 897]:
            with bridge.subscribe(match_id=publisher.key, from_loop=at) as frames:
                heard = list(frames)
            assert loops(heard) == [loop for loop in range(0, 900, 3) if loop >= at]
            assert heard[0].observation == observation(heard[0].game_loop)
        with bridge.subscribe(match_id=publisher.key, from_time=250.5) as frames:
            assert next(frames).step == 251  # A step a second.
    publisher.close()


def test_repeated_frames_are_received_once_and_a_gap_is_reported(broker: BrokerServer, published: Publisher) -> None:
    published.publish(0, 4)
    published.publish(2, 3)  # The publisher got no confirmation, so it repeats these, partly in the wrong order.
    published.publish(4, 5)
    published.gap(5, 7)
    published.publish(7)
    with sc2bridge.connect(broker.url) as bridge, bridge.subscribe(match_id=published.key, from_loop=0) as frames:
        heard = list(frames)
    assert [frame.step for frame in heard] == [0, 1, 2, 3, 4, 7, 8, 9]
    assert [frame.observation for frame in heard] == [observation(frame.step) for frame in heard]
    (after,) = [frame for frame in heard if frame.skipped]
    assert (after.step, after.skipped.frames, after.skipped.first_step, after.skipped.truncated_frames) == (7, 2, 5, 2)


def test_moves_of_a_playback_are_reported(broker: BrokerServer) -> None:
    publisher = Publisher(broker.url, Match(steps=8, seeks=(3,)), next(_keys))
    publisher.publish()
    with sc2bridge.connect(broker.url) as bridge, bridge.subscribe(match_id=publisher.key, from_loop=0) as frames:
        assert [frame.step for frame in frames if frame.seeked] == [3]
    publisher.close()


def test_asyncio_reads_the_same_frames(broker: BrokerServer, published: Publisher) -> None:
    published.publish(0, 7)

    async def read() -> list[int]:
        bridge = await sc2bridge.aconnect(broker.url)
        assert published.key in [each.key for each in await bridge.matches()]
        frames = await bridge.subscribe(match_id=published.key, from_loop=2)
        heard = [(await frames.next()).game_loop]
        published.publish(7)
        heard += [frame.game_loop async for frame in frames]
        await bridge.close()
        return heard

    assert asyncio.run(read()) == list(range(2, 10))


def test_a_task_that_is_cancelled_loses_no_frame(broker: BrokerServer, published: Publisher) -> None:
    published.publish(0, 3)

    async def read() -> list[int]:
        async with await sc2bridge.aconnect(broker.url) as bridge:
            frames = await bridge.subscribe(match_id=published.key, from_loop=0)
            heard = [(await frames.__anext__()).game_loop for _ in range(3)]
            for step in range(3, 9):
                waiting = asyncio.ensure_future(frames.__anext__())
                await asyncio.sleep(0)  # Its thread waits for a message now.
                waiting.cancel()
                published.publish(step, step + 1)
                heard.append((await frames.__anext__()).game_loop)
            return heard

    assert asyncio.run(read()) == list(range(9))


def test_a_subscription_can_be_closed_while_it_waits(broker: BrokerServer, published: Publisher) -> None:
    published.publish(0, 7)
    with sc2bridge.connect(broker.url) as bridge:
        frames = bridge.subscribe(match_id=published.key, from_loop=6)
        assert next(frames).step == 6
        closing = threading.Timer(0.1, frames.close)
        closing.start()
        with pytest.raises(ClosedError, match=r"close\(\) was called"):
            list(frames)
        closing.join()


def test_stopping_with_much_undelivered_is_clean(broker: BrokerServer) -> None:
    # Cancelling a consumer makes pika reject undelivered messages, which a stream's connection answers with error 540.
    publisher = Publisher(broker.url, Match(steps=2000), next(_keys))
    publisher.publish()
    before = broker.log().count("NOT_IMPLEMENTED")
    with sc2bridge.connect(broker.url) as bridge:
        for _ in range(5):
            with bridge.subscribe(match_id=publisher.key, from_loop=0) as frames:
                assert next(frames).step == 0
        with bridge.subscribe(match_id=publisher.key, from_loop=1990) as frames:
            assert loops(frames) == list(range(1990, 2000))
    assert broker.log().count("NOT_IMPLEMENTED") == before
    publisher.close()


def test_the_traps_of_streams_are_as_described(broker: BrokerServer, published: Publisher) -> None:
    published.publish()
    connection = pika.BlockingConnection(pika.URLParameters(broker.url))
    channel = connection.channel()
    with pytest.raises(pika.exceptions.ChannelClosedByBroker, match="prefetch count is not set"):
        channel.basic_consume(published.frames, lambda *_: None)
    channel = connection.channel()
    channel.basic_qos(prefetch_count=10)
    with pytest.raises(pika.exceptions.ConnectionClosedByBroker, match="540"):
        channel.basic_consume(published.frames, lambda *_: None, auto_ack=True)
        connection.process_data_events(1)
    connection = pika.BlockingConnection(pika.URLParameters(broker.url))
    channel = connection.channel()
    channel.basic_qos(prefetch_count=4)
    channel.basic_consume(published.frames, lambda *_: channel.stop_consuming(), arguments={"x-stream-offset": "first"})
    with pytest.raises(pika.exceptions.AMQPError, match="540"):
        channel.start_consuming()
        connection.process_data_events(1)


def test_reading_starts_after_deleted_frames(broker: BrokerServer) -> None:
    publisher = Publisher(broker.url, Match(steps=400), next(_keys), retention=True)
    publisher.publish(0, 300)
    with sc2bridge.connect(broker.url) as bridge:
        with bridge.subscribe(match_id=publisher.key, from_loop=0) as frames:
            first = next(frames)
            publisher.publish(300)
            heard = [first, *frames]
    # The broker deletes whole segments, so the first stored message is somewhere inside the stream.
    assert 0 < first.step < 300 and first.step % 4 == 0
    assert [frame.step for frame in heard] == list(range(first.step, 400))
    assert heard[-1].observation == observation(399)
    publisher.close()


def test_a_wrong_name_password_or_address_is_one_clear_error(broker: BrokerServer, published: Publisher) -> None:
    with sc2bridge.connect(broker.url) as bridge:
        with pytest.raises(sc2bridge.BridgeError, match="no match nobody was published") as missing:
            bridge.describe("nobody")
        assert missing.value.code == NOT_FOUND
        with pytest.raises(sc2bridge.BridgeError, match="cannot answer requests"):
            bridge.status()
        with pytest.raises(ValueError, match="a broker has no lockstep, can_act, exclude and overflow"):
            bridge.subscribe("lockstep", match_id=published.key)
    with sc2bridge.connect(broker.url.replace("amqp://", "amqp://guest:s3cret@")) as bridge:
        with pytest.raises(sc2bridge.BridgeError, match="refuses the user or the password") as refused:
            bridge.matches()
        assert refused.value.code == UNAUTHENTICATED and "s3cret" not in str(refused.value)
    with sc2bridge.connect("amqp://user:s3cret@127.0.0.1:1") as bridge:
        with pytest.raises(sc2bridge.ConnectionLostError, match="127.0.0.1:1 does not answer") as gone:
            bridge.matches()
        assert "s3cret" not in str(gone.value) + str(bridge.address)


@pytest.mark.parametrize(
    ("host", "query", "said"),
    [
        ("localhost", "cacertfile={0.ca}", None),
        ("127.0.0.1", "cacertfile={0.ca}", None),
        ("localhost", "cacertfile={0.ca}&certfile={0.client}&keyfile={0.client}", None),
        ("localhost", "cacertfile={0.ca}&certfile={0.own}", "does not answer"),
        ("localhost", "", "is not trusted .*: give its CA's certificate with"),
        ("localhost", "cacertfile={0.own}", "is not trusted .*: give its CA's certificate with"),
        (
            "localhost",
            "cacertfile={0.ca}&server_name_indication=other",
            "is not trusted .*: use the host name of the certificate",
        ),
        ("localhost", "cacertfile={0.ca}.none", "certificate file in the broker's address cannot be read"),
    ],
)
def test_a_trusted_broker_is_connected_by_tls(
    broker: BrokerServer, published: Publisher, certificates: Certificates, host: str, query: str, said: Optional[str]
) -> None:
    url = f"amqps://guest:guest@{host}:{broker.tls_port}?{query.format(certificates)}"
    if said is None:
        with sc2bridge.connect(url) as bridge:
            assert published.key in [each.key for each in bridge.matches()]
        return
    with pytest.raises((sc2bridge.BridgeError, ValueError), match=said) as refused:
        with sc2bridge.connect(url.replace("guest:guest", "guest:s3cret")) as bridge:
            bridge.matches()
    assert "s3cret" not in str(refused.value) and "\n" not in str(refused.value)


def test_a_publisher_that_was_killed_ends_the_match(
    broker: BrokerServer, published: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sc2bridge._transports import amqp

    asked = []
    matches = amqp.Broker.matches

    async def counted(self: amqp.Broker, past: bool) -> Any:
        found = await matches(self, past)
        asked.append((past, published.key in [each.key for each in found]))
        return found

    monkeypatch.setattr(amqp, "_SILENCE_BEFORE_RETRY", 0.3)
    monkeypatch.setattr(amqp.Broker, "matches", counted)
    published.announcement.interval_s = 1
    published.announce()
    published.publish(0, 7)
    with sc2bridge.connect(broker.url) as bridge, bridge.subscribe(match_id=published.key, from_loop=0) as frames:
        heard = loops(frames)
        assert frames.end is not None and frames.end.aborted
        assert frames.end.detail.startswith(f"its publisher is gone: {published.key} received no messages for ")
    assert heard == list(range(7))
    assert asked[-1] == (False, False)


@pytest.mark.long
def test_reading_continues_at_its_place_when_the_broker_returns(tmp_path: pathlib.Path) -> None:
    with open_broker(tmp_path) as server:
        publisher = Publisher(server.url, Match(steps=40), "m")
        publisher.publish(0, 21)
        with sc2bridge.connect(server.url) as bridge, bridge.subscribe(match_id="m", from_loop=3) as frames:
            heard = [next(frames) for _ in range(11)]
            server.stop()
            server.start()
            publisher.reconnect(publisher.frames)
            publisher.publish(19)  # It got no confirmation for the last two.
            heard += frames
        publisher.close()
    assert [frame.step for frame in heard] == list(range(3, 40))
    assert all(frame.observation == observation(frame.step) and frame.skipped is None for frame in heard)
