/** Draws units: a shape for the side with the owner's colour and the unit's radius, a line for the direction, bars for life and progress. */

import type { Unit, Units } from "sc2bridge";
import { CloakState, DisplayType } from "sc2bridge/s2clientprotocol/raw";
import { type Camera, pixelRatio } from "./camera";
import { colourOf, GAS, MINERALS, NEUTRAL, UNKNOWN } from "./colours";
import { type Shape, SHAPES, shapeOf, type Side, sideOf } from "./sides";
import type { Part, Tiles } from "./tiles";

const CLOAKED: readonly number[] = [CloakState.Cloaked, CloakState.CloakedDetected, CloakState.CloakedAllied];
const LEAST_PX = 1.5;
const OUTLINE_FROM_PX = 3;
const BAR_PX = 3;
/** More than half the width of a letter of a name. */
const NAME_PX = 6;

/** The names and properties of unit types. */
export interface TypeTable {
  name(unitType: number): string;
  isBuilding(unitType: number): boolean;
  isMineralField(unitType: number): boolean;
  isGeyser(unitType: number): boolean;
}

export interface DrawnUnit {
  /** The unit in the newest picture. */
  unit: Unit;
  /** In pixels. */
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly colour: string;
  readonly side: Side;
  /** Flying units are above buildings and ground units. Resources are below all other units. */
  readonly layer: number;
}

type Columns = ReturnType<typeof picked>;

/** The columns that a picture needs. Finding a column by its name takes longer than reading its numbers. */
function picked(units: Units) {
  const { unitType, owner, alliance, displayType, cloak, pos, facing, radius, buildProgress, health, healthMax, shield, shieldMax, isBlip, isFlying, isBurrowed } = units;
  const all = { unitType, owner, alliance, displayType, cloak, radius, buildProgress, health, healthMax, shield, shieldMax, isBlip, isFlying, isBurrowed };
  return { ...all, pos, facing, numbers: Object.values(all) };
}

const tables = new WeakMap<Units, Columns>();

function columnsOf(units: Units): Columns {
  let columns = tables.get(units);
  if (!columns) {
    tables.set(units, (columns = picked(units)));
  }
  return columns;
}

/** Directions that look different. */
const DIRECTIONS = 32;

/** The centre of a unit, at a whole pixel of the screen: a slow unit is not drawn again in each picture. */
function centreOf(camera: Camera, { pos }: Columns, row: number): [x: number, y: number] {
  const ratio = pixelRatio();
  const [x, y] = camera.toPixels(pos[row * 3]!, pos[row * 3 + 1]!);
  return [Math.round(x * ratio) / ratio, Math.round(y * ratio) / ratio];
}

/** The number of a unit's direction, from 0 to DIRECTIONS. */
function directionOf({ facing }: Columns, row: number): number {
  return Math.round((facing[row]! / (2 * Math.PI)) * DIRECTIONS);
}

/** A unit in pixels. */
function placeOf(camera: Camera, unit: Unit, types: TypeTable, home: number): DrawnUnit {
  const { row } = unit;
  const columns = columnsOf(unit.units);
  const unitType = columns.unitType[row]!;
  const owner = columns.owner[row]!;
  const [x, y] = centreOf(camera, columns, row);
  const radius = Math.max(LEAST_PX, columns.radius[row]! * camera.scale);
  const [isMineral, isGeyser] = [types.isMineralField(unitType), types.isGeyser(unitType)];
  const colour = isMineral ? MINERALS : isGeyser && owner === NEUTRAL ? GAS : columns.isBlip[row] ? UNKNOWN : colourOf(owner);
  const side = sideOf({ owner, alliance: columns.alliance[row]! }, home);
  const layer = columns.isFlying[row] ? 3 : isMineral || isGeyser ? 0 : types.isBuilding(unitType) ? 1 : 2;
  return { unit, x, y, radius, colour, side, layer };
}

/** A unit in a picture. */
interface Look {
  readonly drawn: DrawnUnit;
  readonly parts: readonly Part[];
  /** The number of the newest picture with it. */
  picture: number;
}

