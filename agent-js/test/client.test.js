import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { BridgeError, connect, ConnectionLostError, MalformedMessageError, RequestTimeoutError, SC2BridgeError, StatusCode } from "sc2bridge";
import { Content } from "sc2bridge/v1/bridge";
import { WebSocket } from "ws";
import { fakeBridge, frame, matchEnd } from "./fake.js";

test("frames come in order, and the loop ends with the match", async (t) => {
  const { url } = await fakeBridge(t, (heard, say) => heard.case === "subscribe" && say(frame(0), frame(1), frame(2), matchEnd()));
  const frames = (await connect(url)).subscribe();
  assert.deepEqual((await all(frames)).map((each) => each.step), [0, 1, 2]);
  assert.equal(frames.end?.reason, "finished");
});

test("the status is asked and answered", async (t) => {
  const { url } = await fakeBridge(t, (heard, say) => {
    heard.case === "status" && say({ case: "status", requestId: heard.requestId, value: { steps: 2n ** 40n, createdNs: BigInt(heard.requestId), subscribers: [{ name: "a", bytes: 7n, delayNs: 0n }] } });
  });
  const bridge = await connect(url);
  const [first, second] = [await bridge.status(), await bridge.status()];
  assert.deepEqual([first.createdNs, second.createdNs, first.steps], [2n, 3n, 2n ** 40n]);
  assert.deepEqual(first.subscribers.map((each) => [each.name, each.bytes, each.delayNs, each.lastStep]), [["a", 7n, 0n, undefined]]);
  bridge.close();
});

test("under latest a slow reader gets the newest frame, with what those before it carried", async (t) => {
  const { url, settled } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "subscribe") {
      say(frame(0), frame(1), frame(2, { skipped: { frames: 2n, firstStep: 5n, deadUnits: [77n], alerts: [9], upgradeIds: [500] } }), frame(3), matchEnd());
    }
  });
  const bridge = await connect(url);
  const frames = bridge.subscribe({ policy: "latest" });
  await settled(); // All is here before the loop begins.
  const [newest, ...others] = await all(frames);
  assert.equal(others.length, 0);
  assert.equal(newest?.step, 3);
  const { skipped } = /** @type {import("sc2bridge").Frame} */ (newest);
  assert.deepEqual(skipped && [skipped.frames, skipped.firstStep, skipped.deadUnits, skipped.alerts, skipped.upgradeIds, skipped.truncatedFrames], [
    5n, 0n, [0n, 1n, 77n, 2n], [1, 2, 9, 3], [0, 1, 2, 500], 0n,
  ]);
});

const payload = /** @type {const} */ ({ case: "columns", value: { count: 0, tag: new Uint8Array(1 << 20) } });
const eighty = Array.from({ length: 80 }, (_, step) => frame(step, { payload, content: Content.COLUMNS })); // MiB

test("what waits for a reader is bounded: the subscription ends and says so", async (t) => {
  const { url, settled } = await fakeBridge(t, (heard, say) => {
    heard.case === "subscribe" && say(...eighty);
  });
  const frames = (await connect(url)).subscribe({ content: "columns" });
  // As a browser's, which cannot stop reading.
  t.mock.method(WebSocket.prototype, "pause", () => {});
  await settled();
  await assert.rejects(all(frames), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED && /does not keep up/.test(error.message));
});

test("in Node a slow reader stops reading, so that the bridge's policy holds", async (t) => {
  const { url } = await fakeBridge(t, (heard, say) => {
    heard.case === "subscribe" && say(...eighty, matchEnd());
  });
  const { pause } = WebSocket.prototype;
  const paused = new Promise((resolve) =>
    t.mock.method(WebSocket.prototype, "pause", /** @this {WebSocket} */ function () {
      resolve(pause.call(this));
    }),
  );
  const frames = (await connect(url)).subscribe({ content: "columns" });
  await paused;
  assert.equal((await all(frames)).length, 80);
});

