/** The steps of a perspective in order, for a comparison. Damaged parts are left out. */

import { MalformedMessageError, type Perspective, type RecordedParts, SC2BridgeError } from "sc2bridge/recording";

export interface Step {
  readonly loop: number;
  /** Valid until the next step is requested. */
  readonly parts: RecordedParts;
  /** Whether steps before it are missing because they are damaged. */
  readonly isAfterDamage: boolean;
}

/** Returns whether the last steps are damaged. */
export async function* stepsOf(perspective: Pick<Perspective, "at" | "chunkStarts" | "length">): AsyncGenerator<Step, boolean> {
  const { chunkStarts, length } = perspective;
  let memory = new Uint8Array(0);
  let isAfterDamage = false;
  for (const [place, start] of chunkStarts.entries()) {
    for (let index = start; index < (chunkStarts[place + 1] ?? length); index++) {
      try {
        const { gameLoop: loop, parts } = await perspective.at(index);
        // The recording reuses a frame's memory after other chunks are read, for example for another perspective.
        memory = memory.length < parts.data.length ? new Uint8Array(parts.data.length * 2) : memory;
        memory.set(parts.data);
        yield { loop, parts: { ...parts, data: memory.subarray(0, parts.data.length) }, isAfterDamage };
        isAfterDamage = false;
      } catch (error) {
        if (!(error instanceof SC2BridgeError)) {
          throw error;
        }
        isAfterDamage = true;
        if (!(error instanceof MalformedMessageError)) {
          break; // No frame of this chunk can be read.
        }
      }
    }
  }
  return isAfterDamage;
}
