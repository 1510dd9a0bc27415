/** Reads the grids of cells in the game's messages. */

import type { ImageData as Grid } from "sc2bridge/s2clientprotocol/common";

/** Returns the value of a grid at a cell, 0 outside of the grid. Row 0 is at the bottom of the map. */
export type Cells = (x: number, y: number) => number;

/** Reads a grid of 1 or 8 bits per cell. All cells of other grids, and of grids with too few bytes, are 0. */
export function cellsOf(grid: Grid | undefined): Cells {
  const width = grid?.size?.x ?? 0;
  const height = grid?.size?.y ?? 0;
  const data = grid?.data ?? new Uint8Array();
  const bits = grid?.bitsPerPixel ?? 0;
  if (data.length * 8 < width * height * bits || (bits !== 1 && bits !== 8)) {
    return () => 0;
  }
  const inside = (x: number, y: number) => x >= 0 && y >= 0 && x < width && y < height;
  return bits === 8
    ? (x, y) => (inside(x, y) ? data[y * width + x]! : 0)
    : (x, y) => (inside(x, y) ? (data[(y * width + x) >> 3]! >> (7 - ((y * width + x) & 7))) & 1 : 0);
}
