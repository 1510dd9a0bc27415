"""What a player can be told to do, by the names that python-sc2 gives it: `frames.attack(marines, place)`. A
subscription has it, blocking or by asyncio, and an `Agent`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, Union

from sc2bridge.game import actions, habits
from sc2bridge.game.places import PointLike, UnitsLike, Target, tags_of
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.game.match import Match

Ability = Union[int, str]
"""AbilityData.ability_id, or its name in this match: `match.abilities.EFFECT_STIM`, 3675, `"Effect Stim"`."""

TypeLike = Union[int, str]
"""UnitTypeData.unit_id or UpgradeData.upgrade_id, or its name in this match."""


class Commands:
    """What a player can be told to do. It is collected, and goes to the bridge as one message when the agent is done
    with the frame that it holds: in a stepped match it is done with the next step.

    Units are a tag, a `Unit`, a table of them (`frame.units.own`), or any iterable; a target is one of those, or a
    place. Abilities and types are numbers, or names. What became of it comes with a later frame, in `frame.outcomes`.
    Raises ValueError where the subscription only watches or no frame is held, ClosedError after `close`, KeyError for a name that the match does
    not know, TypeError for what is no unit or no place.
    """

    def do(self, action: sc2api_pb2.Action) -> None:
        """Any action, as `sc2bridge.game.actions` makes them, or of the interfaces of images."""
        raise NotImplementedError

    def _constants(self) -> Match:
        """The match, for names."""
        raise NotImplementedError

    _habits: Mapping[str, str] = habits.AGENT

    if not TYPE_CHECKING:  # The attributes of the class are all that there are.

        def __getattr__(self, name: str) -> Any:
            if name not in self._habits or hasattr(type(self), name):
                return self.__getattribute__(name)  # Raises its own error.
            raise AttributeError(f"{type(self).__name__} has no {name!r}: {self._habits[name]}")

    def command(self, units: UnitsLike, ability: Ability, target: Target = None, queue: bool = False) -> None:
        """Has units use an ability, where there are any. queue: behind the orders that they have."""
        tags = tags_of(units)
        if tags:
            self.do(actions.command(self._ability(ability), tags, target, queue))

    def attack(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Attacks a unit; or goes to a place and attacks what is on the way."""
        self.command(units, "Attack", target, queue)

    def move(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Goes to a place, or follows a unit."""
        self.command(units, "Move", target, queue)

    def patrol(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Goes to and fro between where it is and a place."""
        self.command(units, "Patrol", target, queue)

    def stop(self, units: UnitsLike, queue: bool = False) -> None:
        """Drops its orders."""
        self.command(units, "Stop", queue=queue)

    def hold_position(self, units: UnitsLike, queue: bool = False) -> None:
        """Stays, and fights what comes in range."""
        self.command(units, "HoldPosition", queue=queue)

    def gather(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Mines a mineral field, or gas from a finished building on a geyser."""
        self.command(units, "Harvest Gather", target, queue)

    def return_resource(self, units: UnitsLike, queue: bool = False) -> None:
        """Returns carried resources to a town hall."""
        self.command(units, "Harvest Return", queue=queue)

    def repair(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Repairs a unit or a building."""
        self.command(units, "Effect Repair", target, queue)

    def smart(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """What a right click does."""
        self.command(units, "Smart", target, queue)

    def train(self, producers: UnitsLike, unit_type: TypeLike, queue: bool = False) -> None:
        """Makes a unit in each of these buildings, or of each of these larvae."""
        ability = self._maker("unit_types", unit_type)
        for tag in tags_of(producers):  # One command for all would be obeyed by one of them.
            self.command(tag, ability, queue=queue)

    def build(self, builders: UnitsLike, unit_type: TypeLike, target: Target = None, queue: bool = False) -> None:
        """Puts up a building: at a place, on a geyser, or as a building's add-on with no target."""
        if not isinstance(unit_type, (str, SupportsIndex)):
            raise TypeError(habits.BUILD)
        self.command(builders, self._maker("unit_types", unit_type), target, queue)

    if not TYPE_CHECKING:
        build = habits.answered(build, habits.BUILD)

    def research(self, buildings: UnitsLike, upgrade: TypeLike, queue: bool = False) -> None:
        """Researches an upgrade."""
        self.command(buildings, self._maker("upgrades", upgrade), queue=queue)

    def toggle_autocast(self, units: UnitsLike, ability: Ability) -> None:
        """Switches an ability's autocast on, or off where it is on."""
        self.do(actions.toggle_autocast(self._ability(ability), units))

    def chat_send(self, message: str, team_only: bool = False) -> None:
        """Sends a chat message."""
        self.do(actions.chat(message, team_only))

    def move_camera(self, place: PointLike) -> None:
        """Moves the player's camera."""
        self.do(actions.move_camera(place))

    def _ability(self, ability: Ability) -> int:
        return int(self._constants().abilities[ability]) if isinstance(ability, str) else ability

    def _maker(self, table: str, kind: TypeLike) -> int:
        """The ability that makes a unit type or an upgrade."""
        found = getattr(self._constants(), table)[kind]
        if not found.data.ability_id:
            raise ValueError(f"{found.name} is made by no ability: use command() with the one that you mean")
        return int(found.data.ability_id)

    def _building(self, building: TypeLike) -> tuple[int, float]:
        """The ability that puts up a building, and half the building's width."""
        ability = self._maker("unit_types", building)
        return ability, self._constants().abilities[ability].data.footprint_radius
