import assert from "node:assert/strict";
import { after, test } from "node:test";
import { playMatch, startBridge } from "../../../test/bridge.js";
import { closeBrowser, openPage, skip } from "../browser.js";
import { heaps } from "../figures.js";

after(closeBrowser);

test("the page's heap stays what it is over ten minutes of late observations", { skip, timeout: 1_200_000 }, async (t) => {
  const recording = await playMatch(t);
  const { url } = await startBridge(t, ["replay", recording, "--from", "14500", "--loop", "--rate", "22.4", "--wait", "1"]);
  const { page, errors } = await openPage(t, url);
  // In two minutes it has seen all of the stretch, and holds its curves and events.
  const [first, ...others] = (await heaps(page, 12)).slice(2);
  t.diagnostic(`MiB: ${[first, ...others].map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(" ")}`);
  // A single figure can be a tenth higher, with what a collection left. A heap that grows is larger in each of the last minutes.
  assert.ok(Math.min(...others.slice(-4)) <= first * 1.1);
  assert.deepEqual(errors, []);
});
