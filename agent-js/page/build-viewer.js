/** Builds the viewer into one file: its code, its worker and its styles, with a policy that allows nothing else. */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { thePackage } from "./vite.config.js";

const root = fileURLToPath(new URL(".", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const OUT = new URL("viewer/dist/sc2bridge-viewer.html", import.meta.url);

/** Bundles an entry into one script. @returns {Promise<{ code: string, styles: string }>} */
async function bundle(entry, plugins = []) {
  const made = await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins: [thePackage, ...plugins],
    build: {
      target: "es2022",
      write: false,
      cssCodeSplit: false,
      lib: { entry, formats: ["iife"], name: "viewer", fileName: "viewer" },
    },
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const output = [made].flat().flatMap((each) => each.output);
  const text = (/** @type {string} */ type) => output.filter((file) => file.type === type).map((file) => file.code ?? String(file.source)).join("\n");
  return { code: text("chunk"), styles: text("asset") };
}

const worker = (await bundle("src/recording/worker.ts")).code;
const virtual = {
  name: "worker",
  resolveId: (id) => (id === "virtual:worker" ? "\0worker" : undefined),
  load: (id) => (id === "\0worker" ? `export default ${JSON.stringify(worker)}` : undefined),
};
const { code, styles } = await bundle("src/viewer.tsx", [virtual]);
// Inside <script>, these would end it or begin a comment.
const script = code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
// `data:` is the worker's WebAssembly, which is inside its code.
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, `style-src ${hash(styles)}`, "worker-src blob:", "img-src data: blob:",
  "connect-src 'self' data:", "base-uri 'none'", "form-action 'none'",
].join("; ");

mkdirSync(new URL(".", OUT), { recursive: true });
writeFileSync(
  OUT,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="sc2bridge ${version}">
<title>sc2bridge viewer</title>
<style>${styles}</style>
</head>
<body>
<!-- recording -->
<script>${script}</script>
</body>
</html>
`,
);
