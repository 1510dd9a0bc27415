/** Tests the page in Firefox. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../test/bridge.js";
import { firefoxPage, skipFirefox as skip, stateOf } from "./browser.js";

test("in Firefox the page shows a recording, and the console has no error", { skip, timeout: 180_000 }, async (t) => {
  // With --loop the playback does not end. Otherwise the bridge would exit, and the page would report that it cannot connect.
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, errors } = await firefoxPage(t, url.replace("ws:", "http:").replace(/v1$/, ""));
  // Puppeteer's waitForFunction evaluates text as code, which the page's Content-Security-Policy forbids.
  const state = await stateOf(page, ({ frame }) => frame?.gameLoop >= 160);
  assert.ok(state.units.length > 0);
  assert.ok(await page.$eval(".map", (map) => map.clientWidth > 0 && map.clientHeight > 0));
  assert.deepEqual(errors, []);
});
