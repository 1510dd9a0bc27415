/** A fake bridge that sends the messages of a test. */

import { once } from "node:events";
import { createServer } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Content, EndReason, PlayRequestSchema, PlayResponseSchema } from "sc2bridge/v1/bridge";
import { WebSocketServer } from "ws";

/** @typedef {import("@bufbuild/protobuf").MessageInitShape<typeof PlayResponseSchema>["event"] & { requestId?: number }} BridgeEvent */
/** @typedef {import("sc2bridge/v1/bridge").PlayRequest["message"] & { requestId: number }} ClientRequest */

/**
 * Starts a fake bridge, which is closed at the end of the test.
 * @param {import("node:test").TestContext} t
 * @param {(request: ClientRequest, send: (...events: BridgeEvent[]) => void, socket: import("ws").WebSocket) => void} answer called for each request except hello
 * @param {BridgeEvent} hello the answer to hello
 * @param {import("node:http").RequestListener} serve answers requests that open no WebSocket
 * @returns {Promise<{ url: string, settled: () => Promise<void>, connections: () => number }>} `url`: its address. `settled`: waits until
 *   the client has received the first messages. `connections`: the number of connections so far
 */
export async function fakeBridge(t, answer, hello = { case: "hello", value: { bridgeVersion: "0.1.0", protocolVersion: 1 } }, serve = (_, answer) => answer.writeHead(426).end()) {
  const http = createServer(serve).listen(0, "127.0.0.1");
  const server = new WebSocketServer({ server: http });
  t.after(() => {
    server.clients.forEach((client) => client.terminate());
    server.close();
    http.close();
    http.closeAllConnections();
  });
  /** @type {() => void} */
  let settle = () => {};
  /** @type {Promise<void>} */
  const settled = new Promise((resolve) => (settle = resolve));
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    const sendOne = (/** @type {BridgeEvent} */ { requestId, ...event }) =>
      socket.send(toBinary(PlayResponseSchema, create(PlayResponseSchema, { requestId, event: /** @type {any} */ (event) })));
    const send = (/** @type {BridgeEvent[]} */ ...events) => {
      events.forEach(sendOne);
      socket.ping(); // The client answers a ping after it has received the messages before the ping.
    };
    socket.once("pong", settle).once("close", settle);
    socket.on("message", (data) => {
      const { message, requestId } = fromBinary(PlayRequestSchema, /** @type {Buffer} */ (data));
      message.case === "hello" ? sendOne({ ...hello, requestId }) : answer(/** @type {ClientRequest} */ ({ ...message, requestId }), send, socket);
    });
  });
  await once(http, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (http.address());
  return { url: `ws://127.0.0.1:${port}`, settled: () => settled, connections: () => connections };
}

/** A frame with one dead unit, one alert and one upgrade, which depend on the step. @param {number} step @param {object} more @returns {BridgeEvent} */
export function frame(step, more = {}) {
  const observation = { gameLoop: step, alerts: [1 + (step % 3)], rawData: { event: { deadUnits: [BigInt(step)] }, player: { upgradeIds: [step] } } };
  return {
    case: "frame",
    value: { matchId: "m", step: BigInt(step), gameLoop: step, content: Content.OBSERVATION, payload: { case: "observation", value: { observation } }, ...more },
  };
}

/** @returns {BridgeEvent} */
export const matchEnd = () => ({ case: "matchEnd", value: { matchId: "m", reason: EndReason.FINISHED } });
