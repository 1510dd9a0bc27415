"""What things cost: by the match's ResponseData, of which what a morph has paid already is taken off."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Union

from sc2bridge.bot import facts
from sc2bridge.game.match import Match
from sc2bridge.game.names import Id, Names
from sc2bridge.s2clientprotocol import data_pb2

Item = Union[int, str]
"""A unit type, an upgrade or an ability: its name, or an id of the match's (`match.upgrades.STIMPACK`); a bare number is a unit
type's."""


class Cost(NamedTuple):
    """What something takes from the stock."""

    minerals: int
    vespene: int


_NOTHING = Cost(0, 0)


class Costs:
    """What the types, upgrades and abilities of a match cost."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._types = {row.unit_id: row for row in match.data.units if row.available}

    def item(self, item: Item) -> Id[Any]:
        """What is named: a unit type, else an upgrade, else an ability. Raises KeyError for what the match does not know."""
        if isinstance(item, Id):
            return item
        match = self._match
        tables: tuple[Names[Any], ...] = (match.unit_types, match.upgrades, match.abilities)
        if isinstance(item, str):
            for names in tables:
                if item in names:
                    return names[item]
        return match.unit_types[item]

    def made_by(self, item: Item) -> int:
        """The ability that makes a unit type or an upgrade, as orders show it; 0 where there is none."""
        found = self.item(item)
        if isinstance(found.data, data_pb2.AbilityData):
            return int(found)
        name = getattr(found.data, "name", "")
        if isinstance(found.data, data_pb2.UnitTypeData):
            name = facts.MADE_AS.get(name, name)
            if name in facts.MADE_BY and facts.MADE_BY[name] in self._match.abilities:
                return int(self._match.abilities[facts.MADE_BY[name]])
            if name != found.data.name:
                return self.made_by(name)
        return int(found.data.ability_id)

    def of(self, item: Item) -> Cost:
        """What a unit type, an upgrade or an ability costs; of a morph what it costs more than what morphs."""
        found = self.item(item)
        if isinstance(found.data, data_pb2.UpgradeData):
            return Cost(found.data.mineral_cost, found.data.vespene_cost)
        if isinstance(found.data, data_pb2.AbilityData):
            return self.of_ability(int(found))
        return self._of_type(found.data)

    def of_ability(self, ability: int) -> Cost:
        """What an order costs; nothing for what makes nothing."""
        return self._by_ability.get(ability, (_NOTHING, 0.0))[0]

    def supply_of_ability(self, ability: int) -> float:
        """The supply that an order takes."""
        return self._by_ability.get(ability, (_NOTHING, 0.0))[1]

    def supply(self, item: Item) -> float:
        """The supply that an order for a unit type takes: 1 for two zerglings, 1 for a ravager, of a roach's 2."""
        row = self.item(item).data
        if not isinstance(row, data_pb2.UnitTypeData):
            return 0.0
        before = self._before(row)
        return float(row.food_required - (before.food_required if before else 0)) * _count(row)

    def warped_in_by(self, item: Item) -> int:
        """The ability of warp gates that makes a unit type. Raises KeyError for what they do not make."""
        found = self.item(item)
        ability = self._warp_ins.get(getattr(found.data, "ability_id", 0))
        if ability is None:
            raise KeyError(f"{found.name} is nothing that warp gates make")
        return ability

    @cached_property
    def _warp_ins(self) -> dict[int, int]:
        """By what a gateway does what a warp gate does: both have a unit at the same index."""
        rows = self._match.data.abilities
        warp_ins = {row.link_index: row.ability_id for row in rows if row.link_name == "WarpGateTrain"}
        gateway = [row for row in rows if row.link_name == "GatewayTrain" and row.link_index in warp_ins]
        return {row.ability_id: warp_ins[row.link_index] for row in gateway}

    @cached_property
    def _by_ability(self) -> dict[int, tuple[Cost, float]]:
        found: dict[int, tuple[Cost, float]] = {}
        for unit_type, row in self._types.items():
            ability = self.made_by(unit_type) if row.ability_id else 0
            if ability and row.name not in facts.MADE_AS:
                found.setdefault(ability, (self._of_type(row), max(0.0, self.supply(unit_type))))
        for upgrade in self._match.data.upgrades:
            if upgrade.ability_id:
                found.setdefault(upgrade.ability_id, (Cost(upgrade.mineral_cost, upgrade.vespene_cost), 0.0))
        for made, warped in self._warp_ins.items():
            if made in found:
                found[warped] = found[made]
        return found

    @cached_property
    def _free(self) -> frozenset[int]:
        rows = self._match.data.abilities
        return frozenset(row.ability_id for row in rows if any(part in row.link_name for part in facts.FREE_MORPHS))

    @cached_property
    def _add_ons(self) -> frozenset[int]:
        types = self._match.unit_types
        return frozenset(int(types[name]) for name in ("TechLab", "Reactor") if name in types)

    def _before(self, row: Any) -> Any:
        """What has supply and becomes this."""
        name = facts.MORPHED_FROM.get(row.name)
        if name and name in self._match.unit_types:
            return self._match.unit_types[name].data
        return next((self._types[alias] for alias in row.tech_alias if alias in self._types), None)

    def _of_type(self, row: Any) -> Cost:
        if row.ability_id in self._free:
            return _NOTHING
        if row.name in facts.MORPHED_FROM:
            return _less(row, [self._before(row)])
        aliases = [self._types[alias] for alias in row.tech_alias if alias in self._types]
        if aliases and aliases[0].unit_id not in self._add_ons:
            return _less(row, aliases)
        if row.race == facts.ZERG and data_pb2.Structure in row.attributes:
            return Cost(row.mineral_cost - self._drone, row.vespene_cost)
        return Cost(row.mineral_cost * _count(row), row.vespene_cost * _count(row))

    @cached_property
    def _drone(self) -> int:
        types = self._match.unit_types
        return int(types["Drone"].data.mineral_cost) if "Drone" in types else 0


def _count(row: Any) -> int:
    return 2 if row.name in facts.PAIRS else 1


def _less(row: Any, paid: list[Any]) -> Cost:
    """A cost without what was paid for."""
    minerals = row.mineral_cost - max(each.mineral_cost for each in paid)
    return Cost(minerals, row.vespene_cost - max(each.vespene_cost for each in paid))
