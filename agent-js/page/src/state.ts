/** The page's state as signals. The page redraws when they change. */

import { computed, signal } from "@preact/signals";
import type { Frame } from "sc2bridge";
import type { MatchDescription, PlaybackState } from "sc2bridge/v1/bridge";
import { Curves } from "./curves";
import { Events } from "./events";
import { StreamFigures } from "./figures";

/** The connection's state. `waiting`: the bridge answers, but has no match. `refused` needs a user's action: a token or another perspective. */
export type Link = {
  state: "connecting" | "waiting" | "connected" | "lost" | "refused";
  text: string;
  /** Whether the bridge refused the token, or refused to work without one. */
  needsToken?: boolean;
  /** The state in the viewer's words. */
  word?: string;
};
export const link = signal<Link>({ state: "connecting", text: "connecting" });

export const match = signal<MatchDescription | undefined>();
/** Why the match ended, as text. */
export const ended = signal<string | undefined>();

/** The newest frame of each watched perspective. */
export const newest = new Map<number, Frame>();
/** The shown frames by perspective: the newest, or the frames at which the view of a live match is paused. */
export const shown = signal<readonly Frame[]>([]);
/** `shown`, updated a few times a second, for tables: a person cannot read 22.4 updates a second. */
export const read = signal<readonly Frame[]>([]);
/** The game loop of a comparison, whose recordings can both lack this loop. Undefined without a comparison. */
export const comparedLoop = signal<number | undefined>();
/** The shown game loop, updated with `read`. */
export const shownLoop = computed(() => {
  const [frame] = read.value;
  return comparedLoop.peek() ?? frame?.gameLoop;
});
/** Whether the view of a live match is paused. The match continues. */
export const isHeld = signal(false);
/** How many game loops a paused view is behind the newest frame. */
export const loopsBehind = signal(0);

/** The playback of a recording, or of a replay in the game. Undefined for a live match. */
export const playback = signal<PlaybackState | undefined>();

/** A unit's tag. */
export const selected = signal<bigint | undefined>();
export const isFollowed = signal(false);

export const curves = new Curves();
export const events = new Events();
export const figures = new StreamFigures();
/** A line for the user about a failed request. */
export const notice = signal("");

const READ_MS = 250;
let timer = 0;
let lastRead = -Infinity;

/** Shows the newest frames. */
export function show(): void {
  if (!isHeld.value) {
    shown.value = [...newest.values()].sort((one, other) => one.perspective - other.perspective);
  }
  const wait = lastRead + READ_MS - performance.now();
  if (wait <= 0) {
    refresh();
  } else {
    timer ||= window.setTimeout(refresh, wait);
  }
}

function refresh(): void {
  window.clearTimeout(timer);
  timer = 0;
  lastRead = performance.now();
  read.value = shown.value;
  const [frame] = shown.value;
  loopsBehind.value = frame ? (newest.get(frame.perspective)?.gameLoop ?? frame.gameLoop) - frame.gameLoop : 0;
}

/** Resets the state for another match or other perspectives. */
export function forget(): void {
  newest.clear();
  curves.clear();
  events.clear();
  shown.value = read.value = [];
  isHeld.value = false;
  selected.value = undefined;
  isFollowed.value = false;
  ended.value = undefined;
}
