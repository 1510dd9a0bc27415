import assert from "node:assert/strict";
import { after, test } from "node:test";
import { bundled } from "../../test/bundle.js";
import { SAMPLE, startBridge } from "../../test/bridge.js";
import { read } from "../../test/reading.js";
import { closeBrowser, newPage, skip } from "./browser.js";

after(closeBrowser);

/** Opens a web page with the package in its code, as a user can write one. Its origin is the address of the bridge. */
async function openClient(t, url) {
  const { page } = await newPage(t, { bypassCSP: true });
  await page.goto(url.replace("ws:", "http:").replace(/v1$/, "health"));
  const code = await bundled('import * as client from "sc2bridge"; import { read } from "./reading.js"; window.client = { ...client, read };');
  await page.addScriptTag({ type: "module", content: Buffer.from(code).toString() });
  await page.waitForFunction(() => window.client);
  return page;
}

const WAYS = [
  [{}, { content: "columns" }],
  [{}, { compression: "group-zstd", exclude: ["map_state", "score"] }],
  [{ encoding: "json" }, {}],
  [{ encoding: "json" }, { content: "columns", compression: "zstd" }],
];

test("in a user's own web page the package reads the same from a match as in Node", { skip, timeout: 180_000 }, async (t) => {
  const { url } = await startBridge(t, ["replay", SAMPLE, "--wait", String(2 * WAYS.length)]);
  const page = await openClient(t, url);
  const [there, here] = await Promise.all([
    page.evaluate(([url, ways]) => Promise.all(ways.map(([how, what]) => window.client.read(url, how, { ...what, overflow: "pause" }))), [url, WAYS]),
    Promise.all(WAYS.map(([how, what]) => read(url, how, { ...what, overflow: "pause" }))),
  ]);
  assert.deepEqual(there, here);
  assert.deepEqual(here.map(({ frames }) => frames.length), [150, 150, 150, 150]);
  assert.deepEqual(new Set(here.map(({ frames }) => JSON.stringify(frames[149].columns))).size, 1);
});

test("in a user's own web page the package reconnects to a lost bridge", { skip, timeout: 180_000 }, async (t) => {
  const first = await startBridge(t, ["replay", SAMPLE, "--wait", "1", "--loop", "--rate", "22.4"]);
  const page = await openClient(t, first.url);
  const step = await page.evaluate(async (url) => {
    window.bridge = await window.client.connect(url, { retrySeconds: 120 });
    window.frames = window.bridge.subscribe({ policy: "latest", content: "columns", compression: "group-zstd" });
    return (await window.frames.next()).value.step;
  }, first.url);
  assert.ok(step >= 0);
  await first.kill();
  await startBridge(t, ["replay", SAMPLE, "--wait", "1", "--loop", "--rate", "22.4"], { port: Number(new URL(first.url).port) });
  const units = await page.evaluate(async () => {
    for await (const frame of window.frames) {
      if (frame.reconnected) {
        return frame.units.length;
      }
    }
  });
  assert.ok(units > 0);
});

test("in a user's own web page a token is refused or allows exactly what it is for", { skip, timeout: 180_000 }, async (t) => {
  const token = "c1b6b2a49f6d4bb0a7d4";
  const { url } = await startBridge(t, ["replay", SAMPLE, "--wait", "1"], { env: { SC2BRIDGE_TOKENS: `watch ${token}` } });
  const page = await openClient(t, url);
  const results = await page.evaluate(
    async ([url, token]) => {
      const { connect } = window.client;
      const code = (error) => error.code;
      const watcher = await connect(url, { token });
      return [
        await (await connect(url, { token: "0000000000000000" })).subscribe().next().catch(code),
        await watcher.pause().catch(code),
        (await (await connect(`${url}?token=${token}`)).subscribe().next()).value.perspective,
      ];
    },
    [url, token],
  );
  assert.deepEqual(results, [16, 7, 0]);
});
