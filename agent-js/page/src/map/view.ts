/** Draws the map. The ground is on a canvas of its own, which is drawn only if the ground changes and is copied below the units. */

import { create } from "@bufbuild/protobuf";
import type { Frame, Unit } from "sc2bridge";
import { Alliance, type StartRaw, StartRawSchema } from "sc2bridge/s2clientprotocol/raw";
import { drawings } from "../bridge-status";
import { layers } from "../settings";
import { figures, isFollowed, selected } from "../state";
import { type Area, Camera, pixelRatio } from "./camera";
import { addDrawing, addEffects, addOrders } from "./effects";
import { Ground } from "./ground";
import { unitsOf } from "./scene";
import { type Shown, WATCHED } from "./shown";
import { homeOf } from "./sides";
import { plainOf, terrainOf } from "./terrain";
import { Tiles } from "./tiles";
import { type DrawnUnit, UnitParts } from "./units";

const CLICK_PX = 6;
/** Cells around the units on a map of unknown size. */
const MARGIN = 8;
const NAMES_FROM_SCALE = 14;
/** The shortest time between two drawings of the ground, because it takes longer than all units. A moved camera does not wait. */
const GROUND_MS = 200;

export class MapView {
  readonly camera = new Camera();
  /** The units of the newest picture, sorted from the lowest to the topmost. */
  drawn: readonly DrawnUnit[] = [];
  /** The frames that the newest picture shows. */
  frames: readonly Frame[] = [];
  readonly #ground: CanvasRenderingContext2D;
  readonly #tiles: Tiles;
  readonly #parts: UnitParts;
  readonly #cells = document.createElement("canvas");
  #described: StartRaw | undefined;
  #guessed: { of: unknown; start: StartRaw | undefined } = { of: undefined, start: undefined };
  #terrain: Ground | undefined;
  /** The ground without the layer `terrain`. */
  #plain: Ground | undefined;
  #shows = "";
  #cameraVersion = -1;
  #groundMs = -Infinity;
  #groundTimer = 0;
  #request = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly of: Shown = WATCHED,
  ) {
    const picture = canvas.getContext("2d", { alpha: false })!;
    this.#ground = document.createElement("canvas").getContext("2d", { alpha: false })!;
    this.#tiles = new Tiles(picture, () => picture.drawImage(this.#ground.canvas, 0, 0));
    this.#parts = new UnitParts(this.#tiles, this.camera);
  }

  resize(width: number, height: number): void {
    const ratio = pixelRatio();
    for (const canvas of [this.canvas, this.#ground.canvas]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.#ground.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#tiles.touch();
    this.camera.resize(width, height);
    this.draw();
  }

  /** Requests a new picture, which is drawn before the browser's next repaint. */
  draw(): void {
    this.#request ||= requestAnimationFrame(() => {
      this.#request = 0;
      this.#drawNow();
    });
  }

  close(): void {
    cancelAnimationFrame(this.#request);
    window.clearTimeout(this.#groundTimer);
  }

  /** The unit at a pixel. If there are several units, returns the one whose centre is nearest. */
  at(px: number, py: number): Unit | undefined {
    let nearest: DrawnUnit | undefined;
    let least = Infinity;
    for (const each of this.drawn) {
      const distance = Math.hypot(each.x - px, each.y - py);
      if (distance <= each.radius + CLICK_PX && distance < least) {
        nearest = each;
        least = distance;
      }
    }
    return nearest?.unit;
  }

  #drawNow(): void {
    const start = performance.now();
    const frames = this.of.shown.value;
    const isNew = frames[0] !== this.frames[0] || frames.length !== this.frames.length;
    this.frames = frames;
    const units = unitsOf(frames);
    this.#follow(units);
    this.#tiles.begin(pixelRatio());
    this.#drawGround(frames, units);
    this.#drawUnits(frames, units);
    this.#cameraVersion = this.camera.version;
    if (isNew && frames[0] && this.of === WATCHED) {
      figures.drawn(frames[0], performance.now() - start);
    }
  }

  #follow(units: readonly Unit[]): void {
    const unit = isFollowed.value ? units.find(({ tag }) => tag === selected.value) : undefined;
    if (unit && (unit.pos[0] !== this.camera.x || unit.pos[1] !== this.camera.y)) {
      this.camera.centre(unit.pos[0]!, unit.pos[1]!);
    }
  }

  #drawGround(frames: readonly Frame[], units: readonly Unit[]): void {
    const described = this.of.match.value?.gameInfo?.startRaw;
    const start = described ?? this.#guess(frames, units);
    if (start !== this.#described) {
      this.#described = start;
      this.#describe(start);
    }
    const terrain = layers.value.terrain && described ? this.#terrain : this.#plain;
    if (!terrain) {
      return;
    }
    const shows = JSON.stringify(layers.value);
    const isWhole = this.#cameraVersion !== this.camera.version || shows !== this.#shows;
    const wait = this.#groundMs + GROUND_MS - performance.now();
    if (wait > 0 && !isWhole) {
      // In a match that goes on, a later step draws the ground. The timer is for the last one.
      this.#groundTimer ||= window.setTimeout(() => this.draw(), wait + GROUND_MS);
      return;
    }
    window.clearTimeout(this.#groundTimer);
    this.#groundTimer = 0;
    this.#groundMs = performance.now();
    const changed = terrain.update(frames.map((frame) => frame.observation.observation?.rawData?.mapState), layers.value);
    if (changed.length || shows !== this.#shows) {
      this.#cells.getContext("2d")!.putImageData(terrain.picture, 0, 0);
      this.#shows = shows;
    }
    if (isWhole) {
      this.#drawCells();
    } else {
      changed.forEach((area) => this.#drawCells(area));
    }
  }

  #describe(start: StartRaw | undefined): void {
    this.#shows = "";
    this.#terrain = this.#plain = undefined;
    if (!start) {
      this.#clearGround();
      this.#tiles.touch();
      return;
    }
    const terrain = terrainOf(start);
    const { width, height } = terrain;
    this.#terrain = new Ground(terrain);
    this.#plain = new Ground(plainOf(terrain));
    this.#cells.width = width;
    this.#cells.height = height;
    const { p0, p1 } = start.playableArea ?? {};
    this.camera.setArea(p0 && p1 ? { x0: p0.x, y0: p0.y, x1: p1.x, y1: p1.y } : { x0: 0, y0: 0, x1: width, y1: height });
  }

  /** If a recording lacks the description of its map: a plain map with the size of the first observation. */
  #guess(frames: readonly Frame[], units: readonly Unit[]): StartRaw | undefined {
    if (this.of.match.value !== this.#guessed.of) {
      this.#guessed = { of: this.of.match.value, start: undefined };
    }
    const [frame] = frames;
    if (frame && !this.#guessed.start) {
      const most = (part: number) => Math.ceil(units.reduce((most, { pos }) => Math.max(most, pos[part]!), 0)) + MARGIN;
      const { x, y } = frame.observation.observation?.rawData?.mapState?.visibility?.size ?? { x: most(0), y: most(1) };
      this.#guessed.start = create(StartRawSchema, { mapSize: { x, y } });
    }
    return this.#guessed.start;
  }

  /** Draws the cells of an area, by default all. */
  #drawCells(area?: Area): void {
    const canvas = this.#ground;
    const { width, height } = this.#cells;
    canvas.save();
    if (!area) {
      this.#tiles.touch();
    } else {
      // The smoothed colour of a cell reaches into the cells around it.
      const [left, top] = this.camera.toPixels(area.x0 - 1, area.y1 + 1);
      const [right, bottom] = this.camera.toPixels(area.x1 + 1, area.y0 - 1);
      this.#tiles.touch(left, top, right + 1, bottom + 1);
      // At a fraction of a pixel, the edge of a clip would mix the new colours with the old ones.
      const ratio = pixelRatio();
      const [x0, y0, x1, y1] = [Math.floor(left * ratio), Math.floor(top * ratio), Math.ceil(right * ratio), Math.ceil(bottom * ratio)];
      canvas.beginPath();
      canvas.rect(x0 / ratio, y0 / ratio, (x1 - x0) / ratio, (y1 - y0) / ratio);
      canvas.clip();
    }
    this.#clearGround();
    const [left, top] = this.camera.toPixels(0, height);
    canvas.imageSmoothingEnabled = true;
    canvas.drawImage(this.#cells, left, top, width * this.camera.scale, height * this.camera.scale);
    canvas.restore();
  }

  #clearGround(): void {
    this.#ground.fillStyle = "#0d1013";
    this.#ground.fillRect(0, 0, this.camera.width, this.camera.height);
  }

  #drawUnits(frames: readonly Frame[], units: readonly Unit[]): void {
    const tiles = this.#tiles;
    const { effects, orders, names } = layers.value;
    if (effects) {
      frames.forEach((frame) => addEffects(tiles, this.camera, frame, this.of.types.value.effect));
    }
    if (orders) {
      const own = units.filter(({ alliance }) => alliance === Alliance.Self);
      const places = new Map(own.length ? units.map(({ tag, pos }) => [tag, [pos[0]!, pos[1]!] as const]) : []);
      own.forEach((unit) => addOrders(tiles, this.camera, unit, (tag) => places.get(tag), unit.tag === selected.value));
    }
    this.drawn = this.#parts.add(units, {
      view: this.camera.version, types: this.of.types.value, home: homeOf(frames), selected: selected.value, names: names && this.camera.scale >= NAMES_FROM_SCALE,
    });
    if (layers.value.drawings) {
      drawings.value.filter(({ perspective }) => frames.some((frame) => frame.perspective === perspective || frame.perspective === 0))
        .forEach(({ draw }) => draw && addDrawing(tiles, this.camera, draw));
    }
    tiles.end();
  }
}
