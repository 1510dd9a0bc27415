"""Functions that create `Action` messages. A subscription's `attack` and similar methods collect these messages."""

from __future__ import annotations

from typing import Any

from sc2bridge.game.places import PointLike, UnitsLike, Target, is_unit, point_2d, tag_of, tags_of
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2


def require_action(action: object) -> sc2api_pb2.Action:
    """Returns its argument. Raises TypeError if it is not an action."""
    if not isinstance(action, sc2api_pb2.Action):
        raise TypeError(
            f"{action!r} is not an action: pass a message Action, as sc2bridge.game.actions creates it, or call"
            " attack(units, target) or a similar method"
        )
    return action


def command(ability: int, units: UnitsLike, target: Target = None, queue: bool = False) -> sc2api_pb2.Action:
    """Creates an action that orders units to use an ability.

    ability: AbilityData.ability_id for the ability of one unit type, or remaps_to_ability_id for a general ability.
    target: a unit, a unit's tag or a place; None for an ability without a target.
    queue: adds the order after the units' current orders, like the shift key.
    Raises TypeError or ValueError if `units` or `target` is invalid.
    """
    action = sc2api_pb2.Action()
    order = action.action_raw.unit_command
    order.ability_id = ability
    order.unit_tags.extend(tags_of(units))
    order.queue_command = queue
    if target is None:
        return action
    if is_unit(target):
        order.target_unit_tag = tag_of(target)
    else:
        order.target_world_space_pos.CopyFrom(point_2d(target))
    return action


def toggle_autocast(ability: int, units: UnitsLike) -> sc2api_pb2.Action:
    """Creates an action that toggles an ability's autocast."""
    action = sc2api_pb2.Action()
    switch = action.action_raw.toggle_autocast
    switch.ability_id = ability
    switch.unit_tags.extend(tags_of(units))
    return action


def chat(message: str, team_only: bool = False) -> sc2api_pb2.Action:
    """Creates a chat message to all players, or only to the team."""
    kinds: Any = sc2api_pb2.ActionChat
    channel = kinds.Team if team_only else kinds.Broadcast
    return sc2api_pb2.Action(action_chat=sc2api_pb2.ActionChat(channel=channel, message=message))


def move_camera(place: PointLike) -> sc2api_pb2.Action:
    """Creates an action that moves the player's camera. Raises TypeError if the place is invalid."""
    at = point_2d(place)
    action = sc2api_pb2.Action()
    action.action_raw.camera_move.center_world_space.CopyFrom(common_pb2.Point(x=at.x, y=at.y, z=0))
    return action
