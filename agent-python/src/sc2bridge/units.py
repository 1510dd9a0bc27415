"""The units of an observation as a table: `frame.units`.

    units = frame.units
    enemies = units.enemies
    near = enemies[((enemies.pos[:, :2] - base) ** 2).sum(axis=1) < 15**2]
    print(near.tag[near.health < 20])

Each column is a numpy array that cannot be written to. Subscribe with `content="columns"` and it is a view of the
message as it came, with nothing parsed and nothing copied; of a plain observation it is made by a loop over the units
when it is first asked for. The names, types and values are the same either way, and those of the game's message `Unit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeVar, Union, overload

from sc2bridge._numpy import np
from sc2bridge.columns import (
    BUFF_FIELDS,
    ORDER_FIELDS,
    PASSENGER_FIELDS,
    RALLY_TARGET_FIELDS,
    UNIT_FIELDS,
    Bytes,
    Columns,
)
from sc2bridge.s2clientprotocol import sc2api_pb2
from sc2bridge.tables import Field, Lists, Messages, Rows, Source, Table, read_only
from sc2bridge.unit import Unit

_L = TypeVar("_L", bound=Lists)

_OWN, _ALLY, _NEUTRAL, _ENEMY = 1, 2, 3, 4


class Orders(Lists, fields=ORDER_FIELDS):
    """What units are ordered to do: for each the current order, then those that wait."""

    ability_id: Any
    """uint32: AbilityData.ability_id."""
    target_world_space_pos: Any
    """float32, rows of x, y, z in cells. Whether an order has one says `present`; `present("x")` of each part."""
    target_unit_tag: Any
    """uint64."""
    progress: Any
    """float32: 0 to 1."""


class Passengers(Lists, fields=PASSENGER_FIELDS):
    """Units inside others. They are not in the table themselves."""

    tag: Any
    """uint64."""
    unit_type: Any
    """uint32: UnitTypeData.unit_id."""
    health: Any
    """float32, as all below: points."""
    health_max: Any
    shield: Any
    shield_max: Any
    energy: Any
    energy_max: Any


class Buffs(Lists, fields=BUFF_FIELDS):
    """What works on units for a time."""

    buff_id: Any
    """uint32: BuffData.buff_id."""


class RallyTargets(Lists, fields=RALLY_TARGET_FIELDS):
    """Where new units go."""

    point: Any
    """float32, rows of x, y, z in cells."""
    tag: Any
    """uint64: the unit to follow, where it is one."""


class Units(Table, fields=UNIT_FIELDS):
    """Units, a row each, in the game's order. `units[mask]`, by a mask, a slice or row numbers, is a smaller table;
    `units[3]` is one `Unit`, and a loop goes over them one by one."""

    tag: Any
    """uint64: stays the unit's own for the match."""
    unit_type: Any
    """uint32: UnitTypeData.unit_id."""
    alliance: Any
    """uint8: 1 own, 2 ally, 3 neutral, 4 enemy (raw_pb2.Alliance)."""
    owner: Any
    """int32: a player id; 16 is neutral."""
    display_type: Any
    """uint8: 1 visible, 2 snapshot, 3 hidden, 4 placeholder (raw_pb2.DisplayType)."""
    cloak: Any
    """uint8: raw_pb2.CloakState."""
    pos: Any
    """float32, rows of x, y, z in cells: the unit's middle."""
    facing: Any
    """float32: radians, counter-clockwise, 0 to the right."""
    radius: Any
    """float32: cells."""
    build_progress: Any
    """float32: 0 to 1."""
    health: Any
    """float32: points, as are the five below."""
    health_max: Any
    shield: Any
    shield_max: Any
    energy: Any
    energy_max: Any
    weapon_cooldown: Any
    """float32: game loops until the next shot."""
    detect_range: Any
    """float32: cells."""
    radar_range: Any
    """float32: cells."""
    is_selected: Any
    """bool, as all that begin with is_."""
    is_on_screen: Any
    is_blip: Any
    is_powered: Any
    is_active: Any
    is_flying: Any
    is_burrowed: Any
    is_hallucination: Any
    attack_upgrade_level: Any
    """int32: 0 to 3, as the two below."""
    armor_upgrade_level: Any
    shield_upgrade_level: Any
    mineral_contents: Any
    """int32: what is left, as below."""
    vespene_contents: Any
    cargo_space_taken: Any
    """int32: a marine takes 1, a tank 4."""
    cargo_space_max: Any
    assigned_harvesters: Any
    """int32: workers on this town hall or geyser; more than ideal_harvesters gain little."""
    ideal_harvesters: Any
    add_on_tag: Any
    """uint64: the reactor or tech lab on it."""
    engaged_target_tag: Any
    """uint64: whom it fights."""
    buff_duration_remain: Any
    """int32: game loops, as below."""
    buff_duration_max: Any

    @classmethod
    def from_observation(cls, observation: sc2api_pb2.ResponseObservation) -> Units:
        """Of a message, which is kept: the columns are made of it when they are asked for."""
        return cls(Messages(observation.observation.raw_data.units))

    @classmethod
    def from_columns(cls, message: Bytes) -> Units:
        """Of a serialized Columns, whose bytes are kept. Raises MalformedMessage."""
        return cls.of(Columns.open(message))

    @classmethod
    def of(cls, columns: Columns) -> Units:
        """Of an opened Columns."""
        units = cls(columns.units)
        units._columns = columns
        return units

    _columns: Any = None

    @property
    def x(self) -> Any:
        """float32: cells; `pos[:, 0]`."""
        return self.pos[:, 0]

    @property
    def y(self) -> Any:
        """float32: cells."""
        return self.pos[:, 1]

    @property
    def z(self) -> Any:
        """float32: cells."""
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
        """Those without orders; orders are told of one's own only."""
        return self._select(self.orders.counts == 0)

    def of_type(self, *unit_types: int) -> Units:
        """The units of some types (UnitTypeData.unit_id)."""
        kind = self.unit_type
        return self._select(kind == int(unit_types[0]) if len(unit_types) == 1 else np.isin(kind, unit_types))

    def of_owner(self, *players: int) -> Units:
        """The units of some players, by their ids."""
        owner = self.owner
        return self._select(owner == players[0] if len(players) == 1 else np.isin(owner, players))

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

    def _select(self, which: Any) -> Units:
        if isinstance(which, np.ndarray) and which.dtype == bool:
            if which.shape != (len(self),):
                raise IndexError(f"a mask of shape {which.shape} for {len(self)} units")
            return Units(Rows(self, which.nonzero()[0]))
        return Units(Rows(self, np.atleast_1d(np.arange(len(self))[which])))

    @cached_property
    def orders(self) -> Orders:
        """Told of one's own units only."""
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
        source: Source = self._source
        if isinstance(source, Rows):
            whole: _L = getattr(source.table, "buffs" if kind is Buffs else field)
            selected: _L = whole.select(source.rows)
            return selected
        if self._columns is not None:
            return kind(*self._columns.lists(field, kind.fields))
        assert isinstance(source, Messages)
        items = [getattr(unit, field) for unit in source.messages]
        offsets = np.zeros(len(items) + 1, "<u4")
        np.cumsum(np.fromiter(map(len, items), "<u4", len(items)), out=offsets[1:])
        flat = [item for each in items for item in each]
        rows: Source = Messages(flat)
        if kind is Buffs:
            rows = _Numbers(flat)
        return kind(rows, read_only(offsets))


class _Numbers:
    """Numbers, one a row, as a source."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self.count = len(numbers)

    def vector(self, field: Field) -> Any:
        return read_only(np.array(self._numbers, field.dtype))

    def present(self, field: Field, part: int) -> Any:
        return read_only(np.ones(self.count, bool))
