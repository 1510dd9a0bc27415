/** Opens the page of a bridge in Chromium. */

import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { launch } from "puppeteer-core";

/** The path of Chromium: the environment variable CHROMIUM, or else where Debian installs it. */
export const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
/** The reason why tests with a browser are skipped here, or false. */
export const skip = CHROMIUM ? false : "Chromium is missing: apt install chromium";

const FIREFOX = [process.env.FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"].find((path) => path && existsSync(path));
/** The reason why tests with Firefox are skipped here, or false. */
export const skipFirefox = FIREFOX ? false : "Firefox is missing: apt install firefox-esr";

/** Opens an address in Firefox, with Puppeteer over WebDriver BiDi: Playwright cannot control an unmodified Firefox. */
export async function firefoxPage(t, address) {
  const browser = await launch({ browser: "firefox", executablePath: FIREFOX, timeout: 90_000 });
  t.after(() => browser.close());
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && errors.push(message.text()));
  await page.goto(address);
  return { page, errors };
}

/** Waits until the state of the page meets a condition. Checks it at each repaint. Returns the state. @param {(state: any) => boolean} holds */
export async function stateOf(page, holds) {
  while (true) {
    const state = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(window.sc2bridge?.state()))));
    if (state && holds(state)) {
      return state;
    }
  }
}

/** One browser for all pages of a test file, which closes it with `after(closeBrowser)`. */
let browser;
export const closeBrowser = async () => (await browser)?.close();

/**
 * Opens an empty page with its own storage. `errors` collects errors and warnings of the browser's console, without those
 * that match `allowed`.
 * @param {{ after(end: () => Promise<void>): void }} t
 * @param {{ width?: number, height?: number, colorScheme?: "light" | "dark", deviceScaleFactor?: number, bypassCSP?: boolean, allowed?: RegExp }} options
 */
export async function newPage(t, { width = 1280, height = 800, colorScheme = "light", deviceScaleFactor = 1, bypassCSP = false, allowed } = {}) {
  browser ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  const context = await (await browser).newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor, bypassCSP });
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
 * Opens the page of a bridge.
 * @param {{ after(end: () => Promise<void>): void }} t
 * @param {string} url the address of the bridge's WebSocket, as `startBridge` returns it
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
    /** Returns the state of the page, from `window.sc2bridge.state()`. */
    state: () => page.evaluate(() => window.sc2bridge.state()),
    /** As `stateOf`. @param {(state: any) => boolean} holds */
    until: (holds) => stateOf(page, holds),
    /** Returns the colours of pixels on the screen, as "r g b". @param {{ x: number, y: number }[]} places */
    async colours(places) {
      const png = (await page.screenshot()).toString("base64");
      const blank = await context.newPage(); // The Content-Security-Policy of the bridge's page does not allow this code.
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
