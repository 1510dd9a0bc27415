"""The game's actions, as messages: what `frames.attack(…)` and its like collect, to be sent by `act`."""

from __future__ import annotations

from typing import Any

from sc2bridge.game.places import PointLike, UnitsLike, Target, is_unit, point_2d, tag_of, tags_of
from sc2bridge.s2clientprotocol import common_pb2, sc2api_pb2


def checked(action: object) -> sc2api_pb2.Action:
    """An action as it is. Raises TypeError for anything else."""
    if not isinstance(action, sc2api_pb2.Action):
        raise TypeError(
            f"{action!r} is no action: give a message Action, as sc2bridge.game.actions makes them, or call"
            " attack(units, target) and its like"
        )
    return action


def command(ability: int, units: UnitsLike, target: Target = None, queue: bool = False) -> sc2api_pb2.Action:
    """Has units do something.

    ability: AbilityData.ability_id, of one kind of units or the general one that it is remapped to.
    target: a unit, or its tag; a place; None for an ability that is not aimed.
    queue: behind the orders that they have, as with the shift key.
    Raises TypeError, ValueError for what is no unit or no place.
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
    """Switches an ability's autocast on, or off where it is on."""
    action = sc2api_pb2.Action()
    switch = action.action_raw.toggle_autocast
    switch.ability_id = ability
    switch.unit_tags.extend(tags_of(units))
    return action


def chat(message: str, team_only: bool = False) -> sc2api_pb2.Action:
    """A chat message, to all or to the team."""
    kinds: Any = sc2api_pb2.ActionChat
    channel = kinds.Team if team_only else kinds.Broadcast
    return sc2api_pb2.Action(action_chat=sc2api_pb2.ActionChat(channel=channel, message=message))


def move_camera(place: PointLike) -> sc2api_pb2.Action:
    """Moves the player's camera. Raises TypeError for what is no place."""
    at = point_2d(place)
    action = sc2api_pb2.Action()
    action.action_raw.camera_move.center_world_space.CopyFrom(common_pb2.Point(x=at.x, y=at.y, z=0))
    return action
