"""One unit of a table, with python-sc2's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Union

from sc2bridge import units as plain
from sc2bridge.bot.derived import Derived
from sc2bridge.bot.point import Point2
from sc2bridge.game.places import PointLike

if TYPE_CHECKING:
    from sc2bridge.bot.units import Units


class Unit(plain.Unit):
    """A row of a `Units` table. Each column of the table is an attribute with the row's value."""

    __slots__ = ()

    units: Units

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            ...

    def _value(self, name: str) -> Any:
        if isinstance(getattr(type(self.units), name, None), Derived):
            value = getattr(self.units, name)[self.row]
            return Point2(*value.tolist()) if getattr(value, "ndim", 0) else getattr(value, "item", lambda: value)()
        return super()._value(name)

    def __dir__(self) -> list[str]:
        kind = type(self.units)
        return [*super().__dir__(), *(name for name in dir(kind) if isinstance(getattr(kind, name), Derived))]

    @property
    def position(self) -> Point2:
        """x and y in cells."""
        x, y, _ = self.pos
        return Point2(x, y)

    @property
    def order_target(self) -> Union[int, Point2, None]:
        """The current order's target: a unit's tag, a place, or 0 without a target. None if the unit is idle."""
        orders = self.orders
        if not len(orders):
            return None
        if orders.present("target_world_space_pos")[0]:
            x, y, _ = orders.target_world_space_pos[0].tolist()
            return Point2(x, y)
        return int(orders.target_unit_tag[0])

    @property
    def passengers_tags(self) -> set[int]:
        """Tags of the unit's passengers."""
        return set(self.passengers.tag.tolist())

    def has_buff(self, buff: Union[int, str]) -> bool:
        """Whether the unit has a buff, given by its number or name. Raises KeyError for an unknown buff."""
        return int(self.units.data.match.buffs[buff]) in self.buffs.buff_id

    def distance_to(self, place: PointLike) -> float:
        """The distance in cells from the unit's middle to a place, or to another unit's middle."""
        return self.position.distance_to(place)

    def target_in_range(self, target: Unit, bonus_distance: float = 0) -> bool:
        """Whether the unit can shoot at `target` without moving. See `Units.in_attack_range_of`."""
        return bool(len(target.units[target.row : target.row + 1].in_attack_range_of(self, bonus_distance)))

    def in_ability_cast_range(self, ability: Union[int, str], target: PointLike, bonus_distance: float = 0) -> bool:
        """Whether `target` is near enough, and the ability accepts its kind (unit or place). bonus_distance: cells
        added to the range. Raises KeyError for an unknown ability."""
        data = self.units.data.match.abilities[ability].data
        # AbilityData.Target: Point is 2, Unit is 3, PointOrUnit is 4.
        target_kinds = (3, 4) if isinstance(target, plain.Unit) else (2, 4)
        target_radius = target.radius if isinstance(target, plain.Unit) else 0
        reach = data.cast_range + self.radius + target_radius + bonus_distance
        return data.target in target_kinds and self.distance_to(target) <= reach

    def is_facing(self, place: PointLike, angle_error: float = 0.05) -> bool:
        """Whether the unit faces another unit or a place. angle_error: the tolerance in radians."""
        other = Point2.of(place)
        x, y, _ = self.pos
        angle = (math.atan2(other.y - y, other.x - x) - self.facing + math.pi) % (2 * math.pi) - math.pi
        return abs(angle) < angle_error

    def __repr__(self) -> str:
        x, y = self.position
        return f"<Unit {self.name} {self.tag} at ({x:.1f}, {y:.1f})>"
