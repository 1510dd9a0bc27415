/** The viewer: one file that shows a recording without a bridge. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ROOT, SAMPLE } from "../../test/bridge.js";
import { closeBrowser, firefoxPage, newPage, skip, skipFirefox, stateOf } from "./browser.js";
import { VIEWER } from "./post-mortem.js";
import { serve } from "./serve.js";

after(closeBrowser);

const recordingOf = (name) => join(ROOT, "recordings", `${name}.mcap`);

test("the viewer has at most 1 MB", () => {
  const { size } = statSync(VIEWER);
  assert.ok(size <= 1_000_000, `${size} bytes`);
});

/** Opens the viewer, by default as a file. */
async function open(t, address = pathToFileURL(VIEWER).href, options = {}) {
  const { page, errors } = await newPage(t, options);
  const hosts = new Set();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(address);
  return { page, errors, hosts, until: (holds) => stateOf(page, holds), choose: (path) => page.setInputFiles("input[type=file]", path) };
}

test("from a file, it plays, steps and seeks a recording that is chosen", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors, hosts, until, choose } = await open(t);
  await page.getByText("Drop a recording").waitFor();
  await choose(SAMPLE);
  await until(({ frame, playback }) => frame?.gameLoop > 0 && playback);
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  await page.keyboard.press("Home");
  await until(({ frame }) => frame.step === 0);
  await page.keyboard.press("ArrowRight");
  await until(({ frame }) => frame.step === 1);
  await page.keyboard.press("End");
  await until(({ frame }) => frame.gameLoop === 1192);
  await page.keyboard.press("PageUp");
  await until(({ frame }) => frame.gameLoop === 1192 - 224);
  await page.getByRole("button", { name: "To the start" }).click();
  await until(({ frame }) => frame.gameLoop === 0);
  await page.getByLabel("Game loop").fill("640");
  await until(({ frame }) => frame.gameLoop === 640);
  await page.getByLabel("Steps a second").selectOption("0");
  await page.locator(".map").focus();
  await page.keyboard.press(" ");
  const { units } = await until(({ frame }) => frame.gameLoop === 1192);
  assert.ok(units.some(({ owner }) => owner === 1) && units.some(({ owner }) => owner === 2));
  for (const tab of ["unit", "curves", "events", "stream", "JSON"]) {
    await page.getByRole("tab", { name: tab }).click();
  }
  await page.getByText("observedNs").first().waitFor();
  assert.deepEqual([errors, [...hosts]], [[], [""]]);
});

/** In the page: reads the map when it has not changed for 60 repaints. Returns how many of its values differ from the last call's. */
async function readPicture() {
  const canvas = document.querySelector(".map canvas");
  const read = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  let picture = read();
  for (let repaint = 0; repaint < 60; repaint++) {
    await new Promise(requestAnimationFrame);
    const now = read();
    if (now.some((value, at) => value !== picture[at])) {
      [picture, repaint] = [now, 0];
    }
  }
  const last = window.picture;
  window.picture = picture;
  // At the edges of shapes, a browser's colours differ a little.
  return last && picture.filter((value, at) => Math.abs(value - last[at]) > 24).length;
}

test("a picture drawn in parts equals a picture drawn whole, at each ratio of pixels", { skip, timeout: 180_000 }, async (t) => {
  for (const deviceScaleFactor of [1, 1.5]) {
    const { page, until, choose } = await open(t, undefined, { width: 640, height: 480, deviceScaleFactor });
    await choose(SAMPLE);
    await page.getByLabel("Steps a second").selectOption("0");
    await until(({ frame }) => frame?.gameLoop === 1192);
    await page.evaluate(readPicture);
    await page.locator(".map").focus();
    await page.keyboard.press("0");
    const wrong = await page.evaluate(readPicture);
    assert.ok(wrong < 10, `${wrong} values differ`);
  }
});

test("an observer's curves cover the whole recording, for both players", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors, until, choose } = await open(t);
  await choose(SAMPLE);
  const { curves, events } = await until(({ isSurveyed }) => isSurveyed);
  assert.deepEqual(curves.map(({ perspective, points }) => [perspective, points >= 25]), [[1, true], [2, true]]);
  assert.deepEqual(events.map(({ kind, loop, text }) => [kind, loop, text]), [["tech", 192, "player 1: SupplyDepot"], ["match end", 1192, "step limit"]]);
  await page.keyboard.press("End");
  await until(({ frame }) => frame.gameLoop === 1192);
  await page.getByText(/workers 1\d \/ 1\d/).waitFor();
  assert.deepEqual(errors, []);
});

