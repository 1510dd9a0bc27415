import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { connect } from "../../dist/index.js";
import { playMatch, replay, ROOT, startBridge } from "../../test/bridge.js";
import { closeBrowser, openPage, skip } from "./browser.js";

after(closeBrowser);

/** The number of game loops between two comparisons, and the least number of units of each player whose colour is compared. */
const [APART, LEAST] = process.env.SC2BRIDGE_TEST_CASES === "all" ? [128, 5] : [384, 4];

const PLAYERS = { 1: "76 155 232", 2: "232 96 76" };

/** The units that the map must show for an observation. */
function expected(units) {
  return [...units].map(({ tag, unitType, owner, pos }) => ({ tag: String(tag), unitType, owner, pos: [...pos] })).sort(byTag);
}

function shown(state) {
  return state.units.map(({ tag, unitType, owner, pos }) => ({ tag, unitType, owner, pos })).sort(byTag);
}

/** Rounds fractions to float32, because a 32-bit float can have two shortest texts. */
const floats = (json) => JSON.parse(JSON.stringify(json), (_, value) => (typeof value === "number" && !Number.isInteger(value) ? Math.fround(value) : value));

const byTag = (a, b) => (BigInt(a.tag) < BigInt(b.tag) ? -1 : 1);

function assertPlaces({ units, camera }) {
  for (const { pos, x, y } of units) {
    // Units are drawn at whole pixels.
    assert.ok(Math.abs(x - ((pos[0] - camera.x) * camera.scale + camera.width / 2)) < 0.51);
    assert.ok(Math.abs(y - ((camera.y - pos[1]) * camera.scale + camera.height / 2)) < 0.51);
  }
}

/** The units of players that no other unit on the map touches. */
function alone({ units, camera }) {
  return units.filter(
    (one) =>
      one.owner in PLAYERS && one.radius >= 2.5 && one.x > 10 && one.y > 60 && one.x < camera.width - 10 && one.y < camera.height - 10 &&
      units.every((other) => other === one || Math.hypot(one.x - other.x, one.y - other.y) > one.radius + other.radius + 3),
  );
}

test("the map of a recording shows the units of the observation, each at its position in the colour of its owner", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 2, "--paused");
  const bridge = await connect(url);
  t.after(() => bridge.close());
  const frames = bridge.subscribe({ encoding: "proto" });
  const { page, errors, hosts, until, colours } = await openPage(t, url);
  await frames.next();
  const json = (await connect(url, { encoding: "json" })).subscribe({ exclude: ["abilities", "feature_layers", "render", "ui"] });
  t.after(() => json.close());
  const map = await page.locator(".map").boundingBox();
  const lone = { 1: 0, 2: 0 };
  for (let loop = 1184; loop >= 32; loop -= APART) {
    await bridge.seek({ loop });
    const { value: frame } = await frames.next();
    await page.mouse.move(map.x + 5, map.y + map.height - 5);
    const state = await until((state) => state.frame?.gameLoop === frame.gameLoop);
    assert.deepEqual(shown(state), expected(frame.units));
    assertPlaces(state);
    // Zoom in on the base of one side, so that units are large enough to compare colours.
    const side = loop % 256 === 160 ? 1 : 2;
    await page.locator(".map").focus();
    await page.keyboard.press("0");
    const whole = await until(({ camera }) => camera.scale === state.camera.scale);
    const hall = whole.units.filter(({ owner }) => owner === side).sort((a, b) => b.radius - a.radius)[0];
    await page.mouse.click(map.x + hall.x, map.y + hall.y);
    await page.keyboard.press("f");
    await page.mouse.move(map.x + map.width / 2, map.y + map.height / 2);
    await page.mouse.wheel(0, -900);
    const near = await until(({ camera }) => camera.scale > whole.camera.scale * 3 && camera.x === hall.pos[0] && camera.y === hall.pos[1]);
    assertPlaces(near);
    const units = alone(near);
    const seen = await colours(units.map(({ x, y }) => ({ x: Math.round(map.x + x), y: Math.round(map.y + y) })));
    assert.deepEqual(seen, units.map(({ owner }) => PLAYERS[owner]));
    units.forEach(({ owner }) => lone[owner]++);
    await page.keyboard.press("0");
    const { value: text } = await json.next();
    assert.deepEqual(floats((await page.evaluate(() => window.sc2bridge.json())).observation), floats(text.json));
  }
  assert.ok(lone[1] >= LEAST && lone[2] >= LEAST, `the colours of too few units were compared: ${JSON.stringify(lone)}`);
  assert.deepEqual([...hosts], [new URL(url).host]);
  assert.deepEqual(errors, []);
});

