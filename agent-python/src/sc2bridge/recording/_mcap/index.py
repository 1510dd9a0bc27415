"""Builds the index of a recording: from the file's summary, or by one pass over the file if the summary is damaged.

The bytes come from a `Source`, which need not be a file.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol

from sc2bridge.errors import SC2BridgeError
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.chunk import ChunkOpener
from sc2bridge.recording._mcap.limits import IndexMemory
from sc2bridge.recording._mcap.records import AttachmentIndex, BadRecordError, Channel, ChunkIndex, Header

OBSERVATIONS = "/observation/"
"""The prefix of topics of observations. The perspective follows it."""

_MESSAGES_OUTSIDE = "messages outside of chunks, which the bridge never writes"
_DATA_OPCODES = (mcap.SCHEMA, mcap.CHANNEL, mcap.CHUNK, mcap.MESSAGE_INDEX, mcap.ATTACHMENT, mcap.METADATA)
_NON_SUMMARY_OPCODES = (mcap.MESSAGE, mcap.CHUNK, mcap.MESSAGE_INDEX, mcap.ATTACHMENT, mcap.METADATA, mcap.DATA_END)


class Source(Protocol):
    size: int

    def read(self, offset: int, length: int) -> bytes:
        """Reads exactly `length` bytes. The range must end at or before `size`."""


class Damage(NamedTuple):
    """The reason why a recording cannot be read, and the offset of the damage."""

    kind: str
    """`truncated` or `damaged`; `foreign` if the file is not a recording."""
    at: int
    """The file offset of the first damaged record."""
    what: str


class NoRecordingError(SC2BridgeError):
    """The file is not a recording, or nothing in the file can be read. `damage` has the reason."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.what)
        self.damage = damage


@dataclass
class Index:
    """The locations of the undamaged chunks and of the attachments."""

    header: Header
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    attachments: dict[str, AttachmentIndex] = field(default_factory=dict)
    lost_attachment: Optional[Damage] = None
    """The damage of an attachment whose name cannot be read; None if all names can be read."""
    damage: Optional[Damage] = None
    """The damage after the last indexed chunk; None if all chunks were indexed."""
    memory: IndexMemory = field(default_factory=IndexMemory)
    """The memory that this index uses."""


def read_index(source: Source, opener: ChunkOpener) -> Index:
    """Reads the index. Raises NoRecordingError."""
    header, begin = _read_header(source)
    index = _from_summary(source, header) or _scan(source, header, begin, opener)
    # Programs that rewrite MCAP files may leave the profile out.
    if header.profile != mcap.PROFILE and not any(map(is_observations, index.channels.values())):
        what = f"it is an MCAP file of profile {header.profile!r} without observations"
        if index.damage is not None and index.damage.what == _MESSAGES_OUTSIDE:
            what = f"it has {_MESSAGES_OUTSIDE}: `sc2bridge inspect FILE --repair OUT` puts them into chunks"
        raise NoRecordingError(Damage("foreign", len(mcap.MAGIC), what))
    if sum(map(is_observations, index.channels.values())) > limits.PERSPECTIVES:
        what = f"it has more than {limits.PERSPECTIVES} perspectives, more than any match has"
        raise NoRecordingError(Damage("foreign", len(mcap.MAGIC), what))
    return index


def is_observations(channel: Channel) -> bool:
    """Whether a channel contains the observations of a perspective."""
    prefix, number = channel.topic[: len(OBSERVATIONS)], channel.topic[len(OBSERVATIONS) :]
    return prefix == OBSERVATIONS and number.isascii() and number.isdecimal() and channel.encoding == "protobuf"


def _read_header(source: Source) -> tuple[Header, int]:
    start = source.read(0, min(source.size, len(mcap.MAGIC) + mcap.HEAD.size))
    if not start:
        raise NoRecordingError(Damage("foreign", 0, "it is empty"))
    if not start.startswith(mcap.MAGIC[: len(start)]):
        raise NoRecordingError(Damage("foreign", 0, _foreign_reason(start)))
    cut_off_error = NoRecordingError(Damage("truncated", len(mcap.MAGIC), "its first record is cut off"))
    if len(start) < len(mcap.MAGIC) + mcap.HEAD.size:
        raise cut_off_error
    opcode, length = mcap.HEAD.unpack_from(start, len(mcap.MAGIC))
    if opcode != mcap.HEADER or length > limits.RECORD:
        raise NoRecordingError(Damage("damaged", len(mcap.MAGIC), "the header is missing"))
    end = len(start) + length
    if end > source.size:
        raise cut_off_error
    try:
        header = mcap.read("the header", mcap.read_header, source.read(len(start), length))
    except BadRecordError as error:
        raise NoRecordingError(Damage("damaged", len(mcap.MAGIC), str(error))) from None
    return header, end


