"""MCAP's records (https://mcap.dev/spec), read from bytes. Pure functions; they raise BadRecordError and nothing else.

Only the fields that a recording's reader needs are read; what stands behind them in a record is passed over, as the
specification has it.
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
"""Opcodes from here on are reserved for applications, and passed over."""

HEAD = struct.Struct("<BQ")
"""A record's opcode, and the length of what follows."""
MESSAGE_HEAD = struct.Struct("<BQHIQQ")
"""A message's record before its data: opcode, length, channel, sequence, log time, publish time."""
CHANNEL_OF_MESSAGE = struct.Struct("<BQH")
"""The first three of these."""
FOOTER_BYTES = HEAD.size + 20
"""A footer, whole. The magic follows it."""

MESSAGE_INDEX_HEAD = struct.Struct("<HI")
"""A message index before its entries: channel, and the bytes of the entries."""

_U16, _U32, _U64 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
_INDEX_HEAD = HEAD.size + _U16.size + _U32.size
_INDEX_ENTRY = 16


class BadRecordError(SC2BridgeError):
    """Bytes that are not the record that should be there; the message says why."""


class UnreadError(BadRecordError):
    """Bytes that are as they should be, in a form that is not read here."""


class Header(NamedTuple):
    """The file's first record."""

    profile: str
    library: str


class Channel(NamedTuple):
    """A topic with one kind of messages."""

    id: int
    topic: str
    encoding: str


class ChunkHead(NamedTuple):
    """A chunk's record, before the compressed records."""

    start_time: int
    end_time: int
    uncompressed_size: int
    uncompressed_crc: int
    compression: str
    compressed_size: int


class ChunkIndex(NamedTuple):
    """Where a chunk is, and what the summary says of it."""

    start_time: int
    end_time: int
    offset: int
    length: int
    compression: str
    compressed_size: int
    uncompressed_size: int
    counts: dict[int, int]
    """Messages by channel, as the lengths of the chunk's message indexes tell."""
    end: int
    """The offset after its message indexes."""


class AttachmentIndex(NamedTuple):
    """Where an attachment is."""

    offset: int
    length: int
    name: str
    media_type: str


class Attachment(NamedTuple):
    """A named file inside the file."""

    name: str
    media_type: str
    data: memoryview
    crc: int
    """Of the content up to itself; 0 where there is none."""


class Footer(NamedTuple):
    """The file's last record."""

    summary_start: int
    summary_crc: int


class _Fields:
    """A record's fields, one after another."""

    def __init__(self, content: Bytes) -> None:
        self.content = memoryview(content)
        self.at = 0

    def _number(self, form: struct.Struct) -> int:
        try:
            (value,) = form.unpack_from(self.content, self.at)
        except struct.error:
            raise BadRecordError("it ends within a number") from None
        self.at += form.size
        return int(value)

    def u16(self) -> int:
        return self._number(_U16)

    def u32(self) -> int:
        return self._number(_U32)

    def u64(self) -> int:
        return self._number(_U64)

    def bytes(self, length: int) -> memoryview:
        if length > len(self.content) - self.at:
            raise BadRecordError(f"{length} bytes where {len(self.content) - self.at} are left")
        self.at += length
        return self.content[self.at - length : self.at]

    def text(self) -> str:
        try:
            return str(self.bytes(self.u32()), "utf-8")
        except UnicodeDecodeError:
            raise BadRecordError("a text that is not UTF-8") from None

    def numbers(self) -> dict[int, int]:
        """A map from 16 to 64 bits."""
        entries = _Fields(self.bytes(self.u32()))
        found = {}
        while entries.at < len(entries.content):
            key = entries.u16()
            if key in found:
                raise BadRecordError(f"channel {key} twice in a map")
            found[key] = entries.u64()
        return found


def read_header(content: Bytes) -> Header:
    fields = _Fields(content)
    return Header(fields.text(), fields.text())


def read_channel(content: Bytes) -> Channel:
    fields = _Fields(content)
    number = fields.u16()
    fields.u16()  # Its schema: the topic tells what a recording holds.
    return Channel(number, fields.text(), fields.text())


def read_chunk_head(content: Bytes) -> tuple[ChunkHead, int]:
    """The head, and where the compressed records begin. The content may end there."""
    fields = _Fields(content)
    head = ChunkHead(fields.u64(), fields.u64(), fields.u64(), fields.u32(), fields.text(), fields.u64())
    return head, fields.at


CHUNK_HEAD_BYTES = 4 * 8 + 2 * 4 + 64
"""Room for a chunk's head: no compression's name is longer than 64 bytes."""


def read_chunk_index(content: Bytes) -> ChunkIndex:
    fields = _Fields(content)
    start_time, end_time, offset, length = fields.u64(), fields.u64(), fields.u64(), fields.u64()
    offsets, indexes_length = fields.numbers(), fields.u64()
    compression, compressed_size, uncompressed_size = fields.text(), fields.u64(), fields.u64()
    end = offset + length + indexes_length
    counts = _counts(offsets, end)
    return ChunkIndex(
        start_time, end_time, offset, length, compression, compressed_size, uncompressed_size, counts, end
    )


def _counts(offsets: dict[int, int], end: int) -> dict[int, int]:
    """How many messages each channel has, by where the message indexes begin and where the last one ends.

    So they need not be read: they stand behind the chunk with no checksum of their own, and where they begin stands in
    the summary, which has one.
    """
    counts = {}
    for channel, offset in sorted(offsets.items(), key=lambda item: item[1], reverse=True):
        counts[channel], rest = divmod(end - offset - _INDEX_HEAD, _INDEX_ENTRY)
        if counts[channel] < 0 or rest:
            raise BadRecordError(f"a message index of {end - offset} bytes")
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
    fields.u64(), fields.u64()  # Its times.
    name, media_type = fields.text(), fields.text()
    data = fields.bytes(fields.u64())
    return Attachment(name, media_type, data, fields.u32())


def read_statistics(content: Bytes) -> dict[int, int]:
    """Messages by channel."""
    fields = _Fields(content)
    fields.u64(), fields.u16()
    for _ in ("channels", "attachments", "metadata", "chunks"):
        fields.u32()
    fields.u64(), fields.u64()
    return fields.numbers()


def read_footer(content: Bytes) -> Footer:
    fields = _Fields(content)
    start = fields.u64()
    fields.u64()
    return Footer(start, fields.u32())


def check_message_index(head: Bytes, length: int) -> None:
    """Whether a record of this length can be a message index, of its first bytes: its list fills it."""
    if len(head) < MESSAGE_INDEX_HEAD.size or MESSAGE_INDEX_HEAD.unpack(head)[1] != length - MESSAGE_INDEX_HEAD.size:
        raise BadRecordError("a message index whose list does not fill it")


def read(what: str, reader: Callable[[Bytes], _T], content: Bytes) -> _T:
    """Reads a record; what is wrong with it names it."""
    try:
        return reader(content)
    except BadRecordError as error:
        raise BadRecordError(f"{what}: {error}") from None
