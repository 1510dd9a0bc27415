/** One subscription's conversation without I/O: messages in, frames out, and what to send back. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { bridgeError, SC2BridgeError } from "../errors.js";
import { Frame } from "../frame.js";
import { type Action, ActionSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import {
  ActionsSchema,
  type Actions,
  ClockSource,
  EndReasonSchema,
  type MatchEnd,
  type PlayResponse,
  Policy,
  type StepTimes,
  StepTimesSchema,
  type SubscribeRequest,
} from "../generated/sc2bridge/v1/bridge_pb.js";
import { type Outcome, PendingActions } from "../outcomes.js";
import { BridgeClock, toNs } from "./clock.js";
import { alone, Groups } from "./compression.js";
import type { OpenedFrame, Wire } from "./envelope.js";
import { encode, question, type Said } from "./messages.js";
import { type Encoding, wordsOf } from "./subscribe.js";
import { HELLO_ID } from "./versions.js";

// Times are sent back in batches: a message for each step would cost more than most agents' thinking.
const BATCH_STEPS = 32;
const BATCH_MS = 100;

/** An action as it is written: a message, or its fields. */
export type ActionInit = MessageInitShape<typeof ActionSchema>;

/** What a message was. */
export interface Received {
  frame?: Frame;
  /** The playback was moved: frames that wait are of the time before. */
  moved?: boolean;
  /** What goes to the bridge. */
  replies: Wire[];
}

/** The state of a subscription on one connection. Every event goes to `received`, in order. */
export class Session {
  /** SubscribeResponse.session_id, as long as the subscription lives. */
  sessionId = "";
  /** SubscribeResponse.name. */
  name = "";
  /** The match's end and results; undefined before it. */
  end: (Omit<MatchEnd, "reason"> & { reason: string }) | undefined;
  /** Outcomes that no frame has brought. */
  outcomes: Outcome[] = [];

  readonly #request: SubscribeRequest;
  readonly #encoding: Encoding;
  readonly #onNotice: (line: string) => void;
  readonly #pending = new PendingActions();
  readonly #clock = new BridgeClock();
  readonly #groups = new Groups();
  #tag = 0;
  #waitingActions: Actions[] = [];
  #times: StepTimes[] = [];
  #sentMs = performance.now();
  #last: Frame | undefined;
  #handedOverMs = 0;
  #decodedBeforeMs = 0;
  #seeked = false;

  /** @param onNotice is told what the bridge remarks and goes on */
  constructor(request: SubscribeRequest, encoding: Encoding, onNotice: (line: string) => void) {
    this.#request = request;
    this.#encoding = encoding;
    this.#onNotice = onNotice;
  }

