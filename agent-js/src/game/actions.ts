/** Functions that create `Action` messages. The methods of `Commands` collect these messages. */

import { ActionChat_Channel } from "../generated/s2clientprotocol/sc2api_pb.js";
import type { ActionInit } from "../protocol/session.js";
import { isUnit, type PointLike, pointOf, tagOf, tagsOf, type Target, type UnitsLike } from "./places.js";

/**
 * Creates an action that orders units to use an ability. Throws TypeError or RangeError if `units` or `target` is invalid.
 *
 * @param ability AbilityData.ability_id for the ability of one unit type, or remaps_to_ability_id for a general ability
 * @param target a unit, a unit's tag or a place; undefined for an ability without a target
 * @param queue adds the order after the units' current orders, like the shift key
 */
export function command(ability: number, units: UnitsLike, target?: Target, queue = false): ActionInit {
  const aim =
    target === undefined
      ? ({ case: undefined } as const)
      : isUnit(target)
        ? ({ case: "targetUnitTag", value: tagOf(target) } as const)
        : ({ case: "targetWorldSpacePos", value: pointOf(target) } as const);
  const order = { abilityId: ability, unitTags: tagsOf(units), target: aim, queueCommand: queue };
  return { actionRaw: { action: { case: "unitCommand", value: order } } };
}

/** Creates an action that toggles an ability's autocast. Throws TypeError or RangeError if `units` is invalid. */
export function toggleAutocast(ability: number, units: UnitsLike): ActionInit {
  return { actionRaw: { action: { case: "toggleAutocast", value: { abilityId: ability, unitTags: tagsOf(units) } } } };
}

/** Creates a chat message to all players, or only to the team. */
export function chat(message: string, teamOnly = false): ActionInit {
  return { actionChat: { channel: teamOnly ? ActionChat_Channel.Team : ActionChat_Channel.Broadcast, message } };
}

/** Creates an action that moves the player's camera. Throws TypeError if the place is invalid. */
export function moveCamera(place: PointLike): ActionInit {
  return { actionRaw: { action: { case: "cameraMove", value: { centerWorldSpace: { ...pointOf(place), z: 0 } } } } };
}
