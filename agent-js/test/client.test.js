import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { inspect } from "node:util";
import { BridgeError, ClosedError, connect, ConnectionLostError, MalformedMessageError, RequestTimeoutError, SC2BridgeError, StatusCode } from "sc2bridge";
import { Content } from "sc2bridge/v1/bridge";
import { WebSocket } from "ws";
import { fakeBridge, frame, matchEnd } from "./fake.js";

test("frames arrive in order, and the loop ends with the match", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => request.case === "subscribe" && send(frame(0), frame(1), frame(2), matchEnd()));
  const frames = (await connect(url)).subscribe();
  assert.deepEqual((await all(frames)).map((each) => each.step), [0, 1, 2]);
  assert.equal(frames.end?.reason, "finished");
});

test("each status request gets its own answer", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => {
    request.case === "status" && send({ case: "status", requestId: request.requestId, value: { steps: 2n ** 40n, createdNs: BigInt(request.requestId), subscribers: [{ name: "a", bytes: 7n, delayNs: 0n }] } });
  });
  const bridge = await connect(url);
  const [first, second] = [await bridge.status(), await bridge.status()];
  assert.deepEqual([first.createdNs, second.createdNs, first.steps], [2n, 3n, 2n ** 40n]);
  assert.deepEqual(first.subscribers.map((each) => [each.name, each.bytes, each.delayNs, each.lastStep]), [["a", 7n, 0n, undefined]]);
  bridge.close();
});

const payload = /** @type {const} */ ({ case: "columns", value: { count: 0, tag: new Uint8Array(1 << 20) } });
const eightyFrames = Array.from({ length: 80 }, (_, step) => frame(step, { payload, content: Content.COLUMNS })); // Each has 1 MiB.

test("a slow agent that cannot stop reading gets an error when its queue is too long", async (t) => {
  const { url, settled } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(...eightyFrames);
  });
  const frames = (await connect(url)).subscribe({ content: "columns" });
  // Like a WebSocket of a browser, this one cannot stop reading.
  t.mock.method(WebSocket.prototype, "pause", () => {});
  await settled();
  await assert.rejects(all(frames), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED && /does not keep up/.test(error.message));
});

test("in Node a slow agent stops reading from the WebSocket, and then receives all frames", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(...eightyFrames, matchEnd());
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

test("with retrySeconds a subscription reconnects to a lost bridge, and the next frame has reconnected set", async (t) => {
  let connections = 0;
  const { url } = await fakeBridge(t, (request, send, socket) => {
    if (request.case === "subscribe") {
      connections++;
      send(frame(connections), ...(connections === 3 ? [matchEnd()] : []));
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

test("warnings of the bridge go to onNotice, or by default to console.warn", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(frame(0), { case: "error", value: { code: 4, message: "too late", step: 0n } }, matchEnd());
  });
  const warned = t.mock.method(console, "warn", () => {});
  /** @type {string[]} */
  const notices = [];
  assert.equal((await all((await connect(url, { onNotice: (line) => notices.push(line) })).subscribe())).length, 1);
  assert.deepEqual([notices, warned.mock.callCount()], [["step 0: too late"], 0]);
  await all((await connect(url)).subscribe());
  assert.deepEqual(warned.mock.calls.map(({ arguments: texts }) => texts), [["sc2bridge: step 0: too late"]]);
});

test("without retrySeconds a lost bridge throws ConnectionLostError", async (t) => {
  const { url } = await fakeBridge(t, (_, send, socket) => (send(frame(0)), socket.terminate()));
  await assert.rejects(all((await connect(url)).subscribe()), ConnectionLostError);
});

test("if the bridge sends nothing, the package requests a message, and then throws ConnectionLostError", async (t) => {
  /** @type {(string | undefined)[]} */
  const requests = [];
  const { url } = await fakeBridge(t, ({ case: kind }) => void requests.push(kind));
  const bridge = await connect(url, { timeouts: { silenceSeconds: 0.1 } });
  await assert.rejects(all(bridge.subscribe({ reportTimes: false })), (error) => error instanceof ConnectionLostError && /silent/.test(error.message));
  assert.deepEqual(requests, ["subscribe", "clock"]);
});

test("a request without an answer throws RequestTimeoutError, and a late answer does not go to the next request", async (t) => {
  let asked = 0;
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "control" && ++asked > 1) {
      send(...[request.requestId - 1, request.requestId].map((requestId) => played(requestId)));
    }
  });
  const bridge = await connect(url, { timeouts: { requestSeconds: 1 } });
  await assert.rejects(bridge.pause(), RequestTimeoutError);
  assert.equal((await bridge.playback()).step, 3n);
  bridge.close();
});

