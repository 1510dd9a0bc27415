/** The keyboard. What the keys do is in `help.tsx`. */

import { Alliance } from "sc2bridge/s2clientprotocol/raw";
import { nextPerspective, nextTheme } from "./header";
import { isHelpOpen } from "./help";
import { fit, pan, zoom } from "./map/map";
import { unitsOf } from "./map/scene";
import { faster, leap, seek, seekEnd, step, toggle } from "./playback";
import { tab, TABS } from "./settings";
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
    isHelpOpen.value = false;
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
    const text = playback.value && window.prompt("Game loop");
    if (text && Number.isFinite(Number(text))) {
      seek(Number(text));
    }
  },
  p: nextPerspective,
  t: nextTheme,
  "?": () => (isHelpOpen.value = !isHelpOpen.value),
};
TABS.forEach((name, number) => (ACTIONS[String(number + 1)] = () => (tab.value = name)));

export function takeKeys(): void {
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const isTyping = target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== "checkbox");
    const isPressing = event.key === " " && target instanceof HTMLElement && target.closest("button, summary, input");
    if (isTyping || isPressing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const action = ACTIONS[event.key.toLowerCase()];
    if (action) {
      event.preventDefault();
      action();
    }
  });
}

function selectNext(direction: 1 | -1): void {
  const own = unitsOf(shown.value).filter(({ alliance }) => alliance === Alliance.Self);
  if (own.length) {
    const now = own.findIndex(({ tag }) => tag === selected.value);
    selected.value = own[now < 0 ? 0 : (now + direction + own.length) % own.length]!.tag;
    tab.value = "unit";
  }
}
