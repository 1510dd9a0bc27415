"""The match's ResponseData as arrays by id, so that a table of units looks up its types at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from sc2bridge.bot import facts
from sc2bridge.game.match import Match
from sc2bridge.units.tables import read_only

TypeLike = Union[int, str]
"""UnitTypeData.unit_id, or its name in the match."""

TypesLike = Union[TypeLike, Iterable[TypeLike]]

_ATTRIBUTES = {
    **{"is_light": 1, "is_armored": 2, "is_biological": 3, "is_mechanical": 4, "is_psionic": 6, "is_massive": 7},
    "is_structure": 8,
}
"""data_pb2.Attribute."""

_GROUND, _AIR, _ANY = 1, 2, 3  # data_pb2.Weapon.TargetType


class GameData:
    """What the game says of its types. Columns are made when they are first asked for, and kept for the match."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._columns: dict[str, Any] = {}
        self._ids: dict[TypesLike, frozenset[int]] = {}
        self._length = max((row.unit_id for row in match.data.units), default=0) + 2  # The last is of unknown types.
        abilities = match.data.abilities
        self._general = np.arange(max((row.ability_id for row in abilities), default=0) + 2, dtype=np.uint32)
        for row in abilities:
            if row.remaps_to_ability_id:
                self._general[row.ability_id] = row.remaps_to_ability_id

    def column(self, name: str) -> npt.NDArray[Any]:
        """Of every type, by UnitTypeData.unit_id: a number of the message, an attribute, or one of the weapons; 0 where the game
        knows no such type."""
        if name not in self._columns:
            self._columns[name] = read_only(self._make(name))
        made: npt.NDArray[Any] = self._columns[name]
        return made

    def of(self, unit_type: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
        """The column for an array of types."""
        return self.column(name).take(unit_type, mode="clip")

    def ids(self, *given: TypesLike) -> frozenset[int]:
        """Ids of types, by numbers, names or collections of them. Raises KeyError for a name that the match does not know."""
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

    def known(self, names: Iterable[str]) -> frozenset[int]:
        """Ids of those types that the match knows."""
        types = self.match.unit_types
        return frozenset(int(types[name]) for name in names if name in types)

    def buffs(self, names: Iterable[str]) -> list[int]:
        """Ids of those buffs that the match knows."""
        buffs = self.match.buffs
        return [int(buffs[name]) for name in names if name in buffs]

    def general(self, abilities: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
        """The general abilities that abilities are remapped to, or themselves."""
        return self._general.take(abilities, mode="clip")

    def aliases(self, types: Iterable[int], field: str = "tech_alias") -> frozenset[int]:
        """Some types, and those that name one of them as an alias: what stands for them."""
        wanted = frozenset(types)
        return wanted | {row.unit_id for row in self.match.data.units if not wanted.isdisjoint(_listed(row, field))}

    def _make(self, name: str) -> Any:
        if name in _ATTRIBUTES:
            return self._read(bool, lambda row: _ATTRIBUTES[name] in row.attributes)
        if name in _GROUPS:
            return self._flags(_GROUPS[name](self))
        if name in _WEAPONS:
            return self._read(*_WEAPONS[name])
        if name == "name":
            return self._read(object, lambda row: row.name)
        if name == "footprint_radius":
            radii = {row.ability_id: row.footprint_radius for row in self.match.data.abilities}
            return self._read(np.float64, lambda row: radii.get(row.ability_id, 0))
        return self._read(_TYPES.get(name, np.float64), lambda row: getattr(row, name))

    def _read(self, dtype: Any, read: Callable[[Any], Any]) -> Any:
        made = np.full(self._length, "", object) if dtype is object else np.zeros(self._length, dtype)
        for row in self.match.data.units:
            made[row.unit_id] = read(row)
        return made

    def _flags(self, ids: Iterable[int]) -> Any:
        made = np.zeros(self._length, bool)
        made[list(ids)] = True
        return made

    def _halls(self) -> frozenset[int]:
        halls = self.aliases(self.known(facts.TOWN_HALLS.values()))
        return self.aliases(halls, "unit_alias")


def _listed(row: Any, field: str) -> Iterable[int]:
    value: Any = getattr(row, field)
    listed: Iterable[int] = (value,) if isinstance(value, int) else value
    return listed


def _weapon(row: Any, target: int) -> Any:
    return next((weapon for weapon in row.weapons if weapon.type in (target, _ANY)), None)


def _range(target: int) -> Callable[[Any], float]:
    def read(row: Any) -> float:
        if row.name in facts.RANGES:
            return facts.RANGES[row.name][target - 1]
        weapon = _weapon(row, target)
        return float(weapon.range) if weapon else 0.0

    return read


def _dps(target: int) -> Callable[[Any], float]:
    def read(row: Any) -> float:
        weapon = _weapon(row, target)
        return float(weapon.damage * weapon.attacks / weapon.speed) if weapon and weapon.speed else 0.0

    return read


def _attacks(target: int) -> Callable[[Any], bool]:
    return lambda row: _range(target)(row) > 0 or _weapon(row, target) is not None


_TYPES: dict[str, Any] = {"race": np.uint8, "has_minerals": bool, "has_vespene": bool}

_WEAPONS: dict[str, Any] = {
    "can_attack": (bool, lambda row: bool(row.weapons) or row.name in facts.RANGES),
    "can_attack_ground": (bool, _attacks(_GROUND)),
    "can_attack_air": (bool, _attacks(_AIR)),
    "ground_range": (np.float64, _range(_GROUND)),
    "air_range": (np.float64, _range(_AIR)),
    "ground_dps": (np.float64, _dps(_GROUND)),
    "air_dps": (np.float64, _dps(_AIR)),
}

_GROUPS: dict[str, Callable[[GameData], Iterable[int]]] = {
    "is_townhall": GameData._halls,
    "is_worker": lambda data: data.known(facts.WORKERS),
    "is_larva": lambda data: data.known(["Larva"]),
    "is_watchtower": lambda data: data.known(["XelNagaTower"]),
    "is_effect": lambda data: data.known(facts.EFFECTS),
    "is_techlab": lambda data: data.aliases(data.known(["TechLab"])),
    "is_reactor": lambda data: data.aliases(data.known(["Reactor"])),
    "is_detector": lambda data: data.known(facts.DETECTORS),
    "is_cannon": lambda data: data.known(["PhotonCannon"]),
    "is_colossus": lambda data: data.known(["Colossus"]),
    "is_wall_field": lambda data: data.known([facts.WALL_FIELD]),
}
