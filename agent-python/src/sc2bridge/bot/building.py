"""Finds places for buildings, chooses workers that build, and warps in units."""

from __future__ import annotations

import math
from typing import Optional

import numpy as np

from sc2bridge.bot import facts
from sc2bridge.bot.game_info import value_at
from sc2bridge.bot.point import Point2
from sc2bridge.bot.production import Production
from sc2bridge.bot.step import per_step
from sc2bridge.bot.terrain import Terrain
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units
from sc2bridge.game.commands import TypeLike
from sc2bridge.game.places import PointLike

_NEAR_SITE_DISTANCE = 20  # cells: workers nearer than this are preferred (sc2/bot_ai.py, select_build_worker)
_ADD_ON_OFFSET = (2.5, -0.5)  # cells: x and y from a building's middle to the middle of its add-on
_MOST_WARP_IN_PLACES = 80  # the most places in one placement query


class Building(Production, Terrain):
    """Finds places for buildings, and orders buildings and warp-ins. Queries that fail raise BridgeError."""

    def find_placement(  # type: ignore[override]
        self,
        building: TypeLike,
        near: PointLike,
        max_distance: int = 20,
        placement_step: int = 2,
        addon_place: bool = False,
    ) -> Optional[Point2]:
        """Returns `near` if the building can stand there. Otherwise, searches larger and larger squares around `near`.
        Returns the nearest free place of the smallest square with a free place; None if no square has a free place.

        max_distance: from `near` to the edge of the largest square, in cells. placement_step: cells from one
        place to the next. addon_place: also requires room for an add-on. Raises KeyError for an unknown building.
        """
        _, half_width = self._ability_and_half_width(building)
        # A building covers whole cells. The middle of a building 3 cells wide is therefore the middle of a cell.
        x, y = (math.floor(each - half_width % 1 + 0.5) + half_width % 1 for each in Point2.of(near))
        distances = range(0, max(max_distance, 1), placement_step)
        shifts = sorted({sign * distance for distance in distances for sign in (1, -1)})
        grid = ((dx, dy) for dx in shifts for dy in shifts)
        offsets = sorted(grid, key=lambda by: (max(abs(by[0]), abs(by[1])), np.hypot(*by)))
        places = [Point2(x + dx, y + dy) for dx, dy in offsets]
        places = [place for place, can in zip(places, self.can_place(building, places)) if can]
        if addon_place and places:
            add_ons = [place.offset(_ADD_ON_OFFSET) for place in places]
            places = [place for place, can in zip(places, self.can_place("SupplyDepot", add_ons)) if can]
        return places[0] if places else None

    def select_build_worker(self, near: PointLike, force: bool = False) -> Optional[Unit]:
        """Returns a worker that got no order in this step. The worker is idle, or its only order is to gather or move.
        Prefers idle workers, then near workers. If idle or gathering workers are nearer than 20 cells, considers only
        these workers. If no worker fits, returns None; with `force`, returns the first of the considered workers."""
        workers = self.workers
        close = workers[(workers.is_gathering | workers.is_idle) & (workers.distances_to(near) < _NEAR_SITE_DISTANCE)]
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
        """Does what python-sc2's `build` does: if the bot can afford the building, finds a place and a worker, and
        gives the order. Returns whether the order was given. near: a place; for a gas building, a geyser.
        Raises KeyError for an unknown building."""
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
        """Orders a town hall at the next free place for a base. Returns whether the order was given."""
        place = location or self.get_next_expansion()
        hall = building or facts.TOWN_HALLS[self.race]
        return place is not None and self.build_near(hall, place, max_distance, placement_step=1)

    @per_step
    def power_sources(self) -> list[tuple[Point2, float]]:
        """The power fields for buildings and warp-ins: each field's middle and radius, in cells."""
        sources = self.frame.observation.observation.raw_data.player.power_sources
        return [(Point2(each.pos.x, each.pos.y), each.radius) for each in sources]

    def warp_in(self, warpgates: Units, unit_type: TypeLike, near: PointLike) -> int:
        """Orders one unit from each ready warp gate, while the bot can afford the unit. The units arrive at the powered
        free places nearest to `near`. Returns the number of orders. Raises KeyError if gates do not make the type."""
        ability = self.costs.warp_in_ability(unit_type)
        if not len(warpgates) or not self.can_afford(unit_type):
            return 0
        available = self.query_available_abilities(warpgates)
        gates = [gate for gate, abilities in zip(warpgates, available) if ability in abilities]
        places = self._powered_places(near) if gates else []
        answers = self.query_building_placement(ability, places) if places else []
        ordered = 0
        for gate, place in zip(gates, (place for place, answer in zip(places, answers) if answer == 1)):
            if self.can_afford(unit_type):
                self.command(gate, ability, place)
                ordered += 1
        return ordered

    def _powered_places(self, near: PointLike) -> list[Point2]:
        """The 80 nearest powered places where units can walk, nearest first. Checks every second cell in x and y."""
        found: set[Point2] = set()
        for (x, y), radius in self.power_sources:
            reach = np.arange(-int(radius), int(radius) + 1)
            cells = np.stack(np.meshgrid(np.floor(x) + reach, np.floor(y) + reach), axis=-1).reshape(-1, 2)
            cells = cells[(cells % 2 == 0).all(axis=1)] + 0.5
            cells = cells[np.hypot(*(cells - (x, y)).T) <= radius]
            cells = cells[[self.in_map_bounds(cell) for cell in cells]]
            found.update(Point2(*cell) for cell in cells[value_at(self.game_info.pathing_grid, cells)].tolist())
        return sorted(found, key=Point2.of(near).distance_to)[:_MOST_WARP_IN_PLACES]
