/** The readable part of a perspective of a recording. */

import type { Perspective } from "sc2bridge/recording";

export interface Place {
  readonly index: number;
  readonly step: number;
  readonly loop: number;
}

/** The first and the last frame that can be read. In a damaged chunk, frames of the next or the previous chunk take their place. */
export async function rangeOf(perspective: Perspective): Promise<{ first: Place; last: Place }> {
  const { chunkStarts, length } = perspective;
  const first = await firstReadable(perspective, [0, ...chunkStarts]);
  const last = await firstReadable(perspective, [length - 1, ...[...chunkStarts].reverse()]);
  return { first, last: last.loop < first.loop ? first : last };
}

async function firstReadable(perspective: Perspective, indexes: readonly number[]): Promise<Place> {
  for (const index of indexes) {
    const frame = await perspective.at(index).catch(() => undefined); // The playback itself reports the damage.
    if (frame) {
      return { index, step: frame.step, loop: frame.gameLoop };
    }
  }
  return { index: 0, step: 0, loop: 0 };
}
