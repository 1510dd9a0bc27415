/** A match with the game's constants by name. */

import type { AbilityData, BuffData, EffectData, UnitTypeData, UpgradeData } from "../generated/s2clientprotocol/data_pb.js";
import { Attribute } from "../generated/s2clientprotocol/data_pb.js";
import type { ResponseData } from "../generated/s2clientprotocol/sc2api_pb.js";
import type { MatchDescription } from "../generated/sc2bridge/v1/bridge_pb.js";
import {
  type AbilityName, abilityNames, type BuffName, buffNames, type EffectName, effectNames, type Names, type UnitTypeName, unitTypeNames, type UpgradeName,
  upgradeNames,
} from "./names.js";

/**
 * The constants of a match: `match.unitTypes.id("MARINE")`. The running game defines which constants exist, and their numbers.
 * If the match is unknown, use `sc2bridge/ids`.
 *
 *     const match = new Match(await frames.describe());
 */
export class Match {
  readonly #data: ResponseData;
  #abilities: Names<AbilityData, AbilityName> | undefined;
  #unitTypes: Names<UnitTypeData, UnitTypeName> | undefined;
  #upgrades: Names<UpgradeData, UpgradeName> | undefined;
  #buffs: Names<BuffData, BuffName> | undefined;
  #effects: Names<EffectData, EffectName> | undefined;
  #structures: ReadonlySet<number> | undefined;

  /** @param description the answer of `describe`. Throws RangeError if it has no game data (`withoutData`). */
  constructor(readonly description: MatchDescription) {
    if (!description.data) {
      throw new RangeError("this description of a match has no game data: call describe() without withoutData");
    }
    this.#data = description.data;
  }

  /** The abilities: `id("TRAIN_SCV")`, `id("Train SCV")`, and python-sc2's name `id("COMMANDCENTERTRAIN_SCV")`. */
  get abilities(): Names<AbilityData, AbilityName> {
    return (this.#abilities ??= abilityNames(this.#data.abilities));
  }

  /** The unit types: `id("MARINE")`, `data("MARINE").mineralCost`. */
  get unitTypes(): Names<UnitTypeData, UnitTypeName> {
    return (this.#unitTypes ??= unitTypeNames(this.#data.units));
  }

  /** The upgrades: `id("STIMPACK")`. */
  get upgrades(): Names<UpgradeData, UpgradeName> {
    return (this.#upgrades ??= upgradeNames(this.#data.upgrades));
  }

  /** The buffs. */
  get buffs(): Names<BuffData, BuffName> {
    return (this.#buffs ??= buffNames(this.#data.buffs));
  }

  /** The effects. */
  get effects(): Names<EffectData, EffectName> {
    return (this.#effects ??= effectNames(this.#data.effects));
  }

  /** The ids of the unit types that are buildings. */
  get structures(): ReadonlySet<number> {
    return (this.#structures ??= new Set(this.#data.units.filter((row) => row.attributes.includes(Attribute.Structure)).map((row) => row.unitId)));
  }
}
