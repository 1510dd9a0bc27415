"""What a broker's streams hold, without I/O: messages in, each once and in order; out of them the events of a bridge.

docs/reference/broker-streams.md describes the streams. A message that no publisher sends raises MalformedMessageError, and no
other error.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional

from sc2bridge._protocol.compression import alone
from sc2bridge._protocol.parsing import parse
from sc2bridge.errors import MalformedMessageError
from sc2bridge.v1 import bridge_pb2, recording_pb2

_STREAMS = "sc2bridge.v1alpha1"
DIRECTORY = f"{_STREAMS}.matches"
RUNNING = f"{_STREAMS}.running"

MOST_TO_HEAD = 64
"""A head comes at least so often, in frames."""

_MOST_BETWEEN = 4096
"""After so many messages that were not the next one, that one does not come any more."""

_KEY = re.compile(r"[a-z0-9-]{1,64}")
_log = logging.getLogger("sc2bridge")


def stream_of(key: str, perspective: Optional[int] = None) -> str:
    """The stream of a match, or of the frames of a perspective. Raises MalformedMessageError for a key that is none."""
    if not _KEY.fullmatch(key):
        raise MalformedMessageError(f"{key[:80]!r} is no match's key")
    return f"{_STREAMS}.{key}" if perspective is None else f"{_STREAMS}.{key}.{perspective}"


@dataclass(frozen=True)
class Message:
    """A message of a stream."""

    kind: str
    number: int
    """The publisher's, which counts the stream's messages from 0."""
    offset: int
    """The broker's."""
    body: bytes
    headers: Mapping[str, Any]

    @property
    def is_head(self) -> bool:
        """A frame that needs none before it."""
        return self.kind == "frame" and self.headers.get("head") is True

    def header(self, name: str) -> int:
        """A number: `loop`, `step`, `time` …; 0 where there is none."""
        value = self.headers.get(name)
        return value if isinstance(value, int) else 0

    def content(self, kind: Any) -> Any:
        """The body as a message of a class, decompressed where it was compressed. Raises MalformedMessageError."""
        return parse(kind, alone(self.body).get() if self.headers.get("zstd") else self.body)


def read_message(properties: Any, body: bytes) -> Message:
    """A delivery, with the properties of AMQP as pika has them. Raises MalformedMessageError."""
    headers = properties.headers if isinstance(properties.headers, Mapping) else {}
    offset, number = headers.get("x-stream-offset"), properties.message_id
    if not isinstance(offset, int) or offset < 0:
        raise MalformedMessageError("a message without a stream's offset: the queue is no stream")
    if not (isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20):
        raise MalformedMessageError(f"the message at offset {offset} has no publisher's number: no bridge published it")
    headers = {**headers, "zstd": properties.content_encoding == "zstd"}
    return Message(str(properties.type or ""), int(number), offset, bytes(body), headers)


