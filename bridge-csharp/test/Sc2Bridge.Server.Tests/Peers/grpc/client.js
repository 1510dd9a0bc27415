// A @grpc/grpc-js client without generated code: it runs one scenario, and prints the results as one line of JSON.
//
//     node client.js ADDRESS DESCRIPTORS SCENARIO
//
// DESCRIPTORS is a serialized FileDescriptorSet with every message that the scenarios use.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [address, descriptors, scenario] = process.argv.slice(2);
const contract = loader.loadFileDescriptorSetFromBuffer(
  fs.readFileSync(descriptors), { keepCase: true, longs: String, enums: String, oneofs: true });
const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
  'grpc.max_receive_message_length': -1,
  'grpc.default_authority': 'localhost',
});

const BRIDGE = 'sc2bridge.v1.BridgeService';
const asIs = (bytes) => bytes;
const code = (value) => grpc.status[value];

function method(service, name) {
  return contract[service][name];
}

function unary(service, name, request, serialize, path, metadata) {
  const found = method(service, name);
  return new Promise((resolve) => client.makeUnaryRequest(
    path || found.path, serialize || found.requestSerialize, found.responseDeserialize, request,
    metadata || new grpc.Metadata(), {},
    (error, answer) => resolve(
      error ? { status: [code(error.code), error.details], error } : { status: ['OK', ''], answer })));
}

function open({ messages, deserialize, metadata = new grpc.Metadata(), options = {} }) {
  const found = method(BRIDGE, 'Play');
  const call = client.makeBidiStreamRequest(
    found.path, found.requestSerialize, deserialize || found.responseDeserialize, metadata, options);
  for (const message of messages) {
    call.write(message);
  }
  return call;
}

// This client only watches, so it ends its side of the call.
function subscribe(options, metadata, subscription = { agent: 'peer' }) {
  const call = open({ messages: [{ subscribe: subscription }], deserialize: asIs, metadata, options });
  call.end();
  return call;
}

function finished(call) {
  return new Promise((resolve) => {
    call.on('error', () => {});
    call.on('status', (status) => resolve([code(status.code), status.details]));
    call.resume();
  });
}

function varint(data, at) {
  let value = 0;
  for (let factor = 1; ; factor *= 128) {
    const byte = data[at++];
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) {
      return [value, at];
    }
  }
}

// The bytes of a field, as they are in the message.
function lengthDelimited(data, wanted) {
  for (let at = 0; at < data.length;) {
    let tag, length;
    [tag, at] = varint(data, at);
    [length, at] = varint(data, at);
    if ((tag & 7) === 0) {
      continue;
    }
    if (tag >> 3 === wanted) {
      return data.subarray(at, at + length);
    }
    at += length;
  }
  return null;
}

async function events(call) {
  const decode = method(BRIDGE, 'Play').responseDeserialize;
  const hashes = [];
  let end = null;
  call.on('data', (raw) => {
    const frame = lengthDelimited(raw, 1);
    if (frame) {
      hashes.push(crypto.createHash('sha256').update(lengthDelimited(frame, 15)).digest('hex'));
    } else {
      end = decode(raw).match_end?.reason ?? end;
    }
  });
  const [ended, details] = await finished(call);
  return { hashes, end, code: ended, details };
}

