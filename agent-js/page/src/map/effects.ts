/** Draws what is not a unit: effects, power fields, sensor ranges, lines to the targets of orders, and agents' drawings. */

import type { Frame, Unit } from "sc2bridge";
import type { Color, DebugDraw } from "sc2bridge/s2clientprotocol/debug";
import type { Camera } from "./camera";
import { colourOf } from "./colours";
import { ring } from "./units";

/** Draws effects, power fields and the ranges of sensor towers. */
export function drawEffects(canvas: CanvasRenderingContext2D, camera: Camera, frame: Frame, name: (effect: number) => string): void {
  const raw = frame.observation.observation?.rawData;
  for (const { pos, radius } of raw?.player?.powerSources ?? []) {
    circle(canvas, camera, pos?.x ?? 0, pos?.y ?? 0, radius, "#58c7e650");
  }
  for (const { pos, radius } of raw?.radar ?? []) {
    circle(canvas, camera, pos?.x ?? 0, pos?.y ?? 0, radius, "#c9b45880");
  }
  for (const effect of raw?.effects ?? []) {
    for (const { x, y } of effect.pos) {
      circle(canvas, camera, x, y, effect.radius || 0.5, colourOf(effect.owner), true);
      const [px, py] = camera.toPixels(x, y);
      canvas.font = "11px system-ui, sans-serif";
      canvas.textAlign = "center";
      canvas.fillStyle = "#eef2f4";
      canvas.fillText(name(effect.effectId), px, py);
    }
  }
}

/** Draws lines to the targets of a unit's orders and to the unit that it fights. For a selected unit, also to its rally points. */
export function drawOrders(canvas: CanvasRenderingContext2D, camera: Camera, unit: Unit, places: (tag: bigint) => readonly [number, number] | undefined, isSelected: boolean): void {
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
      line(canvas, camera, from, to, isSelected ? "#b9e08f" : "#b9e08f48");
      from = to;
    }
  }
  const enemy = unit.engagedTargetTag ? places(unit.engagedTargetTag) : undefined;
  if (enemy) {
    line(canvas, camera, here, enemy, isSelected ? "#ec5f52" : "#ec5f5270");
  }
  if (!isSelected) {
    return;
  }
  const [firstRally, endRally] = rallyTargets.range(unit.row);
  for (let item = firstRally; item < endRally; item++) {
    line(canvas, camera, here, [rallyTargets.point[item * 3]!, rallyTargets.point[item * 3 + 1]!], "#dfe6ea90");
  }
}

function circle(canvas: CanvasRenderingContext2D, camera: Camera, x: number, y: number, radius: number, colour: string, isFilled = false): void {
  const [px, py] = camera.toPixels(x, y);
  ring(canvas, px, py, radius * camera.scale, colour, 1.5);
  if (isFilled) {
    canvas.fillStyle = `${colour}40`;
    canvas.fill();
  }
}

/** Draws the drawings of agents, seen from above. A text with a position on the screen keeps it in the picture. */
export function drawDrawing(canvas: CanvasRenderingContext2D, camera: Camera, { lines, boxes, spheres, text: texts }: DebugDraw): void {
  for (const { line: ends, color } of lines) {
    line(canvas, camera, [ends?.p0?.x ?? 0, ends?.p0?.y ?? 0], [ends?.p1?.x ?? 0, ends?.p1?.y ?? 0], css(color), 2);
  }
  for (const { min, max, color } of boxes) {
    const [left, bottom] = camera.toPixels(min?.x ?? 0, min?.y ?? 0);
    const [right, top] = camera.toPixels(max?.x ?? 0, max?.y ?? 0);
    canvas.strokeStyle = css(color);
    canvas.lineWidth = 2;
    canvas.strokeRect(left, top, right - left, bottom - top);
  }
  for (const { p, r, color } of spheres) {
    const [x, y] = camera.toPixels(p?.x ?? 0, p?.y ?? 0);
    ring(canvas, x, y, Math.max(0, r) * camera.scale, css(color), 2);
  }
  for (const { text, worldPos, virtualPos, size, color } of texts) {
    const [x, y] = worldPos ? camera.toPixels(worldPos.x, worldPos.y) : [(virtualPos?.x ?? 0) * camera.width, (virtualPos?.y ?? 0) * camera.height];
    canvas.font = `${Math.min(40, Math.max(10, size))}px system-ui, sans-serif`;
    canvas.textAlign = worldPos ? "center" : "left";
    canvas.textBaseline = worldPos ? "alphabetic" : "top";
    canvas.fillStyle = css(color);
    canvas.fillText(text, x, y);
  }
  canvas.textBaseline = "alphabetic";
}

function css(color: Color | undefined): string {
  return color ? `rgb(${color.r} ${color.g} ${color.b})` : "#ffffff";
}

function line(canvas: CanvasRenderingContext2D, camera: Camera, from: readonly [number, number], to: readonly [number, number], colour: string, width = 1): void {
  canvas.beginPath();
  canvas.moveTo(...camera.toPixels(...from));
  canvas.lineTo(...camera.toPixels(...to));
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.stroke();
}
