/** The shown recording, if this page reads one. */

import { signal } from "@preact/signals";
import type { FileFacts } from "./messages";

export const file = signal<FileFacts | undefined>();
/** Whether the curves and events cover the whole recording. */
export const isSurveyed = signal(false);
