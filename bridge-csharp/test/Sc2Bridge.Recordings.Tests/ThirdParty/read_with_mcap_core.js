// Reads MCAP files completely with @mcap/core, with the index and as a stream, once with each of two decompression
// libraries. Checks every CRC and parses every protobuf message. Prints the content of each file as one JSON list.
"use strict";
const { readFileSync } = require("node:fs");
const { crc32 } = require("@foxglove/crc");
const { McapIndexedReader, McapStreamReader } = require("@mcap/core");
const { loadDecompressHandlers, protobufFromBinaryDescriptor } = require("@mcap/support");
const fzstd = require("fzstd");

class Contents {
  channels = {};
  attachments = [];
  metadata = [];
  messages = {};
  parsed = 0;
  #types = new Map();

  setHeader(header) {
    this.header = [header.profile, header.library];
  }

  addChannel(channel, schema) {
    const metadata = Object.fromEntries(channel.metadata);
    this.channels[channel.topic] = [schema?.name ?? "", channel.messageEncoding, metadata];
    if (channel.messageEncoding === "protobuf") {
      this.#types.set(channel.topic, protobufFromBinaryDescriptor(schema.data).lookupType(schema.name));
    }
  }

  addAttachment({ name, mediaType, logTime, createTime, data }) {
    this.attachments.push([name, mediaType, String(logTime), String(createTime), data.length, crc32(data)]);
  }

  addMetadata({ name, metadata }) {
    this.metadata.push([name, Object.fromEntries(metadata)]);
  }

  addMessage({ sequence, logTime, publishTime, data }, topic) {
    const row = [sequence, String(logTime), String(publishTime), data.length, crc32(data)];
    (this.messages[topic] ??= []).push(row);
    const type = this.#types.get(topic);
    if (type) {
      if (!Buffer.from(type.encode(type.decode(data)).finish()).equals(data)) {
        throw new Error(`${topic} ${sequence} is another message when it is parsed`);
      }
      this.parsed++;
    }
  }
}

async function indexed(bytes, decompressHandlers) {
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, length) => bytes.subarray(Number(offset), Number(offset + length)),
  };
  const contents = new Contents();
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  contents.setHeader(reader.header);
  for (const channel of reader.channelsById.values()) {
    contents.addChannel(channel, reader.schemasById.get(channel.schemaId));
  }
  for await (const attachment of reader.readAttachments({ validateCrcs: true })) {
    contents.addAttachment(attachment);
  }
  for await (const metadata of reader.readMetadata()) {
    contents.addMetadata(metadata);
  }
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    contents.addMessage(message, reader.channelsById.get(message.channelId).topic);
  }

  // The reader sorts messages by log time. The file has them in the order of their sequence numbers.
  for (const rows of Object.values(contents.messages)) {
    rows.sort((one, other) => one[0] - other[0]);
  }
  return contents;
}

function streamed(bytes, decompressHandlers) {
  const contents = new Contents();
  const schemas = new Map();
  const topics = new Map();
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  reader.append(bytes);
  for (let record; (record = reader.nextRecord()); ) {
    switch (record.type) {
      case "Header":
        contents.setHeader(record);
        break;
      case "Schema":
        schemas.set(record.id, record);
        break;
      case "Channel":
        topics.set(record.id, record.topic);
        contents.addChannel(record, schemas.get(record.schemaId));
        break;
      case "Attachment":
        contents.addAttachment(record);
        break;
      case "Metadata":
        contents.addMetadata(record);
        break;
      case "Message":
        contents.addMessage(record, topics.get(record.channelId));
        break;
    }
  }
  if (!reader.done()) {
    throw new Error("the stream has no end");
  }
  return contents;
}

async function main() {
  const found = [];
  const wasm = await loadDecompressHandlers();
  const script = { zstd: (data, size) => fzstd.decompress(data, new Uint8Array(Number(size))) };
  for (const path of process.argv.slice(2)) {
    const bytes = readFileSync(path);
    found.push({ indexed: await indexed(bytes, wasm), streamed: streamed(bytes, script) });
  }
  console.log(JSON.stringify(found));
}

main();
