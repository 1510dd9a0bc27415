"""A chunk's messages, from its record's bytes: decompressed into one buffer, found, and never copied.

Pure functions; they raise BadRecordError and nothing else.
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

# One to open the next chunk into, and one for frames of the last that are still held.
_MOST_BUFFERS = 2

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A zstd frame of one byte. Put behind another it is reached only where that one is whole and its checksum was compared:
# of a frame alone the reader does not tell.
_MARK = _ZSTD_MAGIC + b"\x20\x01" + b"\x09\x00\x00" + b"\x5a"
_CHECKSUM, _SINGLE_SEGMENT, _DICTIONARY, _SIZE = 0x04, 0x20, 0x03, 0xC0


class Messages:
    """What a chunk holds."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        """All records, uncompressed and read-only."""
        self.starts: dict[int, array[int]] = {}
        """By channel, where each message's record begins. A message takes four bytes here, and 31 or more in the chunk."""
        self.channels: dict[int, Channel] = {}
        """Those that the chunk declares."""
        self._find()

    def counts(self) -> dict[int, int]:
        """Messages by channel."""
        return {channel: len(starts) for channel, starts in self.starts.items()}

    def entry(self, channel: int, which: int) -> tuple[int, int, int, int, int]:
        """A message: its sequence, log time and publish time, and the bounds of its data."""
        at = self.starts[channel][which]
        _, length, _, sequence, log_time, publish_time = mcap.MESSAGE_HEAD.unpack_from(self.data, at)
        return sequence, log_time, publish_time, at + mcap.MESSAGE_HEAD.size, at + mcap.HEAD.size + length

    def _find(self) -> None:
        data, starts = self.data, self.starts
        unpack, message = mcap.CHANNEL_OF_MESSAGE.unpack_from, mcap.MESSAGE
        at, end = 0, len(data)
        last = end - mcap.MESSAGE_HEAD.size
        shortest = mcap.MESSAGE_HEAD.size - mcap.HEAD.size
        while at <= last:
            opcode, length, channel = unpack(data, at)
            if opcode != message:
                at = self._other(at)
                continue
            if length < shortest:
                raise BadRecordError(f"a message of {length} bytes")
            limits.check_length("a message", length - shortest, limits.MESSAGE)
            try:
                starts[channel].append(at)
            except KeyError:
                starts[channel] = array("I", (at,))
            at += 9 + length  # mcap.HEAD.size
        while at < end:
            at = self._other(at)
        if at != end:
            raise BadRecordError("its last record is longer than it")

    def _other(self, at: int) -> int:
        """Takes a record that is no message; where the next one begins."""
        data = self.data
        try:
            opcode, length = mcap.HEAD.unpack_from(data, at)
        except struct.error:
            raise BadRecordError("its last record is cut off") from None
        begin = at + mcap.HEAD.size
        if opcode in (mcap.CHANNEL, mcap.SCHEMA):
            limits.check_length("a record", length, limits.RECORD)
        if opcode == mcap.CHANNEL:
            channel = mcap.read("a channel", mcap.read_channel, data[begin : begin + length])
            self.channels[channel.id] = channel
        elif opcode != mcap.SCHEMA and opcode < mcap.FIRST_PRIVATE:
            raise BadRecordError(f"a record of opcode {opcode:#04x}")
        return int(begin + length)


class Opener:
    """Opens chunks. Their data goes into buffers that are used again once no frame shows any of it. Of one thread at a
    time."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()
        self._buffers: list[bytearray] = []

    @property
    def memory(self) -> int:
        """Bytes of its buffers."""
        return sum(map(len, self._buffers))

    def open(self, content: memoryview) -> Messages:
        """The messages of a chunk's record."""
        head, begin = mcap.read_chunk_head(content)
        packed = content[begin : begin + head.compressed_size]
        if len(packed) != head.compressed_size:
            raise BadRecordError(f"a chunk of {len(packed)} bytes that speaks of {head.compressed_size}")
        limits.check_length("a chunk", max(head.uncompressed_size, head.compressed_size), limits.CHUNK)
        return Messages(self._uncompressed(head, packed))

    def _uncompressed(self, head: ChunkHead, packed: memoryview) -> memoryview:
        if not head.uncompressed_size:
            return memoryview(b"")
        checked = False
        if head.compression == "zstd":
            data, checked = self._decompress(packed, head.uncompressed_size)
        elif head.compression == "":
            data = packed.toreadonly()
        elif head.compression == "lz4":
            raise mcap.UnreadError(
                "a chunk is compressed with lz4, and only zstd and none are read: write the file anew (mcap compress IN -o"
                " OUT --compression zstd)"
            )
        else:
            raise BadRecordError(f"a chunk compressed with {head.compression!r}, which is nothing")
        if len(data) != head.uncompressed_size:
            raise BadRecordError(f"a chunk of {len(data)} bytes that speaks of {head.uncompressed_size}")
        if not checked and head.uncompressed_crc and zlib.crc32(data) != head.uncompressed_crc:
            raise BadRecordError("a chunk whose checksum is another")
        return data

    def _decompress(self, frame: memoryview, size: int) -> tuple[memoryview, bool]:
        """What a zstd frame holds, and whether it had a checksum, which libzstd has compared then."""
        if len(frame) < 6 or frame[:4] != _ZSTD_MAGIC:
            raise BadRecordError("a chunk that is no zstd")
        flags = frame[4]
        parts: list[Any] = [frame, _MARK]
        if not flags & (_SIZE | _SINGLE_SEGMENT | _DICTIONARY):
            # The frame was begun before its size was known, and the chunk's head has it. With the size in the frame's
            # own header (RFC 8878, 3.1.1.1) libzstd writes straight into our buffer, not through a window of its own.
            parts[:1] = _ZSTD_MAGIC, bytes((flags | _SIZE, frame[5])), struct.pack("<Q", size), frame[6:]
        try:
            data = memoryview(self._buffer(size + 1))[: size + 1]
            made = self._decompressor.stream_reader(b"".join(parts), read_across_frames=True).readinto(data)
        except (zstandard.ZstdError, MemoryError) as error:
            raise BadRecordError(f"a chunk that does not decompress: {error}") from None
        if made != size + 1 or data[size] != _MARK[-1]:
            raise BadRecordError(f"a chunk whose zstd is cut off, or of other than the {size} bytes it speaks of")
        return data[:size].toreadonly(), bool(flags & _CHECKSUM)

    def _buffer(self, size: int) -> bytearray:
        """Memory that nothing else uses. New pages cost as much as decompressing into them."""
        for buffer in self._buffers if sys.implementation.name == "cpython" else ():
            try:
                buffer.append(0)  # Refused where a view of it is left.
            except BufferError:
                continue
            if len(buffer) >= size:
                return buffer
        # Chunks are much the same size: with an eighth to spare the buffer serves the next ones too.
        buffer = bytearray(size + size // 8)
        self._buffers = [*self._buffers[1 - _MOST_BUFFERS :], buffer]
        return buffer
