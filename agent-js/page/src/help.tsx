/** The list of keys, and what each key does. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { letterKeys } from "./settings";

export const isHelpOpen = signal(false);

export const HELP: readonly (readonly [keys: string, does: string])[] = [
  ["drag, W A S D", "pan"],
  ["wheel, two fingers, + −", "zoom"],
  ["0", "show the whole map"],
  ["click", "select a unit, to see all its fields"],
  ["N, B", "select the next own unit, the previous own unit"],
  ["F", "follow the selected unit"],
  ["Esc", "clear the selection; close this list"],
  ["G", "seek to a game loop"],
  ["1 to 5", "open the panel unit, curves, events, stream, JSON"],
  ["6", "open the post-mortem, if the page has one"],
  ["P", "show the next perspective"],
  ["T", "change the theme: light, dark, as the system"],
  ["?", "show this list"],
];

/** These keys also scroll a page. */
export const HELP_OF_MAP: typeof HELP = [
  ["space", "pause and resume a recording, or the view of a live match"],
  ["left, right", "one step back, one step forward"],
  ["page up, page down", "10 s of game time back, forward"],
  ["home, end", "seek to the recording's beginning, end"],
  ["up, down", "play faster, slower"],
];

export function Help() {
  return isHelpOpen.value ? <Dialog /> : null;
}

function Dialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  const close = () => dialog.current!.close();
  return (
    <dialog
      class="help"
      ref={dialog}
      aria-labelledby="keys"
      onClose={() => (isHelpOpen.value = false)}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <div tabIndex={0} role="group" aria-labelledby="keys">
        <h2 id="keys">Keys <button onClick={close}>close</button></h2>
        <Keys rows={HELP} />
        <label>
          <input type="checkbox" checked={letterKeys.value} onChange={(event) => (letterKeys.value = event.currentTarget.checked)} />
          Keys of one character work everywhere. Otherwise they work only on the map and the playback bar.
        </label>
        <h3>On the map and the playback bar only</h3>
        <Keys rows={HELP_OF_MAP} />
      </div>
    </dialog>
  );
}

function Keys({ rows }: { rows: typeof HELP }) {
  return (
    <table>
      <tbody>
        {rows.map(([keys, does]) => (
          <tr key={keys}>
            <th scope="row">{keys}</th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
