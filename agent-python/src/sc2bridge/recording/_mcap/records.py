"""Reads MCAP's records (https://mcap.dev/spec) from bytes. There is no I/O here. All errors are BadRecordErrors.

Only the necessary fields are read. Bytes after these fields in a record are skipped, as the specification requires.
"""

from __future__ import annotations

import struct
from typing import Callable, NamedTuple, TypeVar, Union

from sc2bridge.errors import SC2BridgeError

Bytes = Union[bytes, bytearray, memoryview]
_T = TypeVar("_T")

MAGIC = b"\x89MCAP0\r\n"
PROFILE = "sc2bridge"

HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(9, 16)
FIRST_PRIVATE = 0x80
"""This opcode and higher ones are reserved for applications. Their records are skipped."""

HEAD = struct.Struct("<BQ")
"""A record's opcode, and the length of its content."""
MESSAGE_HEAD = struct.Struct("<BQHIQQ")
"""The part of a message's record before its data: opcode, length, channel, sequence, log time, publish time."""
CHANNEL_OF_MESSAGE = struct.Struct("<BQH")
"""The first three fields of MESSAGE_HEAD."""
FOOTER_BYTES = HEAD.size + 20
"""The length of a whole footer record. The magic follows the footer."""

MESSAGE_INDEX_HEAD = struct.Struct("<HI")
"""The part of a message index before its entries: channel, and the length of the entries in bytes."""

_U16, _U32, _U64 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
_MESSAGE_INDEX_HEAD_BYTES = HEAD.size + _U16.size + _U32.size
_MESSAGE_INDEX_ENTRY_BYTES = 16


class BadRecordError(SC2BridgeError):
    """The bytes are not a valid record."""


class UnsupportedError(BadRecordError):
    """The bytes are valid, but this reader does not support them."""


class Header(NamedTuple):
    profile: str
    library: str


class Channel(NamedTuple):
    id: int
    topic: str
    encoding: str


class ChunkHead(NamedTuple):
    """The part of a chunk's record before the compressed records."""

    start_time: int
    end_time: int
    uncompressed_size: int
    uncompressed_crc: int
    compression: str
    compressed_size: int


class ChunkIndex(NamedTuple):
    """The location of a chunk and its properties, as the summary lists them."""

    start_time: int
    end_time: int
    offset: int
    length: int
    compression: str
    compressed_size: int
    uncompressed_size: int
    counts: dict[int, int]
    """The number of messages of each channel, from the lengths of the chunk's message indexes."""
    end: int
    """The offset after the chunk's message indexes."""


class AttachmentIndex(NamedTuple):
    offset: int
    length: int
    name: str
    media_type: str


class Attachment(NamedTuple):
    """A named file inside of the recording."""

    name: str
    media_type: str
    data: memoryview
    crc: int
    """The checksum of the record's content before this field; 0 if there is no checksum."""


class Footer(NamedTuple):
    summary_start: int
    summary_crc: int


class _Fields:
    """Reads the fields of a record one after the other."""

    def __init__(self, content: Bytes) -> None:
        self.content = memoryview(content)
        self.at = 0

    def _number(self, layout: struct.Struct) -> int:
        try:
            (value,) = layout.unpack_from(self.content, self.at)
        except struct.error:
            raise BadRecordError("the record ends within a number") from None
        self.at += layout.size
        return int(value)

    def u16(self) -> int:
        return self._number(_U16)

    def u32(self) -> int:
        return self._number(_U32)

    def u64(self) -> int:
        return self._number(_U64)

    def bytes(self, length: int) -> memoryview:
        if length > len(self.content) - self.at:
            raise BadRecordError(f"a field of {length} bytes, but only {len(self.content) - self.at} are left")
        self.at += length
        return self.content[self.at - length : self.at]

    def text(self) -> str:
        try:
            return str(self.bytes(self.u32()), "utf-8")
        except UnicodeDecodeError:
            raise BadRecordError("a text is not UTF-8") from None

    def number_map(self) -> dict[int, int]:
        """Reads a map from 16-bit keys to 64-bit values."""
        entries = _Fields(self.bytes(self.u32()))
        found = {}
        while entries.at < len(entries.content):
            key = entries.u16()
            if key in found:
                raise BadRecordError(f"a map has channel {key} twice")
            found[key] = entries.u64()
        return found


