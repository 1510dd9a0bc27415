/** Modules of the page by themselves, without a browser. */

import { fileURLToPath } from "node:url";
import { createServer } from "vite";

/** @param {{ after(end: () => Promise<void>): void }} t @param {string} path from the page's folder */
export async function load(t, path) {
  const [module] = await loadAll(t, path);
  return module;
}

/** Some that know each other. @param {{ after(end: () => Promise<void>): void }} t @param {string[]} paths from the page's folder */
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
