import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { bundled } from "./bundle.js";

test("it is as small as the README says", async () => {
  const kib = gzipSync(await bundled('export * from "sc2bridge"'), { level: 9 }).length / 1024;
  const said = Number(/(\d+) KiB, minified and gzipped/.exec(readFileSync(new URL("../README.md", import.meta.url), "utf8"))?.[1]);
  assert.ok(Math.abs(kib - said) <= 1, `it has ${kib.toFixed(1)} KiB, and the README says ${said}`);
});