def read_header(content: Bytes) -> Header:
    fields = _Fields(content)
    return Header(fields.text(), fields.text())


def read_channel(content: Bytes) -> Channel:
    fields = _Fields(content)
    number = fields.u16()
    fields.u16()  # The schema is not needed: the topic determines the kind of message.
    return Channel(number, fields.text(), fields.text())


def read_chunk_head(content: Bytes) -> tuple[ChunkHead, int]:
    """Returns the head of a chunk and the offset of the compressed records. `content` may end at this offset."""
    fields = _Fields(content)
    head = ChunkHead(fields.u64(), fields.u64(), fields.u64(), fields.u32(), fields.text(), fields.u64())
    return head, fields.at


CHUNK_HEAD_BYTES = 4 * 8 + 2 * 4 + 64
"""The most bytes of a chunk's head, with at most 64 bytes for the compression's name."""


def read_chunk_index(content: Bytes) -> ChunkIndex:
    fields = _Fields(content)
    start_time, end_time, offset, length = fields.u64(), fields.u64(), fields.u64(), fields.u64()
    offsets, indexes_length = fields.number_map(), fields.u64()
    compression, compressed_size, uncompressed_size = fields.text(), fields.u64(), fields.u64()
    end = offset + length + indexes_length
    counts = _counts(offsets, end)
    return ChunkIndex(
        start_time, end_time, offset, length, compression, compressed_size, uncompressed_size, counts, end
    )


def _counts(offsets: dict[int, int], end: int) -> dict[int, int]:
    """The number of each channel's messages. It is computed from the offsets of the message indexes and from the end of
    the last index. The offsets are in the summary, which has a checksum. The message indexes have no checksum, so they
    are not read."""
    counts = {}
    for channel, offset in sorted(offsets.items(), key=lambda item: item[1], reverse=True):
        counts[channel], remainder = divmod(end - offset - _MESSAGE_INDEX_HEAD_BYTES, _MESSAGE_INDEX_ENTRY_BYTES)
        if counts[channel] < 0 or remainder:
            raise BadRecordError(f"a message index has {end - offset} bytes, which is not a valid length")
        end = offset
    return counts


def read_attachment_index(content: Bytes) -> AttachmentIndex:
    fields = _Fields(content)
    offset, length = fields.u64(), fields.u64()
    for _ in ("log time", "create time", "data size"):
        fields.u64()
    return AttachmentIndex(offset, length, fields.text(), fields.text())


def read_attachment(content: Bytes) -> Attachment:
    fields = _Fields(content)
    fields.u64(), fields.u64()  # Log time and create time.
    name, media_type = fields.text(), fields.text()
    data = fields.bytes(fields.u64())
    return Attachment(name, media_type, data, fields.u32())


def read_statistics(content: Bytes) -> dict[int, int]:
    """Returns the number of messages of each channel."""
    fields = _Fields(content)
    fields.u64(), fields.u16()
    for _ in ("channels", "attachments", "metadata", "chunks"):
        fields.u32()
    fields.u64(), fields.u64()
    return fields.number_map()


def read_footer(content: Bytes) -> Footer:
    fields = _Fields(content)
    start = fields.u64()
    fields.u64()
    return Footer(start, fields.u32())


def check_message_index(head: Bytes, length: int) -> None:
    """Raises BadRecordError if a message index has too few or too many bytes. head: the record's first bytes."""
    if len(head) < MESSAGE_INDEX_HEAD.size or MESSAGE_INDEX_HEAD.unpack(head)[1] != length - MESSAGE_INDEX_HEAD.size:
        raise BadRecordError("the list of a message index does not fill the record")


def read(what: str, reader: Callable[[Bytes], _T], content: Bytes) -> _T:
    """Reads a record. Adds `what` to the message of a BadRecordError."""
    try:
        return reader(content)
    except BadRecordError as error:
        raise BadRecordError(f"{what}: {error}") from None
