"""The map: heights, grids, ramps, and places for bases."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
import numpy.typing as npt

from sc2bridge.bot import expansions
from sc2bridge.bot.game_info import GameInfo, bool_grid, is_inside, value_at
from sc2bridge.bot.point import Point2
from sc2bridge.bot.ramp import Ramp
from sc2bridge.bot.step import StepState, per_match, per_step
from sc2bridge.bot.unit import Unit
from sc2bridge.bot.units import Units
from sc2bridge.game.frame import Frame
from sc2bridge.game.images import to_array
from sc2bridge.game.places import PointLike
from sc2bridge.s2clientprotocol import sc2api_pb2

_FULLY_VISIBLE = 2  # spatial_pb2: 0 hidden, 1 fogged, 2 visible


class Terrain(StepState):
    """The map. `places` is one place, or an array of the shape (n, 2) with n places. For an array, methods return an
    array of n values. Methods raise ValueError for a place off the map."""

    EXPANSION_GAP_THRESHOLD = 15
    """A place for a base is occupied if a town hall is nearer than this, in cells."""

    def _begin_step(self, frame: Frame) -> None:
        super()._begin_step(frame)
        _ = self._first_resources  # Cache the first frame's resources: later frames lack exhausted mineral fields.

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
        """The ramp of the bot's main base. Raises ValueError if no ramp of the map is as wide as a main base's ramp."""
        for widths in ((2, 5), (4, 9)):  # Cells at the upper end: sc2/bot_ai.py, main_base_ramp.
            ramps = [ramp for ramp in self.game_info.map_ramps if len(ramp.upper) in widths]
            if ramps:
                return min(ramps, key=lambda ramp: self.start_location.distance_to(ramp.top_center))
        raise ValueError(f"no ramp of {self.match.map_name} has a main ramp's width: use game_info.map_ramps")

    def in_map_bounds(self, place: PointLike) -> bool:
        """Whether a place is in the playable area."""
        return is_inside(self.game_info.playable_area, place)

    def get_terrain_height(self, places: Any) -> Any:
        """The height as the game's number from 0 to 255. `get_terrain_z_height` returns it in cells."""
        return value_at(self.game_info.terrain_height, places)

    def get_terrain_z_height(self, places: Any) -> Any:
        """The height in cells, like a unit's z."""
        return self.get_terrain_height(places) * (32 / 255) - 16

    def in_placement_grid(self, places: Any) -> Any:
        """Whether buildings can stand at the place."""
        return value_at(self.game_info.placement_grid, places)

    def in_pathing_grid(self, places: Any) -> Any:
        """Whether units can walk at the place, according to `game_info.pathing_grid`."""
        return value_at(self.game_info.pathing_grid, places)

    def is_visible(self, places: Any) -> Any:
        """Whether the place is in sight now."""
        return value_at(self.visibility, places) == _FULLY_VISIBLE

    def has_creep(self, places: Any) -> Any:
        """Whether there was creep when the player last saw the place."""
        return value_at(self.creep, places)

    @per_step
    def visibility(self) -> npt.NDArray[np.uint8]:
        """A grid, indexed `[y, x]`: 0 for never seen, 1 for seen before, 2 for in sight."""
        return to_array(self.frame.observation.observation.raw_data.map_state.visibility)

    @per_step
    def creep(self) -> npt.NDArray[np.bool_]:
        """A grid, indexed `[y, x]`: whether a cell had creep when the player last saw it."""
        return bool_grid(self.frame.observation.observation.raw_data.map_state.creep)

    def query_pathing_grid(self) -> npt.NDArray[np.bool_]:
        """Queries the current pathing grid and stores it in `game_info.pathing_grid`. Buildings and fallen rocks
        change the grid. Raises BridgeError."""
        answer = self.request(sc2api_pb2.Request(game_info=sc2api_pb2.RequestGameInfo()))
        self.game_info.pathing_grid = bool_grid(answer.game_info.start_raw.pathing_grid)
        return self.game_info.pathing_grid

    @per_match
    def _expansions(self) -> dict[Point2, list[Point2]]:
        return expansions.find_expansions(self._first_resources, self.game_info)

    @property
    def expansion_locations_list(self) -> list[Point2]:
        """The best places for town halls, including start locations, in no particular order."""
        return list(self._expansions)

    @per_step
    def expansion_locations_dict(self) -> dict[Point2, Units]:
        """The places of `expansion_locations_list`, each with its remaining resources."""
        rows = {Point2(*place): row for row, place in enumerate(self.resources.position.tolist())}
        return {
            place: self.resources[np.array([rows[each] for each in around if each in rows], np.intp)]
            for place, around in self._expansions.items()
        }

    @per_step
    def owned_expansions(self) -> dict[Point2, Unit]:
        """Maps each place for a base to the own town hall there. Places without an own town hall are left out."""
        halls_at = {place: self._town_halls_at(place) for place in self._expansions}
        return {place: halls.first for place, halls in halls_at.items() if halls}

    def get_next_expansion(self) -> Optional[Point2]:
        """Of the free places for bases, returns the place with the shortest path from the start location. None if no
        free place can be reached. A place is free if it has no own town hall. Sends one query. Raises BridgeError."""
        free = [place for place in self._expansions if not self._town_halls_at(place)]
        paths = self.query_pathings([(self.start_location, place) for place in free]) if free else []
        reached = [(length, place) for length, place in zip(paths, free) if length is not None]
        return min(reached)[1] if reached else None

    def _town_halls_at(self, place: Point2) -> Units:
        return self.townhalls.closer_than(self.EXPANSION_GAP_THRESHOLD, place)
