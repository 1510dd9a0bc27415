import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { WebSocketServer } from "ws";
import { startBridge } from "./bridge.js";

const PROGRAM = fileURLToPath(new URL("../examples/plain.js", import.meta.url));
/** @param {string} url */
const run = (url) => promisify(execFile)(process.execPath, [...("WebSocket" in globalThis ? [] : ["--experimental-websocket", "--no-warnings"]), PROGRAM, url]);

test("examples/plain.js sends hello, describes the match, watches in lockstep and sends a query", async (t) => {
  const { url } = await startBridge(t, [
    "match", "--game", "simulated", "--player", "agent:terran", "--player", "computer:zerg:Easy", "--wait", "1", "--steps", "50", "--rate", "max", "--no-recording",
  ]);
  const { stdout } = await run(url);
  assert.match(stdout, /^bridge \S+, protocol 1: .*call-game.*\nmatch \S+ on .+: player 1 PLAYER_RACE_TERRAN, player 2 PLAYER_RACE_ZERG\n/);
  assert.match(stdout, /\nsubscribed as plain\nstep 0, .* own units, 50 minerals\nstep 22, .*\nunit \d+ can do [1-9]\d* things\nstep 44, .*\nthe match has ended: .+\n$/s);
});

test("examples/plain.js refuses a bridge with an older protocol version", async (t) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(() => server.close());
  server.on("connection", (socket) => socket.once("message", () => socket.send('{"requestId":1,"hello":{"bridgeVersion":"0.0.9"}}')));
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await assert.rejects(run(`ws://127.0.0.1:${port}/v1`), { code: 1, stderr: "this client needs protocol 1, and bridge 0.0.9 speaks protocol 0: update the bridge\n" });
});
