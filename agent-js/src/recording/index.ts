/** Recordings of matches (`.mcap`), without a bridge: in browsers, workers and Node. */

export type { Analysis } from "./analysis.js";
export { LOOPS_PER_SECOND, type Perspective } from "./frames.js";
export { RecordedFrame, type RecordedParts } from "./recorded-frame.js";
export { openRecording, type Recording } from "./recording.js";
export { RecordingError } from "./recording-file.js";
export type { RecordingSource } from "./source.js";
export { MalformedMessageError, SC2BridgeError } from "../errors.js";
