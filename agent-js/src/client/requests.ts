/** Requests with one answer each, which share a connection. None waits for another: an answer bears its request's tag. */

import { isMessage } from "@bufbuild/protobuf";
import { bridgeError, closedHere, ConnectionLostError, RequestTimeoutError } from "../errors.js";
import { type BridgeStatus, type Event, EventSchema, type GameResponse, type MatchDescription, type PlaybackState } from "../generated/sc2bridge/v1/bridge_pb.js";
import { toNs } from "../protocol/clock.js";
import { openEvent } from "../protocol/envelope.js";
import { encode, type Said } from "../protocol/messages.js";
import type { Channel } from "../transport/channel.js";
import type { Connection } from "./connection.js";

/** The answers by the cases of Event. */
interface Answers {
  description: MatchDescription;
  response: GameResponse;
  playback: PlaybackState;
  status: BridgeStatus;
}

interface Waiting {
  kind: keyof Answers;
  resolve: (answer: never) => void;
  reject: (error: unknown) => void;
}

export class Requests {
  #channel: Channel | undefined;
  #isClosed = false;
  readonly #waiting = new Map<number, Waiting>();

  constructor(private readonly connection: Connection) {}

  /** What the bridge answers. Throws BridgeError, MalformedMessageError, and the signal's reason. */
  async ask<K extends keyof Answers>(said: Said, kind: K, signal?: AbortSignal): Promise<Answers[K]> {
    signal?.throwIfAborted();
    if (this.#isClosed) {
      throw closedHere();
    }
    const { address, timeouts } = this.connection;
    const message = encode(said, address.encoding);
    const tag = tagOf(said.value);
    const limits: (() => void)[] = [];
    try {
      return await new Promise<Answers[K]>((resolve, reject) => {
        this.#waiting.set(tag, { kind, resolve, reject });
        if (kind !== "description") {
          const { requestSeconds } = timeouts;
          const late = setTimeout(() => {
            reject(new RequestTimeoutError(`the bridge at ${address.target} did not answer ${said.case} within ${requestSeconds} s`));
          }, requestSeconds * 1000);
          limits.push(() => clearTimeout(late));
        }
        const abort = () => reject(signal!.reason);
        signal?.addEventListener("abort", abort);
        limits.push(() => signal?.removeEventListener("abort", abort));
        const channel = (this.#channel ??= this.#connect());
        void channel.opened.then(() => channel.send([message]));
      });
    } finally {
      this.#waiting.delete(tag); // An answer that comes yet is nobody's.
      limits.forEach((end) => end());
    }
  }

  /** Closes, for good. */
  close(): void {
    this.#isClosed = true;
    this.#channel?.close();
    this.#end(closedHere());
  }

  #connect(): Channel {
    const { target, encoding } = this.connection.address;
    const question = () => encode({ case: "clock", value: { agentNs: toNs(performance.now()) } }, encoding);
    return this.connection.open(question, {
      message: (message) => {
        const opened = openEvent(message);
        if (isMessage(opened, EventSchema)) {
          this.#answered((opened as Event).event);
        }
      },
      end: (error) => this.#end(error ?? new ConnectionLostError(`the bridge at ${target} closed before it answered`)),
    });
  }

  #answered({ case: kind, value }: Event["event"]): void {
    const waiting = this.#waiting.get(tagOf(value));
    if (kind === "error") {
      const refusal = bridgeError(value.code, value.message);
      if (value.fatal) {
        throw refusal; // Ends the channel, and so all that wait.
      }
      waiting?.reject(refusal);
    } else if (kind === waiting?.kind) {
      waiting?.resolve(value as never);
    }
  }

  /** The channel is over; the next request opens another. */
  #end(error: unknown): void {
    this.#channel = undefined;
    this.#waiting.forEach(({ reject }) => reject(error));
  }
}

/** A description has none, and is the only one of its connection: 0. */
function tagOf(message: { tag?: number } | object | undefined): number {
  return (message as { tag?: number } | undefined)?.tag ?? 0;
}
