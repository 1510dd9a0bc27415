/** Builds the index of a recording: from the file's summary, or by one pass over the file if the summary is damaged. */

import { crc32 } from "./crc32.js";
import { Chunk } from "./chunk.js";
import {
  type AttachmentIndex, BadRecordError, type Channel, checkLength, CHUNK_HEAD_BYTES, type ChunkIndex, Fields, FOOTER_BYTES, HEAD_BYTES, LIMITS, MAGIC,
  MESSAGE_HEAD_BYTES, MESSAGE_INDEX_HEAD_BYTES, Opcode, PROFILE, readAttachment, readAttachmentIndex, readChannel, readChunkHead, readChunkIndex, readHead,
  readStatistics, UnreadError,
} from "./records.js";
import type { ByteSource } from "./source.js";
import type { Decompress } from "./zstd.js";

const OUTSIDE = "messages outside of chunks, which the bridge never writes";
const IN_DATA: number[] = [Opcode.SCHEMA, Opcode.CHANNEL, Opcode.CHUNK, Opcode.MESSAGE_INDEX, Opcode.ATTACHMENT, Opcode.METADATA];
const NOT_IN_SUMMARY: number[] = [Opcode.MESSAGE, Opcode.CHUNK, Opcode.MESSAGE_INDEX, Opcode.ATTACHMENT, Opcode.METADATA, Opcode.DATA_END];
const OBSERVATIONS = /^\/observation\/(\d+)$/;

/** The reason and the offset of an unreadable part of a recording. `foreign` means that the file is not a recording. */
export interface Damage {
  readonly kind: "truncated" | "damaged" | "foreign";
  readonly at: number;
  readonly what: string;
}

/** The file is not a recording, or nothing in it can be read. */
export class NoRecordingError extends BadRecordError {
  constructor(readonly damage: Damage) {
    super(damage.what);
  }
}

/** The locations of the undamaged chunks and of the attachments. */
export class FileIndex {
  channels = new Map<number, Channel>();
  readonly chunks: ChunkIndex[] = [];
  readonly attachments = new Map<string, AttachmentIndex>();
  /** Set if an attachment is damaged so that its name cannot be read. */
  lost: Damage | undefined;
  /** The damage after the last indexed chunk. */
  damage: Damage | undefined;
  #memory = 0;

  /** Perspectives with the numbers of their channels. */
  get perspectives(): Map<number, number> {
    const found = [...this.channels.values()].flatMap(({ id, topic, encoding }): [number, number][] => {
      const number = encoding === "protobuf" ? OBSERVATIONS.exec(topic)?.[1] : undefined;
      return number === undefined ? [] : [[Number(number), id]];
    });
    return new Map(found.sort(([a], [b]) => a - b));
  }

  addChannel(channel: Channel, length: number): void {
    this.#use(length, 0);
    this.channels.set(channel.id, channel);
  }

  addChunk(chunk: ChunkIndex): void {
    this.#use(0, chunk.counts.size);
    this.chunks.push(chunk);
  }

  addAttachment(attachment: AttachmentIndex): void {
    if (!this.attachments.has(attachment.name)) {
      this.#use(attachment.name.length, 0);
      this.attachments.set(attachment.name, attachment);
    }
  }

  /** A record of a few bytes in the file takes some hundred bytes in memory. */
  #use(letters: number, items: number): void {
    this.#memory += 256 + 2 * letters + 32 * items;
    if (this.#memory > LIMITS.index) {
      throw new UnreadError(
        `its chunks, attachments and channels take more than ${LIMITS.index} bytes of memory: rewrite the file with fewer and longer chunks (mcap compress IN -o OUT)`,
      );
    }
  }
}

/** Reads the index. Throws NoRecordingError, and the source's errors. */
export async function readIndex(source: ByteSource, by: Decompress): Promise<FileIndex> {
  const [profile, begin] = await readHeader(source);
  const index = (await fromSummary(source)) ?? (await scan(source, begin, by));
  const { size } = index.perspectives;
  // Programs that rewrite MCAP files may leave the profile out.
  if (profile !== PROFILE && !size) {
    foreign(
      index.damage?.what === OUTSIDE
        ? `it has ${OUTSIDE}: \`sc2bridge inspect FILE --repair OUT\` puts them into chunks`
        : `it is an MCAP file of profile ${JSON.stringify(profile)} without observations`,
    );
  }
  if (size > LIMITS.perspectives) {
    foreign(`it has more than ${LIMITS.perspectives} perspectives, more than any match has`);
  }
  return index;
}

function foreign(what: string): never {
  throw new NoRecordingError({ kind: "foreign", at: MAGIC.length, what });
}

