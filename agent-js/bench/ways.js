/** The ways to a match's frames: each reads every unit's place in every frame, as a program that draws a map does. */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Client, credentials } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { WebSocket } from "ws";
import { connect } from "../dist/index.js";

/**
 * @typedef {{ grpc: string, web: string }} Addresses of a bridge
 * @typedef {{ step: number, bytes: number, places: number }} Read
 *   of a frame; bytes: of its message; places: the sum of its units' coordinates, NaN where none was read
 * @typedef {(addresses: Addresses, agent: string, take: (read: Read) => boolean) => Promise<void>} Way
 *   reads frames until `take` wants no more
 */

/** This package, connected so, subscribed to this. @returns {Way} */
const ours = (how, what, places) => async ({ web }, agent, take) => {
  const bridge = await connect(web, how);
  for await (const frame of bridge.subscribe({ ...what, agent, overflow: "pause", reportTimes: false })) {
    if (!take({ step: frame.step, bytes: frame.size, places: places(frame) })) {
      break;
    }
  }
  bridge.close();
};

const inColumns = ({ units }) => {
  const { pos } = units;
  let sum = 0;
  for (let row = 0; row < units.length; row++) {
    sum += pos[row * 3] + pos[row * 3 + 1];
  }
  return sum;
};

/** Of an observation as any of the libraries reads it. */
const inMessages = (content, float = Number) => {
  let sum = 0;
  for (const { pos } of content.observation.rawData.units) {
    sum += float(pos.x) + float(pos.y);
  }
  return sum;
};

const unread = () => NaN;

// protobufjs makes its code from the files when they are loaded: what is decoded is the same as with code made before.
const root = new protobuf.Root();
root.resolvePath = (_, path) => fileURLToPath(new URL(path, new URL("../../proto/", import.meta.url)));
root.loadSync("sc2bridge/v1/bridge.proto");
const PlayRequest = root.lookupType("sc2bridge.v1.PlayRequest");
const PlayResponse = root.lookupType("sc2bridge.v1.PlayResponse");
const { POLICY_EVERY } = root.lookupEnum("sc2bridge.v1.Policy").values;
const { OVERFLOW_PAUSE } = root.lookupEnum("sc2bridge.v1.Overflow").values;
const every = (agent) => PlayRequest.encode({ subscribe: { agent, policy: POLICY_EVERY, overflow: OVERFLOW_PAUSE } }).finish();

function takeDecoded(message, take) {
  const { frame } = PlayResponse.decode(message);
  return !frame || take({ step: Number(frame.step), bytes: message.length, places: inMessages(frame.observation) });
}

/** grpc-js, with something done to each message. @returns {Way} */
const byGrpc = (takeMessage) => ({ grpc }, agent, take) => {
  const client = new Client(grpc, credentials.createInsecure(), { "grpc.max_receive_message_length": -1 });
  const call = client.makeBidiStreamRequest("/sc2bridge.v1.BridgeService/Play", (request) => Buffer.from(request), (bytes) => bytes);
  call.end(every(agent));
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

/** @type {Way} */
const byWs = ({ web }, agent, take) =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(web, "sc2bridge.proto.v1", { perMessageDeflate: false });
    let isDone = false;
    socket.on("open", () => socket.send(every(agent)));
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

/** Which libraries they are of. */
export const LIBRARIES = ["@grpc/grpc-js", "protobufjs", "ws"].map(version);

/** The one that the others are compared with. */
export const PEER = "grpc-js + protobufjs";

/** @type {Record<string, Way>} */
export const WAYS = {
  [PEER]: byGrpc(takeDecoded),
  "ws + protobufjs": byWs,
  "sc2bridge, columns": ours({}, { content: "columns" }, inColumns),
  "sc2bridge, columns, group zstd": ours({}, { content: "columns", compression: "group-zstd" }, inColumns),
  "sc2bridge, observation's units": ours({}, {}, inColumns),
  "sc2bridge, observation's units, group zstd": ours({}, { compression: "group-zstd" }, inColumns),
  "sc2bridge, observation": ours({}, {}, (frame) => inMessages(frame.observation)),
  "sc2bridge, JSON": ours({ encoding: "json" }, {}, (frame) => inMessages(frame.json, Math.fround)),
  // 0x0a is the tag of PlayResponse.frame; the answer to the subscription comes first.
  "grpc-js, not decoded": byGrpc((message, take) => message[0] === 0x0a && take({ step: NaN, bytes: message.length, places: NaN })),
  "sc2bridge, observation, not parsed": ours({}, {}, unread),
};
