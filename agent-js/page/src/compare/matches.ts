/** How two matches differ by their descriptions. */

import type { Recording } from "sc2bridge/recording";
import { PlayerRace } from "sc2bridge/v1/bridge";
import { perspectivesOf } from "../recording/opening";
import type { Pair, SideFacts } from "./messages";

/** The perspectives that both recordings have, the first recording's first one first. */
export function commonPerspectives([first, second]: Pair<Recording>): number[] {
  return perspectivesOf(first).filter((number) => second.perspectives.includes(number));
}

/** The differences as lines, and why the recordings cannot be compared (empty if they can). */
export function contrast(recordings: Pair<Recording>, sides: Pair<SideFacts>): { notes: string[]; incomparable: string } {
  const both = (of: (recording: Recording) => string | number) => recordings.map(of) as unknown as Pair<string | number>;
  const differ = ([first, second]: Pair<string | number>, what: string) => (first === second ? [] : [`the ${what} differ: ${first || "unknown"} and ${second || "unknown"}`]);
  const maps = differ(both(({ start }) => start.mapName), "maps");
  const perspectives = commonPerspectives(recordings).length ? [] : [`no common perspective: ${both(({ perspectives }) => names(perspectives)).join(" and ")}`];
  return {
    notes: [
      ...maps,
      ...perspectives,
      ...differ(both(({ start }) => start.players.map(({ playerId, race, difficulty }) => `${playerId} ${PlayerRace[race]?.toLowerCase() ?? ""} ${difficulty}`.trim()).join(", ")), "players"),
      ...differ(both(({ start }) => start.seed), "seeds"),
      ...differ(both(({ start }) => start.stepSize), "step sizes"),
      ...differ([sides[0].firstLoop || "0", sides[1].firstLoop || "0"], "first game loops"),
      ...differ([sides[0].lastLoop || "0", sides[1].lastLoop || "0"], "last game loops"),
      ...recordings.slice(1).flatMap(({ damage }) => (damage ? [damage.message] : [])),
    ],
    incomparable: maps.length || perspectives.length ? "the frames were not compared" : "",
  };
}

function names(perspectives: readonly number[]): string {
  return perspectives.map((number) => (number ? `player ${number}` : "observer")).join(", ");
}