  /** The first messages of the connection. */
  opening(): Wire[] {
    return [this.#wire({ case: "subscribe", value: this.#request }, HELLO_ID + 1), ...(this.#request.reportsTimes ? this.#askClock() : [])];
  }

  /** Takes an event. Throws BridgeError if the bridge refused or ended the subscription, MalformedMessageError. */
  received(opened: OpenedFrame | PlayResponse, nowMs: number, size: number): Received {
    if ("envelope" in opened) {
      return { frame: this.#frame(opened, nowMs, size), replies: [] };
    }
    const { event, requestId } = opened;
    switch (event.case) {
      case "subscribe":
        ({ sessionId: this.sessionId, name: this.name } = event.value);
        break;
      case "matchEnd":
        this.end = { ...event.value, reason: wordsOf(EndReasonSchema, event.value.reason) };
        break;
      case "actionsOutcome":
        this.outcomes.push(...this.#pending.answered(event.value));
        break;
      case "playback":
        this.#seeked = true;
        return { moved: true, replies: [] };
      case "clock":
        this.#clock.answered(event.value, toNs(nowMs));
        return { replies: this.#askClock() };
      case "error":
        if (event.value.fatal || requestId) {
          throw bridgeError(event.value.code, event.value.message);
        }
        this.#onNotice(`${event.value.step === undefined ? "" : `step ${event.value.step}: `}${event.value.message}`);
    }
    return { replies: [] };
  }

  #frame({ envelope, content }: OpenedFrame, receivedMs: number, size: number): Frame {
    const { payload } = envelope;
    let decodeMs: number | undefined;
    let value = content ?? new Uint8Array(0);
    if (payload.case === "block" || payload.case === "zstd") {
      value = payload.case === "block" ? this.#groups.add(payload.value) : alone(payload.value);
      decodeMs = performance.now() - receivedMs;
    }
    const frame = new Frame({
      envelope,
      payload: value,
      encoding: this.#encoding,
      size,
      receivedMs,
      decodeMs,
      seeked: this.#seeked,
    });
    this.#seeked = false;
    frame.outcomes = envelope.outcomes.flatMap((outcome) => this.#pending.answered(outcome));
    return frame;
  }

  /** The frame goes to the agent now. */
  begun(frame: Frame): void {
    this.#last = frame;
    this.#handedOverMs = performance.now();
    this.#decodedBeforeMs = frame.decodeMs ?? 0;
  }

  /**
   * Actions upon the last frame: the tag that their outcomes will have, and what goes to the bridge now. In lockstep that is
   * nothing: they go with the acknowledgement. Throws SC2BridgeError where the subscription only watches, or no frame is held.
   */
  act(actions: Iterable<ActionInit>): { tag: number; messages: Wire[] } {
    if (!this.#request.canAct) {
      throw new SC2BridgeError("this subscription only watches: subscribe({canAct: true}) to act");
    }
    if (!this.#last) {
      throw new SC2BridgeError("act upon a frame: between receiving it and asking for the next");
    }
    this.#tag = (this.#tag % 0xffffffff) + 1;
    const every: Action[] = [...actions].map((action) => create(ActionSchema, action));
    this.#pending.sent(this.#tag, every);
    const sent = create(ActionsSchema, { step: BigInt(this.#last.step), requestId: this.#tag, actions: every });
    if (this.#isLockstep) {
      this.#waitingActions.push(sent);
      return { tag: this.#tag, messages: [] };
    }
    return { tag: this.#tag, messages: [this.#wire({ case: "actions", value: sent })] };
  }

  /** The agent is done with the last frame; what is returned goes to the bridge. */
  done(): Wire[] {
    const frame = this.#last;
    this.#last = undefined;
    if (!frame) {
      return [];
    }
    const nowMs = performance.now();
    if (this.#request.reportsTimes) {
      const receivedNs = this.#clock.toBridge(frame.receivedMs);
      this.#times.push(
        create(StepTimesSchema, {
          step: BigInt(frame.step),
          receivedNs,
          decodeNs: frame.decodeMs === undefined ? undefined : toNs(frame.decodeMs),
          thinkNs: toNs(Math.max(0, nowMs - this.#handedOverMs - (frame.decodeMs ?? 0) + this.#decodedBeforeMs)),
          clock: receivedNs === undefined ? ClockSource.UNSPECIFIED : ClockSource.ESTIMATED,
        }),
      );
    }
    const isFull = this.#times.length >= BATCH_STEPS || nowMs - this.#sentMs >= BATCH_MS;
    // For an agent that acts and is not waited for, this is the sign of life.
    if (this.#isLockstep || (isFull && (this.#times.length > 0 || this.#request.canAct))) {
      return this.#acknowledge(BigInt(frame.step), isFull);
    }
    return [];
  }

  get #isLockstep(): boolean {
    return this.#request.policy === Policy.LOCKSTEP;
  }

  /** What is left to say, at the end. */
  flush(): Wire[] {
    const last = this.#times.at(-1);
    return last ? this.#acknowledge(last.step, true) : [];
  }

  #acknowledge(step: bigint, withTimes: boolean): Wire[] {
    let times: StepTimes[] = [];
    if (withTimes) {
      times = this.#times;
      this.#times = [];
      this.#sentMs = performance.now();
    }
    const actions = this.#waitingActions;
    this.#waitingActions = [];
    return [this.#wire({ case: "acknowledge", value: { step, times, actions } })];
  }

  #askClock(): Wire[] {
    return this.#clock.asks() ? [question(this.#encoding)] : [];
  }

  #wire(message: Said, requestId = 0): Wire {
    return encode(message, this.#encoding, requestId);
  }
}
