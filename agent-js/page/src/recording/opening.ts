/** Opens a recording that the page can play. */

import { openRecording, type Recording, SC2BridgeError } from "sc2bridge/recording";
import type { MatchDescription } from "sc2bridge/v1/bridge";

/** Throws RecordingError or SC2BridgeError, also if the recording has no frames. */
export async function openPlayable(source: Blob | string): Promise<Recording> {
  const recording = await openRecording(source, { reusesMemory: true });
  if (!recording.perspectives.length) {
    throw recording.damage ?? new SC2BridgeError(`${recording.name} has no frames: record the match again`);
  }
  return recording;
}

/** The perspectives of a recording, its default first. */
export const perspectivesOf = (recording: Recording): number[] => [...new Set([recording.perspective().perspective, ...recording.perspectives])];

/** The match's description, with the shown perspective first, and what is damaged. */
export async function describePlayable(recording: Recording): Promise<{ description: MatchDescription; damage: string }> {
  let damage = recording.damage?.message ?? "";
  // The frames can be shown without a damaged attachment.
  const description = await recording.describe().catch((error: unknown) => {
    damage ||= String((error as Error).message);
    return recording.start;
  });
  return { description: { ...description, recording: recording.name, perspectives: perspectivesOf(recording) }, damage };
}
