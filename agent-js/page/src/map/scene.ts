/** The units that the map shows, of one or several perspectives. */

import type { Frame, Unit } from "sc2bridge";
import { Alliance } from "sc2bridge/s2clientprotocol/raw";

/** Each unit once. If several frames have it, it comes from the frame of its owner, or else from the first frame. */
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
