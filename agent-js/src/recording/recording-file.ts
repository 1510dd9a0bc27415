/** Reads a recording's file, caches the chunks that were opened last, and reports damage. */

import { crc32 } from "./crc32.js";
import { SC2BridgeError } from "../errors.js";
import { Chunk, ChunkMemory, type Message } from "./chunk.js";
import { checkChannels, type Damage, type FileIndex, NoRecordingError, readIndex } from "./file-index.js";
import { BadRecordError, checkLength, CHUNK_HEAD_BYTES, HEAD_BYTES, LIMITS, Opcode, readAttachment, readChunkHead, readHead, UnreadError } from "./records.js";
import { type ByteSource, openSource, type RecordingSource } from "./source.js";
import { type Decompress, decompressor } from "./zstd.js";

/** A recording that is damaged, cut off, or not a recording. The message is one line that says what to do. */
export class RecordingError extends SC2BridgeError {
  /**
   * @param kind `truncated` for a file that was cut off or is still being written, `damaged`, or `foreign` for no recording
   * @param at the file offset of the damage
   */
  constructor(
    readonly kind: Damage["kind"],
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const MOST_OPEN = 3;

export class RecordingFile {
  #open = new Map<number, Promise<Chunk>>();
  readonly #channels: ReadonlyMap<string, number>;

  private constructor(
    private readonly source: ByteSource,
    readonly index: FileIndex,
    private readonly by: Decompress,
    private readonly memory: ChunkMemory | undefined,
  ) {
    this.#channels = new Map([...index.channels.values()].map(({ id, topic }) => [topic, id]));
  }

  /** Throws RecordingError if the file is not a recording, SC2BridgeError if it cannot be read. */
  static async open(from: RecordingSource, { reusesMemory = false } = {}): Promise<RecordingFile> {
    const [source, by] = await Promise.all([openSource(from), decompressor()]);
    try {
      return new RecordingFile(source, await readIndex(source, by), by, reusesMemory ? new ChunkMemory() : undefined);
    } catch (error) {
      throw error instanceof NoRecordingError ? errorOf(source.name, error.damage) : error;
    }
  }

  /** The whole file, if its server supports no ranges. */
  get blob(): Blob | undefined {
    return this.source.blob;
  }

  get name(): string {
    return this.source.name;
  }

  get size(): number {
    return this.source.size;
  }

  get damage(): RecordingError | undefined {
    return this.index.damage && this.error(this.index.damage);
  }

  error(damage: Damage): RecordingError {
    return errorOf(this.source.name, damage);
  }

  /** The messages of a chunk. Throws RecordingError if the chunk is damaged. */
  chunk(number: number): Promise<Chunk> {
    const opened = this.#open.get(number);
    const chunk = opened ?? this.#read(number);
    if (!opened) {
      // An error of the server is not kept: the next call tries again.
      chunk.catch((error) => error instanceof RecordingError || this.#open.delete(number));
    }
    this.#open.delete(number);
    this.#open.set(number, chunk); // The last one is the newest.
    const [oldest] = this.#open.keys();
    if (this.#open.size > MOST_OPEN) {
      this.#open.get(oldest!)!.then((closed) => this.memory?.release(closed), () => {});
      this.#open.delete(oldest!);
    }
    return chunk;
  }

  async #read(number: number): Promise<Chunk> {
    const place = this.index.chunks[number]!;
    return this.#whole(place.offset, async () => {
      checkLength("a chunk", place.length - HEAD_BYTES - CHUNK_HEAD_BYTES, LIMITS.chunk);
      const record = await this.source.read(place.offset, place.length);
      const [opcode, length] = readHead(record);
      const content = record.subarray(HEAD_BYTES);
      if (opcode !== Opcode.CHUNK || length !== content.length) {
        throw new BadRecordError("there is no chunk at the offset that the index gives");
      }
      const [head] = readChunkHead(content);
      if (head.uncompressedSize !== place.uncompressedSize || head.compressedSize !== place.compressedSize) {
        throw new BadRecordError("a chunk's size differs from the size in the index");
      }
      const chunk = Chunk.open(content, this.by, this.memory);
      const { counts } = chunk;
      if ([...counts, ...place.counts].some(([channel]) => (counts.get(channel) ?? 0) !== (place.counts.get(channel) ?? 0))) {
        throw new BadRecordError("a chunk's message counts differ from the counts in the index");
      }
      checkChannels(chunk, this.index.channels);
      return chunk;
    });
  }

  /** The messages of a topic in the file's order. Throws RecordingError after the last undamaged one if the file is damaged. */
  async *messages(topic: string, undamagedOnly = false): AsyncGenerator<Message> {
    const channel = this.#channels.get(topic);
    for (const [number, { counts }] of this.index.chunks.entries()) {
      const count = channel === undefined ? 0 : (counts.get(channel) ?? 0);
      const chunk = count ? await this.chunk(number) : undefined;
      for (let which = 0; which < count; which++) {
        yield chunk!.message(channel!, which);
      }
    }
    if (this.damage && !undamagedOnly) {
      throw this.damage;
    }
  }

  /** The content of an attachment. Throws RecordingError if it is damaged. */
  async attachment(name: string): Promise<Uint8Array | undefined> {
    const place = this.index.attachments.get(name);
    if (!place && this.index.lost) {
      throw this.error(this.index.lost);
    }
    return (
      place &&
      this.#whole(place.offset, async () => {
        checkLength("an attachment", place.length - HEAD_BYTES, LIMITS.attachment);
        const content = (await this.source.read(place.offset, place.length)).subarray(HEAD_BYTES);
        const attachment = readAttachment(content);
        if (attachment.name !== name) {
          throw new BadRecordError(`the attachment ${name} is not at the offset that the index gives`);
        }
        if (attachment.crc && crc32(content.subarray(0, -4)) !== attachment.crc) {
          throw new BadRecordError(`the attachment ${name}'s checksum is wrong`);
        }
        return attachment.data;
      })
    );
  }

  async #whole<T>(at: number, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw error instanceof BadRecordError
        ? this.error({ kind: error instanceof UnreadError ? "foreign" : "damaged", at, what: error.message })
        : error;
    }
  }
}

function errorOf(name: string, { kind, at, what }: Damage): RecordingError {
  const repair = `\`sc2bridge inspect ${name} --repair OUT\` writes the undamaged part to a new file`;
  const line =
    kind === "foreign" ? `${name} is not a recording: ${what}`
    : kind === "truncated" ? `${name} is cut off at byte ${at} (${what}), or is still being written: ${repair}`
    : `${name} is damaged at byte ${at} (${what}): ${repair}`;
  return new RecordingError(kind, at, line);
}
