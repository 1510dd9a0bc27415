/** Finds the first differences of two perspectives, from their steps in the order of game loops. It has no I/O. */

import { toJson } from "@bufbuild/protobuf";
import { RecordedFrame } from "sc2bridge/recording";
import { ActionErrorSchema, ActionSchema } from "sc2bridge/s2clientprotocol/sc2api";
import type { Difference, Pair } from "./messages";
import { stateDifference } from "./state-difference";
import type { Step } from "./steps";

/** A step is slow if it took more than this, and this many times longer than in the other recording. Steps of equal matches can differ by 0.3 s on a busy machine. */
const SLOW_MS = 1_000;
const SLOW_TIMES = 10;
/** The most actions that wait for a common game loop. Only the first ones are compared. */
const MOST_ACTIONS = 1_000;

type Kind = Difference["kind"];
type Events = { actions: unknown[]; errors: unknown[] };

export class Differ {
  /** The game loops that both have. */
  loops = 0;
  readonly #found = new Map<Kind, Difference>();
  /** The actions and errors after the last common game loop, of each side. */
  #events: Pair<Events> = [{ actions: [], errors: [] }, { actions: [], errors: [] }];
  /** Whether one side had other steps after the last common game loop. */
  #hasOther = false;
  /** Whether both sides are complete since the last common game loop. */
  #isComplete = true;
  /** When both sides had the last common game loop, in nanoseconds. */
  #before: Pair<bigint> | undefined;

  /** @param hasSameSteps whether both recordings have the same step size, so that a loop of only one of them is a difference */
  constructor(
    private readonly perspective: number,
    private readonly hasSameSteps: boolean,
  ) {}

  /** The first difference of each kind. */
  get differences(): Difference[] {
    return [...this.#found.values()];
  }

  /** Whether later steps can change nothing. */
  get isDone(): boolean {
    return this.#found.size === 3;
  }

  /** A step of a game loop that only one side has. @param other the next step of the other side, if it has one */
  only(side: 0 | 1, step: Step, other: Step | undefined): void {
    this.#hasOther = true;
    this.#isComplete &&= !step.isAfterDamage;
    if (this.hasSameSteps && this.#before && other && !other.isAfterDamage) {
      this.#add({ kind: "time", loop: step.loop, perspective: this.perspective, missing: side ? 0 : 1 });
    }
    this.#collect(side, step);
  }

  /** The steps of a game loop that both sides have. */
  both(one: Step, two: Step): void {
    this.loops++;
    // Steps before the first common game loop belong to one recording only.
    this.#isComplete &&= !one.isAfterDamage && !two.isAfterDamage && (this.#before !== undefined || !this.#hasOther);
    const isEqual = isSame(one.parts.data, two.parts.data);
    try {
      this.#compareTimes(one, two);
      if (this.#isComplete && (!isEqual || this.#hasOther)) {
        this.#collect(0, one);
        this.#collect(1, two);
        this.#compareEvents(one.loop);
      }
      if (!isEqual && !this.#found.has("state")) {
        const found = stateDifference(new RecordedFrame(one.parts), new RecordedFrame(two.parts), this.#isComplete && !this.#hasOther);
        if (found) {
          this.#add({ kind: "state", loop: one.loop, perspective: this.perspective, ...found });
        }
      }
    } finally {
      this.#before = [one.parts.observedNs, two.parts.observedNs];
      this.#events = [{ actions: [], errors: [] }, { actions: [], errors: [] }];
      this.#hasOther = false;
      this.#isComplete = true;
    }
  }

  #collect(side: 0 | 1, { parts }: Step): void {
    const events = this.#events[side];
    if (!this.#isComplete || this.#found.has("action")) {
      return;
    }
    this.#isComplete = false; // If the observation is malformed.
    const { actions, actionErrors } = new RecordedFrame(parts).events;
    this.#isComplete = true;
    events.actions.push(...actions.slice(0, MOST_ACTIONS - events.actions.length).map((action) => toJson(ActionSchema, action)));
    events.errors.push(...actionErrors.slice(0, MOST_ACTIONS - events.errors.length).map((error) => toJson(ActionErrorSchema, error)));
  }

  #compareEvents(loop: number): void {
    const [one, two] = this.#events;
    for (const [isError, first, second] of [[false, one.actions, two.actions], [true, one.errors, two.errors]] as const) {
      const length = Math.max(first.length, second.length);
      for (let at = 0; at < length; at++) {
        if (JSON.stringify(first[at]) !== JSON.stringify(second[at])) {
          this.#add({ kind: "action", loop, perspective: this.perspective, isError, values: [first[at], second[at]] });
          return;
        }
      }
    }
  }

  #compareTimes(one: Step, two: Step): void {
    if (this.#before && this.#isComplete) {
      const ms = [one, two].map(({ parts }, side) => Number(parts.observedNs - this.#before![side as 0 | 1]) / 1e6) as unknown as Pair<number>;
      const [least, most] = [Math.min(...ms), Math.max(...ms)];
      if (most > SLOW_MS && most > least * SLOW_TIMES) {
        this.#add({ kind: "time", loop: one.loop, perspective: this.perspective, missing: undefined, ms });
      }
    }
  }

  #add(difference: Difference): void {
    if (!this.#found.has(difference.kind)) {
      this.#found.set(difference.kind, difference);
    }
  }
}

/** Whether two byte arrays are equal: first four bytes at a time, because observations are long and mostly equal. */
function isSame(one: Uint8Array, two: Uint8Array): boolean {
  const { length } = one;
  if (length !== two.length) {
    return false;
  }
  const [first, second] = [one, two].map(({ buffer, byteOffset }) => new DataView(buffer, byteOffset, length)) as [DataView, DataView];
  let at = 0;
  for (; at + 4 <= length; at += 4) {
    if (first.getInt32(at) !== second.getInt32(at)) {
      return false;
    }
  }
  for (; at < length; at++) {
    if (one[at] !== two[at]) {
      return false;
    }
  }
  return true;
}
