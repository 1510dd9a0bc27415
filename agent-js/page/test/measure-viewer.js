/**
 * Measures the viewer in Chromium and prints a table. Without --recording it plays the simulated match for one of 25 MB:
 *
 *     node agent-js/page/test/measure-viewer.js [--recording FILE] [--rounds N] [--seeks N] [--seconds S] [--json FILE] [--viewer FILE]
 *
 * --viewer measures another build. The heap is the memory of objects and arrays, in the page and in its workers.
 */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { inContext, playMatch } from "../../test/bridge.js";
import { closeBrowser, newPage } from "./browser.js";
import { quantile } from "./figures.js";

const STEPS_OF_25_MB = "17300";
/** Steps a second: eight times the game's speed, with a game loop per step. */
const FAST = 179.2;

const { values: options } = parseArgs({
  options: {
    recording: { type: "string" },
    rounds: { type: "string", default: "3" },
    seeks: { type: "string", default: "60" },
    seconds: { type: "string", default: "20" },
    json: { type: "string" },
    viewer: { type: "string", default: fileURLToPath(new URL("../viewer/dist/sc2bridge-viewer.html", import.meta.url)) },
  },
});

await inContext(async (t) => {
  t.after(closeBrowser);
  const recording = options.recording ?? (await playMatch(t, "--steps", STEPS_OF_25_MB));
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    console.error(`round ${round + 1} of ${options.rounds}`);
    rounds.push(await measure(t, recording));
  }
  const machine = `${os.cpus()[0].model}, ${os.cpus().length} cores`;
  const report = { machine, megabytes: statSync(recording).size / 1e6, viewerBytes: statSync(options.viewer).size, rounds };
  print(report);
  if (options.json) {
    writeFileSync(options.json, `${JSON.stringify(report)}\n`);
  }
});

async function measure(t, recording) {
  const { page, context } = await newPage(t);
  const heap = await heaps(await context.newCDPSession(page));
  await page.goto(pathToFileURL(options.viewer).href);
  const browser = await context.browser().newBrowserCDPSession();
  const cpuSeconds = async () => (await browser.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const until = (holds) => page.evaluate(waitFor, holds);
  await page.evaluate(() => document.querySelector("input[type=file]").addEventListener("change", () => (window.chosenMs = performance.now()), { capture: true }));
  await page.setInputFiles("input[type=file]", recording);
  const found = { load: Number(readFileSync("/proc/loadavg", "latin1").split(" ")[0]), pictureMs: await until("drawn"), curvesMs: await until("surveyed") };
  found.heapMb = await heap();
  const share = async (seconds) => {
    const [cpu, start] = [await cpuSeconds(), performance.now()];
    await pause(seconds * 1000);
    return ((await cpuSeconds()) - cpu) / ((performance.now() - start) / 1000);
  };
  found.idle = await page.keyboard.press(" ").then(() => share(Number(options.seconds) / 2));
  const { last } = await page.evaluate(() => ({ last: Number(document.querySelector(".seek input").max) }));
  await page.evaluate(setLoop, Math.round(last * 0.8));
  await pause(1000);
  await page.locator(".map").focus();
  await page.keyboard.press(" ");
  found.share = await share(Number(options.seconds));
  await page.evaluate(setLoop, 0);
  await page.getByLabel("Steps a second").selectOption(String(FAST));
  found.dropped = await page.evaluate(droppedTicks, { rate: FAST, seconds: Number(options.seconds) });
  await page.locator(".map").focus();
  await page.keyboard.press(" ");
  found.seeks = [];
  for (let seek = 0; seek < Number(options.seeks); seek++) {
    const loop = Math.round(((seek * 0.618) % 1) * last * 0.99);
    found.seeks.push(await page.evaluate(setLoop, loop));
  }
  found.heapMb = Math.max(found.heapMb, await heap());
  await context.close();
  return found;
}

/** Returns a function that sums the megabytes of a page and its workers: objects, and the contents of arrays. */
async function heaps(session) {
  const workers = new Set();
  const answers = new Map();
  session.on("Target.attachedToTarget", ({ sessionId }) => workers.add(sessionId));
  session.on("Target.detachedFromTarget", ({ sessionId }) => workers.delete(sessionId));
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = JSON.parse(message);
    answers.get(id)?.(result);
  });
  await session.send("Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const ofWorker = (sessionId) =>
    new Promise((resolve) => {
      const id = answers.size + 1;
      answers.set(id, resolve);
      session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method: "Runtime.getHeapUsage" }) });
    });
  return async () => {
    const all = [await session.send("Runtime.getHeapUsage"), ...(await Promise.all([...workers].map(ofWorker)))];
    return all.reduce((sum, { usedSize, backingStorageSize }) => sum + usedSize + backingStorageSize, 0) / 1e6;
  };
}