test("requests run concurrently, also while describe waits for a match", async (t) => {
  const waiting = /** @type {number[]} */ ([]);
  const { url, connections } = await fakeBridge(t, (request, send) => {
    if (request.case === "status") {
      send({ case: "status", requestId: request.requestId, value: { steps: BigInt(request.requestId) } });
    } else if (request.case === "control" && waiting.push(request.requestId) === 2) {
      send(...waiting.reverse().map(played));
    }
  });
  const bridge = await connect(url);
  const described = bridge.describe();
  const answers = await Promise.all([bridge.pause(), bridge.playback()]);
  assert.deepEqual(answers.map(({ step }) => step), [2n, 3n]);
  assert.equal((await bridge.status()).steps, 4n);
  assert.equal(connections(), 2);
  bridge.close();
  await assert.rejects(described, ClosedError);
});

test("after close, pending and later calls throw ClosedError and open no connection", async (t) => {
  const { url, connections } = await fakeBridge(t, () => {});
  const bridge = await connect(url);
  const waiting = [bridge.status(), bridge.playback(), bridge.describe()];
  bridge.close();
  for (const each of [...waiting, bridge.status(), bridge.describe(), bridge.subscribe().next()]) {
    await assert.rejects(each, (error) => error instanceof ClosedError && /closed by this client/.test(error.message));
  }
  const other = (await connect(url)).describe({ signal: AbortSignal.timeout(100) });
  await assert.rejects(other, /timeout/);
  assert.equal(connections(), 1);
});

test("a refusal of the bridge throws BridgeError with its code", async (t) => {
  const { url, connections } = await fakeBridge(t, (request, send, socket) => {
    if (request.case === "control") {
      send({ case: "error", requestId: request.requestId, value: { code: StatusCode.FAILED_PRECONDITION, message: "no recording" } });
    } else if (request.case === "describe") {
      send({ case: "error", requestId: request.requestId, value: { code: StatusCode.PERMISSION_DENIED, message: "no role" } });
    } else if (request.case === "status") {
      send({ case: "error", value: { code: StatusCode.RESOURCE_EXHAUSTED, message: "too much", fatal: true } });
    } else if (request.case === "subscribe") {
      socket.close(4000 + StatusCode.RESOURCE_EXHAUSTED, "too far behind");
    }
  });
  const bridge = await connect(url);
  for (const each of [bridge.pause(), bridge.resume()]) {
    await assert.rejects(each, (error) => error instanceof BridgeError && error.code === StatusCode.FAILED_PRECONDITION && error.message === "no recording");
  }
  await assert.rejects(bridge.playback(), BridgeError);
  assert.equal(connections(), 1); // A refusal does not close the WebSocket.
  await assert.rejects(bridge.describe(), (error) => error instanceof BridgeError && error.code === StatusCode.PERMISSION_DENIED);
  await assert.rejects(bridge.status(), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED);
  await assert.rejects(all(bridge.subscribe()), (error) => error instanceof BridgeError && error.code === StatusCode.RESOURCE_EXHAUSTED);
  bridge.close();
});

test("if the bridge refuses the WebSocket, the error has the reason from its HTTP answer", async (t) => {
  const server = createServer((_, answer) => answer.writeHead(401).end("Give a token.\n"));
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const bridge = await connect(`ws://127.0.0.1:${port}/`, { retrySeconds: 60 });
  await assert.rejects(all(bridge.subscribe()), (error) => error instanceof BridgeError && error.code === StatusCode.UNAUTHENTICATED && error.message === "Give a token.");
});

