/** Small drawings for lists and legends. */

import type { Kind } from "../events";
import { KIND_SHAPES, kindColour } from "../marks";

/** The mark of a kind of events. */
export function Mark({ kind }: { kind: Kind }) {
  return (
    <svg class="mark" viewBox="0 0 8 8" width="10" height="10" role="img" aria-label={kind}>
      <path d={KIND_SHAPES[kind]} fill={kindColour(kind)} />
    </svg>
  );
}

/** A sample of a line of a chart. */
export function LineSample({ colour, dash }: { colour: string; dash: readonly number[] }) {
  return (
    <svg class="mark" width="22" height="8" aria-hidden="true">
      <path d="M0 4h22" stroke={colour} stroke-width="2.5" stroke-dasharray={dash.join(" ") || "none"} />
    </svg>
  );
}
