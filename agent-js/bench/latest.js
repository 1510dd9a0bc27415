/**
 * Measures the processor time that a slow agent under `latest` needs for each received frame, compared with another build of the
 * package, for example of an older commit:
 *
 *     node agent-js/bench/latest.js --other FOLDER/dist [--recording FILE] [--from LOOP] [--rounds N] [--frames N]
 *
 * A server sends the frames of a match, as a bridge has sent them, one every 5 ms. The agent reads the units of a frame, and then
 * waits for 100 ms, so that the package skips about 19 of 20 frames. In each round, each build reads once, in its own process.
 */

import { fork } from "node:child_process";
import { on, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import { WebSocket, WebSocketServer } from "ws";
import { Compression, Content, PlayRequestSchema, Policy } from "../dist/generated/sc2bridge/v1/bridge_pb.js";
import { inContext, playMatch, startBridge } from "../test/bridge.js";
import { machine, spread } from "./figures.js";

const WAYS = [
  ["observation", { content: "observation" }],
  ["columns", { content: "columns" }],
  ["observation, zstd", { content: "observation", compression: "zstd" }],
  ["observation, group zstd", { content: "observation", compression: "group-zstd" }],
  ["columns, group zstd", { content: "columns", compression: "group-zstd" }],
];

if (process.send) {
  const [url, dist, way] = process.argv.slice(2);
  process.send(await readOnce(url, dist, JSON.parse(way)));
  process.disconnect();
} else {
  await compare();
}

async function readOnce(url, dist, way) {
  const { connect } = await import(pathToFileURL(`${dist}/index.js`).href);
  const bridge = await connect(url);
  const frames = bridge.subscribe({ ...way, policy: "latest", reportTimes: false });
  await frames.next(); // Loads the code.
  const cpu = process.cpuUsage();
  let [read, rows] = [0, 0];
  try {
    for await (const frame of frames) {
      rows += frame.units.unitType.length;
      read++;
      await sleep(100);
    }
  } catch {
    // The server closes the connection after the last frame.
  }
  const { user, system } = process.cpuUsage(cpu);
  bridge.close();
  return { us: user + system, read, rows };
}

/** Receives messages of a bridge: the answers to hello and subscribe, then frames. */
async function receive(t, recording, from, count, { content, compression = "none" }) {
  const { url } = await startBridge(t, ["replay", recording, "--rate", "max", "--wait", "1", "--from", from, "--codec-log", "off", "--no-page"]);
  const socket = new WebSocket(url, "sc2bridge.proto.v1");
  const messages = [];
  await once(socket, "open");
  const subscribe = { policy: Policy.EVERY, content: Content[content.toUpperCase()], compression: Compression[compression.toUpperCase().replace("-", "_")] };
  for (const [requestId, message] of [[1, { case: "hello", value: { protocolVersion: 1 } }], [2, { case: "subscribe", value: subscribe }]]) {
    socket.send(toBinary(PlayRequestSchema, create(PlayRequestSchema, { requestId, message })));
  }
  for await (const [message] of on(socket, "message")) {
    messages.push(message);
    if (messages.length === count + 2) {
      break;
    }
  }
  socket.terminate();
  return messages;
}

/** Serves these messages to one client, with 5 ms between frames. */
async function serve(t, [hello, subscribed, ...frames]) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(async () => void server.close());
  server.on("connection", async (socket) => {
    socket.send(hello);
    await once(socket, "message");
    await once(socket, "message");
    socket.send(subscribed);
    socket.send(frames[0]);
    await sleep(500);
    for (const frame of frames.slice(1)) {
      socket.send(frame);
      await sleep(5);
    }
    socket.close(1000);
  });
  await once(server, "listening");
  return `ws://127.0.0.1:${server.address().port}`;
}

async function compare() {
  const { values: options } = parseArgs({
    options: {
      other: { type: "string" },
      recording: { type: "string" },
      from: { type: "string", default: "14500" },
      rounds: { type: "string", default: "5" },
      frames: { type: "string", default: "400" },
    },
  });
  if (!options.other) {
    throw new Error("the other build is missing: give --other FOLDER/dist");
  }
  const builds = [fileURLToPath(new URL("../dist", import.meta.url)), options.other];
  await inContext(async (t) => {
    const recording = options.recording ?? (await playMatch(t));
    console.log(`${machine()}; ${options.rounds} rounds`);
    console.log("| way | CPU a received frame, µs: median (least–most) | the other build | ratio, this / other |\n| --- | --- | --- | --- |");
    for (const [name, way] of WAYS) {
      const times = builds.map(() => []);
      const messages = await receive(t, recording, options.from, Number(options.frames), way);
      for (let round = 0; round < Number(options.rounds); round++) {
        for (const build of round % 2 ? [...builds].reverse() : builds) {
          const url = await serve(t, messages);
          const reader = fork(fileURLToPath(import.meta.url), [url, build, JSON.stringify(way)]);
          const [{ us }] = await once(reader, "message");
          times[builds.indexOf(build)].push(us / Number(options.frames));
        }
      }
      const ratios = times[0].map((us, round) => us / times[1][round]);
      console.log(`| ${name} | ${times.map((each) => spread(each)).join(" | ")} | ${spread(ratios, 2)} |`);
    }
  });
}
