"""Costs of units, upgrades and abilities, from ResponseData."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Union

from sc2bridge.bot import facts
from sc2bridge.game.match import Match
from sc2bridge.game.names import Id, Names
from sc2bridge.s2clientprotocol import data_pb2

Item = Union[int, str]
"""A unit type, upgrade or ability: a name, or an id (`match.upgrades.STIMPACK`). A plain number is a unit type."""


class Cost(NamedTuple):
    """An amount of minerals and vespene."""

    minerals: int
    vespene: int


_NOTHING = Cost(0, 0)


class Costs:
    """Costs of the unit types, upgrades and abilities of a match."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._types = {row.unit_id: row for row in match.data.units if row.available}

    def id_of(self, item: Item) -> Id[Any]:
        """The id of an item. A name is searched in unit types, then upgrades, then abilities. Raises KeyError."""
        if isinstance(item, Id):
            return item
        match = self._match
        tables: tuple[Names[Any], ...] = (match.unit_types, match.upgrades, match.abilities)
        if isinstance(item, str):
            for names in tables:
                if item in names:
                    return names[item]
        return match.unit_types[item]

    def production_ability(self, item: Item) -> int:
        """The ability that makes an item; 0 if no ability makes the item. For an ability, the ability itself."""
        found = self.id_of(item)
        if isinstance(found.data, data_pb2.AbilityData):
            return int(found)
        name = getattr(found.data, "name", "")
        if isinstance(found.data, data_pb2.UnitTypeData):
            name = facts.COUNTED_AS.get(name, name)
            if name in facts.PRODUCTION_ABILITIES and facts.PRODUCTION_ABILITIES[name] in self._match.abilities:
                return int(self._match.abilities[facts.PRODUCTION_ABILITIES[name]])
            if name != found.data.name:
                return self.production_ability(name)
        return int(found.data.ability_id)

    def of(self, item: Item) -> Cost:
        """The cost of an item. For a morph: the cost of the new type minus the cost of the earlier type."""
        found = self.id_of(item)
        if isinstance(found.data, data_pb2.UpgradeData):
            return Cost(found.data.mineral_cost, found.data.vespene_cost)
        if isinstance(found.data, data_pb2.AbilityData):
            return self.of_ability(int(found))
        return self._cost_of_type(found.data)

    def of_ability(self, ability: int) -> Cost:
        """The cost of an order for this ability; zero if the ability makes nothing."""
        return self._cost_and_supply.get(ability, (_NOTHING, 0.0))[0]

    def supply_of_ability(self, ability: int) -> float:
        """The supply that an order for this ability takes."""
        return self._cost_and_supply.get(ability, (_NOTHING, 0.0))[1]

    def supply(self, item: Item) -> float:
        """The supply that an order adds: 1 for a pair of zerglings; 1 for a ravager, as its roach already took 2."""
        row = self.id_of(item).data
        if not isinstance(row, data_pb2.UnitTypeData):
            return 0.0
        earlier = self._earlier_type(row)
        return float(row.food_required - (earlier.food_required if earlier else 0)) * _units_per_order(row)

    def warp_in_ability(self, item: Item) -> int:
        """The ability that warps in a unit type. Raises KeyError if warp gates do not make the type."""
        found = self.id_of(item)
        ability = self._warp_in_abilities.get(getattr(found.data, "ability_id", 0))
        if ability is None:
            raise KeyError(f"warp gates do not make {found.name}: use train() or build() for it")
        return ability

    @cached_property
    def _warp_in_abilities(self) -> dict[int, int]:
        """Maps a gateway's ability to the warp gate's ability for the same unit, by their common link_index."""
        rows = self._match.data.abilities
        warp_ins = {row.link_index: row.ability_id for row in rows if row.link_name == "WarpGateTrain"}
        gateway = [row for row in rows if row.link_name == "GatewayTrain" and row.link_index in warp_ins]
        return {row.ability_id: warp_ins[row.link_index] for row in gateway}

    @cached_property
    def _cost_and_supply(self) -> dict[int, tuple[Cost, float]]:
        found: dict[int, tuple[Cost, float]] = {}
        for unit_type, row in self._types.items():
            ability = self.production_ability(unit_type) if row.ability_id else 0
            if ability and row.name not in facts.COUNTED_AS:
                found.setdefault(ability, (self._cost_of_type(row), max(0.0, self.supply(unit_type))))
        for upgrade in self._match.data.upgrades:
            if upgrade.ability_id:
                found.setdefault(upgrade.ability_id, (Cost(upgrade.mineral_cost, upgrade.vespene_cost), 0.0))
        for made, warped in self._warp_in_abilities.items():
            if made in found:
                found[warped] = found[made]
        return found

    @cached_property
    def _free_abilities(self) -> frozenset[int]:
        words, rows = facts.FREE_ABILITY_WORDS, self._match.data.abilities
        return frozenset(row.ability_id for row in rows if any(word in row.link_name for word in words))

    @cached_property
    def _add_on_types(self) -> frozenset[int]:
        types = self._match.unit_types
        return frozenset(int(types[name]) for name in ("TechLab", "Reactor") if name in types)

    def _earlier_type(self, row: Any) -> Any:
        """The type that morphs into this type; None if no type does."""
        name = facts.MORPHED_FROM.get(row.name)
        if name and name in self._match.unit_types:
            return self._match.unit_types[name].data
        return next((self._types[alias] for alias in row.tech_alias if alias in self._types), None)

    def _cost_of_type(self, row: Any) -> Cost:
        if row.ability_id in self._free_abilities:
            return _NOTHING
        if row.name in facts.MORPHED_FROM:
            return _cost_difference(row, [self._earlier_type(row)])
        aliases = [self._types[alias] for alias in row.tech_alias if alias in self._types]
        if aliases and aliases[0].unit_id not in self._add_on_types:
            return _cost_difference(row, aliases)
        if row.race == facts.ZERG and data_pb2.Structure in row.attributes:
            return Cost(row.mineral_cost - self._drone_minerals, row.vespene_cost)
        return Cost(row.mineral_cost * _units_per_order(row), row.vespene_cost * _units_per_order(row))

    @cached_property
    def _drone_minerals(self) -> int:
        types = self._match.unit_types
        return int(types["Drone"].data.mineral_cost) if "Drone" in types else 0


def _units_per_order(row: Any) -> int:
    return 2 if row.name in facts.MADE_IN_PAIRS else 1


def _cost_difference(row: Any, paid: list[Any]) -> Cost:
    """A type's cost minus the highest cost of the types in `paid`."""
    minerals = row.mineral_cost - max(each.mineral_cost for each in paid)
    return Cost(minerals, row.vespene_cost - max(each.vespene_cost for each in paid))
