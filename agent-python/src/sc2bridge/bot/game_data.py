"""The match's ResponseData as arrays indexed by id: one operation finds the values for a whole table of units."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from sc2bridge.bot import facts
from sc2bridge.game.match import Match
from sc2bridge.units.tables import read_only

TypeLike = Union[int, str]
"""UnitTypeData.unit_id, or the type's name in the match."""

TypesLike = Union[TypeLike, Iterable[TypeLike]]

_ATTRIBUTES = {
    **{"is_light": 1, "is_armored": 2, "is_biological": 3, "is_mechanical": 4, "is_psionic": 6, "is_massive": 7},
    "is_structure": 8,
}
"""Numbers of data_pb2.Attribute."""

_GROUND, _AIR, _ANY = 1, 2, 3  # data_pb2.Weapon.TargetType


class GameData:
    """Data of the unit types. Each column is computed on first access and cached for the match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._columns: dict[str, Any] = {}
        self._ids: dict[TypesLike, frozenset[int]] = {}
        # A column has an entry for each id, and a last entry for unknown types.
        self._length = max((row.unit_id for row in match.data.units), default=0) + 2
        abilities = match.data.abilities
        self._general = np.arange(max((row.ability_id for row in abilities), default=0) + 2, dtype=np.uint32)
        for row in abilities:
            if row.remaps_to_ability_id:
                self._general[row.ability_id] = row.remaps_to_ability_id

    def column(self, name: str) -> npt.NDArray[Any]:
        """A column indexed by UnitTypeData.unit_id. name: a field of UnitTypeData, or a key of `_ATTRIBUTES`,
        `_GROUP_COLUMNS` or `_WEAPON_COLUMNS`. The column has 0 for ids that the game does not use."""
        if name not in self._columns:
            self._columns[name] = read_only(self._compute(name))
        made: npt.NDArray[Any] = self._columns[name]
        return made

    def of_types(self, unit_type: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """The values of a column for an array of unit types."""
        return self.column(name).take(unit_type, mode="clip")

    def ids(self, *given: TypesLike) -> frozenset[int]:
        """Ids of types. given: numbers, names or collections of both. Raises KeyError for an unknown name."""
        if len(given) != 1:
            return frozenset().union(*map(self.ids, given))
        (types,) = given
        if not isinstance(types, (int, str)):
            return self.ids(*types)
        found = self._ids.get(types)
        if found is None:
            found = self._ids[types] = frozenset(
                (int(self.match.unit_types[types] if isinstance(types, str) else types),)
            )
        return found

    def known_ids(self, names: Iterable[str]) -> frozenset[int]:
        """Ids of the named types; names that the match does not have are skipped."""
        types = self.match.unit_types
        return frozenset(int(types[name]) for name in names if name in types)

    def known_buff_ids(self, names: Iterable[str]) -> list[int]:
        """Ids of the named buffs; names that the match does not have are skipped."""
        buffs = self.match.buffs
        return [int(buffs[name]) for name in names if name in buffs]

    def general_abilities(self, abilities: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        """For each ability, the general ability that it is remapped to, or the ability itself if it is not remapped."""
        return self._general.take(abilities, mode="clip")

    def with_aliases(self, types: Iterable[int], field: str = "tech_alias") -> frozenset[int]:
        """The given types, and all types that have a given type as an alias. field: `tech_alias` or `unit_alias`."""
        wanted = frozenset(types)
        return wanted | {row.unit_id for row in self.match.data.units if not wanted.isdisjoint(_as_list(row, field))}

    def _compute(self, name: str) -> Any:
        if name in _ATTRIBUTES:
            return self._column_of(bool, lambda row: _ATTRIBUTES[name] in row.attributes)
        if name in _GROUP_COLUMNS:
            return self._flags_of(_GROUP_COLUMNS[name](self))
        if name in _WEAPON_COLUMNS:
            return self._column_of(*_WEAPON_COLUMNS[name])
        if name == "name":
            return self._column_of(object, lambda row: row.name)
        if name == "footprint_radius":
            radii = {row.ability_id: row.footprint_radius for row in self.match.data.abilities}
            return self._column_of(np.float64, lambda row: radii.get(row.ability_id, 0))
        return self._column_of(_DTYPES.get(name, np.float64), lambda row: getattr(row, name))

    def _column_of(self, dtype: Any, read: Callable[[Any], Any]) -> Any:
        made = np.full(self._length, "", object) if dtype is object else np.zeros(self._length, dtype)
        for row in self.match.data.units:
            made[row.unit_id] = read(row)
        return made

    def _flags_of(self, ids: Iterable[int]) -> Any:
        made = np.zeros(self._length, bool)
        made[list(ids)] = True
        return made

    def _town_halls(self) -> frozenset[int]:
        halls = self.with_aliases(self.known_ids(facts.TOWN_HALLS.values()))
        return self.with_aliases(halls, "unit_alias")


def _as_list(row: Any, field: str) -> Iterable[int]:
    value: Any = getattr(row, field)
    listed: Iterable[int] = (value,) if isinstance(value, int) else value
    return listed


def _weapon_against(row: Any, target: int) -> Any:
    return next((weapon for weapon in row.weapons if weapon.type in (target, _ANY)), None)


def _range_against(target: int) -> Callable[[Any], float]:
    def read(row: Any) -> float:
        if row.name in facts.ABILITY_WEAPON_RANGES:
            return facts.ABILITY_WEAPON_RANGES[row.name][target - 1]
        weapon = _weapon_against(row, target)
        return float(weapon.range) if weapon else 0.0

    return read


def _dps_against(target: int) -> Callable[[Any], float]:
    def read(row: Any) -> float:
        weapon = _weapon_against(row, target)
        return float(weapon.damage * weapon.attacks / weapon.speed) if weapon and weapon.speed else 0.0

    return read


def _can_attack(target: int) -> Callable[[Any], bool]:
    return lambda row: _range_against(target)(row) > 0 or _weapon_against(row, target) is not None


_DTYPES: dict[str, Any] = {"race": np.uint8, "has_minerals": bool, "has_vespene": bool}

_WEAPON_COLUMNS: dict[str, Any] = {
    "can_attack": (bool, lambda row: bool(row.weapons) or row.name in facts.ABILITY_WEAPON_RANGES),
    "can_attack_ground": (bool, _can_attack(_GROUND)),
    "can_attack_air": (bool, _can_attack(_AIR)),
    "ground_range": (np.float64, _range_against(_GROUND)),
    "air_range": (np.float64, _range_against(_AIR)),
    "ground_dps": (np.float64, _dps_against(_GROUND)),
    "air_dps": (np.float64, _dps_against(_AIR)),
}

_GROUP_COLUMNS: dict[str, Callable[[GameData], Iterable[int]]] = {
    "is_townhall": GameData._town_halls,
    "is_worker": lambda data: data.known_ids(facts.WORKERS),
    "is_larva": lambda data: data.known_ids(["Larva"]),
    "is_watchtower": lambda data: data.known_ids(["XelNagaTower"]),
    "is_effect": lambda data: data.known_ids(facts.EFFECT_UNITS),
    "is_techlab": lambda data: data.with_aliases(data.known_ids(["TechLab"])),
    "is_reactor": lambda data: data.with_aliases(data.known_ids(["Reactor"])),
    "is_detector": lambda data: data.known_ids(facts.DETECTORS),
    "is_cannon": lambda data: data.known_ids(["PhotonCannon"]),
    "is_colossus": lambda data: data.known_ids(["Colossus"]),
    "is_wall_field": lambda data: data.known_ids([facts.WALL_FIELD]),
}
