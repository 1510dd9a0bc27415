/** A subscription: an iterator of frames, through which an agent also acts and asks. */

import type { MessageInitShape } from "@bufbuild/protobuf";
import { closedHere, ConnectionLostError } from "../errors.js";
import type { Frame } from "../frame.js";
import type { RequestSchema, Response } from "../generated/s2clientprotocol/sc2api_pb.js";
import { type MatchDescription, Policy, type SubscribeRequest } from "../generated/sc2bridge/v1/bridge_pb.js";
import type { Outcome } from "../outcomes.js";
import { type ActionInit, Session } from "../protocol/session.js";
import type { Channel } from "../transport/channel.js";
import type { Connection } from "./connection.js";
import { Inbox } from "./inbox.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/**
 * An asynchronous iterator of frames that ends with the match; `end` is then its result. When the loop asks for the next
 * frame, the last one is acknowledged. To leave the loop closes the subscription. Throws BridgeError where the bridge ends it,
 * ConnectionLostError where the bridge is gone and is not found again (see `ConnectOptions.retrySeconds`).
 */
export class Subscription implements AsyncIterableIterator<Frame> {
  #session: Session;
  #inbox: Inbox;
  #channel: Channel | undefined;
  #newest: Frame | undefined;
  #lostMs: number | undefined;
  #pauseMs = FIRST_PAUSE_MS;
  #isReconnected = false;
  #isOver = false;
  /** Resolves at the connection's first event or end: then the bridge has subscribed this agent or refused to. */
  #subscribed: Promise<void> = Promise.resolve();
  #answered = (): void => {};
  readonly #closing = new AbortController();

