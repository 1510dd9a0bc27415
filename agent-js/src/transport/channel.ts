/** One WebSocket's messages, with a limit on every wait. */

import { openSocket } from "#socket";
import { BridgeError, bridgeError, ConnectionLostError, MalformedMessageError, StatusCode } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { openEvent, type OpenedFrame, type Wire } from "../protocol/envelope.js";
import { question } from "../protocol/messages.js";
import { hello, isHello, tooOld } from "../protocol/versions.js";
import type { Address } from "./address.js";

/** How long a connection waits before it throws. All are above 0. */
export interface Timeouts {
  /** For the connection to be made: ConnectionLostError. */
  connectSeconds: number;
  /** For the answer to a request, or to a control of the playback: RequestTimeoutError. To describe a match has no limit. */
  requestSeconds: number;
  /** For any sign of life: ConnectionLostError. A bridge that has nothing to send is asked for one after half of it. */
  silenceSeconds: number;
}

const USUAL: Timeouts = { connectSeconds: 10, requestSeconds: 30, silenceSeconds: 30 };

/** With the usual ones where none are chosen. Throws RangeError. */
export function timeoutsOf(chosen: Partial<Timeouts> = {}): Timeouts {
  const timeouts = { ...USUAL, ...chosen };
  for (const [name, seconds] of Object.entries(timeouts)) {
    if (!(seconds > 0 && seconds < 1e6)) { // Timers hold no more than 2^31 ms.
      throw new RangeError(`${name} ${seconds}: choose seconds above 0 and below a million`);
    }
  }
  return timeouts;
}

/** Handles what comes over a channel. */
export interface Receiver {
  /** An event, the time when its message was here, and the message's size. An error that it throws ends the channel. */
  event(opened: OpenedFrame | PlayResponse, nowMs: number, size: number): void;
  /** The end, once, of what was opened or never was: undefined where the bridge closed well, after all that it had to say. */
  end(error: unknown): void;
}

// A gRPC status code as a close code: moved to where the standard leaves room.
const STATUS = 4000;

// What HTTP calls a bridge's refusals, before there is a WebSocket.
const REFUSALS = new Map<number, number>([
  [401, StatusCode.UNAUTHENTICATED],
  [403, StatusCode.PERMISSION_DENIED],
  [421, StatusCode.PERMISSION_DENIED],
  [429, StatusCode.RESOURCE_EXHAUSTED],
  [503, StatusCode.UNAVAILABLE],
]);

/** Node's socket can stop reading; a browser's cannot. */
type Pausable = Partial<Record<"pause" | "resume", () => void>>;

export class Channel {
  /** When it is open. Where that fails the receiver is told the end. */
  readonly opened: Promise<void>;
  readonly #socket: WebSocket & Pausable;
  #ended = false;
  #heardMs = performance.now();
  #askedMs: number | undefined;
  #isPaused = false;
  #late: ReturnType<typeof setTimeout> | undefined;
  #watch: ReturnType<typeof setInterval> | undefined;

  /** Connects. The first message is hello. */
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

  /** Sends; where the channel has ended its receiver knows why. */
  send(messages: Iterable<Wire>): void {
    for (const message of messages) {
      if (this.#socket.readyState === 1) {
        this.#socket.send(message as Uint8Array<ArrayBuffer> | string);
      }
    }
  }

