"""What `sc2bridge codec` measures in Python: the statistic, the stream, the tables and their refusals."""

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

from sc2bridge_bench import codecs, columns_speed, unit_table
from sc2bridge_bench.frames import BadFramesError, read_frames
from sc2bridge_bench.times import Times, trimmed_mean
from sc2bridge.s2clientprotocol import sc2api_pb2


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


def test_times_keep_what_the_operation_gives() -> None:
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
def test_a_cut_off_stream_says_where(data: bytes, words: str) -> None:
    with pytest.raises(BadFramesError, match=words):
        list(read_frames(io.BytesIO(data)))


def test_every_codec_gives_back_what_it_wrote() -> None:
    subject = codecs.Subject(observation())
    for codec in codecs.codecs():
        written, read = codec.write(subject), codec.read(subject)
        if codec.format == "protobuf":
            assert written == subject.wire
        else:
            assert json.loads(written) == subject.plain
        assert read in (subject.message, subject.plain)


def test_codecs_count_every_observation_once() -> None:
    rows = codecs.measure([observation(), observation(5), observation(0)])
    assert {(row["format"], row["library"]) for row in rows} >= {("protobuf", "protobuf"), ("JSON", "json_format")}
    assert all(row["write"]["steps"] == row["read"]["steps"] == 3 for row in rows)
    assert codecs.measure([]) == []


def test_the_unit_table_is_the_same_in_every_form() -> None:
    table = unit_table.Table(observation())
    assert [row["pos_y"] for row in table.rows] == [0.25, 1.25, 2.25]
    assert "orders" not in table.rows[0]
    for form in unit_table.FORMS:
        back = form.read(form.write(table))
        assert back == (table.message if form.name == "protobuf" else table.rows)


def test_every_compression_gives_back_what_it_was_given() -> None:
    data = observation(50)
    for one in unit_table.compressions():
        assert one.decompress(one.compress(data)) == data


def test_the_unit_table_is_relative_to_plain_json() -> None:
    rows = unit_table.measure([observation(), observation(9)])
    (base,) = (row for row in rows if (row["form"], row["compression"]) == ("JSON", "plain"))
    assert base["write_relative"] == base["read_relative"] == base["size_relative"] == 1
    assert all(row["steps"] == 2 for row in rows)
    assert unit_table.measure([]) == []


def test_columns_and_the_loop_give_the_same_units() -> None:
    units = sc2api_pb2.ResponseObservation.FromString(observation()).observation.raw_data.units
    rows = columns_speed.by_loop(units)
    assert [row[1] for row in rows] == [unit.tag for unit in units]
    assert len(rows[0]) == len(columns_speed.FIELDS) + 1
    assert math.isnan(columns_speed.measure([])["numpy_ms"])


def run(data: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "sc2bridge_bench", *arguments]
    path = os.pathsep.join(sys.path)
    return subprocess.run(command, input=data, capture_output=True, env={**os.environ, "PYTHONPATH": path})


@pytest.mark.parametrize("command", ["codecs", "units"])
def test_the_command_prints_one_json_value(command: str) -> None:
    ended = run(framed(observation(), observation()), command)
    assert (ended.returncode, ended.stderr) == (0, b"")
    result: dict[str, Any] = json.loads(ended.stdout)
    assert result["runtime"]["implementation"] in ("upb", "cpp", "python")
    assert result["rows"]


@pytest.mark.parametrize("data, words", [(b"\x05\0", b"at byte 0"), (framed(b"\xff\xff"), b"sc2bridge_bench: ")])
def test_the_command_refuses_in_one_line(data: bytes, words: bytes) -> None:
    ended = run(data, "codecs")
    assert ended.returncode == 1 and words in ended.stderr and ended.stderr.count(b"\n") == 1
