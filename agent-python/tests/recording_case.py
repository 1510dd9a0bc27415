"""Small recordings, written in the simplest way from docs/reference/recording-format.md."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Optional

from google.protobuf import descriptor_pb2
from mcap_case import Writer

from sc2bridge.game.words import MatchEnd
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.v1 import bridge_pb2, recording_pb2

BEGAN_NS = 1_700_000_000_000_000_000
STEP_NS = 44_642_857


def descriptors(message: Any) -> bytes:
    """A FileDescriptorSet with everything that a message's file imports, imports first."""
    files: dict[str, Any] = {}

    def add(file: Any) -> None:
        if file.name not in files:
            for dependency in file.dependencies:
                add(dependency)
            files[file.name] = descriptor_pb2.FileDescriptorProto.FromString(file.serialized_pb)

    add(message.DESCRIPTOR.file)
    return bytes(descriptor_pb2.FileDescriptorSet(file=files.values()).SerializeToString())


def observation(loop: int, perspective: int = 0, units: int = 12) -> Any:
    """Equal for equal arguments, and similar to the previous loop's."""
    message = sc2api_pb2.ResponseObservation()
    inner = message.observation
    inner.game_loop = loop
    inner.player_common.minerals = 50 + loop
    for number in range(units):
        some = random.Random(number * 1000 + (loop // 7 if number % 4 else loop))
        unit = inner.raw_data.units.add(
            tag=2**32 + number, unit_type=45, owner=1 + number % 2, alliance=4 if number % 2 else 1, display_type=1
        )
        unit.pos.x, unit.pos.y, unit.pos.z = some.random() * 200, some.random() * 200, perspective
        unit.health = unit.health_max = 45.0
    return message


@dataclass
class Written:
    """The written data, to compare with the read data."""

    data: bytes = b""
    frames: dict[int, list[tuple[int, int, bytes]]] = field(default_factory=dict)
    """Step, game loop and bytes, by perspective."""
    chunk_ends: list[int] = field(default_factory=list)
    """The end of each chunk's record, in bytes of the file."""
    frames_up_to: list[dict[int, int]] = field(default_factory=list)
    """The number of frames of each perspective up to the end of each chunk."""
    data_end: int = 0
    """The end of the last message index."""
    description: Any = None
    end: Any = None


class Case:
    """Writes a recording, a step at a time."""

    def __init__(
        self,
        file: Optional[BinaryIO] = None,
        *,
        perspectives: tuple[int, ...] = (0,),
        step_size: int = 1,
        description: Any = None,
        others_game_info: Optional[dict[int, Any]] = None,
        **options: Any,
    ) -> None:
        """others_game_info: different game info for the perspectives after the first, if any."""
        self.file = file or io.BytesIO()
        self.written = Written(frames={number: [] for number in perspectives})
        self.writer = Writer(self.file, **options)
        self._step_size = step_size
        self._counts = {"/match": 0, "/request": 0}
        self._now = BEGAN_NS
        description = description or bridge_pb2.MatchDescription(
            match_id="m1", map_name="Cinder Fortress LE", simulated=True, seed=7, step_size=step_size
        )
        del description.perspectives[:]
        description.perspectives.extend(perspectives)
        if not description.HasField("game_info"):
            description.game_info.map_name = "Cinder Fortress LE"
            description.data.units.add(unit_id=45, name="SCV")
        self.written.description = description
        attached = {name: getattr(description, name) for name in ("game_info", "data")}
        attached.update((f"game_info_{number}", info) for number, info in (others_game_info or {}).items())
        for name, message in attached.items():
            media_type = f"application/protobuf; proto={message.DESCRIPTOR.full_name}"
            self.writer.attachment(name, media_type, message.SerializeToString(), self._now)
        self.writer.metadata("sc2bridge", {"map": description.map_name, "seed": str(description.seed)})
        schema = self._schema(sc2api_pb2.ResponseObservation)
        self._observations = {number: self.writer.channel(f"/observation/{number}", schema) for number in perspectives}
        self._channels = {
            topic: self.writer.channel(topic, self._schema(kind))
            for topic, kind in (
                ("/step", recording_pb2.StepRecord),
                ("/request", recording_pb2.RequestRecord),
                ("/action", recording_pb2.ActionRecord),
                ("/match", recording_pb2.MatchRecord),
            )
        }
        start = bridge_pb2.MatchDescription()
        start.CopyFrom(description)
        start.ClearField("game_info")
        start.ClearField("data")
        self.match(start=start)

    def end_chunk(self) -> None:
        self.writer.end_chunk()
        self._chunk_ended()

    def _schema(self, message: Any) -> int:
        return self.writer.schema(message.DESCRIPTOR.full_name, descriptors(message))

    def match(self, **record: Any) -> None:
        self._count("/match", recording_pb2.MatchRecord(**record))

    def request(self, **record: Any) -> None:
        self._count("/request", recording_pb2.RequestRecord(**record))

    def _count(self, topic: str, message: Any) -> None:
        self._message(self._channels[topic], self._counts[topic], self._now, self._now, message.SerializeToString())
        self._counts[topic] += 1

    def step(self, step: int, observations: Optional[dict[int, bytes]] = None) -> None:
        """A step's observations, and its row."""
        self._now = BEGAN_NS + step * STEP_NS
        loop = step * self._step_size
        requested, observed = self._now - 500_000, self._now
        for number, channel in self._observations.items():
            data = observations[number] if observations else observation(loop, number).SerializeToString()
            if observations:
                loop = sc2api_pb2.ResponseObservation.FromString(data).observation.game_loop
            self.written.frames[number].append((step, loop, data))
            self._message(channel, step, observed, requested, data)
        row = recording_pb2.StepRecord(step=step, game_loop=loop, game_us=500.0, proto_bytes=len(data))
        self._message(self._channels["/step"], step, observed, requested, row.SerializeToString())

    def _message(self, channel: int, *what: Any) -> None:
        before = self.writer.chunks
        self.writer.message(channel, *what)
        if self.writer.chunks > before:
            self._chunk_ended()

    def _chunk_ended(self) -> None:
        self.written.chunk_ends.append(self.writer.last_chunk_end)
        self.written.frames_up_to.append({number: len(frames) for number, frames in self.written.frames.items()})

    def close(self, *, end: bool = True, **options: Any) -> Written:
        """Ends the recording, and returns its contents."""
        if end:
            last = max((frames[-1] for frames in self.written.frames.values() if frames), default=(0, 0, b""))
            ended = bridge_pb2.MatchEnd(match_id="m1", step=last[0], game_loop=last[1])
            ended.reason = bridge_pb2.END_REASON_STEP_LIMIT
            self.written.end = MatchEnd.of(ended)
            self.match(end=ended)
        before = self.writer.chunks
        self.writer.end_chunk()
        if self.writer.chunks > before:
            self._chunk_ended()
        self.written.data_end = self.file.tell()
        self.writer.close(**options)
        if isinstance(self.file, io.BytesIO):
            self.written.data = self.file.getvalue()
        return self.written


def whole(steps: int = 60, **options: Any) -> Written:
    """A whole recording of small chunks."""
    closing = {name: options.pop(name) for name in ("end", "summary", "crc_of_summary") if name in options}
    if "crc_of_summary" in closing:
        closing["crc"] = closing.pop("crc_of_summary")
    case = Case(**{"chunk_bytes": 6000, **options})
    for step in range(steps):
        case.step(step)
    return case.close(**closing)
