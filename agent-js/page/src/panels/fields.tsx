/** A table of names and values. */

import type { ComponentChildren } from "preact";

export function Fields({ rows }: { rows: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <table class="fields">
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
