"""What a bot knows of the map: heights, grids, ramps, and where bases stand."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from sc2bridge.bot import expansions
from sc2bridge.bot.game_info import GameInfo, at, grid, inside
from sc2bridge.bot.point import Point2
from sc2bridge.bot.ramp import Ramp
from sc2bridge.bot.step import Step, per_match, per_step
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units
from sc2bridge.game.frame import Frame
from sc2bridge.game.images import to_array
from sc2bridge.game.places import PointLike
from sc2bridge.s2clientprotocol import sc2api_pb2

_FULLY_VISIBLE = 2  # spatial_pb2: 0 hidden, 1 fogged, 2 visible


class Terrain(Step):
    """The map. What takes a place takes rows of x and y too, an array of the shape (n, 2), and gives an array then; it raises ValueError
    for a place off the map."""

    EXPANSION_GAP_THRESHOLD = 15
    """Cells to a base's place within which a town hall has taken it."""

    def _begin_step(self, frame: Frame) -> None:
        super()._begin_step(frame)
        _ = self._first_resources  # Later some are mined out.

    @per_match
    def _first_resources(self) -> Units:
        return self.resources

    @per_match
    def game_info(self) -> GameInfo:
        """The map's grids, areas and ramps."""
        start = self.match.start_location
        return GameInfo(self.match.game_info, Point2(*start) if start else None)

    @per_match
    def main_base_ramp(self) -> Ramp:
        """The ramp of the own main base. Raises ValueError where there is none."""
        for widths in ((2, 5), (4, 9)):  # Of the upper end: sc2/bot_ai.py, main_base_ramp.
            ramps = [ramp for ramp in self.game_info.map_ramps if len(ramp.upper) in widths]
            if ramps:
                return min(ramps, key=lambda ramp: self.start_location.distance_to(ramp.top_center))
        raise ValueError(f"no ramp of {self.match.map_name} is one of a main base")

    def in_map_bounds(self, place: PointLike) -> bool:
        """Whether a place is in the playable area."""
        return inside(self.game_info.playable_area, place)

    def get_terrain_height(self, places: Any) -> Any:
        """0 to 255: no unit's z."""
        return at(self.game_info.terrain_height, places)

    def get_terrain_z_height(self, places: Any) -> Any:
        """Cells, as a unit's z."""
        return self.get_terrain_height(places) * (32 / 255) - 16

    def in_placement_grid(self, places: Any) -> Any:
        """Whether the ground carries buildings."""
        return at(self.game_info.placement_grid, places)

    def in_pathing_grid(self, places: Any) -> Any:
        """Whether one can walk there, as far as `game_info.pathing_grid` knows."""
        return at(self.game_info.pathing_grid, places)

    def is_visible(self, places: Any) -> Any:
        """Whether it is in sight now."""
        return at(self.visibility, places) == _FULLY_VISIBLE

    def has_creep(self, places: Any) -> Any:
        """Whether there is creep, as far as it was seen."""
        return at(self.creep, places)

    @per_step
    def visibility(self) -> npt.NDArray[np.uint8]:
        """`[y, x]`: 0 never seen, 1 seen before, 2 in sight."""
        return to_array(self.frame.observation.observation.raw_data.map_state.visibility)

    @per_step
    def creep(self) -> npt.NDArray[np.bool_]:
        """`[y, x]`: where creep was seen last."""
        return grid(self.frame.observation.observation.raw_data.map_state.creep)

    def query_pathing_grid(self) -> npt.NDArray[np.bool_]:
        """Asks the game where one can walk now: buildings and fallen rocks change it. `game_info.pathing_grid` has it from here on.
        Raises BridgeError."""
        answer = self.request(sc2api_pb2.Request(game_info=sc2api_pb2.RequestGameInfo()))
        self.game_info.pathing_grid = grid(answer.game_info.start_raw.pathing_grid)
        return self.game_info.pathing_grid

    @per_match
    def _expansions(self) -> dict[Point2, list[Point2]]:
        return expansions.expansions(self._first_resources, self.game_info)

    @property
    def expansion_locations_list(self) -> list[Point2]:
        """Where town halls are the best placed, starts too; sorted in no way."""
        return list(self._expansions)

    @per_step
    def expansion_locations_dict(self) -> dict[Point2, Units]:
        """The same, with the resources that are left there."""
        rows = {Point2(*place): row for row, place in enumerate(self.resources.position.tolist())}
        return {
            place: self.resources[np.array([rows[each] for each in around if each in rows], np.intp)]
            for place, around in self._expansions.items()
        }

    @per_step
    def owned_expansions(self) -> dict[Point2, Unit]:
        """Those with a town hall of one's own, and which."""
        near = {place: self._town_halls_at(place) for place in self._expansions}
        return {place: halls.first for place, halls in near.items() if halls}

    def get_next_expansion(self) -> Optional[Point2]:
        """Of those without a town hall of one's own the one with the shortest way from the start; None where there is none. Asks
        the game once. Raises BridgeError."""
        free = [place for place in self._expansions if not self._town_halls_at(place)]
        ways = self.query_pathings([(self.start_location, place) for place in free]) if free else []
        reached = [(way, place) for way, place in zip(ways, free) if way is not None]
        return min(reached)[1] if reached else None

    def _town_halls_at(self, place: Point2) -> Units:
        return self.townhalls.closer_than(self.EXPANSION_GAP_THRESHOLD, place)
