/** Starts bridges for tests, by the command that users start. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A recording of 150 steps. */
export const SAMPLE = join(ROOT, "recordings/sample.mcap");

/** @typedef {{ after(end: () => Promise<void>): void }} Context the context of a test, or another object with `after` */
/** @typedef {{ url: string, grpc: string, pid: number, kill: () => Promise<void>, ended: Promise<number | null> }} Bridge */

/**
 * Starts `sc2bridge`, and returns when it listens and has a match. The bridge is killed at the end of the test.
 * @param {Context} t
 * @param {string[]} args the command, such as `match`, and its options
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
  const errorLines = [];
  createInterface(bridge.stderr).on("line", (line) => errorLines.push(line));
  let [url, grpc] = ["", ""];
  for await (const line of createInterface(bridge.stdout)) {
    // In a clone of the repository, ./sc2bridge first prints lines of the set-up.
    const event = line.startsWith("{") ? JSON.parse(line) : {};
    if (event.event === "listening") {
      [url, grpc] = [event.web, event.grpc];
    } else if (event.event === "match") {
      bridge.stdout.resume();
      return { url, grpc, pid: /** @type {number} */ (bridge.pid), kill, ended };
    }
  }
  throw new Error(`the bridge ended before it had a match: ${errorLines.join("\n")}`);
}

/** Starts a playback of the sample. @param {Context} t @param {number} wait the number of subscribers to wait for @param {string[]} more options */
export function replay(t, wait = 1, ...more) {
  return startBridge(t, ["replay", SAMPLE, "--wait", `${wait}`, ...more]);
}

/**
 * Plays a simulated match to its end, and records it. Without more options this is the default match, which takes half a minute.
 * @param {Context} t @param {string[]} more
 * @returns {Promise<string>} the path of the recording, which is deleted at the end of the test
 */
export async function playMatch(t, ...more) {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  const path = join(folder, "match.mcap");
  const { ended } = await startBridge(t, ["match", "--game", "simulated", "--codec-log", "off", "--recording", path, ...more]);
  if ((await ended) !== 0) {
    throw new Error(`the match ended with exit code ${await ended}`);
  }
  return path;
}

/** Runs a function outside a test, with a context. Then ends what the function has started, in reverse order. @param {(t: Context) => Promise<void>} run */
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

/** The seconds of processor time that a process has used. Works on Linux only. @param {number} pid */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").replace(/.*\) /s, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
