/**
 * Measures how many frames per second a Node program reads, with this package and with other libraries. A bridge plays one
 * recording at `--rate max`, and sends every frame. In each round, each way (see ways.js) reads once:
 *
 *     npm ci --prefix agent-js/bench
 *     node agent-js/bench/bench.js [--recording FILE] [--from LOOP] [--rounds N] [--frames N] [--only WORD]… [--json FILE]
 *
 * Without a recording it first plays the default match, and reads steps from late in that match. Each way has its own
 * process. Only one way reads at a time, and the playback is paused between them.
 */

import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import os from "node:os";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connect } from "../dist/index.js";
import { cpuSeconds, inContext, playMatch, startBridge } from "../test/bridge.js";
import { median, spread } from "./figures.js";
import { LIBRARIES, PEER, WAYS } from "./ways.js";

/** From this game loop on, observations of the default match have 140 KiB. */
const LATE_LOOP = 14_500;

const { values: options } = parseArgs({
  options: {
    recording: { type: "string" },
    from: { type: "string" },
    rounds: { type: "string", default: "7" },
    frames: { type: "string", default: "1000" },
    only: { type: "string", multiple: true, default: [] },
    json: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const frames = Number(options.frames);
const names = Object.keys(WAYS).filter((name) => name === PEER || !options.only.length || options.only.some((word) => name.includes(word)));

await inContext(async (t) => {
  const report = await measure(t);
  print(report);
  if (options.json) {
    writeFileSync(options.json, `${JSON.stringify(report, null, 1)}\n`);
  }
});

async function measure(t) {
  const machine = {
    processor: os.cpus()[0].model,
    cores: os.cpus().length,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    runtime: `Node ${process.versions.node}, V8 ${process.versions.v8}`,
    loadAtStart: os.loadavg()[0],
  };
  const recording = options.recording ?? (await playMatch(t));
  const from = options.from ?? (options.recording ? undefined : String(LATE_LOOP));
  const bridge = await startBridge(t, [
    "replay", recording, "--rate", "max", "--paused", "--codec-log", "off", "--no-page", ...(from ? ["--from", from] : []),
  ]);
  const control = await connect(bridge.url);
  t.after(async () => control.close());
  const { firstStep, lastStep } = await control.playback();
  if (lastStep - firstStep <= frames) {
    throw new RangeError(`--frames ${frames}: the playback has ${lastStep - firstStep + 1n} steps, so choose a number below ${lastStep - firstStep}`);
  }
  const readers = new Map();
  for (const name of names) {
    const reader = fork(fileURLToPath(new URL("reader.js", import.meta.url)), [name, bridge.grpc, bridge.url]);
    t.after(async () => reader.kill());
    await once(reader, "message");
    readers.set(name, reader);
  }
  const results = Object.fromEntries(names.map((name) => [name, []]));
  // In the first round, V8 has not compiled the code yet, so its results are dropped.
  for (let round = 0; round <= rounds; round++) {
    console.error(round ? `round ${round} of ${rounds}` : "warming up");
    for (const name of rotated(names, round)) {
      const agent = `bench-${names.indexOf(name)}-${round}`;
      const reader = readers.get(name);
      const answered = Promise.race([once(reader, "message"), once(reader, "exit").then(() => [{ error: "the process of this way ended" }])]);
      reader.send({ agent, frames });
      await untilSubscribed(control, agent);
      await control.seek({ step: Number(firstStep) });
      const before = cpuSeconds(bridge.pid);
      await control.step(frames + 1);
      const [result] = await answered;
      const bridgeCpuUs = ((cpuSeconds(bridge.pid) - before) * 1e6) / (frames + 1);
      if (result.error) {
        throw new Error(`${name}: ${result.error}`);
      }
      if (round) {
        results[name].push({ ...result, bridgeCpuUs });
      }
    }
  }
  const [first] = results[PEER];
  for (const [name, [{ places }]] of Object.entries(results)) {
    if (places !== null && Math.abs(places / first.places - 1) > 1e-6) {
      throw new Error(`${name} read other positions of units than ${PEER}`);
    }
  }
  return {
    machine,
    libraries: LIBRARIES,
    frames: `${options.recording ? basename(recording) : "simulated, the default match"}: ${frames} steps from game loop ${from ?? "0"} on`,
    rows: names.map((name) => ({ name, rounds: results[name] })),
  };
}

/** Waits until the bridge lists a subscriber. */
async function untilSubscribed(control, agent) {
  while (!(await control.status()).subscribers.some(({ name }) => name === agent)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Rotates a list, so that the ways have another order in each round. */
function rotated(list, round) {
  const by = (round * 5) % list.length;
  return [...list.slice(by), ...list.slice(0, by)];
}

function print({ machine, libraries, frames, rows }) {
  console.log(`${machine.processor}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(2)} at the start; ${machine.system}; ${machine.runtime}`);
  console.log(`${libraries.join(", ")}; ${frames}; ${rows[0].rounds.length} rounds of each way in turn; medians (least–most)\n`);
  console.log(`| way | frames a second | in times ${PEER} | agent CPU a frame, µs | bridge CPU a frame, µs | KiB a frame |`);
  console.log("| --- | --- | --- | --- | --- | --- |");
  const peer = rows[0].rounds;
  for (const { name, rounds } of rows) {
    const of = (key) => rounds.map((round) => round[key]);
    const ratios = rounds.map(({ perSecond }, round) => perSecond / peer[round].perSecond);
    console.log(
      `| ${name} | ${spread(of("perSecond"))} | ${spread(ratios, 2)} | ${median(of("agentCpuUs")).toFixed(0)} | ${median(of("bridgeCpuUs")).toFixed(0)} | ${(median(of("bytes")) / 1024).toFixed(1)} |`,
    );
  }
}
