"""Rows of fixed-size arrays for units that come and go."""

from __future__ import annotations

from typing import Any

import numpy as np

from sc2bridge.units import Units

_OWN, _NEUTRAL, _ENEMY = 1, 3, 4


class Slots:
    """A row for each unit: first the own ones', then the enemies', then the neutral ones'.

    A unit has its row as long as it is seen, and gets it back where no other took it meanwhile. Units beyond the number of rows
    are left out.
    """

    def __init__(self, own: int, enemies: int, neutral: int) -> None:
        self.own, self.enemies, self.neutral = slice(0, own), slice(own, own + enemies), slice(own + enemies, None)
        self.count = own + enemies + neutral
        self.clear()

    def clear(self) -> None:
        """A match begins."""
        self.tags = np.zeros(self.count, np.uint64)
        """The units' tags; 0 where there was none yet."""
        self.rows = np.full(self.count, -1, np.intp)
        """Their rows in the newest table; -1 where they are not in it."""
        self._placed = b""

    @property
    def filled(self) -> Any:
        """Which rows have a unit now."""
        return self.rows >= 0

    def place(self, units: Units) -> None:
        """A new table."""
        placed = units.tag.tobytes() + units.alliance.tobytes()
        if placed == self._placed:
            return  # As in most steps, nobody came or went.
        self._placed = placed
        self.rows[:] = -1
        for part, alliance in ((self.own, _OWN), (self.enemies, _ENEMY), (self.neutral, _NEUTRAL)):
            there = np.flatnonzero(units.alliance == alliance)
            if not len(there):
                continue
            tags, held, rows = units.tag[there], self.tags[part], self.rows[part]
            order = np.argsort(tags)
            at = order[np.minimum(np.searchsorted(tags, held, sorter=order), len(order) - 1)]
            known = tags[at] == held
            rows[known] = there[at[known]]
            if np.count_nonzero(known) < len(tags):
                # Those that nobody ever had come first.
                free = np.flatnonzero(~known)
                free = free[np.argsort(held[free] != 0, kind="stable")]
                new = np.delete(np.arange(len(tags)), at[known])[: len(free)]
                held[free[: len(new)]], rows[free[: len(new)]] = tags[new], there[new]

    def column(self, units: Units, name: str) -> Any:
        """A column of the placed table; 0 where a row has no unit."""
        values = getattr(units, name)
        padded = np.zeros((len(values) + 1, *values.shape[1:]), values.dtype)
        padded[:-1] = values
        return padded[self.rows]  # A row without a unit is -1: the last.
