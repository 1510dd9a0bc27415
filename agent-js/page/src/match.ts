/** What the match's data call things. */

import { computed } from "@preact/signals";
import { Attribute } from "sc2bridge/s2clientprotocol/data";
import { match } from "./state";
import type { TypeTable } from "./map/units";

/** Names and kinds of unit types, of the match that is watched. */
export const types = computed<TypeTable & { effect(id: number): string; ability(id: number): string; buff(id: number): string }>(() => {
  const { data } = match.value ?? {};
  const units = new Map(data?.units.map((type) => [type.unitId, type]));
  const abilities = new Map(data?.abilities.map((ability) => [ability.abilityId, ability]));
  const effects = new Map(data?.effects.map((effect) => [effect.effectId, effect]));
  const buffs = new Map(data?.buffs.map((buff) => [buff.buffId, buff]));
  return {
    name: (type) => units.get(type)?.name || (type ? `type ${type}` : "unknown"),
    isBuilding: (type) => units.get(type)?.attributes.includes(Attribute.Structure) ?? false,
    isMineralField: (type) => units.get(type)?.hasMinerals ?? false,
    isGeyser: (type) => units.get(type)?.hasVespene ?? false,
    effect: (id) => effects.get(id)?.friendlyName || effects.get(id)?.name || `effect ${id}`,
    ability: (id) => abilities.get(id)?.friendlyName || abilities.get(id)?.linkName || `ability ${id}`,
    buff: (id) => buffs.get(id)?.name || `buff ${id}`,
  };
});

/** At speed "faster". */
export const LOOPS_A_SECOND = 22.4;

/** Game loops as the game's clock shows them, at speed "faster". */
export function clock(loops: number): string {
  const seconds = Math.floor(loops / LOOPS_A_SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** Seconds of the game at speed "faster". */
export function seconds(loops: number): number {
  return loops / LOOPS_A_SECOND;
}
