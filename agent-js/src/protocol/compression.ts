/**
 * Decompresses payloads with zstd: single zstd frames, or blocks of a group (see Block in bridge.proto). All sizes are
 * limited: the content of a block may not be longer than the block declares, a block may declare at most MAX_CONTENT_BYTES,
 * and a window has at most 8 MiB. All functions throw only MalformedMessageError.
 */

import { MalformedMessageError } from "../errors.js";
import type { Block } from "../generated/sc2bridge/v1/bridge_pb.js";
import { parseUntrusted } from "./parsing.js";
import { INVALID, parseHeader } from "./zstd-header.js";
import { newDecoder, type PieceDecoder, ScriptDecoder } from "./zstd-decoder.js";

/** The longest accepted content in bytes. It is many times the longest observation. */
const MAX_CONTENT_BYTES = 64 << 20;
/** The most bytes that the earlier blocks in a message may declare in total. It is enough for 64 observations of 4 MiB. */
const MAX_EARLIER_BYTES = 4 * MAX_CONTENT_BYTES;

const MIN_WINDOW_LOG = 10;
const MAX_WINDOW_LOG = 23;

/** Decompresses the blocks of one subscription in the order of their arrival. Checks that no block is missing. */
export class GroupDecompressor {
  #group = -1n;
  #nextIndex = 0;
  #stream: ZstdStream | undefined;

  /** Returns the content of a block. Throws MalformedMessageError, also if another block was expected. */
  decompress(block: Block): Uint8Array {
    const { earlier, earlierSizes } = block;
    if (earlier.length !== earlierSizes.length) {
      throw new MalformedMessageError(`a block has ${earlier.length} earlier blocks but ${earlierSizes.length} sizes for them`);
    }
    const earlierBytes = earlierSizes.reduce((sum, size) => sum + size, 0);
    if (earlierBytes > MAX_EARLIER_BYTES) {
      throw new MalformedMessageError(`earlier blocks of ${earlierBytes} bytes: the limit is ${MAX_EARLIER_BYTES}`);
    }
    let stream = block.group === this.#group ? this.#stream : undefined;
    const first = block.index - earlier.length;
    const expected = stream ? this.#nextIndex : 0;
    if (first !== expected) {
      throw new MalformedMessageError(`received block ${first} of group ${block.group} instead of block ${expected}`);
    }
    if (block.windowLog < MIN_WINDOW_LOG || block.windowLog > MAX_WINDOW_LOG) {
      throw new MalformedMessageError(
        `a window of 2**${block.windowLog} bytes: the limits are 2**${MIN_WINDOW_LOG} and 2**${MAX_WINDOW_LOG}`,
      );
    }
    if (!stream) {
      this.close();
      stream = new ZstdStream(2 ** block.windowLog, newDecoder());
    }
    this.#stream = stream;
    this.#group = block.group;
    this.#nextIndex = block.index + 1;
    try {
      earlier.forEach((piece, index) => void stream.decompressPiece(piece, earlierSizes[index]!));
      return stream.decompressPiece(block.data, block.size);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Frees the memory of the group. */
  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }
}

/** Returns the content of a complete zstd frame. Its header must have the content's size. Throws MalformedMessageError. */
export function decompressSingle(frame: Uint8Array): Uint8Array {
  const { contentSize } = parseHeader(frame);
  if (contentSize === undefined) {
    throw new MalformedMessageError("the header of a zstd frame lacks the size of the content");
  }
  return new ZstdStream(Math.max(contentSize, 2 ** MAX_WINDOW_LOG), new ScriptDecoder()).decompressPiece(frame, contentSize);
}

/** Decompresses a zstd stream piece by piece. The size of the content of each piece is known. */
class ZstdStream {
  #output = new Uint8Array(0);
  #written = 0;
  #hasBegun = false;

  constructor(
    private readonly maxWindowBytes: number,
    private readonly decoder: PieceDecoder,
  ) {}

  close(): void {
    this.decoder.close();
  }

  /** Decompresses the next piece. `size`: the size of its content in bytes. Throws MalformedMessageError. */
  decompressPiece(piece: Uint8Array, size: number): Uint8Array {
    if (size > MAX_CONTENT_BYTES) {
      throw new MalformedMessageError(`compressed content of ${size} bytes: the limit is ${MAX_CONTENT_BYTES}`);
    }
    this.#output = new Uint8Array(size);
    this.#written = 0;
    this.#checkWindow(piece);
    parseUntrusted(INVALID, () => this.decoder.decode(piece, size, this.#write));
    this.#hasBegun = true;
    if (this.#written < size) {
      throw new MalformedMessageError(`compressed content has ${this.#written} bytes instead of its declared ${size}`);
    }
    return this.#output;
  }

  readonly #write = (part: Uint8Array): void => {
    if (this.#written + part.length > this.#output.length) {
      throw new MalformedMessageError(`compressed content has more than its declared ${this.#output.length} bytes`);
    }
    this.#output.set(part, this.#written);
    this.#written += part.length;
  };

  // fzstd accepts any size of the window from the header of a zstd frame, so it is checked here. Only the first piece has a header.
  #checkWindow(piece: Uint8Array): void {
    const windowBytes = this.#hasBegun ? 0 : parseHeader(piece).windowBytes;
    if (windowBytes > this.maxWindowBytes) {
      throw new MalformedMessageError(`a window of ${windowBytes} bytes: the limit is ${this.maxWindowBytes}`);
    }
  }
}
