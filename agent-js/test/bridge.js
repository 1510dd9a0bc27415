/** A bridge as a person starts it, for tests. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A recording of 150 steps. */
export const SAMPLE = join(ROOT, "recordings/sample.mcap");

/** @typedef {{ after(end: () => Promise<void>): void }} Context a test's, or what is like it */
/** @typedef {{ url: string, grpc: string, pid: number, kill: () => Promise<void>, ended: Promise<number | null> }} Bridge */

/**
 * Starts `sc2bridge`, and returns when its WebSocket listens; it is ended with the test.
 * @param {Context} t
 * @param {string[]} args the command and its options
 * @param {{ port?: number, env?: Record<string, string> }} options
 * @returns {Promise<Bridge>}
 */
export async function startBridge(t, args, { port = 0, env = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
  const program = process.env.SC2BRIDGE_EXECUTABLE ?? join(ROOT, "sc2bridge");
  const bridge = spawn(
    program,
    [...args, "--json", "-", "--no-agents", "--grpc", "127.0.0.1:0", "--web", `127.0.0.1:${port}`, "--out", join(folder, "out")],
    { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = once(bridge, "exit").then(([code]) => code);
  const kill = async () => {
    bridge.kill("SIGKILL");
    await ended;
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  /** @type {string[]} */
  const said = [];
  createInterface(bridge.stderr).on("line", (line) => said.push(line));
  let [url, grpc] = ["", ""];
  for await (const line of createInterface(bridge.stdout)) {
    // A clone's set-up prints lines of its own.
    const event = line.startsWith("{") ? JSON.parse(line) : {};
    if (event.event === "listening") {
      [url, grpc] = [event.web, event.grpc];
    } else if (event.event === "match") {
      bridge.stdout.resume();
      return { url, grpc, pid: /** @type {number} */ (bridge.pid), kill, ended };
    }
  }
  throw new Error(`no bridge: ${said.join("\n")}`);
}

/** @param {Context} t @param {number} wait for how many subscribers @param {string[]} more */
export function replay(t, wait = 1, ...more) {
  return startBridge(t, ["replay", SAMPLE, "--wait", `${wait}`, ...more]);
}

/**
 * Plays a simulated match to its end into a recording; without more options the default one, in half a minute.
 * @param {Context} t @param {string[]} more
 * @returns {Promise<string>} the recording's path; it is deleted with the test
 */
export async function playMatch(t, ...more) {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, "match.mcap");
  const { ended } = await startBridge(t, ["match", "--game", "simulated", "--codec-log", "off", "--recording", path, ...more]);
  if ((await ended) !== 0) {
    throw new Error(`the match ended with ${await ended}`);
  }
  return path;
}

/** Runs with a context that is no test's: what was started is ended, the last first. @param {(t: Context) => Promise<void>} run */
export async function inContext(run) {
  /** @type {(() => Promise<void>)[]} */
  const ends = [];
  try {
    await run({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.reverse()) {
      await end();
    }
  }
}

/** Seconds of processor time that a process has taken (Linux). @param {number} pid */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
