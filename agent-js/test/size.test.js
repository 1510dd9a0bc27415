import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { bundled } from "./bundle.js";

test("the bundle has the size that the README states, to 1 KiB", async () => {
  const kib = gzipSync(await bundled('export * from "sc2bridge"'), { level: 9 }).length / 1024;
  const stated = Number(/(\d+) KiB, minified and gzipped/.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8"))?.[1]);
  assert.ok(Math.abs(kib - stated) <= 1, `the bundle has ${kib.toFixed(1)} KiB: README.md states ${stated}, so correct it`);
});

test("a bundle has only the ids and the parts of the package that it uses", async () => {
  const ids = await bundled('import * as UnitTypeId from "sc2bridge/ids/unit-types"; console.log(UnitTypeId.MARINE)');
  assert.ok(ids.length < 50, `${ids.length} bytes`);
  const all = new TextDecoder().decode(await bundled('export * from "sc2bridge"'));
  const watching = new TextDecoder().decode(await bundled('export { connect } from "sc2bridge"'));
  for (const text of ["is not a unit: ", "this match has no ", "no ability produces "]) { // Of commands, of constants by name.
    assert.ok(all.includes(text) && !watching.includes(text), text);
  }
});
