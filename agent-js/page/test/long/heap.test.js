import assert from "node:assert/strict";
import { after, test } from "node:test";
import { playMatch, startBridge } from "../../../test/bridge.js";
import { closeBrowser, openPage, skip } from "../browser.js";
import { heaps } from "../figures.js";

after(closeBrowser);

test("the page's heap does not grow during ten minutes of observations from late in a match", { skip, timeout: 1_200_000 }, async (t) => {
  const recording = await playMatch(t);
  const { url } = await startBridge(t, ["replay", recording, "--from", "14500", "--loop", "--rate", "22.4", "--wait", "1"]);
  const { page, errors } = await openPage(t, url);
  // After two minutes the page has received each frame once, and its curves and events are complete.
  const [first, ...others] = (await heaps(page, 12)).slice(2);
  t.diagnostic(`MiB: ${[first, ...others].map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(" ")}`);
  // A single value can be higher because of uncollected memory. If the heap grows, each of the last four values is higher.
  assert.ok(Math.min(...others.slice(-4)) <= first * 1.1);
  assert.deepEqual(errors, []);
});
