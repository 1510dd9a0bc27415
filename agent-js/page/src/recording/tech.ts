/** Finds when each player begins the first building of each kind that other units require, and when upgrades are ready. */

import { Attribute } from "sc2bridge/s2clientprotocol/data";
import { Alliance } from "sc2bridge/s2clientprotocol/raw";
import type { ResponseData } from "sc2bridge/s2clientprotocol/sc2api";
import type { RecordedFrame } from "sc2bridge/recording";
import type { MatchEvent } from "../events";
import { NEUTRAL } from "../map/colours";

/** More than any match has. */
const MOST = 1000;
const LEVELS = ["attackUpgradeLevel", "armorUpgradeLevel", "shieldUpgradeLevel"] as const;

/** Takes the samples of one perspective in order. */
export class Tech {
  /** The kinds of buildings by unit type. A flying barracks has the kind of a barracks. */
  readonly #kinds = new Map<number, string>();
  readonly #upgrades = new Map<number, string>();
  readonly #known = new Set<string>();
  #isFirst = true;

  constructor(data: ResponseData | undefined) {
    const units = new Map(data?.units.map((unit) => [unit.unitId, unit]));
    const required = new Set(data?.units.map(({ techRequirement }) => techRequirement));
    for (const { unitId, attributes, unitAlias, techAlias } of units.values()) {
      const kind = [unitId, unitAlias, ...techAlias].find((id) => id && required.has(id));
      if (kind && attributes.includes(Attribute.Structure)) {
        this.#kinds.set(unitId, units.get(kind)?.name || `type ${kind}`);
      }
    }
    data?.upgrades.forEach(({ upgradeId, name }) => this.#upgrades.set(upgradeId, name));
  }

  /** Returns the buildings and upgrades that earlier samples did not have. The first sample returns no events. */
  sample(frame: RecordedFrame): MatchEvent[] {
    const { units, gameLoop: loop, perspective } = frame;
    const events: MatchEvent[] = [];
    const add = (text: string) => {
      if (!this.#known.has(text) && this.#known.size < MOST) {
        this.#known.add(text);
        if (!this.#isFirst) {
          events.push({ loop, perspective, kind: "tech", text });
        }
      }
    };
    const { unitType, owner, alliance, isHallucination } = units;
    const levels = LEVELS.map((name) => units[name]);
    for (let row = 0; row < units.length; row++) {
      // A player sees an enemy's buildings late, so only its own ones are reported.
      if (owner[row] === NEUTRAL || isHallucination[row] || (perspective !== 0 && alliance[row] !== Alliance.Self)) {
        continue;
      }
      const kind = this.#kinds.get(unitType[row]!);
      if (kind !== undefined) {
        add(`player ${owner[row]}: ${kind}`);
      }
      // An observer's frames have no list of upgrades.
      for (let level = 0; perspective === 0 && level < levels.length; level++) {
        if (levels[level]![row]! > 0) {
          add(`player ${owner[row]}: ${LEVELS[level]!.replace("UpgradeLevel", "")} upgrade ${levels[level]![row]}`);
        }
      }
    }
    for (const upgrade of perspective === 0 ? [] : frame.upgrades) {
      add(`player ${perspective}: ${this.#upgrades.get(upgrade) ?? `upgrade ${upgrade}`}`);
    }
    this.#isFirst = false;
    return events;
  }
}