/** The state that changes the look of every unit. */
interface Setting {
  readonly view: number;
  readonly types: TypeTable;
  readonly home: number;
  readonly selected: bigint | undefined;
  readonly names: boolean;
}

/** Adds units to a picture. A unit that looks as in the last picture keeps its parts. */
export class UnitParts {
  #looks: Look[] = [];
  #picture = 0;
  #setting: Setting | undefined;

  constructor(
    private readonly tiles: Tiles,
    private readonly camera: Camera,
  ) {}

  /** Returns the units, sorted from the lowest to the topmost. */
  add(units: readonly Unit[], setting: Setting): DrawnUnit[] {
    const last = (Object.keys(setting) as (keyof Setting)[]).every((key) => setting[key] === this.#setting?.[key]) ? this.#looks : [];
    let shift = 0;
    this.#setting = setting;
    this.#picture++;
    this.#looks = units.map((unit, place) => {
      // A unit that died or was born moves the later ones by a place.
      for (const by of [0, 1, -1]) {
        const look = last[place + shift + by];
        // Two units in one place can look the same, and each needs its own look.
        if (look && look.picture !== this.#picture && looksSame(this.camera, unit, look.drawn, setting.selected)) {
          shift += by;
          look.drawn.unit = unit;
          look.picture = this.#picture;
          return look;
        }
      }
      const drawn = placeOf(this.camera, unit, setting.types, setting.home);
      return { drawn, parts: this.#partsOf(drawn, setting), picture: this.#picture };
    });
    const sorted: Look[][] = [[], [], [], []];
    this.#looks.forEach((look) => sorted[look.drawn.layer]!.push(look));
    return sorted.flat().map(({ drawn, parts }) => {
      parts.forEach((part) => this.tiles.put(part));
      return drawn;
    });
  }

  #partsOf(drawn: DrawnUnit, { types, selected, names }: Setting): Part[] {
    const { unit, x, y, radius } = drawn;
    const parts = unitParts(this.tiles, drawn, types);
    if (selected !== undefined && unit.tag === selected) {
      parts.push(ringPart(this.tiles, x, y, radius + 4, "#ffffff", 2));
    }
    if (names) {
      const name = types.name(unit.unitType);
      const [half, base] = [name.length * NAME_PX, y + radius + 12];
      parts.push(this.tiles.part(x - half, base - 2 * NAME_PX, x + half, base + NAME_PX, drawName, name, x, base));
    }
    return parts;
  }
}

function looksSame(camera: Camera, { units, row }: Unit, { unit: other, x, y }: DrawnUnit, selected: bigint | undefined): boolean {
  const [one, two] = [columnsOf(units), columnsOf(other.units)];
  for (let at = 0; at < one.numbers.length; at++) {
    if (one.numbers[at]![row] !== two.numbers[at]![other.row]) {
      return false;
    }
  }
  if (one.pos[row * 3] !== two.pos[other.row * 3] || one.pos[row * 3 + 1] !== two.pos[other.row * 3 + 1]) {
    const [newX, newY] = centreOf(camera, one, row);
    if (newX !== x || newY !== y) {
      return false;
    }
  }
  return directionOf(one, row) === directionOf(two, other.row) && (selected === undefined || (units.tag[row] === selected) === (other.tag === selected));
}

