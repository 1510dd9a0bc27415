"""The unit table as protobuf, JSON and CSV, plain and compressed: read, write and size relative to plain JSON.

All three hold the same: every scalar field of each unit, and its place. Orders, buffs, passengers and rallies are left
out, as a flat table has no room for them.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import zlib
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Tuple

from sc2bridge_bench.libraries import optional
from sc2bridge_bench.times import Times, trimmed_mean
from sc2bridge.s2clientprotocol import raw_pb2, sc2api_pb2

zstandard = optional("zstandard")
lz4_frame = optional("lz4.frame")

Row = Dict[str, Any]
PLACE = ("x", "y", "z")


class Form(NamedTuple):
    """One way to write the table as bytes, and to read it."""

    name: str
    write: Callable[["Table"], bytes]
    read: Callable[[bytes], Any]


class Compression(NamedTuple):
    """One way to make bytes fewer."""

    name: str
    compress: Callable[[bytes], bytes]
    decompress: Callable[[bytes], bytes]


def _scalars() -> List[Any]:
    fields = raw_pb2.Unit.DESCRIPTOR.fields
    return [field for field in fields if field.message_type is None and not _repeated(field)]


def _repeated(field: Any) -> bool:
    # `label` is gone from newer releases, and `is_repeated` not there in older ones.
    known = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if known is None else known)


SCALARS = _scalars()
COLUMNS = [field.name for field in SCALARS] + [f"pos_{axis}" for axis in PLACE]


def _kind(field: Any) -> Callable[[str], Any]:
    if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return float
    if field.cpp_type == field.CPPTYPE_BOOL:
        return lambda text: text == "True"
    return int


KINDS = [_kind(field) for field in SCALARS] + [float] * len(PLACE)


class Table:
    """The units of one observation, as messages and as rows."""

    def __init__(self, observation: bytes) -> None:
        units = sc2api_pb2.ResponseObservation.FromString(observation).observation.raw_data.units
        self.message = raw_pb2.ObservationRaw()
        self.rows: List[Row] = []
        for unit in units:
            row = {field.name: getattr(unit, field.name) for field in SCALARS if unit.HasField(field.name)}
            flat = self.message.units.add(**row)
            flat.pos.CopyFrom(unit.pos)
            row.update((f"pos_{axis}", getattr(unit.pos, axis)) for axis in PLACE)
            self.rows.append(row)


def write_csv(rows: List[Row]) -> bytes:
    """A header and a line for each unit; what it has not is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def read_csv(data: bytes) -> List[Row]:
    """The rows, their cells turned into numbers."""
    lines = csv.reader(io.StringIO(data.decode()))
    next(lines)
    return [{name: kind(cell) for name, kind, cell in zip(COLUMNS, KINDS, line) if cell} for line in lines if line]


FORMS = [
    Form(
        "protobuf",
        lambda table: bytes(table.message.SerializeToString()),
        raw_pb2.ObservationRaw.FromString,
    ),
    Form("JSON", lambda table: json.dumps(table.rows, separators=(",", ":")).encode(), json.loads),
    Form("CSV", lambda table: write_csv(table.rows), read_csv),
]


def compressions() -> List[Compression]:
    """What is installed, at each one's own usual level (gzip and zlib 6, bz2 9, zstd 3, lz4 its fast one)."""
    found = [
        Compression("plain", lambda data: data, lambda data: data),
        Compression("gzip", lambda data: gzip.compress(data, 6), gzip.decompress),
        Compression("zlib", zlib.compress, zlib.decompress),
        Compression("bz2", bz2.compress, bz2.decompress),
    ]
    if zstandard is not None:
        compressor, decompressor = zstandard.ZstdCompressor(), zstandard.ZstdDecompressor()
        found.append(Compression("zstd", compressor.compress, decompressor.decompress))
    if lz4_frame is not None:
        found.append(Compression("lz4", lz4_frame.compress, lz4_frame.decompress))
    return found


def measure(observations: Iterable[bytes]) -> List[Dict[str, Any]]:
    """A row for each form and compression: mean bytes, trimmed mean times, and all three relative to plain JSON."""
    measured: Dict[Tuple[str, str], Tuple[Form, Compression, Times, Times, List[int]]] = {
        (form.name, one.name): (form, one, Times(), Times(), []) for form in FORMS for one in compressions()
    }
    for index, observation in enumerate(observations):
        table = Table(observation)
        for form, one, writes, reads, sizes in measured.values():
            if index == 0:
                form.read(one.decompress(one.compress(form.write(table))))
            data = writes.of(lambda: one.compress(form.write(table)))
            reads.of(lambda: form.read(one.decompress(data)))
            sizes.append(len(data))
    _, _, writes, reads, sizes = measured[("JSON", "plain")]
    if not sizes:
        return []
    base = _figures(writes, reads, sizes)
    rows = []
    for (form_name, compression), (_, _, writes, reads, sizes) in measured.items():
        own = _figures(writes, reads, sizes)
        rows.append(
            {
                "form": form_name,
                "compression": compression,
                "steps": len(sizes),
                "bytes": own[2],
                "write_ms": own[0],
                "read_ms": own[1],
                "write_relative": own[0] / base[0],
                "read_relative": own[1] / base[1],
                "size_relative": own[2] / base[2],
            }
        )
    return rows


def _figures(writes: Times, reads: Times, sizes: List[int]) -> List[float]:
    return [trimmed_mean(writes.ms), trimmed_mean(reads.ms), sum(sizes) / len(sizes)]
