/** One of two recordings that are shown together: its frames at a game loop. */

import { type Perspective, type RecordedParts, type Recording, SC2BridgeError } from "sc2bridge/recording";
import { rangeOf } from "../recording/range";
import type { ShownSide } from "./messages";

/** A recording at a game loop, with the nearest other game loops of the recording. */
interface SideAt extends ShownSide {
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

export class Side {
  readonly #ranges = new Map<Perspective, ReturnType<typeof rangeOf>>();
  /** The frames that were sent last. */
  #sent = "";

  constructor(readonly recording: Recording) {}

  /** The readable part of a perspective. */
  range(number: number): ReturnType<typeof rangeOf> {
    return this.#rangeOf(this.recording.perspective(number));
  }

  /** The newest frames that are not after a game loop. @param numbers the perspectives; the first one counts the steps */
  async at(loop: number, numbers: readonly number[]): Promise<SideAt> {
    const perspectives = numbers.map((number) => this.recording.perspective(number));
    const leader = perspectives[0]!;
    const { first } = await this.#rangeOf(leader);
    try {
      const indexes = await Promise.all(perspectives.map((perspective) => this.#indexAt(perspective, loop)));
      const index = indexes[0];
      const own = index === undefined ? undefined : await loopOf(leader, index);
      const previous = own === undefined || own < loop ? own : await loopOf(leader, index! - 1);
      const next = index === undefined ? first.loop : await loopOf(leader, index + 1);
      const key = `${numbers} ${indexes}`;
      if (key === this.#sent) {
        return { frames: undefined, problem: "", previous, next };
      }
      const frames: RecordedParts[] = [];
      for (const [at, perspective] of perspectives.entries()) {
        const { parts } = indexes[at] === undefined ? {} : await perspective.at(indexes[at]);
        // The recording reuses the memory of a frame after other frames are read.
        frames.push(...(parts ? [{ ...parts, data: parts.data.slice() }] : []));
      }
      this.#sent = key;
      return { frames, problem: "", previous, next };
    } catch (error) {
      if (!(error instanceof SC2BridgeError)) {
        throw error;
      }
      this.#sent = "";
      return { frames: [], problem: error.message, previous: undefined, next: undefined };
    }
  }

  /** The index of the newest frame that is not after a game loop. Undefined before the first frame. */
  async #indexAt(perspective: Perspective, loop: number): Promise<number | undefined> {
    const { first, last } = await this.#rangeOf(perspective);
    if (loop < first.loop) {
      return undefined;
    }
    if (loop >= last.loop) {
      return last.index;
    }
    const index = await perspective.indexOf(loop);
    return (await perspective.at(index)).gameLoop === loop ? index : index - 1;
  }

  #rangeOf(perspective: Perspective): ReturnType<typeof rangeOf> {
    const range = this.#ranges.get(perspective) ?? rangeOf(perspective);
    this.#ranges.set(perspective, range);
    return range;
  }
}

/** The game loop of a frame. Undefined if there is no such frame, or it is damaged. */
async function loopOf(perspective: Perspective, index: number): Promise<number | undefined> {
  const frame = index < 0 || index >= perspective.length ? undefined : await perspective.at(index).catch(() => undefined);
  return frame?.gameLoop;
}
