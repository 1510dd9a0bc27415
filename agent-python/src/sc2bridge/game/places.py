"""What a caller names units and places by, as the tags and coordinates that messages take. Needs no numpy."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from sc2bridge.s2clientprotocol import common_pb2, raw_pb2

if TYPE_CHECKING:
    from sc2bridge.units.unit import Unit
    from sc2bridge.units import Units

OneUnit = Union[int, "Unit", raw_pb2.Unit]
"""A unit: its tag, a row of a table, or the game's message."""

UnitsLike = Union[OneUnit, "Units", Iterable[OneUnit]]
"""Units: one, a table, or any iterable of them, also a numpy array of tags."""

PointLike = Union[Sequence[float], common_pb2.Point, common_pb2.Point2D, "Unit", raw_pb2.Unit]
"""Where: x and y in cells (and z, where it counts), a point of the game's, or a unit: where it is."""

Target = Union[PointLike, int, None]
"""What a command is aimed at: a unit, by itself or by its tag, a place, or nothing."""

_LARGEST_TAG = (1 << 64) - 1


def tag_of(unit: Any) -> int:
    """A unit's tag. Raises TypeError for what is no unit, ValueError for a number that is no tag."""
    tag = getattr(unit, "tag", unit)
    try:
        number = operator.index(tag)
    except TypeError:
        raise TypeError(f"{unit!r} is no unit: give a tag, a unit, or a table of units") from None
    if not 0 <= number <= _LARGEST_TAG:
        raise ValueError(f"{number} is no unit's tag")
    return number


def tags_of(units: Any) -> list[int]:
    """The tags of units, in their order. Raises TypeError, ValueError."""
    tags = getattr(units, "tag", units)  # Of a table it is an array.
    to_list = getattr(tags, "tolist", None)
    if to_list is not None:
        tags = to_list()
    if isinstance(tags, Iterable) and not isinstance(tags, (str, bytes)):
        return [tag_of(unit) for unit in tags]
    return [tag_of(tags)]


def coordinates(place: Any) -> tuple[float, ...]:
    """x and y of a place, and z where it tells one. Raises TypeError for what is no place."""
    point = getattr(place, "pos", place)
    if hasattr(point, "x") and hasattr(point, "y"):
        return (point.x, point.y, point.z) if hasattr(point, "z") else (point.x, point.y)
    to_list = getattr(point, "tolist", None)
    if to_list is not None:
        point = to_list()
    try:
        numbers = tuple(float(each) for each in point)
    except (TypeError, ValueError):
        numbers = ()
    if len(numbers) not in (2, 3):
        raise TypeError(f"{place!r} is no place: give x and y, a point, or a unit")
    return numbers


def point_2d(place: Any) -> common_pb2.Point2D:
    """A place on the map. Raises TypeError."""
    x, y, *_ = coordinates(place)
    return common_pb2.Point2D(x=x, y=y)


def point_3d(place: Any) -> common_pb2.Point:
    """A place in space. Raises TypeError where it does not tell how high."""
    numbers = coordinates(place)
    if len(numbers) != 3:
        raise TypeError(f"{place!r} does not say how high: give x, y and z, or a unit")
    return common_pb2.Point(x=numbers[0], y=numbers[1], z=numbers[2])


def is_unit(target: Any) -> bool:
    """Whether a target is a unit and no place."""
    # An array of coordinates could be a number too, had it one element.
    return hasattr(target, "tag") or (hasattr(type(target), "__index__") and getattr(target, "shape", ()) == ())
