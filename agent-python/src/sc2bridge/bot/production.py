"""What a bot can pay for, what is on its way, and which tech it has."""

from __future__ import annotations

from collections import Counter

import numpy as np

from sc2bridge.bot import facts
from sc2bridge.bot.costs import Cost, Item
from sc2bridge.bot.step import Step, per_match, per_step
from sc2bridge.bot.units import Units
from sc2bridge.game.commands import TypeLike
from sc2bridge.game.places import UnitsLike, tags_of
from sc2bridge.s2clientprotocol import data_pb2, sc2api_pb2


class Production(Step):
    """Costs with a ledger: what the step orders is taken off `minerals`, `vespene` and the supply at once, so that nothing is spent
    twice. Of a command to several units each pays. What the game refuses in the end is there again with the next frame.
    """

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
        """What a unit type, an upgrade or an ability costs: of a morph what is to be paid for it. Raises KeyError."""
        return self.costs.of(item)

    def calculate_unit_value(self, unit_type: TypeLike) -> Cost:
        """What a unit is worth to the game's score. Raises KeyError."""
        row = self.match.unit_types[unit_type].data
        return Cost(row.mineral_cost, row.vespene_cost)

    def calculate_supply_cost(self, unit_type: TypeLike) -> float:
        """The supply that an order for it takes. Raises KeyError."""
        return self.costs.supply(unit_type)

    def can_feed(self, unit_type: TypeLike) -> bool:
        """Whether there is supply for it. Raises KeyError."""
        needed = self.costs.supply(unit_type)
        return needed <= 0 or needed <= self.supply_left

    def can_afford(self, item: Item, check_supply_cost: bool = True) -> bool:
        """Whether there are minerals, vespene and supply for it, after what the step has ordered. Raises KeyError."""
        cost = self.costs.of(item)
        if cost.minerals > self.minerals or cost.vespene > self.vespene:
            return False
        return not check_supply_cost or (self.costs.supply(item) or 0) <= max(self.supply_left, 0)

    def train(self, producers: UnitsLike, unit_type: TypeLike, queue: bool = False) -> None:
        """Makes a unit in each of these buildings, or of each of these larvae, as far as there are means. Raises KeyError."""
        for tag in tags_of(producers):
            if self.can_afford(unit_type):
                super().train(tag, unit_type, queue)

    # On its way.

    def already_pending(self, item: Item) -> float:
        """How many of a unit type are ordered, built, morphed or warped in; of an upgrade as `already_pending_upgrade`. Raises
        KeyError."""
        found = self.costs.item(item)
        if isinstance(found.data, data_pb2.UpgradeData):
            return self.already_pending_upgrade(found)
        count = self._pending[0][self.costs.made_by(found)] if self.costs.made_by(found) else 0
        return count / 2 if getattr(found.data, "name", "") == "Archon" else count  # Both templars have the order.

    def already_pending_upgrade(self, upgrade: TypeLike) -> float:
        """0 before it is begun, then the part of it that is done, and 1. Raises KeyError."""
        found = self.match.upgrades[upgrade]
        if int(found) in self.upgrades:
            return 1
        orders = self.structures.ready.orders
        rows = np.flatnonzero((orders.ability_id == found.data.ability_id) & (orders.ability_id > 0))
        return float(orders.progress[rows[0]]) if len(rows) else 0

    def worker_en_route_to_build(self, unit_type: TypeLike) -> float:
        """How many workers are on their way to begin it. Raises KeyError."""
        orders, structures = self.workers.orders, self.structures
        rows = np.flatnonzero(orders.ability_id == self.costs.made_by(unit_type))
        begun = set(map(tuple, structures.pos[:, :2].tolist())) if self.race == facts.TERRAN else set()
        places = map(tuple, orders.target_world_space_pos[rows][:, :2].tolist())
        tags = np.isin(orders.target_unit_tag[rows], structures.tag).tolist() if begun else [False] * len(rows)
        return sum(place not in begun and not tagged for place, tagged in zip(places, tags))

    @per_step
    def _pending(self) -> tuple[Counter[int], dict[int, float]]:
        """By the ability that makes it: how many are on their way, and how far the first of them is."""
        own = self.all_own_units
        counts = Counter(own.orders.ability_id.tolist())
        progress: dict[int, float] = {}
        # A Terran's building is one with its SCV's order.
        begun = own.not_ready.not_structure if self.race == facts.TERRAN else own.not_ready
        for unit_type, done in zip(begun.unit_type.tolist(), begun.build_progress.tolist()):
            ability = self.costs.made_by(unit_type)
            if ability:
                counts[ability] += 2 if self.match.unit_types[unit_type].data.name == "Archon" else 1
                progress[ability] = max(progress.get(ability, 0), done)
        return counts, progress

    # Tech.

    def structure_type_build_progress(self, structure_type: TypeLike) -> float:
        """Of the building of a type that is nearest to its completion: 0 where there is none, 1 where one is complete. What counts as
        one counts: a lair as a hatchery. Raises KeyError."""
        found = self.match.unit_types[structure_type]
        done = self._of_tech(int(found)).build_progress
        return max(float(done.max()) if len(done) else 0, self._pending[1].get(self.costs.made_by(found), 0))

    def tech_requirement_progress(self, unit_type: TypeLike) -> float:
        """How far what a unit type, or a building, needs is, as `structure_type_build_progress`; 1 where it needs nothing. Raises
        KeyError."""
        required = self._requirement(int(self.match.unit_types[unit_type]))
        return self.structure_type_build_progress(required) if required else 1

    def _requirement(self, unit_type: int) -> int:
        row = self.match.unit_types[unit_type].data
        if row.name in facts.REQUIREMENTS:
            return int(self.match.unit_types[facts.REQUIREMENTS[row.name]])
        return int(row.tech_requirement)

    def _of_tech(self, structure_type: int) -> Units:
        same = self._same.get(structure_type)
        if same is None:
            same = self._same[structure_type] = self.game_data.aliases(
                self.game_data.aliases((structure_type,)), "unit_alias"
            )
        return self.structures.of_type(same)

    @per_match
    def _same(self) -> dict[int, frozenset[int]]:
        return {}