test("a lost bridge is found again", async (t) => {
  let connections = 0;
  const { url } = await fakeBridge(t, (heard, say, socket) => {
    if (heard.case === "subscribe") {
      connections++;
      say(frame(connections), ...(connections === 3 ? [matchEnd()] : []));
      connections < 3 && socket.close(1001);
    }
  });
  /** @type {Error[]} */
  const lost = [];
  const bridge = await connect(url, { retrySeconds: 60, onLost: (error) => lost.push(error) });
  const frames = await all(bridge.subscribe());
  assert.deepEqual(frames.map((each) => [each.step, each.reconnected]), [[1, false], [2, true], [3, true]]);
  assert.equal(lost.length, 2);
  assert.ok(lost.every((error) => error instanceof ConnectionLostError));
});

test("what the bridge remarks is told, by default to the console", async (t) => {
  const { url } = await fakeBridge(t, (heard, say) => {
    heard.case === "subscribe" && say(frame(0), { case: "error", value: { code: 4, message: "too late", step: 0n } }, matchEnd());
  });
  const warned = t.mock.method(console, "warn", () => {});
  /** @type {string[]} */
  const told = [];
  assert.equal((await all((await connect(url, { onNotice: (line) => told.push(line) })).subscribe())).length, 1);
  assert.deepEqual([told, warned.mock.callCount()], [["step 0: too late"], 0]);
  await all((await connect(url)).subscribe());
  assert.deepEqual(warned.mock.calls.map(({ arguments: said }) => said), [["sc2bridge: step 0: too late"]]);
});

test("without retrySeconds a lost bridge is an error", async (t) => {
  const { url } = await fakeBridge(t, (_, say, socket) => (say(frame(0)), socket.terminate()));
  await assert.rejects(all((await connect(url)).subscribe()), ConnectionLostError);
});

test("a bridge that is silent is asked for a sign of life, and given up", async (t) => {
  /** @type {(string | undefined)[]} */
  const heard = [];
  const { url } = await fakeBridge(t, ({ case: said }) => void heard.push(said));
  const bridge = await connect(url, { timeouts: { silenceSeconds: 0.1 } });
  await assert.rejects(all(bridge.subscribe({ reportTimes: false })), /silent/);
  assert.deepEqual(heard, ["subscribe", "clock"]);
});

test("a request that is not answered ends in time, and takes no other's answer", async (t) => {
  let asked = 0;
  const { url } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "control" && ++asked > 1) {
      say(...[heard.requestId - 1, heard.requestId].map((requestId) => played(requestId)));
    }
  });
  const bridge = await connect(url, { timeouts: { requestSeconds: 1 } });
  await assert.rejects(bridge.pause(), RequestTimeoutError);
  assert.equal((await bridge.playback()).step, 3n);
  bridge.close();
});

test("requests run side by side, and a description that waits for a match holds up none", async (t) => {
  const waiting = /** @type {number[]} */ ([]);
  const { url, connections } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "status") {
      say({ case: "status", requestId: heard.requestId, value: { steps: BigInt(heard.requestId) } });
    } else if (heard.case === "control" && waiting.push(heard.requestId) === 2) {
      say(...waiting.reverse().map(played));
    }
  });
  const bridge = await connect(url);
  const described = bridge.describe();
  const answers = await Promise.all([bridge.pause(), bridge.playback()]);
  assert.deepEqual(answers.map(({ step }) => step), [2n, 3n]);
  assert.equal((await bridge.status()).steps, 4n);
  assert.equal(connections(), 2);
  bridge.close();
  await assert.rejects(described, ConnectionLostError);
});

test("a close is final: what waits and what is asked later ends, and nothing is opened any more", async (t) => {
  const { url, connections } = await fakeBridge(t, () => {});
  const bridge = await connect(url);
  const waiting = [bridge.status(), bridge.playback(), bridge.describe()];
  bridge.close();
  for (const each of [...waiting, bridge.status(), bridge.describe(), bridge.subscribe().next()]) {
    await assert.rejects(each, (error) => error instanceof ConnectionLostError && /closed here/.test(error.message));
  }
  const other = (await connect(url)).describe({ signal: AbortSignal.timeout(100) });
  await assert.rejects(other, /timeout/);
  assert.equal(connections(), 1);
});

