/** Converts units to tags, and places to coordinates, for messages. */

/** A unit: its tag, a row of a table, the game's message, or a destroyed unit. */
export type UnitLike = bigint | { readonly tag: bigint };

/** Units: one unit, a table (`frame.units.own`), an array of tags, or any iterable of units. */
export type UnitsLike = UnitLike | { readonly tag: BigUint64Array } | Iterable<UnitLike>;

/** A place: x and y in cells, a point message, or a unit for its position. */
export type PointLike = ArrayLike<number> | { readonly x: number; readonly y: number } | { readonly pos?: ArrayLike<number> | { readonly x: number; readonly y: number } | undefined };

/** The target of a command: a unit, a unit's tag or a place. */
export type Target = UnitLike | PointLike;

const MAX_TAG = 2n ** 64n - 1n;

/** A unit's tag. Throws TypeError for an object that is no unit, RangeError for a number that is no tag. */
export function tagOf(unit: unknown): bigint {
  const tag = typeof unit === "object" && unit !== null && "tag" in unit ? unit.tag : unit;
  if (typeof tag !== "bigint") {
    throw new TypeError(`${shown(unit)} is not a unit: pass a tag (a bigint), a unit or a table of units`);
  }
  if (tag < 0n || tag > MAX_TAG) {
    throw new RangeError(`${tag} is not a unit's tag: pass a number from 0 to 2**64 - 1`);
  }
  return tag;
}

/** The tags of units, in the order of the units. Throws the errors of `tagOf`. */
export function tagsOf(units: UnitsLike): bigint[] {
  const tags: unknown = typeof units === "object" && units !== null && "tag" in units ? units.tag : units;
  return typeof tags === "object" && tags !== null && Symbol.iterator in tags ? Array.from(tags as Iterable<unknown>, tagOf) : [tagOf(tags)];
}

/** Whether a target is a unit or a tag, not a place. */
export function isUnit(target: Target): target is UnitLike {
  return typeof target === "bigint" || (typeof target === "object" && target !== null && "tag" in target);
}

/** The x and y of a place, in cells. Throws TypeError for an object that is no place. */
export function pointOf(place: PointLike): { x: number; y: number } {
  const at: unknown = typeof place === "object" && place !== null && "pos" in place ? place.pos : place;
  const [x, y]: unknown[] = typeof at !== "object" || at === null ? [] : "x" in at && "y" in at ? [at.x, at.y] : isPair(at) ? [at[0], at[1]] : [];
  if (typeof x !== "number" || typeof y !== "number" || Number.isNaN(x + y)) {
    throw new TypeError(`${shown(place)} is not a place: pass [x, y], a point or a unit`);
  }
  return { x, y };
}

function isPair(at: object): at is ArrayLike<unknown> {
  return "length" in at && (at.length === 2 || at.length === 3);
}

function shown(value: unknown): string {
  return typeof value === "object" && value !== null ? `an object (${value.constructor?.name ?? "without a class"})` : typeof value === "string" ? JSON.stringify(value) : String(value);
}
