/** The page in Firefox. Playwright cannot drive a stock Firefox, so Puppeteer does, over WebDriver BiDi. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { launch } from "puppeteer-core";
import { replay } from "../../test/bridge.js";

const FIREFOX = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => path && existsSync(path));
const skip = FIREFOX ? false : "Firefox is missing: apt install firefox-esr";

test("in Firefox the page shows a recording, and its console has no error", { skip, timeout: 180_000 }, async (t) => {
  // A bridge whose playback has ended would close, and the page would report that it cannot connect.
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const browser = await launch({ browser: "firefox", executablePath: FIREFOX, timeout: 90_000 });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && errors.push(message.text()));
  await page.goto(url.replace("ws:", "http:").replace(/v1$/, ""));
  // Puppeteer's waitForFunction makes code of text, which the page's policy refuses.
  let state;
  do {
    state = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(window.sc2bridge?.state()))));
  } while (!(state?.frame?.gameLoop >= 160));
  assert.ok(state.units.length > 0);
  assert.ok(await page.$eval(".map", (map) => map.clientWidth > 0 && map.clientHeight > 0));
  assert.deepEqual(errors, []);
});