test("the map of a live match shows the units of the same frame that another subscriber receives", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--observe", "1", "--rate", "22.4", "--step-size", "8", "--no-recording", "--wait", "2"]);
  const bridge = await connect(url);
  t.after(() => bridge.close());
  const { errors, until } = await openPage(t, url);
  const seen = new Map();
  const states = [];
  let last = -1;
  for await (const frame of bridge.subscribe({ overflow: "end" })) {
    seen.set(frame.gameLoop, frame);
    if (frame.step % 8 === 0) {
      const state = await until(({ frame }) => frame && frame.gameLoop > last);
      last = state.frame.gameLoop;
      states.push(state);
    }
    if (states.length === 10 && frame.gameLoop >= last) {
      break;
    }
  }
  for (const state of states) {
    assert.deepEqual(shown(state), expected(seen.get(state.frame.gameLoop).units));
    assertPlaces(state);
  }
  assert.ok(states.at(-1).curves[0].points > 10);
  assert.deepEqual(errors, []);
});

test("the map shows an agent's drawings, and removes them when the agent draws nothing", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--player", "agent:terran", "--player", "computer:zerg:Easy", "--rate", "22.4", "--seed", "1", "--no-recording", "--wait", "1"]);
  const bridge = await connect(url);
  t.after(() => bridge.close());
  const { page, errors, until, colours } = await openPage(t, url);
  const { camera } = await until(({ units }) => units.length > 0);
  const draw = (value) => bridge.request({ request: { case: "debug", value: { debug: [{ command: { case: "draw", value } }] } } }, { perspective: 1 });
  const [r, g, b] = [255, 0, 255];
  const [x, y] = [camera.x, camera.y];
  await draw({
    lines: [{ line: { p0: { x: x - 20, y }, p1: { x: x + 20, y } }, color: { r, g, b } }],
    boxes: [{ min: { x: x - 20, y: y - 20 }, max: { x: x + 20, y: y + 20 }, color: { r, g, b } }],
    spheres: [{ p: { x, y }, r: 10, color: { r, g, b } }],
    text: [{ text: "here", worldPos: { x, y: y + 25 }, size: 16, color: { r, g, b } }, { text: "there", virtualPos: { x: 0.5, y: 0.9 } }],
  });
  await until(({ drawings }) => drawings === 1);
  const map = await page.locator(".map").boundingBox();
  // Compares the pixels around one point of the line, of the box's left and lower sides, and of the circle's right side.
  for (const [dx, dy] of [[-15, 0], [-20, -10], [10, -20], [10, 0]]) {
    const places = [-1, 0, 1].flatMap((by) => [[by, 0], [0, by]]).map(([px, py]) => ({
      x: Math.round(map.x + map.width / 2 + dx * camera.scale + px),
      y: Math.round(map.y + map.height / 2 - dy * camera.scale + py),
    }));
    // A unit can cover these pixels for a moment.
    for (let tries = 0; !(await colours(places)).includes("255 0 255"); tries++) {
      assert.ok(tries < 50, `at ${dx}, ${dy}`);
    }
  }
  await draw({});
  await until(({ drawings }) => drawings === 0);
  assert.deepEqual(errors, []);
});

const real = join(process.env.SC2BRIDGE_SHARED ?? join(ROOT, "../shared"), "data/real/feature_layers.observation.pb");
const unreal = skip || (existsSync(real) ? false : "real messages are missing: set SC2BRIDGE_SHARED to the folder that contains data/real");

test("the map shows an observation of the real game with feature layers (737 KB)", { skip: unreal, timeout: 180_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-js-"));
  t.after(() => rmSync(folder, { recursive: true }));
  copyFileSync(real, join(folder, "observation.pb"));
  const recording = await playMatch(t, "--observations", folder, "--steps", "1");
  const { url } = await startBridge(t, ["replay", recording, "--paused"]);
  const bridge = await connect(url);
  t.after(() => bridge.close());
  const { value: frame } = await bridge.subscribe({ policy: "latest" }).next();
  assert.ok(frame.size > 737_000);
  const { page, errors, until } = await openPage(t, url);
  const state = await until(({ units }) => units.length > 0);
  assert.equal(state.frame.gameLoop, 849);
  assert.deepEqual(shown(state), expected(frame.units));
  await page.keyboard.press("4");
  await page.getByLabel("encoding").selectOption("json");
  assert.deepEqual(shown(await until(({ frames, units }) => frames > state.frames && units.length > 0)), expected(frame.units));
  assert.deepEqual(errors, []);
});
