/** The page's parts and their places. */

import { useSignalEffect } from "@preact/signals";
import { Banner, Header } from "./header";
import { Help } from "./help";
import { Map } from "./map/map";
import { CurvesPanel } from "./panels/curves";
import { EventsPanel } from "./panels/events";
import { JsonPanel } from "./panels/json";
import { StreamPanel } from "./panels/stream";
import { UnitPanel } from "./panels/unit";
import { PlaybackBar } from "./playback";
import { shade, type Tab, tab, TABS } from "./settings";

const PANELS: Record<Tab, () => preact.JSX.Element> = {
  unit: UnitPanel,
  curves: CurvesPanel,
  events: EventsPanel,
  stream: StreamPanel,
  json: JsonPanel,
};

export function App() {
  useSignalEffect(() => {
    document.documentElement.dataset.theme = shade.value;
  });
  const Panel = PANELS[tab.value];
  return (
    <>
      <Header />
      <Banner />
      <main>
        <Map />
        <aside>
          <div role="tablist" class="tabs">
            {TABS.map((name) => (
              <button key={name} role="tab" aria-selected={tab.value === name} onClick={() => (tab.value = name)}>
                {name === "json" ? "JSON" : name}
              </button>
            ))}
          </div>
          <div role="tabpanel" class="panel">
            <Panel />
          </div>
        </aside>
      </main>
      <PlaybackBar />
      <Help />
    </>
  );
}
