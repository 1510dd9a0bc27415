"""Reads the file of a recording, caches the chunk that was read last, and reports damage."""

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
from sc2bridge.recording._mcap.chunk import ChunkOpener, Messages
from sc2bridge.recording._mcap.index import Damage, NoRecordingError, check_channels, read_index
from sc2bridge.recording._mcap.records import BadRecordError, ChunkHead, ChunkIndex
from sc2bridge.recording._mcap.source import FileSource

Location = tuple[int, int, int]
"""The location of a message: its channel, the number of its chunk, and its index among the messages of this channel in
the chunk."""


def _message_data(messages: Messages, channel: int, position: int) -> memoryview:
    _, _, _, begin, end = messages.entry(channel, position)
    return messages.data[begin:end]


class RecordingFile:
    """The file of an open recording: the messages of its chunks, and its attachments. Threads may share this object."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None:
        self.path = pathlib.Path(path)
        self._opener = ChunkOpener()
        self._cached_chunk: Optional[tuple[int, Messages]] = None
        self._lock = threading.Lock()
        self._source = FileSource(str(path))
        try:
            self.index = read_index(self._source, self._opener)
        except NoRecordingError as reason:
            self.close()
            raise self.error(reason.damage) from None
        except EOFError as end:
            self.close()
            raise self._shrunk_error(end) from None
        self.topics = {channel.topic: number for number, channel in self.index.channels.items()}

    def chunk(self, number: int) -> Messages:
        """Reads the messages of a chunk. Raises RecordingError if the chunk is damaged."""
        with self._lock:
            if self._cached_chunk is None or self._cached_chunk[0] != number:
                self._cached_chunk = None  # Frees the old chunk first, so that its buffer can be reused.
                self._cached_chunk = number, self._read_chunk(number)
            return self._cached_chunk[1]

    def _read_chunk(self, number: int) -> Messages:
        entry = self.index.chunks[number]
        try:
            messages = self._opener.open(self._chunk_content(entry)[2])
            if messages.counts() != {channel: count for channel, count in entry.counts.items() if count}:
                raise BadRecordError("a chunk's message counts differ from the counts in the index")
            check_channels(messages.starts.keys(), self.index.channels)
            return messages
        except BadRecordError as error:
            kind = "foreign" if isinstance(error, mcap.UnsupportedError) else "damaged"
            raise self.error(Damage(kind, entry.offset, str(error))) from None
        except EOFError as end:
            raise self._shrunk_error(end) from None

    def _chunk_content(self, entry: ChunkIndex) -> tuple[ChunkHead, int, memoryview]:
        """A chunk's head, the offset of its records in the content, and the content: the chunk's record without opcode
        and length. Raises BadRecordError, EOFError."""
        limits.check_length("a chunk", entry.length - mcap.HEAD.size - mcap.CHUNK_HEAD_BYTES, limits.CHUNK)
        record = memoryview(self._source.read(entry.offset, entry.length))
        opcode, length = mcap.HEAD.unpack_from(record) if len(record) >= mcap.HEAD.size else (0, 0)
        content = record[mcap.HEAD.size :]
        if opcode != mcap.CHUNK or length != len(content):
            raise BadRecordError("the index gives the offset of a chunk, but no chunk is there")
        head, begin = mcap.read_chunk_head(content)
        if (head.uncompressed_size, head.compressed_size) != (entry.uncompressed_size, entry.compressed_size):
            raise BadRecordError("a chunk's size differs from the size in the index")
        return head, begin, content

    def stored_chunk(self, number: int) -> Optional[tuple[ChunkHead, memoryview]]:
        """The head of a chunk, and its records as they are in the file. None if they are damaged; `chunk` then raises
        the error."""
        try:
            head, begin, content = self._chunk_content(self.index.chunks[number])
        except (BadRecordError, EOFError):
            return None
        records = content[begin : begin + head.compressed_size]
        return (head, records) if len(records) == head.compressed_size else None

    def messages(self, topic: str, undamaged_only: bool = False) -> Iterator[tuple[Location, memoryview]]:
        """Reads the messages of a topic in the order of the file, each with its location.

        Raises RecordingError after the last undamaged message if the file is damaged, unless `undamaged_only` is set.
        """
        channel = self.topics.get(topic)
        if channel is not None:
            for number, entry in enumerate(self.index.chunks):
                if entry.counts.get(channel):
                    messages = self.chunk(number)
                    for position in range(len(messages.starts[channel])):
                        yield (channel, number, position), _message_data(messages, channel, position)
                    del messages  # Frees the chunk before the next one is opened.
        if self.index.damage is not None and not undamaged_only:
            raise self.error(self.index.damage)

    def message(self, location: Location) -> memoryview:
        """Reads the message at a location. Raises RecordingError if its chunk is damaged."""
        channel, number, position = location
        return _message_data(self.chunk(number), channel, position)

    @property
    def memory(self) -> int:
        """The approximate memory that this object uses, in bytes."""
        return self.index.memory.bytes + self._opener.memory

    def count(self, topic: str) -> int:
        """The number of a topic's messages in undamaged chunks."""
        channel = self.topics.get(topic)
        return 0 if channel is None else sum(entry.counts.get(channel, 0) for entry in self.index.chunks)

    def attachment(self, name: str) -> Optional[memoryview]:
        """Reads the content of an attachment; None if it does not exist. Raises RecordingError if it is damaged."""
        entry = self.index.attachments.get(name)
        if entry is None and self.index.lost_attachment is not None:
            raise self.error(self.index.lost_attachment)
        if entry is None:
            return None
        try:
            limits.check_length("an attachment", entry.length - mcap.HEAD.size, limits.ATTACHMENT)
            content = memoryview(self._source.read(entry.offset, entry.length))[mcap.HEAD.size :]
            attachment = mcap.read("an attachment", mcap.read_attachment, content)
            if attachment.name != name:
                raise BadRecordError(f"the attachment {name} is not at the offset that the index gives")
            if attachment.crc and zlib.crc32(content[:-4]) != attachment.crc:
                raise BadRecordError(f"the attachment {name}'s checksum is wrong")
            return attachment.data
        except BadRecordError as error:
            raise self.error(Damage("damaged", entry.offset, str(error))) from None
        except EOFError as end:
            raise self._shrunk_error(end) from None

    def error(self, damage: Damage) -> RecordingError:
        """Creates the error for a damage, with a message of one line: the problem and the remedy."""
        path, (kind, at, what) = self.path, damage
        if kind == "foreign":
            return RecordingError(kind, path, at, f"{path} is not a recording: {what}")
        repair = f"`sc2bridge inspect {path} --repair OUT` writes the undamaged part to a new file"
        if kind == "truncated":
            message = f"{path} is cut off at byte {at} ({what}), or is still being written: {repair}"
        else:
            message = f"{path} is damaged at byte {at} ({what}): {repair}"
        return RecordingError(kind, path, at, message)

    def _shrunk_error(self, end: EOFError) -> RecordingError:
        return self.error(Damage("truncated", int(end.args[0]), "it has become shorter"))

    def close(self) -> None:
        """Closes the file. Frames that were read stay usable."""
        self._cached_chunk = None
        self._source.close()
