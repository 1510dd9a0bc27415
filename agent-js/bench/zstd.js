/**
 * Measures how long each decoder takes for a block of group zstd, with the blocks of a match:
 *
 *     node agent-js/bench/zstd.js [--recording FILE] [--from LOOP] [--rounds N] [--blocks N]
 *
 * Node 22.15 or newer also has its own libzstd, whose interface for streams is asynchronous. In each round, each decoder decompresses
 * all blocks once.
 */

import zlib from "node:zlib";
import { parseArgs } from "node:util";
import { connect } from "../dist/index.js";
import { GroupDecompressor } from "../dist/protocol/compression.js";
import { ScriptDecoder, setDecoder } from "../dist/protocol/zstd-decoder.js";
import { loadWasm } from "../dist/protocol/zstd-wasm.js";
import { inContext, playMatch, startBridge } from "../test/bridge.js";
import { machine, median, spread } from "./figures.js";

const { values: options } = parseArgs({
  options: { recording: { type: "string" }, from: { type: "string", default: "14500" }, rounds: { type: "string", default: "9" }, blocks: { type: "string", default: "600" } },
});
const PEER = "fzstd (JavaScript)";
/** The functions that decompress all blocks. */
const DECODERS = {
  [PEER]: byPackage(() => new ScriptDecoder()),
  "zstddec (WebAssembly)": byPackage(await loadWasm()),
  ...("createZstdDecompress" in zlib ? { "Node's libzstd": decompressByNode } : {}),
};

console.log(`${machine()}; ${options.rounds} rounds`);
console.log("| content | KiB a block | decoder | µs a block: median (least–most) | median ratio to fzstd |\n| --- | --- | --- | --- | --- |");
await inContext(async (t) => {
  const recording = options.recording ?? (await playMatch(t));
  for (const content of ["columns", "observation"]) {
    const blocks = await blocksOf(t, recording, content);
    const times = Object.fromEntries(Object.keys(DECODERS).map((name) => [name, []]));
    for (let round = 0; round <= Number(options.rounds); round++) {
      for (const [name, decompress] of Object.entries(DECODERS)) {
        const start = performance.now();
        await decompress(blocks);
        round && times[name].push(((performance.now() - start) * 1000) / blocks.length); // The first round warms up the code.
      }
    }
    const kib = blocks.reduce((sum, { size }) => sum + size, 0) / blocks.length / 1024;
    for (const [name, each] of Object.entries(times)) {
      const ratios = each.map((time, round) => time / times[PEER][round]);
      console.log(`| ${content} | ${kib.toFixed(0)} | ${name} | ${spread(each)} | ${median(ratios).toFixed(2)} |`);
    }
  }
});

/** Decompresses blocks by the package, with these decoders. */
function byPackage(makeDecoder) {
  return (blocks) => {
    setDecoder(makeDecoder);
    const groups = new GroupDecompressor();
    blocks.forEach((block) => groups.decompress(block));
    groups.close();
  };
}

/** Decompresses blocks by Node's libzstd, with a stream for each group. */
async function decompressByNode(blocks) {
  let [group, stream, left, resolve] = [];
  let output;
  for (const block of blocks) {
    if (block.group !== group) {
      stream?.destroy();
      group = block.group;
      stream = zlib.createZstdDecompress({ chunkSize: 1 << 18 }).on("data", (part) => {
        output.set(part, output.length - left);
        (left -= part.length) || resolve();
      });
    }
    for (const [piece, size] of [...block.earlier.map((piece, at) => [piece, block.earlierSizes[at]]), [block.data, block.size]]) {
      [left, output] = [size, new Uint8Array(size)];
      await new Promise((done) => {
        resolve = done;
        stream.write(piece);
      });
    }
  }
  stream?.destroy();
}

/** Receives the blocks of a match. */
async function blocksOf(t, recording, content) {
  const blocks = [];
  const { decompress } = GroupDecompressor.prototype;
  GroupDecompressor.prototype.decompress = function (block) {
    blocks.push({ ...block, data: block.data.slice(), earlier: block.earlier.map((piece) => piece.slice()) });
    return decompress.call(this, block);
  };
  const { url } = await startBridge(t, ["replay", recording, "--rate", "max", "--wait", "1", "--from", options.from, "--codec-log", "off", "--no-page"]);
  const bridge = await connect(url);
  for await (const _ of bridge.subscribe({ content, compression: "group-zstd", overflow: "pause" })) {
    if (blocks.length >= Number(options.blocks)) {
      break;
    }
  }
  bridge.close();
  GroupDecompressor.prototype.decompress = decompress;
  return blocks;
}
