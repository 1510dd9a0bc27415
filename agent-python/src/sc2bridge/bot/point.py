"""A place on the map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from sc2bridge.game.places import PointLike, coordinates

_P = TypeVar("_P", bound=PointLike)


class Point2(NamedTuple):
    """x and y in cells. A tuple: it goes wherever a place is asked for, and a place is a point, a pair of numbers, or a unit."""

    x: float
    y: float

    @classmethod
    def of(cls, place: PointLike) -> Point2:
        """A place as a point. Raises TypeError for what is none."""
        if isinstance(place, cls):
            return place
        x, y, *_ = coordinates(place)
        return cls(x, y)

    @property
    def rounded(self) -> Point2:
        """The cell's corner: rounded down, as python-sc2 does."""
        return Point2(math.floor(self.x), math.floor(self.y))

    def distance_to(self, place: PointLike) -> float:
        """Cells."""
        other = Point2.of(place)
        return math.hypot(self.x - other.x, self.y - other.y)

    def offset(self, by: PointLike) -> Point2:
        """So many cells further in x and y."""
        dx, dy = Point2.of(by)
        return Point2(self.x + dx, self.y + dy)

    def towards(self, place: PointLike, distance: float = 1, limit: bool = False) -> Point2:
        """So many cells on the way to a place, or away from it where negative. limit: no further than there."""
        other = Point2.of(place)
        way = self.distance_to(other)
        if not way:
            return self
        part = (min(way, distance) if limit else distance) / way
        return Point2(self.x + (other.x - self.x) * part, self.y + (other.y - self.y) * part)

    def closest(self, places: Iterable[_P]) -> _P:
        """The nearest of some places. Raises ValueError where there are none."""
        return min(places, key=self.distance_to)

    def furthest(self, places: Iterable[_P]) -> _P:
        """The farthest of some places. Raises ValueError where there are none."""
        return max(places, key=self.distance_to)
