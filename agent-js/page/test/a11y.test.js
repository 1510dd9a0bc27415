/** Accessibility: axe-core finds no violation in any state of the page, and each state has its own words and shape. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { replay, ROOT, SAMPLE, startBridge } from "../../test/bridge.js";
import { fakeBridge } from "../../test/fake.js";
import { audit } from "./audit.js";
import { closeBrowser, newPage, openPage, skip, stateOf } from "./browser.js";
import { record } from "./pairs.js";
import { EXAMPLE, VIEWER, writePage } from "./post-mortem.js";

after(closeBrowser);

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const LOST = /WebSocket connection to|ERR_CONNECTION_REFUSED|426 \(Upgrade Required\)/;

/** The title, the advice and the drawn shape of the page's state. */
async function bannerOf(page, title) {
  const banner = page.locator(".banner", { hasText: title });
  await banner.waitFor();
  return { title, text: await banner.innerText(), shape: await banner.locator("path").getAttribute("d"), chip: await page.locator(".link path").getAttribute("d") };
}

const banners = [];

test("a bridge without a match: the page reports it", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await fakeBridge(t, () => {}, undefined, ({ url }, answer) => {
    const path = `${ROOT}agent-js/page/dist${url === "/" ? "/index.html" : url}`;
    answer.writeHead(200, { "Content-Type": TYPES[extname(path)] }).end(readFileSync(path));
  });
  const { page, errors } = await openPage(t, `${url}/v1`);
  banners.push(await bannerOf(page, "No match yet"));
  await audit(t, page, "no match yet", { isSimulated: false });
  assert.deepEqual(errors, []);
});

test("a recording of a bridge: each panel, menus, the keys, paused, and the lost bridge", { skip, timeout: 300_000 }, async (t) => {
  const { url, kill } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, errors, until } = await openPage(t, url, { allowed: LOST });
  await until(({ frame }) => frame);
  await audit(t, page, "playing");
  await page.getByRole("button", { name: "Pause" }).click();
  await until(({ playback }) => playback?.paused);
  await audit(t, page, "paused");
  for (const name of ["unit", "events", "stream", "JSON"]) {
    await page.getByRole("tab", { name }).click();
    await page.locator(".map").focus();
    await page.keyboard.press(name === "unit" ? "n" : "Shift");
    await audit(t, page, `panel ${name}`);
  }
  const label = await page.locator(".map canvas[role=img]").getAttribute("aria-label");
  assert.match(label, /^Map .+ at \d+:\d\d: \d+ own units, \d+ enemy units, \d+ neutral units\. Selected: /);
  assert.equal(await page.locator(".map").getAttribute("aria-label"), "Map");
  assert.equal(await page.locator(".map canvas").count(), 1);
  await page.getByText("layers").click();
  await audit(t, page, "layers");
  await page.getByText("legend").click();
  await page.getByText("enemy unit").waitFor();
  await audit(t, page, "legend");
  await page.getByRole("button", { name: "Keys ?" }).click();
  await page.getByRole("dialog").waitFor();
  await audit(t, page, "keys");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await kill();
  banners.push(await bannerOf(page, "Bridge lost"));
  await audit(t, page, "bridge lost");
  assert.deepEqual(errors, []);
});

test("sides, events and curves have their own shapes", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, until, colours } = await openPage(t, url);
  await until(({ playback, frame }) => playback && frame);
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  await page.keyboard.press("Home");
  const { units } = await until(({ frame }) => frame.gameLoop === 0);
  const map = await page.locator(".map").boundingBox();
  const halls = ["own", "enemy"].map((side) => units.filter((unit) => unit.side === side).sort((a, b) => b.radius - a.radius)[0]);
  // The corners of a square belong to the shape of an own hall, and not to the diamond of an enemy's. Small units can cover a corner.
  const corners = (index) => {
    const { x, y, radius } = halls[index];
    return colours([[1, 1], [1, -1], [-1, 1], [-1, -1]].map(([right, down]) => ({ x: Math.round(map.x + x + right * radius * 0.7), y: Math.round(map.y + y + down * radius * 0.7) })));
  };
  const filled = [(await corners(0)).filter((colour) => colour === "76 155 232").length, (await corners(1)).filter((colour) => colour === "232 96 76").length];
  assert.ok(filled[0] >= 3 && filled[1] === 0, `${filled}`);
  assert.deepEqual(await page.locator(".players i").evaluateAll((swatches) => swatches.map(({ className }) => className)), ["own", "enemy"]);
  const supply = page.locator("figure", { hasText: "Supply" }).locator("figcaption path");
  assert.equal(new Set(await supply.evaluateAll((lines) => lines.map((line) => line.getAttribute("stroke-dasharray")))).size, 3);
  await page.getByRole("tab", { name: "events" }).click();
  const marks = await page.locator(".kinds path").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  assert.ok(marks.length >= 5 && new Set(marks).size === marks.length);
});

