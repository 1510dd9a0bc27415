"""Observations of an environment: arrays of a fixed size, computed from a frame's columns."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from gymnasium import spaces

from sc2bridge.game.frame import Frame
from sc2bridge.gym.slots import Slots
from sc2bridge.units.columns import UNIT_FIELDS

FEATURES = (
    *("own", "enemy", "neutral", "x", "y", "sin_facing", "cos_facing", "health", "shield", "energy"),
    *("build_progress", "weapon_cooldown", "flying", "cloaked", "ordered"),
)
"""A unit's features, from -1 to 1. x and y are divided by the map's size; health, shield and energy by their maximum.
The cooldown is in seconds of 22.4 game loops."""

PLAYER = (
    *("minerals", "vespene", "food_used", "food_cap", "food_workers", "idle_worker_count", "army_count"),
    "game_loop",
)
"""The player's numbers, as sent by the game."""

PLANES = tuple(f"{side}_{what}" for side in ("own", "enemy", "neutral") for what in ("units", "points", "flying"))
"""For each cell and side: the number of units, the sum of health and shield / 100, and the number of flying units."""


_player_numbers = operator.attrgetter(*PLAYER[:-1])


def _player_array(frame: Frame) -> Any:
    return np.array([*_player_numbers(frame.common), frame.game_loop], np.float32)


def _box(*shape: int, low: float = 0, high: float = np.inf, dtype: Any = np.float32) -> spaces.Box:
    return spaces.Box(low, high, shape, dtype)


class UnitTable:
    """With `observation="units"`, a dict. `units`: FEATURES of each row of `Slots`. `types`: UnitTypeData.unit_id.
    `mask`: which rows have a unit. `player`: the numbers in PLAYER."""

    def space(self, slots: Slots) -> spaces.Dict:
        """The space of these observations."""
        return spaces.Dict(
            units=_box(slots.count, len(FEATURES), low=-1, high=1),
            types=_box(slots.count, high=2**31 - 1, dtype=np.int32),
            mask=spaces.MultiBinary(slots.count),
            player=_box(len(PLAYER)),
        )

    def of(self, frame: Frame, slots: Slots, map_size: tuple[int, int]) -> dict[str, Any]:
        """Computes a frame's observation. slots: assigns units to rows. map_size: width and height in cells."""
        units = frame.units
        cloak, alliance = units.cloak, units.alliance
        # Computes the features of all units, and selects rows at the end, because this needs fewer numpy calls.
        table = np.zeros((len(units) + 1, len(FEATURES)), np.float32)
        columns = table[:-1].T
        for number, side in enumerate((1, 4, 3)):
            np.equal(alliance, side, out=columns[number], casting="unsafe")
        np.divide(units.pos[:, :2], map_size, out=table[:-1, 3:5])
        np.sin(units.facing, out=columns[5])
        np.cos(units.facing, out=columns[6])
        for number, (points, most) in enumerate(
            (
                (units.health, units.health_max),
                (units.shield, units.shield_max),
                (units.energy, units.energy_max),
            ),
            7,
        ):
            np.divide(points, np.maximum(most, 1), out=columns[number])
        columns[10] = units.build_progress
        np.divide(units.weapon_cooldown, 22.4, out=columns[11])
        columns[12] = units.is_flying
        columns[13] = (cloak == 1) | (cloak == 2)
        offsets = units.orders.offsets
        np.greater(offsets[1:], offsets[:-1], out=columns[14], casting="unsafe")
        np.minimum(np.maximum(table, -1, out=table), 1, out=table)
        return {
            "units": table[slots.unit_rows],  # For a row without a unit, the index -1 selects the zeros at the end.
            "types": slots.column(units, "unit_type").astype(np.int32),
            "mask": slots.filled.view(np.int8),
            "player": _player_array(frame),
        }


class Planes:
    """With `observation="planes"`, a dict. `planes`: PLANES on a grid of `cells` x `cells` over the whole
    map; row 0 is at the lower edge. `player`: the numbers in PLAYER."""

    def __init__(self, cells: int = 64) -> None:
        self._cells = cells

    def space(self, slots: Slots) -> spaces.Dict:
        return spaces.Dict(planes=_box(len(PLANES), self._cells, self._cells), player=_box(len(PLAYER)))

    def of(self, frame: Frame, slots: Slots, map_size: tuple[int, int]) -> dict[str, Any]:
        """See `UnitTable.of`. Units without a row in `slots` are counted too."""
        units, cells = frame.units, self._cells
        planes = np.zeros((len(PLANES), cells, cells), np.float32)
        at = [
            np.clip(coordinate * cells / extent, 0, cells - 1).astype(np.intp)
            for coordinate, extent in zip((units.y, units.x), map_size[::-1])
        ]
        what = (np.ones(len(units), np.float32), (units.health + units.shield) / 100, units.is_flying)
        for side, alliance in enumerate((1, 4, 3)):
            is_its = units.alliance == alliance
            for number, values in enumerate(what):
                np.add.at(planes[side * 3 + number], (at[0][is_its], at[1][is_its]), values[is_its])
        return {"planes": planes, "player": _player_array(frame)}


class PaddedColumns:
    """With `observation="columns"`, the columns of `frame.units` except tags, with their names and types. Each
    column has a value for each row of `Slots`. `mask`: which rows have a unit. `player`: the numbers in PLAYER."""

    _fields = [field for field in UNIT_FIELDS.values() if not field.name.endswith("tag")]

    def space(self, slots: Slots) -> spaces.Dict:
        made: dict[str, Any] = {"mask": spaces.MultiBinary(slots.count), "player": _box(len(PLAYER))}
        for field in self._fields:
            shape = (slots.count, field.width) if field.width > 1 else (slots.count,)
            dtype = np.uint8 if field.dtype == bool else field.dtype.type
            low, high = (-np.inf, np.inf) if dtype == np.float32 else (np.iinfo(dtype).min, np.iinfo(dtype).max)
            made[field.name] = _box(*shape, low=low, high=high, dtype=dtype)
        return spaces.Dict(made)

    def of(self, frame: Frame, slots: Slots, map_size: tuple[int, int]) -> dict[str, Any]:
        """See `UnitTable.of`."""
        found = {field.name: slots.column(frame.units, field.name) for field in self._fields}
        columns = {name: column.astype(np.uint8) if column.dtype == bool else column for name, column in found.items()}
        return {**columns, "mask": slots.filled.astype(np.int8), "player": _player_array(frame)}


OBSERVATIONS: dict[str, Any] = {"units": UnitTable, "planes": Planes, "columns": PaddedColumns}
"""The accepted values of `observation` in `MatchEnv`."""
