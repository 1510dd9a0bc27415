/** The frame as the JSON WebSocket carries it, with `observation` whole, whatever the page itself subscribed to. */

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

/** Every number with a fraction is a float of 32 bits in the game's messages. */
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
