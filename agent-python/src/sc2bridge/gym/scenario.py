"""Reads races, unit types and counts of units from a scenario's file, before an environment plays the scenario."""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, Optional

from sc2bridge.game.scenarios import FOLDER, scenarios
from sc2bridge.gym.arguments import check_choice, check_races, check_rows
from sc2bridge.hints import did_you_mean


def find_file(scenario: str) -> str:
    """The path of a scenario's file. scenario: a path, or a name in this package. Raises ValueError or TypeError."""
    if not isinstance(scenario, (str, os.PathLike)):
        raise TypeError(f"scenario {scenario!r}: give a scenario's name or the path of a file")
    scenario = os.fspath(scenario)
    if os.path.isfile(scenario):
        return scenario
    known = scenarios()
    if scenario not in known:
        near = did_you_mean(scenario, known, f"give the path of a file, or one of {', '.join(known)}")
        raise ValueError(f"scenario {scenario}: no such file or scenario: {near}")
    return str(FOLDER / f"{scenario}.json")


def read(scenario: str) -> Any:
    """Parses a scenario's file. Comments and trailing commas are allowed. Raises ValueError or TypeError."""
    with open(find_file(scenario), encoding="utf-8") as file:
        text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*', lambda found: found[1] or "", file.read())
    try:
        found = json.loads(re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[\]}])', lambda found: found[1] or "", text))
    except ValueError as error:
        raise ValueError(f"scenario {scenario}: not valid JSON: {error}") from None
    if not isinstance(found, dict) or not isinstance(found.get("players"), list):
        raise ValueError(f"scenario {scenario}: it has no list `players`: add one with an object for each player")
    return found


def unit_counts(scenario: Any) -> list[int]:
    """Each player's number of units."""
    players = scenario["players"]
    own = [sum(group.get("count", 1) for group in player.get("units", ())) for player in players]
    return [number + (own[0] if player.get("mirror") else 0) for number, player in zip(own, players)]


def unit_types(scenario: Any) -> list[str]:
    """The names of the unit types of all players, in the order of the file."""
    found: dict[str, str] = {}
    for kind in [group["type"] for player in scenario["players"] for group in player.get("units", ())]:
        for name in [kind] if isinstance(kind, str) else kind:
            found.setdefault(name.lower(), name)
    return list(found.values())


def races(scenario: Optional[str]) -> list[str]:
    """The players' races in lower case; an empty list without a scenario."""
    return [] if scenario is None else [str(player.get("race", "")).lower() for player in read(scenario)["players"]]


def row_counts(scenario: Optional[str], given: Optional[Sequence[int]], sides: Iterable[int]) -> list[Sequence[int]]:
    """For each player id in `sides`, returns how many rows of `Slots` are for own, enemy and neutral units: `given`, or
    else the scenario's counts of units, or without a scenario 128, 128 and 64. Raises ValueError."""
    if given is not None or scenario is None:
        return [given or (128, 128, 64) for _ in sides]
    units = unit_counts(read(scenario))
    return [(units[side - 1], sum(units) - units[side - 1], 0) for side in sides]


RACES = {"terran": 1, "zerg": 2, "protoss": 3}
"""Numbers of `common_pb2.Race` by the names in `--player`."""


def own_side(
    scenario: Optional[str], opponent: str, race: Optional[str], rows: Optional[Sequence[int]]
) -> tuple[str, Sequence[int]]:
    """The own race, and the counts of rows (see `row_counts`) of the first player. race: None for the scenario's race,
    or Terran without a scenario. Raises ValueError or TypeError for a wrong argument."""
    check_rows(rows)
    (counts,), needed = row_counts(scenario, rows, [1]), races(scenario)
    race = race or next(iter(needed), "") or "terran"
    check_choice("race", race, RACES)
    check_races(scenario, needed, [(f"race {race!r}", race), (f"opponent {opponent!r}", opponent.split(":")[1])])
    return race, counts


def flags(scenario: Optional[str]) -> list[str]:
    """The flags of `sc2bridge match` for a scenario."""
    return [] if scenario is None else ["--scenario", find_file(scenario)]


def map_settings(map_name: Optional[str], scenario: Optional[str]) -> dict[str, str]:
    """The settings of the native library for a map or a scenario. Without both, the default map of `sc2bridge match`.
    Raises ValueError if both are given."""
    if scenario is None:
        return {"map": map_name or "Cinder Fortress LE"}
    if map_name is not None:
        raise ValueError(f"map_name {map_name!r}: leave it out with a scenario")
    file = pathlib.Path(find_file(scenario))
    return {"scenario": file.read_text("utf-8"), "name": file.stem}
