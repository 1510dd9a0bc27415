/** The game's constants by name, from the tables of a match (ResponseData). generate-ids.js makes `sc2bridge/ids` with this code. */

import type { AbilityData, BuffData, EffectData, UnitTypeData, UpgradeData } from "../generated/s2clientprotocol/data_pb.js";

/** The names in `sc2bridge/ids`, for completion in an editor. A match can have other names too. */
export type UnitTypeName = keyof typeof import("../generated/ids/unit-types.js");
export type AbilityName = keyof typeof import("../generated/ids/abilities.js");
export type UpgradeName = keyof typeof import("../generated/ids/upgrades.js");
export type BuffName = keyof typeof import("../generated/ids/buffs.js");
export type EffectName = keyof typeof import("../generated/ids/effects.js");

/** Any name, with completion of known names. */
export type NameOf<Known extends string> = Known | (string & {});

interface Row<Data> {
  readonly id: number;
  /** The preferred name first. */
  readonly names: readonly string[];
  readonly data: Data;
}

const MAX_SUGGESTIONS = 3;

/**
 * One table of the game's constants. Case and separators of names do not matter: `Train SCV`, `TRAIN_SCV` and `TrainScv` are
 * the same name. An unknown name or id throws RangeError, with similar names.
 */
export class Names<Data, Known extends string = string> implements Iterable<[name: string, id: number]> {
  readonly #byId = new Map<number, { names: string[]; data: Data }>();
  readonly #byKey = new Map<string, number>();

  /** @internal @param kind the kind of the constants, for errors */
  constructor(
    private readonly kind: string,
    rows: readonly Row<Data>[],
  ) {
    const named = rows.map((row) => ({ ...row, names: row.names.filter((name) => name.trim()) }));
    // The preferred names of all rows are added first, so that a second name of another row cannot replace them.
    const ranks = Math.max(0, ...named.map(({ names }) => names.length));
    for (let rank = 0; rank < ranks; rank++) {
      for (const { id, names } of named) {
        const key = keyOf(names[rank] ?? "");
        if (rank < names.length && !this.#byKey.has(key)) {
          this.#byKey.set(key, id);
        }
      }
    }
    for (const { id, names, data } of named) {
      const own = names.filter((name) => this.#byKey.get(keyOf(name)) === id);
      if (own.length && !this.#byId.has(id)) {
        this.#byId.set(id, { names: [...new Set(own.map(inCapitals))], data });
      }
    }
  }

  /** The number of constants. */
  get size(): number {
    return this.#byId.size;
  }

  /** The id of a name. Throws RangeError. */
  id(name: NameOf<Known>): number {
    const id = this.#byKey.get(keyOf(name));
    if (id === undefined || !this.#byId.has(id)) {
      const near = this.#similar(keyOf(name)).join(", ");
      throw new RangeError(`this match has no ${this.kind} ${JSON.stringify(name)}${near && `: did you mean ${near}?`}`);
    }
    return id;
  }

  /** Whether the match has a name. */
  has(name: string): boolean {
    return this.#byKey.has(keyOf(name));
  }

  /** The name of an id in capitals, as in python-sc2: `TRAIN_SCV`. Undefined for an unknown id. */
  name(id: number): string | undefined {
    return this.#byId.get(id)?.names[0];
  }

  /** All names of an id, the preferred name first. */
  names(id: number): readonly string[] {
    return this.#byId.get(id)?.names ?? [];
  }

  /** The game's data of a constant, by its name or id. Throws RangeError. */
  data(constant: NameOf<Known> | number): Data {
    const id = typeof constant === "number" ? constant : this.id(constant);
    const found = this.#byId.get(id);
    if (!found) {
      throw new RangeError(`this match has no ${this.kind} ${id}`);
    }
    return found.data;
  }

  /** Yields the preferred name and the id of each constant. */
  *[Symbol.iterator](): Generator<[name: string, id: number]> {
    for (const [id, { names }] of this.#byId) {
      yield [names[0]!, id];
    }
  }

  #similar(given: string): string[] {
    const scored = [...this.#byId.values()].map(({ names: [name] }) => ({ name: name!, distance: distance(given, keyOf(name!)) }));
    const near = scored.filter(({ distance }) => distance <= Math.max(1, given.length / 3));
    return near.sort((a, b) => a.distance - b.distance).slice(0, MAX_SUGGESTIONS).map(({ name }) => name);
  }
}

/** The number of letters that must be replaced, added or removed (Levenshtein). */
function distance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    for (let at = 1; at <= b.length; at++) {
      next.push(Math.min(last[at]! + 1, next[at - 1]! + 1, last[at - 1]! + (a[row - 1] === b[at - 1] ? 0 : 1)));
    }
    last = next;
  }
  return last[b.length]!;
}

const SEPARATORS = /[^\p{L}\p{N}]+/gu;
const keyOf = (name: string) => name.replace(SEPARATORS, "").toLowerCase();
const inCapitals = (name: string) => name.trim().replace(SEPARATORS, "_").replace(/^_|_$/g, "").toUpperCase();

/**
 * The abilities by `friendlyName`, such as `Train SCV`. The second name joins `linkName` and `buttonName`: `CommandCenterTrain
 * SCV`. If several abilities share a name, the name means the general ability, which works for every unit. If none of them is
 * general, the name means an ability that is available in this match.
 */
export function abilityNames(rows: readonly AbilityData[]): Names<AbilityData, AbilityName> {
  const named = rows.filter((row) => row.friendlyName || row.buttonName);
  const general = new Set(named.map((row) => row.remapsToAbilityId).filter((id) => id));
  const rank = (row: AbilityData) => (general.has(row.abilityId) ? 0 : 2) + (row.available ? 0 : 1);
  const sorted = named.sort((a, b) => rank(a) - rank(b) || a.abilityId - b.abilityId);
  return new Names("ability", sorted.map((data) => {
    const second = `${data.linkName} ${data.buttonName || data.linkName}`;
    const first = data.friendlyName || second;
    return { id: data.abilityId, names: [first, second, `${first} ${data.abilityId}`], data };
  }));
}

/** The unit types by `name`. */
export function unitTypeNames(rows: readonly UnitTypeData[]): Names<UnitTypeData, UnitTypeName> {
  const sorted = [...rows].sort((a, b) => Number(b.available) - Number(a.available) || a.unitId - b.unitId);
  return new Names("unit type", sorted.map((data) => ({ id: data.unitId, names: data.name ? [data.name, `${data.name} ${data.unitId}`] : [], data })));
}

/** The upgrades by `name`. */
export function upgradeNames(rows: readonly UpgradeData[]): Names<UpgradeData, UpgradeName> {
  return new Names("upgrade", rows.map((data) => ({ id: data.upgradeId, names: [data.name], data })));
}

/** The buffs by `name`. */
export function buffNames(rows: readonly BuffData[]): Names<BuffData, BuffName> {
  return new Names("buff", rows.map((data) => ({ id: data.buffId, names: [data.name], data })));
}

/** The effects by `name` or `friendlyName`. */
export function effectNames(rows: readonly EffectData[]): Names<EffectData, EffectName> {
  return new Names("effect", rows.map((data) => ({ id: data.effectId, names: [data.name, data.friendlyName], data })));
}
