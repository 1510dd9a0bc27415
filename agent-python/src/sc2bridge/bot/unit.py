"""One unit of a table, by python-sc2's names."""

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
    """A row of a `Units` table: of each of its columns one value."""

    __slots__ = ()

    units: Units

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A value of the row."""

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
        """What its current order is aimed at: a unit's tag, a place, or None where it is idle; 0 for an order without a target."""
        orders = self.orders
        if not len(orders):
            return None
        if orders.present("target_world_space_pos")[0]:
            x, y, _ = orders.target_world_space_pos[0].tolist()
            return Point2(x, y)
        return int(orders.target_unit_tag[0])

    @property
    def passengers_tags(self) -> set[int]:
        """Tags of the units inside."""
        return set(self.passengers.tag.tolist())

    def has_buff(self, buff: Union[int, str]) -> bool:
        """Whether a buff works on it, by its number or name. Raises KeyError for a name that the match does not know."""
        return int(self.units.data.match.buffs[buff]) in self.buffs.buff_id

    def distance_to(self, place: PointLike) -> float:
        """Cells from its middle to a unit's or a place."""
        return self.position.distance_to(place)

    def target_in_range(self, target: Unit, bonus_distance: float = 0) -> bool:
        """Whether it can shoot at a unit from where it stands, as `Units.in_attack_range_of`."""
        return bool(len(target.units[target.row : target.row + 1].in_attack_range_of(self, bonus_distance)))

    def in_ability_cast_range(self, ability: Union[int, str], target: PointLike, bonus_distance: float = 0) -> bool:
        """Whether an ability of it reaches a unit (to its edge) or a place. bonus_distance: cells more. Raises KeyError for a name
        that the match does not know."""
        data = self.units.data.match.abilities[ability].data
        wanted = (3, 4) if isinstance(target, plain.Unit) else (2, 4)  # AbilityData.Target: Point 2, Unit 3, either 4
        edge = target.radius if isinstance(target, plain.Unit) else 0
        return (
            data.target in wanted and self.distance_to(target) <= data.cast_range + self.radius + edge + bonus_distance
        )

    def is_facing(self, place: PointLike, angle_error: float = 0.05) -> bool:
        """Whether it looks at a unit or a place. angle_error: radians."""
        other = Point2.of(place)
        x, y, _ = self.pos
        apart = (math.atan2(other.y - y, other.x - x) - self.facing + math.pi) % (2 * math.pi) - math.pi
        return abs(apart) < angle_error

    def __repr__(self) -> str:
        x, y = self.position
        return f"<Unit {self.name} {self.tag} at ({x:.1f}, {y:.1f})>"
