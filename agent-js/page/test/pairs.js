/** Recordings of simulated matches for comparisons. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../dist/index.js";
import { startBridge } from "../../test/bridge.js";

const SCV = 45;
const MOVE = 16;

/**
 * Records a simulated match. An agent sends a worker to a place. Returns the path of the recording.
 * @param {{ after(end: () => Promise<void>): void }} t
 * @param {{ name?: string, seed?: number, steps?: number, stepSize?: number, at?: number, to?: { x: number, y: number }, more?: string[] }} options `at`: the step of the command
 */
export async function record(t, { name = "match", seed = 1, steps = 60, stepSize = 8, at = 20, to = { x: 60, y: 60 }, more = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-pair-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, `${name}.mcap`);
  const players = ["--player", "agent:terran", "--player", "computer:zerg:Easy"];
  const { url, ended } = await startBridge(t, [
    "match", "--game", "simulated", ...players, "--wait", "1", "--seed", `${seed}`, "--steps", `${steps}`, "--step-size", `${stepSize}`, "--rate", "max", "--recording", path, ...more,
  ]);
  const bridge = await connect(url);
  const frames = bridge.subscribe({ agent: "player", policy: "lockstep", content: "columns", canAct: true });
  for await (const frame of frames) {
    if (frame.step === at) {
      const [worker] = frame.units.own.ofType(SCV);
      frames.act([{ actionRaw: { action: { case: "unitCommand", value: { abilityId: MOVE, unitTags: [worker.tag], target: { case: "targetWorldSpacePos", value: to } } } } }]);
    }
  }
  bridge.close();
  if ((await ended) !== 0) {
    throw new Error(`the match ended with exit code ${await ended}`);
  }
  return path;
}
