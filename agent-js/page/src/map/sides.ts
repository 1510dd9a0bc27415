/** The shapes of units by their side, so that the map can be read without colours. */

import type { Frame, Unit } from "sc2bridge";
import { Alliance } from "sc2bridge/s2clientprotocol/raw";
import { NEUTRAL } from "./colours";

export type Side = "own" | "enemy" | "neutral";

/** The player whose units are own units. For an observer of all, this is player 1. */
export function homeOf(frames: readonly Frame[]): number {
  return frames[0]?.perspective || 1;
}

/** The side of a unit. With all perspectives together, `alliance` differs by perspective, so the owner decides. Units of an ally count as own units. */
export function sideOf({ owner, alliance }: Pick<Unit, "owner" | "alliance">, home: number): Side {
  return owner === NEUTRAL ? "neutral" : owner === home || alliance === Alliance.Ally ? "own" : "enemy";
}

/** The shape of a unit. */
export type Shape = "field" | "building" | "disc" | "diamond" | "hexagon";

/** Fills a shape. Without a graphics card, a browser takes longest for curves, so small shapes have none. They look the same. */
type Fill = (canvas: CanvasRenderingContext2D, x: number, y: number, radius: number) => void;

const DISC_FROM_PX = 2.5;
const ROUND_FROM_PX = 10;

/** The shape of a unit that is not a mineral field. */
export function shapeOf(side: Side, isBuilding: boolean): Shape {
  return side === "enemy" ? "diamond" : side === "neutral" ? "hexagon" : isBuilding ? "building" : "disc";
}

const field: Fill = (canvas, x, y, radius) => canvas.fillRect(x - radius, y - radius * 0.5, radius * 2, radius);

const building: Fill = (canvas, x, y, radius) => {
  const half = radius * 0.86;
  if (radius < ROUND_FROM_PX) {
    canvas.fillRect(x - half, y - half, half * 2, half * 2);
  } else {
    canvas.beginPath();
    canvas.roundRect(x - half, y - half, half * 2, half * 2, radius * 0.3);
    canvas.fill();
  }
};

const disc: Fill = (canvas, x, y, radius) => {
  if (radius < DISC_FROM_PX) {
    const half = radius * 0.89; // The square has the area of the disc.
    canvas.fillRect(x - half, y - half, half * 2, half * 2);
  } else {
    canvas.beginPath();
    canvas.arc(x, y, radius, 0, 2 * Math.PI);
    canvas.fill();
  }
};

/** A polygon with corners at the left and the right. `reach` times the radius gives it about the area of the disc. */
const polygon = (corners: number, reach: number): Fill => (canvas, x, y, radius) => {
  canvas.beginPath();
  for (let corner = 0; corner < corners; corner++) {
    const angle = (corner * 2 * Math.PI) / corners;
    canvas.lineTo(x + Math.cos(angle) * radius * reach, y + Math.sin(angle) * radius * reach);
  }
  canvas.fill();
};

export const SHAPES: Readonly<Record<Shape, Fill>> = { field, building, disc, diamond: polygon(4, 1.25), hexagon: polygon(6, 1.1) };
