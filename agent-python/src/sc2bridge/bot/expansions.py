"""Where bases can stand: python-sc2's places, by its steps (sc2/bot_ai_internal.py, _find_expansion_locations)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from sc2bridge.bot.game_info import GameInfo, at
from sc2bridge.bot.point import Point2
from sc2bridge.bot.units import Units

_SPREAD = 10.5  # cells between the middles of groups that are one
_LEVEL = 10  # of terrain_height, that resources of one base differ by at most
_MOST = 12  # resources of a base: more are a wall
_REACH = 7
_OFFSETS = [(x, y) for x, y in itertools.product(range(-_REACH, _REACH + 1), repeat=2) if 4 < math.hypot(x, y) <= 8]
_FROM_MINERALS, _FROM_GEYSERS = 6, 7  # cells to a town hall's middle
_LEAST_LINE, _LEAST_SIDE = 4, 3  # cells, of a line of minerals between two geysers

_Resource = tuple[float, float, bool]
"""x, y and whether it is a geyser."""


def expansions(resources: Units, info: GameInfo) -> dict[Point2, list[Point2]]:
    """The places of a map, in no order that means something, and the resources around each.

    resources: of the first frame.
    """
    fields = resources[~resources.data.of(resources.unit_type, "is_wall_field")]
    heights = at(info.terrain_height, fields.position).astype(int)
    listed: list[_Resource] = list(
        zip(fields.position[:, 0].tolist(), fields.position[:, 1].tolist(), fields.is_vespene_geyser.tolist())
    )
    found: dict[Point2, list[Point2]] = {}
    for group in _groups(fields.position, heights):
        members = [listed[row] for row in group]
        if len(members) > _MOST:
            continue
        for base in _bases(members):
            place = _place(base, info)
            if place is not None:
                found[place] = [Point2(x, y) for x, y, _ in base]
    return found


def _groups(places: Any, heights: Any) -> list[list[int]]:
    """Rows of resources that are near each other, and on one level: groups grow together, the first two that may at a time."""
    groups = [[row] for row in range(len(places))]
    middles, low, high = places.copy(), heights.copy(), heights.copy()
    while len(groups) > 1:
        apart = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
        steep = np.maximum(high[:, None] - low[None], high[None] - low[:, None])
        may = np.triu((apart <= _SPREAD) & (steep <= _LEVEL), 1)
        first = int(may.argmax())
        one, other = divmod(first, len(groups))
        if not may[one, other]:
            break
        together = groups[one] + groups[other]
        keep = [row for row in range(len(groups)) if row not in (one, other)]
        groups = [groups[row] for row in keep] + [together]
        middles = np.concatenate([middles[keep], places[together].mean(axis=0)[None]])
        low = np.append(low[keep], heights[together].min())
        high = np.append(high[keep], heights[together].max())
    return groups


def _bases(members: list[_Resource]) -> list[list[_Resource]]:
    """What one town hall mines; two for a line of minerals with a geyser on either side."""
    minerals = [each for each in members if not each[2]]
    geysers = [each for each in members if each[2]]
    if len(geysers) == 2 and len(minerals) >= 6 and _apart(minerals, geysers):
        return [[*minerals, geyser] for geyser in geysers]
    return [members]


def _apart(minerals: list[_Resource], geysers: list[_Resource]) -> bool:
    """Whether geysers lie on both sides of the line through the minerals."""
    pairs = list(itertools.combinations(minerals, 2))
    (x1, y1, _), (x2, y2, _) = max(pairs, key=lambda pair: math.dist(pair[0][:2], pair[1][:2]))
    if math.dist((x1, y1), (x2, y2)) < _LEAST_LINE:
        return False
    if abs(x2 - x1) < 0.1:
        one, other = (x - (x1 + x2) / 2 for x, _, _ in geysers)
        return one * other < 0 and min(abs(one), abs(other)) > _LEAST_SIDE
    slope = (y2 - y1) / (x2 - x1)
    one, other = (y - slope * x - (y1 - slope * x1) for x, y, _ in geysers)
    return one * other < 0


def _place(base: Sequence[_Resource], info: GameInfo) -> Optional[Point2]:
    """Where a town hall is the nearest to all; None where none can stand."""
    middle_x = int(sum(x for x, _, _ in base) / len(base)) + 0.5
    middle_y = int(sum(y for _, y, _ in base) / len(base)) + 0.5
    best, least = None, math.inf
    for dx, dy in _OFFSETS:
        x, y = middle_x + dx, middle_y + dy
        ways = [math.hypot(x - other, y - its) for other, its, _ in base]
        if any(way < (_FROM_GEYSERS if each[2] else _FROM_MINERALS) for way, each in zip(ways, base)):
            continue
        if sum(ways) < least and info.placement_grid[int(y), int(x)]:
            best, least = Point2(x, y), sum(ways)
    return best
