/** The layout of the page: header, map, panels, playback bar and help. */

import { useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Banner } from "./banner";
import { Header } from "./header";
import { Help } from "./help";
import { Map } from "./map/map";
import { CurvesPanel } from "./panels/curves";
import { EventsPanel } from "./panels/events";
import { JsonPanel } from "./panels/json";
import { StreamPanel } from "./panels/stream";
import { UnitPanel } from "./panels/unit";
import { PlaybackBar } from "./playback";
import { PostMortemPanel } from "./post-mortem/panel";
import { hasRecording, postMortem } from "./post-mortem/state";
import { openPanel, panel, shade, TABS } from "./settings";

const PANELS: Record<typeof panel.value, () => preact.JSX.Element> = {
  "post-mortem": PostMortemPanel,
  unit: UnitPanel,
  curves: CurvesPanel,
  events: EventsPanel,
  stream: StreamPanel,
  json: JsonPanel,
};
const NEXT: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };

/** @param line a line above the map @param caption a caption of the map @param secondMap a map next to the first one */
export function App({ line, caption, secondMap }: { line?: ComponentChildren; caption?: ComponentChildren; secondMap?: ComponentChildren }) {
  useSignalEffect(() => {
    document.documentElement.dataset.theme = shade.value;
  });
  const Panel = PANELS[panel.value];
  // Without a recording, the map and the other panels would stay empty.
  const isAlone = postMortem.value !== undefined && !hasRecording.value;
  const names = isAlone ? (["post-mortem"] as const) : postMortem.value ? (["post-mortem", ...TABS] as const) : TABS;
  const move = (event: KeyboardEvent) => {
    const by = NEXT[event.key];
    if (by) {
      const from = names.findIndex((name) => `tab-${name}` === document.activeElement?.id);
      openPanel(names[(from + by + names.length) % names.length]!);
      document.getElementById(`tab-${panel.value}`)?.focus();
    }
  };
  return (
    <>
      <Header />
      <Banner />
      {line}
      <main class={isAlone ? "alone" : ""}>
        <div class="maps">
          <Map>{caption}</Map>
          {secondMap}
        </div>
        <section class="side" aria-label="Panels">
          <div role="tablist" aria-label="Panels" class="tabs" onKeyDown={move}>
            {names.map((name) => (
              <button key={name} id={`tab-${name}`} role="tab" aria-selected={panel.value === name} aria-controls="panel" onClick={() => openPanel(name)}>
                {name === "json" ? "JSON" : name}
              </button>
            ))}
          </div>
          <div id="panel" role="tabpanel" aria-labelledby={`tab-${panel.value}`} tabIndex={0} class="panel">
            <Panel />
          </div>
        </section>
      </main>
      <PlaybackBar />
      <Help />
    </>
  );
}