test("of damaged and cut recordings it shows what there is, and of others one line", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors, until, choose } = await open(t);
  for (const [name, line, last] of [["cut", "is cut off", 10], ["damaged", "is damaged", 29], ["no-summary", "", 29], ["perspectives", "", 29]]) {
    await choose(recordingOf(name));
    await until(({ file, link }) => file?.name === `${name}.mcap` && link === "connected");
    await page.getByLabel("Steps a second").selectOption("0");
    const { units, camera } = await until(({ frame }) => frame?.step === last);
    // These have no description of a map, so the map is as large as the units need.
    assert.ok(units.length > 0 && units.every(({ x, y }) => x >= 0 && y >= 0 && x <= camera.width && y <= camera.height), name);
    if (line) {
      await page.getByText(line).first().waitFor();
    }
  }
  await page.getByLabel("Perspective").selectOption("all");
  await until(({ perspectives }) => perspectives.length === 3);
  for (const [name, content] of [["other.mcap", readFileSync(recordingOf("other"))], ["<img src=x onerror=alert(1)>.mcap", Buffer.from("MPQ")]]) {
    await choose({ name, mimeType: "", buffer: content });
    await until(({ link }) => link === "refused");
    assert.equal((await page.getByRole("alert").textContent()).includes(`${name} is not a recording: `), true);
    assert.equal(await page.locator("img").count(), 0);
  }
  await choose(SAMPLE);
  await until(({ frame, file }) => frame && file?.name === "sample.mcap");
  assert.deepEqual(errors, []);
});

test("a recording inside it is shown at once, and its name is text", { skip, timeout: 180_000 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sc2bridge-viewer-"));
  t.after(async () => rmSync(folder, { recursive: true }));
  const inside = `<script type="application/octet-stream" id="recording" data-name="&lt;b&gt;.mcap">${readFileSync(SAMPLE).toString("base64")}</script>`;
  const path = join(folder, "match.html");
  writeFileSync(path, readFileSync(VIEWER, "utf8").replace("<!-- recording -->", inside));
  const { errors, until } = await open(t, pathToFileURL(path).href);
  const { file } = await until(({ frame }) => frame);
  assert.deepEqual([file.name, file.frames, errors], ["<b>.mcap", 150, []]);
});

test("by ?file= it reads from its own server, with and without ranges, and from no other", { skip, timeout: 180_000 }, async (t) => {
  for (const hasRanges of [true, false]) {
    const { address, counts } = await serve(t, { "sample.mcap": SAMPLE }, { hasRanges });
    const { errors, until } = await open(t, `${address}?file=sample.mcap`);
    await until(({ frame, isSurveyed }) => frame && isSurveyed);
    assert.ok(hasRanges || counts.requests === 1, `${counts.requests} requests`);
    const other = await open(t, `${address}?file=https://example.com/a.mcap`);
    await other.page.getByText("another server").waitFor();
    assert.deepEqual([errors, other.errors, other.hosts.size], [[], [], 1]);
  }
});

test("in Firefox it shows the sample and the readable parts of damaged recordings, reports other files in one line, and logs no error", { skip: skipFirefox, timeout: 180_000 }, async (t) => {
  const { page, errors } = await firefoxPage(t, pathToFileURL(VIEWER).href);
  const choose = async (path) => (await page.$("input[type=file]")).uploadFile(path);
  await choose(SAMPLE);
  const state = await stateOf(page, ({ frame, isSurveyed }) => frame?.gameLoop >= 160 && isSurveyed);
  assert.ok(state.units.length > 0);
  for (const [name, line, last] of [["cut", "is cut off", 10], ["damaged", "is damaged", 29]]) {
    await choose(recordingOf(name));
    await stateOf(page, ({ file, frame }) => file?.name === `${name}.mcap` && frame?.step === last);
    const { file } = await stateOf(page, ({ file }) => file.damage);
    assert.ok(file.damage.includes(line), file.damage);
  }
  await choose(recordingOf("other"));
  await stateOf(page, ({ link }) => link === "refused");
  assert.match(await page.$$eval("[role=alert]", (alerts) => alerts.map(({ textContent }) => textContent).join("\n")), /^No recording: other\.mcap is not a recording: .*$/);
  assert.deepEqual(errors, []);
});
