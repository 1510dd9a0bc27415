/** Draws units: a disc of the owner's colour with the unit's radius, a notch where it faces, bars of life and of progress. */

import type { Unit } from "sc2bridge";
import { CloakState, DisplayType } from "sc2bridge/s2clientprotocol/raw";
import type { Camera } from "./camera";
import { colourOf, GAS, MINERALS, NEUTRAL, UNKNOWN } from "./colours";

const CLOAKED: readonly number[] = [CloakState.Cloaked, CloakState.CloakedDetected, CloakState.CloakedAllied];
const LEAST_PX = 1.5;
const NAMES_FROM_SCALE = 14;

/** What is told of the types of units. */
export interface TypeTable {
  name(unitType: number): string;
  isBuilding(unitType: number): boolean;
  isMineralField(unitType: number): boolean;
  isGeyser(unitType: number): boolean;
}

export interface DrawnUnit {
  readonly unit: Unit;
  /** Pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly colour: string;
}

export function drawUnits(
  canvas: CanvasRenderingContext2D,
  camera: Camera,
  units: readonly Unit[],
  types: TypeTable,
  shown: { selected: bigint | undefined; names: boolean },
): DrawnUnit[] {
  const drawn: DrawnUnit[] = [];
  // What flies is above buildings and what walks; resources are below all.
  const layers: Unit[][] = [[], [], [], []];
  for (const unit of units) {
    const isResource = types.isMineralField(unit.unitType) || types.isGeyser(unit.unitType);
    layers[unit.isFlying ? 3 : isResource ? 0 : types.isBuilding(unit.unitType) ? 1 : 2]!.push(unit);
  }
  for (const unit of layers.flat()) {
    const [x, y] = camera.toPixels(unit.pos[0]!, unit.pos[1]!);
    const radius = Math.max(LEAST_PX, unit.radius * camera.scale);
    const colour = types.isMineralField(unit.unitType)
      ? MINERALS
      : types.isGeyser(unit.unitType) && unit.owner === NEUTRAL
        ? GAS
        : unit.isBlip
          ? UNKNOWN
          : colourOf(unit.owner);
    drawn.push({ unit, x, y, radius, colour });
    if (x < -radius - 40 || y < -radius - 40 || x > camera.width + radius + 40 || y > camera.height + radius + 40) {
      continue;
    }
    drawUnit(canvas, { unit, x, y, radius, colour }, types);
    if (unit.tag === shown.selected) {
      ring(canvas, x, y, radius + 4, "#ffffff", 2);
    }
    if (shown.names && camera.scale >= NAMES_FROM_SCALE) {
      name(canvas, types.name(unit.unitType), x, y + radius + 12);
    }
  }
  canvas.globalAlpha = 1;
  return drawn;
}

function drawUnit(canvas: CanvasRenderingContext2D, { unit, x, y, radius, colour }: DrawnUnit, types: TypeTable): void {
  canvas.globalAlpha = unit.displayType === DisplayType.Snapshot ? 0.5 : unit.displayType === DisplayType.Hidden || CLOAKED.includes(unit.cloak) || unit.isBurrowed ? 0.65 : 1;
  canvas.fillStyle = colour;
  canvas.beginPath();
  if (types.isMineralField(unit.unitType)) {
    canvas.rect(x - radius, y - radius * 0.5, radius * 2, radius);
  } else if (types.isBuilding(unit.unitType) && unit.owner !== NEUTRAL) {
    canvas.roundRect(x - radius * 0.86, y - radius * 0.86, radius * 1.72, radius * 1.72, radius * 0.3);
  } else {
    canvas.arc(x, y, radius, 0, 2 * Math.PI);
  }
  if (unit.displayType === DisplayType.Placeholder) {
    canvas.strokeStyle = colour;
    canvas.setLineDash([3, 3]);
    canvas.stroke();
    canvas.setLineDash([]);
    return;
  }
  canvas.fill();
  if (radius >= 3) {
    canvas.lineWidth = 1;
    canvas.strokeStyle = unit.isFlying ? "#ffffffc0" : "#00000080";
    canvas.stroke();
    if (unit.owner !== NEUTRAL && !types.isBuilding(unit.unitType)) {
      canvas.beginPath();
      canvas.moveTo(x + Math.cos(unit.facing) * radius * 0.55, y - Math.sin(unit.facing) * radius * 0.55);
      canvas.lineTo(x + Math.cos(unit.facing) * radius * 1.3, y - Math.sin(unit.facing) * radius * 1.3);
      canvas.strokeStyle = "#ffffff";
      canvas.lineWidth = Math.max(1, radius * 0.2);
      canvas.stroke();
    }
  }
  canvas.globalAlpha = 1;
  const width = Math.max(8, radius * 2);
  if (unit.owner !== NEUTRAL && unit.healthMax > 0 && unit.health + unit.shield < unit.healthMax + unit.shieldMax && unit.buildProgress >= 1) {
    const life = (unit.health + unit.shield) / (unit.healthMax + unit.shieldMax);
    bar(canvas, x, y - radius - 5, width, life, life > 0.6 ? "#6fd06f" : life > 0.3 ? "#e6c84f" : "#ec5f52");
  }
  if (unit.owner !== NEUTRAL && unit.buildProgress > 0 && unit.buildProgress < 1) {
    bar(canvas, x, y + radius + 3, width, unit.buildProgress, "#dfe6ea");
  }
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
