"""Assigns a changing number of units to the rows of arrays of a fixed size."""

from __future__ import annotations

from typing import Any

import numpy as np

from sc2bridge.units import Units

_OWN, _NEUTRAL, _ENEMY = 1, 3, 4


class Slots:
    """The rows of arrays, one for each unit: first own units, then enemies, then neutral units.

    A unit keeps its row as long as the frames show the unit. If it returns later, it gets the same row, unless another
    unit has this row. If there are more units than rows, some units have no row.
    """

    def __init__(self, own: int, enemies: int, neutral: int) -> None:
        self.own, self.enemies, self.neutral = slice(0, own), slice(own, own + enemies), slice(own + enemies, None)
        self.count = own + enemies + neutral
        self.clear()

    def clear(self) -> None:
        """Removes all units, for a new match."""
        self.tags = np.zeros(self.count, np.uint64)
        """The tag of each row's newest unit; 0 if the row never had a unit."""
        self.unit_rows = np.full(self.count, -1, np.intp)
        """For each row, the index of its unit in the newest table of units; -1 if this table lacks the unit."""
        self._last_tags_and_alliances = b""

    @property
    def filled(self) -> Any:
        """A mask of the rows that have a unit now."""
        return self.unit_rows >= 0

    def assign(self, units: Units) -> None:
        """Assigns the units of a new table to rows."""
        tags_and_alliances = units.tag.tobytes() + units.alliance.tobytes()
        if tags_and_alliances == self._last_tags_and_alliances:
            return  # The same units as before, as in most steps.
        self._last_tags_and_alliances = tags_and_alliances
        self.unit_rows[:] = -1
        for part, alliance in ((self.own, _OWN), (self.enemies, _ENEMY), (self.neutral, _NEUTRAL)):
            there = np.flatnonzero(units.alliance == alliance)
            if not len(there):
                continue
            tags, row_tags, rows = units.tag[there], self.tags[part], self.unit_rows[part]
            order = np.argsort(tags)
            at = order[np.minimum(np.searchsorted(tags, row_tags, sorter=order), len(order) - 1)]
            known = tags[at] == row_tags
            rows[known] = there[at[known]]
            if np.count_nonzero(known) < len(tags):
                # New units first get rows that never had a unit.
                free = np.flatnonzero(~known)
                free = free[np.argsort(row_tags[free] != 0, kind="stable")]
                new = np.delete(np.arange(len(tags)), at[known])[: len(free)]
                row_tags[free[: len(new)]], rows[free[: len(new)]] = tags[new], there[new]

    def column(self, units: Units, name: str) -> Any:
        """A column of the newest table `units`, in the order of the rows. A row without a unit has 0."""
        values = getattr(units, name)
        padded = np.zeros((len(values) + 1, *values.shape[1:]), values.dtype)
        padded[:-1] = values
        return padded[self.unit_rows]  # For a row without a unit, the index -1 selects the zeros at the end.
