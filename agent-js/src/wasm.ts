/** Decompresses group zstd by WebAssembly in a browser. In Node, the package does this by default. */

import { setDecoder } from "./protocol/zstd-decoder.js";
import { loadWasm } from "./protocol/zstd-wasm.js";

/**
 * After this call, WebAssembly decompresses new groups of all subscriptions, three to four times as fast as JavaScript. It adds
 * 34 KiB to a page. Rejects if the page's Content-Security-Policy does not allow it: `script-src 'wasm-unsafe-eval'; connect-src data:`.
 */
export async function useWasm(): Promise<void> {
  setDecoder(await loadWasm());
}
