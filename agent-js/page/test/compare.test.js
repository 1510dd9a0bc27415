/** Two recordings side by side in the viewer. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inContext, ROOT, SAMPLE } from "../../test/bridge.js";
import { closeBrowser, newPage, skip, stateOf } from "./browser.js";
import { record } from "./pairs.js";
import { VIEWER } from "./post-mortem.js";
import { serve } from "./serve.js";

const recordingOf = (name) => join(ROOT, "recordings", `${name}.mcap`);

/** The paths of recordings: a match, one with another action, and one with smaller steps that ends earlier. */
const made = {};
let end = () => {};
before(async () => {
  if (skip) {
    return;
  }
  await new Promise((resolve, reject) => {
    inContext(async (t) => {
      made.one = await record(t, { name: "one" });
      made.other = await record(t, { name: "other", to: { x: 30, y: 30 } });
      made.short = await record(t, { name: "short", stepSize: 4, steps: 60, at: 40, to: { x: 30, y: 30 } });
      resolve();
      await new Promise((ended) => (end = ended));
    }).catch(reject);
  });
});
after(async () => {
  end();
  await closeBrowser();
});

async function open(t, address = pathToFileURL(VIEWER).href, options = {}) {
  const { page, errors } = await newPage(t, options);
  await page.goto(address);
  return {
    page, errors, until: (holds) => stateOf(page, holds),
    choose: (...paths) => page.setInputFiles("input[type=file]", paths),
    /** Drops files on the page. */
    drop: async (...paths) => {
      const files = paths.map((path) => ({ name: basename(path), base64: readFileSync(path).toString("base64") }));
      await page.evaluate((files) => {
        const data = new DataTransfer();
        files.forEach(({ name, base64 }) => data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name)));
        window.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true }));
      }, files);
    },
    /** Chooses the second recording with the button. */
    compare: async (path) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "compare with…" }).click()]);
      await chooser.setFiles(path);
    },
  };
}

/** Whether both maps show a game loop, or the newest one before it. */
const bothAt = (loop, one = loop, two = loop) => ({ frame, comparison }) =>
  comparison?.loop === loop && frame?.gameLoop === one && comparison.frame?.gameLoop === two;

test("two dropped recordings play together, and the keys move both", { skip, timeout: 300_000 }, async (t) => {
  const { page, errors, until, drop } = await open(t);
  await drop(made.one, made.other);
  const { comparison, camera } = await until(({ comparison }) => comparison?.found?.isDone && comparison.units > 0);
  assert.deepEqual(comparison.names, ["one.mcap", "other.mcap"]);
  assert.deepEqual(comparison.found.differences.filter(({ kind }) => kind !== "time").map(({ kind, loop }) => [kind, loop]), [["action", 168], ["state", 168]]);
  assert.deepEqual({ x: camera.x, y: camera.y, scale: camera.scale }, comparison.camera);
  await page.locator(".map").first().focus();
  await until(({ playback }) => playback.paused || playback.gameLoop > 16);
  await page.keyboard.press("Home");
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  await page.keyboard.press("Home");
  await until(bothAt(0));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await until(bothAt(16));
  await page.locator(".map").last().focus();
  await page.keyboard.press("ArrowLeft");
  await until(bothAt(8));
  await page.keyboard.press("PageDown");
  await until(bothAt(232));
  await page.keyboard.press("End");
  await until(bothAt(472));
  await page.getByRole("button", { name: "go to loop 168" }).first().click();
  await until(bothAt(168));
  await page.getByRole("button", { name: "go to loop 168" }).last().click();
  await until(({ selected }) => selected);
  await page.getByText("First difference in state at game loop 168").waitFor();
  assert.match(await page.getByRole("region", { name: "Comparison" }).innerText(), /First difference at game loop \d+: action of player 1: .*to 60, 60 \(unit \d+\) in one\.mcap, .*to 30, 30 \(unit \d+\) in other\.mcap/);
  // The wheel and the keys move both maps.
  await page.mouse.move(200, 400);
  await page.mouse.wheel(0, -300);
  await page.keyboard.press("+");
  const zoomed = await until(({ camera: now, comparison }) => now.scale > camera.scale * 1.3 && comparison.camera.scale === now.scale);
  assert.deepEqual([zoomed.camera.x, zoomed.camera.y], [zoomed.comparison.camera.x, zoomed.comparison.camera.y]);
  // Without pauses, as fast as it can, until the end.
  await page.getByLabel("Steps a second").selectOption("0");
  await page.locator(".map").first().focus();
  await page.keyboard.press(" ");
  await until((state) => state.playback.paused && bothAt(472)(state));
  await page.getByRole("button", { name: "stop comparing" }).click();
  await until(({ comparison, frame, playback }) => !comparison && frame?.gameLoop === 472 && playback.paused);
  assert.equal(await page.locator(".map").count(), 1);
  await page.locator(".map").focus();
  await page.keyboard.press("Home");
  await until(({ frame }) => frame.gameLoop === 0);
  assert.deepEqual(errors, []);
});

