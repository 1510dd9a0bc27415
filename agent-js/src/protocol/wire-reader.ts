/** Reads protobuf's wire format without copies: https://protobuf.dev/programming-guides/encoding/ */

import { WireType } from "@bufbuild/protobuf/wire";
import { MalformedMessageError } from "../errors.js";

/** Reads fields from `position` to `end`. Throws MalformedMessageError. */
export class WireReader {
  /** The field number and the wire type of the last tag. */
  number = 0;
  type = WireType.Varint;
  /** The lower and the upper 32 bits of the last varint. */
  low = 0;
  high = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #message: string;

  /** @param message what it reads, for errors: "unit" */
  constructor(
    bytes: Uint8Array,
    message: string,
    public position = 0,
    public end = bytes.length,
  ) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#message = message;
  }

  readTag(): void {
    this.readVarint();
    this.number = this.low >>> 3;
    this.type = this.low & 7;
    if (this.number === 0 || this.high !== 0) {
      throw this.#error("a field has no number");
    }
  }

  readVarint(): void {
    const first = this.position < this.end ? this.#bytes[this.position]! : 0x80;
    if (first < 0x80) { // Most numbers.
      this.position++;
      this.low = first;
      this.high = 0;
      return;
    }
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) {
        break;
      }
      const byte = this.#bytes[this.position++]!;
      if (shift < 28) {
        low |= (byte & 0x7f) << shift;
      } else if (shift === 28) {
        low |= (byte & 0x0f) << 28;
        high = (byte & 0x7f) >> 4;
      } else {
        high |= (byte & 0x7f) << (shift - 32);
      }
      if (byte < 0x80) {
        this.low = low >>> 0;
        this.high = high >>> 0;
        return;
      }
    }
    throw this.#error("a number does not end");
  }

  readFloat(): number {
    return this.#view.getFloat32(this.#advance(4), true);
  }

  /** Reads the length of bytes. Returns the position after these bytes. */
  readEnd(): number {
    if (this.type !== WireType.LengthDelimited) {
      throw this.#error(`field ${this.number}: expected bytes, not a number`);
    }
    this.readVarint();
    const from = this.position;
    const end = this.#advance(this.low) + this.low;
    this.position = from;
    return end;
  }

  skip(): void {
    switch (this.type) {
      case WireType.Varint:
        return this.readVarint();
      case WireType.Bit64:
        return void this.#advance(8);
      case WireType.LengthDelimited:
        this.position = this.readEnd();
        return;
      case WireType.Bit32:
        return void this.#advance(4);
      default:
        throw this.#error(`field ${this.number} is a group, and groups are not supported`);
    }
  }

  #advance(length: number): number {
    const from = this.position;
    this.position += length;
    if (this.position > this.end) {
      throw this.#error("cut off");
    }
    return from;
  }

  #error(problem: string): MalformedMessageError {
    return new MalformedMessageError(`invalid ${this.#message}: ${problem}`);
  }
}
