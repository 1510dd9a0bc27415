/** Names from the game data of the match, and game time. */

import { computed, type ReadonlySignal } from "@preact/signals";
import { Attribute } from "sc2bridge/s2clientprotocol/data";
import type { MatchDescription } from "sc2bridge/v1/bridge";
import { match } from "./state";
import type { TypeTable } from "./map/units";

type Types = TypeTable & { effect(id: number): string; ability(id: number): string; buff(id: number): string };

/** The names of effects, abilities and buffs, and the names and properties of unit types, in a match. */
export const typesOf = (match: ReadonlySignal<MatchDescription | undefined>) => computed<Types>(() => {
  const { data } = match.value ?? {};
  const units = new Map(data?.units.map((type) => [type.unitId, type]));
  const abilities = new Map(data?.abilities.map((ability) => [ability.abilityId, ability]));
  const effects = new Map(data?.effects.map((effect) => [effect.effectId, effect]));
  const buffs = new Map(data?.buffs.map((buff) => [buff.buffId, buff]));
  const buildings = new Set(data?.units.filter(({ attributes }) => attributes.includes(Attribute.Structure)).map(({ unitId }) => unitId));
  return {
    name: (type) => units.get(type)?.name || (type ? `type ${type}` : "unknown"),
    isBuilding: (type) => buildings.has(type),
    isMineralField: (type) => units.get(type)?.hasMinerals ?? false,
    isGeyser: (type) => units.get(type)?.hasVespene ?? false,
    effect: (id) => effects.get(id)?.friendlyName || effects.get(id)?.name || `effect ${id}`,
    ability: (id) => abilities.get(id)?.friendlyName || abilities.get(id)?.linkName || `ability ${id}`,
    buff: (id) => buffs.get(id)?.name || `buff ${id}`,
  };
});

/** The names of the watched match. */
export const types = typesOf(match);

export { clock, LOOPS_A_SECOND, seconds } from "./game-clock";