test("a recording has no difference to itself; a recording with other steps shows the loop at or before, and that it has ended", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors, until, drop, choose, compare } = await open(t);
  await choose(made.one);
  await until(({ frame, playback }) => frame && playback);
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  await compare(made.one);
  const { comparison } = await until(({ comparison }) => comparison?.found?.isDone);
  assert.deepEqual([comparison.found.differences, comparison.names], [[], ["one.mcap (1)", "one.mcap (2)"]]);
  await page.getByText("No difference in 60 game loops").waitFor();
  // A dropped recording replaces the second one.
  await drop(made.short);
  const found = await until(({ comparison, playback }) => comparison?.names[1] === "short.mcap" && comparison.found?.isDone && playback.paused);
  assert.deepEqual([found.comparison.notes, found.comparison.found.differences[0]?.kind], [["the step sizes differ: 8 and 4", "the last game loops differ: 472 and 236"], "action"]);
  await page.locator(".map").first().focus();
  await page.keyboard.press("Home");
  await until(bothAt(0));
  await page.keyboard.press("ArrowRight");
  await until(bothAt(4, 0, 4));
  await page.keyboard.press("ArrowRight");
  await until(bothAt(8, 8, 8));
  await page.getByLabel("Game loop").fill("239");
  await until(bothAt(239, 232, 236));
  await page.getByText("short.mcap: ended at game loop 236").waitFor();
  await page.keyboard.press("ArrowRight");
  await until(bothAt(240, 240, 236));
  assert.deepEqual(errors, []);
});

test("a second recording that cannot be read leaves the first one as it is; other maps and perspectives are reported, and play", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors, until, choose, compare } = await open(t);
  await choose(SAMPLE);
  await until(({ frame, playback }) => frame && playback);
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  const before = await until(({ isSurveyed }) => isSurveyed);
  for (const content of [readFileSync(recordingOf("other")), Buffer.from("MPQ")]) {
    await compare({ name: "foreign.mcap", mimeType: "", buffer: content });
    await page.getByRole("alert").getByText("foreign.mcap is not a recording").waitFor();
    const now = await until(({ comparison }) => comparison?.problem);
    assert.deepEqual([now.frame, now.curves, now.file], [before.frame, before.curves, before.file]);
    await page.locator(".map").focus();
    await page.keyboard.press("ArrowRight");
    await until(({ frame }) => frame.gameLoop === before.frame.gameLoop + 8);
    await page.keyboard.press("ArrowLeft");
    await until(({ frame }) => frame.gameLoop === before.frame.gameLoop);
  }
  await page.getByRole("button", { name: "close" }).click();
  await compare(made.one);
  const { comparison } = await until(({ comparison }) => comparison?.frame);
  assert.match(comparison.notes.join("; "), /no common perspective: observer and player 1/);
  assert.equal(comparison.found, undefined);
  await page.getByText("sample.mcap and one.mcap: the frames were not compared").waitFor();
  await choose(recordingOf("perspectives"));
  await until(({ file, comparison }) => file?.name === "perspectives.mcap" && !comparison);
  await compare(recordingOf("damaged"));
  const damaged = await until(({ comparison }) => comparison?.found?.isDone || comparison?.problem);
  assert.deepEqual([damaged.comparison.problem, damaged.comparison.found.isDamaged], [undefined, true]);
  await page.getByText("damaged parts were not compared").waitFor();
  assert.deepEqual(errors, []);
});

test("by ?file= and ?other= it compares recordings of its own server, with and without ranges", { skip, timeout: 180_000 }, async (t) => {
  for (const hasRanges of [true, false]) {
    const { address, counts } = await serve(t, { "one.mcap": made.one, "other.mcap": made.other }, { hasRanges });
    const { errors, until } = await open(t, `${address}?file=one.mcap&other=other.mcap`);
    const { comparison } = await until(({ comparison }) => comparison?.found?.isDone && comparison.frame);
    assert.ok(comparison.found.differences.some(({ kind, loop }) => kind === "action" && loop === 168));
    assert.ok(hasRanges || counts.requests === 2, `${counts.requests} requests`);
    const elsewhere = await open(t, `${address}?file=one.mcap&other=https://example.com/a.mcap`);
    await elsewhere.page.getByText("another server").waitFor();
    await elsewhere.until(({ frame }) => frame);
    assert.deepEqual([errors, elsewhere.errors], [[], []]);
  }
});
