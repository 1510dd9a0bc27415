/** The numbers that the charts show, for each received frame. Frames can arrive in any order, because a playback can be moved. */

import type { Frame } from "sc2bridge";
import type { CategoryScoreDetails } from "sc2bridge/s2clientprotocol/score";

/** A curve: its name, and the function that reads its number from a frame. */
export interface Series {
  readonly name: string;
  readonly of: (frame: Seen) => number;
}

type Seen = Pick<Frame, "observation">;
const common = (frame: Seen) => frame.observation.observation?.playerCommon;
const details = (frame: Seen) => frame.observation.observation?.score?.scoreDetails;
const army = (spent: CategoryScoreDetails | undefined) => spent?.army ?? 0;
const total = (of: CategoryScoreDetails | undefined) =>
  of ? of.none + of.army + of.economy + of.technology + of.upgrade : 0;

/** The charts. The curves of one chart share one scale. */
export const CHARTS: readonly { readonly title: string; readonly series: readonly Series[] }[] = [
  {
    title: "In the bank",
    series: [
      { name: "minerals", of: (frame) => common(frame)?.minerals ?? 0 },
      { name: "gas", of: (frame) => common(frame)?.vespene ?? 0 },
    ],
  },
  {
    title: "Income per minute",
    series: [
      { name: "minerals", of: (frame) => details(frame)?.collectionRateMinerals ?? 0 },
      { name: "gas", of: (frame) => details(frame)?.collectionRateVespene ?? 0 },
    ],
  },
  {
    title: "Supply",
    series: [
      { name: "used", of: (frame) => common(frame)?.foodUsed ?? 0 },
      { name: "available", of: (frame) => common(frame)?.foodCap ?? 0 },
      { name: "workers", of: (frame) => common(frame)?.foodWorkers ?? 0 },
    ],
  },
  {
    title: "Army, killed and lost (minerals plus gas)",
    series: [
      { name: "army", of: (frame) => army(details(frame)?.usedMinerals) + army(details(frame)?.usedVespene) },
      { name: "killed", of: (frame) => (details(frame)?.killedValueUnits ?? 0) + (details(frame)?.killedValueStructures ?? 0) },
      { name: "lost", of: (frame) => total(details(frame)?.lostMinerals) + total(details(frame)?.lostVespene) },
    ],
  },
];

const ALL = CHARTS.flatMap((chart) => chart.series);
const MOST_POINTS = 20_000;

/** The numbers of one perspective: the game loops in ascending order, and for each curve a list of values at these loops. */
interface Line {
  readonly loops: number[];
  readonly values: (number | null)[][];
}

export class Curves {
  /** Increases with each change. */
  version = 0;
  readonly #lines = new Map<number, Line>();

  /** Adds a frame's values. A game loop that is there stays as it is. */
  add(frame: Frame): void {
    const loops = this.#lines.get(frame.perspective)?.loops ?? [];
    if (loops[placeOf(loops, frame.gameLoop)] !== frame.gameLoop) {
      this.set(frame.perspective, frame.gameLoop, ALL.map((series) => series.of(frame)));
    }
  }

  /** Sets the values of all series at a game loop. */
  set(perspective: number, loop: number, given: readonly (number | null)[]): void {
    let line = this.#lines.get(perspective);
    if (!line) {
      this.#lines.set(perspective, (line = { loops: [], values: ALL.map(() => []) }));
    }
    const { loops, values } = line;
    const place = placeOf(loops, loop);
    const replaced = loops[place] === loop ? 1 : 0;
    loops.splice(place, replaced, loop);
    values.forEach((list, number) => list.splice(place, replaced, given[number] ?? null));
    if (loops.length > MOST_POINTS) {
      thin(loops);
      values.forEach(thin);
    }
    this.version++;
  }

  clear(): void {
    this.#lines.clear();
    this.version++;
  }

  get perspectives(): number[] {
    return [...this.#lines.keys()].sort((a, b) => a - b);
  }

  /** The value of a curve at a game loop, or at the last game loop before it. */
  at(perspective: number, chart: number, series: number, loop: number): number | null {
    const { loops, values } = this.of(perspective, chart);
    const place = placeOf(loops, loop);
    return values[series]?.[loops[place] === loop ? place : place - 1] ?? null;
  }

  /** The game loops of a perspective, and the values of each curve of a chart at these loops. */
  of(perspective: number, chart: number): { loops: readonly number[]; values: readonly (readonly (number | null)[])[] } {
    const line = this.#lines.get(perspective) ?? { loops: [], values: [] };
    const first = CHARTS.slice(0, chart).reduce((sum, { series }) => sum + series.length, 0);
    return { loops: line.loops, values: line.values.slice(first, first + CHARTS[chart]!.series.length) };
  }
}

/** The index of a number in a sorted list. If the list lacks the number: the index at which to insert it, usually the end. */
function placeOf(sorted: readonly number[], number: number): number {
  let low = sorted.length && sorted[sorted.length - 1]! < number ? sorted.length : 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Removes every second element. */
function thin<T>(list: T[]): void {
  let kept = 0;
  for (let index = 0; index < list.length; index += 2) {
    list[kept++] = list[index]!;
  }
  list.length = kept;
}
