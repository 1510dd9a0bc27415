import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The package as it was built beside the page, by what it exports.
const { exports } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const thePackage = {
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

// `npm run dev` shows the match of a bridge that runs already.
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
    // The bridge's Content-Security-Policy allows files of its own and nothing inline.
    modulePreload: false,
    assetsInlineLimit: 0,
  },
});
