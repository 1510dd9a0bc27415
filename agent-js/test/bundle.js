/** Bundles code for browsers with esbuild, as users do. */

import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** @param {string} contents the text of a module in this folder @returns {Promise<Uint8Array>} */
export async function bundled(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  return /** @type {Uint8Array} */ (outputFiles[0]?.contents);
}
