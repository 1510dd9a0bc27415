"""Finds the messages of a chunk. The chunk is decompressed into one buffer, and its messages are never copied.

There is no I/O here. All errors are BadRecordErrors.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from typing import Any

import zstandard

from sc2bridge.recording._mcap import limits
from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.records import BadRecordError, Channel, ChunkHead

# One buffer for the next chunk, and one for the last chunk, whose bytes frames may still use.
_MAX_BUFFERS = 2

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A zstd frame with one byte of content. It is appended to a chunk's zstd frame. The decompressor only reaches it if the
# chunk's frame is complete and has the right checksum. Without the mark, an incomplete frame would stay unnoticed.
_END_MARK = _ZSTD_MAGIC + b"\x20\x01" + b"\x09\x00\x00" + b"\x5a"
_CHECKSUM, _SINGLE_SEGMENT, _DICTIONARY, _SIZE_FLAGS = 0x04, 0x20, 0x03, 0xC0


class Messages:
    """The messages of a chunk."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        """All records, uncompressed and read-only."""
        self.starts: dict[int, array[int]] = {}
        """For each channel, the offsets of its messages' records. They take little memory: four bytes each, and a
        message takes at least 31 bytes."""
        self.channels: dict[int, Channel] = {}
        """The channels that the chunk declares."""
        self._find_messages()

    def counts(self) -> dict[int, int]:
        """The number of messages of each channel."""
        return {channel: len(starts) for channel, starts in self.starts.items()}

    def entry(self, channel: int, position: int) -> tuple[int, int, int, int, int]:
        """Returns a message's sequence, log time, publish time, and the begin and end of its content in `data`."""
        at = self.starts[channel][position]
        _, length, _, sequence, log_time, publish_time = mcap.MESSAGE_HEAD.unpack_from(self.data, at)
        return sequence, log_time, publish_time, at + mcap.MESSAGE_HEAD.size, at + mcap.HEAD.size + length

    def _find_messages(self) -> None:
        data, starts = self.data, self.starts
        unpack, message = mcap.CHANNEL_OF_MESSAGE.unpack_from, mcap.MESSAGE
        at, end = 0, len(data)
        last = end - mcap.MESSAGE_HEAD.size
        fields_size = mcap.MESSAGE_HEAD.size - mcap.HEAD.size
        while at <= last:
            opcode, length, channel = unpack(data, at)
            if opcode != message:
                at = self._read_other_record(at)
                continue
            if length < fields_size:
                raise BadRecordError(f"a message of {length} bytes is shorter than its head")
            limits.check_length("a message", length - fields_size, limits.MESSAGE)
            try:
                starts[channel].append(at)
            except KeyError:
                starts[channel] = array("I", (at,))
            at += 9 + length  # mcap.HEAD.size
        while at < end:
            at = self._read_other_record(at)
        if at != end:
            raise BadRecordError("the chunk's last record is longer than the chunk")

    def _read_other_record(self, at: int) -> int:
        """Reads a record that is not a message. Returns the offset of the next record."""
        data = self.data
        try:
            opcode, length = mcap.HEAD.unpack_from(data, at)
        except struct.error:
            raise BadRecordError("the chunk's last record is cut off") from None
        begin = at + mcap.HEAD.size
        if opcode in (mcap.CHANNEL, mcap.SCHEMA):
            limits.check_length("a record", length, limits.RECORD)
        if opcode == mcap.CHANNEL:
            channel = mcap.read("a channel", mcap.read_channel, data[begin : begin + length])
            self.channels[channel.id] = channel
        elif opcode != mcap.SCHEMA and opcode < mcap.FIRST_PRIVATE:
            raise BadRecordError(f"a chunk contains a record of opcode {opcode:#04x}")
        return int(begin + length)


