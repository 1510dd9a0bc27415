import assert from "node:assert/strict";
import { test } from "node:test";
import { effect } from "@preact/signals";
import { fakeBridge, frame } from "../../test/fake.js";
import { loadAll } from "./modules.js";

const PERMISSION_DENIED = 7;
const description = { matchId: "m", perspectives: [1, 2] };

/** The functions of a browser that the page's settings use. */
globalThis.window = { matchMedia: () => ({ matches: false, addEventListener() {} }), setTimeout, clearTimeout };
const MODULES = ["/src/watching.ts", "/src/settings.ts", "/src/state.ts"];

/** Resolves when the value of a signal meets a condition. */
function until(signal, holds) {
  return new Promise((resolve) => {
    const end = effect(() => holds(signal.value) && queueMicrotask(() => resolve(end())));
  });
}

test("each perspective has its own connection, and a change of the perspective keeps the page connected", async (t) => {
  const [watching, settings, state] = await loadAll(t, ...MODULES);
  const subscribed = [];
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "describe") {
      send({ case: "describe", requestId: request.requestId, value: { match: description } });
    } else if (request.case === "subscribe") {
      subscribed.push(request.value.perspective);
      send(frame(0, { perspective: request.value.perspective ?? 1 }));
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

test("if the token has no role control, the page requests the state of the playback only once", async (t) => {
  const [watching, , state] = await loadAll(t, ...MODULES);
  let controlRequests = 0;
  let refused;
  const first = new Promise((resolve) => (refused = resolve));
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "describe") {
      send({ case: "describe", requestId: request.requestId, value: { match: { ...description, recording: "a.mcap" } } });
    } else if (request.case === "subscribe") {
      send(frame(0));
    } else if (request.case === "control") {
      controlRequests++;
      send({ case: "error", requestId: request.requestId, value: { code: PERMISSION_DENIED, message: "no role" } });
      refused();
    } else if (request.case === "status") {
      send({ case: "status", requestId: request.requestId, value: {} });
    }
  });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.after(watching.watch(url));
  await first;
  for (let seconds = 0; seconds < 3; seconds++) {
    await watching.bridge.status(); // When this answer arrives, all earlier answers were handled.
    t.mock.timers.tick(1000);
  }
  await watching.bridge.status();
  assert.deepEqual([controlRequests, state.playback.value], [1, undefined]);
});
