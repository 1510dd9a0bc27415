/**
 * Reads MCAP's records (https://mcap.dev/spec) from bytes. There is no I/O here. All errors are BadRecordErrors. Bytes after
 * the known fields of a record are skipped, as the specification demands.
 */

import { SC2BridgeError } from "../errors.js";

export const MAGIC = Uint8Array.of(0x89, 0x4d, 0x43, 0x41, 0x50, 0x30, 0x0d, 0x0a);
export const PROFILE = "sc2bridge";

export const Opcode = {
  HEADER: 1, FOOTER: 2, SCHEMA: 3, CHANNEL: 4, MESSAGE: 5, CHUNK: 6, MESSAGE_INDEX: 7, CHUNK_INDEX: 8, ATTACHMENT: 9,
  ATTACHMENT_INDEX: 10, STATISTICS: 11, METADATA: 12, METADATA_INDEX: 13, SUMMARY_OFFSET: 14, DATA_END: 15,
  /** Opcodes from here on are reserved for applications. They are skipped. */
  FIRST_PRIVATE: 0x80,
} as const;

/** A record's opcode, and the length of its content. */
export const HEAD_BYTES = 9;
/** A message's record before its data: opcode, length, channel, sequence, log time, publish time. */
export const MESSAGE_HEAD_BYTES = HEAD_BYTES + 22;
/** The length of a whole footer. The magic follows it. */
export const FOOTER_BYTES = HEAD_BYTES + 20;
export const MESSAGE_INDEX_HEAD_BYTES = 6;
/** The most bytes of a chunk's head, with at most 64 bytes for the compression's name. */
export const CHUNK_HEAD_BYTES = 4 * 8 + 2 * 4 + 64;

/** Limits of all readers: docs/reference/recording-format.md. */
export const LIMITS = {
  chunk: 17 << 20,
  message: 16 << 20,
  attachment: 16 << 20,
  analysis: 4 << 20,
  record: 1 << 20,
  summary: 16 << 20,
  index: 32 << 20,
  parsed: 48 << 20,
  perspectives: 16,
  gaps: 10_000,
  /** The bytes of a file whose server supports no ranges. */
  download: 512 << 20,
} as const;

/** The bytes are not a valid record. */
export class BadRecordError extends SC2BridgeError {}

/** The bytes are valid, but this reader does not support their form. */
export class UnreadError extends BadRecordError {}

/** Throws BadRecordError if a part of the file is longer than its limit. */
export function checkLength(what: string, length: number, limit: number): void {
  if (length > limit) {
    throw new BadRecordError(`${what} of ${length} bytes is longer than the limit of ${limit}`);
  }
}

export interface Channel {
  readonly id: number;
  readonly topic: string;
  readonly encoding: string;
}

/** A chunk's record before the compressed records. */
export interface ChunkHead {
  readonly uncompressedSize: number;
  readonly uncompressedCrc: number;
  readonly compression: string;
  readonly compressedSize: number;
}

/** The location of a chunk, and its properties in the summary. */
export interface ChunkIndex {
  readonly offset: number;
  readonly length: number;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  /** Messages by channel, from the lengths of the chunk's message indexes. */
  readonly counts: ReadonlyMap<number, number>;
  /** The offset after its message indexes. */
  readonly end: number;
}

export interface AttachmentIndex {
  readonly offset: number;
  readonly length: number;
  readonly name: string;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads little-endian fields in order. */
export class Fields {
  at = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A length or an offset. Numbers from 2^53 on are longer than any file; they become Infinity. */
  u64(): number {
    const number = Number(this.time());
    return number > Number.MAX_SAFE_INTEGER ? Infinity : number;
  }

  time(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  view(length: number): Uint8Array {
    if (length > this.left) {
      throw new BadRecordError(`a field of ${length} bytes, but only ${this.left} are left`);
    }
    const at = this.#take(length);
    return this.bytes.subarray(at, at + length);
  }

  text(): string {
    const bytes = this.view(this.u32());
    try {
      return utf8.decode(bytes);
    } catch {
      throw new BadRecordError("a text is not UTF-8");
    }
  }

  /** A map from 16-bit keys to 64-bit values. */
  numbers(): Map<number, number> {
    const entries = new Fields(this.view(this.u32()));
    const found = new Map<number, number>();
    while (entries.left) {
      const key = entries.u16();
      if (found.has(key)) {
        throw new BadRecordError(`a map has channel ${key} twice`);
      }
      found.set(key, entries.u64());
    }
    return found;
  }

  #take(length: number): number {
    if (length > this.left) {
      throw new BadRecordError("the record ends within a number");
    }
    this.at += length;
    return this.at - length;
  }
}

/** A record's opcode and length. */
export function readHead(bytes: Uint8Array): [opcode: number, length: number] {
  const fields = new Fields(bytes);
  return [fields.u8(), fields.u64()];
}

export function readChannel(content: Uint8Array): Channel {
  const fields = new Fields(content);
  const id = fields.u16();
  fields.u16(); // The schema is not needed: the topic determines the kind of message.
  return { id, topic: fields.text(), encoding: fields.text() };
}

/** The head, and the offset of the compressed records. The content may end there. */
export function readChunkHead(content: Uint8Array): [ChunkHead, number] {
  const fields = new Fields(content);
  fields.view(16); // The times are not needed.
  const head = { uncompressedSize: fields.u64(), uncompressedCrc: fields.u32(), compression: fields.text(), compressedSize: fields.u64() };
  return [head, fields.at];
}

export function readChunkIndex(content: Uint8Array): ChunkIndex {
  const fields = new Fields(content);
  fields.view(16);
  const [offset, length, offsets, indexes] = [fields.u64(), fields.u64(), fields.numbers(), fields.u64()];
  const end = offset + length + indexes;
  fields.text();
  return { offset, length, compressedSize: fields.u64(), uncompressedSize: fields.u64(), counts: countsOf(offsets, end), end };
}

/**
 * The number of each channel's messages, from the offsets of the message indexes and the end of the last one. The offsets
 * are in the summary, which has a checksum. The message indexes have none, so they are not read.
 */
function countsOf(offsets: ReadonlyMap<number, number>, end: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [channel, offset] of [...offsets].sort(([, a], [, b]) => b - a)) {
    const count = (end - offset - HEAD_BYTES - MESSAGE_INDEX_HEAD_BYTES) / 16;
    if (!(count >= 0 && Number.isInteger(count))) {
      throw new BadRecordError(`a message index has ${end - offset} bytes, which is not a valid length`);
    }
    counts.set(channel, count);
    end = offset;
  }
  return counts;
}

export function readAttachmentIndex(content: Uint8Array): AttachmentIndex {
  const fields = new Fields(content);
  const [offset, length] = [fields.u64(), fields.u64()];
  fields.view(24); // Log time, create time and data size.
  return { offset, length, name: fields.text() };
}

/** An attachment: its name, content and checksum; 0 for no checksum. */
export function readAttachment(content: Uint8Array): { name: string; data: Uint8Array; crc: number } {
  const fields = new Fields(content);
  fields.view(16);
  const name = fields.text();
  fields.text();
  return { name, data: fields.view(fields.u64()), crc: fields.u32() };
}

/** Messages by channel. */
export function readStatistics(content: Uint8Array): Map<number, number> {
  const fields = new Fields(content);
  fields.view(8 + 2 + 4 * 4 + 2 * 8);
  return fields.numbers();
}
