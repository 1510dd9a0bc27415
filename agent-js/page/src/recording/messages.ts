/** The messages between the page and its workers, which read a recording. */

import type { RecordedParts } from "sc2bridge/recording";
import type { PlaybackState } from "sc2bridge/v1/bridge";
import type { FromComparer, ToComparer } from "../compare/messages";
import type { MatchEvent } from "../events";

/** A playback's state, as a bridge reports it. */
export type State = Omit<PlaybackState, "$typeName" | "$unknown">;

export type Command =
  | { readonly kind: "pause" | "resume" | "playback" }
  | { readonly kind: "step"; readonly steps: number }
  | { readonly kind: "seek"; readonly loop: number }
  | { readonly kind: "rate"; readonly rate: number };

export type ToWorker =
  | ToComparer
  /** The first message. A worker either plays the recording or surveys it. */
  | { readonly kind: "open"; readonly source: Blob | string; readonly task: "play" | "survey" }
  | { readonly kind: "command"; readonly id: number; readonly command: Command }
  /** The perspectives to show: "first" for the match's first one. */
  | { readonly kind: "watch"; readonly perspective: number | "all" | "first" }
  /** The page has shown the last frames and can take more. */
  | { readonly kind: "shown" };

/** A point of the curves: a player's figures at a game loop, in the order of the charts' series. Null for unknown ones. */
export interface Point {
  readonly player: number;
  readonly loop: number;
  readonly values: readonly (number | null)[];
}

/** Facts about the file. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
  readonly frames: number;
  readonly perspectives: readonly number[];
  readonly gaps: number;
  /** Why not all of it can be read. */
  readonly damage: string;
  /** How the match ended. */
  readonly end: string;
}

export type FromWorker =
  | FromComparer
  /** `blob`: the whole recording, if its server supports no ranges. */
  | { readonly kind: "opened"; readonly description: Uint8Array; readonly facts: FileFacts; readonly blob: Blob | undefined }
  | { readonly kind: "failed"; readonly message: string }
  /** The frames of one step, one for each watched perspective. `isMoved`: they do not follow the last ones. */
  | { readonly kind: "frames"; readonly frames: readonly RecordedParts[]; readonly isMoved: boolean }
  | { readonly kind: "state"; readonly state: State }
  | { readonly kind: "answer"; readonly id: number; readonly state: State }
  /** A line for the user: a part was left out. */
  | { readonly kind: "notice"; readonly message: string }
  | { readonly kind: "found"; readonly points: readonly Point[]; readonly events: readonly MatchEvent[]; readonly isDone: boolean };
