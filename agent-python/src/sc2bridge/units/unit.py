"""One unit of a table: `for unit in frame.units.own: print(unit.tag, unit.health)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sc2bridge import notebook
from sc2bridge.game import python_sc2_hints
from sc2bridge.hints import did_you_mean
from sc2bridge.units import shown

if TYPE_CHECKING:
    from sc2bridge.units.table import Buffs, Orders, Passengers, RallyTargets, Units

_LISTS = ("orders", "passengers", "buffs", "rally_targets")


class Unit:
    """A row of a `Units` table, with the field names of the game's message `Unit`. Values are plain numbers; a missing
    value is 0. Later frames do not change this object. Units with the same tag are equal, even from different frames.
    """

    __slots__ = ("row", "units")

    tag: int
    """Identifies the unit for the whole match."""
    unit_type: int
    """UnitTypeData.unit_id; `match.unit_types` has its name."""
    alliance: int
    owner: int
    display_type: int
    cloak: int
    pos: tuple[float, float, float]
    """The unit's middle: x, y, z in cells."""
    facing: float
    radius: float
    build_progress: float
    health: float
    health_max: float
    shield: float
    shield_max: float
    energy: float
    energy_max: float
    weapon_cooldown: float
    detect_range: float
    radar_range: float
    is_selected: bool
    is_on_screen: bool
    is_blip: bool
    is_powered: bool
    is_active: bool
    is_flying: bool
    is_burrowed: bool
    is_hallucination: bool
    attack_upgrade_level: int
    armor_upgrade_level: int
    shield_upgrade_level: int
    mineral_contents: int
    vespene_contents: int
    cargo_space_taken: int
    cargo_space_max: int
    assigned_harvesters: int
    ideal_harvesters: int
    add_on_tag: int
    engaged_target_tag: int
    buff_duration_remain: int
    buff_duration_max: int
    orders: Orders
    """The unit's orders, as a table. The next three attributes are also tables."""
    passengers: Passengers
    buffs: Buffs
    rally_targets: RallyTargets

    def __init__(self, units: Units, row: int) -> None:
        self.units = units
        self.row = row

    if not TYPE_CHECKING:  # Type checkers must report names that are not listed above.

        def __getattr__(self, name: str) -> Any:
            return self._value(name)

        def __call__(self, *_: Any) -> None:
            raise TypeError('a unit is not a function: use self.command(unit, "EFFECT_STIM", target) in an Agent')

    def _value(self, name: str) -> Any:
        if name in self.__slots__ or name.startswith("_"):  # `__dict__`, or `row` before `__init__` has run.
            raise AttributeError(name)
        if name in _LISTS:
            return getattr(self.units, name).of(self.row)
        if name not in self.units.fields:
            line = python_sc2_hints.UNIT.get(name) or did_you_mean(name, dir(self)) or "dir(unit) shows what it has"
            raise AttributeError(f"a unit has no {name!r}: {line}")
        value = getattr(self.units, name)[self.row]
        return tuple(value.tolist()) if value.ndim else value.item()

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.units.fields, *_LISTS]

    def _repr_html_(self) -> str:
        values = ((name, getattr(self, name)) for name in self.units.fields if self.present(name))
        return notebook.table((), values, shown.name_of(self.units.types, self.unit_type))

    def __reduce__(self) -> Any:
        return Unit, (self.units[self.row : self.row + 1], 0)

    @property
    def position(self) -> tuple[float, float]:
        """x and y in cells."""
        x, y, _ = self.pos
        return x, y

    def present(self, column: str) -> bool:
        """Whether the unit has a value for a field; see `Units.present`."""
        return bool(self.units.present(column)[self.row])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unit) and self.tag == other.tag

    def __hash__(self) -> int:
        return hash(self.tag)

    def __repr__(self) -> str:
        x, y = self.position
        return f"<Unit {self.tag} of type {self.unit_type} at ({x:.1f}, {y:.1f})>"
