import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { BridgeError, connect, StatusCode } from "sc2bridge";
import { VERSION } from "../dist/protocol/versions.js";
import { fakeBridge, frame } from "./fake.js";

test("a request is sent in the name of the newest open subscription, on another WebSocket", async (t) => {
  /** @type {unknown[]} */
  const asked = [];
  const { url, connections } = await fakeBridge(t, (request, send) => {
    if (request.case === "subscribe") {
      setTimeout(() => send({ case: "subscribe", requestId: request.requestId, value: { sessionId: "5ec2e7", name: "me 2" } }, frame(0, { perspective: 0 })), 20);
    } else if (request.case === "callGame") {
      asked.push([request.value.sessionId, request.value.perspective]);
      send({ case: "callGame", requestId: request.requestId, value: { response: { id: 7 } } });
    }
  });
  const bridge = await connect(url);
  const frames = bridge.subscribe({ agent: "me" });
  assert.equal((await frames.request({})).id, 7); // The request waits until the bridge has accepted the subscription.
  assert.deepEqual([frames.name, (await frames.next()).value?.perspective], ["me 2", 0]);
  await frames.request({});
  await bridge.request({}, { perspective: 1 });
  frames.close();
  await bridge.request({});
  assert.deepEqual([asked, connections()], [[["5ec2e7", undefined], ["5ec2e7", 0], ["5ec2e7", 1], ["", undefined]], 2]);
  bridge.close();
});

test("if the bridge has ended a subscription, requests of its connection are sent without its name", async (t) => {
  /** @type {string[]} */
  const asked = [];
  const { url } = await fakeBridge(t, (request, send) => {
    if (request.case === "subscribe") {
      send({ case: "subscribe", requestId: request.requestId, value: { sessionId: "5ec2e7", name: "me" } });
    } else if (request.case === "callGame") {
      asked.push(request.value.sessionId);
      send(
        request.value.sessionId
          ? { case: "error", requestId: request.requestId, value: { code: StatusCode.FAILED_PRECONDITION, message: "this session has ended" } }
          : { case: "callGame", requestId: request.requestId, value: { response: { id: 7 } } },
      );
    }
  });
  const bridge = await connect(url);
  const frames = bridge.subscribe({ agent: "me" });
  await assert.rejects(frames.request({}), /this session has ended/);
  assert.equal((await bridge.request({})).id, 7);
  assert.deepEqual(asked, ["5ec2e7", "5ec2e7", ""]);
  bridge.close();
});

test("an incompatible bridge throws one error with both versions from each call", async (t) => {
  assert.equal(VERSION, JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version);
  const refusal = "client sc2bridge-js 0.1.0 speaks protocol 1, and bridge 9.0.0 serves protocol 2 to 9: update the client";
  for (const [hello, message] of /** @type {[import("./fake.js").BridgeEvent, string][]} */ ([
    [{ case: "hello", value: { bridgeVersion: "0.0.9" } }, `bridge 0.0.9 speaks protocol 0, and sc2bridge-js ${VERSION} needs protocol 1: update the bridge`],
    [{ case: "error", value: { code: StatusCode.FAILED_PRECONDITION, message: refusal } }, refusal],
  ])) {
    const { url } = await fakeBridge(t, () => {}, hello);
    const bridge = await connect(url, { retrySeconds: 60 });
    await assert.rejects(bridge.hello(), BridgeError);
    for (const each of [bridge.subscribe().next(), bridge.status(), bridge.describe()]) {
      await assert.rejects(each, (error) => error instanceof BridgeError && error.code === StatusCode.FAILED_PRECONDITION && error.message === message);
    }
  }
});

test("a bridge that does not know the sub-protocol is reported as older than 0.1.0", async (t) => {
  const server = createServer((_, answer) => answer.writeHead(426).end("This is a WebSocket: connect to it with sub-protocol sc2bridge.v1.json (text)."));
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const bridge = await connect(`ws://127.0.0.1:${port}`, { retrySeconds: 60 });
  await assert.rejects(bridge.subscribe().next(), /^BridgeError: ws:\S+ is a bridge from before 0\.1\.0, or not a bridge, and sc2bridge-js \S+ needs protocol 1: update the bridge$/);
});