  /** @internal */
  constructor(
    private readonly connection: Connection,
    private readonly asked: SubscribeRequest,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.#session = this.#newSession();
    this.#inbox = this.#newInbox();
    if (signal?.aborted) {
      this.#abort();
    } else if (connection.isClosed) {
      this.#finish(closedHere());
    } else {
      this.#channel = this.#open();
      connection.remember(this);
      signal?.addEventListener("abort", this.#abort);
    }
  }

  /** The match's end and results; undefined before it. `reason` is a word, such as `step limit`; `detail` can say more. */
  get end(): Session["end"] {
    return this.#session.end;
  }

  /** The unique name at the bridge: `SubscribeOptions.agent`, with a number if that was taken. Empty before the bridge's first answer. */
  get name(): string {
    return this.#session.name;
  }

  /** @internal */
  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** What became of actions, as far as no frame has brought it: after the last one. */
  get outcomes(): readonly Outcome[] {
    return this.#session.outcomes;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** The next frame. One asks at a time. */
  async next(): Promise<IteratorResult<Frame, undefined>> {
    const frame = await this.#next();
    return frame ? { done: false, value: frame } : { done: true, value: undefined };
  }

  /** What leaving a loop does: closes. */
  async return(): Promise<IteratorResult<Frame, undefined>> {
    this.close();
    return { done: true, value: undefined };
  }

  /**
   * Sends actions of the player, for the last frame; of a subscription with `canAct`. In a stepped match the game takes them with
   * the next step, in real time at once (in lockstep when the loop's body is done). Their outcomes come with a later frame, in
   * `frame.outcomes`, with the tag that this returns. Throws SC2BridgeError if the subscription only watches, or the loop
   * holds no frame.
   */
  act(actions: Iterable<ActionInit>): number {
    const { tag, messages } = this.#session.act(actions);
    this.#send(messages);
    return tag;
  }

  /** The match as this perspective sees it. Throws BridgeError. */
  describe(): Promise<MatchDescription> {
    return this.connection.describe({ matchId: this.#matchId, perspective: this.#perspective });
  }

  /** Asks the game as this subscriber: any request that leaves the match as it is. Throws BridgeError. */
  async request(request: MessageInitShape<typeof RequestSchema>): Promise<Response> {
    await this.#subscribed;
    return this.connection.request(request, { matchId: this.#matchId, perspective: this.#perspective, sessionId: this.sessionId });
  }

  /** Ends the subscription; a game that waits for it goes on. */
  close(): void {
    this.#finish(undefined);
  }

  get #matchId(): string {
    return this.#newest?.matchId ?? this.asked.matchId;
  }

  get #perspective(): number | undefined {
    return this.#newest?.perspective ?? this.asked.perspective;
  }

  async #next(): Promise<Frame | undefined> {
    if (!this.#isOver) {
      this.#send(this.#session.done());
    }
    while (true) {
      let frame: Frame | undefined;
      try {
        frame = await this.#inbox.take();
      } catch (error) {
        if (this.#isOver || !(await this.#findAgain(error))) {
          this.#finish(undefined);
          throw error;
        }
        continue;
      }
      if (!frame || this.#isOver) {
        this.#send(this.#session.flush());
        this.#finish(undefined);
        return undefined;
      }
      frame.reconnected ||= this.#isReconnected;
      this.#isReconnected = false;
      this.#lostMs = undefined;
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#newest = frame;
      this.#session.begun(frame);
      return frame;
    }
  }

  readonly #abort = (): void => this.#finish(this.signal!.reason ?? new Error("aborted"));

  #finish(error: unknown): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.signal?.removeEventListener("abort", this.#abort);
      this.#closing.abort();
      this.connection.forget(this);
      this.#inbox.clear();
      this.#inbox.end(error);
      this.#session.sessionId = "";
      this.#answered();
      this.#channel?.close();
    }
  }

  /** Connects again after a while; false where there is no more time for that, or it was another error. */
  async #findAgain(error: unknown): Promise<boolean> {
    const { retrySeconds, onLost } = this.connection.options;
    if (!(error instanceof ConnectionLostError) || !retrySeconds) {
      return false;
    }
    const now = performance.now();
    this.#lostMs ??= now;
    const leftMs = this.#lostMs + retrySeconds * 1000 - now;
    if (leftMs <= 0) {
      return false;
    }
    // Full jitter: pages that lost one bridge do not come back all at once.
    const pauseMs = Math.min(leftMs, this.#pauseMs * (0.5 + Math.random() / 2));
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2);
    onLost?.(error, pauseMs / 1000);
    await this.#wait(pauseMs);
    if (!this.#isOver) {
      this.#isReconnected = this.#newest !== undefined;
      this.#session = this.#newSession();
      this.#inbox = this.#newInbox();
      this.#channel = this.#open();
    }
    return true;
  }

  #wait(milliseconds: number): Promise<void> {
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
    return new Session(this.asked, address.encoding, options.onNotice ?? ((line) => console.warn(`sc2bridge: ${line}`)));
  }

  #newInbox(): Inbox {
    return new Inbox(this.asked.policy === Policy.LATEST);
  }

  #open(): Channel {
    const session = this.#session;
    const inbox = this.#inbox;
    this.#subscribed = new Promise((resolve) => (this.#answered = resolve));
    const channel = this.connection.open({
      event: (opened, nowMs, size) => {
        const { frame, moved, replies } = session.received(opened, nowMs, size);
        this.#answered();
        this.#send(replies);
        if (moved) {
          inbox.clear();
        }
        if (frame) {
          inbox.push(frame);
        }
        if (session.end) {
          inbox.end();
        }
      },
      end: (error) => {
        session.sessionId = "";
        this.#answered();
        inbox.end(error ?? new ConnectionLostError("the bridge ended the stream before the match's end"));
      },
    });
    inbox.onFull((isFull) => channel.pause(isFull));
    void channel.opened.then(() => channel.send(session.opening()));
    return channel;
  }

  #send(messages: Parameters<Channel["send"]>[0]): void {
    this.#channel?.send(messages); // Where it is lost, receiving throws the cause.
  }
}
