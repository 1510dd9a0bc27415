"""Converts SMACv2's capability_config to a scenario. The seed of each match decides the random teams and places.

Source: smacv2/env/starcraft2/distributions.py of https://github.com/oxwhirl/smacv2 at
577ab5a2cff2391f8df582da5731ea9cd6adf3c6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios

_CONFIG_KEYS = ("n_units", "n_enemies", "team_gen", "start_positions")
_WEIGHT_SCALE = 1000  # scenarios have whole weights: a weight of 1 becomes this number


def random_scenario(file: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario with random teams and places, and with the limit, race and unit types of `file`. Raises ValueError for
    a value that is not supported.

    Supported teams: `weighted_teams`. Supported places: `reflect_position`, `surrounded` and `surrounded_and_reflect`.
    """
    for name in config:
        arguments.check_choice("capability_config", name, _CONFIG_KEYS)
    team, places = config.get("team_gen"), config.get("start_positions", {})
    units, enemies = (config.get(name, (team or {}).get(name)) for name in ("n_units", "n_enemies"))
    arguments.check_whole_number("n_units", units, 1, 100)
    arguments.check_whole_number("n_enemies", enemies, units, 200)
    if team is None:
        raise ValueError("capability_config: team_gen is missing: add it, because it describes the units")
    arguments.check_choice("team_gen: dist_type", team.get("dist_type"), ["weighted_teams"])
    names = {name.lower(): name for name in scenarios.unit_types(file)}
    kinds, shares = list(team.get("unit_types", ())), list(team.get("weights", ()))
    for kind in kinds:
        arguments.check_choice("team_gen: unit_types", kind, names)
    if len(kinds) != len(shares) or not any(shares):
        raise ValueError(f"team_gen: unit_types {kinds!r}, weights {shares!r}: give a weight for each unit type")
    used_weights = {kind: weight for kind, weight in zip(kinds, shares) if weight > 0}
    group: dict[str, Any] = {
        "type": {names[kind]: max(1, round(weight * _WEIGHT_SCALE)) for kind, weight in used_weights.items()},
        "count": units,
        "at": [8, 16],
        "except": [names[kind] for kind in team.get("exception_unit_types", ()) if kind in used_weights],
    }
    race = file["players"][0]["race"]
    made: dict[str, Any] = {
        "map": [places.get("map_x", 32), places.get("map_y", 32)],
        "limit": file["limit"],
        "reveal": True,
        "players": [
            {"race": race, "passive": True, "units": [group]},
            {"race": race, "mirror": True},
        ],
    }
    if enemies > units:
        made["players"][1]["units"] = [{**group, "count": enemies - units, "at": [24, 16]}]
    if places:
        kind = places.get("dist_type")
        arguments.check_choice(
            "start_positions: dist_type", kind, ["reflect_position", "surrounded", "surrounded_and_reflect"]
        )
        # SMACv2 draws a random number from 0 to 1. If the number is above p, the team is surrounded.
        reflect = {"reflect_position": 1.0, "surrounded": 0.0}.get(kind, places.get("p", 0.5))
        weights = {"reflect": round(reflect * _WEIGHT_SCALE), "surrounded": round((1 - reflect) * _WEIGHT_SCALE)}
        made["positions"] = {name: weight for name, weight in weights.items() if weight}
        for player in made["players"]:
            player["start"] = [made["map"][0] / 2, made["map"][1] / 2]
    return made
