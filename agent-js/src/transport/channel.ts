/** Sends and receives messages over one WebSocket. Each wait has a timeout. */

import { openSocket } from "#socket";
import { BridgeError, bridgeError, ConnectionLostError, MalformedMessageError, StatusCode } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { FrameMessage, openEvent, type WireMessage } from "../protocol/envelope.js";
import { clockRequest } from "../protocol/messages.js";
import { helloRequest, isHelloAnswer, tooOldError } from "../protocol/versions.js";
import type { Address } from "./address.js";

/** How long a connection waits before it throws an error. All values are above 0. */
export interface Timeouts {
  /** The limit for opening the WebSocket. After it, ConnectionLostError is thrown. */
  connectSeconds: number;
  /** The limit for the answer to a request or a playback control. After it, RequestTimeoutError is thrown. `describe` has none. */
  requestSeconds: number;
  /** The limit for silence. After half of it, the package requests a message. After all of it, ConnectionLostError is thrown. */
  silenceSeconds: number;
}

const DEFAULT_TIMEOUTS: Timeouts = { connectSeconds: 10, requestSeconds: 30, silenceSeconds: 30 };

/** Replaces missing timeouts by the defaults. Throws RangeError for an invalid timeout. */
export function withDefaultTimeouts(chosen: Partial<Timeouts> = {}): Timeouts {
  const timeouts = { ...DEFAULT_TIMEOUTS, ...chosen };
  for (const [name, seconds] of Object.entries(timeouts)) {
    if (!(seconds > 0 && seconds < 1e6)) { // A timer waits at most 2^31 ms.
      throw new RangeError(`${name} ${seconds}: choose seconds above 0 and below 1,000,000`);
    }
  }
  return timeouts;
}

/** Handles the events of a channel. */
export interface Receiver {
  /** Called with each event, and the arrival time and size of its message. If this method throws, the channel ends. */
  onEvent(opened: FrameMessage | PlayResponse, nowMs: number, size: number): void;
  /** Called once, when the channel ends or fails to open. `error` is undefined if the bridge closed the channel normally. */
  onEnd(error: unknown): void;
}

// The bridge closes with 4000 plus a gRPC status code. The WebSocket standard leaves codes from 4000 to applications.
const FIRST_STATUS_CLOSE_CODE = 4000;

// The HTTP statuses with which the bridge refuses to open a WebSocket, and their gRPC status codes.
const REFUSAL_CODES = new Map<number, number>([
  [401, StatusCode.UNAUTHENTICATED],
  [403, StatusCode.PERMISSION_DENIED],
  [421, StatusCode.PERMISSION_DENIED],
  [429, StatusCode.RESOURCE_EXHAUSTED],
  [503, StatusCode.UNAVAILABLE],
]);

/** A WebSocket that can stop reading, as in Node. In a browser it cannot. */
type Pausable = Partial<Record<"pause" | "resume", () => void>>;

export class Channel {
  /** Resolves when the WebSocket is open. If it does not open, this stays pending and `Receiver.onEnd` is called. */
  readonly opened: Promise<void>;
  readonly #socket: WebSocket & Pausable;
  #hasEnded = false;
  #lastMessageMs = performance.now();
  #probeSentMs: number | undefined;
  #isPaused = false;
  #connectTimer: ReturnType<typeof setTimeout> | undefined;
  #silenceTimer: ReturnType<typeof setInterval> | undefined;

  /** Opens the WebSocket. The first message is `hello`. */
  constructor(
    private readonly address: Address,
    token: string | undefined,
    private readonly timeouts: Timeouts,
    private readonly receiver: Receiver,
  ) {
    const url = withToken(address.target, token);
    this.#socket = openSocket(url, subProtocol(address));
    this.#socket.binaryType = "arraybuffer";
    this.opened = this.#open(url);
  }

  /** Sends messages. Does nothing if the channel has ended: the receiver already has the error. */
  send(messages: Iterable<WireMessage>): void {
    for (const message of messages) {
      if (this.#socket.readyState === 1) {
        this.#socket.send(message as Uint8Array<ArrayBuffer> | string);
      }
    }
  }

