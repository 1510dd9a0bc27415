/** Builds a SubscribeRequest from options. Each choice is given as a word. */

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

/** `lockstep`: the game waits for the agent at each step. `latest`: only the newest frame. `every`: a bounded queue of frames. */
export type Policy = "lockstep" | "latest" | "every";

/** The effect of a full queue under `every`: the game pauses, or the subscription ends. */
export type Overflow = "pause" | "end";

/** The content of a frame: the game's message, or the units as vectors together with the rest of the observation. */
export type Content = "observation" | "columns";

/** `zstd` compresses each frame alone. `group-zstd` compresses over a group of frames, about 40 times smaller than `none`. */
export type Compression = "none" | "zstd" | "group-zstd";

/** A part of an observation that a subscriber can exclude. */
export type Part = "abilities" | "score" | "raw" | "map_state" | "feature_layers" | "render" | "ui";

/** The encoding of messages: protobuf, or JSON that a person can read in the browser's network tab. */
export type Encoding = "proto" | "json";

/** The options of a subscription. */
export interface SubscribeOptions {
  /** The default is `every`. */
  policy?: Policy;
  /** The match's id. The default is the current match. */
  matchId?: string;
  /** A player id, or 0 for an observer of all. The default is the match's first; with `canAct`, the first player of agents. */
  perspective?: number;
  /** By default the bridge chooses. */
  overflow?: Overflow;
  /** Parts to exclude. */
  exclude?: Iterable<Part>;
  /** The agent's name in logs, tables and recordings. The bridge makes it unique: see `Subscription.name`. */
  agent?: string;
  /** The most bytes queued in the bridge under `every`. By default the bridge chooses. */
  queueBytes?: number;
  /** The default is `observation`. With `columns`, the bridge sends the arrays of `frame.units`, and no unit is parsed. */
  content?: Content;
  /** The default is `none`. */
  compression?: Compression;
  /** Whether the agent acts as the player of the perspective. The default is false: the subscription only watches. */
  canAct?: boolean;
  /** If several agents command one unit in the same step, the agent with the highest priority wins. */
  priority?: number;
  /** Whether the times of decoding and of the loop's body are sent to the bridge. The default is true. */
  reportTimes?: boolean;
  /** If it is aborted, the subscription ends and the loop throws the reason of the signal. */
  signal?: AbortSignal;
}

/** Throws RangeError for an unknown choice or an invalid number. */
export function subscribeRequest(options: SubscribeOptions): SubscribeRequest {
  return create(SubscribeRequestSchema, {
    matchId: options.matchId ?? "",
    perspective: options.perspective === undefined ? undefined : wholeNumber("perspective", options.perspective, 2 ** 32),
    policy: choiceNumber(PolicySchema, "policy", options.policy ?? "every"),
    overflow: choiceNumber(OverflowSchema, "overflow", options.overflow),
    exclude: [...(options.exclude ?? [])].map((part) => choiceNumber(PartSchema, "exclude", part)),
    agent: options.agent ?? "",
    queueBytes: BigInt(wholeNumber("queueBytes", options.queueBytes ?? 0, 2 ** 53)),
    content: choiceNumber(ContentSchema, "content", options.content ?? "observation"),
    compression: choiceNumber(CompressionSchema, "compression", options.compression ?? "none"),
    canAct: options.canAct ?? false,
    priority: wholeNumber("priority", options.priority ?? 0, 2 ** 32),
    reportsTimes: options.reportTimes ?? true,
  });
}

/** Returns the number, which must be whole, at least 0 and below the bound. Throws RangeError. */
export function wholeNumber(name: string, number: number, bound: number): number {
  if (!Number.isInteger(number) || number < 0 || number >= bound) {
    throw new RangeError(`${name} ${number}: choose a whole number from 0 to ${bound - 1}`);
  }
  return number;
}

/** Returns the number of an enum's value from its word. */
function choiceNumber(kind: DescEnum, name: string, word: string | undefined): number {
  if (word === undefined) {
    return 0;
  }
  const known = kind.values.filter((value) => value.number !== 0);
  const found = known.find((value) => choiceWord(kind, value.name) === word.replaceAll("-", "_"));
  if (!found) {
    throw new RangeError(`${name} ${JSON.stringify(word)}: choose ${known.map((value) => choiceWord(kind, value.name)).join(", ")}`);
  }
  return found.number;
}

/** The name of an enum's value in words, such as `step limit` for END_REASON_STEP_LIMIT. Empty for the value 0. */
export function valueInWords(kind: DescEnum, number: number): string {
  return number === 0 ? "" : (kind.value[number]?.localName.toLowerCase().replaceAll("_", " ") ?? String(number));
}

function choiceWord(kind: DescEnum, name: string): string {
  return name.slice(kind.name.length + 1).toLowerCase(); // `latest` for POLICY_LATEST of the enum Policy
}
