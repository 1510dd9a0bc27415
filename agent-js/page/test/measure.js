/**
 * Measures the page in Chromium and prints a table. A bridge plays steps from late in the default match, with observations of
 * 140 to 151 KiB, at 22.4 steps a second:
 *
 *     node agent-js/page/test/measure.js [--rounds N] [--seconds S] [--minutes M] [--recording FILE] [--json FILE]
 *
 * Each round measures the CPU use of the bridge with the page and then without it. `--minutes`: how long the heap is measured
 * after two minutes of warm-up. With 0 it is not measured.
 */

import { writeFileSync } from "node:fs";
import os from "node:os";
import { parseArgs } from "node:util";
import { inContext, playMatch, startBridge } from "../../test/bridge.js";
import { closeBrowser, newPage, openPage } from "./browser.js";
import { cpuShares, delays, firstPaint, heaps, quantile } from "./figures.js";

const WARM_UP_MINUTES = 2;

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "20" },
    minutes: { type: "string", default: "10" },
    recording: { type: "string" },
    json: { type: "string" },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const minutes = Number(options.minutes);

await inContext(async (t) => {
  t.after(closeBrowser);
  const report = await measure(t);
  print(report);
  if (options.json) {
    writeFileSync(options.json, `${JSON.stringify(report)}\n`);
  }
});

async function measure(t) {
  const { page: blank } = await newPage(t);
  const browser = blank.context().browser();
  const report = {
    machine: { processor: os.cpus()[0].model, cores: os.cpus().length, browser: `Chromium ${browser.version()}, headless, no GPU`, loadAtStart: os.loadavg()[0] },
    rounds: [],
    heaps: [],
    match: {},
  };
  const recording = options.recording ?? (await playMatch(t));
  const bridge = await startBridge(t, [
    "replay", recording, "--from", "14500", "--loop", "--rate", "22.4", "--wait", "1", "--codec-log", "off",
  ]);
  for (let round = 0; round <= rounds; round++) {
    console.error(round ? `round ${round} of ${rounds}` : "warming up");
    const { page, context } = await openPage(t, bridge.url);
    const measured = { ...(await firstPaint(page)), delays: await delays(page, seconds), with: await cpuShares(page, bridge.pid, seconds) };
    await context.close();
    measured.without = await cpuShares(blank, bridge.pid, seconds);
    if (round) {
      report.rounds.push(measured);
    }
  }
  const { page } = await openPage(t, bridge.url);
  if (minutes) {
    console.error(`measuring the heap for ${WARM_UP_MINUTES + minutes} minutes`);
    report.heaps = (await heaps(page, WARM_UP_MINUTES + minutes)).slice(WARM_UP_MINUTES);
  }
  await page.close();
  report.match = await wholeMatch(t);
  return report;
}

/** Plays the default match at full speed with the page open, and returns how long it took. */
async function wholeMatch(t) {
  console.error("playing a whole match as fast as possible");
  const { url } = await startBridge(t, ["match", "--game", "simulated", "--observe", "1", "--no-recording", "--wait", "1"]);
  const start = performance.now();
  const { page, state } = await openPage(t, url);
  await page.getByText("The match has ended").waitFor({ timeout: 900_000 });
  const { frames, frame } = await state();
  return { seconds: (performance.now() - start) / 1000, frames, step: frame.step };
}

function print({ machine, rounds, heaps, match }) {
  const all = (of) => rounds.map(of);
  const spread = (values, digits = 0) => `${quantile(values, 0.5).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;
  const rows = [
    ["first paint, ms", "≤ 1,000", spread(all(({ paintMs }) => paintMs))],
    ["first frame in the picture, ms", "", spread(all(({ frameMs }) => frameMs))],
    ["from the game's answer to the picture, p50, ms", "≤ 50", spread(all(({ delays }) => quantile(delays, 0.5)), 1)],
    ["p99, ms", "≤ 120", spread(all(({ delays }) => quantile(delays, 0.99)), 1)],
    ["frames drawn a second", "22.4", spread(all(({ delays }) => delays.length / seconds), 1)],
    ["the browser, % of a core", "≤ 60", spread(all((round) => round.with.page * 100), 1)],
    ["the bridge with the page minus without, % of a core", "≤ 3", spread(all((round) => (round.with.bridge - round.without.bridge) * 100), 1)],
    ["the bridge without the page, % of a core", "", spread(all(({ without }) => without.bridge * 100), 1)],
    ...(heaps.length ? [[`heap over ${heaps.length - 1} minutes, maximum divided by the first`, "≤ 1.10", `${(Math.max(...heaps) / heaps[0]).toFixed(2)} (of ${(heaps[0] / 2 ** 20).toFixed(1)} MiB)`]] : []),
    ["a match as fast as possible, to its end", "", `step ${match.step}, ${match.frames} frames shown, ${match.seconds.toFixed(0)} s`],
  ];
  console.log(`${machine.processor}, ${machine.cores} cores, load ${machine.loadAtStart.toFixed(2)} at the start; ${machine.browser}; ${rounds.length} rounds of ${seconds} s; medians (least–most)\n`);
  console.log("| | wanted | seen |\n| --- | --- | --- |");
  rows.forEach((row) => console.log(`| ${row.join(" | ")} |`));
}