  /** Stops reading, where that can be done, or goes on. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#heardMs = performance.now();
    (isPaused ? this.#socket.pause : this.#socket.resume)?.call(this.#socket);
  }

  /** Closes; nothing is told any more. */
  close(): void {
    this.#ended = true;
    const socket = this.#socket;
    if (socket.readyState === 0 && !socket.pause) {
      // A browser calls it an error on its console to close one that is not open yet.
      clearTimeout(this.#late);
      socket.addEventListener("open", () => socket.close(1000));
    } else {
      this.#release();
    }
  }

  #open(url: string): Promise<void> {
    const socket = this.#socket;
    let isOpen = false;
    this.#late = setTimeout(() => {
      this.#end(
        new ConnectionLostError(`no bridge at ${this.address.target}: no WebSocket was opened within ${this.timeouts.connectSeconds} s: check its address`),
      );
    }, this.timeouts.connectSeconds * 1000);
    socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer | string>) => this.#received(data));
    socket.addEventListener("error", () => {}); // The close comes after it, and says as much.
    socket.addEventListener("close", ({ code, reason }) => {
      if (isOpen) {
        this.#end(code === 1000 ? undefined : closed(this.address.target, code, reason));
      } else if (!this.#ended) {
        void refusal(this.address, url).then((error) => this.#end(error));
      }
    });
    return new Promise((resolve) => {
      socket.addEventListener("open", () => {
        if (!this.#ended) {
          isOpen = true;
          clearTimeout(this.#late);
          this.#heardMs = performance.now();
          this.#watch = setInterval(() => this.#look(), (this.timeouts.silenceSeconds * 1000) / 4);
          this.send([hello(this.address.encoding)]);
          resolve();
        }
      });
    });
  }

  #received(data: ArrayBuffer | string): void {
    if (this.#ended) {
      return;
    }
    this.#heardMs = performance.now();
    this.#askedMs = undefined;
    try {
      if ((typeof data === "string") !== (this.address.encoding === "json")) {
        throw new MalformedMessageError(`a ${typeof data === "string" ? "text" : "binary"} message came over ${subProtocol(this.address)}`);
      }
      const message = typeof data === "string" ? data : new Uint8Array(data);
      const opened = openEvent(message);
      if ("envelope" in opened || !isHello(opened)) {
        this.receiver.event(opened, this.#heardMs, message.length);
      }
    } catch (error) {
      this.#end(error);
    }
  }

  // Timers of a page in the background come late: what counts is how long ago the question was asked.
  #look(): void {
    const now = performance.now();
    const half = (this.timeouts.silenceSeconds * 1000) / 2;
    if (this.#isPaused || now - this.#heardMs < half) {
      return;
    }
    if (this.#askedMs === undefined) {
      this.#askedMs = now;
      this.send([question(this.address.encoding)]);
    } else if (now - this.#askedMs >= half) {
      this.#end(
        new ConnectionLostError(`the bridge at ${this.address.target} was silent for ${this.timeouts.silenceSeconds} s: check that it runs`),
      );
    }
  }

  #end(error: unknown): void {
    if (!this.#ended) {
      this.#ended = true;
      this.#release();
      this.receiver.end(error);
    }
  }

  #release(): void {
    clearTimeout(this.#late);
    clearInterval(this.#watch);
    if (this.#isPaused) {
      this.pause(false); // A close is read, too.
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

function closed(target: string, code: number, reason: string): BridgeError {
  const said = reason || "no reason given";
  if (code >= STATUS) {
    return bridgeError(code - STATUS, said);
  }
  if (code === 1001 || code === 1005 || code === 1006) {
    return new ConnectionLostError(`the bridge at ${target} closed the connection: ${said}`);
  }
  return new BridgeError(code === 1011 ? StatusCode.INTERNAL : StatusCode.FAILED_PRECONDITION, `the bridge at ${target} closed: ${said} (${code})`);
}

// A WebSocket does not say why it was refused; to the same request over HTTP the bridge does, where a page may read it.
async function refusal(address: Address, url: string): Promise<BridgeError> {
  const { target } = address;
  try {
    const answer = await fetch(url.replace(/^ws/, "http"), { signal: AbortSignal.timeout(2000) });
    const code = REFUSALS.get(answer.status);
    if (code !== undefined) {
      const [line = ""] = (await answer.text()).split("\n");
      return bridgeError(code, line.slice(0, 500) || `${target} refused the connection: HTTP ${answer.status}`);
    }
    if (answer.status !== 426) { // What a bridge says to one that asks for no WebSocket.
      return new BridgeError(
        StatusCode.FAILED_PRECONDITION,
        `${target} answered HTTP ${answer.status}, not as a bridge does: check the path, which is /v1`,
      );
    }
    if (!(await answer.text()).includes(subProtocol(address))) { // The answer lists the bridge's sub-protocols.
      return tooOld(`${target} is a bridge from before 0.1.0, or not a bridge`);
    }
  } catch {
    // Nobody is there, or the page is of another origin.
  }
  return new ConnectionLostError(`no bridge at ${target}, or it is gone: check that it runs, and its address`);
}
