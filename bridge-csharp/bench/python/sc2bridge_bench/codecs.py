"""Times reading and writing of observations as protobuf, JSON and columns, each library that is installed in turn."""

from __future__ import annotations

import json
from itertools import count
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional

from google.protobuf import json_format

from sc2bridge_bench.libraries import optional
from sc2bridge_bench.times import Times
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units

orjson = optional("orjson")

# The fields that are read of each unit, in addition to its position.
FIELDS = (
    "tag",
    "unit_type",
    "alliance",
    "owner",
    "display_type",
    "facing",
    "radius",
    "health",
    "health_max",
    "shield",
    "energy",
)


class Subject:
    """One observation in every form that a codec starts from, made before anything is timed."""

    def __init__(self, wire: bytes, columns: bytes) -> None:
        self.wire = wire
        self.columns = columns
        self.message = sc2api_pb2.ResponseObservation.FromString(wire)
        # As the bridge sends it: no line breaks, no spaces.
        self.plain: Any = json_format.MessageToDict(self.message)
        self.text = json.dumps(self.plain, separators=(",", ":"))


class Codec(NamedTuple):
    """One way to write and to read an observation."""

    format: str
    library: str
    write: Optional[Callable[[Subject], Any]]
    read: Callable[[Subject], Any]


def codecs() -> List[Codec]:
    """The installed codecs. The plain ones return dicts and lists instead of messages."""
    found = [
        Codec(
            "protobuf",
            "protobuf",
            lambda subject: subject.message.SerializeToString(),
            lambda subject: sc2api_pb2.ResponseObservation.FromString(subject.wire),
        ),
        Codec(
            "JSON",
            "json_format",
            lambda subject: json_format.MessageToJson(subject.message),
            lambda subject: json_format.Parse(subject.text, sc2api_pb2.ResponseObservation()),
        ),
        Codec(
            "JSON",
            "json (dicts)",
            lambda subject: json.dumps(subject.plain, separators=(",", ":")),
            lambda subject: json.loads(subject.text),
        ),
        Codec("protobuf", "units in a loop", None, by_loop),
        Codec("columns", "units in numpy", None, by_columns),
    ]
    if orjson is not None:
        found.append(
            Codec(
                "JSON",
                "orjson (dicts)",
                lambda subject: orjson.dumps(subject.plain),
                lambda subject: orjson.loads(subject.text),
            )
        )
    return found


def by_loop(subject: Subject) -> List[List[Any]]:
    """The place and FIELDS of all units from a message that is parsed already."""
    units = subject.message.observation.raw_data.units
    return [[(unit.pos.x, unit.pos.y, unit.pos.z), *(getattr(unit, name) for name in FIELDS)] for unit in units]


def by_columns(subject: Subject) -> List[Any]:
    """The same as arrays, from the bytes of a Columns message."""
    units = Units.from_columns(subject.columns)
    return [units.pos, *(getattr(units, name) for name in FIELDS)]


def measure(frames: Iterable[bytes], warm_up: int = 1) -> List[Dict[str, Any]]:
    """A row for each codec; the first few observations are done once without being counted.

    The frames are an observation and the same as columns, one after the other.
    """
    measured = [(codec, Times(), Times()) for codec in codecs()]
    each = iter(frames)
    for index, wire, columns in zip(count(), each, each):
        subject = Subject(wire, columns)
        # Each observation begins with another codec.
        first = index % len(measured)
        for codec, writes, reads in measured[first:] + measured[:first]:
            for operation, times in ((codec.write, writes), (codec.read, reads)):
                if operation is None:
                    continue
                if index < warm_up:
                    operation(subject)
                times.of(operation, subject)
    return [
        {
            "language": "Python",
            "format": codec.format,
            "library": codec.library,
            "write": writes.summary() if writes.ms else None,
            "read": reads.summary(),
        }
        for codec, writes, reads in measured
        if reads.ms
    ]
