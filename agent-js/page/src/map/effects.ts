/** The parts of the picture that are not units: effects, power fields, sensor ranges, lines to the targets of orders, and agents' drawings. */

import type { Frame, Unit } from "sc2bridge";
import type { Color, DebugDraw } from "sc2bridge/s2clientprotocol/debug";
import type { Camera } from "./camera";
import { colourOf } from "./colours";
import type { Tiles } from "./tiles";
import { ringPart } from "./units";

/** Adds effects, power fields and the ranges of sensor towers. */
export function addEffects(tiles: Tiles, camera: Camera, frame: Frame, name: (effect: number) => string): void {
  const raw = frame.observation.observation?.rawData;
  for (const { pos, radius } of raw?.player?.powerSources ?? []) {
    circle(tiles, camera, pos?.x ?? 0, pos?.y ?? 0, radius, "#58c7e650");
  }
  for (const { pos, radius } of raw?.radar ?? []) {
    circle(tiles, camera, pos?.x ?? 0, pos?.y ?? 0, radius, "#c9b45880");
  }
  for (const effect of raw?.effects ?? []) {
    for (const { x, y } of effect.pos) {
      circle(tiles, camera, x, y, effect.radius || 0.5, colourOf(effect.owner), true);
      const [px, py] = camera.toPixels(x, y);
      addText(tiles, name(effect.effectId), px, py, 11, "#eef2f4", "center");
    }
  }
}

/** Adds lines to the targets of a unit's orders and to the unit that it fights. For a selected unit, also to its rally points. */
export function addOrders(tiles: Tiles, camera: Camera, unit: Unit, places: (tag: bigint) => readonly [number, number] | undefined, isSelected: boolean): void {
  const { orders, rallyTargets } = unit.units;
  const here = [unit.pos[0]!, unit.pos[1]!] as const;
  let from: readonly [number, number] = here;
  const [first, end] = orders.range(unit.row);
  for (let item = first; item < end; item++) {
    const tag = orders.targetUnitTag[item]!;
    const x = orders.targetWorldSpacePos[item * 3]!;
    const y = orders.targetWorldSpacePos[item * 3 + 1]!;
    // No unit can be in the map's corner, so (0, 0) means that the order has no position.
    const to = tag ? places(tag) : x || y ? ([x, y] as const) : undefined;
    if (to) {
      line(tiles, camera, from, to, isSelected ? "#b9e08f" : "#b9e08f48");
      from = to;
    }
  }
  const enemy = unit.engagedTargetTag ? places(unit.engagedTargetTag) : undefined;
  if (enemy) {
    line(tiles, camera, here, enemy, isSelected ? "#ec5f52" : "#ec5f5270");
  }
  if (!isSelected) {
    return;
  }
  const [firstRally, endRally] = rallyTargets.range(unit.row);
  for (let item = firstRally; item < endRally; item++) {
    line(tiles, camera, here, [rallyTargets.point[item * 3]!, rallyTargets.point[item * 3 + 1]!], "#dfe6ea90");
  }
}

function circle(tiles: Tiles, camera: Camera, x: number, y: number, radius: number, colour: string, isFilled = false): void {
  const [px, py] = camera.toPixels(x, y);
  tiles.put(ringPart(tiles, px, py, radius * camera.scale, colour, 1.5, isFilled ? `${colour}40` : ""));
}

/** Adds the drawings of agents, seen from above. A text with a position on the screen keeps it in the picture. */
export function addDrawing(tiles: Tiles, camera: Camera, { lines, boxes, spheres, text: texts }: DebugDraw): void {
  for (const { line: ends, color } of lines) {
    line(tiles, camera, [ends?.p0?.x ?? 0, ends?.p0?.y ?? 0], [ends?.p1?.x ?? 0, ends?.p1?.y ?? 0], css(color), 2);
  }
  for (const { min, max, color } of boxes) {
    const [left, bottom] = camera.toPixels(min?.x ?? 0, min?.y ?? 0);
    const [right, top] = camera.toPixels(max?.x ?? 0, max?.y ?? 0);
    const [x0, x1] = [Math.min(left, right) - 1, Math.max(left, right) + 1];
    tiles.add(x0, Math.min(top, bottom) - 1, x1, Math.max(top, bottom) + 1, drawBox, left, top, right - left, bottom - top, css(color));
  }
  for (const { p, r, color } of spheres) {
    const [x, y] = camera.toPixels(p?.x ?? 0, p?.y ?? 0);
    tiles.put(ringPart(tiles, x, y, Math.max(0, r) * camera.scale, css(color), 2));
  }
  for (const { text, worldPos, virtualPos, size, color } of texts) {
    const [x, y] = worldPos ? camera.toPixels(worldPos.x, worldPos.y) : [(virtualPos?.x ?? 0) * camera.width, (virtualPos?.y ?? 0) * camera.height];
    addText(tiles, text, x, y, Math.min(40, Math.max(10, size)), css(color), worldPos ? "center" : "left");
  }
}

/** A text has its base at `y` if it is centred, else its top. */
function addText(tiles: Tiles, text: string, x: number, y: number, size: number, colour: string, align: "center" | "left"): void {
  const reach = text.length * size;
  tiles.add(x - reach, y - 2 * size, x + reach, y + 2 * size, drawText, text, x, y, size, colour, align);
}

function drawText(canvas: CanvasRenderingContext2D, text: string, x: number, y: number, size: number, colour: string, align: "center" | "left"): void {
  canvas.font = `${size}px system-ui, sans-serif`;
  canvas.textAlign = align;
  canvas.textBaseline = align === "center" ? "alphabetic" : "top";
  canvas.fillStyle = colour;
  canvas.fillText(text, x, y);
  canvas.textBaseline = "alphabetic";
}

function drawBox(canvas: CanvasRenderingContext2D, left: number, top: number, width: number, height: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.lineWidth = 2;
  canvas.strokeRect(left, top, width, height);
}

function css(color: Color | undefined): string {
  return color ? `rgb(${color.r} ${color.g} ${color.b})` : "#ffffff";
}

function line(tiles: Tiles, camera: Camera, from: readonly [number, number], to: readonly [number, number], colour: string, width = 1): void {
  const [x0, y0] = camera.toPixels(...from);
  const [x1, y1] = camera.toPixels(...to);
  tiles.add(Math.min(x0, x1) - width, Math.min(y0, y1) - width, Math.max(x0, x1) + width, Math.max(y0, y1) + width, drawLine, x0, y0, x1, y1, colour, width);
}

function drawLine(canvas: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number, colour: string, width: number): void {
  canvas.beginPath();
  canvas.moveTo(x0, y0);
  canvas.lineTo(x1, y1);
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.stroke();
}
