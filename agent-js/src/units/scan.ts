/**
 * Reads the units of a serialized observation directly into columns, without an object for each unit. This is as fast as
 * code that is generated for each message. Other fields are skipped. Throws only MalformedMessageError.
 */

import { WireType } from "@bufbuild/protobuf/wire";
import { ObservationSchema, ResponseObservationSchema } from "../generated/s2clientprotocol/sc2api_pb.js";
import { ObservationRawSchema, UnitSchema } from "../generated/s2clientprotocol/raw_pb.js";
import { WireReader } from "../protocol/wire-reader.js";
import type { ListName } from "./columns.js";
import { type Field, type Fields, NumbersSource, type Source, type Vector } from "./table.js";

const LISTS: ReadonlyMap<number, ListName> = new Map((["orders", "passengers", "buffIds", "rallyTargets"] as const).map((name) => [UnitSchema.field[name].number, name]));
const UNITS_PATH = [ResponseObservationSchema.field.observation.number, ObservationSchema.field.rawData.number, ObservationRawSchema.field.units.number];

/** Reads the units of a serialized ResponseObservation. `before`: see Scan. */
export function scanUnits(observation: Uint8Array, fields: Fields, before?: Scan): Scan {
  return new Scan(observation, placesOf(observation, UNITS_PATH), fields, LISTS, before);
}

/** Finds nested messages in a serialized message, by a path of field numbers. */
export function nestedMessages(message: Uint8Array, path: readonly number[]): Uint8Array[] {
  const places = placesOf(message, path);
  return Array.from({ length: places.length / 2 }, (_, at) => message.subarray(places[at * 2], places[at * 2 + 1]));
}

/** Finds nested messages. Returns the position where each begins, and the position after it, in turn. */
function placesOf(message: Uint8Array, [wanted, ...path]: readonly number[], start = 0, end = message.length, found: number[] = []): number[] {
  const reader = new WireReader(message, "message", start, end);
  while (reader.position < end) {
    reader.readTag();
    if (reader.number !== wanted) {
      reader.skip();
      continue;
    }
    const after = reader.readEnd();
    if (path.length) {
      placesOf(message, path, reader.position, after, found);
    } else {
      found.push(reader.position, after);
    }
    reader.position = after;
  }
  return found;
}

/** Serialized messages of one type, one for each row, as the source of a table. They are read once, in the constructor. */
export class Scan implements Source {
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #places: readonly number[];
  /** The memory of all columns: so one copy is enough to reuse all rows of another scan. */
  readonly #memory: Uint8Array<ArrayBuffer>;
  readonly #columns: readonly (Column | undefined)[];
  readonly #lists: readonly List[];

