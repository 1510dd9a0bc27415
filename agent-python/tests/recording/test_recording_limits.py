"""Recordings that try to use much memory: each is read within 256 MB, or refused in one line."""

from __future__ import annotations

import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import zlib
from typing import Any, Callable, Optional

import mcap_case as mcap
import pytest
import zstandard
from recording_case import Case, whole

import sc2bridge
from sc2bridge.data import Recordings, batches
from sc2bridge.data.datasets import ShuffledFrames
from sc2bridge.recording._mcap import limits
from sc2bridge.recording.play import RecordedBridge
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import recording_pb2

MOST_MEMORY = 256_000_000
OBSERVATIONS, MATCH, OTHER = 1, 2, 100

READ_ALL = """
import json, sys
sys.modules["torch"] = None  # If it is installed, it alone takes 200 MB.
import sc2bridge
from sc2bridge.data.datasets import ShuffledFrames
from sc2bridge.data.recordings import Recordings

def report(read):
    try:
        read()
    except (sc2bridge.SC2BridgeError, LookupError) as error:
        errors.append(str(error))

def each():
    for number in recording.perspectives:
        for frame in recording.perspective(number):
            if frame.step == 0:
                report(lambda: frame.units)
            if frame.step > 100_000:
                break

def shuffled():
    next(iter(ShuffledFrames(Recordings(sys.argv[1]), transform=lambda frame: frame.step)), None)

errors = []
try:
    recording = sc2bridge.open_recording(sys.argv[1])
    for read in (each, shuffled, lambda: recording.match, lambda: recording.end, lambda: recording.gaps):
        report(read)
    report(lambda: sum(1 for _ in recording.requests))
except sc2bridge.SC2BridgeError as error:
    errors.append(str(error))

# Not ru_maxrss: it begins with the maximum of the parent process.
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
print(json.dumps([peak, errors]))
"""


def message(channel: int, data: bytes = b"", sequence: int = 0) -> bytes:
    return struct.pack("<BQHIQQ", mcap.MESSAGE, 22 + len(data), channel, sequence, sequence, sequence) + data


def channel(number: int, topic: str, texts: bytes = b"") -> bytes:
    head = struct.pack("<HH", number, 1) + mcap.text(topic) + mcap.text("protobuf")
    return mcap.record(mcap.CHANNEL, head + struct.pack("<I", len(texts)) + texts)


def attachment(name: str, data: bytes) -> bytes:
    content = struct.pack("<QQ", 0, 0) + mcap.text(name) + mcap.text("") + struct.pack("<Q", len(data)) + data
    return mcap.record(mcap.ATTACHMENT, content + struct.pack("<I", zlib.crc32(content)))


