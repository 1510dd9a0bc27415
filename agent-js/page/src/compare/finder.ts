/** Reads two recordings once, in the order of game loops, and finds their first differences. A few chunks of each are in memory. */

import { type Recording, SC2BridgeError } from "sc2bridge/recording";
import { Differ } from "./differ";
import { commonPerspectives } from "./matches";
import type { Difference, FromComparer, Pair } from "./messages";
import { type Step, stepsOf } from "./steps";

/** The shortest time between two messages. */
const POST_MS = 500;

type Steps = AsyncIterator<Step, boolean>;

/** A perspective that both recordings have. */
export class Track {
  #next: [Step | undefined, Step | undefined] = [undefined, undefined];
  isDamaged = false;

  constructor(
    private readonly steps: Pair<Steps>,
    readonly differ: Differ,
  ) {}

  /** The next game loop of either side. Infinity at the end. */
  get loop(): number {
    return Math.min(this.#next[0]?.loop ?? Infinity, this.#next[1]?.loop ?? Infinity);
  }

  async start(): Promise<void> {
    await this.#read(0);
    await this.#read(1);
  }

  /** Compares the next game loop. */
  async advance(): Promise<void> {
    const [one, two] = this.#next;
    const { loop } = this;
    try {
      if (one?.loop === loop && two?.loop === loop) {
        this.differ.both(one, two);
      } else if (one?.loop === loop) {
        this.differ.only(0, one, two);
      } else if (two) {
        this.differ.only(1, two, one);
      }
    } catch (error) {
      if (!(error instanceof SC2BridgeError)) {
        throw error;
      }
      this.isDamaged = true; // A malformed part of an observation.
    }
    if (one?.loop === loop) {
      await this.#read(0);
    }
    if (two?.loop === loop) {
      await this.#read(1);
    }
  }

  /** Reads the next step of a side. Steps whose loop does not increase are left out. */
  async #read(side: 0 | 1): Promise<void> {
    const after = this.#next[side]?.loop ?? -1;
    let step: Step | undefined;
    do {
      const { value, done } = await this.steps[side].next();
      step = done ? undefined : value;
      this.isDamaged ||= done ? value : value.isAfterDamage;
    } while (step && step.loop <= after);
    this.#next[side] = step;
  }
}

export async function findDifferences(recordings: Pair<Recording>, post: (message: FromComparer) => void): Promise<void> {
  const [first, second] = recordings;
  const tracks = commonPerspectives(recordings).map((number) => {
    const steps = recordings.map((recording) => stepsOf(recording.perspective(number))) as unknown as Pair<Steps>;
    return new Track(steps, new Differ(number, first.start.stepSize === second.start.stepSize));
  });
  await compareTracks(tracks, post);
}

/** Compares all tracks, and posts what was found: sometimes meanwhile, and at the end. */
export async function compareTracks(tracks: readonly Track[], post: (message: FromComparer) => void): Promise<void> {
  let posted = performance.now();
  const send = (upTo: number, isDone: boolean) => {
    const loops = Math.max(0, ...tracks.map(({ differ }) => differ.loops));
    post({ kind: "compared", loops, upTo, differences: firstOf(tracks), isDamaged: tracks.some(({ isDamaged }) => isDamaged), isDone });
    posted = performance.now();
  };
  for (const track of tracks) {
    await track.start();
  }
  let loop = 0;
  while (true) {
    const track = tracks.reduce((least, each) => (each.loop < least.loop ? each : least));
    if (track.loop === Infinity || tracks.every(({ differ }) => differ.isDone)) {
      break;
    }
    ({ loop } = track);
    await track.advance();
    if (performance.now() > posted + POST_MS) {
      send(loop, false);
    }
  }
  send(loop, true);
}

const KINDS = ["action", "state", "time"];

/** The first difference of each kind, the earliest one first. At the same loop, an action is the likely cause of the rest. */
function firstOf(tracks: readonly Track[]): Difference[] {
  const all = tracks.flatMap(({ differ }) => differ.differences).sort((one, two) => one.loop - two.loop || KINDS.indexOf(one.kind) - KINDS.indexOf(two.kind));
  return all.filter((each, at) => all.findIndex(({ kind }) => kind === each.kind) === at);
}
