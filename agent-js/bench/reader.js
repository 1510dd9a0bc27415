/** A process of bench.js. It reads frames in one way, its first argument. Each message of bench.js starts one round. */

import { WAYS } from "./ways.js";

const [name, grpc, web] = process.argv.slice(2);
const way = WAYS[name];

process.on("message", async ({ agent, frames }) => {
  try {
    process.send(await readRound(agent, frames));
  } catch (error) {
    process.send({ error: error.message });
  }
});

async function readRound(agent, frames) {
  // The playback is paused at the first frame. The clock starts at the second frame, which makes count 0.
  let count = -2;
  let last, startMs, cpu, result;
  let bytes = 0;
  let places = 0;
  await way({ grpc, web }, agent, (read) => {
    if (count > -2 && read.step !== last + 1 && !Number.isNaN(read.step)) {
      throw new Error(`received step ${read.step} after step ${last}`);
    }
    last = read.step;
    count++;
    if (count === 0) {
      startMs = performance.now();
      cpu = process.cpuUsage();
    } else if (count > 0) {
      bytes += read.bytes;
      places += read.places;
    }
    if (count < frames) {
      return true;
    }
    const seconds = (performance.now() - startMs) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    result = { perSecond: frames / seconds, agentCpuUs: (user + system) / frames, bytes: bytes / frames, places: Number.isNaN(places) ? null : places / frames };
    return false;
  });
  return result;
}

process.on("disconnect", () => process.exit());
process.send("ready");
