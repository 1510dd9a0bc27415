/** The map's picture: the ground on one canvas, which is drawn anew when it changes, and what moves on another above it. */

import type { Frame, Unit } from "sc2bridge";
import { Alliance, type MapState } from "sc2bridge/s2clientprotocol/raw";
import { drawings } from "../bridge-status";
import { types } from "../match";
import { layers } from "../settings";
import { figures, isFollowed, match, selected, shown } from "../state";
import { Camera } from "./camera";
import { drawDrawing, drawEffects, drawOrders } from "./effects";
import { ground, isSame } from "./ground";
import { unitsOf } from "./scene";
import { plainOf, type Terrain, terrainOf } from "./terrain";
import { drawUnits, type DrawnUnit } from "./units";

const CLICK_PX = 6;

export class MapView {
  readonly camera = new Camera();
  /** What was drawn last, in the order of drawing. */
  drawn: readonly DrawnUnit[] = [];
  /** The frames that are in the picture. */
  frames: readonly Frame[] = [];
  readonly #ground: CanvasRenderingContext2D;
  readonly #units: CanvasRenderingContext2D;
  readonly #cells = document.createElement("canvas");
  #described: unknown;
  #terrain: Terrain | undefined;
  #plain: Terrain | undefined;
  #states: readonly (MapState | undefined)[] = [];
  #shows = "";
  #cameraVersion = -1;
  #request = 0;

  constructor(below: HTMLCanvasElement, above: HTMLCanvasElement) {
    this.#ground = below.getContext("2d", { alpha: false })!;
    this.#units = above.getContext("2d")!;
  }

  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    for (const { canvas } of [this.#ground, this.#units]) {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.camera.resize(width, height);
    this.draw();
  }

  /** Draws before the browser's next picture. */
  draw(): void {
    this.#request ||= requestAnimationFrame(() => {
      this.#request = 0;
      this.#drawNow();
    });
  }

  close(): void {
    cancelAnimationFrame(this.#request);
  }

  /** The unit at some pixels: of several the one whose middle is nearest. */
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
    const frames = shown.value;
    const isNew = frames[0] !== this.frames[0] || frames.length !== this.frames.length;
    this.frames = frames;
    const units = unitsOf(frames);
    this.#follow(units);
    this.#drawGround(frames);
    this.#drawUnits(frames, units);
    this.#cameraVersion = this.camera.version;
    if (isNew && frames[0]) {
      figures.drawn(frames[0], performance.now() - start);
    }
  }

  #follow(units: readonly Unit[]): void {
    const unit = isFollowed.value ? units.find(({ tag }) => tag === selected.value) : undefined;
    if (unit && (unit.pos[0] !== this.camera.x || unit.pos[1] !== this.camera.y)) {
      this.camera.centre(unit.pos[0]!, unit.pos[1]!);
    }
  }

  #drawGround(frames: readonly Frame[]): void {
    const start = match.value?.gameInfo?.startRaw;
    if (start && start !== this.#described) {
      this.#described = start;
      this.#terrain = terrainOf(start);
      this.#plain = plainOf(this.#terrain);
      this.#cells.width = this.#terrain.width;
      this.#cells.height = this.#terrain.height;
      this.#shows = "";
      const { p0, p1 } = start.playableArea ?? {};
      this.camera.setArea(p0 && p1 ? { x0: p0.x, y0: p0.y, x1: p1.x, y1: p1.y } : { x0: 0, y0: 0, x1: this.#terrain.width, y1: this.#terrain.height });
    }
    if (!this.#terrain) {
      return;
    }
    const states = frames.map((frame) => frame.observation.observation?.rawData?.mapState);
    const shows = JSON.stringify(layers.value);
    const isOther = shows !== this.#shows || states.length !== this.#states.length || states.some((state, place) => !isSame(state, this.#states[place]));
    if (isOther) {
      const picture = ground(layers.value.terrain ? this.#terrain : this.#plain!, states, layers.value);
      this.#cells.getContext("2d")!.putImageData(picture, 0, 0);
      this.#states = states;
      this.#shows = shows;
    }
    if (isOther || this.#cameraVersion !== this.camera.version) {
      const canvas = this.#ground;
      const ratio = window.devicePixelRatio || 1;
      canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
      canvas.fillStyle = "#0d1013";
      canvas.fillRect(0, 0, this.camera.width, this.camera.height);
      const [left, top] = this.camera.toPixels(0, this.#terrain.height);
      canvas.imageSmoothingEnabled = true;
      canvas.drawImage(this.#cells, left, top, this.#terrain.width * this.camera.scale, this.#terrain.height * this.camera.scale);
    }
  }

  #drawUnits(frames: readonly Frame[], units: readonly Unit[]): void {
    const canvas = this.#units;
    const ratio = window.devicePixelRatio || 1;
    canvas.setTransform(ratio, 0, 0, ratio, 0, 0);
    canvas.clearRect(0, 0, this.camera.width, this.camera.height);
    const { effects, orders, names } = layers.value;
    if (effects) {
      frames.forEach((frame) => drawEffects(canvas, this.camera, frame, types.value.effect));
    }
    if (orders) {
      const places = new Map(units.map(({ tag, pos }) => [tag, [pos[0]!, pos[1]!] as const]));
      for (const unit of units) {
        if (unit.alliance === Alliance.Self) {
          drawOrders(canvas, this.camera, unit, (tag) => places.get(tag), unit.tag === selected.value);
        }
      }
    }
    this.drawn = drawUnits(canvas, this.camera, units, types.value, { selected: selected.value, names });
    if (layers.value.drawings) {
      drawings.value.filter(({ perspective }) => frames.some((frame) => frame.perspective === perspective || frame.perspective === 0))
        .forEach(({ draw }) => draw && drawDrawing(canvas, this.camera, draw));
    }
  }
}
