/** The clock of a recording that is played: which step is due when. It is a state machine without timers: callers pass the time. */

interface ClockState {
  readonly isPaused: boolean;
  /** Steps a second; 0 for as fast as the page shows them. */
  readonly rate: number;
  /** The step that is due now. */
  readonly index: number;
}

/**
 * Two states: paused at a step, or playing since a time from a step. At the last step it pauses. All times are milliseconds.
 */
export class PlaybackClock {
  #index = 0;
  #rate = 22.4;
  /** When `#index` was due; undefined while paused. */
  #since: number | undefined;

  /** @param count the number of steps, at least 1 */
  constructor(readonly count: number) {}

  /** The state at a time. */
  at(now: number): ClockState {
    const index = this.#due(now);
    return { isPaused: this.#since === undefined || index === this.count - 1, rate: this.#rate, index };
  }

  pause(now: number): void {
    this.#index = this.#due(now);
    this.#since = undefined;
  }

  /** Plays; from the first step if it is at the last one. */
  resume(now: number): void {
    const { isPaused, index } = this.at(now);
    if (isPaused) {
      this.#index = index === this.count - 1 ? 0 : index;
      this.#since = now;
    }
  }

  /** Moves by some steps, and pauses there. */
  step(steps: number, now: number): void {
    this.pause(now);
    this.#index = this.#within(this.#index + steps);
  }

  /** Moves to a step. A playback that was playing goes on from there. */
  seek(index: number, now: number): void {
    const { isPaused } = this.at(now);
    this.#index = this.#within(index);
    this.#since = isPaused ? undefined : now;
  }

  setRate(rate: number, now: number): void {
    const { isPaused, index } = this.at(now);
    this.#index = index;
    this.#since = isPaused ? undefined : now;
    this.#rate = rate;
  }

  /** The page has shown a step: at rate 0, the next one is due. */
  shown(index: number, now: number): void {
    if (this.#rate === 0 && this.#since !== undefined && index === this.#index) {
      this.#index = this.#within(index + 1);
      this.#since = now;
    }
  }

  /** Milliseconds until the next step is due; Infinity if none is. */
  wait(now: number): number {
    const { isPaused, index } = this.at(now);
    return isPaused || this.#rate === 0 ? Infinity : Math.max(0, this.#since! + ((index + 1 - this.#index) * 1000) / this.#rate - now);
  }

  #due(now: number): number {
    const steps = this.#since === undefined ? 0 : Math.floor(((now - this.#since) * this.#rate) / 1000 + 1e-6);
    return this.#within(this.#index + Math.max(0, steps));
  }

  #within(index: number): number {
    return Math.max(0, Math.min(this.count - 1, index));
  }
}
