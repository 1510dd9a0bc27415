/** The protocol of one subscription without I/O: handles events, and returns frames and messages to send. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { bridgeError, SC2BridgeError } from "../errors.js";
import { Frame } from "../frame.js";
import { type Action, ActionSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import {
  ActionsSchema,
  type Actions,
  ClockSource,
  Compression,
  EndReasonSchema,
  type MatchEnd,
  type PlayResponse,
  Policy,
  type StepTimes,
  StepTimesSchema,
  type SubscribeRequest,
} from "../generated/sc2bridge/v1/bridge_pb.js";
import { type Outcome, PendingActions } from "../outcomes.js";
import { chooseDecoder } from "#platform";
import { BridgeClock, toNs } from "./clock.js";
import { GroupDecompressor } from "./compression.js";
import { FrameMessage, type WireMessage } from "./envelope.js";
import { clockRequest, encode, type RequestBody } from "./messages.js";
import { type Encoding, valueInWords } from "./subscribe.js";
import { HELLO_ID } from "./versions.js";

// Times are sent in batches, because a message for each step would take longer than most agents need for a step.
const MAX_BATCH_STEPS = 32;
const MAX_BATCH_MS = 100;

/** An action, as a message or as an object with its fields. */
export type ActionInit = MessageInitShape<typeof ActionSchema>;

/** The result of handling an event. */
export interface HandledEvent {
  frame?: Frame;
  /** The playback was moved, so frames that are still queued are obsolete. */
  isMoved?: boolean;
  /** Messages to send to the bridge. */
  replies: WireMessage[];
}

/** The state of a subscription on one connection. Pass every event to `handleEvent`, in order. */
export class Session {
  /** SubscribeResponse.session_id. Empty before the bridge's answer and after the end of the subscription. */
  sessionId = "";
  /** SubscribeResponse.name. Empty before the bridge's answer. */
  name = "";
  /** The reason of the match's end, and the results. Undefined before the end. */
  end: (Omit<MatchEnd, "reason"> & { reason: string }) | undefined;
  /** The last outcomes of actions. They arrived after the last frame, so no frame contains them. */
  outcomes: Outcome[] = [];

  readonly #request: SubscribeRequest;
  readonly #encoding: Encoding;
  readonly #onNotice: (line: string) => void;
  readonly #pendingActions = new PendingActions();
  readonly #clock = new BridgeClock();
  readonly #groups = new GroupDecompressor();
  #lastTag = 0;
  #collectedActions: Action[] = [];
  #unsentActions: Actions[] = [];
  #unsentTimes: StepTimes[] = [];
  #timesSentMs = performance.now();
  #currentFrame: Frame | undefined;
  #handedOverMs = 0;
  #decodeMsAtHandover = 0;
  #isNextSeeked = false;

  /** @param onNotice called with the bridge's warnings */
  constructor(request: SubscribeRequest, encoding: Encoding, onNotice: (line: string) => void) {
    this.#request = request;
    this.#encoding = encoding;
    this.#onNotice = onNotice;
    if (request.compression === Compression.GROUP_ZSTD) {
      chooseDecoder();
    }
  }

  /** Frees memory. Call it when no more events arrive. */
  close(): void {
    this.#groups.close();
  }

