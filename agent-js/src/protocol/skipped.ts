/** Sums up what only a skipped frame carried, as the bridge does for frames that it skips itself. */

import { create } from "@bufbuild/protobuf";
import type { Frame } from "../frame.js";
import { type Skipped, SkippedSchema } from "../generated/sc2bridge/v1/bridge_pb.js";

/** The most events that are kept; frames after that are only counted, as `Skipped.truncatedFrames`. */
const MOST_EVENTS = 100_000;

/** What a frame and those that were skipped before it carried. Throws MalformedMessageError. */
export function skippedWith(frame: Frame): Skipped {
  const sum = frame.skipped ?? create(SkippedSchema, { firstStep: BigInt(frame.step) });
  const { actions, actionErrors, chat, observation } = frame.observation;
  const deadUnits = observation?.rawData?.event?.deadUnits ?? [];
  const alerts = observation?.alerts ?? [];
  sum.frames++;
  sum.upgradeIds = [...new Set([...sum.upgradeIds, ...(observation?.rawData?.player?.upgradeIds ?? [])])].sort((a, b) => a - b);
  const events = eventsOf(sum) + deadUnits.length + alerts.length + actions.length + actionErrors.length + chat.length;
  if (sum.truncatedFrames > 0n || events > MOST_EVENTS) {
    sum.truncatedFrames++;
    return sum;
  }
  sum.deadUnits.push(...deadUnits);
  sum.alerts.push(...alerts);
  sum.actions.push(...actions);
  sum.actionErrors.push(...actionErrors);
  sum.chat.push(...chat);
  return sum;
}

/** What was skipped, and after it what else was. */
export function joined(before: Skipped, after: Skipped | undefined): Skipped {
  if (!after) {
    return before;
  }
  const isCutOff = before.truncatedFrames > 0n || eventsOf(before) + eventsOf(after) > MOST_EVENTS;
  return create(SkippedSchema, {
    frames: before.frames + after.frames,
    firstStep: before.firstStep,
    deadUnits: isCutOff ? before.deadUnits : [...before.deadUnits, ...after.deadUnits],
    alerts: isCutOff ? before.alerts : [...before.alerts, ...after.alerts],
    actions: isCutOff ? before.actions : [...before.actions, ...after.actions],
    actionErrors: isCutOff ? before.actionErrors : [...before.actionErrors, ...after.actionErrors],
    chat: isCutOff ? before.chat : [...before.chat, ...after.chat],
    upgradeIds: [...new Set([...before.upgradeIds, ...after.upgradeIds])].sort((a, b) => a - b),
    truncatedFrames: before.truncatedFrames + (isCutOff ? after.frames : after.truncatedFrames),
  });
}

function eventsOf(skipped: Skipped): number {
  const { deadUnits, alerts, actions, actionErrors, chat } = skipped;
  return deadUnits.length + alerts.length + actions.length + actionErrors.length + chat.length;
}
