"""SMACv2's capability_config as a scenario whose teams and places are drawn from the seed of each match.

Source: smacv2/env/starcraft2/distributions.py of https://github.com/oxwhirl/smacv2 at 577ab5a2cff2391f8df582da5731ea9cd6adf3c6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sc2bridge.gym import arguments
from sc2bridge.gym import scenario as scenarios

_CONFIG = ("n_units", "n_enemies", "team_gen", "start_positions")
_PARTS = 1000  # of a weight's 1


def drawn_scenario(file: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    """A scenario with the limit, the race and unit types of this one. Raises ValueError for what is not supported.

    Teams are `weighted_teams`; places are `reflect_position`, `surrounded` or `surrounded_and_reflect`.
    """
    for name in config:
        arguments.choose("capability_config", name, _CONFIG)
    team, places = config.get("team_gen"), config.get("start_positions", {})
    units, enemies = (config.get(name, (team or {}).get(name)) for name in ("n_units", "n_enemies"))
    arguments.whole("n_units", units, 1, 100)
    arguments.whole("n_enemies", enemies, units, 200)
    if team is None:
        raise ValueError("capability_config: team_gen is missing: it says which units there are")
    arguments.choose("team_gen: dist_type", team.get("dist_type"), ["weighted_teams"])
    names = {name.lower(): name for name in scenarios.types(file)}
    kinds, shares = list(team.get("unit_types", ())), list(team.get("weights", ()))
    for kind in kinds:
        arguments.choose("team_gen: unit_types", kind, names)
    if len(kinds) != len(shares) or not any(shares):
        raise ValueError(f"team_gen: unit_types {kinds!r}, weights {shares!r}: give a weight for each unit type")
    drawn_kinds = {kind: weight for kind, weight in zip(kinds, shares) if weight > 0}
    group: dict[str, Any] = {
        "type": {names[kind]: max(1, round(weight * _PARTS)) for kind, weight in drawn_kinds.items()},
        "count": units,
        "at": [8, 16],
        "except": [names[kind] for kind in team.get("exception_unit_types", ()) if kind in drawn_kinds],
    }
    race = file["players"][0]["race"]
    drawn: dict[str, Any] = {
        "map": [places.get("map_x", 32), places.get("map_y", 32)],
        "limit": file["limit"],
        "reveal": True,
        "players": [
            {"race": race, "passive": True, "units": [group]},
            {"race": race, "mirror": True},
        ],
    }
    if enemies > units:
        drawn["players"][1]["units"] = [{**group, "count": enemies - units, "at": [24, 16]}]
    if places:
        kind = places.get("dist_type")
        arguments.choose(
            "start_positions: dist_type", kind, ["reflect_position", "surrounded", "surrounded_and_reflect"]
        )
        # SMACv2 compares p with a number from 0 to 1: above it they are surrounded.
        reflect = {"reflect_position": 1.0, "surrounded": 0.0}.get(kind, places.get("p", 0.5))
        weights = {"reflect": round(reflect * _PARTS), "surrounded": round((1 - reflect) * _PARTS)}
        drawn["positions"] = {name: weight for name, weight in weights.items() if weight}
        for player in drawn["players"]:
            player["start"] = [drawn["map"][0] / 2, drawn["map"][1] / 2]
    return drawn