test("what the bridge refuses is an error with its code", async (t) => {
  const { url, connections } = await fakeBridge(t, (heard, say, socket) => {
    if (heard.case === "control") {
      say({ case: "error", requestId: heard.requestId, value: { code: StatusCode.FAILED_PRECONDITION, message: "no recording" } });
    } else if (heard.case === "describe") {
      say({ case: "error", requestId: heard.requestId, value: { code: StatusCode.PERMISSION_DENIED, message: "no role" } });
    } else if (heard.case === "status") {
      say({ case: "error", value: { code: StatusCode.RESOURCE_EXHAUSTED, message: "too much", fatal: true } });
    } else if (heard.case === "subscribe") {
      socket.close(4000 + StatusCode.RESOURCE_EXHAUSTED, "too far behind");
    }
  });
  const bridge = await connect(url);
  for (const each of [bridge.pause(), bridge.resume()]) {
    await assert.rejects(each, (error) => error instanceof BridgeError && error.code === StatusCode.FAILED_PRECONDITION && error.message === "no recording");
  }
  await assert.rejects(bridge.playback(), BridgeError);
  assert.equal(connections(), 1); // A refusal is an answer.
  await assert.rejects(bridge.describe(), (error) => error instanceof BridgeError && error.code === StatusCode.PERMISSION_DENIED);
  await assert.rejects(bridge.status(), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED);
  await assert.rejects(all(bridge.subscribe()), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED);
  bridge.close();
});

test("a handshake that is refused says what the bridge says over HTTP", async (t) => {
  const server = createServer((_, answer) => answer.writeHead(401).end("Give a token.\n"));
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const bridge = await connect(`ws://127.0.0.1:${port}/`, { retrySeconds: 60 });
  await assert.rejects(all(bridge.subscribe()), (error) => error instanceof BridgeError && error.code === StatusCode.UNAUTHENTICATED && error.message === "Give a token.");
});

test("a bridge that does not answer in time is not sent the token again", async (t) => {
  const server = createServer();
  const left = new Promise((resolve) => server.on("upgrade", (_, socket) => socket.once("end", () => resolve(socket.end())).resume()));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const fetched = t.mock.method(globalThis, "fetch", () => assert.fail());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const bridge = await connect(`ws://127.0.0.1:${port}/?token=secret`, { timeouts: { connectSeconds: 0.2 } });
  await assert.rejects(bridge.status(), /no WebSocket was opened within 0.2 s/);
  await left;
  assert.equal(fetched.mock.callCount(), 0);
});

test("a signal that was aborted before ends the loop with its reason, and opens nothing", async (t) => {
  const { url, connections } = await fakeBridge(t, (heard, say) => heard.case === "status" && say({ case: "status", requestId: heard.requestId, value: {} }));
  const bridge = await connect(url);
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(all(bridge.subscribe({ signal })), /enough/);
  await assert.rejects(bridge.describe({ signal }), /enough/);
  await bridge.status();
  assert.equal(connections(), 1);
  bridge.close();
});

test("a signal ends a subscription and a request with its reason, a close ends the loop", async (t) => {
  const { url } = await fakeBridge(t, (heard, say) => heard.case === "subscribe" && say(frame(0)));
  const bridge = await connect(url);
  const controller = new AbortController();
  const frames = bridge.subscribe({ signal: controller.signal });
  await frames.next();
  const waiting = [frames.next(), bridge.describe({ signal: controller.signal })];
  controller.abort(new Error("enough"));
  for (const each of waiting) {
    await assert.rejects(each, /enough/);
  }
  const closed = bridge.subscribe();
  await closed.next();
  const last = closed.next();
  bridge.close();
  assert.deepEqual(await last, { done: true, value: undefined });
});

test("a move of the playback drops what waits from before it", async (t) => {
  const { url, settled } = await fakeBridge(t, (heard, say) => {
    heard.case === "subscribe" && say(frame(8), frame(9), { case: "playback", value: { step: 3n } }, frame(3), frame(4), matchEnd());
  });
  const frames = (await connect(url)).subscribe();
  await settled();
  assert.deepEqual((await all(frames)).map((each) => [each.step, each.seeked]), [[3, true], [4, false]]);
});

