"""How long it takes to have 12 fields of all units in numpy: from a Columns message, and by a loop over messages."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import Any, Dict, Iterable, Iterator, List, Tuple

from sc2bridge_bench.times import Times, trimmed_mean
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units

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
WARM_UP = 3
TURN = 60


def by_columns(columns: bytes) -> List[Any]:
    """From the message's bytes to arrays: those fields, and the place."""
    units = Units.from_columns(columns)
    return [units.pos, *(getattr(units, name) for name in FIELDS)]


def by_loop(units: Any) -> List[List[Any]]:
    """From parsed messages to lists of the same values; the arrays are not even made."""
    rows = []
    for unit in units:
        pos = unit.pos
        rows.append(
            [
                (pos.x, pos.y, pos.z),
                unit.tag,
                unit.unit_type,
                unit.alliance,
                unit.owner,
                unit.display_type,
                unit.facing,
                unit.radius,
                unit.health,
                unit.health_max,
                unit.shield,
                unit.energy,
            ]
        )
    return rows


def measure(frames: Iterable[bytes]) -> Dict[str, float]:
    """Trimmed means in milliseconds, in turns of TURN frames: an agent that reads columns parses nothing in between.

    The frames are an observation and the same as columns, one after the other.
    """
    arrays, loops = Times(), Times()
    pairs = _pairs(frames)
    while turn := list(islice(pairs, TURN)):
        parsed = [sc2api_pb2.ResponseObservation.FromString(observation) for observation, _ in turn]
        for times, operation in (
            (arrays, [partial(by_columns, columns) for _, columns in turn]),
            (loops, [partial(by_loop, message.observation.raw_data.units) for message in parsed]),
        ):
            if not times.ms:
                for _ in range(WARM_UP):
                    operation[0]()
            for each in operation:
                times.of(each)
    return {"numpy_ms": trimmed_mean(arrays.ms), "loop_ms": trimmed_mean(loops.ms)}


def _pairs(frames: Iterable[bytes]) -> Iterator[Tuple[bytes, bytes]]:
    each = iter(frames)
    return zip(each, each)
