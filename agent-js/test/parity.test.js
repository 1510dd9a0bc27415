import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { toJson } from "@bufbuild/protobuf";
import { connect } from "sc2bridge";
import { Alert } from "sc2bridge/s2clientprotocol/sc2api";
import { SkippedSchema } from "sc2bridge/v1/bridge";
import { playMatch, replay, ROOT, startBridge } from "./bridge.js";
import { shortOf } from "./reading.js";

const PYTHON = join(ROOT, ".venv/bin/python");
const MODES = /** @type {const} */ ([
  ["proto", "observation", "none"],
  ["proto", "columns", "group-zstd"],
  ["json", "observation", "group-zstd"],
  ["json", "columns", "none"],
  ["proto", "observation", "zstd"],
]);
const CASES = process.env.SC2BRIDGE_TEST_CASES === "all" ? MODES : MODES.slice(0, 4);

for (const [encoding, content, compression] of CASES) {
  test(`the JavaScript and the Python package read the same from a match: ${encoding}, ${content}, ${compression}`, async (t) => {
    const { url } = await replay(t, 2);
    const [theirs, ours] = await Promise.all([
      python(t, `${url}?encoding=${encoding}`, content),
      read(url, { encoding }, { content, compression }),
    ]);
    assert.equal(ours.length, 150);
    assert.equal(theirs.length, 150);
    for (const [at, frame] of ours.entries()) {
      assert.deepEqual(frame, theirs[at], `frame ${at}`);
    }
  });
}

test("under latest, the frames and the summaries of skipped frames contain all events of the match, in both packages", async (t) => {
  const recording = await playMatch(t, "--observe", "1", "--steps", "700", "--step-size", "8");
  const { url } = await startBridge(t, ["replay", recording, "--wait", "3", "--codec-log", "off"]);
  const [theirs, ours, all] = await Promise.all([
    python(t, url, "observation", "latest"),
    read(url, {}, { policy: "latest", content: "columns", compression: "group-zstd" }),
    read(url, {}, { overflow: "pause" }),
  ]);
  const expected = events(all);
  assert.deepEqual(events(ours), expected);
  assert.deepEqual(events(theirs), expected);
  assert.deepEqual([all.length, expected.frames], [700, 700]);
  assert.ok(ours.length < 700 && theirs.length < 700);
  assert.ok(expected.deadUnits.length > 0 && expected.alerts.length > 10);
});

/** All events of frames, with the events of the frames skipped before them. @param {{ json: any, skipped: any }[]} frames */
function events(frames) {
  const all = frames.flatMap(({ json, skipped }) => [
    ...(skipped ? [{ ...skipped, frames: Number(skipped.frames) }] : []),
    {
      ...json,
      frames: 1,
      deadUnits: json.observation.rawData?.event?.deadUnits,
      alerts: json.observation.alerts?.map((/** @type {keyof typeof Alert} */ name) => Alert[name]),
    },
  ]);
  const each = (/** @type {string} */ kind) => rounded(all.flatMap((one) => one[kind] ?? []));
  return {
    frames: all.reduce((sum, one) => sum + one.frames, 0),
    deadUnits: each("deadUnits"),
    alerts: each("alerts"),
    actions: each("actions"),
    actionErrors: each("actionErrors"),
    chat: each("chat"),
  };
}

/** @param {string} url @param {import("sc2bridge").ConnectOptions} how @param {import("sc2bridge").SubscribeOptions} what */
async function read(url, how, what) {
  const bridge = await connect(url, how);
  const read = [];
  for await (const frame of bridge.subscribe({ ...what, agent: "js" })) {
    const { units } = frame;
    read.push({
      ...shortOf(frame),
      units: columns(units),
      present: presence(units),
      orders: lists(units.orders),
      passengers: lists(units.passengers),
      buffs: lists(units.buffs),
      rallyTargets: lists(units.rallyTargets),
      json: rounded(frame.json),
      skipped: frame.skipped ? toJson(SkippedSchema, frame.skipped) : null,
    });
  }
  bridge.close();
  return read;
}

/** @param {{ fields: Readonly<Record<string, unknown>>, column(name: string): import("sc2bridge").Vector }} table */
function columns(table) {
  return named(table, (name) => {
    const { buffer, byteOffset, byteLength } = table.column(name);
    return createHash("sha256").update(new Uint8Array(buffer, byteOffset, byteLength)).digest("hex");
  });
}

/** @param {import("sc2bridge").Lists} table */
function lists(table) {
  return { offsets: [...table.offsets], ...columns(table), present: presence(table) };
}

/** @param {{ fields: Readonly<Record<string, unknown>>, present(name: string): Uint8Array }} table */
function presence(table) {
  return named(table, (name) => [...table.present(name)]);
}

/** An object with a value for each field, by the names in Python. @param {{ fields: object }} table @param {(name: string) => unknown} make */
function named({ fields }, make) {
  return Object.fromEntries(Object.keys(fields).map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), make(name)]));
}

/** Rounds fractions to float32, because one library writes the shortest text of a number and the other all digits. @param {unknown} json */
function rounded(json) {
  return JSON.parse(JSON.stringify(json), (_, value) => (typeof value === "number" && !Number.isInteger(value) ? Math.fround(value) : value));
}

/** @param {import("node:test").TestContext} t @param {string} url @param {string} content @param {string} policy */
async function python(t, url, content, policy = "every") {
  const program = spawn(PYTHON, [join(ROOT, "agent-js/test/read.py"), url, content, policy], { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => program.kill());
  const lines = [];
  for await (const line of createInterface(program.stdout)) {
    const read = JSON.parse(line);
    lines.push({ ...read, json: rounded(read.json) });
  }
  return lines;
}
