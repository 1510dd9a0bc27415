/** Checks a page with axe-core, in both themes and on a large and a small screen. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const SIZES = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];
/** If this folder is set, each audit writes a picture into it. */
const PICTURES = process.env.SC2BRIDGE_PAGE_PICTURES;

/**
 * Fails if axe-core finds a violation, if a recorded label "simulated" is not visible, or if the page is wider than the screen.
 * @param {import("playwright-core").Page} page
 * @param {string} state the state of the page, for the report
 */
export async function audit(t, page, state, { isSimulated = true } = {}) {
  const found = [];
  for (const size of SIZES) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme });
      await page.waitForFunction((name) => document.documentElement.dataset.theme === name, colorScheme);
      // Charts and the map change their size in the next frames.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      // The page's Content-Security-Policy forbids added scripts, but not code from the browser's debugger.
      if (!(await page.evaluate(() => "axe" in window))) {
        await page.evaluate(`${AXE}; undefined`);
      }
      const { violations, passes } = await page.evaluate(
        (tags) =>
          window.axe.run(document, {
            runOnly: { type: "tag", values: tags },
            rules: { "target-size": { enabled: true } }, // axe turns this rule off by default.
            preload: false, // No rule here needs it, and the viewer may not fetch its styles.
            resultTypes: ["violations", "passes"],
          }),
        TAGS,
      );
      const at = `${state}, ${colorScheme}, ${size.width} px`;
      assert.ok(passes.some(({ id }) => id === "target-size") && passes.some(({ id }) => id === "color-contrast"), `${at}: the rules did not run`);
      found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${at}: ${id} ${target}: ${failureSummary}`)));
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), size.width, at);
      if (isSimulated) {
        assert.ok(await page.getByText("simulated", { exact: true }).first().isVisible(), `${at}: 'simulated' is not visible`);
      }
      if (PICTURES) {
        existsSync(PICTURES) || mkdirSync(PICTURES);
        await page.screenshot({ path: join(PICTURES, `${state.replaceAll(" ", "-")}-${size.width}-${colorScheme}.png`) });
      }
    }
  }
  assert.deepEqual(found, []);
  t.diagnostic(`${state}: 0 violations in 2 themes and 2 sizes`);
}
