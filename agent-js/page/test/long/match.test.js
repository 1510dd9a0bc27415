import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startBridge } from "../../../test/bridge.js";
import { closeBrowser, openPage, skip } from "../browser.js";

after(closeBrowser);

test("the page shows a whole match at full speed to its end", { skip, timeout: 1_200_000 }, async (t) => {
  const { url } = await startBridge(t, ["match", "--game", "simulated", "--observe", "1", "--no-recording", "--wait", "1"]);
  const { page, errors, state } = await openPage(t, url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED/ });
  await page.getByText("The match has ended: step limit").waitFor({ timeout: 900_000 });
  const { frame, frames, units, curves } = await state();
  assert.equal(frame.step, 16_859);
  assert.ok(units.length > 200 && curves[0].points > 100);
  t.diagnostic(`${frames} frames were shown`);
  assert.deepEqual(errors, []);
});
