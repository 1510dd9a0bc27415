/** All that is known of the selected unit. */

import { unitsOf } from "../map/scene";
import { types } from "../match";
import { isFollowed, read, selected } from "../state";
import { fieldsOf } from "../unit-fields";

const POINTS = ["health", "shield", "energy"] as const;

export function UnitPanel() {
  const tag = selected.value;
  if (tag === undefined) {
    return <p class="hint">Click a unit on the map, or press N for the next of one's own.</p>;
  }
  const unit = unitsOf(read.value).find((each) => each.tag === tag);
  if (!unit) {
    return <p class="hint">Unit {String(tag)} is not in this observation: it died, is out of sight, or is inside another.</p>;
  }
  const { name, ability, buff } = types.value;
  const fields = fieldsOf(unit);
  const named = (key: string, value: unknown): string => {
    if (key === "unitType") {
      return `${name(value as number)} (${value})`;
    }
    if (key === "buffIds") {
      return (value as number[]).map(buff).join(", ");
    }
    return typeof value === "object" ? short(value, ability) : String(value);
  };
  return (
    <div class="unit">
      <h2>
        {name(unit.unitType)}
        <button aria-pressed={isFollowed.value} title="Keep it in the middle (F)" onClick={() => (isFollowed.value = !isFollowed.value)}>
          {isFollowed.value ? "following" : "follow"}
        </button>
      </h2>
      {POINTS.filter((points) => unit[`${points}Max`] > 0).map((points) => (
        <label key={points} class="points">
          {points}
          <meter max={unit[`${points}Max`]} value={unit[points]} />
          {Math.round(unit[points])} / {Math.round(unit[`${points}Max`])}
        </label>
      ))}
      <table class="fields">
        <tbody>
          {Object.entries(fields).map(([key, value]) => (
            <tr key={key}>
              <th scope="row">{key}</th>
              <td>{named(key, value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A value on one line; abilities by name. */
function short(value: unknown, ability: (id: number) => string): string {
  if (Array.isArray(value)) {
    return value.map((item) => short(item, ability)).join("; ");
  }
  return Object.entries(value as Record<string, unknown>)
    .map(([key, part]) => (key === "abilityId" ? ability(part as number) : `${key} ${typeof part === "object" ? `(${short(part, ability)})` : part}`))
    .join(", ");
}
