/** Recordings that differ from their files. */

/** A recording whose perspectives are changed. */
export function changed(recording, change) {
  const perspectives = new Map(recording.perspectives.map((number) => [number, change(recording.perspective(number))]));
  return new Proxy(recording, {
    get: (of, name) => (name === "perspective" ? (number) => perspectives.get(number ?? recording.perspectives[0]) : typeof of[name] === "function" ? of[name].bind(of) : of[name]),
  });
}

/** A recording whose frames are replaced. @param {(frame: any, index: number) => any} replace */
export function withFrames(recording, replace) {
  return changed(recording, (perspective) => ({
    length: perspective.length, perspective: perspective.perspective, chunkStarts: perspective.chunkStarts,
    at: async (index) => replace(await perspective.at(index), index),
  }));
}

/** A recording without one frame. */
export function withoutFrame(recording, missing) {
  return changed(recording, (perspective) => ({
    length: perspective.length - 1, perspective: perspective.perspective, chunkStarts: perspective.chunkStarts.map((start) => (start > missing ? start - 1 : start)),
    at: (index) => perspective.at(index < missing ? index : index + 1),
  }));
}
