/** Decompresses zstd streams by libzstd as WebAssembly. */

import { ZSTDDecoder } from "zstddec/stream";
import type { PieceDecoder } from "./zstd-decoder.js";

const library = new ZSTDDecoder();

// An empty zstd block. After the last byte of an input, the library can still have content. Empty blocks as further inputs return it.
const EMPTY_BLOCK = new Uint8Array(3);

/** Loads the WebAssembly, which takes a few milliseconds. Rejects if it is not allowed here. Returns a function that makes decoders. */
export async function loadWasm(): Promise<() => PieceDecoder> {
  await library.init();
  return () => new WasmDecoder();
}

/** Only `close` frees its memory (a window and 256 KiB). After an invalid block, this memory is never freed. */
class WasmDecoder implements PieceDecoder {
  #piece: Uint8Array | undefined;
  #lastInput: Uint8Array | undefined;
  #isClosed = false;
  readonly #parts = library.decodeStreaming(this.#inputs());

  decode(piece: Uint8Array, size: number, write: (part: Uint8Array) => void): void {
    this.#piece = piece;
    for (let [written, idle] = [0, 0]; this.#piece || written < size; ) {
      this.#lastInput = undefined;
      const part: Uint8Array = this.#parts.next().value;
      idle = part.length || this.#lastInput === piece ? 0 : idle + 1;
      if (idle > 0 && this.#lastInput === EMPTY_BLOCK) {
        return; // The piece has no more content.
      }
      if (idle > 1) { // The library tries an invalid input again and again, and returns nothing.
        throw new Error("invalid block");
      }
      write(part);
      written += part.length;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#piece = undefined;
    try {
      for (let left = 2; left > 0 && !this.#parts.next().done; left--) {
        // After the last input, the library frees its memory.
      }
    } catch {
      // The library reports that the stream is incomplete, because groups do not end their streams.
    }
  }

  *#inputs(): Generator<Uint8Array> {
    while (!this.#isClosed) {
      this.#lastInput = this.#piece ?? EMPTY_BLOCK;
      this.#piece = undefined;
      yield this.#lastInput;
    }
  }
}
