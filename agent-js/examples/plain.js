/**
 * A client of a bridge that does not use the package sc2bridge, only JSON over a WebSocket. It watches a match in lockstep.
 *
 *     ./sc2bridge match --player agent:terran --player computer:zerg:Easy --no-agents --wait 1
 *     node agent-js/examples/plain.js ws://127.0.0.1:8765/v1
 *
 * Browsers and Node 22 have the class WebSocket. Node 20 has it with the option --experimental-websocket.
 * proto/sc2bridge/v1/bridge.proto documents the messages. In JSON, the names of fields are in lowerCamelCase, the values of
 * enums are names, and 64-bit numbers are text. Fields with their default value are missing.
 */

const PROTOCOL = 1; // The protocol version of this client. A bridge must have at least this version.
const FRAMES_PER_LINE = 22; // If a step is one game loop, this is about a second of game time.

const url = process.argv[2] ?? "ws://127.0.0.1:8765/v1";
if (typeof WebSocket === "undefined") {
  fail("this version of Node has no WebSocket: use Node 22, or Node 20 with --experimental-websocket");
}
const socket = new WebSocket(url, "sc2bridge.json.v1");

/** A JSON message. Its fields are in proto/sc2bridge/v1/bridge.proto. @typedef {Record<string, any>} Json */

/** The requests that have no answer yet, by their ids. @type {Map<number, { kind: string | undefined, resolve: (answer: Json) => void, reject: (error: Error) => void }>} */
const pendingRequests = new Map();
let lastId = 0;
let frameCount = 0;
let hasEnded = false;

socket.addEventListener("open", () => start().catch((error) => fail(error.message)));
socket.addEventListener("message", ({ data }) => handleEvent(JSON.parse(data)));
socket.addEventListener("error", () => fail(`no bridge answers at ${url}: check that it runs, its address, and that it is from version 0.1.0 on`));
socket.addEventListener("close", ({ code, reason }) => {
  if (!hasEnded) {
    fail(`the bridge closed the connection: ${code} ${reason}`); // The code is 4000 plus a gRPC status code.
  }
});

async function start() {
  const { bridgeVersion, protocolVersion = 0, capabilities = [] } = await ask({ hello: { protocolVersion: PROTOCOL, client: "plain.js 1.0" } });
  if (protocolVersion < PROTOCOL) {
    fail(`this client needs protocol ${PROTOCOL}, and bridge ${bridgeVersion} speaks protocol ${protocolVersion}: update the bridge`);
  }
  console.log(`bridge ${bridgeVersion}, protocol ${protocolVersion}: ${capabilities.join(", ")}`);

  const { match } = await ask({ describe: { withoutGameInfo: true, withoutData: true } }); // Waits until a match begins.
  console.log(`match ${match.matchId} on ${match.mapName}:`, match.players.map((/** @type {Json} */ { playerId, race }) => `player ${playerId} ${race}`).join(", "));

  await ask({ subscribe: { matchId: match.matchId, policy: "POLICY_LOCKSTEP", agent: "plain", exclude: ["PART_MAP_STATE"] } });
}

/** Sends a request and returns its answer. The bridge can answer requests in any order. @param {Json} request @returns {Promise<Json>} */
function ask(request) {
  const requestId = ++lastId;
  socket.send(JSON.stringify({ requestId, ...request }));
  return new Promise((resolve, reject) => pendingRequests.set(requestId, { kind: Object.keys(request)[0], resolve, reject }));
}

/** @param {Json} event */
function handleEvent(event) {
  if (event.subscribe) console.log(`subscribed as ${event.subscribe.name}`); // Printed here, so that it comes before the first frame.
  const { requestId } = event;
  const request = pendingRequests.get(requestId);
  pendingRequests.delete(requestId);
  if (event.error?.fatal) {
    fail(`the bridge ended the subscription: ${event.error.message} (status ${event.error.code})`);
  } else if (event.error) {
    request ? request.reject(new Error(event.error.message)) : console.log("the bridge reports:", event.error.message);
  } else if (request) {
    request.resolve(event[`${request.kind}`]);
  } else if (event.frame) {
    handleFrame(event.frame).catch((error) => fail(error.message));
  } else if (event.matchEnd) {
    const { reason, detail, results = [] } = event.matchEnd;
    console.log(`the match has ended: ${detail || reason}`, results);
    hasEnded = true;
    socket.close(1000);
  }
}

/** Handles a frame, then acknowledges it. The match waits for the acknowledgement. @param {Json} frame */
async function handleFrame({ matchId, perspective, step = "0", gameLoop = 0, observation }) {
  const { playerCommon, rawData } = observation.observation;
  const own = rawData.units.filter((/** @type {Json} */ { alliance }) => alliance === "Self");
  if (frameCount % FRAMES_PER_LINE === 0) {
    console.log(`step ${step}, game loop ${gameLoop}: ${own.length} own units, ${playerCommon.minerals ?? 0} minerals`);
  }
  if (frameCount++ === FRAMES_PER_LINE && own.length) {
    const query = { abilities: [{ unitTag: own[0].tag }] };
    const answer = await ask({ callGame: { matchId, perspective, request: { query } } }).catch((refusal) => console.log(refusal.message));
    if (answer) {
      console.log(`unit ${own[0].tag} can do ${answer.response.query.abilities[0].abilities?.length ?? 0} things`);
    }
  }
  socket.send(JSON.stringify({ acknowledge: { step } }));
}

/** Prints a message and ends the program. @param {string} message */
function fail(message) {
  console.error(message);
  process.exit(1);
}
