/** A bridge of a test's own, which sends what the test gives it. */

import { once } from "node:events";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Content, EndReason, PlayRequestSchema, PlayResponseSchema } from "sc2bridge/v1/bridge";
import { WebSocketServer } from "ws";

/** @typedef {import("@bufbuild/protobuf").MessageInitShape<typeof PlayResponseSchema>["event"] & { requestId?: number }} Said */
/** @typedef {import("sc2bridge/v1/bridge").PlayRequest["message"] & { requestId: number }} Heard */

/**
 * @param {import("node:test").TestContext} t
 * @param {(heard: Heard, say: (...events: Said[]) => void, socket: import("ws").WebSocket) => void} answer hello is answered before
 * @param {Said} hello
 * @returns {Promise<{ url: string, settled: () => Promise<void>, connections: () => number }>} its address; a wait until the client holds what
 *   was said first; and how many connections there were
 */
export async function fakeBridge(t, answer, hello = { case: "hello", value: { bridgeVersion: "0.1.0", protocolVersion: 1 } }) {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  t.after(() => {
    server.clients.forEach((client) => client.terminate());
    server.close();
  });
  /** @type {() => void} */
  let settle = () => {};
  /** @type {Promise<void>} */
  const settled = new Promise((resolve) => (settle = resolve));
  let connections = 0;
  server.on("connection", (socket) => {
    connections++;
    const send = (/** @type {Said} */ { requestId, ...event }) =>
      socket.send(toBinary(PlayResponseSchema, create(PlayResponseSchema, { requestId, event: /** @type {any} */ (event) })));
    const say = (/** @type {Said[]} */ ...events) => {
      events.forEach(send);
      socket.ping(); // Answered in its turn.
    };
    socket.once("pong", settle).once("close", settle);
    socket.on("message", (data) => {
      const { message, requestId } = fromBinary(PlayRequestSchema, /** @type {Buffer} */ (data));
      message.case === "hello" ? send({ ...hello, requestId }) : answer(/** @type {Heard} */ ({ ...message, requestId }), say, socket);
    });
  });
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `ws://127.0.0.1:${port}`, settled: () => settled, connections: () => connections };
}

/** A frame with one dead unit and one alert of its own. @param {number} step @param {object} more @returns {Said} */
export function frame(step, more = {}) {
  const observation = { gameLoop: step, alerts: [1 + (step % 3)], rawData: { event: { deadUnits: [BigInt(step)] }, player: { upgradeIds: [step] } } };
  return {
    case: "frame",
    value: { matchId: "m", step: BigInt(step), gameLoop: step, content: Content.OBSERVATION, payload: { case: "observation", value: { observation } }, ...more },
  };
}

/** @returns {Said} */
export const matchEnd = () => ({ case: "matchEnd", value: { matchId: "m", reason: EndReason.FINISHED } });
