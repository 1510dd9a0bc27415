"""The transport `shm`: an agent that keeps parts of the bridge's memory, and errors of a bridge."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import mmap
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fake_bridge import Match, SharedMemoryBridge, observation
from hypothesis import given
from hypothesis import strategies as st

import sc2bridge
from sc2bridge._transports.shared_memory import SharedMemory
from sc2bridge.errors import BridgeError, ConnectionLostError, MalformedMessageError
from sc2bridge.shm.v1alpha1 import shm_pb2
from sc2bridge.v1 import bridge_pb2

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="shared memory is for Linux")


def told(match: Match) -> tuple[int, list[int]]:
    """The frames and the blocks that were reported as released to the bridge, in order."""
    return sum(each.received_frames for each in match.progress), [
        offset for each in match.progress for offset in each.released_offsets
    ]


def test_blocks_go_back_when_nothing_uses_them_any_more() -> None:
    match = Match(steps=12)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        kept: list[Any] = []
        for frame in connection.subscribe("lockstep", report_times=False):
            assert frame.observation.observation.game_loop == frame.step
            if frame.step in (2, 5):
                kept.append(frame.raw)
    frames, released = told(match)
    assert frames >= 11
    # The loop still uses the newest frame when the bridge gets the reports.
    assert len(released) == len(set(released)) == frames - len(kept) - 1
    assert kept[0] == observation(2).SerializeToString()
    assert kept[1] == observation(5).SerializeToString()


def test_a_view_of_an_array_keeps_its_block() -> None:
    match = Match(steps=8)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        for frame in connection.subscribe("lockstep", content="columns", report_times=False):
            if frame.step == 1:
                health = frame.units.health[1:]
                copied = frame.units.health.copy()
    frames, released = told(match)
    assert len(released) >= frames - 2
    assert health.tolist() == copied[1:].tolist() == [1.5, 1.5]
    with pytest.raises(ValueError, match="read-only"):
        health[0] = 0


def test_blocks_are_reported_as_released_at_the_close_despite_a_kept_array() -> None:
    match = Match(steps=20)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        frames = connection.subscribe("lockstep", report_times=False)
        kept = [next(frames).raw for _ in range(5)][2]
        assert told(match) == (0, [])
        frames.close()
        assert kept == observation(2).SerializeToString()
    taken, released = told(match)
    assert taken == 5 and len(released) == 3  # All except the kept frame and the newest.


def test_many_kept_frames_are_reported_at_once() -> None:
    match = Match(steps=40)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        frames = connection.subscribe("lockstep", report_times=False)
        kept = [next(frames).raw for _ in range(20)]
        before = len(match.progress)
        for _ in frames:
            pass
        assert len(kept) == 20
    assert len(match.progress) - before >= 15
    assert all(len(each.released_offsets) <= 2 for each in match.progress)


def test_under_latest_each_frame_is_reported_when_it_is_taken() -> None:
    match = Match(steps=6)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        assert sum(1 for _ in connection.subscribe("latest", report_times=False)) == 6
    assert [each.received_frames for each in match.progress] == [1] * len(match.progress)
    assert told(match)[0] >= 5


def test_a_name_without_a_bridge_is_one_clear_error() -> None:
    with sc2bridge.connect("shm:sc2bridge-there-is-none") as connection:
        with pytest.raises(
            ConnectionLostError, match=r"no bridge answers at shm:sc2bridge-there-is-none.*the name that it prints"
        ):
            connection.describe()


def test_an_unknown_token_is_an_error() -> None:
    match = Match(token="a" * 40)
    with SharedMemoryBridge(match) as bridge:
        with sc2bridge.connect(bridge.url, token="b" * 40) as connection:
            with pytest.raises(BridgeError, match="the token is unknown here"):
                connection.describe()
        with sc2bridge.connect(bridge.url, token="a" * 40) as connection:
            assert connection.describe().map_name == "Fake"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("shm:", "give shm:NAME"),
        ("shm://host/name", "give shm:NAME"),
    ],
)
def test_an_invalid_address_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        sc2bridge.connect(url)


def test_unsupported_encodings_and_compressions_are_refused() -> None:
    with pytest.raises(ValueError, match="shared memory only has protobuf"):
        sc2bridge.connect("shm:name", "json")
    with pytest.raises(ValueError, match="shared memory does not support compression"):
        sc2bridge.connect("shm:name", compression="deflate")


@contextlib.contextmanager
def saying(first: bytes, length: int, then: bytes = b"", with_file: bool = True) -> Iterator[str]:
    """A server on a socket that sends bytes, a file of a given length and more bytes, and closes."""
    name = f"sc2bridge-test-{os.getpid()}-says"
    file = os.memfd_create("test")
    os.truncate(file, length)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0" + name)
    listener.listen()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(first)
            if first and with_file:
                socket.send_fds(connection, [bytes(4)], [file])
            connection.sendall(then)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"shm:{name}"
    finally:
        thread.join()
        listener.close()
        os.close(file)


HELLO = struct.pack("<8sIQ", b"sc2bshm\0", 4, mmap.PAGESIZE)


@pytest.mark.parametrize(
    ("first", "length", "error", "why"),
    [
        (b"", 1, ConnectionLostError, "run this program as the bridge"),
        (b"HTTP/1.1 400 Bad Request", 1, MalformedMessageError, "does not answer like a bridge"),
        (HELLO[:12], mmap.PAGESIZE, MalformedMessageError, "does not answer like a bridge"),
        (
            struct.pack("<8sIQ", b"sc2bshm\0", 2, 4096),
            4096,
            BridgeError,
            r"layout 2 \(a bridge from before 0.1.0\), but sc2bridge-python [0-9.]+ \(protocol 1\) needs layout 4",
        ),
        (HELLO, 1, MalformedMessageError, "cannot be read"),
        (struct.pack("<8sIQ", b"sc2bshm\0", 4, 2**63), 4096, MalformedMessageError, "cannot be read"),
        (struct.pack("<8sIQ", b"sc2bshm\0", 4, 0), 4096, MalformedMessageError, "shares no memory"),
    ],
)
def test_a_peer_that_is_no_bridge_is_an_error(first: bytes, length: int, error: type[BridgeError], why: str) -> None:
    with saying(first, length) as url, sc2bridge.connect(url) as connection:
        with pytest.raises(error, match=why):
            connection.describe()


@pytest.mark.parametrize(("then", "error"), [(bytes(4), MalformedMessageError), (b"", ConnectionLostError)])
def test_a_bridge_that_passes_no_file_is_an_error(then: bytes, error: type[BridgeError]) -> None:
    with saying(HELLO, mmap.PAGESIZE, then, with_file=False) as url, sc2bridge.connect(url) as connection:
        with pytest.raises(error):
            connection.describe()


def frame(offset: int, length: int, step: int = 0) -> bytes:
    shared = shm_pb2.SharedBlock(offset=offset, length=length)
    message = bridge_pb2.PlayResponse(
        frame=bridge_pb2.Frame(match_id="m1", step=step, shared=shared)
    ).SerializeToString()
    return struct.pack("<I", len(message)) + message


@pytest.mark.parametrize(("offset", "length"), [(0, 0), (0, 4097), (4096, 1), (2**63, 2**31), (2**64 - 1, 1)])
def test_a_block_outside_of_the_memory_is_malformed(offset: int, length: int) -> None:
    with saying(HELLO, mmap.PAGESIZE, frame(offset, length)) as url, sc2bridge.connect(url) as connection:
        with pytest.raises(MalformedMessageError, match="outside of the shared memory of 4096"):
            next(iter(connection.subscribe(report_times=False)))


@given(st.binary(max_size=200))
def test_any_bytes_give_the_documented_errors(then: bytes) -> None:
    with saying(HELLO, mmap.PAGESIZE, then) as url, sc2bridge.connect(url) as connection:
        with contextlib.suppress(BridgeError, MalformedMessageError):
            list(connection.subscribe(report_times=False))


def test_no_descriptor_and_no_mapping_is_left() -> None:
    def held() -> set[str]:
        gc.collect()
        found = {line for line in open("/proc/self/maps") if "memfd" in line}
        for descriptor in os.listdir("/proc/self/fd"):
            with contextlib.suppress(FileNotFoundError):
                found.add(descriptor + os.readlink(f"/proc/self/fd/{descriptor}"))
        return found

    with SharedMemoryBridge(Match(steps=3)) as bridge:
        before = held()  # The bridges of earlier tests may still close theirs.
        with sc2bridge.connect(bridge.url) as connection:
            assert len([np.array(frame.units.health) for frame in connection.subscribe(content="columns")]) == 3
        del connection
        deadline = time.monotonic() + 60  # The fake bridge closes its ends on its own thread.
        while held() - before:
            assert time.monotonic() < deadline


def test_kept_frames_stay_after_the_end_and_their_release_is_reported() -> None:
    match = Match(steps=4)
    with SharedMemoryBridge(match) as bridge:
        with sc2bridge.connect(bridge.url) as connection:
            kept = [frame.raw for frame in connection.subscribe("lockstep", report_times=False)]
        assert [bytes(each) for each in kept] == [observation(step).SerializeToString() for step in range(4)]
        # The subscription's connection is open for as long as one of them is.
        assert not bridge.gone.acquire(blocking=False)
        del kept
        gc.collect()
        assert bridge.gone.acquire(timeout=60)


def test_kept_frames_of_a_left_subscription_stay() -> None:
    with SharedMemoryBridge(Match(steps=4)) as bridge, sc2bridge.connect(bridge.url) as connection:
        kept = next(iter(connection.subscribe("latest", report_times=False))).raw
        gc.collect()
        assert not bridge.gone.acquire(blocking=False)
        assert kept == observation(0).SerializeToString()
        del kept
        assert bridge.gone.acquire(timeout=60)


def test_frames_that_are_sent_count_as_taken() -> None:
    match = Match(steps=6)
    with SharedMemoryBridge(match) as bridge, sc2bridge.connect(bridge.url) as connection:
        bridge.has_room = False
        for frame in connection.subscribe("latest", report_times=False):
            assert frame.observation.observation.game_loop == frame.step
    frames, released = told(match)
    assert frames >= 5
    assert released == []


def test_threads_report_each_frame_and_block_once() -> None:
    mapping = mmap.mmap(-1, 64 * mmap.PAGESIZE)
    memory = SharedMemory(mapping)
    heard: list[bytes] = []
    done = threading.Event()

    def tell() -> None:
        while not done.is_set():
            heard.append(memory.report())

    tellers = [threading.Thread(target=tell) for _ in range(4)]
    for teller in tellers:
        teller.start()
    for turn in range(5000):
        memory.count_frame()
        memory.view(turn % 64 * mmap.PAGESIZE, 1)
    done.set()
    for teller in tellers:
        teller.join()
    heard.append(memory.report())
    progress = [bridge_pb2.PlayRequest.FromString(each).shared_progress for each in heard]
    assert sum(each.received_frames for each in progress) == 5000
    assert sum(len(each.released_offsets) for each in progress) == 5000


def test_connecting_delays_no_task() -> None:
    name = f"sc2bridge-test-{os.getpid()}-silent"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen()

        async def connect() -> int:
            async with await sc2bridge.aconnect(f"shm:{name}") as connection:
                asking = asyncio.ensure_future(connection.describe())
                turns = 0
                while not asking.done() and turns < 100:
                    await asyncio.sleep(0)
                    turns += 1
                listener.accept()[0].close()
                with pytest.raises(ConnectionLostError):
                    await asking
                return turns

        assert asyncio.run(connect()) == 100