class ChunkOpener:
    """Opens chunks. Reuses a buffer after all frames that use its bytes were freed. Not thread-safe."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()
        self._buffers: list[bytearray] = []

    @property
    def memory(self) -> int:
        """The size of the buffers in bytes."""
        return sum(map(len, self._buffers))

    def open(self, content: memoryview) -> Messages:
        """Decompresses a chunk and finds its messages. content: the chunk's record without opcode and length."""
        head, begin = mcap.read_chunk_head(content)
        compressed = content[begin : begin + head.compressed_size]
        if len(compressed) != head.compressed_size:
            raise BadRecordError(f"a chunk has {len(compressed)} bytes; its head says {head.compressed_size}")
        limits.check_length("a chunk", max(head.uncompressed_size, head.compressed_size), limits.CHUNK)
        return Messages(self._uncompressed(head, compressed))

    def _uncompressed(self, head: ChunkHead, compressed: memoryview) -> memoryview:
        if not head.uncompressed_size:
            return memoryview(b"")
        is_verified = False
        if head.compression == "zstd":
            data, is_verified = self._decompress(compressed, head.uncompressed_size)
        elif head.compression == "":
            data = compressed.toreadonly()
        elif head.compression == "lz4":
            raise mcap.UnsupportedError(
                "a chunk is compressed with lz4; only zstd and uncompressed chunks can be read: convert the file (mcap"
                " compress IN -o OUT --compression zstd)"
            )
        else:
            raise BadRecordError(f"a chunk has the unknown compression {head.compression!r}")
        if len(data) != head.uncompressed_size:
            raise BadRecordError(f"a chunk has {len(data)} uncompressed bytes; its head says {head.uncompressed_size}")
        if not is_verified and head.uncompressed_crc and zlib.crc32(data) != head.uncompressed_crc:
            raise BadRecordError("a chunk's checksum is wrong")
        return data

    def _decompress(self, frame: memoryview, size: int) -> tuple[memoryview, bool]:
        """Decompresses a zstd frame. Returns the content, and whether libzstd has verified it by a checksum."""
        if len(frame) < 6 or frame[:4] != _ZSTD_MAGIC:
            raise BadRecordError("a chunk's content is not zstd")
        flags = frame[4]
        parts: list[Any] = [frame, _END_MARK]
        if not flags & (_SIZE_FLAGS | _SINGLE_SEGMENT | _DICTIONARY):
            # The writer did not know the size when it began the frame, so the header of the frame lacks the size. The
            # size is added here, from the chunk's head (RFC 8878, 3.1.1.1). Then libzstd writes directly into our
            # buffer, and not through a window of its own.
            parts[:1] = _ZSTD_MAGIC, bytes((flags | _SIZE_FLAGS, frame[5])), struct.pack("<Q", size), frame[6:]
        try:
            data = memoryview(self._unused_buffer(size + 1))[: size + 1]
            reader = self._decompressor.stream_reader(b"".join(parts), read_across_frames=True)
            decompressed_bytes = reader.readinto(data)
        except (zstandard.ZstdError, MemoryError) as error:
            raise BadRecordError(f"a chunk cannot be decompressed: {error}") from None
        if decompressed_bytes != size + 1 or data[size] != _END_MARK[-1]:
            raise BadRecordError(f"a chunk's zstd content is cut off, or is not of the {size} bytes that its head says")
        return data[:size].toreadonly(), bool(flags & _CHECKSUM)

    def _unused_buffer(self, size: int) -> bytearray:
        """Reuses or creates a buffer. New memory pages would cost as much time as the decompression."""
        for buffer in self._buffers if sys.implementation.name == "cpython" else ():
            try:
                buffer.append(0)  # Raises BufferError if a memoryview of the buffer still exists.
            except BufferError:
                continue
            if len(buffer) >= size:
                return buffer
        # Chunks have similar sizes. With an eighth more, the buffer is large enough for the next chunks.
        buffer = bytearray(size + size // 8)
        self._buffers = [*self._buffers[1 - _MAX_BUFFERS :], buffer]
        return buffer
