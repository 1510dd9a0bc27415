"""Times what an agent does to have the units in numpy: from columns, and by a loop over the messages; in turns.

The folder comes from the C# half, which measures how long the columns take to write:

    sc2bridge-codec-benchmarks columns --save FOLDER [--harsh]
    PYTHONPATH=agent-python/src python tools/benchmarks/columns_times.py FOLDER [--rounds N] [--json FILE]
"""

from __future__ import annotations

import argparse
import gc
import json
import pathlib
import platform
import statistics
import sys
import time
from typing import Any, Callable

import google.protobuf
import numpy
from google.protobuf.internal import api_implementation

from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import Units

TWELVE = (
    "tag unit_type alliance owner pos facing health health_max shield energy build_progress weapon_cooldown".split()
)
ALL = list(Units.fields)


def columns(units: Units, names: list[str]) -> None:
    for name in names:
        getattr(units, name)


def loop(observation: Any) -> list[Any]:
    return [
        (
            unit.tag,
            unit.unit_type,
            unit.alliance,
            unit.owner,
            unit.pos.x,
            unit.pos.y,
            unit.facing,
            unit.health,
            unit.health_max,
            unit.shield,
            unit.energy,
            unit.weapon_cooldown,
        )
        for unit in observation.observation.raw_data.units
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=30, help="over all frames, after three to warm up (default: 30)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="gets the results")
    given = parser.parse_args()
    frames = [file.read_bytes() for file in sorted(given.folder.glob("*.columns"))]
    plain = [file.read_bytes() for file in sorted(given.folder.glob("*.observation.pb"))]
    if not frames or len(frames) != len(plain):
        parser.error(f"{given.folder} has {len(frames)} columns of {len(plain)} observations: make it with --save")
    parse = sc2api_pb2.ResponseObservation.FromString
    parsed = [parse(message) for message in plain]
    ways: dict[str, tuple[list[Any], Callable[[Any], Any]]] = {
        "columns: 12 of them": (frames, lambda message: columns(Units.from_columns(message), TWELVE)),
        f"columns: all {len(ALL)}": (frames, lambda message: columns(Units.from_columns(message), ALL)),
        "columns: all, and the lists": (frames, with_lists),
        "columns: one's own units, 12 columns": (
            frames,
            lambda message: columns(Units.from_columns(message).own, TWELVE),
        ),
        "messages: a loop over 12 fields": (parsed, loop),
        "messages: 12 columns made of them": (parsed, lambda one: columns(Units.from_observation(one), TWELVE)),
        "messages: to parse them": (plain, parse),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for round_ in range(-3, given.rounds):
        for name, (inputs, act) in ways.items():
            gc.collect()
            began = time.perf_counter_ns()
            for each in inputs:
                act(each)
            elapsed = time.perf_counter_ns() - began
            if round_ >= 0:
                times[name].append(elapsed / 1e6 / len(inputs))
    units = statistics.mean(len(one.observation.raw_data.units) for one in parsed)
    result = {
        "machine": f"{platform.processor() or platform.machine()}, {platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "protobuf": f"{google.protobuf.__version__} ({api_implementation.Type()})",
        "numpy": numpy.__version__,
        "frames": len(frames),
        "units": units,
        "columns_bytes": statistics.mean(map(len, frames)),
        "observation_bytes": statistics.mean(map(len, plain)),
        "rows": [
            {"way": name, "median_ms": statistics.median(of), "least_ms": min(of), "most_ms": max(of)}
            for name, of in times.items()
        ],
    }
    print(f"Python {result['python']}, protobuf {result['protobuf']}, numpy {result['numpy']}; {result['machine']}")
    print(
        f"{len(frames)} frames of {units:.0f} units on average\n\n| way | median ms | least | most |\n| --- | --- | --- | --- |"
    )
    for row in result["rows"]:  # type: ignore[attr-defined]
        print(f"| {row['way']} | {row['median_ms']:.4f} | {row['least_ms']:.4f} | {row['most_ms']:.4f} |")
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n")
    return 0


def with_lists(message: bytes) -> None:
    units = Units.from_columns(message)
    columns(units, ALL)
    for lists in (units.orders, units.passengers, units.buffs, units.rally_targets):
        columns(lists, list(lists.fields))


if __name__ == "__main__":
    sys.exit(main())
