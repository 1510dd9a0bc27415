/** The events of the match, newest first. */

import { signal } from "@preact/signals";
import { KINDS, type Kind, OF_RECORDINGS } from "../events";
import { clock } from "../match";
import { seek } from "../playback";
import { file } from "../recording/file";
import { events, playback, read } from "../state";
import { Mark } from "./mark";

const MOST_ROWS = 300;
const hidden = signal<ReadonlySet<Kind>>(new Set());

export function EventsPanel() {
  void read.value;
  const list = events.list.filter(({ kind }) => !hidden.value.has(kind));
  const rows = list.slice(-MOST_ROWS).reverse();
  return (
    <div class="events">
      <p class="kinds">
        {KINDS.filter((kind) => file.value || !OF_RECORDINGS.has(kind)).map((kind) => (
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
            <Mark kind={kind} />
            {kind}
          </label>
        ))}
      </p>
      {rows.length === 0 && <p class="hint">No events yet.</p>}
      <table>
        <tbody>
          {rows.map(({ loop, perspective, kind, text }) => (
            <tr key={`${loop} ${perspective} ${kind} ${text}`}>
              <td class="clock">{playback.value ? <button title={`Seek to game loop ${loop}`} onClick={() => seek(loop)}>{clock(loop)}</button> : clock(loop)}</td>
              <td><Mark kind={kind} /></td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.length > MOST_ROWS && <p class="hint">and {list.length - MOST_ROWS} earlier events</p>}
    </div>
  );
}
