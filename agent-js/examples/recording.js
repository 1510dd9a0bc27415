/**
 * Reads a recording without a bridge, and prints how many units each side lost in each minute.
 *
 *     node agent-js/examples/recording.js recordings/sample.mcap
 */

import { openAsBlob } from "node:fs";
import { Match, UnitEvents } from "sc2bridge";
import { LOOPS_PER_SECOND, openRecording } from "sc2bridge/recording";

const [path] = process.argv.slice(2);
if (!path) {
  throw new Error("give the path of a recording: node recording.js FILE.mcap");
}
const recording = await openRecording(await openAsBlob(path));
const match = new Match(await recording.describe());
const events = new UnitEvents(match);
/** The lost units by player, for each minute. @type {Map<number, number>[]} */
const losses = [];
for await (const frame of recording.perspective()) {
  const minute = Math.floor(frame.gameLoop / LOOPS_PER_SECOND / 60);
  const lost = (losses[minute] ??= new Map());
  for (const { owner } of events.update(frame).destroyed) {
    lost.set(owner, (lost.get(owner) ?? 0) + 1);
  }
}
console.log(`${recording.start.mapName}: ${recording.perspective().length} frames`);
losses.forEach((lost, minute) => console.log(`minute ${minute}: ${[...lost].map(([player, count]) => `player ${player} lost ${count}`).join(", ") || "no losses"}`));
console.log(`ended: ${recording.end?.reason ?? "unknown"}`);
