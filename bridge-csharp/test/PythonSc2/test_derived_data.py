"""The data that BotAI derives from each map's grids, heights and units."""

from __future__ import annotations

import pytest
from conftest import MAPS


from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Difficulty, Race
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import run_game
from sc2.player import Bot, Computer
from sc2.position import Point2

# The resource fields that each map has, including the start locations.
BASES = {"CinderFortressLE": 14, "AshenTerraceLE": 12, "SaltBasinLE": 8, "FourWindsLE": 16}


class Surveyor(BotAI):
    """Checks everything on the first step, records errors, and leaves."""

    def __init__(self, bases: int) -> None:
        super().__init__()
        self.bases = bases
        self.wrong: list[str] = []

    def check(self, what: str, right: object) -> None:
        if not right:
            self.wrong.append(what)

    async def on_step(self, iteration: int) -> None:
        self.check_starts()
        await self.check_expansions()
        await self.check_ramp()
        self.check_grids()
        await self.client.leave()

    def check_starts(self) -> None:
        self.check("the start is the hall's place", self.start_location == self.townhalls.first.position)
        self.check("every other start may be an enemy's", self.start_location not in self.enemy_start_locations)
        for place in self.enemy_start_locations:
            self.check(f"the enemy start {place} is a base", place in self.expansion_locations_list)
        self.check("the own start is a base", self.start_location in self.expansion_locations_list)

    async def check_expansions(self) -> None:
        found, size = self.expansion_locations_list, self.game_info.map_size
        self.check(f"{len(found)} bases, not {self.bases}", len(found) == self.bases == len(set(found)))
        turned = {(size.x - place.x, size.y - place.y) for place in found}
        self.check("bases lie symmetric about the middle", turned == set(found))
        fields = self.expansion_locations_dict.values()
        whole = all(len(field.mineral_field) == 8 and len(field.vespene_geyser) == 2 for field in fields)
        self.check("eight mineral fields and two geysers at each", whole)
        resources = {unit.tag for field in fields for unit in field}
        self.check("every field belongs to a base", {unit.tag for unit in self.resources} == resources)
        # The enemy's area is left out: it is unknown whether the game reports it before it was seen.
        starts = [self.start_location, *self.enemy_start_locations]
        free = [place for place in found if place not in starts]
        standing = await self.can_place(UnitTypeId.COMMANDCENTER, free)
        self.check("a town hall can be placed on each", all(standing) and len(standing) == len(free))
        nowhere = [self.start_location, self.mineral_field.closest_to(self.start_location).position, Point2((1, 1))]
        self.check("and on none of these", not any(await self.can_place(UnitTypeId.COMMANDCENTER, nowhere)))
        ways = await self.client.query_pathings([[self.workers.first, place] for place in free])
        self.check("a worker can walk to each", all(way > 0 for way in ways) and len(ways) == len(free))

    async def check_ramp(self) -> None:
        ramp = self.main_base_ramp
        self.check("the main ramp is near the start", ramp.top_center.distance_to(self.start_location) < 25)
        self.check("it has two upper points for a wall", len(ramp.upper2_for_ramp_wall) == 2)
        upper, lower = ramp.top_center, ramp.bottom_center
        rises = self.get_terrain_z_height(upper) > self.get_terrain_z_height(lower)
        self.check("its top is above its bottom", rises)
        corners = list(ramp.corner_depots)
        self.check("two corner depots", len(corners) == 2)
        await self.check_places(UnitTypeId.SUPPLYDEPOT, [*corners, ramp.depot_in_middle])
        await self.check_places(UnitTypeId.BARRACKS, [ramp.barracks_correct_placement])
        await self.check_places(UnitTypeId.SUPPLYDEPOT, [ramp.barracks_correct_placement.offset((2.5, -0.5))])
        await self.check_places(UnitTypeId.SUPPLYDEPOT, [ramp.protoss_wall_pylon])
        # The building is a Terran's, because a Protoss building needs a finished pylon.
        await self.check_places(UnitTypeId.BARRACKS, list(ramp.protoss_wall_buildings))
        self.check("two buildings in the Protoss wall", len(ramp.protoss_wall_buildings) == 2)
        self.check("a gap in it that can be walked", self.in_pathing_grid(ramp.protoss_wall_warpin))

    async def check_places(self, kind: UnitTypeId, places: list[Point2]) -> None:
        for place, can in zip(places, await self.can_place(kind, places)):
            self.check(f"{kind.name} at {place} next to the ramp", can)

    def check_grids(self) -> None:
        info = self.game_info
        grids = (info.placement_grid, info.pathing_grid, info.terrain_height)
        sizes = {(grid.width, grid.height) for grid in grids}
        sizes |= {(self.state.visibility.width, self.state.visibility.height)}
        sizes |= {(self.state.creep.width, self.state.creep.height)}
        self.check("all grids are of the map's size", sizes == {(info.map_size.width, info.map_size.height)})
        area = info.playable_area
        middle = Point2((area.x + area.width / 2, area.y + area.height / 2))
        self.check("the playable area is in the middle", middle == info.map_center)
        self.check("the start is seen", self.is_visible(self.start_location))
        self.check("the enemy's is not", not self.is_visible(self.enemy_start_locations[0]))
        self.check("workers are on walkable ground", all(self.in_pathing_grid(unit) for unit in self.workers))
        self.check("the hall's ground is not walkable", not self.in_pathing_grid(self.start_location))
        heights = {round(self.get_terrain_z_height(place)) for place in self.expansion_locations_list}
        self.check(f"bases lie on more than one level, not {heights}", len(heights) > 1)
        hall = self.townhalls.first
        near = abs(self.get_terrain_z_height(hall) - hall.position3d.z) < 0.2
        self.check("a unit's height is its ground's", near)
        self.check("there are vision blockers", info.vision_blockers)
        self.check("there are ramps", len(info.map_ramps) > 1)


@pytest.mark.parametrize("name", MAPS)
def test_data_that_bots_derive_is_right(name: str) -> None:
    surveyor = Surveyor(BASES[name])
    players = [Bot(Race.Terran, surveyor), Computer(Race.Terran, Difficulty.VeryEasy)]
    run_game(maps.get(name), players, realtime=False, random_seed=5)
    assert surveyor.wrong == []
