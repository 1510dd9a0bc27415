/** The shown frame as foldable JSON. The contents of folded parts are not created. */

import { signal } from "@preact/signals";
import { frameJson } from "../json";
import { read } from "../state";

const open = signal<ReadonlySet<string>>(new Set(["", ".observation", ".observation.observation", ".observation.observation.playerCommon"]));
const MOST_ITEMS = 100;
const LONGEST_TEXT = 80;

export function JsonPanel() {
  const [frame] = read.value;
  if (!frame) {
    return <p class="hint">No frame yet.</p>;
  }
  const whole = frameJson(frame);
  return (
    <div class="json">
      <p>
        <button onClick={() => void navigator.clipboard?.writeText(JSON.stringify({ frame: whole }, null, 1))}>copy</button>
        <span class="hint"> the frame, as in sub-protocol sc2bridge.json.v1</span>
      </p>
      <Value name="frame" value={whole} path="" />
    </div>
  );
}

function Value({ name, value, path }: { name: string; value: unknown; path: string }) {
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value);
    return (
      <div class="leaf">
        <b>{name}</b>: <span class={typeof value}>{text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}… (${text.length - 2} characters)` : text}</span>
      </div>
    );
  }
  const isOpen = open.value.has(path);
  const entries = isOpen ? Object.entries(value) : [];
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        if (event.currentTarget.open !== open.value.has(path)) {
          const next = new Set(open.value);
          if (!next.delete(path)) {
            next.add(path);
          }
          open.value = next;
        }
      }}
    >
      <summary>
        <b>{name}</b> <span class="hint">{Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`}</span>
      </summary>
      {entries.slice(0, MOST_ITEMS).map(([key, item]) => (
        <Value key={key} name={key} value={item} path={`${path}.${key}`} />
      ))}
      {entries.length > MOST_ITEMS && <div class="leaf hint">and {entries.length - MOST_ITEMS} more</div>}
    </details>
  );
}
