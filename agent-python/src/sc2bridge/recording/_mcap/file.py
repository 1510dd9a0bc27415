"""A recording's file: reads it, keeps the chunk that was opened last, and reports damage."""

from __future__ import annotations

import os
import pathlib
import threading
import zlib
from collections.abc import Iterator
from typing import Optional, Union

from sc2bridge.errors import RecordingError
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.chunk import Messages, Opener
from sc2bridge.recording._mcap.index import Damage, NoRecordingError, check_channels, read_index
from sc2bridge.recording._mcap.records import BadRecordError
from sc2bridge.recording._mcap.source import FileSource


Location = tuple[int, int, int]
"""A message's channel, its chunk's number, and which of the channel's messages there."""


def _data(messages: Messages, channel: int, which: int) -> memoryview:
    _, _, _, begin, end = messages.entry(channel, which)
    return messages.data[begin:end]


class RecordingFile:
    """An open recording: its chunks' messages and its attachments. Threads may share it."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = pathlib.Path(path)
        self._opener = Opener()
        self._opened: Optional[tuple[int, Messages]] = None
        self._lock = threading.Lock()
        self._source = FileSource(str(path))
        try:
            self.index = read_index(self._source, self._opener)
        except NoRecordingError as reason:
            self.close()
            raise self.error(reason.damage) from None
        except EOFError as end:
            self.close()
            raise self._shrunk(end) from None
        self.topics = {channel.topic: number for number, channel in self.index.channels.items()}

    def chunk(self, number: int) -> Messages:
        """What a chunk holds. Raises RecordingError where it is damaged."""
        with self._lock:
            if self._opened is None or self._opened[0] != number:
                self._opened = None  # Before the next one is opened, so that its memory can be used again.
                self._opened = number, self._open(number)
            return self._opened[1]

    def _open(self, number: int) -> Messages:
        place = self.index.chunks[number]
        try:
            limits.check_length("a chunk", place.length - mcap.HEAD.size - mcap.CHUNK_HEAD_BYTES, limits.CHUNK)
            record = memoryview(self._source.read(place.offset, place.length))
            opcode, length = mcap.HEAD.unpack_from(record) if len(record) >= mcap.HEAD.size else (0, 0)
            content = record[mcap.HEAD.size :]
            if opcode != mcap.CHUNK or length != len(content):
                raise BadRecordError("no chunk where the index has one")
            head, _ = mcap.read_chunk_head(content)
            if (head.uncompressed_size, head.compressed_size) != (place.uncompressed_size, place.compressed_size):
                raise BadRecordError("a chunk of another size than the index has")
            messages = self._opener.open(content)
            if messages.counts() != {channel: count for channel, count in place.counts.items() if count}:
                raise BadRecordError("a chunk of other messages than the index has")
            check_channels(messages.starts.keys(), self.index.channels)
            return messages
        except BadRecordError as error:
            kind = "foreign" if isinstance(error, mcap.UnreadError) else "damaged"
            raise self.error(Damage(kind, place.offset, str(error))) from None
        except EOFError as end:
            raise self._shrunk(end) from None

    def messages(self, topic: str, whole_only: bool = False) -> Iterator[tuple[Location, memoryview]]:
        """The messages of a topic, in the file's order, each with its location for `message`.

        Raises RecordingError behind the last whole one, unless that is all that is asked for.
        """
        channel = self.topics.get(topic)
        if channel is not None:
            for number, place in enumerate(self.index.chunks):
                if place.counts.get(channel):
                    messages = self.chunk(number)
                    for which in range(len(messages.starts[channel])):
                        yield (channel, number, which), _data(messages, channel, which)
                    del messages  # Before the next one is opened.
        if self.index.damage is not None and not whole_only:
            raise self.error(self.index.damage)

    def message(self, location: Location) -> memoryview:
        """A message again. Raises RecordingError if its chunk is damaged."""
        channel, number, which = location
        return _data(self.chunk(number), channel, which)

    @property
    def memory(self) -> int:
        """Bytes of memory that it takes, about."""
        return self.index.memory.bytes + self._opener.memory

    def count(self, topic: str) -> int:
        """How many messages a topic has in whole chunks."""
        channel = self.topics.get(topic)
        return 0 if channel is None else sum(place.counts.get(channel, 0) for place in self.index.chunks)

    def attachment(self, name: str) -> Optional[memoryview]:
        """What is attached under a name, if anything is. Raises RecordingError where it is damaged."""
        place = self.index.attachments.get(name)
        if place is None and self.index.lost is not None:
            raise self.error(self.index.lost)
        if place is None:
            return None
        try:
            limits.check_length("an attachment", place.length - mcap.HEAD.size, limits.ATTACHMENT)
            content = memoryview(self._source.read(place.offset, place.length))[mcap.HEAD.size :]
            attachment = mcap.read("an attachment", mcap.read_attachment, content)
            if attachment.name != name:
                raise BadRecordError(f"no attachment {name} where the index has it")
            if attachment.crc and zlib.crc32(content[:-4]) != attachment.crc:
                raise BadRecordError(f"the attachment {name}'s checksum is another")
            return attachment.data
        except BadRecordError as error:
            raise self.error(Damage("damaged", place.offset, str(error))) from None
        except EOFError as end:
            raise self._shrunk(end) from None

    def error(self, damage: Damage) -> RecordingError:
        """One line: what is wrong, and what to do."""
        path, (kind, at, what) = self.path, damage
        if kind == "foreign":
            return RecordingError(kind, path, at, f"{path} is no recording: {what}")
        repair = f"`sc2bridge inspect {path} --repair OUT` writes a whole file of what is left"
        if kind == "truncated":
            line = f"{path} is cut off at byte {at} ({what}), or is still being written: {repair}"
        else:
            line = f"{path} is damaged at byte {at} ({what}): {repair}"
        return RecordingError(kind, path, at, line)

    def _shrunk(self, end: EOFError) -> RecordingError:
        return self.error(Damage("truncated", int(end.args[0]), "it has become shorter"))

    def close(self) -> None:
        """Frames that were read keep what they need."""
        self._opened = None
        self._source.close()
