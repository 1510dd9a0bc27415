/** Watches a bridge's current match as any subscriber: policy `latest`, with one subscription for each perspective. */

import { effect } from "@preact/signals";
import { BridgeError, connect, type Connection, ConnectionLostError, type Frame, StatusCode, type Subscription } from "sc2bridge";
import { Result } from "sc2bridge/s2clientprotocol/sc2api";
import type { MatchDescription } from "sc2bridge/v1/bridge";
import { encoding, perspective } from "./settings";
import { refreshPlayback, setSource } from "./source";
import { curves, ended, events, figures, forget, link, match, newest, playback, show } from "./state";

const UNUSED_PARTS = ["abilities", "feature_layers", "render", "ui"] as const;
const PLAYBACK_MS = 1_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;
/** A bridge that has a match usually describes it within this time. */
const DESCRIBED_MS = 500;

/** The watched bridge. Replaced when the stream's settings change. */
export let bridge: Connection;

/** Watches until the returned function is called. The page watches while it is open. */
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
    // A local variable: if the settings change meanwhile, `bridge` is already another connection.
    const own = await connect(url, { encoding: spoken, ...(token === undefined ? {} : { token }) });
    try {
      signal.throwIfAborted();
      setSource((bridge = own));
      void reportWait(own, round.signal);
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
    // After a match's end the bridge may be about to exit, or to start the next match.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** If `describe` waits for a match: reports that the bridge answers. `describe` itself reports errors. */
async function reportWait(own: Connection, signal: AbortSignal): Promise<void> {
  const answered = await own.hello({ signal }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, DESCRIBED_MS));
  if (answered && !signal.aborted && link.value.state !== "connected") {
    link.value = { state: "waiting", text: `the bridge at ${own.address.target} has no match` };
  }
}

/** Receives one perspective's frames until the match's end. */
async function frames(own: Connection, matchId: string, id: number | undefined, spoken: "proto" | "json", signal: AbortSignal): Promise<void> {
  const subscription = own.subscribe({
    agent: "page",
    matchId,
    ...(id === undefined ? {} : { perspective: id }),
    policy: "latest",
    exclude: UNUSED_PARTS,
    // A frame as plain JSON is readable in the browser's network tab.
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
    forget(); // A different match with the same id: the bridge was restarted.
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
    ? { state: "refused", text: error.message, needsToken: error.code === StatusCode.UNAUTHENTICATED }
    : { state: "lost", text: error instanceof ConnectionLostError ? `no bridge answers at ${bridge.address.target}` : error.message };
}

/** Polls the playback's state, because other clients can control it too. */
async function poll(description: MatchDescription, signal: AbortSignal): Promise<void> {
  playback.value = undefined;
  while ((description.recording || description.replay) && !signal.aborted && (await refreshPlayback())) {
    await new Promise((resolve) => setTimeout(resolve, PLAYBACK_MS));
  }
}
