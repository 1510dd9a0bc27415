"""The map: its grids as arrays, and the ramps on it."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from sc2bridge.bot.point import Point2
from sc2bridge.bot.ramp import Ramp
from sc2bridge.game.images import to_array
from sc2bridge.game.places import PointLike
from sc2bridge.s2clientprotocol import sc2api_pb2

_LEAST_RAMP_CELLS = 8  # smaller groups of cells are not ramps (sc2/game_info.py, _find_groups)


class Rect(NamedTuple):
    """A rectangle on the map, in cells. x and y are its lower left corner."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> Point2:
        """The middle of the rectangle."""
        return Point2(self.x + self.width / 2, self.y + self.height / 2)


class GameInfo:
    """A map. Its grids are read-only arrays, indexed `[y, x]`, with one value for each cell."""

    pathing_grid: npt.NDArray[np.bool_]
    """Cells that units can walk on. Shows the match's start until `BotAI.query_pathing_grid` updates this grid."""
    placement_grid: npt.NDArray[np.bool_]
    """Cells where buildings can stand."""
    terrain_height: npt.NDArray[np.uint8]
    """The height of each cell: 0 means -16 cells, 255 means 16 cells."""

    def __init__(self, message: sc2api_pb2.ResponseGameInfo, player_start_location: Optional[Point2] = None) -> None:
        self.player_start_location = player_start_location
        raw = message.start_raw
        self.map_name = message.map_name
        self.pathing_grid = bool_grid(raw.pathing_grid)
        self.placement_grid = bool_grid(raw.placement_grid)
        self.terrain_height = to_array(raw.terrain_height)
        self.map_size = (raw.map_size.x, raw.map_size.y)
        low, high = raw.playable_area.p0, raw.playable_area.p1
        self.playable_area = Rect(low.x, low.y, high.x - low.x, high.y - low.y)
        self.map_center = self.playable_area.center
        self._first_pathing_grid = self.pathing_grid

    @cached_property
    def map_ramps(self) -> list[Ramp]:
        """Ramps: groups of walkable, sloped cells where buildings cannot stand, sorted by their smallest (x, y)."""
        return [
            Ramp(cells, self.terrain_height, self.player_start_location)
            for cells in _connected_groups(self._sloped_and_level_cells[0])
        ]

    @cached_property
    def vision_blockers(self) -> frozenset[Point2]:
        """Level walkable cells where buildings cannot stand: smoke or plants there hide the units inside."""
        return frozenset(Point2(x, y) for x, y in self._sloped_and_level_cells[1])

    @cached_property
    def _sloped_and_level_cells(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Cells where units can walk and buildings cannot stand (sc2/game_info.py): sloped cells, and level cells."""
        free = self._first_pathing_grid & ~self.placement_grid
        inside = np.zeros_like(free)
        x, y, width, height = self.playable_area
        inside[y : y + height, x : x + width] = True
        padded = np.pad(self.terrain_height, 1, mode="edge")
        rows, columns = free.shape
        around = np.stack([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)])
        level = around.min(axis=0) == around.max(axis=0)
        return _cells_of(free & inside & ~level), _cells_of(free & inside & level)


def bool_grid(image: Any) -> npt.NDArray[np.bool_]:
    """An image from the game as an array of bool."""
    return to_array(image).astype(bool, copy=False)


def value_at(array: npt.NDArray[Any], places: Any) -> Any:
    """A grid's value at a place; for rows of x and y, an array of values. Raises ValueError for a place off the map."""
    if isinstance(places, np.ndarray) and places.ndim == 2:
        x, y = np.floor(places[:, :2]).astype(np.intp).T
    else:
        x, y = (np.array([int(part)]) for part in Point2.of(places).rounded)
    height, width = array.shape
    if ((x < 0) | (x >= width) | (y < 0) | (y >= height)).any():
        raise ValueError(f"{places!r} is off the map: give x from 0 to below {width}, and y from 0 to below {height}")
    found = array[y, x]
    return found if isinstance(places, np.ndarray) and places.ndim == 2 else found[0].item()


def is_inside(area: Rect, place: PointLike) -> bool:
    """Whether a place is in a rectangle of the map."""
    x, y = Point2.of(place)
    return area.x <= x < area.x + area.width and area.y <= y < area.y + area.height


def _cells_of(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    y, x = flags.nonzero()
    return list(zip(x.tolist(), y.tolist()))


def _connected_groups(cells: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Groups of at least _LEAST_RAMP_CELLS cells each. Cells of a group touch each other, at edges or corners."""
    left, found = dict.fromkeys(cells), []
    while left:
        group = [left.popitem()[0]]
        for x, y in group:  # The group grows during the loop.
            for near in ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
                if near in left:
                    del left[near]
                    group.append(near)
        if len(group) >= _LEAST_RAMP_CELLS:
            found.append(group)
    return sorted(found, key=min)
