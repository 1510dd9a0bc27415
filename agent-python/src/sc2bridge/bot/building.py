"""Where a bot builds, and who does it."""

from __future__ import annotations

import math
from typing import Optional

import numpy as np

from sc2bridge.bot import facts
from sc2bridge.bot.game_info import at
from sc2bridge.bot.point import Point2
from sc2bridge.bot.production import Production
from sc2bridge.bot.step import per_step
from sc2bridge.bot.terrain import Terrain
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units
from sc2bridge.game.commands import TypeLike
from sc2bridge.game.places import PointLike

_NEAR = 20  # cells, of a worker to what it is to build: sc2/bot_ai.py, select_build_worker
_ADD_ON = (2.5, -0.5)  # from a building's middle to its add-on's
_WARP_INS = 80  # places that are asked about at a time


class Building(Production, Terrain):
    """Placement is the game's to say: it is asked by queries, each many places at once. They raise BridgeError."""

    def find_placement(  # type: ignore[override]
        self,
        building: TypeLike,
        near: PointLike,
        max_distance: int = 20,
        placement_step: int = 2,
        addon_place: bool = False,
    ) -> Optional[Point2]:
        """Where a building can stand: at the place itself, else on the squares around it, of which each is `placement_step` cells
        further out; on the first square with room the nearest. None where there is no room.

        max_distance: cells. addon_place: with room for an add-on. Raises KeyError.
        """
        _, half = self._building(building)
        # The nearest place on the grid: a building covers whole cells, and the middle of one of 3 cells is at half a cell.
        x, y = (math.floor(part - half % 1 + 0.5) + half % 1 for part in Point2.of(near))
        reach = range(0, max(max_distance, 1), placement_step)
        steps = sorted({sign * step for step in reach for sign in (1, -1)})
        offsets = sorted(
            ((dx, dy) for dx in steps for dy in steps), key=lambda by: (max(abs(by[0]), abs(by[1])), np.hypot(*by))
        )
        places = [Point2(x + dx, y + dy) for dx, dy in offsets]
        places = [place for place, can in zip(places, self.can_place(building, places)) if can]
        if addon_place and places:
            beside = [place.offset(_ADD_ON) for place in places]
            places = [place for place, can in zip(places, self.can_place("SupplyDepot", beside)) if can]
        return places[0] if places else None

    def select_build_worker(self, near: PointLike, force: bool = False) -> Optional[Unit]:
        """The nearest worker that is idle, or gathers or walks, and has no order of this step; None where there is none. force: any
        other then."""
        workers = self.workers
        close = workers[(workers.is_gathering | workers.is_idle) & (workers.distances_to(near) < _NEAR)]
        nearest = (close if close else workers).sorted_by_distance_to(near).prefer_idle
        counts = nearest.orders.counts
        free = (counts == 0) | ((counts == 1) & (nearest.is_moving | nearest.is_gathering))
        ready = nearest._select(free).tags_not_in(self.unit_tags_received_action)
        if ready:
            return ready.first
        return nearest.first if force and nearest else None

    def build_near(
        self,
        building: TypeLike,
        near: PointLike,
        max_distance: int = 20,
        build_worker: Optional[Unit] = None,
        placement_step: int = 2,
    ) -> bool:
        """python-sc2's `build`: where it can be afforded, finds a place and a worker, and has it built. near: of a building for gas the
        geyser, a unit. Returns whether it was ordered. Raises KeyError."""
        if not self.can_afford(building):
            return False
        kind = self.match.unit_types[building]
        on_geyser = kind.data.has_vespene
        target = near if on_geyser else self.find_placement(kind, near, max_distance, placement_step)
        worker = build_worker or self.select_build_worker(near)
        if target is None or worker is None:
            return False
        self.build(worker, kind, target)
        return True

    def expand_now(
        self, building: Optional[TypeLike] = None, max_distance: int = 10, location: Optional[PointLike] = None
    ) -> bool:
        """Builds a town hall at the next expansion. Returns whether it was ordered."""
        place = location or self.get_next_expansion()
        hall = building or facts.TOWN_HALLS[self.race]
        return place is not None and self.build_near(hall, place, max_distance, placement_step=1)

    # Warping in.

    @per_step
    def power_sources(self) -> list[tuple[Point2, float]]:
        """What powers buildings and warp-ins, and how far it does, in cells."""
        sources = self.frame.observation.observation.raw_data.player.power_sources
        return [(Point2(each.pos.x, each.pos.y), each.radius) for each in sources]

    def warp_in(self, warpgates: Units, unit_type: TypeLike, near: PointLike) -> int:
        """Warps in one unit for each warp gate that is ready and can be afforded, on powered ground, the nearest to a place. Returns
        how many were ordered. Raises KeyError for what no warp gate makes."""
        ability = self.costs.warped_in_by(unit_type)
        if not len(warpgates) or not self.can_afford(unit_type):
            return 0
        can = self.query_available_abilities(warpgates)
        gates = [gate for gate, abilities in zip(warpgates, can) if ability in abilities]
        places = self._powered(near) if gates else []
        answers = self.query_building_placement(ability, places) if places else []
        ordered = 0
        for gate, place in zip(gates, (place for place, answer in zip(places, answers) if answer == 1)):
            if self.can_afford(unit_type):
                self.command(gate, ability, place)
                ordered += 1
        return ordered

    def _powered(self, near: PointLike) -> list[Point2]:
        """Middles of every other cell that is powered and can be walked on, the nearest first."""
        found: set[Point2] = set()
        for (x, y), radius in self.power_sources:
            reach = np.arange(-int(radius), int(radius) + 1)
            cells = np.stack(np.meshgrid(np.floor(x) + reach, np.floor(y) + reach), axis=-1).reshape(-1, 2)
            cells = cells[(cells % 2 == 0).all(axis=1)] + 0.5
            cells = cells[np.hypot(*(cells - (x, y)).T) <= radius]
            cells = cells[[self.in_map_bounds(cell) for cell in cells]]
            found.update(Point2(*cell) for cell in cells[at(self.game_info.pathing_grid, cells)].tolist())
        return sorted(found, key=Point2.of(near).distance_to)[:_WARP_INS]
