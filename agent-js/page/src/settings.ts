/** The user's settings. The browser stores them. */

import { computed, effect, type Signal, signal } from "@preact/signals";

const PREFIX = "sc2bridge.";

/** A setting that the browser stores. A stored value that is not valid in this version of the page is ignored. */
function kept<T>(name: string, usual: T, fits: (value: T) => boolean = (value) => typeof value === typeof usual): Signal<T> {
  const choice = signal(usual);
  try {
    const text = localStorage.getItem(PREFIX + name);
    const value = text === null ? usual : (JSON.parse(text) as T);
    choice.value = fits(value) ? value : usual;
  } catch {
    // The browser can forbid storage, or the stored JSON can be invalid. Then the default is used.
  }
  effect(() => {
    const text = JSON.stringify(choice.value);
    try {
      localStorage.setItem(PREFIX + name, text);
    } catch {
      // If the browser forbids storage, the setting lasts while the page is open.
    }
  });
  return choice;
}

function oneOf<const T extends string>(name: string, usual: T, choices: readonly T[]): Signal<T> {
  return kept<T>(name, usual, (value) => choices.includes(value));
}

export const THEMES = ["auto", "light", "dark"] as const;
export const theme = oneOf("theme", "auto" as (typeof THEMES)[number], THEMES);

const darkSystem = window.matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(darkSystem.matches);
darkSystem.addEventListener("change", () => (isSystemDark.value = darkSystem.matches));
/** The colours that the page shows, light or dark. With the theme `auto`, the system decides. */
export const shade = computed(() => (theme.value === "auto" ? (isSystemDark.value ? "dark" : "light") : theme.value));

export const TABS = ["unit", "curves", "events", "stream", "json"] as const;
export type Tab = (typeof TABS)[number];
export const tab = oneOf<Tab>("tab", "curves", TABS);
/** The panel that is open. A page of a failed match also has the panel `post-mortem`, which is not stored. */
export const panel = signal<Tab | "post-mortem">(tab.peek());

export function openPanel(name: Tab | "post-mortem"): void {
  panel.value = name;
  if (name !== "post-mortem") {
    tab.value = name;
  }
}

/** Whether keys of one character work everywhere. Otherwise they work only if the map or the playback bar has the focus. */
export const letterKeys = kept("letterKeys", true);

/** With `json`, a user can read the messages in the browser's network tab, but they are four times as large. */
export const ENCODINGS = ["proto", "json"] as const;
export const encoding = oneOf("encoding", "proto" as (typeof ENCODINGS)[number], ENCODINGS);

/** A player id, 0 for an observer of all, `all` for all perspectives together, or `first` for the match's first perspective. */
export const perspective = kept<number | "all" | "first">(
  "perspective",
  "first",
  (value) => value === "all" || value === "first" || Number.isInteger(value),
);

export const LAYERS = ["terrain", "creep", "visibility", "effects", "orders", "names", "drawings"] as const;
type Layer = (typeof LAYERS)[number];
/** Which optional layers the map shows. */
export const layers = kept<Record<Layer, boolean>>(
  "layers",
  { terrain: true, creep: true, visibility: true, effects: true, orders: true, names: true, drawings: true },
  (value) => typeof value === "object" && value !== null && LAYERS.every((layer) => typeof value[layer] === "boolean"),
);
