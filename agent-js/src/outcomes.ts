/** What became of an agent's actions. */

import { ActionResult } from "./generated/s2clientprotocol/error_pb.js";
import type { Action } from "./generated/s2clientprotocol/sc2api_pb.js";
import type { ActionsOutcome } from "./generated/sc2bridge/v1/bridge_pb.js";

/** An action, and the game's answer to it. */
export interface Outcome {
  readonly action: Action;
  /** The newest step when the game got it, or when it was refused. */
  readonly step: number;
  /** An ActionResult; 0 where the game was not asked. */
  readonly result: number;
  /** What `act` returned when it was sent. */
  readonly tag: number;
  /** Units that another agent of this side commanded in the same step, by its priority. */
  readonly overriddenUnitTags: readonly bigint[];
  /** The game took it. Whether it comes about is another matter: see `actionErrors` in the observation. */
  readonly succeeded: boolean;
  /** Why not: the bridge's words, or the game's name for it, as `NotEnoughMinerals`; empty where it succeeded. */
  readonly reason: string;
}

/** The actions that were sent and have no outcome yet. */
export class PendingActions {
  readonly #sent = new Map<number, Action[]>();

  /** Actions that went out with a tag. */
  sent(tag: number, actions: Action[]): void {
    this.#sent.set(tag, actions);
  }

  /** The outcomes of the actions that an answer is about. */
  answered(answer: ActionsOutcome): Outcome[] {
    const sent = this.#sent.get(answer.requestId) ?? [];
    this.#sent.delete(answer.requestId);
    return sent.map((action, at) => {
      const outcome = answer.error ? undefined : answer.outcomes[at];
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