  /** Stops or resumes reading from the WebSocket. Has no effect in a browser. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#lastMessageMs = performance.now();
    (isPaused ? this.#socket.pause : this.#socket.resume)?.call(this.#socket);
  }

  /** Closes the WebSocket. The receiver gets no further calls. */
  close(): void {
    this.#hasEnded = true;
    const socket = this.#socket;
    if (socket.readyState === 0 && !socket.pause) {
      // A browser logs an error if a WebSocket is closed before it opens.
      clearTimeout(this.#connectTimer);
      socket.addEventListener("open", () => socket.close(1000));
    } else {
      this.#release();
    }
  }

  #open(url: string): Promise<void> {
    const socket = this.#socket;
    let isOpen = false;
    this.#connectTimer = setTimeout(() => {
      this.#end(
        new ConnectionLostError(`no bridge answers at ${this.address.target}: no WebSocket was opened within ${this.timeouts.connectSeconds} s: check the address`),
      );
    }, this.timeouts.connectSeconds * 1000);
    socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer | string>) => this.#onMessage(data));
    socket.addEventListener("error", () => {}); // A close event follows, with the same information.
    socket.addEventListener("close", ({ code, reason }) => {
      if (isOpen) {
        this.#end(code === 1000 ? undefined : closeError(this.address.target, code, reason));
      } else if (!this.#hasEnded) {
        void refusalError(this.address, url).then((error) => this.#end(error));
      }
    });
    return new Promise((resolve) => {
      socket.addEventListener("open", () => {
        if (!this.#hasEnded) {
          isOpen = true;
          clearTimeout(this.#connectTimer);
          this.#lastMessageMs = performance.now();
          this.#silenceTimer = setInterval(() => this.#checkSilence(), (this.timeouts.silenceSeconds * 1000) / 4);
          this.send([helloRequest(this.address.encoding)]);
          resolve();
        }
      });
    });
  }

  #onMessage(data: ArrayBuffer | string): void {
    if (this.#hasEnded) {
      return;
    }
    this.#lastMessageMs = performance.now();
    this.#probeSentMs = undefined;
    try {
      if ((typeof data === "string") !== (this.address.encoding === "json")) {
        throw new MalformedMessageError(`received a ${typeof data === "string" ? "text" : "binary"} message, which ${subProtocol(this.address)} does not carry`);
      }
      const message = typeof data === "string" ? data : new Uint8Array(data);
      const opened = openEvent(message);
      if (opened instanceof FrameMessage || !isHelloAnswer(opened)) {
        this.receiver.onEvent(opened, this.#lastMessageMs, message.length);
      }
    } catch (error) {
      this.#end(error);
    }
  }

  // Timers of a background page can be late, so the time since the clock request decides.
  #checkSilence(): void {
    const now = performance.now();
    const half = (this.timeouts.silenceSeconds * 1000) / 2;
    if (this.#isPaused || now - this.#lastMessageMs < half) {
      return;
    }
    if (this.#probeSentMs === undefined) {
      this.#probeSentMs = now;
      this.send([clockRequest(this.address.encoding)]);
    } else if (now - this.#probeSentMs >= half) {
      this.#end(
        new ConnectionLostError(`the bridge at ${this.address.target} was silent for ${this.timeouts.silenceSeconds} s: check that it runs`),
      );
    }
  }

  #end(error: unknown): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#release();
      this.receiver.onEnd(error);
    }
  }

  #release(): void {
    clearTimeout(this.#connectTimer);
    clearInterval(this.#silenceTimer);
    if (this.#isPaused) {
      this.setPaused(false); // The bridge's answer to the close must be read.
    }
    this.#socket.close(1000);
  }
}

function subProtocol({ encoding }: Address): string {
  return `sc2bridge.${encoding}.v1`;
}

function withToken(target: string, token: string | undefined): string {
  const url = new URL(target);
  if (token) {
    url.searchParams.set("token", token);
  }
  return url.href;
}

function closeError(target: string, code: number, reason: string): BridgeError {
  const given = reason || "no reason given";
  if (code >= FIRST_STATUS_CLOSE_CODE) {
    return bridgeError(code - FIRST_STATUS_CLOSE_CODE, given);
  }
  if (code === 1001 || code === 1005 || code === 1006) {
    return new ConnectionLostError(`the bridge at ${target} closed the connection: ${given}`);
  }
  return new BridgeError(code === 1011 ? StatusCode.INTERNAL : StatusCode.FAILED_PRECONDITION, `the bridge at ${target} closed: ${given} (${code})`);
}

// A WebSocket does not report why the bridge refused it. The same request over HTTP gets the reason, if a page may read it.
async function refusalError(address: Address, url: string): Promise<BridgeError> {
  const { target } = address;
  try {
    const answer = await fetch(url.replace(/^ws/, "http"), { signal: AbortSignal.timeout(2000) });
    const code = REFUSAL_CODES.get(answer.status);
    if (code !== undefined) {
      const [line = ""] = (await answer.text()).split("\n");
      return bridgeError(code, line.slice(0, 500) || `${target} refused the connection: HTTP ${answer.status}`);
    }
    if (answer.status !== 426) { // The bridge's answer to a request without a WebSocket upgrade.
      return new BridgeError(
        StatusCode.FAILED_PRECONDITION,
        `${target} answered HTTP ${answer.status}, so it is no bridge: check the path, which is /v1`,
      );
    }
    if (!(await answer.text()).includes(subProtocol(address))) { // The answer lists the bridge's sub-protocols.
      return tooOldError(`${target} is a bridge from before 0.1.0, or not a bridge`);
    }
  } catch {
    // No server answered, or the page may not read the answer, because it is from another origin.
  }
  return new ConnectionLostError(`no bridge answers at ${target}: check that it runs, and its address`);
}
