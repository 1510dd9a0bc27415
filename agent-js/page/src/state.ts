/** What the page knows of its match, as signals: what is drawn follows them. */

import { signal } from "@preact/signals";
import type { Frame } from "sc2bridge";
import type { MatchDescription, PlaybackState } from "sc2bridge/v1/bridge";
import { Curves } from "./curves";
import { Events } from "./events";
import { StreamFigures } from "./figures";

/** Whether the bridge is there. `refused` needs a person: a token, another perspective. */
export type Link = { state: "connecting" | "connected" | "lost" | "refused"; text: string };
export const link = signal<Link>({ state: "connecting", text: "connecting" });

export const match = signal<MatchDescription | undefined>();
/** Why the match ended, in words. */
export const ended = signal<string | undefined>();

/** The newest frame of each perspective that is watched. */
export const newest = new Map<number, Frame>();
/** The frames that are shown, by their perspectives: the newest, or those at which the view of a live match is held. */
export const shown = signal<readonly Frame[]>([]);
/** `shown`, some times a second: for what a person reads, as long tables cannot follow 22.4 frames a second. */
export const read = signal<readonly Frame[]>([]);
/** The view of a live match is held. The match goes on. */
export const isHeld = signal(false);

/** The playback of a recording, or of a replay in the game; undefined for a live match. */
export const playback = signal<PlaybackState | undefined>();

/** A unit's tag. */
export const selected = signal<bigint | undefined>();
export const isFollowed = signal(false);

export const curves = new Curves();
export const events = new Events();
export const figures = new StreamFigures();
/** A line for a person on what went wrong with what was just asked for. */
export const notice = signal("");

const READ_MS = 250;
let timer = 0;
let lastRead = -Infinity;

/** Shows what came last. */
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
}

/** Another match, or other perspectives: what was before is forgotten. */
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
