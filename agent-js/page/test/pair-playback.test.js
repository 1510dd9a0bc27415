/** The playback of two recordings together, without a browser. */

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { loadAll } from "./modules.js";

/** The callbacks that wait for the browser to draw. */
const waiting = [];
const draw = () => waiting.splice(0).forEach((callback) => callback());
before(() => {
  globalThis.requestAnimationFrame = (callback) => waiting.push(callback);
  globalThis.window = { matchMedia: () => ({ matches: false, addEventListener() {} }) };
});

test("if the user chooses another perspective while an answer is pending, a paused playback asks again", async (t) => {
  const [{ PairPlayback }] = await loadAll(t, "/src/compare/playback.ts");
  const asked = [];
  const side = { name: "one", firstLoop: 0, lastLoop: 80 };
  const pair = new PairPlayback({ sides: [side, side], stepSize: 8 }, { rate: 22.4, gameLoop: 16 }, (loop) => asked.push(loop));
  const answer = () => {
    pair.answer({ loop: 16, previous: 8, next: 24 });
    draw();
  };
  await pair.playback();
  draw();
  pair.refresh();
  draw();
  assert.deepEqual(asked, [16]);
  answer(); // With the frames of the first perspective.
  assert.deepEqual(asked, [16, 16]);
  answer();
  assert.deepEqual(asked, [16, 16]);
});

test("if the user stops a comparison while it opens, the first recording plays on", async (t) => {
  const [{ compareWith, stopComparing }, { setSource }, { playback }] = await loadAll(t, "/src/compare/comparing.ts", "/src/source.ts", "/src/state.ts");
  const callsAfter = async (wasPlaying) => {
    const calls = [];
    let endPause;
    const paused = new Promise((resolve) => (endPause = resolve));
    setSource({ pause: () => paused, resume: async () => calls.push("resume") });
    playback.value = { paused: !wasPlaying };
    const worker = { postMessage() {}, terminate() {} };
    compareWith({ recording: new Blob(), name: "one", playFrom() {} }, new Blob(), "two", () => worker);
    worker.onmessage({ data: { kind: "paired" } });
    stopComparing();
    endPause({});
    await paused;
    return calls;
  };
  assert.deepEqual(await callsAfter(true), ["resume"]);
  assert.deepEqual(await callsAfter(false), []); // It was paused before.
});
