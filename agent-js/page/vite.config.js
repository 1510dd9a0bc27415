import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// Resolves imports of the package sc2bridge to its build in ../dist.
const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
export const thePackage = {
  name: "sc2bridge",
  resolveId(id) {
    for (const [name, path] of Object.entries(exports)) {
      const [before, after] = `sc2bridge${name.slice(1)}`.split("*");
      if (after === undefined ? id === before : id.startsWith(before)) {
        return fileURLToPath(new URL(`../${path.replace("*", id.slice(before.length))}`, import.meta.url));
      }
    }
  },
};

// With `npm run dev`, the page connects to a bridge that already runs.
const proxy = {
  "/v1": { target: process.env.SC2BRIDGE_WEB ?? "http://127.0.0.1:8765", ws: true, changeOrigin: true, rewriteWsOrigin: true },
};

export default defineConfig({
  base: "./",
  server: { proxy },
  preview: { proxy },
  plugins: [thePackage],
  build: {
    target: "es2022",
    // The bridge's Content-Security-Policy allows only its own files, and nothing inline.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
