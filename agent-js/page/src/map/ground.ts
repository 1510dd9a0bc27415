/** The picture of terrain, creep and visibility, with one pixel per cell. */

import type { MapState } from "sc2bridge/s2clientprotocol/raw";
import type { Area } from "./camera";
import { cellsOf } from "./grid";
import type { Terrain } from "./terrain";

/** The brightness of hidden, fogged, visible and never visible cells. The index is the game's number for the visibility. */
const LIGHT = [0.42, 0.68, 1, 0.42];
const IN_SIGHT = 2;
const CREEP = [96, 44, 104];
/** Changes are found in squares of this many cells. */
const TILE = 16;

export class Ground {
  readonly picture: ImageData;
  readonly #pixels: Uint32Array;
  /** The pixels of the whole map, for each brightness, without and with creep. Computed on first use. */
  readonly #shades = new Map<string, Uint32Array>();

  constructor(private readonly terrain: Terrain) {
    this.picture = new ImageData(terrain.width, terrain.height);
    this.#pixels = new Uint32Array(this.picture.data.buffer);
  }

  /**
   * Updates the picture, and returns the areas that changed, in cells. If there are several perspectives, each cell has the
   * best visibility of them, and creep that any of them sees.
   *
   * @param states the map state of each perspective
   */
  update(states: readonly (MapState | undefined)[], shows: { creep: boolean; visibility: boolean }): Area[] {
    const { width, height } = this.terrain;
    const known = states.filter((state) => state !== undefined);
    const creeps = shows.creep ? known.map((state) => cellsOf(state.creep)) : [];
    const sights = shows.visibility ? known.map((state) => cellsOf(state.visibility)) : [];
    const shades = [0, 1].map((creep) => LIGHT.map((light) => this.#shade(light, creep * 0.55)));
    const changed = new Set<number>();
    const across = Math.ceil(width / TILE);
    for (let row = 0, at = 0; row < height; row++) {
      const y = height - 1 - row;
      for (let x = 0; x < width; x++, at++) {
        let best = sights.length ? 0 : IN_SIGHT;
        for (const sight of sights) {
          const seen = sight(x, y);
          best = (LIGHT[seen] ?? 1) > LIGHT[best]! ? Math.min(seen, IN_SIGHT) : best;
        }
        const pixel = shades[creeps.some((cells) => cells(x, y)) ? 1 : 0]![best]![at]!;
        if (this.#pixels[at] !== pixel) {
          this.#pixels[at] = pixel;
          changed.add(Math.floor(y / TILE) * across + Math.floor(x / TILE));
        }
      }
    }
    return [...changed].map((tile) => {
      const [x0, y0] = [(tile % across) * TILE, Math.floor(tile / across) * TILE];
      return { x0, y0, x1: Math.min(width, x0 + TILE), y1: Math.min(height, y0 + TILE) };
    });
  }

  #shade(light: number, creep: number): Uint32Array {
    const key = `${light} ${creep}`;
    let shade = this.#shades.get(key);
    if (!shade) {
      const { rgb, width, height } = this.terrain;
      const bytes = new Uint8ClampedArray(width * height * 4);
      for (let from = 0, to = 0; to < bytes.length; from += 3, to += 4) {
        for (let part = 0; part < 3; part++) {
          bytes[to + part] = (rgb[from + part]! * (1 - creep) + CREEP[part]! * creep) * light;
        }
        bytes[to + 3] = 255;
      }
      this.#shades.set(key, (shade = new Uint32Array(bytes.buffer)));
    }
    return shade;
  }
}
