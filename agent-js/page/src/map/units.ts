/** Draws units: a shape for the side with the owner's colour and the unit's radius, a line for the direction, bars for life and progress. */

import type { Unit, Units } from "sc2bridge";
import { CloakState, DisplayType } from "sc2bridge/s2clientprotocol/raw";
import type { Camera } from "./camera";
import { colourOf, GAS, MINERALS, NEUTRAL, UNKNOWN } from "./colours";
import { field, type Shape, shapeOf, type Side, sideOf } from "./sides";

const CLOAKED: readonly number[] = [CloakState.Cloaked, CloakState.CloakedDetected, CloakState.CloakedAllied];
const LEAST_PX = 1.5;
const OUTLINE_FROM_PX = 3;
const NAMES_FROM_SCALE = 14;

/** The names and properties of unit types. */
export interface TypeTable {
  name(unitType: number): string;
  isBuilding(unitType: number): boolean;
  isMineralField(unitType: number): boolean;
  isGeyser(unitType: number): boolean;
}

export interface DrawnUnit {
  readonly unit: Unit;
  /** In pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly colour: string;
  readonly side: Side;
}

type Columns = ReturnType<typeof columnsOf>;

/** The columns that a picture needs. */
function columnsOf(units: Units) {
  const { unitType, owner, alliance, displayType, cloak, pos, facing, radius, buildProgress, health, healthMax, shield, shieldMax, isBlip, isFlying, isBurrowed } = units;
  return { unitType, owner, alliance, displayType, cloak, pos, facing, radius, buildProgress, health, healthMax, shield, shieldMax, isBlip, isFlying, isBurrowed };
}

export function drawUnits(
  canvas: CanvasRenderingContext2D,
  camera: Camera,
  units: readonly Unit[],
  types: TypeTable,
  shown: { selected: bigint | undefined; names: boolean; home: number },
): DrawnUnit[] {
  const drawn: DrawnUnit[] = [];
  // Flying units are drawn above buildings and ground units. Resources are drawn below all other units.
  const layers: DrawnUnit[][] = [[], [], [], []];
  const tables = new Map<Units, Columns>(); // Finding a column by its name takes longer than reading its numbers.
  for (const unit of units) {
    const { row } = unit;
    let columns = tables.get(unit.units);
    if (!columns) {
      tables.set(unit.units, (columns = columnsOf(unit.units)));
    }
    const unitType = columns.unitType[row]!;
    const owner = columns.owner[row]!;
    const [x, y] = camera.toPixels(columns.pos[row * 3]!, columns.pos[row * 3 + 1]!);
    const radius = Math.max(LEAST_PX, columns.radius[row]! * camera.scale);
    const [isMineral, isGeyser] = [types.isMineralField(unitType), types.isGeyser(unitType)];
    const colour = isMineral ? MINERALS : isGeyser && owner === NEUTRAL ? GAS : columns.isBlip[row] ? UNKNOWN : colourOf(owner);
    const side = sideOf({ owner, alliance: columns.alliance[row]! }, shown.home);
    layers[columns.isFlying[row] ? 3 : isMineral || isGeyser ? 0 : types.isBuilding(unitType) ? 1 : 2]!.push({ unit, x, y, radius, colour, side });
  }
  for (const each of layers.flat()) {
    const { unit, x, y, radius } = each;
    drawn.push(each);
    if (x < -radius - 40 || y < -radius - 40 || x > camera.width + radius + 40 || y > camera.height + radius + 40) {
      continue;
    }
    drawUnit(canvas, each, tables.get(unit.units)!, types);
    if (shown.selected !== undefined && unit.tag === shown.selected) {
      ring(canvas, x, y, radius + 4, "#ffffff", 2);
    }
    if (shown.names && camera.scale >= NAMES_FROM_SCALE) {
      name(canvas, types.name(unit.unitType), x, y + radius + 12);
    }
  }
  canvas.globalAlpha = 1;
  return drawn;
}

/** Without a graphics card, a browser takes longest for outlines and curves. So an outline is a larger shape below the unit. */
function drawUnit(canvas: CanvasRenderingContext2D, { unit: { row }, x, y, radius, colour, side }: DrawnUnit, columns: Columns, types: TypeTable): void {
  const unitType = columns.unitType[row]!;
  const displayType = columns.displayType[row]!;
  const isBuilding = types.isBuilding(unitType);
  const isNeutral = side === "neutral";
  const shape: Shape = types.isMineralField(unitType) ? field : shapeOf(side, isBuilding);
  canvas.globalAlpha = displayType === DisplayType.Snapshot ? 0.5 : displayType === DisplayType.Hidden || CLOAKED.includes(columns.cloak[row]!) || columns.isBurrowed[row] ? 0.65 : 1;
  if (displayType === DisplayType.Placeholder) {
    canvas.strokeStyle = colour;
    canvas.setLineDash([3, 3]);
    canvas.strokeRect(x - radius * 0.86, y - radius * 0.86, radius * 1.72, radius * 1.72);
    canvas.setLineDash([]);
    return;
  }
  const hasOutline = radius >= OUTLINE_FROM_PX;
  if (hasOutline) {
    canvas.fillStyle = columns.isFlying[row] ? "#ffffffc0" : "#000000c0";
    shape(canvas, x, y, radius + 0.5);
  }
  canvas.fillStyle = colour;
  shape(canvas, x, y, hasOutline ? radius - 0.5 : radius);
  if (hasOutline && !isNeutral && !isBuilding) {
    drawFacing(canvas, x, y, radius, columns.facing[row]!);
  }
  canvas.globalAlpha = 1;
  if (isNeutral) {
    return;
  }
  const width = Math.max(8, radius * 2);
  const buildProgress = columns.buildProgress[row]!;
  const life = buildProgress >= 1 && columns.healthMax[row]! > 0 ? (columns.health[row]! + columns.shield[row]!) / (columns.healthMax[row]! + columns.shieldMax[row]!) : 1;
  if (life < 1) {
    bar(canvas, x, y - radius - 5, width, life, life > 0.6 ? "#6fd06f" : life > 0.3 ? "#e6c84f" : "#ec5f52");
  }
  if (buildProgress > 0 && buildProgress < 1) {
    bar(canvas, x, y + radius + 3, width, buildProgress, "#dfe6ea");
  }
}

/** A white bar in the unit's direction. */
function drawFacing(canvas: CanvasRenderingContext2D, x: number, y: number, radius: number, facing: number): void {
  const [dx, dy] = [Math.cos(facing) * radius, -Math.sin(facing) * radius];
  const half = Math.max(0.5, radius * 0.1) / radius;
  canvas.fillStyle = "#ffffff";
  canvas.beginPath();
  canvas.moveTo(x + dx * 0.55 - dy * half, y + dy * 0.55 + dx * half);
  canvas.lineTo(x + dx * 1.3 - dy * half, y + dy * 1.3 + dx * half);
  canvas.lineTo(x + dx * 1.3 + dy * half, y + dy * 1.3 - dx * half);
  canvas.lineTo(x + dx * 0.55 + dy * half, y + dy * 0.55 - dx * half);
  canvas.fill();
}

export function ring(canvas: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string, width = 1): void {
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, 2 * Math.PI);
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.stroke();
}

function bar(canvas: CanvasRenderingContext2D, x: number, y: number, width: number, share: number, colour: string): void {
  canvas.fillStyle = "#000000a0";
  canvas.fillRect(x - width / 2, y, width, 3);
  canvas.fillStyle = colour;
  canvas.fillRect(x - width / 2, y, width * share, 3);
}

function name(canvas: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  canvas.font = "11px system-ui, sans-serif";
  canvas.textAlign = "center";
  canvas.fillStyle = "#000000b0";
  canvas.fillText(text, x + 1, y + 1);
  canvas.fillStyle = "#eef2f4";
  canvas.fillText(text, x, y);
}
