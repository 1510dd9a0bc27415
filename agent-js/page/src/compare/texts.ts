/** Differences of two recordings in words. */

import { clock, types } from "../match";
import type { Difference, Pair } from "./messages";
import { second } from "./state";

const MOST_LETTERS = 160;

/** A difference in one line. @param names the names of the recordings */
export function textOf(difference: Difference, names: Pair<string>): string {
  const seen = difference.perspective ? `, seen by player ${difference.perspective}` : "";
  switch (difference.kind) {
    case "time":
      return difference.missing === undefined
        ? `the step before it took ${valuesOf(difference.ms.map((ms) => `${(ms / 1000).toFixed(3)} s`) as unknown as Pair<string>, names)}${seen}`
        : `${names[difference.missing]} has no observation of this game loop${seen}`;
    case "action":
      return `${difference.isError ? "failed order" : "action"}${difference.perspective ? ` of player ${difference.perspective}` : ""}: ${valuesOf(difference.values.map(actionText) as unknown as Pair<string | undefined>, names)}`;
    case "state":
      return stateText(difference, names);
  }
}

function stateText({ unit, field, values, units, perspective }: Extract<Difference, { kind: "state" }>, names: Pair<string>): string {
  if (!unit) {
    return `${field}${perspective ? ` of player ${perspective}` : ""}: ${valuesOf(values, names)}`;
  }
  const { tag, unitType, owner } = unit;
  const known = [types, second.types].map((each) => each.value.name(unitType)).find((name) => !name.startsWith("type ")) ?? `type ${unitType}`;
  const more = units > 1 ? `; ${units - 1} more ${units === 2 ? "unit differs" : "units differ"}` : "";
  const what = field ? `${field}: ${valuesOf(values, names)}` : `only in ${names[values[0] === undefined ? 1 : 0]}`;
  return `${known} ${tag} of player ${owner}${perspective && perspective !== owner ? `, seen by player ${perspective}` : ""}, ${what}${more}`;
}

function valuesOf(values: Pair<string | undefined>, names: Pair<string>): string {
  return values.map((value, side) => `${value ?? "none"} in ${names[side]}`).join(", ");
}

interface Command {
  readonly abilityId?: number;
  readonly targetWorldSpacePos?: { readonly x?: number; readonly y?: number };
  readonly targetUnitTag?: string;
  readonly unitTags?: readonly string[];
}

/** A command of units in words, any other action as JSON. */
function actionText(action: unknown): string | undefined {
  const command = (action as { actionRaw?: { unitCommand?: Command } } | undefined)?.actionRaw?.unitCommand;
  const text = command ? commandText(command) : JSON.stringify(action);
  return text && text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

function commandText({ abilityId = 0, targetWorldSpacePos: place, targetUnitTag, unitTags = [] }: Command): string {
  const target = place ? ` to ${place.x ?? 0}, ${place.y ?? 0}` : targetUnitTag ? ` to unit ${targetUnitTag}` : "";
  return `${types.value.ability(abilityId)}${target} (${unitTags.length === 1 ? `unit ${unitTags[0]}` : `${unitTags.length} units`})`;
}

/** The place of a game loop. */
export function placeOf(loop: number): string {
  return `game loop ${loop} (${clock(loop)})`;
}
