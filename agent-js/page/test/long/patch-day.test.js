import assert from "node:assert/strict";
import { after, test } from "node:test";
import { playVersions, readAll } from "../../../test/patch_day.js";
import { closeBrowser, openPage, skip } from "../browser.js";

const MATCHES = 1000;

after(closeBrowser);

test("the page and agents with each encoding and content read 1,000 versions of the game without an error", { skip, timeout: 1_400_000 }, async (t) => {
  const { url } = await playVersions(t, MATCHES, 1);
  const { page, errors, until } = await openPage(t, url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED/ });
  const read = readAll(url, MATCHES);
  const { frame, units } = await until(({ units }) => units.some(({ unitType }) => unitType >= 6000));
  const shown = units.map(({ unitType }) => unitType).filter((type) => type >= 6000);
  const [frames, ...others] = await read;
  for (const other of others) {
    assert.deepEqual(other, frames);
  }
  const same = frames.filter(({ gameLoop, count, unknown }) => gameLoop === frame.gameLoop && count === units.length && `${unknown}` === `${shown}`);
  assert.ok(same.length > 0, `no agent read the units ${shown} at game loop ${frame.gameLoop}`);
  await page.getByText("The match has ended: step limit").waitFor();
  assert.deepEqual(errors, []);
});
