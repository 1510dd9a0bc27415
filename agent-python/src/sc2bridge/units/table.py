"""The units of an observation as a table: `frame.units`.

    units = frame.units
    enemies = units.enemies
    near = enemies[((enemies.pos[:, :2] - base) ** 2).sum(axis=1) < 15**2]
    print(near.tag[near.health < 20])

Each column is a numpy array that cannot be written to. Subscribe with `content="columns"` and it is a view of the
message's vector, with no unit parsed; of a plain observation it is made by a loop over the units
when it is first asked for. The names, types and values are the same either way, and those of the game's message `Unit`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Optional, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from sc2bridge.game import habits, names
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
    """What units are ordered to do: for each the current order, then those that wait."""

    ability_id = Column(np.uint32, "AbilityData.ability_id")
    target_world_space_pos = Column(
        np.float32, "cells. Whether an order has one says `present`; `present('x')` of each part", width=3
    )
    target_unit_tag = Column(np.uint64, "the unit that it is aimed at, where it is one")
    progress = Column(np.float32, "0 to 1")


class Passengers(Lists, fields=PASSENGER_FIELDS):
    """Units inside others. They are not in the table themselves."""

    tag = Column(np.uint64, "the unit's own for the match")
    unit_type = Column(np.uint32, "UnitTypeData.unit_id")
    health = Column(np.float32, "points")
    health_max = Column(np.float32, "points")
    shield = Column(np.float32, "points")
    shield_max = Column(np.float32, "points")
    energy = Column(np.float32, "points")
    energy_max = Column(np.float32, "points")


class Buffs(Lists, fields=BUFF_FIELDS):
    """What works on units for a time."""

    buff_id = Column(np.uint32, "BuffData.buff_id")


class RallyTargets(Lists, fields=RALLY_TARGET_FIELDS):
    """Where new units go."""

    point = Column(np.float32, "cells", width=3)
    tag = Column(np.uint64, "the unit to follow, where it is one")


class Units(Table, fields=UNIT_FIELDS):
    """Units, a row each, in the game's order. `units[mask]`, by a mask, a slice or row numbers, is a smaller table;
    `units[3]` is one `Unit`, and a loop goes over them one by one."""

    tag = Column(np.uint64, "stays the unit's own for the match")
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
    is_selected = Column(np.bool_, "whether the player has it selected")
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
    cargo_space_taken = Column(np.int32, "a marine takes 1, a tank 4")
    cargo_space_max = Column(np.int32, "how much it can carry")
    assigned_harvesters = Column(
        np.int32, "workers on this town hall or geyser; more than ideal_harvesters gain little"
    )
    ideal_harvesters = Column(np.int32, "workers that it has work for")
    add_on_tag = Column(np.uint64, "the reactor or tech lab on it")
    engaged_target_tag = Column(np.uint64, "whom it fights")
    buff_duration_remain = Column(np.int32, "game loops")
    buff_duration_max = Column(np.int32, "game loops")

    @classmethod
    def from_observation(cls, observation: sc2api_pb2.ResponseObservation) -> Units:
        """Of a message, which is kept: the columns are made of it when they are asked for."""
        return cls(Messages(observation.observation.raw_data.units))

    @classmethod
    def from_columns(cls, message: Bytes) -> Units:
        """Of a serialized Columns. Raises MalformedMessageError."""
        return cls.of(Columns.open(message))

    @classmethod
    def of(cls, columns: Columns) -> Units:
        """Of an opened Columns."""
        units = cls(columns.units)
        units._opened = columns
        return units

    _opened: Optional[Columns] = None

    match_types: Optional[names.Names[Any]] = None
    """The match's unit types by name, set in a frame's whole table; None if the match is unknown."""

    @property
    def types(self) -> names.Names[Any]:
        """Unit types by name: the match's, or the usual ones (`sc2bridge.ids`) if the match is unknown."""
        if isinstance(self.source, Rows):
            found: names.Names[Any] = self.source.table.types  # type: ignore[attr-defined]
            return found
        return self.match_types or names.usual_unit_types()

    @property
    def x(self) -> npt.NDArray[np.float32]:
        """Cells; `pos[:, 0]`."""
        return self.pos[:, 0]

    @property
    def y(self) -> npt.NDArray[np.float32]:
        """Cells."""
        return self.pos[:, 1]

    @property
    def z(self) -> npt.NDArray[np.float32]:
        """Cells."""
        return self.pos[:, 2]

    @property
    def own(self) -> Units:
        """The watched player's."""
        return self._select(self.alliance == _OWN)

    @property
    def allies(self) -> Units:
        """Its allies'."""
        return self._select(self.alliance == _ALLY)

    @property
    def neutral(self) -> Units:
        """Minerals, geysers, critters and the like."""
        return self._select(self.alliance == _NEUTRAL)

    @property
    def enemies(self) -> Units:
        """Its enemies'."""
        return self._select(self.alliance == _ENEMY)

    @property
    def idle(self) -> Units:
        """Units without orders; the game shows orders of own units only."""
        return self._select(self.orders.counts == 0)

    def of_type(self, *unit_types: Union[int, str, Iterable[Union[int, str]]]) -> Units:
        """The units of some types: `of_type("MARINE", "MEDIVAC")`, or by UnitTypeData.unit_id, or by collections of both.

        Raises KeyError for an unknown name, TypeError for anything else.
        """
        return self._select(_is_any(self.unit_type, _numbers("unit type", unit_types, lambda: self.types)))

    def of_owner(self, *players: Union[int, Iterable[int]]) -> Units:
        """The units of some players, by their ids. Raises TypeError for what is none."""
        return self._select(_is_any(self.owner, _numbers("player", players)))

    def to_dict(self, columns: Optional[Iterable[str]] = None) -> dict[str, npt.NDArray[Any]]:
        """Columns by their names: `x`, `y` and `z` for `pos`, and `name`, the unit type's. None for all. Raises ValueError."""
        return shown.to_dict(self, columns)

    def to_pandas(self, columns: Optional[Iterable[str]] = None) -> pandas.DataFrame:
        """`to_dict` as a table of pandas. Raises ValueError; ImportError if pandas is not installed."""
        return shown.load_pandas().DataFrame(self.to_dict(columns))

    def _repr_html_(self) -> str:
        return shown.to_html(self)

    if not TYPE_CHECKING:  # The attributes of the class are all that there are.

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or hasattr(type(self), name):
                return self.__getattribute__(name)  # Raises its own error.
            line = habits.UNITS.get(name) or did_you_mean(name, dir(self)) or "dir(units) shows what it has"
            raise AttributeError(f"a table of units has no {name!r}: {line}")

        def __call__(self, *_: Any) -> None:
            raise TypeError('a table of units is not called: units.of_type("MARINE")')

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
                raise IndexError(f"row {row} of {len(self)}")
            return Unit(self, row % len(self))
        return self._select(which)

    def __reduce__(self) -> Any:
        lists = {name: getattr(self, name) for name in ("orders", "passengers", "buffs", "rally_targets")}
        return type(self), (Stored(self),), lists

    def _select(self, which: Any) -> Units:
        if isinstance(which, np.ndarray) and which.dtype == bool:
            if which.shape != (len(self),):
                raise IndexError(f"a mask of shape {which.shape} for {len(self)} units")
            return Units(Rows(self, which.nonzero()[0]))
        return Units(Rows(self, np.atleast_1d(np.arange(len(self))[which])))

    @cached_property
    def orders(self) -> Orders:
        """Own units only."""
        return self._lists("orders", Orders)

    @cached_property
    def passengers(self) -> Passengers:
        """Of transports, bunkers and the like."""
        return self._lists("passengers", Passengers)

    @cached_property
    def buffs(self) -> Buffs:
        """The message's `buff_ids`."""
        return self._lists("buff_ids", Buffs)

    @cached_property
    def rally_targets(self) -> RallyTargets:
        """Of buildings that make units."""
        return self._lists("rally_targets", RallyTargets)

    def _lists(self, field: str, kind: type[_L]) -> _L:
        source: Source = self.source
        if isinstance(source, Rows):
            whole: _L = getattr(source.table, "buffs" if kind is Buffs else field)
            selected: _L = whole.select(source.rows)
            return selected
        if self._opened is not None:
            return kind(*self._opened.lists(field))
        assert isinstance(source, Messages)
        items = [getattr(unit, field) for unit in source.messages]
        offsets = np.zeros(len(items) + 1, "<u4")
        np.cumsum(np.fromiter(map(len, items), "<u4", len(items)), out=offsets[1:])
        flat = [item for each in items for item in each]
        rows: Source = Messages(flat)
        if kind is Buffs:
            rows = _Numbers(flat)
        return kind(rows, offsets)


def _is_any(vector: Any, numbers: list[int]) -> Any:
    return vector == numbers[0] if len(numbers) == 1 else np.isin(vector, numbers)


def _numbers(what: str, given: Iterable[Any], named: Optional[Callable[[], names.Names[Any]]] = None) -> list[int]:
    """Numbers, names and collections of both as one list of numbers. Raises TypeError, KeyError."""
    found: list[int] = []
    for each in given:
        if isinstance(each, str) and named is not None:
            found.append(int(named()[each]))
            continue
        try:
            found.append(operator.index(each))
        except TypeError:
            if isinstance(each, (str, bytes)) or not isinstance(each, Iterable):
                raise TypeError(
                    f"invalid {what} {each!r}: give a number{'' if named is None else ' or a name'}"
                ) from None
            found += _numbers(what, each, named)
    return found


class _Numbers:
    """Numbers, one a row, as a source."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self.count = len(numbers)

    def vector(self, field: Field) -> Any:
        return read_only(np.array(self._numbers, field.dtype))

    def present(self, field: Field, part: int) -> Any:
        return read_only(np.ones(self.count, bool))
