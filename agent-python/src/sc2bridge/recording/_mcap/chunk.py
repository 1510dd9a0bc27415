"""A chunk's messages, from its record's bytes: decompressed into one buffer, found, and never copied.

Pure functions; they raise BadRecordError and nothing else.
"""

from __future__ import annotations

import struct
import sys
import zlib
from typing import Any, NamedTuple

import zstandard

from sc2bridge.recording._mcap import records as mcap
from sc2bridge.recording._mcap.records import BadRecordError, Channel, ChunkHead

MOST_BYTES = 1 << 30
"""The longest chunk that is taken, uncompressed: many times what the bridge writes (8 MiB)."""

# One to open the next chunk into, and one for frames of the last that are still held.
_MOST_BUFFERS = 2

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# A zstd frame of one byte. Put behind another it is reached only where that one is whole and its checksum was compared:
# of a frame alone the reader does not tell.
_MARK = _ZSTD_MAGIC + b"\x20\x01" + b"\x09\x00\x00" + b"\x5a"
_CHECKSUM, _SINGLE_SEGMENT, _DICTIONARY, _SIZE = 0x04, 0x20, 0x03, 0xC0


class Entry(NamedTuple):
    """Where a message's data is in its chunk, and what stands before it."""

    sequence: int
    log_time: int
    publish_time: int
    begin: int
    end: int


class Messages:
    """What a chunk holds."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        """All records, uncompressed and read-only."""
        self.entries: dict[int, list[tuple[int, int, int, int, int]]] = {}
        """By channel, in the chunk's order, each as an Entry."""
        self.channels: dict[int, Channel] = {}
        """Those that the chunk declares."""
        self._find()

    def counts(self) -> dict[int, int]:
        """Messages by channel."""
        return {channel: len(entries) for channel, entries in self.entries.items()}

    def _find(self) -> None:
        data, entries = self.data, self.entries
        unpack, message = mcap.MESSAGE_HEAD.unpack_from, mcap.MESSAGE
        at, end = 0, len(data)
        last = end - mcap.MESSAGE_HEAD.size
        while at <= last:
            opcode, length, channel, sequence, log_time, publish_time = unpack(data, at)
            if opcode != message:
                at = self._other(at)
                continue
            begin = at + 31  # mcap.MESSAGE_HEAD.size
            at += 9 + length
            if at < begin:
                raise BadRecordError(f"a message of {length} bytes")
            try:
                entries[channel].append((sequence, log_time, publish_time, begin, at))
            except KeyError:
                entries[channel] = [(sequence, log_time, publish_time, begin, at)]
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

    def open(self, content: memoryview) -> Messages:
        """The messages of a chunk's record."""
        head, begin = mcap.read_chunk_head(content)
        packed = content[begin : begin + head.compressed_size]
        if len(packed) != head.compressed_size:
            raise BadRecordError(f"a chunk of {len(packed)} bytes that speaks of {head.compressed_size}")
        # Before memory is taken: a block of zstd is of four bytes at least, and makes 128 KiB at most.
        most = MOST_BYTES if head.compression != "zstd" else min(MOST_BYTES, (len(packed) // 4 + 1) << 17)
        if head.uncompressed_size > most:
            raise BadRecordError(f"a chunk of {head.uncompressed_size} bytes: no more than {most} are taken")
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
