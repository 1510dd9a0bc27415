/** The page's measurements of the frames that it receives and draws. */

import type { Frame } from "sc2bridge";

const SPAN_MS = 5_000;

interface Arrival {
  readonly at: number;
  readonly size: number;
  readonly step: number;
  readonly skipped: number;
}

export class StreamFigures {
  frames = 0;
  bytes = 0;
  skipped = 0;
  /** How often the bridge was lost. */
  losses = 0;
  /** Of the newest drawn frame: the time to decode it, the time to draw it, and the time from its arrival to its picture. */
  decodeMs = 0;
  drawMs = 0;
  shownMs = 0;
  readonly #recent: Arrival[] = [];

  received(frame: Frame): void {
    const skipped = Number(frame.skipped?.frames ?? 0);
    this.frames++;
    this.bytes += frame.size;
    this.skipped += skipped;
    if (frame.seeked || frame.step < (this.#recent.at(-1)?.step ?? 0)) {
      this.#recent.length = 0;
    }
    this.#recent.push({ at: frame.receivedMs, size: frame.size, step: frame.step, skipped });
  }

  drawn(frame: Frame, drawMs: number): void {
    this.decodeMs = frame.decodeMs ?? 0;
    this.drawMs = drawMs;
    this.shownMs = performance.now() - frame.receivedMs;
  }

  /** The received frames, bytes and steps per second, over the last five seconds. */
  rates(): { frames: number; bytes: number; steps: number } {
    const now = performance.now();
    while (this.#recent.length && this.#recent[0]!.at < now - SPAN_MS) {
      this.#recent.shift();
    }
    const [first] = this.#recent;
    if (!first || this.#recent.length < 2) {
      return { frames: 0, bytes: 0, steps: 0 };
    }
    const seconds = Math.max(now - first.at, 1) / 1000;
    const last = this.#recent[this.#recent.length - 1]!;
    return {
      frames: (this.#recent.length - 1) / seconds,
      bytes: this.#recent.reduce((sum, { size }) => sum + size, -first.size) / seconds,
      steps: Math.max(0, last.step - first.step) / seconds,
    };
  }
}
