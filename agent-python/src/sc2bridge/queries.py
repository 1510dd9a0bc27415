"""Questions that leave the game as it is, many in one request: how far it is, where a building can stand, what units
can do. Requests out, answers read; who carries them is `commands` and `aio`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge.places import Place, SomeUnits, coordinates, is_unit, point_2d, tag_of, tags_of
from sc2bridge.s2clientprotocol import query_pb2, sc2api_pb2


def pathing(ways: Iterable[tuple[Any, Place]]) -> sc2api_pb2.Request:
    """Asks how far it is from a unit, or a place, to a place, for each pair."""
    query = query_pb2.RequestQuery()
    for start, end in ways:
        way = query.pathing.add(end_pos=point_2d(end))
        if is_unit(start):
            way.unit_tag = tag_of(start)
        else:
            way.start_pos.CopyFrom(point_2d(start))
    return sc2api_pb2.Request(query=query)


def distances(response: sc2api_pb2.Response) -> list[Optional[float]]:
    """What `pathing` asked, in cells; None where there is no way."""
    return [float(way.distance) if way.distance > 0 else None for way in response.query.pathing]


def placements(
    ability: int, places: Iterable[Place], builder: Any = None, ignore_resources: bool = True
) -> sc2api_pb2.Request:
    """Asks where an ability's building can stand."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for place in places:
        asked = query.placements.add(ability_id=ability, target_pos=point_2d(place))
        if builder is not None:
            asked.placing_unit_tag = tag_of(builder)
    return sc2api_pb2.Request(query=query)


def results(response: sc2api_pb2.Response) -> list[int]:
    """What `placements` asked, as numbers of ActionResult: 1 where it can."""
    return [int(each.result) for each in response.query.placements]


def abilities(units: SomeUnits, ignore_resources: bool = False) -> sc2api_pb2.Request:
    """Asks what units can do now."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for tag in tags_of(units):
        query.abilities.add(unit_tag=tag)
    return sc2api_pb2.Request(query=query)


def available(response: sc2api_pb2.Response) -> list[list[int]]:
    """What `abilities` asked: ids for each unit."""
    return [[one.ability_id for one in each.abilities] for each in response.query.abilities]


def around(place: Place, half_width: float, reach: int, step: int) -> list[tuple[float, float]]:
    """Where the middle of a building of that half width can lie around a place, the nearest first."""
    x, y = coordinates(place)[:2]
    # A building covers whole cells: the middle of one that is 3 cells wide is at half a cell.
    x, y = math.floor(x) + half_width % 1, math.floor(y) + half_width % 1
    offsets = range(-(reach // step) * step, reach + 1, step)
    grid = ((dx, dy) for dx in offsets for dy in offsets)
    return [(x + dx, y + dy) for dx, dy in sorted(grid, key=lambda each: each[0] ** 2 + each[1] ** 2)]
