// node_client.js DESCRIPTORS URL SUB_PROTOCOL deflate|plain: follows a match to its end, and prints what arrived.
'use strict';

const crypto = require('crypto');
const WebSocket = require('ws');

const [, url, subProtocol, compression] = process.argv.slice(2);
const isJson = subProtocol === 'sc2bridge.json.v1';
const frames = [];
const other = [];

function varint(bytes, at) {
  let value = 0n;
  let shift = 0n;
  for (;;) {
    const byte = bytes[at++];
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      return [value, at];
    }
  }
}

// PlayResponse.frame is field 1 of an event; Frame.step is 3, Frame.outcomes 8, Frame.observation 15.
function hearBinary(bytes) {
  let key;
  let length;
  let at;
  [key, at] = varint(bytes, 0);
  const names = { 1: 'frame', 2: 'error', 3: 'match_end', 4: 'clock', 8: 'actions_outcome', 11: 'describe', 16: 'subscribe' };
  const name = names[Number(key >> 3n)];
  if (name !== 'frame') {
    other.push(name);
    return;
  }

  [, at] = varint(bytes, at);
  let step = 0;
  const outcomes = [];
  while (at < bytes.length) {
    [key, at] = varint(bytes, at);
    if ((key & 7n) === 0n) {
      let value;
      [value, at] = varint(bytes, at);
      step = key >> 3n === 3n ? Number(value) : step;
      continue;
    }

    [length, at] = varint(bytes, at);
    if (key >> 3n === 8n) {
      // ActionsOutcome { step, outcomes { result: 1 } }. The outcomes are last.
      outcomes.push(bytes[at + Number(length) - 1]);
    }

    if (key >> 3n === 15n) {
      const observation = bytes.subarray(at, at + Number(length));
      const tail = crypto.createHash('sha256').update(observation).digest('hex');
      frames.push({ step, outcomes, bytes: bytes.length, tail });
    }

    at += Number(length);
  }

  // PlayRequest: acknowledge { step, actions { step, actions { action_raw { unit_command { ability_id: 16, unit_tags }
  // } } } }.
  const command = Buffer.from([...field(1, 16n), ...field(4, (1n << 40n) + BigInt(step))]);
  const action = within(1, within(1, command));
  const deed = within(3, Buffer.concat([Buffer.from(field(1, BigInt(step))), within(2, action)]));
  socket.send(within(2, Buffer.concat([Buffer.from(field(1, BigInt(step))), deed])));
}

function numbers(value) {
  const bytes = [];
  for (; value >= 0x80n; value >>= 7n) {
    bytes.push(Number(value & 0x7fn) | 0x80);
  }
  return [...bytes, Number(value)];
}

const field = (number, value) => [number << 3, ...numbers(value)];
const within = (number, bytes) => Buffer.from([(number << 3) | 2, ...numbers(BigInt(bytes.length)), ...bytes]);

function hearText(text) {
  const event = JSON.parse(text);
  if (event.frame) {
    const loop = event.frame.observation.observation.gameLoop;
    const step = Number(event.frame.step ?? 0);
    const outcomes = (event.frame.outcomes ?? []).flatMap((told) => told.outcomes.map((outcome) => outcome.result));
    frames.push({ step, outcomes, bytes: Buffer.byteLength(text), gameLoop: loop });
    const command = { abilityId: 16, unitTags: [String((1n << 40n) + BigInt(step))] };
    const deed = { step, actions: [{ actionRaw: { unitCommand: command } }] };
    socket.send(JSON.stringify({ acknowledge: { step, actions: [deed] } }));
  } else {
    other.push(Object.keys(event)[0]);
  }
}

const socket = new WebSocket(url, [subProtocol], { perMessageDeflate: compression === 'deflate', maxPayload: 0 });
socket.on('open', () => {
  if (isJson) {
    socket.send(JSON.stringify({ clock: { agentNs: '5' } }));
    socket.send(JSON.stringify({ describe: { withoutData: true } }));
    socket.send(JSON.stringify({ subscribe: { agent: 'peer', policy: 'POLICY_LOCKSTEP', canAct: true } }));
  } else {
    // PlayRequest: clock { agent_ns: 5 }, describe { without_data: true }, subscribe { policy: 1, agent: "peer",
    // canAct: true }.
    socket.send(Buffer.from([0x1a, 0x02, 0x08, 0x05]));
    socket.send(within(11, Buffer.from([0x18, 0x01])));
    socket.send(within(1, Buffer.from([0x18, 0x01, 0x32, 0x04, ...Buffer.from('peer'), 0x50, 0x01])));
  }
});
socket.on('message', (data, isBinary) => (isBinary ? hearBinary(data) : hearText(data.toString('utf8'))));
socket.on('error', (error) => {
  console.error(error.message);
  process.exitCode = 1;
});
socket.on('close', (code, reason) => {
  const compressed = socket.extensions.includes('permessage-deflate');
  console.log(JSON.stringify({ frames, other, code, reason: reason.toString(), compressed }));
});
