/** A subscription: an iterator of frames. Agents also send actions and requests with it. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { closedByClient, ClosedError, ConnectionLostError } from "../errors.js";
import type { Frame } from "../frame.js";
import type { RequestSchema, Response } from "../generated/s2clientprotocol/sc2api_pb.js";
import { type MatchDescription, Policy, type SubscribeRequest } from "../generated/sc2bridge/v1/bridge_pb.js";
import type { Outcome } from "../outcomes.js";
import { type ActionInit, Session } from "../protocol/session.js";
import type { Channel } from "../transport/channel.js";
import type { Connection } from "./connection.js";
import { Inbox } from "./inbox.js";

const FIRST_RETRY_PAUSE_MS = 100;
const MAX_RETRY_PAUSE_MS = 5_000;

/**
 * An asynchronous iterator of frames. It ends with the match, and `end` then has the results. When the loop asks for the
 * next frame, the current frame is acknowledged. Leaving the loop closes the subscription. Throws BridgeError if the bridge
 * ends the subscription. Throws ConnectionLostError if the bridge is lost and not found within `ConnectOptions.retrySeconds`.
 */
export class Subscription implements AsyncIterableIterator<Frame> {
  #session: Session;
  #inbox: Inbox;
  #channel: Channel | undefined;
  #newestFrame: Frame | undefined;
  #lostSinceMs: number | undefined;
  #retryPauseMs = FIRST_RETRY_PAUSE_MS;
  #isReconnected = false;
  #hasEnded = false;
  /** Resolves at the first event or the end of the connection. The bridge has then accepted or refused this subscription. */
  #subscribed: Promise<void> = Promise.resolve();
  #resolveSubscribed = (): void => {};
  readonly #closing = new AbortController();

  /** @internal */
  constructor(
    private readonly connection: Connection,
    private readonly subscribeRequest: SubscribeRequest,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#session = this.#newSession();
    this.#inbox = this.#newInbox();
    if (signal?.aborted) {
      this.#abort();
    } else if (connection.isClosed) {
      this.#finish(closedByClient());
    } else {
      this.#channel = this.#open();
      connection.track(this);
      signal?.addEventListener("abort", this.#abort);
    }
  }

  /** The end of the match with its results, undefined before it. `reason` is short, such as `step limit`; `detail` can add to it. */
  get end(): Session["end"] {
    return this.#session.end;
  }

  /** The unique name at the bridge: `SubscribeOptions.agent`, with a number if the name was taken. Empty before the bridge answers. */
  get name(): string {
    return this.#session.name;
  }

  /** @internal */
  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** The last outcomes of actions. They arrived after the last frame, so no frame contains them. */
  get outcomes(): readonly Outcome[] {
    return this.#session.outcomes;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Acknowledges the current frame, and waits for the next frame. Only one caller may wait at a time. */
  async next(): Promise<IteratorResult<Frame, undefined>> {
    const frame = await this.#next();
    return frame ? { done: false, value: frame } : { done: true, value: undefined };
  }

  /** Closes the subscription. A `for await` loop calls this when it is left. */
  async return(): Promise<IteratorResult<Frame, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  /**
   * Sends the player's actions for the current frame. Requires `canAct`. In a stepped match the game receives the actions
   * with the next step. In real time it receives them at once, but under `lockstep` when the loop's body is done. The outcomes
   * arrive in `frame.outcomes` of a later frame, with the tag that this method returns. Throws SC2BridgeError if the
   * subscription may not act, or if the loop has no current frame, and ClosedError after the subscription has ended.
   */
  act(actions: Iterable<ActionInit>): number {
    this.#throwIfEnded();
    const { tag, messages } = this.#session.act(actions);
    this.#send(messages);
    return tag;
  }

  /**
   * Collects an action. When the loop asks for the next frame, or at the next call of `act`, all collected actions are sent in
   * one message. `Commands` has methods for the usual actions. Throws the errors of `act`.
   */
  do(action: ActionInit): void {
    this.#throwIfEnded();
    this.#session.do(action);
  }

  /** Describes this match, with the `gameInfo` of this perspective. Throws BridgeError. */
  describe(): Promise<MatchDescription> {
    return this.connection.describe({ matchId: this.#matchId, perspective: this.#perspective });
  }

  /** Sends a request to the game in the name of this subscriber. The request must not change the match. Throws BridgeError. */
  async request(request: MessageInitShape<typeof RequestSchema>): Promise<Response> {
    await this.#subscribed;
    return this.connection.request(request, { matchId: this.#matchId, perspective: this.#perspective, sessionId: this.sessionId });
  }

  /** Closes the subscription. A game that waits for this subscriber then continues. */
  close(): void {
    this.#finish(undefined);
  }

  #throwIfEnded(): void {
    if (this.#hasEnded) {
      throw new ClosedError(`the subscription has ended${this.end ? ` with the match (${this.end.reason})` : ""}: subscribe again`);
    }
  }

  get #matchId(): string {
    return this.#newestFrame?.matchId ?? this.subscribeRequest.matchId;
  }

  get #perspective(): number | undefined {
    return this.#newestFrame?.perspective ?? this.subscribeRequest.perspective;
  }

  async #next(): Promise<Frame | undefined> {
    if (!this.#hasEnded) {
      this.#send(this.#session.finishFrame());
    }
    while (true) {
      let frame: Frame | undefined;
      try {
        frame = await this.#inbox.dequeue();
      } catch (error) {
        if (this.#hasEnded || !(await this.#reconnect(error))) {
          this.#finish(undefined);
          throw error;
        }
        continue;
      }
      if (!frame || this.#hasEnded) {
        this.#send(this.#session.flush());
        this.#finish(undefined);
        return undefined;
      }
      frame.reconnected ||= this.#isReconnected;
      this.#isReconnected = false;
      this.#lostSinceMs = undefined;
      this.#retryPauseMs = FIRST_RETRY_PAUSE_MS;
      try {
        this.#session.beginFrame(frame);
      } catch (error) {
        this.#finish(undefined);
        throw error;
      }
      this.#newestFrame = frame;
      return frame;
    }
  }

  readonly #abort = (): void => this.#finish(this.signal!.reason ?? new Error("aborted"));

  #finish(error: unknown): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.signal?.removeEventListener("abort", this.#abort);
      this.#closing.abort();
      this.connection.untrack(this);
      this.#inbox.clear();
      this.#inbox.end(error);
      this.#session.sessionId = "";
      this.#resolveSubscribed();
      this.#channel?.close();
      this.#session.close();
    }
  }

