import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { playMatch, SAMPLE, startBridge } from "./bridge.js";

const FOLDER = new URL("../examples/", import.meta.url);
/** @param {string} name @param {string} argument */
const run = async (name, argument) => (await promisify(execFile)(process.execPath, [fileURLToPath(new URL(name, FOLDER)), argument], { timeout: 120_000 })).stdout;
const PLAYERS = ["--game", "simulated", "--wait", "1", "--rate", "max", "--no-recording", "--codec-log", "off"];

test("examples/watch.js prints the units of both players", async (t) => {
  const { url } = await startBridge(t, ["replay", SAMPLE, "--wait", "1"]);
  assert.match(await run("watch.js", url), /^watching on .+\n\d+ s: 13 units of player 1, \d+ of player 2\n(\d+ s: .*\n)*ended: step limit\n$/);
});

test("examples/bot.js makes workers, attacks and wins", async (t) => {
  const { url } = await startBridge(t, ["match", "--player", "agent:terran", "--player", "computer:zerg:VeryEasy", ...PLAYERS]);
  assert.match(await run("bot.js", url), /^Victory, \d+ failed actions\n$/);
});

test("examples/events.js prints events with the names of units", async (t) => {
  const path = await playMatch(t, "--observe", "1", "--steps", "400", "--step-size", "8");
  const { url } = await startBridge(t, ["replay", path, "--wait", "1", "--codec-log", "off"]);
  assert.match(await run("events.js", url), /^(loop \d+: .+\n)*loop \d+: new SCV\n(loop \d+: .+\n)*loop \d+: \w+ finished\n(loop \d+: .+\n)*ended: step limit\n$/);
});

test("examples/recording.js prints what a recording has", async () => {
  assert.match(await run("recording.js", SAMPLE), /^.+: 150 frames\nminute 0: no losses\nended: step limit\n$/);
});

test("each example is tested", () => {
  assert.deepEqual(readdirSync(FOLDER).sort(), ["bot.js", "events.js", "plain.js", "recording.js", "watch.js"]); // plain.test.js tests plain.js.
});
