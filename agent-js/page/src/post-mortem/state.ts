/** The post-mortem of the page, if it has one. */

import { computed, signal } from "@preact/signals";
import { link, match } from "../state";
import { InvalidPostMortemError, type PostMortem, readPostMortem } from "./read";

/** The content, or the reason why it cannot be shown. */
export const postMortem = signal<{ content?: PostMortem; cuts?: readonly string[]; error?: string } | undefined>();

/** Whether the page shows a recording, or opens one. */
export const hasRecording = computed(() => match.value !== undefined || (link.value.text !== "" && link.value.state !== "refused"));

export function showPostMortem(json: string): void {
  try {
    postMortem.value = readPostMortem(json);
  } catch (error) {
    if (!(error instanceof InvalidPostMortemError)) {
      throw error;
    }
    postMortem.value = { error: `The post-mortem in this page is damaged: ${error.message}. Write the page again.` };
  }
}