def _foreign_reason(start: bytes) -> str:
    if start.startswith(b"MPQ"):
        return "it is a StarCraft II replay: `sc2bridge record` makes recordings of replays"
    return f"it is not an MCAP file: it begins with {start[: len(mcap.MAGIC)]!r} instead of {mcap.MAGIC!r}"


# ---- the summary ---------------------------------------------------------------------------------------------------


def _from_summary(source: Source, header: Header) -> Optional[Index]:
    """Builds the index from the summary; None if the summary or its checksum is missing, damaged or wrong."""
    footer_offset = source.size - mcap.FOOTER_BYTES - len(mcap.MAGIC)
    if footer_offset < 0:
        return None
    ending = source.read(footer_offset, mcap.FOOTER_BYTES + len(mcap.MAGIC))
    opcode, length = mcap.HEAD.unpack_from(ending)
    if not ending.endswith(mcap.MAGIC) or opcode != mcap.FOOTER or length != mcap.FOOTER_BYTES - mcap.HEAD.size:
        return None
    footer = mcap.read_footer(memoryview(ending)[mcap.HEAD.size :])
    if not 0 < footer.summary_start <= footer_offset or footer_offset - footer.summary_start > limits.SUMMARY:
        return None
    summary = source.read(footer.summary_start, footer_offset - footer.summary_start)
    # The checksum is the footer's last field and covers everything before it.
    crc = zlib.crc32(ending[: mcap.FOOTER_BYTES - 4], zlib.crc32(summary))
    if not footer.summary_crc or crc != footer.summary_crc:
        return None
    try:
        return _index_of_summary(header, memoryview(summary), footer.summary_start)
    except BadRecordError:
        return None


def _index_of_summary(header: Header, summary: memoryview, end: int) -> Optional[Index]:
    index = Index(header)
    total_counts: Optional[dict[int, int]] = None
    for opcode, content in _records(summary):
        if opcode == mcap.CHANNEL:
            channel = mcap.read_channel(content)
            index.memory.add(len(content))
            index.channels[channel.id] = channel
        elif opcode == mcap.CHUNK_INDEX:
            chunk = mcap.read_chunk_index(content)
            index.memory.add(len(chunk.compression), len(chunk.counts))
            index.chunks.append(chunk)
        elif opcode == mcap.ATTACHMENT_INDEX:
            attachment = mcap.read_attachment_index(content)
            if attachment.offset + attachment.length > end:
                raise BadRecordError("an attachment ends after the data")
            _add_attachment(index, attachment)
        elif opcode == mcap.STATISTICS:
            total_counts = mcap.read_statistics(content)
    index.chunks.sort(key=lambda chunk: chunk.offset)
    counted: dict[int, int] = {}
    previous_end = 0
    for chunk in index.chunks:
        if not previous_end <= chunk.offset <= chunk.end <= end:
            raise BadRecordError("a chunk ends after the data or overlaps another chunk")
        if sum(chunk.counts.values()) * mcap.MESSAGE_HEAD.size > chunk.uncompressed_size:
            raise BadRecordError("a chunk is too small for its number of messages")
        previous_end = chunk.end
        for number, count in chunk.counts.items():
            counted[number] = counted.get(number, 0) + count
    if total_counts is None or counted != {channel: count for channel, count in total_counts.items() if count}:
        return None  # In a file without message indexes, the counts of the chunks are missing.
    return index if counted.keys() <= index.channels.keys() else None


