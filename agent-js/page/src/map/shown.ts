/** The match and the frames that a map shows. */

import type { ReadonlySignal } from "@preact/signals";
import type { Frame } from "sc2bridge";
import type { MatchDescription } from "sc2bridge/v1/bridge";
import { types } from "../match";
import { match, read, shown } from "../state";

export interface Shown {
  readonly match: ReadonlySignal<MatchDescription | undefined>;
  readonly types: typeof types;
  readonly shown: ReadonlySignal<readonly Frame[]>;
  /** `shown`, updated a few times a second. */
  readonly read: ReadonlySignal<readonly Frame[]>;
}

/** The watched match. A comparison also has a second one. */
export const WATCHED: Shown = { match, types, shown, read };
