/** The marks of events: each kind has its own shape and colour. The panel of events is their legend. */

import type { Kind, MatchEvent } from "./events";
import { shade } from "./settings";

/** Paths of 8 by 8 units. */
export const KIND_SHAPES: Record<Kind, string> = {
  alert: "M4 0l4 8H0z",
  chat: "M1 1h6v6H1z",
  "action error": "M0 2l2-2 2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2z",
  deaths: "M0 0h8L4 8z",
  "match end": "M0 0h8v4H2v4H0z",
  fight: "M4 0l4 4-4 4-4-4z",
  expansion: "M3 0h2v3h3v2H5v3H3V5H0V3h3z",
  tech: "M4 0l4 3-1.5 5h-5L0 3z",
  "slow step": "M4 0a4 4 0 1 1 0 8 4 4 0 1 1 0-8z",
};

const LIGHT: Record<Kind, string> = {
  alert: "#946200",
  chat: "#1f6fc4",
  "action error": "#7b4bc0",
  deaths: "#c23b2b",
  "match end": "#4c565e",
  fight: "#b8400f",
  expansion: "#1c7a48",
  tech: "#a8327f",
  "slow step": "#776800",
};
const DARK: Record<Kind, string> = {
  alert: "#d9a23b",
  chat: "#5aa7e8",
  "action error": "#b08ae6",
  deaths: "#ee7563",
  "match end": "#a5adb8",
  fight: "#f0783c",
  expansion: "#43c98a",
  tech: "#e88fc8",
  "slow step": "#c9b458",
};

export const kindColour = (kind: Kind): string => (shade.value === "dark" ? DARK : LIGHT)[kind];

/** Kinds that can have many events are in the lower lane. */
const LOWER: ReadonlySet<Kind> = new Set<Kind>(["alert", "chat", "action error", "deaths"]);
export const LANES = 2;

/**
 * Draws the marks of events in two lanes. The events must be sorted by game loop. A mark that would cover the previous mark of its
 * kind is left out. All sizes are in pixels.
 */
export function drawMarks(
  canvas: CanvasRenderingContext2D,
  events: readonly MatchEvent[],
  { x, top, size, apart }: { x: (loop: number) => number | undefined; top: number; size: number; apart: number },
): void {
  const last = new Map<Kind, number>();
  const shapes = new Map<Kind, Path2D>();
  for (const { kind, loop } of events) {
    const at = x(loop);
    if (at === undefined || at - (last.get(kind) ?? -Infinity) < size * 0.75) {
      continue;
    }
    last.set(kind, at);
    if (!shapes.has(kind)) {
      shapes.set(kind, new Path2D(KIND_SHAPES[kind]));
    }
    canvas.save();
    canvas.translate(at - size / 2, top + (LOWER.has(kind) ? apart : 0));
    canvas.scale(size / 8, size / 8);
    canvas.fillStyle = kindColour(kind);
    canvas.fill(shapes.get(kind)!);
    canvas.restore();
  }
}
