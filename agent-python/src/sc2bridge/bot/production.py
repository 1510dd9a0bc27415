"""Computes what a bot can afford, what the bot has in production, and whether it has the required buildings."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sc2bridge.bot import facts
from sc2bridge.bot.costs import Cost, Item
from sc2bridge.bot.step import StepState, per_match, per_step
from sc2bridge.bot.units import Units
from sc2bridge.game.commands import TypeLike
from sc2bridge.game.places import UnitsLike, tags_of
from sc2bridge.s2clientprotocol import data_pb2, sc2api_pb2


class Production(StepState):
    """Each order reduces `minerals`, `vespene` and `supply_left` immediately, so that the bot spends nothing twice in a
    step. A command to several units costs the price for each unit. If the game refuses an order, the next frame shows
    the resources as unspent."""

    def do(self, action: sc2api_pb2.Action) -> None:
        super().do(action)
        if not action.action_raw.HasField("unit_command"):
            return
        command = action.action_raw.unit_command
        self.unit_tags_received_action.update(command.unit_tags)
        count = len(command.unit_tags)
        cost, supply = self.costs.of_ability(command.ability_id), self.costs.supply_of_ability(command.ability_id)
        self.minerals -= cost.minerals * count
        self.vespene -= cost.vespene * count
        self.supply_used += supply * count
        self.supply_left -= supply * count

    def calculate_cost(self, item: Item) -> Cost:
        """The cost of a unit type, an upgrade or an ability. For a morph, only the added cost. Raises KeyError."""
        return self.costs.of(item)

    def calculate_unit_value(self, unit_type: TypeLike) -> Cost:
        """The value of a unit in the game's score. Raises KeyError."""
        row = self.match.unit_types[unit_type].data
        return Cost(row.mineral_cost, row.vespene_cost)

    def calculate_supply_cost(self, unit_type: TypeLike) -> float:
        """The supply that an order for this type takes. Raises KeyError."""
        return self.costs.supply(unit_type)

    def can_feed(self, unit_type: TypeLike) -> bool:
        """Whether enough supply is left for this type. Raises KeyError."""
        needed = self.costs.supply(unit_type)
        return needed <= 0 or needed <= self.supply_left

    def can_afford(self, item: Item, check_supply_cost: bool = True) -> bool:
        """Whether this step's earlier orders left enough minerals, vespene and supply for an item. Raises KeyError."""
        cost = self.costs.of(item)
        if cost.minerals > self.minerals or cost.vespene > self.vespene:
            return False
        return not check_supply_cost or (self.costs.supply(item) or 0) <= max(self.supply_left, 0)

    def train(self, producers: UnitsLike, unit_type: TypeLike, queue: bool = False) -> None:
        """Orders a unit from each of these buildings or larvae, while the bot can afford the unit. Raises KeyError."""
        for tag in tags_of(producers):
            if self.can_afford(unit_type):
                super().train(tag, unit_type, queue)

    def already_pending(self, item: Item) -> float:
        """How many units are ordered or in production. For an upgrade: its progress, 0 to 1. Raises KeyError."""
        found = self.costs.id_of(item)
        if isinstance(found.data, data_pb2.UpgradeData):
            return self.already_pending_upgrade(found)
        ability = self.costs.production_ability(found)
        count = self._counts_and_progress[0][ability] if ability else 0
        # Each archon is made by two templars, and both have the order.
        return count / 2 if getattr(found.data, "name", "") == "Archon" else count

    def already_pending_upgrade(self, upgrade: TypeLike) -> float:
        """The progress of an upgrade: 0 if its research has not started, 1 if it is complete. Raises KeyError."""
        found = self.match.upgrades[upgrade]
        if int(found) in self.upgrades:
            return 1
        orders = self.structures.ready.orders
        rows = np.flatnonzero((orders.ability_id == found.data.ability_id) & (orders.ability_id > 0))
        return float(orders.progress[rows[0]]) if len(rows) else 0

    def worker_en_route_to_build(self, unit_type: TypeLike) -> float:
        """How many workers walk to a site to start a building of this type. Raises KeyError."""
        orders, structures = self.workers.orders, self.structures
        rows = np.flatnonzero(orders.ability_id == self.costs.production_ability(unit_type))
        begun_places = set(map(tuple, structures.pos[:, :2].tolist())) if self.race == facts.TERRAN else set()
        places = map(tuple, orders.target_world_space_pos[rows][:, :2].tolist())
        tags = structures.tag if begun_places else structures.tag[:0]
        has_building = np.isin(orders.target_unit_tag[rows], tags).tolist()
        return sum(place not in begun_places and not begun for place, begun in zip(places, has_building))

    @per_step
    def _counts_and_progress(self) -> tuple[Counter[int], dict[int, float]]:
        """For each ability that makes units: how many of its units are in production, and their highest progress."""
        own = self.all_own_units
        counts = Counter(own.orders.ability_id.tolist())
        progress: dict[int, float] = {}
        # A Terran building under construction is already counted by its SCV's order.
        unfinished = own.not_ready.not_structure if self.race == facts.TERRAN else own.not_ready
        for unit_type, done in zip(unfinished.unit_type.tolist(), unfinished.build_progress.tolist()):
            ability = self.costs.production_ability(unit_type)
            if ability:
                counts[ability] += 2 if self.match.unit_types[unit_type].data.name == "Archon" else 1
                progress[ability] = max(progress.get(ability, 0), done)
        return counts, progress

    def structure_type_build_progress(self, structure_type: TypeLike) -> float:
        """The highest build progress among buildings of a type: 0 without such a building, 1 if a building is complete.
        Upgraded buildings count as the basic type: a lair is also a hatchery. Raises KeyError."""
        found = self.match.unit_types[structure_type]
        done = self._structures_of_tech(int(found)).build_progress
        progress = self._counts_and_progress[1].get(self.costs.production_ability(found), 0)
        return max(float(done.max()) if len(done) else 0, progress)

    def tech_requirement_progress(self, unit_type: TypeLike) -> float:
        """The build progress of the building that a unit type or building requires; 1 if it requires no building.
        Raises KeyError. See `structure_type_build_progress`."""
        required = self._required_building_type(int(self.match.unit_types[unit_type]))
        return self.structure_type_build_progress(required) if required else 1

    def _required_building_type(self, unit_type: int) -> int:
        row = self.match.unit_types[unit_type].data
        if row.name in facts.REQUIRED_BUILDINGS:
            return int(self.match.unit_types[facts.REQUIRED_BUILDINGS[row.name]])
        return int(row.tech_requirement)

    def _structures_of_tech(self, structure_type: int) -> Units:
        same = self._equivalent_types.get(structure_type)
        if same is None:
            same = self._equivalent_types[structure_type] = self.game_data.with_aliases(
                self.game_data.with_aliases((structure_type,)), "unit_alias"
            )
        return self.structures.of_type(same)

    @per_match
    def _equivalent_types(self) -> dict[int, frozenset[int]]:
        """A cache: for each building type, the types that count as this type."""
        return {}
