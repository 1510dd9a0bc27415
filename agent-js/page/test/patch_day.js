/** The page in matches on new versions of the game. */

import { playVersions, readAll } from "../../test/patch_day.js";
import { openPage } from "./browser.js";

/** @param {import("node:test").TestContext} t @param {number} matches @param {typeof import("node:assert/strict")} assert */
export async function watchVersions(t, matches, assert) {
  const { url } = await playVersions(t, matches, 1);
  const { page, errors, until } = await openPage(t, url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED/ });
  const read = readAll(url, matches);
  const { frame, units } = await until(({ units }) => units.some(({ unitType }) => unitType >= 6000));
  const shown = units.map(({ unitType }) => unitType).filter((type) => type >= 6000);
  const [frames, ...others] = await read;
  for (const other of others) {
    assert.deepEqual(other, frames);
  }
  const same = frames.filter(({ gameLoop, count, unknown }) => gameLoop === frame.gameLoop && count === units.length && `${unknown}` === `${shown}`);
  assert.ok(same.length > 0, `no reader had ${shown} at loop ${frame.gameLoop}`);
  await page.getByText("The match has ended: step limit").waitFor();
  assert.deepEqual(errors, []);
}
