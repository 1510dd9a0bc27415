import { newPage, closeBrowser } from "./browser.js";
import { setTimeout as pause } from "node:timers/promises";
const [base, fileA, fileB, viewer, post] = process.argv.slice(2);
const ends = [];
const t = { after: (f) => ends.push(f) };
const setLoop = (page, loop) => page.evaluate((l) => { const input = document.querySelector(".seek input"); input.value = l; input.dispatchEvent(new Event("input", { bubbles: true })); input.dispatchEvent(new Event("change", { bubbles: true })); }, loop);
async function shot(name, { width, height, scheme, tab, act, url }) {
  const { page } = await newPage(t, { width, height, colorScheme: scheme });
  await page.addInitScript((tab) => localStorage.setItem("sc2bridge.tab", JSON.stringify(tab)), tab);
  await page.goto(url ?? base);
  if (act) await act(page);
  await pause(2500);
  await page.screenshot({ path: `/tmp/shots/${name}.png` });
  await page.close();
}
const last = async (page) => { await page.waitForSelector(".seek input"); await pause(1500); const max = await page.evaluate(() => Number(document.querySelector(".seek input").max)); await setLoop(page, Math.round(max * 0.7)); };
if (base !== "-") {
  await shot("page-1280-light", { width: 1280, height: 800, scheme: "light", tab: "curves", act: last });
  await shot("page-1280-dark", { width: 1280, height: 800, scheme: "dark", tab: "unit", act: async (page) => {
    await last(page); await pause(1000);
    await page.locator(".map").focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("+");
    await pause(800);
    const box = await page.locator(".map canvas").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.press("f");
  } });
  await shot("page-390-light", { width: 390, height: 844, scheme: "light", tab: "events", act: last });
  await shot("page-390-dark", { width: 390, height: 844, scheme: "dark", tab: "stream", act: last });
}
if (viewer) {
  for (const [w, h] of [[1280, 800], [390, 844]]) for (const scheme of ["light", "dark"]) {
    await shot(`drop-${w}-${scheme}`, { width: w, height: h, scheme, tab: "curves", url: viewer });
    await shot(`whole-${w}-${scheme}`, { width: w, height: h, scheme, tab: "curves", url: viewer, act: async (page) => { await page.setInputFiles("input[type=file]", fileA); await pause(4000); await last(page); } });
    await shot(`compare-${w}-${scheme}`, { width: w, height: h, scheme, tab: "curves", url: viewer, act: async (page) => { await page.setInputFiles("input[type=file]", [fileA, fileB]); await pause(6000); await last(page); } });
    if (post) await shot(`post-${w}-${scheme}`, { width: w, height: h, scheme, tab: "curves", url: post, act: () => pause(3000) });
  }
}
for (const end of ends) await end();
await closeBrowser();
