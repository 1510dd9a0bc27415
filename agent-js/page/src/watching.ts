/** Watches the match that runs, as any subscriber does: policy `latest`, and of two perspectives each by a subscription. */

import { effect } from "@preact/signals";
import { BridgeError, connect, type Connection, ConnectionLostError, type Frame, StatusCode, type Subscription } from "sc2bridge";
import { Result } from "sc2bridge/s2clientprotocol/sc2api";
import type { MatchDescription } from "sc2bridge/v1/bridge";
import { encoding, perspective } from "./settings";
import { curves, ended, events, figures, forget, link, match, newest, playback, show } from "./state";

const UNUSED_PARTS = ["abilities", "feature_layers", "render", "ui"] as const;
const PLAYBACK_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

/** The bridge that the page watches; another one once the settings of the stream were changed. */
export let bridge: Connection;

/** Watches until what is returned is called: the page, for as long as it is open. */
export function watch(url: string, token: string | undefined): () => void {
  return effect(() => {
    const abort = new AbortController();
    void watchAs(url, token, encoding.value, perspective.value, abort.signal);
    return () => abort.abort(new DOMException("other settings", "AbortError"));
  });
}

async function watchAs(
  url: string,
  token: string | undefined,
  spoken: "proto" | "json",
  watched: number | "all" | "first",
  signal: AbortSignal,
): Promise<void> {
  forget();
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    const round = new AbortController();
    const stop = () => round.abort(signal.reason);
    signal.addEventListener("abort", stop);
    // This round's own: where the settings were changed meanwhile, `bridge` is another already.
    const own = await connect(url, { encoding: spoken, ...(token === undefined ? {} : { token }) });
    try {
      signal.throwIfAborted();
      bridge = own;
      const description = await own.describe({ perspective: typeof watched === "number" ? watched : undefined, signal: round.signal });
      if (description.matchId !== match.value?.matchId || ended.value) {
        forget();
      }
      match.value = description;
      link.value = { state: "connected", text: "connected" };
      pauseMs = FIRST_PAUSE_MS;
      void poll(description, round.signal);
      const ids =
        watched === "all" ? description.perspectives : watched !== "first" && description.perspectives.includes(watched) ? [watched] : [undefined];
      await Promise.all(ids.map((id) => frames(own, description.matchId, id, spoken, round.signal)));
    } catch (error) {
      if (!signal.aborted) {
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
        lost(error as Error);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      round.abort(new DOMException("over", "AbortError"));
      own.close();
    }
    // A bridge that has ended its match may be about to leave, or to begin the next.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** One perspective's frames, until the match's end. */
async function frames(own: Connection, matchId: string, id: number | undefined, spoken: "proto" | "json", signal: AbortSignal): Promise<void> {
  const subscription = own.subscribe({
    agent: "page",
    matchId,
    ...(id === undefined ? {} : { perspective: id }),
    policy: "latest",
    exclude: UNUSED_PARTS,
    // As plain JSON a frame can be read in the browser's network tab.
    ...(spoken === "proto" ? { content: "columns", compression: "group-zstd" } : {}),
    reportTimes: false,
    signal,
  });
  for await (const frame of subscription) {
    received(frame);
  }
  if (subscription.end && !signal.aborted) {
    end(subscription.end);
  }
}

function received(frame: Frame): void {
  figures.received(frame);
  if (!match.value?.recording && frame.gameLoop < (newest.get(frame.perspective)?.gameLoop ?? 0)) {
    forget(); // Another match under the same id: the bridge was started anew.
  }
  newest.set(frame.perspective, frame);
  curves.add(frame);
  events.add(frame);
  if (playback.value?.paused === false && frame.seeked) {
    void refreshPlayback();
  }
  show();
}

function end({ gameLoop, results: each, detail, reason: word }: NonNullable<Subscription["end"]>): void {
  const reason = (ended.value = detail || word);
  const results = each.map(({ playerId, result }) => `player ${playerId} ${Result[result]?.toLowerCase() ?? ""}`).join(", ");
  events.end(gameLoop, results ? `${reason}: ${results}` : reason);
  show();
}

function lost(error: Error): void {
  const isRefusal = error instanceof BridgeError && !(error instanceof ConnectionLostError);
  if (link.value.state === "connected") {
    figures.losses++;
  }
  link.value = isRefusal
    ? { state: "refused", text: error.code === StatusCode.UNAUTHENTICATED ? "the bridge wants a token: open the address that it printed (…#token=…)" : error.message }
    : { state: "lost", text: error instanceof ConnectionLostError ? "no bridge there; looking for it" : error.message };
}

/** Others may control the playback too: asks for its state from time to time. */
async function poll(description: MatchDescription, signal: AbortSignal): Promise<void> {
  playback.value = undefined;
  while ((description.recording || description.replay) && !signal.aborted && (await refreshPlayback())) {
    await new Promise((resolve) => setTimeout(resolve, PLAYBACK_MS));
  }
}

/** Asks for the playback's state; where there is none to be had, it stays. False where there will never be: a token that only watches. */
export async function refreshPlayback(): Promise<boolean> {
  const asked = bridge;
  try {
    const state = await asked.playback();
    if (asked === bridge) {
      playback.value = state;
    }
    return true;
  } catch (error) {
    // Of a bridge that is gone the stream tells.
    return !(error instanceof BridgeError && error.code === StatusCode.PERMISSION_DENIED);
  }
}
