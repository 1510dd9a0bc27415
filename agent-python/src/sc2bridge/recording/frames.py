"""The frames of one perspective of a recording: by index, slice or game loop, or by iteration."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union, overload

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game.frame import Frame
from sc2bridge.game.ground import Ground
from sc2bridge.game.names import unit_types
from sc2bridge.recording._mcap.chunk import Messages
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge._protocol.messages import game_loop
from sc2bridge.recording._mcap.index import OBSERVATIONS
from sc2bridge.recording.described import RecordedMatch
from sc2bridge.recording.parsed_size import check_parsed_size
from sc2bridge.recording.seek import ChunkSpan, find_chunk
from sc2bridge.s2clientprotocol import sc2api_pb2

LOOPS_PER_SECOND = 22.4
"""Game loops in a second at the speed "faster", at which matches are played."""

_UNREAD_LOOP = -1


def _live_time(name: str) -> Any:
    """A property for a time that a recorded frame lacks. Raises AttributeError on access."""

    def missing(frame: Frame) -> int:
        raise AttributeError(f"a recorded frame has no {name}_ns: use {name}_unix_ns, nanoseconds since 1970")

    return property(missing)


class RecordedFrame(Frame):
    """A frame of a recording, as an agent received it live. The times `requested_ns` and `observed_ns` are
    missing, because their clock only exists in a running bridge: use `requested_unix_ns` and `observed_unix_ns`."""

    __slots__ = ()

    requested_ns = _live_time("requested")
    observed_ns = _live_time("observed")

    @property
    def requested_unix_ns(self) -> int:
        """When the bridge requested the observation, in nanoseconds since 1970."""
        return self._envelope.requested_ns

    @property
    def observed_unix_ns(self) -> int:
        """When the bridge had received the observation, in nanoseconds since 1970."""
        return self._envelope.observed_ns

    def __init__(self, envelope: Envelope, raw: memoryview) -> None:
        super().__init__(envelope, raw, "proto", time.monotonic_ns(), len(raw))

    @property
    def game_loop(self) -> int:
        """The game loop. It is read from the observation's bytes on first use."""
        if self._envelope.game_loop == _UNREAD_LOOP:
            self._envelope.game_loop = game_loop(self.raw)  # type: ignore[arg-type]
        return self._envelope.game_loop

    def _serialized(self) -> Union[bytes, memoryview]:
        raw = super()._serialized()
        check_parsed_size(sc2api_pb2.ResponseObservation, raw, f"the observation of step {self.step}")
        return raw


class FrameLocations:
    """Where the frames of a perspective are in the file. `chunks` has the numbers of the chunks with frames. For each
    of these chunks, `starts` has the index of its first frame. `count` is the number of frames."""

    def __init__(self, file: RecordingFile, match: RecordedMatch, perspective: int) -> None:
        self.file = file
        self.match_id = match.bare_description.match_id
        self.perspective = perspective
        self.unit_types = unit_types(lambda: _game_data(match))
        self._ground = Ground(lambda: match.first_description.game_info)
        channel = file.topics.get(observation_topic(perspective), -1)
        self.channel = channel
        self.chunks: list[int] = []
        self.starts: list[int] = []
        self.count = 0
        for number, chunk in enumerate(file.index.chunks):
            if chunk.counts.get(channel):
                self.chunks.append(number)
                self.starts.append(self.count)
                self.count += chunk.counts[channel]

    def end(self, at: int) -> int:
        """The index after the last frame of the chunk with the number `chunks[at]`."""
        return self.starts[at + 1] if at + 1 < len(self.starts) else self.count

    def frame(self, messages: Messages, position: int, copies: bool = False) -> RecordedFrame:
        """Reads a frame by its position in a chunk. copies: whether the frame gets a copy of its bytes, so that it does
        not keep the chunk in memory."""
        sequence, log_time, publish_time, begin, end = messages.entry(self.channel, position)
        envelope = Envelope(self.match_id, self.perspective, sequence, _UNREAD_LOOP, publish_time, log_time)
        raw = messages.data[begin:end]
        frame = RecordedFrame(envelope, memoryview(bytes(raw)) if copies else raw)
        frame.unit_types, frame._ground = self.unit_types, self._ground
        return frame


def _game_data(match: RecordedMatch) -> sc2api_pb2.ResponseData:
    """The game's constants; empty if the recording is closed. Raises RecordingError if they are damaged."""
    try:
        return match.first_description.data
    except ValueError:  # The recording was closed before a name was needed.
        return sc2api_pb2.ResponseData()


def observation_topic(perspective: int) -> str:
    return f"{OBSERVATIONS}{perspective}"


