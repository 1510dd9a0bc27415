"""MCAP files written the plain way, record by record, to test the reader against: https://mcap.dev/spec.

A chunk is one zstd frame that does not tell its size and has a checksum, as the bridge writes them.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO

import zstandard

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
ATTACHMENT, ATTACHMENT_INDEX, STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(9, 16)


def record(opcode: int, content: bytes) -> bytes:
    return struct.pack("<BQ", opcode, len(content)) + content


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def texts(values: dict[str, str]) -> bytes:
    data = b"".join(text(key) + text(value) for key, value in values.items())
    return struct.pack("<I", len(data)) + data


def compressed(data: bytes, checksum: bool = True) -> bytes:
    """One zstd frame, level 1, with a window of 1 MiB, that does not declare its content's size."""
    parameters = zstandard.ZstdCompressionParameters.from_level(
        1, window_log=20, write_checksum=checksum, write_content_size=False
    )
    stream = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return stream.compress(data) + stream.flush()


@dataclass
class _Chunk:
    records: bytearray = field(default_factory=bytearray)
    times: list[int] = field(default_factory=list)
    index: dict[int, list[tuple[int, int]]] = field(default_factory=dict)


class Writer:
    """Writes one file. Attachments and metadata come before the first message, schemas and channels before theirs."""

    def __init__(
        self,
        file: BinaryIO,
        *,
        profile: str = "sc2bridge",
        library: str = "sc2bridge test",
        chunk_bytes: int = 8 << 20,
        compression: str = "zstd",
        checksum: bool = True,
        crc: bool = True,
        repeat_schemas: bool = True,
    ) -> None:
        self._file = file
        self._at = 0
        self._data_crc = 0
        self._chunk_bytes = chunk_bytes
        self._compression, self._checksum, self._crc = compression, checksum, crc
        self._repeat_schemas = repeat_schemas
        self._schemas: list[bytes] = []
        self._channels: list[bytes] = []
        self._chunk = _Chunk()
        self._counts: dict[int, int] = {}
        self._times: list[int] = []
        self._indexes: dict[int, list[bytes]] = {CHUNK_INDEX: [], ATTACHMENT_INDEX: [], METADATA_INDEX: []}
        self.chunks = 0
        """How many were written, and where the last record ends."""
        self.last_chunk_end = 0
        self._write(MAGIC + record(HEADER, text(profile) + text(library)))

    def attachment(self, name: str, media_type: str, data: bytes, time: int = 0) -> None:
        content = struct.pack("<QQ", time, time) + text(name) + text(media_type) + struct.pack("<Q", len(data)) + data
        whole = record(ATTACHMENT, content + struct.pack("<I", zlib.crc32(content)))
        place = struct.pack("<QQQQQ", self._at, len(whole), time, time, len(data))
        self._indexes[ATTACHMENT_INDEX].append(record(ATTACHMENT_INDEX, place + text(name) + text(media_type)))
        self._write(whole)

    def metadata(self, name: str, values: dict[str, str]) -> None:
        whole = record(METADATA, text(name) + texts(values))
        self._indexes[METADATA_INDEX].append(
            record(METADATA_INDEX, struct.pack("<QQ", self._at, len(whole)) + text(name))
        )
        self._write(whole)

    def schema(self, name: str, data: bytes, encoding: str = "protobuf") -> int:
        number = len(self._schemas) + 1
        whole = record(
            SCHEMA, struct.pack("<H", number) + text(name) + text(encoding) + struct.pack("<I", len(data)) + data
        )
        self._schemas.append(whole)
        self._chunk.records += whole
        return number

    def channel(self, topic: str, schema: int, encoding: str = "protobuf") -> int:
        number = len(self._channels)
        whole = record(CHANNEL, struct.pack("<HH", number, schema) + text(topic) + text(encoding) + texts({}))
        self._channels.append(whole)
        self._chunk.records += whole
        return number

    def message(self, channel: int, sequence: int, log_time: int, publish_time: int, data: bytes) -> None:
        chunk = self._chunk
        chunk.index.setdefault(channel, []).append((log_time, len(chunk.records)))
        chunk.records += struct.pack("<BQHIQQ", MESSAGE, 22 + len(data), channel, sequence, log_time, publish_time)
        chunk.records += data
        chunk.times.append(log_time)
        if len(chunk.records) >= self._chunk_bytes:
            self.end_chunk()

    def end_chunk(self) -> None:
        """Writes what there is as a chunk, with its message index."""
        chunk, self._chunk = self._chunk, _Chunk()
        if not chunk.records:
            return
        data = bytes(chunk.records)
        packed = compressed(data, self._checksum) if self._compression == "zstd" else data
        first, last = min(chunk.times, default=0), max(chunk.times, default=0)
        name = text(self._compression)
        crc = zlib.crc32(data) if self._crc else 0
        head = struct.pack("<QQQI", first, last, len(data), crc) + name + struct.pack("<Q", len(packed))
        begin = self._at
        self._write(record(CHUNK, head + packed))
        self.chunks, self.last_chunk_end = self.chunks + 1, self._at
        length = self._at - begin
        offsets = b""
        for channel, entries in chunk.index.items():
            offsets += struct.pack("<HQ", channel, self._at)
            content = b"".join(struct.pack("<QQ", *entry) for entry in entries)
            self._write(record(MESSAGE_INDEX, struct.pack("<HI", channel, len(content)) + content))
            self._counts[channel] = self._counts.get(channel, 0) + len(entries)
        self._times += [first, last] if chunk.times else []
        place = struct.pack("<QQQQI", first, last, begin, length, len(offsets)) + offsets
        place += struct.pack("<Q", self._at - begin - length) + name + struct.pack("<QQ", len(packed), len(data))
        self._indexes[CHUNK_INDEX].append(record(CHUNK_INDEX, place))

    def close(self, *, summary: bool = True, crc: bool = True) -> None:
        self.end_chunk()
        self._write(record(DATA_END, struct.pack("<I", self._data_crc if crc else 0)))
        start, offset_start = self._at, 0
        ending = b""
        if summary:
            groups = [
                (SCHEMA, self._schemas if self._repeat_schemas else []),
                (CHANNEL, self._channels),
                (STATISTICS, [self._statistics()]),
            ]
            groups += list(self._indexes.items())
            for opcode, records in groups:
                if records:
                    group = b"".join(records)
                    ending += record(SUMMARY_OFFSET, struct.pack("<BQQ", opcode, self._at, len(group)))
                    self._write(group)
            offset_start = self._at
            self._write(ending)
            self._data_crc = self._summary_crc(start)
        begun = struct.pack("<BQQQ", FOOTER, 20, start if summary else 0, offset_start)
        summed = zlib.crc32(begun, self._data_crc) if summary and crc else 0
        self._write(begun + struct.pack("<I", summed) + MAGIC)

    def _summary_crc(self, start: int) -> int:
        self._file.flush()
        end = self._file.tell()
        self._file.seek(start)
        crc = zlib.crc32(self._file.read())
        self._file.seek(end)
        return crc

    def _statistics(self) -> bytes:
        counts = b"".join(struct.pack("<HQ", *each) for each in self._counts.items())
        content = struct.pack(
            "<QHIIIIQQI",
            sum(self._counts.values()),
            len(self._schemas),
            len(self._channels),
            len(self._indexes[ATTACHMENT_INDEX]),
            len(self._indexes[METADATA_INDEX]),
            len(self._indexes[CHUNK_INDEX]),
            min(self._times, default=0),
            max(self._times, default=0),
            len(counts),
        )
        return record(STATISTICS, content + counts)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._at += len(data)
        self._data_crc = zlib.crc32(data, self._data_crc)
