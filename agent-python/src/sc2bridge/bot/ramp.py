"""A ramp, and where buildings close it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Optional

import numpy as np

from sc2bridge.bot.point import Point2
from sc2bridge.game.places import PointLike

# Cells from an upper point of a ramp to the middle of a building on it, squared: sc2/game_info.py, Ramp.
_TO_BARRACKS, _TO_DEPOT, _TO_CORNER = 2**2 + 1**2, 1.5**2 + 0.5**2, 2**2 + 1**2


class Ramp:
    """Ground between two levels. Its points are the corners of its cells; a building's place is its middle.

    Places of a wall are None, and sets of them empty, for a ramp whose upper end is not that of a main base: two cells wide, or five.
    """

    def __init__(self, cells: Iterable[tuple[int, int]], heights: Any, start: Optional[PointLike] = None) -> None:
        """heights: of the map, `[y, x]`. start: where the player's town hall is, which a Protoss' wall opens towards."""
        self._start = start
        self._cells = list(cells)
        self._heights = {cell: int(heights[cell[1], cell[0]]) for cell in self._cells}

    @cached_property
    def points(self) -> frozenset[Point2]:
        """All of it."""
        return frozenset(Point2(*cell) for cell in self._cells)

    @property
    def size(self) -> int:
        """How many cells it has."""
        return len(self._cells)

    @cached_property
    def upper(self) -> frozenset[Point2]:
        """Its highest cells."""
        return self._of_height(max(self._heights.values()))

    @cached_property
    def lower(self) -> frozenset[Point2]:
        """Its lowest cells."""
        return self._of_height(min(self._heights.values()))

    def _of_height(self, height: int) -> frozenset[Point2]:
        return frozenset(Point2(*cell) for cell, its in self._heights.items() if its == height)

    @cached_property
    def top_center(self) -> Point2:
        """The middle of the highest cells' corners."""
        return _middle(self.upper)

    @cached_property
    def bottom_center(self) -> Point2:
        """The middle of the lowest cells' corners."""
        return _middle(self.lower)

    @cached_property
    def upper2_for_ramp_wall(self) -> frozenset[Point2]:
        """The two of the highest that are the farthest from the lower end."""
        return frozenset(sorted(self.upper, key=lambda cell: (-cell.distance_to(self.bottom_center), cell))[:2])

    @property
    def _ends(self) -> Optional[tuple[Point2, Point2]]:
        """Middles of the two cells that a wall begins at."""
        if len(self.upper) not in (2, 5):
            return None
        one, other = sorted(self.upper2_for_ramp_wall)
        return one.offset((0.5, 0.5)), other.offset((0.5, 0.5))

    def _above(self, squared: float) -> Optional[Point2]:
        """Where circles around both ends meet, on the upper side."""
        if self._ends is None:
            return None
        meet = _meet(*self._ends, squared)
        return max(meet, key=lambda place: place.distance_to(self.bottom_center)) if meet else None

    @cached_property
    def barracks_in_middle(self) -> Optional[Point2]:
        """A barracks between the two corner depots."""
        return self._above(_TO_BARRACKS)

    @cached_property
    def depot_in_middle(self) -> Optional[Point2]:
        """A depot between the two corner depots."""
        return self._above(_TO_DEPOT)

    @cached_property
    def corner_depots(self) -> frozenset[Point2]:
        """The two outer depots."""
        if self._ends is None or self.depot_in_middle is None:
            return frozenset()
        return frozenset(_meet(_middle(self._ends), self.depot_in_middle, _TO_CORNER))

    @cached_property
    def barracks_can_fit_addon(self) -> bool:
        """Whether there is room for an add-on beside `barracks_in_middle`."""
        middle = self.barracks_in_middle
        return middle is not None and bool(self.corner_depots) and middle.x + 1 > max(self.corner_depots).x

    @cached_property
    def barracks_correct_placement(self) -> Optional[Point2]:
        """The barracks with room for its add-on."""
        middle = self.barracks_in_middle
        return middle if middle is None or self.barracks_can_fit_addon else middle.offset((-2, 0))

    @property
    def _up(self) -> Optional[Point2]:
        """The way up, from the middle depot's place to the barracks'."""
        if self.depot_in_middle is None or self.barracks_in_middle is None:
            return None
        x, y = self.depot_in_middle
        return self.barracks_in_middle.offset((-x, -y))

    @cached_property
    def protoss_wall_pylon(self) -> Optional[Point2]:
        """A pylon that powers what the two below have."""
        if self._up is None or self.depot_in_middle is None:
            return None
        return self.depot_in_middle.offset((6 * self._up.x, 6 * self._up.y))

    @cached_property
    def protoss_wall_buildings(self) -> frozenset[Point2]:
        """Two buildings of 3 x 3 cells that leave a gap of one unit, at the end that is nearer to the player's start."""
        if self._up is None or self.depot_in_middle is None or not self._corners:
            return frozenset()
        first = self._corners[1].offset(self._up)
        x, y = self.depot_in_middle
        second = Point2(x + self._up.x + (x - first.x) / 1.5, y + self._up.y + (y - first.y) / 1.5)
        return frozenset((first, second))

    @cached_property
    def protoss_wall_warpin(self) -> Optional[Point2]:
        """A unit in that gap."""
        return self._corners[0].offset((-self._up.x, -self._up.y)) if self._up and self._corners else None

    @property
    def _corners(self) -> list[Point2]:
        """The corner depots, the one nearer to the start first."""
        if self._start is None:
            return []
        start: PointLike = self._start
        return sorted(self.corner_depots, key=lambda depot: depot.distance_to(start))

    def __repr__(self) -> str:
        x, y = self.top_center
        return f"<Ramp of {self.size} cells up to ({x:.1f}, {y:.1f})>"


def _middle(places: Iterable[Point2]) -> Point2:
    x, y = np.array(sorted(places), np.float64).mean(axis=0).tolist()
    return Point2(x, y)


def _meet(one: Point2, other: Point2, squared: float) -> list[Point2]:
    """Where circles of a radius around two points meet; nowhere where they are too far apart."""
    x, y = (other.x - one.x) / 2, (other.y - one.y) / 2
    half = math.hypot(x, y)
    if not 0 < half**2 <= squared:
        return []
    part = math.sqrt(squared - half**2) / half
    # Without the last digits: places on the grid are whole or half cells, and are compared.
    turned = ((y * part, -x * part), (-y * part, x * part))
    return [Point2(round(one.x + x + dx, 9), round(one.y + y + dy, 9)) for dx, dy in turned]
