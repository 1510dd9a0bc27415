"""One case of test_recording_peers.py, in a process of its own: `recording_peer_case.py FOLDER`.

Holds this package's reader to `mcap`, the format's own, message by message: what that reads of our files, what we read of
files that it wrote, and what each decodes.
"""

from __future__ import annotations

import io
import pathlib
import sys
from typing import Any

from mcap.reader import NonSeekingReader, make_reader
from mcap.records import Message
from mcap.writer import CompressionType, Writer
from mcap_protobuf.decoder import DecoderFactory
from recording_case import Case, descriptors, observation

import sc2bridge
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import recording_pb2


def ours(path: pathlib.Path) -> dict[str, list[tuple[int, int, int, bytes]]]:
    found = {}
    with sc2bridge.open_recording(path) as recording:
        for topic in recording._file.topics:
            found[topic] = [
                (*recording._file.chunk(number).entry(channel, which)[:3], bytes(data))
                for (channel, number, which), data in recording._file.messages(topic)
            ]
        for number in recording.perspectives:
            frames = [
                (frame.step, frame.observed_unix_ns, frame.requested_unix_ns, bytes(frame.raw))
                for frame in recording.perspective(number)
            ]
            assert frames == found[f"/observation/{number}"]
    return found


def theirs(reader: Any) -> dict[str, list[tuple[int, int, int, bytes]]]:
    found: dict[str, list[tuple[int, int, int, bytes]]] = {}
    for _, channel, message in reader.iter_messages(log_time_order=False):
        found.setdefault(channel.topic, []).append(
            (message.sequence, message.log_time, message.publish_time, message.data)
        )
    return found


def check(path: pathlib.Path, decode: bool = True) -> None:
    """Both of its readers, with every checksum compared."""
    mine = {topic: messages for topic, messages in ours(path).items() if messages}
    with open(path, "rb") as file:
        assert theirs(make_reader(file, validate_crcs=True)) == mine
    with open(path, "rb") as file:
        assert theirs(NonSeekingReader(file, validate_crcs=True)) == mine
    with open(path, "rb") as file, sc2bridge.open_recording(path) as recording:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        attached = {attachment.name: attachment.data for attachment in reader.iter_attachments()}
        for name in ("game_info", "data"):
            message = getattr(recording.match, name)
            assert type(message).FromString(attached.get(name, b"")) == message
        if not decode:
            return
        steps, frames = iter(recording.steps), iter(recording)
        for _, channel, message, decoded in reader.iter_decoded_messages():
            assert isinstance(message, Message)
            if channel.topic == "/step":
                assert decoded.SerializeToString() == next(steps).SerializeToString()
            elif channel.topic == f"/observation/{recording.perspectives[0]}":
                frame = next(frames)
                assert decoded.SerializeToString() == frame.observation.SerializeToString()
                assert decoded.observation.game_loop == frame.game_loop


def written_by_theirs(path: pathlib.Path, **options: Any) -> None:
    """As a program that rewrites MCAP files would."""
    file = io.BytesIO()
    writer = Writer(file, chunk_size=5000, **options)
    writer.start(profile="", library="mcap")
    schema = writer.register_schema(
        "SC2APIProtocol.ResponseObservation", "protobuf", descriptors(sc2api_pb2.ResponseObservation)
    )
    rows = writer.register_schema("sc2bridge.v1.StepRecord", "protobuf", descriptors(recording_pb2.StepRecord))
    channel = writer.register_channel("/observation/1", "protobuf", schema)
    row_channel = writer.register_channel("/step", "protobuf", rows)
    for step in range(40):
        writer.add_message(channel, 10 + step, observation(step).SerializeToString(), 5 + step, step)
        row = recording_pb2.StepRecord(step=step, game_loop=step).SerializeToString()
        writer.add_message(row_channel, 10 + step, row, 5 + step, step)
    writer.finish()
    path.write_bytes(file.getvalue())


def main(folder: pathlib.Path) -> None:
    for number, (perspectives, chunk_bytes) in enumerate((((0,), 6000), ((1, 2), 4000), ((0, 1, 2), 1 << 20))):
        path = folder / f"ours{number}.mcap"
        case = Case(perspectives=perspectives, chunk_bytes=chunk_bytes)
        for step in range(50):
            case.step(step)
        path.write_bytes(case.close().data)
        check(path)
    for number, options in enumerate(
        (
            {"compression": CompressionType.ZSTD},
            {"compression": CompressionType.NONE},
            {"compression": CompressionType.ZSTD, "enable_crcs": False},
            {"compression": CompressionType.ZSTD, "use_statistics": False},
        )
    ):
        path = folder / f"theirs{number}.mcap"
        written_by_theirs(path, **options)
        check(path)
    for path in map(pathlib.Path, sys.argv[2:]):
        check(path)
    print(sc2bridge.__version__, "equal")


main(pathlib.Path(sys.argv[1]))
