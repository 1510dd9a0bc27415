"""Finds the same places for bases as python-sc2's _find_expansion_locations in sc2/bot_ai_internal.py."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from sc2bridge.bot.game_info import GameInfo, value_at
from sc2bridge.bot.point import Point2
from sc2bridge.bot.units import Units

_MERGE_DISTANCE = 10.5  # cells: groups whose middles are at most this far apart are merged
_HEIGHT_TOLERANCE = 10  # units of terrain_height: the largest difference in height between resources of one base
_MOST_RESOURCES = 12  # the most resources of a base: a larger group is a wall
_REACH = 7  # cells: the largest distance in x or y from the resources' middle to a town hall's middle
_OFFSETS = [(x, y) for x, y in itertools.product(range(-_REACH, _REACH + 1), repeat=2) if 4 < math.hypot(x, y) <= 8]
_MIN_MINERAL_DISTANCE, _MIN_GEYSER_DISTANCE = 6, 7  # cells: from a town hall's middle
# Cells, for a line of minerals between two geysers: the line's least length, and the geysers' least distance to it.
_LEAST_LINE_LENGTH, _LEAST_LINE_DISTANCE = 4, 3

_Resource = tuple[float, float, bool]
"""x, y and whether it is a geyser."""


def find_expansions(resources: Units, info: GameInfo) -> dict[Point2, list[Point2]]:
    """Maps each place for a base to the places of this base's resources. The bases have no particular order.
    resources: the mineral fields and geysers in the first frame."""
    fields = resources[~resources.data.of_types(resources.unit_type, "is_wall_field")]
    heights = value_at(info.terrain_height, fields.position).astype(int)
    listed: list[_Resource] = list(
        zip(fields.position[:, 0].tolist(), fields.position[:, 1].tolist(), fields.is_vespene_geyser.tolist())
    )
    found: dict[Point2, list[Point2]] = {}
    for group in _groups(fields.position, heights):
        members = [listed[row] for row in group]
        if len(members) > _MOST_RESOURCES:
            continue
        for base in _split_into_bases(members):
            place = _town_hall_place(base, info)
            if place is not None:
                found[place] = [Point2(x, y) for x, y, _ in base]
    return found


def _groups(places: Any, heights: Any) -> list[list[int]]:
    """Groups of resources near each other on one level, as lists of rows of `places`. Each pass merges two groups."""
    groups = [[row] for row in range(len(places))]
    middles, low, high = places.copy(), heights.copy(), heights.copy()
    while len(groups) > 1:
        apart = np.hypot(*(middles[:, None] - middles[None]).transpose(2, 0, 1))
        steep = np.maximum(high[:, None] - low[None], high[None] - low[:, None])
        may_merge = np.triu((apart <= _MERGE_DISTANCE) & (steep <= _HEIGHT_TOLERANCE), 1)
        first = int(may_merge.argmax())
        one, other = divmod(first, len(groups))
        if not may_merge[one, other]:
            break
        together = groups[one] + groups[other]
        keep = [row for row in range(len(groups)) if row not in (one, other)]
        groups = [groups[row] for row in keep] + [together]
        middles = np.concatenate([middles[keep], places[together].mean(axis=0)[None]])
        low = np.append(low[keep], heights[together].min())
        high = np.append(high[keep], heights[together].max())
    return groups


def _split_into_bases(members: list[_Resource]) -> list[list[_Resource]]:
    """Splits a group into two bases if a line of minerals has a geyser on each side. Else returns one base."""
    minerals = [each for each in members if not each[2]]
    geysers = [each for each in members if each[2]]
    if len(geysers) == 2 and len(minerals) >= 6 and _has_geysers_on_both_sides(minerals, geysers):
        return [[*minerals, geyser] for geyser in geysers]
    return [members]


def _has_geysers_on_both_sides(minerals: list[_Resource], geysers: list[_Resource]) -> bool:
    """Whether the two geysers lie on different sides of the line through the minerals."""
    pairs = list(itertools.combinations(minerals, 2))
    (x1, y1, _), (x2, y2, _) = max(pairs, key=lambda pair: math.dist(pair[0][:2], pair[1][:2]))
    if math.dist((x1, y1), (x2, y2)) < _LEAST_LINE_LENGTH:
        return False
    if abs(x2 - x1) < 0.1:
        one, other = (x - (x1 + x2) / 2 for x, _, _ in geysers)
        return one * other < 0 and min(abs(one), abs(other)) > _LEAST_LINE_DISTANCE
    slope = (y2 - y1) / (x2 - x1)
    one, other = (y - slope * x - (y1 - slope * x1) for x, y, _ in geysers)
    return one * other < 0


def _town_hall_place(base: Sequence[_Resource], info: GameInfo) -> Optional[Point2]:
    """The town hall's place where the sum of the distances to the resources is smallest; None if there is no room."""
    middle_x = int(sum(x for x, _, _ in base) / len(base)) + 0.5
    middle_y = int(sum(y for _, y, _ in base) / len(base)) + 0.5
    best, least_sum = None, math.inf
    for dx, dy in _OFFSETS:
        x, y = middle_x + dx, middle_y + dy
        distances = [math.hypot(x - resource_x, y - resource_y) for resource_x, resource_y, _ in base]
        least_distances = (_MIN_GEYSER_DISTANCE if is_geyser else _MIN_MINERAL_DISTANCE for _, _, is_geyser in base)
        if any(distance < least_distance for distance, least_distance in zip(distances, least_distances)):
            continue
        if sum(distances) < least_sum and info.placement_grid[int(y), int(x)]:
            best, least_sum = Point2(x, y), sum(distances)
    return best
