"""The class that bots derive from."""

from __future__ import annotations

import numpy as np

from sc2bridge.bot.building import Building
from sc2bridge.bot.units import Units

_MINING_DISTANCE = 8  # cells: a town hall's mineral fields are at most this far away: sc2/bot_ai.py, distribute_workers


class BotAI(Building):
    """An agent with the most used names of python-sc2's `BotAI`. A derived class defines `on_step(frame)` and other
    methods of an `Agent`. `sc2bridge run` and `sc2bridge match --agent` run this class.

    `on_start` can only use `self.match`: the other members need a frame. Unit types, upgrades and abilities are ids of
    the match, or names in any spelling: "SUPPLYDEPOT", "SupplyDepot".
    """

    def distribute_workers(self, resource_ratio: float = 2) -> None:
        """Sends idle and surplus workers to town halls and gas buildings that need more workers.

        If minerals / vespene is at least `resource_ratio`, gas buildings get workers first, else mineral fields.
        """
        fields, halls, gas = self.mineral_field, self.townhalls.ready, self.gas_buildings.ready
        if not (fields and self.workers and halls):
            return
        free_workers = list(self.workers.idle)
        missing: list[int] = []  # For each worker that a building lacks: the building's row in `places`.
        places = halls | gas
        for row, surplus in enumerate(places.surplus_harvesters.tolist()):
            if surplus > 0:
                free_workers += self._workers_of(places, row, fields, halls)[:surplus]
            missing += [row] * -surplus
        mined = fields[fields._squared_distances_to_nearest(halls) <= _MINING_DISTANCE**2]
        minerals_first = bool(self.vespene) and self.minerals / self.vespene < resource_ratio
        is_gas = places.is_vespene_geyser
        for worker in free_workers:
            if missing:
                wanted = [row for row in missing if bool(is_gas[row]) != minerals_first] or missing
                row = min(wanted, key=lambda each: places[each].distance_to(worker))
                missing.remove(row)
                place = places[row]
                near_fields = fields[fields.distances_to(place) <= _MINING_DISTANCE]
                if is_gas[row]:
                    self.gather(worker, place)
                elif near_fields:
                    self.gather(worker, near_fields[int(near_fields.mineral_contents.argmax())])
            elif not len(worker.orders) and mined:
                self.gather(worker, mined.closest_to(worker))

    def _workers_of(self, places: Units, row: int, fields: Units, halls: Units) -> Units:
        """The workers of a gas building or a town hall: on the way to its gas or minerals, or back with a load."""
        place, workers = places[row], self.workers
        target = workers.order_target_tag
        if places.is_vespene_geyser[row]:
            home = halls.closest_to(place).tag
            return workers._select((target == place.tag) | (workers.is_carrying_vespene & (target == home)))
        at_fields = np.isin(target, fields[fields.distances_to(place) <= _MINING_DISTANCE].tag)
        return workers._select(at_fields | (workers.is_carrying_minerals & (target == place.tag)))
