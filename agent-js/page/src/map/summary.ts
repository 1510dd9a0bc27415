/** The text alternative of the map: the numbers of units, and the selected unit. */

import { computed } from "@preact/signals";
import { clock } from "../match";
import { selected } from "../state";
import { unitsOf } from "./scene";
import type { Shown } from "./shown";
import { homeOf, sideOf } from "./sides";

export const summaryOf = ({ match, read, types }: Shown) => computed(() => {
  const [frame] = read.value;
  if (!frame) {
    return "Map: no frame yet";
  }
  const home = homeOf(read.value);
  const counts = { own: 0, enemy: 0, neutral: 0 };
  let chosen = "";
  for (const unit of unitsOf(read.value)) {
    counts[sideOf(unit, home)]++;
    if (unit.tag === selected.value) {
      chosen = ` Selected: ${types.value.name(unit.unitType)} at ${unit.pos[0]!.toFixed(0)}, ${unit.pos[1]!.toFixed(0)}.`;
    }
  }
  const { own, enemy, neutral } = counts;
  return `Map ${match.value?.mapName ?? ""} at ${clock(frame.gameLoop)}: ${own} own units, ${enemy} enemy units, ${neutral} neutral units.${chosen}`;
});
