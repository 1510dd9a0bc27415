"""A place on the map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from sc2bridge.game.places import PointLike, coordinates

_P = TypeVar("_P", bound=PointLike)


class Point2(NamedTuple):
    """x and y in cells. Methods that take a place accept a point, a pair of numbers, or a unit."""

    x: float
    y: float

    @classmethod
    def of(cls, place: PointLike) -> Point2:
        """Converts a place to a point. Raises TypeError if it is not a place."""
        if isinstance(place, cls):
            return place
        x, y, *_ = coordinates(place)
        return cls(x, y)

    @property
    def rounded(self) -> Point2:
        """The lower left corner of the point's cell: python-sc2 rounds down, too."""
        return Point2(math.floor(self.x), math.floor(self.y))

    def distance_to(self, place: PointLike) -> float:
        """The distance to a place, in cells."""
        other = Point2.of(place)
        return math.hypot(self.x - other.x, self.y - other.y)

    def offset(self, by: PointLike) -> Point2:
        """This point, moved by the x and y of `by`."""
        dx, dy = Point2.of(by)
        return Point2(self.x + dx, self.y + dy)

    def towards(self, place: PointLike, distance: float = 1, limit: bool = False) -> Point2:
        """This point, moved `distance` cells towards a place; away from it if negative. limit: not beyond the place."""
        other = Point2.of(place)
        whole = self.distance_to(other)
        if not whole:
            return self
        share = (min(whole, distance) if limit else distance) / whole
        return Point2(self.x + (other.x - self.x) * share, self.y + (other.y - self.y) * share)

    def closest(self, places: Iterable[_P]) -> _P:
        """The nearest of these places. Raises ValueError if there are no places."""
        return min(places, key=self.distance_to)

    def furthest(self, places: Iterable[_P]) -> _P:
        """The farthest of these places. Raises ValueError if there are no places."""
        return max(places, key=self.distance_to)