/** Without a graphics card, a browser takes longest for outlines and curves. So an outline is a larger shape below the unit. */
function unitParts(tiles: Tiles, { unit, x, y, radius, colour, side }: DrawnUnit, types: TypeTable): Part[] {
  const { row } = unit;
  const columns = columnsOf(unit.units);
  const unitType = columns.unitType[row]!;
  const displayType = columns.displayType[row]!;
  const isBuilding = types.isBuilding(unitType);
  const isNeutral = side === "neutral";
  const alpha = displayType === DisplayType.Snapshot ? 0.5 : displayType === DisplayType.Hidden || CLOAKED.includes(columns.cloak[row]!) || columns.isBurrowed[row] ? 0.65 : 1;
  const reach = radius * 1.3 + 1;
  if (displayType === DisplayType.Placeholder) {
    return [tiles.part(x - reach, y - reach, x + reach, y + reach, drawPlaceholder, x, y, radius, colour)];
  }
  const shape = types.isMineralField(unitType) ? "field" : shapeOf(side, isBuilding);
  const outline = radius < OUTLINE_FROM_PX ? "" : columns.isFlying[row] ? "#ffffffc0" : "#000000c0";
  const facing = outline && !isNeutral && !isBuilding ? (directionOf(columns, row) * 2 * Math.PI) / DIRECTIONS : NaN;
  const parts = [tiles.part(x - reach, y - reach, x + reach, y + reach, drawBody, shape, x, y, radius, colour, outline, alpha, facing)];
  if (isNeutral) {
    return parts;
  }
  const half = Math.max(4, radius);
  const addBar = (top: number, share: number, colour: string) =>
    parts.push(tiles.part(x - half, top, x + half, top + BAR_PX, drawBar, x - half, top, half * 2, Math.min(half * 2, Math.round(half * 2 * share)), colour));
  const buildProgress = columns.buildProgress[row]!;
  const life = buildProgress >= 1 && columns.healthMax[row]! > 0 ? (columns.health[row]! + columns.shield[row]!) / (columns.healthMax[row]! + columns.shieldMax[row]!) : 1;
  if (life < 1) {
    addBar(y - radius - 5, life, life > 0.6 ? "#6fd06f" : life > 0.3 ? "#e6c84f" : "#ec5f52");
  }
  if (buildProgress > 0 && buildProgress < 1) {
    addBar(y + radius + 3, buildProgress, "#dfe6ea");
  }
  return parts;
}

function drawPlaceholder(canvas: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  canvas.strokeStyle = colour;
  canvas.setLineDash([3, 3]);
  canvas.strokeRect(x - radius * 0.86, y - radius * 0.86, radius * 1.72, radius * 1.72);
  canvas.setLineDash([]);
}

/** @param outline "" for none @param facing NaN if the direction is not shown */
function drawBody(canvas: CanvasRenderingContext2D, shape: Shape, x: number, y: number, radius: number, colour: string, outline: string, alpha: number, facing: number): void {
  canvas.globalAlpha = alpha;
  if (outline) {
    canvas.fillStyle = outline;
    SHAPES[shape](canvas, x, y, radius + 0.5);
  }
  canvas.fillStyle = colour;
  SHAPES[shape](canvas, x, y, outline ? radius - 0.5 : radius);
  if (!Number.isNaN(facing)) {
    drawFacing(canvas, x, y, radius, facing);
  }
  canvas.globalAlpha = 1;
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

/** A circle. */
export function ringPart(tiles: Tiles, x: number, y: number, radius: number, colour: string, width: number, filling = ""): Part {
  const reach = radius + width;
  return tiles.part(x - reach, y - reach, x + reach, y + reach, drawRing, x, y, radius, colour, width, filling);
}

function drawRing(canvas: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string, width: number, filling: string): void {
  canvas.beginPath();
  canvas.arc(x, y, radius, 0, 2 * Math.PI);
  canvas.strokeStyle = colour;
  canvas.lineWidth = width;
  canvas.stroke();
  if (filling) {
    canvas.fillStyle = filling;
    canvas.fill();
  }
}

function drawBar(canvas: CanvasRenderingContext2D, left: number, top: number, width: number, filled: number, colour: string): void {
  canvas.fillStyle = "#000000a0";
  canvas.fillRect(left, top, width, BAR_PX);
  canvas.fillStyle = colour;
  canvas.fillRect(left, top, filled, BAR_PX);
}

function drawName(canvas: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  canvas.font = "11px system-ui, sans-serif";
  canvas.textAlign = "center";
  canvas.fillStyle = "#000000b0";
  canvas.fillText(text, x + 1, y + 1);
  canvas.fillStyle = "#eef2f4";
  canvas.fillText(text, x, y);
}