test("a live match that is held, and its end", { skip, timeout: 300_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--game", "simulated", "--observe", "1", "--no-recording", "--wait", "1", "--rate", "22.4", "--steps", "300"]);
  const { page, errors, until } = await openPage(t, url, { allowed: LOST });
  await until(({ frame }) => frame);
  await page.getByRole("button", { name: "hold" }).click();
  await page.getByRole("button", { name: /\d\.\d s behind live/ }).waitFor();
  await audit(t, page, "live and held");
  await until(({ ended }) => ended);
  banners.push(await bannerOf(page, "Match ended"));
  await audit(t, page, "ended");
  assert.deepEqual(errors, []);
});

test("a refused token", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["replay", SAMPLE, "--wait", "1"], { env: { SC2BRIDGE_TOKENS: "watch 0123456789abcdef0123" } });
  const { page, until } = await openPage(t, url, { hash: "#token=00000000000000000000", allowed: LOST });
  await until(({ link }) => link === "refused");
  banners.push(await bannerOf(page, "Token refused"));
  await audit(t, page, "token refused", { isSimulated: false });
});

test("the four states differ in words and shape, and each has advice", { skip }, () => {
  assert.equal(banners.length, 4);
  for (const key of ["text", "shape", "chip"]) {
    assert.equal(new Set(banners.map((banner) => banner[key])).size, 4, key);
  }
  const advice = { "No match yet": "start them", "Bridge lost": "start it again", "Token refused": "#token=", "Match ended": "sc2bridge replay" };
  for (const { title, text } of banners) {
    assert.ok(text.includes(advice[title]), text);
  }
});

test("the viewer: empty, with an error, playing, and with the whole match", { skip, timeout: 300_000 }, async (t) => {
  const { page, errors } = await newPage(t);
  await page.goto(pathToFileURL(VIEWER).href);
  await page.getByText("Drop a recording").waitFor();
  await audit(t, page, "viewer empty", { isSimulated: false });
  await page.setInputFiles("input[type=file]", { name: "other.mcap", mimeType: "", buffer: Buffer.from("MPQ") });
  await page.getByRole("alert").getByText("not a recording").waitFor();
  await audit(t, page, "viewer error", { isSimulated: false });
  await page.setInputFiles("input[type=file]", SAMPLE);
  await stateOf(page, ({ frame, playback }) => frame && playback && !playback.paused);
  await audit(t, page, "viewer playing");
  await stateOf(page, ({ isSurveyed }) => isSurveyed);
  await audit(t, page, "viewer whole match");
  await page.getByRole("tab", { name: "events" }).click();
  await audit(t, page, "viewer events");
  assert.deepEqual(errors, []);
});

test("the viewer with a post-mortem: with a recording, without one, and damaged", { skip, timeout: 300_000 }, async (t) => {
  const { page, errors } = await newPage(t);
  await page.goto(writePage(t, JSON.stringify(EXAMPLE), { hasRecording: true }));
  await stateOf(page, ({ isSurveyed }) => isSurveyed);
  await audit(t, page, "post-mortem");
  await page.goto(writePage(t, JSON.stringify({ ...EXAMPLE, recording: undefined, recording_missing: "--no-recording was given" })));
  await page.getByText("--no-recording was given").waitFor();
  await audit(t, page, "post-mortem without a recording");
  await page.goto(writePage(t, '{"version":1,"cause":7}'));
  await page.getByRole("alert").getByText("cause is 7").waitFor();
  await audit(t, page, "post-mortem damaged", { isSimulated: false });
  assert.deepEqual(errors, []);
});

test("the viewer with two recordings: compared, ended, equal, and a second one that cannot be read", { skip, timeout: 300_000 }, async (t) => {
  const [one, short] = [await record(t, { name: "one" }), await record(t, { name: "short", stepSize: 4, at: 40, to: { x: 30, y: 30 } })];
  const { page, errors } = await newPage(t);
  const compare = async (file) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "compare with…" }).click()]);
    await chooser.setFiles(file);
  };
  const isCompared = ({ comparison }) => comparison?.found?.isDone && comparison.frame;
  await page.goto(pathToFileURL(VIEWER).href);
  await page.setInputFiles("input[type=file]", [one, short]);
  await stateOf(page, isCompared);
  await audit(t, page, "comparison playing");
  await page.getByLabel("Game loop").fill("300");
  await page.getByText("short.mcap: ended at game loop 236").waitFor();
  await page.getByRole("button", { name: "To the end" }).click();
  await stateOf(page, ({ playback, comparison }) => playback.paused && comparison.loop === 472);
  assert.match(await page.locator(".map canvas[role=img]").last().getAttribute("aria-label"), /^Map .+ at 0:10: \d+ own units/);
  await audit(t, page, "comparison ended");
  await compare(one);
  await stateOf(page, isCompared);
  await page.getByText("No difference in 60 game loops").waitFor();
  await audit(t, page, "comparison equal");
  await compare({ name: "other.mcap", mimeType: "", buffer: Buffer.from("MPQ") });
  await page.getByRole("alert").getByText("not a recording").waitFor();
  await audit(t, page, "comparison failed");
  assert.deepEqual(errors, []);
});
