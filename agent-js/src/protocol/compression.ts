/**
 * Payloads compressed with zstd: each alone, or as blocks of a group (see Block in bridge.proto). All sizes are bounded:
 * no more bytes are made than a block speaks of, none may speak of more than LONGEST, and no window is larger than 8 MiB.
 * What is none of the bridge's is a MalformedMessageError and nothing else.
 */

import { Decompress } from "fzstd";
import { MalformedMessageError } from "../errors.js";
import type { Block } from "../generated/sc2bridge/v1/bridge_pb.js";
import { readable } from "./parsing.js";

/** The longest content that is taken, in bytes: many times the longest observation. */
const LONGEST = 64 << 20;
/** What the earlier blocks that come with one may speak of together: 64 observations of 4 MiB each. */
const LONGEST_GROUP = 4 * LONGEST;

const SMALLEST_WINDOW_LOG = 10;
const LARGEST_WINDOW_LOG = 23;

/** The blocks of one subscription, in the order in which they come. */
export class Groups {
  #number = -1n;
  #next = 0;
  #stream: Stream | undefined;

  /** The content of a block. Throws MalformedMessageError for one that is not the next. */
  add(block: Block): Uint8Array {
    const { earlier, earlierSizes } = block;
    if (earlier.length !== earlierSizes.length) {
      throw new MalformedMessageError(`a block with ${earlier.length} earlier ones and ${earlierSizes.length} sizes of them`);
    }
    const together = earlierSizes.reduce((sum, size) => sum + size, 0);
    if (together > LONGEST_GROUP) {
      throw new MalformedMessageError(`earlier blocks of ${together} bytes: no more than ${LONGEST_GROUP} are taken`);
    }
    let stream = block.group === this.#number ? this.#stream : undefined;
    const first = block.index - earlier.length;
    const expected = stream ? this.#next : 0;
    if (first !== expected) {
      throw new MalformedMessageError(`block ${first} of group ${block.group} came where block ${expected} was to come`);
    }
    if (block.windowLog < SMALLEST_WINDOW_LOG || block.windowLog > LARGEST_WINDOW_LOG) {
      throw new MalformedMessageError(
        `a window of 2**${block.windowLog} bytes: 2**${SMALLEST_WINDOW_LOG} to 2**${LARGEST_WINDOW_LOG} are taken`,
      );
    }
    stream ??= new Stream(2 ** block.windowLog);
    earlier.forEach((piece, at) => void stream.next(piece, earlierSizes[at]!));
    const content = stream.next(block.data, block.size);
    [this.#number, this.#next, this.#stream] = [block.group, block.index + 1, stream];
    return content;
  }
}

/** The content of one whole zstd frame that tells its size. Throws MalformedMessageError. */
export function alone(frame: Uint8Array): Uint8Array {
  const { contentSize } = headerOf(frame);
  if (contentSize === undefined) {
    throw new MalformedMessageError("a zstd frame that does not tell its size");
  }
  return new Stream(Math.max(contentSize, 2 ** LARGEST_WINDOW_LOG)).next(frame, contentSize, true);
}

/** One zstd stream, whose pieces tell their size. */
class Stream {
  #out = new Uint8Array(0);
  #made = 0;
  #begun = false;
  readonly #largestWindow: number;
  readonly #decoder = new Decompress((part) => {
    if (this.#made + part.length > this.#out.length) {
      throw new MalformedMessageError(`a compressed content of more than the ${this.#out.length} bytes it speaks of`);
    }
    this.#out.set(part, this.#made);
    this.#made += part.length;
  });

  constructor(largestWindow: number) {
    this.#largestWindow = largestWindow;
  }

  /** What a piece decompresses to. Throws MalformedMessageError. */
  next(piece: Uint8Array, size: number, isLast = false): Uint8Array {
    if (size > LONGEST) {
      throw new MalformedMessageError(`a compressed content of ${size} bytes: no more than ${LONGEST} are taken`);
    }
    this.#out = new Uint8Array(size);
    this.#made = 0;
    readable("zstd", () => this.#decoder.push(this.#begun || isLast ? this.#checked(piece) : padded(this.#checked(piece)), isLast));
    this.#begun = true;
    if (this.#made < size) {
      throw new MalformedMessageError(`a compressed content of ${this.#made} bytes that speaks of ${size}`);
    }
    return this.#out;
  }

  // The decoder takes a window of the size that the frame's header asks for.
  #checked(piece: Uint8Array): Uint8Array {
    if (!this.#begun) {
      const { windowSize } = headerOf(piece);
      if (windowSize > this.#largestWindow) {
        throw new MalformedMessageError(`a window of ${windowSize} bytes: no more than ${this.#largestWindow} are taken`);
      }
    }
    return piece;
  }
}

// fzstd waits for 18 bytes before it reads a frame's header, and a first piece may have fewer: empty blocks fill it up.
function padded(piece: Uint8Array): Uint8Array {
  const { length } = headerOf(piece);
  const longer = new Uint8Array(piece.length + 12);
  longer.set(piece.subarray(0, length));
  longer.set(piece.subarray(length), length + 12);
  return longer;
}

/** A zstd frame's header (RFC 8878, 3.1.1.1). Throws MalformedMessageError. */
function headerOf(frame: Uint8Array): { length: number; windowSize: number; contentSize: number | undefined } {
  return readable("zstd", () => {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const descriptor = view.getUint8(4);
    const isSingle = (descriptor & 0x20) !== 0;
    if (view.getUint32(0, true) !== 0xfd2fb528 || (descriptor & 0x0b) !== 0) {
      throw new MalformedMessageError("a compressed content that is no zstd frame without a dictionary");
    }
    const at = isSingle ? 5 : 6;
    const sizes = [
      () => (isSingle ? view.getUint8(at) : undefined),
      () => view.getUint16(at, true) + 256,
      () => view.getUint32(at, true),
      () => Number(view.getBigUint64(at, true)),
    ];
    const contentSize = sizes[descriptor >> 6]!();
    const window = isSingle ? 0 : view.getUint8(5);
    const base = 2 ** (10 + (window >> 3));
    const windowSize = isSingle ? contentSize! : base + (base / 8) * (window & 7);
    const contentSizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    return { length: at + contentSizeBytes, windowSize, contentSize };
  });
}
