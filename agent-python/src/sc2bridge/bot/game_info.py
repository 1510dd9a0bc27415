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

_LEAST = 8  # cells of a ramp: sc2/game_info.py, _find_groups


class Rect(NamedTuple):
    """A part of the map, in cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def center(self) -> Point2:
        """Its middle."""
        return Point2(self.x + self.width / 2, self.y + self.height / 2)


class GameInfo:
    """A map. Its grids are arrays `[y, x]`, a value for each cell, of the shape (height, width), and cannot be written to."""

    pathing_grid: npt.NDArray[np.bool_]
    """Where one can walk, as it was when the match began; `BotAI.query_pathing_grid` asks anew."""
    placement_grid: npt.NDArray[np.bool_]
    """Where the ground carries buildings."""
    terrain_height: npt.NDArray[np.uint8]
    """0 to 255 for -16 to 16 cells."""

    def __init__(self, message: sc2api_pb2.ResponseGameInfo, player_start_location: Optional[Point2] = None) -> None:
        self.player_start_location = player_start_location
        raw = message.start_raw
        self.map_name = message.map_name
        self.pathing_grid = grid(raw.pathing_grid)
        self.placement_grid = grid(raw.placement_grid)
        self.terrain_height = to_array(raw.terrain_height)
        self.map_size = (raw.map_size.x, raw.map_size.y)
        low, high = raw.playable_area.p0, raw.playable_area.p1
        self.playable_area = Rect(low.x, low.y, high.x - low.x, high.y - low.y)
        self.map_center = self.playable_area.center
        self._first_pathing = self.pathing_grid

    @cached_property
    def map_ramps(self) -> list[Ramp]:
        """Ground that carries no buildings and is not level: the lowest of the map first."""
        return [Ramp(cells, self.terrain_height, self.player_start_location) for cells in _groups(self._slopes[0])]

    @cached_property
    def vision_blockers(self) -> frozenset[Point2]:
        """Cells that carry no buildings and are level: what grows there hides who is inside."""
        return frozenset(Point2(x, y) for x, y in self._slopes[1])

    @cached_property
    def _slopes(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Cells that can be walked on and not built on, as sc2/game_info.py has them: those that are not level, and those that are."""
        free = self._first_pathing & ~self.placement_grid
        inside = np.zeros_like(free)
        x, y, width, height = self.playable_area
        inside[y : y + height, x : x + width] = True
        padded = np.pad(self.terrain_height, 1, mode="edge")
        rows, columns = free.shape
        around = np.stack([padded[y : y + rows, x : x + columns] for y in range(3) for x in range(3)])
        level = around.min(axis=0) == around.max(axis=0)
        return _cells(free & inside & ~level), _cells(free & inside & level)


def grid(image: Any) -> npt.NDArray[np.bool_]:
    """A picture of the game's as flags."""
    return to_array(image).astype(bool, copy=False)


def at(array: npt.NDArray[Any], places: Any) -> Any:
    """What a grid has at a place, a number; at rows of x and y, an array. Raises ValueError for what is off the map."""
    if isinstance(places, np.ndarray) and places.ndim == 2:
        x, y = np.floor(places[:, :2]).astype(np.intp).T
    else:
        x, y = (np.array([int(part)]) for part in Point2.of(places).rounded)
    height, width = array.shape
    if ((x < 0) | (x >= width) | (y < 0) | (y >= height)).any():
        raise ValueError(f"{places!r} is off the map, which has {width} x {height} cells")
    found = array[y, x]
    return found if isinstance(places, np.ndarray) and places.ndim == 2 else found[0].item()


def inside(area: Rect, place: PointLike) -> bool:
    """Whether a place is in a part of the map."""
    x, y = Point2.of(place)
    return area.x <= x < area.x + area.width and area.y <= y < area.y + area.height


def _cells(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    y, x = flags.nonzero()
    return list(zip(x.tolist(), y.tolist()))


def _groups(cells: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Cells that touch each other, also at corners."""
    left, found = dict.fromkeys(cells), []
    while left:
        group = [left.popitem()[0]]
        for x, y in group:  # It grows as it is gone through.
            for near in ((x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
                if near in left:
                    del left[near]
                    group.append(near)
        if len(group) >= _LEAST:
            found.append(group)
    return sorted(found, key=min)
