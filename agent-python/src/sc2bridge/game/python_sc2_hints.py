"""For each name that users of python-sc2 know: the code that does the same here. Error messages show this code."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

_BOT = "or derive from sc2bridge.bot.BotAI, which has it"
_BOT_UNITS = "derive from sc2bridge.bot.BotAI: its units have it"


def _order_hint(line: str) -> str:
    return f"a unit has no methods for orders: use self.{line} in an Agent, frames.{line} on a subscription"


_WITH_TARGET = ("attack", "move", "patrol", "gather", "repair", "smart")
_WITHOUT_TARGET = ("stop", "hold_position", "return_resource")
_ORDERS = {
    **{name: f"{name}(unit, target)" for name in _WITH_TARGET},
    **{name: f"{name}(unit)" for name in _WITHOUT_TARGET},
    "train": 'train(unit, "SCV")',
    "build": 'build(unit, "SUPPLYDEPOT", place)',
    "research": 'research(unit, "STIMPACK")',
}

UNIT = {
    **{name: _order_hint(line) for name, line in _ORDERS.items()},
    "type_id": "unit.unit_type is its number",
    "name": "match.unit_types[unit.unit_type].name",
    "is_idle": "not len(unit.orders)",
    "is_ready": "unit.build_progress == 1",
    "is_mine": "unit.alliance == 1",
    "is_structure": "unit.unit_type in match.structures",
    "distance_to": f"math.dist(unit.position, other.position); or {_BOT_UNITS}",
    "health_percentage": f"unit.health / unit.health_max; or {_BOT_UNITS}",
}
"""Names that are attributes of a unit in python-sc2."""

UNITS = {
    **{name: _order_hint(line.replace("unit", "units")) for name, line in _ORDERS.items()},
    **{
        name: _BOT_UNITS
        for name in ("closest_to", "furthest_to", "closer_than", "further_than", "sorted_by_distance_to")
    },
    **{name: _BOT_UNITS for name in ("center", "in_attack_range_of", "exclude_type", "sorted", "random")},
    "amount": "len(units)",
    "exists": "len(units) > 0",
    "empty": "len(units) == 0",
    "first": "units[0]",
    "tags": "units.tag",
    "ready": "units[units.build_progress == 1]",
    "filter": "a mask is a filter: units[units.health < 20]",
    "find_by_tag": "units[units.tag == tag]",
    "by_tag": "units[units.tag == tag]",
}
"""Names that are attributes of a group of units in python-sc2."""

AGENT = {
    "units": f"frame.units.own; {_BOT}",
    "structures": f"frame.units.own; {_BOT}",
    "workers": f'frame.units.own.of_type("SCV"); {_BOT}',
    "townhalls": f'frame.units.own.of_type("COMMANDCENTER"); {_BOT}',
    "enemy_units": f"frame.units.enemies; {_BOT}",
    "mineral_field": f"frame.units.neutral; {_BOT}",
    "minerals": f"frame.common.minerals; {_BOT}",
    "vespene": f"frame.common.vespene; {_BOT}",
    "supply_left": f"frame.common.food_cap - frame.common.food_used; {_BOT}",
    "state": "frame, which on_step(frame) receives",
    "time": f"frame.game_loop / 22.4; {_BOT}",
    "get_available_abilities": "self.query_available_abilities(units)",
    "client": "sc2bridge match --step-size N replaces client.game_step; self.query_pathing(start, end) replaces queries",
    "can_afford": "derive from sc2bridge.bot.BotAI, which has it",
    "game_info": "self.match.game_info",
    "start_location": "self.match.start_location",
    "enemy_start_locations": "self.match.enemy_start_locations",
}
"""Attributes of python-sc2's bots, and what an agent or a subscription has instead."""

_NO_FRAME = "it needs the first frame; on_start can only use self.match"
BOT = {
    **{name: AGENT[name] for name in ("client", "get_available_abilities")},
    "state": "self.upgrades, self.visibility, self.creep, and self.frame, which on_step(frame) receives",
    **dict.fromkeys(("frame", "minerals", "vespene", "unit_tags_received_action"), _NO_FRAME),
    **{f"supply_{each}": _NO_FRAME for each in ("left", "used", "cap", "army", "workers")},
}
"""Names of a bot's attributes in python-sc2 that a BotAI does not have, or has only after its first frame."""

BUILD = (
    'the first argument of build is a worker: self.build(worker, "BARRACKS", place). sc2bridge.bot.BotAI has'
    ' self.build_near("BARRACKS", near), which finds a place and a worker'
)

_PLAYERS = 'write players as text: sc2bridge.launch("Salt Basin LE", ["agent:terran", "computer:zerg:Easy"])'

PACKAGE = {
    "BotAI": "from sc2bridge.bot import BotAI",
    "Point2": "from sc2bridge.bot import Point2",
    **{
        name: f"from sc2bridge.ids import {name}"
        for name in ("UnitTypeId", "AbilityId", "UpgradeId", "BuffId", "EffectId")
    },
    **{name: _PLAYERS for name in ("Bot", "Computer", "Race", "Difficulty", "maps")},
    "run_game": "sc2bridge match --map MAP --player agent:terran --player computer:zerg:Easy --agent bot:Bot",
}
"""Names that users of python-sc2 look for in the package `sc2bridge`."""


def with_hint(method: Callable[..., Any], line: str) -> Callable[..., Any]:
    """Wraps a method. If a call does not fit the method's signature, the message of the TypeError ends with `line`."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{error}: {line}") from None
        return method(*arguments, **named)

    return call
