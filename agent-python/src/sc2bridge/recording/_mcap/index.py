"""Where everything is in a recording: as its summary says or, where that is not whole, as a pass over the file finds.

Nothing here depends on a file: the bytes come from a Source.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional, Protocol

from sc2bridge.errors import SC2BridgeError
from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.chunk import Opener
from sc2bridge.recording._mcap.limits import IndexMemory
from sc2bridge.recording._mcap.records import AttachmentIndex, BadRecordError, Channel, ChunkIndex, Header

OBSERVATIONS = "/observation/"
"""What the topics of observations begin with; the perspective's number follows."""

_OUTSIDE = "messages outside of chunks, where the bridge writes none"
_IN_DATA = (mcap.SCHEMA, mcap.CHANNEL, mcap.CHUNK, mcap.MESSAGE_INDEX, mcap.ATTACHMENT, mcap.METADATA)
_NOT_IN_SUMMARY = (mcap.MESSAGE, mcap.CHUNK, mcap.MESSAGE_INDEX, mcap.ATTACHMENT, mcap.METADATA, mcap.DATA_END)


class Source(Protocol):
    """Bytes that are read at any place."""

    size: int

    def read(self, offset: int, length: int) -> bytes:
        """So many bytes, all of them below `size`."""


class Damage(NamedTuple):
    """Where a recording cannot be read any further."""

    kind: str
    """`truncated` or `damaged`; `foreign` where it is no recording."""
    at: int
    """The byte of the file at which the record begins that is not whole."""
    what: str


class NoRecordingError(SC2BridgeError):
    """There is nothing to read: `damage` says why."""

    def __init__(self, damage: Damage) -> None:
        super().__init__(damage.what)
        self.damage = damage


@dataclass
class Index:
    """Where the whole chunks and the attachments are."""

    header: Header
    channels: dict[int, Channel] = field(default_factory=dict)
    chunks: list[ChunkIndex] = field(default_factory=list)
    attachments: dict[str, AttachmentIndex] = field(default_factory=dict)
    lost: Optional[Damage] = None
    """An attachment whose name cannot be read."""
    damage: Optional[Damage] = None
    """What ends the whole chunks before the end of the data; None where they all are there."""
    memory: IndexMemory = field(default_factory=IndexMemory)
    """Counts all of this."""


def read_index(source: Source, opener: Opener) -> Index:
    """Reads it. Raises NoRecordingError."""
    header, begin = _header(source)
    index = _from_summary(source, header) or _scan(source, header, begin, opener)
    # Programs that rewrite MCAP files may leave the profile out.
    if header.profile != mcap.PROFILE and not any(map(is_observations, index.channels.values())):
        what = f"it is an MCAP file of profile {header.profile!r} and holds no observations"
        if index.damage is not None and index.damage.what == _OUTSIDE:
            what = f"it holds {_OUTSIDE}: `sc2bridge inspect FILE --repair OUT` puts them into chunks"
        raise NoRecordingError(Damage("foreign", len(mcap.MAGIC), what))
    if sum(map(is_observations, index.channels.values())) > limits.PERSPECTIVES:
        what = f"it has more than {limits.PERSPECTIVES} perspectives, and no match has so many"
        raise NoRecordingError(Damage("foreign", len(mcap.MAGIC), what))
    return index


def is_observations(channel: Channel) -> bool:
    """Whether a channel has a perspective's observations."""
    prefix, number = channel.topic[: len(OBSERVATIONS)], channel.topic[len(OBSERVATIONS) :]
    return prefix == OBSERVATIONS and number.isascii() and number.isdecimal() and channel.encoding == "protobuf"


def _header(source: Source) -> tuple[Header, int]:
    start = source.read(0, min(source.size, len(mcap.MAGIC) + mcap.HEAD.size))
    if not start:
        raise NoRecordingError(Damage("foreign", 0, "it is empty"))
    if not start.startswith(mcap.MAGIC[: len(start)]):
        raise NoRecordingError(Damage("foreign", 0, _foreign(start)))
    cut = NoRecordingError(Damage("truncated", len(mcap.MAGIC), "its first record is cut off"))
    if len(start) < len(mcap.MAGIC) + mcap.HEAD.size:
        raise cut
    opcode, length = mcap.HEAD.unpack_from(start, len(mcap.MAGIC))
    if opcode != mcap.HEADER or length > limits.RECORD:
        raise NoRecordingError(Damage("damaged", len(mcap.MAGIC), "no header where one should be"))
    end = len(start) + length
    if end > source.size:
        raise cut
    try:
        header = mcap.read("the header", mcap.read_header, source.read(len(start), length))
    except BadRecordError as error:
        raise NoRecordingError(Damage("damaged", len(mcap.MAGIC), str(error))) from None
    return header, end


def _foreign(start: bytes) -> str:
    if start.startswith(b"MPQ"):
        return "it is a replay of StarCraft II's; `sc2bridge record` makes recordings of replays"
    return f"it is no MCAP file, which would begin with {mcap.MAGIC!r}; it begins with {start[: len(mcap.MAGIC)]!r}"


# ---- the summary ---------------------------------------------------------------------------------------------------


