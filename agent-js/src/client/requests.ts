/** Requests with one answer each, which share a connection. They do not wait for each other: an answer has its request's id. */

import { bridgeError, closedHere, ConnectionLostError, RequestTimeoutError } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { encode, type Said } from "../protocol/messages.js";
import { HELLO_ID } from "../protocol/versions.js";
import type { Channel } from "../transport/channel.js";
import type { Connection } from "./connection.js";

/** Requests whose answers have the same names. */
type Kind = "hello" | "describe" | "callGame" | "control" | "status";
type Valued<M, K> = Extract<M, { case: K }> extends { value: infer V } ? V : never;
type Answer<K extends Kind> = Valued<PlayResponse["event"], K>;

interface Waiting {
  kind: Kind;
  resolve: (answer: never) => void;
  reject: (error: unknown) => void;
}

export class Requests {
  #channel: Channel | undefined;
  #isClosed = false;
  #lastId = HELLO_ID;
  readonly #waiting = new Map<number, Waiting>();

  constructor(private readonly connection: Connection) {}

  /** What the bridge answers. Throws BridgeError, MalformedMessageError, and the signal's reason. */
  async ask<K extends Kind>(kind: K, value: Valued<Said, K>, signal?: AbortSignal): Promise<Answer<K>> {
    signal?.throwIfAborted();
    if (this.#isClosed) {
      throw closedHere();
    }
    const { address, timeouts } = this.connection;
    const id = (this.#lastId = Math.max(HELLO_ID, this.#lastId % 0xffffffff) + 1);
    const message = encode({ case: kind, value } as Said, address.encoding, id);
    const limits: (() => void)[] = [];
    try {
      return await new Promise<Answer<K>>((resolve, reject) => {
        this.#waiting.set(id, { kind, resolve, reject });
        if (kind !== "describe") {
          const { requestSeconds } = timeouts;
          const late = setTimeout(() => {
            reject(new RequestTimeoutError(`the bridge at ${address.target} did not answer ${kind} within ${requestSeconds} s`));
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
      this.#waiting.delete(id); // A later answer is ignored.
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
    return this.connection.open({
      event: (opened) => void ("event" in opened && this.#answered(opened)),
      end: (error) => this.#end(error ?? new ConnectionLostError(`the bridge at ${this.connection.address.target} closed before it answered`)),
    });
  }

  #answered({ requestId, event }: PlayResponse): void {
    const waiting = this.#waiting.get(requestId);
    if (event.case === "error") {
      const refusal = bridgeError(event.value.code, event.value.message);
      if (event.value.fatal) {
        throw refusal; // Ends the channel, and so all that wait.
      }
      waiting?.reject(refusal);
    } else if (event.case === waiting?.kind) {
      waiting?.resolve(event.value as never);
    }
  }

  /** The channel is over; the next request opens another. */
  #end(error: unknown): void {
    this.#channel = undefined;
    this.#waiting.forEach(({ reject }) => reject(error));
  }
}
