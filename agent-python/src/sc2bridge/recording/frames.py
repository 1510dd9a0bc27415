"""The frames of one perspective of a recording: by index, by slice, by game loop, one after another."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union, overload

from sc2bridge._protocol.envelope import Envelope
from sc2bridge.game.frame import Frame
from sc2bridge.game.names import unit_types
from sc2bridge.recording._mcap.chunk import Messages
from sc2bridge.recording._mcap.file import RecordingFile
from sc2bridge._protocol.messages import game_loop
from sc2bridge.recording._mcap.index import OBSERVATIONS
from sc2bridge.recording.described import Described
from sc2bridge.recording.parsed_size import check_parsed_size
from sc2bridge.recording.seek import Span, chunk_of
from sc2bridge.s2clientprotocol import sc2api_pb2

LOOPS_PER_SECOND = 22.4
"""Game loops in a second of game time, at the speed "faster" that matches are played at."""


_UNREAD = -1


def _of_a_bridge(what: str) -> Any:
    """A time that a recorded frame does not have."""

    def missing(frame: Frame) -> int:
        raise AttributeError(
            f"a recorded frame has {what}_unix_ns, nanoseconds since 1970: {what}_ns is of a running bridge's clock"
        )

    return property(missing)


class RecordedFrame(Frame):
    """A frame of a recording: what an agent had live. `requested_ns` and `observed_ns` are of a running bridge's clock, which a
    recording does not have: it has `requested_unix_ns` and `observed_unix_ns`."""

    __slots__ = ()

    requested_ns = _of_a_bridge("requested")
    observed_ns = _of_a_bridge("observed")

    @property
    def requested_unix_ns(self) -> int:
        """When the bridge requested the observation, in nanoseconds since 1970."""
        return self._envelope.requested_ns

    @property
    def observed_unix_ns(self) -> int:
        """When the bridge held the answer, in nanoseconds since 1970."""
        return self._envelope.observed_ns

    def __init__(self, envelope: Envelope, raw: memoryview) -> None:
        super().__init__(envelope, raw, "proto", time.monotonic_ns(), len(raw))

    @property
    def game_loop(self) -> int:
        """The game's own clock, read from the observation's bytes when it is first asked for."""
        if self._envelope.game_loop == _UNREAD:
            self._envelope.game_loop = game_loop(self.raw)  # type: ignore[arg-type]
        return self._envelope.game_loop

    def _serialized(self) -> Union[bytes, memoryview]:
        raw = super()._serialized()
        check_parsed_size(sc2api_pb2.ResponseObservation, raw, f"the observation of step {self.step}")
        return raw


class Track:
    """Where a perspective's observations are: in which chunk, and the how manieth each chunk begins with."""

    def __init__(self, file: RecordingFile, described: Described, perspective: int) -> None:
        self.file = file
        self.match_id = described.start.match_id
        self.perspective = perspective
        self.unit_types = unit_types(lambda: _data(described))
        channel = file.topics.get(topic(perspective), -1)
        self.channel = channel
        self.chunks: list[int] = []
        self.starts: list[int] = []
        self.count = 0
        for number, place in enumerate(file.index.chunks):
            if place.counts.get(channel):
                self.chunks.append(number)
                self.starts.append(self.count)
                self.count += place.counts[channel]

    def end(self, at: int) -> int:
        """The index behind the last one in a chunk."""
        return self.starts[at + 1] if at + 1 < len(self.starts) else self.count

    def frame(self, messages: Messages, which: int, alone: bool = False) -> RecordedFrame:
        """The frame at a place in its chunk; with bytes of its own where it is to be `alone`."""
        sequence, log_time, publish_time, begin, end = messages.entry(self.channel, which)
        envelope = Envelope(self.match_id, self.perspective, sequence, _UNREAD, publish_time, log_time)
        raw = messages.data[begin:end]
        frame = RecordedFrame(envelope, memoryview(bytes(raw)) if alone else raw)
        frame.unit_types = self.unit_types
        return frame


def _data(described: Described) -> sc2api_pb2.ResponseData:
    """The game's constants. Raises RecordingError if they are damaged."""
    try:
        return described.first.data
    except ValueError:  # The recording was closed before a name was asked for.
        return sc2api_pb2.ResponseData()


def topic(perspective: int) -> str:
    """The channel of a perspective's observations."""
    return f"{OBSERVATIONS}{perspective}"