async function readHeader(source: ByteSource): Promise<[profile: string, end: number]> {
  const at = MAGIC.length;
  const start = await source.read(0, Math.min(source.size, at + HEAD_BYTES));
  if (!start.length || start.some((byte, place) => place < at && byte !== MAGIC[place])) {
    const letters = [...start.subarray(0, 8)].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "."));
    const what = !start.length ? "it is empty" : letters.join("").startsWith("MPQ")
      ? "it is a StarCraft II replay; `sc2bridge record` makes recordings of replays"
      : `it is not an MCAP file: it begins with ${JSON.stringify(letters.join(""))}`;
    throw new NoRecordingError({ kind: "foreign", at: 0, what });
  }
  const cut = new NoRecordingError({ kind: "truncated", at, what: "its first record is cut off" });
  if (start.length < at + HEAD_BYTES) {
    throw cut;
  }
  const [opcode, length] = readHead(start.subarray(at));
  if (opcode !== Opcode.HEADER || length > LIMITS.record) {
    throw new NoRecordingError({ kind: "damaged", at, what: "the header is missing" });
  }
  const end = start.length + length;
  if (end > source.size) {
    throw cut;
  }
  try {
    return [new Fields(await source.read(start.length, length)).text(), end];
  } catch (error) {
    throw error instanceof BadRecordError ? new NoRecordingError({ kind: "damaged", at, what: `the header: ${error.message}` }) : error;
  }
}

/** Reads the summary. Undefined if it is missing or damaged, or if its checksum is missing or wrong. */
async function fromSummary(source: ByteSource): Promise<FileIndex | undefined> {
  const at = source.size - FOOTER_BYTES - MAGIC.length;
  if (at < 0) {
    return undefined;
  }
  const ending = await source.read(at, FOOTER_BYTES + MAGIC.length);
  const [opcode, length] = readHead(ending);
  if (opcode !== Opcode.FOOTER || length !== FOOTER_BYTES - HEAD_BYTES || MAGIC.some((byte, place) => ending[FOOTER_BYTES + place] !== byte)) {
    return undefined;
  }
  const fields = new Fields(ending.subarray(HEAD_BYTES));
  const start = fields.u64();
  fields.u64();
  const crc = fields.u32();
  if (!(start > 0 && start <= at) || at - start > LIMITS.summary) {
    return undefined;
  }
  const summary = await source.read(start, at - start);
  // The checksum is the footer's last field and covers everything before it.
  if (!crc || crc32(ending.subarray(0, FOOTER_BYTES - 4), crc32(summary)) !== crc) {
    return undefined;
  }
  try {
    return summarized(summary, start);
  } catch (error) {
    if (error instanceof BadRecordError) {
      return undefined;
    }
    throw error;
  }
}

function summarized(summary: Uint8Array, end: number): FileIndex | undefined {
  const index = new FileIndex();
  const chunks: ChunkIndex[] = [];
  let counts: Map<number, number> | undefined;
  const records = new Fields(summary);
  while (records.left) {
    const opcode = records.u8();
    const content = records.view(records.u64());
    if (opcode === Opcode.CHANNEL) {
      index.addChannel(readChannel(content), content.length);
    } else if (opcode === Opcode.CHUNK_INDEX) {
      chunks.push(readChunkIndex(content));
    } else if (opcode === Opcode.ATTACHMENT_INDEX) {
      const attachment = readAttachmentIndex(content);
      if (!(attachment.offset + attachment.length <= end)) {
        return undefined;
      }
      index.addAttachment(attachment);
    } else if (opcode === Opcode.STATISTICS) {
      counts = readStatistics(content);
    }
  }
  const counted = new Map<number, number>();
  let free = 0;
  for (const chunk of chunks.sort((a, b) => a.offset - b.offset)) {
    const messages = [...chunk.counts.values()].reduce((sum, count) => sum + count, 0);
    if (!(free <= chunk.offset && chunk.offset <= chunk.end && chunk.end <= end) || messages * MESSAGE_HEAD_BYTES > chunk.uncompressedSize) {
      return undefined; // It overlaps another chunk, ends after the data, or is too small for its messages.
    }
    free = chunk.end;
    chunk.counts.forEach((count, channel) => counted.set(channel, (counted.get(channel) ?? 0) + count));
    index.addChunk(chunk);
  }
  // A file without message indexes does not have the counts of each chunk in its summary.
  const isSame = counts !== undefined && [...counts, ...counted].every(([channel]) => (counts!.get(channel) ?? 0) === (counted.get(channel) ?? 0));
  return isSame && [...counted.keys()].every((channel) => index.channels.has(channel)) ? index : undefined;
}

