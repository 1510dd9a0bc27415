// read_foxglove.js FILE: reads a copy for Foxglove with @mcap/core. Compares each scene and grid with the observation of the
// same time, and their schemas with @foxglove/schemas. Prints how many scenes and grids the copy has.
"use strict";
const { readFileSync } = require("node:fs");
const { McapIndexedReader } = require("@mcap/core");
const { loadDecompressHandlers, protobufFromBinaryDescriptor } = require("@mcap/support");
const { foxgloveEnumSchemas, foxgloveMessageSchemas, generateProto } = require("@foxglove/schemas/internal");
const protobuf = require("protobufjs");

// Compares each field's name, number and type.
function fieldsOf(type) {
  const fields = type.fieldsArray.map((field) => {
    const kind = field.resolve().resolvedType;
    const name = kind ? kind.fullName : field.type;
    return [field.id, field.name, name.replace(/^\./, ""), field.repeated];
  });
  return JSON.stringify(fields.sort((one, other) => one[0] - other[0]));
}

function official() {
  const root = new protobuf.Root();
  root.addJSON(protobuf.common.get("google/protobuf/timestamp.proto").nested);
  root.addJSON(protobuf.common.get("google/protobuf/duration.proto").nested);
  for (const schema of Object.values(foxgloveMessageSchemas)) {
    const enums = Object.values(foxgloveEnumSchemas).filter((one) => one.parentSchemaName === schema.name);
    protobuf.parse(generateProto(schema, enums), root, { keepCase: true });
  }
  return root;
}

function checkSchema(ours, theirs) {
  const seen = new Set();
  const check = (type) => {
    if (seen.has(type.fullName) || !type.fullName.startsWith(".foxglove.")) {
      return;
    }
    seen.add(type.fullName);
    if (fieldsOf(type) !== fieldsOf(theirs.lookupType(type.fullName))) {
      throw new Error(`${type.fullName} is another than Foxglove's: ${fieldsOf(type)}`);
    }
    type.fieldsArray.map((field) => field.resolve().resolvedType).filter((kind) => kind instanceof protobuf.Type).forEach(check);
  };
  check(ours);
  return seen.size;
}

async function main() {
  const bytes = readFileSync(process.argv[2]);
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, length) => bytes.subarray(Number(offset), Number(offset + length)),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers: await loadDecompressHandlers() });
  const theirs = official();
  const types = new Map();
  const found = { counts: {}, schemas: 0 };
  for (const channel of reader.channelsById.values()) {
    const schema = reader.schemasById.get(channel.schemaId);
    const type = protobufFromBinaryDescriptor(schema.data).lookupType(schema.name);
    types.set(channel.id, type);
    if (schema.name.startsWith("foxglove.")) {
      found.schemas = Math.max(found.schemas, checkSchema(type, theirs));
    }
  }
  let seen = {};
  for await (const message of reader.readMessages()) {
    const { topic, id } = reader.channelsById.get(message.channelId);
    const [, kind, perspective] = topic.split("/");
    const read = types.get(id).decode(message.data);
    found.counts[topic] = (found.counts[topic] ?? 0) + 1;
    // Messages with the same time are in file order.
    if (kind === "observation") {
      seen[perspective] = { time: message.logTime, units: read.observation.raw_data.units, map: read.observation.raw_data.map_state };
    } else if (perspective !== undefined) {
      const { time, units, map } = seen[perspective];
      if (time !== message.logTime) {
        throw new Error(`${topic} has a message at a time without an observation`);
      }
      if (kind === "units" && read.entities.map((entity) => entity.id).join() !== units.map((unit) => unit.tag.toString()).join()) {
        throw new Error(`${topic} shows other units than there are`);
      }
      if (read.data && (read.column_count !== map[kind].size.x || read.data.length !== read.row_stride * map[kind].size.y)) {
        throw new Error(`${topic} has another size than its image`);
      }
    }
  }
  console.log(JSON.stringify(found));
}

main();
