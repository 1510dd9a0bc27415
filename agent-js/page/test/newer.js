/** The page in matches on new versions of the game. */

import { playNewer, readAll } from "../../test/newer.js";
import { openPage } from "./browser.js";

/** @param {import("node:test").TestContext} t @param {number} matches @param {typeof import("node:assert/strict")} assert */
export async function watchNewer(t, matches, assert) {
  const { url } = await playNewer(t, matches, 1);
  const { page, errors, until } = await openPage(t, url, { allowed: /WebSocket connection to|ERR_CONNECTION_REFUSED/ });
  const read = readAll(url, matches);
  await until(({ units }) => units.some(({ unitType }) => unitType >= 6000));
  await read;
  await page.getByText("The match has ended: step limit").waitFor();
  assert.deepEqual(errors, []);
}