def chunk(piece: bytes, count: int = 1, size: Optional[int] = None) -> bytes:
    """A chunk of one piece, again and again."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    packed = []
    block = max(1, (1 << 20) // len(piece))
    for left in range(count, 0, -block):
        packed.append(compressor.compress(piece * min(left, block)))
    data = b"".join([*packed, compressor.flush()])
    size = len(piece) * count if size is None else size
    return mcap.record(
        mcap.CHUNK, struct.pack("<QQQI", 0, 0, size, 0) + mcap.text("zstd") + struct.pack("<Q", len(data)) + data
    )


def full(piece: bytes) -> bytes:
    """As long a chunk as is read."""
    return chunk(piece, limits.CHUNK // len(piece))


def nested(field: int, content: bytes) -> bytes:
    length, size = b"", len(content)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([field << 3 | 2]) + length + bytes([size]) + content


def ending(summary: bytes = b"", at: int = 0) -> bytes:
    begun = struct.pack("<BQQQ", mcap.FOOTER, 20, at if summary else 0, 0)
    crc = zlib.crc32(begun, zlib.crc32(summary)) if summary else 0
    return summary + begun + struct.pack("<I", crc) + mcap.MAGIC


def indexed(chunks: int, is_one: bool) -> bytes:
    """Empty chunks with an index of each, or one with many indexes."""
    one = mcap.record(mcap.CHUNK, struct.pack("<QQQI", 0, 0, 0, 0) + mcap.text("") + struct.pack("<Q", 0))
    places = [len(HEAD) + (0 if is_one else number * len(one)) for number in range(chunks)]
    summary = channel(OBSERVATIONS, "/observation/0")
    summary += mcap.record(mcap.STATISTICS, struct.pack("<QHIIIIQQI", 0, 0, 1, 0, 0, chunks, 0, 0, 0))
    rest = struct.pack("<Q", 0) + mcap.text("") + struct.pack("<QQ", 0, 0)
    summary += b"".join(
        mcap.record(mcap.CHUNK_INDEX, struct.pack("<QQQQI", 0, 0, at, len(one), 0) + rest) for at in places
    )
    data = one * (1 if is_one else chunks) + mcap.record(mcap.DATA_END, bytes(4))
    return data + ending(summary, len(HEAD) + len(data))


def sparse(chunks: int) -> bytes:
    gap = recording_pb2.MatchRecord(gap=recording_pb2.Gap(first_step=7, steps=1, reason="x" * 40))
    return full(message(MATCH, gap.SerializeToString())) * chunks


def empty(kind: Any, path: str, count: int) -> bytes:
    """A message with many empty ones in it, in the last field of a path."""
    numbers = []
    descriptor = kind.DESCRIPTOR
    for name in path.split("."):
        field = descriptor.fields_by_name[name]
        numbers.append(field.number)
        descriptor = field.message_type
    content = nested(numbers.pop(), b"") * count
    while numbers:
        content = nested(numbers.pop(), content)
    return content


def players() -> bytes:
    return chunk(message(MATCH, empty(recording_pb2.MatchRecord, "start.players", 1_000_000)))


def units() -> bytes:
    path = "observation.raw_data.units"
    return full(message(OBSERVATIONS, empty(sc2api_pb2.ResponseObservation, path, 4_000_000))) * 2


def statistics() -> bytes:
    counts = b"".join(struct.pack("<HQ", number, 1) for number in range(1 << 16))
    one = mcap.record(mcap.STATISTICS, struct.pack("<QHIIIIQQI", 0, 0, 0, 0, 0, 0, 0, 0, len(counts)) + counts)
    data = mcap.record(mcap.DATA_END, bytes(4))
    return data + ending(one * 23, len(HEAD) + len(data))


def many_requests() -> bytes:
    record = recording_pb2.RequestRecord(step=1)
    record.response.query.SetInParent()
    return chunk(channel(OTHER, "/request")) + full(message(OTHER, record.SerializeToString()))


HEAD = mcap.MAGIC + mcap.record(mcap.HEADER, mcap.text("sc2bridge") + mcap.text("test"))
HEAD += channel(OBSERVATIONS, "/observation/0") + channel(MATCH, "/match")

# The content behind the head, and a part of the error; None if all of it is read.
HOSTILE: dict[str, tuple[Callable[[], bytes], Optional[str]]] = {
    "a chunk of 1 GiB": (
        lambda: chunk(message(OBSERVATIONS), (1 << 30) // 31),
        "longer than the limit of 17825792",
    ),
    "a chunk that claims 8 EiB": (
        lambda: chunk(message(OBSERVATIONS), size=2**63),
        "a chunk of 9223372036854775808 bytes",
    ),
    "the shortest messages": (lambda: full(message(OBSERVATIONS)) * 2, None),
    "many messages of another channel in each chunk": (
        lambda: b"".join(chunk(channel(n, f"/o/{n}")) + full(message(n)) for n in range(OTHER, OTHER + 8)),
        None,
    ),
    "a long message": (
        lambda: chunk(message(OBSERVATIONS, bytes((16 << 20) + 1))),
        "a message of 16777217 bytes is longer than the limit of 16777216",
    ),
    "gaps": (lambda: sparse(1), "it has more than 10000 gaps"),
    "attachments": (
        lambda: b"".join(attachment(str(number), b"") for number in range(150_000)),
        "take more than 33554432 bytes of memory",
    ),
    "chunks": (lambda: chunk(channel(OTHER, "/other")) * 140_000, "take more than 33554432 bytes of memory"),
    "indexes of chunks": (lambda: indexed(150_000, is_one=False), "take more than 33554432 bytes of memory"),
    "indexes of one chunk": (lambda: indexed(50_000, is_one=True), None),
    "statistics": (statistics, None),
    "a long record": (lambda: mcap.record(mcap.CHANNEL, bytes(2 << 20)), "a record of 2097152 bytes"),
    "a record that claims 4 EiB": (lambda: struct.pack("<BQ", mcap.METADATA, 1 << 62), "its last record is cut off"),
    "perspectives": (
        lambda: b"".join(channel(OTHER + number, f"/observation/{number}") for number in range(1, 17)),
        "it has more than 16 perspectives",
    ),
    "a long schema in a chunk": (
        lambda: chunk(mcap.record(mcap.SCHEMA, bytes(15 << 20))),
        "a record of 15728640 bytes is longer than the limit of 1048576",
    ),
    "texts of channels": (
        lambda: b"".join(
            chunk(channel(number, "t" * 900_000) + channel(number + 20, "t" * 900_000))
            for number in range(OTHER, OTHER + 20)
        ),
        "take more than 33554432 bytes of memory",
    ),
    "a long attachment": (lambda: attachment("data", bytes(17 << 20)), "an attachment of 17825832 bytes"),
    "empty unit types": (
        lambda: attachment("data", empty(sc2api_pb2.ResponseData, "units", 2 << 20)),
        "the attachment data: it would take more than 50331648 bytes of memory",
    ),
    "empty units behind a group": (
        # Start and end of group 1000.
        lambda: attachment("data", b"\xc3\x3e\xc4\x3e" + empty(sc2api_pb2.ResponseData, "units", 1_000_000)),
        "the attachment data: it would take more than 50331648 bytes of memory",
    ),
    "a long stored chunk": (
        lambda: mcap.record(mcap.CHUNK, bytes(18 << 20)),
        "a chunk of 18874264 bytes is longer than the limit of 17825792",
    ),
    "empty players": (players, "it would take more than 50331648 bytes of memory"),
    "empty units": (units, "the observation of step 0 would take more than 50331648 bytes of memory"),
    "requests": (many_requests, None),
}


# One case for each limit. The others take long to make.
USUAL = (
    "a chunk of 1 GiB",
    "a long message",
    "gaps",
    "a long record",
    "perspectives",
    "empty units",
    "empty units behind a group",
)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    "name", [each if each in USUAL else pytest.param(each, marks=pytest.mark.long) for each in HOSTILE]
)
def test_a_hostile_recording_takes_at_most_256_MB(name: str, tmp_path: pathlib.Path) -> None:
    make, refusal = HOSTILE[name]
    content = make()
    path = tmp_path / "hostile.mcap"
    last = b"" if content.endswith(mcap.MAGIC) else chunk(message(OBSERVATIONS) + message(OBSERVATIONS, sequence=1))
    path.write_bytes(HEAD + content + last + (mcap.record(mcap.DATA_END, bytes(4)) + ending() if last else b""))
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(sc2bridge.__file__).parents[1])}
    ran = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(path)], capture_output=True, text=True, env=environment, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    kilobytes, errors = json.loads(ran.stdout)
    assert kilobytes * 1024 <= MOST_MEMORY
    assert not any("\n" in error for error in errors)
    if refusal is None:
        assert not errors
    else:
        assert any(refusal in error for error in errors), errors


def test_answers_beyond_the_limit_are_reported(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case()
    requests = []
    for step in range(4):
        case.step(step)
        request = sc2api_pb2.Request()
        request.query.pathing.add().end_pos.x = step
        case.request(step=step, request=request, response=sc2api_pb2.Response(id=step))
        requests.append(request)
    path = tmp_path / "match.mcap"
    path.write_bytes(case.close().data)
    for limit, message in ((3, "it has more than 3 recorded answers"), (4, "no answer")):
        monkeypatch.setattr("sc2bridge.recording._mcap.limits.ANSWERS", limit)
        with sc2bridge.open_recording(path) as recording:
            bridge = RecordedBridge(recording, [])
            with pytest.raises(sc2bridge.SC2BridgeError, match=re.escape(message)):
                bridge.request(sc2api_pb2.Request())
            assert bridge.request(requests[2]).id == 2


def test_an_index_of_more_messages_than_fit_into_the_chunk_is_not_believed(tmp_path: pathlib.Path) -> None:
    """A summary counts messages by the lengths of message indexes."""
    empty = mcap.record(mcap.CHUNK, struct.pack("<QQQI", 0, 0, 0, 0) + mcap.text("") + struct.pack("<Q", 0))
    entries = mcap.record(mcap.MESSAGE_INDEX, struct.pack("<HI", OBSERVATIONS, 16_000) + bytes(16_000))
    at = len(HEAD)
    place = struct.pack("<QQQQI", 0, 0, at, len(empty), 10) + struct.pack("<HQ", OBSERVATIONS, at + len(empty))
    place += struct.pack("<Q", len(entries)) + mcap.text("") + struct.pack("<QQ", 0, 0)
    counts = struct.pack("<QHIIIIQQI", 1000, 0, 1, 0, 0, 1, 0, 0, 10) + struct.pack("<HQ", OBSERVATIONS, 1000)
    summary = channel(OBSERVATIONS, "/observation/0") + mcap.record(mcap.STATISTICS, counts)
    summary += mcap.record(mcap.CHUNK_INDEX, place)
    data = HEAD + empty + entries + mcap.record(mcap.DATA_END, bytes(4))
    (tmp_path / "match.mcap").write_bytes(data + ending(summary, len(data)))
    with sc2bridge.open_recording(tmp_path / "match.mcap") as recording:
        assert len(recording) == 0


def test_a_batch_ends_before_it_is_too_large(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "match.mcap").write_bytes(whole(40).data)
    recordings = Recordings(tmp_path)
    assert len(list(batches(recordings))) == 1
    monkeypatch.setattr("sc2bridge.data.tables._MAX_BATCH_BYTES", 20_000)
    parts = list(batches(recordings))
    assert len(parts) > 1
    assert sum(len(set(part["step"])) for part in parts) == 40


def test_shuffled_frames_have_every_chosen_frame_of_all_recordings(tmp_path: pathlib.Path) -> None:
    for name, steps in (("a", 25), ("b", 7), ("c", 40)):
        (tmp_path / f"{name}.mcap").write_bytes(whole(steps).data)
    recordings = Recordings(tmp_path)
    frames = ShuffledFrames(recordings, transform=lambda frame: frame.step, every=2, window=5)
    assert sorted(frames) == sorted([*range(0, 25, 2), *range(0, 7, 2), *range(0, 40, 2)])
    assert len(frames) == 13 + 4 + 20


def test_recordings_are_closed_when_they_take_much_memory(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        (tmp_path / f"{number}.mcap").write_bytes(whole(20).data)
    recordings = Recordings(tmp_path)
    monkeypatch.setattr("sc2bridge.data.recordings._MAX_OPEN_BYTES", 1)
    assert [recordings.open(part)[3].step for part in (0, 1, 2, 3, 0)] == [3] * 5
    assert len(recordings._open) == 1
