import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { connect } from "sc2bridge";
import { WebSocketServer } from "ws";
import { fakeBridge, frame, matchEnd } from "./fake.js";

test("under latest a slow agent gets the newest frame, with the events of the skipped frames", async (t) => {
  const { url, settled } = await fakeBridge(t, (request, send) => {
    if (request.case === "subscribe") {
      send(frame(0), frame(1), frame(2, { skipped: { frames: 2n, firstStep: 5n, deadUnits: [77n], alerts: [9], upgradeIds: [500] } }), frame(3), matchEnd());
    }
  });
  const bridge = await connect(url);
  const frames = bridge.subscribe({ policy: "latest" });
  await settled(); // All frames have arrived before the loop begins.
  const [newest, ...others] = await all(frames);
  assert.equal(others.length, 0);
  assert.equal(newest?.step, 3);
  const { skipped } = /** @type {import("sc2bridge").Frame} */ (newest);
  assert.deepEqual(skipped && [skipped.frames, skipped.firstStep, skipped.deadUnits, skipped.alerts, skipped.upgradeIds, skipped.truncatedFrames], [
    5n, 0n, [0n, 1n, 77n, 2n], [1, 2, 9, 3], [0, 1, 2, 500], 0n,
  ]);
});

test("under latest a skipped frame is not parsed, unless its events are read", async (t) => {
  const count = 200;
  const { url, settled } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(...Array.from({ length: count + 1 }, (_, step) => frame(step)));
  });
  const bridge = await connect(url);
  const reads = t.mock.method(BinaryReader.prototype, "tag");
  const frames = bridge.subscribe({ policy: "latest", reportTimes: false });
  await settled();
  const newest = (await frames.next()).value;
  assert.equal(newest?.step, count);
  assert.ok(newest?.units.length === 0 && newest.observation.observation?.gameLoop === count);
  const few = reads.mock.callCount() / count;
  assert.ok(few >= 1 && few < 2, `${few} fields were read for each skipped frame, and not only the first field of its message`);
  assert.deepEqual([newest?.skipped?.frames, newest?.skipped?.deadUnits.length], [BigInt(count), count]);
  assert.ok(reads.mock.callCount() / count > 5);
  bridge.close();
});

test("under latest, JSON of a skipped frame is not parsed, unless its events are read", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(() => server.close());
  const text = (/** @type {number} */ step) => JSON.stringify({ frame: { step: `${step}`, observation: { observation: { gameLoop: step, rawData: { event: { deadUnits: [`${step}`] } } } } } });
  const settled = new Promise((resolve) => server.on("connection", (socket) => {
    socket.send('{"requestId":1,"hello":{"protocolVersion":1}}');
    socket.once("pong", resolve).on("message", (data) => {
      if (JSON.parse(`${data}`).subscribe) {
        [1, 2, 3, 4].forEach((step) => socket.send(text(step)));
        socket.ping(); // The client answers a ping after it has received the messages before the ping.
      }
    });
  }));
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const bridge = await connect(`ws://127.0.0.1:${port}`, { encoding: "json" });
  const frames = bridge.subscribe({ policy: "latest", reportTimes: false });
  await settled;
  const parsed = t.mock.method(JSON, "parse");
  const newest = (await frames.next()).value;
  assert.deepEqual([newest?.step, parsed.mock.callCount()], [4, 1]);
  assert.deepEqual([newest?.skipped?.deadUnits, parsed.mock.callCount()], [[1n, 2n, 3n], 4]);
  bridge.close();
});

const large = /** @type {const} */ ({ case: "observation", value: { observation: { rawData: { mapState: { visibility: { data: new Uint8Array(1 << 20) } } } } } });

test("skipped frames that would need too much memory are summarized before their events are read", async (t) => {
  const { url, settled } = await fakeBridge(t, (request, send) => {
    request.case === "subscribe" && send(...Array.from({ length: 40 }, (_, step) => frame(step, { payload: large })), frame(40), matchEnd());
  });
  const reads = t.mock.method(BinaryReader.prototype, "tag");
  const frames = (await connect(url)).subscribe({ policy: "latest" });
  await settled();
  const [newest] = await all(frames);
  assert.ok(reads.mock.callCount() > 40 * 5, `${reads.mock.callCount()} fields were read`);
  assert.deepEqual([newest?.step, newest?.skipped?.frames, newest?.skipped?.firstStep], [40, 40n, 0n]);
});

/** Reads frames to the end. @param {AsyncIterable<import("sc2bridge").Frame>} frames */
async function all(frames) {
  const read = [];
  for await (const each of frames) {
    read.push(each);
  }
  return read;
}
