"""A ramp, and the places for the buildings of a wall at its upper end."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Optional

import numpy as np

from sc2bridge.bot.point import Point2
from sc2bridge.game.places import PointLike

# Squared distances, in cells, from an upper point of a ramp to the middle of a wall's building: sc2/game_info.py, Ramp.
_BARRACKS_SQUARED, _DEPOT_SQUARED, _CORNER_SQUARED = 2**2 + 1**2, 1.5**2 + 0.5**2, 2**2 + 1**2


class Ramp:
    """Sloped ground between two levels. Points are lower left corners of cells. A building's place is its middle.

    The ramp of a main base has 2 or 5 cells at its upper end. For other ramps, wall places are None or empty sets.
    """

    def __init__(self, cells: Iterable[tuple[int, int]], heights: Any, start: Optional[PointLike] = None) -> None:
        """heights: the map's heights, indexed `[y, x]`. start: the player's first town hall. The gap of a Protoss wall
        is on the side near this town hall."""
        self._start = start
        self._cells = list(cells)
        self._heights = {cell: int(heights[cell[1], cell[0]]) for cell in self._cells}

    @cached_property
    def points(self) -> frozenset[Point2]:
        """All cells of the ramp."""
        return frozenset(Point2(*cell) for cell in self._cells)

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self._cells)

    @cached_property
    def upper(self) -> frozenset[Point2]:
        """The highest cells."""
        return self._cells_of_height(max(self._heights.values()))

    @cached_property
    def lower(self) -> frozenset[Point2]:
        """The lowest cells."""
        return self._cells_of_height(min(self._heights.values()))

    def _cells_of_height(self, height: int) -> frozenset[Point2]:
        return frozenset(Point2(*cell) for cell, cell_height in self._heights.items() if cell_height == height)

    @cached_property
    def top_center(self) -> Point2:
        """The mean of the points in `upper`."""
        return _mean(self.upper)

    @cached_property
    def bottom_center(self) -> Point2:
        """The mean of the points in `lower`."""
        return _mean(self.lower)

    @cached_property
    def upper2_for_ramp_wall(self) -> frozenset[Point2]:
        """The two cells of `upper` that are farthest from the lower end."""
        return frozenset(sorted(self.upper, key=lambda cell: (-cell.distance_to(self.bottom_center), cell))[:2])

    @property
    def _wall_ends(self) -> Optional[tuple[Point2, Point2]]:
        """The middles of the two cells in `upper2_for_ramp_wall`."""
        if len(self.upper) not in (2, 5):
            return None
        one, other = sorted(self.upper2_for_ramp_wall)
        return one.offset((0.5, 0.5)), other.offset((0.5, 0.5))

    def _place_in_middle(self, squared_radius: float) -> Optional[Point2]:
        """The upper intersection of two circles of equal radius around the wall's ends."""
        if self._wall_ends is None:
            return None
        meet = _intersections(*self._wall_ends, squared_radius)
        return max(meet, key=lambda place: place.distance_to(self.bottom_center)) if meet else None

    @cached_property
    def barracks_in_middle(self) -> Optional[Point2]:
        """The place for a barracks between the two corner depots."""
        return self._place_in_middle(_BARRACKS_SQUARED)

    @cached_property
    def depot_in_middle(self) -> Optional[Point2]:
        """The place for a depot between the two corner depots."""
        return self._place_in_middle(_DEPOT_SQUARED)

    @cached_property
    def corner_depots(self) -> frozenset[Point2]:
        """The places for the two depots at the ends of the wall."""
        if self._wall_ends is None or self.depot_in_middle is None:
            return frozenset()
        return frozenset(_intersections(_mean(self._wall_ends), self.depot_in_middle, _CORNER_SQUARED))

    @cached_property
    def barracks_can_fit_addon(self) -> bool:
        """Whether there is room for an add-on next to `barracks_in_middle`."""
        middle = self.barracks_in_middle
        return middle is not None and bool(self.corner_depots) and middle.x + 1 > max(self.corner_depots).x

    @cached_property
    def barracks_correct_placement(self) -> Optional[Point2]:
        """The place for a barracks with an add-on: `barracks_in_middle`, or 2 cells left of it to fit the add-on."""
        middle = self.barracks_in_middle
        return middle if middle is None or self.barracks_can_fit_addon else middle.offset((-2, 0))

    @property
    def _upward(self) -> Optional[Point2]:
        """A vector that points up the ramp: from `depot_in_middle` to `barracks_in_middle`."""
        if self.depot_in_middle is None or self.barracks_in_middle is None:
            return None
        x, y = self.depot_in_middle
        return self.barracks_in_middle.offset((-x, -y))

    @cached_property
    def protoss_wall_pylon(self) -> Optional[Point2]:
        """The place for a pylon that powers `protoss_wall_buildings`."""
        if self._upward is None or self.depot_in_middle is None:
            return None
        return self.depot_in_middle.offset((6 * self._upward.x, 6 * self._upward.y))

    @cached_property
    def protoss_wall_buildings(self) -> frozenset[Point2]:
        """The places for two buildings of 3 x 3 cells. They leave a gap for one unit near the player's start."""
        if self._upward is None or self.depot_in_middle is None or not self._corners:
            return frozenset()
        first = self._corners[1].offset(self._upward)
        x, y = self.depot_in_middle
        second = Point2(x + self._upward.x + (x - first.x) / 1.5, y + self._upward.y + (y - first.y) / 1.5)
        return frozenset((first, second))

    @cached_property
    def protoss_wall_warpin(self) -> Optional[Point2]:
        """The place for a unit in the gap of the Protoss wall."""
        return self._corners[0].offset((-self._upward.x, -self._upward.y)) if self._upward and self._corners else None

    @property
    def _corners(self) -> list[Point2]:
        """The places in `corner_depots`, sorted by their distance to the player's start."""
        if self._start is None:
            return []
        start: PointLike = self._start
        return sorted(self.corner_depots, key=lambda depot: depot.distance_to(start))

    def __repr__(self) -> str:
        x, y = self.top_center
        return f"<Ramp of {self.size} cells up to ({x:.1f}, {y:.1f})>"


def _mean(places: Iterable[Point2]) -> Point2:
    x, y = np.array(sorted(places), np.float64).mean(axis=0).tolist()
    return Point2(x, y)


def _intersections(one: Point2, other: Point2, squared_radius: float) -> list[Point2]:
    """The intersections of two circles of equal radius around two points; empty if the points are too far apart."""
    x, y = (other.x - one.x) / 2, (other.y - one.y) / 2
    half_distance = math.hypot(x, y)
    if not 0 < half_distance**2 <= squared_radius:
        return []
    factor = math.sqrt(squared_radius - half_distance**2) / half_distance
    # Places are multiples of half a cell. Rounding makes equal places compare equal.
    shifts = ((y * factor, -x * factor), (-y * factor, x * factor))
    return [Point2(round(one.x + x + dx, 9), round(one.y + y + dy, 9)) for dx, dy in shifts]
