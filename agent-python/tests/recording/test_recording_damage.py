"""Truncated or changed recordings: every whole chunk before the damage is read, then there is one clear error, and never a
frame that was not written."""

from __future__ import annotations

import os
import pathlib
import random
from typing import Any, Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recording_case import Written, whole

import sc2bridge
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.chunk import ChunkOpener
from sc2bridge.recording._mcap.index import NoRecordingError, read_index

Seen = dict[int, list[tuple[int, bytes]]]


class Damaged:
    """A recording's file that is damaged and restored many times."""

    def __init__(self, written: Written, path: pathlib.Path, length: Optional[int] = None) -> None:
        self.written = written
        self.data = written.data[:length]
        self.path = path
        path.write_bytes(self.data)

    def cut(self, length: int) -> tuple[Seen, Optional[sc2bridge.RecordingError]]:
        """Reads everything that is left. The next cut must be before this one."""
        os.truncate(self.path, length)
        return self.read()

    def flip(self, changes: dict[int, int]) -> tuple[Seen, Optional[sc2bridge.RecordingError]]:
        with open(self.path, "r+b") as file:
            for at, bits in changes.items():
                file.seek(at)
                file.write(bytes([self.data[at] ^ bits]))
        try:
            return self.read()
        finally:
            with open(self.path, "r+b") as file:
                for at in changes:
                    file.seek(at)
                    file.write(self.data[at : at + 1])

    def read(self) -> tuple[Seen, Optional[sc2bridge.RecordingError]]:
        seen: Seen = {}
        error = None
        try:
            with sc2bridge.open_recording(self.path) as recording:
                for number in recording.perspectives or [0]:
                    seen[number] = []
                    try:
                        for frame in recording.perspective(number):
                            seen[number].append((frame.step, bytes(frame.raw)))
                    except sc2bridge.RecordingError as damage:
                        error = damage
        except sc2bridge.RecordingError as damage:
            error = damage
        return seen, error

    def check(self, seen: Seen, error: Optional[sc2bridge.RecordingError], first_change: int) -> None:
        """Compares the read frames with the written ones, up to the first changed or missing byte."""
        ends = [place for place, end in enumerate(self.written.chunk_ends) if end <= first_change]
        for number, frames in self.written.frames.items():
            least = self.written.frames_up_to[ends[-1]][number] if ends else 0
            got = seen.get(number, [])
            assert got == [(step, data) for step, _, data in frames[: len(got)]]
            assert len(got) >= least
            assert error is not None or len(got) == len(frames)
        if error is not None:
            line = str(error)
            assert "\n" not in line and str(self.path) in line
            assert error.kind == "foreign" or f"`sc2bridge inspect {self.path} --repair OUT`" in line


@pytest.fixture(scope="module")
def written() -> Written:
    return whole(36, perspectives=(1, 2), chunk_bytes=4000)


@pytest.mark.parametrize("apart", [7, pytest.param(1, marks=pytest.mark.long)])
def test_a_cut_near_the_end_keeps_earlier_frames(written: Written, apart: int, tmp_path: pathlib.Path) -> None:
    damaged = Damaged(written, tmp_path / "cut.mcap", written.data_end + 9)
    for length in range(written.data_end + 9, written.chunk_ends[-3] - 1, -apart):
        seen, error = damaged.cut(length)
        damaged.check(seen, error, length)
        assert error is not None and error.kind == "truncated"
        whole = [up_to[1] for end, up_to in zip(written.chunk_ends, written.frames_up_to) if end <= length]
        assert len(seen[1]) == max(whole, default=0)


def test_a_cut_anywhere_keeps_earlier_frames(written: Written, tmp_path: pathlib.Path) -> None:
    damaged = Damaged(written, tmp_path / "cut.mcap")
    places = sorted(random.Random(1).sample(range(len(written.data)), 1000), reverse=True)
    for length in places:
        seen, error = damaged.cut(length)
        damaged.check(seen, error, length)
        # The data ends after its record of 13 bytes. A truncated summary loses no frame.
        assert (error is None) == (length >= written.data_end + 13)