def _records(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    at = 0
    while at < len(data):
        if at + mcap.HEAD.size > len(data):
            raise BadRecordError("a record is cut off")
        opcode, length = mcap.HEAD.unpack_from(data, at)
        at += mcap.HEAD.size + length
        if at > len(data):
            raise BadRecordError("a record is cut off")
        yield opcode, data[at - length : at]


# ---- no summary: one pass over the file ------------------------------------------------------------------------------


def _scan(source: Source, header: Header, at: int, opener: ChunkOpener) -> Index:
    """Builds the index by reading every chunk. Without a valid summary, only the chunks' messages are reliable."""
    index = Index(header)
    previous_opcode = 0
    while True:
        if at + mcap.HEAD.size > source.size:
            index.damage = Damage("truncated", at, "the file ends there")
            break
        opcode, length = mcap.HEAD.unpack(source.read(at, mcap.HEAD.size))
        begin = at + mcap.HEAD.size
        if not opcode:  # After a crash, a file system may leave zeros at the end of a file.
            index.damage = Damage("truncated", at, "only zeros follow")
            break
        if opcode == mcap.MESSAGE:
            index.damage = Damage("damaged", at, _MESSAGES_OUTSIDE)
            break
        if opcode != mcap.DATA_END and opcode not in _DATA_OPCODES and opcode < mcap.FIRST_PRIVATE:
            index.damage = Damage("damaged", at, f"a record of opcode {opcode:#04x} does not belong there")
            break
        if begin + length > source.size:
            index.damage = Damage("truncated", at, "its last record is cut off")
            break
        if opcode == mcap.DATA_END:
            next_byte = source.read(begin + length, min(1, source.size - begin - length))
            if next_byte and next_byte[0] in _NON_SUMMARY_OPCODES:
                index.damage = Damage("damaged", at, "a record marks the end of the data, and more data follows")
            break
        try:
            if opcode == mcap.MESSAGE_INDEX and previous_opcode not in (mcap.CHUNK, mcap.MESSAGE_INDEX):
                raise BadRecordError("a message index does not follow a chunk")
            # A chunk with a damaged opcode can look like a message index, and its frames would be missing.
            if opcode == mcap.MESSAGE_INDEX:
                mcap.check_message_index(source.read(begin, min(length, mcap.MESSAGE_INDEX_HEAD.size)), length)
            if opcode == mcap.CHUNK:
                _add_chunk(index, source, at, length, opener)
            elif opcode == mcap.CHANNEL:
                limits.check_length("a record", length, limits.RECORD)
                channel = mcap.read("a channel", mcap.read_channel, source.read(begin, length))
                index.memory.add(length)
                index.channels[channel.id] = channel
            elif opcode == mcap.ATTACHMENT:
                limits.check_length("an attachment", length, limits.ATTACHMENT)
                attachment = mcap.read_attachment(source.read(begin, length))
                _add_attachment(
                    index, AttachmentIndex(at, mcap.HEAD.size + length, attachment.name, attachment.media_type)
                )
        except mcap.UnsupportedError as error:
            raise NoRecordingError(Damage("foreign", at, str(error))) from None
        except BadRecordError as error:
            index.damage = Damage("damaged", at, str(error))
            if opcode != mcap.ATTACHMENT:
                break
            # The offset of the next record is known: only this attachment is lost.
            index.damage, index.lost_attachment = None, index.damage
        at, previous_opcode = begin + length, opcode
    return index


def _add_attachment(index: Index, attachment: AttachmentIndex) -> None:
    if attachment.name not in index.attachments:
        index.memory.add(len(attachment.name) + len(attachment.media_type))
        index.attachments[attachment.name] = attachment


def _add_chunk(index: Index, source: Source, at: int, length: int, opener: ChunkOpener) -> None:
    limits.check_length("a chunk", length - mcap.CHUNK_HEAD_BYTES, limits.CHUNK)
    content = memoryview(source.read(at + mcap.HEAD.size, length))
    messages = opener.open(content)
    head, _ = mcap.read_chunk_head(content)
    channels = {**index.channels, **messages.channels} if messages.channels else index.channels
    check_channels(messages.starts.keys(), channels)
    for channel in messages.channels.keys() - index.channels.keys():
        index.memory.add(sum(map(len, messages.channels[channel][1:])))
    index.memory.add(items=len(messages.starts))
    index.channels = channels
    index.chunks.append(
        ChunkIndex(
            head.start_time,
            head.end_time,
            at,
            mcap.HEAD.size + length,
            head.compression,
            head.compressed_size,
            head.uncompressed_size,
            messages.counts(),
            at + mcap.HEAD.size + length,
        )
    )


def check_channels(used: Any, known: Any) -> None:
    """Raises BadRecordError if a message has an unknown channel."""
    for channel in used:
        if channel not in known:
            raise BadRecordError(f"a message has the unknown channel {channel}")