test("if a bridge does not answer in time, the token is not sent again", async (t) => {
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

test("a signal that is already aborted throws its reason, and opens no connection", async (t) => {
  const { url, connections } = await fakeBridge(t, (request, send) => request.case === "status" && send({ case: "status", requestId: request.requestId, value: {} }));
  const bridge = await connect(url);
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(all(bridge.subscribe({ signal })), /enough/);
  await assert.rejects(bridge.describe({ signal }), /enough/);
  await bridge.status();
  assert.equal(connections(), 1);
  bridge.close();
});

test("an aborted signal throws its reason from a loop and a request, and close ends a loop", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => request.case === "subscribe" && send(frame(0)));
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

test("if the playback is moved, frames that were queued before are dropped", async (t) => {
  const { url, settled } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(frame(8), frame(9), { case: "playback", value: { step: 3n } }, frame(3), frame(4), matchEnd());
  });
  const frames = (await connect(url)).subscribe();
  await settled();
  assert.deepEqual((await all(frames)).map((each) => [each.step, each.seeked]), [[3, true], [4, false]]);
});

test("in lockstep each frame is acknowledged with its actions when the loop requests the next frame", async (t) => {
  /** @type {[bigint, number][]} */
  const acknowledged = [];
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "subscribe") {
      send(frame(0));
    } else if (request.case === "acknowledge") {
      const { step, actions } = request.value;
      acknowledged.push([step, actions.length]);
      const outcomes = actions.map(({ requestId }) => ({ requestId, step, outcomes: [{ result: 1 }] }));
      send(...(step < 2n ? [frame(Number(step) + 1, { outcomes })] : [matchEnd()]));
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
  assert.throws(() => frames.act([]), ClosedError);
});

test("an agent acts only with canAct, and while it has a frame", async (t) => {
  const { url } = await fakeBridge(t, (request, send) => request.case === "subscribe" && send(frame(0), frame(1)));
  const bridge = await connect(url);
  const [watching, playing] = [bridge.subscribe(), bridge.subscribe({ canAct: true })];
  assert.throws(() => playing.do({}), (error) => error instanceof SC2BridgeError && /after it receives a frame/.test(error.message));
  await watching.next();
  assert.throws(() => watching.do({}), (error) => error instanceof SC2BridgeError && /canAct: true/.test(error.message));
  bridge.close();
  assert.throws(() => playing.do({}), ClosedError);
});

test("collected actions are sent in one message when the loop asks for the next frame, or with the next act", async (t) => {
  /** @type {unknown[]} */
  const sent = [];
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "subscribe") {
      send(frame(0), frame(1));
    } else if (request.case === "actions") {
      const { step, requestId, actions } = request.value;
      sent.push([step, requestId, actions.map(({ actionChat }) => actionChat?.message)]);
      sent.length === 2 && send(matchEnd());
    }
  });
  const frames = (await connect(url)).subscribe({ canAct: true, reportTimes: false });
  const chat = (/** @type {string} */ message) => ({ actionChat: { message } });
  for await (const { step } of frames) {
    frames.do(chat("a"));
    if (step === 0) {
      frames.do(chat("b"));
    } else {
      frames.act([chat("c")]);
    }
  }
  assert.deepEqual(sent, [[0n, 1, ["a", "b"]], [1n, 2, ["a", "c"]]]);
});

test("an invalid message throws MalformedMessageError", async (t) => {
  for (const bytes of [new Uint8Array([0x0a, 0x05]), new Uint8Array([0xff]), "text"]) {
    const { url } = await fakeBridge(t, (_, __, socket) => socket.send(bytes));
    await assert.rejects(all((await connect(url)).subscribe()), MalformedMessageError);
  }
});

test("a logged connection or error does not show the token", async () => {
  for (const bridge of [await connect("ws://127.0.0.1:1?token=secret"), await connect("ws://127.0.0.1:1", { token: "secret" })]) {
    const shown = [bridge, bridge.subscribe()].map((each) => inspect(each, { depth: Infinity, showHidden: true })).join() + JSON.stringify(bridge);
    assert.match(shown, /127\.0\.0\.1:1/);
    assert.doesNotMatch(shown, /secret/);
    await assert.rejects(bridge.status(), (error) => error instanceof ConnectionLostError && !/secret/.test(inspect(error, { depth: Infinity, showHidden: true })));
    bridge.close();
  }
});

test("an invalid argument throws RangeError", async () => {
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

/** @param {number} requestId @returns {import("./fake.js").BridgeEvent} the answer to a control, with the request id as its step */
const played = (requestId) => ({ case: "control", requestId, value: { playback: { step: BigInt(requestId) } } });

/** Reads frames to the end. @param {AsyncIterable<import("sc2bridge").Frame>} frames */
async function all(frames) {
  const read = [];
  for await (const each of frames) {
    read.push(each);
  }
  return read;
}