def test_zeros_at_the_end_keep_earlier_frames(written: Written, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "zeros.mcap"
    for length in random.Random(2).sample(range(8, written.data_end), 200):
        damaged = Damaged(written, path, length)
        path.write_bytes(damaged.data + bytes(len(written.data) - length))
        damaged.check(*damaged.read(), length)


@pytest.mark.parametrize("has_summary", [True, False])
@pytest.mark.parametrize("times", [100, pytest.param(500, marks=pytest.mark.long)])
def test_a_changed_byte_fakes_no_frame(written: Written, has_summary: bool, times: int, tmp_path: pathlib.Path) -> None:
    damaged = Damaged(written, tmp_path / "flip.mcap", None if has_summary else written.data_end + 13)
    some = random.Random(3)
    # Half of the changes go where most bytes are: the summary's schemas are most of such a small file.
    places = [some.randrange(end) for end in [len(damaged.data)] * times + [written.data_end] * (2 * times)]
    for at in places:
        seen, error = damaged.flip({at: some.choice([1 << some.randrange(8), some.randrange(1, 256)])})
        damaged.check(seen, error, at)


def test_several_changed_bytes_fake_no_frame(written: Written, tmp_path: pathlib.Path) -> None:
    damaged = Damaged(written, tmp_path / "flips.mcap")
    some = random.Random(4)
    for _ in range(500):
        start = some.randrange(len(damaged.data) - 40)
        changes = {start + some.randrange(40): some.randrange(1, 256) for _ in range(some.randrange(2, 9))}
        seen, error = damaged.flip(changes)
        damaged.check(seen, error, min(changes))


def test_a_damaged_chunk_loses_only_its_own_frames(written: Written, tmp_path: pathlib.Path) -> None:
    """A damaged chunk loses only its own frames, if the file has a summary."""
    damaged = Damaged(written, tmp_path / "one.mcap")
    middle = len(written.chunk_ends) // 2
    data = bytearray(written.data)
    data[written.chunk_ends[middle] - 20] ^= 4
    damaged.path.write_bytes(data)
    first, behind = written.frames_up_to[middle - 1][1], written.frames_up_to[middle][1]
    with sc2bridge.open_recording(damaged.path) as recording:
        assert recording.damage is None and len(recording) == 36
        for index, (step, loop, raw) in enumerate(written.frames[1]):
            if first <= index < behind:
                with pytest.raises(sc2bridge.RecordingError, match="damaged at byte") as error:
                    recording[index]
                assert error.value.kind == "damaged" and error.value.at == written.chunk_ends[
                    middle - 1
                ] + _index_bytes(written, middle - 1)
            else:
                assert recording[index].raw == raw
            if index < first:
                assert recording.at_loop(loop).step == step
        assert [frame.step for frame in recording[behind:]] == [step for step, _, _ in written.frames[1][behind:]]
        with pytest.raises(sc2bridge.RecordingError):
            recording.at_loop(written.frames[1][first][1])


def _index_bytes(written: Written, chunk: int) -> int:
    """Of the message indexes behind a chunk."""
    at = begin = written.chunk_ends[chunk]
    while written.data[at] == mcap.MESSAGE_INDEX:
        _, length = mcap.HEAD.unpack_from(written.data, at)
        at += mcap.HEAD.size + length
    return at - begin


def test_a_truncated_recording_is_reported(written: Written, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "cut.mcap"
    path.write_bytes(written.data[: written.chunk_ends[4] + 30])
    whole_frames = written.frames_up_to[4][1]
    with sc2bridge.open_recording(path) as recording:
        assert len(recording) == whole_frames and recording.end is None and recording.gaps == []
        assert recording.match.description == written.description
        damage = recording.damage
        assert damage is not None and damage.kind == "truncated" and damage.path == path
        assert recording[-1].step == whole_frames - 1
        # Reading only existing frames raises no error. Reading more does.
        assert len(list(recording[: whole_frames - 1])) == whole_frames - 1
        assert len(list(recording[::-1])) == whole_frames
        for frames in (recording[2:], recording[: whole_frames + 5], recording[::3]):
            with pytest.raises(sc2bridge.RecordingError, match="is cut off at byte .* or is still being written"):
                list(frames)
        with pytest.raises(sc2bridge.RecordingError):
            list(recording.raw())
        with pytest.raises(sc2bridge.RecordingError):
            list(recording.steps)
        assert recording.at_loop(whole_frames - 1).step == whole_frames - 1
        with pytest.raises(sc2bridge.RecordingError):
            recording.at_loop(whole_frames)


def test_a_changed_attachment_is_an_error(written: Written, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "attached.mcap"
    data = bytearray(written.data)
    data[data.index(b"Cinder Fortress LE") + 3] ^= 1
    path.write_bytes(data)
    with sc2bridge.open_recording(path) as recording:
        assert recording[3].step == 3
        with pytest.raises(sc2bridge.RecordingError, match="the attachment game_info's checksum is wrong"):
            recording.match


class _Bytes:
    """Bytes as a source."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self, offset: int, length: int) -> bytes:
        assert 0 <= offset and 0 <= length and offset + length <= self.size
        return self._data[offset : offset + length]


HEADER = b"\x89MCAP0\r\n\x01" + (17).to_bytes(8, "little") + b"\x09\0\0\0sc2bridge\0\0\0\0"


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=40),
            st.tuples(st.integers(0, 255), st.integers(0, 80), st.binary(max_size=80)).map(
                lambda record: bytes([record[0]]) + record[1].to_bytes(8, "little") + record[2]
            ),
        ),
        max_size=8,
    )
)
def test_any_bytes_give_no_chunks_or_the_documented_error(pieces: list[Any]) -> None:
    """For any bytes after a header, an index is read or is missing."""
    for data in (HEADER + b"".join(pieces), b"".join(pieces), HEADER + b"".join(pieces) + b"\x89MCAP0\r\n"):
        try:
            index = read_index(_Bytes(data), ChunkOpener())
        except NoRecordingError:
            continue
        assert not index.chunks


def test_bytes_without_a_checksum_are_read_or_give_the_documented_error(tmp_path: pathlib.Path) -> None:
    """Another program's chunks without checksums: any content is accepted, or refused with the documented error."""
    written = whole(20, compression="", crc=False, chunk_bytes=2500)
    damaged = Damaged(written, tmp_path / "bare.mcap")
    some = random.Random(5)
    refused = 0
    for _ in range(1500):
        # After the first chunk, which is mostly schemas.
        at = some.randrange(written.chunk_ends[0], written.data_end)
        seen, error = damaged.flip({at: some.randrange(1, 256)})
        refused += error is not None
        assert all(len(frames) <= 20 for frames in seen.values())
    assert refused > 50


def test_an_unreadable_attachment_affects_nothing_else(tmp_path: pathlib.Path) -> None:
    """In a file without a summary. Asking for the attachment reports the error."""
    written = whole(20, summary=False)
    data = bytearray(written.data)
    at = len(mcap.MAGIC)
    while data[at] != mcap.ATTACHMENT:
        at += mcap.HEAD.size + mcap.HEAD.unpack_from(data, at)[1]
    data[at + mcap.HEAD.size + 2 * 8 + 3] ^= 0x40  # Its name's length.
    path = tmp_path / "lost.mcap"
    path.write_bytes(data)
    with sc2bridge.open_recording(path) as recording:
        assert recording.damage is None and len(recording) == 20
        with pytest.raises(sc2bridge.RecordingError) as error:
            recording.match
    assert (error.value.kind, error.value.at) == ("damaged", at)


def test_forms_that_are_not_read_are_no_damage(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "other.mcap"
    for summary in (True, False):
        path.write_bytes(whole(20, summary=summary, compression="lz4").data)
        with pytest.raises(sc2bridge.RecordingError, match="mcap compress") as error:
            with sc2bridge.open_recording(path) as recording:
                recording.match
        assert error.value.kind == "foreign"

    message = mcap.MESSAGE_HEAD.pack(mcap.MESSAGE, 22, 1, 0, 0, 0)
    path.write_bytes(mcap.MAGIC + mcap.HEAD.pack(mcap.HEADER, 8) + bytes(8) + message)
    with pytest.raises(sc2bridge.RecordingError, match="puts them into chunks") as error:
        sc2bridge.open_recording(path)
    assert error.value.kind == "foreign"
