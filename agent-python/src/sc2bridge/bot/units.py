"""Tables of units with python-sc2's filters. The properties of python-sc2's `Unit` are columns.

    marines = bot.units("MARINE").ready.idle
    near = bot.enemy_units.closer_than(10, bot.start_location)
    bot.attack(marines, near.closest_to(marines.center))

A filter returns a smaller table. Columns are numpy arrays: `near[near.can_attack_air & (near.health < 50)]`.
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
    """Units of one frame. If the table is empty, methods that return one unit or one distance raise ValueError."""

    def __init__(self, source: Source, data: GameData, whole_table: Optional[Units] = None) -> None:
        """data: the match's unit types. whole_table: all units of the frame; None if this table has all of them."""
        super().__init__(source)
        self.data = data
        self.whole_table = whole_table or self

    @classmethod
    def of_frame(cls, table: plain.Units, data: GameData) -> Units:
        """Converts a frame's plain table of all units."""
        made = cls(table.source, data)
        made._columns_message, made.match_types = table._columns_message, data.match.unit_types
        return made

    @property
    def rows(self) -> npt.NDArray[np.intp]:
        """For each unit, its row in `whole_table`."""
        rows: npt.NDArray[np.intp] = self.source.rows if isinstance(self.source, Rows) else np.arange(len(self))
        return rows

    def __call__(self, types: TypesLike) -> Units:
        """Same as `of_type`."""
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
                raise IndexError(
                    f"a mask of shape {which.shape} for {len(self)} units: use a mask with one value for each unit"
                )
            which = which.nonzero()[0]
        return self._pick(np.atleast_1d(self.rows[which]))

    def _pick(self, rows: npt.NDArray[np.intp]) -> Units:
        return Units(Rows(self.whole_table, rows), self.data, self.whole_table)

    def __or__(self, other: Units) -> Units:
        """This table's units, then units that only the other table has. Raises ValueError for tables of two frames."""
        return self._pick(np.concatenate([self.rows, self._checked_rows(other)[~np.isin(other.rows, self.rows)]]))

    __add__ = __or__

    def __and__(self, other: Units) -> Units:
        """Units in both tables, in the other table's order."""
        return self._pick(self._checked_rows(other)[np.isin(other.rows, self.rows)])

    def __sub__(self, other: Units) -> Units:
        """Units of this table that are not in the other table."""
        return self._select(~np.isin(self.rows, self._checked_rows(other)))

    def _checked_rows(self, other: Units) -> npt.NDArray[np.intp]:
        if other.whole_table is not self.whole_table:
            raise ValueError("units of two frames: keep tags, and find them in the newer frame by `tags_in`")
        return other.rows

    def __reduce__(self) -> Any:
        _, *rest = super().__reduce__()
        return plain.Units, *rest  # A pickle has no data of the unit types.

    @property
    def amount(self) -> int:
        return len(self)

    @property
    def empty(self) -> bool:
        return not len(self)

    @property
    def exists(self) -> bool:
        return bool(len(self))

    @property
    def first(self) -> Unit:
        """The first unit."""
        return self._require_units()[0]

    @property
    def random(self) -> Unit:
        """A random unit, chosen by Python's `random`."""
        return self._require_units()[random.randrange(len(self))]

    def random_or(self, other: _T) -> Union[Unit, _T]:
        """A random unit, or `other` if the table is empty."""
        return self.random if len(self) else other

    def take(self, n: int) -> Units:
        """The first n units."""
        return self[:n]

    def find_by_tag(self, tag: int) -> Optional[Unit]:
        """The unit with a tag; None if the table does not have it."""
        found = np.flatnonzero(self.tag == np.uint64(tag))
        return self[int(found[0])] if len(found) else None

    def by_tag(self, tag: int) -> Unit:
        """The unit with a tag. Raises KeyError if the table does not have it."""
        found = self.find_by_tag(tag)
        if found is None:
            raise KeyError(f"none of {len(self)} units has the tag {tag}: find_by_tag returns None instead")
        return found

    @property
    def tags(self) -> set[int]:
        """All tags."""
        return set(self.tag.tolist())

    def tags_in(self, tags: Iterable[int]) -> Units:
        """Units whose tag is in `tags`."""
        return self._select(self._is_tagged(tags))

    def tags_not_in(self, tags: Iterable[int]) -> Units:
        """Units whose tag is not in `tags`."""
        return self._select(~self._is_tagged(tags))

    def _is_tagged(self, tags: Iterable[int]) -> npt.NDArray[np.bool_]:
        return np.isin(self.tag, np.fromiter(tags, np.uint64))

    # Distances: in cells, from middle to middle.

    def distances_to(self, position: PointLike) -> npt.NDArray[np.float64]:
        """The distance of each unit to a unit or a place."""
        return np.sqrt(self._squared_distances(position))

    def _squared_distances(self, position: PointLike) -> npt.NDArray[np.float64]:
        x, y = Point2.of(position)
        at = self.position
        return (at[:, 0] - x) ** 2 + (at[:, 1] - y) ** 2

    def _squared_distances_to_nearest(self, others: Units) -> npt.NDArray[np.float64]:
        """For each unit, the squared distance to the nearest of `others`. Raises ValueError if `others` is empty."""
        offsets = self.position[:, None] - others._require_units().position[None]
        return (offsets**2).sum(axis=2).min(axis=1)  # type: ignore[no-any-return]

    def _require_units(self) -> Units:
        """Returns this table. Raises ValueError if it is empty."""
        if not len(self):
            raise ValueError("the table of units is empty: check `exists` first")
        return self

    def closest_distance_to(self, position: PointLike) -> float:
        """The distance from a unit or a place to the nearest unit of this table."""
        return float(self._require_units().distances_to(position).min())

    def furthest_distance_to(self, position: PointLike) -> float:
        """The distance from a unit or a place to the farthest unit of this table."""
        return float(self._require_units().distances_to(position).max())

    def closest_to(self, position: PointLike) -> Unit:
        """The unit nearest to a unit or a place."""
        return self[int(self._require_units()._squared_distances(position).argmin())]

    def furthest_to(self, position: PointLike) -> Unit:
        """The unit farthest from a unit or a place."""
        return self[int(self._require_units()._squared_distances(position).argmax())]

    def closer_than(self, distance: float, position: PointLike) -> Units:
        """Units whose distance to a unit or a place is smaller than `distance`."""
        return self._select(self._squared_distances(position) < distance**2)

    def further_than(self, distance: float, position: PointLike) -> Units:
        """Units whose distance to a unit or a place is larger than `distance`."""
        return self._select(self._squared_distances(position) > distance**2)

    def in_distance_between(self, position: PointLike, distance1: float, distance2: float) -> Units:
        """Units whose distance to a unit or a place is larger than distance1 and smaller than distance2."""
        squared = self._squared_distances(position)
        return self._select((squared > distance1**2) & (squared < distance2**2))

    def sorted_by_distance_to(self, position: PointLike, reverse: bool = False) -> Units:
        """All units, sorted by their distance to a unit or a place. reverse: the farthest first."""
        squared = self._squared_distances(position)
        return self._select(np.argsort(-squared if reverse else squared, kind="stable"))

    def closest_n_units(self, position: PointLike, n: int) -> Units:
        """The n units nearest to a unit or a place, the nearest first."""
        return self.sorted_by_distance_to(position)[:n]

    def furthest_n_units(self, position: PointLike, n: int) -> Units:
        """The n units farthest from a unit or a place, the farthest last."""
        return self.sorted_by_distance_to(position)[max(0, len(self) - n) :]

    def in_distance_of_group(self, others: Units, distance: float) -> Units:
        """Units that are nearer than `distance` to at least one unit of `others`."""
        return self._select(self._squared_distances_to_nearest(others) < distance**2)

    def in_closest_distance_to_group(self, others: Units) -> Unit:
        """The unit with the smallest distance to any unit of `others`."""
        return self[int(self._require_units()._squared_distances_to_nearest(others).argmin())]

    def in_attack_range_of(self, unit: Unit, bonus_distance: float = 0) -> Units:
        """Units that `unit` can shoot at without moving. Ranges are edge to edge. bonus_distance: additional cells."""
        ground = ~self.is_flying & unit.can_attack_ground
        air = (self.is_flying | self.is_colossus) & unit.can_attack_air
        reach = np.where(ground, unit.ground_range, unit.air_range) + unit.radius + self.radius + bonus_distance
        return self._select((ground | air) & (self._squared_distances(unit) <= reach**2))

    def filter(self, pred: Union[npt.NDArray[np.bool_], Callable[[Unit], Any]]) -> Units:
        """Units for which `pred` is true. pred: a mask, or a function of a unit. A mask is faster."""
        if callable(pred):
            pred = np.fromiter((bool(pred(unit)) for unit in self), bool, len(self))
        return self._select(pred)

    def sorted(self, key: Callable[[Unit], Any], reverse: bool = False) -> Units:
        """All units, sorted by a key function."""
        keys = [key(unit) for unit in self]
        return self._select(np.array(sorted(range(len(self)), key=keys.__getitem__, reverse=reverse), np.intp))

    def of_type(self, *types: TypesLike) -> Units:
        """Units of these types. types: numbers, names, or collections of both. Raises KeyError for an unknown name."""
        return self._of_type_ids(self.data.ids(*types))

    def _of_type_ids(self, ids: Iterable[int]) -> Units:
        return self._select(np.isin(self.unit_type, list(ids)))

    def exclude_type(self, *types: TypesLike) -> Units:
        """Units of all types except these."""
        return self._select(~np.isin(self.unit_type, list(self.data.ids(*types))))

    def same_tech(self, *types: TypesLike) -> Units:
        """Units of these types, or of types with the same tech: a lair counts as a hatchery."""
        ids = self.data.ids(*types)
        aliases = (alias for row in self.data.match.data.units if row.unit_id in ids for alias in row.tech_alias)
        return self._of_type_ids(self.data.with_aliases({*ids, *aliases}))

    def same_unit(self, *types: TypesLike) -> Units:
        """Units of these types in any mode: a burrowed roach counts as a roach."""
        ids = self.data.ids(*types)
        aliases = (row.unit_alias for row in self.data.match.data.units if row.unit_id in ids and row.unit_alias)
        return self._of_type_ids(self.data.with_aliases({*ids, *aliases}, "unit_alias"))

    @property
    def center(self) -> Point2:
        """The mean of the units' positions."""
        x, y = self._require_units().position.mean(axis=0).tolist()
        return Point2(x, y)

    @property
    def selected(self) -> Units:
        """Units that the player has selected."""
        return self._select(self.is_selected)

    @property
    def ready(self) -> Units:
        """Units that are complete."""
        return self._select(self.is_ready)

    @property
    def not_ready(self) -> Units:
        """Units in construction or warping in."""
        return self._select(~self.is_ready)

    @property
    def idle(self) -> Units:
        """Units without orders. The game shows the orders of own units only, so other units count as idle."""
        return self._select(self.is_idle)

    @property
    def prefer_idle(self) -> Units:
        """All units; idle units come first."""
        return self._select(np.argsort(~self.is_idle, kind="stable"))

    @property
    def flying(self) -> Units:
        """Units in the air."""
        return self._select(self.is_flying)

    @property
    def not_flying(self) -> Units:
        """Units on the ground."""
        return self._select(~self.is_flying)

    @property
    def structure(self) -> Units:
        """Buildings."""
        return self._select(self.is_structure)

    @property
    def not_structure(self) -> Units:
        """Units that are not buildings."""
        return self._select(~self.is_structure)

    @property
    def gathering(self) -> Units:
        """Workers on their way to a mineral field or a geyser."""
        return self._select(self.is_gathering)

    @property
    def returning(self) -> Units:
        """Workers that return with a load."""
        return self._select(self.is_returning)

    @property
    def collecting(self) -> Units:
        """Workers that gather or return."""
        return self._select(self.is_collecting)

    @property
    def visible(self) -> Units:
        """Units in sight."""
        return self._select(self.is_visible)

    @property
    def mineral_field(self) -> Units:
        """Mineral fields."""
        return self._select(self.is_mineral_field)

    @property
    def vespene_geyser(self) -> Units:
        """Geysers, and buildings on geysers."""
        return self._select(self.is_vespene_geyser)
