import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { replay } from "../../test/bridge.js";
import { closeBrowser, openPage, skip } from "./browser.js";

after(closeBrowser);

test("all files of the page have at most 300 KiB, compressed", () => {
  const folder = new URL("../dist/", import.meta.url).pathname;
  const files = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))).filter((path) => statSync(path).isFile());
  const bytes = files.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
  assert.ok(files.length >= 3 && bytes <= 300 * 1024, `${bytes} bytes in ${files.length} files`);
});

test("the browser reports when the page was first painted", { skip, timeout: 60_000 }, async (t) => {
  const { url } = await replay(t, 1, "--loop", "--rate", "22.4");
  const { page, until } = await openPage(t, url);
  await until(({ frame }) => frame);
  const ms = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  assert.ok(ms > 0);
  t.diagnostic(`first paint after ${Math.round(ms)} ms`);
});
