/** The comparison of two recordings, as signals. */

import { signal } from "@preact/signals";
import type { Frame } from "sc2bridge";
import type { MatchDescription } from "sc2bridge/v1/bridge";
import type { Shown } from "../map/shown";
import { typesOf } from "../match";
import type { FromComparer, Pair } from "./messages";

export type Paired = Extract<FromComparer, { kind: "paired" }>;
export type Compared = Extract<FromComparer, { kind: "compared" }>;

/** The second recording, while it is opened, compared, or if it cannot be opened. Undefined without a comparison. */
export const comparison = signal<{ readonly names: Pair<string>; readonly paired?: Paired; readonly problem?: string } | undefined>();
/** The differences. Undefined before the first result. */
export const compared = signal<Compared | undefined>();
/** Why the differences cannot be found. */
export const searchProblem = signal("");
/** Why a recording's frames are missing at the shown game loop. */
export const problems = signal<Pair<string>>(["", ""]);

const match = signal<MatchDescription | undefined>();
/** The second recording's frames. */
export const second = { match, types: typesOf(match), shown: signal<readonly Frame[]>([]), read: signal<readonly Frame[]>([]) } satisfies Shown;
