/** The commands of a player, with the names of the Python package: `commands.attack(marines, [x, y])`. */

import type { ActionInit } from "../protocol/session.js";
import * as actions from "./actions.js";
import type { Match } from "./match.js";
import type { AbilityName, NameOf, UnitTypeName, UpgradeName } from "./names.js";
import { type PointLike, tagsOf, type Target, type UnitsLike } from "./places.js";

/** AbilityData.ability_id, or the ability's name in the match: `"EFFECT_STIM"`, `"Effect Stim"`. */
export type Ability = number | NameOf<AbilityName>;

/**
 * The commands of a player.
 *
 *     const frames = bridge.subscribe({ policy: "lockstep", canAct: true });
 *     const commands = new Commands(frames, new Match(await frames.describe()));
 *
 * An agent collects commands while it handles a frame. When the loop asks for the next frame, one message sends all commands to
 * the bridge. In a stepped match, the game executes them in the next step. The outcome of a command is in `frame.outcomes` of a
 * later frame. If `units` is empty, no order is sent.
 *
 * Commands throw RangeError for a name that the match does not have, TypeError for an invalid unit or place, and SC2BridgeError
 * if the subscription may not act, has no current frame, or is closed.
 */
export class Commands {
  /** @param frames the subscription that sends the commands @param match has the names of abilities and types */
  constructor(
    private readonly frames: { do(action: ActionInit): void },
    readonly match: Match,
  ) {}

  /** Orders units to use an ability. `queue`: adds the order after the units' current orders, like the shift key. */
  command(units: UnitsLike, ability: Ability, target?: Target, queue = false): void {
    const tags = tagsOf(units);
    if (tags.length) {
      this.frames.do(actions.command(this.#ability(ability), tags, target, queue));
    }
  }

  /** Attacks a unit; or moves to a place, and attacks enemies on the way. */
  attack(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Attack", target, queue);
  }

  /** Moves to a place, or follows a unit. */
  move(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Move", target, queue);
  }

  /** Patrols between the current position and a place. */
  patrol(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Patrol", target, queue);
  }

  /** Cancels the units' orders. */
  stop(units: UnitsLike, queue = false): void {
    this.command(units, "Stop", undefined, queue);
  }

  /** Stays in place, and attacks enemies that come into range. */
  holdPosition(units: UnitsLike, queue = false): void {
    this.command(units, "HoldPosition", undefined, queue);
  }

  /** Gathers minerals from a mineral field, or gas from a finished building on a geyser. */
  gather(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Harvest Gather", target, queue);
  }

  /** Returns carried resources to a town hall. */
  returnResource(units: UnitsLike, queue = false): void {
    this.command(units, "Harvest Return", undefined, queue);
  }

  /** Repairs a unit or a building. */
  repair(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Effect Repair", target, queue);
  }

  /** Does what a right click does in the game. */
  smart(units: UnitsLike, target: Target, queue = false): void {
    this.command(units, "Smart", target, queue);
  }

  /** Produces one unit in each of these buildings, or from each of these larvae. Throws RangeError if no ability produces it. */
  train(producers: UnitsLike, unitType: number | NameOf<UnitTypeName>, queue = false): void {
    const ability = this.#production("unitTypes", unitType);
    for (const tag of tagsOf(producers)) { // For one command with all producers, the game produces only one unit.
      this.command(tag, ability, undefined, queue);
    }
  }

  /** Constructs a building. `target`: a place, a geyser, or undefined for an add-on. Throws RangeError if no ability produces it. */
  build(builders: UnitsLike, unitType: number | NameOf<UnitTypeName>, target?: Target, queue = false): void {
    this.command(builders, this.#production("unitTypes", unitType), target, queue);
  }

  /** Researches an upgrade. Throws RangeError if no ability produces it. */
  research(buildings: UnitsLike, upgrade: number | NameOf<UpgradeName>, queue = false): void {
    this.command(buildings, this.#production("upgrades", upgrade), undefined, queue);
  }

  /** Toggles an ability's autocast. Also sends an action without units. */
  toggleAutocast(units: UnitsLike, ability: Ability): void {
    this.frames.do(actions.toggleAutocast(this.#ability(ability), units));
  }

  /** Sends a chat message. */
  chatSend(message: string, teamOnly = false): void {
    this.frames.do(actions.chat(message, teamOnly));
  }

  /** Moves the player's camera. */
  moveCamera(place: PointLike): void {
    this.frames.do(actions.moveCamera(place));
  }

  #ability(ability: Ability): number {
    return typeof ability === "number" ? ability : this.match.abilities.id(ability);
  }

  /** The ability that produces a unit type or an upgrade. */
  #production(table: "unitTypes" | "upgrades", item: number | string): number {
    const { abilityId, name } = this.match[table].data(item);
    if (!abilityId) {
      throw new RangeError(`no ability produces ${name}: call command() with the ability that you mean`);
    }
    return abilityId;
  }
}
