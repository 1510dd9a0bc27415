/**
 * Watches a match: prints its resources and units every ten seconds of game time, and then the result.
 *
 *     ./sc2bridge match --player computer:terran:Easy --player computer:zerg:Easy --wait 1
 *     node agent-js/examples/watch.js ws://127.0.0.1:8765
 */

import { connect } from "sc2bridge";

const LOOPS_PER_SECOND = 22.4;

const bridge = await connect(process.argv[2] ?? "ws://127.0.0.1:8765");
const { mapName } = await bridge.describe({ withoutData: true });
console.log(`watching on ${mapName}`);
const frames = bridge.subscribe({ agent: "watch", policy: "latest", content: "columns" });
let next = 0;
for await (const frame of frames) {
  if (frame.gameLoop >= next) {
    next = frame.gameLoop + 10 * LOOPS_PER_SECOND;
    const { units } = frame;
    console.log(`${(frame.gameLoop / LOOPS_PER_SECOND).toFixed(0)} s: ${units.ofOwner(1).length} units of player 1, ${units.ofOwner(2).length} of player 2`);
  }
}
console.log(`ended: ${frames.end?.reason}`);
bridge.close();
