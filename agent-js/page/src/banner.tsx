/** The line below the header: why the page shows nothing new, and what the user can do. */

import { condition, type ConditionKind } from "./condition";
import { Icon } from "./icon";

/** Each condition has its own shape, so it can be recognised without colours. */
export const CONDITION_ICONS: Record<ConditionKind, string> = {
  waiting: "M3 1h10v3L9.5 8 13 12v3H3v-3L6.5 8 3 4z",
  lost: "M3 5l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z",
  token: "M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z",
  refused: "M5 1h6l4 4v6l-4 4H5l-4-4V5zM4 7v2h8V7z",
  ended: "M3 1h2v14H3zM5 1h9l-3 4 3 4H5z",
  warning: "M8 1l7.5 14H.5zM7 6v4h2V6zM7 11v2h2v-2z",
};

export function Banner() {
  const now = condition.value;
  if (!now) {
    return null;
  }
  const { kind, title, facts, advice } = now;
  return (
    <section class={`banner ${kind}`} aria-label="State">
      <Icon d={CONDITION_ICONS[kind]} size={20} />
      <p role={kind === "waiting" || kind === "ended" ? "status" : "alert"}>
        <strong>{title}:</strong> {facts}{/[.!?]$/.test(facts) ? "" : "."} {advice}
      </p>
    </section>
  );
}
