/** What the game reported along the match: alerts, chat, orders that failed, deaths. */

import type { Frame } from "sc2bridge";
import { ActionResult } from "sc2bridge/s2clientprotocol/error";
import { Alert } from "sc2bridge/s2clientprotocol/sc2api";

export const KINDS = ["alert", "chat", "action error", "deaths", "match end"] as const;
export type Kind = (typeof KINDS)[number];

export interface MatchEvent {
  readonly loop: number;
  readonly perspective: number;
  readonly kind: Kind;
  readonly text: string;
}

const MOST_EVENTS = 5_000;

export class Events {
  /** Grows with each change. */
  version = 0;
  /** By game loop. */
  readonly list: MatchEvent[] = [];
  /** A playback that is moved brings the same ones again. */
  readonly #known = new Set<string>();

  /** Adds a frame's, and those of the frames that were skipped before it. */
  add(frame: Frame): void {
    const { actionErrors, chat, observation } = frame.observation;
    const { skipped } = frame;
    const add = (kind: Kind, texts: readonly string[]) => {
      for (const [text, count] of counted(texts)) {
        this.#add({ loop: frame.gameLoop, perspective: frame.perspective, kind, text: count > 1 ? `${text} ×${count}` : text });
      }
    };
    add("alert", [...(skipped?.alerts ?? []), ...(observation?.alerts ?? [])].map((alert) => words(Alert[alert] ?? `Alert ${alert}`)));
    add("chat", [...(skipped?.chat ?? []), ...chat].map(({ playerId, message }) => `player ${playerId}: ${message}`));
    add("action error", [...(skipped?.actionErrors ?? []), ...actionErrors].map(({ result }) => words(ActionResult[result] ?? `result ${result}`)));
    const dead = (skipped?.deadUnits.length ?? 0) + (observation?.rawData?.event?.deadUnits.length ?? 0);
    add("deaths", dead ? [`${dead} ${dead === 1 ? "unit" : "units"} died`] : []);
  }

  /** Adds the match's end. */
  end(loop: number, text: string): void {
    this.#add({ loop, perspective: 0, kind: "match end", text });
  }

  clear(): void {
    this.list.length = 0;
    this.#known.clear();
    this.version++;
  }

  #add(event: MatchEvent): void {
    const key = `${event.loop} ${event.perspective} ${event.kind} ${event.text}`;
    if (this.#known.has(key)) {
      return;
    }
    this.#known.add(key);
    let place = this.list.length;
    while (place > 0 && this.list[place - 1]!.loop > event.loop) {
      place--;
    }
    this.list.splice(place, 0, event);
    if (this.list.length > MOST_EVENTS) {
      const { loop, perspective, kind, text } = this.list.shift()!;
      this.#known.delete(`${loop} ${perspective} ${kind} ${text}`);
    }
    this.version++;
  }
}

function counted(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** `UnitUnderAttack` as `unit under attack`; `MULEExpired` as `MULE expired`. */
export function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4").replace(/\b[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase());
}
