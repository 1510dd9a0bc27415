"""Converts the messages of a broker's streams to the events of a bridge, in order. There is no I/O here.

docs/reference/broker-streams.md describes the streams. Invalid messages raise MalformedMessageError and no other error.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Optional

from sc2bridge._protocol.compression import open_zstd_frame
from sc2bridge._protocol.parsing import parse
from sc2bridge.errors import MalformedMessageError
from sc2bridge.v1 import bridge_pb2, recording_pb2

_STREAM_PREFIX = "sc2bridge.v1alpha1"
DIRECTORY_STREAM = f"{_STREAM_PREFIX}.matches"
RUNNING_STREAM = f"{_STREAM_PREFIX}.running"

MAX_HEAD_DISTANCE = 64
"""The largest distance between two heads (see `Message.is_head`), in frames."""

_MAX_OTHER_MESSAGES = 4096
"""If the expected message does not arrive before this number of other messages, it is considered lost."""

_KEY = re.compile(r"[a-z0-9-]{1,64}")
_log = logging.getLogger("sc2bridge")


def stream_of(key: str, perspective: Optional[int] = None) -> str:
    """The name of a match's stream, or of a perspective's stream. Raises MalformedMessageError for an invalid key."""
    if not _KEY.fullmatch(key):
        raise MalformedMessageError(f"{key[:80]!r} is not a key of a match: expected 1 to 64 of a-z, 0-9 and -")
    return f"{_STREAM_PREFIX}.{key}" if perspective is None else f"{_STREAM_PREFIX}.{key}.{perspective}"


@dataclass(frozen=True)
class Message:
    """A message of a stream."""

    kind: str
    number: int
    """The publisher's number of the message; 0 for the first message of a stream."""
    offset: int
    """The offset that the broker gave the message."""
    body: bytes
    headers: Mapping[str, Any]

    @property
    def is_head(self) -> bool:
        """Whether the message is a head: a frame that can be decompressed without earlier frames."""
        return self.kind == "frame" and self.headers.get("head") is True

    def header(self, name: str) -> int:
        """A number in the headers, such as `loop`, `step` or `time`; 0 if the header is missing."""
        value = self.headers.get(name)
        return value if isinstance(value, int) else 0

    def content(self, message_class: Any) -> Any:
        """Decompresses the body if needed, and parses the body as a message of the class `message_class`. Raises
        MalformedMessageError."""
        return parse(message_class, open_zstd_frame(self.body).get() if self.headers.get("zstd") else self.body)


def read_message(properties: Any, body: bytes) -> Message:
    """Reads a message that the broker delivered. properties: pika's AMQP properties. Raises MalformedMessageError."""
    headers = properties.headers if isinstance(properties.headers, Mapping) else {}
    offset, number = headers.get("x-stream-offset"), properties.message_id
    if not isinstance(offset, int) or offset < 0:
        raise MalformedMessageError("a message has no stream offset: the queue is not a stream")
    if not (isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 20):
        raise MalformedMessageError(f"the message at offset {offset} has no valid number, so no bridge published it")
    headers = {**headers, "zstd": properties.content_encoding == "zstd"}
    return Message(str(properties.type or ""), int(number), offset, bytes(body), headers)


