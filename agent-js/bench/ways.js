/** Ways to read the frames of a match. All but the last two read the position of every unit, like a program that draws a map. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Client, credentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";

/**
 * @typedef {{ grpc: string, web: string }} Addresses the addresses of a bridge
 * @typedef {{ step: number, bytes: number, places: number }} Read the data of a frame. `bytes`: the size of its message.
 *   `places`: the sum of the x and y of all units, NaN if the way does not read them
 * @typedef {(addresses: Addresses, agent: string, take: (read: Read) => boolean) => Promise<void>} Way
 *   reads frames, and passes each to `take`, until `take` returns false
 */

/** This package. `how`: the options of the connection. `what`: the options of the subscription. @returns {Way} */
const byPackage = (how, what, places) => async ({ web }, agent, take) => {
  const bridge = await connect(web, how);
  for await (const frame of bridge.subscribe({ ...what, agent, overflow: "pause", reportTimes: false })) {
    if (!take({ step: frame.step, bytes: frame.size, places: places(frame) })) {
      break;
    }
  }
  bridge.close();
};

/** Sums the positions in the table of units. */
const sumOfTable = ({ units }) => {
  const { pos } = units;
  let sum = 0;
  for (let row = 0; row < units.length; row++) {
    sum += pos[row * 3] + pos[row * 3 + 1];
  }
  return sum;
};

/** Sums the positions in an observation, as a message of any library or as JSON. */
const sumOfMessages = (content, float = Number) => {
  let sum = 0;
  for (const { pos } of content.observation.rawData.units) {
    sum += float(pos.x) + float(pos.y);
  }
  return sum;
};

const notRead = () => NaN;

// protobufjs generates its code when it loads the files. This code is as fast as code that is generated in advance.
const root = new protobuf.Root();
root.resolvePath = (_, path) => fileURLToPath(new URL(path, new URL("../../proto/", import.meta.url)));
root.loadSync("sc2bridge/v1/bridge.proto");
const PlayRequest = root.lookupType("sc2bridge.v1.PlayRequest");
const PlayResponse = root.lookupType("sc2bridge.v1.PlayResponse");
const { POLICY_EVERY } = root.lookupEnum("sc2bridge.v1.Policy").values;
const { OVERFLOW_PAUSE } = root.lookupEnum("sc2bridge.v1.Overflow").values;
const subscribeRequest = (agent) => PlayRequest.encode({ subscribe: { agent, policy: POLICY_EVERY, overflow: OVERFLOW_PAUSE } }).finish();

function takeDecoded(message, take) {
  const { frame } = PlayResponse.decode(message);
  return !frame || take({ step: Number(frame.step), bytes: message.length, places: sumOfMessages(frame.observation) });
}

/** grpc-js. `takeMessage`: a function that reads a message, and calls `take`. @returns {Way} */
const byGrpc = (takeMessage) => ({ grpc }, agent, take) => {
  const client = new Client(grpc, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const call = client.makeBidiStreamRequest("/sc2bridge.v1.BridgeService/Play", (request) => Buffer.from(request), (bytes) => bytes);
  call.end(subscribeRequest(agent));
  return new Promise((resolve, reject) => {
    let isDone = false;
    call.on("error", (error) => (isDone ? resolve() : reject(error)));
    call.on("end", () => (isDone ? resolve() : reject(new Error("the stream ended"))));
    call.on("data", (message) => {
      if (!isDone && !takeMessage(message, take)) {
        isDone = true;
        call.cancel();
      }
    });
  }).finally(() => client.close());
};

/** The library ws, with protobufjs. @type {Way} */
const byWs = ({ web }, agent, take) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(web, "sc2bridge.proto.v1", { perMessageDeflate: false });
    let isDone = false;
    socket.on("open", () => socket.send(subscribeRequest(agent)));
    socket.on("message", (message) => {
      if (!isDone && !takeDecoded(message, take)) {
        isDone = true;
        socket.close();
      }
    });
    socket.on("error", reject);
    socket.on("close", (code, reason) => (isDone ? resolve() : reject(new Error(`the bridge closed: ${code} ${reason}`))));
  });

const require = createRequire(import.meta.url);
const version = (name) => `${name} ${require(`${name}/package.json`).version}`;

/** The other libraries and their versions. */
export const LIBRARIES = ["@grpc/grpc-js", "protobufjs", "ws"].map(version);

/** The way with which all other ways are compared. */
export const PEER = "grpc-js + protobufjs";

/** @type {Record<string, Way>} */
export const WAYS = {
  [PEER]: byGrpc(takeDecoded),
  "ws + protobufjs": byWs,
  "sc2bridge, columns": byPackage({}, { content: "columns" }, sumOfTable),
  "sc2bridge, columns, group zstd": byPackage({}, { content: "columns", compression: "group-zstd" }, sumOfTable),
  "sc2bridge, observation's units": byPackage({}, {}, sumOfTable),
  "sc2bridge, observation's units, group zstd": byPackage({}, { compression: "group-zstd" }, sumOfTable),
  "sc2bridge, observation": byPackage({}, {}, (frame) => sumOfMessages(frame.observation)),
  "sc2bridge, JSON": byPackage({ encoding: "json" }, {}, (frame) => sumOfMessages(frame.json, Math.fround)),
  // 0x0a is the tag of PlayResponse.frame. The first message is the answer to the subscription, and not a frame.
  "grpc-js, not decoded": byGrpc((message, take) => message[0] === 0x0a && take({ step: NaN, bytes: message.length, places: NaN })),
  "sc2bridge, observation, not parsed": byPackage({}, {}, notRead),
};
