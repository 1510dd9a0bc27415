import assert from "node:assert/strict";
import { after, test } from "node:test";
import { connect } from "../../dist/index.js";
import { replay, SAMPLE, startBridge } from "../../test/bridge.js";
import { closeBrowser, openPage, skip } from "./browser.js";

after(closeBrowser);

test("the buttons and the keys of a playback pause, step, seek and set the rate", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, errors, until } = await openPage(t, url);
  await until(({ frame, playback }) => frame && playback);
  await page.getByRole("button", { name: "Pause" }).click();
  const held = await until(({ playback, frame }) => playback.paused && frame.gameLoop === playback.gameLoop);
  await page.getByRole("button", { name: "A step on" }).click();
  await until(({ frame }) => frame.step === (held.frame.step + 1) % 150);
  await page.keyboard.press("ArrowLeft");
  await until(({ frame }) => frame.step === held.frame.step);
  await page.keyboard.press("End");
  await until(({ frame }) => frame.gameLoop === 1192);
  await page.keyboard.press("PageUp");
  await until(({ frame }) => frame.gameLoop === 1192 - 224);
  await page.keyboard.press("PageDown");
  await until(({ frame }) => frame.gameLoop === 1192);
  await page.getByRole("button", { name: "To the start" }).click();
  await until(({ frame }) => frame.gameLoop === 0);
  await page.getByLabel("Game loop").fill("640");
  await until(({ frame }) => frame.gameLoop === 640);
  page.once("dialog", (dialog) => dialog.accept("320"));
  await page.locator(".map").focus();
  await page.keyboard.press("g");
  await until(({ frame }) => frame.gameLoop === 320);
  await page.getByLabel("Steps a second").selectOption("5.6");
  await until(({ playback }) => playback.rate === 5.6);
  await page.locator(".map").focus();
  await page.keyboard.press("ArrowUp");
  await until(({ playback }) => playback.rate === 11.2);
  await page.keyboard.press("ArrowDown");
  await until(({ playback }) => playback.rate === 5.6);
  await page.keyboard.press(" ");
  await until(({ playback, frame }) => !playback.paused && frame.gameLoop > 320);
  assert.deepEqual(errors, []);
});

test("each page shows the current frame of a paused recording, also a page that is opened later", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 0, "--paused");
  const first = await openPage(t, url);
  await first.until(({ frame }) => frame?.step === 0);
  const bridge = await connect(url);
  t.after(async () => bridge.close());
  await bridge.seek({ step: 40 });
  await first.until(({ frame }) => frame.step === 40);
  const second = await openPage(t, url);
  await second.until(({ frame }) => frame?.step === 40);
  await second.page.keyboard.press("ArrowRight");
  await second.until(({ frame }) => frame.step === 41);
  await first.until(({ frame }) => frame.step === 41);
  assert.deepEqual([...first.errors, ...second.errors], []);
});

test("the page shows a problem of the bridge: an agent that slows the match", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--rate", "22.4", "--no-recording", "--wait", "2", "--lockstep-deadline", "120"]);
  const bridge = await connect(url);
  t.after(async () => bridge.close());
  const slow = bridge.subscribe({ agent: "sloth", policy: "lockstep" });
  const { page, errors } = await openPage(t, url);
  await slow.next(); // From now on the match waits for this agent.
  await page.getByText("agent 'sloth' slows the match").waitFor();
  assert.deepEqual(errors, []);
});

