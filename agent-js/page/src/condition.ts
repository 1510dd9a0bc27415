/** Why the page shows nothing new, in words: a title, the facts, and what the user can do. */

import { computed } from "@preact/signals";
import { status } from "./bridge-status";
import { file } from "./recording/file";
import { ended, type Link, link, match } from "./state";

export type ConditionKind = "waiting" | "lost" | "token" | "refused" | "ended" | "warning";

interface Condition {
  readonly kind: ConditionKind;
  readonly title: string;
  readonly facts: string;
  readonly advice: string;
}

/** The condition after the end of a live match or of a playback. */
function over(reason: string, isLive: boolean): Condition {
  return {
    kind: "ended",
    title: isLive ? "Match ended" : "Playback ended",
    facts: reason,
    advice: isLive
      ? "The next match of this bridge appears here by itself. To see this match again, open its recording: sc2bridge replay FILE --open."
      : "To see it again, start the playback again: sc2bridge replay FILE --open.",
  };
}

function broken({ state, text, word, needsToken }: Link): Condition {
  if (needsToken) {
    return {
      kind: "token",
      title: "Token refused",
      facts: text.split(":")[0]!, // The rest is advice for agents.
      advice: "Open the whole address that the bridge printed. It ends with #token=TOKEN. If the bridge refuses that address too, ask the person who runs it for a new token.",
    };
  }
  if (state === "refused") {
    return {
      kind: "refused",
      title: word ? "No recording" : "Request refused",
      facts: text,
      advice: word ? "Open another recording with the button." : "Choose another perspective, or load the page again.",
    };
  }
  return {
    kind: "lost",
    title: "Bridge lost",
    facts: text,
    advice: "The page reconnects by itself. If the bridge has ended, start it again at the same address.",
  };
}

/** The condition in the banner; undefined without a banner. */
export const condition = computed<Condition | undefined>(() => {
  const { state, text } = link.value;
  if (ended.value && state !== "refused") {
    return over(ended.value, !match.value?.recording && !match.value?.replay);
  }
  if (state === "lost" || state === "refused") {
    return broken(link.value);
  }
  if (state === "waiting") {
    return {
      kind: "waiting",
      title: "No match yet",
      facts: text,
      advice: "The match appears here when it begins. If the bridge waits for agents, start them.",
    };
  }
  if (file.value?.damage) {
    return { kind: "warning", title: "Damaged recording", facts: file.value.damage, advice: "" };
  }
  const wrong = status.value?.now.degraded ?? [];
  return wrong.length ? { kind: "warning", title: "The bridge reports", facts: wrong.join("; "), advice: "" } : undefined;
});
