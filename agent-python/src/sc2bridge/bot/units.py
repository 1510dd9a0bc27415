"""Units by python-sc2's names: its filters, and the properties of its `Unit` as columns.

    marines = bot.units("MARINE").ready.idle
    near = bot.enemy_units.closer_than(10, bot.start_location)
    bot.attack(marines, near.closest_to(marines.center))

A filter gives a smaller table, whose columns are numpy arrays: `near[near.can_attack_air & (near.health < 50)]`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from sc2bridge import units as plain
from sc2bridge.bot.columns import UnitColumns
from sc2bridge.bot.game_data import GameData, TypesLike
from sc2bridge.bot.point import Point2
from sc2bridge.bot.unit import Unit
from sc2bridge.game.places import PointLike
from sc2bridge.units.tables import Rows, Source

_T = TypeVar("_T")


class Units(UnitColumns):
    """A table of units of one frame. Raises ValueError where one is asked for of a table that is empty."""

    def __init__(self, source: Source, data: GameData, frame: Optional[Units] = None) -> None:
        """data: of the match. frame: the table of all units of the frame, of which source has rows; None for that table itself."""
        super().__init__(source)
        self.data = data
        self.frame = frame or self

    @classmethod
    def of_frame(cls, table: plain.Units, data: GameData) -> Units:
        """The table of a frame."""
        made = cls(table.source, data)
        made._opened, made.match_types = table._opened, data.match.unit_types
        return made

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """Where the units are in `frame`."""
        rows: npt.NDArray[np.intp] = self.source.rows if isinstance(self.source, Rows) else np.arange(len(self))
        return rows

    # Selecting.

    def __call__(self, types: TypesLike) -> Units:
        """As `of_type`."""
        return self.of_type(types)

    def __iter__(self) -> Iterator[Unit]:
        return (Unit(self, row) for row in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> Unit:  # type: ignore[misc]
        ...

    @overload
    def __getitem__(self, which: Any) -> Units:
        ...

    def __getitem__(self, which: Any) -> Union[Unit, Units]:
        found: Any = super().__getitem__(which)
        return Unit(self, found.row) if isinstance(found, plain.Unit) else found

    def _select(self, which: Any) -> Units:
        if isinstance(which, np.ndarray) and which.dtype == bool:
            if which.shape != (len(self),):
                raise IndexError(f"a mask of shape {which.shape} for {len(self)} units")
            which = which.nonzero()[0]
        return self._at(np.atleast_1d(self.rows[which]))

    def _at(self, rows: npt.NDArray[np.intp]) -> Units:
        return Units(Rows(self.frame, rows), self.data, self.frame)

    def __or__(self, other: Units) -> Units:
        """Those of both, its own first. Raises ValueError where the other is of another frame."""
        return self._at(np.concatenate([self.rows, self._others(other)[~np.isin(other.rows, self.rows)]]))

    __add__ = __or__

    def __and__(self, other: Units) -> Units:
        """The other's that are its own too."""
        return self._at(self._others(other)[np.isin(other.rows, self.rows)])

    def __sub__(self, other: Units) -> Units:
        """Its own that are not the other's."""
        return self._select(~np.isin(self.rows, self._others(other)))

    def _others(self, other: Units) -> npt.NDArray[np.intp]:
        if other.frame is not self.frame:
            raise ValueError("units of two frames: keep tags, and find them in the newer frame by `tags_in`")
        return other.rows

    def __reduce__(self) -> Any:
        _, *rest = super().__reduce__()
        return plain.Units, *rest  # Of what it knows of types a pickle keeps nothing.

    # Amounts and single ones.

    @property
    def amount(self) -> int:
        """How many there are."""
        return len(self)

    @property
    def empty(self) -> bool:
        """Whether there are none."""
        return not len(self)

    @property
    def exists(self) -> bool:
        """Whether there are some."""
        return bool(len(self))

    @property
    def first(self) -> Unit:
        """The first in the game's order."""
        return self[self._one(0)]

    @property
    def random(self) -> Unit:
        """Any of them, by Python's `random`."""
        return self[self._one(random.randrange(max(len(self), 1)))]

    def random_or(self, other: _T) -> Union[Unit, _T]:
        """Any of them; the other where there are none."""
        return self.random if len(self) else other

    def take(self, n: int) -> Units:
        """The first so many."""
        return self[:n]

    def find_by_tag(self, tag: int) -> Optional[Unit]:
        """The one with a tag; None where it is not among them."""
        found = np.flatnonzero(self.tag == np.uint64(tag))
        return self[int(found[0])] if len(found) else None

    def by_tag(self, tag: int) -> Unit:
        """The one with a tag. Raises KeyError where it is not among them."""
        found = self.find_by_tag(tag)
        if found is None:
            raise KeyError(f"none of {len(self)} units has the tag {tag}")
        return found

    @property
    def tags(self) -> set[int]:
        """All tags."""
        return set(self.tag.tolist())

    def tags_in(self, tags: Iterable[int]) -> Units:
        """Those with one of some tags."""
        return self._select(self._tagged(tags))

    def tags_not_in(self, tags: Iterable[int]) -> Units:
        """Those with none of some tags."""
        return self._select(~self._tagged(tags))

    def _tagged(self, tags: Iterable[int]) -> npt.NDArray[np.bool_]:
        return np.isin(self.tag, np.fromiter(tags, np.uint64))

    # Distances, in cells from middle to middle.

    def distances_to(self, position: PointLike) -> npt.NDArray[np.float64]:
        """Of each to a unit or a place."""
        return np.sqrt(self._squared(position))

    def _squared(self, position: PointLike) -> npt.NDArray[np.float64]:
        x, y = Point2.of(position)
        at = self.position
        return (at[:, 0] - x) ** 2 + (at[:, 1] - y) ** 2

    def _between(self, others: Units) -> npt.NDArray[np.float64]:
        """Of each the squared distance to the nearest of others. Raises ValueError where there are none."""
        others._one(0)
        apart = self.position[:, None] - others.position[None]
        return (apart**2).sum(axis=2).min(axis=1)  # type: ignore[no-any-return]

    def _one(self, row: int) -> int:
        if not len(self):
            raise ValueError("there are no units to choose from: ask `exists` first")
        return row

    def closest_distance_to(self, position: PointLike) -> float:
        """Of the nearest."""
        return float(self.distances_to(position)[self._one(0) :].min())

    def furthest_distance_to(self, position: PointLike) -> float:
        """Of the farthest."""
        return float(self.distances_to(position)[self._one(0) :].max())

    def closest_to(self, position: PointLike) -> Unit:
        """The nearest to a unit or a place."""
        return self[int(self._squared(position)[self._one(0) :].argmin())]

    def furthest_to(self, position: PointLike) -> Unit:
        """The farthest from a unit or a place."""
        return self[int(self._squared(position)[self._one(0) :].argmax())]

    def closer_than(self, distance: float, position: PointLike) -> Units:
        """Those nearer than a distance."""
        return self._select(self._squared(position) < distance**2)

    def further_than(self, distance: float, position: PointLike) -> Units:
        """Those farther than a distance."""
        return self._select(self._squared(position) > distance**2)

    def in_distance_between(self, position: PointLike, distance1: float, distance2: float) -> Units:
        """Those farther than the first and nearer than the second."""
        squared = self._squared(position)
        return self._select((squared > distance1**2) & (squared < distance2**2))

    def sorted_by_distance_to(self, position: PointLike, reverse: bool = False) -> Units:
        """All, the nearest first; with reverse the farthest."""
        squared = self._squared(position)
        return self._select(np.argsort(-squared if reverse else squared, kind="stable"))

    def closest_n_units(self, position: PointLike, n: int) -> Units:
        """The nearest so many, the nearest first."""
        return self.sorted_by_distance_to(position)[:n]

    def furthest_n_units(self, position: PointLike, n: int) -> Units:
        """The farthest so many, the farthest last."""
        return self.sorted_by_distance_to(position)[max(0, len(self) - n) :]

    def in_distance_of_group(self, others: Units, distance: float) -> Units:
        """Those nearer than a distance to any of others."""
        return self._select(self._between(others) < distance**2)

    def in_closest_distance_to_group(self, others: Units) -> Unit:
        """The one that is nearest to any of others."""
        return self[int(self._between(others)[self._one(0) :].argmin())]

    def in_attack_range_of(self, unit: Unit, bonus_distance: float = 0) -> Units:
        """Those that a unit can shoot at from where it stands: its weapon's range, between the edges. bonus_distance: cells more."""
        ground, air = (
            ~self.is_flying & unit.can_attack_ground,
            (self.is_flying | self.is_colossus) & unit.can_attack_air,
        )
        reach = np.where(ground, unit.ground_range, unit.air_range) + unit.radius + self.radius + bonus_distance
        return self._select((ground | air) & (self._squared(unit) <= reach**2))

    # By what they are.

    def filter(self, pred: Union[npt.NDArray[np.bool_], Callable[[Unit], Any]]) -> Units:
        """Those for which a mask is set, or a function says so: a mask is the faster one."""
        if callable(pred):
            pred = np.fromiter((bool(pred(unit)) for unit in self), bool, len(self))
        return self._select(pred)

    def sorted(self, key: Callable[[Unit], Any], reverse: bool = False) -> Units:
        """By a key of each unit."""
        keys = [key(unit) for unit in self]
        return self._select(np.array(sorted(range(len(self)), key=keys.__getitem__, reverse=reverse), np.intp))

    def of_type(self, *types: TypesLike) -> Units:
        """Those of some types, by numbers, names or collections of them. Raises KeyError for a name that there is not."""
        return self._of_any(self.data.ids(*types))

    def _of_any(self, ids: Iterable[int]) -> Units:
        return self._select(np.isin(self.unit_type, list(ids)))

    def exclude_type(self, *types: TypesLike) -> Units:
        """All others."""
        return self._select(~np.isin(self.unit_type, list(self.data.ids(*types))))

    def same_tech(self, *types: TypesLike) -> Units:
        """Those of some types, and what counts as one of them: a lair as a hatchery."""
        ids = self.data.ids(*types)
        own = (alias for row in self.data.match.data.units if row.unit_id in ids for alias in row.tech_alias)
        return self._of_any(self.data.aliases({*ids, *own}))

    def same_unit(self, *types: TypesLike) -> Units:
        """Those of some types in any mode: a burrowed roach as a roach."""
        ids = self.data.ids(*types)
        own = (row.unit_alias for row in self.data.match.data.units if row.unit_id in ids and row.unit_alias)
        return self._of_any(self.data.aliases({*ids, *own}, "unit_alias"))

    @property
    def center(self) -> Point2:
        """The mean of their places."""
        x, y = self.position[self._one(0) :].mean(axis=0).tolist()
        return Point2(x, y)

    @property
    def selected(self) -> Units:
        """Those that the player has selected."""
        return self._select(self.is_selected)

    @property
    def ready(self) -> Units:
        """Those that are complete."""
        return self._select(self.is_ready)

    @property
    def not_ready(self) -> Units:
        """Those that are being built or warped in."""
        return self._select(~self.is_ready)

    @property
    def idle(self) -> Units:
        """Those without orders; the game shows orders of own units only."""
        return self._select(self.is_idle)

    @property
    def prefer_idle(self) -> Units:
        """All, those without orders first."""
        return self._select(np.argsort(~self.is_idle, kind="stable"))

    @property
    def flying(self) -> Units:
        """Those in the air."""
        return self._select(self.is_flying)

    @property
    def not_flying(self) -> Units:
        """Those on the ground."""
        return self._select(~self.is_flying)

    @property
    def structure(self) -> Units:
        """Buildings."""
        return self._select(self.is_structure)

    @property
    def not_structure(self) -> Units:
        """All but buildings."""
        return self._select(~self.is_structure)

    @property
    def gathering(self) -> Units:
        """Workers on their way to a mineral field or a geyser."""
        return self._select(self.is_gathering)

    @property
    def returning(self) -> Units:
        """Workers on their way back."""
        return self._select(self.is_returning)

    @property
    def collecting(self) -> Units:
        """Workers that gather or return."""
        return self._select(self.is_collecting)

    @property
    def visible(self) -> Units:
        """Those in sight."""
        return self._select(self.is_visible)

    @property
    def mineral_field(self) -> Units:
        """Mineral fields."""
        return self._select(self.is_mineral_field)

    @property
    def vespene_geyser(self) -> Units:
        """Geysers, and buildings on them."""
        return self._select(self.is_vespene_geyser)
