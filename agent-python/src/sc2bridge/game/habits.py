"""Attributes that users of python-sc2 know, and the line that does the same here: for messages of errors."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

_BOT = "or derive from sc2bridge.bot.BotAI, which has it"
_BOT_UNITS = "derive from sc2bridge.bot.BotAI: its units have it"


def _order(line: str) -> str:
    return f"units take no orders themselves: self.{line} in an Agent, frames.{line} on a subscription"


_AIMED = ("attack", "move", "patrol", "gather", "repair", "smart")
_PLAIN = ("stop", "hold_position", "return_resource")
_ORDERS = {
    **{name: f"{name}(unit, target)" for name in _AIMED},
    **{name: f"{name}(unit)" for name in _PLAIN},
    "train": 'train(unit, "SCV")',
    "build": 'build(unit, "SUPPLYDEPOT", place)',
    "research": 'research(unit, "STIMPACK")',
}

UNIT = {
    **{name: _order(line) for name, line in _ORDERS.items()},
    "type_id": "unit.unit_type is its number",
    "name": "match.unit_types[unit.unit_type].name",
    "is_idle": "not len(unit.orders)",
    "is_ready": "unit.build_progress == 1",
    "is_mine": "unit.alliance == 1",
    "is_structure": "unit.unit_type in match.structures",
    "distance_to": f"math.dist(unit.position, other.position); or {_BOT_UNITS}",
    "health_percentage": f"unit.health / unit.health_max; or {_BOT_UNITS}",
}
"""Of a unit."""

UNITS = {
    **{name: _order(line.replace("unit", "units")) for name, line in _ORDERS.items()},
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
"""Of a table of units."""

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
    "client": "sc2bridge match --step-size N in place of client.game_step; self.query_pathing(start, end) and the like in place of queries",
    "can_afford": "derive from sc2bridge.bot.BotAI, which has it",
    "game_info": "self.match.game_info",
    "start_location": "self.match.start_location",
    "enemy_start_locations": "self.match.enemy_start_locations",
}
"""Of an agent, and of a subscription."""

_NO_FRAME = "it comes with the first frame: in on_start there is self.match alone"
BOT = {
    **{name: AGENT[name] for name in ("client", "get_available_abilities")},
    "state": "self.upgrades, self.visibility, self.creep, and self.frame, which on_step(frame) receives",
    **dict.fromkeys(("frame", "minerals", "vespene", "unit_tags_received_action"), _NO_FRAME),
    **{f"supply_{each}": _NO_FRAME for each in ("left", "used", "cap", "army", "workers")},
}
"""Of a BotAI, which has most of what python-sc2 has."""

BUILD = (
    'build takes a worker first: self.build(worker, "BARRACKS", place). self.build_near("BARRACKS", near) of sc2bridge.bot.BotAI'
    " finds a place and a worker"
)

_PLAYERS = 'players are texts: sc2bridge.launch("Salt Basin LE", ["agent:terran", "computer:zerg:Easy"])'

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
"""Of the package."""


def answered(method: Callable[..., Any], line: str) -> Callable[..., Any]:
    """The method; a call with other arguments raises TypeError with this line."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{error}: {line}") from None
        return method(*arguments, **named)

    return call
