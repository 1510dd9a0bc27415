/** Connects to a bridge: `bridge = await connect(url)`, then `bridge.describe`, `bridge.subscribe` or `bridge.request`. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RequestSchema, Response } from "../generated/s2clientprotocol/sc2api_pb.js";
import type { ControlRequestSchema, HelloResponse, MatchDescription, PlaybackState, StatusResponse } from "../generated/sc2bridge/v1/bridge_pb.js";
import { BridgeError, closedByClient, StatusCode } from "../errors.js";
import { type Encoding, subscribeRequest, type SubscribeOptions } from "../protocol/subscribe.js";
import { HELLO } from "../protocol/versions.js";
import { type Address, parseAddress } from "../transport/address.js";
import { Channel, type Receiver, type Timeouts, withDefaultTimeouts } from "../transport/channel.js";
import { Playback } from "./playback.js";
import { Requests } from "./requests.js";
import { Subscription } from "./subscription.js";

/** How to connect. */
export interface ConnectOptions {
  /** The default is the address's encoding (`?encoding=…`), or else `proto`. `json` is readable, but four times as large. */
  encoding?: Encoding;
  /** The token, which decides what this client may do. The default is the token in the address (`?token=…`). */
  token?: string;
  /** The longest times to wait, in seconds. */
  timeouts?: Partial<Timeouts>;
  /**
   * How long a subscription tries to reach a missing or lost bridge before it throws. The default is 0: it throws at once.
   * The first frame after a reconnect has `reconnected` set. The outcomes of earlier actions are lost.
   */
  retrySeconds?: number;
  /** Called each time that the bridge is lost or not found, with the pause before the next attempt. */
  onLost?: (error: Error, pauseSeconds: number) => void;
  /** Called with each warning of the bridge, for example about a late action. The default is `console.warn`. */
  onNotice?: (line: string) => void;
}

/**
 * Prepares a connection to the bridge at `ws://HOST:PORT/v1`, or `wss://…` for TLS. If no bridge answers there, the first
 * request throws ConnectionLostError. Throws RangeError for an invalid address or option.
 */
export async function connect(url: string | URL, options: ConnectOptions = {}): Promise<Connection> {
  return new Connection(url, options);
}

/** A bridge. Each subscription and each pending `describe` has its own WebSocket. All other requests share one WebSocket. */
export class Connection extends Playback {
  readonly address: Address;
  /** @internal */
  readonly options: Pick<ConnectOptions, "retrySeconds" | "onLost" | "onNotice">;
  /** @internal */
  readonly timeouts: Timeouts;
  // The token is private, so that a logged connection does not show it.
  readonly #token: string | undefined;
  readonly #requests = new Requests(this);
  readonly #tracked = new Set<{ close(): void; sessionId?: string }>();
  /** @internal */
  isClosed = false;

  /** @internal */
  constructor(url: string | URL, { encoding, token, timeouts, retrySeconds, onLost, onNotice }: ConnectOptions) {
    super();
    const parsed = parseAddress(url, encoding, token);
    this.address = parsed.address;
    this.options = { retrySeconds, onLost, onNotice };
    this.timeouts = withDefaultTimeouts(timeouts);
    this.#token = parsed.token;
  }

  /** The bridge's version, its protocol versions and the names of its `capabilities`. Throws BridgeError. */
  hello(options: { signal?: AbortSignal } = {}): Promise<HelloResponse> {
    return this.#requests.ask("hello", HELLO, options.signal);
  }

  /**
   * Describes a match: the one with `matchId`, or else the current match. Waits until there is a match. Throws BridgeError.
   *
   * `perspective`: the player whose `gameInfo` is returned. The default is the match's first perspective.
   */
  async describe(
    options: { matchId?: string; perspective?: number | undefined; withoutGameInfo?: boolean; withoutData?: boolean; signal?: AbortSignal } = {},
  ): Promise<MatchDescription> {
    const { signal, ...fields } = options;
    if (this.isClosed) {
      throw closedByClient();
    }
    // The bridge reserves resources for a pending `describe` without a time limit. To close its WebSocket frees them.
    const ownRequests = new Requests(this);
    this.track(ownRequests);
    try {
      return (await ownRequests.ask("describe", fields, signal)).match!;
    } finally {
      this.untrack(ownRequests);
      ownRequests.close();
    }
  }

  /**
   * Sends a request to the game that does not change the match, such as a query. If this connection has open subscriptions,
   * the recording stores the request under the name of the newest subscription. Throws BridgeError.
   *
   * `perspective`: a player id, or 0 for an observer of all. The default is the side of this client, or else 0.
   */
  async request(
    request: MessageInitShape<typeof RequestSchema>,
    options: { matchId?: string; perspective?: number | undefined; /** @internal */ sessionId?: string; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const { signal, sessionId, ...fields } = options;
    const ask = (sessionId: string) => this.#requests.ask("callGame", { ...fields, request, sessionId }, signal);
    return (await (sessionId === undefined ? this.#askAsNewest(ask) : ask(sessionId))).response!;
  }

  /**
   * The current state of the stream. For each subscriber: received, dropped and queued frames, and whether the match waits
   * for it. For each encoding: times and bytes. Also: why the bridge is degraded, and what agents have drawn. Counters only
   * grow. For a rate, divide the difference of a counter in two answers by the difference of their `createdNs`. The bridge
   * makes at most ten answers a second. Throws BridgeError.
   */
  status(options: { signal?: AbortSignal } = {}): Promise<StatusResponse> {
    return this.#requests.ask("status", {}, options.signal);
  }

  /**
   * Subscribes to the frames of a match. Iterate over the result. Throws RangeError for an invalid option. If the bridge
   * refuses the subscription, the first iteration throws BridgeError.
   */
  subscribe(options: SubscribeOptions = {}): Subscription {
    return new Subscription(this, subscribeRequest(options), options.signal);
  }

  /** Closes the connection permanently. Its subscriptions end, and later requests throw ClosedError. */
  close(): void {
    this.isClosed = true;
    for (const each of [this.#requests, ...this.#tracked]) {
      each.close();
    }
  }

  /** @internal `close` also closes `opened`, unless `untrack(opened)` was called before. */
  track(opened: { close(): void; sessionId?: string }): void {
    this.#tracked.add(opened);
  }

  /** @internal */
  untrack(opened: { close(): void }): void {
    this.#tracked.delete(opened);
  }

  /** @internal */
  openChannel(receiver: Receiver): Channel {
    return new Channel(this.address, this.#token, this.timeouts, receiver);
  }

  /** @internal */
  protected async control(matchId: string | undefined, command?: MessageInitShape<typeof ControlRequestSchema>["command"]): Promise<PlaybackState> {
    return (await this.#askAsNewest((sessionId) => this.#requests.ask("control", { matchId, command, sessionId }))).playback!;
  }

  // Sends a request in the name of the newest subscription. If the bridge has already ended that subscription, sends the
  // request again without a name.
  async #askAsNewest<T>(ask: (sessionId: string) => Promise<T>): Promise<T> {
    const sessionId = this.#newestSessionId;
    try {
      return await ask(sessionId);
    } catch (error) {
      if (!sessionId || !(error instanceof BridgeError) || error.code !== StatusCode.FAILED_PRECONDITION) {
        throw error;
      }
      return ask("").catch(() => Promise.reject(error));
    }
  }

  /** The session id of the newest open subscription. Empty if none is open. */
  get #newestSessionId(): string {
    return [...this.#tracked].findLast(({ sessionId }) => sessionId)?.sessionId ?? "";
  }
}
