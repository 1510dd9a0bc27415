/** A SubscribeRequest, with its choices as words. */

import { create, type DescEnum } from "@bufbuild/protobuf";
import {
  CompressionSchema,
  ContentSchema,
  OverflowSchema,
  PartSchema,
  PolicySchema,
  type SubscribeRequest,
  SubscribeRequestSchema,
} from "../generated/sc2bridge/v1/bridge_pb.js";

/** `lockstep`: the game waits for this agent at each step. `latest`: the newest frame only. `every`: a bounded queue. */
export type Policy = "lockstep" | "latest" | "every";

/** Under `every`, whether a full queue pauses the game or ends the subscription. */
export type Overflow = "pause" | "end";

/** What a frame carries: the game's message, or the units as vectors and the rest of the observation beside them. */
export type Content = "observation" | "columns";

/** Of frames: none, each alone, or together, which is some 40 times smaller. */
export type Compression = "none" | "zstd" | "group-zstd";

/** A part of an observation that a subscriber can do without. */
export type Part = "abilities" | "score" | "raw" | "map_state" | "feature_layers" | "render" | "ui";

/** How messages travel: as protobuf, or as JSON that a person can read in the browser's network tab. */
export type Encoding = "proto" | "json";

/** What to subscribe to. */
export interface SubscribeOptions {
  /** The default is `every`. */
  policy?: Policy;
  /** The match; without it the one that runs. */
  matchId?: string;
  /** A player id, 0 for an observer of all; without it the match's first, with `canAct` the first that agents play. */
  perspective?: number;
  /** Without it the bridge's choice. */
  overflow?: Overflow;
  /** Parts to do without. */
  exclude?: Iterable<Part>;
  /** A name for logs, tables and recordings. The bridge makes it unique: see `Subscription.name`. */
  agent?: string;
  /** The most bytes that may wait in the bridge under `every`; without it the bridge's choice. */
  queueBytes?: number;
  /** The default is `observation`. With `columns` `frame.units` are typed arrays with no unit parsed. */
  content?: Content;
  /** The default is `none`. */
  compression?: Compression;
  /** Act for the player whose perspective this is; else the subscription only watches. */
  canAct?: boolean;
  /** Of several agents that command a unit in one step, the one with the highest is obeyed. */
  priority?: number;
  /** Send back what decoding and the loop's body took. The default is true. */
  reportTimes?: boolean;
  /** Ends the subscription: the loop throws the signal's reason. */
  signal?: AbortSignal;
}

/** Throws RangeError for a choice that does not exist. */
export function subscribeRequest(options: SubscribeOptions): SubscribeRequest {
  return create(SubscribeRequestSchema, {
    matchId: options.matchId ?? "",
    perspective: options.perspective === undefined ? undefined : whole("perspective", options.perspective, 2 ** 32),
    policy: choice(PolicySchema, "policy", options.policy ?? "every"),
    overflow: choice(OverflowSchema, "overflow", options.overflow),
    exclude: [...(options.exclude ?? [])].map((part) => choice(PartSchema, "exclude", part)),
    agent: options.agent ?? "",
    queueBytes: BigInt(whole("queueBytes", options.queueBytes ?? 0, 2 ** 53)),
    content: choice(ContentSchema, "content", options.content ?? "observation"),
    compression: choice(CompressionSchema, "compression", options.compression ?? "none"),
    canAct: options.canAct ?? false,
    priority: whole("priority", options.priority ?? 0, 2 ** 32),
    reportsTimes: options.reportTimes ?? true,
  });
}

/** A whole number from 0 to below a bound. Throws RangeError. */
export function whole(name: string, number: number, bound: number): number {
  if (!Number.isInteger(number) || number < 0 || number >= bound) {
    throw new RangeError(`${name} ${number}: choose a whole number from 0 to ${bound - 1}`);
  }
  return number;
}

function choice(kind: DescEnum, name: string, word: string | undefined): number {
  if (word === undefined) {
    return 0;
  }
  const known = kind.values.filter((value) => value.number !== 0);
  const found = known.find((value) => wordOf(kind, value.name) === word.replaceAll("-", "_"));
  if (!found) {
    throw new RangeError(`${name} ${JSON.stringify(word)}: choose ${known.map((value) => wordOf(kind, value.name)).join(", ")}`);
  }
  return found.number;
}

/** The name of a value in words, such as `step limit` for END_REASON_STEP_LIMIT; empty if it is unspecified. */
export function wordsOf(kind: DescEnum, number: number): string {
  return number === 0 ? "" : (kind.value[number]?.localName.toLowerCase().replaceAll("_", " ") ?? String(number));
}

function wordOf(kind: DescEnum, name: string): string {
  return name.slice(kind.name.length + 1).toLowerCase(); // POLICY_LATEST of Policy
}
