/** Matches on new versions of the game (`simulate --patch-day`), with one agent for each encoding and content. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { connect } from "sc2bridge";
import { ROOT, startBridge } from "./bridge.js";
import { shortOf } from "./reading.js";

const STEPS = 4;
const MODES = /** @type {const} */ ([
  ["proto", "observation", "none"],
  ["json", "observation", "group-zstd"],
  ["proto", "columns", "zstd"],
  ["json", "columns", "none"],
]);

/**
 * Starts a bridge that plays matches, each on another version of the game. A match waits until all agents have subscribed.
 * @param {import("./bridge.js").Context} t @param {number} matches @param {number} others the number of agents that the caller starts in addition to `readAll`
 */
export async function playVersions(t, matches, others = 0) {
  const game = spawn(process.env.SC2BRIDGE_EXECUTABLE ?? join(ROOT, "sc2bridge"), ["simulate", "-listen", "127.0.0.1", "-port", "0", "--patch-day", "1"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(game, "exit");
  t.after(async () => {
    game.kill("SIGKILL");
    await ended;
  });
  const { value: line } = await createInterface(game.stdout)[Symbol.asyncIterator]().next();
  const options = ["--games", `${matches}`, "--steps", `${STEPS}`, "--step-size", "250", "--observe", "1", "--feature-layers", "40x40", "--no-recording", "--codec-log", "off"];
  return startBridge(t, ["match", "--attach", `127.0.0.1:${line.split(" ").at(-1)}`, ...options, "--wait", `${MODES.length + others}`]);
}

/** Runs the agents. Returns for each agent what it read of all matches. @param {string} url @param {number} matches */
export function readAll(url, matches) {
  return Promise.all(MODES.map(([encoding, content, compression]) => read(url, matches, encoding, content, compression)));
}

/** @param {string} url @param {number} matches @param {"proto" | "json"} encoding @param {"observation" | "columns"} content @param {"none" | "zstd" | "group-zstd"} compression */
async function read(url, matches, encoding, content, compression) {
  /** @type {any[]} */
  const found = [];
  for (let match = 0; match < matches; match++) {
    const bridge = await connect(url, { encoding });
    const frames = bridge.subscribe({ content, compression, policy: "lockstep" });
    for await (const frame of frames) {
      const { units } = frame;
      for (const table of [units, units.own, units.orders, units.passengers, units.buffs, units.rallyTargets]) {
        for (const name of Object.keys(table.fields)) {
          if (table.column(name).length < table.present(name).length) {
            throw new Error(`step ${frame.step}: the column ${name} has fewer values than rows`);
          }
        }
      }
      if (!frame.json || !frame.observation.observation?.rawData?.mapState?.visibility) {
        throw new Error(`step ${frame.step}: the frame has no observation`);
      }
      const unknown = [...units.unitType].filter((type) => type >= 6000);
      const { requestedNs: _, ...short } = shortOf(frame);
      found.push({ ...short, unknown, buffs: [...units.buffs.buffId].filter((buff) => buff >= 6000) });
      if (frame.step === 0) {
        const { gameInfo } = await frames.describe();
        found.push(gameInfo?.startRaw?.mapSize?.x);
      }
    }
    bridge.close();
  }
  return found;
}
