/** The events of the match: alerts, chat, failed orders, deaths, and the end. */

import type { Frame } from "sc2bridge";
import { ActionResult } from "sc2bridge/s2clientprotocol/error";
import { Alert } from "sc2bridge/s2clientprotocol/sc2api";

export const KINDS = ["alert", "chat", "action error", "deaths", "match end", "fight", "expansion", "tech", "slow step"] as const;
export type Kind = (typeof KINDS)[number];
/** Kinds that are found in a whole recording only. */
export const OF_RECORDINGS: ReadonlySet<Kind> = new Set<Kind>(["fight", "expansion", "tech", "slow step"]);

export interface MatchEvent {
  readonly loop: number;
  readonly perspective: number;
  readonly kind: Kind;
  readonly text: string;
}

/** The perspective of an event that every perspective shows. */
export const ALL_PERSPECTIVES = -1;

const MOST_EVENTS = 5_000;

/** The events of a frame and of the frames skipped before it. */
export function eventsOf(frame: Pick<Frame, "gameLoop" | "perspective" | "skipped" | "observation">): MatchEvent[] {
  const { actionErrors, chat, observation } = frame.observation;
  const { skipped, gameLoop: loop, perspective } = frame;
  const of = (kind: Kind, texts: readonly string[]) =>
    [...counted(texts)].map(([text, count]) => ({ loop, perspective, kind, text: count > 1 ? `${text} ×${count}` : text }));
  const dead = (skipped?.deadUnits.length ?? 0) + (observation?.rawData?.event?.deadUnits.length ?? 0);
  return [
    ...of("alert", [...(skipped?.alerts ?? []), ...(observation?.alerts ?? [])].map((alert) => words(Alert[alert] ?? `Alert ${alert}`))),
    ...of("chat", [...(skipped?.chat ?? []), ...chat].map(({ playerId, message }) => `player ${playerId}: ${message}`)),
    ...of("action error", [...(skipped?.actionErrors ?? []), ...actionErrors].map(({ result }) => words(ActionResult[result] ?? `result ${result}`))),
    ...of("deaths", dead ? [`${dead} ${dead === 1 ? "unit" : "units"} died`] : []),
  ];
}

export class Events {
  /** The maximum number of events. Above it, the oldest events are removed. */
  most = MOST_EVENTS;
  /** Increases with each change. */
  version = 0;
  /** The events, in the order of their game loops. */
  readonly list: MatchEvent[] = [];
  /** Keys of the events in the list. A playback that was moved back repeats events, and repeated events are not added. */
  readonly #known = new Set<string>();

  /** Adds the events of a frame and of the frames skipped before it. */
  add(frame: Frame): void {
    this.addAll(eventsOf(frame));
  }

  addAll(events: readonly MatchEvent[]): void {
    events.forEach((event) => this.#add(event));
  }

  /** Adds the end of the match. */
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
    if (this.list.length > this.most) {
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

/** Converts an identifier to words: `UnitUnderAttack` to `unit under attack`, `MULEExpired` to `MULE expired`. */
export function words(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4").replace(/\b[A-Z](?![A-Z])/g, (letter) => letter.toLowerCase());
}
