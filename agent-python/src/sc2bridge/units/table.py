"""The units of an observation as a table: `frame.units`.

    units = frame.units
    enemies = units.enemies
    near = enemies[((enemies.pos[:, :2] - base) ** 2).sum(axis=1) < 15**2]
    print(near.tag[near.health < 20])

Each column is a read-only numpy array. If you subscribe with `content="columns"`, a column is a view of the message,
and units are not parsed. For a plain observation, the first access creates the column by a loop over the units. Both
kinds of table have the names, types and values of the fields of the game's message `Unit`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from sc2bridge.game import names, python_sc2_hints
from sc2bridge.hints import did_you_mean
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.units import shown
from sc2bridge.units.columns import (
    BUFF_FIELDS,
    ORDER_FIELDS,
    PASSENGER_FIELDS,
    RALLY_TARGET_FIELDS,
    UNIT_FIELDS,
    Bytes,
    Columns,
)
from sc2bridge.units.tables import Column, Field, Lists, Messages, Rows, Source, Stored, Table, read_only
from sc2bridge.units.unit import Unit

if TYPE_CHECKING:
    import pandas

_L = TypeVar("_L", bound=Lists)

_OWN, _ALLY, _NEUTRAL, _ENEMY = 1, 2, 3, 4


class Orders(Lists, fields=ORDER_FIELDS):
    """The orders of units: for each unit its current order, then its queued orders."""

    ability_id = Column(np.uint32, "AbilityData.ability_id")
    target_world_space_pos = Column(np.float32, "cells; `present` shows which orders have a target place", width=3)
    target_unit_tag = Column(np.uint64, "the target's tag, if the target is a unit")
    progress = Column(np.float32, "0 to 1")


class Passengers(Lists, fields=PASSENGER_FIELDS):
    """Units inside other units. They do not have a row in the table of units."""

    tag = Column(np.uint64, "identifies the unit for the whole match")
    unit_type = Column(np.uint32, "UnitTypeData.unit_id")
    health = Column(np.float32, "points")
    health_max = Column(np.float32, "points")
    shield = Column(np.float32, "points")
    shield_max = Column(np.float32, "points")
    energy = Column(np.float32, "points")
    energy_max = Column(np.float32, "points")


class Buffs(Lists, fields=BUFF_FIELDS):
    """The temporary effects on units."""

    buff_id = Column(np.uint32, "BuffData.buff_id")


class RallyTargets(Lists, fields=RALLY_TARGET_FIELDS):
    """The targets to which new units go."""

    point = Column(np.float32, "cells", width=3)
    tag = Column(np.uint64, "the tag of the unit to follow, if the target is a unit")


class Units(Table, fields=UNIT_FIELDS):
    """Units, one per row, in the game's order. `units[mask]` is a smaller table. A slice or an array of row numbers
    also selects a table. `units[3]` is one `Unit`. A loop returns one `Unit` at a time."""

    tag = Column(np.uint64, "identifies the unit for the whole match")
    unit_type = Column(np.uint32, "UnitTypeData.unit_id")
    alliance = Column(np.uint8, "1 own, 2 ally, 3 neutral, 4 enemy (raw_pb2.Alliance)")
    owner = Column(np.int32, "a player id; 16 is neutral")
    display_type = Column(np.uint8, "1 visible, 2 snapshot, 3 hidden, 4 placeholder (raw_pb2.DisplayType)")
    cloak = Column(np.uint8, "raw_pb2.CloakState")
    pos = Column(np.float32, "cells, the unit's middle", width=3)
    facing = Column(np.float32, "radians, counter-clockwise, 0 to the right")
    radius = Column(np.float32, "cells")
    build_progress = Column(np.float32, "0 to 1")
    health = Column(np.float32, "points")
    health_max = Column(np.float32, "points")
    shield = Column(np.float32, "points")
    shield_max = Column(np.float32, "points")
    energy = Column(np.float32, "points")
    energy_max = Column(np.float32, "points")
    weapon_cooldown = Column(np.float32, "game loops until the next shot")
    detect_range = Column(np.float32, "cells")
    radar_range = Column(np.float32, "cells")
    is_selected = Column(np.bool_, "whether the player has selected it")
    is_on_screen = Column(np.bool_, "whether the player's camera shows it")
    is_blip = Column(np.bool_, "whether only a sensor tower sees it")
    is_powered = Column(np.bool_, "whether a pylon powers it")
    is_active = Column(np.bool_, "whether a building makes or researches something")
    is_flying = Column(np.bool_, "whether it is in the air")
    is_burrowed = Column(np.bool_, "whether it is burrowed")
    is_hallucination = Column(np.bool_, "whether it is a hallucination, as far as the player knows")
    attack_upgrade_level = Column(np.int32, "0 to 3")
    armor_upgrade_level = Column(np.int32, "0 to 3")
    shield_upgrade_level = Column(np.int32, "0 to 3")
    mineral_contents = Column(np.int32, "minerals that are left")
    vespene_contents = Column(np.int32, "vespene that is left")
    cargo_space_taken = Column(np.int32, "cargo places in use: a marine takes 1, a tank 4")
    cargo_space_max = Column(np.int32, "all cargo places")
    assigned_harvesters = Column(
        np.int32, "workers at this town hall or gas building; workers above ideal_harvesters gain little"
    )
    ideal_harvesters = Column(np.int32, "the ideal number of workers")
    add_on_tag = Column(np.uint64, "the tag of its reactor or tech lab")
    engaged_target_tag = Column(np.uint64, "the tag of the unit that it fights")
    buff_duration_remain = Column(np.int32, "game loops")
    buff_duration_max = Column(np.int32, "game loops")

    @classmethod
    def from_observation(cls, observation: sc2api_pb2.ResponseObservation) -> Units:
        """Creates a table from a message. The table keeps the message, and creates each column on first access."""
        return cls(Messages(observation.observation.raw_data.units))

    @classmethod
    def from_columns(cls, message: Bytes) -> Units:
        """Creates a table from a serialized Columns message. Raises MalformedMessageError."""
        return cls.of(Columns.open(message))

    @classmethod
    def of(cls, columns: Columns) -> Units:
        """Creates a table from a parsed Columns message."""
        units = cls(columns.units)
        units._columns_message = columns
        return units

    _columns_message: Optional[Columns] = None

    match_types: Optional[names.Names[Any]] = None
    """The match's unit types by name; None if the match is unknown. Only set for the whole table of a frame."""

    @property
    def types(self) -> names.Names[Any]:
        """Unit types by name: the types of the match, or of `sc2bridge.ids` if the match is unknown."""
        if isinstance(self.source, Rows):
            found: names.Names[Any] = self.source.table.types  # type: ignore[attr-defined]
            return found
        return self.match_types or names.usual_unit_types()

    @property
    def x(self) -> npt.NDArray[np.float32]:
        """x of the unit's middle, in cells: `pos[:, 0]`."""
        return self.pos[:, 0]

    @property
    def y(self) -> npt.NDArray[np.float32]:
        return self.pos[:, 1]

    @property
    def z(self) -> npt.NDArray[np.float32]:
        return self.pos[:, 2]

    @property
    def own(self) -> Units:
        """Units of the player whose view the observation shows."""
        return self._select(self.alliance == _OWN)

    @property
    def allies(self) -> Units:
        """Units of the player's allies."""
        return self._select(self.alliance == _ALLY)

    @property
    def neutral(self) -> Units:
        """Mineral fields, geysers, critters and other neutral units."""
        return self._select(self.alliance == _NEUTRAL)

    @property
    def enemies(self) -> Units:
        """Units of the player's enemies."""
        return self._select(self.alliance == _ENEMY)

    @property
    def idle(self) -> Units:
        """Units without orders. The game shows the orders of own units only, so other units count as idle."""
        return self._select(self.orders.counts == 0)

    def of_type(self, *unit_types: Union[int, str, Iterable[Union[int, str]]]) -> Units:
        """The units of some types, given by names (`of_type("MARINE", "MEDIVAC")`), by UnitTypeData.unit_id, or by
        collections of both. Raises KeyError for an unknown name, TypeError for a value of another type."""
        return self._select(_mask_of_any(self.unit_type, _numbers("unit type", unit_types, lambda: self.types)))

    def of_owner(self, *players: Union[int, Iterable[int]]) -> Units:
        """The units of some players, given by their ids or by collections of ids. Raises TypeError for other values."""
        return self._select(_mask_of_any(self.owner, _numbers("player", players)))

    def to_dict(self, columns: Optional[Iterable[str]] = None) -> dict[str, npt.NDArray[Any]]:
        """The columns with these names; None for all. `pos` is split into `x`, `y` and `z`. `name` is the unit type's
        name. Raises ValueError for an unknown column."""
        return shown.to_dict(self, columns)

    def to_pandas(self, columns: Optional[Iterable[str]] = None) -> pandas.DataFrame:
        """Like `to_dict`, as a pandas.DataFrame. Raises ValueError, and ImportError if pandas is not installed."""
        return shown.load_pandas().DataFrame(self.to_dict(columns))

    def _repr_html_(self) -> str:
        return shown.to_html(self)

    if not TYPE_CHECKING:  # Type checkers must report names that the class does not define.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return self.__getattribute__(name)  # Raises the usual error.
            line = python_sc2_hints.UNITS.get(name) or did_you_mean(name, dir(self)) or "dir(units) shows what it has"
            raise AttributeError(f"a table of units has no {name!r}: {line}")

        def __call__(self, *_: Any) -> None:
            raise TypeError('a table of units is not a function: use units.of_type("MARINE")')

    def __iter__(self) -> Iterator[Unit]:
        return (Unit(self, row) for row in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> Unit:  # type: ignore[misc]
        ...

    @overload
    def __getitem__(self, which: Any) -> Units:
        ...

    def __getitem__(self, which: Any) -> Union[Unit, Units]:
        if isinstance(which, (int, np.integer)) and not isinstance(which, bool):
            row = int(which)
            if not -len(self) <= row < len(self):
                raise IndexError(f"row {row} does not exist: there are {len(self)} rows")
            return Unit(self, row % len(self))
        return self._select(which)

    def __reduce__(self) -> Any:
        lists = {name: getattr(self, name) for name in ("orders", "passengers", "buffs", "rally_targets")}
        return type(self), (Stored(self),), lists

    def _select(self, which: Any) -> Units:
        if isinstance(which, np.ndarray) and which.dtype == bool:
            if which.shape != (len(self),):
                raise IndexError(
                    f"a mask of shape {which.shape} for {len(self)} units: use a mask with one value for each unit"
                )
            return Units(Rows(self, which.nonzero()[0]))
        return Units(Rows(self, np.atleast_1d(np.arange(len(self))[which])))

    @cached_property
    def orders(self) -> Orders:
        """Orders of own units. The game hides the orders of other units."""
        return self._lists("orders", Orders)

    @cached_property
    def passengers(self) -> Passengers:
        """The passengers of units, for example of bunkers and medivacs."""
        return self._lists("passengers", Passengers)

    @cached_property
    def buffs(self) -> Buffs:
        """The temporary effects on units (`buff_ids` in the game's message)."""
        return self._lists("buff_ids", Buffs)

    @cached_property
    def rally_targets(self) -> RallyTargets:
        """Rally points of buildings that produce units."""
        return self._lists("rally_targets", RallyTargets)

    def _lists(self, field: str, kind: type[_L]) -> _L:
        source: Source = self.source
        if isinstance(source, Rows):
            whole: _L = getattr(source.table, "buffs" if kind is Buffs else field)
            selected: _L = whole.select(source.rows)
            return selected
        if self._columns_message is not None:
            return kind(*self._columns_message.lists(field))
        assert isinstance(source, Messages)
        items = [getattr(unit, field) for unit in source.messages]
        offsets = np.zeros(len(items) + 1, "<u4")
        np.cumsum(np.fromiter(map(len, items), "<u4", len(items)), out=offsets[1:])
        flat = [item for each in items for item in each]
        items_source: Source = Messages(flat)
        if kind is Buffs:
            items_source = _NumberSource(flat)
        return kind(items_source, offsets)


def _mask_of_any(vector: Any, numbers: list[int]) -> Any:
    return vector == numbers[0] if len(numbers) == 1 else np.isin(vector, numbers)


def _numbers(
    what: str, given: Iterable[Any], types_by_name: Optional[Callable[[], names.Names[Any]]] = None
) -> list[int]:
    """Converts numbers, names and collections of both to one list of numbers. Raises TypeError, KeyError."""
    found: list[int] = []
    for each in given:
        if isinstance(each, str) and types_by_name is not None:
            found.append(int(types_by_name()[each]))
            continue
        try:
            found.append(operator.index(each))
        except TypeError:
            if isinstance(each, (str, bytes)) or not isinstance(each, Iterable):
                raise TypeError(
                    f"invalid {what} {each!r}: give a number{'' if types_by_name is None else ' or a name'}"
                ) from None
            found += _numbers(what, each, types_by_name)
    return found


class _NumberSource:
    """Numbers, one per row, as the source of a table."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self.count = len(numbers)

    def vector(self, field: Field) -> Any:
        return read_only(np.array(self._numbers, field.dtype))

    def present(self, field: Field, part: int) -> Any:
        return read_only(np.ones(self.count, bool))
