/**
 * A client of a bridge without the package: JSON over a WebSocket, and nothing else. It watches a match in lockstep.
 *
 *     ./sc2bridge match --player agent:terran --player computer:zerg:Easy --no-agents --wait 1
 *     node agent-js/examples/plain.js ws://127.0.0.1:8765/v1
 *
 * Node 22 and browsers have WebSocket. Node 20 has it with the option --experimental-websocket.
 * proto/sc2bridge/v1/bridge.proto documents the messages. In JSON, names are in lowerCamelCase, enums are names, 64-bit
 * numbers are text, and a field with its default value is left out.
 */

const PROTOCOL = 1; // The protocol version that this client was written for, and the oldest one that it works with.
const FRAMES_A_LINE = 22; // A second of game time, if a step is one game loop.

const url = process.argv[2] ?? "ws://127.0.0.1:8765/v1";
if (typeof WebSocket === "undefined") {
  fail("this Node has no WebSocket: use Node 22, or Node 20 with --experimental-websocket");
}
const socket = new WebSocket(url, "sc2bridge.json.v1");

/** The requests without an answer yet, by their ids. */
const waiting = new Map();
let lastId = 0;
let count = 0;
let hasEnded = false;

socket.addEventListener("open", () => start().catch((error) => fail(error.message)));
socket.addEventListener("message", ({ data }) => received(JSON.parse(data)));
socket.addEventListener("error", () => fail(`no connection to ${url}: is a bridge there, and new enough for sc2bridge.json.v1?`));
socket.addEventListener("close", ({ code, reason }) => {
  if (!hasEnded) {
    fail(`the bridge closed the connection: ${code} ${reason}`); // The code is 4000 and a gRPC status code.
  }
});

async function start() {
  const { bridgeVersion, protocolVersion = 0, capabilities = [] } = await ask({ hello: { protocolVersion: PROTOCOL, client: "plain.js 1.0" } });
  if (protocolVersion < PROTOCOL) {
    fail(`this client needs protocol ${PROTOCOL}, and bridge ${bridgeVersion} speaks protocol ${protocolVersion}: update the bridge`);
  }
  console.log(`bridge ${bridgeVersion}, protocol ${protocolVersion}: ${capabilities.join(", ")}`);

  const { match } = await ask({ describe: { withoutGameInfo: true, withoutData: true } }); // Waits until a match begins.
  console.log(`match ${match.matchId} on ${match.mapName}:`, match.players.map(({ playerId, race }) => `player ${playerId} ${race}`).join(", "));

  const { name } = await ask({ subscribe: { matchId: match.matchId, policy: "POLICY_LOCKSTEP", agent: "plain", exclude: ["PART_MAP_STATE"] } });
  console.log(`subscribed as ${name}`);
}

/** Sends a request, and returns its answer. The bridge can answer requests in any order. */
function ask(request) {
  const requestId = ++lastId;
  socket.send(JSON.stringify({ requestId, ...request }));
  return new Promise((resolve, reject) => waiting.set(requestId, { kind: Object.keys(request)[0], resolve, reject }));
}

function received(event) {
  const { requestId } = event;
  const asked = waiting.get(requestId);
  waiting.delete(requestId);
  if (event.error?.fatal) {
    fail(`the bridge ended the subscription: ${event.error.message} (status ${event.error.code})`);
  } else if (event.error) {
    asked ? asked.reject(new Error(event.error.message)) : console.log("the bridge reports:", event.error.message);
  } else if (asked) {
    asked.resolve(event[asked.kind]);
  } else if (event.frame) {
    step(event.frame).catch((error) => fail(error.message));
  } else if (event.matchEnd) {
    const { reason, detail, results = [] } = event.matchEnd;
    console.log(`the match has ended: ${detail || reason}`, results);
    hasEnded = true;
    socket.close(1000);
  }
}

/** Handles a frame. The match waits until it is acknowledged. */
async function step({ matchId, perspective, step = "0", gameLoop = 0, observation }) {
  const { playerCommon, rawData } = observation.observation;
  const own = rawData.units.filter(({ alliance }) => alliance === "Self");
  if (count % FRAMES_A_LINE === 0) {
    console.log(`step ${step}, game loop ${gameLoop}: ${own.length} own units, ${playerCommon.minerals ?? 0} minerals`);
  }
  if (count++ === FRAMES_A_LINE && own.length) {
    const query = { abilities: [{ unitTag: own[0].tag }] };
    const answer = await ask({ callGame: { matchId, perspective, request: { query } } }).catch((refused) => console.log(refused.message));
    if (answer) {
      console.log(`unit ${own[0].tag} can do ${answer.response.query.abilities[0].abilities?.length ?? 0} things`);
    }
  }
  socket.send(JSON.stringify({ acknowledge: { step } }));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
