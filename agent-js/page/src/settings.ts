/** What a person chose, kept in the browser from one visit to the next. */

import { computed, effect, type Signal, signal } from "@preact/signals";

const PREFIX = "sc2bridge.";

/** A choice that is kept. What was kept by another version and does not fit is forgotten. */
function kept<T>(name: string, usual: T, fits: (value: T) => boolean = (value) => typeof value === typeof usual): Signal<T> {
  const choice = signal(usual);
  try {
    const text = localStorage.getItem(PREFIX + name);
    const value = text === null ? usual : (JSON.parse(text) as T);
    choice.value = fits(value) ? value : usual;
  } catch {
    // Storage may be forbidden, or hold what is no JSON: the usual choice stands.
  }
  effect(() => {
    const text = JSON.stringify(choice.value);
    try {
      localStorage.setItem(PREFIX + name, text);
    } catch {
      // Then the choice lives as long as the page.
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
/** What is shown: the theme that was chosen, or the system's. */
export const shade = computed(() => (theme.value === "auto" ? (isSystemDark.value ? "dark" : "light") : theme.value));

export const TABS = ["unit", "curves", "events", "stream", "json"] as const;
export type Tab = (typeof TABS)[number];
export const tab = oneOf<Tab>("tab", "curves", TABS);

/** `json` takes four times the bytes, and can be read in the browser's network tab. */
export const ENCODINGS = ["proto", "json"] as const;
export const encoding = oneOf("encoding", "proto" as (typeof ENCODINGS)[number], ENCODINGS);

/** A player's id, 0 for an observer of all; `all` for every perspective that is opened; `first` for the match's first. */
export const perspective = kept<number | "all" | "first">(
  "perspective",
  "first",
  (value) => value === "all" || value === "first" || Number.isInteger(value),
);

export const LAYERS = ["terrain", "creep", "visibility", "effects", "orders", "names", "drawings"] as const;
export type Layer = (typeof LAYERS)[number];
/** What the map shows beside units. */
export const layers = kept<Record<Layer, boolean>>(
  "layers",
  { terrain: true, creep: true, visibility: true, effects: true, orders: true, names: true, drawings: true },
  (value) => typeof value === "object" && value !== null && LAYERS.every((layer) => typeof value[layer] === "boolean"),
);
