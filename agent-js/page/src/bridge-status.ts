/** The bridge's own account of its stream: asked for now and then for what is wrong with it and what is drawn, oftener where it is read. */

import { computed, signal } from "@preact/signals";
import { Policy } from "sc2bridge/v1/bridge";
import type { Drawing, StatusResponse } from "sc2bridge/v1/bridge";
import { layers } from "./settings";
import { link } from "./state";
import { bridge } from "./watching";

const PERIOD_MS = 5_000;
const READ_PERIOD_MS = 1_000;
const DRAWN_PERIOD_MS = 200;

/** Two in a row tell what happened in between. */
export const status = signal<{ before: StatusResponse; now: StatusResponse } | undefined>();

const NOTHING: readonly Drawing[] = [];
/** What agents have drawn: they draw anew with each step, so that these are asked for oftener where there are any. */
export const drawings = computed(() => status.value?.now.drawings ?? NOTHING);

let readers = 0;
let askNow = () => {};

/** Asks for as long as the page is open. */
export async function askForStatus(): Promise<void> {
  while (true) {
    if (link.value.state === "connected" && !document.hidden) {
      try {
        const now = await bridge.status();
        status.value = { before: status.value?.now ?? now, now };
      } catch {
        status.value = undefined; // The bridge is gone, is of an earlier release, or the token may not ask.
      }
    } else {
      status.value = undefined;
    }
    await new Promise<void>((resolve) => {
      askNow = resolve;
      const isDrawn = drawings.value.length > 0 && layers.value.drawings;
      setTimeout(resolve, isDrawn ? DRAWN_PERIOD_MS : readers ? READ_PERIOD_MS : PERIOD_MS);
    });
  }
}

/** Somebody reads it, until they call what is returned. */
export function readStatus(): () => void {
  readers++;
  askNow();
  return () => {
    readers--;
  };
}

export interface SubscriberRow {
  readonly name: string;
  readonly transport: string;
  readonly policy: string;
  readonly framesASecond: number;
  readonly bytesASecond: number;
  readonly queued: number;
  readonly dropped: number;
  readonly delayMs: number | undefined;
  /** Whether the match waits for it at this moment, and its share of the time since the status before. */
  readonly holds: boolean;
  readonly heldShare: number;
}

export function rowsOf({ before, now }: { before: StatusResponse; now: StatusResponse }): { steps: number; subscribers: SubscriberRow[] } {
  const seconds = Number(now.createdNs - before.createdNs) / 1e9;
  const rate = (later: bigint, earlier: bigint | undefined) => (seconds > 0 && earlier !== undefined ? Math.max(0, Number(later - earlier)) / seconds : 0);
  const known = new Map(before.subscribers.map((subscriber) => [subscriber.name, subscriber]));
  return {
    steps: rate(now.steps, before.steps),
    subscribers: now.subscribers.map((each) => {
      const earlier = known.get(each.name);
      return {
        name: each.name,
        transport: each.transport,
        policy: Policy[each.policy]?.toLowerCase() ?? "",
        framesASecond: rate(each.delivered, earlier?.delivered),
        bytesASecond: rate(each.bytes, earlier?.bytes),
        queued: Number(each.queuedFrames),
        dropped: Number(each.dropped),
        delayMs: each.delayNs === undefined ? undefined : Number(each.delayNs) / 1e6,
        holds: each.matchWaits,
        heldShare: rate(each.matchWaitNs, earlier?.matchWaitNs) / 1e9,
      };
    }),
  };
}
