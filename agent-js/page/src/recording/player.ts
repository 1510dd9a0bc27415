/** Plays a recording: sends the frames of the step that is due, whenever the page is ready for them. */

import { MalformedMessageError, type Perspective, type RecordedFrame, type RecordedParts, type Recording, RecordingError, SC2BridgeError } from "sc2bridge/recording";
import { PlaybackClock } from "./clock";
import type { Command, FromWorker, State } from "./messages";
import { rangeOf } from "./range";

type Post = (message: FromWorker, transferred?: Transferable[]) => void;

export class Player {
  readonly #clock: PlaybackClock;
  /** The perspective whose steps the clock counts. */
  readonly #leader: Perspective;
  #watched: readonly Perspective[];
  #loops = { first: 0, last: 0, now: 0 };
  #steps = { first: 0, last: 0, now: 0 };
  /** The index of the step that the page shows. */
  #shown = -1;
  #isReady = true;
  /** Whether a command moved the playback after the last shown step. */
  #isMoved = false;
  #isPaused: boolean | undefined;
  /** Counts the commands that move the playback. */
  #moves = 0;
  #wake = () => {};
  #isAwake = false;

  constructor(
    private readonly recording: Recording,
    private readonly post: Post,
    private readonly now = () => performance.now(),
  ) {
    this.#leader = recording.perspective();
    this.#watched = [this.#leader];
    this.#clock = new PlaybackClock(this.#leader.length);
  }

  /** Plays until the worker ends. */
  async run(): Promise<void> {
    await this.#findRange();
    this.#clock.resume(this.now());
    while (true) {
      const { index, isPaused } = this.#clock.at(this.now());
      if (this.#isReady && index === this.#shown) {
        this.#clock.shown(index, this.now());
      } else if (this.#isReady) {
        await this.#show(index);
      }
      if (isPaused !== this.#isPaused) {
        this.#isPaused = isPaused;
        this.post({ kind: "state", state: this.state });
      }
      const after = this.#clock.at(this.now()).index;
      await this.#sleep(this.#isReady && after !== this.#shown ? 0 : this.#clock.wait(this.now()));
    }
  }