  /** Reconnects after a pause. Returns false if `retrySeconds` are over, or if the error is not a lost connection. */
  async #reconnect(error: unknown): Promise<boolean> {
    const { retrySeconds, onLost } = this.connection.options;
    if (!(error instanceof ConnectionLostError) || !retrySeconds) {
      return false;
    }
    const now = performance.now();
    this.#lostSinceMs ??= now;
    const leftMs = this.#lostSinceMs + retrySeconds * 1000 - now;
    if (leftMs <= 0) {
      return false;
    }
    // The pause is random, so that pages that lost the same bridge do not all reconnect at once.
    const pauseMs = Math.min(leftMs, this.#retryPauseMs * (0.5 + Math.random() / 2));
    this.#retryPauseMs = Math.min(MAX_RETRY_PAUSE_MS, this.#retryPauseMs * 2);
    onLost?.(error, pauseMs / 1000);
    await this.#sleep(pauseMs);
    if (!this.#hasEnded) {
      this.#isReconnected = this.#newestFrame !== undefined;
      this.#session = this.#newSession();
      this.#inbox = this.#newInbox();
      this.#channel = this.#open();
    }
    return true;
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const { signal } = this.#closing;
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal.addEventListener("abort", end);
    });
  }

  #newSession(): Session {
    const { address, options } = this.connection;
    return new Session(this.subscribeRequest, address.encoding, options.onNotice ?? ((line) => console.warn(`sc2bridge: ${line}`)));
  }

  #newInbox(): Inbox {
    return new Inbox(this.subscribeRequest.policy === Policy.LATEST);
  }

  #open(): Channel {
    const session = this.#session;
    const inbox = this.#inbox;
    this.#subscribed = new Promise((resolve) => (this.#resolveSubscribed = resolve));
    const channel = this.connection.openChannel({
      onEvent: (opened, nowMs, size) => {
        const { frame, isMoved, replies } = session.handleEvent(opened, nowMs, size);
        this.#resolveSubscribed();
        this.#send(replies);
        if (isMoved) {
          inbox.clear();
        }
        if (frame) {
          inbox.enqueue(frame);
        }
        if (session.end) {
          inbox.end();
        }
      },
      onEnd: (error) => {
        session.sessionId = "";
        session.close();
        this.#resolveSubscribed();
        inbox.end(error ?? new ConnectionLostError("the bridge ended the stream before the match's end: check that it runs"));
      },
    });
    inbox.setOnFull((isFull) => channel.setPaused(isFull));
    void channel.opened.then(() => channel.send(session.openingMessages()));
    return channel;
  }

  #send(messages: Parameters<Channel["send"]>[0]): void {
    this.#channel?.send(messages); // If the channel has ended, the loop throws the cause at the next frame.
  }
}
