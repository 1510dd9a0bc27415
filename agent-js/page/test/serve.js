/** A web server with the viewer, next to recordings. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { VIEWER } from "./post-mortem.js";

/**
 * Returns the address of the viewer, and counts the requests for recordings.
 * @param {{ after(end: () => Promise<void>): void }} t @param {Record<string, string>} files the paths of the recordings, by their names
 */
export async function serve(t, files, { hasRanges = true } = {}) {
  const counts = { requests: 0 };
  const server = createServer(({ url, headers }, answer) => {
    const path = files[url.slice(1)];
    if (!path && !url.startsWith("/viewer.html")) {
      answer.writeHead(404).end();
      return;
    }
    counts.requests += Number(path !== undefined);
    const bytes = readFileSync(path ?? VIEWER);
    const range = hasRanges && path && /bytes=(\d+)-(\d+)/.exec(headers.range ?? "");
    answer.writeHead(range ? 206 : 200, { "Content-Type": path ? "application/octet-stream" : "text/html", ...(range ? { "Content-Range": `bytes ${range[1]}-${range[2]}/${bytes.length}` } : {}) });
    answer.end(range ? bytes.subarray(Number(range[1]), Number(range[2]) + 1) : bytes);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => (server.closeAllConnections(), server.close()));
  return { address: `http://127.0.0.1:${server.address().port}/viewer.html`, counts };
}
