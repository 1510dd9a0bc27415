"""Times reading and writing of observations as protobuf and as JSON, each library that is installed in turn."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, List, NamedTuple

from google.protobuf import json_format

from sc2bridge_bench.libraries import optional
from sc2bridge_bench.times import Times
from sc2bridge.s2clientprotocol import sc2api_pb2

orjson = optional("orjson")


class Subject:
    """One observation in every form that a codec starts from, made before anything is timed."""

    def __init__(self, wire: bytes) -> None:
        self.wire = wire
        self.message = sc2api_pb2.ResponseObservation.FromString(wire)
        # As the bridge sends it: no line breaks, no spaces.
        self.plain: Any = json_format.MessageToDict(self.message)
        self.text = json.dumps(self.plain, separators=(",", ":"))


class Codec(NamedTuple):
    """One way to write and to read an observation."""

    format: str
    library: str
    write: Callable[[Subject], Any]
    read: Callable[[Subject], Any]


def codecs() -> List[Codec]:
    """What is installed. The plain ones give dicts and lists in place of messages."""
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


def measure(observations: Iterable[bytes], warm_up: int = 1) -> List[Dict[str, Any]]:
    """A row for each codec; the first few observations are done once without being counted."""
    measured = [(codec, Times(), Times()) for codec in codecs()]
    for index, wire in enumerate(observations):
        subject = Subject(wire)
        if index < warm_up:
            for codec, _, _ in measured:
                codec.write(subject)
                codec.read(subject)
        # Each observation begins with another codec.
        first = index % len(measured)
        for codec, writes, reads in measured[first:] + measured[:first]:
            writes.of(lambda: codec.write(subject))
            reads.of(lambda: codec.read(subject))
    return [
        {
            "language": "Python",
            "format": codec.format,
            "library": codec.library,
            "write": writes.summary(),
            "read": reads.summary(),
        }
        for codec, writes, reads in measured
        if writes.ms
    ]