class PublishedStream:
    """Converts the stream of a perspective to the events that a bridge would send: frames, seeks of the playback, and
    the match's end.

    latest: whether a newer frame replaces frames that were not returned yet.
    may_begin: whether a frame may be the first one to return. Frames before that one are read but not returned.
    """

    def __init__(self, latest: bool, may_begin: Callable[[Message], bool]) -> None:
        self.offset = -1
        """The broker's offset of the newest message. Reading resumes after this offset."""
        self._latest_only = latest
        self._may_begin: Optional[Callable[[Message], bool]] = may_begin
        self._expected_number: Optional[int] = None
        self._other_message_count = 0
        self._is_lost = False
        self._events: list[Any] = []
        self._group_number = 0
        self._next_block_index = 0
        self._blocks: dict[int, tuple[bytes, int]] = {}
        self._last_step: Optional[int] = None

    def add(self, message: Message) -> None:
        """Handles the next message of the broker. Raises MalformedMessageError."""
        if not self._accept(message):
            return
        if message.kind == "frame":
            self._add_frame(message)
        elif message.kind == "playback":
            # Frames before the seek are dropped.
            self._events = [each for each in self._events if not each.HasField("frame")]
            self._events.append(message.content(bridge_pb2.PlayResponse))
        elif message.kind == "gap":
            gap = message.content(recording_pb2.Gap)
            _log.warning("%d frames from step %d were not published: %s", gap.steps, gap.first_step, gap.reason)
        elif message.kind == "end":
            self._events.append(bridge_pb2.PlayResponse(match_end=message.content(bridge_pb2.MatchEnd)))

    def pop(self) -> Optional[bytes]:
        """Removes and returns the next event, serialized; None if no event is ready."""
        if not self._events:
            return None
        event = self._events.pop(0)
        if event.HasField("frame"):
            self._complete_frame(event.frame)
        elif event.HasField("playback"):
            self._last_step = None
        serialized: bytes = event.SerializeToString()
        return serialized

    def abort(self, detail: str) -> None:
        """Adds an event that ends the match as failed, because the publisher was lost."""
        end = bridge_pb2.MatchEnd(reason=bridge_pb2.END_REASON_FAILED, detail=detail, aborted=True)
        self._events.append(bridge_pb2.PlayResponse(match_end=end))

    def _accept(self, message: Message) -> bool:
        """Whether to handle a message: True for the expected message, and for a head after messages were lost."""
        if message.offset <= self.offset:  # The broker sends whole chunks, so a message may arrive twice.
            return False
        is_ahead = self._expected_number is not None and message.number > self._expected_number
        # Offsets are consecutive, unless the broker has deleted messages.
        self._is_lost |= is_ahead and self.offset >= 0 and message.offset != self.offset + 1
        self.offset = message.offset
        if self._expected_number is not None and (self._is_lost or message.number != self._expected_number):
            self._other_message_count += is_ahead
            self._is_lost |= self._other_message_count > _MAX_OTHER_MESSAGES
            if not self._is_lost or message.number < self._expected_number or not _can_begin_at(message):
                return False
            _log.warning("published frames are lost: the broker has already deleted them")
        elif self._expected_number is None and not _can_begin_at(message):
            return False
        self._expected_number, self._other_message_count, self._is_lost = message.number + 1, 0, False
        return True

    def _add_frame(self, message: Message) -> None:
        event = message.content(bridge_pb2.PlayResponse)
        if event.frame.WhichOneof("payload") != "block":
            raise MalformedMessageError(f"the frame at offset {message.offset} is not a block of a group")
        block = event.frame.block
        if len(block.earlier) != len(block.earlier_sizes) or len(block.earlier) > block.index:
            raise MalformedMessageError(f"the block at offset {message.offset} has invalid earlier blocks")
        if block.group != self._group_number:
            self._group_number, self._next_block_index, self._blocks = block.group, 0, {}
        earlier = zip(range(block.index - len(block.earlier), block.index), block.earlier, block.earlier_sizes)
        self._blocks.update((index, (data, size)) for index, data, size in earlier if index >= self._next_block_index)
        self._blocks[block.index] = (block.data, block.size)
        if self._may_begin is not None:
            if not self._may_begin(message):
                return
            self._may_begin = None
        if self._latest_only:
            self._events = [each for each in self._events if not each.HasField("frame")]
        self._events.append(event)

    def _complete_frame(self, frame: Any) -> None:
        """Completes a frame before it is returned: adds the blocks since the last returned frame, and the number of
        skipped frames."""
        block = frame.block
        if block.group == self._group_number:
            blocks = [
                self._blocks.pop(index) for index in range(self._next_block_index, block.index) if index in self._blocks
            ]
            del block.earlier[:], block.earlier_sizes[:]
            block.earlier.extend(data for data, _ in blocks)
            block.earlier_sizes.extend(size for _, size in blocks)
            self._next_block_index = block.index + 1
            self._blocks = {index: piece for index, piece in self._blocks.items() if index >= self._next_block_index}
        missing = 0 if self._last_step is None else frame.step - self._last_step - 1
        if missing > 0 and not frame.HasField("skipped"):
            frame.skipped.frames, frame.skipped.first_step = missing, frame.step - missing
            frame.skipped.truncated_frames = missing
        self._last_step = frame.step


def _can_begin_at(message: Message) -> bool:
    return message.is_head or message.kind == "end"  # A match may end before the next head.


def find_last_head(
    low: int, high: int, head_at: Callable[[int], Optional[Message]], is_after: Callable[[Message], bool]
) -> int:
    """Finds the last head for which `is_after` is false, by a binary search. Returns its offset; `low` if not found.

    low: the offset of the first head. high: the offset after the last message.
    head_at: returns the first head at an offset or after it.
    """
    last_offset = low
    while low + 1 < high:
        middle = (low + high) // 2
        head = head_at(middle)
        if head is not None and not is_after(head):
            last_offset = max(last_offset, head.offset)
            low = max(middle, head.offset)
        else:
            high = middle
    return last_offset
