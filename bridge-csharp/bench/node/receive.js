// The agent in Node that `sc2bridge compare` measures: it receives every observation, whole and uncompressed, over gRPC
// (@grpc/grpc-js) or the WebSocket (ws), parses it, and says when it held it and when it held it parsed.
//
//     node receive.js PROTO_FOLDER NODE_MODULES
//
// An order is a line of standard input, its answer a line of standard output, both JSON, as those of the Python agent
// (bench/python/sc2bridge_bench/receiving.py).
"use strict";
const path = require("path");
const readline = require("readline");
// The packages stand elsewhere.
const installed = require("module").createRequire(path.join(process.argv[3], "/"));
const grpc = installed("@grpc/grpc-js");
const protobuf = installed("protobufjs");
const WebSocket = installed("ws");

const PATIENCE_NS = 2e9;

// Of one machine: the bridge's stamps are of the same clock (CLOCK_MONOTONIC). Exact up to 104 days of uptime.
const now = () => Number(process.hrtime.bigint());
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

class Received {
  constructor(order) {
    this.order = order;
    this.countedFrom = null;
    this.lastStep = null;
    this.held = [];
    this.parsed = [];
    this.decode = [];
    this.bytes = [];
    this.lost = 0;
    this.began = this.ended = null;
  }

  // Takes a frame that was held at a moment; true where enough was received.
  take(frame, held, size) {
    const observed = Number(frame.observedNs);
    const step = Number(frame.step || 0);
    const parsed = now();
    this.countedFrom ??= observed + this.order.warm_up_seconds * 1e9;
    if (observed >= this.countedFrom) {
      this.ended = { ns: parsed, cpu: cpuSeconds() };
      // From the first on as many frames are received as there are periods between them.
      if (this.began === null) this.began = this.ended;
      else this.lost += step - this.lastStep - 1;
      this.lastStep = step;
      this.held.push((held - observed) / 1000);
      this.parsed.push((parsed - observed) / 1000);
      this.decode.push((parsed - held) / 1000);
      this.bytes.push(size);
    }
    return parsed - this.countedFrom > this.order.seconds * 1e9 + PATIENCE_NS;
  }

  result(agent) {
    return {
      agent,
      held_us: this.held,
      parsed_us: this.parsed,
      decode_us: this.decode,
      bytes: this.bytes,
      lost: this.lost,
      seconds: this.began ? (this.ended.ns - this.began.ns) / 1e9 : 0,
      cpu_seconds: this.began ? this.ended.cpu - this.began.cpu : 0,
      memory_bytes: process.memoryUsage.rss(),
    };
  }
}

const version = (name) => `${name} ${installed(`${name}/package.json`).version}`;

function receiveGrpc(order, types, received) {
  const client = new grpc.Client(order.url.slice("grpc://".length), grpc.credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
  return new Promise((resolve, reject) => {
    const request = types.SubscribeRequest.create({ policy: 3, overflow: 1, agent: "measured" });
    const call = client.makeServerStreamRequest(
      "/sc2bridge.v1.Bridge/Subscribe",
      (message) => Buffer.from(types.SubscribeRequest.encode(message).finish()),
      (bytes) => ({ held: now(), bytes }),
      request,
    );
    call.on("data", ({ held, bytes }) => {
      const event = types.Event.decode(bytes);
      if (event.frame && received.take(event.frame, held, bytes.length)) call.cancel();
    });
    call.on("error", (error) => (error.code === grpc.status.CANCELLED ? resolve() : reject(error)));
    call.on("end", resolve);
  }).finally(() => client.close());
}

function receiveSocket(order, types, received) {
  const isText = order.encoding === "json";
  const socket = new WebSocket(order.url, [`sc2bridge.v1.${order.encoding}`], {
    perMessageDeflate: false,
    maxPayload: 0,
  });
  return new Promise((resolve, reject) => {
    socket.on("open", () => {
      const subscribe = { policy: 3, overflow: 1, agent: "measured" };
      const text = { subscribe: { policy: "POLICY_EVERY", overflow: "OVERFLOW_PAUSE", agent: "measured" } };
      socket.send(isText ? JSON.stringify(text) : types.AgentMessage.encode({ subscribe }).finish());
    });
    socket.on("message", (data) => {
      const held = now();
      const event = isText ? JSON.parse(data) : types.Event.decode(data);
      if (event.frame ? received.take(event.frame, held, data.length) : event.matchEnd) socket.close();
    });
    socket.on("close", resolve);
    socket.on("error", reject);
  });
}

async function receive(order, types) {
  if (order.compression !== "none" || order.content !== "observation" || order.policy !== "every") {
    throw new Error("an agent in Node receives whole, uncompressed observations, every one");
  }
  const received = new Received(order);
  const isGrpc = order.url.startsWith("grpc://");
  await (isGrpc ? receiveGrpc : receiveSocket)(order, types, received);
  const parser = order.encoding === "json" ? "JSON.parse" : version("protobufjs");
  return received.result(`Node ${process.versions.node}, ${version(isGrpc ? "@grpc/grpc-js" : "ws")}, ${parser}`);
}

async function main(protoFolder) {
  const root = new protobuf.Root();
  root.resolvePath = (_, target) => path.join(protoFolder, target);
  root.loadSync("sc2bridge/v1/bridge.proto");
  const types = {};
  for (const name of ["Event", "SubscribeRequest", "AgentMessage"]) types[name] = root.lookupType(`sc2bridge.v1.${name}`);
  const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  say({ agent: process.versions.node });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    try {
      say({ result: await receive(JSON.parse(line), types) });
    } catch (error) {
      say({ error: error.message });
    }
  }
}

main(process.argv[2]);
