"""Queries do not change the game. They return walking distances, whether buildings can stand at places, and available
abilities. One request can contain many queries. The functions here create requests. `AsyncQueries` and `Queries`
send them."""

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


def pathing_request(paths: Iterable[tuple[Any, PointLike]]) -> sc2api_pb2.Request:
    """Creates a request for walking distances. paths: pairs of a start (a unit or a place) and an end (a place)."""
    query = query_pb2.RequestQuery()
    for start, end in paths:
        path = query.pathing.add(end_pos=point_2d(end))
        if is_unit(start):
            path.unit_tag = tag_of(start)
        else:
            path.start_pos.CopyFrom(point_2d(start))
    return sc2api_pb2.Request(query=query)


def read_distances(response: sc2api_pb2.Response) -> list[Optional[float]]:
    """Reads the answer to `pathing_request`: distances in cells; None for an end that cannot be reached."""
    return [float(path.distance) if path.distance > 0 else None for path in response.query.pathing]


def placement_request(
    ability: int, places: Iterable[PointLike], builder: Any = None, ignore_resources: bool = True
) -> sc2api_pb2.Request:
    """Creates a request that checks at which places the building of an ability can stand."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for place in places:
        placement = query.placements.add(ability_id=ability, target_pos=point_2d(place))
        if builder is not None:
            placement.placing_unit_tag = tag_of(builder)
    return sc2api_pb2.Request(query=query)


def read_placements(response: sc2api_pb2.Response) -> list[int]:
    """Returns the ActionResult number for each place of a `placement_request`: 1 if the building can stand there."""
    return [int(each.result) for each in response.query.placements]


def abilities_request(units: UnitsLike, ignore_resources: bool = False) -> sc2api_pb2.Request:
    """Creates a request for the abilities that units can use now."""
    query = query_pb2.RequestQuery(ignore_resource_requirements=ignore_resources)
    for tag in tags_of(units):
        query.abilities.add(unit_tag=tag)
    return sc2api_pb2.Request(query=query)


def read_abilities(response: sc2api_pb2.Response) -> list[list[int]]:
    """Reads the answer to `abilities_request`: a list of ability ids for each unit."""
    return [[one.ability_id for one in each.abilities] for each in response.query.abilities]


def centers_around(place: PointLike, half_width: float, reach: int, step: int) -> list[tuple[float, float]]:
    """Possible centers of a building near a place, the nearest first. half_width, reach, step: in cells."""
    x, y = coordinates(place)[:2]
    # A building covers whole cells, so the center of a building of odd width is at the middle of a cell.
    x, y = math.floor(x) + half_width % 1, math.floor(y) + half_width % 1
    offsets = range(-(reach // step) * step, reach + 1, step)
    grid = ((dx, dy) for dx in offsets for dy in offsets)
    return [(x + dx, y + dy) for dx, dy in sorted(grid, key=lambda each: each[0] ** 2 + each[1] ** 2)]


class AsyncQueries(Commands):
    """The queries of a player, as coroutines. They raise BridgeError if the game or the bridge refuses a query."""

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends any request that does not change the match, as this player. Raises BridgeError."""
        raise NotImplementedError

    async def query_pathing(self, start: Any, end: PointLike) -> Optional[float]:
        """The walking distance from a unit or a place `start` to a place `end`, in cells; None if there is no path."""
        return (await self.query_pathings([(start, end)]))[0]

    async def query_pathings(self, ways: Iterable[tuple[Any, PointLike]]) -> list[Optional[float]]:
        """Like `query_pathing`. ways: pairs of a start and an end."""
        return read_distances(await self.request(pathing_request(ways)))

    async def query_building_placement(
        self, ability: Ability, places: Iterable[PointLike], builder: Any = None, ignore_resources: bool = True
    ) -> list[int]:
        """Returns an ActionResult number for each place: 1 if the ability's building can stand there. builder: the unit
        that will build. It does not count as an obstacle."""
        query = placement_request(self._ability(ability), places, builder, ignore_resources)
        return read_placements(await self.request(query))

    async def can_place(self, building: TypeLike, places: Iterable[PointLike]) -> list[bool]:
        """Whether a building of a unit type can stand at each of the places."""
        ability, _ = self._ability_and_half_width(building)
        return [result == 1 for result in await self.query_building_placement(ability, places)]

    async def find_placement(
        self, building: TypeLike, near: PointLike, reach: int = 20, step: int = 2
    ) -> Optional[tuple[float, float]]:
        """The place nearest to `near` at which a building can stand; None if there is no such place. Checks a grid
        of places, `step` cells apart, up to `reach` cells from `near`."""
        ability, half_width = self._ability_and_half_width(building)
        places = centers_around(near, half_width, reach, step)
        answers = await self.query_building_placement(ability, places)
        return next((place for place, result in zip(places, answers) if result == 1), None)

    async def query_available_abilities(self, units: UnitsLike, ignore_resources: bool = False) -> list[list[int]]:
        """For each unit, ids of the abilities that it can use now, without general abilities (remaps_to_ability_id)."""
        return read_abilities(await self.request(abilities_request(units, ignore_resources)))


class Queries(Commands):
    """The queries of a player. They raise BridgeError if the game or the bridge refuses a query."""

    def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Sends any request that does not change the match, as this player. Raises BridgeError."""
        raise NotImplementedError

    @property
    def _core(self) -> AsyncQueries:
        return _BlockingQueries(self)

    query_pathing = blocking(AsyncQueries.query_pathing)
    query_pathings = blocking(AsyncQueries.query_pathings)
    query_building_placement = blocking(AsyncQueries.query_building_placement)
    can_place = blocking(AsyncQueries.can_place)
    find_placement = blocking(AsyncQueries.find_placement)
    query_available_abilities = blocking(AsyncQueries.query_available_abilities)


class _BlockingQueries(AsyncQueries):
    """Lets AsyncQueries send its requests through a blocking player."""

    def __init__(self, player: Queries) -> None:
        self._player = player

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        return self._player.request(request)

    def _current_match(self) -> Match:
        return self._player._current_match()
