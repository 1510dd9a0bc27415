"""The commands of a player, with the names that python-sc2 uses: `frames.attack(marines, place)`. Subscriptions
(blocking and asyncio) and `Agent` have these methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, SupportsIndex, Union

from sc2bridge.game import actions, python_sc2_hints
from sc2bridge.game.places import PointLike, UnitsLike, Target, tags_of
from sc2bridge.s2clientprotocol import sc2api_pb2

if TYPE_CHECKING:
    from sc2bridge.game.match import Match

Ability = Union[int, str]
"""AbilityData.ability_id, or the ability's name in this match: `match.abilities.EFFECT_STIM`, 3675, `"Effect Stim"`."""

TypeLike = Union[int, str]
"""UnitTypeData.unit_id or UpgradeData.upgrade_id, or the name of the type or upgrade in this match."""


class Commands:
    """The commands of a player. An agent collects commands while it handles a frame. When the agent is done with the
    frame, one message sends all commands to the bridge. In a stepped match, the game executes them in the next step.

    `units` is a tag, a `Unit`, a table of units (`frame.units.own`), or any iterable of these. A target is a unit, a
    tag or a place. Abilities and types are numbers or names. The outcome of a command is in `frame.outcomes` of a later
    frame. Commands raise ValueError if the subscription may not act or has no current frame, and ClosedError after
    `close`. They raise KeyError for a name that the match does not have, and TypeError for an invalid unit or place.
    """

    def do(self, action: sc2api_pb2.Action) -> None:
        """Collects an action of `sc2bridge.game.actions`, or an action on feature layers or rendered images."""
        raise NotImplementedError

    def _current_match(self) -> Match:
        """The match in which the commands are given. It has the names of abilities and types."""
        raise NotImplementedError

    _hints: Mapping[str, str] = python_sc2_hints.AGENT

    if not TYPE_CHECKING:  # Type checkers report unknown attributes, so __getattr__ is hidden from them.

        def __getattr__(self, name: str) -> Any:
            if name not in self._hints or hasattr(type(self), name):
                return self.__getattribute__(name)  # Raises the original AttributeError.
            raise AttributeError(f"{type(self).__name__} has no {name!r}: {self._hints[name]}")

    def command(self, units: UnitsLike, ability: Ability, target: Target = None, queue: bool = False) -> None:
        """Orders units to use an ability. Does nothing if `units` is empty. queue: see `actions.command`."""
        tags = tags_of(units)
        if tags:
            self.do(actions.command(self._ability(ability), tags, target, queue))

    def attack(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Attacks a unit; or moves to a place, and attacks enemies on the way."""
        self.command(units, "Attack", target, queue)

    def move(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Moves to a place, or follows a unit."""
        self.command(units, "Move", target, queue)

    def patrol(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Patrols between the current position and a place."""
        self.command(units, "Patrol", target, queue)

    def stop(self, units: UnitsLike, queue: bool = False) -> None:
        """Cancels the units' orders."""
        self.command(units, "Stop", queue=queue)

    def hold_position(self, units: UnitsLike, queue: bool = False) -> None:
        """Stays in place, and attacks enemies that come into range."""
        self.command(units, "HoldPosition", queue=queue)

    def gather(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Gathers minerals from a mineral field, or gas from a finished building on a geyser."""
        self.command(units, "Harvest Gather", target, queue)

    def return_resource(self, units: UnitsLike, queue: bool = False) -> None:
        """Returns carried resources to a town hall."""
        self.command(units, "Harvest Return", queue=queue)

    def repair(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Repairs a unit or a building."""
        self.command(units, "Effect Repair", target, queue)

    def smart(self, units: UnitsLike, target: Target, queue: bool = False) -> None:
        """Does what a right click does in the game."""
        self.command(units, "Smart", target, queue)

    def train(self, producers: UnitsLike, unit_type: TypeLike, queue: bool = False) -> None:
        """Produces one unit in each of these buildings, or from each of these larvae."""
        ability = self._production_ability("unit_types", unit_type)
        for tag in tags_of(producers):  # One command for all producers would make one unit only.
            self.command(tag, ability, queue=queue)

    def build(self, builders: UnitsLike, unit_type: TypeLike, target: Target = None, queue: bool = False) -> None:
        """Constructs a building. target: a place, a geyser, or None for an add-on."""
        if not isinstance(unit_type, (str, SupportsIndex)):
            raise TypeError(python_sc2_hints.BUILD)
        self.command(builders, self._production_ability("unit_types", unit_type), target, queue)

    if not TYPE_CHECKING:
        build = python_sc2_hints.with_hint(build, python_sc2_hints.BUILD)

    def research(self, buildings: UnitsLike, upgrade: TypeLike, queue: bool = False) -> None:
        """Researches an upgrade."""
        self.command(buildings, self._production_ability("upgrades", upgrade), queue=queue)

    def toggle_autocast(self, units: UnitsLike, ability: Ability) -> None:
        """Toggles an ability's autocast."""
        self.do(actions.toggle_autocast(self._ability(ability), units))

    def chat_send(self, message: str, team_only: bool = False) -> None:
        """Sends a chat message."""
        self.do(actions.chat(message, team_only))

    def move_camera(self, place: PointLike) -> None:
        """Moves the player's camera."""
        self.do(actions.move_camera(place))

    def _ability(self, ability: Ability) -> int:
        return int(self._current_match().abilities[ability]) if isinstance(ability, str) else ability

    def _production_ability(self, table: str, item: TypeLike) -> int:
        """The ability that produces a unit type or an upgrade. table: `unit_types` or `upgrades`."""
        found = getattr(self._current_match(), table)[item]
        if not found.data.ability_id:
            raise ValueError(f"no ability produces {found.name}: call command() with the ability that you mean")
        return int(found.data.ability_id)

    def _ability_and_half_width(self, building: TypeLike) -> tuple[int, float]:
        """The ability that constructs a building, and half the building's width in cells."""
        ability = self._production_ability("unit_types", building)
        return ability, self._current_match().abilities[ability].data.footprint_radius