const scenarios = {
  async describe() {
    const { match } = (await unary(BRIDGE, 'Describe', {})).answer;
    return { map: match.map_name, unit: match.data.units[0].name };
  },

  stream: () => events(subscribe()),

  stream_gzip() {
    const metadata = new grpc.Metadata();
    metadata.set('sc2bridge-compression', 'gzip');
    return events(subscribe({}, metadata));
  },

  async play() {
    const subscription = { agent: 'peer', policy: 'POLICY_LOCKSTEP', can_act: true, perspective: 2 };
    const call = open({ messages: [{ subscribe: subscription }, { clock: { agent_ns: '12345' } }] });
    const result = { steps: [], told: [], clock: null, end: null };
    const tell = ({ request_id: id, outcomes }) => result.told.push([id || 0, ...outcomes.map((outcome) => outcome.result || 0)]);
    call.on('data', (event) => {
      if (event.frame) {
        (event.frame.outcomes || []).forEach(tell);
        const step = Number(event.frame.step || 0);
        result.steps.push(step);
        const command = { ability_id: 16, unit_tags: [(1n << 40n) + BigInt(step)].map(String) };
        call.write({ actions: { step, request_id: step, actions: [{ action_raw: { unit_command: command } }, {}] } });
        call.write({ acknowledge: { step } });
      } else if (event.actions_outcome) {
        tell(event.actions_outcome);
      } else if (event.clock) {
        result.clock = [Number(event.clock.agent_ns), Number(event.clock.bridge_ns) > 0];
      } else if (event.match_end) {
        result.end = event.match_end.reason;
      }
    });
    [result.code] = await finished(call);
    call.end();
    return result;
  },

  async errors() {
    const refuse = { request: { available_maps: {} } };
    return {
      refused: (await unary(BRIDGE, 'CallGame', refuse)).status,
      method: (await unary(BRIDGE, 'CallGame', refuse, null, `/${BRIDGE}/Nothing`)).status,
      service: (await unary(BRIDGE, 'CallGame', refuse, null, '/no.Service/Check')).status,
      first: await finished(open({ messages: [{ actions: {} }] })),
      garbage: (await unary(BRIDGE, 'Describe', Buffer.from([0xff, 0xff, 0xff]), asIs)).status,
    };
  },

  async deadline() {
    const [ended] = await finished(subscribe({ deadline: Date.now() + 300 }));
    return { code: ended };
  },

  async cancel() {
    const call = subscribe();
    // After the answer to the subscription.
    call.once('data', () => call.once('data', () => call.cancel()));
    const [ended] = await finished(call);
    return { code: ended };
  },

  async health() {
    const service = 'grpc.health.v1.Health';
    const numbers = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 };
    const known = [];
    for (const name of ['', BRIDGE]) {
      known.push(numbers[(await unary(service, 'Check', { service: name })).answer.status]);
    }
    const unknown = (await unary(service, 'Check', { service: 'x' })).status[0];
    const watched = [];
    for (const name of ['', 'x']) {
      const found = method(service, 'Watch');
      const call = client.makeServerStreamRequest(
        found.path, found.requestSerialize, found.responseDeserialize, { service: name });
      call.once('data', (answer) => {
        watched.push(numbers[answer.status]);
        call.cancel();
      });
      await finished(call);
    }
    return { known, unknown, watched };
  },

  async reflection() {
    const results = {};
    for (const version of ['v1', 'v1alpha']) {
      const found = method('grpc.reflection.v1.ServerReflection', 'ServerReflectionInfo');
      const call = client.makeBidiStreamRequest(
        found.path.replace('.v1.', `.${version}.`), found.requestSerialize, found.responseDeserialize);
      const answers = [];
      call.on('data', (answer) => answers.push(answer));
      call.write({ list_services: '' });
      call.write({ file_containing_symbol: BRIDGE });
      call.write({ file_by_filename: 'x' });
      call.end();
      await finished(call);
      const [listed, files, missing] = answers;
      const { FileDescriptorProto } = require('protobufjs/ext/descriptor');
      const parsed = files.file_descriptor_response.file_descriptor_proto.map((raw) => FileDescriptorProto.decode(raw));
      const names = new Set(parsed.map((file) => file.name));
      results[version] = {
        services: listed.list_services_response.service.map((service) => service.name).sort(),
        first: parsed[0].name,
        whole: parsed.every((file) => file.dependency.every((name) => names.has(name))),
        missing: missing.error_response.error_code,
      };
    }
    return results;
  },

  async sides(token) {
    const query = { query: { pathing: [] } };
    const tries = (shown, asked) => {
      const metadata = new grpc.Metadata();
      if (shown) {
        metadata.set('authorization', `Bearer ${shown}`);
      }
      return {
        play: () => finished(subscribe({}, metadata, { agent: 'peer', ...asked })),
        describe: async () => (await unary(BRIDGE, 'Describe', asked, null, null, metadata)).status,
        callGame: async () =>
          (await unary(BRIDGE, 'CallGame', { perspective: 2, ...asked, request: query }, null, null, metadata)).status,
      };
    };
    const failures = async (tried) => [await tried.play(), await tried.describe(), await tried.callGame()];
    const own = tries(token, {});
    return {
      own: [(await own.describe())[0], (await own.callGame())[0]],
      without: await failures(tries(null, {})),
      guessed: await failures(tries('0'.repeat(32), {})),
      others: await failures(tries(token, { perspective: 1 })),
    };
  },

  async many() {
    const all = await Promise.all(Array.from({ length: 150 }, () => events(subscribe())));
    return { frames: all.map((one) => one.hashes.length) };
  },
};

const [name, ...words] = scenario.split(' ');
scenarios[name.replace('-', '_')](...words).then((result) => {
  console.log(JSON.stringify(result));
  client.close();
}, (error) => {
  console.error(error);
  process.exit(1);
});