  /** Returns the first messages to send on the connection. */
  openingMessages(): WireMessage[] {
    return [this.#encode({ case: "subscribe", value: this.#request }, HELLO_ID + 1), ...(this.#request.reportsTimes ? this.#nextClockRequest() : [])];
  }

  /** Handles an event. Throws BridgeError if the bridge refused or ended the subscription. Throws MalformedMessageError. */
  handleEvent(opened: FrameMessage | PlayResponse, nowMs: number, size: number): HandledEvent {
    if (opened instanceof FrameMessage) {
      return { frame: this.#openFrame(opened, nowMs, size), replies: [] };
    }
    const { event, requestId } = opened;
    switch (event.case) {
      case "subscribe":
        ({ sessionId: this.sessionId, name: this.name } = event.value);
        break;
      case "matchEnd":
        this.end = { ...event.value, reason: valueInWords(EndReasonSchema, event.value.reason) };
        break;
      case "actionsOutcome":
        this.outcomes.push(...this.#pendingActions.pop(event.value));
        break;
      case "playback":
        this.#isNextSeeked = true;
        return { isMoved: true, replies: [] };
      case "clock":
        this.#clock.addEcho(event.value, toNs(nowMs));
        return { replies: this.#nextClockRequest() };
      case "error":
        if (event.value.fatal || requestId) {
          throw bridgeError(event.value.code, event.value.message);
        }
        this.#onNotice(`${event.value.step === undefined ? "" : `step ${event.value.step}: `}${event.value.message}`);
    }
    return { replies: [] };
  }

  #openFrame(message: FrameMessage, receivedMs: number, size: number): Frame {
    const frame = new Frame({ message, encoding: this.#encoding, size, receivedMs, seeked: this.#isNextSeeked });
    this.#isNextSeeked = false;
    if (this.#request.compression === Compression.GROUP_ZSTD) {
      frame.decompressBlock(this.#groups);
    }
    if (this.#request.canAct) { // Only an agent that acts has outcomes. It gets them also if the frame is skipped.
      frame.outcomes = frame.envelope.outcomes.flatMap((outcome) => this.#pendingActions.pop(outcome));
    }
    return frame;
  }

  /** Call this when the agent receives a frame. It is then the current frame. Throws MalformedMessageError. */
  beginFrame(frame: Frame): void {
    void frame.envelope; // An invalid envelope throws here, before the agent has the frame.
    this.#currentFrame = frame;
    this.#handedOverMs = performance.now();
    this.#decodeMsAtHandover = frame.decodeMs ?? 0;
  }

  /** Collects an action for the current frame. `act` or `finishFrame` sends it. Throws the errors of `act`. */
  do(action: ActionInit): void {
    this.#requireActingFrame();
    this.#collectedActions.push(create(ActionSchema, action));
  }

  /**
   * Puts the collected actions and `actions` into one request for the current frame. Returns the tag of their outcomes, and the
   * messages to send now. In lockstep it returns no messages, because the acknowledgement contains the actions. Throws
   * SC2BridgeError if the subscription may not act, or if there is no current frame.
   */
  act(actions: Iterable<ActionInit>): { tag: number; messages: WireMessage[] } {
    const { step } = this.#requireActingFrame();
    this.#lastTag = (this.#lastTag % 0xffffffff) + 1;
    const created = [...this.#collectedActions, ...[...actions].map((action) => create(ActionSchema, action))];
    this.#collectedActions = [];
    this.#pendingActions.add(this.#lastTag, created);
    const message = create(ActionsSchema, { step: BigInt(step), requestId: this.#lastTag, actions: created });
    if (this.#isLockstep) {
      this.#unsentActions.push(message);
      return { tag: this.#lastTag, messages: [] };
    }
    return { tag: this.#lastTag, messages: [this.#encode({ case: "actions", value: message })] };
  }

  #requireActingFrame(): Frame {
    if (!this.#request.canAct) {
      throw new SC2BridgeError("this subscription may not act: call subscribe({ canAct: true })");
    }
    if (!this.#currentFrame) {
      throw new SC2BridgeError("an agent can only act after it receives a frame and before it asks for the next");
    }
    return this.#currentFrame;
  }

  /** Call this when the agent is done with the current frame. Returns the messages to send. */
  finishFrame(): WireMessage[] {
    const messages = this.#collectedActions.length ? this.act([]).messages : [];
    return [...messages, ...this.#acknowledgeFrame()];
  }

  #acknowledgeFrame(): WireMessage[] {
    const frame = this.#currentFrame;
    this.#currentFrame = undefined;
    if (!frame) {
      return [];
    }
    const nowMs = performance.now();
    if (this.#request.reportsTimes) {
      const receivedNs = this.#clock.toBridge(frame.receivedMs);
      this.#unsentTimes.push(
        create(StepTimesSchema, {
          step: BigInt(frame.step),
          receivedNs,
          decodeNs: frame.decodeMs === undefined ? undefined : toNs(frame.decodeMs),
          thinkNs: toNs(Math.max(0, nowMs - this.#handedOverMs - (frame.decodeMs ?? 0) + this.#decodeMsAtHandover)),
          clock: receivedNs === undefined ? ClockSource.UNSPECIFIED : ClockSource.ESTIMATED,
        }),
      );
    }
    const isBatchDue = this.#unsentTimes.length >= MAX_BATCH_STEPS || nowMs - this.#timesSentMs >= MAX_BATCH_MS;
    // If an agent acts and the game does not wait for it, this message shows the bridge that the agent is alive.
    if (this.#isLockstep || (isBatchDue && (this.#unsentTimes.length > 0 || this.#request.canAct))) {
      return this.#acknowledge(BigInt(frame.step), isBatchDue);
    }
    return [];
  }

  get #isLockstep(): boolean {
    return this.#request.policy === Policy.LOCKSTEP;
  }

  /** Returns the last messages to send, at the end of the match. */
  flush(): WireMessage[] {
    const last = this.#unsentTimes.at(-1);
    return last ? this.#acknowledge(last.step, true) : [];
  }

  #acknowledge(step: bigint, withTimes: boolean): WireMessage[] {
    let times: StepTimes[] = [];
    if (withTimes) {
      times = this.#unsentTimes;
      this.#unsentTimes = [];
      this.#timesSentMs = performance.now();
    }
    const actions = this.#unsentActions;
    this.#unsentActions = [];
    return [this.#encode({ case: "acknowledge", value: { step, times, actions } })];
  }

  #nextClockRequest(): WireMessage[] {
    return this.#clock.tryCountEcho() ? [clockRequest(this.#encoding)] : [];
  }

  #encode(message: RequestBody, requestId = 0): WireMessage {
    return encode(message, this.#encoding, requestId);
  }
}
