"""What a player can ask of its game, for asyncio; see `questions`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Optional

from sc2bridge import queries
from sc2bridge.commands import Ability, Commands, Kind
from sc2bridge.places import Place, SomeUnits
from sc2bridge.s2clientprotocol import sc2api_pb2


class Questions(Commands):
    """See `sc2bridge.questions.Questions`, whose methods these are, awaited."""

    async def request(self, request: sc2api_pb2.Request) -> sc2api_pb2.Response:
        """Any request of the game's that leaves the match as it is, as this player."""
        raise NotImplementedError

    async def query_pathing(self, start: Any, end: Place) -> Optional[float]:
        """How far it is on the ground from a unit or a place to a place, in cells; None where there is no way."""
        return (await self.query_pathings([(start, end)]))[0]

    async def query_pathings(self, ways: Iterable[tuple[Any, Place]]) -> list[Optional[float]]:
        """The same for many."""
        return queries.distances(await self.request(queries.pathing(ways)))

    async def query_building_placement(
        self, ability: Ability, places: Iterable[Place], builder: Any = None, ignore_resources: bool = True
    ) -> list[int]:
        """Whether an ability's building can stand there: numbers of ActionResult, 1 where it can.

        builder: the unit that is to build it, which does not stand in its own way.
        """
        asked = queries.placements(self._ability(ability), places, builder, ignore_resources)
        return queries.results(await self.request(asked))

    async def can_place(self, building: Kind, places: Iterable[Place]) -> list[bool]:
        """Whether a building of a unit type can stand at each of some places."""
        ability, _ = self._building(building)
        return [result == 1 for result in await self.query_building_placement(ability, places)]

    async def find_placement(
        self, building: Kind, near: Place, reach: int = 20, step: int = 2
    ) -> Optional[tuple[float, float]]:
        """The nearest place around one where a building can stand, of a grid of `step` cells as far as `reach`; None
        where there is none."""
        ability, half_width = self._building(building)
        places = queries.around(near, half_width, reach, step)
        answers = await self.query_building_placement(ability, places)
        return next((place for place, result in zip(places, answers) if result == 1), None)

    async def query_available_abilities(self, units: SomeUnits, ignore_resources: bool = False) -> list[list[int]]:
        """What each unit can do now: ids of AbilityData, of its own kind and not the general ones."""
        return queries.available(await self.request(queries.abilities(units, ignore_resources)))
