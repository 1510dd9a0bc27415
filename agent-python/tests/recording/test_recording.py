"""Recordings: reading by index, slice, game loop and time returns the written data, with one chunk in memory."""

from __future__ import annotations

import io
import os
import pathlib
import threading
import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap_case import Writer
from recording_case import BEGAN_NS, STEP_NS, Case, Written, observation, whole

import sc2bridge
from sc2bridge.game.match import Match
from sc2bridge.recording.frames import RecordedFrame
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import recording_pb2


def opened(written: Written, folder: pathlib.Path) -> sc2bridge.Recording:
    path = folder / "match.mcap"
    path.write_bytes(written.data)
    return sc2bridge.open_recording(path)


def facts(frames: Any) -> list[tuple[int, int, bytes]]:
    return [(frame.step, frame.game_loop, bytes(frame.raw)) for frame in frames]


@pytest.fixture(scope="module")
def two() -> Written:
    return whole(60, perspectives=(1, 2))


@pytest.mark.parametrize("summary", [True, False])
def test_the_written_frames_are_read(summary: bool, tmp_path: pathlib.Path) -> None:
    written = whole(60, perspectives=(1, 2), summary=summary)
    with opened(written, tmp_path) as recording:
        assert recording.perspectives == [1, 2] and recording.damage is None
        assert len(recording) == len(recording.perspective(2)) == 60
        for number, frames in written.frames.items():
            perspective = recording.perspective(number)
            assert perspective.perspective == number
            assert facts(perspective) == frames
            assert facts(reversed(perspective)) == frames[::-1]
            assert list(perspective.raw()) == [data for _, _, data in frames]
            assert [facts([perspective[index]])[0] for index in (0, 31, -1, -60)] == [
                frames[index] for index in (0, 31, -1, -60)
            ]
        assert facts(recording) == written.frames[1]
        assert list(recording.raw()) == list(recording.perspective().raw())
        frame = recording[7]
        assert isinstance(frame, RecordedFrame) and (frame.match_id, frame.perspective, frame.encoding) == (
            "m1",
            1,
            "proto",
        )
        assert frame.observed_unix_ns == BEGAN_NS + 7 * STEP_NS
        assert frame.requested_unix_ns == frame.observed_unix_ns - 500_000
        for name in ("observed", "requested"):
            with pytest.raises(AttributeError, match=f"a recorded frame has no {name}_ns: use {name}_unix_ns"):
                getattr(frame, f"{name}_ns")
        assert frame.observation == observation(7, 1) and frame.skipped is None and frame.size == len(frame.raw)
        assert frame.units.tag.tolist() == [2**32 + number for number in range(12)]
        assert len(frame.units.enemies) == 6


@given(start=st.none() | st.integers(-70, 70), stop=st.none() | st.integers(-70, 70), step=st.integers(-9, 9))
def test_slices_work_like_those_of_a_list(two: Any, tmp_path_factory: Any, start: Any, stop: Any, step: int) -> None:
    which = slice(start, stop, step or None)
    with opened(two, tmp_path_factory.getbasetemp()) as recording:
        frames = recording[which]
        assert len(frames) == len(two.frames[1][which])
        assert facts(frames) == two.frames[1][which]
        assert [bytes(raw) for raw in frames.raw()] == [data for _, _, data in two.frames[1][which]]
        assert facts(frames[1::2]) == two.frames[1][which][1::2]


def test_an_index_beyond_the_frames_is_an_error(two: Written, tmp_path: pathlib.Path) -> None:
    with opened(two, tmp_path) as recording:
        for index in (60, -61):
            with pytest.raises(IndexError, match=f"frame {index} does not exist: there are 60 frames"):
                recording[index]
        with pytest.raises(IndexError):
            recording[10:20][10]
        assert facts(recording[50:99]) == two.frames[1][50:]


