/** The page in Chromium, served by a bridge as a person starts it. */

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Debian's, or where CHROMIUM says. */
export const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
/** Why tests of the page cannot run here, or false. */
export const skip = CHROMIUM ? false : "there is no Chromium: apt install chromium";

/** One for all pages; a file's tests end it with `after(closeBrowser)`. */
let browser;
export const closeBrowser = async () => (await browser)?.close();

/**
 * Opens an empty page that shares nothing with others. What the browser's console says of errors is in `errors`, unless it
 * is allowed.
 * @param {{ after(end: () => Promise<void>): void }} t
 * @param {{ width?: number, height?: number, colorScheme?: "light" | "dark", bypassCSP?: boolean, allowed?: RegExp }} options
 */
export async function newPage(t, { width = 1280, height = 800, colorScheme = "light", bypassCSP = false, allowed } = {}) {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const context = await (await browser).newContext({ viewport: { width, height }, colorScheme, bypassCSP });
  t.after(() => context.close());
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.stack));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !allowed?.test(message.text())) {
      errors.push(message.text());
    }
  });
  return { page, context, errors };
}

/**
 * Opens a bridge's page.
 * @param {{ after(end: () => Promise<void>): void }} t
 * @param {string} url the bridge's WebSocket, as `startBridge` tells it
 * @param {Parameters<typeof newPage>[1] & { hash?: string }} options
 */
export async function openPage(t, url, { hash = "", ...options } = {}) {
  const { page, context, errors } = await newPage(t, options);
  const hosts = new Set();
  page.on("request", (request) => hosts.add(new URL(request.url()).host));
  await page.goto(url.replace("ws:", "http:").replace(/v1$/, hash));
  return {
    page,
    context,
    errors,
    hosts,
    /** The page's own state. */
    state: () => page.evaluate(() => window.sc2bridge.state()),
    /** The state once it is so; looked at with each of the browser's pictures. @param {(state: any) => boolean} holds */
    async until(holds) {
      while (true) {
        const state = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(window.sc2bridge.state()))));
        if (holds(state)) {
          return state;
        }
      }
    },
    /** The picture's colours at some pixels, as "r g b". @param {{ x: number, y: number }[]} places */
    async colours(places) {
      const png = (await page.screenshot()).toString("base64");
      const blank = await context.newPage(); // The page's own policy lets no test in.
      const found = await blank.evaluate(
        async ({ png, places }) => {
          const picture = new Image();
          picture.src = `data:image/png;base64,${png}`;
          await picture.decode();
          const canvas = document.createElement("canvas");
          canvas.width = picture.width;
          canvas.height = picture.height;
          const context = canvas.getContext("2d");
          context.drawImage(picture, 0, 0);
          return places.map(({ x, y }) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].join(" "));
        },
        { png, places },
      );
      await blank.close();
      return found;
    },
  };
}
