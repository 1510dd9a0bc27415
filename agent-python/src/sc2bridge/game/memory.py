"""The last known values of all units that the frames of a match showed, as numpy columns sorted by tag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from sc2bridge.units.columns import UNIT_FIELDS

OWN, CREATED, STARTED, FINISHED, SEEN, DEAD = (1 << bit for bit in range(6))
"""Flags of a unit. OWN: it was an own unit when last seen. DEAD: it is dead. Other flags: this event was reported."""

_T = TypeVar("_T")


class Memory:
    """A table with a row for each tag. It never removes a row, because a match never uses a tag for two units."""

    columns = ("unit_type", "alliance", "owner", "pos", "health", "health_max", "shield", "build_progress")
    """The columns. Their values are from the last frame that contained the unit."""

    def __init__(self) -> None:
        self._tags = np.empty(0, "u8")
        self._values = {name: np.empty(UNIT_FIELDS[name].shape(0), UNIT_FIELDS[name].dtype) for name in self.columns}
        self.flags = np.empty(0, "u1")
        self._in_frame = np.empty(0, bool)
        # The game loop since which a unit may be dead; -1 if it is known to be alive or dead.
        self._doubtful_since = np.empty(0, "i8")

    def find_or_add(self, tags: Any) -> tuple[Any, Any]:
        """Returns the rows of a frame's units, and a mask of the known units. Adds a row of zeros for each new unit."""
        at, known = self._rows_of(tags)
        if not known.all():
            new = np.unique(tags[~known])
            order = np.argsort(np.concatenate([self._tags, new]), kind="stable")

            def with_new_rows(column: Any, filling: int = 0) -> Any:
                more = np.full((len(new), *column.shape[1:]), filling, column.dtype)
                return np.concatenate([column, more])[order]

            self._values = {name: with_new_rows(column) for name, column in self._values.items()}
            self.flags, self._doubtful_since = with_new_rows(self.flags), with_new_rows(self._doubtful_since, -1)
            self._tags = np.concatenate([self._tags, new])[order]
            at = np.searchsorted(self._tags, tags)
        self._in_frame = np.zeros(len(self._tags), bool)
        self._in_frame[at] = True
        return at, known

    def values(self, at: Any, *names: str) -> dict[str, Any]:
        return {name: self._values[name][at] for name in names}

    def store(self, at: Any, values: dict[str, Any], flags: Any) -> None:
        for name, column in self._values.items():
            column[at] = values[name]
        self.flags[at] = flags

    def mark_dead(self, tags: set[int]) -> Any:
        """Marks units as dead if they are known, alive and not in the newest frame. Returns the rows of these units."""
        if not tags:
            return np.empty(0, np.intp)
        at, known = self._rows_of(np.array(sorted(tags), "u8"))
        return self._mark_dead(at[known])

    @property
    def has_doubtful(self) -> bool:
        """Whether any unit is marked as possibly dead."""
        return bool((self._doubtful_since >= 0).any())

    def mark_doubtful(self, loop: int) -> None:
        """Marks own live units as possibly dead if the newest frame lacks them: they may have died in a lost frame."""
        missing = (self.flags & (OWN | DEAD) == OWN) & ~self._in_frame & (self._doubtful_since < 0)
        self._doubtful_since[missing] = loop

    def clear_doubtful(self, passenger_tags: Any) -> None:
        """Removes the mark 'possibly dead' from units of the newest frame and from their passengers."""
        self._doubtful_since[self._in_frame] = -1
        at, known = self._rows_of(passenger_tags)
        self._doubtful_since[at[known]] = -1

    def mark_doubtful_dead(self, loop: int) -> Any:
        """Marks units as dead if they are possibly dead since the game loop `loop` or earlier. Returns their rows."""
        return self._mark_dead(np.flatnonzero((self._doubtful_since >= 0) & (self._doubtful_since <= loop)))

    def last_seen(self, rows: Any, make: Callable[..., _T], presumed: bool) -> list[_T]:
        values = self._values
        names = ("unit_type", "alliance", "owner", "pos", "health", "shield")
        columns = [self._tags[rows].tolist(), *(values[name][rows].tolist() for name in names)]
        return [
            make(tag, kind, alliance, owner, tuple(pos), health, shield, presumed)
            for tag, kind, alliance, owner, pos, health, shield in zip(*columns)
        ]

    def _mark_dead(self, at: Any) -> Any:
        at = at[~self._in_frame[at] & (self.flags[at] & DEAD == 0)]
        self.flags[at] |= DEAD
        self._doubtful_since[at] = -1
        return at

    def _rows_of(self, tags: Any) -> tuple[Any, Any]:
        """The row of each tag, and whether the tag is known. The row of an unknown tag is meaningless."""
        if not len(self._tags):
            return np.zeros(len(tags), np.intp), np.zeros(len(tags), bool)
        at = np.minimum(np.searchsorted(self._tags, tags), len(self._tags) - 1)
        return at, self._tags[at] == tags
