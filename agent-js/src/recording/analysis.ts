/** The analysis of a recorded match. The bridge computes it; docs/reference/analysis.md has the rules. Loops are game loops. */

import { MalformedMessageError } from "../errors.js";
import { parseObject } from "../protocol/parsing.js";
import { LIMITS } from "./records.js";

// Each value is an example of its field's type: null means that null is allowed, too.
const LOST = { unit_type: 0, name: "", count: 0 };
const SIDE = { player_id: 0, minerals: 0, vespene: 0, damaged: 0, lost: [LOST] };
const SPAN = { first_loop: 0, last_loop: 0 };
const FIGHT = { ...SPAN, x: 0, y: 0, ahead: 0, sides: [SIDE] };
const BASE = { name: "", x: 0, y: 0, seen_loop: 0, is_expansion: false, finished_loop: null as number | null, lost_loop: null as number | null };
const PLAYER = {
  player_id: 0, is_observed: false, bases: [BASE], supply_blocks: [SPAN], floating: [{ ...SPAN, resource: "", most: 0 }],
  idle_production: null as number | null, idle_workers: null as number | null, errors: [{ kind: "", refused: 0, failed: 0 }],
};
const ANALYSIS = { ...SPAN, rules: 0, fights: [FIGHT], players: [PLAYER] };

/** Fights, and each player's bases, supply blocks, unspent resources and failed actions, with the names of the JSON. */
export type Analysis = typeof ANALYSIS;

/** Parses the content of the attachment `analysis`. Throws MalformedMessageError. */
export function parseAnalysis(data: Uint8Array): Analysis {
  if (data.length > LIMITS.analysis) {
    throw new MalformedMessageError(`it has ${data.length} bytes, more than the limit of ${LIMITS.analysis}`);
  }
  return checked(parseObject(data), ANALYSIS, "analysis") as Analysis;
}

function checked(given: unknown, example: unknown, name: string): unknown {
  if (Array.isArray(example) && Array.isArray(given)) {
    return given.map((each) => checked(each, example[0], name));
  }
  if (example === null ? given === undefined || given === null || typeof given === "number" : typeof given === typeof example && Array.isArray(given) === Array.isArray(example)) {
    if (typeof example !== "object" || example === null) {
      return given ?? example;
    }
    if (given !== null) {
      return Object.fromEntries(Object.entries(example).map(([key, one]) => [key, checked((given as Record<string, unknown>)[key], one, key)]));
    }
  }
  throw new MalformedMessageError(`the field ${name} must not be ${JSON.stringify(given)?.slice(0, 40)}`);
}
