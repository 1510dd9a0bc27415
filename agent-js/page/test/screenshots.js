/**
 * Takes the pictures of the page in docs/images. `pngquant --force --ext .png docs/images/*.png` then makes them smaller.
 *
 *     SC2BRIDGE_EXECUTABLE=PROGRAM node agent-js/page/test/screenshots.js RECORDING
 *
 * RECORDING: a match of at least 10 minutes, such as of `sc2bridge match --observe 1 --no-agents --steps 3000 --step-size 8`.
 */

import { fileURLToPath } from "node:url";
import { connect } from "../../dist/index.js";
import { inContext, startBridge } from "../../test/bridge.js";
import { closeBrowser, newPage, stateOf } from "./browser.js";

const IMAGES = fileURLToPath(new URL("../../../docs/images/", import.meta.url));
const WIDE = { width: 1280, height: 800, deviceScaleFactor: 900 / 1280 };
const TELEPHONE = { width: 390, height: 844 };
const LATE_LOOP = 12_000;
/** Game loops a second of the live match, so that it soon has armies. */
const LIVE_RATE = "224";

const [recording] = process.argv.slice(2);
if (!recording) {
  throw new Error("give the file of a recording");
}

await inContext(async (t) => {
  t.after(closeBrowser);

  /** Saves a picture of a bridge's page with a tab open. @param act what a user does before */
  async function save(url, name, tab, options, act = async () => {}) {
    const { page, context } = await newPage(t, options);
    await page.goto(url.replace("ws:", "http:").replace("/v1", "/"));
    await page.locator(`#tab-${tab}`).click();
    await stateOf(page, (state) => state.frames > 60);
    await act(page);
    await page.screenshot({ path: `${IMAGES}${name}.png` });
    await context.close();
  }

  /** Subscribes agents to a bridge, so that the page lists them. */
  async function watch(url, agents) {
    const bridge = await connect(url);
    t.after(async () => bridge.close());
    for (const [agent, content] of Object.entries(agents)) {
      void (async () => {
        for await (const _ of bridge.subscribe({ agent, policy: "latest", content }));
      })();
    }
    return bridge;
  }

  const late = await startBridge(t, ["replay", recording, "--rate", "2.8", "--codec-log", "off"]);
  const bridge = await watch(late.url, { scout: "observation", trainer: "columns" });
  const isLate = ({ frames, frame }) => frames > 200 && frame.gameLoop > LATE_LOOP;
  const replayFast = async (page) => {
    await bridge.seek({ loop: 0 });
    await bridge.setRate(100);
    await stateOf(page, ({ frame }) => frame.gameLoop < LATE_LOOP);
    await stateOf(page, isLate);
    await bridge.setRate(2.8);
  };
  await save(late.url, "page-1280-light", "curves", { ...WIDE, colorScheme: "light" }, replayFast);
  await save(late.url, "page-1280-dark", "unit", { ...WIDE, colorScheme: "dark" }, async (page) => {
    for (const key of ["n", "f", "+", "+", "+", "+"]) {
      await page.keyboard.press(key);
    }
    await stateOf(page, ({ isFollowed }) => isFollowed);
  });
  await save(late.url, "page-390-light", "events", { ...TELEPHONE, colorScheme: "light" }, replayFast);
  await save(late.url, "page-390-dark", "stream", { ...TELEPHONE, colorScheme: "dark" });

  const live = await startBridge(t, ["match", "--game", "simulated", "--observe", "1", "--rate", LIVE_RATE, "--no-recording", "--codec-log", "off"]);
  await watch(live.url, { scout: "observation", trainer: "columns" });
  await save(live.url, "live", "stream", { width: 1280, height: 720 }, (page) => stateOf(page, ({ frame }) => frame.gameLoop > 8000));
});
