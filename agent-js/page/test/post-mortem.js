/** A post-mortem for tests, and viewer pages that contain it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, SAMPLE } from "../../test/bridge.js";

export const VIEWER = join(ROOT, "agent-js/page/viewer/dist/sc2bridge-viewer.html");

/** A match of two players, whose agent raised an error at game loop 640. */
export const EXAMPLE = {
  version: 1,
  cause: {
    kind: "agent_exception",
    who: "agent my_bot",
    text: "agent my_bot raised ZeroDivisionError: division by zero",
    advice: "Correct the line of my_bot.py that the traceback names, and play the match again.",
    game_loop: 640,
  },
  match: {
    id: "20261128-1",
    map: "Simulated Basin",
    simulated: true,
    game_version: "5.0.14",
    seed: 1,
    rate: "max",
    step_size: 8,
    players: [
      { id: 1, name: "my_bot", race: "Terran", kind: "Agent", result: "Defeat" },
      { id: 2, name: "", race: "Zerg", kind: "Computer", result: "Victory" },
    ],
    ended: "the agent failed",
    aborted: true,
  },
  recording: { first_game_loop: 0, last_game_loop: 1192 },
  steps: Array.from({ length: 160 }, (_, index) => ({
    game_loop: 8 * (index >> 1),
    perspective: 1 + (index % 2),
    agent_us: index === 120 ? 5_000_000 : 120 + 60 * Math.abs(Math.sin(index / 9)) + 40 * (index % 2),
    bridge_us: 80 + (index % 7) * 3,
    game_us: 900 + 200 * Math.abs(Math.cos(index / 20)),
  })),
  slowest: [
    { game_loop: 480, who: "agent my_bot", us: 5_000_000 },
    { game_loop: 8, who: "the game", us: 20_400 },
  ],
  logs: [{ from: "agent my_bot", lines: ["step 79: 12 workers", "<b>not bold</b> <img src=x onerror=alert(1)>", "step 80: attack with 0 marines"] }],
  tracebacks: [{ from: "agent my_bot", lines: ["Traceback (most recent call last):", '  File "my_bot.py", line 12, in on_step', "    share = 1 / len(marines)", "ZeroDivisionError: division by zero"] }],
  versions: { sc2bridge: "0.1.0", dotnet: "10.0.1", python: "3.13.5", os: "Debian GNU/Linux 13" },
  machine: { cores: 2, memory_bytes: 8 * 1024 ** 3, cpu: "an x64 processor" },
  written: "2026-11-28T00:00:00Z",
};

/** Writes a viewer page with a post-mortem, and with the sample recording if `hasRecording`. Returns its address. @param {string} json */
export function writePage(t, json, { hasRecording = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-post-mortem-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  const recording = `<script type="application/octet-stream" id="recording" data-name="match.mcap">${readFileSync(SAMPLE).toString("base64")}</script>`;
  const inside = `<script type="application/json" id="post-mortem">${json.replaceAll("<", "\\u003c")}</script>${hasRecording ? recording : ""}`;
  const path = join(folder, "match.html");
  writeFileSync(path, readFileSync(VIEWER, "utf8").replace("<!-- recording -->", () => inside));
  return pathToFileURL(path).href;
}
