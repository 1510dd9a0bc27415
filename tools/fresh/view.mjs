/** Opens a recording in the viewer, in Chromium: `node view.mjs VIEWER RECORDING`. */

import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [, , viewer, recording] = process.argv;
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage();
page.on("pageerror", (error) => {
  throw error;
});
await page.goto(pathToFileURL(viewer).href);
await page.setInputFiles("input[type=file]", recording);
await page.waitForFunction(() => window.sc2bridge.state().isSurveyed, undefined, { timeout: 60_000 });
const { file } = await page.evaluate(() => window.sc2bridge.state());
console.log(`${file.frames} steps, ended: ${file.end}`);
await browser.close();
