/** What the page takes and how quick it is, measured from outside. */

import { hrtime } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { cpuSeconds } from "../../test/bridge.js";

/** Milliseconds from opening the page to its first paint, and to its first frame in the picture. @param {import("playwright-core").Page} page */
export async function firstPaint(page) {
  await page.waitForFunction(() => window.sc2bridge?.drawn());
  return page.evaluate(() => ({ paintMs: performance.getEntriesByName("first-contentful-paint")[0].startTime, frameMs: performance.now() }));
}

/**
 * Milliseconds from the game's answer to the picture with it, for each frame that was drawn in some seconds. The time is
 * that at which the page has handed the picture to the browser's compositor.
 * @param {import("playwright-core").Page} page
 */
export async function delays(page, seconds) {
  const zero = await zeroOf(page);
  const drawn = await page.evaluate(async (seconds) => {
    const { port1, port2 } = new MessageChannel();
    const drawn = [];
    let last;
    // A message that is sent before a picture is made is read after it.
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

/** Where the page's clock begins, in milliseconds of this machine's monotonic one: by the quickest of some questions. */
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
 * What a bridge and the whole browser take of a core in some seconds.
 * @param {import("playwright-core").Page} page @param {number} pid the bridge's
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

/** Bytes of the page's heap, once a minute: the least that some collections leave, as a frame may be on its way. @param {import("playwright-core").Page} page */
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
