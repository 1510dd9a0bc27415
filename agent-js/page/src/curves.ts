/** A match's figures by game loop, as far as frames have come: in any order, as a playback may be moved. */

import type { Frame } from "sc2bridge";
import type { CategoryScoreDetails } from "sc2bridge/s2clientprotocol/score";

/** A number of each observation. */
export interface Series {
  readonly name: string;
  readonly of: (frame: Frame) => number;
}

const common = (frame: Frame) => frame.observation.observation?.playerCommon;
const details = (frame: Frame) => frame.observation.observation?.score?.scoreDetails;
const army = (spent: CategoryScoreDetails | undefined) => spent?.army ?? 0;
const total = (of: CategoryScoreDetails | undefined) =>
  of ? of.none + of.army + of.economy + of.technology + of.upgrade : 0;

/** Charts, each with the series that share its scale. */
export const CHARTS: readonly { readonly title: string; readonly series: readonly Series[] }[] = [
  {
    title: "In the bank",
    series: [
      { name: "minerals", of: (frame) => common(frame)?.minerals ?? 0 },
      { name: "gas", of: (frame) => common(frame)?.vespene ?? 0 },
    ],
  },
  {
    title: "Income a minute",
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
    title: "Army, killed and lost (minerals and gas)",
    series: [
      { name: "army", of: (frame) => army(details(frame)?.usedMinerals) + army(details(frame)?.usedVespene) },
      { name: "killed", of: (frame) => (details(frame)?.killedValueUnits ?? 0) + (details(frame)?.killedValueStructures ?? 0) },
      { name: "lost", of: (frame) => total(details(frame)?.lostMinerals) + total(details(frame)?.lostVespene) },
    ],
  },
];

const ALL = CHARTS.flatMap((chart) => chart.series);
const MOST_POINTS = 20_000;

/** One perspective's. */
interface Line {
  readonly loops: number[];
  readonly values: number[][];
}

export class Curves {
  /** Grows with each change. */
  version = 0;
  readonly #lines = new Map<number, Line>();

  add(frame: Frame): void {
    let line = this.#lines.get(frame.perspective);
    if (!line) {
      this.#lines.set(frame.perspective, (line = { loops: [], values: ALL.map(() => []) }));
    }
    const { loops, values } = line;
    const place = placeOf(loops, frame.gameLoop);
    if (loops[place] === frame.gameLoop) {
      return;
    }
    loops.splice(place, 0, frame.gameLoop);
    ALL.forEach((series, number) => values[number]!.splice(place, 0, series.of(frame)));
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

  /** A perspective's game loops, and the values of a chart's series at them. */
  of(perspective: number, chart: number): { loops: readonly number[]; values: readonly (readonly number[])[] } {
    const line = this.#lines.get(perspective) ?? { loops: [], values: [] };
    const first = CHARTS.slice(0, chart).reduce((sum, { series }) => sum + series.length, 0);
    return { loops: line.loops, values: line.values.slice(first, first + CHARTS[chart]!.series.length) };
  }
}

/** Where a number stands in a sorted list, or belongs. Most often that is the end. */
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

/** Leaves out every other one. */
function thin(list: number[]): void {
  let kept = 0;
  for (let index = 0; index < list.length; index += 2) {
    list[kept++] = list[index]!;
  }
  list.length = kept;
}
