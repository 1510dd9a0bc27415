import assert from "node:assert/strict";
import { test } from "node:test";
import { playVersions, readAll } from "./patch_day.js";

test("on new versions of the game, agents with each encoding and content read the same", async (t) => {
  const { url } = await playVersions(t, 6);
  const [first, ...others] = await readAll(url, 6);
  assert.equal(first.length, 6 * 5);
  for (const other of others) {
    assert.deepEqual(other, first);
  }
  assert.ok(first.some((frame) => frame.unknown?.length > 0) && first.some((frame) => frame.buffs?.length > 0));
  assert.ok(new Set(first.filter((size) => typeof size === "number")).size > 2);
});
