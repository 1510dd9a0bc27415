/**
 * Reads units of a serialized observation straight into columns, as fast as code that was made for each message would: no
 * object is made for a unit. What is not read is skipped. Throws MalformedMessageError and nothing else.
 */

import { WireType } from "@bufbuild/protobuf/wire";
import { MalformedMessageError } from "../errors.js";
import { ObservationSchema, ResponseObservationSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { ObservationRawSchema, UnitSchema } from "../generated/s2clientprotocol/raw_pb.js";
import { bytesOf, fieldsOf, readable } from "../protocol/parsing.js";
import type { ListName } from "./columns.js";
import { type Field, type Fields, Numbers, type Source, type Vector } from "./table.js";

const LISTS: ReadonlyMap<number, ListName> = new Map((["orders", "passengers", "buffIds", "rallyTargets"] as const).map((name) => [UnitSchema.field[name].number, name]));
const UNITS_PATH = [ResponseObservationSchema.field.observation.number, ObservationSchema.field.rawData.number, ObservationRawSchema.field.units.number];

/** The units of a serialized ResponseObservation. */
export function scanUnits(observation: Uint8Array, fields: Fields): Scan {
  return new Scan(within([observation], UNITS_PATH), fields, LISTS);
}

/** The contents of a field in a field …, of each message. */
function within(messages: readonly Uint8Array[], [number, ...path]: readonly number[]): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const message of messages) {
    for (const [each, value] of fieldsOf(message)) {
      if (each === number) {
        found.push(bytesOf(value));
      }
    }
  }
  return path.length ? within(found, path) : found;
}

/** Serialized messages of one kind, a row each, as a source. */
export class Scan implements Source {
  readonly count: number;
  readonly #columns: readonly (Column | undefined)[];
  readonly #items = new Map<ListName, { items: (Uint8Array | number)[]; offsets: Uint32Array }>();

  constructor(rows: readonly Uint8Array[], fields: Fields, lists: ReadonlyMap<number, ListName> = new Map()) {
    this.count = rows.length;
    const columns: Column[] = [];
    for (const field of Object.values(fields)) {
      columns[field.number] = new Column(field, rows.length);
    }
    this.#columns = columns;
    for (const name of lists.values()) {
      this.#items.set(name, { items: [], offsets: new Uint32Array(rows.length + 1) });
    }
    const reader = new Reader(rows);
    readable("unit", () =>
      rows.forEach((row, number) => {
        reader.open(row);
        while (reader.at < reader.end) {
          reader.tag();
          const column = columns[reader.number];
          const list = lists.get(reader.number);
          if (column) {
            column.read(reader, number);
          } else if (list) {
            this.#read(reader, this.#items.get(list)!.items);
          } else {
            reader.skip();
          }
        }
        this.#items.forEach(({ items, offsets }) => (offsets[number + 1] = items.length));
      }),
    );
  }

  vector(field: Field): Vector {
    return this.#columns[field.number]!.values;
  }

  present(field: Field, part: number): Uint8Array {
    return this.#columns[field.number]!.present[part + 1]!;
  }

  /** The items of the rows' lists in a field, with these columns; and their offsets. */
  list(name: ListName, fields: Fields): { items: Source; offsets: Uint32Array } {
    const { items, offsets } = this.#items.get(name)!;
    return { items: name === "buffIds" ? new Numbers(items as number[]) : new Scan(items as Uint8Array[], fields), offsets };
  }

  /** An item; of numbers one, or several that are packed. */
  #read(reader: Reader, items: (Uint8Array | number)[]): void {
    if (reader.type === WireType.Varint) {
      reader.varint();
      items.push(reader.low);
      return;
    }
    const bytes = reader.bytes();
    if (items !== this.#items.get("buffIds")?.items) {
      items.push(bytes);
      return;
    }
    const packed = new Reader([bytes]);
    packed.open(bytes);
    while (packed.at < packed.end) {
      packed.varint();
      items.push(packed.low);
    }
  }
}

