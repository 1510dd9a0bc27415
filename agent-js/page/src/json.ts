/** A frame in the form of the sub-protocol sc2bridge.json.v1, with the whole `observation`, also if columns were subscribed to. */

import type { Frame } from "sc2bridge";
import { fieldsOf, shortest } from "./unit-fields";

type Content = { observation?: { rawData?: Record<string, unknown> } };

export function frameJson(frame: Frame): Record<string, unknown> {
  const content = frame.json as Content;
  const observation = frame.encoding === "json" ? content : withUnits(written(content) as Content, [...frame.units].map(fieldsOf));
  return {
    matchId: frame.matchId,
    perspective: frame.perspective,
    step: String(frame.step),
    gameLoop: frame.gameLoop,
    requestedNs: String(frame.requestedNs),
    observedNs: String(frame.observedNs),
    content: "CONTENT_OBSERVATION",
    observation,
  };
}

/** Replaces numbers by the shortest equal 32-bit floats: all fractions in the game's messages are 32-bit floats. */
function written(value: unknown): unknown {
  if (typeof value === "number") {
    return Number.isInteger(value) ? value : shortest(value);
  }
  if (Array.isArray(value)) {
    return value.map(written);
  }
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, written(part)])) : value;
}

function withUnits(content: Content, units: unknown[]): unknown {
  const { observation = {} } = content;
  const { player, ...rest } = observation.rawData ?? {};
  return { ...content, observation: { ...observation, rawData: { ...(player ? { player } : {}), units, ...rest } } };
}
