/**
 * Reads the units of a serialized observation directly into columns, without an object for each unit. This is as fast as
 * code that is generated for each message. Other fields are skipped. Throws only MalformedMessageError.
 */

import { WireType } from "@bufbuild/protobuf/wire";
import { MalformedMessageError } from "../errors.js";
import { ObservationSchema, ResponseObservationSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { ObservationRawSchema, UnitSchema } from "../generated/s2clientprotocol/raw_pb.js";
import { parseUntrusted, rawFieldsOf, requireBytes } from "../protocol/parsing.js";
import type { ListName } from "./columns.js";
import { type Field, type Fields, NumbersSource, type Source, type Vector } from "./table.js";

const LISTS: ReadonlyMap<number, ListName> = new Map((["orders", "passengers", "buffIds", "rallyTargets"] as const).map((name) => [UnitSchema.field[name].number, name]));
const UNITS_PATH = [ResponseObservationSchema.field.observation.number, ObservationSchema.field.rawData.number, ObservationRawSchema.field.units.number];

/** Reads the units of a serialized ResponseObservation. */
export function scanUnits(observation: Uint8Array, fields: Fields): Scan {
  return new Scan(nestedMessages([observation], UNITS_PATH), fields, LISTS);
}

/** Finds nested messages in serialized messages, by a path of field numbers. */
export function nestedMessages(messages: readonly Uint8Array[], [wanted, ...path]: readonly number[]): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const message of messages) {
    for (const [number, value] of rawFieldsOf(message)) {
      if (number === wanted) {
        found.push(requireBytes(value));
      }
    }
  }
  return path.length ? nestedMessages(found, path) : found;
}

/** Serialized messages of one type, one for each row, as the source of a table. They are read once, in the constructor. */
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
    const reader = new WireReader(rows);
    parseUntrusted("invalid unit", () =>
      rows.forEach((row, number) => {
        reader.start(row);
        while (reader.position < reader.end) {
          reader.readTag();
          const column = columns[reader.number];
          const list = lists.get(reader.number);
          if (column) {
            column.read(reader, number);
          } else if (list) {
            this.#readItem(reader, this.#items.get(list)!.items);
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

  /** The lists of all rows, joined. The items of `row` are those from `offsets[row]` to before `offsets[row + 1]`. */
  list(name: ListName, fields: Fields): { items: Source; offsets: Uint32Array } {
    const { items, offsets } = this.#items.get(name)!;
    return { items: name === "buffIds" ? new NumbersSource(items as number[]) : new Scan(items as Uint8Array[], fields), offsets };
  }

  /** Reads an item of a list. A field of numbers can contain one number, or several numbers that are packed. */
  #readItem(reader: WireReader, items: (Uint8Array | number)[]): void {
    if (reader.type === WireType.Varint) {
      reader.readVarint();
      items.push(reader.low);
      return;
    }
    const bytes = reader.readBytes();
    if (items !== this.#items.get("buffIds")?.items) {
      items.push(bytes);
      return;
    }
    const packed = new WireReader([bytes]);
    packed.start(bytes);
    while (packed.position < packed.end) {
      packed.readVarint();
      items.push(packed.low);
    }
  }
}

/** The values of a field, and which rows have a value. A point also has this for x, y and z. */
class Column {
  readonly values: Vector;
  readonly present: readonly Uint8Array[];
  readonly #knownNumbers: ReadonlySet<number> | undefined;
  readonly #wireType: WireType;
  readonly #isBool: boolean;
  // The values by the kind of their array. Code that writes to one kind only is several times faster.
  readonly #floats: Float32Array | undefined;
  readonly #halves: Uint32Array | undefined;
  readonly #bytes: Uint8Array | undefined;
  readonly #present: Uint8Array;

  constructor({ type, width, knownNumbers }: Field, rows: number) {
    this.values = new type(rows * width);
    this.present = Array.from({ length: width === 3 ? 4 : 1 }, () => new Uint8Array(rows));
    this.#knownNumbers = knownNumbers;
    this.#wireType = width === 3 ? WireType.LengthDelimited : type === Float32Array ? WireType.Bit32 : WireType.Varint;
    this.#floats = this.values instanceof Float32Array ? this.values : undefined;
    this.#halves = type === BigUint64Array ? new Uint32Array(this.values.buffer) : undefined;
    this.#bytes = this.values instanceof Uint8Array ? this.values : undefined;
    this.#isBool = type === Uint8Array && !knownNumbers;
    this.#present = this.present[0]!;
  }

  /** Reads a value. A value with another wire type than the field counts as missing. */
  read(reader: WireReader, row: number): void {
    if (reader.type !== this.#wireType) {
      reader.skip();
      return;
    }
    if (this.#wireType === WireType.Bit32) {
      this.#floats![row] = reader.readFloat();
    } else if (this.#wireType === WireType.LengthDelimited) {
      this.#readPoint(reader, row);
    } else {
      reader.readVarint();
      const { low, high } = reader;
      if (this.#knownNumbers && !this.#knownNumbers.has(low)) {
        return;
      }
      if (this.#halves) {
        this.#halves[row * 2] = low;
        this.#halves[row * 2 + 1] = high;
      } else if (this.#bytes) {
        this.#bytes[row] = this.#isBool ? Number(low !== 0 || high !== 0) : low;
      } else {
        this.values[row] = low;
      }
    }
    this.#present[row] = 1;
  }

  #readPoint(reader: WireReader, row: number): void {
    const { end } = reader;
    reader.end = reader.readEnd();
    while (reader.position < reader.end) {
      reader.readTag();
      const part = reader.number - 1;
      if (part < 3 && reader.type === WireType.Bit32) {
        this.#floats![row * 3 + part] = reader.readFloat();
        this.present[part + 1]![row] = 1;
      } else {
        reader.skip();
      }
    }
    reader.end = end;
  }
}

/** Reads protobuf's wire format without copies: https://protobuf.dev/programming-guides/encoding/ */
class WireReader {
  position = 0;
  end = 0;
  /** The field number and the wire type of the last tag. */
  number = 0;
  type = WireType.Varint;
  /** The lower and the upper 32 bits of the last varint. */
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

  start({ byteOffset, length }: Uint8Array): void {
    this.position = byteOffset;
    this.end = byteOffset + length;
  }

  readTag(): void {
    this.readVarint();
    this.number = this.low >>> 3;
    this.type = this.low & 7;
    if (this.number === 0 || this.high !== 0) {
      throw new MalformedMessageError("invalid unit: a field has no number");
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
    throw new MalformedMessageError("invalid unit: a number does not end");
  }

  readFloat(): number {
    return this.#view.getFloat32(this.#advance(4), true);
  }

  readBytes(): Uint8Array {
    const end = this.readEnd();
    const bytes = this.#bytes.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  /** Reads the length of bytes. Returns the position after these bytes. */
  readEnd(): number {
    if (this.type !== WireType.LengthDelimited) {
      throw new MalformedMessageError(`invalid unit: field ${this.number}: expected bytes, not a number`);
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
        throw new MalformedMessageError(`invalid unit: field ${this.number} is a group, and groups are not supported`);
    }
  }

  #advance(length: number): number {
    const from = this.position;
    this.position += length;
    if (this.position > this.end) {
      throw new MalformedMessageError("invalid unit: cut off");
    }
    return from;
  }
}
