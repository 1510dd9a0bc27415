/** The units that are shown, of one perspective or of several together. */

import type { Frame, Unit } from "sc2bridge";
import { Alliance } from "sc2bridge/s2clientprotocol/raw";

/** Units by tag, each from the perspective that knows most of it: its owner's, else the first. */
export function unitsOf(frames: readonly Frame[]): readonly Unit[] {
  if (frames.length === 1) {
    return [...frames[0]!.units];
  }
  const units = new Map<bigint, Unit>();
  for (const frame of frames) {
    for (const unit of frame.units) {
      if (unit.alliance === Alliance.Self || !units.has(unit.tag)) {
        units.set(unit.tag, unit);
      }
    }
  }
  return [...units.values()];
}