class Frames(Sequence[Frame]):
    """Some or all frames of a perspective. A frame is read on each access, and not cached.

    A frame refers to the bytes of its chunk (about 8 MiB) and keeps the chunk in memory.
    """

    def __init__(self, locations: FrameLocations, indexes: range, reaches_end: bool) -> None:
        self._locations = locations
        self._indexes = indexes
        self._reaches_end = reaches_end
        """Whether the frames reach the recording's end. If so, an iteration raises the error for damage there."""

    def __len__(self) -> int:
        return len(self._indexes)

    @overload
    def __getitem__(self, which: int) -> Frame:
        ...

    @overload
    def __getitem__(self, which: slice) -> Frames:
        ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Frame, Frames]:
        """Reads a frame by its index. For a slice, returns its frames, which are read on access.

        Raises IndexError, and RecordingError if the frame's chunk is damaged.
        """
        if isinstance(which, slice):
            forward = which.step is None or which.step > 0
            reaches_end = forward and (which.stop is None or which.stop > len(self))
            return Frames(self._locations, self._indexes[which], self._reaches_end and reaches_end)
        try:
            index = self._indexes[which]
        except IndexError:
            raise IndexError(f"frame {which} does not exist: there are {len(self)} frames") from None
        locations = self._locations
        at = bisect_right(locations.starts, index) - 1
        return locations.frame(locations.file.chunk(locations.chunks[at]), index - locations.starts[at])

    def __iter__(self) -> Iterator[Frame]:
        """Reads the frames in order. Raises RecordingError before the first frame that is damaged or missing."""
        locations = self._locations
        for messages, positions in self._chunks():
            for position in positions[:-1]:
                yield locations.frame(messages, position)
            last = locations.frame(messages, positions[-1], copies=True)
            del messages
            yield last

    def __reversed__(self) -> Iterator[Frame]:
        return iter(Frames(self._locations, self._indexes[::-1], False))

    def raw(self) -> Iterator[memoryview]:
        """Reads the bytes of each frame: a serialized ResponseObservation, as the game sent it."""
        for messages, positions in self._chunks():
            data, channel = messages.data, self._locations.channel
            for position in positions[:-1]:
                _, _, _, begin, end = messages.entry(channel, position)
                yield data[begin:end]
            _, _, _, begin, end = messages.entry(channel, positions[-1])
            last = memoryview(bytes(data[begin:end]))
            del messages, data
            yield last

    def _chunks(self) -> Iterator[tuple[Messages, range]]:
        """The chunks that contain these frames, in order, with the frames' positions in each chunk."""
        file = self._locations.file
        for number, positions in self._positions():
            yield file.chunk(number), positions
        if self._reaches_end and file.index.damage is not None:
            raise file.error(file.index.damage)

    def _positions(self) -> Iterator[tuple[int, range]]:
        """The numbers of the chunks that contain these frames, in order, with the frames' positions in each chunk."""
        locations, indexes = self._locations, self._indexes
        while indexes:
            at = bisect_right(locations.starts, indexes[0]) - 1
            begin = locations.starts[at]
            if indexes.step > 0:
                indexes_in_chunk = range(indexes.start, min(indexes.stop, locations.end(at)), indexes.step)
            else:
                indexes_in_chunk = range(indexes.start, max(indexes.stop, begin - 1), indexes.step)
            indexes = indexes[len(indexes_in_chunk) :]
            yield locations.chunks[at], range(
                indexes_in_chunk.start - begin,
                indexes_in_chunk.start - begin + len(indexes_in_chunk) * indexes_in_chunk.step,
                indexes_in_chunk.step,
            )


class Perspective(Frames):
    """All frames of a perspective."""

    def __init__(self, file: RecordingFile, match: RecordedMatch, perspective: int) -> None:
        self._spans: dict[int, ChunkSpan] = {}
        self._step_size = match.bare_description.step_size
        locations = FrameLocations(file, match, perspective)
        super().__init__(locations, range(locations.count), True)

    @property
    def perspective(self) -> int:
        """A player id, or 0 for an observer of all players."""
        return self._locations.perspective

    def at_loop(self, loop: int) -> Frame:
        """The frame of a game loop, or the next recorded frame. Raises LookupError for a loop after the last frame,
        RecordingError if the chunk with the loop is damaged or missing."""
        return self[self.index_of(loop)]

    def at_time(self, seconds: float) -> Frame:
        """The frame at a game time in seconds (22.4 game loops a second), or the next recorded frame. Raises the errors
        of `at_loop`."""
        # The tolerance finds the right loop if `seconds` was computed from a loop and then rounded.
        return self.at_loop(math.ceil(seconds * LOOPS_PER_SECOND - 1e-6))

    def between(self, first_loop: Optional[int], last_loop: Optional[int]) -> Frames:
        """The frames from game loop `first_loop` to `last_loop`, both included; None for no limit. Raises the errors of
        `at_loop`, and LookupError if `first_loop` is greater than `last_loop`."""
        if first_loop is not None and last_loop is not None and first_loop > last_loop:
            raise LookupError(f"loops {first_loop} to {last_loop}: the first must not be greater than the last")
        begin = None if first_loop is None else self.index_of(first_loop)
        if last_loop is None:
            return self[begin:]
        end = self.index_of(last_loop)
        while end < len(self) and self[end].game_loop <= last_loop:
            end += 1
        return self[begin:end]

    def index_of(self, loop: int) -> int:
        """The index of the frame that `at_loop` returns. Raises the errors of `at_loop`. Reads two or three chunks."""
        locations = self._locations
        at = find_chunk(loop, locations.starts, self._step_size or 1, self._chunk_span)
        if at == len(locations.starts):
            if locations.file.index.damage is not None:
                raise locations.file.error(locations.file.index.damage)
            last = (
                f"the last frame is of loop {self[-1].game_loop}" if locations.count else "the recording has no frames"
            )
            raise LookupError(f"loop {loop}: {last}")
        begin, end = locations.starts[at], locations.end(at) - 1
        while begin < end:
            middle = (begin + end) // 2
            if self[middle].game_loop < loop:
                begin = middle + 1
            else:
                end = middle
        return begin

    def _chunk_span(self, at: int) -> ChunkSpan:
        if at not in self._spans:
            first, end = self._locations.starts[at], self._locations.end(at)
            self._spans[at] = ChunkSpan(self[first].game_loop, self[end - 1].game_loop, end - first)
        return self._spans[at]