  /**
   * @param places the places of the messages in `bytes`, as in `placesOf`
   * @param before a scan of the same fields. A row whose bytes are the same as there is not read again.
   */
  constructor(bytes: Uint8Array, places: readonly number[], fields: Fields, lists: ReadonlyMap<number, ListName> = new Map(), before?: Scan) {
    const count = (this.count = places.length / 2);
    this.#bytes = bytes;
    this.#places = places;
    const like = before?.count === count ? before : undefined;
    const size = Object.values(fields).reduce((sum, field) => sum + Column.size(field, count), 0);
    this.#memory = like ? like.#memory.slice() : new Uint8Array(size);
    const columns: Column[] = [];
    let at = 0;
    for (const field of Object.values(fields)) {
      columns[field.number] = new Column(field, count, this.#memory, at);
      at += Column.size(field, count);
    }
    this.#columns = columns;
    const listsByField: List[] = [];
    lists.forEach((name, number) => (listsByField[number] = new List(name, count)));
    this.#lists = Object.values(listsByField);
    const reader = new WireReader(bytes, "unit");
    for (let row = 0; row < count; row++) {
      if (like && this.#isSame(like, row)) {
        const moved = places[row * 2]! - like.#places[row * 2]!;
        this.#lists.forEach((list, at) => list.copyRow(like.#lists[at]!, row, moved));
        continue;
      }
      if (like) {
        columns.forEach((column) => column.clear(row));
      }
      reader.position = places[row * 2]!;
      reader.end = places[row * 2 + 1]!;
      while (reader.position < reader.end) {
        reader.readTag();
        const reads = columns[reader.number] ?? listsByField[reader.number];
        if (reads) {
          reads.read(reader, row);
        } else {
          reader.skip();
        }
      }
      for (const list of this.#lists) {
        list.endRow(row);
      }
    }
  }

  vector(field: Field): Vector {
    return this.#columns[field.number]!.values;
  }

  present(field: Field, part: number): Uint8Array {
    return this.#columns[field.number]!.present(part);
  }

  /** The lists of all rows, joined. The items of `row` are those from `offsets[row]` to before `offsets[row + 1]`. */
  list(name: ListName, fields: Fields): { items: Source; offsets: Uint32Array } {
    const { numbers, offsets } = this.#lists.find((list) => list.name === name)!;
    return { items: name === "buffIds" ? new NumbersSource(numbers) : new Scan(this.#bytes, numbers, fields), offsets };
  }

  /** Whether a row has the same bytes in another scan. */
  #isSame(other: Scan, row: number): boolean {
    const [one, two] = [this.#bytes, other.#bytes];
    const end = this.#places[row * 2 + 1]!;
    let [at, its] = [this.#places[row * 2]!, other.#places[row * 2]!];
    if (end - at !== other.#places[row * 2 + 1]! - its) {
      return false;
    }
    while (at < end && one[at] === two[its]) {
      at++;
      its++;
    }
    return at === end;
  }
}

/** A list of all rows, joined. */
class List {
  /** The places of messages, as in `placesOf`. For `buffIds`: the numbers in the list. */
  readonly numbers: number[] = [];
  readonly offsets: Uint32Array;
  /** How many of `numbers` an item has. */
  readonly #size: number;

  constructor(
    readonly name: ListName,
    rows: number,
  ) {
    this.offsets = new Uint32Array(rows + 1);
    this.#size = name === "buffIds" ? 1 : 2;
  }

  /** Reads an item. A field of numbers can contain one number, or several numbers that are packed. */
  read(reader: WireReader): void {
    if (this.#size === 1 && reader.type === WireType.Varint) {
      reader.readVarint();
      this.numbers.push(reader.low);
      return;
    }
    const { end } = reader;
    reader.end = reader.readEnd();
    if (this.#size === 2) {
      this.numbers.push(reader.position, reader.end);
      reader.position = reader.end;
    }
    while (reader.position < reader.end) {
      reader.readVarint();
      this.numbers.push(reader.low);
    }
    reader.end = end;
  }

  /** Ends a row: later items belong to the next row. */
  endRow(row: number): void {
    this.offsets[row + 1] = this.numbers.length / this.#size;
  }

  /** Adds a row of another list. @param moved how far its places have moved */
  copyRow(from: List, row: number, moved: number): void {
    const end = from.offsets[row + 1]! * this.#size;
    for (let at = from.offsets[row]! * this.#size; at < end; at++) {
      this.numbers.push(from.numbers[at]! + (this.#size === 2 ? moved : 0));
    }
    this.endRow(row);
  }
}

const aligned = (bytes: number) => (bytes + 7) & ~7;

/** The values of a field, and which rows have a value. A point also has this for x, y and z. */
class Column {
  readonly values: Vector;
  /** The values, with a 64-bit value as two halves, and the number of them in a row. */
  readonly #numbers: Exclude<Vector, BigUint64Array>;
  readonly #width: number;
  readonly #knownNumbers: ReadonlySet<number> | undefined;
  readonly #wireType: WireType;
  readonly #isBool: boolean;
  // The values by the kind of their array. Code that writes to one kind only is several times faster.
  readonly #floats: Float32Array | undefined;
  readonly #halves: Uint32Array | undefined;
  readonly #bytes: Uint8Array | undefined;
  /** All memory, and the place in it where the rows with a value begin. The rows with an x, y and z follow. */
  readonly #memory: Uint8Array;
  readonly #present: number;
  readonly #rows: number;

  /** The bytes of memory for a number of rows. */
  static size({ type, width }: Field, rows: number): number {
    return aligned(rows * width * type.BYTES_PER_ELEMENT) + (width === 3 ? 4 : 1) * aligned(rows);
  }

  /** @param at the position of its memory */
  constructor({ type, width, knownNumbers }: Field, rows: number, memory: Uint8Array<ArrayBuffer>, at: number) {
    const { buffer } = memory;
    this.values = new type(buffer, at, rows * width);
    this.#memory = memory;
    this.#present = at + aligned(this.values.byteLength);
    this.#rows = rows;
    this.#numbers = this.values instanceof BigUint64Array ? new Uint32Array(buffer, at, rows * 2) : this.values;
    this.#width = this.values === this.#numbers ? width : 2;
    this.#knownNumbers = knownNumbers;
    this.#wireType = width === 3 ? WireType.LengthDelimited : type === Float32Array ? WireType.Bit32 : WireType.Varint;
    this.#floats = this.values instanceof Float32Array ? this.values : undefined;
    this.#halves = this.values instanceof BigUint64Array ? (this.#numbers as Uint32Array) : undefined;
    this.#bytes = this.values instanceof Uint8Array ? this.values : undefined;
    this.#isBool = type === Uint8Array && !knownNumbers;
  }

  /** Which rows have a value. If `part` is 0, 1 or 2: which rows have an x, y or z. */
  present(part: number): Uint8Array {
    const start = this.#present + (part + 1) * aligned(this.#rows);
    return this.#memory.subarray(start, start + this.#rows);
  }

  /** Removes the value of a row. */
  clear(row: number): void {
    for (let at = row * this.#width; at < (row + 1) * this.#width; at++) {
      this.#numbers[at] = 0;
    }
    for (let part = 0; part < (this.#width === 3 ? 4 : 1); part++) {
      this.#memory[this.#present + part * aligned(this.#rows) + row] = 0;
    }
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
    this.#memory[this.#present + row] = 1;
  }

  #readPoint(reader: WireReader, row: number): void {
    const { end } = reader;
    reader.end = reader.readEnd();
    while (reader.position < reader.end) {
      reader.readTag();
      const part = reader.number - 1;
      if (part < 3 && reader.type === WireType.Bit32) {
        this.#floats![row * 3 + part] = reader.readFloat();
        this.#memory[this.#present + (part + 1) * aligned(this.#rows) + row] = 1;
      } else {
        reader.skip();
      }
    }
    reader.end = end;
  }
}