/** In the page: plays for some seconds. Returns the shown steps, and the number of steps that the last picture is late. */
async function droppedTicks({ rate, seconds }) {
  const next = async () => {
    const before = window.sc2bridge.drawn().step;
    while (window.sc2bridge.drawn().step === before) {
      await new Promise(requestAnimationFrame);
    }
    return { step: window.sc2bridge.drawn().step, at: performance.now() };
  };
  const first = await next();
  let last = first;
  while (last.at < first.at + seconds * 1000) {
    last = await next();
  }
  return { steps: last.step - first.step, late: Math.max(0, ((last.at - first.at) / 1000) * rate - (last.step - first.step)) };
}

/** In the page: milliseconds from the choice of the file until the first picture, or until all curves are there. */
async function waitFor(what) {
  while (!(what === "drawn" ? window.sc2bridge.drawn() : window.sc2bridge.state().isSurveyed)) {
    await new Promise(requestAnimationFrame);
  }
  return performance.now() - window.chosenMs;
}

/** In the page: seeks by the bar. Milliseconds until the picture. */
async function setLoop(loop) {
  const bar = document.querySelector(".seek input");
  const before = window.sc2bridge.drawn()?.step;
  const start = performance.now();
  bar.value = String(loop);
  bar.dispatchEvent(new Event("change", { bubbles: true }));
  while (window.sc2bridge.drawn()?.step === before && performance.now() < start + 10_000) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return performance.now() - start;
}

function print({ machine, megabytes, viewerBytes, rounds }) {
  const spread = (of) => {
    const values = rounds.map(of);
    return `${quantile(values, 0.5).toFixed(0)} (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)})`;
  };
  console.log(`${machine}; a recording of ${megabytes.toFixed(1)} MB; ${rounds.length} rounds; medians (least–most)\n`);
  console.log("| | wanted | seen |\n| --- | --- | --- |");
  for (const row of [
    ["the viewer, KB", "≤ 1,000", (viewerBytes / 1000).toFixed(0)],
    ["first picture, ms", "≤ 1,000", spread(({ pictureMs }) => pictureMs)],
    ["curves of the whole recording, ms", "≤ 5,000", spread(({ curvesMs }) => curvesMs)],
    ["a seek, p50, ms", "", spread(({ seeks }) => quantile(seeks, 0.5))],
    ["a seek, p95, ms", "≤ 100", spread(({ seeks }) => quantile(seeks, 0.95))],
    ["the browser while it plays at 22.4 Hz, % of a core", "≤ 25", spread(({ share }) => share * 100)],
    ["the browser while it is paused, % of a core", "", spread(({ idle }) => idle * 100)],
    [`8 times the game's speed: steps behind the clock after ${options.seconds} s (of ${spread(({ dropped }) => dropped.steps)})`, "≤ 18 (0.1 s)", spread(({ dropped }) => dropped.late)],
    ["heap of the page and its workers, MB", "≤ 300", spread(({ heapMb }) => heapMb)],
    ["load of the machine at the start of a round", "", spread(({ load }) => load)],
  ]) {
    console.log(`| ${row.join(" | ")} |`);
  }
}
