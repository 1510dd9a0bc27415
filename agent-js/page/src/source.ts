/** Where the shown match comes from: a bridge, or a recording that this page reads. */

import { BridgeError, StatusCode } from "sc2bridge";
import type { PlaybackState, StatusResponse } from "sc2bridge/v1/bridge";
import { playback } from "./state";

/** Controls the playback of the shown match. Each call returns the new state, or throws an error with a line for the user. */
export interface Source {
  pause(): Promise<PlaybackState>;
  resume(): Promise<PlaybackState>;
  step(steps: number): Promise<PlaybackState>;
  seek(to: { loop: number }): Promise<PlaybackState>;
  setRate(rate: number | "max"): Promise<PlaybackState>;
  playback(): Promise<PlaybackState>;
  /** The status of the bridge, if there is one. */
  status?(): Promise<StatusResponse>;
}

/** The current source. */
export let source: Source;

export function setSource(next: Source): void {
  source = next;
}

/** Updates the playback's state, or keeps it on an error. Returns false if the token has no permission, so polling can stop. */
export async function refreshPlayback(): Promise<boolean> {
  const asked = source;
  try {
    const state = await asked.playback();
    if (asked === source) {
      playback.value = state;
    }
    return true;
  } catch (error) {
    // The stream reports a lost bridge.
    return !(error instanceof BridgeError && error.code === StatusCode.PERMISSION_DENIED);
  }
}
