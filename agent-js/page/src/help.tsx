/** Which key does what. */

import { signal } from "@preact/signals";

export const isHelpOpen = signal(false);

export const HELP: readonly (readonly [keys: string, does: string])[] = [
  ["drag, W A S D", "pan"],
  ["wheel, two fingers, + −", "zoom"],
  ["0", "the whole map"],
  ["click", "select a unit: all that is known of it"],
  ["N, B", "the next own unit, the one before"],
  ["F", "follow the selected unit"],
  ["Esc", "select nothing; close this"],
  ["space", "play and pause a recording; hold the view of a live match"],
  ["left, right", "a step back, a step on"],
  ["page up, page down", "10 s of game back, on"],
  ["home, end", "to the recording's ends"],
  ["up, down", "faster, slower"],
  ["G", "to a game loop"],
  ["1 to 5", "unit, curves, events, stream, JSON"],
  ["P", "the next perspective"],
  ["T", "light, dark, as the system"],
  ["?", "this"],
];

export function Help() {
  return isHelpOpen.value ? (
    <div class="help" role="dialog" aria-label="Keys" onClick={() => (isHelpOpen.value = false)}>
      <table>
        <tbody>
          {HELP.map(([keys, does]) => (
            <tr key={keys}>
              <th scope="row">{keys}</th>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  ) : null;
}
