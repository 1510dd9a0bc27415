/** The header of a zstd frame. */

import { MalformedMessageError } from "../errors.js";
import { parseUntrusted } from "./parsing.js";

export const INVALID = "compressed content is not valid zstd";

/** Parses the header of a zstd frame (RFC 8878, 3.1.1.1), which has `length` bytes. Throws MalformedMessageError. */
export function parseHeader(frame: Uint8Array): { length: number; windowBytes: number; contentSize: number | undefined } {
  return parseUntrusted(INVALID, () => {
    const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
    const descriptor = view.getUint8(4);
    const isSingleSegment = (descriptor & 0x20) !== 0;
    if (view.getUint32(0, true) !== 0xfd2fb528 || (descriptor & 0x0b) !== 0) {
      throw new MalformedMessageError(`${INVALID}: expected a zstd frame without a dictionary`);
    }
    const at = isSingleSegment ? 5 : 6;
    const sizes = [
      () => (isSingleSegment ? view.getUint8(at) : undefined),
      () => view.getUint16(at, true) + 256,
      () => view.getUint32(at, true),
      () => Number(view.getBigUint64(at, true)),
    ];
    const contentSize = sizes[descriptor >> 6]!();
    const window = isSingleSegment ? 0 : view.getUint8(5);
    const base = 2 ** (10 + (window >> 3));
    const windowBytes = isSingleSegment ? contentSize! : base + (base / 8) * (window & 7);
    const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
    return { length: at + contentSizeBytes, windowBytes, contentSize };
  });
}
