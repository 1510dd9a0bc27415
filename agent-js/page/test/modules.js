/** Loads modules of the page without a browser. */

import { fileURLToPath } from "node:url";
import { createServer } from "vite";

/** @param {{ after(end: () => Promise<void>): void }} t @param {string} path relative to the folder of the page */
export async function load(t, path) {
  const [module] = await loadAll(t, path);
  return module;
}

/** Loads several modules that import each other. @param {{ after(end: () => Promise<void>): void }} t @param {string[]} paths relative to the folder of the page */
export async function loadAll(t, ...paths) {
  const vite = await createServer({
    root: fileURLToPath(new URL("..", import.meta.url)),
    server: { middlewareMode: true, watch: null, ws: false },
    appType: "custom",
    logLevel: "error",
  });
  t.after(() => vite.close());
  return Promise.all(paths.map((path) => vite.ssrLoadModule(path)));
}
