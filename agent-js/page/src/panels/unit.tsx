/** The fields of the selected unit. */

import { unitsOf } from "../map/scene";
import { types } from "../match";
import { isFollowed, read, selected } from "../state";
import { fieldsOf } from "../unit-fields";
import { Fields } from "./fields";

const POINTS = ["health", "shield", "energy"] as const;

export function UnitPanel() {
  const tag = selected.value;
  if (tag === undefined) {
    return <p class="hint">Click a unit on the map, or press N for your next unit.</p>;
  }
  const unit = unitsOf(read.value).find((each) => each.tag === tag);
  if (!unit) {
    return <p class="hint">Unit {String(tag)} is not in this observation: it died, is out of sight, or is inside another unit.</p>;
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
        <button aria-pressed={isFollowed.value} title="Keep the unit at the centre of the map (F)" onClick={() => (isFollowed.value = !isFollowed.value)}>
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
      <Fields rows={Object.entries(fields).map(([key, value]) => [key, named(key, value)] as const)} />
    </div>
  );
}

/** Formats an object or a list on one line, with the names of abilities. */
function short(value: unknown, ability: (id: number) => string): string {
  if (Array.isArray(value)) {
    return value.map((item) => short(item, ability)).join("; ");
  }
  return Object.entries(value as Record<string, unknown>)
    .map(([key, part]) => (key === "abilityId" ? ability(part as number) : `${key} ${typeof part === "object" ? `(${short(part, ability)})` : part}`))
    .join(", ");
}
