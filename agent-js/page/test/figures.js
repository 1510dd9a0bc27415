/** Measures the speed and the resource use of the page, from Node. */

import { hrtime } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { cpuSeconds } from "../../test/bridge.js";

/** Returns the milliseconds from opening the page to its first paint, and to its first drawn frame. @param {import("playwright-core").Page} page */
export async function firstPaint(page) {
  await page.waitForFunction(() => window.sc2bridge?.drawn());
  return page.evaluate(() => ({ paintMs: performance.getEntriesByName("first-contentful-paint")[0].startTime, frameMs: performance.now() }));
}

/**
 * Returns the milliseconds from the game's answer to the picture, for each frame that is drawn within some seconds. The time
 * of a picture is the time when the page has passed it to the browser's compositor.
 * @param {import("playwright-core").Page} page
 */
export async function delays(page, seconds) {
  const zero = await zeroOf(page);
  const drawn = await page.evaluate(async (seconds) => {
    const { port1, port2 } = new MessageChannel();
    const drawn = [];
    let last;
    // A message that is posted before a repaint arrives after the repaint.
    port1.onmessage = () => {
      const frame = window.sc2bridge.drawn();
      if (frame && frame.observedNs !== last) {
        last = frame.observedNs;
        drawn.push([performance.now(), last / 1e6]);
      }
    };
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      await new Promise(requestAnimationFrame);
      port2.postMessage(0);
    }
    return drawn.slice(1);
  }, seconds);
  return drawn.map(([paintedMs, observedMs]) => Math.round((zero + paintedMs - observedMs) * 10) / 10);
}

/** The zero of the page's clock, in milliseconds of this machine's monotonic clock. Uses the fastest of 100 queries. */
async function zeroOf(page) {
  let zero = 0;
  let least = Infinity;
  for (let question = 0; question < 100; question++) {
    const asked = Number(hrtime.bigint()) / 1e6;
    const there = await page.evaluate(() => performance.now());
    const answered = Number(hrtime.bigint()) / 1e6;
    if (answered - asked < least) {
      least = answered - asked;
      zero = (asked + answered) / 2 - there;
    }
  }
  return zero;
}

/**
 * Measures for some seconds how much of one core a bridge and the whole browser use.
 * @param {import("playwright-core").Page} page @param {number} pid the process id of the bridge
 */
export async function cpuShares(page, pid, seconds) {
  const browser = await page.context().browser().newBrowserCDPSession();
  const ofBrowser = async () => (await browser.send("SystemInfo.getProcessInfo")).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const before = [await ofBrowser(), cpuSeconds(pid), performance.now()];
  await pause(seconds * 1000);
  const after = [await ofBrowser(), cpuSeconds(pid), performance.now()];
  await browser.detach();
  const [ofPage, ofBridge, ms] = after.map((value, place) => value - before[place]);
  return { page: (ofPage * 1000) / ms, bridge: (ofBridge * 1000) / ms };
}

/** Returns the bytes of the page's heap, once a minute. Each is the minimum after five collections, because frames arrive meanwhile. @param {import("playwright-core").Page} page */
export async function heaps(page, minutes) {
  const session = await page.context().newCDPSession(page);
  const used = [];
  for (let minute = 0; minute <= minutes; minute++) {
    if (minute > 0) {
      await pause(60_000);
    }
    const left = [];
    for (let collection = 0; collection < 5; collection++) {
      await session.send("HeapProfiler.collectGarbage");
      left.push((await session.send("Runtime.getHeapUsage")).usedSize);
    }
    used.push(Math.min(...left));
  }
  return used;
}

export function quantile(values, fraction) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)];
}
