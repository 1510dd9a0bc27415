// protobufjs against JSON.parse and JSON.stringify on observations from standard input, each after its length (4 bytes,
// little-endian). Prints one JSON value, as `sc2bridge codec` reads it.
//
//     node codec_times.js PROTO_FOLDER < OBSERVATIONS
"use strict";
const path = require("path");
const protobuf = require("protobufjs");

const WARM_UP = 20;

function readFrames(data) {
  const frames = [];
  for (let at = 0; at < data.length; ) {
    if (at + 4 > data.length) throw new Error(`no length of an observation at byte ${at}`);
    const end = at + 4 + data.readUInt32LE(at);
    if (end > data.length) throw new Error(`the observation at byte ${at} is cut off`);
    frames.push(data.subarray(at + 4, end));
    at = end;
  }
  return frames;
}

// The 25 % trimmed mean: an eighth of the values is dropped at each end.
function summary(ms) {
  const sorted = [...ms].sort((a, b) => a - b);
  const drop = Math.floor(sorted.length / 8);
  const kept = sorted.slice(drop, sorted.length - drop);
  const mean_ms = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  return { steps: ms.length, min_ms: sorted[0], mean_ms, max_ms: sorted[sorted.length - 1] };
}

function codecs(Observation) {
  return [
    {
      format: "protobuf",
      library: `protobufjs ${require("protobufjs/package.json").version}`,
      write: (subject) => Observation.encode(subject.message).finish(),
      read: (subject) => Observation.decode(subject.wire),
    },
    {
      format: "JSON",
      library: "JSON.stringify, JSON.parse",
      write: (subject) => JSON.stringify(subject.plain),
      read: (subject) => JSON.parse(subject.text),
    },
  ].map((codec) => ({ ...codec, writes: [], reads: [] }));
}

function main(protoFolder, input) {
  const root = new protobuf.Root();
  root.resolvePath = (_, target) => path.join(protoFolder, target);
  root.loadSync("s2clientprotocol/sc2api.proto");
  const Observation = root.lookupType("SC2APIProtocol.ResponseObservation");
  const measured = codecs(Observation);

  const time = (operation, subject, ms) => {
    const began = process.hrtime.bigint();
    const kept = operation(subject);
    ms.push(Number(process.hrtime.bigint() - began) / 1e6);
    return kept;
  };

  const frames = readFrames(input);
  if (frames.length === 0) throw new Error("there are no observations");
  const subjects = frames.map((wire) => {
    const message = Observation.decode(wire);
    // Canonical JSON: 64-bit numbers as strings, enums by name, bytes as base64.
    const plain = Observation.toObject(message, { longs: String, enums: String, bytes: String, json: true });
    return { wire, message, plain, text: JSON.stringify(plain) };
  });
  // The just-in-time compiler's rounds do not count; each observation begins with another codec.
  for (let index = -WARM_UP; index < subjects.length; index++) {
    const subject = subjects[(index + WARM_UP * subjects.length) % subjects.length];
    for (let turn = 0; turn < measured.length; turn++) {
      const codec = measured[(Math.abs(index) + turn) % measured.length];
      time(codec.write, subject, index < 0 ? [] : codec.writes);
      time(codec.read, subject, index < 0 ? [] : codec.reads);
    }
  }

  const rows = measured.map(({ format, library, writes, reads }) => ({
    language: "Node",
    format,
    library,
    write: summary(writes),
    read: summary(reads),
  }));
  process.stdout.write(JSON.stringify({ runtime: `Node ${process.versions.node}`, rows }) + "\n");
}

const parts = [];
process.stdin.on("data", (part) => parts.push(part));
process.stdin.on("end", () => {
  try {
    main(process.argv[2], Buffer.concat(parts));
  } catch (error) {
    process.stderr.write(`codec_times: ${error.message}\n`);
    process.exitCode = 1;
  }
});
