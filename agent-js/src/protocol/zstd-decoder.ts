/** The decoder of the blocks of groups. The default is a library in JavaScript, which works everywhere. */

import { Decompress } from "fzstd";
import { parseHeader } from "./zstd-header.js";

/** Decompresses a zstd stream piece by piece. Each piece ends with a complete block. */
export interface PieceDecoder {
  /**
   * Decompresses the next piece. Throws an error of any type if the piece is invalid, and each error of `write`.
   *
   * @param size the size of its content in bytes
   * @param write called with each part of the content. The caller checks the size of all parts
   */
  decode(piece: Uint8Array, size: number, write: (part: Uint8Array) => void): void;
  /** Frees its memory. */
  close(): void;
}

let makeDecoder: () => PieceDecoder = () => new ScriptDecoder();

/** Changes the decoder of all groups that begin from now on. */
export function setDecoder(make: () => PieceDecoder): void {
  makeDecoder = make;
}

/** Makes a decoder for a group. */
export function newDecoder(): PieceDecoder {
  return makeDecoder();
}

// fzstd needs 18 bytes to read the header. Four empty zstd blocks of 3 bytes make each first piece long enough.
const MIN_FIRST_BYTES = 18;
const PADDING = 12;

/** Decompresses by fzstd. */
export class ScriptDecoder implements PieceDecoder {
  #write: (part: Uint8Array) => void = () => {};
  #hasBegun = false;
  readonly #decoder = new Decompress((part) => this.#write(part));

  decode(piece: Uint8Array, _size: number, write: (part: Uint8Array) => void): void {
    this.#write = write;
    this.#decoder.push(this.#hasBegun || piece.length >= MIN_FIRST_BYTES ? piece : padded(piece));
    this.#hasBegun = true;
  }

  close(): void {}
}

function padded(piece: Uint8Array): Uint8Array {
  const { length } = parseHeader(piece);
  const longer = new Uint8Array(piece.length + PADDING);
  longer.set(piece.subarray(0, length));
  longer.set(piece.subarray(length), length + PADDING);
  return longer;
}
