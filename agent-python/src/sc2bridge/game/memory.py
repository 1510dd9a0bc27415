"""What is known of every unit that was ever seen, as numpy columns in the order of the tags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from sc2bridge.units.columns import UNIT_FIELDS

OWN, CREATED, STARTED, FINISHED, SEEN, DEAD = (1 << bit for bit in range(6))
"""Flags of a unit: own when last seen; which of its events were reported; dead."""

_T = TypeVar("_T")


class Memory:
    """A row for each tag. Rows are never removed: a tag is not used again in a match."""

    columns = ("unit_type", "alliance", "owner", "pos", "health", "health_max", "shield", "build_progress")
    """Columns stored from the last frame that had the unit."""

    def __init__(self) -> None:
        self._tags = np.empty(0, "u8")
        self._values = {name: np.empty(UNIT_FIELDS[name].shape(0), UNIT_FIELDS[name].dtype) for name in self.columns}
        self.flags = np.empty(0, "u1")
        self._there = np.empty(0, bool)
        self._doubted = np.empty(0, "i8")  # The game loop since when it is doubted; -1 where it is not.

    def find(self, tags: Any) -> tuple[Any, Any]:
        """The rows of the units that are there now, and which of them were known; the others get rows of zeros."""
        at, known = self._search(tags)
        if not known.all():
            new = np.unique(tags[~known])
            order = np.argsort(np.concatenate([self._tags, new]), kind="stable")

            def grown(column: Any, filling: int = 0) -> Any:
                more = np.full((len(new), *column.shape[1:]), filling, column.dtype)
                return np.concatenate([column, more])[order]

            self._values = {name: grown(column) for name, column in self._values.items()}
            self.flags, self._doubted = grown(self.flags), grown(self._doubted, -1)
            self._tags = np.concatenate([self._tags, new])[order]
            at = np.searchsorted(self._tags, tags)
        self._there = np.zeros(len(self._tags), bool)
        self._there[at] = True
        return at, known

    def values(self, at: Any, *names: str) -> dict[str, Any]:
        """Stored columns of some rows."""
        return {name: self._values[name][at] for name in names}

    def keep(self, at: Any, values: dict[str, Any], flags: Any) -> None:
        """Stores the current values and flags of rows."""
        for name, column in self._values.items():
            column[at] = values[name]
        self.flags[at] = flags

    def bury(self, tags: set[int]) -> Any:
        """Marks as dead those of some tags that are known, alive and not in the frame; returns their rows."""
        if not tags:
            return np.empty(0, np.intp)
        at, known = self._search(np.array(sorted(tags), "u8"))
        return self._bury(at[known])

    @property
    def doubts(self) -> bool:
        """Whether any unit is doubted."""
        return bool((self._doubted >= 0).any())

    def doubt(self, loop: int) -> None:
        """Doubts own units that are alive and not in the frame: they may have died in a lost frame."""
        missing = (self.flags & (OWN | DEAD) == OWN) & ~self._there & (self._doubted < 0)
        self._doubted[missing] = loop

    def trust(self, tags: Any) -> None:
        """Ends the doubt about units in the frame, and about some others: passengers are in no table."""
        self._doubted[self._there] = -1
        at, known = self._search(tags)
        self._doubted[at[known]] = -1

    def bury_doubtful(self, loop: int) -> Any:
        """Marks as dead the units that have been doubted since a loop, or longer; returns their rows."""
        return self._bury(np.flatnonzero((self._doubted >= 0) & (self._doubted <= loop)))

    def last_seen(self, rows: Any, make: Callable[..., _T], presumed: bool) -> list[_T]:
        """A LastSeen for each row."""
        values = self._values
        names = ("unit_type", "alliance", "owner", "pos", "health", "shield")
        columns = [self._tags[rows].tolist(), *(values[name][rows].tolist() for name in names)]
        return [
            make(tag, kind, alliance, owner, tuple(pos), health, shield, presumed)
            for tag, kind, alliance, owner, pos, health, shield in zip(*columns)
        ]

    def _bury(self, at: Any) -> Any:
        at = at[~self._there[at] & (self.flags[at] & DEAD == 0)]
        self.flags[at] |= DEAD
        self._doubted[at] = -1
        return at

    def _search(self, tags: Any) -> tuple[Any, Any]:
        """Where tags are or would be, and whether they are known."""
        if not len(self._tags):
            return np.zeros(len(tags), np.intp), np.zeros(len(tags), bool)
        at = np.minimum(np.searchsorted(self._tags, tags), len(self._tags) - 1)
        return at, self._tags[at] == tags
