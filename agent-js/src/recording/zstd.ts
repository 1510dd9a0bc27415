/** Decompresses chunks by libzstd as WebAssembly. If WebAssembly is not allowed, fzstd does it, and takes several times as long. */

import { ZSTDDecoder } from "zstddec";
import { decompressSingle } from "../protocol/compression.js";
import { BadRecordError } from "./records.js";

/**
 * Decompresses a frame with a content of `size` bytes, and returns the content. Can use `memory` for it, which must have exactly
 * this size. Throws an error of any type. `isChecked`: whether it compares the frame's checksum.
 */
export interface Decompress {
  (frame: Uint8Array, size: number, memory?: Uint8Array): Uint8Array;
  readonly isChecked: boolean;
}

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const CHECKSUM = 0x04;
const SINGLE_SEGMENT = 0x20;
const DICTIONARY = 0x03;
const SIZE = 0xc0;

let found: Promise<Decompress> | undefined;

/** The fastest decompressor that works here. */
export function decompressor(): Promise<Decompress> {
  found ??= (async () => {
    const decoder = new Decoder();
    try {
      await decoder.init();
      return Object.assign((frame: Uint8Array, size: number, memory?: Uint8Array) => decoder.decodeInto(frame, memory ?? new Uint8Array(size)), { isChecked: true });
    } catch {
      return byScript;
    }
  })();
  return found;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  malloc(bytes: number): number;
  free(address: number): void;
  /** The number of decompressed bytes, or a number above the size on an error. */
  ZSTD_decompress(to: number, size: number, from: number, length: number): number;
}

/** The package's `decode` copies into new memory, which takes Chromium longer than the decompression itself. */
class Decoder extends ZSTDDecoder {
  #exports: Exports | undefined;

  // An arrow function, because the package calls it without `this`.
  override _init = (result: Parameters<ZSTDDecoder["_init"]>[0]): void => {
    super._init(result);
    this.#exports = result.instance.exports as unknown as Exports;
  };

  /** Decompresses into `memory`. Returns an array of another size if the content has another size. */
  decodeInto(frame: Uint8Array, memory: Uint8Array): Uint8Array {
    if (!this.#exports) { // Other code initialized the package, which then does not call `_init`.
      return this.decode(frame, memory.length);
    }
    const { memory: heap, malloc, free, ZSTD_decompress } = this.#exports;
    const [from, to] = [malloc(frame.length), malloc(memory.length)];
    try {
      if (!from || !to) {
        throw new Error("too little memory");
      }
      new Uint8Array(heap.buffer, from).set(frame);
      const length = ZSTD_decompress(to, memory.length, from, frame.length);
      memory.set(new Uint8Array(heap.buffer, to, memory.length));
      return length === memory.length ? memory : memory.subarray(0, 0);
    } finally {
      free(from);
      free(to);
    }
  }
}

/** Decompresses without WebAssembly. */
export const byScript: Decompress = Object.assign((frame: Uint8Array, size: number) => decompressSingle(withSize(frame, size)), { isChecked: false });

/** Adds the content's size to a frame's header (RFC 8878, 3.1.1.1), if its writer did not know the size yet. */
function withSize(frame: Uint8Array, size: number): Uint8Array {
  const flags = frame[4]!;
  if (flags & (SIZE | SINGLE_SEGMENT | DICTIONARY)) {
    return frame;
  }
  const longer = new Uint8Array(frame.length + 8);
  longer.set(frame.subarray(0, 6));
  longer[4] = flags | SIZE;
  new DataView(longer.buffer).setBigUint64(6, BigInt(size), true);
  longer.set(frame.subarray(6), 14);
  return longer;
}

/** Decompresses a chunk's content. Also returns whether its checksum was compared. Throws BadRecordError. */
export function decompress(frame: Uint8Array, size: number, by: Decompress, memory?: Uint8Array): [content: Uint8Array, isChecked: boolean] {
  if (frame.length < 6 || MAGIC.some((byte, at) => frame[at] !== byte)) {
    throw new BadRecordError("a chunk's content is not zstd");
  }
  try {
    const content = by(frame, size, memory);
    if (content.length === size) {
      return [content, by.isChecked && (frame[4]! & CHECKSUM) !== 0];
    }
  } catch (error) {
    throw new BadRecordError(`a chunk cannot be decompressed: ${error instanceof Error ? error.message : error}`);
  }
  throw new BadRecordError(`a chunk's zstd content is damaged, or is not of the ${size} bytes that its head says`);
}
