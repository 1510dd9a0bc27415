import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import { fakeBridge, frame } from "../../test/fake.js";
import { loadAll } from "./modules.js";

const PERMISSION_DENIED = 7;
const description = { matchId: "m", perspectives: [1, 2] };

/** What the page's settings ask of a browser. */
globalThis.window = { matchMedia: () => ({ matches: false, addEventListener() {} }), setTimeout, clearTimeout };
const MODULES = ["/src/watching.ts", "/src/settings.ts", "/src/state.ts"];

/** Resolves when a signal's value is so. */
function until(signal, holds) {
  return new Promise((resolve) => {
    const end = effect(() => holds(signal.value) && queueMicrotask(() => resolve(end())));
  });
}

test("another perspective takes a connection of its own, which the one before does not close", async (t) => {
  const [watching, settings, state] = await loadAll(t, ...MODULES);
  const subscribed = [];
  const { url } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "describe") {
      say({ case: "describe", requestId: heard.requestId, value: { match: description } });
    } else if (heard.case === "subscribe") {
      subscribed.push(heard.value.perspective);
      say(frame(0, { perspective: heard.value.perspective ?? 1 }));
    }
  });
  const links = new Set();
  t.after(effect(() => void links.add(state.link.value.state)));
  t.after(watching.watch(url));
  await until(state.shown, ([first]) => first?.perspective === 1);
  settings.perspective.value = 2;
  await until(state.shown, ([first]) => first?.perspective === 2);
  settings.perspective.value = "all";
  await until(state.shown, (frames) => frames.length === 2);
  assert.deepEqual(state.shown.value.map(({ perspective }) => perspective), [1, 2]);
  assert.deepEqual(subscribed, [undefined, 2, 1, 2]);
  assert.deepEqual([...links], ["connecting", "connected"]);
});

test("where the token only watches, the playback is asked for once", async (t) => {
  const [watching, , state] = await loadAll(t, ...MODULES);
  let asked = 0;
  let refused;
  const first = new Promise((resolve) => (refused = resolve));
  const { url } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "describe") {
      say({ case: "describe", requestId: heard.requestId, value: { match: { ...description, recording: "a.mcap" } } });
    } else if (heard.case === "subscribe") {
      say(frame(0));
    } else if (heard.case === "control") {
      asked++;
      say({ case: "error", requestId: heard.requestId, value: { code: PERMISSION_DENIED, message: "no role" } });
      refused();
    } else if (heard.case === "status") {
      say({ case: "status", requestId: heard.requestId, value: {} });
    }
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.after(watching.watch(url));
  await first;
  for (let seconds = 0; seconds < 3; seconds++) {
    await watching.bridge.status(); // What was answered before it is taken by then.
    t.mock.timers.tick(1000);
  }
  await watching.bridge.status();
  assert.deepEqual([asked, state.playback.value], [1, undefined]);
});