def _from_summary(source: Source, header: Header) -> Optional[Index]:
    """None where there is no summary, or none to be trusted: one whose checksum is missing or another."""
    footer_at = source.size - mcap.FOOTER_BYTES - len(mcap.MAGIC)
    if footer_at < 0:
        return None
    ending = source.read(footer_at, mcap.FOOTER_BYTES + len(mcap.MAGIC))
    opcode, length = mcap.HEAD.unpack_from(ending)
    if not ending.endswith(mcap.MAGIC) or opcode != mcap.FOOTER or length != mcap.FOOTER_BYTES - mcap.HEAD.size:
        return None
    footer = mcap.read_footer(memoryview(ending)[mcap.HEAD.size :])
    if not 0 < footer.summary_start <= footer_at or footer_at - footer.summary_start > limits.SUMMARY:
        return None
    summary = source.read(footer.summary_start, footer_at - footer.summary_start)
    # The checksum reaches up to itself, the footer's last field.
    crc = zlib.crc32(ending[: mcap.FOOTER_BYTES - 4], zlib.crc32(summary))
    if not footer.summary_crc or crc != footer.summary_crc:
        return None
    try:
        return _summarized(header, memoryview(summary), footer.summary_start)
    except BadRecordError:
        return None


def _summarized(header: Header, summary: memoryview, end: int) -> Optional[Index]:
    index = Index(header)
    counts: Optional[dict[int, int]] = None
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
                raise BadRecordError("an attachment beyond the data")
            _add_attachment(index, attachment)
        elif opcode == mcap.STATISTICS:
            counts = mcap.read_statistics(content)
    index.chunks.sort(key=lambda chunk: chunk.offset)
    counted: dict[int, int] = {}
    free = 0
    for chunk in index.chunks:
        if not free <= chunk.offset <= chunk.end <= end:
            raise BadRecordError("a chunk that ends after the data or overlaps another")
        if sum(chunk.counts.values()) * mcap.MESSAGE_HEAD.size > chunk.uncompressed_size:
            raise BadRecordError("a chunk of more messages than it has room for")
        free = chunk.end
        for number, count in chunk.counts.items():
            counted[number] = counted.get(number, 0) + count
    if counts is None or counted != {number: count for number, count in counts.items() if count}:
        return None  # Written without message indexes, which say what is in a chunk.
    return index if counted.keys() <= index.channels.keys() else None


def _records(data: memoryview) -> Iterator[tuple[int, memoryview]]:
    at = 0
    while at < len(data):
        if at + mcap.HEAD.size > len(data):
            raise BadRecordError("a record that is cut off")
        opcode, length = mcap.HEAD.unpack_from(data, at)
        at += mcap.HEAD.size + length
        if at > len(data):
            raise BadRecordError("a record that is cut off")
        yield opcode, data[at - length : at]


# ---- no summary: one pass over the file ------------------------------------------------------------------------------


def _scan(source: Source, header: Header, at: int, opener: Opener) -> Index:
    """Every chunk is opened: what is not covered by a summary's checksum is believed of the messages alone."""
    index = Index(header)
    before = 0
    while True:
        if at + mcap.HEAD.size > source.size:
            index.damage = Damage("truncated", at, "it ends there")
            break
        opcode, length = mcap.HEAD.unpack(source.read(at, mcap.HEAD.size))
        begin = at + mcap.HEAD.size
        if not opcode:  # What a file system leaves of a file that was not written to its end.
            index.damage = Damage("truncated", at, "zeros follow")
            break
        if opcode == mcap.MESSAGE:
            index.damage = Damage("damaged", at, _OUTSIDE)
            break
        if opcode != mcap.DATA_END and opcode not in _IN_DATA and opcode < mcap.FIRST_PRIVATE:
            index.damage = Damage("damaged", at, f"no record of opcode {opcode:#04x} stands there")
            break
        if begin + length > source.size:
            index.damage = Damage("truncated", at, "its last record is cut off")
            break
        if opcode == mcap.DATA_END:
            behind = source.read(begin + length, min(1, source.size - begin - length))
            if behind and behind[0] in _NOT_IN_SUMMARY:
                index.damage = Damage("damaged", at, "the data ends before its time")
            break
        try:
            if opcode == mcap.MESSAGE_INDEX and before not in (mcap.CHUNK, mcap.MESSAGE_INDEX):
                raise BadRecordError("a message index behind no chunk")
            if opcode == mcap.MESSAGE_INDEX:  # Another byte makes one of a chunk, whose frames would be missed.
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
        except mcap.UnreadError as error:
            raise NoRecordingError(Damage("foreign", at, str(error))) from None
        except BadRecordError as error:
            index.damage = Damage("damaged", at, str(error))
            if opcode != mcap.ATTACHMENT:
                break
            # The next record's place is known: nothing else is lost.
            index.damage, index.lost = None, index.damage
        at, before = begin + length, opcode
    return index


def _add_attachment(index: Index, attachment: AttachmentIndex) -> None:
    if attachment.name not in index.attachments:
        index.memory.add(len(attachment.name) + len(attachment.media_type))
        index.attachments[attachment.name] = attachment


def _add_chunk(index: Index, source: Source, at: int, length: int, opener: Opener) -> None:
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
    """Raises BadRecordError where a message is of no known channel."""
    for channel in used:
        if channel not in known:
            raise BadRecordError(f"a message of channel {channel}, which there is not")
