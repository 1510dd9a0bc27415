/** Requests with one answer each, on one WebSocket. They run concurrently: each answer has the id of its request. */

import { bridgeError, closedByClient, ConnectionLostError, RequestTimeoutError } from "../errors.js";
import type { PlayResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { encode, type RequestBody } from "../protocol/messages.js";
import { HELLO_ID } from "../protocol/versions.js";
import type { Channel } from "../transport/channel.js";
import type { Connection } from "./connection.js";

/** The names of requests. Each answer in a PlayResponse has the name of its request in a PlayRequest. */
type Kind = "hello" | "describe" | "callGame" | "control" | "status";
type Valued<M, K> = Extract<M, { case: K }> extends { value: infer V } ? V : never;
type Answer<K extends Kind> = Valued<PlayResponse["event"], K>;

interface PendingRequest {
  kind: Kind;
  resolve: (answer: never) => void;
  reject: (error: unknown) => void;
}

export class Requests {
  #channel: Channel | undefined;
  #isClosed = false;
  #lastId = HELLO_ID;
  readonly #pending = new Map<number, PendingRequest>();

  constructor(private readonly connection: Connection) {}

  /** Sends a request and returns its answer. Throws BridgeError, MalformedMessageError, or the reason of an aborted signal. */
  async ask<K extends Kind>(kind: K, value: Valued<RequestBody, K>, signal?: AbortSignal): Promise<Answer<K>> {
    signal?.throwIfAborted();
    if (this.#isClosed) {
      throw closedByClient();
    }
    const { address, timeouts } = this.connection;
    const id = (this.#lastId = Math.max(HELLO_ID, this.#lastId % 0xffffffff) + 1);
    const message = encode({ case: kind, value } as RequestBody, address.encoding, id);
    const cleanups: (() => void)[] = [];
    try {
      return await new Promise<Answer<K>>((resolve, reject) => {
        this.#pending.set(id, { kind, resolve, reject });
        if (kind !== "describe") {
          const { requestSeconds } = timeouts;
          const timer = setTimeout(() => {
            reject(new RequestTimeoutError(`the bridge at ${address.target} did not answer ${kind} within ${requestSeconds} s: try again`));
          }, requestSeconds * 1000);
          cleanups.push(() => clearTimeout(timer));
        }
        const abort = () => reject(signal!.reason);
        signal?.addEventListener("abort", abort);
        cleanups.push(() => signal?.removeEventListener("abort", abort));
        const channel = (this.#channel ??= this.#connect());
        void channel.opened.then(() => channel.send([message]));
      });
    } finally {
      this.#pending.delete(id); // If the answer still arrives, it is ignored.
      cleanups.forEach((cleanUp) => cleanUp());
    }
  }

  /** Closes the WebSocket permanently. Pending and later requests throw ClosedError. */
  close(): void {
    this.#isClosed = true;
    this.#channel?.close();
    this.#failAll(closedByClient());
  }

  #connect(): Channel {
    return this.connection.openChannel({
      onEvent: (opened) => void ("event" in opened && this.#onAnswer(opened)),
      onEnd: (error) => this.#failAll(error ?? new ConnectionLostError(`the bridge at ${this.connection.address.target} disconnected before it answered: check that it runs`)),
    });
  }

  #onAnswer({ requestId, event }: PlayResponse): void {
    const request = this.#pending.get(requestId);
    if (event.case === "error") {
      const refusal = bridgeError(event.value.code, event.value.message);
      if (event.value.fatal) {
        throw refusal; // Ends the channel, so all pending requests fail.
      }
      request?.reject(refusal);
    } else if (event.case === request?.kind) {
      request?.resolve(event.value as never);
    }
  }

  /** Fails all pending requests, because the channel has ended. The next request opens a new channel. */
  #failAll(error: unknown): void {
    this.#channel = undefined;
    this.#pending.forEach(({ reject }) => reject(error));
  }
}
