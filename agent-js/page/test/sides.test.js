import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startBridge } from "../../test/bridge.js";
import { closeBrowser, openPage, skip } from "./browser.js";

after(closeBrowser);

test("the page shows both sides together, with each unit as its owner sees it, or one side alone", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, [
    "match", "--player", "agent:terran", "--player", "agent:zerg", "--open-perspectives", "--rate", "22.4", "--no-recording", "--wait", "1",
  ]);
  const { page, errors, until } = await openPage(t, url);
  const one = await until(({ units }) => units.length > 0);
  assert.deepEqual([one.perspectives, one.units.some(({ owner }) => owner === 2)], [[1], false]);
  await page.getByLabel("Perspective").selectOption("all");
  const both = await until(({ perspectives }) => perspectives.length === 2);
  for (const owner of [1, 2]) {
    assert.ok(both.units.filter((unit) => unit.owner === owner).length >= 13);
  }
  assert.equal(new Set(both.units.map(({ tag }) => tag)).size, both.units.length);
  await until(({ curves }) => curves.length === 2 && curves.every(({ points }) => points > 3));
  await page.locator(".map").focus();
  await page.keyboard.press("p");
  await until(({ perspectives }) => perspectives.length === 1 && perspectives[0] === 1);
  await page.keyboard.press("p");
  const second = await until(({ perspectives }) => perspectives[0] === 2);
  assert.equal(second.units.some(({ owner }) => owner === 1), false);
  // Plain JSON shows the same.
  await page.keyboard.press("4");
  await page.getByLabel("encoding").selectOption("json");
  const read = await until(({ units, perspectives, frames }) => perspectives[0] === 2 && frames > second.frames && units.length > 0);
  assert.ok(read.units.filter(({ owner }) => owner === 2).length >= 13);
  assert.deepEqual(errors, []);
});

test("the page shows a match at full speed to its end", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--observe", "1", "--no-recording", "--wait", "1", "--steps", "3000"]);
  const { page, errors, until } = await openPage(t, url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED/ });
  const state = await until(({ ended }) => ended);
  assert.equal(state.ended, "step limit");
  assert.ok(state.units.length > 50);
  await page.getByText("Match ended: step limit").waitFor();
  assert.ok(state.events.some(({ kind }) => kind === "alert") && state.events.some(({ kind }) => kind === "match end"));
  assert.deepEqual(errors, []);
});
