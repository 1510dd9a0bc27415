"""The class that bots derive from."""

from __future__ import annotations

import numpy as np

from sc2bridge.bot.building import Building
from sc2bridge.bot.units import Units

_MINED_FROM = 8  # cells from a town hall to its mineral fields: sc2/bot_ai.py, distribute_workers


class BotAI(Building):
    """An agent with what python-sc2's `BotAI` offers most, on columns. A class derived from it has `on_step(frame)` and the other methods
    of an `Agent`; `sc2bridge run` and `sc2bridge match --agent` run it.

    In `on_start` there is the match alone; from the first frame on, all else too. Types, upgrades and abilities are ids of the match
    or names in it, however they are written: "SUPPLYDEPOT", "SupplyDepot".
    """

    def distribute_workers(self, resource_ratio: float = 2) -> None:
        """Sends idle workers, and those that a town hall or a gas building has too many of, to where some are missing.

        resource_ratio: with more minerals to a unit of vespene than this, gas comes first, else minerals.
        """
        fields, halls, gas = self.mineral_field, self.townhalls.ready, self.gas_buildings.ready
        if not (fields and self.workers and halls):
            return
        pool = list(self.workers.idle)
        missing: list[int] = []  # Rows of places, once for each worker.
        places = halls | gas
        for row, surplus in enumerate(places.surplus_harvesters.tolist()):
            if surplus > 0:
                pool += self._working_at(places, row, fields, halls)[:surplus]
            missing += [row] * -surplus
        mined = fields[fields._between(halls) <= _MINED_FROM**2]
        minerals_first = bool(self.vespene) and self.minerals / self.vespene < resource_ratio
        is_gas = places.is_vespene_geyser
        for worker in pool:
            if missing:
                wanted = [row for row in missing if bool(is_gas[row]) != minerals_first] or missing
                row = min(wanted, key=lambda each: places[each].distance_to(worker))
                missing.remove(row)
                place = places[row]
                here = fields[fields.distances_to(place) <= _MINED_FROM]
                if is_gas[row]:
                    self.gather(worker, place)
                elif here:
                    self.gather(worker, here[int(here.mineral_contents.argmax())])
            elif not len(worker.orders) and mined:
                self.gather(worker, mined.closest_to(worker))

    def _working_at(self, places: Units, row: int, fields: Units, halls: Units) -> Units:
        """Workers of a gas building, or of a town hall's mineral fields: on their way there, or back with a load."""
        place, workers = places[row], self.workers
        target = workers.order_target_tag
        if places.is_vespene_geyser[row]:
            home = halls.closest_to(place).tag
            return workers._select((target == place.tag) | (workers.is_carrying_vespene & (target == home)))
        at_fields = np.isin(target, fields[fields.distances_to(place) <= _MINED_FROM].tag)
        return workers._select(at_fields | (workers.is_carrying_minerals & (target == place.tag)))