  get state(): State {
    const { isPaused, rate } = this.#clock.at(this.now());
    return {
      matchId: "", paused: isPaused, rate, repeats: false,
      step: BigInt(this.#steps.now), firstStep: BigInt(this.#steps.first), lastStep: BigInt(this.#steps.last),
      gameLoop: this.#loops.now, firstGameLoop: this.#loops.first, lastGameLoop: this.#loops.last,
    };
  }

  /** Carries out a command, and shows the step that it leads to. */
  async command(command: Command): Promise<State> {
    const now = this.now();
    const move = command.kind === "playback" || command.kind === "rate" ? this.#moves : ++this.#moves;
    if (command.kind === "pause") {
      this.#clock.pause(now);
    } else if (command.kind === "resume") {
      this.#clock.resume(now);
    } else if (command.kind === "step") {
      this.#clock.step(command.steps, now);
      this.#isMoved = true;
    } else if (command.kind === "rate") {
      this.#clock.setRate(command.rate, now);
    } else if (command.kind === "seek") {
      const index = await this.#indexOf(this.#leader, command.loop);
      if (move === this.#moves) { // Otherwise a later command has moved the playback meanwhile.
        this.#clock.seek(index, this.now());
        this.#isMoved = true;
      }
    }
    this.#continue();
    return this.state;
  }

  watch(perspective: number | "all" | "first"): void {
    const { perspectives } = this.recording;
    const numbers = perspective === "all" ? perspectives : perspective !== "first" && perspectives.includes(perspective) ? [perspective] : [this.#leader.perspective];
    this.#watched = numbers.map((number) => this.recording.perspective(number));
    this.#shown = -1;
    this.#continue();
  }

  /** The page can take the next frames. */
  ready(): void {
    this.#isReady = true;
    this.#continue();
  }

  async #findRange(): Promise<void> {
    const { first, last } = await rangeOf(this.#leader);
    this.#loops = { first: first.loop, last: last.loop, now: first.loop };
    this.#steps = { first: first.step, last: last.step, now: first.step };
  }

  async #show(index: number): Promise<void> {
    // Frames after skipped steps (at high rates) count as following. A playback that starts again after its end counts as moved.
    const isMoved = this.#isMoved || index <= this.#shown;
    this.#isMoved = false;
    const [watched, moves] = [this.#watched, this.#moves];
    const parts: RecordedParts[] = [];
    try {
      // The recording reuses the memory of a frame after other frames are read.
      const copied = ({ parts }: RecordedFrame): RecordedParts => ({ ...parts, data: parts.data.slice() });
      const lead = await this.#leader.at(index);
      const { gameLoop } = lead;
      const own = copied(lead);
      for (const perspective of watched) {
        parts.push(perspective === this.#leader ? own : copied(await perspective.at(await this.#indexOf(perspective, gameLoop))));
      }
      this.#loops.now = lead.gameLoop;
      this.#steps.now = lead.step;
    } catch (error) {
      if (!(error instanceof SC2BridgeError)) {
        throw error;
      }
      this.post({ kind: "notice", message: error.message });
      if (moves === this.#moves) {
        this.#leave(index, error);
      }
      return;
    }
    if (watched !== this.#watched) {
      this.#isMoved ||= isMoved;
      return; // The page now watches other perspectives.
    }
    this.#shown = index;
    this.#isReady = false;
    this.post({ kind: "frames", frames: parts, isMoved }, parts.map(({ data }) => data.buffer));
  }

  /** Goes on after a damaged chunk or observation. If nothing follows, or the file cannot be read, it pauses. */
  #leave(index: number, error: SC2BridgeError): void {
    const { chunkStarts, length } = this.#leader;
    const nextChunk = chunkStarts.find((start) => start > index) ?? length;
    const next = error instanceof RecordingError ? nextChunk : error instanceof MalformedMessageError ? index + 1 : length;
    const now = this.now();
    this.#isMoved = true;
    if (next < length) {
      this.#clock.seek(next, now);
    } else {
      this.#clock.seek(Math.max(0, this.#shown), now);
      this.#clock.pause(now);
      this.#shown = this.#clock.at(now).index;
    }
  }

  /** The index of a game loop: the next chunk's first frame if that part is damaged, the last frame if the loop is after the end. */
  async #indexOf(perspective: Perspective, loop: number): Promise<number> {
    try {
      return await perspective.indexOf(loop);
    } catch (error) {
      if (error instanceof SC2BridgeError) {
        this.post({ kind: "notice", message: error.message });
        return this.#chunkFrom(perspective, loop);
      }
      return perspective.length - 1;
    }
  }

  /** The first frame of the first readable chunk that begins at a game loop or later: a binary search over the chunks. */
  async #chunkFrom(perspective: Perspective, loop: number): Promise<number> {
    const { chunkStarts, length } = perspective;
    let [low, high, found] = [0, chunkStarts.length, length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      let place = middle;
      let frame: RecordedFrame | undefined;
      while (!frame && place < high) {
        frame = await perspective.at(chunkStarts[place++]!).catch(() => undefined);
      }
      if (frame && frame.gameLoop < loop) {
        low = place;
      } else {
        high = middle;
        found = frame ? chunkStarts[place - 1]! : found;
      }
    }
    return found;
  }

  #continue(): void {
    this.#isAwake = true;
    this.#wake();
  }

  /** Waits for a time, or until a command or the page wakes it. */
  async #sleep(ms: number): Promise<void> {
    if (!this.#isAwake && ms > 0) {
      await new Promise<void>((resolve) => {
        const timer = ms === Infinity ? undefined : setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    } else {
      await new Promise((resolve) => setTimeout(resolve, 0)); // Messages of the page are handled meanwhile.
    }
    this.#isAwake = false;
  }
}
