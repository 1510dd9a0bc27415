/**
 * Prints unit events of a match, as one player sees it.
 *
 *     ./sc2bridge match --player computer:terran:Easy --player computer:zerg:Easy --observe 1 --wait 1
 *     node agent-js/examples/events.js ws://127.0.0.1:8765
 */

import { connect, Match, UnitEvents } from "sc2bridge";

const bridge = await connect(process.argv[2] ?? "ws://127.0.0.1:8765");
const frames = bridge.subscribe({ agent: "events", policy: "latest", content: "columns" });
const match = new Match(await frames.describe());
const events = new UnitEvents(match);
const nameOf = (/** @type {{ unitType: number }} */ { unitType }) => match.unitTypes.name(unitType) ?? `type ${unitType}`;

for await (const frame of frames) {
  const { created, destroyed, started, finished, seen, upgrades } = events.update(frame);
  const lines = [
    ...[...created].map((unit) => `new ${nameOf(unit)}`),
    ...[...started].map((unit) => `${nameOf(unit)} begun`),
    ...[...finished].map((unit) => `${nameOf(unit)} finished`),
    ...[...seen].map((unit) => `enemy ${nameOf(unit)} seen`),
    ...destroyed.map((unit) => `${nameOf(unit)} of player ${unit.owner} destroyed`),
    ...upgrades.map((upgrade) => `${match.upgrades.name(upgrade)} researched`),
  ];
  lines.forEach((line) => console.log(`loop ${frame.gameLoop}: ${line}`));
}
console.log(`ended: ${frames.end?.reason}`);
bridge.close();