class Published:
    """The stream of a perspective, as a bridge would send it: frames, moves of the playback, the end.

    latest: whether only the newest frame is wanted of those that are there.
    begins: whether a frame is one to begin with; those before it are read, and not given.
    """

    def __init__(self, latest: bool, begins: Callable[[Message], bool]) -> None:
        self.offset = -1
        """Of the newest message that was seen: behind it is read on."""
        self._latest = latest
        self._begins: Optional[Callable[[Message], bool]] = begins
        self._next: Optional[int] = None
        self._between = 0
        self._lost = False
        self._ready: list[Any] = []
        self._group = 0
        self._passed = 0
        self._pieces: dict[int, tuple[bytes, int]] = {}
        self._step: Optional[int] = None

    def take(self, message: Message) -> None:
        """Takes a message as the broker gives it. Raises MalformedMessageError."""
        if not self._is_next(message):
            return
        if message.kind == "frame":
            self._frame(message)
        elif message.kind == "playback":
            # What waited is of before the move.
            self._ready = [each for each in self._ready if not each.HasField("frame")]
            self._ready.append(message.content(bridge_pb2.PlayResponse))
        elif message.kind == "gap":
            gap = message.content(recording_pb2.Gap)
            _log.warning("%d frames from step %d were not published: %s", gap.steps, gap.first_step, gap.reason)
        elif message.kind == "end":
            self._ready.append(bridge_pb2.PlayResponse(match_end=message.content(bridge_pb2.MatchEnd)))

    def pop(self) -> Optional[bytes]:
        """The next event, serialized; None where there is none now."""
        if not self._ready:
            return None
        event = self._ready.pop(0)
        if event.HasField("frame"):
            self._complete(event.frame)
        elif event.HasField("playback"):
            self._step = None
        serialized: bytes = event.SerializeToString()
        return serialized

    def abort(self, detail: str) -> None:
        """Ends the match, because nothing more comes."""
        end = bridge_pb2.MatchEnd(reason=bridge_pb2.END_REASON_FAILED, detail=detail, aborted=True)
        self._ready.append(bridge_pb2.PlayResponse(match_end=end))

    def _is_next(self, message: Message) -> bool:
        if message.offset <= self.offset:  # The broker gives a whole chunk, of which some was seen.
            return False
        is_ahead = self._next is not None and message.number > self._next
        # The broker leaves none out but those that it does not keep any more.
        self._lost |= is_ahead and self.offset >= 0 and message.offset != self.offset + 1
        self.offset = message.offset
        if self._next is not None and (self._lost or message.number != self._next):
            self._between += is_ahead
            self._lost |= self._between > _MOST_BETWEEN
            if not self._lost or message.number < self._next or not _is_beginning(message):
                return False
            _log.warning("frames are lost that were published: the broker does not keep them any more")
        elif self._next is None and not _is_beginning(message):
            return False
        self._next, self._between, self._lost = message.number + 1, 0, False
        return True

    def _frame(self, message: Message) -> None:
        event = message.content(bridge_pb2.PlayResponse)
        if event.frame.WhichOneof("payload") != "block":
            raise MalformedMessageError(f"the frame at offset {message.offset} is no block of a group")
        block = event.frame.block
        if len(block.earlier) != len(block.earlier_sizes) or len(block.earlier) > block.index:
            raise MalformedMessageError(f"the block at offset {message.offset} does not tell what is before it")
        if block.group != self._group:
            self._group, self._passed, self._pieces = block.group, 0, {}
        earlier = zip(range(block.index - len(block.earlier), block.index), block.earlier, block.earlier_sizes)
        self._pieces.update((index, (data, size)) for index, data, size in earlier if index >= self._passed)
        self._pieces[block.index] = (block.data, block.size)
        if self._begins is not None:
            if not self._begins(message):
                return
            self._begins = None
        if self._latest:
            self._ready = [each for each in self._ready if not each.HasField("frame")]
        self._ready.append(event)

    def _complete(self, frame: Any) -> None:
        """Gives a frame the blocks that lie between it and the last one, and tells of those that do."""
        block = frame.block
        if block.group == self._group:
            before = [self._pieces.pop(index) for index in range(self._passed, block.index) if index in self._pieces]
            del block.earlier[:], block.earlier_sizes[:]
            block.earlier.extend(data for data, _ in before)
            block.earlier_sizes.extend(size for _, size in before)
            self._passed = block.index + 1
            self._pieces = {index: piece for index, piece in self._pieces.items() if index >= self._passed}
        missing = 0 if self._step is None else frame.step - self._step - 1
        if missing > 0 and not frame.HasField("skipped"):
            frame.skipped.frames, frame.skipped.first_step = missing, frame.step - missing
            frame.skipped.truncated_frames = missing
        self._step = frame.step


def _is_beginning(message: Message) -> bool:
    return message.is_head or message.kind == "end"  # A match may end before the next head.


def search(low: int, high: int, head_at: Callable[[int], Optional[Message]], beyond: Callable[[Message], bool]) -> int:
    """The offset of the last head that is not beyond something, or of the first message.

    low: the offset of the first head. high: one behind all. head_at: gives the first head from an offset on.
    """
    found = low
    while low + 1 < high:
        middle = (low + high) // 2
        head = head_at(middle)
        if head is not None and not beyond(head):
            found = max(found, head.offset)
            low = max(middle, head.offset)
        else:
            high = middle
    return found
