/** The frames of one perspective of a recording: by index, game loop or time, or by iteration. */

import { MalformedMessageError } from "../errors.js";
import type { Chunk } from "./chunk.js";
import { RecordedFrame } from "./recorded-frame.js";
import { RecordingError, type RecordingFile } from "./recording-file.js";

/** Game loops in a second of game time, at the speed "faster", at which matches are played. */
export const LOOPS_PER_SECOND = 22.4;

/** The number of guesses from the average step size. After them, a binary search follows. */
const GUESSES = 4;

/** The game loops of a chunk's first and last frame. */
interface Span {
  readonly first: number;
  readonly last: number;
}

/** All frames of a perspective. */
export class Perspective {
  /** The number of frames. */
  readonly length: number;
  readonly #chunks: number[] = [];
  /** The index of each chunk's first frame. */
  readonly #starts: number[] = [];
  readonly #spans = new Map<number, Promise<Span>>();

  /** @internal */
  constructor(
    private readonly file: RecordingFile,
    private readonly channel: number,
    private readonly matchId: string,
    private readonly stepSize: number,
    /** A player id, or 0 for an observer of all players. */
    readonly perspective: number,
  ) {
    let count = 0;
    for (const [number, { counts }] of file.index.chunks.entries()) {
      const more = counts.get(channel) ?? 0;
      if (more) {
        this.#chunks.push(number);
        this.#starts.push(count);
        count += more;
      }
    }
    this.length = count;
  }

  /** The indexes of the first frames of each chunk, which are the cheapest to read. */
  get chunkStarts(): readonly number[] {
    return this.#starts;
  }

  /**
   * A frame by its index; a negative one counts from the end. Throws RangeError, RecordingError if the frame's chunk is
   * damaged, MalformedMessageError if the observation is.
   */
  async at(index: number): Promise<RecordedFrame> {
    const from = index < 0 ? index + this.length : index;
    if (!Number.isInteger(index) || from < 0 || from >= this.length) {
      throw new RangeError(`frame ${index} of ${this.length}`);
    }
    const place = above(this.#starts, from) - 1;
    return this.#frame(await this.file.chunk(this.#chunks[place]!), from - this.#starts[place]!);
  }

  /**
   * The frame of a game loop, or the next recorded one. Throws RangeError for a loop after the last frame, RecordingError if
   * the loop's chunk is damaged or missing.
   */
  async atLoop(loop: number): Promise<RecordedFrame> {
    return this.at(await this.indexOf(loop));
  }

  /** The frame at a game time in seconds (22.4 game loops a second), or the next one. Throws the errors of `atLoop`. */
  atTime(seconds: number): Promise<RecordedFrame> {
    // The tolerance finds the right loop if `seconds` was computed from a loop and then rounded.
    return this.atLoop(Math.ceil(seconds * LOOPS_PER_SECOND - 1e-6));
  }

  /** The index of the frame that `atLoop` returns. Throws its errors. Opens two or three chunks. */
  async indexOf(loop: number): Promise<number> {
    const place = await this.#chunkOf(loop);
    if (place === this.#starts.length) {
      if (this.file.damage) {
        throw this.file.damage;
      }
      throw new RangeError(`loop ${loop}: ${this.length ? `the last frame is of loop ${(await this.at(-1)).gameLoop}` : "the recording has no frames"}`);
    }
    let low = this.#starts[place]!;
    let high = this.#end(place) - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((await this.at(middle)).gameLoop < loop) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The frames in order. Throws RecordingError after the last undamaged frame if more frames should follow. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RecordedFrame> {
    for (const [place, number] of this.#chunks.entries()) {
      const chunk = await this.file.chunk(number);
      const count = this.#end(place) - this.#starts[place]!;
      for (let which = 0; which < count; which++) {
        yield this.#frame(chunk, which);
      }
    }
    if (this.file.damage) {
      throw this.file.damage;
    }
  }

  #end(place: number): number {
    return this.#starts[place + 1] ?? this.length;
  }

  #frame(chunk: Chunk, which: number): RecordedFrame {
    const { sequence, logTime, publishTime, data } = chunk.message(this.channel, which);
    try {
      const { matchId, perspective } = this;
      return new RecordedFrame({ matchId, perspective, step: sequence, requestedNs: publishTime, observedNs: logTime, data });
    } catch (error) {
      throw error instanceof MalformedMessageError ? new MalformedMessageError(`step ${sequence}: ${error.message}`, { cause: error }) : error;
    }
  }

  #span(place: number): Promise<Span> {
    let span = this.#spans.get(place);
    if (!span) {
      span = (async () => ({ first: (await this.at(this.#starts[place]!)).gameLoop, last: (await this.at(this.#end(place) - 1)).gameLoop }))();
      span.catch(() => this.#spans.delete(place));
      this.#spans.set(place, span);
    }
    return span;
  }

  /**
   * The place of the first chunk whose last game loop is at least `loop`; the number of chunks if all end earlier. Loops grow
   * in steps of nearly the same size, so a guess from the last opened chunk is right or almost right. A damaged chunk is
   * skipped and the next one is opened instead. Its error is thrown if the loop is, or may be, in that chunk.
   */
  async #chunkOf(loop: number): Promise<number> {
    const damaged = new Map<number, Error>();
    const undamaged = async (from: number, end: number): Promise<[number, Span] | undefined> => {
      for (let place = from; place < end; place++) {
        try {
          if (!damaged.has(place)) {
            return [place, await this.#span(place)];
          }
        } catch (error) {
          if (!(error instanceof RecordingError || error instanceof MalformedMessageError)) {
            throw error;
          }
          damaged.set(place, error);
        }
      }
      return undefined;
    };
    let [low, high] = [0, this.#starts.length];
    let [index, itsLoop, pace] = [0, 0, this.stepSize || 1];
    for (let attempt = 0; low < high; attempt++) {
      const guess = above(this.#starts, index + (loop - itsLoop) / pace) - 1;
      const place = attempt < GUESSES ? Math.min(Math.max(guess, low), high - 1) : (low + high) >> 1;
      const found = await undamaged(place, high);
      if (!found) {
        high = place;
        continue;
      }
      const [at, { first, last }] = found;
      if (loop > last) {
        low = at + 1;
      } else if (loop > first) {
        return at;
      } else {
        high = place;
      }
      index = this.#starts[at]!;
      itsLoop = first;
      if (last > first) {
        pace = (last - first) / Math.max(1, this.#end(at) - index - 1);
      }
    }
    if (damaged.has(low)) {
      // The loop is in the damaged chunk, unless the next undamaged chunk begins with exactly this loop.
      const found = await undamaged(low, this.#starts.length);
      if (found?.[1].first !== loop) {
        throw damaged.get(low)!;
      }
      return found[0];
    }
    return low;
  }
}

/** How many numbers of a sorted list are at most `number`. */
function above(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
