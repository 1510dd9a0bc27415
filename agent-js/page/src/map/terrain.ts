/** The colour of each cell at the start of the match. Higher ground is lighter, and ground without a path is darker. */

import type { StartRaw } from "sc2bridge/s2clientprotocol/raw";
import { cellsOf } from "./grid";

export interface Terrain {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue of each cell. The top row of the map is first, as in pictures. */
  readonly rgb: Uint8Array;
}

const PLAIN = [60, 68, 74];
const MOST_CELLS = 1024;

export function terrainOf(start: StartRaw): Terrain {
  // The game's maps have at most 256 cells. A recording can have any number, and a huge picture would stop the page.
  const { x, y } = start.mapSize ?? { x: 1, y: 1 };
  const [width, height] = x > 0 && y > 0 && x <= MOST_CELLS && y <= MOST_CELLS ? [x, y] : [1, 1];
  const paths = cellsOf(start.pathingGrid);
  const places = cellsOf(start.placementGrid);
  const heights = cellsOf(start.terrainHeight);
  const { p0, p1 } = start.playableArea ?? {};
  const isPlayable = (x: number, y: number) => !p0 || !p1 || (x >= p0.x && y >= p0.y && x < p1.x && y < p1.y);
  const rgb = new Uint8Array(width * height * 3);
  let at = 0;
  for (let y = height - 1; y >= 0; y--) {
    for (let x = 0; x < width; x++) {
      // Heights of maps are between about 100 and 230, in steps of 16 between levels.
      const level = Math.min(1, Math.max(0, (heights(x, y) - 96) / 128));
      let tone: readonly [number, number, number];
      if (!isPlayable(x, y)) {
        tone = [16, 19, 22];
      } else if (paths(x, y)) {
        const light = 46 + 54 * level + (places(x, y) ? 0 : 12);
        tone = [light * 0.96, light, light * 1.04];
      } else {
        const light = 24 + 18 * level;
        tone = [light * 0.95, light, light * 1.08];
      }
      rgb.set(tone, at);
      at += 3;
    }
  }
  return { width, height, rgb };
}

/** Terrain with one colour, for a map without the layer `terrain`. */
export function plainOf(terrain: Terrain): Terrain {
  const rgb = new Uint8Array(terrain.rgb.length);
  for (let at = 0; at < rgb.length; at += 3) {
    rgb.set(PLAIN, at);
  }
  return { ...terrain, rgb };
}