/** Builds the index by opening every chunk. Without a summary and its checksum, only the messages are reliable. */
async function scan(source: ByteSource, at: number, by: Decompress): Promise<FileIndex> {
  const index = new FileIndex();
  const damaged = (kind: Damage["kind"], what: string): Damage => ({ kind, at, what });
  let before = 0;
  while (true) {
    if (at + HEAD_BYTES > source.size) {
      index.damage = damaged("truncated", "the file ends there");
      return index;
    }
    const [opcode, length] = readHead(await source.read(at, HEAD_BYTES));
    const begin = at + HEAD_BYTES;
    if (!opcode) {
      // After a crash, a file system may leave zeros at the end of a file.
      index.damage = damaged("truncated", "only zeros follow");
    } else if (opcode === Opcode.MESSAGE) {
      index.damage = damaged("damaged", OUTSIDE);
    } else if (opcode !== Opcode.DATA_END && !IN_DATA.includes(opcode) && opcode < Opcode.FIRST_PRIVATE) {
      index.damage = damaged("damaged", `a record of opcode ${opcode} does not belong there`);
    } else if (begin + length > source.size) {
      index.damage = damaged("truncated", "its last record is cut off");
    } else if (opcode === Opcode.DATA_END) {
      const [behind] = await source.read(begin + length, Math.min(1, source.size - begin - length));
      if (behind !== undefined && NOT_IN_SUMMARY.includes(behind)) {
        index.damage = damaged("damaged", "a record marks the end of the data, and more data follows");
      }
      return index;
    } else {
      try {
        await addRecord(index, source, { opcode, at, length, before }, by);
      } catch (error) {
        if (!(error instanceof BadRecordError)) {
          throw error;
        }
        if (error instanceof UnreadError) {
          throw new NoRecordingError(damaged("foreign", error.message));
        }
        // After a damaged attachment, the offset of the next record is known: only this attachment is lost.
        index[opcode === Opcode.ATTACHMENT ? "lost" : "damage"] = damaged("damaged", error.message);
      }
    }
    if (index.damage) {
      return index;
    }
    at = begin + length;
    before = opcode;
  }
}

interface RecordPlace {
  opcode: number;
  at: number;
  length: number;
  /** The opcode of the record before it. */
  before: number;
}

async function addRecord(index: FileIndex, source: ByteSource, { opcode, at, length, before }: RecordPlace, by: Decompress): Promise<void> {
  const begin = at + HEAD_BYTES;
  if (opcode === Opcode.MESSAGE_INDEX) {
    if (before !== Opcode.CHUNK && before !== Opcode.MESSAGE_INDEX) {
      throw new BadRecordError("a message index does not follow a chunk");
    }
    // A damaged byte can turn a chunk into an index, which hides its frames.
    const head = new Fields(await source.read(begin, Math.min(length, MESSAGE_INDEX_HEAD_BYTES)));
    if (head.left < MESSAGE_INDEX_HEAD_BYTES || (head.u16(), head.u32()) !== length - MESSAGE_INDEX_HEAD_BYTES) {
      throw new BadRecordError("the list of a message index does not fill the record");
    }
  } else if (opcode === Opcode.CHANNEL) {
    checkLength("a record", length, LIMITS.record);
    index.addChannel(readChannel(await source.read(begin, length)), length);
  } else if (opcode === Opcode.ATTACHMENT) {
    checkLength("an attachment", length, LIMITS.attachment);
    const { name } = readAttachment(await source.read(begin, length));
    index.addAttachment({ offset: at, length: HEAD_BYTES + length, name });
  } else if (opcode === Opcode.CHUNK) {
    checkLength("a chunk", length - CHUNK_HEAD_BYTES, LIMITS.chunk);
    const content = await source.read(begin, length);
    const chunk = Chunk.open(content, by);
    const [{ compressedSize, uncompressedSize }] = readChunkHead(content);
    checkChannels(chunk, new Map([...index.channels, ...chunk.channels]));
    for (const channel of chunk.channels.values()) {
      const known = index.channels.get(channel.id);
      if (known?.topic !== channel.topic || known.encoding !== channel.encoding) {
        index.addChannel(channel, channel.topic.length + channel.encoding.length);
      }
      index.channels.set(channel.id, channel);
    }
    index.addChunk({ offset: at, length: HEAD_BYTES + length, compressedSize, uncompressedSize, counts: chunk.counts, end: begin + length });
  }
}

/** Throws BadRecordError if a message has an unknown channel. */
export function checkChannels(chunk: Chunk, channels: ReadonlyMap<number, Channel>): void {
  for (const channel of chunk.starts.keys()) {
    if (!channels.has(channel)) {
      throw new BadRecordError(`a message has the unknown channel ${channel}`);
    }
  }
}