class Frames(Sequence[Frame]):
    """Frames of a perspective: some, or all. Each is read when it is asked for, and none is kept.

    A frame shows bytes of its chunk (some 8 MiB) and keeps it in memory as long as it is kept itself.
    """

    def __init__(self, track: Track, indexes: range, to_the_end: bool) -> None:
        self._track = track
        self._indexes = indexes
        self._to_the_end = to_the_end
        """Whether these are to be all up to the recording's end, so that iterating raises at damage."""

    def __len__(self) -> int:
        return len(self._indexes)

    @overload
    def __getitem__(self, which: int) -> Frame:
        ...

    @overload
    def __getitem__(self, which: slice) -> Frames:
        ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Frame, Frames]:
        """A frame by its index, or those of a slice, which are read as they are asked for.

        Raises IndexError, and RecordingError where the frame's chunk is damaged.
        """
        if isinstance(which, slice):
            forward = which.step is None or which.step > 0
            to_the_end = forward and (which.stop is None or which.stop > len(self))
            return Frames(self._track, self._indexes[which], self._to_the_end and to_the_end)
        try:
            index = self._indexes[which]
        except IndexError:
            raise IndexError(f"frame {which} of {len(self)}") from None
        track = self._track
        at = bisect_right(track.starts, index) - 1
        return track.frame(track.file.chunk(track.chunks[at]), index - track.starts[at])

    def __iter__(self) -> Iterator[Frame]:
        """The frames in order. Raises RecordingError behind the last whole one where there should be more."""
        track = self._track
        for messages, places in self._chunks():
            for place in places[:-1]:
                yield track.frame(messages, place)
            last = track.frame(messages, places[-1], alone=True)
            del messages
            yield last

    def __reversed__(self) -> Iterator[Frame]:
        return iter(Frames(self._track, self._indexes[::-1], False))

    def raw(self) -> Iterator[memoryview]:
        """The frames' bytes and nothing else: each a serialized ResponseObservation, as the game sent it."""
        for messages, places in self._chunks():
            data, channel = messages.data, self._track.channel
            for place in places[:-1]:
                _, _, _, begin, end = messages.entry(channel, place)
                yield data[begin:end]
            _, _, _, begin, end = messages.entry(channel, places[-1])
            last = memoryview(bytes(data[begin:end]))
            del messages, data
            yield last

    def _chunks(self) -> Iterator[tuple[Messages, range]]:
        """The chunks that hold these frames, one after another, and where in each they are."""
        track, indexes = self._track, self._indexes
        while indexes:
            at = bisect_right(track.starts, indexes[0]) - 1
            begin = track.starts[at]
            if indexes.step > 0:
                inside = range(indexes.start, min(indexes.stop, track.end(at)), indexes.step)
            else:
                inside = range(indexes.start, max(indexes.stop, begin - 1), indexes.step)
            indexes = indexes[len(inside) :]
            yield track.file.chunk(track.chunks[at]), range(
                inside.start - begin, inside.start - begin + len(inside) * inside.step, inside.step
            )
        damage = track.file.index.damage
        if self._to_the_end and damage is not None:
            raise track.file.error(damage)


class Perspective(Frames):
    """All frames of a perspective."""

    def __init__(self, file: RecordingFile, described: Described, perspective: int) -> None:
        self._spans: dict[int, Span] = {}
        self._step_size = described.start.step_size
        track = Track(file, described, perspective)
        super().__init__(track, range(track.count), True)

    @property
    def perspective(self) -> int:
        """A player id, 0 for an observer of all."""
        return self._track.perspective

    def at_loop(self, loop: int) -> Frame:
        """The frame of a game loop, or the next that there is.

        Raises LookupError for a loop after the last frame, RecordingError where that is damaged.
        """
        return self[self.index_of(loop)]

    def at_time(self, seconds: float) -> Frame:
        """The frame of a time in the game, of 22.4 game loops a second, or the next that there is. Raises as `at_loop`."""
        # Seconds that were made of a loop are to find it, whichever way they were rounded.
        return self.at_loop(math.ceil(seconds * LOOPS_PER_SECOND - 1e-6))

    def between(self, first: Optional[int], last: Optional[int]) -> Frames:
        """The frames from one game loop to another, both with them; None for the first and the last there are.

        Raises as `at_loop` for both, and LookupError where the first is behind the last.
        """
        if first is not None and last is not None and first > last:
            raise LookupError(f"loops {first} to {last}: the first is behind the last")
        begin = None if first is None else self.index_of(first)
        if last is None:
            return self[begin:]
        end = self.index_of(last)
        while end < len(self) and self[end].game_loop <= last:
            end += 1
        return self[begin:end]

    def index_of(self, loop: int) -> int:
        """The index of `at_loop`'s frame. Raises as it does. Two or three chunks are opened to find it."""
        track = self._track
        at = chunk_of(loop, track.starts, self._step_size or 1, self._span)
        if at == len(track.starts):
            if track.file.index.damage is not None:
                raise track.file.error(track.file.index.damage)
            last = f"the last frame is of loop {self[-1].game_loop}" if track.count else "there is no frame"
            raise LookupError(f"loop {loop}: {last}")
        begin, end = track.starts[at], track.end(at) - 1
        while begin < end:
            middle = (begin + end) // 2
            if self[middle].game_loop < loop:
                begin = middle + 1
            else:
                end = middle
        return begin

    def _span(self, at: int) -> Span:
        if at not in self._spans:
            first, end = self._track.starts[at], self._track.end(at)
            self._spans[at] = Span(self[first].game_loop, self[end - 1].game_loop, end - first)
        return self._spans[at]
