"""Queries that leave the game as it is, many in one request: how far it is, where a building can stand, what units
can do. Makes requests and reads answers; `commands` and `aio` send them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Optional

from sc2bridge._protocol.coroutines import blocking
from sc2bridge.game.commands import Ability, Commands, TypeLike
from sc2bridge.game.places import PointLike, UnitsLike, coordinates, is_unit, point_2d, tag_of, tags_of
from sc2bridge.s2clientprotocol import query_pb2, sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.game.match import Match


def pathing(ways: Iterable[tuple[Any, PointLike]]) -> sc2api_pb2.Request:
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
    """The answer to `pathing`, in cells; None where there is no way."""
    return [float(way.distance) if way.distance > 0 else None for way in response.query.pathing]


def placements(
    ability: int, places: Iterable[PointLike], builder: Any = None, ignore_resources: bool = True
) -> sc2api_pb2.Request:
    """Asks where an ability's building can stand."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for place in places:
        placement = query.placements.add(ability_id=ability, target_pos=point_2d(place))
        if builder is not None:
            placement.placing_unit_tag = tag_of(builder)
    return sc2api_pb2.Request(query=query)


def results(response: sc2api_pb2.Response) -> list[int]:
    """The answer to `placements`, as numbers of ActionResult: 1 where it can."""
    return [int(each.result) for each in response.query.placements]


def abilities(units: UnitsLike, ignore_resources: bool = False) -> sc2api_pb2.Request:
    """Asks what units can do now."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for tag in tags_of(units):
        query.abilities.add(unit_tag=tag)
    return sc2api_pb2.Request(query=query)


def available(response: sc2api_pb2.Response) -> list[list[int]]:
    """The answer to `abilities`: ids for each unit."""
    return [[one.ability_id for one in each.abilities] for each in response.query.abilities]


def around(place: PointLike, half_width: float, reach: int, step: int) -> list[tuple[float, float]]:
    """Where the middle of a building of that half width can lie around a place, the nearest first."""
    x, y = coordinates(place)[:2]
    # A building covers whole cells: the middle of one that is 3 cells wide is at half a cell.
    x, y = math.floor(x) + half_width % 1, math.floor(y) + half_width % 1
    offsets = range(-(reach // step) * step, reach + 1, step)
    grid = ((dx, dy) for dx in offsets for dy in offsets)
    return [(x + dx, y + dy) for dx, dy in sorted(grid, key=lambda each: each[0] ** 2 + each[1] ** 2)]


class AsyncQueries(Commands):
    """What a player can ask of its game, awaited. Raises BridgeError where the game or the bridge refuses."""

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Any request of the game's that leaves the match as it is, as this player. Raises BridgeError."""
        raise NotImplementedError

    async def query_pathing(self, start: Any, end: PointLike) -> Optional[float]:
        """How far it is on the ground from a unit or a place to a place, in cells; None where there is no way."""
        return (await self.query_pathings([(start, end)]))[0]

    async def query_pathings(self, ways: Iterable[tuple[Any, PointLike]]) -> list[Optional[float]]:
        """The same for many."""
        return distances(await self.request(pathing(ways)))

    async def query_building_placement(
        self, ability: Ability, places: Iterable[PointLike], builder: Any = None, ignore_resources: bool = True
    ) -> list[int]:
        """Whether an ability's building can stand there: numbers of ActionResult, 1 where it can.

        builder: the unit that is to build it, which does not stand in its own way.
        """
        query = placements(self._ability(ability), places, builder, ignore_resources)
        return results(await self.request(query))

    async def can_place(self, building: TypeLike, places: Iterable[PointLike]) -> list[bool]:
        """Whether a building of a unit type can stand at each of some places."""
        ability, _ = self._building(building)
        return [result == 1 for result in await self.query_building_placement(ability, places)]

    async def find_placement(
        self, building: TypeLike, near: PointLike, reach: int = 20, step: int = 2
    ) -> Optional[tuple[float, float]]:
        """The nearest place around one where a building can stand, of a grid of `step` cells as far as `reach`; None
        where there is none."""
        ability, half_width = self._building(building)
        places = around(near, half_width, reach, step)
        answers = await self.query_building_placement(ability, places)
        return next((place for place, result in zip(places, answers) if result == 1), None)

    async def query_available_abilities(self, units: UnitsLike, ignore_resources: bool = False) -> list[list[int]]:
        """What each unit can do now: ids of AbilityData, of its own kind and not the general ones."""
        return available(await self.request(abilities(units, ignore_resources)))


class Queries(Commands):
    """What a player can ask of its game. Raises BridgeError where the game or the bridge refuses."""

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Any request of the game's that leaves the match as it is, as this player. Raises BridgeError."""
        raise NotImplementedError

    @property
    def _core(self) -> AsyncQueries:
        return _Awaited(self)

    query_pathing = blocking(AsyncQueries.query_pathing)
    query_pathings = blocking(AsyncQueries.query_pathings)
    query_building_placement = blocking(AsyncQueries.query_building_placement)
    can_place = blocking(AsyncQueries.can_place)
    find_placement = blocking(AsyncQueries.find_placement)
    query_available_abilities = blocking(AsyncQueries.query_available_abilities)


class _Awaited(AsyncQueries):
    """A player that blocks, for the queries."""

    def __init__(self, player: Queries) -> None:
        self._player = player

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        return self._player.request(request)

    def _constants(self) -> Match:
        return self._player._constants()
