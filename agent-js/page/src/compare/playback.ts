/** The playback of two recordings together: a clock that counts game loops, and one question to the worker at a time. */

import type { PlaybackState } from "sc2bridge/v1/bridge";
import { PlaybackClock } from "../recording/clock";
import type { State } from "../recording/messages";
import type { Source } from "../source";
import { playback } from "../state";
import type { Paired } from "./state";

interface ShownLoop {
  readonly loop: number;
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

export class PairPlayback implements Source {
  readonly #clock: PlaybackClock;
  readonly #first: number;
  readonly #last: number;
  readonly #stepSize: number;
  /** Steps a second of the recording with more steps; 0 for as fast as the page shows them. */
  #rate = 0;
  #shown: ShownLoop | undefined;
  #isAsking = false;
  /** Whether the pending answer is of no use, because another perspective was chosen. */
  #isStale = false;
  /** Steps that the user asked for and that are not shown yet. */
  #steps = 0;
  #wasPaused = true;
  #request = 0;

  /** @param ask requests the frames of a game loop; `answer` must follow @param start the playback of the first recording */
  constructor(
    { sides: [one, two], stepSize }: Paired,
    start: PlaybackState,
    private readonly ask: (loop: number) => void,
  ) {
    this.#first = Math.min(one.firstLoop, two.firstLoop);
    this.#last = Math.max(one.lastLoop, two.lastLoop);
    this.#stepSize = stepSize;
    this.#clock = new PlaybackClock(this.#last - this.#first + 1);
    this.#setRate(start.rate);
    this.#seek(start.gameLoop);
  }

  pause = () => this.#do((now) => this.#clock.pause(now));
  resume = () => this.#do((now) => this.#clock.resume(now));
  playback = () => this.#do(() => {});
  seek = ({ loop }: { loop: number }) => this.#do(() => this.#seek(loop));
  setRate = (rate: number | "max") => this.#do(() => this.#setRate(rate === "max" ? 0 : rate));
  /** A step leads to the nearest game loop that a recording has. */
  step = (steps: number) => this.#do((now) => {
    this.#clock.pause(now);
    this.#steps += steps;
  });

  get loop(): number {
    return this.#first + this.#clock.at(performance.now()).index;
  }

  /** Asks again for the frames of the shown game loop. */
  refresh(): void {
    this.#shown = undefined;
    this.#isStale = true;
    this.#wake();
  }

  /** The frames of a game loop are shown. */
  answer(shown: ShownLoop): void {
    this.#isAsking = false;
    this.#shown = this.#isStale ? undefined : shown;
    playback.value = this.#state;
    this.#wake();
  }

  close(): void {
    cancelAnimationFrame(this.#request);
  }

  get #state(): PlaybackState {
    const { isPaused } = this.#clock.at(performance.now());
    const state: State = {
      matchId: "", paused: isPaused, rate: this.#rate, repeats: false, step: 0n, firstStep: 0n, lastStep: 0n,
      gameLoop: this.loop, firstGameLoop: this.#first, lastGameLoop: this.#last,
    };
    return state as PlaybackState;
  }

  #do(change: (now: number) => void): Promise<PlaybackState> {
    change(performance.now());
    this.#wake();
    return Promise.resolve(this.#state);
  }

  #setRate(rate: number): void {
    this.#rate = rate;
    this.#clock.setRate(rate * this.#stepSize, performance.now());
  }

  #seek(loop: number): void {
    this.#steps = 0;
    this.#clock.seek(loop - this.#first, performance.now());
  }

  #wake(): void {
    this.#request ||= requestAnimationFrame(() => {
      this.#request = 0;
      this.#tick();
    });
  }

  /** Asks for the game loop that is due, if that changes the picture. */
  #tick(): void {
    const shown = this.#shown;
    if (this.#isAsking) {
      return; // The answer wakes it.
    }
    const isAtOnce = this.#rate === 0 && !this.#clock.at(performance.now()).isPaused;
    if (shown?.loop === this.loop && (this.#steps || isAtOnce)) {
      const loop = this.#steps < 0 ? (shown.previous ?? this.#first) : (shown.next ?? this.#last);
      this.#clock.seek(loop - this.#first, performance.now());
      this.#steps -= Math.sign(this.#steps);
    }
    const { index, isPaused } = this.#clock.at(performance.now());
    const due = this.#first + index;
    if (!shown || due < shown.loop || due >= (isPaused ? shown.loop + 1 : (shown.next ?? Infinity))) {
      this.#isAsking = true;
      this.#isStale = false;
      this.ask(due);
    } else {
      this.#steps = 0; // The playback is at its beginning or end.
    }
    if (isPaused !== this.#wasPaused) {
      this.#wasPaused = isPaused;
      playback.value = this.#state;
    }
    if (!isPaused) {
      this.#wake();
    }
  }
}