test("in lockstep each frame is acknowledged when the loop is done with it, with its actions", async (t) => {
  /** @type {[bigint, number][]} */
  const acknowledged = [];
  const { url } = await fakeBridge(t, (heard, say) => {
    if (heard.case === "subscribe") {
      say(frame(0));
    } else if (heard.case === "acknowledge") {
      const { step, actions } = heard.value;
      acknowledged.push([step, actions.length]);
      const outcomes = actions.map(({ requestId }) => ({ requestId, step, outcomes: [{ result: 1 }] }));
      say(...(step < 2n ? [frame(Number(step) + 1, { outcomes })] : [matchEnd()]));
    }
  });
  const bridge = await connect(url);
  const frames = bridge.subscribe({ policy: "lockstep", canAct: true, reportTimes: false });
  const outcomes = [];
  for await (const each of frames) {
    outcomes.push(...each.outcomes.map((outcome) => [each.step, outcome.tag, outcome.succeeded, outcome.action.actionChat?.message]));
    if (each.step === 0) {
      frames.act([{ actionChat: { message: "glhf" } }]);
    }
  }
  assert.deepEqual(acknowledged, [[0n, 1], [1n, 0], [2n, 0]]);
  assert.deepEqual(outcomes, [[1, 1, true, "glhf"]]);
  assert.throws(() => frames.act([]), SC2BridgeError);
});

test("what is no message ends the subscription with a MalformedMessageError", async (t) => {
  for (const bytes of [new Uint8Array([0x0a, 0x05]), new Uint8Array([0xff]), "text"]) {
    const { url } = await fakeBridge(t, (_, __, socket) => socket.send(bytes));
    await assert.rejects(all((await connect(url)).subscribe()), MalformedMessageError);
  }
});

test("a connection that is logged shows no token", async () => {
  for (const bridge of [await connect("ws://127.0.0.1:1?token=secret"), await connect("ws://127.0.0.1:1", { token: "secret" })]) {
    const shown = [bridge, bridge.subscribe()].map((each) => inspect(each, { depth: Infinity, showHidden: true })).join() + JSON.stringify(bridge);
    assert.match(shown, /127\.0\.0\.1:1/);
    assert.doesNotMatch(shown, /secret/);
    await assert.rejects(bridge.status(), (error) => error instanceof ConnectionLostError && !/secret/.test(inspect(error, { depth: Infinity, showHidden: true })));
    bridge.close();
  }
});

test("a wrong argument is a RangeError", async () => {
  await assert.rejects(connect("http://127.0.0.1"), RangeError);
  await assert.rejects(connect("ws://127.0.0.1", { encoding: /** @type {any} */ ("xml") }), /choose proto or json/);
  for (const seconds of [0, -1, NaN, Infinity]) {
    await assert.rejects(connect("ws://127.0.0.1", { timeouts: { requestSeconds: seconds } }), /requestSeconds .*: choose seconds above 0/);
  }
  const bridge = await connect("ws://127.0.0.1:1?token=secret&encoding=json");
  assert.equal(bridge.address.target, "ws://127.0.0.1:1/v1");
  assert.throws(() => bridge.subscribe({ policy: /** @type {any} */ ("newest") }), /choose lockstep, latest, every/);
  assert.throws(() => bridge.subscribe({ perspective: -1 }), RangeError);
  await assert.rejects(bridge.step(0), RangeError);
  await assert.rejects(bridge.setRate(0), RangeError);
  await assert.rejects(bridge.playback(), ConnectionLostError);
});

/** @param {number} requestId @returns {import("./fake.js").Said} the answer to a control, with the id as its step */
const played = (requestId) => ({ case: "control", requestId, value: { playback: { step: BigInt(requestId) } } });

/** @param {AsyncIterable<import("sc2bridge").Frame>} frames */
async function all(frames) {
  const read = [];
  for await (const each of frames) {
    read.push(each);
  }
  return read;
}