/** A field's values, and where they are: of a point the whole and its parts. */
class Column {
  readonly values: Vector;
  readonly present: readonly Uint8Array[];
  readonly #known: ReadonlySet<number> | undefined;
  readonly #wire: WireType;
  readonly #halves: Uint32Array | undefined;
  readonly #isBool: boolean;

  constructor({ type, width, known }: Field, rows: number) {
    this.values = new type(rows * width);
    this.present = Array.from({ length: width === 3 ? 4 : 1 }, () => new Uint8Array(rows));
    this.#known = known;
    this.#wire = width === 3 ? WireType.LengthDelimited : type === Float32Array ? WireType.Bit32 : WireType.Varint;
    this.#halves = type === BigUint64Array ? new Uint32Array(this.values.buffer) : undefined;
    this.#isBool = type === Uint8Array && !known;
  }

  /** A field of another type than it should have counts as none. */
  read(reader: Reader, row: number): void {
    if (reader.type !== this.#wire) {
      reader.skip();
      return;
    }
    if (this.#wire === WireType.Bit32) {
      this.values[row] = reader.float();
    } else if (this.#wire === WireType.LengthDelimited) {
      this.#readPoint(reader, row);
    } else {
      reader.varint();
      const { low, high } = reader;
      if (this.#known && !this.#known.has(low)) {
        return;
      }
      if (this.#halves) {
        this.#halves[row * 2] = low;
        this.#halves[row * 2 + 1] = high;
      } else {
        this.values[row] = this.#isBool ? Number(low !== 0 || high !== 0) : low;
      }
    }
    this.present[0]![row] = 1;
  }

  #readPoint(reader: Reader, row: number): void {
    const { end } = reader;
    reader.end = reader.length();
    while (reader.at < reader.end) {
      reader.tag();
      const part = reader.number - 1;
      if (part < 3 && reader.type === WireType.Bit32) {
        this.values[row * 3 + part] = reader.float();
        this.present[part + 1]![row] = 1;
      } else {
        reader.skip();
      }
    }
    reader.end = end;
  }
}

/** Protobuf's wire in place: https://protobuf.dev/programming-guides/encoding/ */
class Reader {
  at = 0;
  end = 0;
  /** Of the last tag. */
  number = 0;
  type = WireType.Varint;
  /** Of the last varint: its 32 lower and upper bits. */
  low = 0;
  high = 0;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  /** @param rows views of one buffer */
  constructor(rows: readonly Uint8Array[]) {
    const buffer = rows[0]?.buffer ?? new ArrayBuffer(0);
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
  }

  open({ byteOffset, length }: Uint8Array): void {
    this.at = byteOffset;
    this.end = byteOffset + length;
  }

  tag(): void {
    this.varint();
    this.number = this.low >>> 3;
    this.type = this.low & 7;
    if (this.number === 0 || this.high !== 0) {
      throw new MalformedMessageError("no unit: a field without a number");
    }
  }

  varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= this.end) {
        break;
      }
      const byte = this.#bytes[this.at++]!;
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
    throw new MalformedMessageError("no unit: a number does not end");
  }

  float(): number {
    return this.#view.getFloat32(this.#past(4), true);
  }

  bytes(): Uint8Array {
    const end = this.length();
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  /** Where what has a length here ends. */
  length(): number {
    if (this.type !== WireType.LengthDelimited) {
      throw new MalformedMessageError("no unit: a number stands where bytes belong");
    }
    this.varint();
    const from = this.at;
    const end = this.#past(this.low) + this.low;
    this.at = from;
    return end;
  }

  skip(): void {
    switch (this.type) {
      case WireType.Varint:
        return this.varint();
      case WireType.Bit64:
        return void this.#past(8);
      case WireType.LengthDelimited:
        this.at = this.length();
        return;
      case WireType.Bit32:
        return void this.#past(4);
      default:
        throw new MalformedMessageError(`no unit: field ${this.number} is a group`);
    }
  }

  #past(length: number): number {
    const from = this.at;
    this.at += length;
    if (this.at > this.end) {
      throw new MalformedMessageError("no unit: it is cut off");
    }
    return from;
  }
}