@given(
    loops=st.lists(st.integers(0, 400), min_size=1, max_size=60),
    chunk_bytes=st.integers(500, 9000),
    step_size=st.sampled_from([0, 1, 8]),
    asked=st.lists(st.integers(0, 12_000), max_size=12),
)
def test_at_loop_finds_the_frame_of_a_loop(
    tmp_path_factory: Any, loops: list[int], chunk_bytes: int, step_size: int, asked: list[int]
) -> None:
    """Of loops that are as far apart as they please: gaps, real time."""
    case = Case(chunk_bytes=chunk_bytes, step_size=step_size)
    loop = 0
    for step, more in enumerate(loops):
        loop += more
        case.step(step, {0: observation(loop, units=2).SerializeToString()})
    written = case.close()
    there = [loop for _, loop, _ in written.frames[0]]
    with opened(written, tmp_path_factory.getbasetemp()) as recording:
        for wanted in [*asked, *there[::5], there[0], there[-1]]:
            if wanted <= there[-1]:
                assert recording.at_loop(wanted).game_loop == min(one for one in there if one >= wanted)
            else:
                with pytest.raises(LookupError, match=f"loop {wanted}: the last frame is of loop {there[-1]}"):
                    recording.at_loop(wanted)
        first, last = there[len(there) // 3] - 1, there[-1 - len(there) // 4] + 1
        for last in (last, there[-1]):
            if last <= there[-1]:
                between = recording.perspective().between(first, last)
                assert [frame.game_loop for frame in between] == [one for one in there if first <= one <= last]


def test_at_time_finds_the_frame_of_a_time(two: Written, tmp_path: pathlib.Path) -> None:
    with opened(two, tmp_path) as recording:
        for loop in range(60):
            assert recording.at_time(loop / 22.4).game_loop == loop
        assert recording.at_time(1.0).game_loop == 23
        with pytest.raises(LookupError):
            recording.at_time(3)


def test_a_seek_opens_few_chunks(tmp_path: pathlib.Path) -> None:
    case = Case(chunk_bytes=2000, step_size=3)
    for step in range(600):
        case.step(step)
    recording = opened(case.close(), tmp_path)
    chunk, numbers = recording._file._read_chunk, []
    recording._file._read_chunk = lambda number: [numbers.append(number), chunk(number)][1]  # type: ignore
    assert len(recording._file.index.chunks) > 100
    for loop in (900, 901, 17, 1797):
        del numbers[:]
        assert recording.at_loop(loop).game_loop == -(-loop // 3) * 3
        assert len(numbers) <= 4


def test_gaps_queries_and_other_records_are_read(tmp_path: pathlib.Path) -> None:
    case = Case(chunk_bytes=5000)
    query = sc2api_pb2.Request(id=5, game_info=sc2api_pb2.RequestGameInfo())
    for step in range(40):
        if step == 20:
            case.match(gap=recording_pb2.Gap(first_step=18, steps=2, reason="the disk was full"))
        if step not in (18, 19):
            case.step(step)
        if step == 30:
            case.request(step=30, agent="scout", request=query, response=sc2api_pb2.Response(id=5))
    written = case.close()
    with opened(written, tmp_path) as recording:
        match = recording.match
        assert isinstance(match, Match) and match.description == written.description and match.player_id == 0
        assert match.unit_types.SCV == 45 and match.end == written.end and recording.describe() == match
        assert recording.end == written.end
        assert [(gap.first_step, gap.steps, gap.reason) for gap in recording.gaps] == [(18, 2, "the disk was full")]
        assert len(recording.steps) == len(recording) == 38
        assert [row.step for row in recording.steps] == [step for step in range(40) if step not in (18, 19)]
        assert [(record.agent, record.request) for record in recording.requests] == [("scout", query)]
        assert len(recording.actions) == 0 and list(recording.actions) == []
        assert recording.at_loop(18).game_loop == 20
        assert str(recording.path).endswith("match.mcap") and "38 frames" in repr(recording)


def test_a_perspective_that_was_not_recorded_is_an_error(two: Written, tmp_path: pathlib.Path) -> None:
    with opened(two, tmp_path) as recording:
        with pytest.raises(LookupError, match="perspective 3 was not recorded: choose 1, 2"):
            recording.perspective(3)


def test_a_recording_of_no_frames_can_be_opened(tmp_path: pathlib.Path) -> None:
    with opened(whole(0), tmp_path) as recording:
        assert (len(recording), list(recording), list(recording[::-1]), recording.perspectives) == (0, [], [], [0])
        with pytest.raises(LookupError, match="the recording has no frames"):
            recording.at_loop(0)


# ---- memory --------------------------------------------------------------------------------------------------------


def test_frames_show_the_bytes_of_their_chunk(two: Written, tmp_path: pathlib.Path) -> None:
    with opened(two, tmp_path) as recording:
        first, second = recording[0].raw, recording[1].raw
        assert isinstance(first, memoryview) and first.readonly
        assert isinstance(second, memoryview) and first.obj is second.obj


def test_frames_that_are_kept_stay_as_they_are(two: Written, tmp_path: pathlib.Path) -> None:
    """A chunk's memory is reused, but only when no frame uses it."""
    with opened(two, tmp_path) as recording:
        kept: list[Any] = []
        raws: list[Any] = []
        for turn in range(3):
            for index, (frame, raw) in enumerate(zip(recording, recording.perspective(2).raw())):
                if index % (2 + turn) == 0:
                    kept.append(frame)
                    raws.append((index, raw))
        indexes = [(7 * turn) % 60 for turn in range(100)]
        some = [recording[index] for index in indexes]
    assert all(bytes(frame.raw) == two.frames[1][frame.step][2] for frame in kept)
    assert all(bytes(raw) == two.frames[2][index][2] for index, raw in raws)
    assert [bytes(frame.raw) for frame in some] == [two.frames[1][index][2] for index in indexes]


def test_memory_is_bounded_by_a_chunk(tmp_path: pathlib.Path) -> None:
    case = Case(chunk_bytes=200_000)
    large = {0: observation(0, units=1200).SerializeToString()}
    for step in range(300):
        case.step(step, large)
    written = case.close()
    assert len(written.chunk_ends) > 60
    with opened(written, tmp_path) as recording:
        tracemalloc.start()
        for frame in recording:
            assert len(frame.raw) == len(large[0])
        for index in range(0, 300, 7):
            assert len(recording[index].raw) == len(large[0])
        for _ in recording.steps:
            pass
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    # The chunk, its compressed bytes, and a frame that is kept over to the next one.
    assert peak < 3 * (200_000 + len(large[0]))


def test_threads_share_a_recording(two: Written, tmp_path: pathlib.Path) -> None:
    wrong: list[Any] = []

    def read(start: int) -> None:
        for turn in range(150):
            index = (start + 17 * turn) % 60
            frame = recording.perspective(1 + turn % 2)[index]
            if bytes(frame.raw) != two.frames[1 + turn % 2][index][2]:
                wrong.append((start, turn))

    with opened(two, tmp_path) as recording:
        threads = [threading.Thread(target=read, args=(start,)) for start in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


# ---- other files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data, says",
    [
        (b"", "it is empty"),
        (b"step,game_loop\n1,2\n", "it is not an MCAP file"),
        (b"MPQ\x1b....", "it is a StarCraft II replay.*sc2bridge record"),
        (b"\x89PNG\r\n\x1a\n", "it is not an MCAP file"),
    ],
)
def test_a_file_that_is_no_recording_is_refused(data: bytes, says: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "other.file"
    path.write_bytes(data)
    with pytest.raises(sc2bridge.RecordingError, match=f"other.file is not a recording: {says}") as error:
        sc2bridge.open_recording(path)
    assert error.value.kind == "foreign" and "\n" not in str(error.value)


def test_an_mcap_file_of_another_profile_is_refused(tmp_path: pathlib.Path) -> None:
    file = io.BytesIO()
    writer = Writer(file, profile="ros2")
    writer.message(writer.channel("/points", writer.schema("Points", b"")), 0, 1, 1, b"data")
    writer.close()
    (tmp_path / "ros.mcap").write_bytes(file.getvalue())
    with pytest.raises(sc2bridge.RecordingError, match="not a recording: it is an MCAP file of profile 'ros2'"):
        sc2bridge.open_recording(tmp_path / "ros.mcap")


def test_a_recording_that_another_program_rewrote_is_read(tmp_path: pathlib.Path) -> None:
    written = whole(20, profile="", compression="", summary=False)
    with opened(written, tmp_path) as recording:
        assert facts(recording) == written.frames[0]


@pytest.mark.parametrize(
    "options", [{"checksum": False}, {"crc": False}, {"compression": ""}, {"crc_of_summary": False}]
)
def test_a_recording_without_checksums_is_read(options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    written = whole(20, **options)
    with opened(written, tmp_path) as recording:
        assert facts(recording) == written.frames[0]


def test_an_unknown_compression_is_an_error(tmp_path: pathlib.Path) -> None:
    file = io.BytesIO()
    writer = Writer(file, compression="snappy")
    writer.message(writer.channel("/observation/0", writer.schema("x", b"")), 0, 1, 1, b"data")
    writer.close()
    (tmp_path / "other.mcap").write_bytes(file.getvalue())
    with sc2bridge.open_recording(tmp_path / "other.mcap") as recording:
        with pytest.raises(sc2bridge.RecordingError, match="unknown compression 'snappy'"):
            recording[0]


def test_a_chunk_that_claims_a_large_size_allocates_no_memory(tmp_path: pathlib.Path) -> None:
    """Claimed sizes alone do not allocate memory."""
    written = whole(20, summary=False)
    data = bytearray(written.data)
    at = data.index(b"\x04\0\0\0zstd", written.chunk_ends[0]) - 12  # The second chunk's uncompressed size.
    data[at + 3] |= 0x20
    (tmp_path / "bomb.mcap").write_bytes(data)
    tracemalloc.start()
    with sc2bridge.open_recording(tmp_path / "bomb.mcap") as recording:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert recording.damage is not None and "longer than the" in str(recording.damage)
    assert peak < 16 << 20


def test_a_missing_file_and_a_closed_recording_are_errors(two: Written, tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError):
        sc2bridge.open_recording(tmp_path / "none.mcap")
    recording = opened(two, tmp_path)
    frame = recording[0]
    recording.close()
    recording.close()
    with pytest.raises(ValueError, match="closed"):
        recording[59]
    assert bytes(frame.raw) == two.frames[1][0][2]


def test_a_file_that_becomes_shorter_is_truncated(two: Written, tmp_path: pathlib.Path) -> None:
    with opened(two, tmp_path) as recording:
        os.truncate(tmp_path / "match.mcap", two.chunk_ends[2])
        assert recording[0].step == 0
        with pytest.raises(sc2bridge.RecordingError, match="it has become shorter") as error:
            list(recording)
        assert error.value.kind == "truncated"
