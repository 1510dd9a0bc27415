/** A unit in protobuf's JSON form: only the fields that the game sent, with 64-bit numbers as text and enums by name. */

import type { Lists, Unit } from "sc2bridge";
import { Alliance, CloakState, DisplayType } from "sc2bridge/s2clientprotocol/raw";

type Json = Record<string, unknown>;

const ENUMS: Record<string, Record<number, string>> = { displayType: DisplayType, alliance: Alliance, cloak: CloakState };
const POINTS = ["pos", "targetWorldSpacePos", "point"];

export function fieldsOf(unit: Unit): Json {
  const { units, row } = unit;
  const fields = rowOf(units, row, (name, value) => ENUMS[name]?.[value as number] ?? (name.startsWith("is") ? value === 1 : value));
  for (const [name, list] of [
    ["orders", units.orders],
    ["passengers", units.passengers],
    ["rallyTargets", units.rallyTargets],
  ] as const) {
    const items = itemsOf(list, row).map((item) => rowOf(list, item, (_, value) => value));
    if (items.length) {
      fields[name] = items;
    }
  }
  const buffs = itemsOf(units.buffs, row).map((item) => units.buffs.buffId[item]);
  if (buffs.length) {
    fields.buffIds = buffs;
  }
  return fields;
}

function rowOf(table: Unit["units"] | Lists, row: number, shown: (name: string, value: unknown) => unknown): Json {
  const fields: Json = {};
  for (const name of Object.keys(table.fields)) {
    const vector = table.column(name);
    if (POINTS.includes(name)) {
      const parts = ["x", "y", "z"].filter((part) => table.present(part)[row]);
      if (parts.length) {
        fields[name] = Object.fromEntries(parts.map((part) => [part, shortest(vector[row * 3 + "xyz".indexOf(part)] as number)]));
      }
    } else if (table.present(name)[row]) {
      const value = vector[row]!;
      fields[name] = shown(name, typeof value === "bigint" ? String(value) : vector instanceof Float32Array ? shortest(value) : value);
    }
  }
  return fields;
}

function itemsOf(list: Lists, row: number): number[] {
  const [first, end] = list.range(row);
  return Array.from({ length: end - first }, (_, item) => first + item);
}

/** Returns the number with the fewest digits that is the same 32-bit float. */
export function shortest(value: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) {
      return text;
    }
  }
  return value;
}
