/** Plays 100 steps with the installed JavaScript package: `node play.mjs PROGRAM`. */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { connect } from "sc2bridge";

const players = ["--player", "agent:terran", "--player", "computer:zerg:Easy"];
const words = ["match", ...players, "--no-agents", "--wait", "1", "--steps", "100", "--json", "-", "--web", "127.0.0.1:0", "--out", "js-match"];
const bridge = spawn(process.argv[2], words, { stdio: ["ignore", "pipe", "inherit"] });
for await (const line of createInterface(bridge.stdout)) {
  const event = JSON.parse(line);
  if (event.event === "listening") {
    const connection = await connect(event.web);
    const frames = connection.subscribe({ agent: "installed", policy: "lockstep", canAct: true });
    let count = 0;
    for await (const _ of frames) {
      count++;
    }
    console.log(`${count} frames, then ${frames.end?.reason}`);
    connection.close();
  }
}
