/** What happened, the newest first. */

import { signal } from "@preact/signals";
import { KINDS, type Kind } from "../events";
import { clock } from "../match";
import { KIND_COLOURS, seek } from "../playback";
import { events, playback, read } from "../state";

const MOST_ROWS = 300;
const hidden = signal<ReadonlySet<Kind>>(new Set());

export function EventsPanel() {
  void read.value;
  const list = events.list.filter(({ kind }) => !hidden.value.has(kind));
  const rows = list.slice(-MOST_ROWS).reverse();
  return (
    <div class="events">
      <p class="kinds">
        {KINDS.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={!hidden.value.has(kind)}
              onChange={() => {
                const next = new Set(hidden.value);
                if (!next.delete(kind)) {
                  next.add(kind);
                }
                hidden.value = next;
              }}
            />
            <i style={{ background: KIND_COLOURS[kind] }} />
            {kind}
          </label>
        ))}
      </p>
      {rows.length === 0 && <p class="hint">Nothing yet.</p>}
      <table>
        <tbody>
          {rows.map(({ loop, perspective, kind, text }) => (
            <tr key={`${loop} ${perspective} ${kind} ${text}`}>
              <td class="clock">{playback.value ? <button title={`To loop ${loop}`} onClick={() => seek(loop)}>{clock(loop)}</button> : clock(loop)}</td>
              <td><i style={{ background: KIND_COLOURS[kind] }} title={kind} /></td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > MOST_ROWS && <p class="hint">and {list.length - MOST_ROWS} before</p>}
    </div>
  );
}
