/** Summarizes the events of the frames that this package skips, as the bridge does for the frames that the bridge skips. */

import { create } from "@bufbuild/protobuf";
import type { Frame } from "../frame.js";
import { type Skipped, SkippedSchema } from "../generated/sc2bridge/v1/bridge_pb.js";

/** The most events in a summary. Frames after that are only counted, in `Skipped.truncatedFrames`. */
const MAX_EVENTS = 100_000;

/** The most bytes of skipped frames that are kept without a summary. */
const MAX_UNREAD_BYTES = 16 << 20;

/** Consecutive skipped frames. They are parsed only if their summary is read, or if they need too much memory. */
export class SkippedFrames {
  #unread: Frame[] = [];
  #unreadBytes = 0;
  #summary: Skipped | undefined;

  /** Adds a frame. Throws MalformedMessageError if the frames need too much memory and an invalid one is summarized. */
  add(frame: Frame): void {
    this.#unread.push(frame);
    this.#unreadBytes += frame.memoryBytes;
    if (this.#unreadBytes > MAX_UNREAD_BYTES) {
      this.summarize();
    }
  }

  /** The events of all frames. Throws MalformedMessageError. */
  summarize(): Skipped | undefined {
    for (const frame of this.#unread) {
      this.#summary ??= create(SkippedSchema, { firstStep: frame.skipped?.firstStep ?? BigInt(frame.step) });
      addSkipped(this.#summary, frame.skipped);
      addSkipped(this.#summary, eventsOf(frame));
    }
    this.#unread = [];
    this.#unreadBytes = 0;
    return this.#summary;
  }
}

/** The events of one frame. */
function eventsOf(frame: Frame): Skipped {
  const { actions, actionErrors, chat, observation } = frame.events;
  return create(SkippedSchema, {
    frames: 1n,
    firstStep: BigInt(frame.step),
    deadUnits: observation?.rawData?.event?.deadUnits ?? [],
    alerts: observation?.alerts ?? [],
    actions,
    actionErrors,
    chat,
    upgradeIds: observation?.rawData?.player?.upgradeIds ?? [],
  });
}

const EVENTS = ["deadUnits", "alerts", "actions", "actionErrors", "chat"] as const;

/** Adds later events to a summary. */
export function addSkipped(sum: Skipped, more: Skipped | undefined): void {
  if (!more) {
    return;
  }
  const isTruncated = sum.truncatedFrames > 0n || countEvents(sum) + countEvents(more) > MAX_EVENTS;
  sum.frames += more.frames;
  sum.truncatedFrames += isTruncated ? more.frames : more.truncatedFrames;
  sum.upgradeIds = [...new Set([...sum.upgradeIds, ...more.upgradeIds])].sort((a, b) => a - b);
  for (const kind of isTruncated ? [] : EVENTS) {
    const events: unknown[] = sum[kind];
    more[kind].forEach((event) => events.push(event));
  }
}

function countEvents(skipped: Skipped): number {
  return EVENTS.reduce((count, kind) => count + skipped[kind].length, 0);
}
