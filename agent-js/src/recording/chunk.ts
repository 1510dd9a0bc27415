/** Finds the messages of a chunk. They are not copied. There is no I/O here. All errors are BadRecordErrors. */

import { crc32 } from "./crc32.js";
import {
  BadRecordError, type Channel, checkLength, HEAD_BYTES, LIMITS, MESSAGE_HEAD_BYTES, Opcode, readChannel, readChunkHead, UnreadError,
} from "./records.js";
import { decompress, type Decompress } from "./zstd.js";

/** The most buffers that are kept for later chunks. */
const MOST_FREE = 2;
/** Each buffer is longer by this, so that it also fits for slightly longer chunks. */
const SPARE_BYTES = 1 << 20;

export interface Message {
  readonly sequence: number;
  readonly logTime: bigint;
  readonly publishTime: bigint;
  readonly data: Uint8Array;
}

/** Reuses the memory of closed chunks, because a browser needs longer for new memory than for the decompression. */
export class ChunkMemory {
  readonly #free: ArrayBuffer[] = [];
  readonly #all = new WeakSet<ArrayBufferLike>();

  allocate(size: number): Uint8Array {
    const at = this.#free.findIndex(({ byteLength }) => byteLength >= size);
    const [buffer = new ArrayBuffer(size + SPARE_BYTES)] = at < 0 ? [] : this.#free.splice(at, 1);
    this.#all.add(buffer);
    return new Uint8Array(buffer, 0, size);
  }

  /** Keeps a chunk's memory for later chunks. Nothing may read the chunk after this call. */
  release({ data: { buffer } }: Chunk): void {
    if (this.#all.has(buffer) && this.#free.length < MOST_FREE) {
      this.#free.push(buffer as ArrayBuffer);
    }
  }
}

export class Chunk {
  /** By channel, the offset of each message's record. */
  readonly starts = new Map<number, number[]>();
  /** The channels that the chunk declares. */
  readonly channels = new Map<number, Channel>();
  readonly #view: DataView;

  /** @param data all records, uncompressed */
  constructor(readonly data: Uint8Array) {
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let at = 0;
    while (at < data.length) {
      if (at + HEAD_BYTES > data.length) {
        throw new BadRecordError("the chunk's last record is cut off");
      }
      const end = at + HEAD_BYTES + this.#length(at);
      if (end > data.length) {
        throw new BadRecordError("the chunk's last record is longer than the chunk");
      }
      this.#add(data[at]!, at, end);
      at = end;
    }
  }

  /** The messages of a chunk. @param content its record without opcode and length @param memory for the decompressed records */
  static open(content: Uint8Array, by: Decompress, memory?: ChunkMemory): Chunk {
    const [head, begin] = readChunkHead(content);
    const { uncompressedSize, compressedSize, compression, uncompressedCrc } = head;
    const packed = content.subarray(begin, begin + compressedSize);
    if (packed.length !== compressedSize) {
      throw new BadRecordError(`a chunk has ${packed.length} bytes; its head says ${compressedSize}`);
    }
    checkLength("a chunk", Math.max(uncompressedSize, compressedSize), LIMITS.chunk);
    if (!uncompressedSize) {
      return new Chunk(packed.subarray(0, 0));
    }
    if (compression === "lz4") {
      throw new UnreadError(
        "a chunk is compressed with lz4; only zstd and uncompressed chunks can be read: convert the file (mcap compress IN -o OUT --compression zstd)",
      );
    }
    if (compression !== "" && compression !== "zstd") {
      throw new BadRecordError(`a chunk has the unknown compression ${JSON.stringify(compression)}`);
    }
    const [data, isChecked] = compression ? decompress(packed, uncompressedSize, by, memory?.allocate(uncompressedSize)) : [packed, false];
    if (data.length !== uncompressedSize) {
      throw new BadRecordError(`a chunk has ${data.length} uncompressed bytes; its head says ${uncompressedSize}`);
    }
    if (!isChecked && uncompressedCrc && crc32(data) !== uncompressedCrc) {
      throw new BadRecordError("a chunk's checksum is wrong");
    }
    return new Chunk(data);
  }

  /** Messages by channel. */
  get counts(): Map<number, number> {
    return new Map([...this.starts].map(([channel, starts]) => [channel, starts.length]));
  }

  message(channel: number, which: number): Message {
    const at = this.starts.get(channel)![which]!;
    const end = at + HEAD_BYTES + this.#length(at);
    return {
      sequence: this.#view.getUint32(at + HEAD_BYTES + 2, true),
      logTime: this.#view.getBigUint64(at + HEAD_BYTES + 6, true),
      publishTime: this.#view.getBigUint64(at + HEAD_BYTES + 14, true),
      data: this.data.subarray(at + MESSAGE_HEAD_BYTES, end),
    };
  }

  #length(at: number): number {
    return Number(this.#view.getBigUint64(at + 1, true));
  }

  #add(opcode: number, at: number, end: number): void {
    const length = end - at - HEAD_BYTES;
    if (opcode === Opcode.MESSAGE) {
      const shortest = MESSAGE_HEAD_BYTES - HEAD_BYTES;
      if (length < shortest) {
        throw new BadRecordError(`a message of ${length} bytes is shorter than its head`);
      }
      checkLength("a message", length - shortest, LIMITS.message);
      const channel = this.#view.getUint16(at + HEAD_BYTES, true);
      const starts = this.starts.get(channel);
      if (starts) {
        starts.push(at);
      } else {
        this.starts.set(channel, [at]);
      }
    } else if (opcode === Opcode.CHANNEL || opcode === Opcode.SCHEMA) {
      checkLength("a record", length, LIMITS.record);
      if (opcode === Opcode.CHANNEL) {
        const channel = readChannel(this.data.subarray(at + HEAD_BYTES, end));
        this.channels.set(channel.id, channel);
      }
    } else if (opcode < Opcode.FIRST_PRIVATE) {
      throw new BadRecordError(`a chunk holds a record of opcode ${opcode}`);
    }
  }
}
