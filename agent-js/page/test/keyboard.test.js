/** The keyboard: each control can be reached and seen, and the page uses no key that scrolls or that a control needs. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { replay } from "../../test/bridge.js";
import { closeBrowser, newPage, openPage, skip, stateOf } from "./browser.js";
import { EXAMPLE, writePage } from "./post-mortem.js";

after(closeBrowser);

/** The focused element: its name, its size, whether it can be seen, and whether its focus is drawn. */
const focused = () => {
  const element = document.activeElement;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const drawn = element.matches(".map") ? /^inset\((.*)\)$/.exec(getComputedStyle(element.querySelector("canvas")).clipPath)?.[1] : style.outlineWidth;
  // The middle of the visible part, which nothing else may cover.
  const within = element.closest(".panel")?.getBoundingClientRect() ?? { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const x = (Math.max(box.left, within.left) + Math.min(box.right, within.right)) / 2;
  const y = (Math.max(box.top, within.top) + Math.min(box.bottom, within.bottom)) / 2;
  const top = document.elementFromPoint(x, y);
  return {
    name: element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent.slice(0, 30),
    tag: element.tagName,
    width: box.width,
    height: Math.max(box.height, element.closest("label")?.getBoundingClientRect().height ?? 0),
    isVisible: element.contains(top) || top?.closest("label") === element.closest("label"),
    hasFocusMark: parseFloat(drawn) >= 2,
  };
};

/** Presses Tab from the document's start until the focus leaves the page. */
async function tabThrough(page) {
  await page.evaluate(() => {
    document.activeElement.blur();
    const start = document.createElement("span");
    start.tabIndex = -1;
    document.body.prepend(start);
    start.focus();
    start.remove();
  });
  const steps = [];
  while (steps.length < 100) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement === document.body)) {
      break;
    }
    steps.push(await page.evaluate(focused));
  }
  return steps;
}

for (const width of [1280, 390]) {
  test(`at ${width} px, Tab reaches every control in order, and the focus can be seen`, { skip, timeout: 180_000 }, async (t) => {
    const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
    const { page, until } = await openPage(t, url, { width });
    await until(({ frame, playback }) => frame && playback);
    await page.getByText("layers").click();
    await page.getByRole("tab", { name: "events" }).click();
    const steps = await tabThrough(page);
    const places = ["Theme: auto", "Keys ?", "Map", "Zoom in", "Zoom out", "whole", "layers", "terrain", "legend", "unit", "JSON", "alert", "To the start", "Game loop", "Steps a second"]
      .map((name) => steps.findIndex((step) => step.name.trim() === name));
    assert.ok(places.every((place, index) => place > (places[index - 1] ?? -1)), JSON.stringify([places, steps.map(({ name }) => name)]));
    const count = await page.evaluate(() => [...document.querySelectorAll("button, select, summary, input, [tabindex]")].filter((element) => element.checkVisibility()).length);
    assert.equal(steps.length, count);
    assert.deepEqual(steps.filter(({ isVisible, hasFocusMark }) => !isVisible || !hasFocusMark), []);
    assert.deepEqual(steps.filter((step) => step.width < 13 || step.height < 24), []);
  });
}

test("keys that scroll act only on the map and the playback bar; letters can be switched off", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, until } = await openPage(t, url);
  await until(({ frame, playback }) => frame && playback);
  // The map has the focus at first, so the keys work at once.
  await page.keyboard.press(" ");
  await until(({ playback }) => playback.paused);
  await page.evaluate(() => {
    window.taken = [];
    window.addEventListener("keydown", (event) => window.taken.push([event.key, event.defaultPrevented]));
  });
  /** Presses keys on an element. Returns the keys that the page took. */
  const pressOn = async (selector, keys) => {
    await page.locator(selector).first().focus();
    await page.evaluate(() => (window.taken = []));
    for (const key of keys) {
      await page.keyboard.press(key);
    }
    return page.evaluate(() => window.taken.filter(([, isTaken]) => isTaken).map(([key]) => key));
  };
  const scrolling = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"];
  await page.getByRole("tab", { name: "JSON" }).click();
  for (const selector of [".panel", ".json summary", "header button", ".json button"]) {
    assert.deepEqual(await pressOn(selector, scrolling), [], selector);
  }
  assert.deepEqual(await pressOn(".panel", [" "]), []);
  // On the body, if nothing has the focus.
  await page.evaluate(() => (document.activeElement.blur(), (window.taken = [])));
  for (const key of [...scrolling, " "]) {
    await page.keyboard.press(key);
  }
  assert.deepEqual(await page.evaluate(() => window.taken.filter(([, isTaken]) => isTaken)), []);
  for (const selector of [".map", ".seek input"]) {
    assert.deepEqual(await pressOn(selector, scrolling), scrolling, selector);
  }
  // The panel scrolls.
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.locator(".panel").focus();
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.querySelector(".panel").scrollTop > 0);
  // A control keeps the keys that it uses.
  assert.deepEqual(await pressOn(".map-tools summary", [" "]), []);
  assert.deepEqual(await pressOn("footer select", ["ArrowDown", "p", "t"]), []);
  // On the slider, the keys control the playback.
  await pressOn(".seek input", ["End"]);
  await until(({ frame }) => frame.gameLoop === 1192);
  await pressOn(".seek input", ["ArrowDown"]);
  await until(({ frame }) => frame.gameLoop < 1192);
  // Letters.
  assert.deepEqual(await pressOn("header button", ["n"]), ["n"]);
  await page.keyboard.press("?");
  assert.deepEqual(await pressOn("dialog input", ["t", "1"]), []);
  await page.locator("dialog input").uncheck();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await pressOn("header button", ["n", "t", "?"]), []);
  assert.deepEqual(await pressOn(".map", ["n"]), ["n"]);
  await page.getByRole("tab", { name: "curves" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator("[role=tab][aria-selected=true]", { hasText: "events" }).waitFor();
});

test("in the viewer Tab reaches the post-mortem's buttons and texts", { skip, timeout: 180_000 }, async (t) => {
  const { page } = await newPage(t);
  await page.goto(writePage(t, JSON.stringify(EXAMPLE), { hasRecording: true }));
  await stateOf(page, ({ isSurveyed, playback }) => isSurveyed && playback);
  const steps = await tabThrough(page);
  const names = steps.map(({ name }) => name);
  for (const name of ["post-mortem", "0:28 loop 640", "0:21 loop 480", "Tracebacks: agent my_bot", "Last log lines: agent my_bot", "open a recording"]) {
    assert.ok(names.includes(name), `${name}: ${names}`);
  }
  assert.deepEqual(steps.filter(({ isVisible, hasFocusMark }) => !isVisible || !hasFocusMark), []);
});
