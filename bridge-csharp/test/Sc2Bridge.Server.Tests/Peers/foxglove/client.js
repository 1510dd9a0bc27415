// client.js URL SUB_PROTOCOL watch|control: follows a match with npm's @foxglove/ws-protocol. It subscribes to every channel,
// decodes each message with the advertised schema, and compares scenes and grids with the observations of the same time,
// until each has arrived. With `control`, it seeks in the playback. Prints what it received.
'use strict';

const WebSocket = require('ws');
const { FoxgloveClient } = require('@foxglove/ws-protocol');
const { protobufFromBinaryDescriptor } = require('@mcap/support');

const [, , url, subProtocol, task] = process.argv;
const heard = { info: null, channels: {}, counts: {}, compared: { units: 0, creep: 0, visibility: 0 }, times: 0, statuses: [], states: [] };
const types = new Map();
const topics = new Map();
const observations = new Map();
const shown = [];
const waiting = [];

function fail(why) {
  throw new Error(why);
}

function cells(image) {
  const count = image.size.x * image.size.y;
  return Array.from({ length: count }, (_, at) =>
    image.bits_per_pixel === 1 ? (image.data[at >> 3] >> (7 - (at & 7))) & 1 : image.data[at]);
}

function compareGrid(kind, grid, image) {
  const field = grid.fields.find((one) => one.name === kind);
  const values = cells(image);
  if (grid.column_count !== image.size.x || grid.data.length !== grid.row_stride * image.size.y) {
    fail(`a grid of ${kind} has another size than its image`);
  }
  // Row 0 of both is the map's lower edge.
  const there = values.map((_, at) => grid.data[at * grid.cell_stride + field.offset]);
  if (there.some((value, at) => value !== values[at])) {
    fail(`a grid of ${kind} has other values than its image`);
  }
  heard.compared[kind]++;
}

function compareUnits(scene, observation) {
  const units = observation.observation.raw_data.units;
  const entities = new Map(scene.entities.map((entity) => [entity.id, entity]));
  if (scene.entities.length !== units.length || scene.deletions.length !== 1 || scene.deletions[0].type !== 1) {
    fail(`a scene of ${scene.entities.length} entities has ${units.length} units`);
  }
  for (const unit of units) {
    const entity = entities.get(unit.tag.toString());
    const { position } = [...entity.cubes, ...entity.cylinders][0].pose;
    if (position.x !== unit.pos.x || position.y !== unit.pos.y || position.z <= unit.pos.z) {
      fail(`unit ${unit.tag} stands elsewhere in the scene`);
    }
    const facts = Object.fromEntries(entity.metadata.map(({ key, value }) => [key, value]));
    if (facts.unit_type !== String(unit.unit_type) || facts.owner !== String(unit.owner)) {
      fail(`unit ${unit.tag} is another in the scene`);
    }
  }
  heard.compared.units++;
}

function hear({ subscriptionId, timestamp, data }) {
  const topic = topics.get(subscriptionId);
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const message = types.get(topic).decode(bytes);
  heard.counts[topic] = (heard.counts[topic] ?? 0) + 1;
  const [, kind, perspective] = topic.split('/');
  if (kind === 'observation') {
    observations.set(perspective, { timestamp, message });
    shown.push({ timestamp, loop: message.observation.game_loop });
  }
  const seen = observations.get(perspective);
  if (seen?.timestamp === timestamp) {
    const map = seen.message.observation.raw_data.map_state;
    ({ units: () => compareUnits(message, seen.message), creep: () => compareGrid(kind, message, map.creep),
       visibility: () => compareGrid(kind, message, map.visibility) })[kind]?.();
  }
  waiting.splice(0).forEach((look) => look());
}

const socket = new WebSocket(url, [subProtocol]);
const client = new FoxgloveClient({ ws: socket });

// The package is older than the protocol's playback control.
const messageOf = socket.onmessage;
const answers = new Map();
socket.onmessage = (event) => {
  const view = typeof event.data === 'string' ? null : new DataView(event.data);
  if (view?.getUint8(0) !== 5) {
    messageOf(event);
    return;
  }
  const id = Buffer.from(event.data, 19, view.getUint32(15, true)).toString();
  const [status, seeked] = [view.getUint8(1), view.getUint8(14) === 1];
  const state = { status, time: view.getBigUint64(2, true), speed: view.getFloat32(10, true), seeked };
  heard.states.push({ ...state, time: String(state.time), id });
  answers.get(id)?.(state);
  waiting.splice(0).forEach((look) => look());
};

function control({ pause = false, speed, seek }) {
  const id = `request ${answers.size}`;
  const bytes = Buffer.alloc(19 + id.length);
  bytes.set([3, pause ? 1 : 0]);
  bytes.writeFloatLE(speed, 2);
  bytes[6] = seek === undefined ? 0 : 1;
  bytes.writeBigUInt64LE(seek ?? 0n, 7);
  bytes.writeUInt32LE(id.length, 15);
  bytes.write(id, 19);
  socket.send(bytes);
  return new Promise((answered) => answers.set(id, answered));
}

// Checks after each message.
async function until(found) {
  while (!found()) {
    await new Promise((look) => waiting.push(look));
  }
}
const nanoseconds = ({ sec, nsec }) => BigInt(sec) * 1000000000n + BigInt(nsec);

async function watch() {
  await until(() => [...topics.values()].every((topic) => heard.counts[topic]) && Object.values(heard.compared).every(Boolean));
  client.close();
}

async function move() {
  const { dataStartTime, dataEndTime } = heard.info;
  const [start, end] = [nanoseconds(dataStartTime), nanoseconds(dataEndTime)];
  await until(() => shown.length > 0);
  const paused = await control({ pause: true, speed: 1 });
  heard.moves = [];
  for (const share of [2n, 4n, 3n]) {
    const seek = start + (end - start) / share;
    const [before, states] = [shown.length, heard.states.length];
    const state = await control({ pause: true, speed: paused.speed, seek });
    const find = () => shown.slice(before).find(({ timestamp }) => timestamp === state.time);
    // The frame reports the jump, once. The answer does not.
    const told = () => heard.states.slice(states).filter(({ seeked }) => seeked);
    await until(() => find() && told().length > 0);
    const seeked = told().length === 1 && told()[0].time === String(state.time) && !state.seeked;
    heard.moves.push({ asked: String(seek), shown: String(find().timestamp), loop: find().loop, seeked });
  }
  const before = heard.moves.at(-1).loop;
  const on = await control({ speed: 4 });
  await until(() => shown.at(-1).loop >= before + 3 && heard.counts['/step']);
  heard.paused = paused.status;
  heard.on = on;
  client.unsubscribe(0);
  await control({ pause: true, speed: -1 });
  client.close();
}

client.on('serverInfo', ({ op, ...info }) => (heard.info = info));
client.on('status', (status) => heard.statuses.push(status));
client.on('time', () => heard.times++);
client.on('message', hear);
client.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
client.on('advertise', (channels) => {
  for (const { id, topic, encoding, schemaName, schema, schemaEncoding } of channels) {
    types.set(topic, protobufFromBinaryDescriptor(Buffer.from(schema, 'base64')).lookupType(schemaName));
    heard.channels[topic] = [encoding, schemaEncoding, schemaName];
    topics.set(client.subscribe(id), topic);
  }
  (task === 'control' ? move : watch)().catch((error) => {
    console.error(error);
    process.exit(1);
  });
});
client.on('close', ({ code, reason }) => {
  console.log(JSON.stringify({ ...heard, code, reason }, (_, value) => (typeof value === 'bigint' ? String(value) : value)));
});
