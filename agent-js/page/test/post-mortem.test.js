/** The post-mortem: its parser, and the panel of the viewer. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { closeBrowser, newPage, skip, stateOf } from "./browser.js";
import { loadAll } from "./modules.js";
import { EXAMPLE, writePage } from "./post-mortem.js";

after(closeBrowser);

test("a field may be missing or null; unknown fields are ignored", async (t) => {
  const [{ readPostMortem }] = await loadAll(t, "/src/post-mortem/read.ts");
  assert.deepEqual(readPostMortem("{}"), { content: {}, cuts: [] });
  assert.deepEqual(readPostMortem('{"version":1,"cause":null,"more":[1],"__proto__":{"cause":7}}').content, { version: 1 });
  assert.deepEqual(readPostMortem(JSON.stringify(EXAMPLE)).content, { ...EXAMPLE, match: { ...EXAMPLE.match, seed: "1" } });
});

test("each invalid field gives one error with its name and its value", async (t) => {
  const [{ readPostMortem, InvalidPostMortemError }] = await loadAll(t, "/src/post-mortem/read.ts");
  for (const [json, message] of [
    ["", /not JSON/],
    ["[]", /the post-mortem is \[\], expected an object/],
    ['{"version":2}', /version 2, but this viewer reads version 1/],
    ['{"cause":{"game_loop":1.5}}', /cause\.game_loop is 1\.5, expected a whole number/],
    ['{"cause":{"game_loop":-1}}', /cause\.game_loop is -1, expected a number that is not negative/],
    ['{"steps":[{},{"agent_us":"5"}]}', /steps\[1\]\.agent_us is "5", expected a number/],
    ['{"slowest":[{"us":1e400}]}', /slowest\[0\]\.us is null, expected a number/],
    ['{"logs":{"from":"a"}}', /logs is \{"from":"a"\}, expected a list/],
    ['{"logs":[{"lines":[7]}]}', /logs\[0\]\.lines\[0\] is 7, expected text/],
    ['{"match":{"simulated":"yes"}}', /match\.simulated is "yes", expected true or false/],
    [`{"written":"${"x".repeat(16_000_000)}"}`, /at most 16000000/],
  ]) {
    assert.throws(() => readPostMortem(json), (error) => error instanceof InvalidPostMortemError && message.test(error.message) && !error.message.includes("\n"), json.slice(0, 60));
  }
});

test("long lists and texts are cut, and the panel can report it", async (t) => {
  const [{ readPostMortem }] = await loadAll(t, "/src/post-mortem/read.ts");
  const lines = Array.from({ length: 1_500 }, (_, index) => `line ${index}`);
  const { content, cuts } = readPostMortem(JSON.stringify({ logs: [{ lines }], written: "x".repeat(5_000) }));
  assert.deepEqual([content.logs[0].lines.length, content.logs[0].lines[0], content.written.length], [1_000, "line 500", 4_001]);
  assert.deepEqual(cuts, ["logs[0].lines: the last 1000 of 1500"]);
});

test("any text is read, or refused with the documented error", async (t) => {
  const [{ readPostMortem, timesOf, InvalidPostMortemError }] = await loadAll(t, "/src/post-mortem/read.ts");
  const names = [...new Set(JSON.stringify(EXAMPLE).match(/[a-z_]+(?=":)/g)), "__proto__", "constructor"];
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: "medium" }, fc.jsonValue(), fc.constantFrom(...Object.values(EXAMPLE)), fc.array(tie("any"), { maxLength: 4 }), fc.dictionary(fc.constantFrom(...names), tie("any"))),
  })).any;
  fc.assert(
    fc.property(fc.oneof(fc.string(), value.map((any) => JSON.stringify(any))), (json) => {
      try {
        const { content } = readPostMortem(json);
        for (const { loops, values } of timesOf(content.steps ?? [])) {
          assert.ok(loops.every((loop, index) => index === 0 || loop > loops[index - 1]));
          assert.ok(values.every((list) => list.length === loops.length && list.every((ms) => ms === null || (ms > 0 && Number.isFinite(ms)))));
        }
      } catch (error) {
        assert.ok(error instanceof InvalidPostMortemError, error.stack);
      }
    }),
    { numRuns: process.env.SC2BRIDGE_TEST_CASES === "all" ? 20_000 : 2_000 },
  );
});

test("the viewer shows the post-mortem first, seeks to its game loops, and shows its texts as text", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors } = await newPage(t);
  await page.goto(writePage(t, JSON.stringify(EXAMPLE), { hasRecording: true }));
  await stateOf(page, ({ playback }) => playback);
  await page.getByRole("heading", { name: EXAMPLE.cause.text }).waitFor();
  await page.getByText(EXAMPLE.cause.advice).waitFor();
  await page.keyboard.press(" ");
  await stateOf(page, ({ playback }) => playback.paused);
  for (const loop of [640, 480]) {
    await page.getByRole("button", { name: `loop ${loop}` }).click();
    await stateOf(page, ({ frame }) => frame.gameLoop === loop);
  }
  const text = await page.locator(".post-mortem").innerText();
  for (const part of ["5.0 s", "<b>not bold</b> <img src=x onerror=alert(1)>", "ZeroDivisionError", "3.13.5", "2 cores", "8.0 GiB", "1: my_bot Terran (Agent) Defeat", "game loops 0 to 1192"]) {
    assert.ok(text.includes(part), part);
  }
  assert.equal(await page.locator(".post-mortem :is(b, img)").count(), 0);
  assert.equal(await page.locator(".post-mortem canvas").count(), 1);
  await page.keyboard.press("2");
  await page.getByText("Income per minute").waitFor();
  await page.keyboard.press("6");
  await page.getByText("What to do:").waitFor();
  // The stored panel is the user's, not the post-mortem.
  assert.equal(await page.evaluate(() => localStorage.getItem("sc2bridge.tab")), '"curves"');
  assert.deepEqual(errors, []);
});

test("without a recording the viewer reports the reason, and its game loops are not buttons", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors } = await newPage(t);
  await page.goto(writePage(t, JSON.stringify({ ...EXAMPLE, recording: undefined, recording_missing: "the disk was full" })));
  await page.getByText("The page has no recording: the disk was full.").waitFor();
  assert.equal(await page.getByRole("button", { name: "loop 640" }).count(), 0);
  assert.equal(await page.locator(".map").isVisible(), false);
  assert.deepEqual(errors, []);
});

test("if the post-mortem is damaged, the viewer reports one line and still shows the recording", { skip, timeout: 180_000 }, async (t) => {
  const { page, errors } = await newPage(t);
  await page.goto(writePage(t, '{"cause":{"text":7}}', { hasRecording: true }));
  await page.getByRole("alert").getByText("The post-mortem in this page is damaged: cause.text is 7, expected text. Write the page again.").waitFor();
  await stateOf(page, ({ frame }) => frame);
  assert.deepEqual(errors, []);
});
