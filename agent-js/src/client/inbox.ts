/**
 * Frames between the socket and the reader's loop. A browser reads its sockets whether a page keeps up or not, so this is
 * where that is bounded: under `latest` the newest frame waits and sums up those before it; else frames wait up to a number
 * of bytes, at half of which a socket that can be paused is, so that the subscription's policy holds at the bridge.
 */

import { BridgeError, StatusCode } from "../errors.js";
import type { Frame } from "../frame.js";
import { joined, skippedWith } from "../protocol/skipped.js";

/** The most bytes of frames that wait for the reader. */
export const MOST_WAITING_BYTES = 64 << 20;

/** One subscription's frames. */
export class Inbox {
  #frames: Frame[] = [];
  #bytes = 0;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  #onFull: (isFull: boolean) => void = () => {};

  constructor(private readonly isLatest: boolean) {}

  /** What is told at the half of the most, and when there is room again. */
  onFull(tell: (isFull: boolean) => void): void {
    this.#onFull = tell;
  }

  /** Adds a frame. Throws BridgeError where more would wait than is bounded, MalformedMessageError. */
  push(frame: Frame): void {
    const waiting = this.isLatest ? this.#frames.pop() : undefined;
    if (waiting) {
      frame.outcomes = [...waiting.outcomes, ...frame.outcomes];
      frame.skipped = joined(skippedWith(waiting), frame.skipped);
      frame.reconnected = waiting.reconnected;
      frame.seeked ||= waiting.seeked;
    }
    this.#frames.push(frame);
    this.#bytes += this.isLatest ? 0 : frame.memory;
    if (this.#bytes > MOST_WAITING_BYTES) {
      throw new BridgeError(
        StatusCode.RESOURCE_EXHAUSTED,
        `${this.#frames.length} frames (${this.#bytes >> 20} MiB) wait for a reader that does not keep up: subscribe with latest, or do less for each`,
      );
    }
    if (this.#bytes > MOST_WAITING_BYTES / 2) {
      this.#onFull(true);
    }
    this.#wake?.();
  }

  /** The playback was moved: what waits is of the time before. */
  clear(): void {
    this.#frames = [];
    this.#took(this.#bytes);
  }

  /** Nothing comes any more; what waits is still taken, then the error is thrown where there is one. The first end holds. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** The next frame; undefined at the end. One takes at a time. */
  async take(): Promise<Frame | undefined> {
    while (this.#frames.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const frame = this.#frames.shift();
    if (frame) {
      this.#took(this.isLatest ? 0 : frame.memory);
    } else if (this.#end?.error !== undefined) {
      throw this.#end.error;
    }
    return frame;
  }

  #took(bytes: number): void {
    const wasFull = this.#bytes > MOST_WAITING_BYTES / 2;
    this.#bytes -= bytes;
    if (wasFull && this.#bytes <= MOST_WAITING_BYTES / 2) {
      this.#onFull(false);
    }
  }
}
