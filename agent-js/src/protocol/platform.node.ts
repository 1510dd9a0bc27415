/**
 * Node decompresses groups by WebAssembly. Node's own libzstd is not faster: for streams it has only an asynchronous interface
 * (docs/measurements/details/javascript.md).
 */

import { setDecoder } from "./zstd-decoder.js";

let isChosen = false;

/** Chooses once. Until the WebAssembly is loaded, groups begin with the decoder in JavaScript. */
export function chooseDecoder(): void {
  if (!isChosen) {
    isChosen = true;
    void import("./zstd-wasm.js").then(({ loadWasm }) => loadWasm()).then(setDecoder, () => {});
  }
}
