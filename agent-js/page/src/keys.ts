/** The actions of the keys. `help.tsx` lists the keys for the user. */

import { nextPerspective, nextTheme } from "./header";
import { isHelpOpen } from "./help";
import { fit, pan, zoom } from "./map/map";
import { unitsOf } from "./map/scene";
import { homeOf, sideOf } from "./map/sides";
import { postMortem } from "./post-mortem/state";
import { faster, leap, seek, seekEnd, step, toggle } from "./playback";
import { letterKeys, openPanel, TABS } from "./settings";
import { isFollowed, playback, selected, shown } from "./state";

const PAN = 0.12;

const ACTIONS: Record<string, () => void> = {
  w: () => pan(0, -PAN),
  s: () => pan(0, PAN),
  a: () => pan(-PAN, 0),
  d: () => pan(PAN, 0),
  "+": () => zoom(1.25),
  "=": () => zoom(1.25),
  "-": () => zoom(0.8),
  "0": fit,
  n: () => selectNext(1),
  b: () => selectNext(-1),
  f: () => (isFollowed.value = !isFollowed.value && selected.value !== undefined),
  escape: () => {
    selected.value = undefined;
    isFollowed.value = false;
  },
  " ": toggle,
  arrowleft: () => step(-1),
  arrowright: () => step(1),
  pageup: () => leap(-1),
  pagedown: () => leap(1),
  home: () => seekEnd(false),
  end: () => seekEnd(true),
  arrowup: () => faster(1),
  arrowdown: () => faster(-1),
  g: () => {
    const text = playback.value && window.prompt("Seek to game loop");
    if (text && Number.isFinite(Number(text))) {
      seek(Number(text));
    }
  },
  p: nextPerspective,
  t: nextTheme,
  "?": () => (isHelpOpen.value = true),
  "6": () => postMortem.value && openPanel("post-mortem"),
};
TABS.forEach((name, number) => (ACTIONS[String(number + 1)] = () => openPanel(name)));

/** These keys scroll a page, so they act only on the map and the playback bar. */
const SCROLLING: ReadonlySet<string> = new Set([" ", "arrowleft", "arrowright", "arrowup", "arrowdown", "pageup", "pagedown", "home", "end"]);

export function takeKeys(): void {
  document.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const action = ACTIONS[keyOn(event.target, key)];
    if (action && !event.ctrlKey && !event.metaKey && !event.altKey && !isUsed(event.target, key)) {
      event.preventDefault();
      action();
    }
  });
}

const isSlider = (on: EventTarget | null) => on instanceof HTMLInputElement && on.type === "range";

/** On a slider, up and down are the same as right and left. */
function keyOn(on: EventTarget | null, key: string): string {
  return isSlider(on) && key === "arrowup" ? "arrowright" : isSlider(on) && key === "arrowdown" ? "arrowleft" : key;
}

/** Whether a key belongs to the focused element or to the browser, and not to the page. */
function isUsed(on: EventTarget | null, key: string): boolean {
  if (!(on instanceof Element)) {
    return false;
  }
  const isTyping = on.matches("select, textarea, input:not([type=checkbox], [type=range])");
  const isPressing = key === " " && on.closest("button, summary, input[type=checkbox]") !== null;
  if (isTyping || isPressing || on.closest("dialog")) {
    return true;
  }
  const needsFocus = SCROLLING.has(key) || (key.length === 1 && !letterKeys.value);
  return needsFocus && !on.closest(".map, footer");
}

function selectNext(direction: 1 | -1): void {
  const home = homeOf(shown.value);
  const own = unitsOf(shown.value).filter((unit) => sideOf(unit, home) === "own");
  if (own.length) {
    const now = own.findIndex(({ tag }) => tag === selected.value);
    selected.value = own[now < 0 ? 0 : (now + direction + own.length) % own.length]!.tag;
    openPanel("unit");
  }
}
