"""The Python part of `sc2bridge codec`: the statistic, the stream, the tables and their errors."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sc2bridge_bench import codecs
from sc2bridge_bench.frames import BadFramesError, read_frames
from sc2bridge_bench.times import Times, trimmed_mean
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2


def observation(units: int = 3) -> bytes:
    message = sc2api_pb2.ResponseObservation()
    message.observation.game_loop = 7
    for number in range(units):
        unit = message.observation.raw_data.units.add(
            tag=2**33 + number, unit_type=45, owner=1, is_active=number == 1
        )
        unit.pos.x, unit.pos.y, unit.pos.z = 1.5, number + 0.25, 0.0
        unit.orders.add(ability_id=1)
    return bytes(message.SerializeToString())


def framed(*observations: bytes) -> bytes:
    return b"".join(struct.pack("<I", len(one)) + one for one in observations)


def test_trimmed_mean_drops_an_eighth_at_each_end() -> None:
    assert trimmed_mean([100.0, 3.0, 4.0, 5.0, 6.0, 1.0, 2.0, -50.0]) == 3.5
    assert trimmed_mean([1.0, 2.0, 6.0]) == 3.0
    assert math.isnan(trimmed_mean([]))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_trimmed_mean_lies_among_the_values_that_are_kept(values: list[float]) -> None:
    drop = len(values) // 8
    kept = sorted(values)[drop : len(values) - drop]
    assert min(kept) - 1e-6 <= trimmed_mean(values) <= max(kept) + 1e-6


def test_times_return_the_operations_result() -> None:
    times = Times()
    assert [times.of(lambda: 4), times.of(lambda: 5)] == [4, 5]
    summary = times.summary()
    assert summary["steps"] == 2 and 0 <= summary["min_ms"] <= summary["mean_ms"] <= summary["max_ms"]


class Trickle(io.RawIOBase):
    """A pipe that gives a byte at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 1))


@given(st.lists(st.binary(max_size=40)))
def test_frames_come_back_as_they_were_written(observations: list[bytes]) -> None:
    assert list(read_frames(io.BytesIO(framed(*observations)))) == observations
    assert list(read_frames(Trickle(framed(*observations)))) == observations  # type: ignore[arg-type]


@given(st.binary())
def test_any_other_bytes_are_frames_or_refused(data: bytes) -> None:
    try:
        assert framed(*read_frames(io.BytesIO(data))) == data
    except BadFramesError:
        pass


@pytest.mark.parametrize(
    "data, words",
    [(b"\x05\0", "at byte 0"), (b"\x05\0\0\0ab", "2 of 5 bytes"), (b"\xff\xff\xff\xff", "no length")],
)
def test_a_truncated_stream_is_an_error_with_the_position(data: bytes, words: str) -> None:
    with pytest.raises(BadFramesError, match=words):
        list(read_frames(io.BytesIO(data)))


def columns() -> bytes:
    message = bridge_pb2.Columns()
    return bytes(message.SerializeToString())


def test_every_codec_reads_its_own_output() -> None:
    subject = codecs.Subject(observation(), columns())
    for codec in codecs.codecs():
        if codec.write is None:
            continue
        written, read = codec.write(subject), codec.read(subject)
        if codec.format == "protobuf":
            assert written == subject.wire
        else:
            assert json.loads(written) == subject.plain
        assert read in (subject.message, subject.plain)


def test_a_loop_has_the_fields_of_all_units() -> None:
    rows = codecs.by_loop(codecs.Subject(observation(), columns()))
    assert [row[1] for row in rows] == [2**33, 2**33 + 1, 2**33 + 2]
    assert all(len(row) == len(codecs.FIELDS) + 1 for row in rows)


def test_codecs_count_every_observation_once() -> None:
    rows = codecs.measure([observation(), columns(), observation(5), columns(), observation(0), columns()])
    assert {(row["format"], row["library"]) for row in rows} >= {("protobuf", "protobuf"), ("JSON", "json_format")}
    assert all(row["read"]["steps"] == 3 for row in rows)
    assert {row["library"] for row in rows if row["write"] is None} == {"units in a loop", "units in numpy"}
    assert codecs.measure([]) == []


def run(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "sc2bridge_bench", *arguments]
    path = os.pathsep.join(sys.path)
    return subprocess.run(command, input=data, capture_output=True, env={**os.environ, "PYTHONPATH": path})


def test_the_command_prints_one_json_value() -> None:
    ended = run(framed(observation(), columns()), "codecs")
    assert (ended.returncode, ended.stderr) == (0, b"")
    result: dict[str, Any] = json.loads(ended.stdout)
    assert result["runtime"]["implementation"] in ("upb", "cpp", "python")
    assert result["rows"]


@pytest.mark.parametrize("data, words", [(b"\x05\0", b"at byte 0"), (framed(b"\xff\xff", b""), b"sc2bridge_bench: ")])
def test_the_command_refuses_in_one_line(data: bytes, words: bytes) -> None:
    ended = run(data, "codecs")
    assert ended.returncode == 1 and words in ended.stderr and ended.stderr.count(b"\n") == 1
