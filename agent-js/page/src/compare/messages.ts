/** The messages between the page and the workers that compare two recordings. */

import type { RecordedParts } from "sc2bridge/recording";

export type Pair<T> = readonly [first: T, second: T];

export type ToComparer =
  /** The first message. A worker either shows both recordings or finds their first differences. */
  | { readonly kind: "compare"; readonly sources: Pair<Blob | string>; readonly task: "show" | "find" }
  /** Asks for the frames of both recordings at a game loop. */
  | { readonly kind: "show loop"; readonly loop: number; readonly perspective: number | "all" | "first" };

/** Facts about one of two recordings. */
export interface SideFacts {
  readonly name: string;
  readonly firstLoop: number;
  readonly lastLoop: number;
}

/** A recording at a game loop. */
export interface ShownSide {
  /** The newest frames that are not after the loop. Undefined if they are the last frames that were sent. */
  readonly frames: readonly RecordedParts[] | undefined;
  /** Why frames are missing. Empty if the recording begins later. */
  readonly problem: string;
}

export interface UnitName {
  readonly tag: bigint;
  readonly unitType: number;
  readonly owner: number;
}

/** Something that differs: state, action or time. `values` are texts, or actions in protobuf's JSON form. Undefined if one recording has none. */
export type Difference = { readonly loop: number; readonly perspective: number } & (
  | {
      readonly kind: "state";
      readonly unit: UnitName | undefined;
      /** Empty if only one recording has the unit. */
      readonly field: string;
      readonly values: Pair<string | undefined>;
      /** The number of units that differ. */
      readonly units: number;
    }
  | { readonly kind: "action"; readonly isError: boolean; readonly values: Pair<unknown> }
  /** The recording, 0 or 1, that has no observation of the loop. */
  | { readonly kind: "time"; readonly missing: 0 | 1 }
  /** The milliseconds that the step took. */
  | { readonly kind: "time"; readonly missing: undefined; readonly ms: Pair<number> }
);

export type FromComparer =
  | {
      readonly kind: "paired";
      readonly sides: Pair<SideFacts>;
      /** The second match's description. */
      readonly description: Uint8Array;
      /** The whole recordings, if their server supports no ranges. */
      readonly blobs: Pair<Blob | undefined>;
      /** Game loops between two steps of the recording with more steps. */
      readonly stepSize: number;
      /** How the matches differ by their descriptions. */
      readonly notes: readonly string[];
      /** Why the recordings cannot be compared. Empty if they can. */
      readonly incomparable: string;
    }
  /** `previous`, `next`: the nearest other game loops that a recording has. */
  | { readonly kind: "shown loop"; readonly loop: number; readonly sides: Pair<ShownSide>; readonly previous: number | undefined; readonly next: number | undefined }
  /** The result for the game loops up to `upTo` that both recordings have. */
  | {
      readonly kind: "compared";
      readonly loops: number;
      readonly upTo: number;
      readonly differences: readonly Difference[];
      /** Whether damaged parts were left out. */
      readonly isDamaged: boolean;
      readonly isDone: boolean;
    };