test("the user can pan and zoom the map, select and follow a unit, and pause a live match", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--observe", "1", "--rate", "22.4", "--no-recording", "--wait", "1"]);
  const { page, errors, until, state } = await openPage(t, url);
  const first = await until(({ units }) => units.length > 0);
  const box = await page.locator(".map").boundingBox();
  const worker = first.units.find(({ owner, radius, x, y }) => owner === 1 && radius < 4 && x > 200 && y > 60) ?? first.units.find(({ owner }) => owner === 1);
  await page.mouse.move(box.x + worker.x, box.y + worker.y);
  await page.mouse.wheel(0, -600);
  const near = await until(({ camera }) => camera.scale > first.camera.scale * 2);
  await page.mouse.down();
  await page.mouse.move(box.x + worker.x + 60, box.y + worker.y, { steps: 4 });
  await page.mouse.up();
  const panned = await until(({ camera }) => Math.abs((near.camera.x - camera.x) * camera.scale - 60) < 1);
  assert.equal(panned.selected, undefined);
  await page.keyboard.press("n");
  const { selected } = await until(({ selected }) => selected);
  await page.getByRole("row", { name: `tag ${selected}` }).waitFor();
  assert.match(await page.locator(".unit").innerText(), /alliance\s+Self/);
  await page.getByRole("button", { name: "follow" }).click();
  await until(({ camera, units }) => units.some(({ tag, pos }) => tag === selected && pos[0] === camera.x && pos[1] === camera.y));
  await page.keyboard.press("f");
  await until(({ isFollowed }) => !isFollowed);
  await page.keyboard.press("Escape");
  await until(({ selected }) => selected === undefined);
  // Zoom with two fingers.
  const before = await state();
  const touch = await page.context().newCDPSession(page);
  const fingers = (type, ...places) => touch.send("Input.dispatchTouchEvent", { type, touchPoints: places.map((x, id) => ({ x: box.x + x, y: box.y + 300, id })) });
  await fingers("touchStart", 350);
  await fingers("touchStart", 350, 450);
  await fingers("touchMove", 300, 500);
  await fingers("touchEnd");
  await until(({ camera }) => Math.abs(camera.scale / before.camera.scale - 2) < 0.05);
  // Select a building by a click. Then pause the view.
  await page.keyboard.press("0");
  const whole = await until(({ camera }) => camera.scale === first.camera.scale);
  const hall = whole.units.filter(({ owner }) => owner === 1).sort((a, b) => b.radius - a.radius)[0];
  await page.mouse.click(box.x + hall.x, box.y + hall.y);
  await until(({ selected }) => selected === hall.tag);
  await page.keyboard.press(" ");
  const held = await until(({ isHeld }) => isHeld);
  await until(({ frames }) => frames > held.frames + 10);
  assert.equal((await state()).frame.gameLoop, held.frame.gameLoop);
  await page.getByRole("button", { name: /behind live/ }).click();
  await until(({ frame }) => frame.gameLoop > held.frame.gameLoop);
  assert.deepEqual(errors, []);
});

/** Waits until the page has the dark theme. */
const untilDark = (page) => page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(20, 24, 28)");

test("the page shows each tab, and stores the tab, the layers and the theme", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, errors, until } = await openPage(t, url, { width: 390, height: 844 });
  await until(({ frame }) => frame);
  for (const [key, text] of [["2", "In the bank"], ["3", "action error"], ["4", "frames a second"], ["5", "observedNs"], ["1", "Click a unit"]]) {
    await page.keyboard.press(key);
    await page.getByText(text).first().waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  }
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.getByRole("button", { name: /^Theme/ }).click();
  await untilDark(page);
  await page.getByText("layers").click();
  await page.getByLabel("creep").uncheck();
  await page.keyboard.press("4");
  await page.reload();
  await until(({ frame }) => frame);
  await untilDark(page);
  await page.getByText("frames a second").waitFor();
  await page.getByText("layers").click();
  assert.equal(await page.getByLabel("creep").isChecked(), false);
  assert.deepEqual(errors, []);
});

test("the page reconnects when a lost bridge is back", { skip, timeout: 180_000 }, async (t) => {
  const first = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, errors, until } = await openPage(t, first.url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED|426 \(Upgrade Required\)/ });
  await until(({ frame }) => frame);
  await first.kill();
  await until(({ link }) => link === "lost");
  await page.getByText("no bridge answers").waitFor();
  await startBridge(t, ["replay", SAMPLE, "--wait", "1", "--loop", "--rate", "22.4"], { port: Number(new URL(first.url).port) });
  const { matchId } = await until(({ link, frame }) => link === "connected" && frame);
  await until(({ frame }) => frame?.step > 3);
  assert.ok(matchId);
  assert.deepEqual(errors, []);
});

test("with a token the page shows its side, and without a token the page explains where to put it", { skip, timeout: 180_000 }, async (t) => {
  const token = "0123456789abcdef0123";
  const { url } = await startBridge(
    t,
    ["match", "--player", "agent:terran", "--player", "agent:zerg", "--rate", "22.4", "--no-recording", "--wait", "1"],
    { env: { SC2BRIDGE_TOKENS: `watch ${token} side=2` } },
  );
  const refused = await openPage(t, url, { allowed: /WebSocket connection to/ });
  await refused.until(({ link }) => link === "refused");
  await refused.page.getByText("#token=").waitFor();
  const { until, errors } = await openPage(t, url, { hash: `#token=${token}` });
  const state = await until(({ frame }) => frame);
  assert.equal(state.frame.perspective, 2);
  assert.deepEqual([...refused.errors, ...errors], []);
});
