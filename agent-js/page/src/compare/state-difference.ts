/** Finds the first difference in the state of two observations of the same game loop. */

import { toJson } from "@bufbuild/protobuf";
import type { Lists, Units } from "sc2bridge";
import type { RecordedFrame } from "sc2bridge/recording";
import { ResponseObservationSchema } from "sc2bridge/s2clientprotocol/sc2api";
import { fieldsOf } from "../unit-fields";
import type { Difference, Pair } from "./messages";

type StateDifference = Pick<Extract<Difference, { kind: "state" }>, "unit" | "field" | "values" | "units">;

const MOST_LETTERS = 80;

/**
 * First units in the first recording's order, then the player's numbers, then everything else. The order of units does not
 * count. @param hasSameEvents whether both observations have the events of the same steps
 */
export function stateDifference(one: RecordedFrame, two: RecordedFrame, hasSameEvents: boolean): StateDifference | undefined {
  return unitDifference(one.units, two.units) ?? restDifference(one, two, hasSameEvents);
}

function unitDifference(one: Units, two: Units): StateDifference | undefined {
  const rows = new Map([...two.tag].map((tag, row) => [tag, row]));
  let found: { row: number | undefined; other: number | undefined; field: string } | undefined;
  let units = 0;
  for (const [row, tag] of one.tag.entries()) {
    const other = rows.get(tag);
    rows.delete(tag);
    const field = other === undefined ? "" : differentField(one, row, two, other);
    if (field !== undefined) {
      units++;
      found ??= { row, other, field };
    }
  }
  for (const other of rows.values()) {
    units++;
    found ??= { row: undefined, other, field: "" };
  }
  if (!found) {
    return undefined;
  }
  const { row, other, field } = found;
  const each = [row === undefined ? undefined : one.at(row), other === undefined ? undefined : two.at(other)] as const;
  const { tag, unitType, owner } = (each[0] ?? each[1])!;
  const values = each.map((unit) => unit && (field ? shown(fieldsOf(unit)[field]) : "present")) as unknown as Pair<string | undefined>;
  return { unit: { tag, unitType, owner }, field, values, units };
}

/** The first field that differs, by its name in protobuf's JSON form. */
function differentField(one: Units, row: number, two: Units, other: number): string | undefined {
  return (
    differentColumn(one, row, two, other) ??
    (["orders", "passengers", "rallyTargets", "buffs"] as const)
      .find((name) => !isSameList(one[name], row, two[name], other))
      ?.replace("buffs", "buffIds")
  );
}

function isSameList(one: Lists, row: number, two: Lists, other: number): boolean {
  const [[first, end], [second, secondEnd]] = [one.range(row), two.range(other)];
  return end - first === secondEnd - second && Array.from({ length: end - first }, (_, at) => at).every((at) => differentColumn(one, first + at, two, second + at) === undefined);
}

function differentColumn(one: Units | Lists, row: number, two: Units | Lists, other: number): string | undefined {
  for (const [name, { width }] of Object.entries(one.fields)) {
    const [first, second] = [one.column(name), two.column(name)];
    for (let part = 0; part < width; part++) {
      const [a, b] = [first[row * width + part], second[other * width + part]];
      if (a !== b && !(Number.isNaN(a) && Number.isNaN(b))) {
        return name;
      }
    }
  }
  return undefined;
}

type Json = { readonly [name: string]: unknown };

function restDifference(one: RecordedFrame, two: RecordedFrame, hasSameEvents: boolean): StateDifference | undefined {
  const [first, second] = [one, two].map((frame) => withoutEvents(toJson(ResponseObservationSchema, frame.rest) as Json, hasSameEvents)) as [Json, Json];
  const found = differentPart(first, second);
  return found && { unit: undefined, field: found.path.join("."), values: [shown(found.values[0]), shown(found.values[1])], units: 0 };
}

/** The player's numbers come first. Actions are compared on their own. */
function withoutEvents({ actions: _, actionErrors: __, chat, observation = {}, ...rest }: Json, hasSameEvents: boolean): Json {
  const { playerCommon, alerts, rawData = {}, ...other } = observation as Json & { rawData?: Json };
  const { event, ...raw } = rawData;
  return { playerCommon, ...other, rawData: raw, ...rest, ...(hasSameEvents ? { alerts, event, chat } : {}) };
}

function differentPart(one: unknown, two: unknown): { path: string[]; values: Pair<unknown> } | undefined {
  if (!isObject(one) || !isObject(two)) {
    return Object.is(one, two) ? undefined : { path: [], values: [one, two] };
  }
  for (const name of new Set([...Object.keys(one), ...Object.keys(two)])) {
    const found = differentPart(one[name], two[name]);
    if (found) {
      return { path: [name, ...found.path], values: found.values };
    }
  }
  return undefined;
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

function shown(value: unknown): string | undefined {
  const text = value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
  return text && text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}
