"""Converts units to tags, and places to coordinates, for messages. Does not import numpy."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Union

from sc2bridge.s2clientprotocol import common_pb2, raw_pb2

if TYPE_CHECKING:
    from sc2bridge.units.unit import Unit
    from sc2bridge.units import Units

UnitLike = Union[int, "Unit", raw_pb2.Unit]
"""A unit: its tag, a row of a table, or the game's message."""

UnitsLike = Union[UnitLike, "Units", Iterable[UnitLike]]
"""Units: one unit, a table, or any iterable of units, for example a numpy array of tags."""

PointLike = Union[Sequence[float], common_pb2.Point, common_pb2.Point2D, "Unit", raw_pb2.Unit]
"""A place: x and y in cells (and z if the height matters), a point message, or a unit for its position."""

Target = Union[PointLike, int, None]
"""The target of a command: a unit, a unit's tag, a place, or None."""

_LARGEST_TAG = (1 << 64) - 1


def tag_of(unit: Any) -> int:
    """Returns a unit's tag. Raises TypeError for an object that is no unit, ValueError for a number that is no tag."""
    tag = getattr(unit, "tag", unit)
    try:
        number = operator.index(tag)
    except TypeError:
        raise TypeError(f"{unit!r} is not a unit: give a tag, a unit, or a table of units") from None
    if not 0 <= number <= _LARGEST_TAG:
        raise ValueError(f"{number} is not a unit's tag: give a number from 0 to 2**64 - 1")
    return number


def tags_of(units: Any) -> list[int]:
    """Returns the tags of units, in the order of the units. Raises TypeError or ValueError, like `tag_of`."""
    tags = getattr(units, "tag", units)  # A table's `tag` is an array.
    to_list = getattr(tags, "tolist", None)
    if to_list is not None:
        tags = to_list()
    if isinstance(tags, Iterable) and not isinstance(tags, (str, bytes)):
        return [tag_of(unit) for unit in tags]
    return [tag_of(tags)]


def coordinates(place: Any) -> tuple[float, ...]:
    """Returns x and y of a place, and z if the place has one. Raises TypeError for an object that is no place."""
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
        raise TypeError(f"{place!r} is not a place: give x and y, a point, or a unit")
    return numbers


def point_2d(place: Any) -> common_pb2.Point2D:
    """Converts a place to a point with x and y. Raises TypeError for an object that is no place."""
    x, y, *_ = coordinates(place)
    return common_pb2.Point2D(x=x, y=y)


def point_3d(place: Any) -> common_pb2.Point:
    """Converts a place to a point with x, y and z. Raises TypeError if the place has no z."""
    numbers = coordinates(place)
    if len(numbers) != 3:
        raise TypeError(f"{place!r} has no height: give x, y and z, or a unit")
    return common_pb2.Point(x=numbers[0], y=numbers[1], z=numbers[2])


def is_unit(target: Any) -> bool:
    """Whether a target is a unit or a tag, not a place."""
    # Numpy arrays also have __index__. The check of the shape excludes arrays of coordinates.
    return hasattr(target, "tag") or (hasattr(type(target), "__index__") and getattr(target, "shape", ()) == ())
