/** Terrain with creep and the fog over it, as a picture of a pixel a cell. */

import type { MapState } from "sc2bridge/s2clientprotocol/raw";
import { cellsOf } from "./grid";
import type { Terrain } from "./terrain";

/** Of what is hidden, fogged, visible now, never to be seen. */
const LIGHT = [0.42, 0.68, 1, 0.42];
const IN_SIGHT = 2;
const CREEP = [96, 44, 104];

/**
 * What several perspectives see together: a cell is as visible as to the one that sees it best.
 *
 * @param states of each perspective
 */
export function ground(terrain: Terrain, states: readonly (MapState | undefined)[], shows: { creep: boolean; visibility: boolean }): ImageData {
  const { width, height, rgb } = terrain;
  const picture = new ImageData(width, height);
  const known = states.filter((state) => state !== undefined);
  const creeps = shows.creep ? known.map((state) => cellsOf(state.creep)) : [];
  const sights = shows.visibility ? known.map((state) => cellsOf(state.visibility)) : [];
  const pixels = picture.data;
  for (let row = 0, from = 0, to = 0; row < height; row++) {
    const y = height - 1 - row;
    for (let x = 0; x < width; x++, from += 3, to += 4) {
      const light = sights.length ? Math.max(...sights.map((sight) => (sight(x, y) === IN_SIGHT ? 1 : LIGHT[sight(x, y)] ?? 1))) : 1;
      const creep = creeps.some((cells) => cells(x, y)) ? 0.55 : 0;
      for (let part = 0; part < 3; part++) {
        pixels[to + part] = (rgb[from + part]! * (1 - creep) + CREEP[part]! * creep) * light;
      }
      pixels[to + 3] = 255;
    }
  }
  return picture;
}

/** Whether two states show the same, byte for byte. */
export function isSame(a: MapState | undefined, b: MapState | undefined): boolean {
  return a === b || (isEqual(a?.visibility?.data, b?.visibility?.data) && isEqual(a?.creep?.data, b?.creep?.data));
}

function isEqual(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a?.length !== b?.length) {
    return false;
  }
  for (let at = 0; a && at < a.length; at++) {
    if (a[at] !== b![at]) {
      return false;
    }
  }
  return true;
}
