/** The bridge's status: polled rarely for problems and drawings, more often while the stream panel shows it. */

import { computed, signal } from "@preact/signals";
import { Policy } from "sc2bridge/v1/bridge";
import type { Drawing, StatusResponse } from "sc2bridge/v1/bridge";
import { layers } from "./settings";
import { source } from "./source";
import { link } from "./state";

const PERIOD_MS = 5_000;
const READ_PERIOD_MS = 1_000;
const DRAWN_PERIOD_MS = 200;

/** The last two answers: their difference gives rates. */
export const status = signal<{ before: StatusResponse; now: StatusResponse } | undefined>();

const NOTHING: readonly Drawing[] = [];
/** Agents' drawings. Agents draw again at each step, so the status is polled more often if there are drawings. */
export const drawings = computed(() => status.value?.now.drawings ?? NOTHING);

let readers = 0;
let askNow = () => {};

/** Polls the status while the page is open. */
export async function askForStatus(): Promise<void> {
  while (true) {
    if (link.value.state === "connected" && !document.hidden) {
      try {
        const now = await source.status!();
        status.value = { before: status.value?.now ?? now, now };
      } catch {
        status.value = undefined; // The bridge is lost or too old, or the token has no permission.
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

/** Polls more often until the returned function is called. */
export function readStatus(): () => void {
  readers++;
  askNow();
  return () => {
    readers--;
  };
}

interface SubscriberRow {
  readonly name: string;
  readonly transport: string;
  readonly policy: string;
  readonly framesASecond: number;
  readonly bytesASecond: number;
  readonly queued: number;
  readonly dropped: number;
  readonly delayMs: number | undefined;
  /** Whether the match waits for it at this moment, and its share of the time since the previous status. */
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
