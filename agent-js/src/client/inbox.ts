/**
 * The queue of received frames that the agent's loop has not read yet. A browser reads from a WebSocket even if the page is
 * too slow, so this queue is limited. With the policy `latest`, the queue has only the newest frame. That frame keeps the skipped
 * frames. With other policies, the queue has up to 64 MiB of frames. At half of this limit, Node stops reading from
 * the WebSocket. Frames then queue in the bridge, which applies the policy to them. A browser cannot stop reading.
 */

import { BridgeError, StatusCode } from "../errors.js";
import type { Frame } from "../frame.js";

/** The most bytes of queued frames. If more are queued, the subscription ends. */
export const MAX_QUEUED_BYTES = 64 << 20;

/** The queued frames of one subscription. */
export class Inbox {
  #frames: Frame[] = [];
  #bytes = 0;
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  #onFull: (isFull: boolean) => void = () => {};

  constructor(private readonly isLatest: boolean) {}

  /** Sets a callback. It is called with true if the queue is more than half full, and with false when it no longer is. */
  setOnFull(onFull: (isFull: boolean) => void): void {
    this.#onFull = onFull;
  }

  /** Adds a frame. Throws BridgeError if the queue is too long. Throws MalformedMessageError. */
  enqueue(frame: Frame): void {
    const older = this.isLatest ? this.#frames.pop() : undefined;
    if (older) {
      frame.replace(older);
    }
    this.#frames.push(frame);
    this.#bytes += this.isLatest ? 0 : frame.memoryBytes;
    if (this.#bytes > MAX_QUEUED_BYTES) {
      throw new BridgeError(
        StatusCode.RESOURCE_EXHAUSTED,
        `the agent does not keep up: ${this.#frames.length} frames (${this.#bytes >> 20} MiB) are queued: subscribe with policy latest, or do less for each frame`,
      );
    }
    if (this.#bytes > MAX_QUEUED_BYTES / 2) {
      this.#onFull(true);
    }
    this.#wake?.();
  }

  /** Drops all queued frames. */
  clear(): void {
    this.#frames = [];
    this.#subtractBytes(this.#bytes);
  }

  /** Ends the queue. After the queued frames, `dequeue` throws the error, if one is given. Later calls have no effect. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Waits for the next frame. Returns undefined at the end. Only one caller may wait at a time. */
  async dequeue(): Promise<Frame | undefined> {
    while (this.#frames.length === 0 && !this.#end) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const frame = this.#frames.shift();
    if (frame) {
      this.#subtractBytes(this.isLatest ? 0 : frame.memoryBytes);
    } else if (this.#end?.error !== undefined) {
      throw this.#end.error;
    }
    return frame;
  }

  #subtractBytes(bytes: number): void {
    const wasFull = this.#bytes > MAX_QUEUED_BYTES / 2;
    this.#bytes -= bytes;
    if (wasFull && this.#bytes <= MAX_QUEUED_BYTES / 2) {
      this.#onFull(false);
    }
  }
}
