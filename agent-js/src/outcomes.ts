/** The outcomes of an agent's actions. */

import { ActionResult } from "./generated/s2clientprotocol/error_pb.js";
import type { Action } from "./generated/s2clientprotocol/sc2api_pb.js";
import type { ActionsOutcome } from "./generated/sc2bridge/v1/bridge_pb.js";

/** An action and the game's answer to it. */
export interface Outcome {
  readonly action: Action;
  /** The newest step at the time when the game received the action, or the bridge refused it. */
  readonly step: number;
  /** The game's ActionResult. 0 if the bridge did not pass the action to the game. */
  readonly result: number;
  /** The tag that `Subscription.act` returned for the action. */
  readonly tag: number;
  /** Units of this action that another agent of this side commanded in the same step, with a higher priority. */
  readonly overriddenUnitTags: readonly bigint[];
  /** True if the game accepted the action. The action can still fail later: see `actionErrors` in the observation. */
  readonly succeeded: boolean;
  /** Why the action failed: the bridge's message or the game's name, such as `NotEnoughMinerals`. Empty on success. */
  readonly reason: string;
}

/** Actions that were sent and have no outcome yet. */
export class PendingActions {
  readonly #actionsByTag = new Map<number, Action[]>();

  /** Adds the actions that were sent with a tag. */
  add(tag: number, actions: Action[]): void {
    this.#actionsByTag.set(tag, actions);
  }

  /** Removes the actions that an answer reports. Returns their outcomes. */
  pop(answer: ActionsOutcome): Outcome[] {
    const actions = this.#actionsByTag.get(answer.requestId) ?? [];
    this.#actionsByTag.delete(answer.requestId);
    return actions.map((action, index) => {
      const outcome = answer.error ? undefined : answer.outcomes[index];
      const result = outcome?.result ?? 0;
      const succeeded = result === ActionResult.Success;
      const refusal = answer.error?.message ?? outcome?.refusal ?? "";
      return {
        action,
        step: Number(answer.step),
        result,
        tag: answer.requestId,
        overriddenUnitTags: outcome?.overriddenUnitTags ?? [],
        succeeded,
        reason: succeeded || refusal ? refusal : (ActionResult[result] ?? `result ${result}`),
      };
    });
  }
}
