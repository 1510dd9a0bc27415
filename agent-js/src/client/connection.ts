/** A bridge: `const bridge = await connect(url)`, then `describe`, `subscribe`, `request`. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RequestSchema, Response } from "../generated/s2clientprotocol/sc2api_pb.js";
import type { ControlRequestSchema, HelloResponse, MatchDescription, PlaybackState, StatusResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { BridgeError, closedHere, StatusCode } from "../errors.js";
import { type Encoding, subscribeRequest, type SubscribeOptions } from "../protocol/subscribe.js";
import { HELLO } from "../protocol/versions.js";
import { type Address, parseAddress } from "../transport/address.js";
import { Channel, type Receiver, type Timeouts, timeoutsOf } from "../transport/channel.js";
import { Playback } from "./playback.js";
import { Requests } from "./requests.js";
import { Subscription } from "./subscription.js";

/** How to connect. */
export interface ConnectOptions {
  /** The default is what `?encoding=` says, else `proto`. `json` is for reading: it takes four times the bytes. */
  encoding?: Encoding;
  /** Says who connects, and so what may be done; the default is the one in the address (`?token=…`). */
  token?: string;
  /** How long to wait for what. */
  timeouts?: Partial<Timeouts>;
  /**
   * How long subscriptions look for a bridge that is not there or was lost, before they throw. The default is 0: not at all.
   * The first frame from a bridge that was found again has `reconnected` set; outcomes of earlier actions do not come.
   */
  retrySeconds?: number;
  /** Is told each time that a bridge was not found, and after how long it will be looked for again. */
  onLost?: (error: Error, pauseSeconds: number) => void;
  /** Is told what the bridge remarks and goes on: of an action that came too late, say. The default is `console.warn`. */
  onNotice?: (line: string) => void;
}

/**
 * Connects to a bridge at `ws://HOST:PORT/v1`, or by TLS `wss://…`. That no bridge is there shows at the first use:
 * ConnectionLostError. Throws RangeError for an address that is none, and for a wrong option.
 */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<Connection> {
  return new Connection(url, options);
}

/** A bridge. Each subscription has a connection of its own, each description one while it is waited for, and requests another. */
export class Connection extends Playback {
  readonly address: Address;
  /** @internal */
  readonly options: Pick<ConnectOptions, "retrySeconds" | "onLost" | "onNotice">;
  /** @internal */
  readonly timeouts: Timeouts;
  // Nobody's to read: a connection may be logged.
  readonly #token: string | undefined;
  readonly #requests = new Requests(this);
  readonly #opened = new Set<{ close(): void; sessionId?: string }>();
  /** @internal */
  isClosed = false;

  /** @internal */
  constructor(url: string | URL, { encoding, token, timeouts, retrySeconds, onLost, onNotice }: ConnectOptions) {
    super();
    const parsed = parseAddress(url, encoding, token);
    this.address = parsed.address;
    this.options = { retrySeconds, onLost, onNotice };
    this.timeouts = timeoutsOf(timeouts);
    this.#token = parsed.token;
  }

  /** The bridge's version, its protocol versions, and words for its `capabilities`. Throws BridgeError. */
  hello(options: { signal?: AbortSignal } = {}): Promise<HelloResponse> {
    return this.#requests.ask("hello", HELLO, options.signal);
  }

  /**
   * The match that runs, or a certain one; waits until there is one. Throws BridgeError.
   *
   * `perspective`: whose `gameInfo`; without it the first perspective's.
   */
  async describe(
    options: { matchId?: string; perspective?: number | undefined; withoutGameInfo?: boolean; withoutData?: boolean; signal?: AbortSignal } = {},
  ): Promise<MatchDescription> {
    const { signal, ...asked } = options;
    if (this.isClosed) {
      throw closedHere();
    }
    // The bridge keeps a place for each description that is waited for, however long: to close the connection frees it.
    const alone = new Requests(this);
    this.remember(alone);
    try {
      return (await alone.ask("describe", asked, signal)).match!;
    } finally {
      this.forget(alone);
      alone.close();
    }
  }

  /**
   * Asks the game something that leaves the match as it is, such as a query. It belongs to the newest open subscription of this
   * connection, if there is one: it is recorded under its name. Throws BridgeError.
   *
   * `perspective`: a player id, 0 for an observer of all; without it the own side, else 0.
   */
  async request(
    request: MessageInitShape<typeof RequestSchema>,
    options: { matchId?: string; perspective?: number | undefined; /** @internal */ sessionId?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const { signal, sessionId, ...asked } = options;
    const ask = (sessionId: string) => this.#requests.ask("callGame", { ...asked, request, sessionId }, signal);
    return (await (sessionId === undefined ? this.#asNewest(ask) : ask(sessionId))).response!;
  }

  /**
   * How the stream does at this moment: subscribers with what they got, dropped and wait for, and whether the match waits for
   * them; encodings' times and bytes; why the bridge is degraded; what agents have drawn. Counts only grow: two answers, by their `createdNs`, give
   * rates. The bridge makes ten a second at most. Throws BridgeError.
   */
  status(options: { signal?: AbortSignal } = {}): Promise<StatusResponse> {
    return this.#requests.ask("status", {}, options.signal);
  }

  /**
   * Subscribes to a match's frames; iterate over what is returned. Throws RangeError for a choice that does not exist. What the
   * bridge refuses shows at the first frame.
   */
  subscribe(options: SubscribeOptions = {}): Subscription {
    return new Subscription(this, subscribeRequest(options), options.signal);
  }

  /** Closes the connection, for good: its subscriptions end, what is asked of it throws ConnectionLostError. */
  close(): void {
    this.isClosed = true;
    for (const each of [this.#requests, ...this.#opened]) {
      each.close();
    }
  }

  /** @internal Closes it too, until it is forgotten. */
  remember(opened: { close(): void; sessionId?: string }): void {
    this.#opened.add(opened);
  }

  /** @internal */
  forget(opened: { close(): void }): void {
    this.#opened.delete(opened);
  }

  /** @internal */
  open(receiver: Receiver): Channel {
    return new Channel(this.address, this.#token, this.timeouts, receiver);
  }

  /** @internal */
  protected async control(matchId: string | undefined, command?: MessageInitShape<typeof ControlRequestSchema>["command"]): Promise<PlaybackState> {
    return (await this.#asNewest((sessionId) => this.#requests.ask("control", { matchId, command, sessionId }))).playback!;
  }

  /** Asks as the newest open subscription; if that has ended and its end was not read yet, without one. */
  async #asNewest<T>(ask: (sessionId: string) => Promise<T>): Promise<T> {
    const sessionId = this.#sessionId;
    try {
      return await ask(sessionId);
    } catch (error) {
      if (!sessionId || !(error instanceof BridgeError) || error.code !== StatusCode.FAILED_PRECONDITION) {
        throw error;
      }
      return ask("").catch(() => Promise.reject(error));
    }
  }

  /** The id of the newest subscription that is open, if there is one. */
  get #sessionId(): string {
    return [...this.#opened].findLast(({ sessionId }) => sessionId)?.sessionId ?? "";
  }
}
